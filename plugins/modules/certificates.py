#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: certificates
short_description: Rotate TLS certificates of OvenMediaEngine, proven by handshakes
version_added: 3.0.0
author:
  - StreamOps (@streamops)
description:
  - Validates the new files of all listed virtual hosts before it changes anything. Then, for one virtual host after the
    other, puts the files into place, reloads the certificate, and proves by TLS handshakes that it is served.
  - If the proof fails, restores the old files, reloads them, proves that the old certificate is served, and fails. The
    remaining virtual hosts stay as they are.
  - Runs on the media server, or where its files can be written. It goes on if the connection to this host ends. What a
    run that was killed has begun, the next run undoes first.
  - Never shows what a file holds.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.certificate.chain
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
options:
  certificates:
    description:
      - The virtual hosts, each once.
      - Each has either O(certificates[].certbot_live), or a certificate and a private key. All files are in PEM format.
      - One PEM file can hold both certificate and private key, if O(certificates[].cert_path) and
        O(certificates[].key_path) are equal. It gets O(key_mode).
      - Two different files with the same destination are refused before anything is changed.
    type: list
    elements: dict
    required: true
    suboptions:
      vhost:
        description: Name of the virtual host.
        type: str
        required: true
      certificate:
        description: File with the certificate. The server uses only the first certificate in it.
        type: path
      private_key:
        description:
          - File with the private key of the certificate. On the controller it can be encrypted with C(ansible-vault).
        type: path
      chain:
        description:
          - File with the intermediate certificates between the certificate and the root. The issuer of the certificate
            comes first.
          - If it is omitted, the current chain file stays and must match the new certificate.
          - An empty text omits the C(chain.pem) of O(certificates[].certbot_live).
        type: path
      certbot_live:
        description:
          - Directory of certbot with C(cert.pem), C(privkey.pem) and C(chain.pem), such as
            V(/etc/letsencrypt/live/live.example.com).
        type: path
      certificate_content:
        description: The certificate itself, in place of O(certificates[].certificate).
        type: str
      private_key_content:
        description: The private key itself, in place of O(certificates[].private_key).
        type: str
      chain_content:
        description: The intermediate certificates themselves, in place of O(certificates[].chain).
        type: str
      endpoints:
        description: TLS ports to check by handshakes. The default is O(endpoints).
        type: list
        elements: dict
        suboptions: &endpoint
          host:
            description: Host name or address. The default is the host of O(api_url).
            type: str
          port:
            description: The TLS port. It is required.
            type: int
          server_name:
            description:
              - Host name to request by SNI. The default is the first host name of the virtual host that is not a
                pattern.
            type: str
      cert_path:
        description: Destination of the certificate. The default is C(host.tls.cert_path) of the virtual host.
        type: path
      key_path:
        description: Destination of the private key. The default is C(host.tls.key_path) of the virtual host.
        type: path
      chain_cert_path:
        description: Destination of the chain. The default is C(host.tls.chain_cert_path) of the virtual host.
        type: path
  remote_src:
    description: Whether the new files are on the host where the module runs. Otherwise they are on the controller.
    type: bool
    default: false
  endpoints:
    description:
      - TLS ports to check by handshakes, for entries without endpoints of their own. List every TLS port that viewers
        use.
      - The handshakes start directly from the host where the module runs and never use a proxy.
    type: list
    elements: dict
    suboptions: *endpoint
  owner:
    description:
      - Name or ID of the owner of the files. By default, existing files keep their owner, and new files belong to the
        user of the module.
    type: str
  group:
    description:
      - Name or ID of the group of the files. By default, existing files keep their group, and new files belong to the
        group of the user of the module.
    type: str
  mode:
    description: Mode of certificates and chains, in quotes. A number such as V(644) is refused.
    type: raw
    default: "0644"
  key_mode:
    description:
      - Mode of private keys, in quotes. If the server runs as a user of its own, make this user the O(owner), or set
        V(0640) and O(group).
    type: raw
    default: "0600"
  backups:
    description:
      - Number of copies of each old file to keep in its directory, as C(FILE.TIME~), which only the user of the module
        can read. Older ones are removed after a successful rotation.
    type: int
    default: 3
  accept:
    description:
      - Kinds of problems of the new files to accept. See M(streamops.ovenmediaengine.certificate_info).
      - V(name_not_covered) is for a virtual host with host names that nobody uses with TLS.
    type: list
    elements: str
    choices: [name_not_covered, chain_order, chain_in_certificate, not_yet_valid]
    default: []
  min_days_left:
    description: Minimum number of days for which a new certificate must be valid.
    type: int
    default: 0
  check_endpoints_first:
    description:
      - Whether every endpoint must complete a handshake before an old certificate is replaced. An endpoint that does
        not cannot prove the new certificate.
      - Set V(false) for a server that serves no certificate, as after a restart with broken files.
    type: bool
    default: true
  wait_timeout:
    description: Seconds to wait until all endpoints serve the new certificate, from 0 to 86400.
    type: float
    default: 30
attributes:
  idempotent:
    support: full
  check_mode:
    details:
      - Validates the files and makes the handshakes. Writes only to a private temporary directory, and sends no reload.
  diff_mode:
    details:
      - Shows which files would get new content, modes, and the certificates that the endpoints serve before and after.
        It never shows what a file holds.
notes:
  - While a rotation is going on, a file C(.NAME.ansible-ovenmediaengine) beside the certificate names what a later run
    has to undo if this one is killed.
seealso:
  - module: streamops.ovenmediaengine.cert_reload
  - module: streamops.ovenmediaengine.certificate_info
"""

EXAMPLES = r"""
- name: Rotate what certbot has renewed on the media server
  streamops.ovenmediaengine.certificates:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    certificates:
      - vhost: events
        certbot_live: /etc/letsencrypt/live/events.example.com
    remote_src: true
    endpoints:
      - port: 3334

- name: Rotate files of the controller, and verify the chain as players do
  streamops.ovenmediaengine.certificates:
    certificates:
      - vhost: events
        certificate: files/events/cert.pem
        private_key: files/events/privkey.pem
        chain: files/events/chain.pem
    endpoints:
      - port: 443
      - port: 3334
    key_mode: "0640"
    verify_chain: true
    chain_ca_path: /etc/ovenmediaengine/certs/ca.pem
    min_days_left: 7

- name: Rotate what a secret store holds
  streamops.ovenmediaengine.certificates:
    certificates:
      - vhost: events
        certificate_content: "{{ events_certificate }}"
        private_key_content: "{{ events_private_key }}"
        chain_content: "{{ events_chain }}"
    endpoints:
      - port: 3334
"""

RETURN = r"""
vhosts:
  description:
    - What was done for each virtual host. V(rotated), V(unchanged), V(untouched) (another one failed before),
      V(restored) (the proof failed, and each endpoint serves what it served before), V(removed) (the proof failed, and
      there was no certificate before), or V(failed).
  returned: always
  type: dict
  sample: {tenant-a: rotated}
line:
  description: The same as a sentence.
  returned: always
  type: str
  sample: "certificates: tenant-a rotated"
results:
  description: The virtual hosts that were rotated, or that were to be, in the order of O(certificates).
  returned: always, except if nothing was sent
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
    action:
      description: What was done, as in RV(vhosts).
      type: str
    changed:
      description: Whether something has changed.
      type: bool
    certificate:
      description:
        - The new certificate, with the keys of RV(streamops.ovenmediaengine.certificate_info#module:certificates).
      type: dict
    files:
      description: The destinations.
      type: list
      elements: dict
      contains:
        path:
          description: Path of the file.
          type: str
        changed:
          description: Whether content, mode or owner has changed.
          type: bool
        backup:
          description: Path of the copy of the old file; V(null) if there is none.
          type: str
    endpoints:
      description:
        - The endpoints, with the keys of RV(streamops.ovenmediaengine.certificate_info#module:endpoints), and these in
          place of C(certificate) and C(shadowed_by).
      type: list
      elements: dict
      contains:
        before:
          description:
            - The certificate that was served before, with the keys of RV(results[].certificate); V(null) if the
              handshake failed.
          type: dict
        after:
          description:
            - The certificate that is served now, or that check mode predicts, with the keys of
              RV(results[].certificate); V(null) if the handshake failed.
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.rotated_certificates import (
    Certificates,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.execution import run_module


def main() -> None:
    run_module(Certificates)


if __name__ == "__main__":
    main()
