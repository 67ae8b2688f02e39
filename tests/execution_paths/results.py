# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the file that the callback execution_results writes.

Lines of JSON, each with a ``kind``:

``run``      a playbook begins: ``playbook``, the name of its file
``task``     a task begins: ``task``, its id, ``name``, ``path``, ``action``, ``requests``, the bytes in the request log
``module``   a module is started as a process: ``module``, ``task``, ``host``
``result``   a task, an item of a loop or an attempt has ended: ``event``, ``host``, ``task``, ``name``, ``path``,
             ``action``, ``loop``, ``item``, ``result``
``stats``    a playbook has ended: ``hosts``, the recap
"""

from __future__ import annotations

import collections
import json
import pathlib
from typing import Any, NamedTuple

COLLECTION = "streamops.ovenmediaengine."
IN_PROCESS, MODULE = "in_process", "module"
# A task whose options cannot be templated ends before any execution path, and so does one that is skipped.
_NO_EXECUTION_EVENTS = ("skipped", "item skipped")
# All of its work is on the controller, whatever the path.
_WITHOUT_PATHS = (f"{COLLECTION}audit_report",)
_NO_EXECUTION_MESSAGES = ("is undefined", "has no attribute", "object of type ")


class Result(NamedTuple):
    """The result of a task, an item of a loop or an attempt, as a callback receives it."""

    run: str
    """The playbook and its number in the file."""
    host: str
    name: str
    path: str
    action: str
    event: str
    item: Any
    result: dict[str, Any]
    started: int
    """The number of processes that the task started for modules on this host."""

    @property
    def of_collection(self) -> bool:
        """Whether the action is of the collection."""
        return self.action.startswith(COLLECTION)

    @property
    def execution(self) -> str:
        """The execution path of the task; empty if it took none."""
        if not self.of_collection or self.event in _NO_EXECUTION_EVENTS or self.action in _WITHOUT_PATHS:
            return ""
        if self.started:
            return MODULE
        if "failed" in self.event and any(part in str(self.result.get("msg")) for part in _NO_EXECUTION_MESSAGES):
            return ""
        return IN_PROCESS


def read(path: pathlib.Path) -> list[Result]:
    """Return the results in a file, in the order of their lines.

    :raises OSError: there is no such file.
    :raises ValueError: a line is not JSON, or a result precedes the first playbook.
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
