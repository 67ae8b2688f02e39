#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cert_reload
short_description: Bring new TLS certificates of OvenMediaEngine into use, and prove it
version_added: 0.1.0
author:
  - StreamOps (@streamops)
description:
  - Has the server read the certificate files of one virtual host, of all, or of its own API, again, and proves by TLS handshakes that the new
    certificate is served.
  - Server versions from 0.17.1 on answer a reload with success even where the new files are broken, missing or unreadable, and go on with the old
    certificate. So the answer counts for nothing here. What counts is what O(endpoint) serves.
  - With O(certificate) or O(fingerprint) each O(endpoint) is asked first. Where all serve the certificate already, the server is not asked to
    reload. Otherwise it is, and the endpoints are asked again until all serve the certificate or O(wait_timeout) is over. Then the task fails and says
    what each serves and until when.
  - Without them there is nothing to compare to. The server is asked to reload, and the task reports a change each time.
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.certificate
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.changing
options:
  vhost:
    description:
      - Name of the virtual host whose certificate is reloaded. Those of all virtual hosts are reloaded where the option is left out.
      - Cannot be used where O(scope=api).
    type: str
  scope:
    description:
      - V(vhosts) reloads certificates of virtual hosts.
      - V(api) reloads the certificate of the server's API itself. Versions from 0.20.0 on can do that, 0.18.0 cannot. Where O(api_url) is C(https) and
        O(endpoint) is left out, the API's own port is the endpoint.
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
      - Whether the server is asked to reload although the certificate is served already, such as for a new chain of the same certificate.
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
      - Fails where a certificate that is served has fewer whole days left than this. What was reloaded stays reloaded.
    type: int
    version_added: 0.2.0
attributes:
  check_mode:
    details:
      - Shakes hands and sends no reload. Predicts that the certificate will be served, as only the server can say what it would load.
  diff_mode:
    details:
      - Shows the certificates that the endpoints served before and serve after. There is none without O(endpoint).
  idempotent:
    support: partial
    details:
      - With O(certificate) or O(fingerprint), and without O(force). Otherwise the server is asked to reload each time.
notes:
  - The option O(streamops.ovenmediaengine.vhost#module:host.tls.cert_path) and those beside it name files on the media server. O(certificate) is read where
    the module runs, which can be another host.
  - With O(verify_chain) and O(certificate), where the key file of O(vhost) can be read on the host where the module runs, the task fails before the reload
    if the key is not that of the certificate.
  - In a handshake the server picks the first virtual host with TLS, in the alphabetical order of their names, that has a host name that matches.
    So a virtual host with the host name V(*) hides the certificates of all whose names sort after its own. If an endpoint is known to serve
    another virtual host's certificate for this reason, the task fails with the kind C(shadowed) and sends no reload.
seealso:
  - module: streamops.ovenmediaengine.certificate_info
  - module: streamops.ovenmediaengine.vhost
"""

EXAMPLES = r"""
- name: Bring the new certificate of a virtual host into use on all its TLS ports
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

- name: The same from the controller, where the files are not, by the fingerprint
  streamops.ovenmediaengine.cert_reload:
    vhost: events
    fingerprint: "{{ events_fingerprint }}"
    endpoint:
      host: media-1.example.com
      port: 3334
      server_name: events.example.com
    wait_timeout: 10

- name: Reload, and have the chain and the host name verified as players do it
  streamops.ovenmediaengine.cert_reload:
    vhost: events
    certificate: /etc/ovenmediaengine/certs/events/cert.pem
    endpoint:
      host: media-1.example.com
      port: 3334
    verify_chain: true
    chain_ca_path: /etc/ovenmediaengine/certs/ca.pem
    force: true # The chain may be new while the certificate is not.

- name: Fail where the certificate that is in use ends within two weeks
  streamops.ovenmediaengine.cert_reload:
    vhost: events
    certificate: /etc/ovenmediaengine/certs/events/cert.pem
    endpoint:
      host: media-1.example.com
      port: 3334
    fail_if_days_left_below: 14

- name: Bring the new certificate of the server's own API into use
  streamops.ovenmediaengine.cert_reload:
    scope: api
    certificate: /etc/ovenmediaengine/certs/api/cert.pem
    endpoint: # Can be left out where api_url is https.
      host: media-1.example.com
      port: 8082

- name: Have the server read the certificate files of all virtual hosts again, without any proof
  streamops.ovenmediaengine.cert_reload:
"""

RETURN = r"""
expected:
  description:
    - The certificate that should be served; the fingerprint alone where O(fingerprint) was given. None where there is nothing to compare to.
  returned: success, and where the proof fails
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
reload:
  description: The server's answer to the reload, which proves nothing. None where the server was not asked.
  returned: success, and where the proof fails
  type: dict
  contains:
    status:
      description: HTTP status.
      type: int
      sample: 200
    message:
      description: The server's own words.
      type: str
      sample: OK
endpoints:
  description: The endpoints in the order of O(endpoint), and what they serve.
  returned: success, and where the proof fails
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
    before:
      description: The certificate that was served before, with the keys of RV(expected). None where the handshake failed.
      type: dict
    after:
      description: The certificate that is served now, or in check mode would be, with the keys of RV(expected). None where the handshake failed.
      type: dict
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
    error:
      description: Why the last handshake failed, none where it did not.
      type: str
      sample: Nothing listens at media-1.example.com:3334 (live.example.com).
before:
  description: The certificate that the first endpoint served before. None where the handshake failed, or without O(endpoint).
  returned: success, and where the proof fails
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
after:
  description: The certificate that the first endpoint serves now, or in check mode would serve. None where the handshake failed, or without O(endpoint).
  returned: success, and where the proof fails
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

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.certificates import CertReload
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(CertReload)


if __name__ == "__main__":
    main()
