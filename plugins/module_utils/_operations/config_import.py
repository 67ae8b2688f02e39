# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `config_import`: read files of a configuration directory.

The action plugin of the module turns them into variables. Their contents tell which further files they include, so that
it runs this several times.
"""

from __future__ import annotations

import base64
import os
import posixpath
import stat
import typing as t

from .._config.document import LARGEST
from .._core.context import Context
from .base import FLAG, NAMES, TEXT, Operation, Result

FILES = "read"
"""The key of the result with what was read. The action plugin takes it away."""


class ConfigImport(Operation):
    """The operation of the module `config_import`."""

    has_connection = False

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "config_dir": {"type": "path", "default": "/usr/share/ovenmediaengine/conf"},
            "dest": {"type": "str", "required": True},
            "server_dir": TEXT,
            "environment_from": TEXT,
            "version": TEXT,
            "show_secrets": {**FLAG, "no_log": False},
            "files": NAMES,
        }

    def run(self, api: t.Any, context: Context) -> Result:
        seen = self.params["config_dir"]
        root = os.path.realpath(seen)
        files, links = _listed(root)
        contents = [_read(root, name) for name in self.params["files"] or ()]
        found = {"directory": root, "seen": seen, "files": files, "links": links, "contents": contents}
        return {"changed": False, FILES: found}


def _listed(root: str) -> tuple[list[dict[str, t.Any]], dict[str, str]]:
    """Return the files of a directory and those below it, and the real paths behind links, by path."""
    files: list[dict[str, t.Any]] = []
    links: dict[str, str] = {}
    for folder, folders, names in os.walk(root):
        for name in sorted([*folders, *names]):
            path = posixpath.join(folder, name)
            found = os.lstat(path)
            if stat.S_ISLNK(found.st_mode):
                links[path] = os.path.realpath(path)
            elif stat.S_ISREG(found.st_mode):
                files.append({"path": path, "isreg": True, "size": found.st_size})
    return files, links


def _read(root: str, name: str) -> dict[str, t.Any]:
    """Return a file as the conversion takes it; ``name`` is relative to the directory unless it is absolute."""
    path = os.path.expanduser(name) if name.startswith(("/", "~")) else posixpath.join(root, name)
    try:
        # A device, or a pipe, would never end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return {"item": name, "msg": "it is not a regular file"}
        with open(path, "rb") as file:
            return {"item": name, "content": base64.b64encode(file.read(LARGEST + 1)).decode()}
    except OSError as error:
        return {"item": name, "msg": f"{path}: {error.strerror or error}"}
    except ValueError:
        return {"item": name, "msg": "it has a name that no file can have"}
