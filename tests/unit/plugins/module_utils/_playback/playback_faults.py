# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be wrong between a stream and its viewers, and the stage at which a playback must fail then."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import trustme
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import sockets
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import Address
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ports
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils import scripted_server
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    HOST,
    HTTP,
    ORIGIN,
    SIGNALLING,
    World,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    Act,
    ScriptedServer,
)

ALL, LISTED = (*HTTP, *SIGNALLING), ("llhls", "hls")
OTHERS_ORIGIN = "https://other.example.com"
Changes = dict[str, Any]
"""Changes of :meth:`World.play`."""


@dataclass(frozen=True)
class PlaybackFault:
    """Something that is wrong.

    :param stages: the stage at which a playback fails, by protocol; ``plays`` if the fault does not matter to it.
    :param made: makes it so, and provides how to play then.
    """

    name: str
    stages: Mapping[str, str]
    made: Callable[[World, str], Any]

    def __str__(self) -> str:
        return self.name


def _for(protocols: tuple[str, ...], stage: str) -> dict[str, str]:
    return dict.fromkeys(protocols, stage)


def spoilt(kind: str, changes: Changes | None = None, **options: Any) -> Callable[[World, str], Any]:
    """Return what injects a fault of the simulator."""

    @contextmanager
    def made(world: World, protocol: str) -> Iterator[Changes]:
        inject = world.simulator.inject if protocol in SIGNALLING else world.simulator.spoil
        of_viewers = {} if protocol in SIGNALLING else {"protocol": protocol}
        world.injected = fault = inject(kind, **{**of_viewers, **options})
        yield dict(changes or {})
        fault.over()

    return made


def changed(**changes: Any) -> Callable[[World, str], Any]:
    """Return what only plays something else."""

    @contextmanager
    def made(_world: World, _protocol: str) -> Iterator[Changes]:
        yield dict(changes)

    return made


@contextmanager
def no_such_name(_world: World, _protocol: str) -> Iterator[Changes]:
    """Let no name be resolved."""

    def getaddrinfo(*_arguments: Any, **_options: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    known = sockets.socket.getaddrinfo
    sockets.socket.getaddrinfo = getaddrinfo
    try:
        yield {"connect_to": None}
    finally:
        sockets.socket.getaddrinfo = known


@contextmanager
def nothing_listens(_world: World, _protocol: str) -> Iterator[Changes]:
    """Connect to a port at which nothing listens."""
    with ports.held("127.0.0.1") as holder:
        yield {"connect_to": Address("127.0.0.1", ports.port_of(holder))}


def scripted(act: Act, waits: tuple[int, int] | None = None) -> Callable[[World, str], Any]:
    """Return what lets a server do something else in place of answering.

    :param waits: of a viewer by HTTP and of one by WebRTC, before the one that ends.
    """

    @contextmanager
    def made(_world: World, protocol: str) -> Iterator[Changes]:
        with ScriptedServer(*[act] * 3) as server:
            changes: Changes = {"connect_to": Address("127.0.0.1", server.port)}
            if waits is not None:
                changes["waits"] = waits[protocol in SIGNALLING]
            yield changes

    return made


def _secure(url: str) -> str:
    scheme, _colon, rest = url.partition(":")
    return f"{scheme}s:{rest}"


@contextmanager
def no_tls(world: World, protocol: str) -> Iterator[Changes]:
    """Play by TLS from a port without it."""
    yield {"url": _secure(world.target(protocol).url)}


def certified(name: str, trusted: bool) -> Callable[[World, str], Any]:
    """Return what serves a certificate for a host name by TLS, from an authority that is trusted or not."""

    @contextmanager
    def made(world: World, protocol: str) -> Iterator[Changes]:
        authority = trustme.CA()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(name).configure_cert(context)
        before = world.settings
        with authority.cert_pem.tempfile() as path, ScriptedServer(context=context) as server:
            world.settings = replace(before, ca_path=path if trusted else None)
            yield {"url": _secure(world.target(protocol).url), "connect_to": Address("127.0.0.1", server.port)}
        world.settings = before

    return made


def _status(number: int) -> Act:
    return scripted_server.answer(b"", number)


_LATE = 2 * PATIENCE

FAULTS = [
    PlaybackFault("a host name without an address", _for(ALL, "name_resolution"), no_such_name),
    PlaybackFault("nothing listens", _for(ALL, "connection"), nothing_listens),
    PlaybackFault("a connection that breaks", _for(ALL, "connection"), scripted(scripted_server.RESET)),
    PlaybackFault("a connection that is closed", _for(ALL, "connection"), scripted(scripted_server.CLOSE)),
    PlaybackFault("no answer", _for(ALL, "timeout"), scripted(scripted_server.SILENCE, waits=(2, 1))),
    PlaybackFault("something else than HTTP", _for(ALL, "connection"), scripted(scripted_server.raw(b"SSH-2.0-x\r\n"))),
    PlaybackFault("a port without TLS", _for(ALL, "tls"), no_tls),
    PlaybackFault("an unknown authority", _for(ALL, "tls"), certified(HOST, trusted=False)),
    PlaybackFault("the certificate of another name", _for(ALL, "tls"), certified("b.example.com", trusted=True)),
    PlaybackFault("a stream that is not live", _for(ALL, "not_found"), changed(stream="s2")),
    PlaybackFault("a host name that no virtual host has", _for(ALL, "not_found"), changed(host="b.example.com")),
    PlaybackFault("status 401", _for(ALL, "denied"), scripted(_status(401))),
    PlaybackFault("status 403", _for(ALL, "denied"), scripted(_status(403))),
    PlaybackFault("status 404", _for(ALL, "not_found"), scripted(_status(404))),
    PlaybackFault("status 502", _for(ALL, "status"), scripted(_status(502))),
    PlaybackFault("an empty answer", _for(LISTED, "playlist") | {"thumbnail": "decoding"}, scripted(_status(200))),
    PlaybackFault("playlists that list nothing", _for(LISTED, "playlist"), spoilt("empty_playlist")),
    PlaybackFault("playlists that stay as they are", _for(LISTED, "stalled"), spoilt("frozen_playlist")),
    PlaybackFault("no initialization section", {"llhls": "media", "hls": "plays"}, spoilt("missing_init")),
    PlaybackFault("status 401 for the media", _for(LISTED, "denied"), spoilt("unauthorized_later")),
    PlaybackFault("status 403 for segments", {"hls": "denied"}, spoilt("status", status=403, path="/seg_")),
    PlaybackFault("status 404 for parts", {"llhls": "media"}, spoilt("status", status=404, path="/part_")),
    PlaybackFault(
        "status 404 for segments", {"hls": "media", "llhls": "plays"}, spoilt("status", status=404, path="/seg_")
    ),
    PlaybackFault("status 500 for playlists", _for(LISTED, "status"), spoilt("status", status=500, path="list_")),
    PlaybackFault("parts without a body", {"llhls": "media"}, spoilt("status", status=200, path="/part_")),
    PlaybackFault("segments without a body", {"hls": "media"}, spoilt("status", status=200, path="/seg_")),
    PlaybackFault(
        "a later part without a body", {"llhls": "media"}, spoilt("status", status=200, path="/part_", skip=6)
    ),
    PlaybackFault("no key frame", _for(LISTED, "key_frame"), spoilt("no_key_frame")),
    PlaybackFault("media without meaning", _for(LISTED, "decoding"), spoilt("not_decodable")),
    PlaybackFault("media that come too late", _for(LISTED, "timeout"), spoilt("slow_part", seconds=_LATE)),
    PlaybackFault("no CORS headers", _for(LISTED, "cors"), spoilt("no_cors", {"origin": ORIGIN})),
    PlaybackFault("no CORS headers of media", {"llhls": "cors"}, spoilt("no_cors", {"origin": ORIGIN}, path="/part_")),
    PlaybackFault("another origin", _for(LISTED, "cors"), changed(origin=OTHERS_ORIGIN)),
    PlaybackFault("no CORS headers, and no origin", _for(LISTED, "plays"), spoilt("no_cors", {"origin": ""})),
    PlaybackFault("no offer", _for(SIGNALLING, "negotiation"), spoilt("no_offer", {"waits": 2})),
    PlaybackFault("no candidates", _for(SIGNALLING, "ice"), spoilt("offer_without_candidates", variant="none")),
    PlaybackFault(
        "no candidate but that of the relay",
        {"webrtc": "ice"},
        spoilt("offer_without_candidates", {"waits": 4}, variant="placeholder"),
    ),
    PlaybackFault(
        "the relay alone", {"webrtc_tcp": "plays"}, spoilt("offer_without_candidates", variant="placeholder")
    ),
    PlaybackFault("nothing at the candidates", {"webrtc": "ice"}, spoilt("silent_peer", {"waits": 4})),
    PlaybackFault("nothing behind the relay", {"webrtc_tcp": "ice"}, spoilt("silent_peer", {"waits": 4})),
    PlaybackFault("no key frame by WebRTC", _for(SIGNALLING, "key_frame"), spoilt("no_key_frame", {"waits": 5})),
]
CASES = [(fault, protocol) for fault in FAULTS for protocol in fault.stages]
