#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: certificate_info
short_description: Read TLS certificates from files and from what OvenMediaEngine serves
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Shakes hands with TLS ports and returns the certificates that they serve. A port that cannot be reached is a finding, and no failure.
  - Checks files before a server gets them, where O(certificate) is given. What is wrong with them is returned in RV(problems), and is no failure either.
  - Changes nothing. The server's API is asked only where O(vhost) is given. Only then are O(api_url), O(api_token) and the Python library
    C(requests) needed.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection.optional
  - streamops.ovenmediaengine.certificate
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
options:
  vhost:
    description:
      - Name of a virtual host whose host names are read from the server, for O(names) where that is left out, and for O(endpoint[].server_name).
    type: str
  names:
    description:
      - Host names that the certificate in O(certificate) must be for. V(*.example.com) must stand in it as it is; V(*) needs none.
      - The host names of O(vhost) where the option is left out.
    type: list
    elements: str
  chain:
    description:
      - Path of a PEM file with the certificates between that of O(certificate) and the authority, in this order, on the host where the module runs.
    type: path
  private_key:
    description:
      - Path of a PEM file with the key of O(certificate), on the host where the module runs. Nothing of it is returned.
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

- name: Fail where one ends within two weeks, or cannot be seen
  ansible.builtin.assert:
    that:
      - served.endpoints | selectattr('error') | length == 0
      - served.endpoints | map(attribute='certificate.days_left') | min >= 14

- name: Look at a TLS port without asking any API
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

- name: See whether the certificate of a file is the one that is served
  streamops.ovenmediaengine.certificate_info:
    vhost: events
    certificate: /etc/ovenmediaengine/certs/events/cert.pem
    endpoint:
      host: media-1.example.com
      port: 3334
"""

RETURN = r"""
endpoints:
  description: The endpoints in the order of O(endpoint), and what they serve.
  returned: success
  type: list
  elements: dict
  contains:
    host:
      description: Host that was connected to.
      type: str
      sample: media-1.example.com
    port:
      description: Port that was connected to.
      type: int
      sample: 3334
    server_name:
      description: Host name that was asked for by SNI.
      type: str
      sample: live.example.com
    certificate:
      description: The certificate that is served. None where the handshake failed.
      type: dict
      contains:
        fingerprint:
          description: SHA-256 fingerprint, 64 hexadecimal digits in lower case.
          type: str
          sample: 3f0c3a1b6d1f0d2c5be21a9f0f4de0c5a3c1a8f6e0f3f5a1c6f7d1b2e4a59687
        subject:
          description: Whom it was issued to, a distinguished name.
          type: str
          sample: CN=live.example.com
        names:
          description: Host names, then addresses, that it is for.
          type: list
          elements: str
          sample: [live.example.com]
        issuer:
          description: Who issued it, a distinguished name.
          type: str
          sample: CN=R11,O=Let's Encrypt,C=US
        not_before:
          description: Time from which it is valid, UTC.
          type: str
          sample: "2026-10-01T00:00:00Z"
        not_after:
          description: Time until which it is valid, UTC.
          type: str
          sample: "2026-12-30T00:00:00Z"
        days_left:
          description: Whole days for which it is still valid, negative where it has expired.
          type: int
          sample: 39
    agrees:
      description: Whether the certificate that should be served is served. None where there is nothing to compare to.
      type: bool
    verified:
      description: Whether clients would accept it. None without O(verify_chain), and where the handshake failed.
      type: bool
    verify_error:
      description: Why clients would not accept it, none where they would.
      type: str
      sample: unable to get local issuer certificate
    shadowed_by:
      description:
        - Name of the virtual host whose certificate the server presents here in place of that of O(vhost). None if there is none, or if this is not certain.
      type: str
      version_added: 1.1.0
      sample: default
    error:
      description: Why the handshake failed, none where it did not.
      type: str
      sample: Nothing listens at media-1.example.com:3334 (live.example.com).
certificates:
  description: The certificates in the file O(certificate), in their order. The server serves the first.
  returned: success
  type: list
  elements: dict
  contains:
    fingerprint:
      description: SHA-256 fingerprint, 64 hexadecimal digits in lower case.
      type: str
      sample: 3f0c3a1b6d1f0d2c5be21a9f0f4de0c5a3c1a8f6e0f3f5a1c6f7d1b2e4a59687
    subject:
      description: Whom it was issued to, a distinguished name.
      type: str
      sample: CN=live.example.com
    names:
      description: Host names, then addresses, that it is for.
      type: list
      elements: str
      sample: [live.example.com]
    issuer:
      description: Who issued it, a distinguished name.
      type: str
      sample: CN=R11,O=Let's Encrypt,C=US
    not_before:
      description: Time from which it is valid, UTC.
      type: str
      sample: "2026-10-01T00:00:00Z"
    not_after:
      description: Time until which it is valid, UTC.
      type: str
      sample: "2026-12-30T00:00:00Z"
    days_left:
      description: Whole days for which it is still valid, negative where it has expired.
      type: int
      sample: 39
problems:
  description: What is wrong with the files, and V(shadowed). Empty if nothing is.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description:
        - Kind of the problem.
        - V(missing), V(unreadable), V(no_certificate), V(broken), V(broken_key) and V(encrypted_key) are of a file that cannot be used.
        - V(key_mismatch), V(expired), V(not_yet_valid), V(name_not_covered) and V(chain_order) are of files that can be read and do not fit.
        - V(shadowed) says that an endpoint serves the certificate of another virtual host, which the server picks in place of O(vhost).
          It is only looked for with O(vhost), and if O(certificate) or O(fingerprint) is not what is served.
        - V(chain_in_certificate) says that the certificate file holds more than one certificate, of which the server would send the first alone.
      type: str
      sample: key_mismatch
    text:
      description: The problem in words.
      type: str
      sample: The key in /tmp/privkey.pem is not that of the certificate in /tmp/cert.pem.
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
  description: Which requests had to be sent again, or got no answer and were not, and why.
  returned: when there were any
  type: list
  elements: str
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.certificates import CertificateInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(CertificateInfo)


if __name__ == "__main__":
    main()
