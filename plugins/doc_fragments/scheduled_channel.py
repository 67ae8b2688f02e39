# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the fields of a scheduled channel, for the modules that manage one or many."""

from __future__ import annotations

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
stream:
  description: Stream of the channel. It cannot be changed in place.
  type: dict
  suboptions:
    bypass_transcoder:
      description:
        - Whether to publish the sources without the encodes of the application. The server's default is V(false).
      type: bool
    video_track:
      description: Whether the stream has video, which every item must then have. The server's default is V(true).
      type: bool
    audio_track:
      description: Whether the stream has audio, which every item must then have. The server's default is V(true).
      type: bool
    audio_map:
      description:
        - Audio tracks, in the order of those of the sources. Every item must have at least as many. If omitted, there
          is one.
        - Servers from 0.18.0 on.
      type: list
      elements: dict
      suboptions:
        name:
          description: Name that players show.
          type: str
        language:
          description: Language as in RFC 5646, such as V(en).
          type: str
        characteristics:
          description: Characteristics for HLS, such as V(public.alternate).
          type: str
    error_tolerance_duration_ms:
      description:
        - Milliseconds for which an item may deliver nothing until the fallback program is played. The server's
          default
          is V(500).
        - Servers from 0.19.0 on.
      type: int
fallback_program:
  description: Program that is played while no other is scheduled or works. One without items is removed.
  type: dict
  suboptions:
    items:
      description: What is played, in this order.
      type: list
      elements: dict
      suboptions:
        url:
          description:
            - V(file://path) is a file below C(MediaRootDir) of the provider.
            - V(stream://vhost/app/stream) is a stream of the same server.
          type: str
          required: true
        start:
          description: Milliseconds into the file at which to start. The server's default is V(0).
          type: int
        duration:
          description:
            - Milliseconds to play, at least V(1000). V(-1), the server's default, plays the whole file, or the stream
              without end.
          type: int
        forward_data:
          description:
            - Whether to pass on data tracks, such as events. The server's default is V(false). Servers from 0.20.5
              on.
          type: bool
programs:
  description:
    - Programs in the order of their times. One ends when the next one begins, and the last one has no end.
    - All programs are listed. Others are removed. The server drops those that are over, and they are not compared.
  type: list
  elements: dict
  suboptions:
    name:
      description: Name of the program.
      type: str
      required: true
    scheduled:
      description:
        - Begin in ISO 8601, with an offset or V(Z), such as V(2026-01-31T20:00:00+01:00). Two spellings of the same
          instant are equal.
      type: str
      required: true
    repeat:
      description: Whether to play the items again after the last one. The server's default is V(false).
      type: bool
    items:
      description: What is played, in this order.
      type: list
      elements: dict
      suboptions:
        url:
          description:
            - V(file://path) is a file below C(MediaRootDir) of the provider.
            - V(stream://vhost/app/stream) is a stream of the same server.
          type: str
          required: true
        start:
          description: Milliseconds into the file at which to start. The server's default is V(0).
          type: int
        duration:
          description:
            - Milliseconds to play, at least V(1000). V(-1), the server's default, plays the whole file, or the stream
              without end.
          type: int
        forward_data:
          description:
            - Whether to pass on data tracks, such as events. The server's default is V(false). Servers from 0.20.5
              on.
          type: bool
"""


class ModuleDocFragment:
    """Fields of a scheduled channel, as options and as entries of a list."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = "options:\n" + indent(_KEY + _FIELDS, "  ")

    ENTRIES: str = (
        "options:\n"
        "  scheduled_channels:\n"
        "    description:\n"
        "      - The channels, of any number of virtual hosts and applications.\n"
        "      - RV(streamops.ovenmediaengine.scheduled_channel_info#module:scheduled_channels) is valid input.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(_KEY + _FIELDS, "      ")
