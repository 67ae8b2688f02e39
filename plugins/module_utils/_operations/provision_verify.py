# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Verify what the parts of a task have reported, if a connection broke after them.

The server may have been restarted, and have lost what was created through the API (server-facts: Virtual hosts).
"""

from __future__ import annotations

import collections
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._reconcile.plan import DELETED, FAILED, RECREATED, RESTARTED, SKIPPED, STOPPED, UNCHANGED, UPDATED
from .base import Result
from .jobs import JobList
from .results import LABELS, ManagingOperation, title_of

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
        if isinstance(operation, JobList) and isinstance(again, JobList):
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
