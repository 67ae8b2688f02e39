# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decide which requests are sent again, and after which delay."""

from __future__ import annotations

import random
import typing as t

from .failures import Failure

FIRST_DELAY = 0.25  # seconds before the first retry; doubles with each retry
LARGEST_DELAY = 5.0  # seconds


class RetryPolicy:
    """Exponential backoff with jitter, so that a fleet does not retry in lockstep."""

    def __init__(self, retries: int, jitter: t.Callable[[], float] = random.random) -> None:
        """``retries`` is the number of attempts after the first; ``jitter`` returns 0 to 1 (replaced in tests)."""
        self._retries = retries
        self._jitter = jitter

    @staticmethod
    def allows(failure: Failure, *, idempotent: bool) -> bool:
        """Return whether a request may be sent again after this failure.

        A request that did not arrive may always be sent again. One that may have arrived is sent again only if it is
        idempotent (RFC 9110, 9.2.2).
        """
        return failure.transient and (idempotent or not failure.may_have_arrived)

    def is_exhausted(self, retry: int) -> bool:
        """Return whether no retry is left after ``retry`` retries."""
        return retry == self._retries

    def delay(self, failure: Failure, retry: int) -> float:
        """Return the seconds before the next retry, after ``retry`` retries."""
        backoff: float = min(LARGEST_DELAY, FIRST_DELAY * 2**retry) * (0.5 + self._jitter() / 2)
        return max(failure.retry_after, backoff)
