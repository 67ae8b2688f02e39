# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Playlists of LL-HLS and HLS, as a player reads them: renditions, and the media with which it begins."""

from __future__ import annotations

import datetime
import typing as t
from urllib.parse import urljoin

from .playback import NotPlayed
from .viewer import Response

_MEASURED = 2.0
"""Seconds of media that are fetched at most to measure rates."""
_Read = t.TypeVar("_Read")


class Rendition(t.NamedTuple):
    """One rendition of a stream, which several variants can share.

    :param name: such as ``1280x720``; empty if there is only one.
    """

    name: str
    url: str

    def __str__(self) -> str:
        return f"rendition {self.name}" if self.name else "the rendition"


class Piece(t.NamedTuple):
    """A part or a segment."""

    url: str
    seconds: float


class Media(t.NamedTuple):
    """What a media playlist lists."""

    position: tuple[int, int]
    """Number of the segment, and of the part in it, that comes next."""
    pieces: list[Piece]
    """The newest ones with which a player can begin."""
    newest: Piece | None
    init: str | None
    has_parts: bool
    can_block: bool
    target: float
    ended: bool
    is_encrypted: bool
    end: datetime.datetime | None
    """The time stamp of the end of the newest piece."""


def renditions(response: Response) -> list[Rendition]:
    """Return the renditions of a multivariant playlist; of a media playlist, itself. Raises NotPlayed."""
    found = _understood(response, lambda listed: _renditions(listed, response.url))
    if not found:
        raise NotPlayed("playlist", "The multivariant playlist lists no rendition.")
    return found


def media(response: Response) -> Media:
    """Return what a media playlist lists. Raises NotPlayed."""
    return _understood(response, _media)


def _understood(response: Response, read: t.Callable[[t.Any], _Read]) -> _Read:
    """Return what is read of a playlist. Raises NotPlayed if it is none."""
    import m3u8

    text = response.text.lstrip("\ufeff \r\n")
    if not text.startswith("#EXTM3U"):
        raise NotPlayed("playlist", f"The response to GET {response.path} is no playlist.")
    try:
        return read(m3u8.loads(text, uri=response.url))
    except Exception:  # the library raises what the text makes it raise
        raise NotPlayed("playlist", f"The playlist {response.path} cannot be parsed.") from None


def _renditions(listed: t.Any, url: str) -> list[Rendition]:
    if not listed.is_variant:
        return [Rendition("", url)]
    variants = [Rendition(_variant_name(variant), variant.absolute_uri) for variant in listed.playlists]
    others = [
        Rendition(f"{media.type.lower()} {media.name or ''}".strip(), media.absolute_uri)
        for media in listed.media
        if media.uri and media.type in ("AUDIO", "VIDEO")
    ]
    # A rendition is often part of several variants.
    found: dict[str, Rendition] = {}
    for one in (*variants, *others):
        found.setdefault(one.url, one)
    return list(found.values())


def _variant_name(variant: t.Any) -> str:
    """Return the name of a variant: its resolution, or its bandwidth."""
    info = variant.stream_info
    return "%dx%d" % info.resolution if info.resolution else "%d kbit/s" % ((info.bandwidth or 0) // 1000)


def _media(listed: t.Any) -> Media:
    """Return what a media playlist lists."""
    parts: list[Piece] = []
    beginnings: list[int] = []
    number, complete = int(listed.media_sequence or 0), 0
    next_part = 0
    end: datetime.datetime | None = None
    newest: Piece | None = None
    segments: list[Piece] = []
    for segment in listed.segments:
        # Only the parts of a segment that is not complete have its time stamp.
        stamps = (part.program_date_time for part in segment.parts or ())
        started = segment.program_date_time or next(stamps, None) or segment.current_program_date_time or end
        seconds, next_part = 0.0, len(segment.parts or ())
        for one in segment.parts or ():
            if one.independent == "YES":
                beginnings.append(len(parts))
            newest = Piece(one.uri, float(one.duration or 0))
            parts.append(newest)
            seconds += newest.seconds
        if segment.uri:
            seconds = float(segment.duration or 0)
            segments.append(Piece(segment.uri, seconds))
            newest = parts[-1] if segment.parts else segments[-1]
            complete, next_part = complete + 1, 0
        end = started + datetime.timedelta(seconds=seconds) if started else None
    pieces = segments[-1:]
    if parts and (beginnings or not segments):
        pieces = _first_seconds(parts[beginnings[-1] if beginnings else 0 :])
    # A playlist lists many URLs, of which few are needed.
    pieces = [_absolute(piece, listed.base_uri) for piece in pieces]
    maps = [section for section in listed.segment_map or () if section.uri]
    control = listed.server_control
    return Media(
        position=(number + complete, next_part),
        pieces=pieces,
        newest=_absolute(newest, listed.base_uri) if newest is not None else None,
        init=maps[-1].absolute_uri if maps else None,
        has_parts=bool(parts),
        can_block=control is not None and control.can_block_reload == "YES" and bool(parts),
        target=float(listed.target_duration or 0),
        ended=bool(listed.is_endlist),
        is_encrypted=any(key is not None and key.method not in (None, "NONE") for key in listed.keys),
        end=end,
    )


def _absolute(piece: Piece, base: str) -> Piece:
    return piece._replace(url=urljoin(base, piece.url))


def _first_seconds(parts: t.Sequence[Piece]) -> list[Piece]:
    """Return the first parts, which last as long as is measured."""
    chosen: list[Piece] = []
    for part in parts:
        if sum(one.seconds for one in chosen) >= _MEASURED:
            break
        chosen.append(part)
    return chosen
