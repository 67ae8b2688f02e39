# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The part of the result of the module `server` that says what was done, and the same in one line."""

from __future__ import annotations

import typing as t

from .base import Params, Result

STARTED, RESTARTED, ROLLED_BACK, FAILED = "started", "restarted", "rolled back", "failed"
UNINSTALLED, ABSENT, NONE = "uninstalled", "absent", "none"
RAN = (STARTED, RESTARTED)
_MOST = 5  # names in the line


def summary(found: Params, *, refusal: str = "", check_mode: bool = False) -> Result:
    """Return the keys of the summary, with ``line``.

    :param found: those that are known, each by its name. :param refusal: why a restart that is due was refused.
    """
    result = {
        "action": NONE,
        "version": "",
        "installed_version": "",
        "restart_required": False,
        "reasons": [],
        "files": 0,
        "upgrade": [],
        "missing_streams": [],
        "audit": {},
        "host_warnings": [],
        "failed": False,
        **found,
    }
    begin = "Check mode, this would be done: " if check_mode else ""
    return {**result, "line": f"{begin}{_text(result, refusal)}"}


def _text(found: Params, refusal: str) -> str:
    """Return what was done, as text."""
    action, reasons = found["action"], first_of(found["reasons"])
    if action in (UNINSTALLED, ABSENT):
        return f"server {action}"
    server = f"server {found['version']}".rstrip()  # the version can be what is missing
    parts = [f"{server}: files changed: {found['files']}"]
    if action in RAN:
        parts.append(f"{action} ({reasons})")
    elif action != NONE:
        parts.append(action)
    elif refusal:
        parts.append(refusal)
    elif found["restart_required"]:
        parts.append(f"a restart is due ({reasons})")
    elif not found["failed"]:
        parts.append("no restart needed")
    if found["installed_version"] not in ("", found["version"]):
        parts.append(f"version {found['installed_version']} before")
    if found["missing_streams"]:
        parts.append(f"streams that are missing: {first_of(found['missing_streams'])}")
    if found["audit"]:
        parts.append(f"audit: {_counted(found['audit']['counts'])}")
    parts += [f"warning: {text}" for text in found["host_warnings"]]
    return "; ".join([*parts, *(["failed"] if found["failed"] and action != FAILED else [])])


def _counted(counts: t.Mapping[str, int]) -> str:
    """Return the numbers of findings as text, without those that only inform about the version."""
    found = (f"{kind} {number}" for kind, number in counts.items() if number and kind != "info")
    return ", ".join(found) or "no problems"


def first_of(texts: t.Sequence[str]) -> str:
    """Return the first texts, and how many others there are."""
    more = f" and {len(texts) - _MOST} more" if len(texts) > _MOST else ""
    return ", ".join(texts[:_MOST]) + more
