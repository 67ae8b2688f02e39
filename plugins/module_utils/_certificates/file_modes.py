# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modes of files as users write them in YAML."""

from __future__ import annotations

import re
import typing as t

_OCTAL = re.compile(r"[0-7]{3,4}")
_LARGEST = 0o777
_OTHERS_WRITE = 0o022


def mode_of(value: t.Any) -> int | None:
    """Return the mode that a user has written; None if it is none.

    YAML makes the number 416 of an unquoted 0640, of which ansible-core before 2.19 makes a text. A number such as 640
    is refused, because nobody knows what was meant.
    """
    if isinstance(value, str):
        text = value.strip()
        if not _OCTAL.fullmatch(text):
            return None
        mode = int(text, 8)
        # Without a zero, it can be such a number as text: 420 for 0644.
        return mode if len(text) > 3 or _is_usual(mode) else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _LARGEST and _is_usual(value) and not value & _OTHERS_WRITE else None


def _is_usual(mode: int) -> bool:
    """Return whether the owner may read, and each class of users no more than the one before it."""
    owner, group, others = mode >> 6, mode >> 3 & 7, mode & 7
    return bool(owner & 4) and not group & ~owner and not others & ~group
