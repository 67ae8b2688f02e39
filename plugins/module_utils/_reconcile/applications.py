# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applications: the strategy of their reconciler (server-facts: Applications)."""

from __future__ import annotations

import functools
import itertools
import typing as t

from .._api.client import Api
from .._api.paths import apps_path
from .._api.server import ItemAnswer
from .._core.concurrency import deferred
from .._core.context import Context
from .._core.errors import OmeError
from .._core.server_version import UNKNOWN
from .._core.texts import name_list
from .._resources import application, concerns
from .._resources import value_rules as rules
from .._resources.application import APPLICATION, APPLICATIONS
from .._resources.kind import Key, Specified, Value, key_of, label_of, label_with
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import is_addressable
from .base import (
    CREATED,
    DELETED,
    Current,
    Observed,
    Outcome,
    Plan,
    PlannedChange,
    Predicted,
    Request,
    merge_outcomes,
    spelled,
)
from .parents import ParentReconciler
from .snapshot import Snapshot, unaddressable_application

# Refuse values of applications before anything is written if the server decides whether they are valid.
#
# What no server takes is refused without a request. Only the rest costs one: for the server's version, or for the
# current application, which may have what the desired one lacks.

_NO_APPLICATION = ("vhost_not_found", "controller_not_found")


def refuse_values(api: Api, context: Context, desired: t.Sequence[tuple[str, Specified]], *, durable: bool) -> None:
    """Raise BadInput for an application, with its path, that this server would refuse.

    A file can have what a ``durable`` one lacks, so that only values are judged that no file could make valid.
    """
    doubtful = [(path, app) for path, app in desired if rules.is_doubtful(app)]
    if not doubtful:
        return
    depends = any(rules.depends_on_version(app) for _path, app in doubtful)
    version = api.server_version() if depends else UNKNOWN
    for path, app in doubtful:
        application.check_values(app, path, version, complete=False)
    if durable:
        return
    lacking = [(path, app) for path, app in doubtful if rules.refused(app, version) is not None]
    found = api.map_concurrently([functools.partial(_current, api, context, app) for _path, app in lacking])
    for (path, app), current in zip(lacking, found):
        application.check_values(APPLICATION.merge(app, current), path, version)


def _current(api: Api, context: Context, app: Specified) -> Value:
    """Read an application in option form; empty if it does not exist."""
    key = key_of(app)
    try:
        raw = api.read_application(*key.scope)
    except OmeError as error:
        if error.kind not in _NO_APPLICATION:
            raise
        raw = None
    if raw is None:
        return {}
    value = application.from_wire(raw, key.vhost)
    context.keep_secrets(APPLICATION, value)
    return value


class Applications(ParentReconciler):
    """Create, recreate and delete the applications of any number of virtual hosts."""

    kind = APPLICATIONS
    holds = "its push tasks"
    partly_deleted = "Its push tasks may be stopped in part; run the task again to delete the rest."
    restoring = "restart all push tasks of application {}"
    gone_kinds = ("vhost_not_found", "application_not_found")
    # server-facts: Applications
    bad_item_kinds = ("bad_request", "server_error")

    def __init__(self, api: Api, context: Context, *, recreate: bool = False) -> None:
        super().__init__(api, context, recreate=recreate)
        self._predicted = Predicted()
        self._read_ahead: dict[Key, dict[str, t.Any]] = {}

    def ensure_present(
        self, desired: t.Sequence[Specified], *, purge: bool = False, predicted: Predicted | None = None
    ) -> list[Outcome]:
        """Bring applications into the desired state; with ``purge`` delete the others of the same virtual hosts.

        ``predicted`` is what check mode takes for done.
        """
        self._predicted = predicted or self._predicted
        return self.reconcile(Request(desired, purge=purge, recreate=self._recreate))

    def ensure_absent(self, desired: t.Sequence[Specified]) -> list[Outcome]:
        """Delete applications with their push tasks."""
        return self.reconcile(Request(desired, absent=True))

    # Probing

    def probe(self, request: Request) -> Current:
        listed, missing = self._list(request)
        keys = [key_of(app) for app in request.desired]
        if request.absent:
            return Current(self._probe_each_absent(keys, listed, request))
        found = itertools.chain.from_iterable(map(application.concerns_of, request.desired))
        self._context.warn(*concerns.warnings(found))
        objects = self._api.map_concurrently(
            [functools.partial(self._probe_present, app, listed, missing, request) for app in request.desired]
        )
        same = (one.before if not one.differences else None for one in objects)
        self._warn_of_found(zip(map(key_of, request.desired), same))
        others: t.Iterable[Key] = ()
        if request.purge:
            existing = (Key(vhost, name) for vhost, names in listed.items() for name in names if is_addressable(name))
            others = sorted(set(existing).difference(keys))
        return Current(objects, self._probe_each_absent(others, listed, request), missing=missing)

    def _list(self, request: Request) -> tuple[dict[str, t.Collection[str]], dict[str, OmeError]]:
        """Read the names of the applications of each virtual host once; return the names, and the errors of virtual
        hosts that do not exist.
        """
        listed: dict[str, t.Collection[str]] = {}
        missing: dict[str, OmeError] = {}
        vhosts = list(dict.fromkeys(app["vhost"] for app in request.desired))
        found = self._api.map_concurrently([functools.partial(self._names, vhost, request) for vhost in vhosts])
        for vhost, names in zip(vhosts, found):
            if isinstance(names, OmeError):
                missing[vhost] = names
                continue
            listed[vhost] = names
            self._context.warn(
                *(unaddressable_application(vhost, name) for name in sorted(names) if not is_addressable(name))
            )
        return listed, missing

    def _names(self, vhost: str, request: Request) -> set[str] | OmeError:
        """Read the names of the applications of a virtual host; return an error if there is no such virtual host."""
        if request.preview and self._predicted.deleted(vhost):
            return OmeError("vhost_not_found", f"list the applications of virtual host {vhost}")
        try:
            if not request.absent and not request.purge and self._api.has_read_virtual_host(vhost):
                names = self._read_without_list(vhost, request)
                if names is not None:
                    return names
            return set(self._api.list_applications(vhost))
        except OmeError as error:
            if error.kind != "vhost_not_found":
                raise
            return error

    def _read_without_list(self, vhost: str, request: Request) -> set[str] | None:
        """Read the desired applications of a virtual host that exists; return their names, or None if one is missing.

        That saves the list on a server where nothing is missing. One that is missing costs a request, so that the list
        decides about the others.
        """
        keys = [key_of(app) for app in request.desired if app["vhost"] == vhost]
        first, others = keys[0], keys[1:]
        found = {first: self._read(first)}
        if found[first] is not None:
            reads = [functools.partial(self._read, key) for key in others]
            found.update(zip(others, self._api.map_concurrently(reads)))
        for key, raw in found.items():
            if raw is not None:
                deferred(self._read_ahead.__setitem__, key, raw)
        return {key.app for key in keys} if len(found) == len(keys) and None not in found.values() else None

    def _read_once(self, key: Key) -> dict[str, t.Any] | None:
        """Return what was read without the list, or read."""
        raw = self._read_ahead.pop(key, None)
        return self._read(key) if raw is None else raw

    def _probe_present(
        self,
        desired: Specified,
        listed: t.Mapping[str, t.Collection[str]],
        missing: t.Mapping[str, OmeError],
        request: Request,
    ) -> Observed:
        key = key_of(desired)
        seen = Observed(label_of(desired), APPLICATION)
        raw = self._read_once(key) if key.app in listed.get(key.vhost, ()) else None
        if raw is None:
            if key.vhost in missing and not request.preview:
                return seen._replace(obstacle=self._error_of(key, missing[key.vhost], "create"))
            return spelled(self._spelling, seen, f"create application {key}", desired, assume=not request.preview)
        before = application.from_wire(raw, key.vhost)
        declaration, differences = self._spelling.compare(APPLICATION, desired, before)
        seen = seen._replace(before=before, declaration=declaration, differences=differences)
        if not differences:
            return seen
        if self._is_read_only(key.vhost, APPLICATION, raw, request, advised=not request.recreate):
            return seen._replace(read_only=True)
        merged = APPLICATIONS.as_stored(APPLICATION.merge(desired, before))
        if application.incomplete(merged):
            return seen  # the plan refuses it whatever else is read
        if request.recreate:
            seen = spelled(self._spelling, seen, f"recreate application {key}", merged)
        if seen.obstacle is None and (request.preview or not request.recreate):
            # A real recreate reads the contents just before it deletes them.
            contents = self._snapshots.read_one(*key.scope, live=True)
            interruption = contents.dropping(inside=key.app) + self._unsure(APPLICATION, raw, request)
            return seen._replace(would_drop=self._describe(contents), interruption=interruption)
        return seen

    def _probe_each_absent(
        self, keys: t.Iterable[Key], listed: t.Mapping[str, t.Collection[str]], request: Request
    ) -> list[Observed]:
        return self._api.map_concurrently([functools.partial(self._probe_absent, key, listed, request) for key in keys])

    def _probe_absent(self, key: Key, listed: t.Mapping[str, t.Collection[str]], request: Request) -> Observed:
        seen = Observed(label_with(APPLICATION, key), APPLICATION)
        raw = self._read(key) if key.app in listed.get(key.vhost, ()) else None
        if raw is None:
            return seen
        seen = seen._replace(before=application.from_wire(raw, key.vhost))
        if self._is_read_only(key.vhost, APPLICATION, raw, request):
            return seen._replace(read_only=True)
        if request.preview:
            return seen._replace(would_drop=self._describe(self._snapshots.read_one(*key.scope, live=True)))
        return seen

    # Predicting

    def predict(self, plan: Plan, current: Current) -> list[Outcome]:
        outcomes = self._predict_missing(super().predict(plan, current), current)
        return self._predict_read_only(outcomes, current)

    def _predict_missing(self, outcomes: t.Sequence[Outcome], current: Current) -> list[Outcome]:
        """Fail creates in virtual hosts that will not exist; warn if an earlier task may create them."""
        failed = []
        for vhost, error in current.missing.items():
            new = [outcome for outcome in outcomes if outcome.action == CREATED and outcome.label["vhost"] == vhost]
            if not new or self._predicted.created(vhost):
                continue
            if self._predicted.is_complete:
                failed += [outcome.failed(self._about(outcome, error, "create")) for outcome in new]
            else:
                where, consequence = f"Virtual host {vhost}", "Creating its applications"
                self._context.warn(self._predicted.not_yet(where, error, consequence))
        return merge_outcomes(outcomes, failed)

    def _predict_read_only(self, outcomes: t.Sequence[Outcome], current: Current) -> list[Outcome]:
        """Fail changes in virtual hosts that are known to be read-only; warn about those that reads cannot
        determine.
        """
        changing: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            if outcome.changed and outcome.label["vhost"] not in current.missing:
                changing.setdefault(outcome.label["vhost"], []).append(outcome)
        raws = self._api.map_concurrently([functools.partial(self._api.read_virtual_host, vhost) for vhost in changing])
        failed = []
        unsure = set()
        for (vhost, those), raw in zip(changing.items(), raws):
            self._context.keep_secrets(VIRTUAL_HOST, VIRTUAL_HOST.from_wire(raw or {}))
            if not self._looks_read_only(vhost, VIRTUAL_HOST, raw or {}):
                unsure.add(vhost)
                continue
            for outcome in those:
                doing = {CREATED: "create", DELETED: "delete"}.get(outcome.action, "change")
                failed.append(outcome.failed(OmeError("read_only", f"{doing} application {outcome.title}")))
        if unsure:
            self._context.warn(
                "Applications of virtual hosts that come from the server's configuration file cannot be changed. "
                f"Check mode cannot determine whether these are read-only: {name_list(unsure)}."
            )
        return merge_outcomes(outcomes, failed)

    # Requests

    def _path(self, holder: str) -> str:
        return apps_path(holder)

    def _post(self, holder: str, wires: t.Sequence[Value]) -> list[ItemAnswer]:
        answers = self._api.create_applications(holder, wires)
        created = (
            application.from_wire(answer.value, holder) if isinstance(answer.value, dict) else None
            for answer in answers
        )
        self._warn_of_found(zip((Key(holder, str(wire["name"])) for wire in wires), created))
        return answers

    def _warn_of_found(self, apps: t.Iterable[tuple[Key, Value | None]]) -> None:
        """Warn of what does not work in applications that the server returned."""
        found = (application.concerns_of_found(key, app) for key, app in apps if app is not None)
        self._context.warn(*concerns.warnings(itertools.chain.from_iterable(found)))

    def _to_wire(self, change: PlannedChange, value: Specified) -> Value:
        return application.create_request(value, change.declaration)

    def _list_names(self, holder: str) -> t.Collection[str]:
        return self._api.list_applications(holder)

    def _exists(self, change: PlannedChange) -> bool:
        return self._api.read_application(*change.key.scope) is not None

    def _read(self, key: Key) -> dict[str, t.Any] | None:
        raw = self._api.read_application(*key.scope)
        if raw is not None:
            self._context.keep_secrets(APPLICATION, application.from_wire(raw, key.vhost))
        return raw

    def _read_current(self, change: PlannedChange) -> Value | None:
        key = change.key
        try:
            raw = self._read(key)
        except OmeError as error:
            if error.kind != "vhost_not_found":
                raise
            return None
        return application.from_wire(raw, key.vhost) if raw is not None else None

    def _about(self, change: PlannedChange, error: OmeError, doing: str) -> OmeError:
        return self._error_of(change.key, error, doing)

    def _error_of(self, key: Key, error: OmeError, doing: str) -> OmeError:
        return self._explained(error.for_attempt(f"{doing} application {key}"))

    def _read_contents(self, change: PlannedChange) -> Snapshot:
        return self._snapshots.read_one(*change.key.scope)

    def _describe(self, contents: Snapshot) -> dict[str, t.Any]:
        return {what: value for what, value in contents.described().items() if what != "applications"}

    def _missing(self, outcome: Outcome, current: Value | None) -> list[str]:
        if outcome.contents is None:
            return []
        labels: list[str] = outcome.contents.labels()
        there = self._read_contents(outcome).labels() if current is not None else []
        return [label for label in labels if label not in there]

    def _tear_down(self, change: PlannedChange, contents: Snapshot) -> None:
        self._snapshots.tear_down(change.label["vhost"], contents)

    def _can_hold(self, change: PlannedChange) -> bool:
        # Without a push publisher an application can have no push tasks.
        return application.can_push(change.after or change.desired)

    def _restore_contents(self, change: PlannedChange, contents: Snapshot) -> list[str]:
        return self._snapshots.start(contents)

    def _restore(self, change: PlannedChange, contents: Snapshot) -> list[str]:
        return self._snapshots.restore(change.label["vhost"], contents)
