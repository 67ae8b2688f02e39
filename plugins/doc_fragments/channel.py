# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the options that scheduled and multiplex channels have in common."""

from __future__ import annotations


class ModuleDocFragment:
    """The desired state of channels; the options of lists; the filters of the modules that read channels."""

    # Annotated, because yamllint of ansible-test parses plain assignments as YAML.
    DOCUMENTATION: str = r"""
options:
  state:
    description:
      - Desired state of the channel. With V(absent), the module waits until the server no longer lists it, which takes
        some seconds.
    type: str
    choices: [present, absent]
    default: present
  recreate:
    description:
      - Whether to delete and recreate a channel that differs in options that cannot be changed in place. This ends the
        channel for its viewers before it starts again.
      - If V(false), such a channel is a failure with the kind C(differs), which lists the differences.
    type: bool
    default: false
  wait_timeout:
    description:
      - Seconds to wait until the server shows a change, and until a deleted channel is gone. The server notices changes
        of its files about once a second.
    type: float
    default: 30
"""

    LIST: str = r"""
options:
  purge:
    description:
      - Whether to delete unlisted channels of the applications that have an entry in the list. Other applications are
        not affected. Viewers of the deleted channels are disconnected.
      - Applications whose providers have the same directory share its channels. List a channel for each of them,
        because a purge of one deletes it for all.
    type: bool
    default: false
  purge_everything:
    description:
      - Whether O(purge) accepts an empty list. By default such a purge is refused, because an empty list is more often
        a mistake than intended.
      - The purge then deletes nothing, because it only affects the applications in the list.
    type: bool
    default: false
  predicted:
    description:
      - Predicted results of earlier tasks of the play in check mode, as
        RV(streamops.ovenmediaengine.vhosts#module:results) and
        RV(streamops.ovenmediaengine.applications#module:results).
      - In check mode, objects that these tasks would create count as existing, and objects that they would delete as
        missing. An entry fails if its application would be missing, as in a real run.
      - Without this option, check mode warns about a missing application, because an earlier task may create it.
        Outside check mode the option has no effect.
    type: list
    elements: dict
"""

    FILTERS: str = r"""
options:
  vhost:
    description:
      - Name of the virtual host. If omitted, the channels of all virtual hosts are read.
      - Required if O(app) is specified.
    type: str
  app:
    description: Name of the application. If omitted, the channels of all applications are read.
    type: str
  names:
    description: Names of the channels to read. If omitted, all are read.
    type: list
    elements: str
"""
