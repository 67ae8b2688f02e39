# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Play LL-HLS and HLS: each rendition from its playlist to the first frame, and a second time to see that it moves."""

from __future__ import annotations

import datetime
import time
import typing as t
from urllib.parse import urlencode, urlsplit

from .._core import concurrency
from .decoding import decode
from .playback import NotPlayed, Playback
from .viewer import Clock, Viewer, check_status

_STALE = 1.5
"""Target durations after which a playlist that has not moved is stale (RFC 8216bis, 6.3.4)."""
_LEAST_STALE = 3.0  # seconds
_MEASURED = 2.0
"""Seconds of media that are fetched at most to measure rates."""
_POLL = 0.5  # seconds


class _Piece(t.NamedTuple):
    """A part or a segment."""

    url: str
    seconds: float


class _Media(t.NamedTuple):
    """What a media playlist lists."""

    position: tuple[int, int]
    """Number of the segment, and of the part in it, that comes next."""
    pieces: list[_Piece]
    """The newest ones with which a player can begin."""
    newest: _Piece | None
    init: str | None
    has_parts: bool
    can_block: bool
    target: float
    ended: bool
    end: datetime.datetime | None
    """The time stamp of the end of the newest piece."""


class _Rendition:
    """One rendition of a stream."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self.url = url
        self.media: _Media | None = None

    def __str__(self) -> str:
        return f"rendition {self.name}" if self.name else "the rendition"


class HlsPlayer:
    """Plays one URL."""

    def __init__(self, viewer: Viewer, playback: Playback) -> None:
        self._viewer = viewer
        self._playback = playback

    def play(self) -> None:
        """Play all renditions. Raises NotPlayed."""
        renditions = self._renditions()
        for rendition in renditions:
            self._begin(rendition)
        for rendition in renditions:
            self._go_on(rendition)

    def _renditions(self) -> list[_Rendition]:
        target = self._playback.target
        response = self._viewer.get(target.url)
        self._playback.certificate = self._viewer.certificate
        check_status(response)
        _check_origin(target.origin, response.headers)
        listed = _parsed(response.text, response.url)
        if not listed.is_variant:
            return [_Rendition("", response.url)]
        variants = [_Rendition(_variant_name(variant), variant.absolute_uri) for variant in listed.playlists]
        others = [
            _Rendition(f"{media.type.lower()} {media.name or ''}".strip(), media.absolute_uri)
            for media in listed.media
            if media.uri and media.type in ("AUDIO", "VIDEO")
        ]
        # A rendition is often part of several variants.
        found = list({one.url: one for one in [*variants, *others]}.values())
        if not found:
            raise NotPlayed("playlist", "The multivariant playlist lists no rendition.")
        return found

    def _begin(self, rendition: _Rendition) -> None:
        """Read the playlist of a rendition, and decode its first frame."""
        media = self._first_media(rendition)
        rendition.media = media
        if self._playback.target.protocol == "llhls" and not media.has_parts and not media.ended:
            raise NotPlayed("playlist", f"The playlist of {rendition} lists no parts, so that it is not of LL-HLS.")
        fetched = [self._viewer.media(media.init).body] if media.init else []
        fetched += [self._viewer.media(piece.url).body for piece in media.pieces]
        if not any(fetched[1 if media.init else 0 :]):
            raise NotPlayed("media", f"The newest media of {rendition} are empty.")
        try:
            tracks = decode(b"".join(fetched), sum(piece.seconds for piece in media.pieces), rendition.name)
        except NotPlayed as failure:
            raise NotPlayed(failure.stage, f"{rendition.name}: {failure.detail}".lstrip(": ")) from None
        if self._playback.seconds_to_first_frame is None:
            self._playback.seconds_to_first_frame = self._viewer.clock.elapsed
        self._playback.tracks += tracks

    def _first_media(self, rendition: _Rendition) -> _Media:
        """Return the media playlist of a rendition as soon as it lists media: a new stream takes some time."""
        media = self._media(rendition)
        clock = self._viewer.clock.part(_patience(media))
        while not media.pieces:
            if not clock.left:
                raise NotPlayed("playlist", f"The playlist of {rendition} lists neither segments nor parts.")
            concurrency.pause(_POLL)
            media = self._media(rendition)
        return media

    def _go_on(self, rendition: _Rendition) -> None:
        """Wait until a rendition has moved on, and fetch what is new."""
        before = rendition.media
        if before is None or before.ended:
            return
        after = self._moved(rendition, before)
        if after.newest is not None and not self._viewer.media(after.newest.url).body:
            raise NotPlayed("media", f"The newest media of {rendition} are empty.")
        if after.end is not None:
            self._playback.latency = time.time() - after.end.timestamp()

    def _moved(self, rendition: _Rendition, before: _Media) -> _Media:
        patience = _patience(before)
        clock = self._viewer.clock.part(patience)
        try:
            if before.can_block:
                segment, part = before.position
                after = self._media(rendition, {"_HLS_msn": segment, "_HLS_part": part}, clock)
                if after.position > before.position:
                    self._playback.blocking_reload = self._playback.blocking_reload is not False
                    return after
                self._playback.blocking_reload = False
            while clock.left:
                concurrency.pause(min(_POLL, clock.left))
                after = self._media(rendition)
                if after.position > before.position or after.ended:
                    return after
        except NotPlayed as failure:
            if failure.stage != "timeout" or clock.left:
                raise
        raise NotPlayed("stalled", f"The playlist of {rendition} has not moved on within {patience:.1f} s.")

    def _media(
        self, rendition: _Rendition, directives: t.Mapping[str, int] | None = None, clock: Clock | None = None
    ) -> _Media:
        url = rendition.url
        if directives:
            url += ("&" if urlsplit(url).query else "?") + urlencode(directives)
        response = self._viewer.media(url, clock)
        _check_origin(self._playback.target.origin, response.headers)
        return _read(_parsed(response.text, response.url))


def _patience(media: _Media) -> float:
    return max(_STALE * media.target, _LEAST_STALE)


def _parsed(text: str, url: str) -> t.Any:
    import m3u8

    if not text.lstrip("\ufeff \r\n").startswith("#EXTM3U"):
        raise NotPlayed("playlist", f"The response to GET {urlsplit(url).path} is no playlist.")
    try:
        return m3u8.loads(text, uri=url)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise NotPlayed("playlist", f"The playlist {urlsplit(url).path} cannot be parsed.") from None


def _variant_name(variant: t.Any) -> str:
    """Return the name of a variant: its resolution, or its bandwidth."""
    info = variant.stream_info
    return "%dx%d" % info.resolution if info.resolution else "%d kbit/s" % ((info.bandwidth or 0) // 1000)


def _check_origin(origin: str, headers: t.Mapping[str, str]) -> None:
    """Raise NotPlayed if the page of an origin may not read a response (Fetch Standard, CORS check)."""
    allowed = headers.get("access-control-allow-origin", "")
    if origin and allowed not in ("*", origin):
        found = f"is {allowed!r}" if allowed else "is missing"
        raise NotPlayed("cors", f"The header Access-Control-Allow-Origin {found}; the origin is {origin}.")


def _read(listed: t.Any) -> _Media:
    """Return what a media playlist lists."""
    parts: list[_Piece] = []
    beginnings: list[int] = []
    number, complete = int(listed.media_sequence or 0), 0
    next_part = 0
    end: datetime.datetime | None = None
    newest: _Piece | None = None
    segments: list[_Piece] = []
    for segment in listed.segments:
        end = segment.program_date_time or segment.current_program_date_time or end
        started, seconds = end, 0.0
        next_part = len(segment.parts or ())
        for one in segment.parts or ():
            if one.independent == "YES":
                beginnings.append(len(parts))
            newest = _Piece(one.absolute_uri, float(one.duration or 0))
            parts.append(newest)
            seconds += newest.seconds
        if segment.uri:
            seconds = float(segment.duration or 0)
            segments.append(_Piece(segment.absolute_uri, seconds))
            newest = parts[-1] if segment.parts else segments[-1]
            complete, next_part = complete + 1, 0
        end = started + datetime.timedelta(seconds=seconds) if started else None
    pieces = segments[-1:]
    if parts and (beginnings or not segments):
        pieces = _first_seconds(parts[beginnings[-1] if beginnings else 0 :])
    maps = [section for section in listed.segment_map or () if section.uri]
    control = listed.server_control
    return _Media(
        position=(number + complete, next_part),
        pieces=pieces,
        newest=newest,
        init=maps[-1].absolute_uri if maps else None,
        has_parts=bool(parts),
        can_block=control is not None and control.can_block_reload == "YES" and bool(parts),
        target=float(listed.target_duration or 0),
        ended=bool(listed.is_endlist),
        end=end,
    )


def _first_seconds(parts: t.Sequence[_Piece]) -> list[_Piece]:
    """Return the first parts, which last as long as is measured."""
    chosen: list[_Piece] = []
    for part in parts:
        if sum(one.seconds for one in chosen) >= _MEASURED:
            break
        chosen.append(part)
    return chosen
