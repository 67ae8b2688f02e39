# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plans: items with an action, and how they are reported."""

from __future__ import annotations

import json
import typing as t

from .._core.errors import OmeError
from .._schema.fields import Difference
from .._schema.objects import Object

UNCHANGED = "unchanged"
CREATED = "created"
RECREATED = "recreated"
DELETED = "deleted"
FAILED = "failed"
# The same for push tasks, in the words of their states.
STARTED = "started"
RESTARTED = "restarted"
STOPPED = "stopped"

LARGEST_BODY = (
    2**19
)  # bytes of a list that is posted; gateways refuse more than a megabyte unless they are told otherwise


class Predicted:
    """What earlier tasks of a play would have created and deleted, were they not in check mode.

    ``is_complete`` says that nothing else would be there, so that what is missing is an error and not just unknown.
    """

    def __init__(self, results: t.Iterable[t.Any] | None = None, *, vhosts: t.Iterable[str] = ()) -> None:
        """``results`` are entries of `results` of the modules vhosts and applications; ``vhosts`` are virtual hosts
        that would be created.
        """
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

    def __init__(self, group: Object, label: t.Mapping[str, str], desired: t.Mapping[str, t.Any]) -> None:
        """``group`` declares the object, ``label`` identifies it in reports, such as {"name": "x"}; ``wanted`` is the
        specified form.
        """
        self.group = group
        self.label = dict(label)
        self.desired = dict(desired)
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

        ``touched`` says that something was, or may have been, changed all the same; ``after`` then stays as the caller
        has it.
        """
        self.action = FAILED
        self.error = error
        self.touched = self.touched or touched
        if not touched:
            self.after = self.before

    def report(self) -> dict[str, t.Any]:
        """The entry in `results`."""
        entry: dict[str, t.Any] = {
            **self.label,
            "action": self.action,
            "differences": [difference._asdict() for difference in self.differences],
            **self.extra,
        }
        if self.error is not None:
            entry["msg"] = str(self.error)
            entry["error"] = self.error.as_result()
        return entry


def pieces(items: t.Sequence[Item], to_wire: t.Callable[[Item], t.Any], most: int) -> t.Iterator[list[Item]]:
    """Lists of items that can be posted at once each: at most ``most``, and of at most LARGEST_BODY bytes in wire form
    unless one alone is larger.
    """
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
