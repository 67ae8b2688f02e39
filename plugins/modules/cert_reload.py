#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cert_reload
short_description: Reload TLS certificates of OvenMediaEngine and verify them
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Makes the server reload the certificate files of one virtual host, of all virtual hosts, or of its own API, and
    verifies by TLS handshakes that it serves the new certificate.
  - Servers from 0.17.1 on report a reload as successful even if the new files are broken, missing or unreadable, and
    keep the old certificate. Therefore the module does not rely on the response, but on what O(endpoint) serves.
  - With O(certificate) or O(fingerprint), the module checks each O(endpoint) first. If all serve the certificate
    already, no reload is sent. Otherwise the module sends a reload and checks the endpoints until all serve the
    certificate or O(wait_timeout) ends. In the latter case the task fails and reports what each endpoint serves and
    when that expires.
  - Without them, there is nothing to compare. The module always sends a reload and reports a change.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.certificate
  - streamops.ovenmediaengine.certificate.chain
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
options:
  vhost:
    description:
      - Name of the virtual host to reload. If omitted, all virtual hosts are reloaded.
      - Cannot be combined with O(scope=api).
    type: str
  scope:
    description:
      - V(vhosts) reloads certificates of virtual hosts.
      - V(api) reloads the certificate of the server's API itself. Servers from 0.20.0 on support it, server 0.18.0 does
        not. If O(api_url) uses C(https) and O(endpoint) is omitted, the API's own port is the endpoint.
    type: str
    choices: [vhosts, api]
    default: vhosts
    version_added: 0.2.0
  certificate:
    version_added: 0.2.0
  fingerprint:
    version_added: 0.2.0
  endpoint:
    version_added: 0.2.0
  verify_chain:
    version_added: 0.2.0
  chain_ca_path:
    version_added: 0.2.0
  force:
    description:
      - Whether to send a reload even if the certificate is served already, for example for a new chain of the same
        certificate.
    type: bool
    default: false
    version_added: 0.2.0
  wait_timeout:
    description:
      - Seconds to wait after the reload until each O(endpoint) serves the certificate, from 0 to 86400.
    type: float
    default: 30
    version_added: 0.2.0
  fail_if_days_left_below:
    description:
      - Minimum number of whole days for which each served certificate must be valid. Otherwise the task fails. A
        completed reload is not reverted.
    type: int
    version_added: 0.2.0
attributes:
  check_mode:
    details:
      - Makes the handshakes and sends no reload. Predicts that the certificate will be served, because only the server
        can determine what it would load.
  diff_mode:
    details:
      - Shows the certificates that the endpoints served before and serve after the task. Without O(endpoint) there is
        no diff.
  idempotent:
    support: partial
    details:
      - With O(certificate) or O(fingerprint), and without O(force). Otherwise each run sends a reload.
notes:
  - The option O(streamops.ovenmediaengine.vhost#module:host.tls.cert_path) and its siblings name files on the media
    server. O(certificate) is read on the host where the module runs, which can be a different one.
  - With O(verify_chain) and O(certificate), the task fails before the reload if the key does not match the certificate.
    This requires that the key file of O(vhost) is readable on the host where the module runs.
  - In a handshake, the server uses the first virtual host with TLS and a matching host name, in alphabetical order of
    the virtual hosts' names. Therefore a virtual host with the host name V(*) hides the certificates of all virtual
    hosts that sort after it. If an endpoint is known to serve another virtual host's certificate for this reason, the
    task fails with the kind C(shadowed) and sends no reload.
seealso:
  - module: streamops.ovenmediaengine.certificate_info
  - module: streamops.ovenmediaengine.vhost
"""

EXAMPLES = r"""
- name: Reload the certificate of a virtual host and verify it on all its TLS ports
  streamops.ovenmediaengine.cert_reload:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: events
    certificate: /etc/ovenmediaengine/certs/events/cert.pem
    endpoint:
      - host: media-1.example.com
        port: 443
      - host: media-1.example.com
        port: 3334

- name: Do the same from a controller without the files, by fingerprint
  streamops.ovenmediaengine.cert_reload:
    vhost: events
    fingerprint: "{{ events_fingerprint }}"
    endpoint:
      host: media-1.example.com
      port: 3334
      server_name: events.example.com
    wait_timeout: 10

- name: Reload, and verify the chain and the host name as players do
  streamops.ovenmediaengine.cert_reload:
    vhost: events
    certificate: /etc/ovenmediaengine/certs/events/cert.pem
    endpoint:
      host: media-1.example.com
      port: 3334
    verify_chain: true
    chain_ca_path: /etc/ovenmediaengine/certs/ca.pem
    force: true # The chain may be new while the certificate is not.

- name: Fail if the served certificate expires within two weeks
  streamops.ovenmediaengine.cert_reload:
    vhost: events
    certificate: /etc/ovenmediaengine/certs/events/cert.pem
    endpoint:
      host: media-1.example.com
      port: 3334
    fail_if_days_left_below: 14

- name: Reload the certificate of the server's own API
  streamops.ovenmediaengine.cert_reload:
    scope: api
    certificate: /etc/ovenmediaengine/certs/api/cert.pem
    endpoint: # Optional if api_url uses https.
      host: media-1.example.com
      port: 8082

- name: Reload the certificates of all virtual hosts without verification
  streamops.ovenmediaengine.cert_reload:
"""

RETURN = r"""
expected:
  description:
    - The expected certificate, with the keys of RV(streamops.ovenmediaengine.certificate_info#module:certificates), or
      only its C(fingerprint) if O(fingerprint) is specified; V(null) if neither option is specified.
  returned: success, and where the proof fails
  type: dict
reload:
  description: Response to the reload, which proves nothing; V(null) if no reload was sent.
  returned: success, and where the proof fails
  type: dict
  contains:
    status:
      description: HTTP status.
      type: int
      sample: 200
    message:
      description: Message of the server.
      type: str
      sample: OK
endpoints:
  description:
    - The endpoints, in the order of O(endpoint), with the keys of
      RV(streamops.ovenmediaengine.certificate_info#module:endpoints), and these in place of C(certificate) and
      C(shadowed_by).
  returned: success, and where the proof fails
  type: list
  elements: dict
  contains:
    before:
      description:
        - The certificate that was served before, with the keys of RV(expected); V(null) if the handshake failed.
      type: dict
    after:
      description:
        - The certificate that is served now, or that check mode predicts, with the keys of RV(expected); V(null) if the
          handshake failed.
      type: dict
before:
  description:
    - The certificate that the first endpoint served before, with the keys of RV(expected); V(null) if the handshake
      failed, and without O(endpoint).
  returned: success, and where the proof fails
  type: dict
after:
  description:
    - The certificate that the first endpoint serves now, or that check mode predicts, with the keys of RV(expected);
      V(null) if the handshake failed, and without O(endpoint).
  returned: success, and where the proof fails
  type: dict
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.certificates import CertReload
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(CertReload)


if __name__ == "__main__":
    main()
