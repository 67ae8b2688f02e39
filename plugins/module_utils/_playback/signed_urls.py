# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Signed URLs: the text that the server signs for each protocol, and the URL that a client needs.

The server takes the URL of a request apart, removes the signature, puts the rest together and signs it. A URL that it
would put together differently is refused here. server-facts: Signed URLs.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import typing as t
from urllib.parse import quote, unquote

from .._core.secret_store import MASK
from .._core.texts import shortened
from .signed_policies import (
    Invalid,
    base64url,
    plain,
    shown,
)

POLICY_NAME = "policy"
SIGNATURE_NAME = "signature"

_DEFAULT_PORTS = {"ws": 80, "wss": 443, "http": 80, "https": 443, "rtmp": 1935, "rtmps": 443, "srt": None}
_RTMP = ("rtmp", "rtmps")
_SRT = "srt"
_URL = re.compile(
    r"(?P<scheme>[a-z]+)://"
    r"(?P<host>\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+)"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[^?]*)?"
    r"(?:\?(?P<query>.*))?",
    re.DOTALL,
)
# What neither the server nor a browser changes. A browser encodes quotation marks; the server takes the text before @
# for credentials, and drops a second question mark with what follows.
_UNCHANGED = re.compile(r"(?:[A-Za-z0-9._~!$&()*+,;=:/-]|%[0-9A-Fa-f]{2})*")
_NAME = re.compile(r"[A-Za-z0-9._~-]+")
_THUMBNAIL = re.compile(r"thumb\.(?:jpg|png|webp|avif)")
# libsrt accepts no longer streamid.
_LONGEST_STREAM_ID = 512
_SRT_EXPECTED = "srt://HOST:PORT?streamid=VHOST/APP/STREAM, with the value of streamid percent-encoded"


class Key(t.NamedTuple):
    """What a virtual host verifies signatures with."""

    secret: str
    policy_name: str = POLICY_NAME
    signature_name: str = SIGNATURE_NAME


class Signed(t.NamedTuple):
    """A signed URL, and the parts of it that encoders have fields for."""

    url: str
    server: str | None = None
    stream_key: str | None = None
    stream_id: str | None = None


class _Parts(t.NamedTuple):
    scheme: str
    host: str
    port: int | None
    path: str
    query: str


def make_key(secret: t.Any, policy_name: t.Any, signature_name: t.Any) -> Key:
    """Return the key of a virtual host. Raises Invalid; no message contains the secret."""
    secret = plain(secret)
    if secret is None:
        raise Invalid("secret_key", "is not specified", "the secret key of the signed_policy of the virtual host")
    if not isinstance(secret, str) or not secret:
        raise Invalid(
            "secret_key", "is empty" if secret == "" else f"is of type {type(secret).__name__}", "a text, not empty"
        )
    if not secret.isprintable():
        raise Invalid(
            "secret_key", "has a character that is not printable", "one line, without a line break at its end"
        )
    if secret == MASK:
        raise Invalid(
            "secret_key", "is a masked value", "the secret itself: use your variable, or show_secrets of vhost_info"
        )
    names = []
    for option, value, default in (
        ("policy_query_key_name", policy_name, POLICY_NAME),
        ("signature_query_key_name", signature_name, SIGNATURE_NAME),
    ):
        name = default if value is None else plain(value)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise Invalid(option, shown(name), "letters, digits and the characters . _ ~ -")
        names.append(name)
    # The server ignores case where it removes the signature.
    if names[0].upper() == names[1].upper():
        raise Invalid("signature_query_key_name", f"is {names[1]!r}", "another name than policy_query_key_name")
    return Key(secret, *names)


def signature(secret: str, text: str) -> str:
    """Return the signature of a URL: HMAC-SHA1, as URL-safe base64 without padding."""
    return base64url(hmac.new(secret.encode(), text.encode(), hashlib.sha1).digest())


def sign(url: t.Any, policy: str, key: Key) -> Signed:
    """Return a URL with a policy and its signature. Raises Invalid if the server would not accept the result."""
    parts = _split(plain(url))
    if parts.scheme == _SRT:
        return _sign_srt(parts, policy, key)
    _check_path(parts.path, 2 if parts.scheme in _RTMP else None)
    host = parts.host if parts.scheme in _RTMP else parts.host.lower()  # as browsers do
    port = parts.port or _DEFAULT_PORTS[parts.scheme]
    if _THUMBNAIL.fullmatch(parts.path.rpartition("/")[2]) and port == _DEFAULT_PORTS[parts.scheme]:
        # Clients omit the default port, and the server does not add it to requests for thumbnails.
        address = f"{parts.scheme}://{host}"
    else:
        address = f"{parts.scheme}://{host}:{port}"
    signed = _signed(f"{address}{parts.path}", parts.query, policy, key)
    if parts.scheme not in _RTMP:
        return Signed(signed)
    server, _slash, stream_key = signed.partition("?")[0].rpartition("/")
    return Signed(signed, server=server, stream_key=stream_key + signed[signed.index("?") :])


def _split(url: t.Any) -> _Parts:
    """Return the parts of a URL."""
    if not isinstance(url, str):
        raise Invalid("the URL", f"is of type {type(url).__name__}", "a text")
    scheme, separator, rest = url.partition("://")
    scheme = scheme.lower()
    if not separator or scheme not in _DEFAULT_PORTS:
        what = f"has the scheme {shortened(scheme, 40)!r}" if separator else "has no scheme"
        raise Invalid("the URL", what, f"one of {', '.join(_DEFAULT_PORTS)}, such as wss://HOST:PORT/APP/STREAM")
    if "@" in rest.partition("?")[0]:
        # No part of the URL is shown, because it can be a password.
        raise Invalid("the URL", "has an @ before its query", "a URL without user and password; the server confuses it")
    found = _URL.fullmatch(f"{scheme}://{rest}")
    port = int(found["port"]) if found and found["port"] else None
    if not found or (port is not None and not 1 <= port <= 65535):
        raise Invalid("the URL", "has an invalid host name or port", f"{scheme}://HOST:PORT, with a port up to 65535")
    return _Parts(scheme, found["host"], port, found["path"] or "", found["query"] or "")


def _check_path(path: str, count: int | None) -> None:
    """Refuse a path without application and stream. With ``count``, it has no more components than that."""
    names = path.split("/")[1:]
    if len(names) < 2 or not all(names[:2]) or (count is not None and len(names) != count):
        expected = "/APP/STREAM" if count else "/APP/STREAM, or a file in it"
        raise Invalid("the URL", f"has the path {shortened(path, 80)!r}", expected)


def _signed(address: str, query: str, policy: str, key: Key) -> str:
    """Return an address with its query, the policy and the signature."""
    for part, text in (("path", address.partition("://")[2]), ("query", query)):
        # The host of a URL was checked before, and can have brackets.
        text = text.partition("]")[2] if text.startswith("[") else text
        if not _UNCHANGED.fullmatch(text) or "://" in text:
            raise Invalid("the URL", f"has a character in its {part} that must be encoded", "it percent-encoded")
    for parameter in query.split("&"):
        name = parameter.partition("=")[0]
        if name.upper() in (key.policy_name.upper(), key.signature_name.upper()):
            raise Invalid("the URL", f"already has the parameter {name}", "the URL without policy and signature")
    base = f"{address}?{query}{'&' if query else ''}{key.policy_name}={policy}"
    return f"{base}&{key.signature_name}={signature(key.secret, base)}"


def _sign_srt(parts: _Parts, policy: str, key: Key) -> Signed:
    """Return an SRT URL whose streamid is signed. The server does not see the rest of the URL."""
    if parts.port is None or parts.path not in ("", "/") or "?" in parts.query:
        raise Invalid("the URL", "is not an SRT URL with a port and a streamid", _SRT_EXPECTED)
    parameters = [parameter.partition("=")[::2] for parameter in parts.query.split("&")]
    ids = [unquote(value) for name, value in parameters if name == "streamid"]
    if len(ids) != 1 or "%" in ids[0]:
        # Some clients decode the streamid before they send it, and the server decodes it once more.
        raise Invalid("the URL", "does not have one streamid that is encoded once at most", _SRT_EXPECTED)
    # Servers up to 0.18 read this form only; the others sign a streamid without it as if it had it.
    prefix = "" if ids[0].startswith("srt://") else "srt://"
    inner = _split(prefix + ids[0])
    _check_path(inner.path, None)
    if len(inner.path.split("/")) > 4 or "/" in inner.query:
        raise Invalid("the URL", "has a streamid with too many slashes", _SRT_EXPECTED)
    address = inner.host if inner.port is None else f"{inner.host}:{inner.port}"
    stream_id = _signed(f"srt://{address}{inner.path}", inner.query, policy, key)[len(prefix) :]
    encoded = quote(stream_id, safe="")
    if len(encoded) > _LONGEST_STREAM_ID:
        raise Invalid(
            "the URL", f"has a signed streamid of {len(encoded)} characters", f"no more than {_LONGEST_STREAM_ID}"
        )
    query = "&".join(
        f"{name}={encoded}" if name == "streamid" else f"{name}={value}" if value else name
        for name, value in parameters
    )
    return Signed(f"srt://{parts.host}:{parts.port}?{query}", stream_id=stream_id)
