# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read configuration files with the module `config_import`, and write them as variables to a file on the controller."""

from __future__ import annotations

import contextlib
import posixpath
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import Refusal
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.config_import import (
    FILES,
    ConfigImport,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _import_file
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._file_action import FileAction
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._import_variables import import_config

_MODE = 0o600


class ActionModule(FileAction):
    """Action plugin of the module `config_import`."""

    operation = ConfigImport

    def read_and_write(self, name: str, path: str, read: t.Callable[[], dict[str, t.Any]]) -> dict[str, t.Any]:
        options = self._task.args
        contents: list[t.Any] = []
        show_secrets = bool(boolean(options.get("show_secrets", False), strict=False))
        needed: list[str] = []
        while True:
            # Only the contents of files tell which further files are needed.
            self._task.args = {**options, "files": needed}
            with self._unprinted():
                result = read()
            found = result.pop(FILES, None)
            if result.get("failed") or found is None:
                return result
            contents += found["contents"]
            imported = import_config(
                contents,
                found["directory"],
                found["files"],
                found["links"],
                server_directory=options.get("server_dir") or found["seen"],
                show_secrets=show_secrets,
                environment_from=_absolute(str(options.get("environment_from") or ""), found["directory"]),
                version=options.get("version") or None,
            )
            if imported["problems"]:
                raise Refusal("import the configuration", " ".join(imported["problems"]), "Nothing was written.")
            needed = imported["needed"]
            if not needed:
                break
        text = _import_file.text_of(imported, name, show_secrets=show_secrets)
        written = self.written(text, name, path, mode=_MODE, is_shown=_import_file.is_shown)
        predicted = written["changed"] and bool(self._task.check_mode)
        return {**result, **written, **_import_file.summary_of(imported, path, predicted=predicted)}

    @contextlib.contextmanager
    def _unprinted(self) -> t.Iterator[None]:
        """Let a connection print nothing that the module says: it says what the files hold.

        With ``-vvv``, the connection plugin ssh prints the output of each command, unless the task hides it.
        """
        context = self._play_context
        before = getattr(context, "no_log", False)
        if context is not None:
            context.no_log = True
        try:
            yield
        finally:
            if context is not None:
                context.no_log = before


def _absolute(path: str, directory: str) -> str:
    """Return the path of the file with environment variables, which can be relative to the directory."""
    if not path or path.startswith(("/", "~")):
        return path
    return posixpath.normpath(posixpath.join(directory, path))
