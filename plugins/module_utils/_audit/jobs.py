# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare jobs, which are push tasks and recordings, with the lists, and find those that fail or send nothing."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._config.stream_maps import Mapped, of_configuration, settings_differ, started_by
from .._core.concurrency import deferred
from .._core.context import Context
from .._core.errors import OmeError
from .._reconcile.jobs_plan import STABLE_TIMEOUT, list_stable
from .._resources import application
from .._resources.jobs import (
    NO_APPLICATION,
    PUSH_TASK,
    PUSH_TASKS,
    RECORDS,
    JobKind,
    Key,
    id_of,
    is_of_configuration,
    key_of,
)
from .._schema.validators import is_addressable
from .applications import Applications, Inputs, StreamKey
from .durable import DurableAudit
from .findings import DRIFT, ERROR, WARNING, Collector, Desired

Raw = t.Mapping[str, t.Any]  # a job in wire form


class AuditedJobs(t.NamedTuple):
    """One kind of job, and what is its own in an audit."""

    kind: JobKind
    option: str  # the option with its list
    place: str  # the field of findings with its ID
    counter: str  # the JSON name of the bytes of the current connection or file
    everywhere: bool  # whether all applications are read, and not only those of the list
    waiting: str  # the kind of finding about one that waits although its stream is live
    has_done: str
    describe: t.Callable[[Raw], dict[str, t.Any]]  # what results say of one, beside what all jobs have


def _describe_push_task(raw: Raw) -> dict[str, t.Any]:
    url = raw.get("url")
    return {
        "protocol": str(raw.get("protocol", "")),
        "url": PUSH_TASK.fields["url"].mask(url) if isinstance(url, str) else "",
    }


AUDITED_PUSH_TASKS = AuditedJobs(
    PUSH_TASKS,
    "push_tasks",
    "push_task",
    counter="sentBytes",
    everywhere=True,
    waiting="push_waiting",
    has_done="sent",
    describe=_describe_push_task,
)
AUDITED_RECORDS = AuditedJobs(
    RECORDS,
    "records",
    "record",
    counter="recordBytes",
    everywhere=False,
    waiting="record_stalled",
    has_done="written",
    describe=lambda raw: {"stream": _stream_of(raw), "file_path": str(raw.get("filePath", ""))},
)


class Sample(t.NamedTuple):
    """A job in wire form, as it was read at ``moment`` (seconds of the context's clock).

    ``sent`` are the bytes of the current connection or file; None unless media flows.
    """

    raw: Raw
    moment: float
    sent: int | None


class JobAudit:
    """Compares the jobs of one kind on a server, and samples how much they send or write."""

    def __init__(
        self,
        api: Api,
        context: Context,
        desired: Desired,
        collector: Collector,
        applications: Applications,
        audited: AuditedJobs,
        durable: DurableAudit,
        inputs: Inputs,
    ) -> None:
        self._durable = durable
        self._inputs = inputs
        self._api = api
        self._context = context
        self._collector = collector
        self._applications = applications
        self._audited = audited
        self._kind = audited.kind
        self._jobs = {key_of(job): job for job in getattr(desired, audited.option)}
        self._referenced_keys = desired.referenced_keys
        self._first: dict[Key, Sample] = {}
        self._last: dict[Key, Sample] = {}
        self._skipped: set[tuple[str, str]] = set()
        self._mapped: dict[Key, t.Mapping[str, t.Any]] = {}
        """The listed jobs that a stream map starts with their streams, as the map has them."""
        self._names: dict[Key, Key] = {}
        """The listed jobs by the keys under which stream maps have started them."""
        self.entries: list[dict[str, t.Any]] = []
        """What results say of each job that was read."""

    def check_desired(self) -> None:
        """Report desired jobs that are valid but may not do what was meant."""
        self._durable.read_maps(self._kind, self._jobs.values())
        for key, job in self._jobs.items():
            self._collector.add_warnings(self._kind.warnings_for(job), **self._place(key))
            self._durable.check_job(self._kind, job, **self._place(key))

    def scopes(self) -> set[tuple[str, str]]:
        """Return virtual host and application of the desired jobs."""
        return {(key.vhost, key.app) for key in self._jobs}

    def skip_unlisted(self, applications: t.Iterable[tuple[str, str]]) -> None:
        """Report no unlisted jobs of these applications, because they are reported with all that is in them."""
        deferred(self._skipped.update, set(applications))

    def _place(self, key: Key) -> dict[str, str]:
        """Return the fields of a finding that identify a job."""
        return {"vhost": key.vhost, "application": key.app, self._audited.place: key.id}

    # Comparison

    def compare(self, vhost: str, app: str, raw: t.Any, *, present: bool) -> None:
        """Compare the jobs of an application.

        ``raw`` is the application in wire form; None if it was not read yet. ``present`` says whether it is on the
        server. Raises OmeError if no further request can succeed.
        """
        if not self._audited.everywhere and (vhost, app) not in self.scopes():
            return
        jobs = self._list(vhost, app) if present else []
        if jobs is None:
            return
        samples = self._sample(vhost, app, jobs)
        deferred(self._first.update, samples)
        cannot_start: bool | None = None
        configured = of_configuration(self._kind, [sample.raw for sample in samples.values()], (vhost, app))
        blocked: list[Key] = []
        for key in sorted(key for key in self._jobs if (key.vhost, key.app) == (vhost, app)):
            title = f"{self._kind.title} {key}"
            if self._is_of_map(key, samples, configured):
                continue
            if key in samples:
                current = self._kind.from_wire(samples[key].raw, vhost, app)
                differences = self._kind.declaration.difference(self._jobs[key], current)
                self._collector.add_differences(title, differences, read_only=False, **self._place(key))
                continue
            entry = self._durable.mapped(self._kind, self._jobs[key]) if present else None
            if entry is not None or (present and not self._durable.has_files):
                raw = self._applications.read(application.Key(vhost, app), raw)
                if self._durable.reads_map(self._kind, vhost, raw, app):
                    deferred(self._mapped.__setitem__, key, entry or self._jobs[key])
                    continue
            if cannot_start is None:
                cannot_start = present and self._applications.lacks(
                    application.Key(vhost, app), raw, "publishers", self._kind.publishers
                )
            if cannot_start:
                blocked.append(key)
            else:
                text = f"{title} is listed and not on the server."
                self._collector.add(DRIFT, "missing", text, **self._place(key))
        if blocked:
            error = OmeError(self._kind.calls.publisher_missing, f"start {self._kind.what}")
            title, where = f"{self._kind.title} {blocked[0]}", self._place(blocked[0])
            self._collector.add_blocked(error, title, f"{self._kind.what}s", [key.id for key in blocked], **where)

    def _is_of_map(self, key: Key, samples: t.Mapping[Key, Sample], configured: t.Sequence[Mapped]) -> bool:
        """Return whether a stream map has started a listed job; report what is not as listed then."""
        job, title, place = self._jobs[key], f"{self._kind.title} {key}", self._place(key)
        twins = started_by(self._kind, job, [one for one in configured if one.server_id != key.id])
        # Recordings without a path have a file each, so neither harms the other.
        if not twins or (key in samples and not job.get(self._kind.destination)):
            return False
        deferred(self._names.update, {Key(key.vhost, key.app, one.server_id): key for one in twins})
        if key in samples:
            text = f"{title} runs twice: the server's stream map has started it, too. provision stops one of the two."
            self._collector.add(ERROR, f"{self._noun}_doubled", text, **place)
        for difference in settings_differ(self._kind, job, twins[0].job):
            text = f"{title}: {difference.field} differs. It comes from the server's stream map: change it there."
            shown = {"field": difference.field, "found": difference.before, "wanted": difference.after}
            self._collector.add(DRIFT, "differs", text, **shown, **place)
        return True

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

    def needed_streams(self) -> t.Iterator[StreamKey]:
        """Yield the streams of the jobs that wait: whether one of them is live decides whether that is a finding."""
        for key, sample in self._first.items() if self._inputs.possible else ():
            if self._waits(sample):
                yield key.vhost, key.app, _stream_of(sample.raw)
        for key, entry in self._mapped.items():
            yield key.vhost, key.app, entry["stream"]["name"]

    def second_look(self) -> list[t.Callable[[], None]]:
        """Return the calls that sample the jobs again that run or should run."""
        scopes = {
            (key.vhost, key.app)
            for key, sample in self._first.items()
            if sample.sent is not None or self._input_without_use(key, sample) is not None
        }
        return [functools.partial(self._sample_scope_again, *scope) for scope in sorted(scopes)]

    def unused_inputs(self) -> t.Iterator[StreamKey]:
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
        sent = raw.get(self._audited.counter)
        if self._kind.state_of(raw) != self._kind.running_state or not isinstance(sent, int) or isinstance(sent, bool):
            return None
        return sent

    def _waits(self, sample: Sample) -> bool:
        """Return whether a job waits for its stream, as far as its state says."""
        return self._kind.state_of(sample.raw) in ("ready", "stopped") and bool(_stream_of(sample.raw))

    def _input_without_use(self, key: Key, sample: Sample) -> StreamKey | None:
        """Return the live input for which a job waits; None if it does not wait, or may just have been started."""
        if not self._waits(sample):
            return None
        found = self._applications.input_of((key.vhost, key.app, _stream_of(sample.raw)))
        return found if found is not None and self._inputs.is_due(found, sample.raw.get("createdTime")) else None

    # Judgement

    def judge(self) -> None:
        """Report jobs that fail, send nothing or are not listed, and make the entries of the result."""
        for key in sorted(self._first, key=lambda one: (self._names.get(one, one), one)):
            self._judge_one(key)
        for key, entry in sorted(self._mapped.items()):
            jobs = (sample.raw for other, sample in self._first.items() if other[:2] == key[:2])
            configured = of_configuration(self._kind, jobs, (key.vhost, key.app))
            is_live = self._applications.is_live((key.vhost, key.app, entry["stream"]["name"]))
            if is_live and not started_by(self._kind, entry, configured):
                text = f"{self._kind.title} {key} is listed and not on the server, although its stream is live."
                self._collector.add(DRIFT, "missing", text, **self._place(key))

    def _judge_one(self, key: Key) -> None:
        first = self._first[key]
        last = self._last.get(key, first)
        state, configured = self._kind.state_of(last.raw), is_of_configuration(last.raw)
        bits, elapsed = _bits_per_second(first, last), last.moment - first.moment
        key = self._names.get(key, key)
        listed = key in self._jobs or (self._audited.option, *key) in self._referenced_keys
        title, place = f"{self._kind.title} {key}", self._place(key)
        unused = self._input_without_use(key, last)
        if state == "error":
            text = f"{title} is {self._kind.in_error}"
            self._collector.add(ERROR, f"{self._noun}_error", text, **place)
        elif bits == 0:
            text = f"{title} is in state {state}, and has {self._audited.has_done} nothing for {elapsed:.0f} s."
            self._collector.add(ERROR, f"{self._noun}_stalled", text, **place)
        elif unused is not None:
            stream = _stream_of(last.raw)
            text = f"{title} is in state {state}, although its stream {stream} is live."
            text = f"{text}{self._inputs.why_waiting(unused, stream)}"
            self._collector.add(ERROR, self._audited.waiting, text, **place)
        if not listed and not configured and (key.vhost, key.app) not in self._skipped:
            if is_addressable(key.id):
                self._collector.add(DRIFT, "not_listed", f"{title} is on the server and not listed.", **place)
            else:
                self._collector.add(WARNING, "unaddressable", self._kind.unaddressable(key), **place)
        self.entries.append(
            {
                **key._asdict(),
                **self._audited.describe(last.raw),
                "state": state,
                "bits_per_second": bits,
                "listed": listed,
                "is_config": configured,
            }
        )

    @property
    def _noun(self) -> str:
        """The first part of the kinds of findings."""
        return self._audited.place.partition("_")[0]


def _stream_of(raw: Raw) -> str:
    """Return the name of the stream of a job; empty if the server reports none."""
    stream = raw.get("stream")
    name = stream.get("name") if isinstance(stream, dict) else None
    return name if isinstance(name, str) else ""


def _bits_per_second(first: Sample, last: Sample) -> int | None:
    """Return the bit rate between two samples; None if it cannot be known, for example after a new connection."""
    if first.sent is None or last.sent is None or first.raw.get("sequence") != last.raw.get("sequence"):
        return None
    elapsed = last.moment - first.moment
    return round(8 * (last.sent - first.sent) / elapsed) if elapsed > 0 and last.sent >= first.sent else None
