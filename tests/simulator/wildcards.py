# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns of the server: for host names, for streams of a stream map, for files that are included."""

from __future__ import annotations

import re


def matches(text: str, pattern: str) -> bool:
    """Return whether a whole text matches: ``*`` is any text and ``?`` at most one character, dots included
    (Regex::WildCardRegex and PathManager::GetFileList [read]).
    """
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".?"), text) is not None
