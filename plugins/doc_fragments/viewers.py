# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the option that says how viewers reach a server."""

from __future__ import annotations


class ModuleDocFragment:
    """The option `viewers`."""

    DOCUMENTATION = r"""
options:
  viewers:
    description: How viewers reach the server. Without it, as its sample configuration has it.
    type: dict
    version_added: 3.0.0
    suboptions:
      connect_to:
        description:
          - Host name or address to connect to in place of the host names, which stay those of the URLs, of SNI and of
            the check of the certificate. Reaches a server before DNS does, or one of several.
        type: str
      origin:
        description:
          - Origin of the web page of the player, such as V(https://player.example.com). LL-HLS and HLS only play if the
            server allows it (CORS).
        type: str
      tls:
        description: Whether they play by C(https) and C(wss).
        type: bool
        default: false
      ports:
        description: Ports of the server, if they are not those of its sample configuration.
        type: dict
        suboptions:
          llhls:
            description: Port of LL-HLS. The default is V(3333), or V(3334) with O(viewers.tls).
            type: int
          hls:
            description: Port of HLS. The default is V(3333), or V(3334) with O(viewers.tls).
            type: int
          webrtc:
            description: Port of the signalling of WebRTC. The default is V(3333), or V(3334) with O(viewers.tls).
            type: int
          webrtc_tcp:
            description: The same for viewers by the TCP relay.
            type: int
          thumbnail:
            description: Port of thumbnails. The default is V(20080), or V(20081) with O(viewers.tls).
            type: int
          srt:
            description: Port of SRT. The default is V(9998).
            type: int
      protocols:
        description:
          - Protocols by which streams are played.
          - If omitted, those of the publishers of each application, except V(webrtc_tcp), which needs the TCP relay of
            the server, and V(srt) only if ffprobe is installed.
        type: list
        elements: str
        choices: [llhls, hls, webrtc, webrtc_tcp, thumbnail, srt]
      verify_chain:
        description:
          - Whether the certificate of C(https) and C(wss) must be valid for the host name and lead to a trusted
            authority.
        type: bool
        default: true
      chain_ca_path:
        description: Path of a file or directory with the CA certificates that O(viewers.verify_chain) trusts.
        type: path
      timeout:
        description:
          - Seconds that one playback may take. A test stream is tried again for as long, because its first segments
            take a while.
        type: float
        default: 30
"""
