# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates that are loaded from files: those of the API itself and those of virtual hosts."""

from __future__ import annotations

import hashlib
import os
import re
import ssl
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

OWN_ROOT = "/etc/ovenmediaengine"
"""A directory of the simulated machine. A media server has one of that name, with certificates of its own, so nothing
under it is ever read
here: neither for the virtual hosts of the simulated configuration file nor for others."""

_PEM_BLOCK = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


@dataclass(frozen=True)
class LoadedCertificate:
    """A certificate with its key, as read from files at some time."""

    context: ssl.SSLContext
    fingerprint: str
    """SHA-256, hexadecimal, lower case."""


def load(tls: Mapping[str, Any], locate: Callable[[str], str] | None = None) -> LoadedCertificate | None:
    """Read the files of a virtual host.

    As the server does (ovcrypto/certificate.cpp and tls_context.cpp of 0.18.0 and 0.20.0 [read]), the first certificate
    of the certificate file is used and the others are not, and those of the chain file are a store from which OpenSSL
    builds what is sent, so that their order means nothing. 0.15.10 sends only the first of the chain file [read], which
    is not simulated.

    :param tls: ``certPath``, ``keyPath`` and optionally ``chainCertPath``.
    :param locate: returns the file of this machine for a path; :func:`readable` if None.
    :returns: None if a file is missing, broken or unreadable, or if the key is that of another certificate.
    """
    path_of = locate or readable
    try:
        leaf = _blocks(path_of(str(tls.get("certPath", ""))))[0]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(leaf)
            file.flush()
            # With a wrong password, because an encrypted key would ask for one at the terminal.
            context.load_cert_chain(file.name, path_of(str(tls.get("keyPath", ""))), password="")
        if tls.get("chainCertPath"):
            context.load_verify_locations(cadata="\n".join(_blocks(path_of(str(tls["chainCertPath"])))))
    except (OSError, ValueError, IndexError):
        return None
    return LoadedCertificate(context, hashlib.sha256(ssl.PEM_cert_to_DER_cert(leaf)).hexdigest())


def readable(path: str) -> str:
    """Return the file of this machine for a path of the configuration.

    Relative paths resolve against / (server-facts: Virtual hosts).

    :raises FileNotFoundError: the path lies in :data:`OWN_ROOT`, which the simulated machine does not share with this
    one.
    """
    found = os.path.normpath(os.path.join("/", path))
    if os.path.commonpath((found, OWN_ROOT)) == OWN_ROOT:
        raise FileNotFoundError(found)
    return found


def _blocks(path: str) -> list[str]:
    with open(path, encoding="ascii", errors="replace") as file:
        return _PEM_BLOCK.findall(file.read())


class ApiCertificate:
    """The certificate of the API itself: PEM files, and the context that has what they held when they were last loaded.

    :raises OSError: they cannot be loaded.
    """

    def __init__(self, cert_path: str, key_path: str) -> None:
        self._files = (cert_path, key_path)
        self.context = self._loaded()

    def _loaded(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self._files)
        return context

    def reload(self) -> bool:
        """Load the files again, for connections from now on.

        :returns: whether that worked; what was there stays otherwise.
        """
        try:
            self._loaded()  # A failure half-way through must not touch the context that is in use.
        except OSError:
            return False
        self.context.load_cert_chain(*self._files)
        return True


def made_certificate(directory: str) -> tuple[ApiCertificate, str]:
    """Return a fresh certificate for 127.0.0.1, ::1 and localhost.

    :param directory: where ``ca.pem``, ``cert.pem`` and ``key.pem`` are written.
    :returns: the certificate, and the path of the authority that clients have to trust.
    """
    import trustme  # Only here: the simulator needs it for nothing else.

    authority = trustme.CA()
    paths = [os.path.join(directory, name) for name in ("ca.pem", "cert.pem", "key.pem")]
    issued = authority.issue_cert("127.0.0.1", "::1", "localhost")
    authority.cert_pem.write_to_path(paths[0])
    for number, blob in enumerate(issued.cert_chain_pems):
        blob.write_to_path(paths[1], append=number > 0)
    issued.private_key_pem.write_to_path(paths[2])
    return ApiCertificate(paths[1], paths[2]), paths[0]
