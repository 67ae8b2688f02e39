# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The connection options and their checks, and what is done with the options of any module before ansible-core checks
them.
"""

from __future__ import annotations

import ipaddress
import re
import typing as t
from urllib.parse import urlsplit

from ansible.module_utils.basic import env_fallback
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.parameters import DEFAULT_TYPE_VALIDATORS

from .._core.errors import BadInput
from .._core.secret_urls import has_user_info, mask_url
from .._http.client import Settings, can_be_asked
from .._operations.base import Operation
from .._schema.validators import duration, http_url

# Headers that the client sets itself; another value would break the request or lose the credential.
_OWN_HEADERS = frozenset(("authorization", "connection", "content-length", "content-type", "host", "transfer-encoding"))
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LARGEST_RETRIES = 20
_LARGEST_CONCURRENCY = 32
_LONGEST_LINE = 8000  # servers and proxies take about that much in the first line of a request, and in a header
_LONGEST_SHOWN = 100
_TYPES = {
    "dict": "a dictionary",
    "list": "a list",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "path": "a path",
}
# The names of all options that hold secrets, of every module and at every level: one that stands where it does not
# belong is a secret still.
SECRET_OPTIONS = frozenset(("api_token", "http_headers", "secret_key", "auth", "stream_key"))


def connection_options(*, required: bool = True) -> dict[str, t.Any]:
    """The options that every module has, each with an environment fallback; ``required`` where there is nothing to do
    without a server.
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
    """The connection options, checked; raises BadInput."""
    for option in ("api_url", "api_token"):
        if params[option] is None:  # where it is required only together with others
            raise BadInput(option, "is required to ask the server")
    url = params["api_url"].strip()
    expected = http_url(url)
    if has_user_info(url):
        raise BadInput(
            "api_url",
            "expected no user or password in the URL; give the access token as api_token, and what a gateway needs in http_headers",
        )
    if expected or "?" in url or "#" in url:
        raise BadInput(
            "api_url", f"expected the base address of the API such as 'http://127.0.0.1:8081', got {mask_url(url)!r}"
        )
    if not can_be_asked(url):
        raise BadInput("api_url", f"expected a host name that a request can be sent to, got {mask_url(url)!r}")
    if len(url) > _LONGEST_LINE or not url.isprintable():
        raise BadInput("api_url", f"expected at most {_LONGEST_LINE} characters, all of which can be printed")
    token = params["api_token"]
    if not token or not token.isprintable() or len(token) > _LONGEST_LINE:
        raise BadInput(
            "api_token",
            f"expected the access token of the server's API, some text on one line of at most {_LONGEST_LINE} characters",
        )
    for option in ("ca_path", "client_cert", "client_key"):
        if params[option] is not None and not params[option].isprintable():
            raise BadInput(option, "expected the path of a file, not what the file holds")
    if params["client_key"] and not params["client_cert"]:
        raise BadInput("client_key", "expected client_cert beside it")
    expected = duration(params["timeout"])
    if expected:
        raise BadInput("timeout", f"{expected}, got {params['timeout']:g}")
    if not 0 <= params["retries"] <= _LARGEST_RETRIES:
        raise BadInput("retries", f"expected a whole number from 0 to {_LARGEST_RETRIES}, got {params['retries']}")
    if not 1 <= params["concurrency"] <= _LARGEST_CONCURRENCY:
        raise BadInput(
            "concurrency", f"expected a whole number from 1 to {_LARGEST_CONCURRENCY}, got {params['concurrency']}"
        )
    specified = params["http_headers"] or {}
    headers = {str(name): str(value) for name, value in specified.items()}
    for name, value in headers.items():
        if name in specified and specified[name] is None:
            raise BadInput(f"http_headers.{name}", "expected a value; give the empty text where there is none")
        sound = value.isprintable() and value.isascii() and value == value.strip()
        if not _HEADER_NAME.fullmatch(name) or not sound or len(name) + len(value) > _LONGEST_LINE:
            expected = f"expected a header name and a value of printable ASCII on one line of at most {_LONGEST_LINE} characters, without blanks at its ends"
            raise BadInput(f"http_headers.{name[:_LONGEST_SHOWN]!r}", expected)
        if name.lower() in _OWN_HEADERS:
            raise BadInput(f"http_headers.{name}", "expected another header; this one is set by the client itself")
    return Settings(
        url,
        params["api_token"],
        params["validate_certs"],
        params["ca_path"],
        params["client_cert"],
        params["client_key"],
        params["timeout"],
        params["retries"],
        headers,
        params["concurrency"],
    )


def in_clear_text(settings: Settings) -> bool:
    """Whether the access token and all other secrets go over a network as they are, for everybody on the way to read."""
    parts = urlsplit(settings.api_url.lower())
    host = parts.hostname or ""
    if parts.scheme == "https" or host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:  # a name
        return True


def argument_spec(operation: type[Operation]) -> dict[str, t.Any]:
    """The whole argument spec of the module with this operation."""
    return {**connection_options(required=operation.always_needs_server), **operation.options()}


def extract_invalid(
    params: t.Mapping[str, t.Any], spec: t.Mapping[str, t.Any], lists: t.Iterable[str]
) -> tuple[dict[str, str], list[t.Any]]:
    """Takes entries that are not of the types of their options out of lists where they are findings and end nothing.

    Leaves the names in their place that say what they are about. ``spec`` is the argument spec, ``lists`` are the
    options that are such lists. Returns what is wrong with the entries by path, and the entries.
    """
    problems: dict[str, str] = {}
    taken: list[t.Any] = []
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
                taken.append(entry)
                names = [name for name, one in options.items() if one.get("required")]
                entries[index] = {name: known[name] if isinstance(known.get(name), str) else "" for name in names}
                if isinstance(known.get("applications"), list):  # they have been looked at
                    entries[index]["applications"] = known["applications"]
    return problems, taken


def _entries_of(
    params: t.Mapping[str, t.Any], option: str, options: t.Mapping[str, t.Any], path: str = ""
) -> t.Iterator[tuple[str, list[t.Any], int, t.Any]]:
    """The path of each entry of a list, the list and the place in it, and the specs of its options; what stands inside
    of an entry comes first.
    """
    entries = params.get(option)
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        here = f"{path}{option}[{index}]"
        if option == "vhosts" and isinstance(entry, dict):
            yield from _entries_of(entry, "applications", options["applications"]["options"], f"{here}.")
        yield here, t.cast(list, entries), index, options


def wrong_type(values: t.Any, options: t.Mapping[str, t.Any], path: str = "") -> tuple[str, str] | None:
    """Return the full path of the first option whose value ansible-core cannot take for its type, and what was
    expected; None if there is none.

    The check of ansible-core names only the option, or nothing, and can end in an exception. ``values`` are a
    dictionary or the text of one, and ``options`` are the argument specs of what should be in it.
    """
    try:
        values = DEFAULT_TYPE_VALIDATORS["dict"](values)
    except (TypeError, ValueError):
        return path, f"expected a dictionary, got {_in_words(values)}"
    for name, spec in options.items():
        value = values.get(name)
        if value is not None:
            wrong = _wrong_value(value, spec, f"{path}.{name}" if path else name)
            if wrong is not None:
                return wrong
    return None


def _wrong_value(value: t.Any, spec: t.Mapping[str, t.Any], path: str) -> tuple[str, str] | None:
    """The same of the value of one option."""
    kind = spec["type"]
    if kind == "dict" and "options" in spec:
        return wrong_type(value, spec["options"], path)
    try:
        value = DEFAULT_TYPE_VALIDATORS[kind](value)
    except (TypeError, ValueError):
        shown = (
            repr(value)
            if isinstance(value, str) and kind in ("int", "float", "bool") and len(value) <= _LONGEST_SHOWN
            else _in_words(value)
        )
        return path, f"expected {_TYPES.get(kind, kind)}, got {shown}"
    if kind == "list":
        element = {**spec, "type": spec.get("elements", "raw")}
        for index, item in enumerate(value):
            wrong = _wrong_value(item, element, f"{path}[{index}]")
            if wrong is not None:
                return wrong
    return None


def _in_words(value: t.Any) -> str:
    """What a value is, for a message that must not show it."""
    names = {str: "text", dict: "a dictionary", list: "a list", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "nothing")
