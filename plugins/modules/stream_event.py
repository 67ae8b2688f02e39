#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: stream_event
short_description: Send an event into a live stream of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Sends ID3v2 tags, cue points, SCTE-35 markers or WebVTT subtitles into a live stream, for players.
  - Every run sends the event again. Nothing can be read that would show whether it was sent.
  - If the answer is lost, the module does not send the event again, and fails with C(changed=true), because players
    may have received it.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
options:
  vhost:
    description: Name of the virtual host.
    type: str
    required: true
  app:
    description: Name of the application.
    type: str
    required: true
  stream:
    description: Name of the stream. It has to be live.
    type: str
    required: true
  format:
    description:
      - Format of the event. Each needs its own option, O(frames), O(cue), O(scte35) or O(subtitles).
      - V(cue) needs OvenMediaEngine 0.18.0 to 0.20.5, V(scte35) 0.19.0 to 0.20.5, V(webvtt) 0.20.0 or later. Other
        versions do not support them, and the module fails before anything is sent.
      - The server's default is V(id3v2).
    type: str
    choices: [id3v2, cue, scte35, webvtt]
  type:
    description: Tracks that get the event, all or those of a kind. The server's default is V(event), which means all.
    type: str
    choices: [event, video, audio]
  urgent:
    description: Whether the event overtakes the frames that wait in the server.
    type: bool
  frames:
    description: ID3v2 frames. Required if O(format=id3v2).
    type: list
    elements: dict
    suboptions:
      frame_type:
        description: V(TXXX), another text frame such as V(TIT2), or V(PRIV).
        type: str
        required: true
      info:
        description: Description of a V(TXXX) frame, or owner of a V(PRIV) frame.
        type: str
      data:
        description: Content of the frame.
        type: str
  cue:
    description: Cue point. Required if O(format=cue).
    type: dict
    suboptions:
      cue_type:
        description: Whether a break begins or ends.
        type: str
        choices: [out, in]
        required: true
      duration:
        description: Milliseconds of the break.
        type: int
  scte35:
    description: Splice insert of SCTE-35. Required if O(format=scte35).
    type: dict
    suboptions:
      id:
        description: ID of the splice.
        type: int
        required: true
      splice_type:
        description: Whether a break begins or ends.
        type: str
        choices: [out, in]
        required: true
      duration:
        description: Milliseconds of the break.
        type: int
      auto_return:
        description: Whether the break ends by itself.
        type: bool
  subtitles:
    description: Subtitles, by track. Required if O(format=webvtt).
    type: list
    elements: dict
    suboptions:
      label:
        description: Label of the subtitle track, from the output profile of the application.
        type: str
        required: true
      cues:
        description: Subtitles, one after the other.
        type: list
        elements: dict
        required: true
        suboptions:
          text:
            description: Text of the subtitle.
            type: str
            required: true
          start_offset:
            description: Milliseconds to wait before the subtitle.
            type: int
          duration:
            description: Milliseconds for which the subtitle is shown. The server's default is 1000.
            type: int
          settings:
            description: Position and style in the format of WebVTT, such as V(line:80%).
            type: str
attributes:
  check_mode:
    support: full
    details:
      - Sends nothing but reads.
  diff_mode:
    support: none
    details:
      - Nothing can be read that would show a difference.
  idempotent:
    support: none
    details:
      - Every run sends the event again.
seealso:
  - module: streamops.ovenmediaengine.stream_info
  - module: streamops.ovenmediaengine.stream_conclude
"""

EXAMPLES = r"""
- name: Tell players what is on
  streamops.ovenmediaengine.stream_event:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
    stream: main
    type: video
    frames:
      - frame_type: TXXX
        info: now
        data: News at eight

- name: Show a subtitle
  streamops.ovenmediaengine.stream_event:
    vhost: default
    app: app
    stream: main
    format: webvtt
    subtitles:
      - label: English
        cues:
          - text: The programme starts in five minutes.
            duration: 4000
"""

RETURN = r"""
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.stream_actions import StreamEvent
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(StreamEvent)


if __name__ == "__main__":
    main()
