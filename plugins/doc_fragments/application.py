# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of the fields of an application, for the modules for one and for many, and inside of a virtual host.

A line of the form ``<name>`` stands for the block of this name, so that what many groups share is described once.
"""

from __future__ import annotations

import re
from textwrap import indent

_BLOCKS = {
    "extra": r"""
extra:
  description:
    - Settings that have no option here, under the names that the server's API has for them. They are passed on as given.
    - Names of letters, digits and V(_) only. Texts under names that sound like secrets, and secrets in URLs, are masked.
  type: dict
""",
    "provider": r"""
max_connection:
  description: Largest number of connections. Server 0.20.0 takes the setting and does nothing with it.
  type: int
packet_silence_timeout_ms:
  description:
    - Milliseconds without a packet until the stream is taken for dead. V(0) waits for ever. Servers from 0.19 on.
    - The server takes it for V(rtmp), V(srt), V(webrtc), V(mpegts) and V(multiplex) only.
  type: int
timestamp_mode:
  description: V(ZeroBased) lets timestamps of a stream begin at zero, V(Original) keeps those that come in. Servers from 0.19 on.
  type: str
use_incoming_timestamp:
  description: The older form of the time stamp mode V(Original). Servers from 0.19 on, for V(rtmp) from 0.16.4 on.
  type: bool
first_media_wait_timeout_ms:
  description:
    - Milliseconds that the server waits for the first media of a stream. Not giving it on the server is the same as V(0), which waits for ever.
    - Servers from 0.21.0 on.
  type: int
  version_added: 1.1.0
<extra>
""",
    "publisher": r"""
max_connection:
  description: Largest number of connections. Server 0.20.0 takes the setting and does nothing with it.
  type: int
<extra>
""",
    "block_duplicate": r"""
block_duplicate_stream_name:
  description: Whether a second stream of the same name is refused. Otherwise it takes the place of the first.
  type: bool
""",
    "passthrough": r"""
passthrough_output_profile:
  description: Whether the output profiles are left out for streams of this provider. Not giving it on the server is the same as V(false).
  type: bool
""",
    "cross_domains": r"""
cross_domains:
  description: From which web sites browsers may use this.
  type: dict
  suboptions:
    urls:
      description: Origins, such as V(https://player.example.com); V(*) stands for anything. The order means nothing.
      type: list
      elements: str
    headers:
      description: Headers that the server adds to its answers. The order counts. Servers from 0.17.2 on.
      type: list
      elements: dict
      version_added: 1.1.0
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
    "stream_map": r"""
stream_map:
  description: A file on the media server that says which streams this is for. Servers from 0.16.6 on.
  type: dict
  suboptions:
    enable:
      description: Whether the file is used.
      type: bool
    path:
      description: Path of the file on the media server.
      type: str
    <extra>
""",
    "default_playlist": r"""
create_default_playlist:
  description: Whether there is a playlist although none is listed. Not giving it on the server is the same as V(true). Servers from 0.17.1 on.
  type: bool
""",
    "hls": r"""
segment_count:
  description: Number of segments in a playlist.
  type: int
segment_duration:
  description: Seconds of a segment.
  type: float
<default_playlist>
origin_mode:
  description:
    - Whether URLs of segments are the same for all viewers and servers, as caches in front of them want it. For V(hls), servers from 0.17.1 on.
  type: bool
server_time_based_segment_numbering:
  description:
    - Whether segments are numbered by the server's clock. Not giving it on the server is the same as V(false).
    - Servers from 0.15.16 on, for V(hls) from 0.17.1 on.
  type: bool
<cross_domains>
dvr:
  description: Lets viewers go back in time. For V(hls), servers from 0.16.6 on.
  type: dict
  suboptions:
    enable:
      description: Whether it is on. Not giving it on the server is the same as V(false).
      type: bool
    temp_storage_path:
      description: Directory on the media server for past segments.
      type: str
    max_duration:
      description: Seconds that are kept.
      type: int
    event_playlist_type:
      description: Whether the playlist is of the type C(EVENT). Servers from 0.16.6 on.
      type: bool
    <extra>
""",
    "device": r"""
enable:
  description: Whether it is used. Not giving it on the server is the same as V(false).
  type: bool
modules:
  description: Kinds of hardware, and which devices of each, such as V(xma:0,nv:0).
  type: str
<extra>
""",
    "encode": r"""
name:
  description: Name by which renditions refer to it.
  type: str
modules:
  description: Library or hardware that encodes, in order of preference, such as V(nv:0,x264). Servers from 0.16.1 on.
  type: str
active:
  description: Whether it is used. Not giving it on the server is the same as V(true). Servers up to 0.16.0 only.
  type: bool
bypass_if_match:
  description:
    - Passes a track through without encoding it where all of these hold for the incoming one.
    - V(eq) for equal; most can also be V(lte) for at most and V(gte) for at least.
  type: dict
  suboptions:
    codec:
      description: Whether the codec must be the same. V(eq) only.
      type: str
    bitrate:
      description: How the bit rate must compare. Server 0.20.0 refuses it as not supported yet.
      type: str
    framerate:
      description: How the frame rate must compare.
      type: str
    width:
      description: How the width must compare.
      type: str
    height:
      description: How the height must compare.
      type: str
    samplerate:
      description: How the sample rate must compare.
      type: str
    channel:
      description: How the number of channels must compare.
      type: str
    sar:
      description: Whether the shape of a pixel must be the same. V(eq) only.
      type: str
    <extra>
<extra>
""",
    "bypass": r"""
bypass:
  description: Whether the track is passed through as it comes in. Not giving it on the server is the same as V(false).
  type: bool
bitrate:
  description:
    - Bits per second, as a number or with C(K) (1024) or C(M) (1024 × 1024) behind it, such as V(2.5M).
    - Required unless C(bypass) is true.
  type: str
""",
    "picture": r"""
width:
  description: Width in pixels. That of the incoming video, or as the height asks for, where it is not given.
  type: int
height:
  description: Height in pixels. That of the incoming video, or as the width asks for, where it is not given.
  type: int
framerate:
  description: Frames per second.
  type: float
""",
    "template": r"""
variant_name:
  description: Name of an encode; all where it is not given.
  type: str
encoding_type:
  description: V(all), V(bypassed) or V(encoded).
  type: str
max_bitrate:
  description: Only tracks of at most so many bits per second.
  type: float
min_bitrate:
  description: Only tracks of at least so many bits per second.
  type: float
<extra>
""",
}

_BLOCKS["subtitles"] = r"""
enable:
  description: Whether there are subtitles. Not giving it on the server is the same as V(false).
  type: bool
default_label:
  description: Label of the track that players show by default.
  type: str
rendition:
  description: The subtitle tracks. The order counts.
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
      description: Whether players may select the track by themselves. Not giving it on the server is the same as V(false).
      type: bool
    forced:
      description: Whether players show the track in any case. Not giving it on the server is the same as V(false).
      type: bool
    transcription:
      description: Makes the track from speech.
      type: dict
      suboptions:
        engine:
          description: Engine that recognizes speech. Not giving it on the server is the same as V(whisper).
          type: str
        audio_index_hint:
          description: Which incoming audio track, counted from V(0). Not giving it on the server is the same as V(0).
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
  description: Language that is spoken. Not giving it on the server is the same as V(auto).
  type: str
translation:
  description: Whether the text is translated into English. Not giving it on the server is the same as V(false).
  type: bool
"""
_BLOCKS["track"] = r"""
name:
  description: Name of an encode.
  type: str
index_hint:
  description: Which of the tracks that the encode makes, counted from V(0). Not giving it on the server is the same as V(-1), which means all.
  type: int
<extra>
"""

_VHOST = r"""
vhost:
  description: Name of the virtual host that the application is in.
  type: str
  required: true
"""

_FIELDS = r"""
name:
  description:
    - Name of the application. Letters, digits, V(.), V(_) and V(-) only, as the server cannot address any other.
  type: str
  required: true
type:
  description: What the application is for. A new one is V(live) where the option is not given.
  type: str
  choices: [live, vod]
providers:
  description:
    - "What streams come in by. A provider is on by being listed, if only as C(rtmp: {}) without any settings."
    - "A list of names, such as C([rtmp, srt]), is taken for those providers without any settings."
    - If the option is given, a provider that is there and not listed is a difference. The settings of those that are listed are compared
      only as far as they are given.
    - A new application for which the option is not given gets the server's choice. That is V(ovt), V(rtsp_pull), V(webrtc), V(srt)
      and V(rtmp).
  type: dict
  suboptions:
    rtmp:
      description: Streams by RTMP, as from most encoders.
      type: dict
      suboptions:
        event_generator:
          description: Events that the server adds to the stream when the encoder sends a message.
          type: dict
          version_added: 1.1.0
          suboptions:
            event:
              description: The events. The order counts.
              type: list
              elements: dict
              suboptions:
                trigger:
                  description: Path of the value in the encoder's message that triggers the event, such as V(AMFDataMessage.[0].onTextData).
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
      description: Streams by SRT.
      type: dict
      suboptions:
        <block_duplicate>
        <provider>
    webrtc:
      description: Streams by WebRTC and WHIP, as from browsers.
      type: dict
      suboptions:
        timeout:
          description: Milliseconds without a packet until the connection is closed. Not giving it on the server is the same as V(30000).
          type: int
        fir_interval:
          description:
            - Milliseconds between two requests for a key frame. Not giving it on the server is the same as V(3000). Servers from 0.20.5 on.
          type: int
          version_added: 1.1.0
        rtcp_based_timestamp:
          description:
            - Whether timestamps follow the sender reports of RTCP. Not giving it on the server is the same as V(false). Servers from 0.20.5 on.
          type: bool
          version_added: 1.1.0
        rtx:
          description: Asks for lost packets again. Servers from 0.21.0 on.
          type: dict
          version_added: 1.1.0
          suboptions:
            enable:
              description: Whether it is on. Not giving it on the server is the same as V(false).
              type: bool
            max_hold_ms:
              description: Milliseconds that later packets wait for a lost one. Not giving it on the server is the same as V(400).
              type: int
            <extra>
        <cross_domains>
        <provider>
    ovt:
      description: Streams that are pulled from other OvenMediaEngine servers.
      type: dict
      suboptions:
        <provider>
    rtsp:
      description: Streams by RTSP that are sent to the server.
      type: dict
      suboptions:
        <provider>
    rtsp_pull:
      description: Streams by RTSP that the server pulls.
      type: dict
      suboptions:
        <block_duplicate>
        <provider>
    mpegts:
      description:
        - Streams by MPEG-TS over UDP. Which port is which stream is said by C(streams) in C(extra), a list of dictionaries with C(name) and C(port).
      type: dict
      suboptions:
        packet_reordering:
          description:
            - Whether packets that arrive out of order are put in order. Not giving it on the server is the same as V(false). Servers from 0.21.0 on.
          type: bool
          version_added: 1.1.0
        <provider>
    file:
      description: Streams from files on the media server. Servers up to 0.20.5 only; later ones have V(schedule).
      type: dict
      suboptions:
        root_path:
          description: Directory of the files on the media server.
          type: str
        <passthrough>
        <provider>
    schedule:
      description: Channels by a programme of files and streams. Servers from 0.16.1 on.
      type: dict
      suboptions:
        media_root_dir:
          description: Directory of the media files on the media server. The server requires it.
          type: str
        schedule_files_dir:
          description: Directory of the programmes on the media server. The server requires it.
          type: str
        <provider>
    multiplex:
      description: Streams that are put together from tracks of others. Servers from 0.16.4 on.
      type: dict
      suboptions:
        mux_files_dir:
          description: Directory of the files on the media server that say what is put together. The server requires it.
          type: str
        <provider>
    <extra>
publishers:
  description:
    - "What streams go out by. A publisher is on by being listed, if only as C(llhls: {}) without any settings."
    - "A list of names, such as C([llhls, push]), is taken for those publishers without any settings."
    - If the option is given, a publisher that is there and not listed is a difference. The settings of those that are listed are compared
      only as far as they are given.
    - A new application for which the option is not given gets the server's choice. That is V(llhls), V(webrtc) and V(ovt), so no push tasks can live in it.
  type: dict
  suboptions:
    app_worker_count:
      description: Number of threads for each publisher of the application. Not giving it on the server is the same as V(1).
      type: int
    stream_worker_count:
      description: Number of threads for each stream. Not giving it on the server is the same as V(8).
      type: int
    delay_buffer_time_ms:
      description: Milliseconds by which everything goes out later. Not giving it on the server is the same as V(0). Servers from 0.16.6 on.
      type: int
    llhls:
      description: Low-latency HLS.
      type: dict
      suboptions:
        chunk_duration:
          description: Seconds of a part of a segment.
          type: float
        part_hold_back:
          description: Seconds that players stay behind, at least three times the C(chunk_duration).
          type: float
        enable_preload_hint:
          description:
            - Whether playlists announce the next part. Not giving it on the server is the same as V(true). Servers from 0.16.2 on.
          type: bool
        <hls>
        drm:
          description: Encrypts for DRM. Servers from 0.16 on.
          type: dict
          suboptions:
            enable:
              description: Whether it is on. Not giving it on the server is the same as V(false).
              type: bool
            info_file:
              description: Path of the file with the keys on the media server.
              type: str
            <extra>
        <publisher>
    hls:
      description: HLS with MPEG-TS segments. Its playlists need C(enable_ts_packaging) among their options.
      type: dict
      suboptions:
        <hls>
        <publisher>
    webrtc:
      description: WebRTC.
      type: dict
      suboptions:
        timeout:
          description: Milliseconds without an answer until a viewer is taken for gone. Not giving it on the server is the same as V(30000).
          type: int
        rtx:
          description: Whether lost packets are sent again. Not giving it on the server is the same as V(false).
          type: bool
        ulpfec:
          description: Whether packets for error correction are sent. Not giving it on the server is the same as V(false).
          type: bool
        jitter_buffer:
          description: Whether audio and video are interleaved evenly before they are sent. Not giving it on the server is the same as V(false).
          type: bool
        bandwidth_estimation:
          description:
            - How a viewer's bandwidth is estimated. V(REMB), and on servers from 0.20.5 on V(TransportCC) or V(All) too, without regard to case.
            - Not giving it on the server is the same as V(REMB) before 0.20.5, and as V(All) from then on.
          type: str
        <default_playlist>
        <publisher>
    ovt:
      description: OVT, by which other OvenMediaEngine servers pull.
      type: dict
      suboptions:
        <publisher>
    srt:
      description: SRT, by which viewers pull. Servers from 0.18 on.
      type: dict
      suboptions:
        <publisher>
    push:
      description: Pushes to other servers, for M(streamops.ovenmediaengine.push_task). Servers from 0.16.6 on; older ones have V(rtmp_push).
      type: dict
      suboptions:
        connection_timeout:
          description:
            - Milliseconds until a connection to a destination must be there. Not giving it on the server is the same as V(-1), the server's own time.
            - Servers from 0.20.5 on.
          type: int
          version_added: 1.1.0
        send_timeout:
          description:
            - Milliseconds until the destination must have taken what was sent. Not giving it on the server is the same as V(-1), the server's own time.
            - Servers from 0.20.5 on.
          type: int
          version_added: 1.1.0
        max_connection:
          description: No release of the server takes it here. Leave it out.
          type: int
        <stream_map>
        <extra>
    rtmp_push:
      description: Pushes by RTMP on older servers. Newer ones take it for V(push).
      type: dict
      suboptions:
        <publisher>
    srt_push:
      description: Pushes by SRT. Servers from 0.15.14 on; those from 0.16.6 on take it for V(push).
      type: dict
      suboptions:
        <publisher>
    mpegts_push:
      description: Pushes by MPEG-TS on older servers. Newer ones take it for V(push).
      type: dict
      suboptions:
        <publisher>
    file:
      description: Records streams to files on the media server.
      type: dict
      suboptions:
        root_path:
          description: Directory on the media server that all files must be in.
          type: str
        file_path:
          description: Path of a recording, with the server's macros, such as V(/${VirtualHost}/${Application}/${Stream}/${StartTime:YYYYMMDDhhmmss}.ts).
          type: str
        info_path:
          description: Path of the file that says what was recorded, with the same macros.
          type: str
        <stream_map>
        <publisher>
    thumbnail:
      description: Pictures of a stream. Needs an encode of images.
      type: dict
      suboptions:
        <cross_domains>
        <publisher>
    <extra>
output_profiles:
  description:
    - What is encoded and how it is put together.
    - A new application for which the option is not given gets the server's choice. It passes video through, and makes AAC and Opus of audio
      where it is not that.
  type: dict
  suboptions:
    hardware_acceleration:
      description:
        - The older form of C(hwaccels), for servers before 0.16.1. Not giving it on the server is the same as V(false).
      type: bool
    hwaccels:
      description: Use of hardware. Servers from 0.16.1 on.
      type: dict
      suboptions:
        decoder:
          description: Hardware that decodes.
          type: dict
          suboptions:
            <device>
        encoder:
          description: Hardware that encodes.
          type: dict
          suboptions:
            <device>
        <extra>
    decodes:
      description: How streams are decoded. Servers from 0.17.2 on.
      type: dict
      suboptions:
        thread_count:
          description: Number of threads of a decoder.
          type: int
        only_keyframes:
          description: Whether only key frames are decoded, which is enough for thumbnails.
          type: bool
        <extra>
    media_options:
      description: What all output profiles share. Servers from 0.20.0 on.
      type: dict
      version_added: 1.1.0
      suboptions:
        subtitles:
          description: Subtitle tracks. Servers from 0.20.0 on.
          type: dict
          suboptions:
            <subtitles>
        stt:
          description: Makes subtitles from speech. Servers from 0.21.0 on.
          type: dict
          suboptions:
            enable:
              description: Whether it is on. Not giving it on the server is the same as V(true).
              type: bool
            rendition:
              description: What is listened to, and where the text goes. The order counts.
              type: list
              elements: dict
              suboptions:
                engine:
                  description: Engine that recognizes speech, such as V(whisper).
                  type: str
                output_subtitle_label:
                  description: Label of the subtitle track that gets the text.
                  type: str
                input_audio_index:
                  description: Which incoming audio track, counted from V(0). Not giving it on the server is the same as V(0).
                  type: int
                step_ms:
                  description: Milliseconds from one recognition to the next. Not giving it on the server is the same as V(2000).
                  type: int
                length_ms:
                  description: Milliseconds of audio for one recognition. Not giving it on the server is the same as V(10000).
                  type: int
                keep_ms:
                  description: Milliseconds of earlier audio that are recognized again. Not giving it on the server is the same as V(1500).
                  type: int
                modules:
                  description: Hardware for the engine.
                  type: str
                <speech>
                <extra>
            <extra>
        overlays:
          description: Pictures over the video. Servers from 0.20.0 on.
          type: dict
          suboptions:
            enable:
              description: Whether it is on. Not giving it on the server is the same as V(false).
              type: bool
            path:
              description: Path of the file on the media server that describes the overlays.
              type: str
            <extra>
        <extra>
    output_profile:
      description: The output profiles. Each makes one stream of every stream that comes in. The order counts.
      type: list
      elements: dict
      suboptions:
        name:
          description: Name of the output profile.
          type: str
          required: true
        output_stream_name:
          description: Name of the stream that goes out, such as V(${OriginStreamName}) for that of the one that comes in. Required in a new application.
          type: str
        encodes:
          description: The tracks of the stream that goes out.
          type: dict
          suboptions:
            videos:
              description: Video tracks. The order counts.
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
                    - Leaves out so many frames after each that is kept, and C(framerate) with them, from V(0) to V(120). Servers from 0.16.4 on.
                  type: int
                preset:
                  description: Speed against quality, one of V(slower), V(slow), V(medium), V(fast) and V(faster).
                  type: str
                thread_count:
                  description: Number of threads of the encoder. Not giving it on the server is the same as V(-1), which leaves it to the encoder.
                  type: int
                key_frame_interval:
                  description:
                    - From key frame to key frame, in frames (V(0) to V(600)), or in milliseconds (to V(10000)) where C(key_frame_interval_type) is V(time).
                    - Not giving it on the server is the same as V(0), which means one second.
                  type: int
                key_frame_interval_type:
                  description:
                    - V(frame) or V(time). Not giving it on the server is the same as V(frame). Servers from 0.16.4 on.
                  type: str
                b_frames:
                  description: Number of B-frames in a row, from V(0) to V(16). WebRTC needs V(0). Not giving it on the server is the same as V(0).
                  type: int
                profile:
                  description: Profile of H.264, one of V(baseline), V(main) and V(high).
                  type: str
                lookahead:
                  description:
                    - Number of frames that the encoder looks ahead. Not giving it on the server is the same as V(-1), which leaves it to the encoder.
                    - Servers from 0.17.3 on.
                  type: int
                extra_options:
                  description: Further options of the encoder, as it takes them. Servers from 0.20.5 on.
                  type: str
                  version_added: 1.1.0
                <encode>
            audios:
              description: Audio tracks. The order counts.
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
              description: Pictures for the thumbnail publisher. The order counts.
              type: list
              elements: dict
              suboptions:
                codec:
                  description: Form of the pictures, such as V(jpeg), V(png) or V(webp).
                  type: str
                <picture>
                skip_frames:
                  description:
                    - Leaves out so many frames after each that is kept, and C(framerate) with them, from V(0) to V(120). Servers from 0.16.4 on.
                    - Not giving it on the server is the same as V(0) before 0.21.0, and as V(-1) from then on, which leaves it to the server.
                  type: int
                <encode>
            <extra>
        tracksets:
          description: Tracks under one name, to refer to from playlists. The order counts. Servers from 0.21.0 on.
          type: list
          elements: dict
          version_added: 1.1.0
          suboptions:
            name:
              description: Name of the set.
              type: str
            strict:
              description: Whether all tracks of the set must be there. Not giving it on the server is the same as V(false).
              type: bool
            videos:
              description: Video tracks. The order counts.
              type: list
              elements: dict
              suboptions:
                <track>
            audios:
              description: Audio tracks. The order counts.
              type: list
              elements: dict
              suboptions:
                <track>
            <extra>
        playlists:
          description: What players can choose from. The order counts.
          type: list
          elements: dict
          suboptions:
            name:
              description: Name of the playlist.
              type: str
            file_name:
              description:
                - Last part of the playlist's URL, without C(.m3u8). It must not contain V(playlist) or V(chunklist), which the server keeps for itself.
              type: str
              required: true
            options:
              description: How the playlist is served.
              type: dict
              suboptions:
                web_rtc_auto_abr:
                  description: Whether WebRTC players get another rendition by themselves as their bandwidth changes.
                  type: bool
                hls_chunklist_path_depth:
                  description: How many directories of the URL stand in front of the chunk lists in the playlist.
                  type: int
                enable_ts_packaging:
                  description: Whether the playlist is there for HLS with MPEG-TS segments. Servers from 0.16.6 on.
                  type: bool
                enable_subtitles:
                  description: Whether subtitles are listed. Servers from 0.20 on.
                  type: bool
                <extra>
            renditions:
              description: The renditions. The order counts.
              type: list
              elements: dict
              suboptions:
                name:
                  description: Name of the rendition.
                  type: str
                  required: true
                video:
                  description: Name of an encode of video.
                  type: str
                audio:
                  description: Name of an encode of audio.
                  type: str
                video_index_hint:
                  description: Which of the incoming video tracks, counted from V(0), where the encode makes several. Servers from 0.18 on.
                  type: int
                audio_index_hint:
                  description: Which of the incoming audio tracks, counted from V(0), where the encode makes several. Servers from 0.18 on.
                  type: int
                <extra>
            rendition_templates:
              description: Renditions that are made of all tracks that fit. The order counts. Servers from 0.18 on.
              type: list
              elements: dict
              suboptions:
                name:
                  description: Name of the renditions, with the server's macros, such as V(${Height}p).
                  type: str
                  required: true
                video_template:
                  description: Which video tracks fit.
                  type: dict
                  suboptions:
                    max_framerate:
                      description: Only tracks of at most so many frames per second.
                      type: float
                    min_framerate:
                      description: Only tracks of at least so many frames per second.
                      type: float
                    max_width:
                      description: Only tracks of at most so many pixels in width.
                      type: float
                    min_width:
                      description: Only tracks of at least so many pixels in width.
                      type: float
                    max_height:
                      description: Only tracks of at most so many pixels in height.
                      type: float
                    min_height:
                      description: Only tracks of at least so many pixels in height.
                      type: float
                    <template>
                audio_template:
                  description: Which audio tracks fit.
                  type: dict
                  suboptions:
                    max_samplerate:
                      description: Only tracks of at most so many samples per second.
                      type: float
                    min_samplerate:
                      description: Only tracks of at least so many samples per second.
                      type: float
                    max_channel:
                      description: Only tracks of at most so many channels.
                      type: float
                    min_channel:
                      description: Only tracks of at least so many channels.
                      type: float
                    <template>
                <extra>
            <extra>
        <extra>
    <extra>
transcode_webhook:
  description:
    - An HTTP server that is asked for the output profiles of each stream that comes in. Servers from 0.16.1 on.
  type: dict
  suboptions:
    enable:
      description: Whether it is asked. The server requires it.
      type: bool
    control_server_url:
      description: URL of the control server. The server requires it.
      type: str
    secret_key:
      description: Secret that the requests are signed with. The server requires it; it can be empty.
      type: str
    timeout:
      description: Milliseconds to wait for the control server.
      type: int
    use_local_profiles_on_connection_failure:
      description: Whether O(%(here)soutput_profiles) are used where the control server cannot be reached.
      type: bool
    use_local_profiles_on_server_disallow:
      description: Whether O(%(here)soutput_profiles) are used where the control server says no.
      type: bool
    use_local_profiles_on_error_response:
      description: Whether O(%(here)soutput_profiles) are used where the control server answers with an error.
      type: bool
    <extra>
subtitles:
  description:
    - Subtitle tracks. Servers from 0.20.5 on; 0.20.0 has them in C(media_options) of O(%(here)soutput_profiles).
  type: dict
  version_added: 1.1.0
  suboptions:
    <subtitles>
event_generator:
  description: Events for viewers that a file on the media server holds. Servers from 0.18 on.
  type: dict
  suboptions:
    enable:
      description: Whether the file is used.
      type: bool
    path:
      description: Path of the file on the media server.
      type: str
    <extra>
<extra>
"""


def _expanded(text: str) -> str:
    """The text with each line of the form ``<name>`` replaced by the block of this name, to the same depth."""
    return re.sub(
        r"^( *)<(\w+)>\n",
        lambda line: indent(_expanded(_BLOCKS[line[2]].lstrip("\n")), line[1]),
        text,
        flags=re.MULTILINE,
    )


def _fields(here: str, *, with_vhost: bool = True) -> str:
    return _expanded((_VHOST.lstrip("\n") if with_vhost else "") + _FIELDS.lstrip("\n") % {"here": here})


def nested(here: str, *, audited: bool = False) -> str:
    """The option ``applications`` of a virtual host, whose path ``here`` is; ``audited`` where they are compared and nothing else."""
    others = (
        "    - One that is there and listed neither here nor in O(applications) is a finding.\n"
        if audited
        else (
            "    - Applications that are there and not listed are left alone.\n"
            "    - The option is ignored where O(state=absent), as they go with the virtual host.\n"
        )
    )
    return (
        "applications:\n"
        "  description:\n"
        "    - Applications in the virtual host, with the options of M(streamops.ovenmediaengine.application) without the name of the virtual host.\n"
        f"{others}"
        "  type: list\n"
        "  elements: dict\n"
        "  version_added: 0.2.0\n"
        "  suboptions:\n"
    ) + indent(_fields(f"{here}applications[].", with_vhost=False), "    ")


class ModuleDocFragment:
    """Fields of an application, as options and as entries of a list."""

    # Annotated, as yamllint of ansible-test takes a plain assignment for text that it can read by itself.
    DOCUMENTATION: str = "options:\n" + indent(_fields(""), "  ")

    ENTRIES: str = (
        "options:\n"
        "  applications:\n"
        "    description:\n"
        "      - The applications, of any number of virtual hosts.\n"
        "      - What RV(streamops.ovenmediaengine.application_info#module:applications) returns can be given as it is.\n"
        "      - A field that is left out of an entry is left alone on the server.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(_fields("applications[]."), "      ")

    # Of the audit, which compares and does nothing, and takes no list for none.
    AUDITED: str = (
        "options:\n"
        "  applications:\n"
        "    description:\n"
        "      - Applications that should be there beside those in O(vhosts[].applications), as M(streamops.ovenmediaengine.applications) takes them.\n"
        "      - A field that is left out of an entry is not compared.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    suboptions:\n"
    ) + indent(_fields("applications[]."), "      ")
