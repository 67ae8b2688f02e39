# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads a configuration directory as the module config_import does."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._import_variables import import_config

VARIABLES = ("api_token", "server", "environment", "logger", "vhosts", "push_tasks", "records")


class _Loader(yaml.SafeLoader):
    """As Ansible reads it: a text that is marked as unsafe is a text."""


_Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))


def find(folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return what `find` returns for a directory, and the targets of its links."""
    paths = sorted(Path(around) / name for around, folders, files in os.walk(folder) for name in [*folders, *files])
    files = [
        {
            "path": str(path),
            "isreg": path.is_file() and not path.is_symlink(),
            "islnk": path.is_symlink(),
            "size": path.lstat().st_size,
        }
        for path in paths
    ]
    return files, {str(path): os.path.realpath(path) for path in paths if path.is_symlink()}


def slurp(folder: Path, name: str) -> dict[str, Any]:
    """Return what `slurp` returns for a file; an absolute path is one with environment variables."""
    if not (folder / name).exists():
        return {"item": name, "failed": True, "msg": f"file not found: {name}"}
    data = (folder / name).read_bytes()
    return {"item": name, "content": base64.b64encode(data).decode(), "encoding": "base64"}


def read(folder: Path, **options: Any) -> dict[str, Any]:
    """Return the result of the filter after all rounds of reading."""
    files, links = find(folder)
    contents: list[dict[str, Any]] = []
    for _round in range(10):
        result: dict[str, Any] = import_config(contents, str(folder), files, links, **options)
        if not result["needed"]:
            return result
        contents += [slurp(folder, name) for name in result["needed"]]
    raise AssertionError(f"still needed: {result['needed']}")


def load(result: dict[str, Any]) -> dict[str, Any]:
    """Return the variables of a result."""
    assert result["problems"] == []
    found: dict[str, Any] = {}
    for kind in VARIABLES:
        found.update(yaml.load(result[kind], _Loader) or {})
    return found


def options(variables: dict[str, Any]) -> dict[str, Any]:
    """Return variables as options of the module server_config."""
    server = dict(variables["server_settings"])
    if "ovenmediaengine_api_token" in variables:
        api = {**server["managers"]["api"], "access_token": variables["ovenmediaengine_api_token"]}
        server["managers"] = {**server["managers"], "api": api}
    return {
        "server": server,
        "logger": variables.get("server_logger"),
        **{kind: variables[f"ovenmediaengine_{kind}"] for kind in ("vhosts", "push_tasks", "records")},
    }
