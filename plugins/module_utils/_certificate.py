# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates: what stands in PEM files, and what a TLS port serves.

Only the standard library is used, as nothing else can be counted on where modules run. The `ssl` module gives the
details of a certificate only after it has verified it, so they are read from the DER here, as far as they are needed
(RFC 5280). Repetition and waiting are not decided here.
"""

from __future__ import annotations

import base64
import binascii
import calendar
import datetime
import errno
import hashlib
import ipaddress
import os
import re
import socket
import ssl
import stat
import time
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._connections import NOT_TLS, host_of

SECONDS_A_DAY = 86400
LARGEST_FILE = 1024 * 1024
"""Bytes; files of certificates and keys have a few thousand."""

# Of OpenSSL's suites: the server offers nothing but AES128-SHA where HTTP/2 is off (https_server.cpp, tls_context.cpp [read]),
# which the ssl module leaves out. A handshake that identifies sends nothing that needs protection.
_CIPHERS = "DEFAULT"
# The key is sound and belongs to another certificate; the last two where it is of another type.
_MISMATCHES = ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED")


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
    """What is wrong with files; ``kind`` as in :class:`CertificateError`, or one of those that :func:`check_files` names."""

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
    chain: tuple[Certificate, ...] | None  # all that was sent, the certificate first; None where Python is older than 3.13
    verified: bool | None = None  # None where it was not to be verified
    verify_error: str | None = None


# Files


def read_pem_certificates(path: str) -> list[Certificate]:
    """The certificates of a PEM file in their order; a server presents the first.

    Raises CertificateError: ``missing``, ``unreadable``, ``no_certificate``, ``broken``. Blocks of other kinds, such as
    private keys, are skipped without being looked at.
    """
    found: list[Certificate] = []
    for der in _certificate_blocks(_read_file(path), path):
        try:
            found.append(parse_certificate(der))
        except CertificateError as error:
            raise CertificateError(error.kind, f"Certificate {len(found) + 1} in {path} is broken: {error.detail}") from None
    if not found:
        raise CertificateError("no_certificate", f"{path} holds no certificate in PEM form.")
    return found


def _certificate_blocks(content: bytes, path: str) -> t.Iterator[bytes]:
    """The DER of each CERTIFICATE block."""
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


def _read_file(path: str) -> bytes:
    """The content of an ordinary file, which must not be large."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would keep us waiting
            raise CertificateError("unreadable", f"{path} is no ordinary file.")
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise CertificateError("missing", f"There is no file {path}.") from None
    except (OSError, ValueError) as error:
        raise CertificateError("unreadable", f"{path} cannot be read: {_reason(error)}.") from None
    if len(content) > LARGEST_FILE:
        raise CertificateError("broken", f"{path} is too large to be a file of certificates.")
    return content


def key_matches(cert_path: str, key_path: str) -> bool:
    """Whether the private key belongs to the first certificate of the other file.

    Raises CertificateError: that of :func:`read_pem_certificates` for either file, ``encrypted_key`` where the key asks for a
    password (the server cannot give one), ``broken_key`` where it is no key in PEM form.
    """
    read_pem_certificates(cert_path)
    _read_file(key_path)

    def refuse() -> str:
        raise CertificateError("encrypted_key", f"The key in {key_path} is encrypted.")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.set_ciphers("ALL:@SECLEVEL=0")  # whether the key is strong enough is not asked here
    try:
        context.load_cert_chain(cert_path, key_path, password=refuse)
    except ssl.SSLError as error:
        if error.reason in _MISMATCHES:
            return False
        raise CertificateError("broken_key", f"{key_path} holds no private key in PEM form that can be used.") from None
    return True


def check_files(cert_path: str, chain_path: str | None, key_path: str | None, names: t.Iterable[str], now: float) -> list[Problem]:
    """What is wrong with files that a server is to use; the empty list where nothing is.

    ``names`` are host names of the virtual host, ``now`` is in seconds since 1970. Kinds beside those of files:
    ``key_mismatch``, ``expired``, ``not_yet_valid``, ``name_not_covered``, ``chain_order``, and ``chain_in_certificate``, as the
    server takes the first certificate of the certificate file and ignores the others (ovcrypto/certificate.cpp [read]).
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
        problems.append(Problem("key_mismatch", f"The key in {key_path} is not that of the certificate in {cert_path}."))
    elif key_path and not own:
        attempt(lambda: _read_file(key_path), None)
    for path, certificates in ((cert_path, own[:1]), (chain_path, chain)):
        for certificate in certificates:
            problems += _out_of_time(certificate, str(path), now)
    if own:
        problems += [
            Problem("name_not_covered", f"The certificate in {cert_path} is not for {name}. It is for {', '.join(own[0].names) or 'no name'}.")
            for name in names
            if not covers(own[0], name)
        ]
        problems += _out_of_order(own[0], chain, str(chain_path))
        if len(own) > 1 and not chain_path:
            text = f"{cert_path} holds {len(own)} certificates, of which the server uses the first. The others belong into a file of their own."
            problems.append(Problem("chain_in_certificate", text))
    return problems


def _out_of_time(certificate: Certificate, path: str, now: float) -> t.Iterator[Problem]:
    if now > certificate.valid_until:
        yield Problem("expired", f"The certificate {certificate.subject} in {path} expired at {certificate.not_after}.")
    if now < certificate.valid_from:
        yield Problem("not_yet_valid", f"The certificate {certificate.subject} in {path} is not valid before {certificate.not_before}.")


def _out_of_order(certificate: Certificate, chain: t.Sequence[Certificate], path: str) -> list[Problem]:
    """Each issuer must be the subject of the next; a root at the end is its own issuer."""
    for issued, issuer in zip([certificate, *chain], chain):
        if issuer.fingerprint == certificate.fingerprint:
            return [Problem("chain_order", f"{path} holds the certificate itself. It must begin with that of its issuer, {certificate.issuer}.")]
        if _plain_name(issued.issuer) != _plain_name(issuer.subject):
            text = f"In {path}, {issuer.subject} stands where the issuer of {issued.subject} is expected, which is {issued.issuer}."
            return [Problem("chain_order", text)]
    return []


def _plain_name(text: str) -> str:
    """A distinguished name as it is compared (RFC 5280, 7.1): case and repeated blanks mean nothing."""
    return " ".join(text.casefold().split())


# Names and fingerprints


def normal_fingerprint(text: str) -> str | None:
    """A SHA-256 fingerprint in the form of :class:`Certificate`, or None where the text is none.

    Taken are upper and lower case, with and without colons or blanks, also behind ``sha256:`` or ``SHA256 Fingerprint=``.
    """
    digits = re.sub(r"^\s*sha-?256(\s+fingerprint)?\s*[:=]", "", text, flags=re.IGNORECASE)
    digits = re.sub(r"[:\s]", "", digits).lower()
    return digits if re.fullmatch(r"[0-9a-f]{64}", digits) else None


def covers(certificate: Certificate, host_name: str) -> bool:
    """Whether a certificate is for a host name.

    A wildcard stands for one whole label (RFC 6125). The name may be a pattern of a virtual host: ``*`` is any name and
    needs none in particular; ``*.example.com`` needs that very name.
    """
    wanted = _plain_host(host_name)
    address = _address(wanted)
    if address is not None:
        return any(_address(name) == address for name in certificate.names)
    if wanted == "*":
        return True
    wildcard = "*." + wanted.partition(".")[2]
    # As OpenSSL does, a wildcard right above the top is not taken: *.com is for nobody.
    return any(name == wanted or (name == wildcard and name.count(".") > 1) for name in map(_plain_host, certificate.names))


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


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


# Handshakes


def handshake(endpoint: Endpoint, *, timeout: float, verify_chain: bool = False, ca_path: str | None = None) -> Served:
    """What an endpoint serves now: one handshake, or two where verification fails.

    By default nothing is verified, as an expired certificate, or one of an unknown authority, is to be identified too. With
    ``verify_chain`` the chain must lead to an authority of ``ca_path`` (file or directory; the system's where None), and the
    certificate must be for ``server_name``, or for ``host`` where that is empty; what is served is told also where it does not.
    ``timeout`` is in seconds and covers all but the resolution of the name. Raises CertificateError, also for ``ca_path``.
    """
    deadline = time.monotonic() + timeout
    if not verify_chain:
        return _shake_hands(endpoint, _identifying_context(), deadline, timeout)
    try:
        served = _shake_hands(endpoint, _verifying_context(ca_path), deadline, timeout)
    except ssl.SSLCertVerificationError as error:
        served = _shake_hands(endpoint, _identifying_context(), deadline, timeout)
        return served._replace(verified=False, verify_error=error.verify_message)
    # The ssl module checks names only where it also asks for them by SNI, which is not ours to choose.
    name = endpoint.server_name or endpoint.host
    if served.certificate.has_alternative_names and covers(served.certificate, name):
        return served._replace(verified=True)
    return served._replace(verified=False, verify_error=f"the certificate is not for {name}")


def asked_name(endpoint: Endpoint) -> str | None:
    """Return the name that a handshake asks for by SNI; None if it asks for none, as for an address."""
    name = endpoint.server_name.rstrip(".")
    return None if not name or _address(name) else name


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
        read_pem_certificates(ca_path)  # says what is wrong, which the ssl module does not
        try:
            context.load_verify_locations(cafile=ca_path)
        except OSError as error:
            raise CertificateError("broken", f"{ca_path} cannot be used: {_reason(error)}.") from None
    return context


def _shake_hands(endpoint: Endpoint, context: ssl.SSLContext, deadline: float, timeout: float) -> Served:
    """One handshake. Lets the error of a failed verification through."""
    server_name = asked_name(endpoint)
    try:
        context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname=server_name)
    except (TypeError, ValueError):  # found before there is a connection, which the ssl module would leave open
        raise CertificateError("bad_name", f"{endpoint.server_name!r} cannot be asked for as a server name.") from None
    try:
        with _connect(endpoint, deadline, timeout) as plain:  # whose closing is harmless once the secure socket has taken it over
            # The limit of the socket holds for the handshake as a whole, so that bytes that trickle do not prolong it.
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
    """All certificates that were sent; Python tells from 3.13 on."""
    ask = getattr(secure, "get_unverified_chain", None)
    return tuple(parse_certificate(der) for der in ask()) if ask else None


def _close(secure: ssl.SSLSocket) -> None:
    """Says goodbye as TLS wants it, without waiting for an answer."""
    try:
        secure.settimeout(0)
        secure.unwrap()
    except (OSError, ValueError):
        pass
    secure.close()


def _connect(endpoint: Endpoint, deadline: float, timeout: float) -> socket.socket:
    """A connection to the first address that takes one; the time left is shared out among the addresses."""
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
        raise CertificateError("timeout", f"No connection to {endpoint} within {timeout:g} s.")
    if isinstance(failure, ConnectionResetError):
        raise CertificateError("reset", f"{endpoint} closed the connection at once.")
    raise CertificateError("unreachable", f"No connection to {endpoint}: {_reason(failure)}.")


def _failed_handshake(error: OSError, endpoint: Endpoint, timeout: float) -> CertificateError:
    """Sorts what the ssl module raises."""
    reason = getattr(error, "reason", None) or ""
    words = reason.replace("_", " ").lower()
    if isinstance(error, socket.timeout):
        return CertificateError("timeout", f"{endpoint} accepts connections, but did not complete a TLS handshake within {timeout:g} s.")
    if isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError)) or not isinstance(error, ssl.SSLError) or reason.startswith("Closed before"):
        return CertificateError("reset", f"{endpoint} closed the connection during the TLS handshake.")
    if reason in NOT_TLS:
        return CertificateError("not_tls", f"What listens at {endpoint} does not speak TLS.")
    if "ALERT" in reason or reason == "TLSV1_UNRECOGNIZED_NAME":
        return CertificateError("alert", f"{endpoint} refused the TLS handshake: {words}. It may have no certificate for the name.")
    return CertificateError("tls", f"The TLS handshake with {endpoint} failed: {words or type(error).__name__}.")


def _reason(error: BaseException | None) -> str:
    """What the operating system says, or the kind of the exception."""
    return getattr(error, "strerror", None) or type(error).__name__


# DER (X.690), as far as a certificate needs it. Lengths are checked against what is there, nothing nests by recursion.

_INTEGER, _OCTET_STRING, _OID, _UTC_TIME, _GENERALIZED_TIME = 0x02, 0x04, 0x06, 0x17, 0x18
_SEQUENCE, _SET, _VERSION, _EXTENSIONS = 0x30, 0x31, 0xA0, 0xA3
_DNS_NAME, _IP_ADDRESS = 0x82, 0x87
_COMMON_NAME, _ALTERNATIVE_NAMES = "2.5.4.3", "2.5.29.17"
_LONGEST_OID = 64

# Types of text and how they are encoded. T61 is used as Latin-1 everywhere, whatever its standard says.
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
# Short names of RFC 4514; other attributes are named by their number.
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
    """The elements in some DER, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._position = 0

    def __bool__(self) -> bool:
        """Whether something is left."""
        return self._position < len(self._content)

    def next_is(self, *tags: int) -> bool:
        """Whether the next element has one of the tags."""
        return bool(self) and self._content[self._position] in tags

    def take(self, *tags: int) -> bytes:
        """The content of the next element, which must have one of the tags."""
        if not self.next_is(*tags):
            raise _broken("an element is missing.")
        return self.take_any()[1]

    def take_any(self) -> tuple[int, bytes]:
        """Tag and content of the next element."""
        header = self._content[self._position : self._position + 2]
        if len(header) < 2:
            raise _broken("it is cut off.")
        tag, length = header
        begin = self._position + 2
        if tag & 0x1F == 0x1F:
            raise _broken("it has an element of an unknown kind.")
        if length >= 0x80:
            size = length & 0x7F
            digits = self._content[begin : begin + size]
            begin += size
            length = int.from_bytes(digits, "big")
            if not 1 <= size <= 4 or len(digits) < size or length < 0x80 or digits[0] == 0:
                raise _broken("it has an element without a proper length.")
        self._position = begin + length
        if self._position > len(self._content):
            raise _broken("it is cut off.")
        return tag, self._content[begin : self._position]

    def end(self) -> None:
        """Nothing may be left."""
        if self:
            raise _broken("it holds more than it should.")


def parse_certificate(der: bytes) -> Certificate:
    """The facts of a certificate in DER form (RFC 5280, 4.1). Raises CertificateError ``broken``, whatever the bytes are.

    The signature is not verified.
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
    """A time, always UTC and with seconds (RFC 5280, 4.1.2.5). Two digits of a year are those of 1950 to 2049."""
    is_short = elements.next_is(_UTC_TIME)
    content = elements.take(_UTC_TIME, _GENERALIZED_TIME)
    if not re.fullmatch(rb"[0-9]{12}Z" if is_short else rb"[0-9]{14}Z", content):
        raise _broken("it has a time that is none.")
    digits = content[:-1].decode("ascii")
    if is_short:
        digits = ("19" if digits >= "50" else "20") + digits
    try:
        month, day, hour, minute, second = (int(digits[at : at + 2]) for at in range(4, 14, 2))
        return datetime.datetime(int(digits[:4]), month, day, hour, minute, second)
    except ValueError:
        raise _broken("it has a time that is none.") from None


def _attributes(content: bytes) -> list[list[tuple[str, str | bytes]]]:
    """A distinguished name: its rows from the top down, each of one attribute, seldom of more: object identifier and value."""
    name, rows = _Elements(content), []
    while name:
        members, row = _Elements(name.take(_SET)), []
        while members:
            attribute = _Elements(members.take(_SEQUENCE))
            row.append((_object_identifier(attribute.take(_OID)), _text(*attribute.take_any())))
            attribute.end()
        rows.append(row)
    return rows


def _text(tag: int, content: bytes) -> str | bytes:
    """Some text; its bytes where it cannot be read as such."""
    try:
        return content.decode(_TEXTS[tag])
    except (KeyError, UnicodeError):
        return content


def _object_identifier(content: bytes) -> str:
    if not 0 < len(content) <= _LONGEST_OID or content[-1] >= 0x80:
        raise _broken("it has an object identifier that is none.")
    numbers, number = [], 0
    for byte in content:
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))


def _distinguished_name(rows: t.Sequence[t.Sequence[tuple[str, str | bytes]]]) -> str:
    """As RFC 4514 writes it: from the bottom up."""
    return ",".join("+".join(f"{_ATTRIBUTES.get(oid, oid)}={_escaped(value)}" for oid, value in row) for row in reversed(rows))


def _common_names(rows: t.Sequence[t.Sequence[tuple[str, str | bytes]]]) -> tuple[str, ...]:
    return tuple(_printable(value) for row in rows for oid, value in row if oid == _COMMON_NAME and isinstance(value, str))


def _escaped(value: str | bytes) -> str:
    """A value in a distinguished name."""
    if isinstance(value, bytes):
        return "#" + value.hex()
    text = re.sub(r'([\\"+,;<>])', r"\\\1", value)
    if text.endswith(" "):
        text = text[:-1] + "\\ "
    return _printable("\\" + text if text.startswith((" ", "#")) else text)


def _printable(text: str) -> str:
    """Without control characters, as it is shown to people: their bytes take their place, as in RFC 4514."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", lambda found: "".join(f"\\{byte:02X}" for byte in found.group().encode()), text)


def _alternative_names(extensions: _Elements) -> tuple[str, ...] | None:
    """DNS names, then IP addresses, of the extension subjectAltName (RFC 5280, 4.2.1.6); None where there is none."""
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
                raise _broken("it has the extension for names twice.")
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
                raise _broken("it has an IP address that is none.")
            addresses.append(str(ipaddress.ip_address(content)))
    return tuple(names + addresses)
