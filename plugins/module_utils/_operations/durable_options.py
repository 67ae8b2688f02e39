# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options `durable` and `config_dir`, and what they add to a result.

Operations import what handles files only if a task is durable: most are not, and a managed host compiles each file that
is imported.
"""

from __future__ import annotations

import functools
import os
import typing as t

from .._core.context import Context
from .._core.errors import BadInput
from .._core.texts import named
from .._reconcile.base import UNCHANGED, Predicted
from .base import FLAG, Params, Result

CONFIG_DIR = {"config_dir": {"type": "path"}}
DURABLE = {"durable": FLAG, **CONFIG_DIR}
PATHS_ON_HOST = ("config_dir",)
"""Options that are paths on the host where the task runs. Relative ones are refused on every execution path."""


def check_durable(params: Params) -> None:
    """Raise BadInput if the configuration directory is missing or cannot be one."""
    if params["durable"] and not params["config_dir"]:
        raise BadInput("config_dir", "is required if durable is true")
    check_config_dir(params)


def check_config_dir(params: Params) -> None:
    """Raise BadInput if the configuration directory, if there is one, cannot be one."""
    if params["config_dir"] and (not os.path.isabs(params["config_dir"]) or not params["config_dir"].isprintable()):
        expected = "expected the absolute path of the server's configuration directory on the host where the task runs"
        raise BadInput("config_dir", f"{expected}, such as '/etc/ovenmediaengine'")


def warn_unused(
    params: Params, context: Context, effect: str = "what this task makes is lost when the server restarts"
) -> None:
    """Warn if there is a configuration directory that is not used; ``effect`` says what that means."""
    if params["config_dir"] and not params["durable"]:
        context.warn(f"{named('config_dir')} is not used, because {named('durable')} is false: {effect}.")


def predicted_files(params: Params, context: Context) -> Predicted:
    """Return what is known of the files that earlier tasks would have written if they were not in check mode.

    Outside of check mode they have written them.
    """
    return Predicted(params.get("predicted") if context.check_mode else ())


_Method = t.TypeVar("_Method", bound=t.Callable[..., t.Any])


def with_lock(method: _Method) -> _Method:
    """Let a method of an operation, with a context among its arguments, run while it holds the lock of `config_dir`.

    So what is read of the files stays true until they are written. Only durable tasks, not in check mode, need that.
    """

    @functools.wraps(method)
    def run(self: t.Any, api: t.Any, context: Context, *arguments: t.Any, **options: t.Any) -> t.Any:
        if not self.params["durable"] or context.check_mode:
            return method(self, api, context, *arguments, **options)
        from .._config import atomic_files

        with atomic_files.locked(self.params["config_dir"], context):
            return method(self, api, context, *arguments, **options)

    return t.cast(_Method, run)


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
