# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes back to the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ApiError

JSON_HEADERS = {"Server": "OvenMediaEngine", "Content-Type": "application/json;charset=UTF-8"}

NOTHING = object()
"""No ``response`` in the envelope; null would be one."""


@dataclass
class Answer:
    """An HTTP answer with a JSON body; ``payload`` is the body before it is written out."""

    status: int
    payload: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    empty: bool = False
    """No body at all."""


def envelope(status: int = 200, message: str = "OK", response: Any = NOTHING) -> dict[str, Any]:
    """Return the frame of every answer and of every item of a bulk answer (api-contract: Envelope)."""
    result: dict[str, Any] = {"statusCode": status, "message": message}
    if response is not NOTHING:
        result["response"] = response
    return result


def success(response: Any = NOTHING, message: str = "OK") -> Answer:
    """Return an answer of 200."""
    return Answer(200, envelope(200, message, response))


def failure(error: ApiError) -> Answer:
    """Return the answer to a request that is refused as a whole."""
    return Answer(error.status, envelope(error.status, error.message))


def bulk(items: list[dict[str, Any]]) -> Answer:
    """Return a bare array; its status is the items' common one, else 207, and 200 without items (server-facts: Virtual
    hosts).
    """
    statuses = {item["statusCode"] for item in items}
    status = statuses.pop() if len(statuses) == 1 else 207 if statuses else 200
    return Answer(status, items)
