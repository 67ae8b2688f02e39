# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare push tasks with the lists, and find those that fail or send nothing."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.concurrency import deferred
from .._core.context import Context
from .._core.errors import OmeError
from .._reconcile.waiting import STABLE_TIMEOUT, list_stable
from .._resources import application
from .._resources.job import Key, id_of, is_of_configuration, key_of
from .._resources.push_task import PUSH_PUBLISHERS, PUSH_TASK, PUSH_TASKS
from .._schema.validators import is_addressable
from .collector import Collector
from .desired import Desired
from .findings import DRIFT, ERROR, WARNING

_NO_TASKS = ("vhost_not_found", "application_not_found", "push_publisher_missing")


class Sample(t.NamedTuple):
    """A push task in wire form, as it was read at ``moment`` (seconds of the context's clock)."""

    raw: t.Mapping[str, t.Any]
    moment: float

    @property
    def sent(self) -> int | None:
        """Bytes sent over the current connection; None unless media flows."""
        sent = self.raw.get("sentBytes")
        if PUSH_TASKS.state_of(self.raw) != "pushing" or not isinstance(sent, int) or isinstance(sent, bool):
            return None
        return sent


class PushTaskAudit:
    """Compares the push tasks of one server, and samples how much they send."""

    def __init__(
        self, api: Api, context: Context, desired: Desired, collector: Collector, *, sampling_interval: float
    ) -> None:
        """``sampling_interval`` is the time in seconds between two samples of running pushes; 0 for one sample."""
        self._api = api
        self._context = context
        self._desired = desired
        self._collector = collector
        self._sampling_interval = sampling_interval
        self._push_tasks = {key_of(task): task for task in desired.push_tasks}
        self._applications = {application.key_of(app): app for app in desired.applications}
        self._first: dict[Key, Sample] = {}
        self._last: dict[Key, Sample] = {}
        self._skipped: set[tuple[str, str]] = set()
        self.entries: list[dict[str, t.Any]] = []
        """What results say of each push task of the server."""

    def check_desired(self) -> None:
        """Report desired push tasks that are valid but may not do what was meant."""
        for key, task in self._push_tasks.items():
            self._collector.add_warnings(PUSH_TASKS.warnings_for(task), **_place(key))

    def skip_unlisted(self, applications: t.Iterable[tuple[str, str]]) -> None:
        """Report no unlisted push tasks of these applications, because they are reported with all that is in them."""
        deferred(self._skipped.update, set(applications))

    # Comparison

    def compare(self, vhost: str, app: str, raw: t.Any, *, present: bool) -> None:
        """Compare the push tasks of an application.

        ``raw`` is the application in wire form; None if it was not read yet. ``present`` says whether it is on the
        server. Raises OmeError if no further request can succeed.
        """
        tasks = self._list(vhost, app) if present else []
        if tasks is None:
            return
        samples = self._sample(vhost, app, tasks)
        deferred(self._first.update, samples)
        cannot_start: bool | None = None
        for key in sorted(key for key in self._push_tasks if (key.vhost, key.app) == (vhost, app)):
            if key in samples:
                current = PUSH_TASKS.from_wire(samples[key].raw, vhost, app)
                differences = PUSH_TASK.difference(self._push_tasks[key], current)
                self._collector.add_differences(f"Push task {key}", differences, read_only=False, **_place(key))
                continue
            if cannot_start is None:
                cannot_start = present and self._lacks_push_publisher(application.Key(vhost, app), raw)
            text = f"Push task {key} is listed and not on the server."
            if cannot_start:
                error = OmeError("push_publisher_missing", f"start push task {key}")
                text = f"{text} {error.advice.meaning} {error.advice.remedy}"
                self._collector.add(ERROR, error.kind, text, **_place(key))
            else:
                self._collector.add(DRIFT, "missing", text, **_place(key))

    def _list(self, vhost: str, app: str) -> list[dict[str, t.Any]] | None:
        """Return the push tasks of an application in wire form; None if they cannot be read, with a finding."""
        try:
            return list_stable(self._api, self._context, PUSH_TASKS, (vhost, app), STABLE_TIMEOUT)
        except OmeError as error:
            if error.kind in _NO_TASKS:
                return []
            self._collector.add_error(error, vhost=vhost, application=app)
            return None

    def _lacks_push_publisher(self, key: application.Key, raw: t.Any) -> bool:
        """Return whether no run could start a push: the application has no push publisher, and the lists add none."""
        if application.can_push(self._applications.get(key, {})):
            return False
        if raw is None:
            place = {"vhost": key.vhost, "application": key.name}
            raw = self._collector.read(self._api.read_application, *key, **place)
        publishers = raw.get("publishers") if isinstance(raw, dict) else None
        return isinstance(publishers, dict) and not any(name in publishers for name in PUSH_PUBLISHERS)

    # Samples

    def sample_again(self) -> None:
        """Read the applications with running pushes once more, after the sampling interval."""
        scopes = sorted({(key.vhost, key.app) for key, sample in self._first.items() if sample.sent is not None})
        if not self._sampling_interval or not scopes:
            return
        self._context.sleep(self._sampling_interval)
        self._api.map_concurrently([functools.partial(self._sample_scope_again, *scope) for scope in scopes])

    def _sample_scope_again(self, vhost: str, app: str) -> None:
        deferred(self._last.update, self._sample(vhost, app, self._list(vhost, app) or []))

    def _sample(self, vhost: str, app: str, tasks: t.Iterable[dict[str, t.Any]]) -> dict[Key, Sample]:
        """Return samples of push tasks that have just been read."""
        moment, samples = self._context.clock(), {}
        for task in tasks:
            self._context.keep_secrets(PUSH_TASK, PUSH_TASK.from_wire(task))
            samples[Key(vhost, app, id_of(task))] = Sample(task, moment)
        return samples

    # Judgement

    def judge(self) -> None:
        """Report pushes that fail, send nothing or are not listed, and make the entries of the result."""
        for key in sorted(self._first):
            self._judge_one(key)

    def _judge_one(self, key: Key) -> None:
        first = self._first[key]
        last = self._last.get(key, first)
        state, configured = PUSH_TASKS.state_of(last.raw), is_of_configuration(last.raw)
        listed = key in self._push_tasks or tuple(key) in self._desired.referenced_keys
        bits, elapsed = _bits_per_second(first, last), last.moment - first.moment
        if state == "error":
            text = f"Push task {key} is in state error: its destination does not accept it. The server keeps trying."
            self._collector.add(ERROR, "push_error", text, **_place(key))
        elif bits == 0:
            text = f"Push task {key} is in state pushing, and has sent nothing for {elapsed:.0f} s."
            self._collector.add(ERROR, "push_stalled", text, **_place(key))
        if not listed and not configured and (key.vhost, key.app) not in self._skipped:
            if is_addressable(key.id):
                text = f"Push task {key} is on the server and not listed."
                self._collector.add(DRIFT, "not_listed", text, **_place(key))
            else:
                self._collector.add(WARNING, "unaddressable", PUSH_TASKS.unaddressable(key), **_place(key))
        url = last.raw.get("url")
        self.entries.append(
            {
                "vhost": key.vhost,
                "app": key.app,
                "id": key.id,
                "protocol": str(last.raw.get("protocol", "")),
                "url": PUSH_TASK.fields["url"].mask(url) if isinstance(url, str) else "",
                "state": state,
                "bits_per_second": bits,
                "listed": listed,
                "is_config": configured,
            }
        )


def _place(key: Key) -> dict[str, str]:
    """Return the fields of a finding that identify a push task."""
    return {"vhost": key.vhost, "application": key.app, "push_task": key.id}


def _bits_per_second(first: Sample, last: Sample) -> int | None:
    """Return the bit rate between two samples; None if it cannot be known, for example after a new connection."""
    if first.sent is None or last.sent is None or first.raw.get("sequence") != last.raw.get("sequence"):
        return None
    elapsed = last.moment - first.moment
    return round(8 * (last.sent - first.sent) / elapsed) if elapsed > 0 and last.sent >= first.sent else None
