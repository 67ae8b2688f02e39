# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the fields of a push task, for the modules that manage one or many."""

from __future__ import annotations

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
  description: ID of the push task, unique in its application. Only letters, digits, V(.), V(_) and V(-) are allowed.
  type: str
  required: true
stream:
  description: Stream to push. A text is taken as C(name) in it.
  type: dict
  suboptions:
    name:
      description:
        - Name of the output stream. If it is not live yet, the push starts automatically when it is.
        - Required if O(state=started).
      type: str
    variant_names:
      description:
        - Names of the tracks to push. The order does not matter.
        - If omitted, RTMP pushes the first video and the first audio track, and SRT and MPEG-TS push all tracks.
      type: list
      elements: str
protocol:
  description:
    - One of V(srt), V(rtmp) and V(mpegts). Case does not matter. Required if O(state=started).
  type: str
url:
  description:
    - Destination. V(srt://host:port) with options in the query string, V(rtmp://host:port/app) (or C(rtmps)), or
      V(udp://host:port) for MPEG-TS. SRT pushes in caller mode only. Trailing slashes do not matter.
    - Required if O(state=started).
    - User info, query string values, and the RTMP path after the application are treated as secrets.
  type: str
stream_key:
  description:
    - Stream key at the destination. Required for RTMP, where an empty string means no key. Not used for MPEG-TS.
    - With SRT the server appends it to the URL, which does not work with most destinations. Use C(streamid) in the URL
      instead.
  type: str
"""


class ModuleDocFragment:
    """Fields of a push task, as options and as entries of a list; options for changes."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = "options:\n" + indent(_FIELDS, "  ")

    ENTRIES: str = (
        "options:\n"
        "  tasks:\n"
        "    description:\n"
        "      - The push tasks, of any number of virtual hosts and applications.\n"
        "      - RV(streamops.ovenmediaengine.push_task_info#module:tasks) is valid input.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(_FIELDS, "      ")

    CHANGE = r"""
options:
  state:
    description:
      - V(started) starts the task, which runs or waits for its stream.
      - V(stopped) stops the task and waits until it is gone, which takes about a second.
    type: str
    choices: [started, stopped]
    default: started
  wait_for:
    description:
      - State to wait for after a start. V(ready) means that the server has accepted the task, which then waits for its
        stream.
      - V(pushing) means that media flows. If it does not within O(wait_timeout), the module fails with the last state.
      - Check mode does not wait.
    type: str
    choices: [ready, pushing]
    default: ready
  wait_timeout:
    description:
      - Seconds to wait for O(wait_for), and until stopped tasks are gone. Check mode also waits for tasks that another
        client is stopping.
    type: float
    default: 30
"""
