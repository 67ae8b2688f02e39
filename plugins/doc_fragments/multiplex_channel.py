# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the fields of a multiplex channel, for the modules that manage one or many."""

from __future__ import annotations

import re
from textwrap import indent

_KEY = r"""
vhost:
  description: Name of the virtual host.
  type: str
  required: true
app:
  description: Name of the application.
  type: str
  required: true
name:
  description:
    - Name of the channel and of its stream. Only letters, digits, V(.), V(_) and V(-) are allowed.
  type: str
  required: true
"""

_FIELDS = r"""
output_stream:
  description: Stream of the channel.
  type: dict
  suboptions:
    bypass_transcoder:
      description:
        - Whether to publish the tracks without the encodes of the application. The server's default is V(true).
        - Servers from 0.19.0 on.
      type: bool
source_streams:
  description: Streams to combine. Required if the channel does not exist yet.
  type: list
  elements: dict
  suboptions:
    name:
      description: Name of the source, unique in the channel.
      type: str
      required: true
    url:
      description: Stream of the same server, as V(stream://vhost/app/stream).
      type: str
      required: true
    track_map:
      description: Tracks to take from the source. The order does not matter.
      type: list
      elements: dict
      required: true
      suboptions:
        source_track_name:
          description:
            - Name of the track in the source, such as V(bypass_video), which its application's output profiles define.
              An application without any has the tracks V(bypass_video), V(opus) and V(aac).
            - The server plays the channel without a track that the source does not have, so the modules warn about it.
          type: str
          required: true
        new_track_name:
          description: Name of the track in the channel, unique in O(source_streams[].track_map).
          type: str
          required: true
        bitrate_conf:
          description: Bits per second that playlists announce. The server's default is V(0), which means measured.
          type: int
        framerate_conf:
          description: Frames per second that playlists announce. The server's default is V(0), which means measured.
          type: int
        public_name:
          description: Name that players show. Servers from 0.20.5 on.
          type: str
        language:
          description: Language as in RFC 5646, such as V(en). Servers from 0.20.5 on.
          type: str
        characteristics:
          description: Characteristics for HLS, such as V(public.alternate). Servers from 0.20.5 on.
          type: str
        audio_index:
          description:
            - Which of several audio tracks with the same O(source_streams[].track_map[].source_track_name), counted
              from 0. The server's default is V(-1), all of them. Servers from 0.20.5 on.
          type: int
playlists:
  description: Playlists of the channel.
  type: list
  elements: dict
  suboptions:
    name:
      description: Name of the playlist.
      type: str
      required: true
    file_name:
      description:
        - File name of the playlist without extension, unique in the channel. The server reserves the words V(default),
          V(playlist) and V(chunklist), so the task warns about a name that contains one of them.
      type: str
      required: true
    options:
      description: Settings of the playlist.
      type: dict
      suboptions:
        web_rtc_auto_abr:
          description: Whether WebRTC players switch renditions automatically. The server's default is V(false).
          type: bool
        hls_chunklist_path_depth:
          description: Depth of the paths of chunklists in HLS. The server's default is V(-1).
          type: int
        enable_ts_packaging:
          description: Whether HLS with MPEG-TS serves the playlist. The server's default is V(false).
          type: bool
    renditions:
      description: Renditions of the playlist.
      type: list
      elements: dict
      required: true
      suboptions:
        name:
          description: Name of the rendition, unique in the playlist.
          type: str
          required: true
        video:
          description: A C(new_track_name) of O(source_streams).
          type: str
        audio:
          description: A C(new_track_name) of O(source_streams).
          type: str
"""


class ModuleDocFragment:
    """Fields of a multiplex channel, as options and as entries of a list."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = "options:\n" + indent(_KEY + _FIELDS, "  ")

    ENTRIES: str = (
        "options:\n"
        "  multiplex_channels:\n"
        "    description:\n"
        "      - The channels, of any number of virtual hosts and applications.\n"
        "      - RV(streamops.ovenmediaengine.multiplex_channel_info#module:multiplex_channels) is valid input.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(_KEY + re.sub(r"O\((source_streams)", r"O(multiplex_channels[].\1", _FIELDS), "      ")
