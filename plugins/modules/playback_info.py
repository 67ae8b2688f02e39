#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: playback_info
short_description: Play streams of OvenMediaEngine as viewers do, and report what arrives
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Plays URLs by LL-HLS, HLS, WebRTC, SRT or RTMP, and fetches thumbnails, as a viewer of a host name does. Reports
    whether each plays, or the stage at which it failed, the tracks that arrived, and how long it took.
  - LL-HLS and HLS play if each rendition has a playlist, its newest media can be decoded, and its playlist has moved on
    when it is read again. WebRTC plays if the first frame of each track can be decoded.
  - Plays in check mode too, because playing changes nothing. The server counts each playback as a viewer.
  - By default a playback that fails is reported and is not a failure of the task. With O(expect) or O(until_plays) it
    is one.
requirements:
  - m3u8 4 or later and av 12 or later (Python libraries), for LL-HLS and HLS
  - av 12 or later, for thumbnails
  - aiortc 1.9 or later, av 12 or later and websockets 15 or later (Python libraries), for WebRTC
  - ffprobe, which is part of ffmpeg, for SRT and RTMP
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection.optional
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
options:
  urls:
    description:
      - What to play. An entry can be a URL alone, such as V(https://live.example.com:3334/app/main/llhls.m3u8) or
        V(wss://live.example.com:3334/app/main).
      - Options that an entry has for itself take precedence over those of the task.
    type: list
    elements: dict
    suboptions:
      url:
        description:
          - URL with the host name that viewers use. With its policy and signature if it is signed already. Both are
            masked in results.
        type: str
        required: true
      protocol:
        description:
          - Protocol of the URL. If omitted, its scheme and the name of its file tell. V(webrtc_tcp) plays by the
            server's TCP relay, and is the protocol of URLs with C(transport=relay) or C(transport=tcp).
          - OvenMediaEngine 0.21.0 and later offers its relay to C(transport=relay). To C(transport=tcp) it offers
            WebRTC by TCP without the relay, which cannot be played. Earlier releases offer their relay to
            C(transport=tcp). Of O(stream) both are tried.
        type: str
        choices: [llhls, hls, thumbnail, webrtc, webrtc_tcp, srt, rtmp]
      expect:
        description: As O(expect), for this URL.
        type: str
        choices: [plays, denied]
      connect_to:
        description: As O(connect_to), for this URL.
        type: dict
        suboptions:
          host:
            description: Host name or address.
            type: str
            required: true
          port:
            description: Port. If omitted, that of the URL.
            type: int
      origin:
        description: As O(origin), for this URL.
        type: str
      viewer_headers:
        description: As O(viewer_headers), for this URL.
        type: dict
      sign:
        description: As O(sign), for this URL.
        type: dict
        suboptions:
          secret_key:
            description: As O(sign.secret_key).
            type: str
            required: true
          expires_in:
            description: As O(sign.expires_in).
            type: str
            default: 10m
          policy_query_key_name:
            description: As O(sign.policy_query_key_name).
            type: str
            default: policy
          signature_query_key_name:
            description: As O(sign.signature_query_key_name).
            type: str
            default: signature
  vhost:
    description:
      - Name of the virtual host of O(stream). Only if O(host_names) is omitted, its host names are read from the
        server, which takes O(api_url) and O(api_token). Names with a wildcard are left out.
    type: str
  app:
    description: Name of the application of O(stream).
    type: str
  stream:
    description:
      - Name of an output stream to play, by each of O(protocols) and each host name of the virtual host.
    type: str
  protocols:
    description: Protocols by which O(stream) is played.
    type: list
    elements: str
    choices: [llhls, hls, thumbnail, webrtc, webrtc_tcp, srt, rtmp]
    default: [llhls, webrtc]
  host_names:
    description: Host names by which O(stream) is played, without wildcards.
    type: list
    elements: str
  ports:
    description:
      - Ports of the server's publishers, for O(stream). The defaults are those of the server's sample configuration.
    type: dict
    suboptions:
      llhls:
        description: Port of LL-HLS. The default is V(3333), or V(3334) with O(tls).
        type: int
      hls:
        description: Port of HLS. The default is V(3333), or V(3334) with O(tls).
        type: int
      thumbnail:
        description: Port of thumbnails. The default is V(20080), or V(20081) with O(tls).
        type: int
      webrtc:
        description: Port of the signalling of WebRTC. The default is V(3333), or V(3334) with O(tls).
        type: int
      webrtc_tcp:
        description: Port of the signalling of WebRTC by TCP. The default is V(3333), or V(3334) with O(tls).
        type: int
      srt:
        description: Port of SRT. The default is V(9998).
        type: int
      rtmp:
        description: Port of RTMP. The default is V(1935).
        type: int
  tls:
    description: Whether O(stream) is played by C(https) and C(wss).
    type: bool
    default: false
  expect:
    description:
      - V(plays) fails the task if a URL does not play, V(denied) if it plays, or fails for another reason than that the
        server refuses the viewer. So V(denied) proves that a protected stream is closed.
      - If omitted, the task only reports.
    type: str
    choices: [plays, denied]
  connect_to:
    description:
      - Where to connect in place of the host of the URL, as C(--connect-to) of curl does. Host name, SNI and the
        certificate's check stay those of the URL. Reaches a server before DNS does, or one of several.
      - The media of WebRTC come from the addresses that the server offers.
    type: dict
    suboptions:
      host:
        description: Host name or address.
        type: str
        required: true
      port:
        description: Port. If omitted, that of the URL.
        type: int
  origin:
    description:
      - Origin of the web page of the player, such as V(https://player.example.com). It is sent as C(Origin), and LL-HLS
        and HLS only play if the server allows it (CORS).
    type: str
  viewer_headers:
    description: Additional headers of the viewer's requests. Their values are treated as secrets.
    type: dict
  sign:
    description:
      - Signs the URLs for a virtual host with C(signed_policy), as P(streamops.ovenmediaengine.signed_url#filter) does.
    type: dict
    suboptions:
      secret_key:
        description: Key of C(signed_policy) of the virtual host.
        type: str
        required: true
      expires_in:
        description: How long the URL is valid, such as V(10m).
        type: str
        default: 10m
      policy_query_key_name:
        description: Name of the parameter with the policy.
        type: str
        default: policy
      signature_query_key_name:
        description: Name of the parameter with the signature.
        type: str
        default: signature
  verify_chain:
    description:
      - Whether the certificate of C(https) and C(wss) must be valid for the host name and lead to a trusted authority.
    type: bool
    default: true
  chain_ca_path:
    description:
      - Path of a file or directory with the CA certificates that O(verify_chain) trusts, on the host where the module
        runs. If omitted, those of the system.
    type: path
  play_timeout:
    description:
      - Seconds that one playback may take. HLS takes at least the duration of a segment, because its playlist has to
        move on.
    type: float
    default: 30
  until_plays:
    description:
      - Seconds for which playbacks that are not as expected are repeated. V(0) plays once. With any other value,
        O(expect) is V(plays) if it is omitted.
    type: float
    default: 0
  playback_concurrency:
    description: Maximum number of concurrent playbacks, from V(1) to V(1000).
    type: int
    default: 100
notes:
  - The module needs the Python libraries where it runs, which usually is the controller. The collection's execution
    environments have them.
  - No proxy is used.
seealso:
  - module: streamops.ovenmediaengine.certificate_info
  - module: streamops.ovenmediaengine.stream_info
  - plugin: streamops.ovenmediaengine.signed_url
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Play a stream by each host name of its virtual host, before DNS has the names
  streamops.ovenmediaengine.playback_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: tenant-a
    app: live
    stream: main
    protocols: [llhls, hls, webrtc, thumbnail]
    connect_to:
      host: 203.0.113.7
    expect: plays

- name: Fail unless the stream plays by LL-HLS and WebRTC, within a minute
  streamops.ovenmediaengine.playback_info:
    urls:
      - https://live.example.com:3334/app/main/llhls.m3u8
      - wss://live.example.com:3334/app/main
      - wss://live.example.com:3334/app/main?transport=relay
    until_plays: 60
  delegate_to: localhost

- name: Prove that a protected stream is closed without a signature, and open with one
  streamops.ovenmediaengine.playback_info:
    urls:
      - url: https://signed.example.com:3334/app/main/llhls.m3u8
        expect: denied
      - url: https://signed.example.com:3334/app/main/llhls.m3u8
        expect: plays
        sign:
          secret_key: "{{ my_secret_key }}"

- name: See how long viewers wait, and how far behind they are
  streamops.ovenmediaengine.playback_info:
    urls: [http://live.example.com:3333/app/main/llhls.m3u8]
    origin: https://player.example.com
  register: played
"""

RETURN = r"""
plays:
  description: Whether all of them play.
  returned: if anything was played
  type: bool
playbacks:
  description: The outcome of each playback, those of O(stream) first, then those of O(urls), in their order.
  returned: if anything was played
  type: list
  elements: dict
  contains:
    url:
      description: What was played, with secrets masked.
      type: str
      sample: https://live.example.com:3334/app/main/llhls.m3u8
    protocol:
      description: Protocol by which it was played.
      type: str
      sample: llhls
    plays:
      description: Whether it plays.
      type: bool
    as_expected:
      description: Whether the outcome is that of O(expect); V(null) if nothing is expected.
      type: bool
    stage:
      description:
        - What failed, V(null) if it plays. One of V(name_resolution), V(connection), V(tls), V(denied), V(not_found),
          V(status), V(timeout), V(playlist), V(cors), V(media), V(key_frame), V(decoding), V(stalled),
          V(negotiation), V(ice) and V(program).
      type: str
      sample: stalled
    error:
      description:
        - Why it does not play or is not as expected, with the keys of
          RV(streamops.ovenmediaengine.vhost#module:error); V(null) otherwise.
      type: dict
    tracks:
      description: The tracks of which a frame was decoded.
      type: list
      elements: dict
      contains:
        kind:
          description: V(video), V(audio) or V(image).
          type: str
          sample: video
        codec:
          description: Codec, as FFmpeg calls it.
          type: str
          sample: h264
        width:
          description: Width in pixels; V(null) for audio.
          type: int
          sample: 1280
        height:
          description: Height in pixels; V(null) for audio.
          type: int
          sample: 720
        bitrate:
          description:
            - Bits per second, measured over what was fetched, which is up to two seconds of LL-HLS or a segment of HLS.
              V(null) for WebRTC and images.
          type: int
          sample: 2480000
        framerate:
          description: Frames per second, measured; V(null) for audio and images.
          type: float
          sample: 30.0
        rendition:
          description: The rendition that has the track; empty if there is only one.
          type: str
          sample: 1280x720
    seconds_to_first_frame:
      description:
        - Seconds from the first request to the first decoded frame; V(null) if there was none. All playbacks of a task
          share the processor, so that many of them take longer.
      type: float
      sample: 0.412
    latency:
      description:
        - Seconds by which the newest media that the server lists are older than now, by C(EXT-X-PROGRAM-DATE-TIME) and
          the clock of the host where the module runs. V(null) without such a time stamp, and for other protocols than
          LL-HLS and HLS.
      type: float
      sample: 0.9
    blocking_reload:
      description: Whether the server held a request until the next part was there; V(null) if it was not tried.
      type: bool
    certificate:
      description:
        - The certificate that the server presented, with the keys of
          RV(streamops.ovenmediaengine.certificate_info#module:certificates); V(null) without TLS.
      type: dict
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
# BEGIN GENERATED retries
retries:
  description: Requests that were retried, or that got no response and were not retried, each with the reason.
  returned: when there were any
  type: list
  elements: str
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.playback_info import PlaybackInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(PlaybackInfo)


if __name__ == "__main__":
    main()
