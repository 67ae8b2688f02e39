# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the server's own configuration: Server.xml without virtual hosts, and Logger.xml.

A line of the form ``<name>`` inserts the block with this name, which describes settings that many objects share.
"""

from __future__ import annotations

import re
from textwrap import indent

_BLOCKS = {
    "extra": r"""
extra:
  description:
    - Settings without an option of their own, under the names of their elements with a small first letter.
    - The release of the server has to know each element, or the server would not start. The module refuses those that
      the release is known not to have.
    - Names can contain letters, digits and V(_) only. Strings whose names suggest secrets, and secrets in URLs, are
      masked.
  type: dict
""",
    "cross_domains": r"""
cross_domains:
  description: Web sites whose pages may use this (CORS).
  type: dict
  suboptions:
    urls:
      description:
        - Origins, such as V(https://player.example.com); V(*) matches everything. The order does not matter.
        - The server compares them exactly, so the task warns about an entry with a path, a slash at its end or a comma.
      type: list
      elements: str
    headers:
      description: Headers that the server adds to its responses. The order matters. Servers from 0.17.2 on.
      type: list
      elements: dict
      suboptions:
        key:
          description: Name of the header.
          type: str
          required: true
        value:
          description: Value of the header.
          type: str
          required: true
    <extra>
""",
    "enable": r"""
enable:
  description: Whether the module is on.
  type: bool
""",
    "workers": r"""
worker_count:
  description: Number of threads, at least V(1).
  type: int
""",
    "port": r"""
port:
  description: Port, such as V(1935) or V(1935/tcp).
  type: str
tls_port:
  description: Port for TLS.
  type: str
<workers>
""",
    "ports": r"""
port:
  description: Port, or a list with ranges such as V(4000-4004,4005/udp).
  type: str
tls_port:
  description: Ports for TLS.
  type: str
<workers>
""",
    "thread_per_socket": r"""
thread_per_socket:
  description:
    - Whether each connection has a thread of its own. The server's default is V(false). Servers from 0.20.0 on.
  type: bool
""",
    "provider": r"""
<port>
<thread_per_socket>
<extra>
""",
    "publisher": r"""
<port>
<extra>
""",
    "srt": r"""
passphrase:
  description:
    - Passphrase of the port, 10 to 79 characters. In the file it is the option C(SRTO_PASSPHRASE).
    - For the provider, servers from 0.15.16 on.
  type: str
options:
  description:
    - Socket options of SRT. For the provider, servers from 0.15.16 on.
  type: list
  elements: dict
  suboptions:
    key:
      description: Name of the option, such as V(SRTO_LATENCY).
      type: str
      required: true
    value:
      description: Value of the option.
      type: str
      required: true
stream_map:
  description: Streams of ports whose clients send no stream ID. Servers from 0.18.0 on.
  type: list
  elements: dict
  suboptions:
    port:
      description: One of the ports.
      type: int
      required: true
    stream_path:
      description: Stream as C(virtual host/application/stream).
      type: str
      required: true
""",
    "webrtc": r"""
webrtc:
  description: Ports of WebRTC. If provider and publisher use the same ports, their settings must be equal.
  type: dict
  suboptions:
    signalling:
      description: Ports for the exchange of session descriptions.
      type: dict
      suboptions:
        <publisher>
    tcp_relay_bind:
      description: Address on which the relay listens.
      type: str
    ice_candidates:
      description: Addresses and ports that the server offers for media.
      type: dict
      suboptions:
        ice_candidate:
          description:
            - Addresses with ports, such as V(*:10000-10003/udp). V(*) stands for all addresses of the host, and
              V(${PublicIP}) for the address that O(server.stun_server) reports.
          type: list
          elements: str
        tcp_relay:
          description:
            - Addresses with a port of the built-in TURN server, for players that cannot receive UDP, such as V(*:3478).
          type: list
          elements: str
        enable_link_local_address:
          description: Whether V(*) and V(::) include link-local addresses. The server's default is V(false).
          type: bool
        tcp_force:
          description:
            - Whether players use the relay even if they could receive UDP. The server's default is V(false).
            - Servers from 0.21.0 on name it C(tcp_relay_force) and still accept this name.
          type: bool
        tcp_relay_force:
          description: The same for servers from 0.21.0 on. Cannot be used together with C(tcp_force).
          type: bool
        default_transport:
          description:
            - Transports of a player that requests none. The server's default is V(udptcp). Servers from 0.21.0 on.
          type: str
          choices: [udp, tcp, relay, udptcp, all]
        ice_worker_count:
          description: Number of threads for UDP, at least V(1).
          type: int
        tcp_relay_worker_count:
          description: Number of threads for the relay, at least V(1).
          type: int
        tcp_ice_worker_count:
          description: Number of threads for TCP without the relay, at least V(1). Servers from 0.21.0 on.
          type: int
        <extra>
    ice_servers:
      description: STUN and TURN servers that the server names to players.
      type: list
      elements: dict
      suboptions:
        urls:
          description: URLs such as V(turn:turn.example.com:3478?transport=tcp).
          type: list
          elements: str
          required: true
        user_name:
          description: User of the TURN server.
          type: str
        credential:
          description: Password of the user.
          type: str
        <extra>
    <extra>
""",
}

_SERVER = r"""
name:
  description: Name of the server, for statistics and alerts.
  type: str
type:
  description: Kind of server. If omitted, V(origin) is written, because the server requires it.
  type: str
  choices: [origin, edge]
ip:
  description:
    - Addresses to listen on. V(*) stands for all IPv4 addresses, V(::) for all IPv6 addresses; no other address of the
      family can be beside it.
    - If omitted, V(*) is written, because the server requires it.
  type: list
  elements: str
privacy_protection:
  description: Whether the server hides addresses of clients in its logs and events. The server's default is V(false).
  type: bool
stun_server:
  description: STUN server as C(host:port), which reports the public address of the host.
  type: str
modules:
  description: Modules of the server.
  type: dict
  suboptions:
    http2:
      description: HTTP/2 on TLS ports. The server's default is on.
      type: dict
      suboptions:
        <enable>
        <extra>
    llhls:
      description: LL-HLS. The server's default is on.
      type: dict
      suboptions:
        <enable>
        <extra>
    p2p:
      description: Delivery between players of WebRTC. The server's default is off.
      type: dict
      suboptions:
        <enable>
        max_client_peers_per_host_peer:
          description: Players that one player serves. The server's default is V(2).
          type: int
        <extra>
    recovery:
      description:
        - Deletion of streams that the server cannot process in time. The server's default is off. Servers from 0.15.11
          on.
      type: dict
      suboptions:
        <enable>
        delete_lazy_stream_timeout:
          description: Milliseconds until such a stream is deleted. The server's default is V(0), which is never.
          type: int
        <extra>
    dynamic_app_removal:
      description: Deletion of unused applications. The server's default is off. Servers from 0.17.1 on.
      type: dict
      suboptions:
        <enable>
        <extra>
    etag:
      description: ETag headers. The server's default is off. Servers from 0.18.0 on.
      type: dict
      suboptions:
        <enable>
        <extra>
    ertmp:
      description: Enhanced RTMP. The server's default is off. Servers from 0.19.0 on.
      type: dict
      suboptions:
        <enable>
        <extra>
    whisper:
      description: Speech-to-text. Servers from 0.21.0 on.
      type: dict
      suboptions:
        preload_model:
          description: Models to load at the start.
          type: list
          elements: dict
          suboptions:
            path:
              description: Path of the model on the media server; relative to O(config_dir).
              type: str
              required: true
            devices:
              description: Numbers of the graphics processors, such as V(0,1), or V(all).
              type: str
            <extra>
        <extra>
    jemalloc:
      description: Memory allocation. Servers from 0.21.0 on.
      type: dict
      suboptions:
        background_purge:
          description: Whether a thread of its own returns memory. The server's default is V(true).
          type: bool
        <extra>
    task_pool:
      description: Threads for short tasks. Servers from 0.21.0 on.
      type: dict
      suboptions:
        thread_count:
          description: Number of threads. The server's default is V(4).
          type: int
        max_tasks:
          description: Tasks that can wait. The server's default is V(128).
          type: int
        <extra>
    <extra>
bind:
  description:
    - Ports of the server. A provider or publisher without an entry here has no port and is off.
    - C(providers), C(publishers) and C(managers) can also be lists of names, such as V([rtmp, srt]), for entries
      without settings, which have the server's default ports.
  type: dict
  suboptions:
    managers:
      description: Ports of the API.
      type: dict
      suboptions:
        api:
          description: The API. It also needs O(server.managers.api).
          type: dict
          suboptions:
            <publisher>
        <extra>
    providers:
      description: Ports of providers.
      type: dict
      suboptions:
        rtmp:
          description: RTMP. The server's default is port V(1935).
          type: dict
          suboptions:
            <provider>
        srt:
          description: SRT. The server's default is port V(9999).
          type: dict
          suboptions:
            <ports>
            <thread_per_socket>
            <srt>
            <extra>
        <webrtc>
        ovt:
          description: OVT, which has no port.
          type: dict
          suboptions:
            <provider>
        rtsp:
          description: RTSP. The server's default is port V(554).
          type: dict
          suboptions:
            <provider>
        rtspc:
          description: Pulls by RTSP, which have no port.
          type: dict
          suboptions:
            <provider>
        mpegts:
          description: MPEG-TS. The server's default is port V(4000/udp).
          type: dict
          suboptions:
            <ports>
            <thread_per_socket>
            <extra>
        <extra>
    publishers:
      description: Ports of publishers.
      type: dict
      suboptions:
        llhls:
          description: LL-HLS. The server's default is port V(80).
          type: dict
          suboptions:
            <publisher>
        hls:
          description: HLS. The server's default is port V(80).
          type: dict
          suboptions:
            <publisher>
        <webrtc>
        ovt:
          description: OVT. The server's default is port V(9000).
          type: dict
          suboptions:
            <publisher>
        srt:
          description: SRT. The server's default is port V(9998). Servers from 0.18.0 on.
          type: dict
          suboptions:
            <ports>
            <srt>
            <extra>
        thumbnail:
          description: Thumbnails. The server's default is port V(80).
          type: dict
          suboptions:
            <publisher>
        <extra>
    <extra>
managers:
  description: The API of the server.
  type: dict
  suboptions:
    host:
      description: How clients reach the API.
      type: dict
      suboptions:
        names:
          description: Host names and IP addresses. If omitted, V(*) is written, because the server requires it.
          type: list
          elements: str
        tls:
          description: Certificate files of the API on the media server.
          type: dict
          suboptions:
            cert_path:
              description: Path of the certificate; relative to O(config_dir).
              type: str
              required: true
            key_path:
              description: Path of the private key.
              type: str
              required: true
            chain_cert_path:
              description: Path of the intermediate certificates.
              type: str
        <extra>
    api:
      description: The API. It also needs O(server.bind.managers.api).
      type: dict
      suboptions:
        access_token:
          description: Access token of the API.
          type: str
          required: true
        storage:
          description: Where the server keeps data of its API.
          type: dict
          suboptions:
            enabled:
              description: Whether it keeps data. The server's default is V(true).
              type: bool
            path:
              description: Path of the directory. The server's default is V(conf/api_data).
              type: str
            <extra>
        <cross_domains>
        <extra>
    <extra>
alert:
  description: Notifications about streams. Servers from 0.15.11 on.
  type: dict
  suboptions:
    url:
      description: URL that receives the notifications.
      type: str
      required: true
    secret_key:
      description: Key of their signatures.
      type: str
      required: true
    timeout:
      description: Milliseconds to wait for a response.
      type: int
      required: true
    rules_file:
      description: Path of a file with rules; relative to O(config_dir). Servers from 0.19.0 on.
      type: str
    rules:
      description:
        - What to report. The settings without a value are on if their element is in the file, so V(false) writes none.
      type: dict
      suboptions:
        ingress:
          description: Rules for incoming streams.
          type: dict
          suboptions:
            stream_status:
              description: Whether to report the start and the end of a stream. Servers from 0.19.0 on.
              type: bool
            min_bitrate:
              description: Fewest bits per second, such as V(2000000) or V(2M).
              type: str
            max_bitrate:
              description: Most bits per second.
              type: str
            min_framerate:
              description: Fewest frames per second.
              type: float
            max_framerate:
              description: Most frames per second.
              type: float
            min_width:
              description: Smallest width in pixels.
              type: int
            max_width:
              description: Largest width in pixels.
              type: int
            min_height:
              description: Smallest height in pixels.
              type: int
            max_height:
              description: Largest height in pixels.
              type: int
            min_samplerate:
              description: Smallest sample rate in hertz.
              type: int
            max_samplerate:
              description: Largest sample rate in hertz.
              type: int
            long_key_frame_interval:
              description: Whether to report more than four seconds between key frames.
              type: bool
            has_b_frames:
              description: Whether to report B-frames.
              type: bool
            <extra>
        egress:
          description: Rules for outgoing streams. Servers from 0.19.0 on.
          type: dict
          suboptions:
            stream_status:
              description: Whether to report the start and the end of a stream.
              type: bool
            llhls_ready:
              description: Whether to report that LL-HLS can be played.
              type: bool
            hls_ready:
              description: Whether to report that HLS can be played.
              type: bool
            transcode_status:
              description: Whether to report the state of encoders. Servers from 0.20.0 on.
              type: bool
            <extra>
        internal_queue_congestion:
          description: Whether to report queues of the server that are full.
          type: bool
        <extra>
    <extra>
analytics:
  description: Data for the vendor's console.
  type: dict
  suboptions:
    user_key:
      description: Key of the account.
      type: str
    forwarding:
      description: Transfer of the data.
      type: dict
      suboptions:
        enable:
          description: Whether to send data. The server's default is V(false).
          type: bool
        collector:
          description: URL that receives them. The server's default is V(tcp://collector.ovenconsole.io:21514).
          type: str
        <extra>
    <extra>
defaults:
  description: Settings of all virtual hosts that have none of their own. Servers from 0.20.0 on.
  type: dict
  suboptions:
    <cross_domains>
    <extra>
<extra>
"""

_LOGGER = r"""
path:
  description: Directory of the log files. If omitted, V(/var/log/ovenmediaengine) is written.
  type: str
file:
  description: The log files. Servers from 0.21.0 on.
  type: dict
  suboptions:
    enabled:
      description: Whether to write files. The server's default is V(true). Standard output has the log anyway.
      type: bool
tags:
  description:
    - Levels by the tags of messages. The order matters. If omitted, V(info) and less for noisy tags is written.
  type: list
  elements: dict
  suboptions:
    name:
      description: Regular expression for tags, such as V(.*).
      type: str
      required: true
    level:
      description: Lowest level that is logged. V(trace) needs servers from 0.20.0 on.
      type: str
      choices: [trace, debug, info, warn, error, critical]
      required: true
"""


def _expanded(text: str) -> str:
    """Return the text with each line ``<name>`` replaced by the block with this name, indented like the line."""
    return re.sub(
        r"^( *)<(\w+)>\n",
        lambda line: indent(_expanded(_BLOCKS[line[2]].lstrip("\n")), line[1]),
        text.lstrip("\n"),
        flags=re.MULTILINE,
    )


class ModuleDocFragment:
    """The server's own configuration."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = (
        "options:\n"
        "  server:\n"
        "    description:\n"
        "      - The server's own configuration, which is written to C(Server.xml). If omitted, that file stays as it\n"
        "        is.\n"
        "      - Options have the names of the XML elements in small letters. The file has these settings and no\n"
        "        others. It includes the files of the virtual hosts.\n"
        "    type: dict\n"
        "    suboptions:\n"
        + indent(_expanded(_SERVER), "      ")
        + "  logger:\n"
        + "    description:\n"
        + "      - The log of the server, which is written to C(Logger.xml). If omitted, that file stays as it is.\n"
        + "    type: dict\n"
        + "    suboptions:\n"
        + indent(_expanded(_LOGGER), "      ")
    )
