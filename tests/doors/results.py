# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads what the callback door_results has written.

Lines of JSON, each with a ``kind``:

``run``      a playbook begins: ``playbook``, the name of its file
``task``     a task begins: ``task``, its id, ``name``, ``action``
``module``   a module is started as a process: ``module``, ``task``, ``host``
``result``   a task, an item of a loop or an attempt has ended: ``event``, ``host``, ``task``, ``name``, ``path``,
``action``, ``loop``, ``item``, ``result`` ``stats``    a playbook has ended: ``hosts``, the recap
"""

from __future__ import annotations

import collections
import json
import pathlib
from typing import Any, NamedTuple

COLLECTION = "streamops.ovenmediaengine."
IN_PROCESS, MODULE = "in_process", "module"
# A task whose options cannot be made ends before any door, and so does one that is left out.
_NO_DOOR_EVENTS = ("skipped", "item skipped")
_NO_DOOR_MESSAGES = ("is undefined", "has no attribute", "object of type ")


class Result(NamedTuple):
    """What came of a task, an item of a loop or an attempt, as a callback got it."""

    run: str
    """The playbook, and how many had run before it."""
    host: str
    name: str
    path: str
    action: str
    event: str
    item: Any
    result: dict[str, Any]
    started: int
    """How many processes the task has started for modules, on this host."""

    @property
    def of_collection(self) -> bool:
        """Whether the task is about a module of the collection."""
        return self.action.startswith(COLLECTION)

    @property
    def door(self) -> str:
        """The door that the task has taken; empty where it has none."""
        if not self.of_collection or self.event in _NO_DOOR_EVENTS:
            return ""
        if self.started:
            return MODULE
        if "failed" in self.event and any(words in str(self.result.get("msg")) for words in _NO_DOOR_MESSAGES):
            return ""
        return IN_PROCESS


def read(path: pathlib.Path) -> list[Result]:
    """Returns the results in a file, in the order in which they were written.

    :raises OSError: there is no such file.
    :raises ValueError: a line is no JSON, or no playbook has begun.
    """
    run = ""
    begun = 0
    started: dict[tuple[str, str], int] = collections.Counter()
    entries: list[tuple[str, dict[str, Any]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["kind"] == "run":
            begun += 1
            run = "%s, playbook %d" % (entry["playbook"], begun)
        elif entry["kind"] == "module":
            started[entry["task"], entry["host"]] += 1
        elif entry["kind"] == "result":
            if not run:
                raise ValueError("%s: a result before any playbook" % path)
            entries.append((run, entry))
    return [
        Result(
            run,
            entry["host"],
            entry["name"],
            entry["path"],
            entry["action"],
            entry["event"],
            entry["item"],
            entry["result"],
            started[entry["task"], entry["host"]],
        )
        for run, entry in entries
    ]
