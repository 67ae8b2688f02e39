# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What reconciling has in common: the items of a plan, and what is reported of them."""

from __future__ import annotations

import copy
import functools
import json
import time
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import Api, ItemAnswer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._dialect import Dialect
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._fields import Difference, Group
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._secrets import SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._side_by_side import later

UNCHANGED = "unchanged"
CREATED = "created"
RECREATED = "recreated"
DELETED = "deleted"
FAILED = "failed"
# The same for push tasks, in the words of their states.
STARTED = "started"
RESTARTED = "restarted"
STOPPED = "stopped"

LARGEST_BODY = 2**19  # bytes of a list that is posted; gateways refuse more than a megabyte unless they are told otherwise


class Context:
    """What every reconciliation works with. ``sleep``, ``clock`` (seconds) and ``now`` (seconds since 1970) are there to be replaced in tests."""

    def __init__(
        self,
        *,
        check_mode: bool = False,
        secrets: SecretStore | None = None,
        sleep: t.Callable[[float], None] = time.sleep,
        clock: t.Callable[[], float] = time.monotonic,
        now: t.Callable[[], float] = time.time,
    ) -> None:
        self.check_mode = check_mode
        self.secrets = secrets or SecretStore()
        self.sleep = sleep
        self.clock = clock
        self.now = now
        self.warnings: list[str] = []
        self.retries: list[str] = []

    def warn(self, *texts: str) -> None:
        """Keeps warnings for the user, each once."""
        for text in texts:
            later(self._warn_once, text)

    def _warn_once(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def keep_secrets(self, group: Group, given: t.Mapping[str, t.Any]) -> None:
        """Remembers the secrets of an object in option form, which ``group`` declares."""
        later(group.collect_secrets, given, self.secrets)


class Predicted:
    """What earlier tasks of a play would have created and deleted, were they not in check mode.

    ``is_complete`` says that nothing else would be there, so that what is missing is an error and not just unknown.
    """

    def __init__(self, results: t.Iterable[t.Any] | None = None, *, vhosts: t.Iterable[str] = ()) -> None:
        """``results`` are entries of `results` of the modules vhosts and applications; ``vhosts`` are virtual hosts that would be created."""
        self.is_complete = results is not None
        self._made = {(name, "") for name in vhosts}
        self._deleted: set[tuple[str, str]] = set()
        for entry in results or ():
            inside = entry.get("applications")
            for one in (entry, *(inside if isinstance(inside, list) else ())):
                if not isinstance(one, dict):
                    continue
                where = (str(one.get("vhost")), str(one.get("name"))) if "vhost" in one else (str(one.get("name")), "")
                if one.get("action") in (CREATED, RECREATED):
                    self._made.add(where)
                elif one.get("action") == DELETED:
                    self._deleted.add(where)

    def made(self, vhost: str, app: str = "") -> bool:
        """Whether a virtual host, or an application in it, would be new."""
        return (vhost, app) in self._made

    def deleted(self, vhost: str, app: str = "") -> bool:
        """Whether a virtual host, or an application in it, would be gone."""
        return bool({(vhost, ""), (vhost, app)} & self._deleted)


class Item:
    """One object of a plan: what is to be done with it, and how it went.

    ``before`` and ``after`` are in option form with secrets in clear, None where there is no object.
    """

    def __init__(self, group: Group, label: t.Mapping[str, str], wanted: t.Mapping[str, t.Any]) -> None:
        """``group`` declares the object, ``label`` identifies it in reports, such as {"name": "x"}; ``wanted`` is the given form."""
        self.group = group
        self.label = dict(label)
        self.wanted = dict(wanted)
        self.action = UNCHANGED
        self.before: dict[str, t.Any] | None = None
        self.after: dict[str, t.Any] | None = None
        self.differences: list[Difference] = []
        self.error: OmeError | None = None
        self.extra: dict[str, t.Any] = {}
        self.touched = False

    @property
    def title(self) -> str:
        """The object's name in messages and diffs."""
        return "/".join(self.label.values())

    @property
    def changed(self) -> bool:
        """Whether the server is, or in check mode would be, another than before."""
        return self.touched or self.action not in (UNCHANGED, FAILED)

    def fail(self, error: OmeError, *, touched: bool = False) -> None:
        """Marks the item as failed.

        ``touched`` says that something was, or may have been, changed all the same; ``after`` then stays as the caller has it.
        """
        self.action = FAILED
        self.error = error
        self.touched = self.touched or touched
        if not touched:
            self.after = self.before

    def report(self) -> dict[str, t.Any]:
        """The entry in `results`."""
        entry: dict[str, t.Any] = {**self.label, "action": self.action, "differences": [difference._asdict() for difference in self.differences], **self.extra}
        if self.error is not None:
            entry["msg"] = str(self.error)
            entry["error"] = self.error.as_result()
        return entry


class Confirming:
    """What all reconciling ends with: a second look, where the connection broke in between."""

    _api: Api
    _context: Context
    what = ""  # in words

    def _found(self, item: Item) -> dict[str, t.Any] | None:
        """The object of an item as the server has it now, in option form; None where there is none."""
        raise NotImplementedError

    def confirm(self, items: t.Iterable[Item]) -> None:
        """Looks again at all that is said to be there, if the server may have been restarted in between.

        A restart loses all that was made through the API (server-facts: Virtual hosts), also what was only found; and
        nothing but the broken connection tells of it. Items of which more or something else is said than is there are failed.
        """
        if self._context.check_mode or not self._api.disturbances:
            return
        groups = self._read_at_once([item for item in items if item.after is not None])
        self._api.together([functools.partial(self._confirm_all, group) for group in groups])

    def _read_at_once(self, items: t.Sequence[Item]) -> list[list[Item]]:
        """The items, those together that one request can be about."""
        return [[item] for item in items]

    def _confirm_all(self, items: t.Iterable[Item]) -> None:
        for item in items:
            self._confirm(item)

    def _confirm(self, item: Item) -> None:
        try:
            found = self._found(item)
            missing = self._missing(item, found)
        except OmeError as error:
            self._deny(item, error, "Whether it is still there is not known.")
            return
        differs = found is not None and list(item.group.difference(item.after, found))
        if found is None or differs or not set(item.extra.get("not_put_back", ())).issuperset(missing):
            item.after = found
            if missing:
                item.extra["not_put_back"] = missing
            now = "It is gone now." if found is None else "It differs now." if differs else ""
            inside = f"Missing: {', '.join(missing)}." if missing else ""
            self._deny(item, OmeError("lost", f"confirm {self.what} {item.title}"), " ".join(filter(None, (now, inside))))

    def _missing(self, item: Item, found: t.Mapping[str, t.Any] | None) -> list[str]:
        """The labels of what was made again together with an object, and is not there now."""
        return []

    @staticmethod
    def _deny(item: Item, error: OmeError, detail: str) -> None:
        """Fails an item after all; what went wrong first stays the reason."""
        if item.error is None:
            item.fail(copy.copy(error).add_detail(detail), touched=True)
        else:
            # A copy, because one request can be about many items, which share its error.
            item.error = copy.copy(item.error).add_detail(f"After that the connection broke. {detail}")
            item.touched = True


class Creator(Confirming):
    """What creating has in common: the server's answer is not always the last word, what is there is."""

    _dialect: Dialect

    def _bind(self, item: Item, attempt: str, *values: t.Mapping[str, t.Any]) -> None:
        """Let an item be written in the spelling of the server; fail it if the server is too old for an option in ``values``."""
        assume = item.action == CREATED and not self._context.check_mode
        try:
            for value in values:
                item.group = self._dialect.to_write(item.group, value, attempt, assume=assume)
        except OmeError as error:
            if error.kind != "unsupported_option":
                raise
            item.fail(error)

    def _explained(self, error: OmeError, group: Group) -> OmeError:
        """Return the error, with the cause if the server refused a key that other versions know."""
        hint = self._dialect.explain_refusal(group, error.server_message)
        return error.add_detail(hint) if hint and hint not in error.detail else error

    def _refusal(self, item: Item, answer: ItemAnswer) -> OmeError:
        """The error that a refused create is."""
        raise NotImplementedError

    def _is_another(self, item: Item) -> bool:
        """Whether what is there now, which becomes ``after``, is not what was there before."""
        try:
            item.after = self._found(item)
        except OmeError:  # not known
            item.after = None
            return True
        return item.after is None or bool(list(item.group.difference(item.before or {}, item.after)))

    def _fail_incomplete(self, item: Item, attempt: str, lost: list[str]) -> None:
        """Fail an item that was made again without all that was in it, and say if somebody else has changed or deleted it meanwhile."""
        missing = f"Missing: {', '.join(lost)}."
        try:
            # After a broken connection the server may have been restarted, and `confirm` looks at what is there.
            found = item.after if self._api.disturbances else self._found(item)
        except OmeError as unknown:
            item.fail(unknown.add_detail(missing), touched=True)
            return
        if found is None or list(item.group.difference(item.after, found)):
            now = "deleted" if found is None else "changed"
            error = OmeError("conflict", attempt, detail=f"Another client of the API {now} it after this task had made it again. {missing}")
        else:
            error = OmeError("server_error", attempt).add_detail(
                f"The {self.what} is there with the wanted fields. {missing} If another controller works on the same server, run the task again."
            )
        item.fail(error, touched=True)
        item.after = found

    def _say_what_is_back(self, item: Item, lost: list[str], refusal: OmeError, *, another: str, contents: str) -> None:
        """Reports how putting back has ended after a refused recreate; ``another`` and ``contents`` are the object and what is in it, in words."""
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

    def _settle_creates(self, items: t.Sequence[Item], answers: t.Sequence[ItemAnswer]) -> None:
        """Says of each item how its create has ended."""
        refused = [(item, answer) for item, answer in zip(items, answers) if not answer.ok]
        self._api.together([functools.partial(self._settle_refusal, item, answer) for item, answer in refused])

    def _settle_refusal(self, item: Item, answer: ItemAnswer) -> None:
        failure = self._refusal(item, answer)
        if answer.kind == "conflict":
            try:
                if self._is_as_wanted(item, self._found(item)):  # somebody else's create, to the same end
                    item.action = UNCHANGED
                    return
            except OmeError as error:
                failure = error
        item.fail(failure)

    def _is_as_wanted(self, item: Item, found: dict[str, t.Any] | None) -> bool:
        """Whether the object that was found is there and equal to what is wanted; keeps what differs for the report."""
        if found is None:
            return False
        item.before = found
        item.group = self._dialect.to_compare(item.group, item.wanted)
        item.differences = list(item.group.difference(item.wanted, found))
        return not item.differences

    def _not_created(self, items: t.Sequence[Item], listed: t.Collection[str]) -> list[Item]:
        """Those of the items that are not on the server, which has ``listed``; others that are there and differ are marked as failed."""
        there = [item for item in items if item.label["name"] in listed]
        for item, found in zip(there, self._api.together([functools.partial(self._found, item) for item in there])):
            if self._is_as_wanted(item, found):
                item.before = None
            else:
                item.fail(OmeError("conflict", f"create {self.what} {item.title}"))
        return [item for item in items if item.label["name"] not in listed]


def pieces(items: t.Sequence[Item], to_wire: t.Callable[[Item], t.Any], most: int) -> t.Iterator[list[Item]]:
    """Lists of items that can be posted at once each: at most ``most``, and of at most LARGEST_BODY bytes in wire form unless one alone is larger."""
    wires = [to_wire(item) for item in items]
    # All at once are measured in a fraction of the time that it takes one by one.
    fits = len(json.dumps(wires)) <= LARGEST_BODY
    piece: list[Item] = []
    size = 0
    for item, wire in zip(items, wires):
        length = 0 if fits else len(json.dumps(wire))
        if piece and (len(piece) == most or size + length > LARGEST_BODY):
            yield piece
            piece, size = [], 0
        piece.append(item)
        size += length
    if piece:
        yield piece


def name_list(names: t.Iterable[str], most: int = 10) -> str:
    """Names for a message, cut where there are very many."""
    names = sorted(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
