# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the fields of a recording, for the modules that manage one or many."""

from __future__ import annotations

import re
from textwrap import indent

_FIELDS = r"""
vhost:
  description: Name of the virtual host.
  type: str
  required: true
app:
  description: Name of the application. It needs a file publisher.
  type: str
  required: true
id:
  description: ID of the recording, unique in its application. Only letters, digits, V(.), V(_) and V(-) are allowed.
  type: str
  required: true
stream:
  description: Stream to record. A text is taken as C(name) in it.
  type: dict
  suboptions:
    name:
      description:
        - Name of the output stream. If it is not live yet, the recording starts automatically when it is.
        - Required if O(state=started).
      type: str
    variant_names:
      description: Names of the tracks to record. The order does not matter. If omitted, all tracks are recorded.
      type: list
      elements: str
file_path:
  description:
    - Absolute path of the recorded file on the media server, below C(RootPath) of its file publisher. It ends with
      V(.ts), V(.mp4) or V(.webm), which selects the format.
    - It can contain the macros V(${VirtualHost}), V(${Application}), V(${SourceStream}), V(${Stream}), V(${Id}),
      V(${TransactionId}), V(${Sequence}), V(${StartTime:YYYYMMDDhhmmss}) and V(${EndTime:YYYYMMDDhhmmss}), and begin
      with one of them. Other macros are refused, because the server would leave them in the name of the file.
    - An empty string means the path that the file publisher has.
  type: str
info_path:
  description:
    - Absolute path of the XML file on the media server that describes the recorded files, with the same macros.
    - An empty string means the path that the file publisher has.
  type: str
interval:
  description:
    - Milliseconds of media after which the recording continues in a new file, at the next key frame. V(0) means one
      file. Cannot be used together with O(schedule).
  type: int
schedule:
  description:
    - Times at which the recording continues in a new file, as C(SECOND MINUTE HOUR), for example V(0 */10 *) for every
      ten minutes. Each part is V(*), a number, or V(*/) and a number. An empty string means one file.
    - Cannot be used together with O(interval).
  type: str
segmentation_rule:
  description:
    - Timestamps of the files of one recording. V(discontinuity) begins each file at zero, V(continuity) continues those
      of the file before.
    - The server silently ignores any other value.
  type: str
  choices: [discontinuity, continuity]
metadata:
  description:
    - Text that the server keeps with the recording for other programs, for example the credentials of an upload.
    - It is treated as a secret.
  type: str
"""


class ModuleDocFragment:
    """Fields of a recording, as options and as entries of a list; options for changes."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = "options:\n" + indent(_FIELDS, "  ")

    ENTRIES: str = (
        "options:\n"
        "  records:\n"
        "    description:\n"
        "      - The recordings, of any number of virtual hosts and applications.\n"
        "      - RV(streamops.ovenmediaengine.record_info#module:records) is valid input.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(re.sub(r"O\((schedule|interval)\)", r"O(records[].\1)", _FIELDS), "      ")

    CHANGE = r"""
options:
  state:
    description:
      - V(started) starts the recording, which records or waits for its stream.
      - V(stopped) stops the recording, which completes its file.
    type: str
    choices: [started, stopped]
    default: started
  wait_for:
    description:
      - State to wait for after a start. V(ready) means that the server has accepted the recording, which then waits for
        its stream.
      - V(recording) means that media is written. If it is not within O(wait_timeout), the module fails with the last
        state.
      - Check mode does not wait.
    type: str
    choices: [ready, recording]
    default: ready
  wait_timeout:
    description:
      - Seconds to wait for O(wait_for), and until stopped recordings are gone. Check mode also waits for recordings
        that another client is stopping.
    type: float
    default: 30
"""
