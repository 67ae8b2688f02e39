# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options `durable` and `config_dir`, and what they add to a result.

Operations import what handles files only if a task is durable: most are not, and a managed host compiles each file that
is imported.
"""

from __future__ import annotations

import os
import typing as t

from .._core.context import Context
from .._core.errors import BadInput
from .._reconcile.plan import UNCHANGED
from .._reconcile.predicted import Predicted
from .base import FLAG, Params, Result

DURABLE = {"durable": FLAG, "config_dir": {"type": "path"}}


def check_durable(params: Params) -> None:
    """Raise BadInput if the configuration directory is missing or cannot be one."""
    if not params["durable"]:
        return
    if not params["config_dir"]:
        raise BadInput("config_dir", "is required if durable is true")
    if not os.path.isabs(params["config_dir"]) or not params["config_dir"].isprintable():
        raise BadInput("config_dir", "expected the absolute path of the server's configuration directory")


def predicted_files(params: Params, context: Context) -> Predicted:
    """Return what is known of the files that earlier tasks would have written if they were not in check mode.

    Outside of check mode they have written them.
    """
    return Predicted(params.get("predicted") if context.check_mode else ())


class _Writer(t.Protocol):
    files: dict[str, str]
    diff: dict[str, dict[str, list[str]]]


class _Durable(t.Protocol):
    @property
    def writer(self) -> _Writer:
        """Return what has written the files."""

    @property
    def restart_required(self) -> bool:
        """Return whether something is as desired only after a restart."""


def with_files(result: Result, durable: _Durable | None) -> Result:
    """Return the result of a task with the files that it has, or in check mode would have, written."""
    if durable is None:
        return result
    files = durable.writer.files
    result["changed"] = result["changed"] or any(state != UNCHANGED for state in files.values())
    result["files"] = [{"path": path, "state": state} for path, state in files.items()]
    result["restart_required"] = durable.restart_required
    for side, texts in durable.writer.diff.items():
        result["diff"][side].update(texts)
    return result
