# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The certificate model: facts, problems, endpoints and the names that a certificate covers."""

from __future__ import annotations

import ipaddress
import re
import typing as t

SECONDS_A_DAY = 86400


class CertificateError(Exception):
    """Why a file or an endpoint gives no certificate. ``detail`` is a sentence; it never holds content of a file.

    ``kind`` is one of

    - of files: ``missing``, ``unreadable``, ``no_certificate``, ``broken``, ``broken_key``, ``encrypted_key``;
    - of endpoints: ``unresolved``, ``refused``, ``unreachable``, ``timeout``, ``reset``, ``not_tls``, ``alert`` (the
      server ended the handshake by an alert), ``tls`` (any other failure of the handshake), ``bad_name``.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail

    def __str__(self) -> str:
        return self.detail


class Problem(t.NamedTuple):
    """What is wrong with files; ``kind`` as in :class:`CertificateError`, or one of those that :func:`check_files`
    names.
    """

    kind: str
    text: str


class Certificate(t.NamedTuple):
    """The facts of one certificate."""

    fingerprint: str  # SHA-256, hexadecimal, lower case, without colons
    subject: str  # as RFC 4514 writes it: CN=a.example.com,O=Example
    issuer: str
    serial_number: str  # hexadecimal, lower case
    names: tuple[str, ...]  # DNS names, then IP addresses; the common name where it has no such extension
    has_alternative_names: bool  # whether names are those of the extension, which alone counts for clients of today
    not_before: str  # ISO 8601, UTC: 2026-01-31T12:00:00Z
    not_after: str
    valid_from: int  # the same in seconds since 1970
    valid_until: int

    def days_left(self, now: float) -> int:
        """Whole days for which it is still valid; negative where it has expired. ``now`` is in seconds since 1970."""
        return int((self.valid_until - now) // SECONDS_A_DAY)

    def as_result(self, now: float) -> dict[str, t.Any]:
        """The form in which results show it."""
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
    """A port that serves TLS. ``server_name`` is asked for by SNI; nothing is where it is empty or an IP address."""

    host: str
    port: int
    server_name: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host and not self.host.startswith("[") else self.host
        return f"{host}:{self.port}" + (f" ({self.server_name})" if self.server_name else "")


class Served(t.NamedTuple):
    """What an endpoint serves."""

    certificate: Certificate
    chain: (
        tuple[Certificate, ...] | None
    )  # all that was sent, the certificate first; None where Python is older than 3.13
    verified: bool | None = None  # None where it was not to be verified
    verify_error: str | None = None


# Names and fingerprints


def normalize_fingerprint(text: str) -> str | None:
    """A SHA-256 fingerprint in the form of :class:`Certificate`, or None where the text is none.

    Taken are upper and lower case, with and without colons or blanks, also behind ``sha256:`` or ``SHA256
    Fingerprint=``.
    """
    digits = re.sub(r"^\s*sha-?256(\s+fingerprint)?\s*[:=]", "", text, flags=re.IGNORECASE)
    digits = re.sub(r"[:\s]", "", digits).lower()
    return digits if re.fullmatch(r"[0-9a-f]{64}", digits) else None


def covers(certificate: Certificate, host_name: str) -> bool:
    """Whether a certificate is for a host name.

    A wildcard stands for one whole label (RFC 6125). The name may be a pattern of a virtual host: ``*`` is any name and
    needs none in particular; ``*.example.com`` needs that very name.
    """
    desired = _plain_host(host_name)
    address = ip_address_of(desired)
    if address is not None:
        return any(ip_address_of(name) == address for name in certificate.names)
    if desired == "*":
        return True
    wildcard = "*." + desired.partition(".")[2]
    # As OpenSSL does, a wildcard right above the top is not taken: *.com is for nobody.
    return any(
        name == desired or (name == wildcard and name.count(".") > 1) for name in map(_plain_host, certificate.names)
    )


def _plain_host(name: str) -> str:
    """A host name as it is compared: lower case, ASCII, without the dot at its end; an IPv6 address without brackets."""
    plain = name.strip().rstrip(".").lower()
    if plain.startswith("[") and plain.endswith("]"):
        plain = plain[1:-1]
    if ":" in plain:  # no certificate knows the zone of an address
        plain = plain.partition("%")[0]
    try:
        return plain if plain.isascii() else plain.encode("idna").decode("ascii")
    except UnicodeError:
        return plain


def ip_address_of(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def os_reason(error: BaseException | None) -> str:
    """What the operating system says, or the kind of the exception."""
    return getattr(error, "strerror", None) or type(error).__name__
