# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read a server with the module `export`, and write what it has as variables to a file on the controller."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.file_modes import mode_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput, OmeError, Refusal
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.export import OBJECTS, Export
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _export_file
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._export_variables import export_variables
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    """Action plugin of the module `export`."""

    operation = Export
    _supports_async = False

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return the result of the task."""
        variables = task_vars or {}
        name = str(variables.get("inventory_hostname", "localhost"))
        dest, mode = str(self._task.args.get("dest", "")), self._task.args.get("mode")
        try:
            path, problem = _export_file.place_of(name, dest)
            if problem:
                raise Refusal("choose the file", problem, "Nothing was written.")
            if mode is not None and mode_of(mode) is None:
                raise BadInput("mode", f'expected a mode in quotes, such as "0640", got {mode!r}')
            result = super().run(tmp, task_vars)
            objects = result.pop(OBJECTS, None)
            if result.get("failed") or objects is None:
                return result
            return {**result, **self._written(objects, name, path)}
        except OmeError as error:
            return error.as_failure()

    def _written(self, objects: t.Mapping[str, t.Any], name: str, path: str) -> dict[str, t.Any]:
        """Write the file if it differs, except in check mode, and return what the result says of it."""
        exported = export_variables(objects, self._task.args.get("read_only_vhosts") or ())
        text, mode = _export_file.text_of(exported, name), self._task.args.get("mode")
        try:
            found = _export_file.read(path)
            if found.server not in ("", name):
                raise OmeError(
                    "bad_input",
                    f"export to {path}",
                    detail=f"It is the export of another server, {found.server}, which it would overwrite.",
                    remedy="Put inventory_hostname into the name of the file, or remove the file. Nothing was written.",
                )
            changed, copy = found.text != text, ""
            if changed and not self._task.check_mode:
                copy = _export_file.write(path, text, None if mode is None else mode_of(mode), found)
        except FileExistsError:
            raise OmeError(
                "bad_input",
                f"export to {path}",
                detail="Another server has just written its export there.",
                remedy="Put inventory_hostname into the name of the file. Nothing was written.",
            ) from None
        except OSError as error:
            raise OmeError("bad_input", f"write {path}", detail=f"{error.strerror or error}.") from None
        summary = _export_file.summary_of(exported, path, predicted=changed and bool(self._task.check_mode))
        result: dict[str, t.Any] = {"changed": changed, **summary}
        if copy:
            result["backup_file"] = copy
        if changed and not found.edited:
            result["diff"] = {"before": found.text or "", "after": text, "before_header": path, "after_header": path}
        return result
