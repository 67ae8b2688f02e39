# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Kinds of faults and their classes.

Modules decide by the class of a fault alone. `test_fault_classes` proves the class of each kind on the wire, so that
the fault matrix runs one kind of each class.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

NOT_DONE, UNKNOWN, REFUSED_UNKNOWN, REFUSED, DONE = "not done", "unknown", "refused, unknown", "refused", "done"
"""What a client knows of a write after the fault; a refusal means that sending it again cannot help."""


class FaultClass(NamedTuple):
    """What a client can tell about a fault: everything that the modules decide by."""

    outcome: str
    """What a client knows of a create that met the fault."""
    sent_again: str = ""
    """Which requests the client sends again if it may retry: `all`, or the `idempotent` ones."""
    disconnect: bool = False
    """Whether the server may have been restarted, so that what the run has found and made is verified."""
    no_answer: bool = False
    """Whether the server is asked nothing more after a few of these in a row."""
    next_read: str = DONE
    """What a client knows of a read right after it: whether the server can be asked what it has done."""
    empties: bool = False
    """Whether the server has lost what the API had made."""


LOST = FaultClass(UNKNOWN, "idempotent", disconnect=True, no_answer=True)
CLASSES = {
    "lost": LOST,
    "lost, and nobody listens": LOST._replace(next_read=NOT_DONE),
    "lost, and restarted": LOST._replace(empties=True),
    "page": FaultClass(UNKNOWN, disconnect=True),
    "failed": FaultClass(REFUSED_UNKNOWN),
    "refused": FaultClass(REFUSED),
    "put off": FaultClass(NOT_DONE, "all", no_answer=True),
    "reconnect": FaultClass(DONE, disconnect=True),
    "reconnect, and restarted": FaultClass(DONE, disconnect=True, empties=True),
}

BOTH = ("before", "after")


@dataclass(frozen=True)
class Kind:
    """What goes wrong, and whether it can before the work or after it."""

    of: str
    """The name of its class."""
    fault: str
    whens: tuple[str, ...] = BOTH
    options: dict[str, Any] = field(default_factory=dict)
    slow: bool = False
    """Whether the client runs out of time, which is real."""
    empties: bool = False
    """Whether the server loses all that the API has made, once it has answered."""
    on_next: bool = False
    """Whether the request after the one that it is injected for meets it."""
    error: str = "connection_lost"
    """The kind of error that says how the response was lost, if it is of the class `lost`."""

    @property
    def column(self) -> str:
        """Return its row in the page of tests/robustness.py."""
        return str(self.options["status"]) if self.fault == "status" else "restart" if self.empties else self.fault


# The first of each class is the one that the matrix runs.
KINDS = {
    "reset": Kind("lost", "reset"),
    "close at the next": Kind("lost", "close", ("after",), {"variant": "next"}, on_next=True),
    "delay": Kind("lost", "delay", options={"seconds": 5}, slow=True, error="timeout"),
    "trickle": Kind("lost", "trickle", ("after",), {"seconds": 0.02}, slow=True, error="timeout"),
    "truncate": Kind("lost", "truncate"),
    "truncate the head": Kind("lost", "truncate", ("after",), {"variant": "head"}),
    "truncate chunks": Kind("lost", "truncate", ("after",), {"variant": "chunked"}),
    "content_length": Kind("lost", "content_length", error="not_json"),
    "garbage": Kind("lost", "garbage"),
    "garbage for JSON": Kind("lost", "garbage", ("after",), {"variant": "json"}, error="not_json"),
    "empty": Kind("lost", "empty"),
    "502": Kind("lost", "status", options={"status": 502, "variant": "html"}, error="gateway"),
    "503": Kind("lost", "status", options={"status": 503}, error="gateway"),
    "504": Kind("lost", "status", options={"status": 504, "variant": "html"}, error="gateway"),
    "refuse": Kind("lost, and nobody listens", "refuse", options={"seconds": 0.1}),
    "restart": Kind("lost, and restarted", "restart"),
    "html": Kind("page", "html"),
    "500": Kind("failed", "status", options={"status": 500}),
    "unauthorized": Kind("refused", "unauthorized", ("before",)),
    "rate_limit": Kind("put off", "rate_limit", ("before",), {"retry_after": 2}),
    "close": Kind("reconnect", "close", ("after",)),
    # The response is good, and only the connection shows that the server is another one since.
    "restart between requests": Kind("reconnect, and restarted", "close", ("after",), empties=True),
}
REPRESENTATIVES = tuple({kind.of: name for name, kind in reversed(KINDS.items())}[of] for of in CLASSES)
