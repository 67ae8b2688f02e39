# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stop sending to a server that does not answer, and let a single request probe whether it answers again."""

from __future__ import annotations

import threading

from .._core import concurrency
from .._core.advice import ADVICE
from .failures import Failure

MOST_UNANSWERED = 3  # consecutive requests without an answer after which nothing more is sent
_POLL_INTERVAL = 0.25  # seconds after which a request that waits checks whether its outcome is still needed


class CircuitBreaker:
    """What the concurrent requests of a task know about whether the server answers."""

    def __init__(self) -> None:
        self._change = threading.Condition()  # guards all below
        self._unanswered: list[Failure] = []  # consecutive
        self._given_up = 0  # requests that were given up so far
        self._is_silent = False  # whether no answer has arrived since an attempt failed
        self._probing: int | None = None  # the thread that probes whether the server answers again
        self._waiting: list[tuple[bool, int]] = []  # the positions of the calls that wait for that probe

    def reset(self) -> None:
        """Forget the requests without an answer, so that the server is asked again."""
        with self._change:
            self._unanswered = []

    @property
    def failure(self) -> Failure | None:
        """The failure of every further request while the breaker is open; None while it is closed."""
        if len(self._unanswered) < MOST_UNANSWERED:
            return None
        last = self._unanswered[-1]
        reason = last.detail or ADVICE[last.kind].meaning
        detail = f"{reason} This was not even sent, as the last {MOST_UNANSWERED} requests got no answer."
        return Failure(last.kind, detail, None, may_have_arrived=False, transient=False)

    def await_turn(self, *, idempotent: bool) -> int:
        """Wait while the server is silent and another request probes it; return how many requests were given up so far.

        Idempotent requests probe first: if another create or start were lost, one more outcome would be unknown.
        """
        thread, position = threading.get_ident(), (not idempotent, concurrency.number())
        is_patient = not idempotent and concurrency.beside_others()
        with self._change:
            self._waiting.append(position)
            try:
                while self._is_silent and self.failure is None and self._probing != thread:
                    concurrency.go_on()
                    if self._probing is None and position == min(self._waiting) and not is_patient:
                        break
                    is_patient = self._change.wait(_POLL_INTERVAL) and is_patient
                concurrency.go_on()
            finally:
                self._waiting.remove(position)
            if self._is_silent:
                self._probing = thread
            return self._given_up

    def end_probe(self) -> None:
        """Let another request probe the server if the present thread did."""
        with self._change:
            if self._probing == threading.get_ident():
                self._probing = None
                self._change.notify_all()

    def record_answer(self) -> None:
        """Close the breaker: the server answers."""
        with self._change:
            self._unanswered = []
            if self._is_silent:
                self._is_silent, self._probing = False, None
                self._change.notify_all()

    def record_failure(self, failure: Failure) -> None:
        """Remember that an attempt failed."""
        with self._change:
            self._is_silent = self._is_silent or failure.transient

    def give_up(self, failure: Failure, given_up: int) -> None:
        """Count a request without an answer.

        ``given_up`` is the number that `await_turn` returned for it: of concurrent requests only one counts, because
        they all report the same silence.
        """
        with self._change:
            if given_up == self._given_up:
                self._unanswered.append(failure)
                self._given_up += 1
