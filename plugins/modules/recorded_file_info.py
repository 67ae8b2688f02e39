#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: recorded_file_info
short_description: Read the recorded files of OvenMediaEngine on the media server
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Lists the recorded files in a directory of the media server, with what the server's index files say about them, and
    whether a file is complete, still growing, or was cut by a crash.
  - The server gives a file its name and appends it to the index when the file has ended. Until then, its name is
    C(tmp_) with 32 random characters.
  - C(metadata) of a recording can hold credentials. It is not returned.
  - Reads no external entities of XML. An index file that cannot be read is a warning.
  - Sends no requests and has no connection options.
extends_documentation_fragment:
  - streamops.ovenmediaengine.recorded_files
  - streamops.ovenmediaengine.attributes.local_info
requirements:
  - Python 3.9 or later on the host where the module runs
seealso:
  - module: streamops.ovenmediaengine.recorded_files
  - module: streamops.ovenmediaengine.record_info
"""

EXAMPLES = r"""
- name: Read the recorded files
  streamops.ovenmediaengine.recorded_file_info:
    directory: /srv/recordings
    info_path:
      - /${Application}/${Stream}/index.xml
  become: true
  register: recorded

- name: Show what a crash has cut
  ansible.builtin.debug:
    msg: "{{ recorded.files | selectattr('state', 'equalto', 'cut') | map(attribute='path') }}"
"""

RETURN = r"""
directory:
  description: Real path of the directory.
  returned: success
  type: str
  sample: /srv/recordings
files:
  description:
    - The recorded files, sorted by path. These are the files that an index names, temporary files of the server, and
      other files that end with C(.ts), C(.mp4) or C(.webm).
    - Keys that come from an index are missing if none names the file.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the file. Bytes that are no UTF-8 are escaped, such as C(\\udcff).
      type: str
      sample: 20260131200000_20260131210000.mp4
    path:
      description: Absolute path.
      type: str
      sample: /srv/recordings/live/main/20260131200000_20260131210000.mp4
    state:
      description:
        - V(complete) for a file that the server has ended and an index names.
        - V(growing) for a file that a process writes, or that has no end in an index and has changed in
          O(quiet_seconds).
        - V(cut) for a temporary file that nobody writes any more, or an entry without an end, as after a crash.
        - V(unlisted) for another file that no index names. The server loses entries if several recordings write one
          index at the same time, or if the index is damaged.
      type: str
      choices: [complete, growing, cut, unlisted]
    size:
      description: Bytes.
      type: int
    modified:
      description: Time of the last change, in ISO 8601.
      type: str
      sample: "2026-01-31T21:00:00Z"
    index_file:
      description: Absolute path of the index that names the file.
      type: str
    file_path:
      description: Path of the file as the index has it.
      type: str
    vhost:
      description: Name of the virtual host.
      type: str
    app:
      description: Name of the application.
      type: str
    stream:
      description: Name of the output stream.
      type: str
    id:
      description: ID of the recording.
      type: str
    transaction_id:
      description: Random text, one for each start of the recording.
      type: str
    sequence:
      description: Number of the file since the start of the recording, from 0.
      type: int
    last:
      description: Whether the recording was stopped with the file.
      type: bool
    duration:
      description: Seconds of media.
      type: float
      sample: 3600.04
    begin:
      description: Time of the first media, as the index has it.
      type: str
      sample: "2026-01-31T20:00:00.112+00:00"
    end:
      description: Time of the end of the file, as the index has it.
      type: str
      sample: "2026-01-31T21:00:00.152+00:00"
index_files:
  description: The index files that were found.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: Absolute path.
      type: str
      sample: /srv/recordings/live/main/index.xml
    entries:
      description: Number of entries.
      type: int
    missing:
      description: Number of entries whose file does not exist, for example because it was removed.
      type: int
    outside:
      description: Number of entries whose path is outside of the directory.
      type: int
    problem:
      description: Why the file could not be read.
      returned: if it could not
      type: str
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.recorded import RecordedFileInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(RecordedFileInfo)


if __name__ == "__main__":
    main()
