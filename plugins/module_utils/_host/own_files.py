# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of a program on its host: what differs, and how it is put into place."""

from __future__ import annotations

import contextlib
import os
import stat
import typing as t

from .._config.atomic_files import replace
from .._config.file_access import UNCHANGED_ID, Access

CREATED, CHANGED, REMOVED = "created", "changed", "removed"


class OwnFile(t.NamedTuple):
    """A file as it is to be."""

    path: str
    text: str | None
    """None for a file that is not to be there."""
    mode: int = 0o644
    uid: int = UNCHANGED_ID
    secret: bool = False
    """Whether no diff may show the text."""

    def state(self) -> str:
        """Return what has to be done: :data:`CREATED`, :data:`CHANGED` or :data:`REMOVED`; empty for nothing."""
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            return "" if self.text is None else CREATED
        if self.text is None:
            return REMOVED
        same = stat.S_IMODE(there.st_mode) == self.mode and self.uid in (UNCHANGED_ID, there.st_uid)
        return "" if same and _read(self.path) == self.text.encode() else CHANGED

    def place(self) -> None:
        """Write it as a whole, or remove it."""
        if self.text is None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)
            return
        replace(self.path, self.text.encode(), Access(self.mode, self.uid, UNCHANGED_ID), lambda: None)

    def shown(self) -> tuple[str, str]:
        """Return what a diff shows of it: before and after."""
        old = _read(self.path)
        if not self.secret:
            return "" if old is None else old.decode("utf-8", "replace"), self.text or ""
        before = "" if old is None else f"mode {stat.S_IMODE(os.stat(self.path).st_mode):04o}"
        if self.text is None:
            return before, ""
        return before, f"mode {self.mode:04o}" + (", new content" if old != self.text.encode() else "")


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
