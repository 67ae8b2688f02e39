# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read certificates from PEM files, and check that certificate, chain and key fit together."""

from __future__ import annotations

import base64
import binascii
import os
import ssl
import stat
import typing as t

from .certificate import Certificate, CertificateError, Problem, covers, os_reason
from .der_reader import parse_certificate

LARGEST_FILE = 1024 * 1024
"""Bytes; certificate and key files have a few thousand."""
# OpenSSL's reasons if a valid key belongs to another certificate; the last two if the key has another type.
_MISMATCHES = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED")


# Files


def read_pem_certificates(path: str) -> list[Certificate]:
    """Return the certificates of a PEM file in their order; a server presents the first.

    Raise CertificateError: ``missing``, ``unreadable``, ``no_certificate``, ``broken``. Blocks of other types, such as
    private keys, are skipped.
    """
    return certificates_in(read_file(path), path)


def certificates_in(content: bytes, path: str) -> list[Certificate]:
    """Return the certificates in what a PEM file holds; ``path`` is for errors. Raise CertificateError."""
    found: list[Certificate] = []
    for der in _certificate_blocks(content, path):
        try:
            found.append(parse_certificate(der))
        except CertificateError as error:
            raise CertificateError(
                error.kind, f"Certificate {len(found) + 1} in {path} is broken: {error.detail}"
            ) from None
    if not found:
        raise CertificateError("no_certificate", f"{path} contains no certificate in PEM form.")
    return found


def _certificate_blocks(content: bytes, path: str) -> t.Iterator[bytes]:
    """Yield the DER content of each CERTIFICATE block."""
    block: list[bytes] | None = None
    for line in content.splitlines():
        line = line.strip()
        if line == b"-----BEGIN CERTIFICATE-----":
            block = []
        elif block is not None and line == b"-----END CERTIFICATE-----":
            try:
                yield base64.b64decode(b"".join(block), validate=True)
            except binascii.Error:
                raise CertificateError("broken", f"A certificate in {path} is broken: it is not base64.") from None
            block = None
        elif block is not None:
            block.append(line)
    if block is not None:
        raise CertificateError("broken", f"A certificate in {path} is broken: it has no END line.")


def read_file(path: str) -> bytes:
    """Return the content of a regular file of at most LARGEST_FILE bytes."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # Reading a pipe would block.
            raise CertificateError("unreadable", f"{path} is not a regular file.")
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise CertificateError("missing", f"The file {path} does not exist.") from None
    except (OSError, ValueError) as error:
        raise CertificateError("unreadable", f"{path} cannot be read: {os_reason(error)}.") from None
    if len(content) > LARGEST_FILE:
        raise CertificateError("broken", f"{path} is too large for a certificate file.")
    return content


def key_matches(cert_path: str, key_path: str) -> bool:
    """Return whether a private key belongs to the first certificate of a file.

    Raise CertificateError: those of :func:`read_pem_certificates` for either file, ``encrypted_key`` if the key needs a
    password (the server has no option for it), ``broken_key`` if the file contains no key in PEM form.
    """
    read_pem_certificates(cert_path)
    read_file(key_path)

    def refuse() -> str:
        raise CertificateError("encrypted_key", f"The key in {key_path} is encrypted.")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL:@SECLEVEL=0")  # Weak keys are not rejected here.
    try:
        context.load_cert_chain(cert_path, key_path, password=refuse)
    except ssl.SSLError as error:
        if error.reason in _MISMATCHES:
            return False
        raise CertificateError("broken_key", f"{key_path} contains no usable private key in PEM form.") from None
    return True


def check_files(
    cert_path: str, chain_path: str | None, key_path: str | None, names: t.Iterable[str], now: float
) -> list[Problem]:
    """Return the faults of the certificate files of a virtual host; empty if there are none.

    ``names`` are host names of the virtual host, ``now`` is in seconds since 1970. Kinds in addition to those of files
    in :class:`CertificateError`: ``key_mismatch``, ``expired``, ``not_yet_valid``, ``name_not_covered``,
    ``chain_order`` and ``chain_in_certificate``: the server uses only the first certificate of the certificate file
    (ovcrypto/certificate.cpp [read]).
    """
    problems: list[Problem] = []

    def attempt(action: t.Callable[[], t.Any], otherwise: t.Any) -> t.Any:
        try:
            return action()
        except CertificateError as error:
            problems.append(Problem(error.kind, error.detail))
            return otherwise

    own = attempt(lambda: read_pem_certificates(cert_path), [])
    chain = attempt(lambda: read_pem_certificates(chain_path), []) if chain_path else []
    if key_path and own and not attempt(lambda: key_matches(cert_path, key_path), True):
        problems.append(
            Problem("key_mismatch", f"The key in {key_path} does not belong to the certificate in {cert_path}.")
        )
    elif key_path and not own:
        attempt(lambda: read_file(key_path), None)
    for path, certificates in ((cert_path, own[:1]), (chain_path, chain)):
        for certificate in certificates:
            problems += _out_of_time(certificate, str(path), now)
    if own:
        problems += [
            Problem(
                "name_not_covered",
                f"The certificate in {cert_path} is not for {name}. It is for {', '.join(own[0].names) or 'no name'}.",
            )
            for name in names
            if not covers(own[0], name)
        ]
        problems += _out_of_order(own[0], chain, str(chain_path))
        if len(own) > 1 and not chain_path:
            text = (
                f"{cert_path} contains {len(own)} certificates, but the server uses only the first. "
                "Move the others to a chain file."
            )
            problems.append(Problem("chain_in_certificate", text))
    return problems


def _out_of_time(certificate: Certificate, path: str, now: float) -> t.Iterator[Problem]:
    if now > certificate.valid_until:
        yield Problem("expired", f"The certificate {certificate.subject} in {path} expired at {certificate.not_after}.")
    if now < certificate.valid_from:
        yield Problem(
            "not_yet_valid",
            f"The certificate {certificate.subject} in {path} is not valid before {certificate.not_before}.",
        )


def _out_of_order(certificate: Certificate, chain: t.Sequence[Certificate], path: str) -> list[Problem]:
    """Return the first fault of a chain: each issuer must be the subject of the next certificate."""
    for issued, issuer in zip([certificate, *chain], chain):
        if issuer.fingerprint == certificate.fingerprint:
            return [
                Problem(
                    "chain_order",
                    f"{path} contains the certificate itself. "
                    f"It must begin with the certificate of its issuer, {certificate.issuer}.",
                )
            ]
        if _plain_name(issued.issuer) != _plain_name(issuer.subject):
            text = (
                f"{path} is in the wrong order: after {issued.subject}, expected its issuer {issued.issuer}, "
                f"got {issuer.subject}."
            )
            return [Problem("chain_order", text)]
    return []


def _plain_name(text: str) -> str:
    """Return a distinguished name for comparison (RFC 5280, 7.1): without case and repeated blanks."""
    return " ".join(text.casefold().split())
