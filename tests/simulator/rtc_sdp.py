# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The offer as OvenMediaEngine writes it (tests/wire/play), around what aiortc needs to keep it.

Its candidates are beside it and not in it; ICE and DTLS are described once for all media.
"""

from __future__ import annotations

import random
import re
import string
from dataclasses import dataclass

ORIGIN_HOST = "127.0.0.1"
_ABS_SEND_TIME = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
_FRAME_MARKING = "urn:ietf:params:rtp-hdrext:framemarking"
_TRANSPORT_CC = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
_H264 = "packetization-mode=1;profile-level-id=42e01f;level-asymmetry-allowed=1"
_OPUS = "sprop-stereo=1;stereo=1;minptime=10;useinbandfec=1"


@dataclass(frozen=True)
class Codec:
    """How a codec is offered."""

    payload_type: int
    name: str
    parameters: str = ""


CODECS = {
    "H264": Codec(98, "H264/90000", _H264),
    "VP8": Codec(97, "VP8/90000"),
    "OPUS": Codec(110, "OPUS/48000/2", _OPUS),
}


@dataclass(frozen=True)
class Media:
    """A track of an offer. :param kind: video or audio. :param codec: of :data:`CODECS`."""

    kind: str
    codec: str
    ssrc: int


@dataclass(frozen=True)
class Transport:
    """ICE and DTLS of an offer."""

    fragment: str
    password: str
    fingerprint: str
    """Of sha-256."""


def random_text(chance: random.Random, length: int) -> str:
    """Return letters and digits."""
    return "".join(chance.choices(string.ascii_letters + string.digits, k=length))


def offer(chance: random.Random, session: int, transport: Transport, media: list[Media], transport_cc: bool) -> str:
    """Return an offer.

    :param session: a number that no other offer has. :param transport_cc: whether the version offers transport-wide
    congestion control.
    """
    mids = [random_text(chance, 6) for _track in media]
    stream, cname = random_text(chance, 36), random_text(chance, 16)
    lines = [
        "v=0",
        f"o=OvenMediaEngine {session} 2 IN IP4 {ORIGIN_HOST}",
        "s=-",
        "t=0 0",
        f"a=group:BUNDLE {' '.join(mids)}",
        f"a=group:LS {' '.join(mids)}",
        f"a=msid-semantic:WMS {stream}",
        "a=extmap-allow-mixed",
        f"a=fingerprint:sha-256 {transport.fingerprint}",
        "a=ice-options:trickle",
        f"a=ice-ufrag:{transport.fragment}",
        f"a=ice-pwd:{transport.password}",
    ]
    for mid, track in zip(mids, media):
        lines += _section(mid, track, stream, random_text(chance, 36), cname, transport_cc)
    return "".join(f"{line}\r\n" for line in lines)


def _section(mid: str, media: Media, stream: str, track: str, cname: str, transport_cc: bool) -> list[str]:
    codec = CODECS[media.codec]
    number = codec.payload_type
    is_video = media.kind == "video"
    lines = [
        f"m={media.kind} 9 UDP/TLS/RTP/SAVPF {number}",
        "c=IN IP4 0.0.0.0",
        "a=sendonly",
        f"a=mid:{mid}",
        "a=setup:actpass",
        "a=rtcp-mux",
        "a=rtcp-rsize",
        f"a=msid:{stream} {track}",
        *([f"a=extmap:1 {_FRAME_MARKING}"] if is_video else []),
        *([f"a=extmap:3 {_TRANSPORT_CC}"] if transport_cc else []),
        f"a=extmap:4 {_ABS_SEND_TIME}",
        f"a=rtpmap:{number} {codec.name}",
        *([f"a=fmtp:{number} {codec.parameters}"] if codec.parameters else []),
        *([f"a=rtcp-fb:{number} goog-remb"] if is_video else []),
        *([f"a=rtcp-fb:{number} transport-cc"] if transport_cc else []),
    ]
    described = {"cname": cname, "msid": f"{stream} {track}", "mslabel": stream, "label": track}
    return lines + [f"a=ssrc:{media.ssrc} {name}:{value}" for name, value in described.items()]


def without_candidates(text: str) -> str:
    """Return a description without candidates: the server learns where its peer is from what the peer sends."""
    return re.sub(r"a=(candidate:|end-of-candidates)[^\r\n]*\r?\n", "", text)
