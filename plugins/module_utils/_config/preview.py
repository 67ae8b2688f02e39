# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration directory in check mode: nothing is written, and what would be written is read."""

from __future__ import annotations

import os

from .._core.context import Context
from .directory import Directory


def directory_of(path: str, context: Context) -> Directory:
    """Return a configuration directory; in check mode with the files as the task would have written them."""
    return _Preview(path, context.predicted_files) if context.check_mode else Directory(path)


class _Preview(Directory):
    """A directory with the files that the parts of a task before would have written or removed."""

    def __init__(self, path: str, files: dict[str, bytes | None]) -> None:
        """Use the contents ``files``, by path; None for a file that is removed."""
        super().__init__(path)
        self._files = files

    def read(self, name: str) -> bytes | None:
        path = self.resolve(name)
        if path not in self._files:
            return super().read(name)
        return self._as_read.setdefault(path, self._files[path])

    def _files_in(self, folder: str) -> list[str]:
        found = {
            name for name in super()._files_in(folder) if self._files.get(os.path.join(folder, name), b"") is not None
        }
        made = (path for path, data in self._files.items() if data is not None and os.path.dirname(path) == folder)
        return sorted(found | {os.path.basename(path) for path in made})

    def write(self, name: str, data: bytes, expected: bytes | None, *, private: bool = True) -> None:
        path = self.resolve(name)
        self._files[path] = self._as_read[path] = data

    def remove(self, name: str, expected: bytes | None) -> None:
        path = self.resolve(name)
        self._files[path] = self._as_read[path] = None

    def remove_leftovers(self) -> None:
        """Leave them to the real run."""
