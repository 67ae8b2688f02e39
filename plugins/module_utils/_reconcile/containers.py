# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reconcile objects that hold others, as virtual hosts and applications do.

What an object holds is deleted before it and, if it is recreated, restored after it.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import name_list
from .._resources import virtual_host
from .._schema.objects import Object
from .containers_plan import Current, Observed, diff
from .creating import CreatingReconciler, Scope
from .plan import (
    CREATED,
    DELETED,
    RECREATED,
    UNCHANGED,
    Outcome,
    Plan,
    PlannedChange,
    Request,
    Specified,
    merge_outcomes,
)
from .snapshot import Snapshot, Snapshots


class ContainerReconciler(CreatingReconciler):
    """Create, recreate and delete objects of one kind with what they hold."""

    # For messages: what an object holds, what to do after half a delete, and what a recreate has to restore.
    holds = ""
    partly_deleted = ""
    restoring = ""
    # Errors that say that another client of the API has deleted the object.
    gone_kinds: tuple[str, ...] = ("vhost_not_found",)

    def __init__(self, api: Api, context: Context, *, recreate: bool) -> None:
        """``recreate`` allows to delete an object that differs and to create it again."""
        super().__init__(api, context)
        self._recreate = recreate
        self._snapshots = Snapshots(api, context)
        self.configured: t.Collection[str] = ()
        """The names of virtual hosts that have a file in the server's configuration directory, if that is known."""

    # What a strategy says

    def _read_contents(self, change: PlannedChange) -> Snapshot:
        """Read what the object holds."""
        raise NotImplementedError

    def _describe(self, contents: Snapshot) -> dict[str, t.Any]:
        """Return what the object holds, for results."""
        raise NotImplementedError

    def _tear_down(self, change: PlannedChange, contents: Snapshot) -> None:
        """Delete what the object holds, then the object."""
        raise NotImplementedError

    def _can_hold(self, change: PlannedChange) -> bool:
        """Return whether the recreated object can hold what the old one held."""
        return True

    def _restore_contents(self, change: PlannedChange, contents: Snapshot) -> list[str]:
        """Restore what a recreated object held; return the labels of what could not be restored."""
        raise NotImplementedError

    def _restore(self, change: PlannedChange, contents: Snapshot) -> list[str]:
        """Restore the object as it was, with what it held; return the labels of what could not be restored."""
        raise NotImplementedError

    # Probing

    def _is_read_only(
        self, vhost: str, declaration: Object, raw: t.Mapping[str, t.Any], request: Request, *, advised: bool = False
    ) -> bool:
        """Return whether an object (wire form) is in a virtual host of the configuration file, if it shows a sign of it
        or the virtual host has a file.

        The sign proves nothing, because other clients can have posted numbers as text. A preview cannot ask the server
        and relies on the sign. With ``advised`` the user is advised to recreate the object, which would fail then. So
        the server is asked unless the object shows that it was created through the API.
        """
        if request.preview:
            return self._looks_read_only(vhost, declaration, raw)
        suspected = virtual_host.has_textual_scalar(declaration, raw) or vhost in self.configured
        suspected = suspected or (advised and not virtual_host.has_native_scalar(declaration, raw))
        return suspected and self._snapshots.probe_read_only(vhost)

    @staticmethod
    def _unsure(declaration: Object, raw: t.Mapping[str, t.Any], request: Request) -> str:
        """Return what a preview adds to the advice to recreate an object (wire form) that may be read-only."""
        if not request.preview or virtual_host.has_native_scalar(declaration, raw):
            return ""
        return (
            " Check mode cannot determine whether it comes from the server's configuration file. Then it has to be "
            "changed there."
        )

    def _looks_read_only(self, vhost: str, declaration: Object, raw: t.Mapping[str, t.Any]) -> bool:
        """Return whether an object (wire form) seems to be of the configuration file, without asking the server."""
        if virtual_host.has_textual_scalar(declaration, raw):
            return True
        if vhost not in self.configured or virtual_host.has_native_scalar(declaration, raw):
            return False
        self._context.warn(
            f"Check mode cannot determine whether virtual host {vhost} comes from its file or from the API, and "
            "assumes its file."
        )
        return True

    def _spelled(self, seen: Observed, attempt: str, *values: Specified, assume: bool = False) -> Observed:
        """Return the observation in the spelling of the server; with an obstacle if the server is too old for an option
        in ``values``, or if only a file can hold its value. ``assume`` is that of `ServerSpelling.to_write`.
        """
        try:
            for value in values:
                declaration = self._spelling.to_write(seen.declaration, value, attempt, assume=assume)
                seen = seen._replace(declaration=declaration)
        except OmeError as error:
            if error.kind not in ("unsupported_option", "file_macro"):
                raise
            return seen._replace(obstacle=error)
        return seen

    # Planning and applying

    def plan(self, request: Request, current: Current) -> Plan:
        return diff(self.kind, request, current)

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        scopes: dict[Scope, list[PlannedChange]] = {}
        for change in _of(CREATED, plan):
            scopes.setdefault(change.scope, []).append(change)
        created = self._api.map_concurrently(
            [functools.partial(self._create, scope, changes) for scope, changes in scopes.items()]
        )
        outcomes = [outcome for of_scope in created for outcome in of_scope]
        outcomes += [self._recreate_one(change) for change in _of(RECREATED, plan)]
        outcomes += [self._delete(change, purged=request.purge) for change in _of(DELETED, plan)]
        return merge_outcomes(plan.changes, outcomes)

    def _delete(self, change: PlannedChange, *, purged: bool) -> Outcome:
        """Delete an object with what it holds; a purge leaves read-only ones alone."""
        outcome = Outcome.of(change)
        contents: Snapshot | None = None
        try:
            self._snapshots.refuse_read_only(change.key[0], f"delete {self.what} {change.title}")
            contents = self._read_contents(change)
            self._tear_down(change, contents)
        except OmeError as error:
            if error.kind in self.gone_kinds:
                return outcome.replace(action=UNCHANGED)
            if error.kind == "read_only" and purged:
                return outcome.replace(action=UNCHANGED, after=change.before)
            if contents is None:
                return outcome.failed(error)
            return outcome.interrupted(error.with_detail(self.partly_deleted)).replace(after=change.before)
        return outcome.with_details(dropped=self._describe(contents))

    def _recreate_one(self, change: PlannedChange) -> Outcome:
        """Delete an object, create it again as desired, and restore what it held.

        If the server refuses the new object, the old one is restored.
        """
        contents: Snapshot | None = None
        try:
            self._snapshots.refuse_read_only(change.key[0], f"recreate {self.what} {change.title}")
            current = self._read_contents(change)
            self._refuse_unsendable(change, current)
            contents = current
            self._tear_down(change, contents)
            self._create_one(change, change.after or change.desired)
        except OmeError as error:
            failed = Outcome.of(change).failed(self._about(change, error, "recreate"))
            return failed if contents is None else self._restore_after_refusal(failed, contents)
        described = self._describe(contents)
        outcome = Outcome.of(change)
        if not self._can_hold(change):
            return outcome.with_details(dropped=described, not_put_back=[])
        lost = self._restore_contents(change, contents)
        outcome = outcome.replace(contents=contents).with_details(carried_over=described, not_put_back=lost)
        return self._incomplete(outcome, lost) if lost else outcome

    def _refuse_unsendable(self, change: PlannedChange, contents: Snapshot) -> None:
        """Raise OmeError before anything is deleted that no request could create again."""
        if contents.unsendable:
            detail = (
                "It has settings under names that no request may hold, so that it cannot be recreated: "
                f"{name_list(contents.unsendable)}."
            )
            raise OmeError("differs", f"recreate {self.what} {change.title}").with_detail(detail)

    def _incomplete(self, outcome: Outcome, lost: t.Sequence[str]) -> Outcome:
        """Return the failure of an object that was recreated without all that it held; say if another client of the API
        has changed or deleted it meanwhile.
        """
        attempt = self.restoring.format(outcome.title)
        missing = f"Missing: {', '.join(lost)}."
        try:
            # After a broken connection the server may have been restarted, and `verify_after_disconnect` reads it.
            current = outcome.after if self._api.disconnects else self._read_current(outcome)
        except OmeError as unknown:
            return outcome.interrupted(unknown.with_detail(missing))
        if current is None or any(outcome.declaration.difference(outcome.after, current)):
            now = "deleted" if current is None else "changed"
            detail = f"Another client of the API {now} it after this task had recreated it. {missing}"
            error = OmeError("conflict", attempt, detail=detail)
        else:
            error = OmeError("server_error", attempt).with_detail(
                f"The {self.what} exists with the desired options. {missing} "
                "If another controller works on the same server, run the task again."
            )
        return outcome.interrupted(error).replace(after=current)

    def _restore_after_refusal(self, failed: Outcome, contents: Snapshot) -> Outcome:
        """Restore the object as it was after the server refused the new one; say in the error how that has ended."""
        lost = self._restore(failed, contents)
        outcome = failed.replace(contents=contents).with_details(not_put_back=lost)
        try:
            current = self._read_current(outcome)
        except OmeError:  # not known
            current = None
        differs = current is None or any(outcome.declaration.difference(outcome.before or {}, current))
        details = []
        if lost:
            details.append(f"Not everything could be restored; missing: {', '.join(lost)}.")
        if differs and current is not None:
            article = "An" if self.what[0] in "aeiou" else "A"
            details.append(f"{article} {self.what} with this name exists and differs from the previous one.")
        elif differs and not lost:
            details.append("Whether it was restored is not known.")
        elif not lost:
            details.append(f"The {self.what} was restored as it was before, with {self.holds}.")
        error = t.cast(OmeError, outcome.error)
        for detail in details:
            error = error.with_detail(detail)
        return outcome.replace(error=error, after=current, touched=bool(lost) or differs)


def _of(action: str, plan: Plan) -> list[PlannedChange]:
    return [change for change in plan.changes if change.action == action]
