# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs, what an application runs under an ID until it is stopped: push tasks and recordings."""

from __future__ import annotations

import dataclasses
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
from .kind import Key, Kind, Raw, Specified, Value, key_of

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


def id_of(raw: t.Mapping[str, t.Any]) -> str:
    """Return the ID of a job (wire form); empty if the server sent none."""
    return str(raw.get("id", ""))


def stream_of(raw: Raw) -> str:
    """Return the name of the stream of a job (wire form); empty if the server reports none."""
    stream = raw.get("stream")
    name = stream.get("name") if isinstance(stream, dict) else None
    return name if isinstance(name, str) else ""


def is_of_configuration(raw: t.Mapping[str, t.Any]) -> bool:
    """Return whether the job comes from the server's own configuration (server-facts: Push tasks)."""
    return str(raw.get("isConfig", False)).lower() == "true"


@dataclasses.dataclass(frozen=True, eq=False)
class JobKind(Kind):
    """A kind of job: what an application runs under an ID until it is stopped."""

    calls: JobCalls = PUSHES
    noun: str = ""
    """The short word for one of them."""
    verb: str = ""
    """What it does if media flows."""

    # States

    running_state: str = ""
    """The state in which media flows."""
    running_spellings: tuple[str, ...] = ()
    """All spellings of that state, in lower case."""
    ending_states: tuple[str, ...] = ()
    """The states of one that is being stopped, or that ends for a moment."""
    not_running: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Why no media flows, by state, except `error` and those that wait."""
    error_cause: str = ""
    """Why one is in the state `error`."""
    error_retries: str = ""
    """Whether the server tries again by itself."""
    error_remedy: str = ""
    counter: str = ""
    """The JSON name of the bytes of the current connection or file."""
    status_fields: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    """The JSON names of the status by option; times are ISO 8601."""

    # What runs them

    publishers: tuple[str, ...] = ()
    """The application needs one of them."""
    lists_without_publisher: bool = True
    """Whether the list of jobs succeeds without such a publisher."""
    configured: str = ""
    """The error kind of one that comes from the server's configuration."""
    map_publisher: str = ""
    """The publisher that can name a stream map."""
    map_file: str = ""
    """The name of the map that this collection writes."""
    identity: tuple[str, ...] = ()
    """What, besides the stream, identifies one that a stream map has started."""

    # Rules

    concerns: t.Callable[[Specified], list[str]] = lambda _job: []
    """Return warnings for settings that the server accepts although they cannot work."""
    own_file: t.Callable[[Specified], str | None] = lambda _job: None
    """Return the file that a job (specified form) of an application writes, if no other may write it."""
    empty: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)
    """Options for fields that the server omits if they are empty."""
    omitted: tuple[t.Any, ...] = ()
    """Values that the body of a start leaves out."""
    merged: t.Callable[[Value, Specified, Specified], Value] = lambda merged, _desired, _current: merged
    """Change a current job with the desired one applied; also takes both."""

    # Audits

    audited_everywhere: bool = False
    """Whether an audit reads all applications, and not only those of the list."""
    waiting: str = ""
    """The kind of finding about one that waits although its stream is live."""
    has_done: str = ""

    @property
    def destination(self) -> str:
        """The option that says where the media of one goes."""
        return self.identity[0]

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

    def validate(self, value: Specified, path: str, *, complete: bool) -> None:
        """Raise BadInput for an invalid job (specified form), as for any object.

        ``complete`` requires everything that is necessary to start it.
        """
        self.declaration.validate(value, path)
        if complete and not value.get("stream", {}).get("name"):
            raise BadInput(
                f"{path}.stream.name" if path else "stream.name",
                f"expected the name of the stream to {self.verb}; it is required if state is started",
            )
        if self.check is not None:
            self.check(value, path, complete)

    def from_wire(self, raw: Raw, key: Key) -> Value:
        """Return a job of wire form in option form; only the scope of ``key`` counts.

        Empty fields are included, so that the result is complete input for the module.
        """
        job: Value = self.declaration.from_wire(raw)
        job.update(vhost=key.vhost, app=key.app)
        job.setdefault("stream", {}).setdefault("variant_names", [])
        for option, value in self.empty.items():
            job.setdefault(option, value)
        return job

    def start_request(self, job: Specified) -> Value:
        """Return the body of a start: the path has virtual host and application."""
        inside = {option: value for option, value in job.items() if option not in ("vhost", "app")}
        body = self.declaration.to_wire(inside)
        return {key: value for key, value in body.items() if value not in self.omitted}

    def merge(self, desired: Specified, current: Specified) -> Value:
        """Return the current job with the desired one applied, as the server stores it."""
        stored = self.declaration.as_stored(self.declaration.merge(desired, current))
        return self.merged(stored, desired, current)

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


def _check_push_task(job: Specified, path: str, started: bool) -> None:
    prefix = f"{path}." if path else ""
    if started:
        for option in ("protocol", "url"):
            if option not in job:
                raise BadInput(f"{prefix}{option}", "is required if state is started")
    if "protocol" in job and "url" in job:
        _validate_destination(job, prefix)


def _concerns_of_push_task(job: Specified) -> list[str]:
    if normalize_protocol(job.get("protocol", "")) == "srt" and job.get("stream_key", "").strip():
        return [
            f"Push task {key_of(job)}: the server appends stream_key to the SRT URL, which breaks most "
            "destinations; put it into streamid of the URL."
        ]
    return []


def _merged_push_task(merged: Value, desired: Specified, current: Specified) -> Value:
    """Return the task; an omitted stream key keeps its current value only for the same destination."""
    if "stream_key" not in desired and not same_destination(merged, current):
        merged["stream_key"] = ""
    return merged


def _describe_push_task(raw: Raw) -> dict[str, t.Any]:
    url = raw.get("url")
    return {
        "protocol": str(raw.get("protocol", "")),
        "url": PUSH_TASK.fields["url"].mask(url) if isinstance(url, str) else "",
    }


PUSH_TASKS = JobKind(
    what="push task",
    declaration=PUSH_TASK,
    option="push_tasks",
    place="push_task",
    calls=PUSHES,
    noun="task",
    verb="push",
    running_state="pushing",
    # All spellings, of all versions and the documentation (server-facts: Push tasks).
    running_spellings=("pushing", "started"),
    # Of a task that is being stopped or whose stream ends. Within about a second the task disappears in the first case,
    # and is `ready` in the second [read].
    ending_states=("stopping", "stopped"),
    not_running={
        "connecting": "Its destination does not answer: check url, and that the server can reach it.",
    },
    error_cause="the destination refuses the push",
    error_retries="The server retries about every second.",
    error_remedy="Check url and stream_key.",
    counter="sentBytes",
    status_fields={
        "sent_bytes": "sentBytes",
        "sent_time": "sentTime",
        "sequence": "sequence",
        "total_sent_bytes": "totalsentBytes",
        "total_sent_time": "totalsentTime",
        "created_time": "createdTime",
        "start_time": "startTime",
        "finish_time": "finishTime",
    },
    publishers=PUSH_PUBLISHERS,
    configured="configured_task",
    map_publisher="push",
    map_file="push_map.xml",
    identity=("protocol", "url", "stream_key"),
    check=_check_push_task,
    concerns=_concerns_of_push_task,
    empty={"stream_key": ""},
    omitted=("",),
    merged=_merged_push_task,
    described=_describe_push_task,
    audited_everywhere=True,
    waiting="push_waiting",
    has_done="sent",
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


def _check_record(job: Specified, path: str, _started: bool) -> None:
    if job.get("interval") and job.get("schedule"):
        raise BadInput(f"{path}.schedule" if path else "schedule", f"cannot be used together with {named('interval')}")


def _concerns_of_record(job: Specified) -> list[str]:
    macros = " ".join(_MACRO.findall(job.get("file_path", "")))
    unique = "Time:" in macros or ("TransactionId" in macros and "Sequence" in macros)
    if unique or not job.get("file_path"):
        return []
    return [
        f"Recording {key_of(job)}: each file replaces the one before, because file_path has neither a time such as "
        "${StartTime:YYYYMMDDhhmmss} nor ${TransactionId} with ${Sequence}."
    ]


def _own_file(job: Specified) -> str | None:
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


def _merged_record(merged: Value, desired: Specified, _current: Specified) -> Value:
    """Return the recording; an interval replaces a schedule and vice versa."""
    if desired.get("schedule"):
        merged["interval"] = 0
    elif desired.get("interval"):
        merged["schedule"] = ""
    return merged


RECORDS = JobKind(
    what="recording",
    declaration=RECORD,
    option="records",
    place="record",
    calls=CALLS,
    noun="recording",
    verb="record",
    running_state="recording",
    running_spellings=("recording",),
    # `stopped` is the state of a recording that waits for its stream to return.
    ending_states=("stopping",),
    error_cause="the server cannot write the files",
    error_retries="The server does not try again before the stream starts again.",
    error_remedy="Check file_path, and that the server may write there, then stop and start the recording.",
    counter="recordBytes",
    status_fields={
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
    },
    publishers=("file",),
    lists_without_publisher=False,
    configured="configured_record",
    map_publisher="file",
    map_file="record_map.xml",
    identity=("file_path",),
    check=_check_record,
    concerns=_concerns_of_record,
    own_file=_own_file,
    empty={
        "file_path": "",
        "info_path": "",
        "interval": 0,
        "schedule": "",
        "segmentation_rule": RULES[0],
        "metadata": "",
    },
    omitted=("", 0),
    merged=_merged_record,
    described=lambda raw: {"stream": stream_of(raw), "file_path": str(raw.get("filePath", ""))},
    waiting="record_stalled",
    has_done="written",
)
