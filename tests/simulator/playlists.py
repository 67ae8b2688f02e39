# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of playlists, as ``tests/wire/play`` has them, of a stream of H.264 and AAC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

SEGMENT_SECONDS = 10
PART_SECONDS = 0.467
PARTS = int(SEGMENT_SECONDS / PART_SECONDS) + 1
_MOST_SEGMENTS = 5
_VIDEO = 'RESOLUTION=320x168,FRAME-RATE=15.000,CODECS="avc1.f4000c,mp4a.40.2"'
HLS_ID = 3465363613016867760


@dataclass(frozen=True)
class Track:
    """A track of an output that LL-HLS can hold."""

    number: int
    kind: str
    """``video`` or ``audio``."""
    name: str


@dataclass(frozen=True)
class Progress:
    """How far a stream has come.

    :param seconds: since it is live.
    :param timestamp: writes the time of day of a second of it.
    """

    seconds: float
    timestamp: Callable[[float], str]

    @property
    def segment(self) -> int:
        """Return the number of the segment that is being made."""
        return int(self.seconds // SEGMENT_SECONDS)

    @property
    def part(self) -> int:
        """Return the number of the next part in that segment."""
        return min(int(self.seconds % SEGMENT_SECONDS / PART_SECONDS), PARTS)

    @property
    def first(self) -> int:
        """Return the number of the first segment that is still listed."""
        return max(0, self.segment - _MOST_SEGMENTS + 1)


def playable_tracks(output: dict[str, Any]) -> list[Track]:
    """Return the first video track of an output, and its first audio track that is not Opus, for which LL-HLS has no
    place.
    """
    found: dict[str, Track] = {}
    for track in output["tracks"]:
        kind = str(track["type"]).lower()
        codec = str(track.get(kind, {}).get("codec", "")).upper()
        if kind in ("video", "audio") and kind not in found and codec not in ("OPUS", "JPEG", "PNG"):
            found[kind] = Track(track["id"], kind, str(track["name"]))
    return [found[kind] for kind in ("video", "audio") if kind in found]


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def llhls_multivariant(place: str, key: str, session: str, tracks: list[Track]) -> str:
    """Return the multivariant playlist of LL-HLS.

    :param place: the path of the stream. :param key: the random part of its names. :param session: of the viewer.
    """

    def uri(track: Track) -> str:
        return f"{place}/chunklist_{track.number}_{track.kind}_{key}_llhls.m3u8?session={session}"

    def lines() -> Iterator[str]:
        yield from ("#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-INDEPENDENT-SEGMENTS")
        audio = [track for track in tracks if track.kind == "audio"]
        variants = [track for track in tracks if track.kind == "video"] or audio
        group = ""
        for track in audio if variants != audio else []:
            group = f',AUDIO="{track.name}"'
            yield (
                f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="{track.name}",NAME="Audio_1",DEFAULT=YES,AUTOSELECT=YES,'
                f'CHANNELS="1",URI="{uri(track)}"'
            )
        yield from ("", "")
        for track in variants:
            yield f"#EXT-X-STREAM-INF:BANDWIDTH=233744,{_VIDEO}{group}"
            yield uri(track)

    return _lines(lines())


def llhls_media(key: str, session: str, tracks: list[Track], track: Track, progress: Progress) -> str:
    """Return the media playlist of a track of LL-HLS.

    :param session: the part of the viewer's session that all viewers share.
    """
    suffix = f"{track.kind}_{key}_llhls.m4s?session={session}"

    def segment(number: int) -> Iterator[str]:
        yield f"#EXT-X-PROGRAM-DATE-TIME:{progress.timestamp(number * SEGMENT_SECONDS)}"
        ready = number < progress.segment
        for part in range(PARTS if ready else progress.part) if number + 2 >= progress.segment else ():
            independent = ",INDEPENDENT=YES" if part % 15 == 0 else ""
            uri = f"part_{track.number}_{number}_{part}_{suffix}"
            yield f'#EXT-X-PART:DURATION={PART_SECONDS:.6f},URI="{uri}"{independent}'
        if ready:
            yield f"#EXTINF:{SEGMENT_SECONDS:.6f},"
            yield f"seg_{track.number}_{number}_{suffix}"

    def lines() -> Iterator[str]:
        yield from ("#EXTM3U", "#EXT-X-VERSION:6", f"#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}")
        yield "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.533000"
        yield f"#EXT-X-PART-INF:PART-TARGET={PART_SECONDS:.6f}"
        yield f"#EXT-X-MEDIA-SEQUENCE:{progress.first}"
        yield f'#EXT-X-MAP:URI="init_{track.number}_{suffix}"'
        for number in range(progress.first, progress.segment + 1):
            yield from segment(number)
        coming = f"part_{track.number}_{progress.segment}_{progress.part}_{suffix}"
        yield f'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="{coming}"'
        for other in tracks:
            if other != track and progress.part:
                uri = f"chunklist_{other.number}_{other.kind}_{key}_llhls.m3u8?session={session}"
                last = f"LAST-MSN={progress.segment},LAST-PART={progress.part - 1}"
                yield f'#EXT-X-RENDITION-REPORT:URI="{uri}",{last}'

    return _lines(lines())


def hls_multivariant() -> str:
    """Return the multivariant playlist of HLS."""
    text = f"#EXT-X-STREAM-INF:BANDWIDTH=243460,AVERAGE-BANDWIDTH=240768,{_VIDEO}\nmedialist_{HLS_ID}_hls.m3u8\n"
    return f"#EXTM3U\n#EXT-X-VERSION:3\n\n{text}"


def hls_media(progress: Progress) -> str:
    """Return the media playlist of HLS: segments that are complete."""

    def lines() -> Iterator[str]:
        yield from ("#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{SEGMENT_SECONDS}")
        yield f"#EXT-X-MEDIA-SEQUENCE:{progress.first}"
        for number in range(progress.first, progress.segment):
            yield f"#EXT-X-PROGRAM-DATE-TIME:{progress.timestamp(number * SEGMENT_SECONDS)}"
            yield f"#EXTINF:{SEGMENT_SECONDS:.3f},"
            yield f"seg_{HLS_ID}_{number}_hls.ts"

    return _lines(lines())
