# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `recorded_files`: remove old recordings and orphans, run a hook for ended files."""

from __future__ import annotations

import os
import typing as t

from .._config.atomic_files import locked, remove_leftovers
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.texts import encodable, listed
from .._host.own_files import is_shared
from .._host.recording_files import OWN, Recordings, Where, remove
from .._host.recording_hooks import Memory, run_hook, waiting
from .._host.recording_retention import Limits, Plan, plan
from .base import FLAG, NAMES, Operation, Params, Result
from .recorded import (
    check_files_options,
    described_file,
    described_indexes,
    files_options,
    found_in,
    place_of,
    reported,
)

STATE_FILE = f"{OWN}-recorded.json"
_LONGEST_HOOK = 7 * 86400  # seconds
_PENDING = "waiting"  # what the result says of a hook in check mode


class RecordedFiles(Operation):
    """The operation of the module `recorded_files`."""

    has_connection = False
    outlives_connection = True

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        limits = {"days": {"type": "float"}, "gigabytes": {"type": "float"}}
        return {
            **files_options(),
            "keep": {"type": "dict", "options": limits},
            "orphans": FLAG,
            "orphan_hours": {"type": "float", "default": 24.0},
            "hook": NAMES,
            "hook_timeout": {"type": "float", "default": 3600.0},
            "state_file": {"type": "path"},
        }

    def check(self) -> None:
        check_files_options(self.params)
        directory = os.path.realpath(self.params["directory"])
        if is_shared(directory):
            raise BadInput("directory", f"expected a directory of recordings, got {directory}, which others use, too")
        for limit, value in (self.params["keep"] or {}).items():
            if value is not None and not 0 < value < float("inf"):
                raise BadInput(f"keep.{limit}", f"expected a positive number, got {value:g}")
        for option, most in (("orphan_hours", float("inf")), ("hook_timeout", _LONGEST_HOOK)):
            if not 0 < self.params[option] <= most:
                raise BadInput(option, f"expected a positive number, at most {most:g}, got {self.params[option]:g}")
        hook = self.params["hook"]
        if hook and (not hook[0].startswith("/") or any("\0" in one for one in hook)):
            raise BadInput("hook", f"expected the absolute path of a program first, got {hook[0]!r}")
        state = self.params["state_file"]
        if state is not None and (not state.startswith("/") or "\0" in state):
            raise BadInput("state_file", f"expected an absolute path, got {state!r}")

    def run(self, api: t.Any, context: Context) -> Result:
        where = place_of(self.params)
        with reported(f"read {where.directory}"):
            os.listdir(where.directory)  # The lock needs it.
        with reported(f"manage the recordings in {where.directory}"), locked(where.directory, context):
            found = found_in(where, self.params, context)
            memory, hooks = self._run_hooks(found, where, context)
            pending: t.Container[str] = ()
            if hooks and memory is not None and not context.check_mode:
                found = found_in(where, self.params, context)  # A hook can move its file.
                pending = {file.relative for file in waiting(found.files, memory)}
            planned = plan(found.files, self._limits(), context.now(), pending, found.knows_open_files)
            return self._finished(planned, found, hooks, where, context)

    def _limits(self) -> Limits:
        keep = self.params["keep"] or {}
        hours = self.params["orphan_hours"] if self.params["orphans"] else None
        return Limits(keep.get("days"), keep.get("gigabytes"), hours, self.params["quiet_seconds"])

    def _run_hooks(
        self, found: Recordings, where: Where, context: Context
    ) -> tuple[Memory | None, list[dict[str, t.Any]]]:
        """Run the hook for each file that needs it; return its memory, if there is a hook, and what was done.

        Raise OmeError if the memory cannot be read, and OSError if it cannot be written.
        """
        hook = self.params["hook"]
        if not hook:
            return None, []
        path = self.params["state_file"] or os.path.join(where.directory, STATE_FILE)
        memory = Memory.read(path)
        hooks = []
        files = waiting(found.files, memory)
        if not context.check_mode:
            remove_leftovers(os.path.dirname(path), 0)
            if files:
                memory.write()  # so that no hook runs whose success could not be remembered
        for file in files:
            error = "" if context.check_mode else run_hook(hook, where.directory, file, self.params["hook_timeout"])
            if not error and not context.check_mode:
                memory.add(file)
            action = _PENDING if context.check_mode else "failed" if error else "ran"
            shown = described_file(file, where)["path"]
            hooks.append({"path": shown, "action": action, "error": encodable(error) or None})
        if found.has_all_indexes and not context.check_mode:
            memory.forget(found.named)
        return memory, hooks

    def _finished(
        self, planned: Plan, found: Recordings, hooks: list[dict[str, t.Any]], where: Where, context: Context
    ) -> Result:
        """Remove what is planned, and return the result."""
        removed, failures = [], []
        kept = [{"path": described_file(one.file, where)["path"], "reason": one.reason} for one in planned.kept]
        left = planned.listed_bytes
        for removal in planned.removals:
            shown = {**described_file(removal.file, where), "reason": removal.reason}
            try:
                done = context.check_mode or remove(where.directory, removal.file)
            except OSError as error:
                failures.append(f"{shown['path']} ({error.strerror or error})")
                continue
            if not done:
                kept.append({"path": shown["path"], "reason": "has changed or vanished meanwhile"})
                continue
            removed.append(shown)
            left -= removal.file.status.st_size if removal.file.entry is not None else 0
        unknown = sum("examined" in one.reason for one in planned.kept)
        if unknown:
            context.warn(
                f"{unknown} orphans in {where.directory} were left, because this user cannot see which files all "
                "processes have open. Run the task as root."
            )
        freed = sum(one["size"] for one in removed)
        result = {
            "changed": bool(removed) or any(one["action"] != "failed" for one in hooks),
            "directory": encodable(where.directory),
            "removed": removed,
            "freed_bytes": freed,
            "left_bytes": left,
            "kept": kept,
            "hooks": hooks,
            "index_files": described_indexes(found, where),
            "diff": {"before": "".join(f"{one['path']}\n" for one in removed), "after": ""},
        }
        failed = [one for one in hooks if one["error"]]
        line = _line(where.directory, len(removed), freed, hooks, predicted=context.check_mode)
        return {**result, "line": line, **_failure(failed, failures, where)}

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        return {"line": f"recordings {options.get('directory', '')}: failed"}


def _line(directory: str, count: int, freed: int, hooks: t.Sequence[Params], *, predicted: bool) -> str:
    """Return the summary as one line."""
    would = "would be " if predicted else ""
    parts = [f"{count} files {would}removed, {freed / 10**9:.1f} GB {would}freed"]
    failed = sum(one["action"] == "failed" for one in hooks)
    if hooks:
        parts.append(f"hook {would}run for {len(hooks)} files")
    if failed:
        parts.append(f"{failed} of them failed")
    return encodable(f"recordings {directory}: {', '.join(parts)}")  # type: ignore[no-any-return]


def _failure(hooks: t.Sequence[Params], removals: t.Sequence[str], where: Where) -> Result:
    """Return what makes the result a failure; empty if nothing failed."""
    details = []
    if hooks:
        shown = listed([f"{one['path']} ({one['error']})" for one in hooks])
        details.append(f"The hook failed for {len(hooks)} files: {shown}. They are not removed.")
    if removals:
        details.append(f"{len(removals)} files could not be removed: {listed(removals)}.")
    if not details:
        return {}
    remedy = "Correct the cause and run the task again: it repeats what failed."
    attempt = encodable(f"manage the recordings in {where.directory}")
    error = OmeError("host", attempt, detail=" ".join(details), remedy=remedy)
    failure = error.as_failure()
    return {key: failure[key] for key in ("failed", "msg", "error")}
