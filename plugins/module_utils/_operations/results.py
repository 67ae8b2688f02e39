# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of operations that manage objects: desired objects, checks of lists, results and diffs."""

from __future__ import annotations

import functools
import re
import typing as t
from collections import Counter

from .._api.client import Api
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.secret_store import SecretStore
from .._core.texts import listed, named
from .._reconcile.base import FAILED, SKIPPED, Outcome
from .._resources.kind import LABELS, Key, Kind, key_of, label_of
from .._schema.objects import Object
from .base import Operation, Params, Result

_MOST_CAUSES = 5
_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*")
_COUNT = re.compile(r"(?<!\S)[0-9]+ ")

_LONGEST_NAME = 100  # characters of a name in a message about an entry


class ManagingOperation(Operation):
    """Brings objects into the desired state, for modules that manage one object or many."""

    kind: Kind
    """The kind of the objects, from which the declaration follows."""
    declaration: Object
    unmade: t.Mapping[Key, str] = {}
    """The keys of objects that failed and do not exist, each with its title, after ``run``."""
    skipped: t.Mapping[int, Outcome] = {}
    """What :meth:`skip_inside` has left out, by the index in the list."""
    # The option that lists the objects; None if the options of the module are the object.
    entries: str | None = None
    # The key of the result that holds the object; empty if the module manages many.
    result_key = ""

    @classmethod
    def declarations(cls) -> tuple[t.Mapping[str, Object], Object | None]:
        return ({}, cls.declaration) if cls.entries is None else ({cls.entries: cls.declaration}, None)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if hasattr(cls, "kind"):
            cls.declaration = cls.kind.declaration
        cls.masked_results = ("diff", *([cls.result_key] if cls.result_key else []))

    @property
    def raw_entries(self) -> list[tuple[str, Params]]:
        """The path of the option and the options of each object."""
        if self.entries is None:
            return [("", self.params)]
        return [(f"{self.entries}[{index}]", entry) for index, entry in enumerate(self.params[self.entries])]

    @functools.cached_property
    def desired(self) -> list[tuple[str, dict[str, t.Any]]]:
        """The path of the option and the specified form of each object."""
        return [(path, self.declaration.specified(entry)) for path, entry in self.raw_entries]

    @property
    def listed_keys(self) -> list[Key]:
        """The keys of all objects."""
        return [key_of(entry) for _path, entry in self.desired]

    def skip_inside(self, unmade: t.Mapping[Key, str]) -> None:
        """Leave out the objects inside of others that do not exist."""
        self.skipped = skip_inside(self.desired, unmade, self.declaration)
        self.desired = [one for index, one in enumerate(self.desired) if index not in self.skipped]

    def with_skipped(self, result: Result) -> Result:
        """Return the result with the objects that were left out, each at its place in the list."""
        if not self.skipped or "results" not in result:
            return result
        entries = list(result["results"])
        for index, outcome in self.skipped.items():
            entries.insert(index, outcome.report())
        return {**result, "results": entries, "counts": {**result["counts"], SKIPPED: len(self.skipped)}}

    def refuse_values(self, api: Api, context: Context) -> None:
        """Raise BadInput for a value that this server would refuse.

        ``check`` refuses what every server does. This only reads, and runs before anything is written.
        """

    def run_valid(self, api: Api, context: Context) -> Result:
        """Do the work without :meth:`refuse_values`, which a task of several parts has done for all of them."""
        return self.run(api, context)

    def entry_of(self, option: str) -> str:
        path = re.match(rf"({self.entries or 'applications'})\[(\d+)\](?:\.(applications)\[(\d+)\])?", option)
        if path is None:
            return ""
        entry = self.params[path[1]][int(path[2])]
        names = [entry.get(key) for key in ("vhost", "app", "name", "id")]
        if path[3]:  # an application inside of a virtual host
            names.append(entry[path[3]][int(path[4])].get("name"))
        name = "/".join(filter(None, names))
        return f"{path[0]} ({name[:_LONGEST_NAME]})" if name else ""

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _path, entry in self.desired:
            self.declaration.collect_secrets(entry, secrets)


def unmade(items: t.Iterable[Outcome], what: str) -> dict[Key, str]:
    """Return the keys of objects that failed and do not exist, each with its title; ``what`` is their kind."""
    return {item.key: f"{what} {item.title}" for item in items if item.action == FAILED and item.after is None}


def skip_inside(
    desired: t.Sequence[tuple[str, t.Mapping[str, t.Any]]], parents: t.Mapping[Key, str], declaration: Object
) -> dict[int, Outcome]:
    """Return the outcomes of objects inside of ``parents``, which do not exist, by their index."""
    skipped = {}
    for index, (_path, entry) in enumerate(desired):
        key = key_of(entry)
        holders = {Key(key.vhost), Key(*key.scope)} - {key}
        parent = next((title for holder, title in parents.items() if holder in holders), None)
        if parent is not None:
            skipped[index] = Outcome(
                declaration, label_of(entry), entry, SKIPPED, details={"msg": f"Skipped, because {parent} failed."}
            )
    return skipped


def title_of(entry: Result) -> str:
    """Return the names of an object in an entry of ``results``."""
    return "/".join(str(entry[label]) for label in LABELS if entry.get(label))


def refuse_repeated(
    desired: t.Sequence[tuple[str, t.Mapping[str, t.Any]]], key: t.Callable[[t.Mapping[str, t.Any]], str], option: str
) -> None:
    """Raise BadInput if two entries of a list define the same object.

    ``key`` returns the identity of an object, and ``option`` is the one that the error names.
    """
    seen: dict[str, str] = {}
    for path, entry in desired:
        if key(entry) in seen:
            raise BadInput(
                f"{path}.{option}",
                f"expected each object once, got {key(entry)!r} again after {named(seen[key(entry)])}",
            )
        seen[key(entry)] = path


def check_purge(params: Params, entries: str, absent: str) -> None:
    """Raise BadInput if `purge` is used with the state ``absent``, or with an empty list in the option ``entries``."""
    if params["purge"] and params["state"] == absent:
        raise BadInput("purge", f"cannot be used if state is {absent}")
    if params["purge"] and not params[entries] and not params["purge_everything"]:
        raise purge_of_everything("purge", entries)


def purge_of_everything(option: str, entries: str) -> BadInput:
    """Return the error of a purge, which is ``option``, without anything listed in ``entries``."""
    everything = named("purge_everything")
    text = f"expected entries in {named(entries)}, got an empty list; set {everything} to true if that is meant"
    return BadInput(option, text)


def single_result(item: Outcome, key: str) -> Result:
    """Return the result of a module for one object, which is under ``key``."""
    report = item.report()
    result: Result = {
        "changed": item.changed,
        "action": item.action,
        key: item.declaration.mask(item.after) if item.after is not None else None,
        "differences": report["differences"],
        "diff": _diff([item]),
        **{name: value for name, value in report.items() if name in item.details},
    }
    if item.error is not None:
        result.update(failed=True, msg=report["msg"], error=report["error"])
    return result


def bulk_result(items: t.Sequence[Outcome], what: str) -> Result:
    """Return the result of a module for many objects, which is a failure if one of them failed.

    ``what`` names the objects in messages, in the plural.
    """
    result: Result = {
        "changed": any(item.changed for item in items),
        "results": [item.report() for item in items],
        "counts": counts(items),
        "diff": _diff(items),
    }
    failures = [item for item in items if item.action == FAILED]
    if failures:
        error = OmeError(
            "items_failed",
            f"bring all {what} into the desired state",
            detail=f"{len(failures):,} of {len(items):,} failed.",
        )
        result.update(
            failed=True,
            msg=f"{len(failures):,} of {len(items):,} {what} failed. {_causes(failures)}",
            error=error.as_result(),
        )
    return result


def _causes(failures: t.Sequence[Outcome]) -> str:
    """Return why items failed: each cause once, with the items that it concerns."""
    names = {name for item in failures for name in item.label.values()}
    groups: dict[tuple[t.Any, ...], list[Outcome]] = {}
    for item in failures:
        error = t.cast(OmeError, item.error)
        # The number of items in a request is no part of the cause.
        attempt = _COUNT.sub("", error.attempt)
        cause = (
            error.kind,
            error.status,
            error.method,
            error.host,
            *(_without(names, text) for text in (attempt, *_parts(error))),
        )
        groups.setdefault(cause, []).append(item)
    texts = [
        f"[{same[0].title}] {same[0].error}"
        if len(same) == 1
        else f"{_common(same)} Items: {listed([item.title for item in same])}."
        for same in list(groups.values())[:_MOST_CAUSES]
    ]
    left = sum(map(len, list(groups.values())[_MOST_CAUSES:]))
    return " ".join([*texts, *([f"And {left:,} more for other causes, see results."] if left else [])])


def _common(items: t.Sequence[Outcome]) -> OmeError:
    """Return the error that these items share, without the names in which they differ."""
    error = t.cast(OmeError, items[0].error)
    labels = [{item.label[label] for item in items} for label in items[0].label]
    names = {name for values in labels if len(values) > 1 for name in values}
    same = all(t.cast(OmeError, item.error).attempt == error.attempt for item in items)
    attempt = str(_without(names, error.attempt if same else _COUNT.sub("", error.attempt))).removesuffix(" …")
    detail, path, server_message = (_without(names, text) for text in _parts(error))
    return OmeError(
        error.kind,
        attempt,
        detail=detail or "",
        method=error.method,
        path=path,
        host=error.host,
        status=error.status,
        server_message=server_message,
    )


def _parts(error: OmeError) -> tuple[str | None, ...]:
    """Return the parts of an error that can contain names of items, except what was attempted."""
    return error.detail, error.path, error.server_message


def _without(names: t.Collection[str], text: str | None) -> str | None:
    """Return a part of an error without these names."""
    return text and re.sub(
        "…(?:/…)+", "…", _NAME.sub(lambda found: "…" if found.group() in names else found.group(), text)
    )


def counts(items: t.Iterable[Outcome]) -> dict[str, int]:
    """Return the number of objects for each action."""
    return dict(sorted(Counter(item.action for item in items).items()))


def _diff(items: t.Iterable[Outcome]) -> dict[str, t.Any]:
    """Return the diff of what changes, and of changes that are refused; secrets are masked, changed ones marked."""
    before: dict[str, t.Any] = {}
    after: dict[str, t.Any] = {}
    for item in items:
        refused = item.action == FAILED and not item.touched and item.before is not None and bool(item.differences)
        if not item.changed and not refused:
            continue
        to_be = item.declaration.as_stored(item.declaration.merge(item.desired, item.before)) if refused else item.after
        if item.before is not None:
            before[item.title] = item.declaration.mask(item.before)
        if to_be is not None:
            after[item.title] = item.declaration.mask_changed(to_be, item.before)
    return {"before": before, "after": after}
