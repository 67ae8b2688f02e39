# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prove by bytes: a push that arrives here, and push tasks and recordings whose counters grow."""

from __future__ import annotations

import functools
import socket
import time
import typing as t

from .._api.client import Api
from .._api.jobs import JobEndpoints
from .._core.context import Context
from .._core.errors import OmeError
from .._resources.jobs import PUSH_TASKS, RECORDS, JobKind, id_of
from .playback import Address
from .rows import PUSH, RECORD, Row

_SYNC, _PACKET = 0x47, 188  # how a packet of MPEG-TS begins, and its bytes
_ENOUGH = 20  # packets
_LOOK = 0.5  # seconds
_SAMPLES = 10  # so many times the counters are read again
_INTERVAL = 1.0  # seconds; servers update their counters about once in a second
_ID = "streamops-verify"

OUTS = {PUSH_TASKS.option: PUSH, RECORDS.option: RECORD}


class Sink:
    """Receives a push by MPEG-TS over UDP.

    :param address: of this host, as the server reaches it; without a port, any that is free.
    """

    def __init__(self, address: Address) -> None:
        self._host = address.host
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind(("", address.port or 0))
        except OSError:
            self._socket.close()
            raise
        self._socket.settimeout(_LOOK)

    @property
    def url(self) -> str:
        """Return the URL for the server."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"udp://{host}:{self._socket.getsockname()[1]}"

    def packets(self, seconds: float) -> int:
        """Return how many packets of MPEG-TS have arrived; ends as soon as they are enough."""
        end, count = time.monotonic() + seconds, 0
        while count < _ENOUGH and time.monotonic() < end:
            try:
                data = self._socket.recv(65536)
            except TimeoutError:
                continue
            count += sum(data[start] == _SYNC for start in range(0, len(data), _PACKET))
        return count

    def close(self) -> None:
        """Close the port."""
        self._socket.close()


def push_to(sink_address: Address, row: Row, api: Api, context: Context, seconds: float) -> Row:
    """Let the server push the stream of a row here for a while, and return the row with what came of it."""
    job_id = f"{_ID}-{row.stream}"
    attempt = f"receive the stream {row.stream} of {row.vhost}/{row.app} as a push"
    try:
        sink = Sink(sink_address)
    except OSError as error:
        detail = f"The module cannot open UDP port {sink_address.port}: {error.strerror}."
        return row.failed(OmeError("push_silent", attempt, detail=detail), "sink")
    endpoints = JobEndpoints(api, PUSH_TASKS.calls)
    job = {"id": job_id, "stream": {"name": row.stream}, "protocol": "mpegts", "url": sink.url}
    try:
        endpoints.start(row.vhost, row.app, PUSH_TASKS.start_request(job))
        if sink.packets(seconds) >= _ENOUGH:
            return row.passed()
        return row.failed(
            OmeError("push_silent", attempt, detail=f"Nothing, or no MPEG-TS, came to {sink.url}."), "bytes"
        )
    except OmeError as error:
        return row.failed(error, "start")
    finally:
        sink.close()
        try:
            endpoints.stop(row.vhost, row.app, job_id)
        except OmeError as error:
            context.warn(f"Whether the push task {job_id} has stopped is not known. {error}")


def check_jobs(kind: JobKind, jobs: t.Sequence[t.Mapping[str, t.Any]], api: Api, context: Context) -> list[Row]:
    """Return a row for each listed push task or recording: whether its counter grows, if it runs.

    :param jobs: in specified form.
    """
    scopes = sorted({(job["vhost"], job["app"]) for job in jobs})
    rows = [_row(kind, job) for job in jobs]
    first, refused = _read(kind, scopes, api)
    pending: dict[int, int] = {}
    for index, (job, row) in enumerate(zip(jobs, rows)):
        scope = (job["vhost"], job["app"])
        raw = first.get((*scope, job["id"]))
        if scope in refused:
            rows[index] = row.failed(refused[scope], refused[scope].kind)
        elif raw is None:
            rows[index] = row.not_tried("The server does not list it now.")
        elif kind.state_of(raw) == "error":
            error = OmeError("job_silent", _attempt(kind, job), detail=f"It is {kind.in_error}")
            rows[index] = row.failed(error, "error")
        elif kind.state_of(raw) != kind.running_state:
            rows[index] = row.not_tried(f"It does not run: its state is {kind.state_of(raw)}.")
        elif not context.check_mode:
            pending[index] = _count(kind, raw)
    for _sample in range(_SAMPLES):
        if not pending:
            break
        context.sleep(_INTERVAL)
        again, _refused = _read(kind, scopes, api)
        for index, before in list(pending.items()):
            job = jobs[index]
            raw = again.get((job["vhost"], job["app"], job["id"]))
            # A counter that has become smaller is that of a new connection or file.
            if raw is not None and _count(kind, raw) > 0 and _count(kind, raw) != before:
                rows[index] = rows[index].passed()
                del pending[index]
    for index in pending:
        rows[index] = rows[index].failed(OmeError("job_silent", _attempt(kind, jobs[index])), "bytes")
    return rows


def _row(kind: JobKind, job: t.Mapping[str, t.Any]) -> Row:
    stream = (job.get("stream") or {}).get("name")
    return Row(job["vhost"], job["app"], stream=stream, protocol_out=OUTS[kind.option], id=job["id"])


def _attempt(kind: JobKind, job: t.Mapping[str, t.Any]) -> str:
    return f"see {kind.what} {job['vhost']}/{job['app']}/{job['id']} {kind.verb} anything"


def _count(kind: JobKind, raw: t.Mapping[str, t.Any]) -> int:
    """Return the bytes of a job; 0 if the server says nothing that is a number."""
    try:
        return int(raw.get(kind.counter) or 0)
    except (TypeError, ValueError):
        return 0


_Scope = tuple[str, str]


def _read(
    kind: JobKind, scopes: t.Sequence[_Scope], api: Api
) -> tuple[dict[tuple[str, str, str], dict[str, t.Any]], dict[_Scope, OmeError]]:
    """Return the jobs of some applications by their keys, and the errors of those that could not be read."""

    def read(scope: _Scope) -> list[dict[str, t.Any]] | OmeError:
        try:
            return JobEndpoints(api, kind.calls).list_all(*scope)
        except OmeError as error:
            return error

    found = dict(zip(scopes, api.map_concurrently([functools.partial(read, scope) for scope in scopes])))
    errors = {scope: one for scope, one in found.items() if isinstance(one, OmeError)}
    jobs = {(*scope, id_of(raw)): raw for scope, one in found.items() if not isinstance(one, OmeError) for raw in one}
    return jobs, errors
