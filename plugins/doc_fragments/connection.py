# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of the connection options that every module has."""

from __future__ import annotations


class ModuleDocFragment:
    """Connection options and their environment fallbacks."""

    DOCUMENTATION = r"""
requirements:
  - Python 3.9 or later on the host where the module runs
  - requests (Python library) on the host where the module runs
options:
  api_url:
    description:
      - Base address of the server's API, without C(/v1). It can carry a path prefix of a gateway.
      - With C(http) to another host than the one where the module runs, all secrets cross the network in clear text, and the task warns of it.
      - Modules run where the play says, on the media server itself with V(http://127.0.0.1:8081) or on the controller.
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_API_URL) is used.
    type: str
    required: true
  api_token:
    description:
      - Access token of the server's API, the C(AccessToken) of C(Managers/API) in its C(Server.xml).
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_API_TOKEN) is used.
    type: str
    required: true
  validate_certs:
    description:
      - Whether the server's TLS certificate is verified where O(api_url) is C(https).
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_VALIDATE_CERTS) is used.
    type: bool
    default: true
  ca_path:
    description:
      - Path of a file with the CA certificates that the server's TLS certificate is verified against, on the host where the module runs.
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_CA_PATH) is used.
    type: path
  client_cert:
    description:
      - Path of a PEM file with a client certificate, on the host where the module runs. It can hold the key as well.
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_CLIENT_CERT) is used.
    type: path
  client_key:
    description:
      - Path of a PEM file with the key of O(client_cert), on the host where the module runs.
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_CLIENT_KEY) is used.
    type: path
  timeout:
    description:
      - Seconds to wait for a connection, and after that for the whole of an answer.
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_TIMEOUT) is used.
    type: float
    default: 10
  retries:
    description:
      - How often a request is sent again that got no answer, with a growing pause of at most 5 seconds before each
        (30 where a gateway asks for it by C(Retry-After)).
      - Requests that create or start something are never sent again blindly. The module looks at what is there and goes on from that.
      - A request that gets no answer is given up after at most 2 × O(timeout) × (O(retries) + 1) seconds and the pauses. After three such
        requests in a row the task sends nothing more.
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_RETRIES) is used.
    type: int
    default: 3
  http_headers:
    description:
      - Additional HTTP headers, for gateways in front of the server. Their values are treated as secrets.
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_HTTP_HEADERS) is used, as JSON.
    type: dict
  concurrency:
    description:
      - At most so many requests of one task are under way at a time, each over a connection of its own that is kept open, from V(1) to V(32).
        Only tasks about many objects have that many.
      - The server answers one request after the other, so this helps where the network takes longer than the server does. Results are the same with any
        number. V(1) sends strictly one request at a time.
      - If the option is not given, the environment variable E(OVENMEDIAENGINE_CONCURRENCY) is used.
    type: int
    default: 16
    version_added: 0.4.0
notes:
  - Options that name files mean files on the host where the module runs. In a task that runs on the controller, a relative path is looked for as
    M(ansible.builtin.copy) looks for its source, in C(files) of the role, in C(files) beside the playbook, and in the directory of the playbook.
    If it is not there, it is looked for in the directory of the inventory, and last in the directory that the command was started in, each with
    its C(files) first. So it is for paths in environment variables. On another host give absolute paths. A relative one begins in the directory
    in which modules are run there.
  - Where the task runs on the controller, it is carried out within Ansible's own process, and C(requests) must be importable by the Python
    that runs Ansible. Tasks with C(become), C(async) or C(environment) run the module as usual; set C(ansible_python_interpreter) to
    C({{ ansible_playbook_python }}) for them on hosts with C(ansible_connection=local). V(false) in the variable
    C(ovenmediaengine_in_process) has the module run as usual for all tasks.
  - All connection options can be set once for a play with C(module_defaults) and the action group
    C(group/streamops.ovenmediaengine.ovenmediaengine).
"""

    # Of modules that ask the server only for some of what they do. Annotated, as in the fragment of virtual hosts.
    OPTIONAL: str = DOCUMENTATION.replace("    required: true\n", "")
