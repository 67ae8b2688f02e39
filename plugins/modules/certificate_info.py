#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: certificate_info
short_description: Read TLS certificates from files and from OvenMediaEngine endpoints
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Connects to TLS ports and returns the certificates that they serve. An unreachable port is reported and is not a
    failure.
  - Checks certificate files before they are deployed, if O(certificate) is specified. RV(problems) lists what is wrong
    with them, which is not a failure either.
  - Changes nothing. The module uses the server's API only if O(vhost) is specified. Only then it needs O(api_url),
    O(api_token) and the Python library C(requests).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection.optional
  - streamops.ovenmediaengine.certificate
  - streamops.ovenmediaengine.certificate.chain
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
options:
  vhost:
    description:
      - Name of a virtual host. Its host names are read from the server and are the default of O(names) and
        O(endpoint[].server_name).
    type: str
  names:
    description:
      - Host names that the certificate in O(certificate) must cover. A wildcard such as V(*.example.com) must be in the
        certificate literally; V(*) requires nothing.
      - If omitted, the host names of O(vhost) are used.
    type: list
    elements: str
  chain:
    description:
      - Path of a PEM file with the intermediate certificates of O(certificate), in the order towards the authority, on
        the host where the module runs.
    type: path
  private_key:
    description:
      - Path of a PEM file with the key of O(certificate), on the host where the module runs. The key is never returned.
    type: path
seealso:
  - module: streamops.ovenmediaengine.cert_reload
"""

EXAMPLES = r"""
- name: See which certificates a virtual host serves, and whether players would accept them
  streamops.ovenmediaengine.certificate_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhost: events
    endpoint:
      - host: media-1.example.com
        port: 443
      - host: media-1.example.com
        port: 3334
    verify_chain: true
    chain_ca_path: /etc/ovenmediaengine/certs/ca.pem
  register: served

- name: Fail if one expires within two weeks or cannot be read
  ansible.builtin.assert:
    that:
      - served.endpoints | selectattr('error') | length == 0
      - served.endpoints | map(attribute='certificate.days_left') | min >= 14

- name: Read the certificate of a TLS port without using the API
  streamops.ovenmediaengine.certificate_info:
    endpoint:
      host: media-1.example.com
      port: 3334
      server_name: events.example.com
  delegate_to: localhost

- name: Check new files before they are copied to the server
  streamops.ovenmediaengine.certificate_info:
    certificate: /etc/letsencrypt/live/events.example.com/cert.pem
    chain: /etc/letsencrypt/live/events.example.com/chain.pem
    private_key: /etc/letsencrypt/live/events.example.com/privkey.pem
    names: [events.example.com]
  delegate_to: localhost
  register: files
  failed_when: files is failed or files.problems | length > 0

- name: Check whether the certificate in a file is served
  streamops.ovenmediaengine.certificate_info:
    vhost: events
    certificate: /etc/ovenmediaengine/certs/events/cert.pem
    endpoint:
      host: media-1.example.com
      port: 3334
"""

RETURN = r"""
endpoints:
  description: The endpoints with the certificates that they serve, in the order of O(endpoint).
  returned: success
  type: list
  elements: dict
  contains:
    host:
      description: Host of the TLS port.
      type: str
      sample: media-1.example.com
    port:
      description: TLS port.
      type: int
      sample: 3334
    server_name:
      description: Host name that the handshake requested by SNI.
      type: str
      sample: live.example.com
    certificate:
      description: The certificate that is served, with the keys of RV(certificates); V(null) if the handshake failed.
      type: dict
    agrees:
      description: Whether the endpoint serves the expected certificate; V(null) if no certificate is specified.
      type: bool
    verified:
      description:
        - Whether clients would accept the certificate; V(null) without O(verify_chain) and if the handshake failed.
      type: bool
    verify_error:
      description: Why clients would reject the certificate; V(null) if they would accept it.
      type: str
      sample: unable to get local issuer certificate
    shadowed_by:
      description:
        - Name of the virtual host whose certificate the server serves here instead of that of O(vhost); V(null) if
          there is none, or if this is not certain.
      type: str
      version_added: 2.0.0
      sample: default
    error:
      description: Why the last handshake failed; V(null) if it succeeded.
      type: str
      sample: Nothing listens at media-1.example.com:3334 (live.example.com).
certificates:
  description: The certificates in the file O(certificate), in the order of the file. The server serves the first one.
  returned: success
  type: list
  elements: dict
  contains:
    fingerprint:
      description: SHA-256 fingerprint, 64 hexadecimal digits in lower case.
      type: str
      sample: 3f0c3a1b6d1f0d2c5be21a9f0f4de0c5a3c1a8f6e0f3f5a1c6f7d1b2e4a59687
    subject:
      description: Distinguished name of the subject.
      type: str
      sample: CN=live.example.com
    names:
      description: Host names, then addresses, that the certificate is valid for.
      type: list
      elements: str
      sample: [live.example.com]
    issuer:
      description: Distinguished name of the issuer.
      type: str
      sample: CN=R11,O=Let's Encrypt,C=US
    not_before:
      description: Start of the validity period, in UTC (ISO 8601).
      type: str
      sample: "2026-10-01T00:00:00Z"
    not_after:
      description: End of the validity period, in UTC (ISO 8601).
      type: str
      sample: "2026-12-30T00:00:00Z"
    days_left:
      description: Whole days until the certificate expires; negative if it has expired.
      type: int
      sample: 39
problems:
  description: Problems of the files, and V(shadowed); empty if there are none.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description:
        - Kind of the problem.
        - V(missing), V(unreadable), V(no_certificate), V(broken), V(broken_key) and V(encrypted_key) mean that a file
          cannot be used.
        - V(key_mismatch), V(expired), V(not_yet_valid), V(name_not_covered) and V(chain_order) mean that the files are
          readable and do not fit.
        - V(shadowed) means that an endpoint serves the certificate of another virtual host, which the server uses
          instead of O(vhost). This is only checked with O(vhost), and if the endpoint does not serve O(certificate) or
          O(fingerprint).
        - V(chain_in_certificate) means that the certificate file contains more than one certificate, of which the
          server would send only the first.
      type: str
      sample: key_mismatch
    text:
      description: Description of the problem.
      type: str
      sample: The key in /tmp/privkey.pem does not belong to the certificate in /tmp/cert.pem.
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.certificates import CertificateInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(CertificateInfo)


if __name__ == "__main__":
    main()
