# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verifies signed URLs as the server does: it takes the URL of a request apart and signs what is left.

server-facts: Signed URLs [read]. Nothing of the product is imported, so that both cannot have the same mistake.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import json
import re
from typing import Any, NamedTuple
from urllib.parse import unquote

_PARTS = re.compile(
    r"(?P<scheme>.*)://((?P<id>.+):(?P<password>.+)@)?"
    r"(?P<host>(\[[a-zA-Z0-9:]+\])|([^:/?]+))"
    r"(:(?P<port>[0-9]+))?"
    r"(?P<path>/([^?]+)?)?"
    r"(\?(?P<query>[^?]+)?(.+)?)?"
)
DEFAULT_PORTS = {"ws": 80, "wss": 443, "http": 80, "https": 443, "rtmp": 1935, "rtmps": 443}


class Request(NamedTuple):
    """A request as the server parses it."""

    scheme: str
    credentials: str
    host: str
    port: int
    path: str
    query: str

    @property
    def parameters(self) -> dict[str, str]:
        """Return the decoded parameters. Names are case-sensitive, and the last one of a name counts."""
        pairs = [parameter.partition("=") for parameter in self.query.split("&")] if self.query else []
        return {name: unquote(value) for name, _separator, value in pairs}

    def without(self, name: str) -> str:
        """Return the URL without a parameter, whose case does not matter here."""
        kept = [one for one in self.query.split("&") if one.partition("=")[0].upper() != name.upper()]
        port = f":{self.port}" if self.port else ""
        query = "&".join(kept)
        return f"{self.scheme}://{self.credentials}{self.host}{port}{self.path}" + (f"?{query}" if query else "")


def parsed(url: str) -> Request | None:
    """Return a URL as the server parses it."""
    found = _PARTS.match(url)
    if found is None:
        return None
    credentials = f"{found['id']}:{found['password']}@" if found["id"] else ""
    return Request(
        found["scheme"],
        credentials,
        found["host"],
        int(found["port"] or 0),
        found["path"] or "",
        found["query"] or "",
    )


def received(url: str) -> Request | None:
    """Return the request that a client makes for a URL, after what the server adds to it."""
    scheme, _separator, rest = url.partition("://")
    if scheme == "srt":
        streamid = dict(one.partition("=")[::2] for one in rest.partition("?")[2].split("&"))["streamid"]
        decoded = unquote(streamid)
        return parsed(decoded if decoded.startswith("srt://") else f"srt://{decoded}")
    if scheme in DEFAULT_PORTS:
        # Clients omit the default port in the header Host and in tcUrl.
        address, slash, path = rest.partition("/")
        url = f"{scheme}://{re.sub(f':{DEFAULT_PORTS[scheme]}$', '', address)}{slash}{path}"
    request = parsed(url)
    if request is None or request.port or re.search(r"thumb\.(jpg|png|webp|avif)$", request.path):
        return request
    return request._replace(port=DEFAULT_PORTS.get(scheme, 1))


def refusal(
    url: str,
    secret: str,
    now: int,
    client: str = "203.0.113.7",
    policy_name: str = "policy",
    signature_name: str = "signature",
) -> str:
    """Return why the server refuses a URL, or an empty text."""
    request = received(url)
    if request is None or request.credentials:
        return "invalid URL"
    parameters = request.parameters
    if not parameters.get(signature_name) or not parameters.get(policy_name):
        return "no signature or policy"
    if parameters[signature_name] != _base64url(
        hmac.new(secret.encode(), request.without(signature_name).encode(), hashlib.sha1).digest()
    ):
        return "invalid signature"
    encoded = parameters[policy_name]
    policy: dict[str, Any] = json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))
    end = policy.get("url_expire")
    if not isinstance(end, int) or isinstance(end, bool):
        return "no url_expire"
    if end < now or policy.get("stream_expire", now) < now:
        return "expired"
    if policy.get("url_activate", now) > now:
        return "not yet activated"
    allowed = all(_admits(policy[key], client) for key in ("allow_ip", "real_ip") if key in policy)
    return "" if allowed else "address is not allowed"


def _base64url(data: bytes) -> str:
    return base64.b64encode(data).decode().replace("+", "-").replace("/", "_").rstrip("=")


def _admits(network: str, client: str) -> bool:
    """Compare addresses as the server does on processors of x86 and ARM: as numbers whose last byte counts most."""
    first, last = (ipaddress.IPv4Network(network, strict=False)[index] for index in (0, -1))
    low, address, high = (int.from_bytes(ipaddress.IPv4Address(one).packed, "little") for one in (first, client, last))
    return low <= address <= high
