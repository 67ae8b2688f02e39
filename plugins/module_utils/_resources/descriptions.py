# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How results show what the server describes, such as tracks and statistics (server-facts: Streams)."""

from __future__ import annotations

import re
import typing as t

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_WHOLE = re.compile(r"-?[0-9]{1,18}")
# Bit rates of tracks are text on 0.18.0 and numbers later
# (server-facts: Streams, recordings, channels, output profiles).
_NUMBERS = ("bitrate",)


def to_snake_case(key: str) -> str:
    """Return a key of the API such as `videoVariantName` as `video_variant_name`."""
    return _CAPITAL.sub(r"_\1", key).lower()


def readable(value: t.Any, key: str = "") -> t.Any:
    """Return a description by the server with keys in snake_case, and with the numbers of tracks as numbers."""
    if isinstance(value, dict):
        return {to_snake_case(name): readable(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [readable(item, key) for item in value]
    if isinstance(value, str) and key.startswith(_NUMBERS) and _WHOLE.fullmatch(value):
        return int(value)
    return value
