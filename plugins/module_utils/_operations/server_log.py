# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a log says about a start that has failed: its errors, and its last lines."""

from __future__ import annotations

import re
import typing as t

from .._core.texts import shortened

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_HEAD = re.compile(r"\[[^\]]*\] ([A-Z]) \[[^\]]*\] ")
_ERROR_LEVELS = ("E", "C")
_SAYS_ERROR = re.compile(r"(?i)\berror\b|\bfailed\b|could not|cannot|denied|not found|no such|refus")
_MOST = 5  # errors, and last lines of each log
_LONGEST_LINE = 400  # characters


def told(logs: t.Iterable[str], scrubbed: t.Callable[[str], str]) -> list[str]:
    """Return the first errors of logs, and the last lines of each.

    Lines of a shutdown follow the reason of a failed start, which is therefore not among the last lines.

    :param scrubbed: returns a line without secrets.
    """
    contents = [
        [line for line in (_COLOURS.sub("", line).rstrip() for line in log.splitlines()) if line] for log in logs
    ]
    found = _errors([line for content in contents for line in content])[:_MOST]
    for content in contents:
        found += [line for line in content[-_MOST:] if line not in found]
    return [shortened(scrubbed(line), _LONGEST_LINE) for line in found]


def _errors(lines: t.Iterable[str]) -> list[str]:
    """Return the lines with errors; of those that differ in time and thread only, the first.

    Errors are lines of the levels E and C of the server. Without such lines, they are those that name an error.
    """
    leveled: dict[str, str] = {}
    others: dict[str, str] = {}
    for line in lines:
        head = _HEAD.match(line)
        if head is None:
            if _SAYS_ERROR.search(line):
                others.setdefault(line, line)
        elif head[1] in _ERROR_LEVELS:
            leveled.setdefault(line[head.end() :], line)
    return list((leveled or others).values())
