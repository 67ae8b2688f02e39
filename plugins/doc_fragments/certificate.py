# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation of the options that the modules about certificates share."""

from __future__ import annotations


class ModuleDocFragment:
    """What should be served, where, and how far it is looked at."""

    DOCUMENTATION = r"""
options:
  certificate:
    description:
      - Path of a PEM file on the host where the module runs. Its first certificate is the one that should be served, as the server takes the
        first of its certificate file too.
      - Cannot be used beside O(fingerprint), which says the same.
    type: path
  fingerprint:
    description:
      - SHA-256 fingerprint of the certificate that should be served, 64 hexadecimal digits. Upper and lower case, colons, blanks, and what
        C(openssl x509 -fingerprint -sha256) writes in front of it mean nothing.
      - Cannot be used beside O(certificate).
    type: str
  endpoint:
    description:
      - The TLS ports to shake hands with, a list, or a dictionary for one alone.
      - A server can serve the same certificate on several ports, such as those for LLHLS and for WebRTC signalling.
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
          - The first host name of O(vhost) without a V(*) where it is left out, and where there is none, O(endpoint[].host).
            No name is asked for by SNI where it is an address.
        type: str
  verify_chain:
    description:
      - Whether what is served is also verified as clients do it, which is to say that its chain leads to a trusted authority, that it is valid now, and
        that it is for O(endpoint[].server_name).
      - Without it handshakes only identify certificates, so that one that has expired or was signed by nobody known is reported like any other.
    type: bool
    default: false
  chain_ca_path:
    description:
      - Path of a file or directory with the CA certificates that O(verify_chain) trusts, on the host where the module runs.
      - O(ca_path) where it is left out, and where that is not given either, the certificates that the system trusts.
    type: path
notes:
  - O(timeout) also bounds each TLS handshake as a whole.
"""
