# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the fields of a pulled stream, and the options for its changes."""

from __future__ import annotations

import re
from textwrap import indent

_FIELDS = r"""
vhost:
  description: Name of the virtual host.
  type: str
  required: true
app:
  description:
    - Name of the application. It needs the provider V(rtsp_pull) or V(ovt), depending on the scheme of O(urls).
  type: str
  required: true
name:
  description: Name of the stream. Only letters, digits, V(.), V(_) and V(-) are allowed.
  type: str
  required: true
urls:
  description:
    - Origins of the stream, V(rtsp://host:port/path) or V(ovt://host:port/app/stream), all with the same scheme.
    - The server uses the first one that works. From 0.20.5 on it tries only the first one unless O(retry_count) is set.
    - User info and query string values are treated as secrets.
    - Required if O(state=present).
  type: list
  elements: str
persistent:
  description: Whether the stream stays although nobody watches it, and although the origin sends nothing.
  type: bool
no_input_failover_timeout:
  description: Milliseconds without media after which the server connects again. The server's default is 3000.
  type: int
unused_stream_deletion_timeout:
  description: Milliseconds without viewers after which the server ends the stream. The server's default is 60000.
  type: int
ignore_rtcp_sr_timestamp:
  description: Whether an RTSP stream starts without the wait for timestamps by RTCP. Needs OvenMediaEngine 0.16.1.
  type: bool
retry_count:
  description: How often the server goes through O(urls) again. Needs OvenMediaEngine 0.19.0.
  type: int
relay:
  description: Whether the tracks pass without the output profiles of the application. Needs OvenMediaEngine 0.21.0.
  type: bool
"""


class ModuleDocFragment:
    """Fields of a pulled stream, as options and as entries of a list; options for changes."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = "options:\n" + indent(_FIELDS, "  ")

    ENTRIES: str = (
        "options:\n"
        "  streams:\n"
        "    description: The pulled streams, of any number of virtual hosts and applications.\n"
        "    type: list\n"
        "    elements: dict\n"
        "    required: true\n"
        "    suboptions:\n"
    ) + indent(re.sub(r"O\((urls|retry_count)\)", r"O(streams[].\1)", _FIELDS), "      ")

    CHANGE = r"""
options:
  state:
    description:
      - V(present) pulls the stream.
      - V(absent) ends the stream and waits until it is no longer listed.
    type: str
    choices: [present, absent]
    default: present
  recreate:
    description: Whether to delete a stream from another URL and to pull it again. This disconnects its viewers.
    type: bool
    default: false
  force:
    description:
      - Whether O(state=absent) and O(recreate) may end a stream that is not pulled, such as one of an encoder. The
        encoder can reconnect.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds for which pulls are tried again if their origins cannot be reached, and to wait until a deleted stream
        is no longer listed.
    type: float
    default: 30
"""
