# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the connection options of every module."""

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
      - Base URL of the server's API, without C(/v1). It can include the path prefix of a gateway.
      - With C(http) to any host other than the one where the module runs, all secrets cross the network in clear text,
        and the task warns about it.
      - The play decides where the module runs, for example on the media server with V(http://127.0.0.1:8081), or on the
        controller.
      - If omitted, the environment variable E(OVENMEDIAENGINE_API_URL) is used.
    type: str
    required: true
  api_token:
    description:
      - Access token of the server's API, which is C(AccessToken) of C(Managers/API) in its C(Server.xml).
      - If omitted, the environment variable E(OVENMEDIAENGINE_API_TOKEN) is used.
    type: str
    required: true
  validate_certs:
    description:
      - Whether to verify the server's TLS certificate if O(api_url) uses C(https).
      - If omitted, the environment variable E(OVENMEDIAENGINE_VALIDATE_CERTS) is used.
    type: bool
    default: true
  ca_path:
    description:
      - Path of a file with the CA certificates to verify the server's TLS certificate, on the host where the module
        runs.
      - If omitted, the environment variable E(OVENMEDIAENGINE_CA_PATH) is used.
    type: path
  client_cert:
    description:
      - Path of a PEM file with a client certificate, on the host where the module runs. It can contain the key as well.
      - If omitted, the environment variable E(OVENMEDIAENGINE_CLIENT_CERT) is used.
    type: path
  client_key:
    description:
      - Path of a PEM file with the key of O(client_cert), on the host where the module runs.
      - If omitted, the environment variable E(OVENMEDIAENGINE_CLIENT_KEY) is used.
    type: path
  timeout:
    description:
      - Seconds to wait for a connection, and then for the complete response.
      - If omitted, the environment variable E(OVENMEDIAENGINE_TIMEOUT) is used.
    type: float
    default: 10
  retries:
    description:
      - Number of retries for a request without a response. The pause before each retry grows up to 5 seconds, or up to
        30 seconds if a gateway requests it with C(Retry-After).
      - Requests that create or start something are never retried blindly. The module reads the current state and
        continues from there.
      - A request without a response fails after at most 2 × O(timeout) × (O(retries) + 1) seconds plus the pauses.
        After three such requests in a row the task sends no more requests.
      - If omitted, the environment variable E(OVENMEDIAENGINE_RETRIES) is used.
    type: int
    default: 3
  http_headers:
    description:
      - Additional HTTP headers, for gateways in front of the server. Their values are treated as secrets.
      - If omitted, the environment variable E(OVENMEDIAENGINE_HTTP_HEADERS) is used, which holds JSON.
    type: dict
  concurrency:
    description:
      - Maximum number of concurrent requests of one task, from V(1) to V(32). Each uses its own persistent connection.
        Only tasks for many objects send that many.
      - The server processes one request at a time, so concurrency helps if the network is slower than the server. The
        results do not depend on it. V(1) sends strictly one request at a time.
      - If omitted, the environment variable E(OVENMEDIAENGINE_CONCURRENCY) is used.
    type: int
    default: 16
    version_added: 0.4.0
notes:
  - Paths in options refer to the host where the module runs. In a task that runs on the controller, a relative path is
    resolved like C(src) of M(ansible.builtin.copy), first in C(files) of the role, then in C(files) next to the
    playbook, then in the directory of the playbook. If nothing is found, the directory of the inventory follows, and
    then the current directory of the command, each with its C(files) first. The same applies to paths in environment
    variables. On other hosts use absolute paths, because a relative path starts in the working directory of modules
    there.
  - If the task runs on the controller, it runs inside the Ansible process, and the Python that runs Ansible must be
    able to import C(requests). Tasks with C(become), C(async) or C(environment) run the module in its own process. For
    these, set C(ansible_python_interpreter) to C({{ ansible_playbook_python }}) on hosts with
    C(ansible_connection=local). Set the variable C(ovenmediaengine_in_process) to V(false) to run all tasks in this
    way.
  - C(module_defaults) with the action group C(group/streamops.ovenmediaengine.ovenmediaengine) sets connection options
    once for a play.
"""

    # For modules that use the API only with some of their options. Annotated, as in the fragment for virtual hosts.
    OPTIONAL: str = DOCUMENTATION.replace("    required: true\n", "")
