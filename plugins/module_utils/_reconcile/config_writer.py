# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write the files of a configuration directory, unless in check mode, and keep what the result says of them."""

from __future__ import annotations

import os
import typing as t

from .._config import masked_diff
from .._config.directory import Directory
from .._core.context import Context
from .._core.errors import OmeError
from .._schema.objects import Object

CREATED, CHANGED, REMOVED, SAME = "created", "changed", "removed", "unchanged"
"""The states of files in results."""

_Value = t.Optional[t.Mapping[str, t.Any]]


class ConfigWriter:
    """Writes and removes files. Every method returns an error instead of raising it, because other files follow."""

    def __init__(self, directory: Directory, context: Context) -> None:
        self._directory = directory
        self._context = context
        self.files: dict[str, str] = {}
        """The state of each file, by its path."""
        self.diff: dict[str, dict[str, list[str]]] = {"before": {}, "after": {}}

    def keep(self, name: str) -> None:
        """Take a file that is as desired; ``name`` is relative to the directory."""
        self.files.setdefault(self._path(name), SAME)

    def write(
        self, name: str, text: str, declaration: Object, tag: str, before: _Value, after: _Value
    ) -> OmeError | None:
        """Write the text of a file; ``before`` and ``after`` are its values in option form, for the diff."""
        error = self._change(name, lambda: self._directory.write(name, text))
        if error is None:
            self._note(name, CREATED if before is None else CHANGED, declaration, tag, before, after)
        return error

    def remove(self, name: str, declaration: Object, tag: str, before: _Value) -> OmeError | None:
        """Remove a file."""
        error = self._change(name, lambda: self._directory.remove(name))
        if error is None:
            self._note(name, REMOVED, declaration, tag, before, None)
        return error

    def _change(self, name: str, change: t.Callable[[], None]) -> OmeError | None:
        folder = os.path.dirname(self._path(name))
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        try:
            if not os.access(folder, os.W_OK | os.X_OK):  # also in check mode, which predicts it
                raise OmeError("config_file", f"write {name}", detail=f"{folder}: Permission denied.")
            if not self._context.check_mode:
                change()
        except OmeError as error:
            return error
        return None

    def _note(self, name: str, state: str, declaration: Object, tag: str, before: _Value, after: _Value) -> None:
        path = self._path(name)
        known = self.files.get(path)
        self.files[path] = CREATED if known == CREATED else state
        both = masked_diff.diff(declaration, tag, path, before, after)
        for side in ("before", "after"):
            if both[side]:
                self.diff[side][path] = both[side].splitlines()

    def _path(self, name: str) -> str:
        return os.path.join(self._directory.path, name)
