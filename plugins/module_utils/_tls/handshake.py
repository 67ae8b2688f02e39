# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connect to an endpoint by TLS and return the certificate that it serves."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import time
import typing as t

from .certificate import (
    NOT_TLS,
    Certificate,
    CertificateError,
    Endpoint,
    Served,
    covers,
    host_of,
    ip_address_of,
    os_reason,
)
from .certificate_reader import parse_certificate, read_pem_certificates

# OpenSSL's default suites: without HTTP/2, the server offers only AES128-SHA (https_server.cpp, tls_context.cpp
# [read]), which the ssl module disables. These handshakes send nothing that needs protection.
_CIPHERS = "DEFAULT"


# Handshakes


def handshake(endpoint: Endpoint, *, timeout: float, verify_chain: bool = False, ca_path: str | None = None) -> Served:
    """Return the certificates that an endpoint serves: one handshake, or two if verification fails.

    By default nothing is verified, so that expired certificates and those of unknown authorities are returned too. With
    ``verify_chain``, ``verified`` says whether the chain leads to an authority of ``ca_path`` (file or directory; None
    for those of the system) and whether the certificate is for ``server_name``, or for ``host`` if that is empty.
    ``timeout`` is in seconds and covers everything but name resolution. Raise CertificateError if there is no
    certificate or if ``ca_path`` cannot be used.
    """
    deadline = time.monotonic() + timeout
    if not verify_chain:
        return _shake_hands(endpoint, _identifying_context(), deadline, timeout)
    try:
        served = _shake_hands(endpoint, _verifying_context(ca_path), deadline, timeout)
    except ssl.SSLCertVerificationError as error:
        served = _shake_hands(endpoint, _identifying_context(), deadline, timeout)
        return served._replace(verified=False, verify_error=error.verify_message)
    # The ssl module can check only the name that it sends by SNI. Both differ here.
    name = endpoint.server_name or endpoint.host
    if served.certificate.has_alternative_names and covers(served.certificate, name):
        return served._replace(verified=True)
    return served._replace(verified=False, verify_error=f"the certificate is not for {name}")


def asked_name(endpoint: Endpoint) -> str | None:
    """Return the name that a handshake sends by SNI; None for an IP address or an empty name."""
    name = endpoint.server_name.rstrip(".")
    return None if not name or ip_address_of(name) else name


def _identifying_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers(_CIPHERS)
    return context


def _verifying_context(ca_path: str | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.set_ciphers(_CIPHERS)
    if ca_path is None:
        context.load_default_certs()
    elif os.path.isdir(ca_path):
        context.load_verify_locations(capath=ca_path)
    else:
        read_pem_certificates(ca_path)  # The ssl module does not say what is wrong with the file.
        try:
            context.load_verify_locations(cafile=ca_path)
        except OSError as error:
            raise CertificateError("broken", f"{ca_path} cannot be used: {os_reason(error)}.") from None
    return context


def _shake_hands(endpoint: Endpoint, context: ssl.SSLContext, deadline: float, timeout: float) -> Served:
    """Do one handshake; raise ssl.SSLCertVerificationError if verification fails, CertificateError otherwise."""
    server_name = asked_name(endpoint)
    try:
        context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=server_name)
    except (
        TypeError,
        ValueError,
    ):  # Checked before connecting, because the ssl module would leave the connection open.
        raise CertificateError("bad_name", f"{endpoint.server_name!r} cannot be sent as a server name.") from None
    try:
        # Closing the plain socket is harmless once the secure socket has taken it over.
        with _connect(endpoint, deadline, timeout) as plain:
            # The socket's limit applies to the whole handshake, so that slow bytes do not prolong it.
            plain.settimeout(max(deadline - time.monotonic(), 0.001))
            secure = context.wrap_socket(plain, server_hostname=server_name, do_handshake_on_connect=False)
        try:
            secure.do_handshake()
            der = secure.getpeercert(binary_form=True)
            chain = _chain_of(secure)
        finally:
            _close(secure)
    except ssl.SSLCertVerificationError:
        raise
    except OSError as error:
        raise _failed_handshake(error, endpoint, timeout) from None
    if not der:
        raise CertificateError("tls", f"{endpoint} serves no certificate.")
    return Served(parse_certificate(der), chain)


def _chain_of(secure: t.Any) -> tuple[Certificate, ...] | None:
    """Return all certificates that were sent; None before Python 3.13."""
    ask = getattr(secure, "get_unverified_chain", None)
    return tuple(parse_certificate(der) for der in ask()) if ask else None


def _close(secure: ssl.SSLSocket) -> None:
    """Close a connection with a TLS close notification, without waiting for that of the peer."""
    try:
        secure.settimeout(0)
        secure.unwrap()
    except (OSError, ValueError):
        pass
    secure.close()


def _connect(endpoint: Endpoint, deadline: float, timeout: float) -> socket.socket:
    """Return a connection to the first address that accepts one; the remaining time is divided among the addresses."""
    try:
        addresses = socket.getaddrinfo(host_of(endpoint.host.strip("[]")), endpoint.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise CertificateError("unresolved", f"The host name {endpoint.host} cannot be resolved.") from None
    failure: OSError | None = None
    for position, (family, kind, protocol, _canonical_name, address) in enumerate(addresses):
        connection = None
        try:
            connection = socket.socket(family, kind, protocol)
            connection.settimeout(max((deadline - time.monotonic()) / (len(addresses) - position), 0.001))
            connection.connect(address)
            return connection
        except OSError as error:
            failure = error
            if connection is not None:
                connection.close()
    if isinstance(failure, ConnectionRefusedError):
        raise CertificateError("refused", f"Nothing listens at {endpoint}.")
    if isinstance(failure, socket.timeout) or getattr(failure, "errno", None) == errno.ETIMEDOUT:
        raise CertificateError("timeout", f"{endpoint} did not accept a connection within {timeout:g} s.")
    if isinstance(failure, ConnectionResetError):
        raise CertificateError("reset", f"{endpoint} closed the connection at once.")
    raise CertificateError("unreachable", f"No connection to {endpoint}: {os_reason(failure)}.")


def _failed_handshake(error: OSError, endpoint: Endpoint, timeout: float) -> CertificateError:
    """Return the CertificateError for an error of the ssl module."""
    reason = getattr(error, "reason", None) or ""
    words = reason.replace("_", " ").lower()
    if isinstance(error, socket.timeout):
        return CertificateError(
            "timeout", f"{endpoint} accepts connections, but did not complete a TLS handshake within {timeout:g} s."
        )
    if (
        isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError))
        or not isinstance(error, ssl.SSLError)
        or reason.startswith("Closed before")
    ):
        return CertificateError("reset", f"{endpoint} closed the connection during the TLS handshake.")
    if reason in NOT_TLS:
        return CertificateError("not_tls", f"The service at {endpoint} does not speak TLS.")
    if "ALERT" in reason or reason == "TLSV1_UNRECOGNIZED_NAME":
        return CertificateError(
            "alert", f"{endpoint} refused the TLS handshake: {words}. It may have no certificate for the name."
        )
    return CertificateError("tls", f"The TLS handshake with {endpoint} failed: {words or type(error).__name__}.")
