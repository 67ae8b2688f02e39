# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Receive the alert callbacks of servers: check signature, size, rate and repetition, and make events.

Sources: server-facts: Alerts. Nothing in an alert but its content shows a replay, so bodies are remembered for a while.
"""

from __future__ import annotations

import asyncio
import base64
import collections
import hashlib
import hmac
import json
import logging
import re
import ssl
import time
import typing as t

from aiohttp import web
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import mask_url

from .events import event, server_label
from .options import Options

OF_RECEIVER = (
    "host",
    "port",
    "path",
    "secret_key_env",
    "secret_key_file",
    "certfile",
    "keyfile",
    "max_body",
    "max_per_minute",
    "replay_window",
)
_KNOWN = (*OF_RECEIVER, "server")
SIGNATURE = "X-OME-Signature"
READ_SECONDS = 10.0  # for a whole body
QUEUE_SECONDS = 10.0  # until the rules take an event
CONNECTION_SECONDS = 60.0  # after which a connection is closed once its request is answered
MOST_CONNECTIONS = 256
MOST_SENDERS = 1024  # addresses whose rate is remembered
MOST_BODIES = 20_000  # signed bodies that are remembered; the oldest are forgotten first
_MOST_MESSAGES = 100
_URI = re.compile(r"#(?P<vhost>[^#]+)#(?P<app>[^/#]+)/(?P<stream>[^/]+)")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

logger = logging.getLogger(__name__)


class Settings(t.NamedTuple):
    """The options of the source."""

    host: str
    port: int
    path: str
    server: str
    secret_key: bytes
    tls: ssl.SSLContext | None
    max_body: int
    max_per_minute: int
    replay_window: float


def settings_of(args: t.Any) -> Settings:
    """Return the options of the source, checked. Raises BadInput."""
    return settings_in(Options(args, _KNOWN))


def settings_in(options: Options) -> Settings:
    """Return the settings in checked options. Raises BadInput."""
    return Settings(
        host=options.text("host", "127.0.0.1") or "127.0.0.1",
        port=options.integer("port", 5080, 0, 65535),
        path=options.text("path", "/alert", _path) or "/alert",
        server=options.text("server", "", server_label) or "",
        secret_key=options.secret("secret_key").encode("utf-8"),
        tls=_tls(options),
        max_body=options.integer("max_body", 65536, 1024, 1_048_576),
        max_per_minute=options.integer("max_per_minute", 600, 1, 60_000),
        replay_window=options.number("replay_window", 3600.0, 0.0, 86_400.0),
    )


def _path(value: str) -> str | None:
    if re.fullmatch(r"/[A-Za-z0-9._~/-]*", value):
        return None
    return "expected a path that begins with '/', of letters, digits and . _ ~ / -"


def _tls(options: Options) -> ssl.SSLContext | None:
    certfile, keyfile = options.file("certfile"), options.file("keyfile")
    if certfile is None:
        return options.refuse("certfile", "expected a file, because keyfile is set") if keyfile else None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certfile, keyfile)
    except (OSError, ValueError):
        text = f"expected a certificate in PEM form with its key, here or in keyfile; {certfile} cannot be used"
        options.refuse("certfile", text)
    return context


class Refused(Exception):
    """An alert that makes no event. ``status`` is the HTTP status of the answer."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class RateLimit:
    """How many requests each sender may make: so many at once, and as many again each minute."""

    def __init__(self, per_minute: int, clock: t.Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._left: collections.OrderedDict[str, tuple[float, float]] = collections.OrderedDict()

    def allows(self, sender: str) -> bool:
        """Count a request, and return whether it is allowed."""
        now = self._clock()
        left, moment = self._left.pop(sender, (float(self._per_minute), now))
        left = min(float(self._per_minute), left + (now - moment) * self._per_minute / 60)
        allowed = left >= 1
        self._left[sender] = (left - 1 if allowed else left, now)
        if len(self._left) > MOST_SENDERS:
            self._left.popitem(last=False)
        return allowed

    def __len__(self) -> int:
        return len(self._left)


class Seen:
    """The signed bodies of a period, by digest."""

    def __init__(self, seconds: float, clock: t.Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._moments: collections.OrderedDict[bytes, float] = collections.OrderedDict()

    def add(self, digest: bytes) -> bool:
        """Remember a body, and return whether it is new."""
        now = self._clock()
        while self._moments:
            oldest, moment = next(iter(self._moments.items()))
            if now - moment < self._seconds and len(self._moments) < MOST_BODIES:
                break
            del self._moments[oldest]
        if digest in self._moments:
            return False
        if self._seconds:
            self._moments[digest] = now
        return True

    def forget(self, digest: bytes) -> None:
        """Forget a body that made no event."""
        self._moments.pop(digest, None)

    def __len__(self) -> int:
        return len(self._moments)


def signature_of(body: bytes, secret_key: bytes) -> str:
    """Return the signature that a server sends with a body: URL-safe base64 without padding of its HMAC-SHA1."""
    digest = hmac.new(secret_key, body, hashlib.sha1).digest()
    return base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")


def is_signed(body: bytes, signatures: t.Sequence[str], secret_key: bytes) -> bool:
    """Return whether there is exactly one signature and it is right. The time does not depend on where it is wrong."""
    expected = signature_of(body, secret_key).encode("ascii")
    given = signatures[0].encode("utf-8", "surrogateescape") if len(signatures) == 1 else b""
    return hmac.compare_digest(expected, given)


class Receiver:
    """Answers the requests of servers."""

    def __init__(
        self,
        queue: t.Any,
        settings: Settings,
        clock: t.Callable[[], float] = time.monotonic,
    ) -> None:
        self._queue = queue
        self._settings = settings
        self.rate = RateLimit(settings.max_per_minute, clock)
        self.seen = Seen(settings.replay_window, clock)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request: 204 if it made an event."""
        try:
            await self._receive(request)
        except Refused as refused:
            logger.warning("Refused an alert from %s: %s (%d).", request.remote, refused.reason, refused.status)
            answer = web.Response(status=refused.status, text=f"{refused.reason}\n")
            # What is left of the request is not read.
            answer.force_close()
            return answer
        return web.Response(status=204)

    async def _receive(self, request: web.BaseRequest) -> None:
        if not self.rate.allows(request.remote or ""):
            raise Refused(429, "too many requests")
        if request.path != self._settings.path:
            raise Refused(404, "unknown path")
        if request.method != "POST":
            raise Refused(405, "unknown method")
        if request.content_length is not None and request.content_length > self._settings.max_body:
            raise Refused(413, "the body is too large")
        try:
            body = await asyncio.wait_for(self._read(request), READ_SECONDS)
        except asyncio.TimeoutError:
            raise Refused(408, "the body did not arrive in time") from None
        if not is_signed(body, request.headers.getall(SIGNATURE, []), self._settings.secret_key):
            raise Refused(401, "the signature is missing or wrong")
        found = event_of(body, self._settings.server)
        digest = hashlib.sha256(body).digest()
        if not self.seen.add(digest):
            raise Refused(409, "the alert was received before")
        try:
            await asyncio.wait_for(self._queue.put(found), QUEUE_SECONDS)
        except asyncio.TimeoutError:
            self.seen.forget(digest)
            raise Refused(503, "the rules do not take events") from None

    async def _read(self, request: web.BaseRequest) -> bytes:
        body = bytearray()
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > self._settings.max_body:
                raise Refused(413, "the body is too large")
        return bytes(body)


def event_of(body: bytes, server: str) -> dict[str, t.Any]:
    """Return the event of a signed body. Raises Refused if it is no alert."""
    alert = _parsed(body)
    messages = alert.get("messages")
    if not isinstance(messages, list) or not 0 < len(messages) <= _MOST_MESSAGES:
        raise Refused(400, "the body has no list of messages")
    for message in messages:
        if not isinstance(message, dict) or not isinstance(message.get("code"), str) or not message["code"]:
            raise Refused(400, "a message has no code")
    source, sender = alert.get("sourceInfo"), alert.get("serverInfo")
    uri = alert.get("sourceUri")
    place = _URI.search(uri) if isinstance(uri, str) else None
    return event(
        "alert",
        server,
        codes=[message["code"] for message in messages],
        messages=[
            {"code": message["code"], "description": str(message.get("description", ""))} for message in messages
        ],
        type=str(alert.get("type", "")).lower(),
        **(place.groupdict() if place else dict.fromkeys(("vhost", "app", "stream"), "")),
        source=_plain(source) if isinstance(source, dict) else {},
        sender=_plain(sender) if isinstance(sender, dict) else {},
    )


def _parsed(body: bytes) -> dict[str, t.Any]:
    try:
        alert = json.loads(body.decode("utf-8"), parse_constant=_no_number)
        json.dumps(alert, ensure_ascii=False).encode("utf-8")  # Halves of surrogate pairs cannot be passed on.
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON in UTF-8") from None
    if not isinstance(alert, dict):
        raise Refused(400, "the body is no object")
    return alert


def _no_number(text: str) -> t.NoReturn:
    raise ValueError(text)


def _plain(value: t.Any) -> t.Any:
    """Return a value with keys in snake case and without the secrets of URLs."""
    if isinstance(value, dict):
        return {_CAPITAL.sub("_", str(key)).lower(): _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return mask_url(value) if isinstance(value, str) and "://" in value else value


class _Closing(asyncio.Protocol):
    """Closes a connection, because there are too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


async def receive(queue: t.Any, settings: Settings, on_start: t.Callable[[Receiver, int], None] | None = None) -> None:
    """Receive alerts until cancelled. ``on_start`` is called with the receiver and its port."""
    receiver = Receiver(queue, settings)
    server = web.Server(receiver.handle, access_log=None, keepalive_timeout=CONNECTION_SECONDS, auto_decompress=False)

    def connection() -> asyncio.Protocol:
        return server() if len(server.connections) < MOST_CONNECTIONS else _Closing()

    patience = None if settings.tls is None else READ_SECONDS
    try:
        listener = await asyncio.get_running_loop().create_server(
            connection, settings.host, settings.port, ssl=settings.tls, ssl_handshake_timeout=patience
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(
            "port", f"expected an address to listen at, but {settings.host}:{settings.port}: {reason}"
        ) from None
    port = listener.sockets[0].getsockname()[1]
    logger.info("Receiving alerts at %s:%d%s.", settings.host, port, settings.path)
    if on_start is not None:
        on_start(receiver, port)
    try:
        await _close_old_connections(server)
    finally:
        listener.close()
        await server.shutdown(1.0)


async def _close_old_connections(server: web.Server) -> None:
    """Close connections that are old, so that none is held for ever by a sender of nothing."""
    old: list[t.Any] = []
    while True:
        await asyncio.sleep(CONNECTION_SECONDS)
        still = set(server.connections)
        for connection in old:
            if connection in still:
                connection.close()
        old = list(server.connections)
