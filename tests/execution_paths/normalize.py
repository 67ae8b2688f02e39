# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Replace what differs between any two runs of the same playbooks, and nothing else.

Values that differ but have a meaning, such as ports, become their kind and a number in the order of appearance.
Two runs are equal only if equal values are in the same places of both.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Container
from re import Pattern
from typing import Any

# In every result: names that each run chooses. The first group is replaced.
_NAMES: tuple[tuple[str, Pattern[str]], ...] = (
    # Each execution path has its own installation and home.
    ("place", re.compile(r"(?<=/ansible-test/)([0-9][^/\s'\"]*/(?:in_process|module))(?=/)")),
    # Files and directories of Ansible, ansible-test, Python's tempfile and mktemp, with their parent directory.
    (
        "temporary",
        re.compile(
            r"((?:/[^/\s'\"]+)*/(?:ansible\.[a-z0-9_]{8}\b|ansible-tmp-[0-9.-]+|tmp[a-z0-9_]{8}\b|tmp\.[A-Za-z0-9]{10}\b))"
        ),
    ),
    # The copy of the collection in which ansible-test runs a target.
    ("copy", re.compile(r"((?:/[^/\s'\"]+)*/tests/output/\.tmp/integration/[^/\s'\"]+)")),
    # Backup files of ansible.builtin.template and copy, and of the module export.
    ("backup", re.compile(r"(?<=\.)((?:[0-9]+\.)?20[0-9]{2}-[0-9]{2}-[0-9]{2}@[0-9]{2}:[0-9]{2}:[0-9]{2}~)")),
    # Backup files of the module certificates.
    ("backup", re.compile(r"(?<=\.)([0-9]{8}T[0-9]{12}Z~)")),
    # Checksums of files that each run creates.
    ("checksum", re.compile(r"\b([0-9a-f]{40})\b")),
    # Test streams of the module verify.
    ("test stream", re.compile(r"(?<=streamops-test-)([0-9a-f]{8})\b")),
    # An async job: a random number of up to twelve digits and a process id.
    ("job", re.compile(r"\b(j[0-9]{1,12}\.[0-9]+)\b")),
    # The simulator listens on any free port.
    ("port", re.compile(r"(?<=127\.0\.0\.1:)([0-9]{5})\b")),
    ("port", re.compile(r"(?<=localhost:)([0-9]{5})\b")),
    # URLs that are played have the ports of a simulator, too.
    ("port", re.compile(r"(?<=\.example\.com:)([3-6][0-9]{4})\b")),
    # Each run creates its certificates.
    ("certificate", re.compile(r"(-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----)")),
    ("fingerprint", re.compile(r"\b((?:[0-9A-Fa-f]{64})|(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31}))\b")),
    ("short fingerprint", re.compile(r"\b([0-9a-f]{16})(?=\u2026)")),
    ("certificate", re.compile(r"(?<=OU=Testing CA #)([A-Za-z0-9_-]{16})")),
    ("certificate", re.compile(r"(?<=OU=Testing cert #)([A-Za-z0-9_-]{16})")),
)
# Times of events.
_TIMES: tuple[Pattern[str], ...] = (
    re.compile(
        r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
    ),
    # In names of files of recordings.
    re.compile(r"(?<=[_-])20[0-9]{12}(?=[_.])"),
    re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} 20[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"),
)
# What the role record says of a recording, which grows while the playbook runs.
_RECORDED = re.compile(
    r"nothing was recorded|(?:file|[0-9]+ files, the last one) \S+, [0-9]+ bytes, [0-9]+:[0-9]{2}:[0-9]{2}"
)
# The length of a response, from ansible.builtin.uri: the response contains ports and times.
_LENGTH = re.compile(r"^OK \([0-9]+ bytes\)$")
# ansible-core lists the spellings of a boolean in the order of a set, which differs between processes.
_BOOLEANS = re.compile(r"(?<=Valid booleans include: )[^\"]*")
# The delay before a retry has jitter.
_WAIT = re.compile(r"(?<=Trying again in )[0-9.]+(?= s)")
# The time to the first frame, in the table of the module verify.
_FIRST_FRAME = re.compile(r"\b[0-9]+\.[0-9]{2} s\b")
# Keys whose numbers are ports.
_PORTS = (
    "port",
    "ports",
    "setup_simulator_tls_ports",
    *("llhls", "hls", "webrtc", "webrtc_tcp", "thumbnail", "rtmp", "whip"),
    *(f"setup_simulator_{kind}_port" for kind in ("llhls", "signalling", "rtmp", "thumbnail")),
)
_FIRST_PORT_OF_A_CLIENT = 32768

# Keys of what was measured, which later tasks can show as well: of something that was played, and of statistics.
_MEASURED = (
    *("seconds_to_first_frame", "latency"),
    *("uptime", "bytes_in", "bytes_out", "bits_per_second_in", "bits_per_second_out"),
)
# Keys of results of the collection whose numbers change with time.
_GROWING = {
    "days_left",
    "attempts",
    "total_bytes_in",
    "total_bytes_out",
    *(f"{kind}_throughput_{way}" for kind in ("avg", "last", "max") for way in ("in", "out")),
}
# Keys of the tracks of a playback, which have a rendition, whose numbers are measured.
_OF_TRACK, _TRACK = ("bitrate", "framerate"), "rendition"
# Keys of the same results that are there as soon as something is recorded.
_RECORDING = ("record_bytes", "record_time", "total_record_bytes", "total_record_time")
# The result of the module record_stream as the role record registers it, and its keys whose numbers grow with time.
_RECORD_SUMMARY = "ovenmediaengine_record_summary"
_OF_RECORD_SUMMARY = ("bytes", "seconds")

# Keys of results of modules outside of the collection. Both execution paths run these modules as processes.
_NOT_COMPARED = {
    "start": "a time",
    "end": "a time",
    "delta": "a duration",
    "elapsed": "a duration",
    "time": "a time, in the simulator's log",
    "connection": "the client's port, in the simulator's log",
    "content": "encoded text of a file or response that contains ports and times",
    "content_length": "the length of such a text",
    "checksum": "of a file that contains ports and times",
    "md5sum": "of a file that contains ports and times",
    "_original_basename": "of a file that ansible.builtin.copy creates from a text",
    "atime": "a time",
    "mtime": "a time",
    "ctime": "a time",
    "inode": "assigned by the file system",
    "dev": "assigned by the file system",
    "size": "the length of a file that contains ports and times",
    "version": "of a file, derived from the time",
    "block_size": "of the file system",
    "blocks": "of the file system",
    "setup_simulator_seen": "the number of requests so far, which includes those of polls",
}
# Keys of the same results that hold the simulator's log, or the end of it.
_LOGS = ("log", "setup_simulator_new")
# Keys of the same results whose lists are in the order of the file system.
_UNORDERED = ("files",)


class Normalizer:
    """Normalize the results of one run, which must be passed in order."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: dict[str, int] = {}

    def _numbered(self, kind: str, value: str) -> str:
        if (kind, value) not in self._numbers:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._numbers[kind, value] = self._counts[kind]
        return "<%s %d>" % (kind, self._numbers[kind, value])

    def _replacement(self, kind: str, found: re.Match[str]) -> str:
        return self._numbered(kind, found.group(1).lower())

    def text(self, value: str) -> str:
        """Return a text in normalized form."""
        for kind, pattern in _NAMES:
            value = pattern.sub(functools.partial(self._replacement, kind), value)
        for pattern in _TIMES:
            value = pattern.sub("<time>", value)
        value = _RECORDED.sub("<recorded>", value)
        value = _FIRST_FRAME.sub("<seconds>", _WAIT.sub("<seconds>", value))
        return _BOOLEANS.sub(lambda found: ", ".join(sorted(found.group().split(", "))), value)

    def result(self, value: dict[str, Any], *, of_collection: bool) -> Any:
        """Return a result in normalized form."""
        return self._value(value, "", of_collection)

    def _value(self, value: Any, key: str, of_collection: bool) -> Any:
        if isinstance(value, str):
            if key in _PORTS and value.isdigit() and int(value) >= _FIRST_PORT_OF_A_CLIENT:
                return self._numbered("port", value)
            return self.text(value) if of_collection else self.text(_LENGTH.sub("OK", value))
        if isinstance(value, dict):
            left_out: Container[str] = _NOT_COMPARED
            if of_collection:
                left_out = _RECORDING
            elif key == _RECORD_SUMMARY:
                left_out = _OF_RECORD_SUMMARY
            if _TRACK in value:
                value = {name: "<measured>" if name in _OF_TRACK and item else item for name, item in value.items()}
            names = sorted(name for name in value if name not in left_out)
            return {self.text(name): self._value(value[name], name, of_collection) for name in names}
        if isinstance(value, list):
            items: list[Any] = [self._value(item, key, of_collection) for item in value]
            if of_collection:
                return items
            return (
                sort_concurrent(items) if key in _LOGS else sorted(items, key=_as_text) if key in _UNORDERED else items
            )
        if key in _MEASURED and isinstance(value, (int, float)):
            return "<measured>"
        if of_collection and key in (*_GROWING, *_OF_RECORD_SUMMARY) and isinstance(value, (int, float)):
            return "<growing>"
        if key in _PORTS and isinstance(value, int) and value >= _FIRST_PORT_OF_A_CLIENT:
            return self._numbered("port", str(value))
        return value


def sort_concurrent(records: list[Any]) -> list[Any]:
    """Return the simulator's log with concurrent requests sorted.

    A module that polls repeats a read as often as time permits, so equal reads in a row count once. Starts of push
    tasks in a row, and stops in a row, are sorted and all count.
    """
    found: list[Any] = []
    for kind, group in itertools.groupby(records, _kind):
        texts = [_as_text(record) for record in group]
        if kind == _READ:
            texts = list(set(texts))
        found += map(json.loads, texts if kind == _OTHER else sorted(texts))
    return found


_READ, _OTHER = "read", ""


def _kind(record: Any) -> str:
    """Return the kind of a request; only requests of the same kind other than _OTHER run concurrently."""
    if not isinstance(record, dict):
        return _OTHER
    if record.get("write") is False:
        return _READ
    call = str(record.get("path")).rpartition(":")[2]
    return call if call in ("startPush", "stopPush") else _OTHER


def _as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
