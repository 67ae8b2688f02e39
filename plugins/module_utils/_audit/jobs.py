# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare jobs, which are push tasks and recordings, with the lists, and find those that fail or send nothing."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from .._config.stream_maps import Mapped, of_configuration, settings_differ, started_by
from .._core.concurrency import deferred
from .._core.errors import OmeError
from .._core.server_version import Version
from .._reconcile.jobs_plan import STABLE_TIMEOUT, list_stable
from .._resources.jobs import (
    NO_APPLICATION,
    JobKind,
    id_of,
    is_of_configuration,
    stream_of,
)
from .._resources.kind import Key, label_with
from .applications import Inputs
from .durable import DurableAudit
from .findings import DRIFT, ERROR
from .kinds import KindAudit

Raw = t.Mapping[str, t.Any]  # a job in wire form


class Sample(t.NamedTuple):
    """A job in wire form, as it was read at ``moment`` (seconds of the context's clock).

    ``sent`` are the bytes of the current connection or file; None unless media flows.
    """

    raw: Raw
    moment: float
    sent: int | None


@dataclasses.dataclass(eq=False, repr=False)  # a representation would show secrets
class JobAudit(KindAudit):
    """Reads the jobs of one kind on a server, samples how much they send or write, and compares them."""

    _kind: JobKind
    _durable: DurableAudit
    _inputs: Inputs
    _first: dict[Key, Sample] = dataclasses.field(init=False, default_factory=dict)
    _last: dict[Key, Sample] = dataclasses.field(init=False, default_factory=dict)
    _read: list[tuple[str, str]] = dataclasses.field(init=False, default_factory=list)
    """The applications that were read."""
    _blocked: set[Key] = dataclasses.field(init=False, default_factory=set)
    """The listed jobs that an application cannot run, for what it lacks."""
    _mapped: dict[Key, t.Mapping[str, t.Any]] = dataclasses.field(init=False, default_factory=dict)
    """The listed jobs that a stream map starts with their streams, as the map has them."""
    _names: dict[Key, Key] = dataclasses.field(init=False, default_factory=dict)
    """The listed jobs by the keys under which stream maps have started them."""

    def read_files(self) -> None:
        self._durable.read_maps(self._kind, self._objects.values())

    def check_desired(self) -> None:
        for key, job in self._objects.items():
            self._collector.add_warnings(self._kind.concerns(job), **self._place(key))
            self._durable.check_job(self._kind, job, **self._place(key))

    # Reading

    def read(self, vhost: str, app: str, raw: t.Any, *, present: bool) -> None:
        scope = (vhost, app)
        if not self._kind.audited_everywhere and scope not in self.scopes():
            return
        jobs = self._list(vhost, app) if present else []
        if jobs is None:
            return
        samples = self._sample(vhost, app, jobs)
        deferred(self._first.update, samples)
        deferred(self._read.append, scope)
        configured = of_configuration(self._kind, [sample.raw for sample in samples.values()], scope)
        cannot_start: bool | None = None
        for key in self._listed(scope):
            if key in samples or self._twins(key, configured):
                continue
            entry = self._durable.mapped(self._kind, self._objects[key]) if present else None
            if entry is not None or (present and not self._durable.has_files):
                raw = self._applications.read(Key(vhost, app), raw)
                if self._durable.reads_map(self._kind, vhost, raw, app):
                    deferred(self._mapped.__setitem__, key, entry or self._objects[key])
                    continue
            if cannot_start is None:
                cannot_start = present and self._applications.lacks(
                    Key(vhost, app), raw, "publishers", self._kind.publishers
                )
            if cannot_start:
                deferred(self._blocked.add, key)

    def _twins(self, key: Key, configured: t.Sequence[Mapped]) -> list[Mapped]:
        """Return the jobs that a stream map has started for a listed one."""
        return started_by(self._kind, self._objects[key], [one for one in configured if one.server_id != key.name])

    def _list(self, vhost: str, app: str) -> list[dict[str, t.Any]] | None:
        """Return the jobs of an application in wire form; None if they cannot be read, with a finding."""
        try:
            return list_stable(self._api, self._context, self._kind, (vhost, app), STABLE_TIMEOUT)
        except OmeError as error:
            if error.kind in (*NO_APPLICATION, self._kind.calls.publisher_missing):
                return []
            self._collector.add_error(error, vhost=vhost, application=app)
            return None

    # Samples

    def needed_streams(self) -> t.Iterator[Key]:
        # Whether one of them is live decides whether a job that waits is a finding.
        for key, sample in self._first.items() if self._inputs.possible else ():
            if self._waits(sample):
                yield key._replace(name=stream_of(sample.raw))
        for key, entry in self._mapped.items():
            yield key._replace(name=entry["stream"]["name"])

    def second_look(self) -> list[t.Callable[[], None]]:
        scopes = {
            key.scope
            for key, sample in self._first.items()
            if sample.sent is not None or self._input_without_use(key, sample) is not None
        }
        return [functools.partial(self._sample_scope_again, *scope) for scope in sorted(scopes)]

    def unused_inputs(self) -> t.Iterator[Key]:
        """Yield the live inputs for which jobs wait."""
        for key, sample in self._first.items():
            found = self._input_without_use(key, sample)
            if found is not None:
                yield found

    def _sample_scope_again(self, vhost: str, app: str) -> None:
        deferred(self._last.update, self._sample(vhost, app, self._list(vhost, app) or []))

    def _sample(self, vhost: str, app: str, jobs: t.Iterable[dict[str, t.Any]]) -> dict[Key, Sample]:
        """Return samples of jobs that have just been read."""
        moment, samples = self._context.clock(), {}
        for job in jobs:
            self._context.keep_secrets(self._kind.declaration, self._kind.declaration.from_wire(job))
            samples[Key(vhost, app, id_of(job))] = Sample(job, moment, self._sent(job))
        return samples

    def _sent(self, raw: Raw) -> int | None:
        sent = raw.get(self._kind.counter)
        if self._kind.state_of(raw) != self._kind.running_state or not isinstance(sent, int) or isinstance(sent, bool):
            return None
        return sent

    def _waits(self, sample: Sample) -> bool:
        """Return whether a job waits for its stream, as far as its state says."""
        return self._kind.state_of(sample.raw) in ("ready", "stopped") and bool(stream_of(sample.raw))

    def _input_without_use(self, key: Key, sample: Sample) -> Key | None:
        """Return the live input for which a job waits; None if it does not wait, or may just have been started."""
        if not self._waits(sample):
            return None
        found = self._applications.input_of(key._replace(name=stream_of(sample.raw)))
        return found if found is not None and self._inputs.is_due(found, sample.raw.get("createdTime")) else None

    # Comparison

    def compare(self, version: Version) -> None:
        for scope in sorted(self._read):
            self._compare_scope(scope)
        self._judge()

    def _compare_scope(self, scope: tuple[str, str]) -> None:
        samples = {key: sample for key, sample in self._first.items() if key.scope == scope}
        configured = of_configuration(self._kind, [sample.raw for sample in samples.values()], scope)
        blocked: list[Key] = []
        for key in self._listed(scope):
            title, place = self._title(key), self._place(key)
            twins = self._twins(key, configured)
            # Recordings without a path have a file each, so neither harms the other.
            if twins and (key not in samples or self._objects[key].get(self._kind.destination)):
                self._compare_with_map(key, twins, doubled=key in samples)
            elif key in samples:
                current = self._kind.from_wire(samples[key].raw, key)
                differences = self._kind.declaration.difference(self._objects[key], current)
                self._collector.add_differences(title, differences, read_only=False, **place)
            elif key in self._blocked:
                blocked.append(key)
            elif key not in self._mapped:
                self._collector.add(DRIFT, "missing", f"{title} is listed and not on the server.", **place)
        if blocked:
            self._add_blocked(OmeError(self._kind.calls.publisher_missing, f"start {self._kind.what}"), blocked)

    def _compare_with_map(self, key: Key, twins: t.Sequence[Mapped], *, doubled: bool) -> None:
        """Report what is not as listed of a job that a stream map has started, or whether it is ``doubled``."""
        title, place = self._title(key), self._place(key)
        self._names.update({Key(key.vhost, key.app, one.server_id): key for one in twins})
        if doubled:
            text = f"{title} runs twice: the server's stream map has started it, too. provision stops one of the two."
            self._collector.add(ERROR, f"{self._noun}_doubled", text, **place)
        for difference in settings_differ(self._kind, self._objects[key], twins[0].job):
            text = f"{title}: {difference.field} differs. It comes from the server's stream map: change it there."
            shown = {"field": difference.field, "found": difference.before, "wanted": difference.after}
            self._collector.add(DRIFT, "differs", text, **shown, **place)

    def _judge(self) -> None:
        """Report jobs that fail, send nothing or are not listed, and make the entries of the result."""
        for key in sorted(self._first, key=lambda one: (self._names.get(one, one), one)):
            self._judge_one(key)
        for key, entry in sorted(self._mapped.items()):
            jobs = (sample.raw for other, sample in self._first.items() if other[:2] == key[:2])
            configured = of_configuration(self._kind, jobs, key.scope)
            is_live = self._applications.is_live(key._replace(name=entry["stream"]["name"]))
            if is_live and not started_by(self._kind, entry, configured):
                text = f"{self._title(key)} is listed and not on the server, although its stream is live."
                self._collector.add(DRIFT, "missing", text, **self._place(key))

    def _judge_one(self, key: Key) -> None:
        first = self._first[key]
        last = self._last.get(key, first)
        state, configured = self._kind.state_of(last.raw), is_of_configuration(last.raw)
        bits, elapsed = _bits_per_second(first, last), last.moment - first.moment
        key = self._names.get(key, key)
        listed = self._is_listed(key)
        title, place = self._title(key), self._place(key)
        unused = self._input_without_use(key, last)
        if state == "error":
            text = f"{title} is {self._kind.in_error}"
            self._collector.add(ERROR, f"{self._noun}_error", text, **place)
        elif bits == 0:
            text = f"{title} is in state {state}, and has {self._kind.has_done} nothing for {elapsed:.0f} s."
            self._collector.add(ERROR, f"{self._noun}_stalled", text, **place)
        elif unused is not None:
            stream = stream_of(last.raw)
            text = f"{title} is in state {state}, although its stream {stream} is live."
            text = f"{text}{self._inputs.why_waiting(unused, stream)}"
            self._collector.add(ERROR, self._kind.waiting, text, **place)
        if not listed and not configured:
            self._add_unlisted(key)
        self.entries.append(
            {
                **label_with(self._kind.declaration, key),
                **self._kind.described(last.raw),
                "state": state,
                "bits_per_second": bits,
                "listed": listed,
                "is_config": configured,
            }
        )

    @property
    def _noun(self) -> str:
        """The first part of the kinds of findings."""
        return self._kind.place.partition("_")[0]


def _bits_per_second(first: Sample, last: Sample) -> int | None:
    """Return the bit rate between two samples; None if it cannot be known, for example after a new connection."""
    if first.sent is None or last.sent is None or first.raw.get("sequence") != last.raw.get("sequence"):
        return None
    elapsed = last.moment - first.moment
    return round(8 * (last.sent - first.sent) / elapsed) if elapsed > 0 and last.sent >= first.sent else None
