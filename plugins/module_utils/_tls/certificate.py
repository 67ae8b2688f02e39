# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Endpoints, and the certificate model: facts, problems, and the names that a certificate covers."""

from __future__ import annotations

import ipaddress
import re
import typing as t

# Spell hosts for the operating system, and recognize endpoints that do not speak TLS.

# OpenSSL's reasons if the peer does not speak TLS.
NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")


def host_of(host: str) -> str:
    """Return the host of a URL in the spelling of the operating system.

    A URL spells the % before the zone of an IPv6 address as %25 (RFC 6874).
    """
    return host.replace("%25", "%", 1) if ":" in host else host


# The certificate model: facts, problems, endpoints and the names that a certificate covers.

SECONDS_A_DAY = 86400


class CertificateError(Exception):
    """Why no certificate could be read from a file or an endpoint.

    ``detail`` is a sentence that never contains content of a file. ``kind`` is one of

    - of files: ``missing``, ``unreadable``, ``no_certificate``, ``broken``, ``broken_key``, ``encrypted_key``;
    - of endpoints: ``unresolved``, ``refused``, ``unreachable``, ``timeout``, ``reset``, ``not_tls``, ``alert`` (the
      server ended the handshake with an alert), ``tls`` (any other failure of the handshake), ``bad_name``.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


class Problem(t.NamedTuple):
    """A fault of certificate files; ``kind`` as in :class:`CertificateError` and :func:`pem_files.check_files`."""

    kind: str
    text: str


class Certificate(t.NamedTuple):
    """The facts of one certificate."""

    fingerprint: str  # SHA-256, hexadecimal, lower case, without colons
    subject: str  # by RFC 4514: CN=a.example.com,O=Example
    issuer: str
    serial_number: str  # hexadecimal, lower case
    names: tuple[str, ...]  # DNS names, then IP addresses; the common name if it has no subjectAltName
    has_alternative_names: bool  # whether names come from subjectAltName, the only source for current clients
    not_before: str  # ISO 8601, UTC: 2026-01-31T12:00:00Z
    not_after: str
    valid_from: int  # the same in seconds since 1970
    valid_until: int

    def days_left(self, now: float) -> int:
        """Return the whole days until it expires, negative if it has expired; ``now`` is in seconds since 1970."""
        return int((self.valid_until - now) // SECONDS_A_DAY)

    def as_result(self, now: float) -> dict[str, t.Any]:
        """Return the certificate as results show it; ``now`` is in seconds since 1970."""
        return {
            "fingerprint": self.fingerprint,
            "subject": self.subject,
            "names": list(self.names),
            "issuer": self.issuer,
            "not_before": self.not_before,
            "not_after": self.not_after,
            "days_left": self.days_left(now),
        }


class Endpoint(t.NamedTuple):
    """A port that serves TLS. ``server_name`` is sent by SNI, unless it is empty or an IP address."""

    host: str
    port: int
    server_name: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host and not self.host.startswith("[") else self.host
        return f"{host}:{self.port}" + (f" ({self.server_name})" if self.server_name else "")


class Served(t.NamedTuple):
    """The certificates that an endpoint serves, and whether clients can verify them."""

    certificate: Certificate
    # All certificates that were sent, the endpoint's own first; None before Python 3.13.
    chain: tuple[Certificate, ...] | None
    verified: bool | None = None  # None if verification was not requested
    verify_error: str | None = None


# Names and fingerprints


def normalize_fingerprint(text: str) -> str | None:
    """Return a SHA-256 fingerprint in the form of :class:`Certificate`, or None if the text is none.

    Accept upper and lower case, colons and blanks, and the prefixes ``sha256:`` and ``SHA256 Fingerprint=``.
    """
    digits = re.sub(r"^\s*sha-?256(\s+fingerprint)?\s*[:=]", "", text, flags=re.IGNORECASE)
    digits = re.sub(r"[:\s]", "", digits).lower()
    return digits if re.fullmatch(r"[0-9a-f]{64}", digits) else None


def covers(certificate: Certificate, host_name: str) -> bool:
    """Return whether a certificate is valid for a host name.

    A wildcard in the certificate matches one whole label (RFC 6125). ``host_name`` can be a pattern of a virtual host:
    every certificate covers ``*``; only a certificate for ``*.example.com`` covers ``*.example.com``.
    """
    plain = _plain_host(host_name)
    address = ip_address_of(plain)
    if address is not None:
        return any(ip_address_of(name) == address for name in certificate.names)
    if plain == "*":
        return True
    wildcard = "*." + plain.partition(".")[2]
    # Like OpenSSL, ignore wildcards for a top-level domain such as *.com.
    return any(
        name == plain or (name == wildcard and name.count(".") > 1) for name in map(_plain_host, certificate.names)
    )


def _plain_host(name: str) -> str:
    """Return a host name for comparison: lower case, ASCII, no trailing dot, an IPv6 address without brackets."""
    plain = name.strip().rstrip(".").lower()
    if plain.startswith("[") and plain.endswith("]"):
        plain = plain[1:-1]
    if ":" in plain:  # Certificates have no zones of addresses.
        plain = plain.partition("%")[0]
    try:
        return plain if plain.isascii() else plain.encode("idna").decode("ascii")
    except UnicodeError:
        return plain


def ip_address_of(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address in a text; None if it is none."""
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def os_reason(error: BaseException | None) -> str:
    """Return the reason that the operating system reports, or the type of the exception."""
    return getattr(error, "strerror", None) or type(error).__name__
