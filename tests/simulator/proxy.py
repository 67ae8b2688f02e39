# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A reverse proxy in front of a simulator, as sites have them: path prefix, header with a key, TLS of its own, pages
of its own.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import ssl
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from .raw import page
from .threads import LoopThread
from .tls import made_certificate

_HOP_BY_HOP = frozenset(
    (
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    )
)
_MADE_ANEW = frozenset(("host", "content-length", "expect"))
_LEFT_ALONE = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
REDIRECTIONS = (301, 302, 303, 307, 308)


class Backend(Protocol):
    """The server behind a proxy: a simulator, or another proxy."""

    ca_path: str | None

    @property
    def url(self) -> str:
        """Return base URL, without a slash at its end."""


@dataclass(frozen=True)
class Seen:
    """A request that came to the proxy."""

    method: str
    target: str
    """The path as sent, with the prefix."""
    headers: Mapping[str, str]


class Proxy:
    """A reverse proxy on a free port of 127.0.0.1, in a thread of its own; a context manager.

    Kept-alive connections to its clients have nothing to do with those to the server behind it. A request is sent on
    once at most.

    :param backend: the server behind it, which has to be started.
    :param prefix: the path under which it serves; it is stripped.
    :param header: name and value that each request must have, else it is answered with 403; they are not sent on. None
    for no such demand.
    :param tls: serve by https, with a certificate made on the spot; :attr:`ca_path` has its authority.
    :param client_ca: demand a certificate of the client, such as :attr:`client_cert` with :attr:`client_key`; with
    ``tls``.
    :param min_tls: the lowest version of TLS that it speaks; that of the system if None.
    :param max_tls: the highest.
    :param timeout: real seconds that the server behind it has for an answer.
    """

    def __init__(
        self,
        backend: Backend,
        prefix: str = "/gateway/ome",
        header: tuple[str, str] | None = ("X-Gateway-Key", "canary-gateway-key"),
        tls: bool = False,
        client_ca: bool = False,
        min_tls: ssl.TLSVersion | None = None,
        max_tls: ssl.TLSVersion | None = None,
        timeout: float = 2.0,
    ) -> None:
        if not tls and (client_ca or min_tls is not None or max_tls is not None):
            raise ValueError("client_ca, min_tls and max_tls need tls")
        self.port = 0
        self.ca_path: str | None = None
        self.client_cert: str | None = None
        self.client_key: str | None = None
        self.seen: list[Seen] = []
        """The requests so far."""
        self._backend = backend
        self._prefix = prefix.rstrip("/")
        self._header = header
        self._tls = tls
        self._client_ca = client_ca
        self._versions = (min_tls, max_tls)
        self._timeout = timeout
        self._under_way: set[asyncio.Future[web.Response]] = set()
        self._redirection: tuple[int, str] | None = None
        self._directory: str | None = None
        self._thread: LoopThread | None = None
        self._server: web.Server | None = None
        self._listener: asyncio.AbstractServer | None = None
        self._session: aiohttp.ClientSession | None = None

    def __enter__(self) -> Proxy:
        return self.start()

    def __exit__(self, *_exception: object) -> None:
        self.stop()

    def start(self) -> Proxy:
        """Open the port; returns when requests are served."""
        context = self._context() if self._tls else None
        self._thread = LoopThread("proxy")
        try:
            self._thread.run(self._open(context))
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Close the port and end the thread; harmless when done already."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.run(self._close())
            thread.stop()
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    @property
    def url(self) -> str:
        """Return base URL with the prefix, without a slash at its end."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}{self._prefix}"

    @property
    def requests(self) -> int:
        """Return how many requests have come."""
        return len(self.seen)

    @property
    def authorizations(self) -> Counter[str | None]:
        """Return how many requests came with which header ``Authorization``; None counts those without."""
        return Counter(seen.headers.get("Authorization") for seen in self.seen)

    def redirect(self, url: str | None, status: int = 302) -> None:
        """Answer every request with a redirection to the same path under another base URL; None for no longer."""
        if status not in REDIRECTIONS:
            raise ValueError(f"status must be one of {', '.join(map(str, REDIRECTIONS))}")
        self._redirection = None if url is None else (status, url.rstrip("/"))

    def _context(self) -> ssl.SSLContext:
        self._directory = tempfile.mkdtemp(prefix="ome-proxy-")
        certificate, self.ca_path = made_certificate(self._directory)
        context = certificate.context
        lowest, highest = self._versions
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # It knows how old they are.
            if highest is not None:
                context.maximum_version = highest
                if highest < ssl.TLSVersion.TLSv1_2:
                    # An old server, with which OpenSSL of today would not talk otherwise.
                    lowest = lowest or ssl.TLSVersion.TLSv1
                    context.set_ciphers("ALL:@SECLEVEL=0")
            if lowest is not None:
                context.minimum_version = lowest
        if self._client_ca:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(self._make_client_certificate(self._directory))
        return context

    def _make_client_certificate(self, directory: str) -> str:
        """Write a certificate and its key for a client. :returns: the path of the authority that the proxy trusts."""
        import trustme

        authority = trustme.CA()
        issued = authority.issue_cert("client.example.com")
        path, self.client_cert, self.client_key = (
            os.path.join(directory, f"client-{name}.pem") for name in ("ca", "cert", "key")
        )
        authority.cert_pem.write_to_path(path)
        issued.cert_chain_pems[0].write_to_path(self.client_cert)
        issued.private_key_pem.write_to_path(self.client_key)
        return path

    async def _open(self, context: ssl.SSLContext | None) -> None:
        backend = (
            ssl.create_default_context(cafile=self._backend.ca_path) if self._backend.url.startswith("https:") else True
        )
        self._session = aiohttp.ClientSession(
            auto_decompress=False,
            connector=aiohttp.TCPConnector(ssl=backend),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_LEFT_ALONE,
            timeout=aiohttp.ClientTimeout(total=self._timeout),
        )
        # Otherwise it repeats some requests on its own if a kept-alive connection has ended, and what tests see
        # would depend on chance.
        self._session._retry_connection = False
        self._server = web.Server(
            self._handle, access_log=None, auto_decompress=False, max_line_size=65536, max_field_size=65536
        )
        self._listener = await asyncio.get_running_loop().create_server(self._server, "127.0.0.1", 0, ssl=context)
        self.port = int(self._listener.sockets[0].getsockname()[1])

    async def _close(self) -> None:
        if self._listener is not None:
            self._listener.close()
        if self._server is not None:
            await self._server.shutdown(0.1)
        if self._session is not None:
            await self._session.close()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.headers.get("Expect", "").lower() == "100-continue" and request.transport is not None:
            request.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await request.content.read()
        target = request.raw_path
        self.seen.append(Seen(request.method, target, request.headers.copy()))
        path = target[len(self._prefix) :]
        if not target.startswith(self._prefix) or path[:1] not in ("", "/", "?"):
            return _page(404)
        if self._redirection is not None:
            status, url = self._redirection
            return _page(status, {"Location": url + path})
        if self._header is not None and request.headers.get(self._header[0]) != self._header[1]:
            return _page(403)
        under_way = asyncio.ensure_future(self._send_on(request, path, body))
        self._under_way.add(under_way)
        under_way.add_done_callback(self._under_way.discard)
        try:
            return await under_way
        except asyncio.CancelledError:
            if not under_way.cancelled():  # the client has gone, or the proxy ends
                under_way.cancel()
                raise
            return _page(504)
        except asyncio.TimeoutError:
            return _page(504)
        except (aiohttp.ClientError, OSError):
            return _page(502)

    def wait_for_close(self) -> None:
        """Wait until no connection to the server behind it is open: until it knows that the server has closed them."""

        async def closed() -> None:
            assert self._session is not None
            kept = self._session.connector._conns
            closing = [protocol.closed for one in kept.values() for protocol, _since in one]
            await asyncio.gather(*filter(None, closing))

        assert self._thread is not None
        self._thread.run(closed())

    def time_out(self) -> None:
        """Give up waiting for the backend's answers to all requests that are under way."""

        async def give_up() -> None:
            for one in list(self._under_way):
                one.cancel()

        assert self._thread is not None
        self._thread.run(give_up())

    async def _send_on(self, request: web.BaseRequest, path: str, body: bytes) -> web.Response:
        assert self._session is not None
        headers = CIMultiDict(_end_to_end(request.headers, _MADE_ANEW))
        if self._header is not None:
            headers.popall(self._header[0], None)
        headers.add("Via", "1.1 gateway")
        url = URL(self._backend.url + path, encoded=True)
        async with self._session.request(
            request.method, url, headers=headers, data=body or None, allow_redirects=False
        ) as answer:
            content = await answer.read()
            headers = CIMultiDict(_end_to_end(answer.headers, _MADE_ANEW))
            headers.add("Via", "1.1 gateway")
            return web.Response(status=answer.status, reason=answer.reason, headers=headers, body=content)


def _end_to_end(headers: Mapping[str, str], left_out: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield the headers that are not of the connection alone."""
    own = {
        name.strip().lower()
        for name, value in headers.items()
        if name.lower() == "connection"
        for name in value.split(",")
    }
    return ((name, value) for name, value in headers.items() if name.lower() not in _HOP_BY_HOP | own | left_out)


def _page(status: int, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status, headers={"Server": "gateway", "Content-Type": "text/html", **(headers or {})}, body=page(status)
    )
