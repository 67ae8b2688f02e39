# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make the files of a watcher from variables of the role `provision`, and run the module `watcher` with them."""

from __future__ import annotations

import pathlib
import re
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import Refusal
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.watcher import Watcher
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._watcher_files import (
    variables_of_provision,
    watcher_files,
)

_PROGRAM = pathlib.Path(__file__).parents[2] / "roles" / "watch" / "files" / "watch.py"
_PREFIX = "ovenmediaengine_"
_FILES = ("ca_path", "client_cert", "client_key")
_SETTINGS = ("directory", "python", "inventory", "arguments", "environment")
_SECONDS = ("timeout", "run_timeout", "retry_seconds", "retry_max_seconds")


class ActionModule(InProcessAction):
    """Action plugin of the module `watcher`."""

    operation = Watcher

    def prepared(self, options: dict[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with the contents of files. Raises Refusal if the watcher could not reach the server."""
        return options if options.get("state") == "absent" else {**options, **self._contents(options, variables)}

    def _contents(self, options: t.Mapping[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, str]:
        """Return what the files of the watcher hold. Raises Refusal if the watcher could not reach the server."""
        known = {
            name: self._templar.template(variables[name]) for name in variables_of_provision() if name in variables
        }
        self._check_connection(known)
        specs = Watcher.options()
        given = {name: options.get(name, specs[name].get("default", "")) for name in (*_SETTINGS, *_SECONDS)}
        try:
            seconds = {name: float(given[name]) if name == "timeout" else int(given[name]) for name in _SECONDS}
        except (TypeError, ValueError):
            return {}  # The check of the argument spec says it.
        try:
            files = watcher_files(str(options.get("name", "")), known, **{**given, **seconds})
        except TypeError:
            text = f"{_PREFIX}validate_certs: expected a boolean."
            raise Refusal("install the watcher", text, "Nothing was changed.") from None
        return {
            "settings_content": files["settings"],
            "inventory_content": "" if given["inventory"] else files["inventory"],
            "program_content": _PROGRAM.read_text(encoding="utf-8"),
        }

    def _check_connection(self, known: t.Mapping[str, t.Any]) -> None:
        attempt, untouched = "install the watcher", "Nothing was changed."
        url, token = (str(known.get(f"{_PREFIX}{name}") or "") for name in ("api_url", "api_token"))
        if not re.match(r"https?://[^/]", url) or not token:
            text = (
                f"{_PREFIX}api_url or {_PREFIX}api_token is missing or invalid. The watcher has no environment "
                "variables that could replace them. Set both, the address with http:// or https://."
            )
            raise Refusal(attempt, text, untouched)
        for name in _FILES:
            path = known.get(f"{_PREFIX}{name}")
            if path and not str(path).startswith("/"):
                text = f"{_PREFIX}{name} has to be an absolute path on the host of the watcher. Correct it."
                raise Refusal(attempt, text, untouched)
