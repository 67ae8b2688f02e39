# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option that says which streams are expected to be live, when, and how."""

from __future__ import annotations

import typing as t

from .._audit.expected import ExpectedStream
from .._core.errors import BadInput
from .._playback.outputs import PUBLISHERS
from .._resources.kind import Key
from .._schema.windows import DAYS, InvalidWindow, window_of
from .base import TEXT, Params, check_name, list_of

_LEAST = ("width", "height", "bitrate", "framerate")
EXPECTED_STREAMS = list_of(
    {
        **{option: {"type": "str", "required": True} for option in ("vhost", "app", "stream")},
        **dict.fromkeys(("from", "until", "time_zone"), TEXT),
        "days": {"type": "list", "elements": "str", "choices": list(DAYS)},
        **{f"min_{name}": {"type": "int"} for name in _LEAST[:3]},
        "min_framerate": {"type": "float"},
        "audio": {"type": "bool"},
        "max_latency": {"type": "float"},
        "plays_on": {"type": "list", "elements": "str", "choices": list(PUBLISHERS)},
    },
    required=False,
)
"""Argument spec."""


def expected_of(entry: Params, path: str) -> ExpectedStream:
    """Return an expected stream; ``path`` is that of its option. Raises BadInput."""
    for option in ("vhost", "app", "stream"):
        check_name(entry[option], f"{path}.{option}")
    least = {name: entry[f"min_{name}"] for name in _LEAST if entry[f"min_{name}"] is not None}
    for option, value in (*((f"min_{name}", value) for name, value in least.items()), ("max_latency", _limit(entry))):
        if value <= 0:
            raise BadInput(f"{path}.{option}", f"expected a number above 0, got {value:g}")
    try:
        window = window_of(entry["from"], entry["until"], entry["days"], entry["time_zone"])
    except InvalidWindow as error:
        raise BadInput(f"{path}.{error.option}", error.expected) from None
    key = Key(entry["vhost"], entry["app"], entry["stream"])
    return ExpectedStream(key, window, least, entry["audio"], entry["max_latency"], tuple(entry["plays_on"] or ()))


def _limit(entry: Params) -> t.Any:
    return 1 if entry["max_latency"] is None else entry["max_latency"]
