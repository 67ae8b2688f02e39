# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Play LL-HLS and HLS: each rendition from its playlist to the first frame, and a second time to see that it moves."""

from __future__ import annotations

import time
import typing as t
from urllib.parse import urlencode, urlsplit

from .._core import concurrency
from .decoding import decode
from .playback import NotPlayed, Playback
from .playlists import Media, Rendition, media, renditions
from .viewer import Response, Viewer, check_status
from .waiting import Clock

_STALE = 1.5
"""Target durations after which a playlist that has not moved is stale (RFC 8216bis, 6.3.4)."""
_LEAST_STALE = 3.0  # seconds
_POLL = 0.5  # seconds


class HlsPlayer:
    """Plays one URL."""

    def __init__(self, viewer: Viewer, playback: Playback) -> None:
        self._viewer = viewer
        self._playback = playback

    def play(self) -> None:
        """Play all renditions. Raises NotPlayed."""
        target = self._playback.target
        response = self._viewer.get(target.url)
        self._playback.certificate = self._viewer.certificate
        check_status(response)
        _check_origin(target.origin, response)
        begun = [(rendition, self._begin(rendition)) for rendition in renditions(response)]
        for rendition, before in begun:
            self._go_on(rendition, before)

    def _begin(self, rendition: Rendition) -> Media:
        """Decode the first frame of a rendition. Return what its playlist listed."""
        found = self._first_media(rendition)
        try:
            self._decode(rendition, found)
        except NotPlayed as failure:
            if failure.stage != "media" or failure.status != 404:
                raise
            # The server forgets old media; this viewer may have been too slow for it.
            later = self._media(rendition)
            if later.position <= found.position or not later.pieces:
                raise
            found = later
            self._decode(rendition, found)
        return found

    def _first_media(self, rendition: Rendition) -> Media:
        """Return the media playlist of a rendition as soon as it lists media: a new stream takes some time."""
        found = self._media(rendition)
        clock = self._viewer.clock.part(_patience(found))
        while not found.pieces:
            if not clock.left:
                raise NotPlayed("playlist", f"The playlist of {rendition} lists neither segments nor parts.")
            concurrency.pause(min(_POLL, clock.left))
            found = self._media(rendition)
        return found

    def _decode(self, rendition: Rendition, listed: Media) -> None:
        """Fetch and decode the newest media with which a player can begin."""
        if listed.is_encrypted:
            raise NotPlayed("decoding", f"The media of {rendition} are encrypted, and this viewer has no key (DRM).")
        init = self._fetch(listed.init) if listed.init else b""
        fetched = b"".join(self._fetch(piece.url) for piece in listed.pieces)
        if not fetched:
            raise NotPlayed("media", f"The newest media of {rendition} are empty.")
        try:
            tracks = decode(init + fetched, sum(piece.seconds for piece in listed.pieces), rendition.name)
        except NotPlayed as failure:
            raise NotPlayed(failure.stage, f"{rendition.name}: {failure.detail}".lstrip(": ")) from None
        if self._playback.seconds_to_first_frame is None:
            self._playback.seconds_to_first_frame = self._viewer.clock.elapsed
        self._playback.tracks += tracks

    def _go_on(self, rendition: Rendition, before: Media) -> None:
        """Wait until a rendition has moved on, and fetch what is new."""
        if before.ended:
            return
        after = self._moved(rendition, before)
        if after.newest is not None and not self._fetch(after.newest.url):
            raise NotPlayed("media", f"The newest media of {rendition} are empty.")
        if after.end is not None:
            self._playback.latency = time.time() - after.end.timestamp()

    def _moved(self, rendition: Rendition, before: Media) -> Media:
        """Return the playlist of a rendition as soon as it lists more than before."""
        patience = _patience(before)
        clock = self._viewer.clock.part(patience)
        if before.can_block:
            after = self._blocked(rendition, before, clock)
            if after is not None:
                self._playback.blocking_reload = self._playback.blocking_reload is not False
                return after
            self._playback.blocking_reload = False
        while clock.left:
            concurrency.pause(min(_POLL, clock.left))
            after = self._media(rendition)
            if after.position > before.position or after.ended:
                return after
        if not self._viewer.clock.left:
            raise NotPlayed("timeout", f"The playlist of {rendition} has not moved on before the time was over.")
        raise NotPlayed("stalled", f"The playlist of {rendition} has not moved on within {patience:.1f} s.")

    def _blocked(self, rendition: Rendition, before: Media, clock: Clock) -> Media | None:
        """Return the playlist that the server sends as soon as it has the next part; None if it does not do that."""
        segment, part = before.position
        try:
            after = self._media(rendition, {"_HLS_msn": segment, "_HLS_part": part}, clock)
        except NotPlayed as failure:
            if failure.stage != "timeout" or not self._viewer.clock.left:
                raise
            return None
        return after if after.position > before.position or after.ended else None

    def _media(
        self, rendition: Rendition, directives: t.Mapping[str, int] | None = None, clock: Clock | None = None
    ) -> Media:
        url = rendition.url
        if directives:
            url += ("&" if urlsplit(url).query else "?") + urlencode(directives)
        response = self._viewer.media(url, clock)
        _check_origin(self._playback.target.origin, response)
        return media(response)

    def _fetch(self, url: str) -> bytes:
        """Return a part of the media."""
        response = self._viewer.media(url)
        _check_origin(self._playback.target.origin, response)
        return response.body


def _patience(listed: Media) -> float:
    return max(_STALE * listed.target, _LEAST_STALE)


def _check_origin(origin: str, response: Response) -> None:
    """Raise NotPlayed if the page of an origin may not read a response (Fetch Standard, CORS check)."""
    allowed = response.headers.get("access-control-allow-origin", "")
    if origin and allowed not in ("*", origin):
        found = f"is {allowed!r}" if allowed else "is missing"
        detail = f"GET {response.path}: the header Access-Control-Allow-Origin {found}; the origin is {origin}."
        raise NotPlayed("cors", detail)
