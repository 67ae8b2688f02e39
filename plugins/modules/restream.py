#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: restream
short_description: Push one stream of OvenMediaEngine to several platforms
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Looks up the chosen platforms in O(platforms) with their stream keys, and starts or stops one push task for each.
  - Reports all problems of the options at once, before it sends a request.
  - Refuses the ID of a push task that belongs to another stream, before it starts or stops anything.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.push_task.change
  - streamops.ovenmediaengine.durable.maps
options:
  vhost:
    description: Name of the virtual host of the stream.
    type: str
    default: default
  app:
    description: Name of the application of the stream. It needs a push publisher.
    type: str
    default: app
  stream:
    description: Name of the stream. If it is not live, the server starts to push when it becomes live.
    type: str
    required: true
  platforms:
    description: The known platforms.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the platform, without commas and line breaks. It cannot be V(all).
        type: str
        required: true
      url:
        description:
          - Destination, as O(streamops.ovenmediaengine.push_task#module:url). Required if O(state=started).
        type: str
      protocol:
        description: One of V(srt), V(rtmp) and V(mpegts). The default is V(rtmp).
        type: str
      stream_key:
        description:
          - Stream key at the destination. Required for RTMP, here or in O(stream_keys) or O(stream_keys_file). An
            empty text means no key.
        type: str
      variant_names:
        description: Names of the tracks to push, as O(streamops.ovenmediaengine.push_task#module:stream.variant_names).
        type: list
        elements: str
      id:
        description:
          - ID of the push task.
          - The default is the name of the stream, a hyphen and the name of the platform. If one of the names has a
            hyphen, there are two hyphens between them, so that no two streams and platforms have the same ID. In a
            name, a hyphen at an end or after another one becomes C(._), and a dot that is followed by neither a letter
            nor a digit becomes two.
          - A push task of the stream that has the ID of a release before 3.0.0, with one hyphen, keeps it.
        type: str
  chosen:
    description:
      - Names of O(platforms), as a list or as a text with commas or line breaks between them.
      - The name V(all) stands for all platforms.
    type: list
    elements: str
    required: true
  stream_keys:
    description: Stream keys by the name of the platform, for platforms without O(platforms[].stream_key).
    type: dict
  stream_keys_file:
    description:
      - YAML file on the controller with more stream keys. Each line has the name of a platform, a colon and its stream
        key. It can be encrypted with ansible-vault.
      - If both have a key for a platform, O(stream_keys) takes precedence. Stopping reads no file.
    type: path
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.push_tasks
"""

EXAMPLES = r"""
- name: Push a stream to two of three platforms
  streamops.ovenmediaengine.restream:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    stream: main
    chosen: [one, three]
    platforms:
      - {name: one, url: "rtmp://live.one.example.com/app"}
      - {name: two, url: "rtmps://live.two.example.com/app"}
      - {name: three, protocol: srt, url: "srt://live.three.example.com:9000?streamid=tenant-a"}
    stream_keys:
      one: "{{ platform_stream_key }}"

- name: Stop all of them; this needs no stream key
  streamops.ovenmediaengine.restream:
    stream: main
    chosen: all
    platforms:
      - {name: one}
      - {name: two}
      - {name: three}
    state: stopped
"""

RETURN = r"""
stream:
  description: Virtual host, application and name of the stream, with slashes between them.
  returned: always
  type: str
  sample: default/app/main
platforms:
  description: Action by platform. Empty if the task failed before it reached the push tasks.
  returned: always
  type: dict
  sample:
    one: started
    two: unchanged
states:
  description: State of the push task by platform, empty if it is unknown.
  returned: always
  type: dict
  sample:
    one: connecting
    two: pushing
line:
  description: The summary as one line of text.
  returned: always
  type: str
  sample: "stream default/app/main: one started (connecting), two unchanged (pushing)"
results:
  description:
    - Result for each push task, as RV(streamops.ovenmediaengine.push_tasks#module:results), in the order of O(chosen).
  returned: success or failure after reading the server
  type: list
  elements: dict
counts:
  description: Number of push tasks for each action.
  returned: success or failure after reading the server
  type: dict
  sample:
    started: 2
    unchanged: 1
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.one_stream import Restream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Restream)


if __name__ == "__main__":
    main()
