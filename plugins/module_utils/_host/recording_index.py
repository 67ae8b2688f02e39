# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Index files of recordings: the XML files to which the server appends an entry for each file that has ended.

The server writes an entry after it has renamed the temporary file. It reads the whole index, appends the entry and
writes the file again, not atomically and without a lock: a reader can find half of a file, and two recordings with one
index can lose entries [read]. So nobody else can safely write an index.
"""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree

from .._config.document import BadFile, parse

LARGEST = 16 * 1024 * 1024
"""Bytes of the largest index that is read, with about 25,000 entries."""
_NUMBER = re.compile(r"[0-9]{1,15}")
# The server writes the epoch, in its time zone, for a time that it does not know.
_UNKNOWN_TIME = re.compile(r"19(?:69-12-31|70-01-01)T")


class Entry(t.NamedTuple):
    """What an index says about a recorded file, each text as the server has written it."""

    file_path: str
    """The path as the server sees it, below the root path of the file publisher if there is one."""
    vhost: str
    app: str
    stream: str
    id: str
    transaction_id: str
    sequence: int | None
    duration: float | None
    """Seconds."""
    begin: str
    end: str
    """Empty if the entry has none."""
    is_last: bool
    """Whether the recording ended with the file."""
    metadata: str
    """Can hold secrets, so it is in no result."""

    @property
    def identity(self) -> str:
        """Return what tells the file from an earlier one with the same name."""
        return f"{self.transaction_id}/{self.sequence}/{self.end}"


def read_index(data: bytes, name: str) -> list[Entry] | None:
    """Return the entries of an index in its order; None if the file is XML of another kind.

    Raise BadFile if the file cannot be read as XML, or is larger than :data:`LARGEST`; ``name`` is its name in errors.
    """
    roots = parse(data, name, LARGEST).roots
    found = [root for root in roots if root.tag == "files"]
    return [_entry(file) for root in found for file in root.iter("file")] if found else None


def _entry(element: ElementTree.Element) -> Entry:
    # No path, argument or environment variable can hold NUL, which a character reference can bring in.
    texts = {child.tag: (child.text or "").replace("\0", "") for child in reversed(element)}
    milliseconds, sequence = (_number(texts.get(key, "")) for key in ("recordTime", "sequence"))
    return Entry(
        file_path=texts.get("filePath", ""),
        vhost=texts.get("vhost", ""),
        app=texts.get("app", ""),
        stream=texts.get("stream", ""),
        id=texts.get("id", ""),
        transaction_id=texts.get("transactionId", ""),
        sequence=sequence,
        duration=None if milliseconds is None else milliseconds / 1000,
        begin=_time(texts.get("startTime", "")),
        end=_time(texts.get("finishTime", "")),
        is_last=texts.get("lastSequence") == "true",
        metadata=texts.get("metadata", ""),
    )


def _time(text: str) -> str:
    return "" if _UNKNOWN_TIME.match(text) else text


def _number(text: str) -> int | None:
    return int(text) if _NUMBER.fullmatch(text) else None


def problem_of(error: BadFile) -> str:
    """Return why an index cannot be read, with the line if it is known."""
    line = error.option.rpartition(":")[2]
    return f"line {line}: {error.expected}" if line.isdigit() else error.expected
