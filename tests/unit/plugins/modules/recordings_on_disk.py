# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A directory with recordings as the server leaves them, for tests of the modules that read and remove them."""

from __future__ import annotations

import functools
import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host import open_files
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules

NOW = 1_800_000_000
"""The time of the modules, in seconds."""
DAY, HOUR = 86400, 3600
TEMPORARY = f"tmp_{'aB3x' * 8}"


class Disk:
    """A directory of recordings with an index, and the other processes of its host."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = root / "recordings"
        self.directory.mkdir()
        self.index = self.directory / "index.xml"
        self.proc = root / "proc"
        (self.proc / "1" / "fd").mkdir(parents=True)
        monkeypatch.setattr(open_files, "PROC", str(self.proc))
        context = functools.partial(execution.Context, now=lambda: NOW)
        monkeypatch.setattr(execution, "Context", context)
        self._entries: list[str] = []

    def run(self, module: str, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
        """Return the result of a module; one that does not change anything in check mode."""
        before = self.contents()
        given = {"directory": str(self.directory), **options}
        result = running_modules.run_module(module, given, check_mode=check_mode)
        if check_mode or module.endswith("_info"):
            assert self.contents() == before
        return result

    def files(self, **options: Any) -> dict[str, dict[str, Any]]:
        """Return what recorded_file_info finds, by name."""
        result = self.run("recorded_file_info", **options)
        assert not result.failed, result
        return {one["name"]: one for one in result["files"]}

    def contents(self) -> dict[str, int]:
        """Return the sizes of all files by relative path."""
        found = {}
        for folder, _folders, names in os.walk(self.directory):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.directory)] = os.lstat(path).st_size
        return found

    def write(self, relative: str | bytes, *, age: float = DAY, size: int = 10) -> str:
        """Write a file of this age in seconds; return its path."""
        path = os.path.join(os.fsencode(self.directory), os.fsencode(relative))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.truncate(size)
        os.utime(path, (NOW - age, NOW - age))
        return os.fsdecode(path)

    def record(self, relative: str, *, age: float = DAY, size: int = 10, **fields: str) -> str:
        """Write a file that has ended, and its entry in the index; return its path."""
        path = self.write(relative, age=age, size=size)
        self.enter(f"/{relative}", age=age, **fields)
        return path

    def enter(self, file_path: str, *, age: float = DAY, **fields: str) -> None:
        """Add an entry to the index, as the server does."""
        end = datetime.fromtimestamp(NOW - age, timezone.utc)
        values = {
            "transactionId": "bcUCyJeKuOGnsah3",
            "id": "main",
            "metadata": "canary-metadata",
            "vhost": "default",
            "app": "live",
            "stream": "tv",
            "filePath": f"<![CDATA[{file_path}]]>",
            "recordBytes": "8774737",
            "recordTime": "60011",
            "sequence": str(len(self._entries)),
            "lastSequence": "false",
            "createdTime": _time(end - timedelta(seconds=61)),
            "startTime": _time(end - timedelta(seconds=60)),
            "finishTime": _time(end),
            **{name: escape(value) for name, value in fields.items()},
        }
        lines = "".join(f"    <{name}>{value}</{name}>\n" for name, value in values.items())
        self._entries.append(f"  <file>\n{lines}  </file>\n")
        text = f'<?xml version="1.0" encoding="utf-8"?>\n<files>\n{"".join(self._entries)}</files>\n'
        self.index.write_bytes(os.fsencode(text))
        os.utime(self.index, (NOW, NOW))

    def open(self, path: str, *, writing: bool) -> None:
        """Let another process have a file open."""
        number = len(list((self.proc / "1" / "fd").iterdir()))
        (self.proc / "1" / "fd" / str(number)).symlink_to(path)
        (self.proc / "1" / "fdinfo").mkdir(exist_ok=True)
        flags = "0100001" if writing else "0100000"
        (self.proc / "1" / "fdinfo" / str(number)).write_text(f"pos:\t0\nflags:\t{flags}\n", encoding="ascii")


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
