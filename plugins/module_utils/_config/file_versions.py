# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The versions of Server.xml and Logger.xml that the servers take (server-facts: Configuration files)."""

from __future__ import annotations

import re

from .._core.errors import OmeError
from .._core.texts import listed
from .elements import Element

TAKEN = {"Server": (8, 9, 10), "Logger": (2,)}
"""The values of the attribute `version` by root element, in all releases from 0.13.0 to 0.21.0 [read]."""
_NUMBER = re.compile(r"\s*([+-]?[0-9]+)")


def check(root: Element) -> None:
    """Raise OmeError if no supported server starts with the version of a file, whose root element is ``root``.

    Other files have no version. A macro can stand for any.
    """
    text = root.get("version", "")
    if root.tag not in TAKEN or "${" in text:
        return
    taken = TAKEN[root.tag]
    number = _NUMBER.match(text)
    if number and int(number[1]) in taken:
        return
    *others, last = map(str, taken)
    got = f"version {text}" if text else "no version"
    raise OmeError(
        "config_version",
        f"use the configuration file {root.file}",
        detail=f"{root.file} has {got} (line {root.line}). The servers that this collection supports refuse it: they "
        f"take {f'{listed(others)} and {last}' if others else last} only. Nothing was written.",
    )
