# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What reconciling has in common: the items of a plan, and what is reported of them."""

from __future__ import annotations

import copy
import functools
import typing as t

from .._api.client import Api
from .._api.messages import ItemAnswer
from .._api.spelling import ServerSpelling
from .._core.context import Context
from .._core.errors import OmeError
from .._schema.objects import Object
from .plan import CREATED, UNCHANGED, Item


class Verifier:
    """What all reconciling ends with: a second look, where the connection broke in between."""

    _api: Api
    _context: Context
    what = ""  # in words

    def _read_current(self, item: Item) -> dict[str, t.Any] | None:
        """The object of an item as the server has it now, in option form; None where there is none."""
        raise NotImplementedError

    def verify_after_disconnect(self, items: t.Iterable[Item]) -> None:
        """Looks again at all that is said to be there, if the server may have been restarted in between.

        A restart loses all that was made through the API (server-facts: Virtual hosts), also what was only found; and
        nothing but the broken connection tells of it. Items of which more or something else is said than is there are
        failed.
        """
        if self._context.check_mode or not self._api.disconnects:
            return
        groups = self._read_at_once([item for item in items if item.after is not None])
        self._api.map_concurrently([functools.partial(self._verify_items, group) for group in groups])

    def _read_at_once(self, items: t.Sequence[Item]) -> list[list[Item]]:
        """The items, those together that one request can be about."""
        return [[item] for item in items]

    def _verify_items(self, items: t.Iterable[Item]) -> None:
        for item in items:
            self._verify_item(item)

    def _verify_item(self, item: Item) -> None:
        try:
            found = self._read_current(item)
            missing = self._missing(item, found)
        except OmeError as error:
            self._mark_lost(item, error, "Whether it is still there is not known.")
            return
        differs = found is not None and list(item.group.difference(item.after, found))
        if found is None or differs or not set(item.extra.get("not_put_back", ())).issuperset(missing):
            item.after = found
            if missing:
                item.extra["not_put_back"] = missing
            now = "It is gone now." if found is None else "It differs now." if differs else ""
            inside = f"Missing: {', '.join(missing)}." if missing else ""
            self._mark_lost(
                item, OmeError("lost", f"confirm {self.what} {item.title}"), " ".join(filter(None, (now, inside)))
            )

    def _missing(self, item: Item, found: t.Mapping[str, t.Any] | None) -> list[str]:
        """The labels of what was made again together with an object, and is not there now."""
        return []

    @staticmethod
    def _mark_lost(item: Item, error: OmeError, detail: str) -> None:
        """Fails an item after all; what went wrong first stays the reason."""
        if item.error is None:
            item.fail(copy.copy(error).add_detail(detail), touched=True)
        else:
            # A copy, because one request can be about many items, which share its error.
            item.error = copy.copy(item.error).add_detail(f"After that the connection broke. {detail}")
            item.touched = True


class Reconciler(Verifier):
    """What creating has in common: the server's answer is not always the last word, what is there is."""

    _dialect: ServerSpelling

    def _bind(self, item: Item, attempt: str, *values: t.Mapping[str, t.Any]) -> None:
        """Let an item be written in the spelling of the server; fail it if the server is too old for an option in
        ``values``.
        """
        assume = item.action == CREATED and not self._context.check_mode
        try:
            for value in values:
                item.group = self._dialect.to_write(item.group, value, attempt, assume=assume)
        except OmeError as error:
            if error.kind != "unsupported_option":
                raise
            item.fail(error)

    def _explained(self, error: OmeError, group: Object) -> OmeError:
        """Return the error, with the cause if the server refused a key that other versions know."""
        hint = self._dialect.explain_refusal(group, error.server_message)
        return error.add_detail(hint) if hint and hint not in error.detail else error

    def _refusal(self, item: Item, answer: ItemAnswer) -> OmeError:
        """The error that a refused create is."""
        raise NotImplementedError

    def _is_another(self, item: Item) -> bool:
        """Whether what is there now, which becomes ``after``, is not what was there before."""
        try:
            item.after = self._read_current(item)
        except OmeError:  # not known
            item.after = None
            return True
        return item.after is None or bool(list(item.group.difference(item.before or {}, item.after)))

    def _fail_incomplete(self, item: Item, attempt: str, lost: list[str]) -> None:
        """Fail an item that was made again without all that was in it, and say if somebody else has changed or deleted
        it meanwhile.
        """
        missing = f"Missing: {', '.join(lost)}."
        try:
            # After a broken connection the server may have been restarted, and `confirm` looks at what is there.
            found = item.after if self._api.disconnects else self._read_current(item)
        except OmeError as unknown:
            item.fail(unknown.add_detail(missing), touched=True)
            return
        if found is None or list(item.group.difference(item.after, found)):
            now = "deleted" if found is None else "changed"
            error = OmeError(
                "conflict",
                attempt,
                detail=f"Another client of the API {now} it after this task had made it again. {missing}",
            )
        else:
            error = OmeError("server_error", attempt).add_detail(
                f"The {self.what} is there with the wanted fields. {missing} If another controller works on the same server, run the task again."
            )
        item.fail(error, touched=True)
        item.after = found

    def _describe_restored(
        self, item: Item, lost: list[str], refusal: OmeError, *, another: str, contents: str
    ) -> None:
        """Reports how putting back has ended after a refused recreate; ``another`` and ``contents`` are the object and
        what is in it, in words.
        """
        item.extra["not_put_back"] = lost
        other = self._is_another(item)
        item.touched = bool(lost) or other
        if lost:
            refusal.add_detail(f"Not all that was there before could be put back; missing: {', '.join(lost)}.")
        if other and item.after is not None:
            refusal.add_detail(f"{another} of this name is there that differs from the one before.")
        elif other and not lost:
            refusal.add_detail("Whether it is there as it was before is not known.")
        elif not lost:
            refusal.add_detail(f"The {self.what} is there as it was before, with {contents}.")

    def _resolve_creates(self, items: t.Sequence[Item], answers: t.Sequence[ItemAnswer]) -> None:
        """Says of each item how its create has ended."""
        refused = [(item, answer) for item, answer in zip(items, answers) if not answer.ok]
        self._api.map_concurrently([functools.partial(self._resolve_refusal, item, answer) for item, answer in refused])

    def _resolve_refusal(self, item: Item, answer: ItemAnswer) -> None:
        failure = self._refusal(item, answer)
        if answer.kind == "conflict":
            try:
                if self._is_as_desired(item, self._read_current(item)):  # somebody else's create, to the same end
                    item.action = UNCHANGED
                    return
            except OmeError as error:
                failure = error
        item.fail(failure)

    def _is_as_desired(self, item: Item, found: dict[str, t.Any] | None) -> bool:
        """Whether the object that was found is there and equal to what is wanted; keeps what differs for the report."""
        if found is None:
            return False
        item.before = found
        item.group = self._dialect.to_compare(item.group, item.desired)
        item.differences = list(item.group.difference(item.desired, found))
        return not item.differences

    def _not_created(self, items: t.Sequence[Item], listed: t.Collection[str]) -> list[Item]:
        """Those of the items that are not on the server, which has ``listed``; others that are there and differ are
        marked as failed.
        """
        there = [item for item in items if item.label["name"] in listed]
        for item, found in zip(
            there, self._api.map_concurrently([functools.partial(self._read_current, item) for item in there])
        ):
            if self._is_as_desired(item, found):
                item.before = None
            else:
                item.fail(OmeError("conflict", f"create {self.what} {item.title}"))
        return [item for item in items if item.label["name"] not in listed]
