# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""URLs that contain secrets: user info, query strings, stream keys."""

from __future__ import annotations

import re
import typing as t
from urllib.parse import unquote

from .macros import is_reference

MASK = "********"

# Options in the query string of a push URL that are never secret. All other options are masked: `passphrase`,
# `streamid`, tokens of platforms, and unknown ones.
_OPEN_QUERY_OPTIONS = frozenset(
    (
        "mode",
        "latency",
        "rcvlatency",
        "peerlatency",
        "timeout",
        "connect_timeout",
        "listen_timeout",
        "pbkeylen",
        "payload_size",
        "pkt_size",
        "tlpktdrop",
        "maxbw",
        "inputbw",
        "oheadbw",
        "mss",
        "ipttl",
        "iptos",
        "ttl",
        "localaddr",
        "transtype",
        "nakreport",
        "listen",
    )
)


# Sources on the server itself, which have no stream key.
_LOCAL_SCHEMES = ("stream://", "file://")

# Values of these options that can be shown. Any other value can contain another option after a wrong separator.
_OPEN_VALUE = re.compile(r"[\w.:-]*")


# Compiled here, so that no worker process of Ansible compiles them again.
_START = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:/+)?")
_END_OF_AUTHORITY = re.compile(r"[/?#]")


class _Url(t.NamedTuple):
    """The parts of a URL, unchanged: joined again, they give the same text."""

    scheme: str  # with the separator after it
    user: str  # without the @
    host: str
    path: str
    query: str | None
    fragment: str | None


def _split_url(url: str, *, at_any_place: bool = False) -> _Url:
    """Split any text like a URL; never fail, because users can write anything.

    User info ends before the path. A password with a character that should have been encoded breaks this rule: with
    ``at_any_place``, user info is everything up to the last @.
    """
    start = _START.match(url)
    scheme = start.group() if start else ""
    rest = url[len(scheme) :]
    authority = rest if at_any_place else _END_OF_AUTHORITY.split(rest, maxsplit=1)[0]
    user, at_sign, dummy = authority.rpartition("@")
    rest = rest[len(user + at_sign) :]
    rest, hash_sign, fragment = rest.partition("#")
    rest, question, query = rest.partition("?")
    host, slash, path = rest.partition("/")
    return _Url(scheme, user, host, slash + path, query if question else None, fragment if hash_sign else None)


def _query_parts(query: str) -> t.Iterator[tuple[str, str]]:
    """Yield each part of a query string: the text that can be shown, and the secret after it."""
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if name.lower() in _OPEN_QUERY_OPTIONS and _OPEN_VALUE.fullmatch(value):
            yield part, ""
        elif equals and value:
            yield name + equals, value
        else:  # A word without a value can be a token that ends in base64 padding.
            yield "", part


def mask_url(url: str, *, destination: bool = False) -> str:
    """Return the URL with all secrets masked.

    Secrets are user info, values in the query string that are not known to be harmless, the fragment, and in an RTMP
    URL the path after the application, because many platforms expect the stream key there. For the ``destination`` of a
    push the path is masked under any scheme, because the scheme can be a mistake; a destination without a scheme is
    masked as a whole, because it can be a stream key.
    """
    if destination and _may_be_a_key(url):
        return MASK
    parts = _split_url(url)
    if parts != _split_url(url, at_any_place=True):
        return parts.scheme + MASK  # The text after the @ can be the host or the end of a secret.
    masked = parts.scheme + (f"{_masked(parts.user)}@" if parts.user else "") + parts.host
    key = _rtmp_key(parts, destination)
    masked += parts.path[: len(parts.path) - len(key)] + _masked(key) if key else parts.path
    if parts.query is not None:
        masked += "?" + "&".join(shown + _masked(secret) for shown, secret in _query_parts(parts.query))
    if parts.fragment is not None:
        masked += f"#{_masked(parts.fragment) or MASK}"
    return masked


def _masked(secret: str) -> str:
    """Return the mask for a part that is secret; a macro of configuration files in its place is none."""
    return MASK if secret and not is_reference(secret) else secret


def _may_be_a_key(url: str) -> bool:
    """Return whether a text is neither a URL nor host and port, and so can be a stream key in the wrong option."""
    return "://" not in url and bool(url.strip()) and not re.fullmatch(r"[A-Za-z0-9.-]+:[0-9]+", url.strip())


def _rtmp_key(parts: _Url, destination: bool) -> str:
    """Return the path of an RTMP URL after the application, unchanged; empty if there is none.

    So is that of the ``destination`` of a push under any scheme but those of sources on the server itself.
    """
    scheme = parts.scheme.strip().lower()
    if scheme in _LOCAL_SCHEMES or not (destination or scheme.startswith("rtmp")):
        return ""
    found = re.fullmatch(r"/+[^/]+/+([^/].*)", parts.path, re.DOTALL)
    return found.group(1) if found else ""


def url_secrets(url: str, *, destination: bool = False) -> set[str]:
    """Return the parts of a URL that :func:`mask_url` masks, unchanged and percent-decoded."""
    found = {url, url.strip()} if destination and _may_be_a_key(url) else set()
    for parts in (_split_url(url), _split_url(url, at_any_place=True)):
        key = _rtmp_key(parts, destination)
        found |= {parts.user, parts.user.partition(":")[2], key, key.rstrip("/ "), parts.fragment or ""}
        found |= {secret for _shown, secret in _query_parts(parts.query or "")}
    found |= {unquote(part) for part in found}
    return {part for part in found if part and not is_reference(part)}


def has_user_info(url: str) -> bool:
    """Return whether a URL contains, or can contain, `user@` or `user:password@`."""
    return bool(_split_url(url, at_any_place=True).user)


def hosts_in(url: str) -> list[str]:
    """Return the host of a URL, with its port and without; nothing if the URL is ambiguous."""
    if "://" not in url:
        return []
    parts = _split_url(url)
    return [parts.host, re.sub(r":[0-9]*\Z", "", parts.host)] if parts == _split_url(url, at_any_place=True) else []
