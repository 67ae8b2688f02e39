# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The connection options and their checks, and the argument spec of a module."""

from __future__ import annotations

import ipaddress
import re
import typing as t
from urllib.parse import urlsplit

from ansible.module_utils.basic import env_fallback

from .._core.errors import BadInput
from .._core.option_names import named
from .._core.secret_urls import has_user_info, mask_url
from .._http.client import Settings, can_be_asked
from .._operations.base import Operation
from .._schema.validators import duration, http_url

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
