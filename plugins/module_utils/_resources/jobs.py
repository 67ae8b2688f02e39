# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs, what an application runs under an ID until it is stopped: push tasks and recordings."""

from __future__ import annotations

import re
import typing as t
from urllib.parse import parse_qsl

from .._api.jobs import PUSHES, JobCalls
from .._api.jobs import RECORDS as CALLS
from .._core.errors import BadInput
from .._core.secret_store import mask_url
from .._core.texts import named
from .._schema import validators as checks
from .._schema.fields import Field, Int, String, StringSet, Url
from .._schema.objects import Object

# Jobs: what an application runs under an ID until it is stopped; a push task or a recording.

COMMON_FIELDS: tuple[Field, ...] = (
    String("vhost", required=True, check=checks.addressable),
    String("app", required=True, check=checks.addressable),
    String("id", required=True, check=checks.addressable),
    Object(
        "stream",
        short="name",
        fields=[
            String("name", check=checks.one_line),
            StringSet("variant_names", "variantNames", check=checks.one_line),
        ],
    ),
)
"""The fields that every kind of job has."""

NO_APPLICATION = ("vhost_not_found", "application_not_found")
"""The errors that say that there is no application."""

WAITING_STATES = ("ready", "stopped", "waiting")
"""The states of a job that waits for its stream; the server has no `waiting`."""
NO_STREAM = "The server has no live stream of this name: check $stream.name, and that its source sends."
NO_OUTPUT = (
    "Its stream is live: check that output_profiles of the application make an output of it, and its destination."
)

# The server writes a time that has not come yet as the epoch, in its host's time zone.
_NOT_YET = ("1970-01-01T", "1969-12-31T")


class Key(t.NamedTuple):
    """The identity of a job: IDs are scoped to one application (server-facts: Push tasks)."""

    vhost: str
    app: str
    id: str

    def __str__(self) -> str:
        return f"{self.vhost}/{self.app}/{self.id}"


def key_of(job: t.Mapping[str, t.Any]) -> Key:
    """Return the key of a job (option form)."""
    return Key(job["vhost"], job["app"], job["id"])


def id_of(raw: t.Mapping[str, t.Any]) -> str:
    """Return the ID of a job (wire form); empty if the server sent none."""
    return str(raw.get("id", ""))


def is_of_configuration(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether the job comes from the server's own configuration (server-facts: Push tasks)."""
    return str(raw.get("isConfig", False)).lower() == "true"


class JobKind:
    """One kind of job: its declaration, calls, rules, and words for messages."""

    declaration: Object
    calls: JobCalls
    noun: str  # the short word for one of them
    verb: str  # what it does if media flows
    running_state: str  # the state in which media flows
    running_spellings: tuple[str, ...]  # all spellings of that state, in lower case
    ending_states: tuple[str, ...]  # the states of one that is being stopped, or that ends for a moment
    configured: str  # the error kind of one that comes from the server's configuration
    publishers: tuple[str, ...]  # the JSON names of publishers of which the application needs one
    lists_without_publisher: bool  # whether the list of jobs is empty without one; otherwise it fails
    not_running: t.Mapping[str, str] = {}  # why no media flows, by state, except `error` and those that wait
    error_cause: str  # why one is in the state `error`
    error_retries: str  # whether the server tries again by itself
    error_remedy: str
    map_publisher: str  # the publisher that can name a stream map
    map_file: str  # the name of the map that this collection writes
    identity: tuple[str, ...]  # what, besides the stream, identifies one that a stream map has started
    destination: str  # the first of these, which says where its media goes
    status_fields: t.Mapping[str, str]  # option name to JSON name; times are ISO 8601
    empty: t.Mapping[str, t.Any] = {}  # options for fields that the server omits if they are empty

    @property
    def what(self) -> str:
        """The kind of job in messages."""
        return self.calls.what

    @property
    def title(self) -> str:
        """The kind of job at the beginning of a message."""
        return self.what.capitalize()

    @property
    def in_error(self) -> str:
        """What the state `error` means, after the words "is" or "are" (server-facts: Push tasks, Recordings)."""
        return f"in state error: {self.error_cause}. {self.error_retries}"

    def why_not_running(self, state: str) -> str:
        """Return why no media flows in a state that is not one of those that wait, as sentences."""
        if state == "error":
            return f"{self.error_cause[0].upper()}{self.error_cause[1:]}. {self.error_retries} {self.error_remedy}"
        return self.not_running.get(state, "No media flows.")

    @property
    def nothing_runs(self) -> tuple[str, ...]:
        """The errors of a list that say that nothing exists that could run such jobs."""
        return (*NO_APPLICATION, *(() if self.lists_without_publisher else (self.calls.publisher_missing,)))

    def validate(self, job: t.Mapping[str, t.Any], path: str, *, started: bool) -> None:
        """Raise BadInput for an invalid job (specified form).

        ``path`` is the full path of its option. ``started`` requires everything that is necessary to start it.
        """
        self.declaration.validate(job, path)
        if started and not job.get("stream", {}).get("name"):
            raise BadInput(
                f"{path}.stream.name" if path else "stream.name",
                f"expected the name of the stream to {self.verb}; it is required if state is started",
            )

    def warnings_for(self, job: t.Mapping[str, t.Any]) -> list[str]:
        """Return warnings for settings that the server accepts although they cannot work."""
        return []

    def own_file(self, job: t.Mapping[str, t.Any]) -> str | None:
        """Return the file that a job (specified form) of an application writes, if no other may write it."""
        return None

    def unaddressable(self, key: Key) -> str:
        """Return the warning about a job on a server that no request may name (server-facts: Virtual hosts)."""
        return (
            f"A {self.what} of {key.vhost}/{key.app} is left unchanged, because a request with its id {key.id!r} "
            "can crash the server."
        )

    def from_wire(self, raw: t.Mapping[str, t.Any], vhost: str, app: str) -> dict[str, t.Any]:
        """Return a job of wire form in option form.

        Empty fields are included, so that the result is complete input for the module.
        """
        job = self.declaration.from_wire(raw)
        job.update(vhost=vhost, app=app)
        job.setdefault("stream", {}).setdefault("variant_names", [])
        for option, value in self.empty.items():
            job.setdefault(option, value)
        return job

    def start_request(self, job: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the body of a start: the path has virtual host and application."""
        inside = {option: value for option, value in job.items() if option not in ("vhost", "app")}
        return dict(self.declaration.to_wire(inside))

    def merge(self, desired: t.Mapping[str, t.Any], current: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the current job with the desired one applied, as the server stores it."""
        return self.declaration.as_stored(self.declaration.merge(desired, current))

    def state_of(self, raw: t.Mapping[str, t.Any]) -> str:
        """Return the state in lower case, with one name for all spellings of the state in which media flows."""
        state = str(raw.get("state", "unknown")).lower()
        return self.running_state if state in self.running_spellings else state

    def is_ending(self, raw: t.Mapping[str, t.Any]) -> bool:
        """Return whether the job ends; its state does not say whether it disappears or waits for its stream again."""
        return self.state_of(raw) in self.ending_states

    def status_of(self, raw: t.Mapping[str, t.Any], vhost: str, app: str) -> dict[str, t.Any]:
        """Return the status of a job (wire form), without its settings; None for a time that has not come yet."""
        stream = raw.get("stream")
        track_ids = stream.get("trackIds") if isinstance(stream, dict) else None
        return {
            "vhost": vhost,
            "app": app,
            "id": id_of(raw),
            "state": self.state_of(raw),
            "is_config": is_of_configuration(raw),
            "track_ids": track_ids if isinstance(track_ids, list) else [],
            **{
                option: None if str(raw[wire]).startswith(_NOT_YET) else raw[wire]
                for option, wire in self.status_fields.items()
                if wire in raw
            },
        }


# The push task: fields, rules by protocol, states (server-facts: Push tasks; api-contract: Push task).

PROTOCOLS = ("srt", "rtmp", "mpegts")
# Publishers for push tasks; `push` since server version 0.16.6 (server-facts: Applications).
PUSH_PUBLISHERS = ("push", "rtmpPush", "srtPush", "mPEGTSPush", "mpegtsPush")


def normalize_protocol(value: str) -> str:
    """Return the protocol as the server stores it: trimmed, in lower case (server-facts: Push tasks)."""
    return value.strip().lower()


def normalize_url(value: str) -> str:
    """Return the URL as the server stores it: trimmed, without trailing slashes (server-facts: Push tasks)."""
    return value.strip().rstrip("/")


def _protocol(value: str) -> str | None:
    return None if normalize_protocol(value) in PROTOCOLS else f"expected one of {', '.join(PROTOCOLS)}"


PUSH_TASK = Object(
    "push_task",
    fields=[
        *COMMON_FIELDS,
        String("protocol", normalizer=normalize_protocol, check=_protocol),
        Url("url", destination=True, normalizer=normalize_url, check=checks.one_line),
        String("stream_key", "streamKey", secret=True, normalizer=str.strip, check=checks.one_line_or_empty),
    ],
)


class PushTaskKind(JobKind):
    """Push tasks."""

    declaration = PUSH_TASK
    calls = PUSHES
    noun = "task"
    verb = "push"
    running_state = "pushing"
    # All spellings, of all versions and the documentation (server-facts: Push tasks).
    running_spellings = ("pushing", "started")
    # Of a task that is being stopped or whose stream ends. Within about a second the task disappears in the first case,
    # and is `ready` in the second [read].
    ending_states = ("stopping", "stopped")
    configured = "configured_task"
    publishers = PUSH_PUBLISHERS
    lists_without_publisher = True
    not_running: t.Mapping[str, str] = {
        "connecting": "Its destination does not answer: check url, and that the server can reach it.",
    }
    error_cause = "the destination refuses the push"
    error_retries = "The server retries about every second."
    error_remedy = "Check url and stream_key."
    map_publisher = "push"
    map_file = "push_map.xml"
    identity = ("protocol", "url", "stream_key")
    destination = "url"
    empty: t.Mapping[str, t.Any] = {"stream_key": ""}
    status_fields: t.Mapping[str, str] = {
        "sent_bytes": "sentBytes",
        "sent_time": "sentTime",
        "sequence": "sequence",
        "total_sent_bytes": "totalsentBytes",
        "total_sent_time": "totalsentTime",
        "created_time": "createdTime",
        "start_time": "startTime",
        "finish_time": "finishTime",
    }

    def validate(self, job: t.Mapping[str, t.Any], path: str, *, started: bool) -> None:
        super().validate(job, path, started=started)
        prefix = f"{path}." if path else ""
        if started:
            for option in ("protocol", "url"):
                if option not in job:
                    raise BadInput(f"{prefix}{option}", "is required if state is started")
        if "protocol" in job and "url" in job:
            _validate_destination(job, prefix)

    def warnings_for(self, job: t.Mapping[str, t.Any]) -> list[str]:
        if normalize_protocol(job.get("protocol", "")) == "srt" and job.get("stream_key", "").strip():
            return [
                f"Push task {key_of(job)}: the server appends stream_key to the SRT URL, which breaks most "
                "destinations; put it into streamid of the URL."
            ]
        return []

    def start_request(self, job: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the body of startPush; an empty stream key is omitted."""
        body = super().start_request(job)
        if not body.get("streamKey"):
            body.pop("streamKey", None)
        return body

    def merge(self, desired: t.Mapping[str, t.Any], current: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the current task with the desired one applied.

        An omitted stream key keeps its current value only for the same destination.
        """
        merged = super().merge(desired, current)
        if "stream_key" not in desired and not same_destination(merged, current):
            merged["stream_key"] = ""
        return merged


PUSH_TASKS = PushTaskKind()


def same_destination(one: t.Mapping[str, t.Any], other: t.Mapping[str, t.Any]) -> bool:
    """Return whether two tasks push to the same destination."""
    return all(PUSH_TASK.fields[option].equal(one.get(option), other.get(option)) for option in ("protocol", "url"))


def _validate_destination(task: t.Mapping[str, t.Any], prefix: str) -> None:
    protocol, url = normalize_protocol(task["protocol"]), normalize_url(task["url"])
    expected = {"srt": _srt_url, "rtmp": _rtmp_url, "mpegts": _mpegts_url}[protocol](url)
    if expected:
        raise BadInput(f"{prefix}url", f"{expected}, got {mask_url(task['url'], destination=True)!r}")
    if protocol == "rtmp" and "stream_key" not in task:
        raise BadInput(
            f"{prefix}stream_key",
            "is required if protocol is rtmp; set it to an empty string if the destination needs none",
        )
    if protocol == "mpegts" and task.get("stream_key", "").strip():
        raise BadInput(
            f"{prefix}stream_key", "expected none if protocol is mpegts; the server would append it to the URL"
        )


def _srt_url(url: str) -> str | None:
    parts = checks.network_url(url, ["srt"])
    if not parts:
        return "expected 'srt://host:port' with options in the query string if protocol is srt"
    modes = [value for name, value in parse_qsl(parts.query, keep_blank_values=True) if name == "mode"]
    if any(mode not in ("", "caller") for mode in modes):
        return "expected mode=caller or no mode, because the server pushes as an SRT caller only"
    return None


def _rtmp_url(url: str) -> str | None:
    parts = checks.network_url(url, ["rtmp", "rtmps"])
    if parts and parts.path.strip("/"):
        return None
    return "expected 'rtmp://host:port/app' (or rtmps) if protocol is rtmp"


def _mpegts_url(url: str) -> str | None:
    parts = checks.network_url(url, ["udp", "tcp"])
    if not parts:
        return "expected 'udp://host:port' if protocol is mpegts"
    # The server rejects every TCP URL with this suffix [read].
    return (
        "expected a destination to connect to; the server does not listen"
        if parts.scheme == "tcp" and url.endswith("listen")
        else None
    )


# The recording: fields, rules of paths and schedules, states (server-facts: Recordings).

RULES = ("discontinuity", "continuity")
# The server writes MPEG-TS into files with any other ending [read].
_ENDINGS = (".ts", ".mp4", ".webm")
_NAMES = ("VirtualHost", "Application", "SourceStream", "Stream", "Sequence", "Id", "TransactionId")
_TIME = r"(?:Start|End)Time:[A-Za-z0-9:]+"
# What the server replaces in a path; it leaves anything else as it is [read].
_MACRO = re.compile(rf"\$\{{(?:{'|'.join(_NAMES)}|{_TIME})\}}")
# Second, minute and hour, each `*`, a number without a leading zero, or `*/` and such a number [read].
_SIXTY, _HOURS = "[1-5]?[0-9]", "1?[0-9]|2[0-3]"
_SCHEDULE = re.compile(" ".join(rf"(?:\*|(?:\*/)?(?:{numbers}))" for numbers in (_SIXTY, _SIXTY, _HOURS)))


def _path(value: str) -> str | None:
    """Check a path on the media server, with macros; empty for the path of the server's configuration."""
    if not value:
        return None
    if not value.startswith(("/", "${")) or checks.one_line(value):
        return "expected an absolute path on the media server; it can contain macros such as ${Stream}"
    if "${" in _MACRO.sub("", value):
        macros = ", ".join(f"${{{name}}}" for name in _NAMES)
        return (
            f"expected no macros but {macros}, and ${{StartTime:YYYYMMDDhhmmss}} and ${{EndTime:YYYYMMDDhhmmss}} with "
            "letters and digits only"
        )
    return None


def _file_path(value: str) -> str | None:
    if value and not value.endswith(_ENDINGS):
        return f"expected a path that ends with {', '.join(_ENDINGS)}, because the ending selects the format"
    return _path(value)


def _schedule(value: str) -> str | None:
    if not value or _SCHEDULE.fullmatch(value):
        return None
    return "expected 'SECOND MINUTE HOUR' such as '0 */10 *': '*', a number, or '*/' and a number for each"


RECORD = Object(
    "record",
    fields=[
        *COMMON_FIELDS,
        String("file_path", "filePath", check=_file_path),
        String("info_path", "infoPath", check=_path),
        Int("interval", default=0, check=checks.count),
        String("schedule", check=_schedule),
        String("segmentation_rule", "segmentationRule", default=RULES[0], choices=RULES),
        String("metadata", secret=True, check=checks.one_line_or_empty),
    ],
)


class RecordKind(JobKind):
    """Recordings."""

    declaration = RECORD
    calls = CALLS
    noun = "recording"
    verb = "record"
    running_state = "recording"
    running_spellings = ("recording",)
    # `stopped` is the state of a recording that waits for its stream to return.
    ending_states = ("stopping",)
    configured = "configured_record"
    publishers = ("file",)
    lists_without_publisher = False
    error_cause = "the server cannot write the files"
    error_retries = "The server does not try again before the stream starts again."
    error_remedy = "Check file_path, and that the server may write there, then stop and start the recording."
    map_publisher = "file"
    map_file = "record_map.xml"
    identity = ("file_path",)
    destination = "file_path"
    empty: t.Mapping[str, t.Any] = {
        "file_path": "",
        "info_path": "",
        "interval": 0,
        "schedule": "",
        "segmentation_rule": RULES[0],
        "metadata": "",
    }
    status_fields: t.Mapping[str, str] = {
        "output_file_path": "outputFilePath",
        "output_info_path": "outputInfoPath",
        "record_bytes": "recordBytes",
        "record_time": "recordTime",
        "total_record_bytes": "totalRecordBytes",
        "total_record_time": "totalRecordTime",
        "sequence": "sequence",
        "created_time": "createdTime",
        "start_time": "startTime",
        "finish_time": "finishTime",
    }

    def validate(self, job: t.Mapping[str, t.Any], path: str, *, started: bool) -> None:
        super().validate(job, path, started=started)
        if job.get("interval") and job.get("schedule"):
            raise BadInput(
                f"{path}.schedule" if path else "schedule", f"cannot be used together with {named('interval')}"
            )

    def warnings_for(self, job: t.Mapping[str, t.Any]) -> list[str]:
        macros = " ".join(_MACRO.findall(job.get("file_path", "")))
        unique = "Time:" in macros or ("TransactionId" in macros and "Sequence" in macros)
        if unique or not job.get("file_path"):
            return []
        return [
            f"Recording {key_of(job)}: each file replaces the one before, because file_path has neither a time such as "
            "${StartTime:YYYYMMDDhhmmss} nor ${TransactionId} with ${Sequence}."
        ]

    def own_file(self, job: t.Mapping[str, t.Any]) -> str | None:
        """Return the file of a recording with its macros replaced as far as they are known; None if each is new.

        A time is the same for all recordings that begin with one stream.
        """
        path = job.get("file_path") or ""
        if not path or "${TransactionId}" in path:
            return None
        stream = job.get("stream", {}).get("name", "")
        known = {"Id": job["id"], "Stream": stream, "SourceStream": stream}
        for name, value in known.items():
            path = path.replace(f"${{{name}}}", value)
        return f"{path} of {stream}" if "Time:" in path else path

    def start_request(self, job: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the body of startRecord; empty fields are omitted."""
        return {key: value for key, value in super().start_request(job).items() if value not in ("", 0)}

    def merge(self, desired: t.Mapping[str, t.Any], current: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the current recording with the desired one applied; an interval replaces a schedule and vice versa."""
        merged = super().merge(desired, current)
        if desired.get("schedule"):
            merged["interval"] = 0
        elif desired.get("interval"):
            merged["schedule"] = ""
        return merged


RECORDS = RecordKind()
