# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of the module `certificates`: put certificate files into place, reload, prove, or undo.

It validates the files of all virtual hosts before it changes anything, and then rotates one virtual host after the
other. The first that fails ends it.
"""

from __future__ import annotations

import contextlib
import grp
import posixpath
import pwd
import typing as t

from .._api.client import Api
from .._certificates import turn as ending
from .._certificates.installation import Ownership
from .._certificates.new_files import Validator, check_entry, mode_of
from .._certificates.turn import Policy, Turn
from .._config.atomic_files import locked, remove_leftovers
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore
from .base import FLAG, TEXT, WAIT_TIMEOUT, Operation, Params, Result, check_name, check_wait_timeout, list_of
from .certificates import (
    CHAIN_OPTIONS,
    ENDPOINTS,
    ENTRY,
    ENTRY_PATH,
    check_authorities,
    check_endpoint,
    check_path,
    settings_of,
)

_MOST_IDS = 2**32 - 1
"""Users and groups have lower numbers; this one means none."""
_ACCEPTED = ["name_not_covered", "chain_order", "chain_in_certificate", "not_yet_valid"]


class Certificates(Operation):
    """The operation of the module `certificates`."""

    masked_results = ("diff",)
    # It has to finish, or to undo, although nobody waits for its result any more.
    outlives_connection = True

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "certificates": list_of(ENTRY),
            "remote_src": FLAG,
            "endpoints": ENDPOINTS,
            "owner": TEXT,
            "group": TEXT,
            "mode": {"type": "raw", "default": "0644"},
            "key_mode": {"type": "raw", "default": "0600", "no_log": False},
            "backups": {"type": "int", "default": 3},
            "accept": {"type": "list", "elements": "str", "choices": _ACCEPTED, "default": []},
            "min_days_left": {"type": "int", "default": 0},
            "check_endpoints_first": {"type": "bool", "default": True},
            "wait_timeout": WAIT_TIMEOUT,
            **CHAIN_OPTIONS,
        }

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        entries = options.get("certificates")
        listed = entries if isinstance(entries, list) else ()
        names = [str(one["vhost"]) for one in listed if isinstance(one, dict) and "vhost" in one]
        return _summary(dict.fromkeys(names, ending.UNTOUCHED), check_mode=check_mode)

    def collect_secrets(self, secrets: SecretStore) -> None:
        secrets.add(*(entry["private_key_content"] for entry in self.params["certificates"]))

    def check(self) -> None:
        seen = set()
        for index, entry in enumerate(self.params["certificates"]):
            path = f"certificates[{index}]"
            check_name(entry["vhost"], f"{path}.vhost")
            if entry["vhost"] in seen:
                raise BadInput(f"{path}.vhost", "expected each virtual host once")
            seen.add(entry["vhost"])
            for option, spec in ENTRY.items():
                if spec is ENTRY_PATH and not (option == "chain" and entry[option] == ""):
                    check_path(entry[option], f"{path}.{option}")
            check_entry(entry, path)
            self._check_endpoints(entry, path)
        for option in ("mode", "key_mode"):
            if mode_of(self.params[option]) is None:
                expected = 'expected a mode in quotes, such as "0640"'
                raise BadInput(option, f"{expected}, got {self.params[option]!r}")
        for option in ("backups", "min_days_left"):
            if self.params[option] < 0:
                raise BadInput(option, f"expected a whole number, 0 or more, got {self.params[option]}")
        check_wait_timeout(self.params)
        check_authorities(self.params)
        self._ownership()

    def _check_endpoints(self, entry: Params, path: str) -> None:
        own = entry["endpoints"] is not None
        endpoints = entry["endpoints"] if own else self.params["endpoints"]
        option = f"{path}.endpoints" if own else "endpoints"
        if not endpoints:
            raise BadInput(option, "expected at least one, because only a handshake shows what is served")
        for index, endpoint in enumerate(endpoints):
            check_endpoint(endpoint, f"{option}[{index}]")

    def _ownership(self) -> Ownership:
        """Return the IDs of owner and group. Raises BadInput if the host does not know one."""
        uid = _id_of(self.params["owner"], "owner", "user", lambda name: pwd.getpwnam(name).pw_uid)
        gid = _id_of(self.params["group"], "group", "group", lambda name: grp.getgrnam(name).gr_gid)
        return Ownership(uid, gid)

    def run(self, api: Api, context: Context) -> Result:
        settings = settings_of(self.params)
        policy = Policy(
            self._ownership(),
            settings,
            self.params["wait_timeout"],
            self.params["backups"],
            self.params["check_endpoints_first"],
        )
        turns: list[Turn] = []
        failure: OmeError | None = None
        try:
            entries = Validator(self.params, settings, api, context).validated()
            folders = {posixpath.dirname(one.file.path) for entry in entries for one in entry.destinations}
            with contextlib.ExitStack() as stack:
                for folder in sorted(folders):
                    stack.enter_context(locked(folder, context))
                    if not context.check_mode:
                        remove_leftovers(folder, deepest=0)
                replaced: dict[t.Hashable, str] = {}
                for entry in entries:
                    turns.append(Turn(entry, policy, api, context))
                    turns[-1].take(replaced)
                    for change in turns[-1].changes:
                        if change.replaces:
                            replaced.setdefault(change.identity, entry.vhost)
        except OmeError as error:
            failure = error
        return self._result(turns, failure, context)

    def _result(self, turns: t.Sequence[Turn], failure: OmeError | None, context: Context) -> Result:
        actions = {entry["vhost"]: ending.UNTOUCHED for entry in self.params["certificates"]}
        actions.update({turn.entry.vhost: turn.action for turn in turns})
        results = [_entry_of(turn, context) for turn in turns]
        titles = {turn.entry.vhost: [str(report.endpoint) for report in turn.entry.rotation.reports] for turn in turns}
        diff: dict[str, t.Any] = {"before": {}, "after": {}}
        for turn, one in zip(turns, results):
            if one["changed"]:
                old = {change.path: _shown(change.before.content, change.before.mode) for change in turn.changes}
                new = {
                    change.path: _shown(change.content, change.access.mode, change.before.content)
                    for change in turn.changes
                }
                for side, files in (("before", old), ("after", new)):
                    ends = (endpoint[side] for endpoint in one["endpoints"])
                    diff[side][one["vhost"]] = {"files": files, "served": dict(zip(titles[one["vhost"]], ends))}
        result: Result = {
            "changed": any(one["changed"] for one in results),
            **_summary(actions, check_mode=context.check_mode),
            "results": results,
            "diff": diff,
        }
        if failure is not None:
            result.update(failed=True, msg=str(failure), error=failure.as_result())
        return result


def _id_of(name: str | None, option: str, what: str, known: t.Callable[[str], int]) -> int | None:
    """Return the ID of a user or group, which can be specified by a number; None without one. Raises BadInput."""
    if name is None:
        return None
    try:
        number = int(name) if name.isdecimal() else known(name)
    except (KeyError, ValueError):  # ValueError of a name that no system can have
        number = _MOST_IDS
    if number >= _MOST_IDS:
        raise BadInput(option, f"expected a {what} of the host, got {name!r}")
    return number


def _summary(actions: t.Mapping[str, str], *, check_mode: bool) -> Result:
    listed = ", ".join(f"{vhost} {action}" for vhost, action in sorted(actions.items()))
    begin = "Check mode, this would be done: " if check_mode else ""
    return {"vhosts": dict(actions), "line": f"{begin}certificates: {listed or 'none listed'}"}


def _entry_of(turn: Turn, context: Context) -> dict[str, t.Any]:
    """Return the entry of a result about a virtual host."""
    now, expected = context.now(), turn.entry.expected
    endpoints = [report.as_result(expected, now) for report in turn.entry.rotation.reports]
    changed = turn.action == ending.ROTATED or bool(turn.changes)
    if context.check_mode and changed:
        for one in endpoints:
            one["after"], one["agrees"] = expected.as_result(now), True
    written = {change.path for change in turn.changes}
    return {
        "vhost": turn.entry.vhost,
        "action": turn.action,
        "changed": changed,
        "certificate": turn.entry.certificate.as_result(now),
        "files": [
            {
                "path": one.file.path,
                "changed": one.file.path in written,
                "backup": turn.backups.get(one.file.path),
            }
            for one in turn.entry.destinations
        ],
        "endpoints": endpoints,
    }


def _shown(content: bytes | None, mode: int, before: bytes | None = None) -> str:
    """Return a file as a diff shows it: its mode, and whether it is another than before, but not what it holds."""
    if content is None:
        return "absent"
    return f"mode {mode:04o}" + (", new content" if before is not None and before != content else "")
