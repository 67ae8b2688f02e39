#!/usr/bin/python

# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cert_reload
short_description: Reload TLS certificates of OvenMediaEngine
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Asks the server to read the certificate files of one virtual host, or of all, again.
  - Server versions from 0.17.1 on answer with success even where the new files are broken, missing or unreadable, and go on with the old
    certificate. Success of this module says that the server was asked, not that a new certificate is served. Look with a TLS handshake.
  - Older versions answer with an error, which this module reports; the certificate that was in use stays in use.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
options:
  vhost:
    description:
      - Name of the virtual host whose certificate is reloaded. Those of all virtual hosts are reloaded where the option is left out.
    type: str
attributes:
  check_mode:
    details:
      - Sends no reload. Always predicts a change, as only the server can say what it would load.
  diff_mode:
    support: none
    details:
      - What the server loads cannot be read through its API.
  idempotent:
    support: none
    details:
      - The server is asked to reload each time.
seealso:
  - module: streamops.ovenmediaengine.vhost
"""

EXAMPLES = r"""
- name: Reload the certificate of one virtual host
  streamops.ovenmediaengine.cert_reload:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: default

- name: Reload the certificates of all virtual hosts
  streamops.ovenmediaengine.cert_reload:
"""

RETURN = r"""
error:
  description: What went wrong, where, and what to do about it.
  returned: on failure
  type: dict
  contains:
    kind:
      description: Kind of the error; the guide on errors lists them all.
      type: str
      sample: unauthorized
    attempted:
      description: What was tried.
      type: str
      sample: list the virtual hosts
    meaning:
      description: What the error means.
      type: str
    remedy:
      description: What to do about it.
      type: str
    method:
      description: HTTP method, none where nothing was sent.
      type: str
      sample: GET
    path:
      description: Path of the request, none where nothing was sent.
      type: str
      sample: /v1/vhosts
    host:
      description: Host and port of the server, none where nothing was sent.
      type: str
      sample: 127.0.0.1:8081
    status:
      description: HTTP status of the answer, none where there was no answer.
      type: int
      sample: 401
    server_message:
      description: The server's own words, none where it said nothing.
      type: str
      sample: "[HTTP] Invalid credential (401)"
retries:
  description: Which requests had to be sent again, and why.
  returned: when there were any
  type: list
  elements: str
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._door import run_module


def main():
    run_module("cert_reload")


if __name__ == "__main__":
    main()
