#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: record_stream
short_description: Record one stream of OvenMediaEngine into files with a title
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Starts or stops the recording of one stream. Its files are named after the stream, a title and the start time, with
    underscores between them, for example C(main_Evening-show_${StartTime:YYYYMMDDhhmmss}.mp4).
  - Stream and title lose accents in the name of a file. Dots in a row become one dot. Other characters in a row that
    are not ASCII letters, digits, V(.), V(_) or V(-) become one hyphen. Each part loses punctuation at both ends, and
    has at most 80 characters. It can contain neither a directory nor a macro of the server.
  - Refuses the ID of a recording that belongs to another stream, before it starts or stops anything.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
  - streamops.ovenmediaengine.record.change
  - streamops.ovenmediaengine.durable.maps
options:
  vhost:
    description: Name of the virtual host of the stream.
    type: str
    default: default
  app:
    description: Name of the application of the stream. It needs a file publisher.
    type: str
    default: app
  stream:
    description: Name of the stream. If it is not live, the recording starts when it becomes live.
    type: str
    required: true
  id:
    description:
      - ID of the recording, unique in its application. If omitted or empty, it is the name of the stream and
        C(-recording).
      - Required if the name of the stream has characters that an ID cannot have.
    type: str
  title:
    description: Text for the name of the files.
    type: str
    default: ''
  format:
    description: Format of the files.
    type: str
    choices: [mp4, ts, webm]
    default: mp4
  directory:
    description:
      - Absolute path of the directory for the files on the media server, below C(RootPath) of the file publisher. It
        can contain macros as in O(streamops.ovenmediaengine.record#module:file_path).
      - The server creates missing directories.
    type: str
    default: /${VirtualHost}/${Application}
  interval_minutes:
    description: Minutes of media after which a new file begins, at the next key frame. V(0) means one file.
    type: int
    default: 0
  schedule:
    description:
      - Times at which a new file begins, as C(SECOND MINUTE HOUR) in the time of the server's host, for example
        V(0 0 */1) for every full hour. An empty text means one file.
      - Cannot be used together with O(interval_minutes).
    type: str
    default: ''
attributes:
  idempotent:
    support: full
seealso:
  - module: streamops.ovenmediaengine.record
"""

EXAMPLES = r"""
- name: Record a show, with a new file every hour
  streamops.ovenmediaengine.record_stream:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    app: media
    stream: main
    title: "Evening show: Part 2"
    interval_minutes: 60

- name: Stop it; the title does not matter
  streamops.ovenmediaengine.record_stream:
    app: media
    stream: main
    state: stopped
  register: my_recording

- name: Say which file is complete now
  ansible.builtin.debug:
    msg: "{{ my_recording.file_path }}: {{ my_recording.bytes }} bytes"
"""

RETURN = r"""
stream:
  description: Virtual host, application and name of the stream, with slashes between them.
  returned: always
  type: str
  sample: default/media/main
id:
  description: ID of the recording.
  returned: always
  type: str
  sample: main-recording
action:
  description: Action that was taken, or that check mode predicts. Empty if the task failed before.
  returned: always
  type: str
  sample: stopped
state:
  description: State of the recording, empty if it is unknown.
  returned: always
  type: str
  sample: stopped
file_path:
  description:
    - Path of the present or last file on the media server. Empty if a recording that was stopped had no file.
    - Before the first file, the path with macros of the server.
  returned: always
  type: str
  sample: /default/media/main_Evening-show-Part-2_20260131200000.mp4
files:
  description: Number of files.
  returned: always
  type: int
  sample: 1
bytes:
  description: Bytes of all files when they were read, before the stop.
  returned: always
  type: int
  sample: 812345678
seconds:
  description: Seconds of media in all files when they were read, before the stop.
  returned: always
  type: float
  sample: 5525.4
line:
  description: The summary as one line of text.
  returned: always
  type: str
record:
  description:
    - The recording, as RV(streamops.ovenmediaengine.record#module:record). V(null) if there is none.
  returned: success or failure after reading the server
  type: dict
differences:
  description: Fields that differ, as RV(streamops.ovenmediaengine.record#module:differences).
  returned: success or failure after reading the server
  type: list
  elements: dict
# BEGIN GENERATED started_by_map
is_config:
  description: V(true) if a stream map of the server has started it.
  returned: when a stream map has started it
  type: bool
  version_added: 3.0.0
server_ids:
  description: The IDs under which the server lists what its stream map has started; missing if it runs twice.
  returned: when a stream map has started it
  type: list
  elements: str
  version_added: 3.0.0
# END GENERATED
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.one_stream import (
    RecordStream,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(RecordStream)


if __name__ == "__main__":
    main()
