# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of recorded files that people recognise, made from any text."""

from __future__ import annotations

import re
import unicodedata

_LONGEST_PART = 80
"""Two of them, a time and an ending fit into the 255 bytes that file systems allow."""
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
)
"""Letters that are not an ASCII letter and an accent."""


def safe_part(text: str) -> str:
    """Return a text as a part of a file name: without directories, macros of the server, and special characters."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", text).translate(_LETTERS))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    plain = re.sub(r"\.{2,}", ".", re.sub(r"[^A-Za-z0-9._-]+", "-", plain))
    return plain.strip("._-")[:_LONGEST_PART].rstrip("._-")
