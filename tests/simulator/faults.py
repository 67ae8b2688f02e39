# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of networks, proxies and servers, for requests that are chosen by call, by count or by number.

If the last column has two words, the first is the default of ``when``: ``before`` the work, which is then not
done, or ``after`` it, so that only the answer is spoilt. Of several variants the first is the default.

==============  =========================================================================================
================ kind            what happens, by variant
``when`` ==============  =========================================================================================
================ refuse          ``met``: all connections are cut off, and nothing listens for ``seconds`` of the clock;
before, after
                ``now``: the same as soon as it is injected, without a request
reset           the connection is cut off without an answer: ``rst`` (connection reset), ``fin`` (closed)  before, after
close           answered well, then the kept-alive connection is closed unannounced: ``idle`` at once,     after, before
                ``next`` when the next request arrives on it, which is not done
delay           answers after ``seconds`` of the clock; before: the work waits too, and is ``dropped``     before, after
                if the client has gone by then, or done all the same, ``late``
trickle         a byte at a time, with ``seconds`` (real ones) after each: ``body``, or ``head`` too       after, before
truncate        half arrives, then the connection is closed: half the ``body``, half the ``head``, or a    before, after
                ``chunked`` body whose end is missing
content_length  a length that is wrong, on a connection that stays: too ``small``, too ``large``,          before, after
                ``negative``, ``text``, or ``two`` different ones
garbage         no ``http``; no ``json``; ``bytes`` that are no text; JSON that is nested too ``deep``     before, after
html            an HTML page (200, or another ``status``)                                                  before, after
empty           no body (200, or another ``status``)                                                       before, after
status          any ``status`` (500): ``envelope`` with ``message``, or ``body`` in its place, or a        before, after
                proxy's page, ``html``; with ``retry_after`` if it is set
rate_limit      429 with ``retry_after`` (1): ``envelope`` or ``html``                                     before, after
unauthorized    401: ``envelope`` or ``html``                                                              before, after
restart         the process ends and starts again: all that the API made is lost, connections are cut      before, after
                off, and nothing listens, on any port, for ``seconds`` of the clock
headers         headers without an end, with ``seconds`` (real ones) after each piece: ``many``, one that  before, after
                is ``long``, or answers of 100, ``continue``
huge            a body of ``size`` bytes (100 MB) that is good JSON: with ``length``, ``chunked``, or      before, after
                compressed to little, ``gzip``
redirect        ``status`` (302) with ``location``                                                         before, after
meanwhile       no fault of the request: somebody else does something, ``deed``, and it is answered well   before, after
==============  =========================================================================================
================

``close`` and ``trickle`` deliver a complete response. With ``before`` it is a 503, because no server reports a false
success. The other kinds deliver nothing that a client could take for a response of the API, unless a ``status`` below
400 is requested.

While nothing listens the control interface is silent too. Faults choose API requests only, never control calls; those
of viewers by HTTP are in :mod:`.viewer_faults`, those of WebRTC and of publishers in :mod:`.media_faults`.

Tests inject all faults of servers and networks here, by :meth:`.running.Simulator.inject`. Two things they do
elsewhere:

- A function that rewrites responses, or lets requests wait for each other, is one of
  :attr:`.running.Simulator.middlewares`.
- Bytes of TCP and TLS that no HTTP server can be made to send, such as a connection cut off before the request is read,
  come from the scripts of
  ``tests/unit/plugins/module_utils/scripted_server.py``. It knows nothing of the API, so that tests of the transport
  say byte by byte what arrives.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from . import media_faults
from .answers import JSON_HEADERS, Answer, envelope, success
from .raw import CLOSE, KEEP, RESET, Raw, head, message, page, parts_of
from .router import CHALLENGE, plain_path
from .viewer_faults import Asked, Chosen, ViewerFault

if TYPE_CHECKING:
    from .server import Exchange, Server, Work

BEFORE, AFTER = "before", "after"
MEANWHILE = "meanwhile"
WHEN = (BEFORE, AFTER)
FOR_EVER = -1
HUGE = 100_000_000
_CHUNK = 1 << 16
_LOOK = 0.02
"""How often a delayed answer looks whether its client is still there, in real seconds."""

Reply = Union[Answer, Raw]


class Fault:
    """Spoils the requests that it chooses.

    :param kind: one of :data:`KINDS` or of those of :mod:`.media_faults`.
    :param method: only requests of this method.
    :param path: only requests whose path, without a query, ends in this.
    :param number: only the n-th API request from the injection on, counted from 0; with more ``times``, those of the
    same method and
        path after it as well.
    :param skip: lets so many of the requests through that it would spoil otherwise.
    :param times: how many it spoils, -1 for all until it is over.
    :param when: ``before`` the work, which is then not done, or ``after`` it; the table above says which holds where
    none is given.
    :param seconds: how long it takes, if the kind takes time.
    :param status: of the response, if the kind has one.
    :param message: of the envelope.
    :param body: JSON to answer in place of the envelope.
    :param retry_after: seconds or a date, for the header ``Retry-After``.
    :param variant: a variant of the kind.
    :param location: where a redirection leads.
    :param size: bytes of a huge body.
    :param deed: what another client does meanwhile; only a test in the same process can give one.
    """

    def __init__(
        self,
        kind: str,
        *,
        method: str | None = None,
        path: str | None = None,
        number: int | None = None,
        skip: int = 0,
        times: int = 1,
        when: str | None = None,
        seconds: float = 0.0,
        status: int | None = None,
        message: str = "[HTTP] injected fault",
        body: Any = None,
        retry_after: float | str | None = None,
        variant: str | None = None,
        location: str | None = None,
        size: int = HUGE,
        deed: Callable[[], object] | None = None,
    ) -> None:
        if kind not in _KINDS:
            raise ValueError(f"kind must be one of {', '.join((*KINDS, *media_faults.KINDS))}")
        self._kind = _KINDS[kind]
        if when not in (None, *WHEN):
            raise ValueError(f"when must be one of {', '.join(WHEN)}")
        if variant is not None and variant not in self._kind.variants:
            raise ValueError(
                f"variant of {kind} must be one of {', '.join(self._kind.variants)}"
                if self._kind.variants
                else f"{kind} has no variants"
            )
        if (
            times < FOR_EVER
            or times == 0
            or skip < 0
            or size < 0
            or not (seconds >= 0 and math.isfinite(seconds))
            or (number is not None and number < 0)
        ):
            raise ValueError("times must be -1 or more than 0; skip, size, seconds and number must not be negative")
        if kind == "redirect" and not location:
            raise ValueError("a redirection needs location")
        if (kind == MEANWHILE) is not (deed is not None):
            raise ValueError("meanwhile needs deed, and no other kind takes one")
        self.id = 0
        """A number that no other fault of the server has; set when it is injected."""
        self.kind = kind
        self.method = method
        self.path = path
        self.number = number
        self.skip = skip
        self.times = times
        self.when = when or self._kind.when
        self.seconds = seconds
        self.status = status or self._kind.status
        self.message = message
        self.body = body
        self.retry_after = 1 if retry_after is None and kind == "rate_limit" else retry_after
        self.variant = variant or (self._kind.variants[0] if self._kind.variants else None)
        self.location = location
        self.size = size
        self.deed = deed
        self.matches: Callable[[Exchange], bool] = self._matches
        """Chooses by method and path; a test may put another choice in its place."""
        self.met: list[str] = []
        """The requests that it has spoilt: method and path as sent."""
        self.undo: Callable[[], None] = lambda: None
        """Ends what lasts beyond a request; set by the server."""
        self._left = 0 if self.at_once else times
        self._first = 0
        self._same: str | None = None

    @property
    def active(self) -> bool:
        """Return whether it can still meet requests."""
        return self._left != 0

    @property
    def at_once(self) -> bool:
        """Return whether it waits for no request."""
        return self.variant == "now"

    def over(self) -> None:
        """End it; a port that it has closed is open again."""
        self._left = 0
        if self.kind in ("refuse", "restart"):
            self.undo()

    def starts_at(self, requests: int) -> None:
        """Say how many API requests there have been before it."""
        self._first = requests

    def takes(self, exchange: Exchange, index: int) -> bool:
        """Return whether it spoils a request, which then counts.

        :param index: the number of the request, from the server's start.
        """
        if self.kind in media_faults.KINDS or not self.active or not self._chooses(exchange, index):
            return False
        if not self._counts():
            return False
        self.note(exchange)
        return True

    def takes_media(self, method: str, path: str) -> bool:
        """Return whether it spoils what a viewer or publisher asks for, which then counts."""
        if not self.active or self.method not in (None, method) or not path.endswith(self.path or ""):
            return False
        if not self._counts():
            return False
        self.met.append(f"{method} {path}")
        return True

    def _counts(self) -> bool:
        """Count what it could spoil. :returns: whether it does."""
        if self.skip:
            self.skip -= 1
            return False
        if self._left > 0:
            self._left -= 1
        return True

    def note(self, exchange: Exchange) -> None:
        """Write down a request that it has spoilt."""
        exchange.record.fault = self.kind
        self.met.append(_name(exchange))

    async def meet(self, server: Server, exchange: Exchange, work: Work) -> Reply:
        """Spoil a request. :returns: what goes back to the client."""
        return await self._kind.effect(_Meeting(self, server, exchange, work))

    def as_dict(self) -> dict[str, Any]:
        """Return the fault as JSON can carry it, without what was not given."""
        names = ("id", *OPTIONS, "met", "active")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def _matches(self, exchange: Exchange) -> bool:
        return self.method in (None, exchange.method) and plain_path(exchange.target).endswith(self.path or "")

    def _chooses(self, exchange: Exchange, index: int) -> bool:
        if not self.matches(exchange):
            return False
        if self.number is None:
            return True
        if index == self._first + self.number:
            self._same = _name(exchange)
        return self._same == _name(exchange)


class Faults:
    """The faults of a server, in the order in which they were injected; the first that wants a request has it."""

    def __init__(self) -> None:
        self.all: list[Fault | ViewerFault] = []
        """Those that are over included."""
        self._requests = 0
        self._ids = itertools.count(1)
        self._ending: dict[Any, Fault] = {}
        """Connections that end when the next request arrives."""

    def add(self, fault: Fault | ViewerFault) -> None:
        """Add one."""
        fault.id = next(self._ids)
        if isinstance(fault, Fault):
            fault.starts_at(self._requests)
        self.all = [*self.all, fault]

    def clear(self) -> None:
        """End all, and forget them."""
        faults, self.all = self.all, []
        self._ending = {}
        for fault in faults:
            fault.over()

    def end(self, number: int) -> None:
        """End and forget one.

        :raises LookupError: there is none with this id.
        """
        found = [fault for fault in self.all if fault.id == number]
        if not found:
            raise LookupError(f"no fault {number}")
        self.all = [fault for fault in self.all if fault is not found[0]]
        found[0].over()

    def next_for(self, exchange: Exchange) -> Fault | None:
        """Return the fault that spoils a request, if any; to be asked once for each API request."""
        index = self._requests
        self._requests += 1
        ending = self._ending.pop(exchange.request.transport, None)
        if ending is not None:
            ending.note(exchange)
            return Fault("reset", variant="fin")
        of_api = (fault for fault in self.all if isinstance(fault, Fault))
        return next((fault for fault in of_api if fault.takes(exchange, index)), None)

    def for_viewer(self, asked: Asked) -> Chosen:
        """Return the faults that spoil a request of a viewer, one of each kind; to be asked once for each."""
        found: Chosen = {}
        for fault in self.all:
            if isinstance(fault, ViewerFault) and fault.kind not in found and fault.takes(asked):
                found[fault.kind] = fault
        return found

    def for_media(self, method: str, path: str, *kinds: str) -> Fault | None:
        """Return the fault of one of some kinds that spoils what a viewer or publisher asks for, if any.

        :param method: see :mod:`.media_faults`. :param path: ``/application/stream``.
        """
        return next((fault for fault in self.all if fault.kind in kinds and fault.takes_media(method, path)), None)

    def end_at_next(self, exchange: Exchange, fault: Fault) -> None:
        """Let the connection of a request end when the next one arrives on it."""
        self._ending = {transport: other for transport, other in self._ending.items() if not transport.is_closing()}
        self._ending[exchange.request.transport] = fault


OPTIONS: dict[str, Callable[[Any], Any]] = {
    "kind": str,
    "variant": str,
    "method": str,
    "path": str,
    "number": int,
    "skip": int,
    "times": int,
    "when": str,
    "seconds": float,
    "status": int,
    "message": str,
    "body": lambda value: value,
    "retry_after": lambda value: value,
    "location": str,
    "size": int,
}
"""The options of a fault, and what each is for a control call: numbers that a playbook puts together are texts for
ansible-core before 2.19.
"""


def from_json(given: Mapping[str, Any]) -> Fault:
    """Return a fault as a control call describes it; null counts as not specified.

    :raises ValueError: it cannot be.
    """
    unknown = sorted(set(given) - set(OPTIONS))
    if unknown:
        raise ValueError(f"unknown keys: {', '.join(unknown)}")
    options = {name: OPTIONS[name](value) for name, value in given.items() if value is not None}
    fault = Fault(options.pop("kind", ""), **options)
    if fault.at_once:
        raise ValueError("only a test in the same process can inject it so that it waits for no request")
    return fault


def _name(exchange: Exchange) -> str:
    return f"{exchange.method} {exchange.target}"


def _is_gone(exchange: Exchange) -> bool:
    transport = exchange.request.transport
    return transport is None or transport.is_closing()


async def until_gone(exchange: Exchange, or_passed: asyncio.Event | None = None) -> None:
    """Answer nothing until the client gives up, or until something has come to pass."""
    passed = or_passed or asyncio.Event()
    while not passed.is_set() and not _is_gone(exchange):
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(passed.wait(), _LOOK)


@dataclass
class _Meeting:
    """A fault and a request."""

    fault: Fault
    server: Server
    exchange: Exchange
    work: Work

    async def worked(self) -> Answer | None:
        """Return the work's answer if the work comes before the fault."""
        return await self.work() if self.fault.when == AFTER else None

    async def answer(self) -> Answer:
        """Return the answer that is spoilt so that no client can take it for one, whatever was in it."""
        return await self.worked() or success()

    async def true_answer(self) -> Answer:
        """Return an answer that arrives whole, and must not tell of what was not done."""
        return await self.worked() or Answer(503, envelope(503, "[HTTP] Service Unavailable (503)"))

    @property
    def gone(self) -> bool:
        """Return whether the client has given up."""
        return _is_gone(self.exchange)

    async def pause(self) -> None:
        """Let the fault's seconds of the clock pass, or less if the client has gone and that matters."""
        if self.fault.seconds <= 0:
            return  # A clock that is not advanced would never do it.
        passed = asyncio.Event()

        async def pass_() -> None:
            passed.set()

        call_off = self.server.state.clock.later(self.fault.seconds, pass_)
        try:
            await (passed.wait() if self.fault.variant == "late" else until_gone(self.exchange, passed))
        finally:
            call_off()

    def headers(self) -> dict[str, str]:
        """Return headers that answers of the fault have beside the usual ones."""
        return {} if self.fault.retry_after is None else {"Retry-After": str(self.fault.retry_after)}


async def _refuse(meeting: _Meeting) -> Reply:
    await meeting.worked()
    await meeting.server.interrupt(meeting.fault.seconds)
    return Raw(None)


async def _reset(meeting: _Meeting) -> Reply:
    await meeting.worked()
    return Raw(None, end=CLOSE if meeting.fault.variant == "fin" else RESET)


async def _close(meeting: _Meeting) -> Reply:
    answer = await meeting.true_answer()
    if meeting.fault.variant == "next":
        meeting.server.faults.end_at_next(meeting.exchange, meeting.fault)
        return answer
    return Raw(answer.status, [message(answer.status, *parts_of(answer))], end=CLOSE)


async def _delay(meeting: _Meeting) -> Reply:
    done = await meeting.worked()
    await meeting.pause()
    if done is None and (meeting.fault.variant == "late" or not meeting.gone):
        done = await meeting.work()
    return Raw(None) if done is None or meeting.gone else done


async def _trickle(meeting: _Meeting) -> Reply:
    answer = await meeting.true_answer()
    whole = message(answer.status, *parts_of(answer))
    start = whole.index(b"\r\n\r\n") + 4 if meeting.fault.variant == "body" else 0
    parts = [part for part in (whole[:start], *(whole[at : at + 1] for at in range(start, len(whole)))) if part]
    return Raw(answer.status, parts, pause=meeting.fault.seconds, end=KEEP)


async def _truncate(meeting: _Meeting) -> Reply:
    answer = await meeting.answer()
    headers, body = parts_of(answer)
    if meeting.fault.variant == "chunked":
        cut = head(answer.status, {**headers, "Transfer-Encoding": "chunked"}) + b"%x\r\n%s\r\n" % (len(body), body)
    else:
        whole = message(answer.status, headers, body)
        start = len(whole) - len(body)
        cut = whole[: start + len(body) // 2] if meeting.fault.variant == "body" else whole[: start // 2]
    return Raw(answer.status, [cut])


async def _content_length(meeting: _Meeting) -> Reply:
    answer = await meeting.answer()
    headers, body = parts_of(answer)
    length = len(body)
    wrong = {
        "small": length // 2,
        "large": length + 10,
        "negative": -length,
        "text": "many",
        "two": f"{length}\r\nContent-Length: {length // 2}",
    }
    return Raw(
        answer.status,
        [head(answer.status, {**headers, "Content-Length": wrong[str(meeting.fault.variant)]}) + body],
        end=KEEP,
    )


_GARBAGE = {
    "json": b'{"statusCode":200,"message":"OK","response":[',
    "bytes": bytes(range(128, 256)),
    "deep": b"[" * 100_000 + b"]" * 100_000,
}


async def _garbage(meeting: _Meeting) -> Reply:
    await meeting.worked()
    if meeting.fault.variant == "http":
        return Raw(None, [b"\x16\x03\x01 this is no HTTP\r\n\x00\xff\r\n\r\n"])
    return Raw(
        meeting.fault.status,
        [message(meeting.fault.status, JSON_HEADERS, _GARBAGE[str(meeting.fault.variant)])],
        end=KEEP,
    )


async def _html(meeting: _Meeting) -> Reply:
    await meeting.worked()
    return _page(meeting)


def _page(meeting: _Meeting) -> Raw:
    status = meeting.fault.status
    return Raw(
        status,
        [message(status, {"Server": "nginx", "Content-Type": "text/html", **meeting.headers()}, page(status))],
        end=KEEP,
    )


async def _empty(meeting: _Meeting) -> Reply:
    await meeting.worked()
    status = meeting.fault.status
    return Raw(
        status, [head(status, JSON_HEADERS if status == 204 else {**JSON_HEADERS, "Content-Length": 0})], end=KEEP
    )


async def _status(meeting: _Meeting) -> Reply:
    await meeting.worked()
    fault = meeting.fault
    if fault.variant == "html":
        return _page(meeting)
    return Answer(
        fault.status, envelope(fault.status, fault.message) if fault.body is None else fault.body, meeting.headers()
    )


async def _unauthorized(meeting: _Meeting) -> Reply:
    await meeting.worked()
    if meeting.fault.variant == "html":
        return _page(meeting)
    return Answer(meeting.fault.status, envelope(meeting.fault.status, "[HTTP] Invalid credential (401)"), CHALLENGE)


async def _restart(meeting: _Meeting) -> Reply:
    await meeting.worked()
    await meeting.server.interrupt(meeting.fault.seconds, publishers=True)
    meeting.server.state.restart()  # Last, so that no client finds the new process before the old one has gone.
    return Raw(None)


async def _headers(meeting: _Meeting) -> Reply:
    await meeting.worked()
    start = b"HTTP/1.1 200 OK\r\n"
    pieces: dict[str, Iterator[bytes]] = {
        "many": (b"X-Endless-%d: %s\r\n" % (number, b"x" * 100) for number in itertools.count()),
        "long": itertools.chain((b"X-Endless: ",), itertools.repeat(b"x" * 1000)),
        "continue": itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n"),
    }
    variant = str(meeting.fault.variant)
    parts = pieces[variant] if variant == "continue" else itertools.chain((start,), pieces[variant])
    return Raw(100 if variant == "continue" else 200, parts, pause=meeting.fault.seconds)


def _huge_body(size: int) -> Iterator[bytes]:
    start, end = b'{"statusCode":200,"message":"OK","response":"', b'"}'
    left = max(0, size - len(start) - len(end))
    yield start
    while left:
        part = min(left, _CHUNK)
        yield b"x" * part
        left -= part
    yield end


def _compressed(parts: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    for part in parts:
        packed = packer.compress(part)
        if packed:
            yield packed
    yield packer.flush()


def _chunks(parts: Iterator[bytes]) -> Iterator[bytes]:
    for part in parts:
        yield b"%x\r\n%s\r\n" % (len(part), part)
    yield b"0\r\n\r\n"


async def _huge(meeting: _Meeting) -> Reply:
    await meeting.worked()
    size = max(meeting.fault.size, len(b"".join(_huge_body(0))))
    body = _huge_body(size)
    if meeting.fault.variant == "length":
        return Raw(200, itertools.chain((head(200, {**JSON_HEADERS, "Content-Length": size}),), body), end=KEEP)
    headers = {**JSON_HEADERS, "Transfer-Encoding": "chunked"}
    if meeting.fault.variant == "gzip":
        headers["Content-Encoding"] = "gzip"
        body = _compressed(body)
    return Raw(200, itertools.chain((head(200, headers),), _chunks(body)), end=KEEP)


async def _redirect(meeting: _Meeting) -> Reply:
    await meeting.worked()
    status = meeting.fault.status
    headers = {"Server": "nginx", "Content-Type": "text/html", "Location": meeting.fault.location}
    return Raw(status, [message(status, headers, page(status))], end=KEEP)


async def _meanwhile(meeting: _Meeting) -> Reply:
    answer = await meeting.worked()
    assert meeting.fault.deed is not None
    meeting.fault.deed()
    return answer or await meeting.work()


async def _not_met(_meeting: _Meeting) -> Reply:
    raise AssertionError("no API request meets it")


@dataclass(frozen=True)
class _Kind:
    effect: Callable[[_Meeting], Awaitable[Reply]]
    variants: tuple[str, ...] = ()
    status: int = 200
    when: str = BEFORE


_KINDS: dict[str, _Kind] = {
    "refuse": _Kind(_refuse, ("met", "now")),
    "reset": _Kind(_reset, ("rst", "fin")),
    "close": _Kind(_close, ("idle", "next"), when=AFTER),
    "delay": _Kind(_delay, ("dropped", "late")),
    "trickle": _Kind(_trickle, ("body", "head"), when=AFTER),
    "truncate": _Kind(_truncate, ("body", "head", "chunked")),
    "content_length": _Kind(_content_length, ("small", "large", "negative", "text", "two")),
    "garbage": _Kind(_garbage, ("http", "json", "bytes", "deep")),
    "html": _Kind(_html),
    "empty": _Kind(_empty),
    "status": _Kind(_status, ("envelope", "html"), status=500),
    "rate_limit": _Kind(_status, ("envelope", "html"), status=429),
    "unauthorized": _Kind(_unauthorized, ("envelope", "html"), status=401),
    "restart": _Kind(_restart),
    "headers": _Kind(_headers, ("many", "long", "continue")),
    "huge": _Kind(_huge, ("length", "chunked", "gzip")),
    "redirect": _Kind(_redirect, status=302),
    MEANWHILE: _Kind(_meanwhile),
    **{kind: _Kind(_not_met, variants, status=500) for kind, variants in media_faults.VARIANTS.items()},
}

KINDS = tuple(kind for kind in _KINDS if kind not in (MEANWHILE, *media_faults.KINDS))
"""Those that go wrong with API requests, and that a control call can ask for."""
VARIANTS = {name: kind.variants for name, kind in _KINDS.items()}
