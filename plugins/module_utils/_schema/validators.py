# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks of option values.

A check takes a value and returns what was expected instead, or None if the value is valid.
"""

from __future__ import annotations

import re
import typing as t
from urllib.parse import urlsplit

from .._core.macros import has_macro

# The server does not percent-decode paths, so that it can create other names but never read or delete them. An ID with
# a printf conversion kills the server (server-facts: Virtual hosts).
_ADDRESSABLE = re.compile(r"[A-Za-z0-9._-]+")
_HOST_NAME = re.compile(r"[A-Za-z0-9.*:_\[\]-]+")
_MODULE_NAME = re.compile(r"[A-Za-z0-9_*-]+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_BLANK_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]")
# Python decodes bytes that are not UTF-8 to halves of surrogate pairs, which no request can contain.
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_LONGEST_NAME = 255
_LARGEST_INT = 2**31 - 1


def is_addressable(name: t.Any) -> bool:
    """Return whether API paths can contain a name without harm to the server (server-facts: Virtual hosts)."""
    return (
        isinstance(name, str)
        and name not in (".", "..")
        and len(name) <= _LONGEST_NAME
        and _ADDRESSABLE.fullmatch(name) is not None
    )


def addressable(value: str) -> str | None:
    """Check a name that is part of API paths: of a virtual host or an application, or the ID of a push task."""
    if is_addressable(value):
        return None
    if has_macro(value):
        return "expected the name itself, because neither a request nor the name of a file can hold a macro"
    if len(value) > _LONGEST_NAME:
        return f"expected at most {_LONGEST_NAME} characters"
    return "expected letters, digits, '.', '_' and '-' only (the server cannot address anything else)"


def one_line(value: str) -> str | None:
    """Check a text that is not blank and has no control characters."""
    if not value.strip():
        return "expected some text"
    return "expected text without control characters" if _CONTROL.search(value) else None


def one_line_or_empty(value: str) -> str | None:
    """Check a text without control characters; it can be empty."""
    return one_line(value) if value else None


def host_name(value: str) -> str | None:
    """Check a name by which viewers reach a virtual host."""
    if len(value) > _LONGEST_NAME:
        return f"expected at most {_LONGEST_NAME} characters"
    return None if _HOST_NAME.fullmatch(value) else "expected a domain name, an IP address or '*'"


def module_name(value: str) -> str | None:
    """Check the name of a provider or publisher."""
    return (
        None
        if _MODULE_NAME.fullmatch(value.strip())
        else "expected the name of a provider or publisher such as 'rtmp' or 'llhls'"
    )


def absolute_path(value: str) -> str | None:
    """Check a path on the media server, which resolves relative ones against `/` (server-facts: Virtual hosts)."""
    if value.startswith("/") and not _CONTROL.search(value):
        return None
    return "expected an absolute path on the media server such as '/etc/ovenmediaengine/certs/cert.pem'"


def http_url(value: str) -> str | None:
    """Check an http or https URL with a host."""
    parts = _split(value)
    if parts and parts.scheme.lower() in ("http", "https") and _is_host(parts.hostname or ""):
        return None
    return "expected a URL such as 'https://hooks.example.com/admission'"


def count(value: int) -> str | None:
    """Check a whole number from 0; times are in milliseconds."""
    return None if 0 <= value <= _LARGEST_INT else f"expected a whole number from 0 to {_LARGEST_INT}"


def duration(value: float) -> str | None:
    """Check the seconds to wait for one response."""
    return None if 0 < value <= 3600 else "expected seconds, more than 0 and at most 3600"


def location(value: str) -> str | None:
    """Check the location of an origin: `/application/stream`."""
    if value.startswith("/") and not _BLANK_OR_CONTROL.search(value):
        return None
    return "expected a location that starts with '/', such as '/app/stream'"


def url_scheme(value: str) -> str | None:
    """Check the scheme of a URL, without `://`."""
    return None if _SCHEME.fullmatch(value) else "expected a scheme such as 'ovt' or 'rtsp', without '://'"


def origin_url(value: str) -> str | None:
    """Check `host:port/path`; another option has the scheme."""
    if "://" not in value and not _BLANK_OR_CONTROL.search(value) and re.fullmatch(r"[^/]+(/.*)?", value):
        return None
    return "expected 'host:port/path' without a scheme, such as 'origin.example.com:9000/app/stream'"


def host_and_port(value: str) -> str | None:
    """Check `host:port`; the server splits at the colon and rejects other forms [read]."""
    host, dummy, port = value.partition(":")
    if host and not _BLANK_OR_CONTROL.search(value) and re.fullmatch(r"[0-9]{1,5}", port) and 0 < int(port) < 65536:
        return None
    return "expected 'host:port' such as '127.0.0.1:6379'"


def _split(value: str) -> t.Any | None:
    """Return the parts of a URL, or None if the text cannot be one."""
    if _BLANK_OR_CONTROL.search(value):
        return None
    try:
        parts = urlsplit(value)
        return parts if parts.port is None or 0 < parts.port < 65536 else None
    except ValueError:
        return None


def _is_host(name: str) -> bool:
    """Return whether a connection to a host name can be attempted; the HTTP library rejects empty and long labels."""
    return ":" in name or all(0 < len(label) < 64 for label in name.removesuffix(".").split("."))


def network_url(value: str, schemes: t.Sequence[str]) -> t.Any | None:
    """Return the parts of a URL with one of the schemes, a host and a valid port; None for any other text."""
    parts = _split(value)
    return parts if parts and parts.scheme in schemes and parts.hostname else None


def path_on_server(value: str) -> str | None:
    """Return what was expected in place of a path on the media server, absolute or not; None if it is one."""
    return None if one_line(value) is None else "expected a path on the media server"
