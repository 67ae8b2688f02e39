# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of action plugins that read a server and write a file with its variables on the controller."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError, Refusal
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _written_file
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction


class FileAction(InProcessAction):
    """Action plugin of a module that writes a file on the controller."""

    _supports_async = False

    def result_of(self, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        name = str(variables.get("inventory_hostname", "localhost"))
        path, problem = _written_file.place_of(name, str(self._task.args.get("dest", "")))
        if problem:
            raise Refusal("choose the file", problem, "Nothing was written.")
        return self.read_and_write(name, path, lambda: super(FileAction, self).result_of(variables))

    def read_and_write(self, name: str, path: str, read: t.Callable[[], dict[str, t.Any]]) -> dict[str, t.Any]:
        """Return the result of the task. Raises OmeError.

        ``name`` is that of the server in the inventory, ``path`` that of the file. ``read`` runs the module with the
        options that the task has then, and returns its result.
        """
        raise NotImplementedError

    def written(
        self, text: str, name: str, path: str, *, mode: int | None, is_shown: t.Callable[[str | None], bool]
    ) -> dict[str, t.Any]:
        """Write the file if it differs, except in check mode, and return what the result says of that.

        :param mode: of the file; None for that of the system or of the file that is there.
        :param is_shown: whether a diff may show a text that nobody has edited.
        """
        try:
            found = _written_file.read(path)
            if found.server not in ("", name):
                raise OmeError(
                    "bad_input",
                    f"write {path}",
                    detail=f"It is the file of another server, {found.server}, which it would overwrite.",
                    remedy="Put inventory_hostname into the name of the file, or remove the file. Nothing was written.",
                )
            changed, copy = found.text != text, ""
            if changed and not self._task.check_mode:
                copy = _written_file.write(path, text, mode, found)
        except FileExistsError:
            raise OmeError(
                "bad_input",
                f"write {path}",
                detail="Another server has just written its file there.",
                remedy="Put inventory_hostname into the name of the file. Nothing was written.",
            ) from None
        except OSError as error:
            raise OmeError("bad_input", f"write {path}", detail=f"{error.strerror or error}.") from None
        result: dict[str, t.Any] = {"changed": changed}
        if copy:
            result["backup_file"] = copy
        if changed and not found.edited and is_shown(found.text) and is_shown(text):
            result["diff"] = {"before": found.text or "", "after": text, "before_header": path, "after_header": path}
        return result
