# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the server holds of live streams, and what is known of the world that they come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

BYTES_PER_SECOND = 125_000
RTMP_SOURCE = "TCP://127.0.0.1:49394"
"""Where an encoder is that connects to the server."""
UNUSED_SECONDS = 60.0
NO_INPUT_SECONDS = 3.0


@dataclass
class Dump:
    """One HLS dump of an output stream."""

    id: str
    output: str
    path: str
    info_file: str
    user_data: str
    playlists: list[str]
    enabled: bool = True


@dataclass
class Pull:
    """How a stream was asked for that the server fetches from an origin; seconds."""

    urls: list[str]
    persistent: bool = False
    unused_seconds: float = UNUSED_SECONDS
    no_input_seconds: float = NO_INPUT_SECONDS
    relay: bool = False
    used: float = 0.0
    """When a viewer was seen last, or the pull began."""
    input_until: float = 0.0
    """When media came in last."""


class Received(Protocol):
    """What has come in from a publisher that is connected to the simulator."""

    @property
    def total_bytes(self) -> int:
        """Return how much it is so far."""

    video: str
    """The codec, such as ``H264``; an empty text without video."""
    audio: str
    """The same."""
    metadata: dict[str, Any]
    """``width``, ``height`` and ``framerate``, as far as they are known."""


@dataclass
class LiveStream:
    """A stream that the server receives; times are seconds of the clock."""

    since: float
    source_type: str = "Rtmp"
    source_url: str = RTMP_SOURCE
    pull: Pull | None = None
    outputs: list[str] = field(default_factory=list)
    """The names of its outputs."""
    key: str = ""
    """The random part of the names of its playlists and parts."""
    sessions: set[str] = field(default_factory=set)
    """The sessions of its viewers."""
    reconnects: bool = False
    """Whether its encoder connects again after a DELETE."""
    ends_at: float | None = None
    """When a stream that was deleted disappears (server-facts: Streams)."""
    dumps: dict[str, dict[str, Dump]] = field(default_factory=dict)
    """By output stream and id."""
    concluded: bool = False
    """Whether its HLS was concluded."""
    renditions: list[dict[str, Any]] = field(default_factory=list)
    """The encoders that turn its speech into subtitles."""
    stt_paused: bool = False
    input: Received | None = None
    """What a publisher has sent that is connected to the simulator."""
    on_end: list[Callable[[], None]] = field(default_factory=list)
    """Called when the stream ends, from any thread: for connections that end with it."""

    def end(self) -> None:
        """End what is connected to the stream."""
        for deed in list(self.on_end):
            deed()

    def bytes_until(self, moment: float) -> int:
        """Return how much came in so far; it grows once a second, unless a publisher is connected."""
        if self.input is not None:
            return self.input.total_bytes
        return int(moment - self.since) * BYTES_PER_SECOND


@dataclass
class StreamEvent:
    """What a request sent into a stream."""

    vhost: str
    app: str
    stream: str
    action: str
    body: Any


@dataclass
class World:
    """What outlives streams: the origins, which no restart changes, and what the server has counted."""

    origins: dict[str, str] = field(default_factory=dict)
    events: list[StreamEvent] = field(default_factory=list)
    """What was sent into streams since the start of the server."""
    past_bytes: dict[tuple[str, str], int] = field(default_factory=dict)
    """What came in by streams that have ended, by virtual host and application."""
    started: float = 0.0
    """When the server started."""
    unused_seconds: float = UNUSED_SECONDS
    """How long a pulled stream without viewers stays, unless its request says so."""

    def restart(self, moment: float) -> None:
        """Forget what a process holds in its memory."""
        self.events.clear()
        self.past_bytes.clear()
        self.started = moment
