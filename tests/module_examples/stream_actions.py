# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules that act on a live stream."""

from __future__ import annotations

from collections.abc import Iterator

from ._example import ALWAYS, ONCE, SUCCESS, Example
from ._scenario import LIVE_STREAM, Scenario, labels, on_live_stream, sent_into_stream
from ._server import LIVE

_TOO_OLD = {"controller_not_found": "unsupported_call"}
"""The module asks for the version, and a server without this call is too old for its own."""
EXAMPLES = (
    Example(
        "stream_event",
        {**LIVE, "frames": [{"frame_type": "TIT2", "data": "x"}]},
        ALWAYS,
        # Its response has nothing that could be missing. The reads of check mode do.
        ends={"unexpected_answer": SUCCESS},
        inside={
            "frames": {"frame_type": "TIT2"},
            "cue": {"cue_type": "out"},
            "scte35": {"id": 1, "splice_type": "out"},
            "subtitles": {"label": "x", "cues": [{"text": "x"}]},
            "cues": {"text": "x"},
        },
    ),
    Example("stream_conclude", LIVE, ALWAYS, ends=_TOO_OLD),
    Example("stream_stt", {**LIVE, "state": "stopped"}, ONCE, ends=_TOO_OLD),
)


def scenarios(_version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    frames = [{"frame_type": "TXXX", "info": "made-up", "data": "made-up"}]
    yield sent_into_stream("stream_event: send", {**LIVE_STREAM, "frames": frames}, typical=True)
    yield sent_into_stream("stream_conclude: send", {**LIVE_STREAM, "force": True}, typical=True)
    speech = labels("t-v/live/speech-main")
    yield on_live_stream("stream_stt: start", LIVE_STREAM, made=speech, typical=True)
    yield on_live_stream("stream_stt: stop", {**LIVE_STREAM, "state": "stopped"}, gone=speech)
