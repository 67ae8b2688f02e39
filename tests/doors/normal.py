# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Takes out of results what differs between any two runs of the same playbooks, and no more.

What is another in each run but means something, such as a port, is replaced by its kind and a number, in the order in
which it is met. So two runs are only equal if the same one stands in the same places of both.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
from re import Pattern
from typing import Any

# Of every result: what is named anew in each run. The first group is what is replaced.
_NAMED: tuple[tuple[str, Pattern[str]], ...] = (
    # Each door has a copy of what is installed, and a home, of its own.
    ("place", re.compile(r"(?<=/ansible-test/)([0-9][^/\s'\"]*/(?:in_process|module))(?=/)")),
    # Files and directories that Ansible, ansible-test and Python's tempfile make, with the directory in which they
    # stand.
    ("temporary", re.compile(r"((?:/[^/\s'\"]+)*/(?:ansible\.[a-z0-9_]{8}\b|ansible-tmp-[0-9.-]+|tmp[a-z0-9_]{8}\b))")),
    # The copy of the collection in which ansible-test runs a target.
    ("copy", re.compile(r"((?:/[^/\s'\"]+)*/tests/output/\.tmp/integration/[^/\s'\"]+)")),
    # What ansible.builtin.template and copy call the copy of a file that they replace.
    ("backup", re.compile(r"(?<=\.)([0-9]+\.20[0-9]{2}-[0-9]{2}-[0-9]{2}@[0-9]{2}:[0-9]{2}:[0-9]{2}~)")),
    # What the role rotate_certificates calls the copy of a file that it replaces.
    ("backup", re.compile(r"(?<=\.)([0-9]{8}T[0-9]{12}Z~)")),
    # Checksums of files that are made anew.
    ("checksum", re.compile(r"\b([0-9a-f]{40})\b")),
    # An async job, such as the one in which the simulator runs: a random number of up to twelve digits, and that of a
    # process.
    ("job", re.compile(r"\b(j[0-9]{1,12}\.[0-9]+)\b")),
    # The simulator listens where the system lets it.
    ("port", re.compile(r"(?<=127\.0\.0\.1:)([0-9]{5})\b")),
    ("port", re.compile(r"(?<=localhost:)([0-9]{5})\b")),
    # Certificates are made anew.
    ("fingerprint", re.compile(r"\b((?:[0-9A-Fa-f]{64})|(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){31}))\b")),
    ("short fingerprint", re.compile(r"\b([0-9a-f]{16})(?=\u2026)")),
    ("certificate", re.compile(r"(?<=OU=Testing CA #)([A-Za-z0-9_-]{16})")),
    ("certificate", re.compile(r"(?<=OU=Testing cert #)([A-Za-z0-9_-]{16})")),
)
# Times at which something happened; their order says nothing more.
_TIMES: tuple[Pattern[str], ...] = (
    re.compile(
        r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?"
    ),
    re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} 20[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"),
)
# How long an answer was, in the words of ansible.builtin.uri: it holds ports and times.
_LENGTH = re.compile(r"^OK \([0-9]+ bytes\)$")
# ansible-core lists the words for a boolean in the order of a set, which is another in each process.
_BOOLEANS = re.compile(r"(?<=Valid booleans include: )[^\"]*")
# How long a request that is sent again waits is partly left to chance.
_WAIT = re.compile(r"(?<=Trying again in )[0-9.]+(?= s)")
# Keys under which a number is a port.
_PORTS = ("port", "ports", "setup_simulator_tls_ports")
_FIRST_PORT_OF_A_CLIENT = 32768

# Of results of modules that are not of the collection, by key. They run as processes through either door.
_NOT_COMPARED = {
    "start": "a time",
    "end": "a time",
    "delta": "a duration",
    "elapsed": "a duration",
    "time": "a time, in the simulator's log",
    "connection": "the client's port, in the simulator's log",
    "content": "text of a file or of an answer that holds ports and times, encoded",
    "content_length": "length of such a text",
    "checksum": "of a file that holds ports and times",
    "md5sum": "of a file that holds ports and times",
    "_original_basename": "of a file that ansible.builtin.copy makes of a text",
    "atime": "a time",
    "mtime": "a time",
    "ctime": "a time",
    "inode": "where the file system has put a file",
    "dev": "where the file system has put a file",
    "size": "length of a file that holds ports and times",
    "version": "of a file, made of the time",
    "block_size": "of the file system",
    "blocks": "of the file system",
    "setup_simulator_seen": "the number of requests so far, some of which are sent again and again while something is waited for",
}
# Of the same: lists in the order in which the file system has the files of a directory.
_UNORDERED = ("files",)


class Normal:
    """Makes the normal form of the results of one run; they must be given in order."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._counts: dict[str, int] = {}

    def _named(self, kind: str, value: str) -> str:
        if (kind, value) not in self._numbers:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._numbers[kind, value] = self._counts[kind]
        return "<%s %d>" % (kind, self._numbers[kind, value])

    def _renamed(self, kind: str, found: re.Match[str]) -> str:
        return self._named(kind, found.group(1).lower())

    def text(self, value: str) -> str:
        """Returns the normal form of a text."""
        for kind, pattern in _NAMED:
            value = pattern.sub(functools.partial(self._renamed, kind), value)
        for pattern in _TIMES:
            value = pattern.sub("<time>", value)
        value = _WAIT.sub("<seconds>", value)
        return _BOOLEANS.sub(lambda found: ", ".join(sorted(found.group().split(", "))), value)

    def result(self, value: dict[str, Any], *, of_collection: bool) -> Any:
        """Returns the normal form of a result."""
        return self._value(value, "", of_collection)

    def _value(self, value: Any, key: str, of_collection: bool) -> Any:
        if isinstance(value, str):
            if key in _PORTS and value.isdigit() and int(value) >= _FIRST_PORT_OF_A_CLIENT:
                return self._named("port", value)
            return self.text(value) if of_collection else self.text(_LENGTH.sub("OK", value))
        if isinstance(value, dict):
            names = sorted(value) if of_collection else sorted(name for name in value if name not in _NOT_COMPARED)
            return {self.text(name): self._value(value[name], name, of_collection) for name in names}
        if isinstance(value, list):
            items: list[Any] = [self._value(item, key, of_collection) for item in value]
            if of_collection:
                return items
            return _log(items) if key == "log" else sorted(items, key=_as_text) if key in _UNORDERED else items
        if key in _PORTS and isinstance(value, int) and value >= _FIRST_PORT_OF_A_CLIENT:
            return self._named("port", str(value))
        return value


def _log(records: list[Any]) -> list[Any]:
    """The simulator's log with what was asked side by side in an order of its own.

    A module that waits for something asks for it again, as often as it has time for: reads that follow one another
    count once each. Starts of push tasks that follow one another, and stops of them, count as often as they are there.
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
    """What kind of request it is, as far as requests of a kind can be on their way side by side."""
    if not isinstance(record, dict):
        return _OTHER
    if record.get("write") is False:
        return _READ
    call = str(record.get("path")).rpartition(":")[2]
    return call if call in ("startPush", "stopPush") else _OTHER


def _as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
