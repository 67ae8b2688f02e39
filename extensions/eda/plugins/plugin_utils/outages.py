# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decide which failures of a server are reported: each cause once, until everything succeeds again."""

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import UNANSWERED

FAILURES = 2
"""A cause is reported after so many failed polls in a row: one can be a connection that the server closed."""


class Outage:
    """The failed polls since the last one that succeeded."""

    def __init__(self) -> None:
        self.failures = 0
        self._cause: str | None = None
        self._in_a_row = 0  # with this cause
        self._reported: set[str] = set()

    def failed(self, kind: str) -> bool:
        """Count a failed poll; ``kind`` is that of its error. Return whether to report it.

        A server that does not answer does so in several ways, which count as one cause.
        """
        cause = "" if kind in UNANSWERED else kind
        self._in_a_row = self._in_a_row + 1 if cause == self._cause else 1
        self.failures, self._cause = self.failures + 1, cause
        if self._in_a_row < FAILURES or cause in self._reported:
            return False
        self._reported.add(cause)
        return True

    def ended(self) -> bool:
        """Forget the failures, because a poll succeeded. Return whether one was reported."""
        reported = bool(self._reported)
        self.failures, self._cause, self._in_a_row, self._reported = 0, None, 0, set()
        return reported
