# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is played, and what came of it: targets, tracks, the stage at which a playback failed."""

from __future__ import annotations

import dataclasses
import typing as t

from .._core.errors import OmeError
from .._core.secret_store import mask_url
from .._tls.certificate import Certificate

HTTP, SIGNALLING, PROGRAM = ("llhls", "hls", "thumbnail"), ("webrtc", "webrtc_tcp"), ("srt", "rtmp")
PROTOCOLS = (*HTTP, *SIGNALLING, *PROGRAM)
"""Protocols of viewers. ``webrtc_tcp`` is WebRTC by the server's TCP relay."""
PLAYS, DENIED = "plays", "denied"
"""What a playback can be expected to do."""
_KIND = "play_"
"""How the kinds of errors of playbacks begin; the stage follows."""


class Address(t.NamedTuple):
    """Where to connect in place of the host and port of a URL, as ``--connect-to`` of curl; None for those of the
    URL.
    """

    host: str
    port: int | None = None


@dataclasses.dataclass(frozen=True)
class Settings:
    """How to play.

    :param timeout: seconds for one playback, from the first connection to the last check.
    :param ca_path: file or directory of CA certificates; None for those of the system.
    """

    timeout: float = 30.0
    verify_chain: bool = True
    ca_path: str | None = None


@dataclasses.dataclass(frozen=True)
class Target:
    """What to play as a viewer.

    :param url: with the host name that viewers use, and with policy and signature if it is signed.
    :param protocol: one of :data:`PROTOCOLS`.
    :param connect_to: where to connect in place of the URL's host.
    :param origin: the origin of a web page that must be allowed to read the responses; empty for none.
    :param headers: additional headers.
    :param older_url: what to play in its place if the offer of the server has no TCP relay; empty for nothing. The
        releases have different parameters for it (server-facts: What viewers get).
    """

    url: str
    protocol: str
    connect_to: Address | None = None
    origin: str = ""
    headers: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    older_url: str = ""

    @property
    def urls(self) -> list[str]:
        """Return all URLs that are played."""
        return [url for url in (self.url, self.older_url) if url]

    @property
    def shown(self) -> str:
        """Return the URL without secrets."""
        return mask_url(self.url)


class NotPlayed(Exception):
    """A playback failed.

    :param stage: what failed; with ``play_`` before it, the kind of the error.
    :param detail: what was found, as sentences without secrets; empty if the kind says it.
    :param status: the HTTP status of a response that refused.
    """

    def __init__(self, stage: str, detail: str = "", status: int | None = None) -> None:
        super().__init__(stage, detail)
        self.stage = stage
        self.detail = detail
        self.status = status

    def as_error(self, target: Target) -> OmeError:
        """Return the error with its remedy."""
        attempt = f"play {target.shown} by {target.protocol}"
        return OmeError(_KIND + self.stage, attempt, detail=self.detail, status=self.status)


@dataclasses.dataclass
class Track:
    """One track as it arrived.

    :param rendition: name of the rendition, such as ``1280x720``; empty if there is only one.
    :param bitrate: measured, in bits per second. :param framerate: measured, in frames per second.
    """

    kind: str
    codec: str
    width: int | None = None
    height: int | None = None
    bitrate: int | None = None
    framerate: float | None = None
    rendition: str = ""


@dataclasses.dataclass
class Playback:
    """The outcome of a playback: what arrived before it ended, and why it failed."""

    target: Target
    tracks: list[Track] = dataclasses.field(default_factory=list)
    seconds_to_first_frame: float | None = None
    latency: float | None = None
    """Seconds from the server's time stamp of the newest picture to its arrival; needs synchronous clocks."""
    blocking_reload: bool | None = None
    certificate: Certificate | None = None
    failure: NotPlayed | None = None

    @property
    def plays(self) -> bool:
        """Return whether everything that was tried has arrived."""
        return self.failure is None

    def fails(self, expect: str) -> OmeError | None:
        """Return the error if the outcome is another than what is expected; None if it is as expected."""
        if expect == PLAYS:
            return self.failure.as_error(self.target) if self.failure is not None else None
        if self.failure is None:
            return NotPlayed("allowed").as_error(self.target)
        # WebRTC and SRT do not tell a viewer who is refused from a stream that is not there (server-facts: What viewers
        # get).
        refusals = (DENIED, "not_found") if self.target.protocol in (*SIGNALLING, "srt") else (DENIED,)
        return None if self.failure.stage in refusals else self.failure.as_error(self.target)

    def as_result(self, now: float) -> dict[str, t.Any]:
        """Return the playback as results show it; ``now`` is in seconds since 1970."""
        failure = self.failure
        return {
            "url": self.target.shown,
            "protocol": self.target.protocol,
            "plays": self.plays,
            "stage": failure.stage if failure is not None else None,
            "error": failure.as_error(self.target).as_result() if failure is not None else None,
            "tracks": [dataclasses.asdict(track) for track in self.tracks],
            "seconds_to_first_frame": _rounded(self.seconds_to_first_frame),
            "latency": _rounded(self.latency),
            "blocking_reload": self.blocking_reload,
            "certificate": self.certificate.as_result(now) if self.certificate is not None else None,
        }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
