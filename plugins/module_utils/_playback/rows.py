# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows of a verification: what was tried, and what came of it."""

from __future__ import annotations

import dataclasses
import typing as t

from .._core.errors import OmeError
from .playback import DENIED, PLAYS, NotPlayed, Playback

FAILS, NOT_TRIED = "fails", "not_tried"
VERDICTS = (PLAYS, DENIED, FAILS, NOT_TRIED)
"""``denied``: who has no signature was refused, as it should be."""
PUSH, RECORD = "push", "record"
"""What a row is about that is about bytes, in place of a protocol of viewers."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One thing that was tried.

    :param protocol_in: of the test signal. :param protocol_out: of the viewer; None for the publishing itself.
    :param stream: the output that was played. :param signed: None if no signature is needed.
    :param id: of a push task or recording.
    """

    vhost: str
    app: str
    host_name: str | None = None
    protocol_in: str | None = None
    stream: str | None = None
    protocol_out: str | None = None
    signed: bool | None = None
    id: str | None = None
    verdict: str = NOT_TRIED
    stage: str | None = None
    seconds_to_first_frame: float | None = None
    latency: float | None = None
    msg: str = ""
    error: OmeError | None = None

    def passed(self, verdict: str = PLAYS, **found: t.Any) -> Row:
        """Return the row of something that is as it should be."""
        return dataclasses.replace(self, verdict=verdict, **found)

    def failed(self, error: OmeError, stage: str) -> Row:
        """Return the row of something that does not work."""
        return dataclasses.replace(self, verdict=FAILS, stage=stage, msg=str(error), error=error)

    def not_published(self, failure: NotPlayed) -> Row:
        """Return the row of a test signal that the server did not take."""
        return self.failed(OmeError("test_stream", self.attempt, detail=failure.detail), failure.stage)

    def not_tried(self, reason: str) -> Row:
        """Return the row of something that was not tried, for a reason in one sentence."""
        return dataclasses.replace(self, verdict=NOT_TRIED, msg=reason)

    def played(self, playback: Playback, expect: str) -> Row:
        """Return the row of a playback that should play, or be denied."""
        error = playback.fails(expect)
        if error is None:
            found = playback.as_result(0)
            return self.passed(
                expect, **{key: found[key] for key in ("seconds_to_first_frame", "latency")} if expect == PLAYS else {}
            )
        return self.failed(error, playback.failure.stage if playback.failure is not None else "allowed")

    @property
    def attempt(self) -> str:
        """Return what is tried, to complete the sentence "Could not …"."""
        return f"publish a test signal by {self.protocol_in} to {self.host_name}/{self.app} of {self.vhost}"

    def as_result(self) -> dict[str, t.Any]:
        """Return the row as results show it."""
        found = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**found, "error": self.error.as_result() if self.error is not None else None}


def without_proof(rows: t.Sequence[Row]) -> list[Row]:
    """Return the rows; a refusal proves nothing if the same with a signature does not work."""

    def place(row: Row) -> tuple[str | None, ...]:
        stream = row.stream if row.protocol_out else None
        return row.vhost, row.app, row.host_name, row.protocol_in, row.protocol_out, stream

    failed = {place(row) for row in rows if row.signed and row.verdict == FAILS}
    reason = "It was refused, but with a signature it does not work either."
    return [row.not_tried(reason) if row.verdict == DENIED and place(row) in failed else row for row in rows]


def line_of(rows: t.Sequence[Row], *, check_mode: bool) -> str:
    """Return a summary of the rows in one line."""
    if not rows:
        return "nothing listed that could be verified"
    if check_mode:
        skipped = sum(bool(row.msg) for row in rows)
        return f"Check mode, this would be tried: {len(rows) - skipped} rows; {skipped} cannot be tried"
    counts = {verdict: sum(row.verdict == verdict for row in rows) for verdict in VERDICTS}
    words = {PLAYS: "play", DENIED: "denied as they should be", FAILS: "fail", NOT_TRIED: "not tried"}
    text = ", ".join(
        f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict] or verdict != DENIED
    )
    first = next((row for row in rows if row.verdict == FAILS), None)
    if first is not None:
        what = first.id or "/".join(filter(None, (first.host_name, first.protocol_in, first.protocol_out)))
        text += (
            f"; the first that fails: {first.vhost}/{first.app}" + (f", {what}: " if what else ": ") + str(first.stage)
        )
    return text
