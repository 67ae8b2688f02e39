# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that provisions all resources of a server."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.shared_reads import SharedReads
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore
from .._resources import application
from .base import FLAG, Operation, Params, Result, check_wait_timeout, list_of
from .durable_options import DURABLE
from .provision_parts import NAMES, PARTS, PURGED, Part, applications_inside
from .provision_summary import TITLES, provision_summary
from .provision_verify import lost_since
from .results import ManagingOperation

_PAUSE = 1.0  # seconds between two attempts to reach a server
_ATTEMPT = 5.0  # seconds for a response while the task waits for the API


class Provision(Operation):
    """The operation of the module `provision`."""

    masked_results = ("diff",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        lists = {part.name: list_of(part.specs[part.entries]["options"], required=False) for part in PARTS}
        renamed = {name: dict(part.specs[option]) for part in PARTS for option, name in part.renamed.items()}
        return {
            **lists,
            "parts": {"type": "list", "elements": "str", "choices": list(NAMES), "default": list(NAMES)},
            **{f"purge_{name}": FLAG for name in PURGED},
            "purge_everything": FLAG,
            "recreate": FLAG,
            "require_reachable": FLAG,
            **DURABLE,
            "wait_timeout": {"type": "float", "default": 60.0},
            **renamed,
        }

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        return application.expand_bare_names(specified)

    @functools.cached_property
    def work(self) -> list[tuple[Part, ManagingOperation]]:
        """The parts that have something to do, in order, with their operations."""
        inside = applications_inside(self.params) if self.params["purge_applications"] else []
        found = []
        for part in PARTS:
            params = part.params(self.params)
            if part.name == "applications":
                # The virtual hosts have provisioned those inside of them. A purge must list them to keep them.
                params[part.entries] = [*params[part.entries], *inside]
            if params[part.entries] or (part.name == "vhosts" and params["purge"]):
                found.append((part, part.operation(params)))
        return found

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _part, operation in self.work:
            operation.collect_secrets(secrets)

    def check(self) -> None:
        check_wait_timeout(self.params)
        for name in PURGED:
            self._check_purge(name)
        for part, operation in self.work:
            try:
                operation.check()
            except BadInput as error:
                raise part.named(error, operation.entry_of(error.option)) from None

    def _check_purge(self, name: str) -> None:
        """Raise BadInput if a part is to be purged without listed objects."""
        if not self.params[f"purge_{name}"] or self.params[name]:
            return
        if name == "applications" and applications_inside(self.params):
            return
        if self.params[name] is None:
            raise BadInput(f"purge_{name}", f"expected the option {name}, which is not set")
        if not self.params["purge_everything"]:
            text = f"expected entries in {name}, got an empty list; set purge_everything to true if that is meant"
            raise BadInput(f"purge_{name}", text)

    @property
    def needs_server(self) -> bool:
        return bool(self.params["parts"])

    def run(self, api: Api | None, context: Context) -> Result:
        results: dict[str, Result] = {}
        reached: Result = {}
        if api is not None:
            shared = SharedReads.of(api)
            reached = _result_of(lambda: self._wait(shared, context))
            if not reached.get("failed"):
                results = self._run_parts(shared, context)
        return self._report(reached, results, context)

    def _wait(self, api: SharedReads, context: Context) -> Result:
        """Wait for a response of the API, and read the names of the virtual hosts."""
        left = self.params["wait_timeout"]
        deadline = context.clock() + left
        # Retries would wait longer between attempts than this loop does.
        asked = api.with_limits(_ATTEMPT, retries=0) if left > 0 else api
        while True:
            try:
                api.note_virtual_hosts(asked.list_virtual_hosts())
            except OmeError as error:
                left = deadline - context.clock()
                if not error.unanswered or left <= 0:
                    raise
            else:
                return {}
            context.sleep(min(_PAUSE, left))  # a last attempt is made at the deadline
            asked.reset_circuit()

    def _run_parts(self, api: SharedReads, context: Context) -> dict[str, Result]:
        results: dict[str, Result] = {}
        disconnects: dict[str, int] = {}
        for part, operation in self.work:
            if part.name not in self.params["parts"]:
                continue
            api.begin_part()
            _predict(operation, results, context)
            results[part.name] = part.with_names(_result_of(functools.partial(operation.run, api, context)))
            disconnects[part.name] = api.disconnects
            if part.needed and results[part.name].get("failed"):
                break
        if not context.check_mode:
            for part, operation in self.work:
                if disconnects.get(part.name, api.disconnects) < api.disconnects:
                    results[part.name] = lost_since(results[part.name], operation, TITLES[part.name], api, context)
        return results

    def _report(self, reached: Result, results: t.Mapping[str, Result], context: Context) -> Result:
        """Return the result of the task from that of the wait and those of the parts."""
        flat, inside = self.params["applications"] or (), applications_inside(self.params)
        summary = provision_summary(
            reached,
            **self._for_summary(results),
            nested_position=(len(flat), len(inside)) if self.params["purge_applications"] else None,
            check_mode=context.check_mode,
            listed=_listed(self.params),
        )
        parts = {name: {key: value for key, value in one.items() if key != "diff"} for name, one in results.items()}
        result: Result = {
            "changed": any(bool(one.get("changed")) for one in results.values()),
            "parts": parts,
            **summary,
            "diff": {
                side: {name: one["diff"][side] for name, one in results.items() if one.get("diff", {}).get(side)}
                for side in ("before", "after")
            },
        }
        failures = [one for one in (reached, *results.values()) if one.get("failed")]
        if failures:
            result.update(failed=True, msg=" ".join(one["msg"] for one in failures), error=failures[0]["error"])
        return result

    def _for_summary(self, results: t.Mapping[str, Result]) -> dict[str, Result]:
        """Return the result of each part: of one that has not run, why."""
        listed = {part.name for part, _operation in self.work}
        found: dict[str, Result] = {}
        for name in NAMES:
            if name not in self.params["parts"]:
                found[name] = {"not_selected": True}
            else:
                found[name] = results.get(name, {} if name in listed else {"skipped": True})
        return found


def not_run(params: Params, *, check_mode: bool) -> Result:
    """Return the summary of a task that failed before it sent anything; ``params`` can be invalid."""
    return provision_summary({"failed": True}, {}, {}, {}, check_mode=check_mode, listed=_listed(params))


def _listed(params: Params) -> list[str]:
    """Return the kinds of which objects are listed."""
    return [name for name in NAMES if params.get(name)]


def _predict(operation: ManagingOperation, results: t.Mapping[str, Result], context: Context) -> None:
    """Give an operation in check mode what the parts before it would have made."""
    if context.check_mode and "predicted" in operation.params:
        entries = [entry for name in ("vhosts", "applications") for entry in results.get(name, {}).get("results", ())]
        operation.params = {**operation.params, "predicted": entries}


def _result_of(run: t.Callable[[], Result]) -> Result:
    """Return the result of a part, or that of the error that ended it."""
    try:
        return run()
    except OmeError as error:
        return {"failed": True, "changed": False, "msg": str(error), "error": error.as_result()}
