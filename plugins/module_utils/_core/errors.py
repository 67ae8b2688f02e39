# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The exceptions that carry an error kind, and what is known about the failure."""

from __future__ import annotations

import copy
import typing as t

from .advice import ADVICE, Advice
from .option_names import named

# Kinds of errors without a response of the server itself. The module provision retries its first request while one of
# these occurs.
UNANSWERED = ("refused", "proxy", "unresolved", "timeout", "connection_lost", "gateway", "rate_limited")


AnyError = t.TypeVar("AnyError", bound="OmeError")


class OmeError(Exception):
    """A failure that the user can act on.

    ``kind`` is a key of :data:`ADVICE`. ``attempt`` completes the sentence "Could not …". ``detail`` replaces the
    meaning of the kind, and ``remedy`` its remedy. ``method``, ``path``, ``host`` and ``status`` (HTTP) describe the
    request, if one was sent. ``server_message`` is the message in the server's response. ``outcome_unknown`` is true if
    the request may have taken effect although no usable response arrived.
    """

    def __init__(
        self,
        kind: str,
        attempt: str,
        *,
        detail: str = "",
        remedy: str = "",
        method: str | None = None,
        path: str | None = None,
        host: str | None = None,
        status: int | None = None,
        server_message: str | None = None,
        outcome_unknown: bool = False,
    ) -> None:
        super().__init__(kind, attempt)
        self.kind = kind
        self.attempt = attempt
        self.detail = detail
        self._remedy = remedy
        self.method = method
        self.path = path
        self.host = host
        self.status = status
        self.server_message = server_message
        self.outcome_unknown = outcome_unknown

    @property
    def advice(self) -> Advice:
        """Return meaning and remedy from :data:`ADVICE`."""
        return ADVICE[self.kind]

    @property
    def remedy(self) -> str:
        """Return what to do."""
        return self._remedy or self.advice.remedy

    @property
    def refused(self) -> bool:
        """Return whether a response arrived and rejected the request.

        The request may still have taken effect, but repeating it does not help.
        """
        return (self.status or 0) >= 400 and self.kind not in ("gateway", "rate_limited")

    @property
    def unanswered(self) -> bool:
        """Return whether no response of the server itself arrived; a later attempt can succeed."""
        return self.kind in UNANSWERED

    def with_detail(self, text: str) -> OmeError:
        """Return a copy that says more about what the error means; ``text`` can be empty."""
        return self._with(detail=f"{self.detail or self.advice.meaning} {text}") if text else self

    def with_detail_only(self, text: str) -> OmeError:
        """Return a copy that says something else about what the error means."""
        return self._with(detail=text)

    def for_attempt(self, attempt: str) -> OmeError:
        """Return a copy that says in other words what was attempted."""
        return self._with(attempt=attempt)

    def as_kind(self, kind: str) -> OmeError:
        """Return a copy of another kind."""
        return self._with(kind=kind)

    def with_outcome_unknown(self, unknown: bool) -> OmeError:
        """Return a copy that says whether the request may have taken effect."""
        return self._with(outcome_unknown=unknown)

    def _with(self: AnyError, **attributes: t.Any) -> AnyError:
        changed = copy.copy(self)
        vars(changed).update(attributes)
        return changed

    def __str__(self) -> str:
        """Return one line: what failed, why, the server's message, the request, and what to do."""
        parts = [f"Could not {self.attempt}."]
        parts.append(self.detail if self.detail else self.advice.meaning)
        if self.server_message:
            parts.append(f"The server says: {self.server_message.rstrip('.')}.")
        if self.method:
            where = f"{self.method} {self.path} at {self.host}"
            parts.append(f"({where} answered {self.status})" if self.status else f"({where} got no answer)")
        parts.append(self.remedy)
        return " ".join(parts)

    def as_failure(self) -> dict[str, t.Any]:
        """Return the result of a task that this has ended."""
        return {"failed": True, "changed": False, "msg": str(self), "error": self.as_result()}

    def as_result(self) -> dict[str, t.Any]:
        """Return the value of `error` in a result."""
        return {
            "kind": self.kind,
            "attempted": self.attempt,
            "meaning": self.detail or self.advice.meaning,
            "remedy": self.remedy,
            "method": self.method,
            "path": self.path,
            "host": self.host,
            "status": self.status,
            "server_message": self.server_message,
        }


_LONGEST_EXPECTED = 500  # characters that a message says about an option, its value included


class BadInput(OmeError):
    """An option with an invalid value, detected before any request.

    ``option`` is its full path such as ``host.names[0]``; ``expected`` says what was expected, and what it got.
    """

    def __init__(self, option: str, expected: str) -> None:
        self.option = option
        self.expected = (
            expected
            if len(expected) <= _LONGEST_EXPECTED
            else f"{expected[:_LONGEST_EXPECTED]} ... ({len(expected)} characters)"
        )
        self._shown = named(option)
        super().__init__("bad_input", f"use option {self._shown}", detail=f"{self._shown}: {self.expected}.")

    def within(self, entry: str) -> BadInput:
        """Return a copy that names the entry of a list that contains the option."""
        expected = f"{self.expected}, in {named(entry)}"
        return self._with(expected=expected, detail=f"{self._shown}: {expected}.")

    def __str__(self) -> str:
        return f"{self._shown}: {self.expected}."


class Refusal(OmeError):
    """Options that cannot work together, or not with what is there. The message is ``problem``, as sentences."""

    def __init__(self, attempt: str, problem: str, untouched: str = "Nothing was done.") -> None:
        """``attempt`` completes the sentence "Could not …"; ``untouched`` says what was left as it is."""
        super().__init__("bad_input", attempt, detail=problem, remedy=untouched)

    def __str__(self) -> str:
        return f"{self.detail} {self.remedy}"
