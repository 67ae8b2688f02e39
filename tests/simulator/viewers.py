# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What viewers get by HTTP: LL-HLS, HLS and thumbnails, as ``tests/wire/play`` has them.

The host name of a request selects the virtual host (server-facts: Which virtual host a publisher or viewer reaches).
What is played are the outputs of a stream, so that an application without output profiles answers 404. Of each request
the faults of :mod:`.viewer_faults` are chosen once, before anything is answered.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from . import cross_domains, fragments, playlists, streams, thumbnails
from .media import LiveStream
from .objects import Application, VirtualHost
from .publishing import reached
from .renditions import Rendition, Track, default_rendition, playable_tracks, renditions
from .signed_urls import refusal
from .state import State
from .timeline import MOST_WAIT, PARTS, Progress
from .tracks import has
from .viewer_faults import (
    HLS,
    IMAGE,
    INIT,
    LLHLS,
    MEDIA,
    MULTIVARIANT,
    PART,
    SEGMENT,
    THUMBNAIL,
    UNKNOWN,
    Asked,
    Chosen,
    ViewerFault,
)

PLAYLIST, TS, NOTHING = "application/vnd.apple.mpegurl", "video/mp2t", "text/html"
METHODS = {LLHLS: "OPTIONS, GET, HEAD", HLS: "OPTIONS, GET, HEAD", THUMBNAIL: "GET"}
"""What the publishers allow the pages of other hosts."""
_ORIGIN = "39_"
"""What the sessions of all viewers begin with."""
_LLHLS = re.compile(
    r"(?P<what>chunklist|init|seg|part)_(?P<track>\d+)_((?P<segment>\d+)_)?((?P<part>\d+)_)?"
    r"(video|audio)_(?P<key>\w{8})_llhls\.(m3u8|m4s)"
)
_HLS = re.compile(r"(?P<what>medialist|seg)_(?P<id>\d+)_((?P<segment>\d+)_)?hls\.(m3u8|ts)")
_WHAT = {"chunklist": MEDIA, "medialist": MEDIA, "init": INIT, "part": PART, "seg": SEGMENT}


@dataclass
class View:
    """A response to a viewer.

    :param wait: seconds of the clock after which the request is looked at again; then there is no response yet.
    """

    status: int = 404
    content_type: str = NOTHING
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0


@dataclass(frozen=True)
class Sent:
    """A request of a viewer.

    :param host: the header Host. :param query: as it was sent.
    """

    method: str
    host: str
    path: str
    query: str = ""
    port: int = 80
    """The port of the server."""
    client: str = "127.0.0.1"
    headers: dict[str, str] = field(default_factory=dict)
    """By names in lower case."""
    is_secure: bool = False
    is_for_image: bool = False
    """Whether it arrived at a port of the thumbnail publisher."""

    @property
    def url(self) -> str:
        """Return the URL that is signed: the server adds its port if the request has none."""
        host = self.host if re.search(r":\d+$", self.host) or self.is_for_image else f"{self.host}:{self.port}"
        return f"http{'s' * self.is_secure}://{host}{self.path}" + (f"?{self.query}" if self.query else "")

    @property
    def parameters(self) -> dict[str, str]:
        """Return the query."""
        return dict(part.partition("=")[::2] for part in self.query.split("&"))

    @property
    def session(self) -> str:
        """Return the session of the viewer."""
        return self.parameters.get("session", "")

    @property
    def parts(self) -> list[str]:
        """Return application, stream and file; other paths have none."""
        parts = self.path.strip("/").split("/")
        return parts if len(parts) == 3 else ["", "", ""]

    @property
    def protocol(self) -> str:
        """Return by what the path is served: ``llhls``, ``hls`` or ``thumbnail``."""
        if self.is_for_image:
            return THUMBNAIL
        file = self.parts[2]
        return HLS if _HLS.fullmatch(file) or file.startswith("ts:") else LLHLS

    @property
    def what(self) -> str:
        """Return what is asked for."""
        file = self.parts[2]
        found = None if self.is_for_image else _LLHLS.fullmatch(file) or _HLS.fullmatch(file)
        if found is not None:
            return _WHAT[found["what"]]
        if self.is_for_image:
            return IMAGE
        return MULTIVARIANT if file.endswith(".m3u8") else UNKNOWN


@dataclass(frozen=True)
class _Output:
    """An output of a live stream, with what it is described by."""

    live: LiveStream
    described: dict[str, Any]
    place: str
    progress: Progress

    @property
    def tracks(self) -> list[Track]:
        return playable_tracks(self.described)

    @property
    def _playlists(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.described.get("playlists", [])
        return listed

    def llhls(self, name: str) -> list[Rendition]:
        """Return the renditions of a multivariant playlist of LL-HLS; none if there is no such playlist."""
        listed = [entry for entry in self._playlists if entry["fileName"] == name and has(LLHLS, entry)]
        if listed and listed[0]["name"] != "llhls_default":
            return renditions(listed[0], self.described)
        # An old version does not describe playlists.
        is_default = bool(listed) or (not self._playlists and name == "llhls")
        return [default_rendition(self.tracks)] if is_default and self.tracks else []

    def hls(self, name: str) -> list[Rendition]:
        """Return the renditions of a multivariant playlist of HLS."""
        listed = [entry for entry in self._playlists if entry["options"]["enableTsPackaging"] and has(HLS, entry)]
        found = [renditions(entry, self.described) for entry in listed if entry["fileName"] == name]
        if name == "playlist" and self.tracks:
            return [default_rendition(self.tracks)]
        return found[0] if found else []

    @property
    def all_hls(self) -> list[Rendition]:
        """Return all renditions of HLS."""
        names = ["playlist", *(entry["fileName"] for entry in self._playlists)]
        return [rendition for name in names for rendition in self.hls(name)]


def reaches(state: State, sent: Sent) -> VirtualHost | None:
    """Return the virtual host that a request reaches by its host name."""
    return reached(state.in_order_of_creation(), re.sub(r":\d+$", "", sent.host))


def chosen(state: State, sent: Sent, choose: Callable[[Asked], Chosen]) -> Chosen:
    """Return the faults that spoil a request.

    :param choose: returns those that take a request, which then counts for them.
    """
    with state.lock:
        vhost = reaches(state, sent)
        app, stream, _file = sent.parts
        name = vhost.name if vhost is not None else ""
        return choose(Asked(sent.protocol, name, app, stream, sent.what, sent.method, sent.path))


def answer(state: State, sent: Sent, faults: Chosen) -> View:
    """Return what a viewer gets."""
    with state.lock:
        view = _answer(state, sent, faults)
        if state.version.viewers_get_cors:
            view.headers.setdefault("Vary", "Origin")
        if "no_cors" in faults:
            view.headers = cross_domains.without(view.headers)
        return view


def _answer(state: State, sent: Sent, faults: Chosen) -> View:
    app_name, name, file = sent.parts
    vhost = reaches(state, sent)
    if vhost is not None and "wrong_virtual_host" in faults:
        vhost = _other(state, vhost, app_name, faults["wrong_virtual_host"])
    if "status" in faults:
        return View(faults["status"].status)
    app = vhost.applications.get(app_name) if vhost is not None else None
    if sent.is_for_image:
        return View(*thumbnails.answer(state, vhost, app, sent))
    if vhost is None or app is None:
        return View()
    protocol = sent.protocol
    cors = cross_domains.headers(state.version, vhost, app, protocol, METHODS[protocol], sent.headers)
    if sent.method == "OPTIONS":
        return View(200, headers={"Access-Control-Allow-Private-Network": "true", **cors})
    publishers = app.config.get("publishers")
    if protocol not in (publishers if isinstance(publishers, dict) else {}):
        return View()
    # Only the request for the multivariant playlist of LL-HLS is checked (server-facts: Signed URLs).
    if sent.what == MULTIVARIANT and protocol == LLHLS and not is_admitted(state, vhost, sent, protocol):
        return View(401)
    output = _output(state, app, vhost, name)
    if output is None:
        view = View()
    elif "unauthorized_later" in faults:
        view = View(401)
    else:
        view = (_hls if protocol == HLS else _llhls)(state, sent, output, file, faults)
    view.headers = {**view.headers, **cors}
    return view


def _other(state: State, vhost: VirtualHost, app: str, fault: ViewerFault) -> VirtualHost | None:
    """Return the virtual host that a host name reaches by mistake."""
    if fault.target is not None:
        return state.virtual_hosts.get(fault.target)
    others = (other for other in state.in_order_of_creation() if other is not vhost and app in other.applications)
    return next(others, vhost)


def is_admitted(state: State, vhost: VirtualHost, sent: Sent, publisher: str) -> bool:
    """Return whether the signed policy of a virtual host lets a viewer in; without one, everybody."""
    policy = vhost.config.get("signedPolicy")
    if not isinstance(policy, dict):
        return True
    listed = str((policy.get("enables") or {}).get("publishers", "")).lower()
    if publisher not in [name.strip() for name in listed.split(",")]:
        return True
    now = int(state.clock.time_of_day().timestamp() * 1000)
    names = str(policy.get("policyQueryKeyName", "")), str(policy.get("signatureQueryKeyName", ""))
    return not refusal(sent.url, str(policy.get("secretKey", "")), now, sent.client, *names)


def _output(state: State, app: Application, vhost: VirtualHost, name: str) -> _Output | None:
    """Return the output of a live stream that has a name; None if there is none."""
    for (of_vhost, of_app, stream), live in state.streams.items():
        if (of_vhost, of_app) != (vhost.name, app.name) or name not in live.outputs:
            continue
        for described in streams.outputs(state, app, stream, live):
            if described["name"] == name:
                live.key = live.key or _random(state)
                return _Output(live, described, f"/{app.name}/{name}", _progress(state, live))
    return None


def _progress(state: State, live: LiveStream, until: float | None = None) -> Progress:
    now = state.clock.now() if until is None else min(until, state.clock.now())
    return Progress(max(0.0, now - live.since), lambda second: state.clock.timestamp(live.since + second))


def _random(state: State) -> str:
    return "".join(state.random.choices(string.ascii_letters + string.digits, k=8))


def _llhls(state: State, sent: Sent, output: _Output, file: str, faults: Chosen) -> View:
    live = output.live
    found = _LLHLS.fullmatch(file)
    if found is None:
        playlist = output.llhls(file.removesuffix(".m3u8")) if sent.what == MULTIVARIANT else []
        if not playlist:
            return View()
        session = _ORIGIN + _random(state)
        live.sessions.add(session)
        return _playlist(playlists.llhls_multivariant(output.place, live.key, session, playlist), "no-cache, no-store")
    track = next((track for track in output.tracks if track.number == int(found["track"])), None)
    if track is None or found["key"] != live.key:
        return View()
    if sent.what != MEDIA:
        numbers = int(found["segment"] or 0), int(found["part"] or 0)
        return _fragment(sent.what, track, *numbers, output.progress, faults)
    if sent.session not in live.sessions:
        return View(401)
    return _chunklist(state, sent, output, track, faults)


def _chunklist(state: State, sent: Sent, output: _Output, track: Track, faults: Chosen) -> View:
    progress = output.progress
    wanted = [sent.parameters.get(f"_HLS_{name}", "") for name in ("msn", "part")]
    if "frozen_playlist" in faults:
        progress = _progress(state, output.live, faults["frozen_playlist"].since)
    elif all(value.isdecimal() for value in wanted):  # without a part the server does not wait [read]
        seconds = progress.until_listed(int(wanted[0]), int(wanted[1]))
        if seconds:
            return View(wait=seconds if seconds <= MOST_WAIT else 0.0)
    caching = "max-age=60" if wanted[0] else "no-cache, no-store"
    text = playlists.llhls_media(
        output.live.key, _ORIGIN, output.tracks, track, progress, is_empty="empty_playlist" in faults
    )
    return _playlist(text, caching)


def _fragment(what: str, track: Track, segment: int, part: int, progress: Progress, faults: Chosen) -> View:
    """Return the initialization section of a track, a segment or a part of it."""
    kind = f"{track.kind}/mp4"
    if what == INIT:
        return View() if "missing_init" in faults else View(200, kind, fragments.initialization(track.picture))
    state = _state_of_media(faults)
    if what == SEGMENT:
        is_there = segment < progress.segment
        return View(200, kind, fragments.segment(track.picture, segment, state)) if is_there else View()
    seconds = progress.until(segment, part)
    if part >= PARTS or seconds > MOST_WAIT:
        return View()
    return View(wait=seconds) if seconds else View(200, kind, fragments.part(track.picture, segment, part, state))


def _state_of_media(faults: Chosen) -> str:
    return next(
        (state for state in (fragments.NOT_DECODABLE, fragments.NO_KEY_FRAME) if state in faults), fragments.SOUND
    )


def _hls(state: State, sent: Sent, output: _Output, file: str, faults: Chosen) -> View:
    found = _HLS.fullmatch(file)
    if found is None:
        playlist = output.hls(file.removeprefix("ts:").removesuffix(".m3u8"))
        return _playlist(playlists.hls_multivariant(playlist)) if playlist else View()
    rendition = next((rendition for rendition in output.all_hls if rendition.id == int(found["id"])), None)
    if rendition is None:
        return View()
    if sent.what == MEDIA:
        is_frozen = "frozen_playlist" in faults
        progress = _progress(state, output.live, faults["frozen_playlist"].since) if is_frozen else output.progress
        return _playlist(playlists.hls_media(rendition, progress, is_empty="empty_playlist" in faults))
    number = int(found["segment"] or 0)
    if number >= output.progress.segment:
        return View()
    picture = rendition.video.picture if rendition.video is not None else None
    body = fragments.transport_stream(picture, rendition.audio is not None, number, _state_of_media(faults))
    return View(200, TS, body)


def _playlist(text: str, caching: str = "") -> View:
    headers = {"Cache-Control": caching, "Content-Encoding": "identity"} if caching else {}
    return View(200, PLAYLIST, text.encode(), headers)


class ViewerResponse(web.Response):
    """A response without the headers that only aiohttp would add."""

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        del self.headers["Date"]


def handler(
    state: State, choose: Callable[[Asked], Chosen], is_for_image: bool = False
) -> Callable[[web.BaseRequest], Any]:
    """Return what answers the requests of viewers.

    :param choose: returns the faults that spoil a request, see :func:`chosen`.
    :param is_for_image: whether the port is one of the thumbnail publisher.
    """

    async def handle(request: web.BaseRequest) -> web.StreamResponse:
        sent = _sent(request, is_for_image)
        faults = chosen(state, sent, choose)
        if "slow_part" in faults and faults["slow_part"].seconds > 0:
            await state.clock.sleep(faults["slow_part"].seconds)
        view = answer(state, sent, faults)
        while view.wait:
            await state.clock.sleep(view.wait)
            view = answer(state, sent, faults)
        headers = {**view.headers, "Content-Type": view.content_type, "Server": "OvenMediaEngine"}
        return ViewerResponse(status=view.status, headers=headers, body=view.body)

    return handle


def _sent(request: web.BaseRequest, is_for_image: bool) -> Sent:
    local = request.get_extra_info("sockname")
    peer = request.get_extra_info("peername")
    path, _mark, query = request.raw_path.partition("?")
    return Sent(
        request.method,
        request.headers.get("Host", ""),
        path,
        query,
        local[1] if local else 80,
        peer[0] if peer else "127.0.0.1",
        {name.lower(): value for name, value in request.headers.items()},
        request.secure,
        is_for_image,
    )
