# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tables of docs/api-coverage.md: each call of the server's API, and the modules that use it."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/api-coverage.md"
RECORDINGS = sorted([*(ROOT / "tests/wire").glob("[0-9]*.json"), *(ROOT / "tests/wire/media").glob("[0-9]*.json")])

# What the server takes as a name in a path: only that of an application ends at a colon.
_NAME, _APP_NAME = "[^/]*", "[^/:]*"

Version = tuple[int, ...]


class Row(NamedTuple):
    """A call of the server's API."""

    method: str
    path: str
    since: Version
    until: Version | None
    modules: tuple[str, ...]
    remarks: str

    def answers(self, version: Version, method: str, path: str) -> bool:
        """Return whether a server of a version has this call for a request."""
        if version < self.since or (self.until is not None and version > self.until) or method != self.method:
            return False
        return re.fullmatch(self.pattern(_NAME, _APP_NAME), path) is not None

    def pattern(self, name: str, app_name: str) -> str:
        """Return a pattern for the path with these patterns for the names in it."""
        return re.sub(r"\\\{(\w+)\\\}", lambda found: app_name if found[1] == "app" else name, re.escape(self.path))


def numbers(version: str) -> Version:
    """Return a version as numbers."""
    return tuple(int(part) for part in version.split("."))


def rows(page: str = "") -> list[Row]:
    """Return the rows of all tables of a page; without one, of the page in the repository."""
    found = []
    for line in re.findall(r"^\| [A-Z]+ /.+$", page or PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        call, since, _does, used, remarks = (cell.strip() for cell in line.strip("|").split("|"))
        method, path = call.split(" ")
        first, _to, last = since.partition(" to ")
        modules = re.findall(r"`(\w+)`", used)
        assert used == ", ".join(f"`{name}`" for name in modules) or used == "no", line
        found.append(Row(method, path, numbers(first), numbers(last) if last else None, tuple(modules), remarks))
    return found


def totals(found: list[Row]) -> str:
    """Return the paragraph of the page that counts its rows."""
    newest = max((path.stem for path in RECORDINGS), key=numbers)
    now = [row for row in found if row.since <= numbers(newest) and row.until is None]
    used, older = sum(bool(row.modules) for row in now), len(found) - len(now)
    text = (
        f"**{newest} has {len(now)} calls. The collection uses {used} of them; {len(now) - used} are left out, each "
        f"with its reason.** Older releases have {older} more."
    )
    return textwrap.fill(text, 120, break_on_hyphens=False)
