# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of the fields of a push task, for the module for one and the module for many."""

from __future__ import annotations

import re
from textwrap import indent

_FIELDS = r"""
vhost:
  description: Name of the virtual host.
  type: str
  required: true
app:
  description: Name of the application. It needs a push publisher.
  type: str
  required: true
id:
  description: Id of the push task, unique in its application. Letters, digits, V(.), V(_) and V(-) only.
  type: str
  required: true
stream:
  description: What is pushed.
  type: dict
  suboptions:
    name:
      description:
        - Name of the output stream. It need not be live yet, the push then starts by itself when it is.
        - Required where O(state=started).
      type: str
    variant_names:
      description:
        - Names of the tracks to push. The order means nothing.
        - Where there are none, RTMP takes the first video and the first audio track, and SRT and MPEG-TS take all.
      type: list
      elements: str
protocol:
  description:
    - One of V(srt), V(rtmp) and V(mpegts); case does not matter. Required where O(state=started).
  type: str
url:
  description:
    - Destination. V(srt://host:port) with options in the query string, V(rtmp://host:port/app) (or C(rtmps)), or V(udp://host:port)
      for MPEG-TS. SRT pushes in caller mode only. Slashes at the end mean nothing.
    - Required where O(state=started).
    - User info, values in the query string and the part of an RTMP path after the application are treated as secrets.
  type: str
stream_key:
  description:
    - Key of the stream at the destination. Required for RTMP, where the empty text says that there is none, and not used for MPEG-TS.
    - With SRT the server appends it to the URL, which breaks most destinations. Use C(streamid) in the URL instead.
  type: str
"""


class ModuleDocFragment:
    """Fields of a push task, as options and as entries of a list; and how long to wait."""

    # Annotated, as yamllint of ansible-test takes a plain assignment for text that it can read by itself.
    DOCUMENTATION: str = "options:\n" + indent(_FIELDS, "  ")

    ENTRIES: str = (
        "options:\n"
        "  tasks:\n"
        "    description:\n"
        "      - The push tasks, of any number of virtual hosts and applications.\n"
        "      - What RV(streamops.ovenmediaengine.push_task_info#module:tasks) returns can be given as it is.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(_FIELDS, "      ")

    # Of the audit, which compares and does nothing, and takes no list for none.
    AUDITED: str = (
        "options:\n"
        "  push_tasks:\n"
        "    description:\n"
        "      - The push tasks that should run, as O(streamops.ovenmediaengine.push_tasks#module:tasks) takes them.\n"
        "      - A field that is left out of an entry is not compared.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    suboptions:\n"
    ) + indent(re.sub(r"Required where O\(state=started\)", "It is required", _FIELDS), "      ")

    WAIT = r"""
options:
  wait_for:
    description:
      - What to wait for after a start. V(ready) is done when the server has taken the task, which then waits for its stream.
      - V(pushing) is done when media flows, and fails with the last state where it does not within O(wait_timeout).
      - Check mode does not wait.
    type: str
    choices: [ready, pushing]
    default: ready
  wait_timeout:
    description:
      - Seconds to wait for O(wait_for), and for stopped tasks to be gone. In check mode too, tasks that somebody else is stopping are waited for.
    type: float
    default: 30
"""
