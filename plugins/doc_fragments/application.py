# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the fields of an application.

A line of the form ``<name>`` inserts the block with this name, which describes settings that many objects share.
"""

from __future__ import annotations

import re
from textwrap import indent

_BLOCKS = {
    "extra": r"""
extra:
  description:
    - Settings without an option of their own, under their API names. They are sent unchanged.
    - Names can contain letters, digits and V(_) only. Strings whose names suggest secrets, and secrets in URLs, are
      masked.
  type: dict
""",
    "provider": r"""
max_connection:
  description: Maximum number of connections. Server 0.20.0 accepts the setting and ignores it.
  type: int
packet_silence_timeout_ms:
  description:
    - Milliseconds without a packet until the server closes the stream. V(0) waits forever. Servers from 0.19 on.
    - The server accepts it for V(rtmp), V(srt), V(webrtc), V(mpegts) and V(multiplex) only.
  type: int
timestamp_mode:
  description:
    - V(ZeroBased) starts the timestamps of a stream at zero, V(Original) keeps the incoming ones. Servers from 0.19 on.
  type: str
use_incoming_timestamp:
  description: Older form of C(timestamp_mode) with V(Original). Servers from 0.19 on, for V(rtmp) from 0.16.4 on.
  type: bool
first_media_wait_timeout_ms:
  description:
    - Milliseconds to wait for the first media of a stream. The server's default is V(0), which waits forever.
    - Servers from 0.21.0 on.
  type: int
  version_added: 2.0.0
<extra>
""",
    "publisher": r"""
max_connection:
  description: Maximum number of connections. Server 0.20.0 accepts the setting and ignores it.
  type: int
<extra>
""",
    "block_duplicate": r"""
block_duplicate_stream_name:
  description: Whether to reject a second stream with the same name. Otherwise it replaces the first.
  type: bool
""",
    "passthrough": r"""
passthrough_output_profile:
  description: Whether streams of this provider skip the output profiles. The server's default is V(false).
  type: bool
""",
    "cross_domains": r"""
cross_domains:
  description: Web sites whose pages may use this (CORS).
  type: dict
  suboptions:
    <allowed_origins>
    <extra>
""",
    "allowed_origins": r"""
urls:
  description:
    - Origins, such as V(https://player.example.com); V(*) matches everything. The order does not matter.
    - The server compares them exactly, so the task warns about an entry with a path, a slash at its end, or a comma.
  type: list
  elements: str
headers:
  description: Headers that the server adds to its responses. The order matters. Servers from 0.17.2 on.
  type: list
  elements: dict
  version_added: 2.0.0
  suboptions:
    key:
      description: Name of the header.
      type: str
      required: true
    value:
      description: Value of the header.
      type: str
      required: true
""",
    "enables": r"""
providers:
  description: Names of providers, such as V(rtmp), V(webrtc) or V(srt). Neither order nor case matters.
  type: list
  elements: str
publishers:
  description: Names of publishers, such as V(webrtc) or V(llhls). Neither order nor case matters.
  type: list
  elements: str
""",
    "stream_map": r"""
stream_map:
  description: A file on the media server that selects the streams. Servers from 0.16.6 on.
  type: dict
  suboptions:
    enable:
      description: Whether to use the file.
      type: bool
    path:
      description: Path of the file on the media server.
      type: str
    <extra>
""",
    "default_playlist": r"""
create_default_playlist:
  description: Whether to create a playlist if none is listed. The server's default is V(true). Servers from 0.17.1 on.
  type: bool
""",
    "hls": r"""
segment_count:
  description: Number of segments in a playlist.
  type: int
segment_duration:
  description: Duration of a segment in seconds.
  type: float
<default_playlist>
origin_mode:
  description:
    - Whether segment URLs are the same for all viewers and servers, which caches in front of them need. For V(hls),
      servers from 0.17.1 on.
  type: bool
server_time_based_segment_numbering:
  description:
    - Whether segment numbers follow the server's clock. The server's default is V(false).
    - Servers from 0.15.16 on, for V(hls) from 0.17.1 on.
  type: bool
<cross_domains>
dvr:
  description: Lets viewers rewind. For V(hls), servers from 0.16.6 on.
  type: dict
  suboptions:
    enable:
      description: Whether to enable it. The server's default is V(false).
      type: bool
    temp_storage_path:
      description: Directory on the media server for past segments.
      type: str
    max_duration:
      description: Seconds to keep.
      type: int
    event_playlist_type:
      description: Whether the playlist has the type C(EVENT). Servers from 0.16.6 on.
      type: bool
    <extra>
""",
    "device": r"""
enable:
  description: Whether to use it. The server's default is V(false).
  type: bool
modules:
  description: Kinds of hardware with device numbers, such as V(xma:0,nv:0).
  type: str
<extra>
""",
    "encode": r"""
name:
  description: Name that renditions refer to.
  type: str
modules:
  description: Encoder libraries or hardware in order of preference, such as V(nv:0,x264). Servers from 0.16.1 on.
  type: str
active:
  description: Whether to use it. The server's default is V(true). Servers up to 0.16.0 only.
  type: bool
bypass_if_match:
  description:
    - Passes a track through without encoding if the incoming track meets all of these conditions.
    - V(eq) means equal. Most conditions also accept V(lte) (at most) and V(gte) (at least).
  type: dict
  suboptions:
    codec:
      description: Condition for the codec. V(eq) only.
      type: str
    bitrate:
      description: Condition for the bit rate. Server 0.20.0 rejects it as unsupported.
      type: str
    framerate:
      description: Condition for the frame rate.
      type: str
    width:
      description: Condition for the width.
      type: str
    height:
      description: Condition for the height.
      type: str
    samplerate:
      description: Condition for the sample rate.
      type: str
    channel:
      description: Condition for the number of channels.
      type: str
    sar:
      description: Condition for the pixel aspect ratio. V(eq) only.
      type: str
    <extra>
<extra>
""",
    "bypass": r"""
bypass:
  description: Whether to pass the track through without encoding. The server's default is V(false).
  type: bool
bitrate:
  description:
    - Bits per second, as a number or with the suffix C(K) (1024) or C(M) (1024 × 1024), such as V(2.5M).
    - Required unless C(bypass) is true.
  type: str
""",
    "picture": r"""
width:
  description: Width in pixels. If omitted, it follows from the height or is that of the incoming video.
  type: int
height:
  description: Height in pixels. If omitted, it follows from the width or is that of the incoming video.
  type: int
framerate:
  description: Frames per second.
  type: float
""",
    "template": r"""
variant_name:
  description: Name of an encode. If omitted, all encodes match.
  type: str
encoding_type:
  description: V(all), V(bypassed) or V(encoded).
  type: str
max_bitrate:
  description: Maximum bit rate of the tracks, in bits per second.
  type: float
min_bitrate:
  description: Minimum bit rate of the tracks, in bits per second.
  type: float
<extra>
""",
}

_BLOCKS["subtitles"] = r"""
enable:
  description: Whether to enable subtitles. The server's default is V(false).
  type: bool
default_label:
  description: Label of the track that players show by default.
  type: str
rendition:
  description: The subtitle tracks. The order matters.
  type: list
  elements: dict
  suboptions:
    label:
      description: Label of the track.
      type: str
    language:
      description: Language of the track, such as V(en).
      type: str
    auto_select:
      description: Whether players may select the track automatically. The server's default is V(false).
      type: bool
    forced:
      description: Whether players always show the track. The server's default is V(false).
      type: bool
    transcription:
      description: Creates the track by speech recognition.
      type: dict
      suboptions:
        engine:
          description: Speech recognition engine. The server's default is V(whisper).
          type: str
        audio_index_hint:
          description: Index of the incoming audio track, from V(0). The server's default is V(0).
          type: int
        <speech>
        <extra>
    <extra>
<extra>
"""
_BLOCKS["speech"] = r"""
model:
  description: Path of the model on the media server.
  type: str
source_language:
  description: Spoken language. The server's default is V(auto).
  type: str
translation:
  description: Whether to translate the text into English. The server's default is V(false).
  type: bool
"""
_BLOCKS["track"] = r"""
name:
  description: Name of an encode.
  type: str
index_hint:
  description: Index of the track that the encode creates, from V(0). The server's default is V(-1), which means all.
  type: int
<extra>
"""

_FIELDS = r"""
vhost:
  description: Name of the virtual host of the application.
  type: str
  required: true
name:
  description:
    - Name of the application. Only letters, digits, V(.), V(_) and V(-) are allowed, because the server cannot address
      other names.
  type: str
  required: true
type:
  description: Type of the application. If omitted, a new application is V(live).
  type: str
  choices: [live, vod]
providers:
  description:
    - "Providers, which receive or pull streams. A listed provider is enabled, also without settings, as in C(rtmp:
      {})."
    - "A list of names, such as C([rtmp, srt]), enables these providers without settings. So does a text such as
      C(rtmp, srt), which surveys of AWX return."
    - If specified, an existing provider that is not listed is a difference. For listed providers, only the specified
      settings are compared.
    - If omitted, the server chooses for a new application. It enables V(ovt), V(rtsp_pull), V(webrtc), V(srt) and
      V(rtmp).
  type: dict
  suboptions:
    rtmp:
      description: Receives streams by RTMP, which most encoders send.
      type: dict
      suboptions:
        event_generator:
          description: Events that the server adds to the stream if the encoder sends a message.
          type: dict
          version_added: 2.0.0
          suboptions:
            event:
              description: The events. The order matters.
              type: list
              elements: dict
              suboptions:
                trigger:
                  description:
                    - Path of the value in the encoder's message that triggers the event, such as
                      V(AMFDataMessage.[0].onTextData).
                  type: str
                hls_id3v2:
                  description: An ID3v2 event for HLS players.
                  type: dict
                  suboptions:
                    event_type:
                      description: V(video), V(audio) or V(event).
                      type: str
                    frame_type:
                      description: Type of the ID3v2 frame, such as V(TXXX).
                      type: str
                    info:
                      description: Description of the frame, or a reference to the message such as V(${TriggerValue}).
                      type: str
                    data:
                      description: Content of the frame, or a reference to the message such as V(${TriggerValue}).
                      type: str
                    <extra>
                <extra>
            <extra>
        <block_duplicate>
        <passthrough>
        <provider>
    srt:
      description: Receives streams by SRT.
      type: dict
      suboptions:
        <block_duplicate>
        <provider>
    webrtc:
      description: Receives streams by WebRTC and WHIP, for example from browsers.
      type: dict
      suboptions:
        timeout:
          description:
            - Milliseconds without a packet until the server closes the connection. The server's default is V(30000).
          type: int
        fir_interval:
          description:
            - Milliseconds between two requests for a key frame. The server's default is V(3000). Servers from 0.20.5
              on.
          type: int
          version_added: 2.0.0
        rtcp_based_timestamp:
          description:
            - Whether timestamps follow the RTCP sender reports. The server's default is V(false). Servers from 0.20.5
              on.
          type: bool
          version_added: 2.0.0
        rtx:
          description: Requests retransmission of lost packets. Servers from 0.21.0 on.
          type: dict
          version_added: 2.0.0
          suboptions:
            enable:
              description: Whether to enable it. The server's default is V(false).
              type: bool
            max_hold_ms:
              description: Milliseconds that later packets wait for a lost packet. The server's default is V(400).
              type: int
            <extra>
        <cross_domains>
        <provider>
    ovt:
      description: Pulls streams from other OvenMediaEngine servers.
      type: dict
      suboptions:
        <provider>
    rtsp:
      description: Receives streams by RTSP.
      type: dict
      suboptions:
        <provider>
    rtsp_pull:
      description: Pulls streams by RTSP.
      type: dict
      suboptions:
        <block_duplicate>
        <provider>
    mpegts:
      description:
        - Receives streams by MPEG-TS over UDP. C(streams) in C(extra) maps ports to streams; it is a list of
          dictionaries with C(name) and C(port).
        - If a port is not under C(<Bind>) in C(Server.xml), or another application has it, the server creates the
          application all the same, without MPEG-TS. This is a warning, if it can be told from what the server returns.
      type: dict
      suboptions:
        packet_reordering:
          description:
            - Whether to reorder packets that arrive out of order. The server's default is V(false). Servers from 0.21.0
              on.
          type: bool
          version_added: 2.0.0
        <provider>
    file:
      description:
        - Reads streams from files on the media server. Servers up to 0.20.5 only; later servers have V(schedule).
      type: dict
      suboptions:
        root_path:
          description: Directory of the files on the media server.
          type: str
        <passthrough>
        <provider>
    schedule:
      description: Plays scheduled channels of files and streams. Servers from 0.16.1 on.
      type: dict
      suboptions:
        media_root_dir:
          description: Directory of the media files on the media server. The server requires it.
          type: str
        schedule_files_dir:
          description: Directory of the schedules on the media server. The server requires it.
          type: str
        <provider>
    multiplex:
      description: Combines tracks of other streams into one stream. Servers from 0.16.4 on.
      type: dict
      suboptions:
        mux_files_dir:
          description:
            - Directory of the files on the media server that define the combined streams. The server requires it.
          type: str
        <provider>
    <extra>
publishers:
  description:
    - "Publishers, which serve or push streams. A listed publisher is enabled, also without settings, as in C(llhls:
      {})."
    - "A list of names, such as C([llhls, push]), enables these publishers without settings. So does a text such as
      C(llhls, push)."
    - If specified, an existing publisher that is not listed is a difference. For listed publishers, only the specified
      settings are compared.
    - If omitted, the server chooses for a new application. It enables V(llhls), V(webrtc) and V(ovt), so the
      application cannot have push tasks.
  type: dict
  suboptions:
    app_worker_count:
      description: Number of threads for each publisher of the application. The server's default is V(1).
      type: int
    stream_worker_count:
      description: Number of threads for each stream. The server's default is V(8).
      type: int
    delay_buffer_time_ms:
      description: Milliseconds to delay all output. The server's default is V(0). Servers from 0.16.6 on.
      type: int
    llhls:
      description: Serves low-latency HLS.
      type: dict
      suboptions:
        chunk_duration:
          description: Duration of a partial segment in seconds.
          type: float
        part_hold_back:
          description: Seconds that players stay behind the live edge, at least three times the C(chunk_duration).
          type: float
        enable_preload_hint:
          description:
            - Whether playlists announce the next part. The server's default is V(true). Servers from 0.16.2 on.
          type: bool
        <hls>
        drm:
          description: Encrypts streams for DRM. Servers from 0.16 on.
          type: dict
          suboptions:
            enable:
              description: Whether to enable it. The server's default is V(false).
              type: bool
            info_file:
              description: Path of the file with the keys on the media server.
              type: str
            <extra>
        <publisher>
    hls:
      description: Serves HLS with MPEG-TS segments. Its playlists need C(enable_ts_packaging) in their options.
      type: dict
      suboptions:
        <hls>
        <publisher>
    webrtc:
      description: Serves streams by WebRTC.
      type: dict
      suboptions:
        timeout:
          description:
            - Milliseconds without a response until the server drops a viewer. The server's default is V(30000).
          type: int
        rtx:
          description: Whether to retransmit lost packets. The server's default is V(false).
          type: bool
        ulpfec:
          description: Whether to send packets for error correction. The server's default is V(false).
          type: bool
        jitter_buffer:
          description: Whether to interleave audio and video evenly before sending. The server's default is V(false).
          type: bool
        bandwidth_estimation:
          description:
            - How to estimate a viewer's bandwidth. V(REMB), and for servers from 0.20.5 on also V(TransportCC) or
              V(All). Case does not matter.
            - The server's default is V(REMB) before 0.20.5, and V(All) from then on.
          type: str
        <default_playlist>
        <publisher>
    ovt:
      description: Lets other OvenMediaEngine servers pull streams by OVT.
      type: dict
      suboptions:
        <publisher>
    srt:
      description: Lets viewers pull streams by SRT. Servers from 0.18 on.
      type: dict
      suboptions:
        <publisher>
    push:
      description:
        - Pushes streams to other servers, see M(streamops.ovenmediaengine.push_task). Servers from 0.16.6 on; older
          servers have V(rtmp_push).
      type: dict
      suboptions:
        connection_timeout:
          description:
            - Milliseconds to wait for the connection to a destination. The server's default is V(-1), which uses its
              built-in timeout.
            - Servers from 0.20.5 on.
          type: int
          version_added: 2.0.0
        send_timeout:
          description:
            - Milliseconds to wait until the destination has received the sent data. The server's default is V(-1),
              which uses its built-in timeout.
            - Servers from 0.20.5 on.
          type: int
          version_added: 2.0.0
        max_connection:
          description: No server release accepts it here. Omit it.
          type: int
        <stream_map>
        <extra>
    rtmp_push:
      description: Pushes streams by RTMP on older servers. Newer servers treat it as V(push).
      type: dict
      suboptions:
        <publisher>
    srt_push:
      description: Pushes streams by SRT. Servers from 0.15.14 on; those from 0.16.6 on treat it as V(push).
      type: dict
      suboptions:
        <publisher>
    mpegts_push:
      description: Pushes streams by MPEG-TS on older servers. Newer servers treat it as V(push).
      type: dict
      suboptions:
        <publisher>
    file:
      description: Records streams to files on the media server.
      type: dict
      suboptions:
        root_path:
          description: Directory on the media server that must contain all files.
          type: str
        file_path:
          description:
            - Path of a recording, with the server's macros, such as
              V(/${VirtualHost}/${Application}/${Stream}/${StartTime:YYYYMMDDhhmmss}.ts).
          type: str
        info_path:
          description: Path of the file that describes the recording, with the same macros.
          type: str
        <stream_map>
        <publisher>
    thumbnail:
      description: Serves images of a stream. It needs an encode of images.
      type: dict
      suboptions:
        <cross_domains>
        <publisher>
    <extra>
ladder:
  description:
    - Adaptive renditions of every stream by their heights, such as C([1080p, 720p, 480p]). It stands for an output
      profile V(ladder) with the playlist V(abr). C(--diff) shows all of it.
    - "LL-HLS plays C(/APP/STREAM/abr.m3u8), and WebRTC C(/APP/STREAM/abr). If O(publishers) has V(hls), HLS plays
      C(/APP/STREAM/ts:abr_ts.m3u8), for which the playlist V(abr_ts) needs servers from 0.16.6 on."
    - What O(output_profiles) has beside it wins. There, an output profile V(ladder) changes or adds encodes, playlists
      and renditions by their names, and other output profiles are added.
    - A list or a text of heights is taken as C(heights) in it.
    - "Video in H.264 by height, in kbit/s: 2160p 15500, 1440p 10800, 1080p 6000, 720p 3000, 540p 2000, 480p 1500, 432p
      1100, 360p 730, 240p 200. H.265 gets three quarters of that, VP8 the same. The encode of V(720p) has that name.
      Its width follows from the incoming video: 1280 if that is 16:9."
    - "Audio: AAC for LL-HLS, HLS and pushes, and Opus for WebRTC, both with 128 kbit/s, two channels and 48 kHz. Audio
      that comes in as AAC or Opus is passed through. Each height has a rendition with AAC, such as V(720p), and one
      with Opus, such as V(720p_opus)."
    - The server also encodes heights above that of the incoming video, which makes them larger and not better.
  type: dict
  version_added: 3.0.0
  suboptions:
    heights:
      description:
        - Heights of the renditions, as V(720p) or V(720). Players start with the first.
        - V(2160p), V(1440p), V(1080p), V(720p), V(540p), V(480p), V(432p), V(360p) and V(240p) are known.
      type: list
      elements: str
      required: true
    codec:
      description:
        - V(h264), V(h265) or V(vp8). If omitted, it is V(h264), which every player knows.
        - LL-HLS and HLS cannot play V(vp8). The server needs hardware for V(h265), and WebRTC plays it from 0.20.0 on.
      type: str
    framerate:
      description:
        - Frames per second, from V(1) to V(60). If omitted, it is V(30). Each video has a key frame per second.
      type: float
    passthrough:
      description:
        - Whether to add the rendition V(source), which is the video as it comes in, as the first. If omitted, there is
          none.
      type: bool
output_profiles:
  description:
    - Encodes of the streams, and playlists that combine them.
    - If omitted, the server chooses for a new application. It passes video through, and encodes audio to AAC and Opus
      unless it already has that format.
    - A list is taken as C(output_profile) in it.
    - Values that the server would refuse are refused before anything is sent, such as a preset that it does not know,
      or a rendition of a playlist that names no encode.
  type: dict
  suboptions:
    hardware_acceleration:
      description:
        - Older form of C(hwaccels), for servers before 0.16.1. The server's default is V(false).
      type: bool
    hwaccels:
      description: Hardware acceleration. Servers from 0.16.1 on.
      type: dict
      suboptions:
        decoder:
          description: Hardware for decoding.
          type: dict
          suboptions:
            <device>
        encoder:
          description: Hardware for encoding.
          type: dict
          suboptions:
            <device>
        <extra>
    decodes:
      description: Settings for decoding. Servers from 0.17.2 on.
      type: dict
      suboptions:
        thread_count:
          description: Number of threads of a decoder.
          type: int
        only_keyframes:
          description: Whether to decode key frames only, which is enough for thumbnails.
          type: bool
        <extra>
    media_options:
      description: Settings that all output profiles share. Servers from 0.20.0 on.
      type: dict
      version_added: 2.0.0
      suboptions:
        subtitles:
          description: Subtitle tracks. Servers from 0.20.0 on.
          type: dict
          suboptions:
            <subtitles>
        stt:
          description: Creates subtitles by speech recognition. Servers from 0.21.0 on.
          type: dict
          suboptions:
            enable:
              description: Whether to enable it. The server's default is V(true).
              type: bool
            rendition:
              description: Audio tracks to transcribe, and the subtitle tracks for the text. The order matters.
              type: list
              elements: dict
              suboptions:
                engine:
                  description: Speech recognition engine, such as V(whisper).
                  type: str
                output_subtitle_label:
                  description: Label of the subtitle track for the text.
                  type: str
                input_audio_index:
                  description: Index of the incoming audio track, from V(0). The server's default is V(0).
                  type: int
                step_ms:
                  description: Milliseconds from one recognition to the next. The server's default is V(2000).
                  type: int
                length_ms:
                  description: Milliseconds of audio for one recognition. The server's default is V(10000).
                  type: int
                keep_ms:
                  description:
                    - Milliseconds of earlier audio that each recognition includes. The server's default is V(1500).
                  type: int
                modules:
                  description: Hardware for the engine.
                  type: str
                <speech>
                <extra>
            <extra>
        overlays:
          description: Images over the video. Servers from 0.20.0 on.
          type: dict
          suboptions:
            enable:
              description: Whether to enable it. The server's default is V(false).
              type: bool
            path:
              description: Path of the file on the media server that describes the overlays.
              type: str
            <extra>
        <extra>
    output_profile:
      description: The output profiles. Each creates one output stream for every incoming stream. The order matters.
      type: list
      elements: dict
      suboptions:
        name:
          description: Name of the output profile.
          type: str
          required: true
        output_stream_name:
          description:
            - Name of the output stream, such as V(${OriginStreamName}) for the name of the incoming stream. Required in
              a new application.
          type: str
        encodes:
          description: Tracks of the output stream.
          type: dict
          suboptions:
            videos:
              description: Video tracks. The order matters.
              type: list
              elements: dict
              suboptions:
                codec:
                  description: Codec, such as V(h264), V(h265) or V(vp8). Required unless C(bypass) is true.
                  type: str
                <bypass>
                <picture>
                skip_frames:
                  description:
                    - Number of frames to skip after each kept frame, from V(0) to V(120); C(framerate) is ignored then.
                      Servers from 0.16.4 on.
                  type: int
                preset:
                  description:
                    - Balance of speed and quality, one of V(slower), V(slow), V(medium), V(fast) and V(faster).
                  type: str
                thread_count:
                  description:
                    - Number of threads of the encoder. The server's default is V(-1), which lets the encoder decide.
                  type: int
                key_frame_interval:
                  description:
                    - Interval between key frames, in frames (V(0) to V(600)), or in milliseconds (to V(10000)) if
                      C(key_frame_interval_type) is V(time).
                    - The server's default is V(0), which means one second.
                  type: int
                key_frame_interval_type:
                  description:
                    - V(frame) or V(time). The server's default is V(frame). Servers from 0.16.4 on.
                  type: str
                b_frames:
                  description:
                    - Number of consecutive B-frames, from V(0) to V(16). WebRTC needs V(0). The server's default is
                      V(0).
                  type: int
                profile:
                  description: Profile of H.264, one of V(baseline), V(main) and V(high).
                  type: str
                lookahead:
                  description:
                    - Number of frames that the encoder looks ahead. The server's default is V(-1), which lets the
                      encoder decide.
                    - Servers from 0.17.3 on.
                  type: int
                extra_options:
                  description: Additional options of the encoder, in its own syntax. Servers from 0.20.5 on.
                  type: str
                  version_added: 2.0.0
                <encode>
            audios:
              description: Audio tracks. The order matters.
              type: list
              elements: dict
              suboptions:
                codec:
                  description: Codec, such as V(aac) or V(opus). Required unless C(bypass) is true.
                  type: str
                <bypass>
                samplerate:
                  description: Samples per second.
                  type: int
                channel:
                  description: Number of channels.
                  type: int
                <encode>
            images:
              description: Images for the thumbnail publisher. The order matters.
              type: list
              elements: dict
              suboptions:
                codec:
                  description: Image format, such as V(jpeg), V(png) or V(webp).
                  type: str
                <picture>
                skip_frames:
                  description:
                    - Number of frames to skip after each kept frame, from V(0) to V(120); C(framerate) is ignored then.
                      Servers from 0.16.4 on.
                    - The server's default is V(0) before 0.21.0, and V(-1) from then on, which lets the server decide.
                  type: int
                <encode>
            <extra>
        tracksets:
          description: Named sets of tracks that playlists refer to. The order matters. Servers from 0.21.0 on.
          type: list
          elements: dict
          version_added: 2.0.0
          suboptions:
            name:
              description: Name of the set.
              type: str
            strict:
              description: Whether all tracks of the set must exist. The server's default is V(false).
              type: bool
            videos:
              description: Video tracks. The order matters.
              type: list
              elements: dict
              suboptions:
                <track>
            audios:
              description: Audio tracks. The order matters.
              type: list
              elements: dict
              suboptions:
                <track>
            <extra>
        playlists:
          description: Playlists that players can choose from. The order matters.
          type: list
          elements: dict
          suboptions:
            name:
              description: Name of the playlist.
              type: str
            file_name:
              description:
                - Last part of the playlist's URL, without C(.m3u8). The server reserves the words V(default),
                  V(playlist) and V(chunklist), so the task warns about a name that contains one of them.
              type: str
              required: true
            options:
              description: How the server serves the playlist.
              type: dict
              suboptions:
                web_rtc_auto_abr:
                  description: Whether WebRTC players switch renditions automatically when their bandwidth changes.
                  type: bool
                hls_chunklist_path_depth:
                  description: Number of URL directories before the chunk lists in the playlist.
                  type: int
                enable_ts_packaging:
                  description: Whether the playlist is available for HLS with MPEG-TS segments. Servers from 0.16.6 on.
                  type: bool
                enable_subtitles:
                  description: Whether the playlist lists subtitles. Servers from 0.20 on.
                  type: bool
                <extra>
            renditions:
              description: The renditions. The order matters.
              type: list
              elements: dict
              suboptions:
                name:
                  description: Name of the rendition.
                  type: str
                  required: true
                video:
                  description: Name of a video encode.
                  type: str
                audio:
                  description: Name of an audio encode.
                  type: str
                video_index_hint:
                  description:
                    - Index of the incoming video track, from V(0), if the encode creates several. Servers from 0.18 on.
                  type: int
                audio_index_hint:
                  description:
                    - Index of the incoming audio track, from V(0), if the encode creates several. Servers from 0.18 on.
                  type: int
                <extra>
            rendition_templates:
              description:
                - Renditions that the server creates from all matching tracks. The order matters. Servers from 0.18 on.
              type: list
              elements: dict
              suboptions:
                name:
                  description: Name of the renditions, with the server's macros, such as V(${Height}p).
                  type: str
                  required: true
                video_template:
                  description: Conditions for video tracks.
                  type: dict
                  suboptions:
                    max_framerate:
                      description: Maximum frame rate of the tracks.
                      type: float
                    min_framerate:
                      description: Minimum frame rate of the tracks.
                      type: float
                    max_width:
                      description: Maximum width of the tracks in pixels.
                      type: float
                    min_width:
                      description: Minimum width of the tracks in pixels.
                      type: float
                    max_height:
                      description: Maximum height of the tracks in pixels.
                      type: float
                    min_height:
                      description: Minimum height of the tracks in pixels.
                      type: float
                    <template>
                audio_template:
                  description: Conditions for audio tracks.
                  type: dict
                  suboptions:
                    max_samplerate:
                      description: Maximum sample rate of the tracks.
                      type: float
                    min_samplerate:
                      description: Minimum sample rate of the tracks.
                      type: float
                    max_channel:
                      description: Maximum number of channels of the tracks.
                      type: float
                    min_channel:
                      description: Minimum number of channels of the tracks.
                      type: float
                    <template>
                <extra>
            <extra>
        <extra>
    <extra>
transcode_webhook:
  description:
    - An HTTP server that provides the output profiles for each incoming stream. Servers from 0.16.1 on.
  type: dict
  suboptions:
    enable:
      description: Whether to use the control server. The server requires this field.
      type: bool
    control_server_url:
      description: URL of the control server. The server requires this field.
      type: str
    secret_key:
      description: Secret key that signs the requests. The server requires this field; it can be empty.
      type: str
    timeout:
      description: Milliseconds to wait for the control server.
      type: int
    use_local_profiles_on_connection_failure:
      description: Whether to use O(output_profiles) if the control server is unreachable.
      type: bool
    use_local_profiles_on_server_disallow:
      description: Whether to use O(output_profiles) if the control server denies the request.
      type: bool
    use_local_profiles_on_error_response:
      description: Whether to use O(output_profiles) if the control server responds with an error.
      type: bool
    <extra>
subtitles:
  description:
    - Subtitle tracks. Servers from 0.20.5 on; server 0.20.0 has them in C(media_options) of O(output_profiles).
  type: dict
  version_added: 2.0.0
  suboptions:
    <subtitles>
event_generator:
  description: Events for viewers, from a file on the media server. Servers from 0.18 on.
  type: dict
  suboptions:
    enable:
      description: Whether to use the file.
      type: bool
    path:
      description: Path of the file on the media server.
      type: str
    <extra>
<extra>
"""


def expanded(text: str) -> str:
    """Return the text with each line ``<name>`` replaced by the block with this name, indented like the line."""
    return re.sub(
        r"^( *)<(\w+)>\n",
        lambda line: indent(expanded(_BLOCKS[line[2]].lstrip("\n")), line[1]),
        text,
        flags=re.MULTILINE,
    )


class ModuleDocFragment:
    """Fields of an application, as options; an option for changes."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = "options:\n" + indent(expanded(_FIELDS.lstrip("\n")), "  ")

    CHANGE = r"""
options:
  recreate:
    description:
      - Whether to delete and recreate an application that differs. This disconnects its viewers and live streams.
      - The collection does not change an application in any other way. Without this option the task fails and reports
        the differences and what a recreate would drop.
      - Its push tasks are stopped first and recreated unchanged afterwards. They are dropped if the new application has
        no push publisher. If the server rejects the new application, the old one is restored with them.
    type: bool
    default: false
"""
