# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `recorded_file_info`: the recordings in a directory of the media server."""

from __future__ import annotations

import contextlib
import datetime
import os
import typing as t

from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.texts import encodable, listed
from .._host.recording_files import RecordedFile, Recordings, Where, find_recordings
from .base import NAMES, TEXT, Operation, Params, Result


def files_options() -> dict[str, t.Any]:
    """Return the argument spec of the options of both modules for recorded files."""
    return {
        "directory": {"type": "path", "required": True},
        "server_directory": TEXT,
        "info_path": NAMES,
        "quiet_seconds": {"type": "float", "default": 300.0},
    }


class RecordedFileInfo(Operation):
    """The operation of the module `recorded_file_info`."""

    has_connection = False

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return files_options()

    def check(self) -> None:
        check_files_options(self.params)

    def run(self, api: t.Any, context: Context) -> Result:
        where = place_of(self.params)
        found = found_in(where, self.params, context)
        return {
            "changed": False,
            "directory": encodable(where.directory),
            "files": [described(file, where) for file in found.files],
            "index_files": described_indexes(found, where),
        }


def check_files_options(params: Params) -> None:
    """Raise BadInput if an option of :func:`files_options` cannot work."""
    for option in ("directory", "server_directory"):
        path = params[option]
        if path is not None and (not path.startswith("/") or "\0" in path or ".." in path.split("/")):
            raise BadInput(option, f"expected an absolute path without '..', got {path!r}")
    if not 0 <= params["quiet_seconds"] < float("inf"):
        raise BadInput("quiet_seconds", f"expected a number of seconds, got {params['quiet_seconds']:g}")
    where = place_of(params)
    for index, path in enumerate(params["info_path"] or ()):
        if "\0" in path or where.relative(path) is None:
            raise BadInput(f"info_path[{index}]", f"expected the path of an index file in directory, got {path!r}")


def place_of(params: Params) -> Where:
    """Return where the recordings are."""
    return Where.of(params["directory"], params["server_directory"], params["info_path"])


def found_in(where: Where, params: Params, context: Context) -> Recordings:
    """Return the recordings in a directory, and warn about what was left out. Raise OmeError if it cannot be read."""
    with reported(f"read {where.directory}"):
        found = find_recordings(where, context.now(), params["quiet_seconds"])
    unread = [f"{one.relative} ({one.problem})" for one in found.indexes if one.problem]
    if unread:
        context.warn(
            f"Index files in {where.directory} cannot be read, so that files that only they name are unlisted: "
            f"{encodable(listed(unread))}. The server may have been writing them; otherwise correct or move them."
        )
    if found.problems:
        context.warn(f"Files in {where.directory} were left out: {encodable(listed(found.problems))}")
    return found


@contextlib.contextmanager
def reported(attempt: str) -> t.Iterator[None]:
    """Let an OSError end the task with an error; ``attempt`` completes the sentence "Could not …"."""
    try:
        yield
    except OSError as error:
        detail = f"{error.strerror or error}."
        remedy = "Check the path, and that the user of the task may read and change the files there."
        raise OmeError("host", encodable(attempt), detail=detail, remedy=remedy) from None


def described(file: RecordedFile, where: Where) -> dict[str, t.Any]:
    """Return a recorded file for the result, without its metadata, which can hold secrets."""
    entry = file.entry
    known: dict[str, t.Any] = {}
    if entry is not None:
        known = {
            "index_file": os.path.join(where.directory, file.index_path),
            "file_path": entry.file_path,
            "vhost": entry.vhost,
            "app": entry.app,
            "stream": entry.stream,
            "id": entry.id,
            "transaction_id": entry.transaction_id,
            "sequence": entry.sequence,
            "last": entry.is_last,
            "duration": entry.duration,
            "begin": entry.begin or None,
            "end": entry.end or None,
        }
    result: dict[str, t.Any] = encodable({**described_file(file, where), "state": file.state, **known})
    return result


def described_file(file: RecordedFile, where: Where) -> dict[str, t.Any]:
    """Return the file itself for the result."""
    return {
        "name": encodable(os.path.basename(file.relative)),
        "path": encodable(os.path.join(where.directory, file.relative)),
        "size": file.status.st_size,
        "modified": time_text(file.status.st_mtime),
    }


def time_text(seconds: float) -> str | None:
    """Return a time in UTC; None if it is beyond all years that a text can have."""
    try:
        moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def described_indexes(found: Recordings, where: Where) -> list[dict[str, t.Any]]:
    """Return the index files for the result."""
    return [
        encodable(
            {
                "path": os.path.join(where.directory, one.relative),
                "entries": one.entries,
                "missing": one.missing,
                "outside": one.outside,
                "problem": one.problem or None,
            }
        )
        for one in found.indexes
    ]
