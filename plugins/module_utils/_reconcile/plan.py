# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan and its outcomes: immutable values from which results and diffs are made."""

from __future__ import annotations

import dataclasses
import typing as t

from .._core.errors import OmeError
from .._schema.fields import Difference
from .._schema.objects import Object

UNCHANGED = "unchanged"
CREATED = "created"
RECREATED = "recreated"
UPDATED = "updated"  # changed in place
DELETED = "deleted"
FAILED = "failed"
SKIPPED = "skipped"  # because what should hold the object could not be made
# The corresponding actions of push tasks.
STARTED = "started"
RESTARTED = "restarted"
STOPPED = "stopped"

Value = dict[str, t.Any]  # an object in option form, with secrets in clear text
Specified = t.Mapping[str, t.Any]  # an object in specified form
AnyChange = t.TypeVar("AnyChange", bound="PlannedChange")


class Request(t.NamedTuple):
    """What one run is to achieve."""

    desired: t.Sequence[Specified] = ()
    absent: bool = False
    purge: bool = False  # delete or stop the other objects, too
    recreate: bool = False  # delete an object that differs, and create it again
    preview: bool = False  # check mode: no write may be sent


@dataclasses.dataclass(frozen=True, repr=False)  # a representation would show secrets
class PlannedChange:
    """What is to be done with one object.

    ``label`` identifies the object in results, such as {"name": "x"}. ``before`` and ``after`` are None if there is no
    object. ``details`` are further keys of its entry in `results`.
    """

    declaration: Object
    label: t.Mapping[str, str]
    desired: Specified
    action: str = UNCHANGED
    before: Value | None = None
    after: Value | None = None
    differences: tuple[Difference, ...] = ()
    error: OmeError | None = None
    details: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)

    @property
    def key(self) -> tuple[str, ...]:
        """The names that identify the object, from the virtual host down."""
        return tuple(self.label.values())

    @property
    def scope(self) -> tuple[str, ...]:
        """The names that identify what holds the object: none, a virtual host, or an application."""
        return self.key[:-1]

    @property
    def title(self) -> str:
        """The name of the object in messages and diffs."""
        return "/".join(self.key)

    @property
    def changed(self) -> bool:
        """Whether the object is to be changed."""
        return self.action not in (UNCHANGED, FAILED, SKIPPED)

    def replace(self: AnyChange, **changes: t.Any) -> AnyChange:
        """Return a copy with other values."""
        return dataclasses.replace(self, **changes)

    def with_details(self: AnyChange, **details: t.Any) -> AnyChange:
        """Return a copy with more details."""
        return self.replace(details={**self.details, **details})

    def failed(self: AnyChange, error: OmeError) -> AnyChange:
        """Return a copy that says why nothing is, or was, done to the object."""
        return self.replace(action=FAILED, error=error, after=self.before)


@dataclasses.dataclass(frozen=True, repr=False)
class Outcome(PlannedChange):
    """What has become of a planned change.

    ``touched`` says of a failure that something was, or may have been, changed nevertheless. ``contents`` is the
    snapshot of what a recreated object must hold.
    """

    touched: bool = False
    contents: t.Any = None

    @classmethod
    def of(cls, change: PlannedChange) -> Outcome:
        """Return the outcome of a change that goes as planned."""
        fields = {field.name: getattr(change, field.name) for field in dataclasses.fields(change)}
        return cls(**fields)

    @property
    def changed(self) -> bool:
        """Whether the server is, or in check mode would be, changed."""
        return self.touched or self.action not in (UNCHANGED, FAILED, SKIPPED)

    def interrupted(self, error: OmeError) -> Outcome:
        """Return a copy that failed after something was, or may have been, changed."""
        return self.replace(action=FAILED, error=error, touched=True)

    def report(self) -> dict[str, t.Any]:
        """Return the entry in `results`."""
        entry: dict[str, t.Any] = {
            **self.label,
            "action": self.action,
            "differences": [difference._asdict() for difference in self.differences],
            **self.details,
        }
        if self.error is not None:
            entry["msg"] = str(self.error)
            entry["error"] = self.error.as_result()
        return entry


class Plan(t.NamedTuple):
    """The changes, in the order of the results, and the warnings to the user."""

    changes: tuple[PlannedChange, ...]
    warnings: tuple[str, ...] = ()


def merge_outcomes(plan: t.Iterable[PlannedChange], known: t.Iterable[Outcome]) -> list[Outcome]:
    """Return the outcome of each change; one that is not ``known`` goes as planned."""
    by_key = {outcome.key: outcome for outcome in known}
    return [by_key.get(change.key) or Outcome.of(change) for change in plan]
