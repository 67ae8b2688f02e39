#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: stream_stt
short_description: Switch speech-to-text of a live stream of OvenMediaEngine
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Switches the subtitles that the server makes from speech on or off, for one live stream.
  - Speech-to-text has to be configured in the application, by C(media_options.stt) of its output profiles. It starts
    with each stream, and this module changes only the present stream.
  - Needs OvenMediaEngine 0.21.0 or later.
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
  state:
    description: Whether speech-to-text is on. A stream without speech-to-text counts as V(stopped).
    type: str
    choices: [started, stopped]
    default: started
attributes:
  check_mode:
    support: full
    details:
      - Sends nothing but reads.
  diff_mode:
    support: full
  idempotent:
    support: full
    details:
      - Reads the state, and changes it only if it differs.
seealso:
  - module: streamops.ovenmediaengine.stream_info
  - module: streamops.ovenmediaengine.application
"""

EXAMPLES = r"""
- name: Turn off subtitles during the break
  streamops.ovenmediaengine.stream_stt:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default
    app: app
    stream: main
    state: stopped
"""

RETURN = r"""
enabled:
  description: Whether speech-to-text is on, or in check mode would be.
  returned: success
  type: bool
renditions:
  description: The subtitle tracks that the server makes from speech. All values are text.
  returned: success
  type: list
  elements: dict
  sample:
    - {codec: WHISPER, label: English, model: whisper_model/ggml-small.bin, language: auto, translation: "false"}
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.stream_actions import StreamStt
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(StreamStt)


if __name__ == "__main__":
    main()
