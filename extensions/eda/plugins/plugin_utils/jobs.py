# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judge push tasks and recordings by their states and by how their bytes grow."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.stream_maps import takes_stream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import (
    PUSH_TASKS,
    RECORDS,
    JobKind,
    id_of,
    is_of_configuration,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Key

from .expectations import Mark, mark_of


class WatchedJobs(t.NamedTuple):
    """One kind of job, and what is its own when it is watched."""

    kind: JobKind
    counter: str  # the JSON name of the bytes of the current connection or file
    busy: tuple[str, ...]  # the states in which something must happen
    waits_in_vain: bool  # whether one that waits although its stream is live is stuck


WATCHED_PUSH_TASKS = WatchedJobs(PUSH_TASKS, "sentBytes", ("connecting", PUSH_TASKS.running_state), False)
WATCHED_RECORDS = WatchedJobs(RECORDS, "recordBytes", (RECORDS.running_state,), True)


class Judgement(t.NamedTuple):
    """What is wrong with the expected jobs of one kind: fields of events by key."""

    missing: dict[Key, dict[str, t.Any]]
    failed: dict[Key, dict[str, t.Any]]
    stuck: dict[Key, dict[str, t.Any]]


class Jobs:
    """The expected jobs of one kind at one server."""

    def __init__(self, watched: WatchedJobs, stuck_after: float) -> None:
        self._watched = watched
        self._stuck_after = stuck_after
        self._progress: dict[Key, tuple[tuple[t.Any, ...], float]] = {}

    def __len__(self) -> int:
        return len(self._progress)

    def judge(
        self,
        expected: t.Mapping[tuple[str, str], t.Collection[str]],
        found: t.Mapping[tuple[str, str], t.Any],
        live: t.Mapping[tuple[str, str], t.Collection[str]],
        now: float,
        marks: t.Mapping[Key, Mark] | None = None,
    ) -> Judgement:
        """Compare what is expected with lists of jobs in wire form. ``live`` are the streams that are known to be live.

        Applications that are not in ``found`` are not judged. ``marks`` are what a job is recognized by that a stream
        map has started.
        """
        judgement = Judgement({}, {}, {})
        progress = {}
        for scope, ids in expected.items():
            if scope not in found:
                progress.update({key: one for key, one in self._progress.items() if key[:2] == scope})
                continue
            jobs = {id_of(raw): raw for raw in _objects(found[scope]) if not is_of_configuration(raw)}
            mapped = [raw for raw in _objects(found[scope]) if is_of_configuration(raw)]
            for name in sorted(ids):
                key = (*scope, name)
                raw = None if name in jobs else self._started_by_map((marks or {}).get(key), mapped, scope)
                if raw is not None:
                    mapped.remove(raw)
                    jobs[name] = raw
                place = {"vhost": scope[0], "app": scope[1], "id": name}
                if name not in jobs:
                    judgement.missing[key] = place
                    continue
                raw = jobs[name]
                state = self._watched.kind.state_of(raw)
                fields = {**place, "stream": _stream_of(raw), "state": state}
                mark = (state, raw.get(self._watched.counter), raw.get("sequence"), raw.get("createdTime"))
                if self._progress.get(key, ((), 0.0))[0] != mark:
                    progress[key] = (mark, now)
                else:
                    progress[key] = self._progress[key]
                seconds = now - progress[key][1]
                if state == "error":
                    judgement.failed[key] = fields
                elif seconds >= self._stuck_after and self._should_progress(
                    state, fields["stream"], live.get(scope, ())
                ):
                    judgement.stuck[key] = {**fields, "seconds": int(seconds)}
        self._progress = progress
        return judgement

    def _started_by_map(
        self, mark: Mark | None, mapped: t.Iterable[dict[str, t.Any]], scope: tuple[str, str]
    ) -> dict[str, t.Any] | None:
        """Return the job (wire form) that a stream map has started and that is as marked."""
        if mark is None:
            return None
        stream, hashes = mark
        for raw in mapped:
            job = self._watched.kind.from_wire(raw, Key(*scope))
            if takes_stream(stream, _stream_of(raw)) and all(
                mark_of(self._watched.kind, option, job.get(option, "")) == value for option, value in hashes.items()
            ):
                return raw
        return None

    def _should_progress(self, state: str, stream: str, live: t.Collection[str]) -> bool:
        if state in self._watched.busy:
            return True
        return self._watched.waits_in_vain and state in ("ready", "stopped") and stream in live


def _objects(value: t.Any) -> list[dict[str, t.Any]]:
    """Return the objects of a list in wire form."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _stream_of(raw: t.Mapping[str, t.Any]) -> str:
    """Return the name of the stream of a job; empty if the server reports none."""
    stream = raw.get("stream")
    name = stream.get("name") if isinstance(stream, dict) else None
    return name if isinstance(name, str) else ""
