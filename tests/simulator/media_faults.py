# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of viewers and publishers, which no API request meets.

They are injected as those of :mod:`.faults`, with the options ``method``, ``path``, ``skip`` and ``times``. The path is
``/application/stream``, and the method says what is asked for: ``OFFER`` by a viewer by WebRTC, ``WHIP`` or ``PUBLISH``
(by RTMP) by a publisher.

========================  =================================================================================
kind                      what happens
========================  =================================================================================
no_offer                  WebRTC: the server takes ``request_offer`` and never answers
offer_without_candidates  WebRTC: the offer has no candidates: ``none`` at all, or only a ``placeholder`` that can be
                          reached through the TCP relay alone, as a server with ``TcpRelayForce`` sends it
silent_peer               WebRTC and WHIP: nothing answers at the candidates, so that ICE never completes
no_key_frame              WebRTC: all is connected, and the video has no key frame, so that nobody can decode it
whip_refused              WHIP: ``status`` (500) with ``message``
rtmp_refused              RTMP: the server closes the connection at ``publish``, without a status
========================  =================================================================================
"""

from __future__ import annotations

OFFER, WHIP, PUBLISH = "OFFER", "WHIP", "PUBLISH"
"""What is asked for."""
NO_OFFER = "no_offer"
OFFER_WITHOUT_CANDIDATES = "offer_without_candidates"
SILENT_PEER = "silent_peer"
NO_KEY_FRAME = "no_key_frame"
WHIP_REFUSED = "whip_refused"
RTMP_REFUSED = "rtmp_refused"
PLACEHOLDER = "placeholder"

VARIANTS: dict[str, tuple[str, ...]] = {
    NO_OFFER: (),
    OFFER_WITHOUT_CANDIDATES: ("none", PLACEHOLDER),
    SILENT_PEER: (),
    NO_KEY_FRAME: (),
    WHIP_REFUSED: (),
    RTMP_REFUSED: (),
}
"""The kinds, with their variants."""
KINDS = tuple(VARIANTS)
