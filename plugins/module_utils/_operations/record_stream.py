# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `record_stream`: record one stream into files with a title, or stop that."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError, Refusal
from .._core.option_names import renaming
from .._schema.validators import addressable
from .base import TEXT, Params, Result
from .one_stream import STOPPED, OneStream
from .record_info import RecordInfo
from .record_names import safe_part
from .records import Record

_FORMATS = ["mp4", "ts", "webm"]
_TIME = "${StartTime:YYYYMMDDhhmmss}"
_MOST_MINUTES = (2**31 - 1) // 60_000
"""The server has the interval as milliseconds in 32 bits."""
_OPTIONS = {"stream.name": "stream", "file_path": "directory"}
"""The options from which those of the recording are made."""
_RECORDING = "recording"
_STATUS = "status"


class RecordStream(OneStream):
    """The operation of the module `record_stream`."""

    manager = Record
    reader = RecordInfo
    masked_results = ("diff", "record")

    @classmethod
    def own_options(cls) -> dict[str, t.Any]:
        return {
            "id": TEXT,
            "title": {"type": "str", "default": ""},
            "format": {"type": "str", "choices": _FORMATS, "default": _FORMATS[0]},
            "directory": {"type": "str", "default": "/${VirtualHost}/${Application}"},
            "interval_minutes": {"type": "int", "default": 0},
            "schedule": {"type": "str", "default": ""},
        }

    def check(self) -> None:
        super().check()
        self._check_own()
        try:
            with renaming({"interval": "interval_minutes"}):
                self.managing(self._recording()).check()
        except BadInput as error:
            raise self._named(error) from None

    def _check_own(self) -> None:
        if self.params["state"] == STOPPED:
            return
        if not 0 <= self.params["interval_minutes"] <= _MOST_MINUTES:
            expected = f"expected a whole number from 0 to {_MOST_MINUTES}, got {self.params['interval_minutes']}"
            raise BadInput("interval_minutes", expected)
        if not self.params["directory"]:
            raise BadInput("directory", "expected an absolute path on the media server, got an empty text")
        title = self.params["title"]
        if title.strip() and not safe_part(title):
            expected = f"expected a letter from a to z or a digit for the name of the file, got {title!r}"
            raise BadInput("title", expected)

    def _named(self, error: BadInput) -> BadInput:
        """Return an error about an option of the recording as one about the option from which it is made."""
        stream = self.params["stream"]
        if error.option == "id" and not self.params["id"]:
            return BadInput("stream", f"{addressable(stream)}, got {stream!r}; or specify id")
        return BadInput(_OPTIONS.get(error.option, error.option), error.expected)

    def _recording(self) -> dict[str, t.Any]:
        """Return the recording, as the module `record` takes it."""
        stream = self.params["stream"]
        found = {"vhost": self.params["vhost"], "app": self.params["app"], "id": _id_of(self.params)}
        if self.params["state"] == STOPPED:
            return found
        parts = (safe_part(stream), safe_part(self.params["title"]), _TIME)
        name = f"{'_'.join(filter(None, parts))}.{self.params['format']}"
        return {
            **found,
            "stream": {"name": stream},
            "file_path": f"{self.params['directory'].rstrip('/')}/{name}",
            "interval": self.params["interval_minutes"] * 60_000,
            "schedule": self.params["schedule"],
        }

    def run(self, api: Api, context: Context) -> Result:
        recording = self._recording()
        # One that has been stopped is no longer listed, so that its bytes and time are read before.
        before = self.current(api, context, recording["id"])
        self._refuse_foreign(before[RecordInfo.result_key], recording["id"])
        result = self.managing(recording).run(api, context)
        result[_STATUS] = before[_STATUS] if self.params["state"] == STOPPED else ()
        if self.params["state"] != STOPPED and not context.check_mode and not result.get("failed"):
            # If the name of its file cannot be read, the summary has the path with macros.
            try:
                result[_STATUS] = self.current(api, context, recording["id"])[_STATUS]
            except OmeError as error:
                context.warn(str(error))
        result = self.summed_up(self.params, result, check_mode=context.check_mode)
        del result[_STATUS]
        return result

    def _refuse_foreign(self, records: t.Iterable[Params], record_id: str) -> None:
        """Raise Refusal if another stream has the recording."""
        stream = self.params["stream"]
        others = [one["stream"]["name"] for one in records if one["stream"]["name"] != stream]
        if others:
            raise Refusal(
                f"record the stream {stream}",
                f"The recording {record_id} belongs to the stream {others[0]}, not to {stream}. "
                "Specify that stream, or another id.",
            )

    @classmethod
    def summary(cls, params: Params, result: Params, ended: str = "") -> Result:
        read: Params = next(iter(result.get(_STATUS, ())), {})
        action = result.get("action", "")
        specified = (result.get("record") or {}).get("file_path") if action != STOPPED else ""
        found = {
            "id": _id_of(params),
            "action": action,
            "state": result.get("state", ""),
            "file_path": read.get("output_file_path") or specified or "",
            "files": (read.get("sequence") or 0) + (read.get("state") == _RECORDING),
            "bytes": read.get("total_record_bytes") or 0,
            "seconds": (read.get("total_record_time") or 0) / 1000,
        }
        return {**found, "line": _text(found) if action else ended}


def _id_of(params: Params) -> str:
    return str(params.get("id") or f"{params['stream']}-recording")


def _text(summary: Params) -> str:
    """Return what was done, as text."""
    action, path = summary["action"], summary["file_path"]
    if action == STOPPED:
        return f"{summary['id']} {action}, {_recorded(summary)}"
    state = f" ({summary['state']})" if summary["state"] else ""
    return f"{summary['id']} {action}{state}" + (f", file {path}" if path else "")


def _recorded(summary: Params) -> str:
    """Return what a recording has written, as text."""
    if not summary["bytes"]:
        return "nothing was recorded"
    count = summary["files"]
    where = f"file {summary['file_path']}" if count < 2 else f"{count} files, the last one {summary['file_path']}"
    minutes, seconds = divmod(int(summary["seconds"]), 60)
    return f"{where}, {summary['bytes']} bytes, {minutes // 60}:{minutes % 60:02}:{seconds:02}"
