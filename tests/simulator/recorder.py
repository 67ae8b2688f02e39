# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recordings of a server and their files, by the clock; the calls are in :mod:`.records`."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .media import BYTES_PER_SECOND

if TYPE_CHECKING:
    from .state import State

SECONDS_BETWEEN_KEYFRAMES = 1.0
"""No file is shorter, whatever the interval is."""
UNKNOWN_TIME = "19700101000000"
"""What a file name has for a time that has not come."""

RULES = ("discontinuity", "continuity")
"""The segmentation rules; the first is what the server takes for anything else."""
_SIXTY = r"(\*|([0-9]|1[0-9]|2[0-9]|3[0-9]|4[0-9]|5[0-9])|\*\/([0-9]|1[0-9]|2[0-9]|3[0-9]|4[0-9]|5[0-9]))"
_HOURS = r"(\*|([0-9]|1[0-9]|2[0-3])|\*\/([0-9]|1[0-9]|2[0-3]))"
SCHEDULE = re.compile(f"^{_SIXTY} {_SIXTY} {_HOURS}$")
"""Second, minute and hour, each a number, ``*`` or ``*/`` and a number (FileApplication::RecordStart [read])."""
_MACRO = re.compile(r"\$\{([a-zA-Z0-9:]+)\}")


@dataclass(frozen=True)
class ConfigRecord:
    """A recording of the server's configuration (record map)."""

    vhost: str
    app: str
    fields: Mapping[str, Any]


@dataclass
class Record:
    """One recording. Times are seconds of the clock."""

    id: str
    stream_name: str
    created: float
    transaction: str
    track_ids: list[int] = field(default_factory=list)
    variant_names: list[str] = field(default_factory=list)
    file_path: str = ""
    info_path: str = ""
    interval: int = 0
    schedule: str = ""
    segmentation_rule: str = RULES[0]
    metadata: str = ""
    config: ConfigRecord | None = None
    """What made it, if it comes from the configuration."""
    recording_since: float | None = None
    """Since when the file grows; None while none is written."""
    started: float | None = None
    stopped: float | None = None
    """When the last file was complete."""
    ended: bool = False
    """Whether the stream has ended and no start or stop has come since."""
    gone_at: float | None = None
    """When a recording that was asked to stop disappears."""
    output_file: str = ""
    output_info: str = ""
    sequence: int = 0
    earlier_bytes: int = 0
    earlier_milliseconds: int = 0


@dataclass
class RecordApplication:
    """The recordings of one application; like its push tasks they can outlive the application."""

    vhost: str
    app: str
    config: Mapping[str, Any]
    """What the configuration says of the file publisher."""
    records: dict[str, Record] = field(default_factory=dict)


class Records:
    """The recordings of a server, and those that its configuration makes."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.applications: dict[tuple[str, str], list[RecordApplication]] = {}
        self.config_records: list[ConfigRecord] = []

    # -- applications and restarts ----------------------------------------------------------------------------

    def add_application(self, vhost: str, config: Mapping[str, Any]) -> RecordApplication | None:
        """Add what a new application has for recordings. :returns: None without a file publisher."""
        publishers = config.get("publishers")
        if not isinstance(publishers, dict) or "file" not in publishers:
            return None
        publisher = publishers["file"]
        made = RecordApplication(vhost, str(config["name"]), publisher if isinstance(publisher, dict) else {})
        self.applications.setdefault((vhost, made.app), []).append(made)
        return made

    def drop_application(self, gone: RecordApplication | None) -> None:
        """Forget the recordings of an application that is deleted."""
        if gone is not None:
            key = (gone.vhost, gone.app)
            left = [holder for holder in self.applications.get(key, []) if holder is not gone]
            if left:
                self.applications[key] = left
            else:
                self.applications.pop(key, None)

    def clear(self) -> None:
        """Lose everything, as the end of the process does."""
        self.applications.clear()

    def restore(self) -> None:
        """Make the recordings of the configuration again, after a start of the process."""
        configured, self.config_records = self.config_records, []
        for config in configured:
            if (config.vhost, config.app) in self.applications:
                self.add_config_record(config.vhost, config.app, **config.fields)

    def application(self, vhost: str, app: str) -> RecordApplication | None:
        """Return the recordings that requests for this application see, with their files as of now."""
        found = self.applications.get((vhost, app))
        if not found:
            return None
        now = self._state.clock.now()
        records = found[0].records
        for record in [record for record in records.values() if record.gone_at is not None and record.gone_at <= now]:
            del records[record.id]
        for record in records.values():
            self._split(found[0], record)
        return found[0]

    def add_config_record(self, vhost: str, app: str, **fields: Any) -> tuple[RecordApplication, Record]:
        """Add a recording of the server's configuration. It has by default a random id, ends with its stream and is
        made again with it.

        :param fields: ``id``, ``stream_name``, ``file_path``, ``info_path``, ``interval``, ``schedule``,
            ``segmentation_rule``, ``metadata``, ``variant_names``.
        """
        with self._state.lock:
            holder = self.application(vhost, app)
            if holder is None:
                raise LookupError(f"no application with a file publisher: {vhost}/{app}")
            config = ConfigRecord(vhost, app, dict(fields))
            self.config_records.append(config)
            return holder, self._make(holder, config)

    def _make(self, holder: RecordApplication, config: ConfigRecord) -> Record:
        fields = {"stream_name": "stream", **config.fields}
        fields["id"] = fields.get("id") or self.random_text()
        record = Record(created=self._state.clock.now(), transaction=self.random_text(), config=config, **fields)
        self.start(holder, record)
        return record

    def random_text(self) -> str:
        """Return 16 letters and digits, as the server makes them."""
        return "".join(self._state.random.choices(string.ascii_letters + string.digits, k=16))

    # -- files ------------------------------------------------------------------------------------------------

    def start(self, holder: RecordApplication, record: Record) -> None:
        """Reserve a recording; it begins at once if its stream is live."""
        self.touch(holder)
        holder.records[record.id] = record
        if self._state.has_output(holder.vhost, holder.app, record.stream_name):
            self._begin(holder, record, self._state.clock.now())

    def stop(self, holder: RecordApplication, record: Record) -> None:
        """End a recording: one that has a file at once, a reserved one after the delay of the simulator.

        The server takes a reserved one away at once too [read]; clients are not to rely on it.
        """
        self.touch(holder)
        if record.recording_since is not None or self._state.version.stop_is_immediate:
            del holder.records[record.id]
        elif record.gone_at is None:
            record.gone_at = self._state.clock.now() + self._state.stop_delay

    def touch(self, holder: RecordApplication) -> None:
        """Do what each start and stop does: recordings whose stream has ended are ``ready`` again."""
        for record in holder.records.values():
            record.ended = False

    def stream_appears(self, vhost: str, app: str, stream: str, mapped: Iterable[Mapping[str, Any]] = ()) -> None:
        """Begin a file for each recording of an output that goes live.

        :param mapped: fields of the recordings that the record map has for the stream.
        """
        for fields in mapped:
            holder = self.application(vhost, app)
            if holder is not None:
                self._make(holder, ConfigRecord(vhost, app, fields))
        for holder in self.applications.get((vhost, app), []):
            made = [record.config for record in holder.records.values()]
            for config in self.config_records:
                place = (config.vhost, config.app, config.fields.get("stream_name", "stream"))
                if place == (vhost, app, stream) and not any(config == other for other in made):
                    self._make(holder, config)
            for record in holder.records.values():
                if record.stream_name == stream and record.gone_at is None and record.recording_since is None:
                    self._begin(holder, record, self._state.clock.now())

    def stream_disappears(self, vhost: str, app: str, stream: str) -> None:
        """Complete the files of a stream that ends; recordings of the configuration end with it."""
        for holder in self.applications.get((vhost, app), []):
            for record in [record for record in holder.records.values() if record.stream_name == stream]:
                if record.recording_since is not None:
                    self._split(holder, record)
                    self._complete(holder, record, self._state.clock.now())
                    record.ended = True
                if record.config is not None:
                    del holder.records[record.id]

    def _begin(self, holder: RecordApplication, record: Record, moment: float) -> None:
        record.recording_since = record.started = moment
        record.ended = False
        self._name_files(holder, record)

    def _complete(self, holder: RecordApplication, record: Record, moment: float) -> None:
        size, milliseconds = self.recorded(record, moment)
        record.recording_since = None
        record.stopped = moment
        self._name_files(holder, record)
        record.sequence += 1
        record.earlier_bytes += size
        record.earlier_milliseconds += milliseconds

    def _split(self, holder: RecordApplication, record: Record) -> None:
        length = max(record.interval / 1000, SECONDS_BETWEEN_KEYFRAMES)
        while (
            record.interval > 0
            and record.recording_since is not None
            and self._state.clock.now() - record.recording_since > length
        ):
            end = record.recording_since + length
            self._complete(holder, record, end)
            self._begin(holder, record, end)

    def recorded(self, record: Record, moment: float | None = None) -> tuple[int, int]:
        """Return bytes and milliseconds of the file that is being written; both grow with each frame [seen]."""
        if record.recording_since is None:
            return 0, 0
        now = self._state.clock.now() if moment is None else moment
        milliseconds = round((now - record.recording_since) * 1000)
        return milliseconds * BYTES_PER_SECOND // 1000, milliseconds

    def _name_files(self, holder: RecordApplication, record: Record) -> None:
        version = self._state.version
        file_path = record.file_path or holder.config.get("filePath") or version.record_file_path
        info_path = record.info_path or holder.config.get("infoPath") or version.record_info_path
        record.output_file = self._filled_in(holder, record, str(file_path))
        record.output_info = self._filled_in(holder, record, str(info_path))

    def _filled_in(self, holder: RecordApplication, record: Record, template: str) -> str:
        values = {
            "VirtualHost": holder.vhost,
            "Application": holder.app,
            "Stream": record.stream_name,
            "Sequence": str(record.sequence),
            "Id": record.id,
            "TransactionId": record.transaction,
        }
        times = {"StartTime:": record.started, "EndTime:": record.stopped}

        def value(macro: re.Match[str]) -> str:
            name = macro.group(1)
            for prefix, moment in times.items():
                if name.startswith(prefix):
                    return self._written(name[len(prefix) :], moment)
            return values.get(name, macro.group())

        return _MACRO.sub(value, template)

    def _written(self, form: str, moment: float | None) -> str:
        digits = UNKNOWN_TIME if moment is None else self._state.clock.time_of_day(moment).strftime("%Y%m%d%H%M%S")
        for part in ("YYYY", "MM", "DD", "hh", "mm", "ss"):
            form, digits = form.replace(part, digits[: len(part)]), digits[len(part) :]
        return form
