#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: config_import
short_description: Write the configuration files of OvenMediaEngine to a file of variables
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Reads Server.xml with the files that it includes, Logger.xml and the stream maps of a server, and writes a YAML file
    on the controller with the variables C(server_settings), C(server_logger), C(server_environment),
    C(ovenmediaengine_vhosts) with their applications, C(ovenmediaengine_push_tasks) and C(ovenmediaengine_records). The
    roles P(streamops.ovenmediaengine.provision#role) and C(server) take them. Changes nothing on the media server.
  - The file contains no secret, unless O(show_secrets=true). A variable replaces each secret, and the end of the file
    lists these variables. Define them in a vault.
  - Elements without an option become C(extra) of the object around them if it has that option. What no option can hold
    is omitted, and named at the beginning of the file with its file, line and the reason.
  - Reads what the server reads, also if XML does not allow it. Expands and fetches no entities, and reads no file
    outside of the directory and no file of more than 4 MiB.
  - A second run writes nothing. A file that somebody has edited is kept beside the new one.
  - Sends no requests and has no connection options.
extends_documentation_fragment:
  - streamops.ovenmediaengine.attributes.files
options:
  config_dir:
    description:
      - Directory with Server.xml, on the host where the module runs. No file outside of it is read. C(~) at the
        beginning is the home of the user of the module.
    type: path
    default: /usr/share/ovenmediaengine/conf
  dest:
    description:
      - Path of the file on the controller. A relative path starts in the current working directory. Missing directories
        are made. The mode of the file is C(0600).
      - The file of another server is never replaced.
    type: str
    required: true
  server_dir:
    description:
      - The same directory as the server sees it, if that differs, such as C(/opt/ovenmediaengine/bin/origin_conf) in a
        container. Relative paths of certificates become absolute with it, and paths of stream maps inside of it are
        read.
    type: str
  environment_from:
    description:
      - File from which the server gets its environment variables, on the host where the module runs. The values of
        those that the configuration files use become C(server_environment). A relative path starts in O(config_dir).
      - A compose file (C(.yml), C(.yaml)), with the files in C(env_file) and C(.env); a quadlet (C(.container)) or a
        unit (C(.service), C(.conf)), with C(EnvironmentFile); or a file with a variable a line. If several services of
        a compose file can be the server, add C(#) and the name of the service.
      - Without it, the variables that the files use are listed without values.
    type: str
  version:
    description:
      - Version of the server that the variables are for, such as V(0.21.0). Elements of C(extra) that it does not know
        are omitted, because it would not start with them.
      - Without it, or with one that this collection does not know, they are in C(extra), and the beginning of the file
        lists them with the releases that know them.
    type: str
  show_secrets:
    description: Whether to write secrets in clear text. No diff is shown then.
    type: bool
    default: false
  files:
    description: Names of the files to read. The action plugin of the module sets it.
    type: list
    elements: str
seealso:
  - module: streamops.ovenmediaengine.server_config
"""

EXAMPLES = r"""
- name: Write what the server has in its files to a file of variables
  streamops.ovenmediaengine.config_import:
    config_dir: /etc/ovenmediaengine
    dest: "host_vars/{{ inventory_hostname }}/server.yml"
    version: 0.21.0
  become: true
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
left_out:
  description: What no option can hold. The file has the reasons.
  returned: success
  type: list
  elements: str
extra:
  description: Elements that are in options C(extra), because no option stands for them.
  returned: success
  type: list
  elements: str
notes:
  description: What to do or to know before the variables are used.
  returned: success
  type: list
  elements: str
environment:
  description: Names of the environment variables that the files use.
  returned: success
  type: list
  elements: str
environment_missing:
  description: Names of those that have neither a value nor a default.
  returned: success
  type: list
  elements: str
line:
  description: The summary as one line of text.
  returned: success
  type: str
  sample: "virtual hosts: 1; applications: 1; push tasks: 1; recordings: 0; secrets to fill in: 3; left out: nothing"
# BEGIN GENERATED error
error:
  description:
    - What failed, why, and what to do, with the keys of RV(streamops.ovenmediaengine.vhost#module:error). These are
      C(kind), C(attempted), C(meaning), C(remedy), C(method), C(path), C(host), C(status) and C(server_message).
  returned: on failure
  type: dict
# END GENERATED
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.config_import import ConfigImport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(ConfigImport)


if __name__ == "__main__":
    main()
