# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The recording: fields, rules of paths and schedules, states (server-facts: Recordings)."""

from __future__ import annotations

import re
import typing as t

from .._api.jobs import RECORDS as CALLS
from .._core.errors import BadInput
from .._core.option_names import named
from .._schema import validators as checks
from .._schema.objects import Object
from .._schema.scalars import Int, String
from .job import COMMON_FIELDS, JobKind, key_of

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
    not_running: t.Mapping[str, str] = {
        "error": "The server cannot write its files: check file_path, and that the server may write there.",
    }
    retries_errors = (
        "the server does not try again before its stream starts again. Check that the server can write its files, then "
        "stop and start it"
    )
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
