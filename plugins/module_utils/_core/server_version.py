# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions of the server, and facts that differ between releases (server-facts: 0.21.0)."""

from __future__ import annotations

import re
import typing as t

Version = tuple[int, int, int]

# The releases with which this collection is tested, from the oldest on.
TESTED: tuple[Version, ...] = ((0, 15, 10), (0, 18, 0), (0, 20, 0), (0, 21, 0))
NEWEST = TESTED[-1]

# A server without GET /v1/version is older than 0.16.5 (server-facts: HTTP). It is treated as the newest of these
# releases.
BEFORE_VERSION_CALL: Version = (0, 16, 4)
# Fields that this release and all later ones know are sent without reading the version first.
OLDEST_ASSUMED: Version = (0, 18, 0)
# Newer than every release: a server with an unreadable version gets the newest spelling.
UNKNOWN: Version = (9999, 0, 0)

_NUMBERS = re.compile(r"v?([0-9]{1,4})\.([0-9]{1,4})\.([0-9]{1,4})")


def parse(text: str | None) -> Version:
    """Return the version in a text such as `0.20.0` or `v0.20.0-dev`; UNKNOWN if the text has none."""
    found = _NUMBERS.match(text or "")
    return (int(found[1]), int(found[2]), int(found[3])) if found else UNKNOWN


def show(version: Version) -> str:
    """Return the text of a release, for messages."""
    return ".".join(map(str, version))


def releases(since: Version | None, until: Version | None = None) -> str:
    """Return the releases from ``since`` to ``until`` in words; without one of them, all earlier or all later ones."""
    if until is None:
        return f"OvenMediaEngine {show(since)} or later" if since else "any OvenMediaEngine"
    return f"OvenMediaEngine {show(since)} to {show(until)}" if since else f"OvenMediaEngine {show(until)} or earlier"


def of_this_server(version: Version) -> str:
    """Return the sentence about the version of the server, which ends a message about what the version lacks."""
    return f"The version of this server is {describe(version)}."


def describe(version: Version) -> str:
    """Return the text of a server's version, for messages."""
    if version == BEFORE_VERSION_CALL:
        return "older than 0.16.5"
    return "unknown" if version == UNKNOWN else show(version)


class Changed(t.NamedTuple):
    """A fact that is ``new`` from release ``since`` on, and was ``old`` before."""

    old: t.Any
    new: t.Any
    since: Version

    def at(self, version: Version) -> t.Any:
        """Return the value for one version."""
        return self.new if version >= self.since else self.old
