# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tracks of an output LL-HLS and HLS play, and in which renditions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from .footage import AUDIO_CODEC, AUDIO_RHYTHM, video_codec, video_rhythm
from .fragments import Picture
from .timeline import Rhythm

DEFAULT_ID = 3465363613016867760
"""What stands for the default rendition in the names of HLS."""
_INPUT = {"width": 320, "height": 168, "framerate": 15.0, "bitrate": 166696}
_INPUT_AUDIO_BITRATE = 67000
_PLAYED = {"video": ("", "H264", "H265"), "audio": ("", "AAC")}
"""Codecs that LL-HLS and HLS can hold; an old version does not name the codec of what it bypasses."""
_MOST_FRAMES = 60


@dataclass(frozen=True)
class Track:
    """A track of an output that is played.

    :param picture: of video, None for audio.
    :param rate: frames a second, as playlists write them.
    """

    number: int
    name: str
    bitrate: int
    picture: Picture | None = None
    rate: float = 0.0

    @property
    def kind(self) -> str:
        """Return ``video`` or ``audio``."""
        return "video" if self.picture is not None else "audio"

    @property
    def width(self) -> int:
        """Return the width of the pictures."""
        return self.picture.width if self.picture is not None else 0

    @property
    def height(self) -> int:
        """Return the height of the pictures."""
        return self.picture.height if self.picture is not None else 0

    @property
    def codec(self) -> str:
        """Return the codec as playlists write it."""
        return AUDIO_CODEC if self.picture is None else video_codec(self.picture.width, self.picture.height)

    @property
    def rhythm(self) -> Rhythm:
        """Return the rhythm of the samples."""
        return AUDIO_RHYTHM if self.picture is None else video_rhythm(self.picture.rate)

    def is_independent(self, segment: int, part: int) -> bool:
        """Return whether a part begins with a key frame."""
        return self.picture is None or self.rhythm.first(segment, part) % self.picture.rate == 0


@dataclass(frozen=True)
class Rendition:
    """What a viewer can choose: video, audio or both."""

    video: Track | None
    audio: Track | None
    is_default: bool = False

    @property
    def first(self) -> Track:
        """Return the track that the rendition is named by."""
        track = self.video or self.audio
        assert track is not None
        return track

    @property
    def id(self) -> int:
        """Return what stands for it in the names of HLS, a number of 64 bits."""
        if self.is_default:
            return DEFAULT_ID
        names = "_".join(f"{track.name}0" if track is not None else "0" for track in (self.video, self.audio))
        return int.from_bytes(hashlib.sha256(names.encode()).digest()[:8], "big")


def playable_tracks(output: dict[str, Any]) -> list[Track]:
    """Return the tracks of an output for which LL-HLS has a place."""
    found = []
    for track in output["tracks"]:
        kind = str(track["type"]).lower()
        values = track.get(kind, {})
        if str(values.get("codec", "")).upper() in _PLAYED.get(kind, ()):
            made = _video if kind == "video" else _audio
            found.append(made(track["id"], str(track["name"]), values))
    return found


def _video(number: int, name: str, values: dict[str, Any]) -> Track:
    # Text on old versions, and nothing of a track that is bypassed.
    width, height, rate, bitrate = (float(values.get(key) or default) for key, default in _INPUT.items())
    frames = min(max(round(rate), 1), _MOST_FRAMES)
    return Track(number, name, int(bitrate), Picture(int(width) & ~1, int(height) & ~1, frames), rate)


def _audio(number: int, name: str, values: dict[str, Any]) -> Track:
    return Track(number, name, int(values.get("bitrate") or _INPUT_AUDIO_BITRATE))


def default_rendition(tracks: list[Track]) -> Rendition:
    """Return the rendition of playlists that the server makes by itself: the first tracks that can be played."""
    found = {track.kind: track for track in reversed(tracks)}
    return Rendition(found.get("video"), found.get("audio"), is_default=True)


def renditions(playlist: dict[str, Any], output: dict[str, Any]) -> list[Rendition]:
    """Return the renditions of a playlist as a stream describes it.

    A name that no track has counts for nothing. A rendition with a codec that cannot be played is left out.
    """
    tracks = {(track.kind, track.name): track for track in reversed(playable_tracks(output))}
    names = {(str(track["type"]).lower(), str(track["name"])) for track in output["tracks"]}
    found: dict[int, Rendition] = {}
    for entry in playlist["renditions"]:
        wanted = [(kind, entry[f"{kind}VariantName"]) for kind in ("video", "audio")]
        chosen = [one for one in wanted if one in names]
        if chosen and all(one in tracks for one in chosen):
            rendition = Rendition(*(tracks.get(one) for one in wanted))
            found.setdefault(rendition.id, rendition)
    return list(found.values())
