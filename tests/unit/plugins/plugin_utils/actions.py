# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run an action plugin inside of the test process, with the objects that ansible-core passes to it."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace
from typing import Any

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

COLLECTION = "streamops.ovenmediaengine"
VARIABLES: dict[str, Any] = {
    "ansible_playbook_python": sys.executable,
    "ansible_python_interpreter": sys.executable,
    "ansible_inject_invocation": True,  # needed from ansible-core 2.21 on
}


def action_class(module: str) -> Any:
    """Return the action plugin of a module."""
    return importlib.import_module(f"ansible_collections.{COLLECTION}.plugins.action.{module}").ActionModule


def action(
    module: str,
    options: dict[str, Any],
    variables: dict[str, Any] | None = None,
    *,
    connection: dict[str, Any] | None = None,
    **task: Any,
) -> Any:
    """Return the action of a task on the controller.

    :param connection: attributes of the connection that differ from the usual ones.
    :param task: attributes of the task that differ from the usual ones.
    """
    usual = {
        "action": f"{COLLECTION}.{module}",
        "args": options,
        "async_val": 0,
        "environment": None,
        "delegate_to": None,
        "check_mode": False,
        "no_log": False,
        "get_search_path": list,
    }
    return action_class(module)(
        task=SimpleNamespace(**{**usual, **task}),
        connection=SimpleNamespace(**{"transport": "local", "become": None, **(connection or {})}),
        play_context=None,
        loader=DataLoader(),
        templar=Templar(loader=DataLoader(), variables={**VARIABLES, **(variables or {})}),
        shared_loader_obj=None,
    )


def run(
    module: str, options: dict[str, Any], variables: dict[str, Any] | None = None, **changes: Any
) -> dict[str, Any]:
    """Return the result of a task on the controller."""
    result: dict[str, Any] = action(module, options, variables, **changes).run(
        task_vars={**VARIABLES, **(variables or {})}
    )
    return result
