# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts of playlists, as ``tests/wire/play`` has them, of a stream of H.264 and AAC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from .renditions import Rendition, Track
from .timeline import PARTS, SEGMENT_SECONDS, Progress, Rhythm


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _stream(rendition: Rendition, average: bool = False) -> str:
    """Return the attributes of a rendition."""
    tracks = [track for track in (rendition.video, rendition.audio) if track is not None]
    bandwidth = sum(track.bitrate for track in tracks)
    values = [f"BANDWIDTH={bandwidth}", *([f"AVERAGE-BANDWIDTH={bandwidth}"] if average else ())]
    if rendition.video is not None:
        video = rendition.video
        values += [f"RESOLUTION={video.width}x{video.height}", f"FRAME-RATE={video.rate:.3f}"]
    codecs = ",".join(track.codec for track in tracks)
    return f'#EXT-X-STREAM-INF:{",".join(values)},CODECS="{codecs}"'


def llhls_multivariant(place: str, key: str, session: str, renditions: Sequence[Rendition]) -> str:
    """Return the multivariant playlist of LL-HLS.

    :param place: the path of the stream. :param key: the random part of its names. :param session: of the viewer.
    """

    def uri(track: Track) -> str:
        return f"{place}/chunklist_{track.number}_{track.kind}_{key}_llhls.m3u8?session={session}"

    def lines() -> Iterator[str]:
        yield from ("#EXTM3U", "#EXT-X-VERSION:6", "#EXT-X-INDEPENDENT-SEGMENTS")
        with_video = [rendition for rendition in renditions if rendition.video is not None]
        for track in {one.audio.name: one.audio for one in with_video if one.audio is not None}.values():
            yield (
                f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="{track.name}",NAME="Audio_1",DEFAULT=YES,AUTOSELECT=YES,'
                f'CHANNELS="1",URI="{uri(track)}"'
            )
        yield from ("", "")
        for rendition in renditions:
            with_group = rendition.video is not None and rendition.audio is not None
            yield _stream(rendition) + (f',AUDIO="{rendition.audio.name}"' if with_group and rendition.audio else "")
            yield uri(rendition.first)

    return _lines(lines())


def llhls_media(
    key: str, session: str, tracks: Sequence[Track], track: Track, progress: Progress, is_empty: bool = False
) -> str:
    """Return the media playlist of a track of LL-HLS.

    :param session: the part of the viewer's session that all viewers share.
    :param tracks: the tracks of the stream.
    :param is_empty: whether segments and parts are left out, as no server does it.
    """
    suffix = f"{track.kind}_{key}_llhls.m4s?session={session}"
    rhythm = track.rhythm

    def segment(number: int) -> Iterator[str]:
        yield f"#EXT-X-PROGRAM-DATE-TIME:{progress.timestamp(number * SEGMENT_SECONDS)}"
        ready = number < progress.segment
        for part in range(PARTS if ready else progress.part) if number + 2 >= progress.segment else ():
            independent = ",INDEPENDENT=YES" if track.is_independent(number, part) else ""
            uri = f"part_{track.number}_{number}_{part}_{suffix}"
            yield f'#EXT-X-PART:DURATION={rhythm.seconds(number, part):.6f},URI="{uri}"{independent}'
        if ready:
            yield f"#EXTINF:{rhythm.seconds(number):.6f},"
            yield f"seg_{track.number}_{number}_{suffix}"

    def reports() -> Iterator[str]:
        for other in tracks:
            if other != track and progress.part:
                uri = f"chunklist_{other.number}_{other.kind}_{key}_llhls.m3u8?session={session}"
                last = f"LAST-MSN={progress.segment},LAST-PART={progress.part - 1}"
                yield f'#EXT-X-RENDITION-REPORT:URI="{uri}",{last}'

    def lines() -> Iterator[str]:
        yield from ("#EXTM3U", "#EXT-X-VERSION:6", f"#EXT-X-TARGETDURATION:{_target(rhythm, progress)}")
        yield "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.533000"
        yield f"#EXT-X-PART-INF:PART-TARGET={rhythm.longest_part:.6f}"
        yield f"#EXT-X-MEDIA-SEQUENCE:{progress.first}"
        yield f'#EXT-X-MAP:URI="init_{track.number}_{suffix}"'
        if is_empty:
            return
        for number in range(progress.first, progress.segment + 1):
            yield from segment(number)
        coming = f"part_{track.number}_{progress.segment}_{progress.part}_{suffix}"
        yield f'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="{coming}"'
        yield from reports()

    return _lines(lines())


def _target(rhythm: Rhythm, progress: Progress) -> int:
    """Return the longest duration of a segment, rounded as RFC 8216 compares it."""
    listed = range(progress.first, progress.segment)
    return max((ceil(rhythm.seconds(number) - 0.5) for number in listed), default=SEGMENT_SECONDS)


def hls_multivariant(renditions: Sequence[Rendition]) -> str:
    """Return the multivariant playlist of HLS."""

    def lines() -> Iterator[str]:
        yield from ("#EXTM3U", "#EXT-X-VERSION:3", "")
        for rendition in renditions:
            yield _stream(rendition, average=True)
            yield f"medialist_{rendition.id}_hls.m3u8"

    return _lines(lines())


def hls_media(rendition: Rendition, progress: Progress, is_empty: bool = False) -> str:
    """Return the media playlist of HLS: segments that are complete.

    :param is_empty: whether segments are left out.
    """
    rhythm = rendition.first.rhythm

    def lines() -> Iterator[str]:
        yield from ("#EXTM3U", "#EXT-X-VERSION:3", f"#EXT-X-TARGETDURATION:{_target(rhythm, progress)}")
        yield f"#EXT-X-MEDIA-SEQUENCE:{progress.first}"
        for number in range(progress.first, progress.segment) if not is_empty else ():
            yield f"#EXT-X-PROGRAM-DATE-TIME:{progress.timestamp(number * SEGMENT_SECONDS)}"
            yield f"#EXTINF:{rhythm.seconds(number):.3f},"
            yield f"seg_{rendition.id}_{number}_hls.ts"

    return _lines(lines())
