#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: export
short_description: Write the objects of an OvenMediaEngine server to a file of variables
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Reads virtual hosts, applications, streams, channels, push tasks and recordings of a server, and writes them to a
    file on the controller, as variables of the role P(streamops.ovenmediaengine.provision#role). The role can make the
    same objects from them.
  - The file has no secrets. Variables whose names begin with C(ovenmediaengine_secret_) stand for them, and a list at
    its end says what to define.
  - What the role must not create is left out, with the reason. This is what comes from the server's configuration file,
    and what the modules would refuse.
  - A second run writes nothing. A file that somebody has edited is kept beside the new one.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
options:
  dest:
    description:
      - Path of the file on the controller. A relative path starts in the current working directory. Missing directories
        are made.
      - The export of another server is never replaced.
    type: str
    required: true
  mode:
    description:
      - Mode of the file, in quotes. By default, a new file gets the mode of the system, and an existing file keeps its
        own.
    type: raw
  read_only_vhosts:
    description:
      - Names of further virtual hosts that come from the server's configuration file, if the response of the server
        does not show it.
    type: list
    elements: str
  config_dir:
    description:
      - Directory of the server's configuration, on the host where the module runs. With it, jobs that stream maps have
        started get the IDs of these files.
    type: path
attributes:
  idempotent:
    support: full
  check_mode:
    details:
      - Reads the server and predicts whether the file would change.
  diff_mode:
    details:
      - Shows the text of the file, unless somebody has edited it, because they can have added a secret.
seealso:
  - module: streamops.ovenmediaengine.provision
"""

EXAMPLES = r"""
- name: Write what the server has to a file
  streamops.ovenmediaengine.export:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    dest: "host_vars/{{ inventory_hostname }}/streams.yml"
"""

RETURN = r"""
# BEGIN GENERATED written_file
file:
  description: Path of the file.
  returned: success
  type: str
  sample: /srv/inventory/media-1.yml
backup_file:
  description: Path of the copy of a file that somebody has edited.
  returned: if there is one
  type: str
vhosts:
  description: Number of virtual hosts in the file.
  returned: success
  type: int
applications:
  description: Number of applications in the file.
  returned: success
  type: int
push_tasks:
  description: Number of push tasks in the file.
  returned: success
  type: int
records:
  description: Number of recordings in the file.
  returned: success
  type: int
secrets:
  description: Names of the variables that stand for secrets.
  returned: success
  type: list
  elements: str
# END GENERATED
streams:
  description:
    - Number of pulled streams in the file. RV(line) has the numbers of streams, channels and recordings if they are
      not 0.
  returned: success
  type: int
scheduled_channels:
  description: Number of scheduled channels in the file.
  returned: success
  type: int
multiplex_channels:
  description: Number of multiplex channels in the file.
  returned: success
  type: int
left_out:
  description: Objects of the server that are not in the file. The file has the reasons.
  returned: success
  type: list
  elements: str
unmanaged_fields:
  description: Names of fields that the collection does not know, by virtual host.
  returned: success
  type: dict
line:
  description: The summary as one line of text.
  returned: success
  type: str
  sample: "virtual hosts: 2; applications: 4; push tasks: 3; secrets to fill in: 5; left out: virtual host default"
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.export import Export
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Export)


if __name__ == "__main__":
    main()
