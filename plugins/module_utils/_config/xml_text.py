# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts of elements."""

from __future__ import annotations

import re
import typing as t

from .._core.errors import BadInput

_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_text(value: t.Any, path: str) -> str:
    """Return the text of an element or an attribute; ``path`` is the full path of the option."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if _IMPOSSIBLE.search(text):
        raise BadInput(path, "expected text without characters that XML cannot hold, such as control characters")
    if text and not text.strip(" \t\r\n"):
        raise BadInput(path, "expected some text or an empty one, because the server drops blanks in its configuration")
    return text
