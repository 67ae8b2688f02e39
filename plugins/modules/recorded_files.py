#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: recorded_files
short_description: Remove old recorded files of OvenMediaEngine, and run a hook for those that have ended
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Removes the oldest recorded files in a directory of the media server until O(keep) is met, and temporary files that
    a crash has left. Runs a command once for each file that has ended, for example to upload it. The hook comes first.
  - Removes a file only if an index of the server names it, or if it is such a temporary file. Never removes a file that
    has changed in the last O(quiet_seconds), that a process has open, or that still waits for the hook.
  - Leaves the index files alone, because the server rewrites them without a lock. Entries of removed files stay.
  - Two tasks for one directory run one after the other.
  - Sends no requests and has no connection options.
extends_documentation_fragment:
  - streamops.ovenmediaengine.recorded_files
  - streamops.ovenmediaengine.attributes.files
requirements:
  - Python 3.9 or later on the host where the module runs
options:
  keep:
    description:
      - What to keep of the files that an index names. The age of a file is that of its last change. Without it, no such
        file is removed.
    type: dict
    suboptions:
      days:
        description: Files that are older are removed.
        type: float
      gigabytes:
        description:
          - If the files are larger in total, the oldest are removed. A gigabyte has 1,000,000,000 bytes. Files that
            cannot be removed count, too.
        type: float
  orphans:
    description:
      - Whether to remove temporary files that a crash has left. Their names are C(tmp_) and 32 letters or digits, no
        index names them, no process has them open, and they have not changed for O(orphan_hours).
      - Needs root, because others cannot see which files a process has open. Without it, the files stay, with a
        warning.
    type: bool
    default: false
  orphan_hours:
    description: Hours since the last change of an orphan after which it is removed.
    type: float
    default: 24
  hook:
    description:
      - Command for each file that an index names with its end, as a list of arguments without a shell. The first one is
        the absolute path of the program. The absolute path of the file is added as the last argument.
      - The environment has C(RECORDED_FILE), C(RECORDED_VHOST), C(RECORDED_APP), C(RECORDED_STREAM), C(RECORDED_ID),
        C(RECORDED_TRANSACTION_ID), C(RECORDED_SEQUENCE), C(RECORDED_LAST), C(RECORDED_SIZE) in bytes,
        C(RECORDED_DURATION) in seconds, C(RECORDED_BEGIN), C(RECORDED_END) and C(RECORDED_METADATA), which is
        C(metadata) of the recording.
      - Runs once for each file, in the first run for all that exist. If it fails, the task fails at the end, and the
        next run tries again. A file is not removed before the hook has succeeded. If the task is killed before it has
        noted the success, the command runs again for this file.
      - The arguments are not masked, so that secrets do not belong here. Check mode does not run it.
    type: list
    elements: str
  hook_timeout:
    description: Seconds after which the command for a file is killed, at most a week.
    type: float
    default: 3600
  state_file:
    description:
      - File that remembers for which files the hook has succeeded. Its directory has to exist. The mode of the file is
        C(0600).
      - The default is C(.ansible-ovenmediaengine-recorded.json) in O(directory).
    type: path
seealso:
  - module: streamops.ovenmediaengine.recorded_file_info
  - module: streamops.ovenmediaengine.records
"""

EXAMPLES = r"""
- name: Keep recordings of a month, and at most 500 GB
  streamops.ovenmediaengine.recorded_files:
    directory: /srv/recordings
    keep:
      days: 30
      gigabytes: 500
    orphans: true
  become: true

- name: Upload each file when it has ended
  streamops.ovenmediaengine.recorded_files:
    directory: /srv/recordings
    hook: [/usr/local/bin/upload-recording, --bucket, shows]
    hook_timeout: 1800
    state_file: /var/lib/uploads/recorded.json
  become: true
"""

RETURN = r"""
directory:
  description: Real path of the directory.
  returned: success
  type: str
  sample: /srv/recordings
removed:
  description: Files that were removed, or would be in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the file.
      type: str
    path:
      description: Absolute path.
      type: str
      sample: /srv/recordings/live/main/20260131200000_20260131210000.mp4
    size:
      description: Bytes.
      type: int
    modified:
      description: Time of the last change, in ISO 8601.
      type: str
      sample: "2026-01-31T21:00:00Z"
    reason:
      description: Limit that asked for it.
      type: str
      choices: [days, gigabytes, orphan]
freed_bytes:
  description: Bytes of the removed files.
  returned: success
  type: int
left_bytes:
  description: Bytes of the files that an index names and that are left.
  returned: success
  type: int
kept:
  description: Files that a limit asks to remove and that were left.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: Absolute path.
      type: str
    reason:
      description: Why the file was left.
      type: str
      sample: a process has it open
hooks:
  description: Files for which the hook ran, or would in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    path:
      description: Absolute path.
      type: str
    action:
      description: What was done. V(waiting) is for check mode.
      type: str
      choices: [ran, failed, waiting]
    error:
      description: Exit status, and what the command wrote. C(metadata) of the recording is masked in it.
      returned: if the hook failed
      type: str
line:
  description: The summary as one line of text.
  returned: always
  type: str
  sample: "recordings /srv/recordings: 3 files removed, 4.2 GB freed"
index_files:
  description:
    - The index files that were found, with the keys of
      RV(streamops.ovenmediaengine.recorded_file_info#module:index_files).
  returned: success
  type: list
  elements: dict
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.recorded_files import RecordedFiles
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(RecordedFiles)


if __name__ == "__main__":
    main()
