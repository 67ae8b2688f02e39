# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Document the options that the modules for certificates share."""

from __future__ import annotations


class ModuleDocFragment:
    """Expected certificate, endpoints, and verification."""

    DOCUMENTATION = r"""
options:
  certificate:
    description:
      - Path of a PEM file on the host where the module runs. Its first certificate is the expected one, because the
        server also uses the first certificate of its file.
      - Mutually exclusive with O(fingerprint).
    type: path
  fingerprint:
    description:
      - SHA-256 fingerprint of the expected certificate, 64 hexadecimal digits. Case, colons, blanks, and the prefix
        that C(openssl x509 -fingerprint -sha256) prints do not matter.
      - Mutually exclusive with O(certificate).
    type: str
  endpoint:
    description:
      - The TLS ports to check, as a list, or as a dictionary for one port.
      - A server can serve the same certificate on several ports, such as those for LLHLS and for WebRTC signalling.
      - The handshakes start directly from the host where the module runs and never use a proxy.
    type: list
    elements: dict
    suboptions:
      host:
        description:
          - Host name or address to connect to. If omitted, the host of O(api_url) is used.
        type: str
      port:
        description:
          - Port to connect to, from 1 to 65535. It is required.
        type: int
      server_name:
        description:
          - Host name to request by SNI. The server uses it to choose the certificate of a virtual host.
          - If omitted, the first host name of O(vhost) without a V(*) is used, and if there is none,
            O(endpoint[].host). If the name is an address, the handshake requests no name.
        type: str
notes:
  - O(timeout) also limits the duration of each TLS handshake.
"""

    CHAIN = r"""
options:
  verify_chain:
    description:
      - Whether to verify the served certificate as clients do. Its chain must lead to a trusted authority, it must be
        valid now, and it must be valid for the requested host name.
      - By default handshakes only identify certificates. They succeed even if a certificate has expired or its issuer
        is unknown.
    type: bool
    default: false
  chain_ca_path:
    description:
      - Path of a file or directory with the CA certificates that O(verify_chain) trusts, on the host where the module
        runs.
      - If omitted, O(ca_path) is used, and if that is omitted too, the CA certificates of the system.
    type: path
"""
