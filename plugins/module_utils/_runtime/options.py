# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a task: connection, argument spec, types, and what the user specified."""

from __future__ import annotations

import difflib
import ipaddress
import re
import typing as t
from urllib.parse import urlsplit

from ansible.module_utils.basic import env_fallback
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS

from .._core.errors import BadInput
from .._core.secret_store import has_user_info, mask_url
from .._core.texts import named
from .._http.client import Settings, can_be_asked
from .._operations.base import Operation, Referenced
from .._schema import option_forms
from .._schema.validators import duration, http_url
from .redaction import SHORTEST_URL_SECRET, secrets_in

# Check the types of options before ansible-core does, to report the full path of the first wrong one.

_LONGEST_VALUE = 100  # characters of a wrong value in a message
_TYPES = {
    "dict": "a dictionary",
    "list": "a list",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "path": "a path",
}


def extract_invalid(
    params: t.Mapping[str, t.Any], spec: t.Mapping[str, t.Any], lists: t.Iterable[str]
) -> tuple[dict[str, str], list[t.Any]]:
    """Replace entries of lists that do not have the types of their options by their names alone.

    ``spec`` is the argument spec, ``lists`` are the options in which such entries are findings. Return the problems of
    the entries by path, and the entries as they were.
    """
    problems: dict[str, str] = {}
    extracted: list[t.Any] = []
    for option in lists:
        for path, entries, index, options in _entries_of(params, option, spec[option]["options"]):
            entry = entries[index]
            wrong = wrong_type(entry, options)
            if wrong is not None:
                inside, expected = wrong
                problem = f"{inside}: {expected}" if inside else expected
            else:
                problem = next(iter(ArgumentSpecValidator(options).validate(entry).error_messages), "").rstrip(".")
            if problem:
                known = entry if isinstance(entry, dict) else {}
                problems[path] = problem
                extracted.append(entry)
                names = [name for name, one in options.items() if one.get("required")]
                entries[index] = {name: known[name] if isinstance(known.get(name), str) else "" for name in names}
                if isinstance(known.get("applications"), list):  # they are checked already
                    entries[index]["applications"] = known["applications"]
    return problems, extracted


def _entries_of(
    params: t.Mapping[str, t.Any], option: str, options: t.Mapping[str, t.Any], path: str = ""
) -> t.Iterator[tuple[str, list[t.Any], int, t.Any]]:
    """Yield the path of each entry of a list, the list, the index in it, and the specs of its options.

    Applications inside of a virtual host come before it.
    """
    entries = params.get(option)
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        here = f"{path}{option}[{index}]"
        if option == "vhosts" and isinstance(entry, dict):
            yield from _entries_of(entry, "applications", options["applications"]["options"], f"{here}.")
        yield here, t.cast(list, entries), index, options


def wrong_type(values: t.Any, options: t.Mapping[str, t.Any], path: str = "") -> tuple[str, str] | None:
    """Return the full path of the first option whose value does not have its type, and what was expected.

    None if there is none. ansible-core reports the option without its path, or nothing, or raises an exception.
    ``values`` are a dictionary or its text; ``options`` is its argument spec.
    """
    try:
        values = DEFAULT_TYPE_VALIDATORS["dict"](values)
    except (TypeError, ValueError):
        return path, f"expected a dictionary, got {_describe(values)}"
    for name, spec in options.items():
        value = values.get(name)
        if value is not None:
            wrong = _wrong_value(value, spec, f"{path}.{name}" if path else name)
            if wrong is not None:
                return wrong
    return None


def _wrong_value(value: t.Any, spec: t.Mapping[str, t.Any], path: str) -> tuple[str, str] | None:
    """Return what :func:`wrong_type` returns, for the value of one option."""
    kind = spec["type"]
    if kind == "dict" and "options" in spec:
        return wrong_type(value, spec["options"], path)
    try:
        value = DEFAULT_TYPE_VALIDATORS[kind](value)
    except (TypeError, ValueError):
        shown = (
            repr(value)
            if isinstance(value, str) and kind in ("int", "float", "bool") and len(value) <= _LONGEST_VALUE
            else _describe(value)
        )
        return path, f"expected {_TYPES.get(kind, kind)}, got {shown}"
    if kind == "list":
        element = {**spec, "type": spec.get("elements", "raw")}
        for index, item in enumerate(value):
            wrong = _wrong_value(item, element, f"{path}[{index}]")
            if wrong is not None:
                return wrong
    return None


def _describe(value: t.Any) -> str:
    """Return the kind of a value, for a message that must not show the value."""
    names = {str: "text", dict: "a dictionary", list: "a list", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "nothing")


# The connection options and their checks, and the argument spec of a module.

# Headers that the client sets. Another value would break the request or drop the credential.
_OWN_HEADERS = frozenset(("authorization", "connection", "content-length", "content-type", "host", "transfer-encoding"))
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BARE_IPV6 = re.compile(r"(?:https?://)?[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:/|\Z)", re.IGNORECASE)
_LARGEST_RETRIES = 20
_LARGEST_CONCURRENCY = 32
_LONGEST_LINE = 8000  # characters; servers and proxies accept about that much in a request line or header
_LONGEST_SHOWN = 100  # characters of a header name in a message

CONNECTION_URLS = ("api_url",)
"""The connection options that are URLs."""


def connection_options(*, required: bool = True) -> dict[str, t.Any]:
    """Return the argument spec of the options that every module has, each with an environment fallback.

    ``required`` says whether the module needs a server for every task.
    """
    specs: dict[str, dict[str, t.Any]] = {
        "api_url": {"type": "str", "required": required},
        "api_token": {"type": "str", "required": required, "no_log": True},
        "validate_certs": {"type": "bool", "default": True},
        "ca_path": {"type": "path"},
        "client_cert": {"type": "path"},
        "client_key": {"type": "path", "no_log": False},
        "timeout": {"type": "float", "default": 10.0},
        "retries": {"type": "int", "default": 3},
        "http_headers": {"type": "dict", "no_log": True},
        "concurrency": {"type": "int", "default": 16},
    }
    return {
        name: {**spec, "fallback": (env_fallback, [f"OVENMEDIAENGINE_{name.upper()}"])} for name, spec in specs.items()
    }


def settings_of(params: t.Mapping[str, t.Any]) -> Settings:
    """Return the settings of the client. Raises BadInput if a connection option cannot work."""
    for option in ("api_url", "api_token"):
        if params[option] is None:  # the argument spec does not require it if only some tasks need a server
            raise BadInput(option, "is required to send requests to the server")
    url = _checked_url(params["api_url"].strip())
    token = params["api_token"]
    if not token.strip():
        text = "is empty; set it, or the environment variable OVENMEDIAENGINE_API_TOKEN, to the access token of the API"
        raise BadInput("api_token", text)
    if not token.isprintable() or len(token) > _LONGEST_LINE:
        expected = (
            f"expected the access token of the server's API, text on one line of at most {_LONGEST_LINE} characters"
        )
        raise BadInput("api_token", expected)
    for option in ("ca_path", "client_cert", "client_key"):
        if params[option] is not None and not params[option].isprintable():
            raise BadInput(option, "expected the path of a file, not what the file holds")
    if params["client_key"] and not params["client_cert"]:
        raise BadInput("client_key", f"expected {named('client_cert')} beside it")
    problem = duration(params["timeout"])
    if problem:
        raise BadInput("timeout", f"{problem}, got {params['timeout']:g}")
    if not 0 <= params["retries"] <= _LARGEST_RETRIES:
        raise BadInput("retries", f"expected a whole number from 0 to {_LARGEST_RETRIES}, got {params['retries']}")
    if not 1 <= params["concurrency"] <= _LARGEST_CONCURRENCY:
        raise BadInput(
            "concurrency", f"expected a whole number from 1 to {_LARGEST_CONCURRENCY}, got {params['concurrency']}"
        )
    return Settings(
        url,
        token,
        params["validate_certs"],
        params["ca_path"],
        params["client_cert"],
        params["client_key"],
        params["timeout"],
        params["retries"],
        _checked_headers(params["http_headers"] or {}),
        params["concurrency"],
    )


def _checked_url(url: str) -> str:
    """Return the base address of the API. Raises BadInput, without a secret in its message, if it cannot work."""
    if has_user_info(url):
        text = f"expected no user or password in the URL; set the access token as {named('api_token')}"
        raise BadInput("api_url", f"{text}, and the credentials of a gateway in {named('http_headers')}")
    if http_url(url) or "?" in url or "#" in url:
        expected = "expected the base address of the API such as 'http://127.0.0.1:8081'"
        if _BARE_IPV6.match(url):
            expected = "expected an IPv6 address in brackets such as 'http://[2001:db8::1]:8081'"
        raise BadInput("api_url", f"{expected}, got {mask_url(url)!r}")
    if not can_be_asked(url):
        raise BadInput("api_url", f"expected a valid host name, got {mask_url(url)!r}")
    if len(url) > _LONGEST_LINE or not url.isprintable():
        raise BadInput("api_url", f"expected at most {_LONGEST_LINE} characters, all of them printable")
    return url


def _checked_headers(specified: t.Mapping[t.Any, t.Any]) -> dict[str, str]:
    """Return the additional headers as text. Raises BadInput, without a value in its message, if one cannot work."""
    headers = {str(name): str(value) for name, value in specified.items()}
    for name, value in headers.items():
        if name in specified and specified[name] is None:
            raise BadInput(f"http_headers.{name}", "expected a value; use an empty text for a header without value")
        sound = value.isprintable() and value.isascii() and value == value.strip()
        if not _HEADER_NAME.fullmatch(name) or not sound or len(name) + len(value) > _LONGEST_LINE:
            expected = "expected a header name, and a value of printable ASCII on one line without blanks at its ends"
            limit = f"at most {_LONGEST_LINE} characters together"
            raise BadInput(f"http_headers.{name[:_LONGEST_SHOWN]!r}", f"{expected}, {limit}")
        if name.lower() in _OWN_HEADERS:
            raise BadInput(f"http_headers.{name}", "expected another header, because the client sets this one")
    return headers


def in_clear_text(settings: Settings) -> bool:
    """Return whether the access token and other secrets cross a network without encryption."""
    parts = urlsplit(settings.api_url.lower())
    host = parts.hostname or ""
    if parts.scheme == "https" or host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return True


def argument_spec(operation: type[Operation]) -> dict[str, t.Any]:
    """Return the argument spec of the module with this operation."""
    if not operation.has_connection:
        return operation.options()
    return {**connection_options(required=operation.always_needs_server), **operation.options()}


def documented_spec(spec: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return an argument spec as the documentation has it: without options that another module describes."""
    return {
        name: {
            key: documented_spec(value) if key == "options" else value
            for key, value in option.items()
            if key != "options" or not isinstance(option, Referenced)
        }
        for name, option in spec.items()
    }


# The options of one task as the user specified them, before ansible-core checks them.


class SpecifiedOptions:
    """Prepares the options of one task for the check of ansible-core, and finds their secrets."""

    def __init__(self, operation: type[Operation], spec: t.Mapping[str, t.Any], options: t.Mapping[str, t.Any]) -> None:
        """``spec`` is the argument spec of the operation's module."""
        self._spec = spec
        self.params = operation.as_declared(options)
        self._macros = option_forms.take(self.params, *operation.declarations())
        self.invalid_entries: dict[str, str] = {}
        """The problems of list entries that are findings, by path."""
        self._extracted: list[t.Any] = []
        if operation.lists_of_findings:
            self.invalid_entries, self._extracted = extract_invalid(self.params, spec, operation.lists_of_findings)
        # The check of ansible-core empties some invalid lists, so their secrets must be found before.
        self._secrets = secrets_in([self.params, self._extracted])

    def secrets(self, checked: t.Mapping[str, t.Any]) -> set[str]:
        """Return the secrets that ansible-core does not know.

        ``checked`` are the options as far as its check has come.
        """
        found = self._secrets | secrets_in([checked, self._extracted])
        return {secret for secret in found if len(secret) >= SHORTEST_URL_SECRET}

    def put_macros_back(self, checked: t.Any) -> None:
        """Put macros of configuration files back into the options after the check, which takes none for a number."""
        option_forms.put_back(checked, self._macros)

    def wrong_type(self) -> str | None:
        """Return the message for the first option of a wrong type; None if there is none."""
        wrong = wrong_type(self.params, self._spec)
        return None if wrong is None else f"{named(wrong[0])}: {wrong[1]}."


_UNKNOWN = re.compile(
    r"Unsupported parameters for \(\S+\) module: (.*?)\. Supported parameters include: (.*)\.", re.DOTALL
)

_MISSING = re.compile(r"missing required arguments: (.*?)(?: found in (.*))?")

# Where ansible-core names options in a message of its check.
_OPTIONS = re.compile(
    r"(\Amissing required arguments: |\AUnsupported parameters for \(\S+\) module: |\Avalue of |\Aargument '?"
    r"| found in '?)"
    r"(\w[\w.]*(?:, \w[\w.]*)*)"
)


def with_hints(text: str, unsupported: t.Iterable[t.Any]) -> str:
    """Return a message of ansible-core with what helps a new user.

    If connection options are missing, these are the places to set them; if an option is unknown, the known one whose
    name is similar. In a role, the variable is named that an option gets its value from.

    :param unsupported: the unknown options as the check of ansible-core has them: a path is a tuple, or a text at the
        top. It reports missing options first, although one may only be misspelt.
    """
    unknown = _UNKNOWN.fullmatch(text)
    if unknown:
        known = re.findall(r"\w+", unknown[2])
        return _with_names(text) + _did_you_mean(unknown[1].split(", "), known)
    missing = _MISSING.fullmatch(text)
    if not missing:
        return _with_names(text)
    names = missing[1].split(", ")
    place = missing[2].split(" -> ") if missing[2] else []
    paths = ([path] if isinstance(path, str) else list(path) for path in unsupported)
    misspelt = sorted(".".join(path) for path in paths if path[:-1] == place)
    hints = [
        f"Set the option {name}, the environment variable OVENMEDIAENGINE_{name.upper()} or, for roles, "
        f"ovenmediaengine_{name}."
        for name in ("api_url", "api_token")
        if name in names
    ]
    if misspelt:
        hints.insert(0, f"Unsupported parameters: {', '.join(map(named, misspelt))}.{_did_you_mean(misspelt, names)}")
    text = _with_names(text)
    return " ".join([f"{text}." if hints else text, *hints])


def _did_you_mean(unknown: t.Iterable[str], known: t.Collection[str]) -> str:
    """Return a question that names the options similar to unknown ones, with a blank before it; empty for none."""
    similar = _similar(unknown, known)
    return f" Did you mean {' and '.join(map(named, similar))}?" if similar else ""


def _with_names(text: str) -> str:
    """Return a message of ansible-core that names variables in place of options."""
    return _OPTIONS.sub(lambda found: found[1] + ", ".join(map(named, found[2].split(", "))), text)


def _similar(unknown: t.Iterable[str], known: t.Collection[str]) -> list[str]:
    """Return the full paths of the known options whose names are similar to those of unknown ones."""
    found = []
    for path in unknown:
        parent, dot, name = path.rpartition(".")
        # Swapped letters are the most likely mistake, which `difflib` does not know.
        close = sorted(difflib.get_close_matches(name, known, 3), key=lambda one: sorted(one) != sorted(name))
        found += [f"{parent}{dot}{one}" for one in close[:1]]
    return list(dict.fromkeys(found))
