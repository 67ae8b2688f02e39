# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts of elements."""

from __future__ import annotations

import re
import typing as t
from xml.etree import ElementTree

from .._core.errors import BadInput
from .elements import at

_IMPOSSIBLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def is_possible(text: str) -> bool:
    """Return whether XML can hold a text. The server also reads control characters and bytes that are no UTF-8."""
    return not _IMPOSSIBLE.search(text)


def read_text(element: ElementTree.Element, text: str | None) -> str:
    """Return a text of an element that was read; raise BadFile if no option can hold it."""
    if text and not is_possible(text):
        raise at(element, f"expected text in UTF-8 without control characters in {element.tag}")
    return text or ""


def to_text(value: t.Any, path: str) -> str:
    """Return the text of an element or an attribute; ``path`` is the full path of the option."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not is_possible(text):
        raise BadInput(path, "expected text without characters that XML cannot hold, such as control characters")
    if text and not text.strip(" \t\r\n"):
        raise BadInput(path, "expected some text or an empty one, because the server drops blanks in its configuration")
    return text
