#!/usr/bin/python

# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: audit_info
short_description: Find where OvenMediaEngine is not as listed, and what is wrong with it
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Compares one server with the virtual hosts, applications and push tasks that it should have, and names every difference, also what is there
    and not listed.
  - Finds push tasks that fail or stand still, certificates that are about to end or are not those that should be served, and what is known to
    be a trap of the server's version.
  - Never sends a write, with or without check mode. What is wrong is returned in RV(findings), and is no failure. That also holds for a server
    that cannot be reached, and for entries of the lists that could not be used.
  - The module only fails where one of its own options cannot work, such as O(api_url) or O(sampling_interval).
extends_documentation_fragment:
  - streamops.ovenmediaengine.connection
  - streamops.ovenmediaengine.attributes
  - streamops.ovenmediaengine.attributes.info
  - streamops.ovenmediaengine.virtual_host.audited
  - streamops.ovenmediaengine.application.audited
  - streamops.ovenmediaengine.push_task.audited
options:
  read_only_vhosts:
    description:
      - Names of virtual hosts of the server's configuration file, which need not be listed, and neither need their applications.
      - Most are recognized without it. Those that set neither a number nor a boolean, and those of servers before 0.16, are not.
    type: list
    elements: str
  certificates:
    description:
      - The certificates that should be served, and where.
    type: list
    elements: dict
    suboptions:
      vhost:
        description:
          - Name of the virtual host that findings are about.
        type: str
      certificate:
        description:
          - Path of a PEM file on the host where the module runs. Its first certificate is the one that should be served.
          - Cannot be used beside O(certificates[].fingerprint), which says the same. Without either, any certificate for the host name will do.
        type: path
      fingerprint:
        description:
          - SHA-256 fingerprint of the certificate that should be served, 64 hexadecimal digits with or without colons.
        type: str
      endpoint:
        description:
          - The TLS ports to shake hands with, a list, or a dictionary for one alone. At least one must be given.
          - The handshakes are made from the host where the module runs, directly and never through a proxy.
        type: list
        elements: dict
        suboptions:
          host:
            description:
              - Host name or address to connect to. The host of O(api_url) where it is left out.
            type: str
          port:
            description:
              - Port to connect to, from 1 to 65535. It must be given.
            type: int
          server_name:
            description:
              - Host name that is asked for by SNI, by which the server chooses among the certificates of its virtual hosts.
              - The first of the host names without a V(*) that O(vhosts) lists for O(certificates[].vhost) where it is left out, and where there is
                none, O(certificates[].endpoint[].host). Then nobody knows which names the certificate must be for.
            type: str
      days:
        description:
          - Days for which the certificate must still be valid. O(certificate_days) where it is left out.
        type: int
  certificate_days:
    description:
      - Days for which every certificate that is served must still be valid.
    type: int
    default: 30
  sampling_interval:
    description:
      - Seconds between two looks at push tasks that say that they push, from V(2) to V(600), or V(0) for one look.
      - Only two looks show the bit rate, and whether one stands still. The server counts bytes about once a second, so that the bit rate is the more
        exact the longer the interval is.
    type: float
    default: 0
  verify_chain:
    description:
      - Whether what is served is also verified as clients do it, which is to say that its chain leads to a trusted authority.
    type: bool
    default: false
  chain_ca_path:
    description:
      - Path of a file or directory with the CA certificates that O(verify_chain) trusts, on the host where the module runs.
      - O(ca_path) where it is left out, and where that is not given either, the certificates that the system trusts.
    type: path
notes:
  - A server with N virtual hosts that hold one application each is asked 4 N + 2 times, and once more for each application with a running push
    where O(sampling_interval) is given.
  - After a request that got no answer, nothing more is asked of the server. O(timeout) also bounds each TLS handshake as a whole, and a port
    that cannot be reached is tried once only.
seealso:
  - module: streamops.ovenmediaengine.vhosts
  - module: streamops.ovenmediaengine.applications
  - module: streamops.ovenmediaengine.push_tasks
  - module: streamops.ovenmediaengine.certificate_info
"""

EXAMPLES = r"""
- name: See whether a server is as it should be
  streamops.ovenmediaengine.audit_info:
    api_url: http://127.0.0.1:8081
    api_token: "{{ ovenmediaengine_api_token }}"
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
        applications:
          - name: live
            providers:
              rtmp: {}
            publishers:
              llhls: {}
              push: {}
    push_tasks:
      - vhost: tenant-a
        app: live
        id: platform
        stream:
          name: main
        protocol: rtmp
        url: rtmp://live.platform.example.com/app
        stream_key: "{{ platform_stream_key }}"
    sampling_interval: 5
  register: audit

- name: See which certificates end within three weeks, or are others than they should be
  streamops.ovenmediaengine.audit_info:
    vhosts:
      - name: tenant-a
        host:
          names: [live.tenant-a.example.com]
    read_only_vhosts: [default]
    certificates:
      - vhost: tenant-a
        fingerprint: 6a0ac58f27a5f4bd2b2a8e5f6e9c04c5b9a2c27f2f1d7f9c1a9f43a0c2a1c5d7
        endpoint:
          - host: media-1.example.com
            port: 443
          - host: media-1.example.com
            port: 3334
    certificate_days: 21
  register: audit

- name: Say where the server is not as listed
  ansible.builtin.debug:
    msg: "{{ audit.findings | selectattr('severity', 'in', ['error', 'drift']) | map(attribute='message') }}"
"""

RETURN = r"""
reachable:
  description: Whether the server has answered. Nothing but certificates is looked at where it has not.
  returned: success
  type: bool
  sample: true
version:
  description: The server's version. None where it was not reached, and before 0.16.5, where servers do not tell it.
  returned: success
  type: str
  sample: 0.21.0
counts:
  description: How many findings there are of each severity.
  returned: success
  type: dict
  contains:
    error:
      description: What does not work, or could not be looked at.
      type: int
      sample: 0
    drift:
      description: Where the server is not as listed.
      type: int
      sample: 2
    warning:
      description: What is about to go wrong, or cannot be as it was meant.
      type: int
      sample: 1
    info:
      description: What is good to know.
      type: int
      sample: 3
findings:
  description: What is not as it should be, by severity, place, and kind. The order is the same in every run.
  returned: success
  type: list
  elements: dict
  contains:
    severity:
      description: How bad it is.
      type: str
      choices: [error, drift, warning, info]
    kind:
      description:
        - V(missing), V(differs), V(not_listed), V(unmanaged) and V(unaddressable) are about objects, V(push_error) and V(push_stalled) about push tasks.
        - V(unreachable) and V(ambiguous_host_name) are about host names that another virtual host takes, or takes if it was created first.
        - V(handshake_failed), V(certificate_differs), V(certificate_name), V(certificate_expired), V(certificate_not_yet_valid), V(certificate_expiring) and
          V(chain_not_verified) are about certificates.
        - V(concern) is about what is listed and cannot work as it is meant, V(bad_input) about what is listed and cannot work at all, and V(version_trap)
          about the server's version.
        - All others are kinds of errors that kept something from being compared; the guide on errors lists them.
      type: str
      sample: differs
    message:
      description: The finding in words.
      type: str
      sample: "Virtual host tenant-a: host.names differs."
    vhost:
      description: Name of the virtual host, empty where the finding is about none. The same holds for the next four.
      type: str
      sample: tenant-a
    application:
      description: Name of the application.
      type: str
    push_task:
      description: Id of the push task.
      type: str
    endpoint:
      description: The TLS port, with the name that was asked for.
      type: str
      sample: "media-1.example.com:443 (live.tenant-a.example.com)"
    field:
      description: The option that differs, or that cannot be used.
      type: str
      sample: host.names
    found:
      description: What is there, none where that says nothing. Secrets are masked.
      type: raw
      sample: [old.tenant-a.example.com]
    wanted:
      description: What is listed, none where that says nothing. Secrets are masked.
      type: raw
      sample: [live.tenant-a.example.com]
vhosts:
  description: All virtual hosts of the server and of the lists, by name. Empty where the server was not reached.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the virtual host.
      type: str
      sample: tenant-a
    listed:
      description: Whether O(vhosts) has an entry for it.
      type: bool
    present:
      description: Whether the server has it.
      type: bool
    read_only:
      description: Whether it comes from the server's configuration file, as far as that is known.
      type: bool
    status:
      description: The worst that was found of it, of what is in it, and of its certificates.
      type: str
      choices: [ok, info, warning, drift, error, missing, not_listed]
push_tasks:
  description: All push tasks of the server, by virtual host, application and id.
  returned: success
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host.
      type: str
      sample: tenant-a
    app:
      description: Name of the application.
      type: str
      sample: live
    id:
      description: Id of the task.
      type: str
      sample: platform
    protocol:
      description: Protocol of the task.
      type: str
      sample: rtmp
    url:
      description: Destination, with secrets masked.
      type: str
      sample: rtmp://live.platform.example.com/app
    state:
      description: V(ready) waits for its stream. V(pushing) stands for every word that a server version has for it.
      type: str
      sample: pushing
    bits_per_second:
      description: What was sent between the two looks. None where it was not looked at twice, does not push, or has connected again between.
      type: int
      sample: 4000000
    listed:
      description: Whether O(push_tasks) has an entry for it.
      type: bool
    is_config:
      description: Whether the server's own configuration made the task.
      type: bool
certificates:
  description: What the endpoints of O(certificates) serve, by virtual host and endpoint.
  returned: success
  type: list
  elements: dict
  contains:
    vhost:
      description: Name of the virtual host, empty where none was given.
      type: str
      sample: tenant-a
    endpoint:
      description: The TLS port, with the name that was asked for.
      type: str
      sample: "media-1.example.com:443 (live.tenant-a.example.com)"
    certificate:
      description: The certificate that was served, none where the handshake failed.
      type: dict
      contains:
        fingerprint:
          description: SHA-256 fingerprint, 64 lower-case hexadecimal digits.
          type: str
        subject:
          description: Whom it was made for.
          type: str
          sample: CN=live.tenant-a.example.com
        names:
          description: Host names and addresses that it is for.
          type: list
          elements: str
          sample: [live.tenant-a.example.com]
        issuer:
          description: Who signed it.
          type: str
        not_before:
          description: When it becomes valid, in ISO 8601.
          type: str
          sample: "2026-01-31T12:00:00Z"
        not_after:
          description: When it ends, in ISO 8601.
          type: str
          sample: "2026-05-01T12:00:00Z"
        days_left:
          description: Whole days until then, negative where they are over.
          type: int
          sample: 62
    agrees:
      description: Whether it is the one that should be served, none where nobody said which.
      type: bool
    error:
      description: Why the handshake failed, empty where it did not.
      type: str
error:
  description: What went wrong, where, and what to do about it.
  returned: on failure
  type: dict
  contains:
    kind:
      description: Kind of the error; the guide on errors lists them all.
      type: str
      sample: bad_input
    attempted:
      description: What was tried.
      type: str
      sample: use option sampling_interval
    meaning:
      description: What the error means.
      type: str
    remedy:
      description: What to do about it.
      type: str
    method:
      description: HTTP method, none where nothing was sent.
      type: str
    path:
      description: Path of the request, none where nothing was sent.
      type: str
    host:
      description: Host and port of the server, none where nothing was sent.
      type: str
    status:
      description: HTTP status of the answer, none where there was no answer.
      type: int
    server_message:
      description: The server's own words, none where it said nothing.
      type: str
retries:
  description: Which requests had to be sent again, or got no answer and were not, and why.
  returned: when there were any
  type: list
  elements: str
"""

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import AuditInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.module import run_module


def main() -> None:
    run_module(AuditInfo)


if __name__ == "__main__":
    main()
