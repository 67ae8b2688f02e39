# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation and the argument spec of each module, by the name of the module."""

from __future__ import annotations

import importlib
import typing as t
from pathlib import Path

from ansible_collections.streamops.ovenmediaengine.plugins import action
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.base import Operation
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import options

_MODULES = Path(__file__).resolve().parents[2] / "plugins" / "modules"


def _operation_of(module: str) -> type[Operation]:
    """Return the operation that the action plugin of a module runs."""
    plugin = importlib.import_module(f"{action.__name__}.{module}")
    operation: type[Operation] = plugin.ActionModule.operation
    return operation


OPERATIONS: dict[str, type[Operation]] = {
    path.stem: _operation_of(path.stem) for path in sorted(_MODULES.glob("[!_]*.py"))
}

CONNECTED = tuple(name for name, operation in OPERATIONS.items() if operation.has_connection)
"""The modules that have connection options."""


def argument_spec(module: str) -> dict[str, t.Any]:
    """Return the argument spec of a module by its name."""
    return options.argument_spec(OPERATIONS[module])
