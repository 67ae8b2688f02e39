# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which requests are idempotent (RFC 9110, 9.2.2), and so can be sent again if their outcome is unknown."""

from __future__ import annotations

import typing as t


class Idempotence(t.NamedTuple):
    """Whether a request can be sent again if no response arrived, and why."""

    repeatable: bool
    reason: str


READS = Idempotence(True, "It changes nothing.")
DELETES = Idempotence(True, "A second one returns 404, because nothing is left to delete.")
UPDATES = Idempotence(True, "A second one writes the same values again.")
STOPS = Idempotence(
    True, "A second one returns 200 while the task is listed, and 404 afterwards (server-facts: Push tasks)."
)
RELOADS = Idempotence(True, "The server reads the same files again.")
CREATES = Idempotence(
    False, "If the first one took effect, a second one fails with a conflict: read the current state instead."
)
STARTS = Idempotence(
    False, "If the first one took effect, a second one fails as a duplicate: read the current state instead."
)
SWITCHES = Idempotence(True, "A second one sets the same state again.")
SENDS = Idempotence(False, "If the first one took effect, a second one would reach players again.")
