# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read X.509 certificates in DER encoding (RFC 5280, X.690), because managed hosts need no library for it."""

from __future__ import annotations

import calendar
import datetime
import hashlib
import ipaddress
import re
import typing as t

from .certificate import Certificate, CertificateError

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
