# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read a server with the module `export`, and write what it has as variables to a file on the controller."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.new_files import mode_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.export import OBJECTS, Export
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _export_file
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._export_variables import export_variables
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._file_action import FileAction


class ActionModule(FileAction):
    """Action plugin of the module `export`."""

    operation = Export

    def read_and_write(self, name: str, path: str, read: t.Callable[[], dict[str, t.Any]]) -> dict[str, t.Any]:
        mode = self._task.args.get("mode")
        number = None if mode is None else mode_of(mode)
        if mode is not None and number is None:
            raise BadInput("mode", f'expected a mode in quotes, such as "0640", got {mode!r}')
        result = read()
        objects = result.pop(OBJECTS, None)
        if result.get("failed") or objects is None:
            return result
        exported = export_variables(objects, self._task.args.get("read_only_vhosts") or ())
        text = _export_file.text_of(exported, name)
        written = self.written(text, name, path, mode=number, is_shown=lambda _text: True)
        predicted = written["changed"] and bool(self._task.check_mode)
        return {**result, **written, **_export_file.summary_of(exported, path, predicted=predicted)}
