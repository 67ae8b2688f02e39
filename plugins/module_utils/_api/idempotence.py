# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which requests may be sent again if their outcome is unknown (RFC 9110, 9.2.2), and why."""

from __future__ import annotations

import typing as t


class Idempotence(t.NamedTuple):
    """Whether a request may be sent again of which it is not known what became, and why."""

    allowed: bool
    reason: str


READS = Idempotence(True, "It changes nothing.")
DELETES = Idempotence(True, "A second one finds nothing to delete, and says so.")
STOPS = Idempotence(
    True, "A second one is 200 as long as the task is listed, and 404 after that (server-facts: Push tasks)."
)
RELOADS = Idempotence(True, "The server reads the same files again.")
CREATES = Idempotence(
    False, "What was created although the answer was lost would be refused as a conflict: look at what is there."
)
STARTS = Idempotence(
    False,
    "The task that was started although the answer was lost would be refused as a duplicate: look at what is there.",
)
