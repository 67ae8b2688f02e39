# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the modules that manage objects share: what is wanted, checks of lists, and the shape of results and diffs."""

from __future__ import annotations

import functools
import re
import typing as t
from collections import Counter

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._capability import Capability, Params, Result
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._fields import Group
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import FAILED, Item
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._secrets import SecretStore

_LONGEST_NAME = 100  # characters of a name in a message about an entry


class Managing(Capability):
    """Brings objects to be as wanted; shared by the modules for one object and for many."""

    group: Group
    # The option that lists the objects; none where the options of the module are the object.
    entries: str | None = None

    @property
    def raw_entries(self) -> list[tuple[str, Params]]:
        """The path of the option and the options of each object."""
        if self.entries is None:
            return [("", self.params)]
        return [(f"{self.entries}[{index}]", entry) for index, entry in enumerate(self.params[self.entries])]

    @functools.cached_property
    def wanted(self) -> list[tuple[str, dict[str, t.Any]]]:
        """The path of the option and the given form of each object."""
        return [(path, self.group.given(entry)) for path, entry in self.raw_entries]

    def entry_of(self, option: str) -> str:
        path = re.match(r"(tasks|vhosts|applications)\[(\d+)\](?:\.(applications)\[(\d+)\])?", option)
        if path is None:
            return ""
        entry = self.params[path[1]][int(path[2])]
        names = [entry.get(key) for key in ("vhost", "app", "name", "id")]
        if path[3]:  # an application inside of a virtual host is named with it
            names.append(entry[path[3]][int(path[4])].get("name"))
        name = "/".join(filter(None, names))
        return f"{path[0]} ({name[:_LONGEST_NAME]})" if name else ""

    def collect_secrets(self, secrets: SecretStore) -> None:
        for _path, entry in self.wanted:
            self.group.collect_secrets(entry, secrets)


def refuse_repeated(wanted: t.Sequence[tuple[str, t.Mapping[str, t.Any]]], key: t.Callable[[t.Mapping[str, t.Any]], str], option: str) -> None:
    """Raises BadInput where two entries of a list are about the same object."""
    seen: dict[str, str] = {}
    for path, entry in wanted:
        if key(entry) in seen:
            raise BadInput(f"{path}.{option}", f"expected each object once, got {key(entry)!r} again after {seen[key(entry)]}")
        seen[key(entry)] = path


def check_purge(params: Params, entries: str, absent: str) -> None:
    """Raise BadInput if the purge makes no sense with the state ``absent``, or with an empty list in the option ``entries``."""
    if params["purge"] and params["state"] == absent:
        raise BadInput("purge", f"cannot be used where state is {absent}")
    if params["purge"] and not params[entries] and not params["purge_everything"]:
        raise BadInput("purge", f"expected entries in {entries}, got an empty list; set purge_everything to true if that is meant")


def single_result(item: Item, key: str) -> Result:
    """The result of a module for one object."""
    report = item.report()
    result: Result = {
        "changed": item.changed,
        "action": item.action,
        key: item.group.mask(item.after) if item.after is not None else None,
        "differences": report["differences"],
        "diff": _diff([item]),
        **{name: value for name, value in report.items() if name in item.extra},
    }
    if item.error is not None:
        result.update(failed=True, msg=report["msg"], error=report["error"])
    return result


def bulk_result(items: t.Sequence[Item], what: str) -> Result:
    """The result of a module for many objects; fails at the end if one failed."""
    result: Result = {
        "changed": any(item.changed for item in items),
        "results": [item.report() for item in items],
        "counts": counts(items),
        "diff": _diff(items),
    }
    failures = [item for item in items if item.action == FAILED]
    if failures:
        error = OmeError("items_failed", f"bring all {what} into the wanted state", detail=f"{len(failures)} of {len(items)} failed.")
        told = " ".join(f"[{item.title}] {item.error}" for item in failures[:5])
        more = f" And {len(failures) - 5} more, see results." if len(failures) > 5 else ""
        result.update(failed=True, msg=f"{len(failures)} of {len(items)} {what} failed. {told}{more}", error=error.as_result())
    return result


def counts(items: t.Iterable[Item]) -> dict[str, int]:
    """How many objects met which action."""
    return dict(sorted(Counter(item.action for item in items).items()))


def _diff(items: t.Iterable[Item]) -> dict[str, t.Any]:
    """What changes, for diff mode; secrets are masked, and one that changes is marked so."""
    before: dict[str, t.Any] = {}
    after: dict[str, t.Any] = {}
    for item in items:
        if not item.changed:
            continue
        if item.before is not None:
            before[item.title] = item.group.mask(item.before)
        if item.after is not None:
            after[item.title] = item.group.mask_after(item.after, item.before)
    return {"before": before, "after": after}
