# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a server has to be restarted, and why: what differs between what it was started with and what is there."""

from __future__ import annotations

import datetime
import posixpath
import re
import typing as t

from .._host.server_memory import MAPS, File

_VHOST = re.compile(r"VHost_.+\.xml")
_STATES = {"created": "is new", "changed": "has changed", "removed": "was removed"}


class Plan(t.NamedTuple):
    """What is due."""

    start: bool = False
    """Whether the server does not run, and has to be started."""
    restart: bool = False
    """Whether the running server differs from its files until a restart."""
    reasons: t.Sequence[str] = ()

    @property
    def because(self) -> str:
        """Return the reasons as a text."""
        return ", ".join(self.reasons)


def started_with(started: t.Mapping[str, t.Any], before: t.Iterable[File], start_time: str) -> dict[str, str]:
    """Return the checksums of the files that the running process was started with, by path.

    :param started: what is remembered of the last start. :param before: the files before anything is written. Those
        older than the process are what it was started with, if it has started by itself since.
    :param start_time: of the process, in ISO 8601; empty if it is unknown.
    """
    since = _seconds(start_time)
    older = {one.path: one.checksum for one in before if since is not None and one.mtime < since}
    return {**(started.get("files") or {}), **older}


def plan(
    started: t.Mapping[str, t.Any],
    current: t.Iterable[File],
    *,
    running: bool,
    start_time: str,
    version: str,
    image: str,
    predicted: t.Mapping[str, str],
) -> Plan:
    """Return what is due.

    A virtual host that is new since the start needs no restart, because the API makes it, and stream maps need none
    either. Files that are older than the process need none, because it was started with them.

    :param started: what the server was started with: ``version``, ``image``, and ``files`` (checksums by path); empty
        if this collection has never started it.
    :param current: the files as they are. :param start_time: of the process, in ISO 8601; empty if it is unknown.
    :param predicted: states of files that check mode would change, by path.
    """
    if not running:
        return Plan(start=True, reasons=["the server does not run"])
    since = _seconds(start_time)
    files: dict[str, str] = dict(started.get("files") or {})
    now = {one.path: one for one in current}
    states: dict[str, str] = {}
    for path, one in now.items():
        is_older = path.endswith(".xml") and since is not None and one.mtime < since
        if files.get(path) != one.checksum and not is_older:
            states[path] = "changed" if path in files else "created"
    states.update({path: "removed" for path in files if path not in now})
    for path, state in predicted.items():
        # A unit is "changed" also if the running server has none.
        states[path] = "created" if state == "changed" and path not in files else state
    states = {path: state for path, state in states.items() if _needs_restart(path, files)}
    reasons = sorted(f"{posixpath.basename(path)} {_STATES[state]}" for path, state in states.items())
    for key, value in (("version", version), ("image", image)):
        if started.get(key, value) != value:
            reasons.append(f"the {key} is {value} instead of {started[key]}")
    if not started:
        reasons = ["the role has not started the running server"]
    return Plan(restart=bool(reasons), reasons=reasons)


def _needs_restart(path: str, files: t.Mapping[str, str]) -> bool:
    """Return whether a change of this file has an effect only after a restart."""
    name = posixpath.basename(path)
    return name not in MAPS and (path in files or _VHOST.fullmatch(name) is None)


def _seconds(text: str) -> float | None:
    """Return a time in ISO 8601 as seconds since the epoch; None if it is empty or something else."""
    try:
        return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp()
    except ValueError:
        return None
