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
from .._core.errors import UNANSWERED, BadInput, OmeError
from .._core.option_names import named
from .._core.secret_store import SecretStore
from .._core.texts import listed
from .._reconcile.plan import SKIPPED
from .._reconcile.predicted import Predicted
from .._schema.objects import Object
from .base import FLAG, Operation, Params, Result, check_wait_timeout, list_of
from .durable_options import DURABLE, check_durable, warn_unused
from .jobs import JobList
from .provision_conflicts import Lists
from .provision_parts import NAMES, PARTS, PURGED, Part, applications_inside
from .provision_summary import TITLES, provision_summary
from .provision_verify import lost_since
from .results import Key, ManagingOperation, bulk_result, purge_of_everything, title_of

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
    def declarations(cls) -> tuple[t.Mapping[str, Object], Object | None]:
        return {part.name: part.operation.declaration for part in PARTS}, None

    @functools.cached_property
    def work(self) -> list[tuple[Part, ManagingOperation]]:
        """The parts that have something to do, in order, with their operations."""
        inside = self._only_inside() if self.params["purge_applications"] else []
        found = []
        for part in PARTS:
            params = part.params(self.params)
            if part.name == "applications":
                # The virtual hosts have provisioned those inside of them. A purge must list them to keep them.
                params[part.entries] = [*params[part.entries], *inside]
            if params[part.entries] or (part.name == "vhosts" and params["purge"]):
                found.append((part, part.operation(params)))
        return found

    def _only_inside(self) -> list[dict[str, t.Any]]:
        """Return the applications that are listed in virtual hosts, except those that are listed again alone."""
        alone = {(app["vhost"], app["name"]) for app in self.params["applications"] or ()}
        return [app for app in applications_inside(self.params) if (app["vhost"], app["name"]) not in alone]

    @functools.cached_property
    def _lists(self) -> Lists:
        """The lists of the task, which must not contradict each other."""
        return Lists(self.params)

    @classmethod
    def not_run(cls, options: Params, result: Params, *, check_mode: bool) -> Result:
        return provision_summary({"failed": True}, {}, {}, {}, check_mode=check_mode, listed=_listed(options))

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _part, operation in self.work:
            operation.collect_secrets(secrets)

    def check(self) -> None:
        check_wait_timeout(self.params)
        check_durable(self.params)
        for name in PURGED:
            self._check_purge(name)
        for part, operation in self.work:
            with part.naming(operation):
                operation.check()
        self._lists.refuse_conflicts()

    def _check_purge(self, name: str) -> None:
        """Raise BadInput if a part is to be purged without listed objects."""
        if not self.params[f"purge_{name}"] or self.params[name]:
            return
        if name == "applications" and applications_inside(self.params):
            return
        if self.params[name] is None:
            raise BadInput(f"purge_{name}", f"expected the option {named(name)}, which is not set")
        if not self.params["purge_everything"]:
            raise purge_of_everything(f"purge_{name}", name)

    @property
    def needs_server(self) -> bool:
        return bool(self.params["parts"])

    def run(self, api: Api | None, context: Context) -> Result:
        results: dict[str, Result] = {}
        reached: Result = {}
        if api is not None:
            if not any(isinstance(operation, JobList) for _part, operation in self.work):
                warn_unused(self.params, context)
            shared = SharedReads.of(api)
            reached = _result_of(lambda: self._wait(shared, context))
            if not reached.get("failed"):
                reached = _result_of(lambda: self._refuse_values(shared, context))
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

    def _refuse_values(self, api: SharedReads, context: Context) -> Result:
        """Raise BadInput for a value of any part that this server would refuse, and for a purge of what is needed."""
        for part, operation in self.work:
            if part.name in self.params["parts"]:
                with part.naming(operation):
                    operation.refuse_values(api, context)
        self._lists.refuse_purged(api, context)
        return {}

    def _run_parts(self, api: SharedReads, context: Context) -> dict[str, Result]:
        results: dict[str, Result] = {}
        disconnects: dict[str, int] = {}
        unmade: dict[Key, str] = {}
        for part, operation in self.work:
            if part.name not in self.params["parts"]:
                continue
            api.begin_part()
            _predict(operation, results, context)
            if isinstance(operation, JobList):
                operation.made = Predicted(_made(results))
            operation.skip_inside(unmade)
            result = self._run_part(part, operation, api, context)
            results[part.name] = operation.with_skipped(result)
            disconnects[part.name] = api.disconnects
            if part.holds and "results" not in result:
                if result["error"]["kind"] in UNANSWERED:
                    break
                unmade.update({key: f"{part.holds} {'/'.join(key)}" for key in _missing(operation.listed_keys, api)})
            unmade.update(operation.unmade)
        if not context.check_mode:
            for part, operation in self.work:
                if disconnects.get(part.name, api.disconnects) < api.disconnects:
                    results[part.name] = lost_since(results[part.name], operation, TITLES[part.name], api, context)
        return results

    def _run_part(self, part: Part, operation: ManagingOperation, api: SharedReads, context: Context) -> Result:
        """Return the result of a part, with the options of the task in its messages."""
        if operation.skipped and not operation.desired:
            return bulk_result([], TITLES[part.name])

        def run() -> Result:
            with part.naming(operation):
                return operation.run_valid(api, context)

        with part.renaming():
            return _result_of(run)

    def _report(self, reached: Result, results: t.Mapping[str, Result], context: Context) -> Result:
        """Return the result of the task from that of the wait and those of the parts."""
        flat, inside = self.params["applications"] or (), self._only_inside()
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
            texts = [one["msg"] for one in failures] + _skipped_texts(results)
            result.update(failed=True, msg=" ".join(texts), error=failures[0]["error"])
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


def _listed(params: Params) -> list[str]:
    """Return the kinds of which objects are listed."""
    return [name for name in NAMES if params.get(name)]


def _skipped_texts(results: t.Mapping[str, Result]) -> list[str]:
    """Return a sentence for each reason for which objects were skipped."""
    reasons: dict[str, list[str]] = {}
    for kind, result in results.items():
        for entry in result.get("results", ()):
            for one in (entry, *entry.get("applications", ())):
                if one["action"] == SKIPPED:
                    what = TITLES["applications" if one is not entry else kind]
                    reasons.setdefault(one["msg"], []).append(f"{what} {title_of(one)}")
    return [f"{reason[:-1]}: {listed(list(dict.fromkeys(names)))}." for reason, names in reasons.items()]


def _missing(keys: t.Iterable[Key], api: SharedReads) -> list[Key]:
    """Return the keys of virtual hosts, or applications, that are not on the server or cannot be read."""
    return [key for key in keys if not _exists(key, api)]


def _exists(key: Key, api: SharedReads) -> bool:
    try:
        return (api.read_virtual_host(*key) if len(key) == 1 else api.read_application(*key)) is not None
    except OmeError:
        return False


def _predict(operation: ManagingOperation, results: t.Mapping[str, Result], context: Context) -> None:
    """Give an operation in check mode what the parts before it would have made."""
    if context.check_mode and "predicted" in operation.params:
        operation.params = {**operation.params, "predicted": _made(results)}


def _made(results: t.Mapping[str, Result]) -> list[Result]:
    """Return the entries of the results about virtual hosts and applications."""
    return [entry for name in ("vhosts", "applications") for entry in results.get(name, {}).get("results", ())]


def _result_of(run: t.Callable[[], Result]) -> Result:
    """Return the result of a part, or that of the error that ended it."""
    try:
        return run()
    except OmeError as error:
        return error.as_failure()
