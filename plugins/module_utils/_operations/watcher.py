# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `watcher`: a program that restores a server after each of its restarts, and its timer.

A timer of systemd starts it every few seconds. Two watchers of one host are changed one after the other.
"""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
import typing as t

from .._config.atomic_files import locked
from .._core.context import Context
from .._core.errors import BadInput, OmeError, Refusal
from .._core.texts import named, shortened
from .._host import commands, watcher_place
from .._host.own_files import CHANGED, CREATED, REMOVED, OwnFile, text_problem
from .._host.watcher_place import BACKOFF, INVENTORY, PROGRAM, SETTINGS, Place, uid_of
from .base import TEXT, Operation, Params, Result, state_option

PLAYBOOK = "streamops.ovenmediaengine.provision"
_UNIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PATH = re.compile(r"/[^\s%$\"'\\]+")
_LONGEST_SAID = 600  # characters of what a program said
_UPDATED, _INSTALLED, _UNCHANGED, _ABSENT = "updated", "installed", "unchanged", "absent"


@contextlib.contextmanager
def _reported() -> t.Iterator[None]:
    """Let what the host refuses end the task with an error."""
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise OmeError("host", "manage the watcher", detail=f"{where}{error.strerror or error}.") from None


class Watcher(Operation):
    """The operation of the module `watcher`."""

    has_connection = False
    masked_results = ("diff",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "name": {"type": "str", "required": True},
            "state": state_option("present", "absent"),
            "unit": {"type": "str", "required": True},
            "directory": {"type": "str", "required": True},
            "unit_dir": {"type": "str", "default": "/etc/systemd/system"},
            "python": {"type": "str", "default": "/usr/bin/python3"},
            "user": {"type": "str", "default": "root"},
            "interval": {"type": "int", "default": 10},
            "timeout": {"type": "float", "default": 5.0},
            "run_timeout": {"type": "int", "default": 300},
            "retry_seconds": {"type": "int", "default": 30},
            "retry_max_seconds": {"type": "int", "default": 600},
            "inventory": {"type": "str", "default": ""},
            "arguments": {"type": "list", "elements": "str", "default": []},
            "environment": {"type": "dict", "default": {}},
            "settings_content": {"type": "str", "no_log": True},
            "inventory_content": {"type": "str", "no_log": True},
            "program_content": TEXT,
        }

    @property
    def _present(self) -> bool:
        return bool(self.params["state"] == "present")

    def check(self) -> None:
        for option in ("name", "unit"):
            if not _UNIT.fullmatch(self.params[option]):
                expected = "expected ASCII letters, digits, '.', '_' and '-', because it is in the name of a unit"
                raise BadInput(option, f"{expected}, got {self.params[option]!r}")
        for option in ("directory", "unit_dir", "python"):
            if not _PATH.fullmatch(self.params[option]):
                expected = "expected an absolute path without blanks, quotes, backslashes, '%' and '$'"
                raise BadInput(option, f"{expected}, because it is in a unit, got {self.params[option]!r}")
        problem = text_problem("user", self.params["user"])
        if problem:  # With a line break, it would become another setting of the unit.
            raise BadInput("user", f"expected {problem}, got {self.params['user']!r}")
        if not self._present:
            return
        for option in ("interval", "timeout", "run_timeout", "retry_seconds"):
            if not self.params[option] > 0:
                raise BadInput(option, f"expected a positive number of seconds, got {self.params[option]:g}")
        if self.params["retry_max_seconds"] < self.params["retry_seconds"]:
            raise BadInput("retry_max_seconds", f"expected at least {named('retry_seconds')}")

    def run(self, api: t.Any, context: Context) -> Result:
        with _reported():
            self._place()
            if self._present:
                self._check_playbook()
            with locked(self.params["unit_dir"], context):
                place = self._place()  # Another task can have used it meanwhile.
                return self._installed(place, context) if self._present else self._removed(place, context)

    def _place(self) -> Place:
        """Return the directory and the units. Raises BadInput if they cannot be used."""
        place = Place(*(self.params[option] for option in ("name", "directory", "unit", "unit_dir")))
        place.check(self.params["user"], self.params["inventory"], present=self._present)
        return place

    def _check_playbook(self) -> None:
        """Raise Refusal if the playbook cannot be run: such a watcher would fail only after a restart."""
        name, python = self.params["name"], self.params["python"]
        inventory = ("-i", self.params["inventory"] or f"{name},", "--limit", name, *self.params["arguments"])
        ended = commands.run(
            *(python, "-m", "ansible", "playbook", "--syntax-check", PLAYBOOK, *inventory),
            environment={key: str(value) for key, value in self.params["environment"].items()},
        )
        if ended.status:
            said = shortened(ended.said, _LONGEST_SAID)
            raise Refusal(
                "install the watcher",
                f"{python} cannot run the playbook {PLAYBOOK} on the host of the watcher: {said} Install ansible-core "
                "and this collection there, or correct python, inventory or arguments.",
                "Nothing was changed.",
            )

    def _installed(self, place: Place, context: Context) -> Result:
        uid, directory = uid_of(self.params["user"]), self.params["directory"]
        contents = {SETTINGS: self.params["settings_content"], INVENTORY: self.params["inventory_content"]}
        secret = [
            OwnFile(posixpath.join(directory, name), content or None, 0o600, uid, secret=True)
            for name, content in contents.items()
        ]
        program = OwnFile(posixpath.join(directory, PROGRAM), self.params["program_content"])
        service, timer = (
            OwnFile(path, text(self.params))
            for path, text in zip(place.units, (watcher_place.service, watcher_place.timer))
        )
        # The settings say to whom the directory belongs, so that they come first.
        files = [secret[0], program, secret[1], service, timer]
        states = {file.path: state for file in files if (state := file.state())}
        made = place.found is None or place.found.st_uid != uid
        if made:
            states[directory] = CREATED if place.found is None else CHANGED
        given = [path for path in place.files if os.stat(path).st_uid != uid and path not in states]
        states.update(dict.fromkeys(given, CHANGED))
        found = os.path.exists(timer.path)
        result = self._result(states, files)
        if not context.check_mode:
            if made:
                self._make_directory(uid)
            for path in given:
                os.chown(path, uid, -1)
            for file in files:
                if file.path in states:
                    file.place()
            if any(file.path in states for file in secret):  # What was corrected is tried at once.
                OwnFile(posixpath.join(directory, BACKOFF), None).place()
        started = self._started(timer.path, states, place, context) if found or not context.check_mode else True
        changed = bool(states) or started
        action = (_UPDATED if found else _INSTALLED) if changed else _UNCHANGED
        return {**result, "changed": changed, **self.summary(self.params, action, changed and context.check_mode)}

    def _make_directory(self, uid: int) -> None:
        """Make the directory; the mode of one that somebody else has made is left alone."""
        directory = self.params["directory"]
        os.makedirs(posixpath.dirname(directory) or "/", exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(directory, 0o700)
        os.chown(directory, uid, -1)

    def _started(self, path: str, states: Params, place: Place, context: Context) -> bool:
        """Start the timer, now and with the host; return whether that changes anything, or would in check mode."""
        timer = posixpath.basename(path)
        known = commands.properties(timer, "ActiveState", "UnitFileState", "NeedDaemonReload")
        outdated = known["NeedDaemonReload"] == "yes"
        restarts = path in states or outdated
        steps: list[t.Literal["enable", "start", "restart"]] = []
        if known["UnitFileState"] != "enabled":
            steps.append("enable")
        if restarts or known["ActiveState"] != "active":
            steps.append("restart" if restarts else "start")
        if not context.check_mode:
            if outdated or any(unit in states for unit in place.units):
                commands.reload_units()
            for step in steps:
                commands.act(step, timer)
        return bool(steps)

    def _removed(self, place: Place, context: Context) -> Result:
        service, timer = place.units
        paths = [path for path in (timer, service) if os.path.exists(path)] + place.files
        files = [OwnFile(path, None, secret=path in place.files) for path in paths]
        states = dict.fromkeys(paths, REMOVED)
        if place.removable and place.found is not None:
            states[self.params["directory"]] = REMOVED
        result = self._result(states, files)
        if not context.check_mode and states:
            self._stop(service, timer)
            for file in files:
                file.place()
            if place.removable:
                os.rmdir(self.params["directory"])
            commands.reload_units()
            commands.forget_failure(posixpath.basename(service))
        action = REMOVED if states else _ABSENT
        return {
            **result,
            "changed": bool(states),
            **self.summary(self.params, action, bool(states) and context.check_mode),
        }

    def _stop(self, service: str, timer: str) -> None:
        """Stop the timer, and end a playbook that the service runs."""
        if os.path.exists(timer):
            commands.act("disable", posixpath.basename(timer))
            commands.act("stop", posixpath.basename(timer))
        if os.path.exists(service):
            commands.act("stop", posixpath.basename(service))

    def _result(self, states: Params, files: t.Iterable[OwnFile]) -> Result:
        """Return which files change, and their diff, before they do."""
        shown = {file.path: file.shown() for file in files if file.path in states}
        return {
            "files": [{"path": path, "state": state} for path, state in sorted(states.items())],
            "diff": {
                "before": {path: before for path, (before, _after) in shown.items()},
                "after": {path: after for path, (_before, after) in shown.items()},
            },
        }

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        return cls.summary(options, "failed")

    @staticmethod
    def summary(params: Params, action: str, predicted: bool = False) -> Result:
        """Return the part of a result that says what was done. The options can be those of a task that has failed."""
        unit = str(params.get("unit", ""))
        would = "would be " if predicted else ""
        return {"action": action, "unit": unit, "line": f"watcher {unit} {would}{action}"}
