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
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.advice import ADVICE

LARGEST_RESPONSE = 4 * 1024 * 1024  # bytes; a list of 10,000 push tasks
_GATEWAY = (502, 503, 504)


class Failure(Exception):
    """A request without a usable response. ``kind`` is a key of the table of errors of the modules."""

    def __init__(self, kind: str) -> None:
        super().__init__(ADVICE[kind].meaning)
        self.kind = kind

    @property
    def meaning(self) -> str:
        """Return what the failure means."""
        return ADVICE[self.kind].meaning


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
    ) -> None:
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
            raise Failure(_kind(error)) from None
        except (OSError, ValueError):
            raise Failure("connection_lost") from None
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
    if status == 401:
        raise Failure("unauthorized")
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


def _kind(error: aiohttp.ClientError) -> str:
    """Return the kind of an error of the connection."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "unresolved"
    if isinstance(error, (aiohttp.ClientSSLError, aiohttp.ServerFingerprintMismatch)):
        return "tls"
    if isinstance(error, aiohttp.ClientConnectorError):
        return "refused"
    if isinstance(error, (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError, aiohttp.ClientPayloadError)):
        return "connection_lost"
    return "unexpected_answer"
