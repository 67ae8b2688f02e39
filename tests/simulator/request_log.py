# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What clients asked, for tests to look at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from .router import plain_path

_READING_POSTS = (":pushes", ":records", ":hlsDumps", ":sttStatus")


@dataclass
class LogRecord:
    """One API request."""

    method: str
    path: str
    """As sent, query and all."""
    body: Any
    """The JSON value; the raw text if it is no JSON; None without a body."""
    headers: Mapping[str, str]
    """As sent, without the credential."""
    time: float
    """Seconds of the simulator's clock when the request had been read."""
    status: int | None = None
    """The status answered; None if no answer was given."""
    write: bool = False
    """Whether the request is one that changes the server, whatever the answer was."""
    fault: str | None = None
    """The kind of the fault that met it, see :mod:`.faults`."""
    connection: int = 0
    """The client's port, which tells connections apart."""

    def as_dict(self) -> dict[str, Any]:
        """Return the record as JSON can carry it."""
        return {**asdict(self), "headers": dict(self.headers)}


def is_write(method: str, path: str) -> bool:
    """Return whether a request is a write: DELETE, PUT, PATCH, and POST but for the actions that only read."""
    if method in ("DELETE", "PUT", "PATCH"):
        return True
    return method == "POST" and not plain_path(path).endswith(_READING_POSTS)


def body_of(raw: bytes) -> Any:
    """Return a request body for the log."""
    if not raw:
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "replace")
