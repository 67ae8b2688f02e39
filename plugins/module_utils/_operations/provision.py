# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that provisions all resources of a server."""

from __future__ import annotations

import collections
import functools
import typing as t

from .._api.client import Api, SharedReads
from .._core.context import Context
from .._core.errors import UNANSWERED, BadInput, OmeError
from .._core.secret_store import SecretStore
from .._core.texts import listed, named
from .._reconcile.base import DELETED, FAILED, RECREATED, RESTARTED, SKIPPED, STOPPED, UNCHANGED, UPDATED, Predicted
from .._resources.kind import LABELS, Key
from .._schema.objects import Object
from .base import FLAG, Operation, Params, Referenced, Result, check_wait_timeout
from .durable_options import DURABLE, check_durable, warn_unused
from .jobs import ManagedJobs
from .provision_parts import NAMES, PARTS, PURGED, Lists, Part, applications_inside
from .results import ManagingOperation, bulk_result, purge_of_everything, title_of

# Sum up what was done to one server: counts, what was missing before, and one line of text.

PartResult = t.Mapping[str, t.Any]
Counts = t.Mapping[str, int]
_ENDS = ("unchanged", "failed", "skipped")
_MAINTAINED = ("created", "recreated", "deleted", *_ENDS)
_JOBS = ("started", "restarted", "stopped", *_ENDS)
# The parts of the line in the order of their tasks: title and actions.
_PARTS: t.Mapping[str, tuple[str, tuple[str, ...]]] = {
    "vhosts": ("virtual hosts", _MAINTAINED),
    "applications": ("applications", _MAINTAINED),
    "streams": ("streams", ("created", "recreated", *_ENDS)),
    "scheduled_channels": ("scheduled channels", ("created", "updated", *_MAINTAINED[1:])),
    "multiplex_channels": ("multiplex channels", _MAINTAINED),
    "push_tasks": ("push tasks", _JOBS),
    "records": ("recordings", _JOBS),
}
TITLES = {kind: title for kind, (title, _words) in _PARTS.items()}
"""The kinds of objects in words, in the plural."""
# Those that the line has only if objects are listed.
_OPTIONAL = ("streams", "scheduled_channels", "multiplex_channels", "records")
_AGAIN = ("created", "started")
_ALWAYS_PRESENT: tuple[list[str], ...] = ([], ["default"])


def provision_summary(
    api: PartResult,
    vhosts: PartResult,
    applications: PartResult,
    push_tasks: PartResult,
    nested_position: tuple[int, int] | None = None,
    check_mode: bool = False,
    listed: t.Container[str] = (),
    **optional: PartResult,
) -> dict[str, t.Any]:
    """Return the summary of a task from the result of the wait for the API and those of the parts.

    ``optional`` are the results of further kinds of objects. ``listed`` are the kinds of which objects are listed.

    ``nested_position`` is for a purge of applications: the index in ``applications["results"]`` of the first
    application that is listed in a virtual host, and the number of these applications.
    """
    if api.get("failed"):  # nothing was reached, whether objects are listed or not
        vhosts = applications = push_tasks = {}
    others = {kind: {} if api.get("failed") else optional.get(kind, {"skipped": True}) for kind in _OPTIONAL}
    results: dict[str, PartResult] = {
        "vhosts": vhosts,
        "applications": applications,
        "push_tasks": push_tasks,
        **others,
    }

    flat: Counts = applications.get("counts", {})
    if nested_position and "counts" in applications:
        flat = _flat_counts(applications["results"], *nested_position)
    restored_applications, restored_push_tasks = _count_restored(vhosts, applications, push_tasks)
    recreated = _recreated_parents(vhosts, applications)
    # The counts of each task, and those to add to them.
    first = {**{kind: result.get("counts", {}) for kind, result in results.items()}, "applications": flat}
    second: dict[str, Counts] = {
        "vhosts": {},
        "applications": _moved(vhosts.get("application_counts", {}), restored_applications, "recreated"),
        "push_tasks": _moved({}, restored_push_tasks, "restarted"),
        **{kind: _count_interrupted(result, recreated, check_mode) for kind, result in others.items()},
    }
    counts = {
        kind: {word: first[kind].get(word, 0) + second[kind].get(word, 0) for word in _PARTS[kind][1]}
        for kind in results
    }
    texts, missing = [], {}
    for kind, (title, words) in _PARTS.items():
        if kind in _OPTIONAL and not _is_shown(kind, results[kind], listed):
            continue
        counted = first[kind] or second[kind] or "counts" in results[kind]
        texts.append(f"{title}: {_describe(counts[kind]) if counted else _reason(results[kind])}")
        missing[kind] = counts[kind][words[0]]
    durable = [result for result in results.values() if "restart_required" in result]
    restart_required = any(result["restart_required"] for result in durable)
    line = "; ".join(texts)
    if any("counts" in result for result in results.values()):
        line += f"; missing before: {_describe_missing(missing, vhosts)}"
    if restart_required:
        line += "; a restart of the server is required"
    return {
        **counts,
        **({"restart_required": restart_required} if durable else {}),
        "missing": missing,
        "unreachable_host_names": vhosts.get("unreachable_host_names", {}),
        "failed": any(bool(result.get("failed")) for result in (api, *results.values())),
        "line": ("Check mode, this would be done: " if check_mode else "") + line,
    }


def _recreated_parents(vhosts: PartResult, applications: PartResult) -> set[tuple[str, str | None]]:
    """Return the recreated applications as virtual host and name, and recreated virtual hosts with None as name."""
    of_vhosts = vhosts.get("results", ())
    apps = [app for entry in of_vhosts for app in entry.get("applications", ())]
    apps += applications.get("results", ())
    return {
        *((entry["name"], None) for entry in of_vhosts if entry["action"] == "recreated"),
        *((app["vhost"], app["name"]) for app in apps if app["action"] == "recreated"),
    }


def _count_interrupted(result: PartResult, recreated: set[tuple[str, str | None]], check_mode: bool) -> Counts:
    """Return the changes of the counts for objects that the recreation of a parent interrupts.

    It ends pulls and recordings, so that their task creates them again; channels come back with their application. In
    check mode all of them are still there, and the task reports `unchanged`.
    """
    moved: collections.Counter[str] = collections.Counter()
    for entry in result.get("results", ()):
        if not {(entry["vhost"], None), (entry["vhost"], entry["app"])} & recreated:
            continue
        action = entry["action"]
        if action == "unchanged" or (action in _AGAIN and not check_mode):
            word = "restarted" if "id" in entry else "recreated"
            moved.update({word: 1})
            moved.subtract({action: 1})
    return moved


def _is_shown(kind: str, result: PartResult, listed: t.Container[str]) -> bool:
    """Return whether the line has a kind of objects that need not be listed."""
    if not result or result.get("not_selected"):
        return kind in listed
    return not result.get("skipped")


def _flat_counts(results: t.Sequence[PartResult], position: int, number: int) -> Counts:
    """Count the actions without the applications that are listed in virtual hosts.

    The task for virtual hosts has counted these.
    """
    return collections.Counter(entry["action"] for entry in [*results[:position], *results[position + number :]])


def _count_restored(vhosts: PartResult, applications: PartResult, push_tasks: PartResult) -> tuple[int, int]:
    """Count the applications and the push tasks that the recreation of a parent has restored.

    The task that lists them finds them as listed and reports ``unchanged``.
    """
    nested = [app for entry in vhosts.get("results", ()) for app in entry.get("applications", ())]
    apps = [*nested, *applications.get("results", ())]
    restored = set()
    for entry in (*vhosts.get("results", ()), *apps):
        if entry["action"] == "recreated":
            contents = entry.get("carried_over", entry.get("would_drop", {}))
            names = (*contents.get("applications", ()), *contents.get("push_tasks", ()))
            restored |= {f"{entry.get('vhost', entry['name'])}/{name}" for name in names}
    # An application that is listed in a virtual host comes again in the results of a purge. The first result counts.
    first: dict[str, str] = {}
    for app in apps:
        first.setdefault(f"{app['vhost']}/{app['name']}", app["action"])
    tasks = {f"{task['vhost']}/{task['app']}/{task['id']}": task["action"] for task in push_tasks.get("results", ())}
    return sum(first.get(key) == "unchanged" for key in restored), sum(
        tasks.get(key) == "unchanged" for key in restored
    )


def _moved(counts: Counts, number: int, word: str) -> Counts:
    """Return the counts with ``number`` objects under ``word`` and no longer under ``unchanged``."""
    if not number:
        return counts
    return {**counts, word: counts.get(word, 0) + number, "unchanged": counts.get("unchanged", 0) - number}


def _describe(counts: Counts) -> str:
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number or word != "skipped")


def _reason(result: PartResult) -> str:
    """Return why a task has no counts."""
    if not result:
        return "not reached"
    if result.get("not_selected"):
        return "not selected"
    return "none listed" if result.get("skipped") else "failed"


def _describe_missing(missing: Counts, vhosts: PartResult) -> str:
    if not any(missing.values()):
        return "nothing"
    text = ", ".join(f"{_PARTS[kind][0]} {number}" for kind, number in missing.items())
    unlisted = vhosts.get("unlisted")
    listed = [entry for entry in vhosts.get("results", ()) if entry["name"] not in (unlisted or ())]
    if missing["vhosts"] and missing["vhosts"] >= len(listed) and unlisted in _ALWAYS_PRESENT:
        text += " (all virtual hosts were missing, as after a restart of the server)"
    return text


# Verify what the parts of a task have reported, if a connection broke after them.
#
# The server may have been restarted, and have lost what was created through the API (server-facts: Virtual hosts).

_CLAIM_NOTHING = (FAILED, DELETED, STOPPED, SKIPPED)
_OTHER = (FAILED, RECREATED, RESTARTED, UPDATED)  # what is done to an object that exists


def lost_since(result: Result, operation: ManagingOperation, what: str, api: Api, context: Context) -> Result:
    """Return the result of a part, as a failure if objects that it reports are missing or differ now.

    ``what`` names the objects in messages, in the plural.
    """
    if not result.get("results"):
        return result
    preview = Context(
        check_mode=True, secrets=context.secrets, sleep=context.sleep, clock=context.clock, now=context.now
    )
    again = operation.__class__({**operation.params, "require_reachable": False})
    again.desired = operation.desired
    try:
        if isinstance(operation, ManagedJobs) and isinstance(again, ManagedJobs):
            again.made = operation.made
        current = again.run_valid(api, preview)
    except OmeError as error:
        unknown = error.with_detail(f"Then the connection broke. Whether the {what} still exist is not known.")
        return {**result, "failed": True, "msg": str(unknown), "error": unknown.as_result()}
    entries = _verified_all(result["results"], current["results"], what)
    if entries == result["results"]:
        return result
    inside = [app for entry in entries for app in entry.get("applications") or ()]
    failed = [entry for entry in (*entries, *inside) if entry["action"] == FAILED]
    lost = [entry for entry in failed if entry["error"]["kind"] == "lost"]
    verified = {
        **result,
        "changed": True,
        "results": entries,
        "counts": _counts(entries),
        "failed": True,
        "msg": f"{len(failed):,} of {len(entries) + len(inside):,} {what} failed. {lost[0]['msg']}",
        "error": lost[0]["error"],
    }
    return {**verified, "application_counts": _counts(inside)} if "application_counts" in result else verified


def _counts(entries: t.Iterable[Result]) -> dict[str, int]:
    return dict(sorted(collections.Counter(entry["action"] for entry in entries).items()))


def _verified_all(entries: t.Sequence[Result], current: t.Sequence[Result], what: str) -> list[Result]:
    """Return the entries of a result; ``current`` is what a task would do now."""
    now = {_key(entry): entry for entry in current}
    return [_verified(entry, now.get(_key(entry)), what) for entry in entries]


def _key(entry: Result) -> tuple[t.Any, ...]:
    return tuple(entry.get(label) for label in LABELS)


def _verified(entry: Result, now: Result | None, what: str) -> Result:
    """Return an entry of a result, as a failure if it is not true any more; ``now`` is what a task would do now."""
    if "applications" in entry:
        inside = [] if now is None else now.get("applications") or []
        entry = {**entry, "applications": _verified_all(entry["applications"], inside, "applications")}
    if entry["action"] in _CLAIM_NOTHING or (now is not None and now["action"] == UNCHANGED):
        return entry
    error = OmeError("lost", f"verify {title_of(entry)} of the {what}")
    error = error.with_detail("It differs now." if now and now["action"] in _OTHER else "It no longer exists.")
    return {**entry, "action": FAILED, "msg": str(error), "error": error.as_result()}


_PAUSE = 1.0  # seconds between two attempts to reach a server
_ATTEMPT = 5.0  # seconds for a response while the task waits for the API


class Provision(Operation):
    """The operation of the module `provision`."""

    masked_results = ("diff",)

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        lists = {part.name: Referenced({**part.specs[part.entries], "required": False}) for part in PARTS}
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
            if not any(isinstance(operation, ManagedJobs) for _part, operation in self.work):
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
            if isinstance(operation, ManagedJobs):
                operation.made = Predicted(_made(results))
            operation.skip_inside(unmade)
            result = self._run_part(part, operation, api, context)
            results[part.name] = operation.with_skipped(result)
            disconnects[part.name] = api.disconnects
            if part.holds and "results" not in result:
                if result["error"]["kind"] in UNANSWERED:
                    break
                unmade.update({key: f"{part.holds} {key}" for key in _missing(operation.listed_keys, api)})
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
        return (api.read_application(*key.scope) if key.app else api.read_virtual_host(key.vhost)) is not None
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
