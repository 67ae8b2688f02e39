# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests to one server over one connection: bounded in time and size, without redirects."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
import typing as t

import aiohttp
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import rejected_token
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import NOT_TLS

LARGEST_RESPONSE = 4 * 1024 * 1024  # bytes; a list of 10,000 push tasks
_GATEWAY = (502, 503, 504)

# Where the remedy for a task of a playbook does not fit a source.
_REMEDIES = {
    "unauthorized": "Set it to the AccessToken of Managers/API in the server's Server.xml, and start the rulebook "
    "again, because it reads the token at its start.",
    "connection_lost": "The server may have restarted. If its port speaks TLS, use https in api_url.",
}


class Failure(Exception):
    """A request without a usable response. ``kind`` is a key of the table of errors of the modules."""

    def __init__(self, kind: str, meaning: str = "") -> None:
        """``meaning`` says more than the table does."""
        self.kind = kind
        self.meaning = meaning or ADVICE[kind].meaning
        super().__init__(self.meaning)

    @property
    def remedy(self) -> str:
        """Return what to do about the failure."""
        return _REMEDIES.get(self.kind, ADVICE[self.kind].remedy)


class Rejected(Exception):
    """The server answers, and rejects the request. ``status`` is its HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


class Connection:
    """The API of one server."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        token: str,
        *,
        timeout: float,
        tls: ssl.SSLContext | None = None,
        token_source: str = "",
    ) -> None:
        """``timeout`` is in seconds. ``token_source`` says where the token was read."""
        where = f" in {token_source}" if token_source else ""
        self._refused = f"The server does not accept the access token{where}. {rejected_token(token)}".strip()
        self._session = session
        self._url = url.rstrip("/")
        credential = base64.b64encode(token.encode("utf-8")).decode("ascii")
        self._headers = {
            "Authorization": f"Basic {credential}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
        }
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._tls: t.Any = tls if tls is not None else True

    async def get(self, path: str) -> t.Any:
        """Return the `response` of a GET. Raises Failure or Rejected."""
        return await self._request("GET", path, None)

    async def post(self, path: str) -> t.Any:
        """Return the `response` of a call that only reads. Raises Failure or Rejected."""
        return await self._request("POST", path, b"{}")

    async def _request(self, method: str, path: str, data: bytes | None) -> t.Any:
        try:
            async with self._session.request(
                method,
                self._url + path,
                data=data,
                headers=self._headers,
                timeout=self._timeout,
                ssl=self._tls,
                allow_redirects=False,
            ) as response:
                body = await _body(response)
                if response.status == 204:
                    response.close()  # 0.15.3 sends a body with it (server-facts: Push tasks).
                    return []
        except asyncio.TimeoutError:
            raise Failure("timeout") from None
        except aiohttp.ClientError as error:
            raise _failure(error) from None
        except (OSError, ValueError):
            raise Failure("connection_lost") from None
        if response.status == 401:
            raise Failure("unauthorized", self._refused)
        return _response(response.status, body)


async def _body(response: aiohttp.ClientResponse) -> bytes:
    """Return a body. Raises Failure if it is too large."""
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > LARGEST_RESPONSE:
            response.close()
            raise Failure("unexpected_answer")
    return bytes(body)


def _response(status: int, body: bytes) -> t.Any:
    """Return the `response` in a body."""
    if status in _GATEWAY:
        raise Failure("gateway")
    if status == 429:
        raise Failure("rate_limited")
    if 300 <= status < 400:
        raise Failure("redirect")
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        raise Failure("not_json") from None
    if status >= 400:
        raise Rejected(status)
    if not isinstance(parsed, dict) or "response" not in parsed:
        raise Failure("unexpected_answer")
    return parsed["response"]


def _failure(error: aiohttp.ClientError) -> Failure:
    """Return what an error of the connection means."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return Failure("unresolved")
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        reason = getattr(error.certificate_error, "verify_message", "")
        return Failure("tls", f"The server's TLS certificate is not accepted: {reason}." if reason else "")
    if isinstance(error, aiohttp.ClientSSLError):
        not_tls = getattr(error.os_error, "reason", "") in NOT_TLS
        return (
            Failure("wrong_scheme", "api_url is https, and the port speaks plain http.") if not_tls else Failure("tls")
        )
    if isinstance(error, aiohttp.ClientConnectorError):
        return Failure("refused")
    if isinstance(error, (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, aiohttp.ClientPayloadError)):
        return Failure("connection_lost")
    if isinstance(error, aiohttp.ClientResponseError):  # what arrived is no HTTP
        return Failure("not_json", "Something answers, but not in HTTP: another service, or TLS, is at this port.")
    return Failure("unexpected_answer")
