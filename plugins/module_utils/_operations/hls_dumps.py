# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HLS dumps: fields and rules, the strategy of their reconciler, and the operations (server-facts: HLS dumps)."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.streams import HlsDumps, Streams
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._reconcile.base import (
    STARTED,
    STOPPED,
    UNCHANGED,
    Outcome,
    Plan,
    PlannedChange,
    Reconciler,
    Request,
    failure_of,
    write_once,
)
from .._reconcile.parents import describe_differences
from .._resources.kind import Specified, Value
from .._resources.stream import outputs_of
from .._schema import validators as checks
from .._schema.fields import String, StringSet
from .._schema.objects import Object
from .base import TEXT, Operation, Result, addressable_names, check_names, state_option
from .info import SHOW_SECRETS
from .results import ManagingOperation, single_result

# HLS dumps: fields and rules (server-facts: HLS dumps).


def _directory(value: str) -> str:
    """Return a path without trailing slashes, which do not matter."""
    return value.rstrip("/") or value


HLS_DUMP = Object(
    "hls_dump",
    fields=[
        *(String(option, required=True, check=checks.addressable) for option in ("vhost", "app", "stream", "id")),
        String("output_stream_name", "outputStreamName", check=checks.one_line),
        String("output_path", "outputPath", normalizer=_directory, check=checks.absolute_path),
        StringSet("playlist", check=checks.one_line),
        String("info_file", "infoFile", check=checks.absolute_path),
        String("user_data", "userData", secret=True, check=checks.one_line),
    ],
)
_IN_PATH = ("vhost", "app", "stream")


class DumpKey(t.NamedTuple):
    """The identity of a dump: IDs are unique within an output stream."""

    vhost: str
    app: str
    stream: str
    output: str
    id: str

    def __str__(self) -> str:
        return "/".join((self.vhost, self.app, self.stream, self.id))

    @property
    def label(self) -> dict[str, str]:
        """The key in results."""
        return {"vhost": self.vhost, "app": self.app, "stream": self.stream, "id": self.id}


def key_of(dump: t.Mapping[str, t.Any]) -> DumpKey:
    """Return the key of a dump (specified form); by default the output has the name of the stream."""
    output = dump.get("output_stream_name") or dump["stream"]
    return DumpKey(dump["vhost"], dump["app"], dump["stream"], output, dump["id"])


def validate(dump: t.Mapping[str, t.Any], *, started: bool) -> None:
    """Raise BadInput for an invalid dump (specified form); ``started`` requires what a start needs."""
    HLS_DUMP.validate(dump, "")
    if started and "output_path" not in dump:
        raise BadInput("output_path", "is required if state is started")
    if "user_data" in dump and "info_file" not in dump and started:
        raise BadInput("info_file", "is required if user_data is set, because the server writes user_data into it")


def from_wire(raw: t.Mapping[str, t.Any], key: DumpKey) -> dict[str, t.Any]:
    """Return a dump of wire form in option form."""
    return {**HLS_DUMP.from_wire(raw), **key.label}


def start_request(dump: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the body that starts a dump; the path has virtual host, application and stream."""
    body: dict[str, t.Any] = HLS_DUMP.to_wire({key: value for key, value in dump.items() if key not in _IN_PATH})
    return {**body, "outputStreamName": key_of(dump).output}


def is_running(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether a dump runs; a stopped one stays listed as disabled."""
    return str(raw.get("enabled", False)).lower() == "true"


# HLS dumps: the strategy of their reconciler (server-facts: HLS dumps).

# Errors that say that nothing exists that could have dumps.
_NOTHING_HERE = (
    "vhost_not_found",
    "application_not_found",
    "stream_not_found",
    "output_stream_not_found",
    "llhls_publisher_missing",
)
_TRIES = 2


class Dump(t.NamedTuple):
    """A dump in option form, None if it is not listed; whether it runs; and the error if no such dump can exist."""

    dump: Value | None = None
    running: bool = False
    absence: OmeError | None = None


class HlsDumpReconciler(Reconciler[Dump]):
    """Start and stop one HLS dump."""

    what = "HLS dump"

    def __init__(self, api: Api, context: Context) -> None:
        super().__init__(api, context)
        self._calls = HlsDumps(api)

    def _read(self, key: DumpKey) -> Dump:
        for raw in self._calls.list(*key[:4]):
            if str(raw.get("id")) == key.id:
                dump = from_wire(raw, key)
                self._context.keep_secrets(HLS_DUMP, dump)
                return Dump(dump, is_running(raw))
        return Dump()

    def _observe(self, key: DumpKey) -> Dump:
        """Read a dump; it is absent if its stream is."""
        try:
            return self._read(key)
        except OmeError as error:
            if error.kind not in _NOTHING_HERE:
                raise
            return Dump(absence=error)

    def probe(self, request: Request) -> Dump:
        return self._observe(key_of(request.desired[0]))

    def plan(self, request: Request, current: Dump) -> Plan:
        desired = request.desired[0]
        key = key_of(desired)
        change = PlannedChange(HLS_DUMP, key.label, desired, before=current.dump, after=current.dump)
        if current.dump is not None:
            change = change.with_details(enabled=current.running)
        if not request.absent:
            return Plan((self._plan_started(desired, change, current),))
        warnings = [f"HLS dump {key} is not running: {error.advice.meaning}" for error in (current.absence,) if error]
        return Plan((change.replace(action=STOPPED, after=None) if current.running else change,), tuple(warnings))

    @staticmethod
    def _plan_started(desired: Specified, change: PlannedChange, current: Dump) -> PlannedChange:
        attempt = f"start HLS dump {change.title}"
        if current.absence is not None:
            return change.failed(current.absence.for_attempt(attempt))
        if change.before is None:
            return change.replace(action=STARTED, after=HLS_DUMP.as_stored(desired))
        change = change.replace(differences=tuple(HLS_DUMP.difference(desired, change.before)))
        if not current.running:
            return change.failed(OmeError("dump_id_used", attempt))
        if change.differences:
            error = OmeError("dump_differs", attempt)
            return change.failed(error.with_detail(describe_differences(change.differences)))
        return change

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        work = {STARTED: self._start, STOPPED: self._stop}
        return [work.get(change.action, Outcome.of)(change) for change in plan.changes]

    def _start(self, change: PlannedChange) -> Outcome:
        """Start a dump; after a lost answer or a duplicate, the current state decides."""
        outcome, key, attempt = Outcome.of(change), key_of(change.desired), f"start HLS dump {change.title}"

        def look(failure: OmeError, _left: int) -> Dump | None:
            try:
                current = self._read(key)
            except OmeError as error:
                raise failure.with_outcome_unknown(True) from error
            return current if current.running else None

        send = functools.partial(self._calls.start, *key[:3], start_request(change.desired))
        try:
            written = write_once(send, look, doubtful=("duplicate_id",), tries=_TRIES)
        except OmeError as error:
            return outcome.interrupted(error) if error.outcome_unknown else outcome.failed(error)
        try:
            current = written.found or self._read(key)
        except OmeError as error:
            return outcome.interrupted(error.with_outcome_unknown(True))
        if not current.running:
            return outcome.interrupted(OmeError("lost", attempt)).replace(after=None)
        differences = tuple(HLS_DUMP.difference(change.desired, current.dump or {}))
        if differences:
            refusal = OmeError("dump_differs", attempt).with_detail(describe_differences(differences))
            return outcome.replace(before=current.dump, differences=differences).failed(refusal)
        outcome = outcome.with_details(enabled=True).replace(after=current.dump)
        return outcome.replace(action=UNCHANGED) if written.by_others else outcome

    def _stop(self, change: PlannedChange) -> Outcome:
        outcome, key = Outcome.of(change), key_of(change.desired)
        failure = failure_of(functools.partial(self._calls.stop, *key))
        try:
            current = self._observe(key)  # If its stream has ended, the dump has ended with it.
        except OmeError as error:
            return outcome.interrupted(failure or error)
        if not current.running:
            return outcome.with_details(enabled=False)
        return outcome.failed(failure or OmeError("lost", f"stop HLS dump {key}"))

    def _read_current(self, change: PlannedChange) -> Value | None:
        current = self._observe(key_of(change.desired))
        return current.dump if current.running else None


# The operations that manage and read HLS dumps.

_REQUIRED = {"type": "str", "required": True}


class HlsDump(ManagingOperation):
    """The operation of the module `hls_dump`."""

    declaration = HLS_DUMP
    result_key = "hls_dump"

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {**HLS_DUMP.options(), "state": state_option("started", "stopped")}

    def check(self) -> None:
        validate(self.desired[0][1], started=self.params["state"] == "started")

    def run(self, api: Api, context: Context) -> Result:
        reconciler = HlsDumpReconciler(api, context)
        request = Request([self.desired[0][1]], absent=self.params["state"] == "stopped")
        return single_result(reconciler.verify_after_disconnect(reconciler.reconcile(request))[0], self.result_key)


class HlsDumpInfo(Operation):
    """The operation of the module `hls_dump_info`."""

    masked_results = ("hls_dumps",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {"vhost": _REQUIRED, "app": _REQUIRED, "stream": TEXT, "id": TEXT, "show_secrets": SHOW_SECRETS}

    def check(self) -> None:
        check_names(self.params, "vhost", "app", "stream", "id")
        if self.params["id"] is not None and self.params["stream"] is None:
            raise BadInput("stream", "is required if id is set, because ids are unique only within a stream")

    def run(self, api: Api, context: Context) -> Result:
        dumps, status = [], []
        outputs = self._outputs(api, context)
        reads = [functools.partial(self._list, HlsDumps(api), *output) for output in outputs]
        for (vhost, app, stream, output), found in zip(outputs, api.map_concurrently(reads)):
            for raw in sorted(found, key=lambda one: str(one.get("id"))):
                key = DumpKey(vhost, app, stream, output, str(raw.get("id", "")))
                if self.params["id"] not in (None, key.id):
                    continue
                dump = from_wire(raw, key)
                HLS_DUMP.collect_secrets(dump, context.secrets)
                dumps.append(dump if self.params["show_secrets"] else HLS_DUMP.mask(dump))
                status.append({**key.label, "output_stream_name": output, "enabled": is_running(raw)})
        return {"changed": False, "hls_dumps": dumps, "status": status}

    @staticmethod
    def _list(calls: HlsDumps, vhost: str, app: str, stream: str, output: str) -> t.Sequence[dict[str, t.Any]]:
        """Read the dumps of an output stream; there are none if it has ended, or has no LL-HLS."""
        try:
            return calls.list(vhost, app, stream, output)
        except OmeError as error:
            if error.kind in ("stream_not_found", "output_stream_not_found", "llhls_publisher_missing"):
                return []
            raise

    def _outputs(self, api: Api, context: Context) -> list[tuple[str, str, str, str]]:
        """Return virtual host, application, stream and name of each output stream to read."""
        vhost, app, stream = self.params["vhost"], self.params["app"], self.params["stream"]
        calls = Streams(api)
        names = [stream]
        if stream is None:
            names = addressable_names(calls.list(vhost, app), f"streams of application {vhost}/{app}", context)
        found = api.map_concurrently([functools.partial(calls.read, vhost, app, name) for name in names])
        if stream is not None and found[0] is None:
            raise OmeError("stream_not_found", f"list the HLS dumps of stream {vhost}/{app}/{stream}")
        outputs = []
        for name, raw in zip(names, found):
            outputs += [(vhost, app, name, output) for output in outputs_of(raw or {})]
        return outputs
