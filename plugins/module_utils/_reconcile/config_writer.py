# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the files of a configuration directory, and keep what the result says of them; in check mode, predict it."""

from __future__ import annotations

import functools
import os
import typing as t

from .._config.directory import Directory
from .._config.editor import Edited
from .._core.context import Context
from .._core.errors import OmeError

CREATED, CHANGED, REMOVED, SAME = "created", "changed", "removed", "unchanged"
"""The states of files in results."""


class ConfigWriter:
    """Writes and removes files. Every method returns an error instead of raising it, because other files follow."""

    def __init__(self, directory: Directory, context: Context) -> None:
        self._directory = directory
        self._context = context
        self._writes = False
        self.files: dict[str, str] = {}
        """The state of each file, by its path."""
        self.diff: dict[str, dict[str, list[str]]] = {"before": {}, "after": {}}

    def keep(self, name: str) -> None:
        """Take a file that is as desired; ``name`` is relative to the directory."""
        self.files.setdefault(self._path(name), SAME)

    def write(self, files: t.Sequence[Edited]) -> OmeError | None:
        """Write files; return the error of the first that fails."""
        for one in files:
            error = self._change(
                one.name,
                functools.partial(self._directory.write, one.name, one.after, one.before, private=one.private),
                one.private,
            )
            if error is not None:
                return error
            self._note(one.name, CREATED if one.before is None else CHANGED, one.shown_before, one.shown_after)
        return None

    def remove(self, name: str, shown: str) -> OmeError | None:
        """Remove a file; ``shown`` is what is shown of it."""
        expected = self._directory.as_read(name)
        error = self._change(name, lambda: self._directory.remove(name, expected))
        if error is None:
            self._note(name, REMOVED, shown, "")
        return error

    def _change(self, name: str, change: t.Callable[[], None], private: bool = False) -> OmeError | None:
        folder = os.path.dirname(self._path(name))
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        try:
            if not os.access(folder, os.W_OK | os.X_OK):  # also in check mode, which predicts it
                raise OmeError("config_file", f"write {name}", detail=f"{folder}: Permission denied.")
            tightened = self._directory.tightened(name, private=private)
            if not self._writes:
                self._writes = True
                self._directory.remove_leftovers()
            change()
            if tightened is not None:
                self._context.warn(tightened.warning(self._path(name), check_mode=self._context.check_mode))
        except OmeError as error:
            return error
        return None

    def _note(self, name: str, state: str, before: str, after: str) -> None:
        path = self._path(name)
        known = self.files.get(path)
        self.files[path] = CREATED if known == CREATED else state
        for side, text in (("before", before), ("after", after)):
            if text:
                self.diff[side][path] = text.splitlines()

    def _path(self, name: str) -> str:
        return os.path.join(self._directory.path, name)
