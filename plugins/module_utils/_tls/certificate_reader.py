# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read certificates: X.509 in DER encoding, and PEM files with chain and key."""

from __future__ import annotations

import base64
import binascii
import calendar
import datetime
import hashlib
import ipaddress
import os
import re
import ssl
import stat
import typing as t

from .certificate import Certificate, CertificateError, Problem, covers, os_reason

# Read X.509 certificates in DER encoding (RFC 5280, X.690), because managed hosts need no library for it.

# The subset of DER (X.690) that certificates use. Lengths are checked against the content; nothing recurses, so that no
# input can exhaust memory or stack.

_INTEGER, _OCTET_STRING, _OID, _UTC_TIME, _GENERALIZED_TIME = 0x02, 0x04, 0x06, 0x17, 0x18
_SEQUENCE, _SET, _VERSION, _EXTENSIONS = 0x30, 0x31, 0xA0, 0xA3
_DNS_NAME, _IP_ADDRESS = 0x82, 0x87
_COMMON_NAME, _ALTERNATIVE_NAMES = "2.5.4.3", "2.5.29.17"
_LONGEST_OID = 64

# Types of text and their encodings. All software uses T61 as Latin-1, against its standard.
_TEXTS = {
    0x0C: "utf-8",
    0x12: "ascii",
    0x13: "ascii",
    0x14: "latin-1",
    0x16: "ascii",
    0x1A: "ascii",
    0x1C: "utf-32-be",
    0x1E: "utf-16-be",
}
# Short names of RFC 4514; other attributes are shown by object identifier.
_ATTRIBUTES = {
    "2.5.4.3": "CN",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "2.5.4.6": "C",
    "2.5.4.9": "STREET",
    "0.9.2342.19200300.100.1.25": "DC",
    "0.9.2342.19200300.100.1.1": "UID",
}


def _broken(detail: str) -> CertificateError:
    return CertificateError("broken", detail)


class _Elements:
    """Read the elements of DER content one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._position = 0

    def __bool__(self) -> bool:
        """Return whether elements are left."""
        return self._position < len(self._content)

    def next_is(self, *tags: int) -> bool:
        """Return whether the next element has one of the tags."""
        return bool(self) and self._content[self._position] in tags

    def take(self, *tags: int) -> bytes:
        """Return the content of the next element, which must have one of the tags."""
        if not self.next_is(*tags):
            raise _broken("an element is missing.")
        return self.take_any()[1]

    def take_any(self) -> tuple[int, bytes]:
        """Return tag and content of the next element."""
        header = self._content[self._position : self._position + 2]
        if len(header) < 2:
            raise _broken("it is cut off.")
        tag, length = header
        begin = self._position + 2
        if tag & 0x1F == 0x1F:
            raise _broken("it has an element of an unknown type.")
        if length >= 0x80:
            size = length & 0x7F
            digits = self._content[begin : begin + size]
            begin += size
            length = int.from_bytes(digits, "big")
            if not 1 <= size <= 4 or len(digits) < size or length < 0x80 or digits[0] == 0:
                raise _broken("it has an element with an invalid length.")
        self._position = begin + length
        if self._position > len(self._content):
            raise _broken("it is cut off.")
        return tag, self._content[begin : self._position]

    def end(self) -> None:
        """Raise CertificateError ``broken`` if elements are left."""
        if self:
            raise _broken("it has unexpected content at the end.")


def parse_certificate(der: bytes) -> Certificate:
    """Return the facts of a certificate in DER form (RFC 5280, 4.1).

    Any other bytes raise CertificateError ``broken``. The signature is not verified.
    """
    outer = _Elements(der)
    signed = _Elements(outer.take(_SEQUENCE))
    outer.end()
    fields = _Elements(signed.take(_SEQUENCE))
    signed.take(_SEQUENCE)  # algorithm of the signature
    signed.take(0x03)  # the signature
    signed.end()

    if fields.next_is(_VERSION):
        fields.take(_VERSION)
    serial_number = int.from_bytes(fields.take(_INTEGER), "big", signed=True)
    fields.take(_SEQUENCE)  # algorithm of the signature
    issuer = _attributes(fields.take(_SEQUENCE))
    validity = _Elements(fields.take(_SEQUENCE))
    begin, end = _moment(validity), _moment(validity)
    validity.end()
    subject = _attributes(fields.take(_SEQUENCE))
    fields.take(_SEQUENCE)  # public key
    while fields and not fields.next_is(_EXTENSIONS):
        fields.take(0x81, 0x82)  # unique identifiers
    names = _alternative_names(_Elements(fields.take(_EXTENSIONS))) if fields else None
    fields.end()
    return Certificate(
        fingerprint=hashlib.sha256(der).hexdigest(),
        subject=_distinguished_name(subject),
        issuer=_distinguished_name(issuer),
        serial_number=f"{serial_number:x}",
        names=_common_names(subject) if names is None else names,
        has_alternative_names=names is not None,
        not_before=begin.isoformat() + "Z",
        not_after=end.isoformat() + "Z",
        valid_from=calendar.timegm(begin.timetuple()),
        valid_until=calendar.timegm(end.timetuple()),
    )


def _moment(elements: _Elements) -> datetime.datetime:
    """Return the next element as a time: UTC, with seconds (RFC 5280, 4.1.2.5); two-digit years are 1950 to 2049."""
    is_short = elements.next_is(_UTC_TIME)
    content = elements.take(_UTC_TIME, _GENERALIZED_TIME)
    if not re.fullmatch(rb"[0-9]{12}Z" if is_short else rb"[0-9]{14}Z", content):
        raise _broken("it has an invalid time.")
    digits = content[:-1].decode("ascii")
    if is_short:
        digits = ("19" if digits >= "50" else "20") + digits
    try:
        month, day, hour, minute, second = (int(digits[at : at + 2]) for at in range(4, 14, 2))
        return datetime.datetime(int(digits[:4]), month, day, hour, minute, second)
    except ValueError:
        raise _broken("it has an invalid time.") from None


def _attributes(content: bytes) -> list[list[tuple[str, str | bytes]]]:
    """Return the rows of a distinguished name from the top down; a row has (object identifier, value) pairs, mostly
    one.
    """
    name, rows = _Elements(content), []
    while name:
        attributes, row = _Elements(name.take(_SET)), []
        while attributes:
            attribute = _Elements(attributes.take(_SEQUENCE))
            row.append((_object_identifier(attribute.take(_OID)), _text(*attribute.take_any())))
            attribute.end()
        rows.append(row)
    return rows


def _text(tag: int, content: bytes) -> str | bytes:
    """Return the text of an element; its bytes if it cannot be decoded."""
    try:
        return content.decode(_TEXTS[tag])
    except (KeyError, UnicodeError):
        return content


def _object_identifier(content: bytes) -> str:
    if not 0 < len(content) <= _LONGEST_OID or content[-1] >= 0x80:
        raise _broken("it has an invalid object identifier.")
    numbers, number = [], 0
    for byte in content:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def _distinguished_name(rows: t.Sequence[t.Sequence[tuple[str, str | bytes]]]) -> str:
    """Return a distinguished name by RFC 4514: from the bottom up."""
    return ",".join(
        "+".join(f"{_ATTRIBUTES.get(oid, oid)}={_escaped(value)}" for oid, value in row) for row in reversed(rows)
    )


def _common_names(rows: t.Sequence[t.Sequence[tuple[str, str | bytes]]]) -> tuple[str, ...]:
    return tuple(
        _printable(value) for row in rows for oid, value in row if oid == _COMMON_NAME and isinstance(value, str)
    )


def _escaped(value: str | bytes) -> str:
    """Return a value of a distinguished name, escaped by RFC 4514."""
    if isinstance(value, bytes):
        return "#" + value.hex()
    text = re.sub(r'([\\"+,;<>])', r"\\\1", value)
    if text.endswith(" "):
        text = text[:-1] + "\\ "
    return _printable("\\" + text if text.startswith((" ", "#")) else text)


def _printable(text: str) -> str:
    """Return a text with its control characters replaced by their bytes in hexadecimal, as in RFC 4514."""
    return re.sub(
        r"[\x00-\x1f\x7f-\x9f\u2028\u2029]",
        lambda found: "".join(f"\\{byte:02X}" for byte in found.group().encode()),
        text,
    )


def _alternative_names(extensions: _Elements) -> tuple[str, ...] | None:
    """Return DNS names, then IP addresses, of subjectAltName (RFC 5280, 4.2.1.6); None without that extension."""
    found: tuple[str, ...] | None = None
    entries = _Elements(extensions.take(_SEQUENCE))
    extensions.end()
    while entries:
        entry = _Elements(entries.take(_SEQUENCE))
        oid = _object_identifier(entry.take(_OID))
        if entry.next_is(0x01):
            entry.take(0x01)  # critical
        value = _Elements(entry.take(_OCTET_STRING))
        entry.end()
        if oid == _ALTERNATIVE_NAMES:
            if found is not None:
                raise _broken("it has the subjectAltName extension twice.")
            found = _general_names(_Elements(value.take(_SEQUENCE)))
            value.end()
    return found


def _general_names(entries: _Elements) -> tuple[str, ...]:
    names, addresses = [], []
    while entries:
        tag, content = entries.take_any()
        if tag == _DNS_NAME:
            names.append(_printable(content.decode("ascii", "backslashreplace")))
        elif tag == _IP_ADDRESS:
            if len(content) not in (4, 16):
                raise _broken("it has an invalid IP address.")
            addresses.append(str(ipaddress.ip_address(content)))
    return tuple(names + addresses)


# Read certificates from PEM files, and check that certificate, chain and key fit together.

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
