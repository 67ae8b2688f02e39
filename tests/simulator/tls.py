# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates for the API itself."""

from __future__ import annotations

import os
import ssl


def given_context(certificate: str, key: str) -> ssl.SSLContext:
    """A server context with a certificate and key in PEM files."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


def made_context(directory: str) -> tuple[ssl.SSLContext, str]:
    """A server context with a fresh certificate for 127.0.0.1, ::1 and localhost.

    :param directory: where the certificate authority is written, as ``ca.pem``.
    :returns: the context, and the path of the authority that clients have to trust.
    """
    import trustme  # Only here: the simulator needs it for nothing else.

    authority = trustme.CA()
    ca_path = os.path.join(directory, "ca.pem")
    authority.cert_pem.write_to_path(ca_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1", "::1", "localhost").configure_cert(context)
    return context, ca_path
