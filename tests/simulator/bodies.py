# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the server reads from a request body, with the coercions and the words of its JSON library."""

from __future__ import annotations

from typing import Any

from .errors import NO_OBJECT, ApiError

_INT_RANGE = range(-(2**31), 2**31)


def read_object(body: Any) -> dict[str, Any]:
    """Return the body; null counts as an object without keys. :raises ApiError: 500 for anything else."""
    if body is not None and not isinstance(body, dict):
        raise ApiError(500, NO_OBJECT, framed=False)
    return body or {}


def read_string(body: Any, key: str) -> str:
    """Return a string; anything else counts as not given."""
    value = body.get(key) if isinstance(body, dict) else None
    return value if isinstance(value, str) else ""


def read_list(body: Any, key: str, kind: type) -> list[Any]:
    """Return the members of one kind; anything else counts as not given."""
    values = body.get(key) if isinstance(body, dict) else None
    return (
        [value for value in values if isinstance(value, kind) and not isinstance(value, bool)]
        if isinstance(values, list)
        else []
    )


def read_int(body: Any, key: str) -> int:
    """Return a number of 32 bits; anything else counts as 0."""
    value = body.get(key) if isinstance(body, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _INT_RANGE else 0


def as_bool(value: Any) -> bool:
    """Return a value as a truth. :raises ApiError: 500 for text, arrays and objects."""
    if isinstance(value, (str, list, dict)):
        raise ApiError(500, "Value is not convertible to bool.", framed=False)
    return bool(value)


def as_int(value: Any) -> int:
    """Return a value as a number of 32 bits. :raises ApiError: 500 if it is none, or too large."""
    if isinstance(value, (str, list, dict)):
        raise ApiError(500, "Value is not convertible to Int.", framed=False)
    number = int(value or 0)
    if number not in _INT_RANGE:
        raise ApiError(500, "LargestInt out of Int range", framed=False)
    return number


def as_string(value: Any) -> str:
    """Return a value as text. :raises ApiError: 500 for arrays and objects."""
    if isinstance(value, (list, dict)):
        raise ApiError(500, "Type is not convertible to string", framed=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def members(value: Any) -> list[Any]:
    """Return what a loop over a value goes through: nothing if it is a scalar."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list) else []


def member(value: Any, key: str) -> Any:
    """Return a key of an object, None without it. :raises ApiError: 500 if the value is no object."""
    return read_object(value).get(key)
