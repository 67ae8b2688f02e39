# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates: files, names, TLS handshakes; the DER reader is compared with `cryptography`."""

from __future__ import annotations

import base64
import calendar
import contextlib
import datetime
import ipaddress
import os
import socket
import ssl
import threading
import types
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls import certificate as certificate_module
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls import certificate_reader
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls import handshake as handshake_module
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import (
    CertificateError,
    Endpoint,
    covers,
    normalize_fingerprint,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate_reader import (
    check_files,
    key_matches,
    parse_certificate,
    read_pem_certificates,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.handshake import handshake
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE, wait_until_readable
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import unused_port
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.x509.name import _ASN1Type
from cryptography.x509.oid import NameOID
from hypothesis import example, given
from hypothesis import strategies as st

NOW = 1_800_000_000.0
DAY = 86400
OF_NOW = datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
OTHER_KEY = ec.generate_private_key(ec.SECP256R1())
ED_KEY = ed25519.Ed25519PrivateKey.generate()


@lru_cache
def rsa_key() -> rsa.RSAPrivateKey:
    """Return a key; it is created once, because that is slow."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def name(*attributes: Any) -> x509.Name:
    """Return a distinguished name of (OID, text) or (OID, text, type), from the top down."""
    return x509.Name([x509.NameAttribute(*attribute) for attribute in attributes])


def make(
    subject: Any = None,
    alternative: list[Any] | None = None,
    *,
    issuer: Any = None,
    key: Any = EC_KEY,
    signed_by: Any = None,
    begin: datetime.datetime | None = None,
    end: datetime.datetime | None = None,
    serial: int = 1234567890,
    ca: bool = False,
) -> x509.Certificate:
    """Return a certificate, self-signed by default."""
    subject = name((NameOID.COMMON_NAME, "a.example.com")) if subject is None else subject
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(subject if issuer is None else issuer)
    builder = builder.public_key(key.public_key()).serial_number(serial)
    builder = builder.not_valid_before(begin or OF_NOW - datetime.timedelta(days=1)).not_valid_after(
        end or OF_NOW + datetime.timedelta(days=30)
    )
    if ca:
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    if alternative is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName(alternative), critical=False)
    signer = signed_by or key
    return builder.sign(signer, None if isinstance(signer, ed25519.Ed25519PrivateKey) else hashes.SHA256())


def pem(*certificates: x509.Certificate) -> bytes:
    """Return certificates in PEM form."""
    return b"".join(certificate.public_bytes(Encoding.PEM) for certificate in certificates)


def key_pem(key: Any, password: bytes | None = None) -> bytes:
    """Return a key in PEM form."""
    return key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password) if password else NoEncryption()
    )


def IP(text: str) -> x509.IPAddress:
    """Return an IP address as an alternative name."""
    return x509.IPAddress(ipaddress.ip_address(text))


DNS = x509.DNSName
ORG, CN, C = NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME, NameOID.COUNTRY_NAME
MANY = {
    "plain": lambda: make(alternative=[DNS("a.example.com"), DNS("b.example.com")]),
    "rsa": lambda: make(key=rsa_key(), alternative=[DNS("a.example.com")]),
    "ed25519": lambda: make(key=ED_KEY, alternative=[DNS("a.example.com")]),
    "no alternative names": make,
    "wildcard and addresses": lambda: make(alternative=[IP("192.0.2.1"), DNS("*.example.com"), IP("2001:db8::1")]),
    "other kinds of names": lambda: make(
        alternative=[x509.RFC822Name("a@example.com"), x509.UniformResourceIdentifier("urn:a"), DNS("a.example.com")]
    ),
    "only other kinds of names": lambda: make(alternative=[x509.RFC822Name("a@example.com")]),
    "empty subject": lambda: make(x509.Name([]), [DNS("a.example.com")]),
    "long subject": lambda: make(
        name(
            (C, "DE"), (NameOID.STATE_OR_PROVINCE_NAME, "S"), (ORG, "Ex"), (NameOID.DOMAIN_COMPONENT, "com"), (CN, "a")
        )
    ),
    "unicode": lambda: make(name((ORG, "Füße 日本 \U0001f600"), (CN, "bücher.example"))),
    "idn": lambda: make(name((CN, "xn--bcher-kva.example")), [DNS("xn--bcher-kva.example")]),
    "special characters": lambda: make(name((ORG, ' a,b+c"d\\e;f<g>h '), (CN, "#b"), (NameOID.LOCALITY_NAME, " "))),
    "unknown attribute": lambda: make(
        name((NameOID.EMAIL_ADDRESS, "a@example.com"), (x509.ObjectIdentifier("2.999.4294967296"), "x"))
    ),
    "types of text": lambda: make(
        name(
            (ORG, "Bücher 日本", _ASN1Type.BMPString),
            (CN, "Bücher \U0001f600", _ASN1Type.UniversalString),
            (ORG, "ia5", _ASN1Type.IA5String),
        )
    ),
    "visible and numeric": lambda: make(
        name((ORG, "visible", _ASN1Type.VisibleString), (CN, "12 34", _ASN1Type.NumericString))
    ),
    "several in a row": lambda: make(
        x509.Name(
            [
                x509.RelativeDistinguishedName([x509.NameAttribute(ORG, "Ex")]),
                x509.RelativeDistinguishedName([x509.NameAttribute(CN, "a"), x509.NameAttribute(NameOID.USER_ID, "7")]),
            ]
        )
    ),
    "after 2050": lambda: make(end=datetime.datetime(2051, 2, 3, 4, 5, 6)),
    "for ever": lambda: make(end=datetime.datetime(9999, 12, 31, 23, 59, 59)),
    "from the last century": lambda: make(
        begin=datetime.datetime(1950, 1, 1), end=datetime.datetime(1999, 12, 31, 23, 59, 59)
    ),
    "last of the short years": lambda: make(end=datetime.datetime(2049, 12, 31, 23, 59, 59)),
    "large serial number": lambda: make(serial=2**159 - 1),
    "issued": lambda: make(issuer=name((ORG, "Authority"), (CN, "Root 1")), signed_by=ED_KEY, ca=True),
    "many names": lambda: make(alternative=[DNS(f"host-{number}.example.com") for number in range(2000)]),
}


def der_of(case: str) -> bytes:
    """Return one of the many certificates in DER form; it is created once per run."""
    return _made(case).public_bytes(Encoding.DER)


@lru_cache
def _made(case: str) -> x509.Certificate:
    return MANY[case]()


def expected_names(certificate: x509.Certificate) -> tuple[str, ...]:
    """Return the names that `cryptography` reads."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return tuple(str(attribute.value) for attribute in certificate.subject.get_attributes_for_oid(CN))
    return (*found.get_values_for_type(DNS), *map(str, found.get_values_for_type(x509.IPAddress)))


# -- DER reader ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", MANY)
def test_certificates_are_read_like_cryptography_does(case: str) -> None:
    made = _made(case)
    found = parse_certificate(der_of(case))
    assert found.fingerprint == made.fingerprint(hashes.SHA256()).hex()
    assert found.subject == made.subject.rfc4514_string()
    assert found.issuer == made.issuer.rfc4514_string()
    assert int(found.serial_number, 16) == made.serial_number
    assert found.names == expected_names(made)
    assert found.has_alternative_names is ("subjectAltName" in str(list(made.extensions)))
    for text, seconds, moment in (
        (found.not_before, found.valid_from, made.not_valid_before_utc),
        (found.not_after, found.valid_until, made.not_valid_after_utc),
    ):
        assert text == moment.isoformat().replace("+00:00", "Z")
        assert seconds == calendar.timegm(moment.utctimetuple())


@pytest.mark.parametrize("authority", range(3))
def test_certificates_of_trustme_are_read(authority: int) -> None:
    issued = (
        trustme.CA()
        .create_child_ca()
        .issue_cert("a.example.com", "*.b.example.com", f"192.0.2.{authority}", "::1", common_name="Ä, b")
    )
    for blob in issued.cert_chain_pems:
        made = x509.load_pem_x509_certificate(blob.bytes())
        found = parse_certificate(made.public_bytes(Encoding.DER))
        assert (found.subject, found.issuer) == (made.subject.rfc4514_string(), made.issuer.rfc4514_string())


@pytest.mark.filterwarnings("ignore:Parsed a serial number")
def test_certificates_of_the_system_store_are_read() -> None:
    context = ssl.create_default_context()
    for der in context.get_ca_certs(binary_form=True):
        made = x509.load_der_x509_certificate(der)
        found = parse_certificate(der)
        assert found.fingerprint == made.fingerprint(hashes.SHA256()).hex()
        assert found.valid_until == calendar.timegm(made.not_valid_after_utc.utctimetuple())


def replaced(case: str, old: bytes, new: bytes) -> bytes:
    """Return one of the many certificates with some bytes replaced."""
    der = der_of(case)
    assert len(old) == len(new) and old in der
    return der.replace(old, new)


def test_undecodable_text_is_shown_as_bytes() -> None:
    """Type 0x0C is UTF-8; a certificate with another encoding is read nevertheless."""
    odd = parse_certificate(replaced("no alternative names", b"\x0c\x0da.example.com", b"\x0c\x0d\xff.example.com"))
    assert odd.subject == "CN=#ff2e6578616d706c652e636f6d"
    assert odd.names == ()
    latin = parse_certificate(replaced("no alternative names", b"\x0c\x0da.example.com", b"\x14\x0d\xe4.example.com"))
    assert latin.subject == "CN=ä.example.com"
    unknown = parse_certificate(replaced("no alternative names", b"\x0c\x0da.example.com", b"\x03\x0da.example.com"))
    assert unknown.subject == "CN=#612e6578616d706c652e636f6d"


def test_control_characters_are_escaped() -> None:
    odd = parse_certificate(replaced("plain", b"\x82\x0da.example.com", b"\x82\x0da\n\x00\xffample.com"))
    assert odd.names[0] == "a\\0A\\00\\xffample.com"
    assert (
        parse_certificate(make(name((CN, "a\nb\u2028"))).public_bytes(Encoding.DER)).subject == "CN=a\\0Ab\\E2\\80\\A8"
    )


BAD = {
    "empty": b"",
    "one byte": b"\x30",
    "long form without need": b"\x30\x81\x05" + bytes(5),
    "indefinite length": b"\x30\x80\x00\x00",
    "length that is cut off": b"\x30\x84\x01",
    "length with a zero in front": b"\x30\x82\x00\x90" + bytes(0x90),
    "length of five bytes": b"\x30\x85\x01\x00\x00\x00\x00",
    "length beyond the end": b"\x30\x84\xff\xff\xff\xff",
    "tag of several bytes": b"\x30\x03\x1f\x85\x01",
    "other type": b"\x31\x00",
    "nothing inside": b"\x30\x00",
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_der_is_refused(case: str) -> None:
    with pytest.raises(CertificateError) as caught:
        parse_certificate(BAD[case])
    assert caught.value.kind == "broken"


def with_extension(oid: str, value: bytes) -> bytes:
    """Return a certificate with an extension."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name(x509.Name([]))
        .public_key(EC_KEY.public_key())
        .serial_number(1)
    )
    builder = builder.not_valid_before(OF_NOW).not_valid_after(OF_NOW)
    return (
        builder.add_extension(x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), value), critical=True)
        .sign(EC_KEY, hashes.SHA256())
        .public_bytes(Encoding.DER)
    )


@pytest.mark.parametrize(
    "der",
    [
        with_extension("2.5.29.17", b"\x30\x05\x87\x03\x01\x02\x03"),
        with_extension("2.5.29.17", b"\x30\x00\x00"),
        with_extension("2.5.29.17", b"\x31\x00"),
        with_extension("2.5.29.17", b"\x30\x03\x1f\x85\x01"),
        der_of("plain") + b"\x00",
        replaced("plain", b"\x06\x03\x55\x1d\x11", b"\x06\x03\x55\x1d\x91"),
        replaced("plain", b"\x06\x03\x55\x04\x03", b"\x06\x00\x55\x04\x03"),
        replaced("plain", b"\x06\x03\x55\x04\x03", b"\x06\x04\x55\x04\x03"),
        replaced("after 2050", b"20510203040506Z", b"20511303040506Z"),
        replaced("after 2050", b"20510203040506Z", b"00000203040506Z"),
        replaced("after 2050", b"20510203040506Z", b"20510203040566Z"),
        replaced("after 2050", b"20510203040506Z", b"2051020304+0100"),
        replaced("last of the short years", b"491231235959Z", b"4912312359590"),
    ],
)
def test_damaged_certificates_are_refused(der: bytes) -> None:
    with pytest.raises(CertificateError) as caught:
        parse_certificate(der)
    assert caught.value.kind == "broken"


def test_a_second_extension_for_names_is_refused() -> None:
    """The OID of another extension is replaced by that of subjectAltName."""
    made = make(alternative=[DNS("a.example.com")], ca=True).public_bytes(Encoding.DER)
    der = made.replace(
        b"\x06\x03\x55\x1d\x13\x01\x01\xff\x04\x05\x30\x03\x01\x01\xff",
        b"\x06\x03\x55\x1d\x11\x01\x01\xff\x04\x05\x30\x03\x82\x01a",
    )
    assert der != made
    with pytest.raises(CertificateError, match="twice"):
        parse_certificate(der)


def element(tag: int, *contents: bytes) -> bytes:
    """Return one DER element."""
    content = b"".join(contents)
    length = len(content).to_bytes(2, "big")
    return (
        bytes([tag])
        + (length[1:] if len(content) < 0x80 else (b"\x82" + length if length[0] else b"\x81" + length[1:]))
        + content
    )


def assembled(*end: bytes, serial: bytes = b"\x01") -> bytes:
    """Return a minimal certificate with more elements after the public key."""
    moment = element(0x17, b"270101000000Z")
    empty = element(0x30)
    signed = element(0x30, element(0x02, serial), empty, empty, element(0x30, moment, moment), empty, empty, *end)
    return element(0x30, signed, empty, element(0x03, b"\x00"))


def test_a_minimal_certificate_is_read() -> None:
    found = parse_certificate(assembled())
    assert (found.subject, found.names, found.has_alternative_names, found.not_after) == (
        "",
        (),
        False,
        "2027-01-01T00:00:00Z",
    )
    assert parse_certificate(assembled(serial=b"\xff")).serial_number == "-1"


def test_unique_identifiers_are_skipped() -> None:
    """They precede the extensions; they are obsolete."""
    names = element(0x30, element(0x06, b"\x55\x1d\x11"), element(0x04, element(0x30, element(0x82, b"a"))))
    extensions = element(0xA3, element(0x30, names))
    assert parse_certificate(assembled(element(0x81, b"\0"), element(0x82, b"\0"), extensions)).names == ("a",)
    for wrong in (element(0x83), extensions + element(0x81), extensions + extensions):
        with pytest.raises(CertificateError):
            parse_certificate(assembled(wrong))


@given(st.binary(max_size=400))
def test_random_bytes_raise_a_certificate_error(content: bytes) -> None:
    with pytest.raises(CertificateError):
        parse_certificate(content)


@given(
    st.sampled_from(["plain", "types of text", "wildcard and addresses", "after 2050", "issued"]),
    st.floats(0, 1, exclude_max=True),
)
def test_truncated_certificates_raise_a_certificate_error(case: str, part: float) -> None:
    der = der_of(case)
    with pytest.raises(CertificateError):
        parse_certificate(der[: int(len(der) * part)])


@given(
    st.sampled_from(
        ["plain", "types of text", "wildcard and addresses", "after 2050", "several in a row", "unknown attribute"]
    ),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6),
)
@example("plain", [(0, 0)])
def test_mutated_certificates_are_read_or_raise_a_certificate_error(case: str, changes: list[tuple[int, int]]) -> None:
    der = bytearray(der_of(case))
    for position, value in changes:
        der[position % len(der)] = value
    with contextlib.suppress(CertificateError):
        found = parse_certificate(bytes(der))
        assert found.days_left(NOW) <= 3_000_000
        assert found.as_result(NOW)["subject"].isprintable() or not found.subject.isascii()


def test_every_single_byte_changed() -> None:
    der = der_of("wildcard and addresses")
    for position in range(len(der)):
        for value in (0x00, 0x1F, 0x30, 0x7F, 0x80, 0x84, 0xFF):
            with contextlib.suppress(CertificateError):
                parse_certificate(der[:position] + bytes([value]) + der[position + 1 :])


def test_days_left() -> None:
    found = parse_certificate(der_of("plain"))
    assert [found.days_left(NOW + shift) for shift in (0, 1, 29.5 * DAY, 30 * DAY, 30 * DAY + 1, 32 * DAY)] == [
        30,
        29,
        0,
        0,
        -1,
        -2,
    ]
    assert found.as_result(NOW) == {
        "fingerprint": found.fingerprint,
        "subject": "CN=a.example.com",
        "issuer": "CN=a.example.com",
        "names": ["a.example.com", "b.example.com"],
        "not_before": "2027-01-14T08:00:00Z",
        "not_after": "2027-02-14T08:00:00Z",
        "days_left": 30,
    }


# -- fingerprints and names -------------------------------------------------------------------------------------

DIGEST = "0123456789abcdef" * 4
COLONS = ":".join(DIGEST[at : at + 2] for at in range(0, 64, 2)).upper()


@pytest.mark.parametrize(
    "text",
    [
        DIGEST,
        DIGEST.upper(),
        COLONS,
        f" {COLONS.lower()}\n",
        COLONS.replace(":", " "),
        f"sha256:{DIGEST}",
        f"SHA-256: {COLONS}",
        f"SHA256 Fingerprint={COLONS}",
        f"sha256 Fingerprint={COLONS}",
    ],
)
def test_fingerprints(text: str) -> None:
    assert normalize_fingerprint(text) == DIGEST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sha256:",
        DIGEST[:-1],
        DIGEST + "0",
        DIGEST[:-1] + "g",
        f"sha1:{DIGEST}",
        "٣" * 64,
        f"SHA1 Fingerprint={COLONS}",
    ],
)
def test_invalid_fingerprints(text: str) -> None:
    assert normalize_fingerprint(text) is None


COVERING = make(
    alternative=[
        DNS("a.example.com"),
        DNS("*.Wild.example.com"),
        DNS("xn--bcher-kva.example"),
        DNS("*.com"),
        IP("192.0.2.1"),
        IP("2001:db8::1"),
    ]
)


@pytest.mark.parametrize(
    ("host_name", "covered"),
    [
        ("a.example.com", True),
        ("A.Example.COM.", True),
        ("b.example.com", False),
        ("a.wild.example.com", True),
        ("cdn*.wild.example.com", True),
        ("*.wild.example.com", True),
        ("a.b.wild.example.com", False),
        ("wild.example.com", False),
        (".wild.example.com", True),
        ("*.example.com", False),
        ("*", True),
        ("bücher.example", True),
        ("ü" * 70 + ".example", False),
        ("a.com", False),
        ("192.0.2.1", True),
        ("192.0.2.2", False),
        ("2001:0db8:0:0::1", True),
        ("[2001:db8::1]", True),
        ("", False),
    ],
)
def test_covered_names(host_name: str, covered: bool) -> None:
    assert covers(parse_certificate(COVERING.public_bytes(Encoding.DER)), host_name) is covered


def test_the_common_name_counts_only_without_alternative_names() -> None:
    assert covers(parse_certificate(der_of("no alternative names")), "a.example.com")
    assert not covers(
        parse_certificate(make(alternative=[DNS("b.example.com")]).public_bytes(Encoding.DER)), "a.example.com"
    )
    assert parse_certificate(der_of("only other kinds of names")).names == ()


# -- files ------------------------------------------------------------------------------------------------------

SECRET = base64.b64encode(b"this is no key, but must not be seen").decode()


def kind_of(action: Callable[[], Any]) -> str:
    """Return the kind of an error, after checking that its text has no secret."""
    with pytest.raises(CertificateError) as caught:
        action()
    assert caught.value.detail == str(caught.value)
    assert SECRET[:10] not in str(caught.value)
    assert caught.value.detail.endswith(".")
    return caught.value.kind


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes a file and returns its path."""

    def put(content: bytes, file_name: str = "cert.pem") -> str:
        path = tmp_path / file_name
        path.write_bytes(content)
        return str(path)

    return put


def test_certificates_are_read_from_a_file(write: Any) -> None:
    first, second = make(alternative=[DNS("first.example.com")]), make(alternative=[DNS("second.example.com")])
    private = f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n".encode()
    text = (
        b"subject=CN = a\n"
        + pem(first)
        + private
        + pem(second).replace(b"\n", b"\r\n")
        + b"-----END PRIVATE KEY-----\n\xff"
    )
    assert [found.names[0] for found in read_pem_certificates(write(text))] == [
        "first.example.com",
        "second.example.com",
    ]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "no_certificate"),
        (b"\x30\x82\x01\x00", "no_certificate"),
        (f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n".encode(), "no_certificate"),
        (f"-----BEGIN CERTIFICATE-----\n{SECRET}\n".encode(), "broken"),
        (f"-----BEGIN CERTIFICATE-----\n{SECRET}!\n-----END CERTIFICATE-----\n".encode(), "broken"),
        (f"-----BEGIN CERTIFICATE-----\n{SECRET}\n-----END CERTIFICATE-----\n".encode(), "broken"),
        (b"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "broken"),
        (pem(make())[:300], "broken"),
        (pem(make()) + b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "broken"),
        (b"\n" * (certificate_reader.LARGEST_FILE + 1), "broken"),
    ],
)
def test_files_without_valid_certificates(write: Any, content: bytes, kind: str) -> None:
    path = write(content)
    assert kind_of(lambda: read_pem_certificates(path)) == kind


def test_unreadable_files(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind_of(lambda: read_pem_certificates(str(tmp_path / "none.pem"))) == "missing"
    assert kind_of(lambda: read_pem_certificates(write(b"") + "/below")) == "missing"
    assert kind_of(lambda: read_pem_certificates(str(tmp_path))) == "unreadable"
    assert kind_of(lambda: read_pem_certificates("a\0b")) == "unreadable"
    os.mkfifo(tmp_path / "pipe")
    assert kind_of(lambda: read_pem_certificates(str(tmp_path / "pipe"))) == "unreadable"
    path = write(pem(make()))

    def refuse(*_arguments: Any, **_options: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)  # Root can read every file.
    with pytest.raises(CertificateError, match="Permission denied") as caught:
        read_pem_certificates(path)
    assert caught.value.kind == "unreadable"


@given(st.binary(max_size=300))
def test_random_files_raise_a_certificate_error(content: bytes) -> None:
    with pytest.raises(CertificateError):
        for der in certificate_reader._certificate_blocks(b"-----BEGIN CERTIFICATE-----\n" + content, "path"):
            parse_certificate(der)


# -- keys -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [EC_KEY, ED_KEY, rsa_key()], ids=["ec", "ed25519", "rsa"])
def test_matching_keys(write: Any, key: Any) -> None:
    cert = write(pem(make(key=key)))
    assert key_matches(cert, write(key_pem(key), "key.pem")) is True
    for other in (
        OTHER_KEY,
        ed25519.Ed25519PrivateKey.generate(),
        rsa.generate_private_key(public_exponent=65537, key_size=2048),
    ):
        assert key_matches(cert, write(key_pem(other), "other.pem")) is False


def test_a_weak_key_is_accepted(write: Any) -> None:
    weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)
    assert key_matches(write(pem(make(key=weak))), write(key_pem(weak), "key.pem")) is True


def test_unusable_keys(write: Any, tmp_path: Path) -> None:
    cert = write(pem(make()))
    encrypted = write(key_pem(EC_KEY, b"secret"), "encrypted.pem")
    assert kind_of(lambda: key_matches(cert, encrypted)) == "encrypted_key"
    assert kind_of(lambda: key_matches(cert, str(tmp_path / "none.pem"))) == "missing"
    assert kind_of(lambda: key_matches(cert, str(tmp_path))) == "unreadable"
    assert kind_of(lambda: key_matches(str(tmp_path / "none.pem"), encrypted)) == "missing"
    broken = f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n".encode()
    for content in (b"", broken, pem(make())):
        path = write(content, "key.pem")
        assert kind_of(lambda path=path: key_matches(cert, path)) == "broken_key"


# -- checks before files are put into place -----------------------------------------------------------------------

ROOT_NAME, BETWEEN_NAME = name((ORG, "Authority"), (CN, "Root")), name((ORG, "Authority"), (CN, "Between"))
ROOT = make(ROOT_NAME, key=OTHER_KEY, ca=True)
BETWEEN = make(BETWEEN_NAME, issuer=ROOT_NAME, key=OTHER_KEY, ca=True)
LEAF = make(alternative=[DNS("a.example.com"), DNS("*.b.example.com")], issuer=BETWEEN_NAME, signed_by=OTHER_KEY)


class Check:
    """The files of a rotation, initially valid."""

    def __init__(self, write: Any) -> None:
        self.write = write
        self.cert, self.chain, self.key = pem(LEAF), pem(BETWEEN, ROOT), key_pem(EC_KEY)
        self.names = ["a.example.com", "c.b.example.com", "*"]
        self.now = NOW

    def run(self, chain: bool = True, key: bool = True) -> list[certificate_module.Problem]:
        """Return the problems, after checking that their texts are sentences without secrets."""
        cert_path = self.write(self.cert, "cert.pem")
        chain_path = self.write(self.chain, "chain.pem") if chain else None
        key_path = self.write(self.key, "key.pem") if key else None
        found = check_files(cert_path, chain_path, key_path, self.names, self.now)
        for problem in found:
            assert problem.text.endswith(".") and "pem" in problem.text and SECRET[:10] not in problem.text
        return found


@pytest.fixture
def check(write: Any) -> Check:
    """Return valid files."""
    return Check(write)


def kinds(problems: list[certificate_module.Problem]) -> list[str]:
    return [problem.kind for problem in problems]


def test_valid_files_have_no_problems(check: Check) -> None:
    assert check.run() == check.run(key=False) == check.run(chain=False) == []
    check.chain = pem(BETWEEN)
    assert check.run() == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"cert": b""}, ["no_certificate"]),
        ({"cert": pem(LEAF)[:200]}, ["broken"]),
        ({"chain": b""}, ["no_certificate"]),
        ({"chain": pem(BETWEEN)[:200]}, ["broken"]),
        ({"key": key_pem(OTHER_KEY)}, ["key_mismatch"]),
        ({"key": key_pem(EC_KEY, b"secret")}, ["encrypted_key"]),
        ({"key": b""}, ["broken_key"]),
        ({"names": ["a.example.com", "b.example.com", "192.0.2.1"]}, ["name_not_covered", "name_not_covered"]),
        ({"now": NOW + 31 * DAY}, ["expired"] * 3),
        ({"now": NOW - 2 * DAY}, ["not_yet_valid"] * 3),
        ({"chain": pem(ROOT, BETWEEN)}, ["chain_order"]),
        ({"chain": pem(ROOT)}, ["chain_order"]),
        ({"chain": pem(LEAF, BETWEEN)}, ["chain_order"]),
        ({"chain": pem(BETWEEN, BETWEEN)}, ["chain_order"]),
        ({"cert": pem(LEAF, BETWEEN)}, []),
        ({"cert": b"", "chain": b"", "names": ["x"]}, ["no_certificate"] * 2),
    ],
)
def test_invalid_files_have_problems(check: Check, change: dict[str, Any], expected: list[str]) -> None:
    for attribute, value in change.items():
        setattr(check, attribute, value)
    assert kinds(check.run()) == expected


def test_a_chain_in_the_certificate_file(check: Check) -> None:
    check.cert = pem(LEAF, BETWEEN)
    assert kinds(check.run(chain=False)) == ["chain_in_certificate"]


def test_missing_files(tmp_path: Path) -> None:
    cert, chain, key = (str(tmp_path / part) for part in ("cert", "chain", "key"))
    assert kinds(check_files(cert, chain, key, ["a"], NOW)) == ["missing"] * 3


def test_problems_name_the_uncovered_names(check: Check) -> None:
    check.names = ["b.example.com"]
    assert "is not for b.example.com. It is for a.example.com, *.b.example.com." in check.run()[0].text
    check.cert = pem(make(x509.Name([]), issuer=BETWEEN_NAME))
    assert "It is for no name." in check.run()[0].text


def test_case_and_blanks_of_names_in_a_chain_are_ignored(check: Check) -> None:
    check.chain = pem(
        make(name((ORG, "AUTHORITY", _ASN1Type.PrintableString), (CN, "between")), issuer=ROOT_NAME, key=OTHER_KEY)
    )
    assert check.run() == []


# -- handshakes -------------------------------------------------------------------------------------------------


class TlsServer:
    """A server on a free port; a function handles its connections."""

    def __init__(self, act: Callable[[socket.socket], Any], family: int = socket.AF_INET) -> None:
        address = "::1" if family == socket.AF_INET6 else "127.0.0.1"
        self.listening = socket.create_server((address, 0), family=family)
        self.port = self.listening.getsockname()[1]
        self.accepted = 0
        self.ending = threading.Event()
        self._act = act
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _address = self.listening.accept()
            except OSError:
                return
            self.accepted += 1
            with contextlib.suppress(OSError), connection:
                connection.settimeout(PATIENCE)
                self._act(connection)

    def close(self) -> None:
        """Accept no more connections, and wait for the last one."""
        self.ending.set()
        with contextlib.suppress(OSError):  # Closing alone does not wake the thread.
            self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self._thread.join(PATIENCE)


@pytest.fixture
def listen() -> Iterator[Callable[..., TlsServer]]:
    """Return a function that starts servers for the time of the test."""
    with contextlib.ExitStack() as running:

        def start(act: Callable[[socket.socket], Any], **options: Any) -> TlsServer:
            server = TlsServer(act, **options)
            running.callback(server.close)
            return server

        yield start


AUTHORITY = trustme.CA()
INTERMEDIATE = AUTHORITY.create_child_ca()


class Shakes:
    """Does handshakes with a certificate, and records requested names and outcomes."""

    def __init__(self, issued: trustme.LeafCert, **attributes: Any) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        issued.configure_cert(self.context)
        self.fingerprint = (
            x509.load_pem_x509_certificate(issued.cert_chain_pems[0].bytes()).fingerprint(hashes.SHA256()).hex()
        )
        self.context.sni_callback = self._on_name  # type: ignore[assignment]
        self.server_names: list[str | None] = []
        self.ends: list[bytes] = []
        for attribute, value in attributes.items():
            setattr(self.context, attribute, value)

    def _on_name(self, _connection: Any, server_name: str | None, _context: Any) -> None:
        self.server_names.append(server_name)

    def __call__(self, connection: socket.socket) -> None:
        with self.context.wrap_socket(connection, server_side=True, suppress_ragged_eofs=False) as secure:
            self.ends.append(secure.recv(100))


@pytest.fixture
def ca_path(tmp_path: Path) -> str:
    """Return the path of the authority of these tests."""
    path = str(tmp_path / "ca.pem")
    AUTHORITY.cert_pem.write_to_path(path)
    return path


def endpoint_of(server: Any, server_name: str = "", host: str = "127.0.0.1") -> Endpoint:
    return Endpoint(host, server.port, server_name)


@pytest.mark.parametrize(
    ("server_name", "asked"),
    [
        ("a.example.com", "a.example.com"),
        ("a.example.com.", "a.example.com"),
        ("", None),
        ("192.0.2.1", None),
        ("::1", None),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_a_handshake_returns_the_served_certificate(listen: Any, server_name: str, asked: str | None) -> None:
    shakes = Shakes(AUTHORITY.issue_cert("a.example.com"))
    served = handshake(endpoint_of(listen(shakes), server_name), timeout=PATIENCE)
    assert served.certificate.fingerprint == shakes.fingerprint
    assert served.certificate.names == ("a.example.com",)
    assert (served.verified, served.verify_error) == (None, None)
    assert shakes.server_names == [asked]


def test_the_connection_is_closed_with_a_close_notification(listen: Any) -> None:
    """Without the notification, the server's read would raise SSLEOFError."""
    shakes = Shakes(AUTHORITY.issue_cert("a.example.com"), maximum_version=ssl.TLSVersion.TLSv1_2)
    server = listen(shakes)
    handshake(endpoint_of(server), timeout=PATIENCE)
    server.close()
    assert shakes.ends == [b""]


def test_an_expired_certificate_is_returned_and_not_verified(listen: Any, ca_path: str) -> None:
    past = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
    shakes = Shakes(AUTHORITY.issue_cert("a.example.com", not_before=past, not_after=past + datetime.timedelta(days=1)))
    server = listen(shakes)
    assert handshake(endpoint_of(server), timeout=PATIENCE).certificate.days_left(NOW) < 0
    served = handshake(endpoint_of(server, "a.example.com"), timeout=PATIENCE, verify_chain=True, ca_path=ca_path)
    assert served.certificate.fingerprint == shakes.fingerprint
    assert (served.verified, served.verify_error) == (False, "certificate has expired")


def test_the_cipher_suite_of_servers_without_http_2_is_accepted(listen: Any) -> None:
    """AES128-SHA with TLS 1.2, which Python disables by default."""
    shakes = Shakes(
        trustme.CA(key_type=trustme.KeyType.RSA).issue_cert("a.example.com", key_type=trustme.KeyType.RSA),
        maximum_version=ssl.TLSVersion.TLSv1_2,
    )
    shakes.context.set_ciphers("AES128-SHA")
    assert handshake(endpoint_of(listen(shakes)), timeout=PATIENCE).certificate.fingerprint == shakes.fingerprint


@pytest.mark.parametrize(
    ("server_name", "host", "error"),
    [
        ("a.example.com", "127.0.0.1", None),
        ("b.wild.example.com", "127.0.0.1", None),
        ("", "127.0.0.1", None),
        ("", "localhost", "the certificate is not for localhost"),
        ("c.example.com", "127.0.0.1", "the certificate is not for c.example.com"),
    ],
)
def test_a_handshake_verifies_chain_and_name(
    listen: Any, ca_path: str, server_name: str, host: str, error: str | None
) -> None:
    shakes = Shakes(INTERMEDIATE.issue_cert("a.example.com", "*.wild.example.com", "127.0.0.1"))
    server = listen(shakes)
    served = handshake(endpoint_of(server, server_name, host), timeout=PATIENCE, verify_chain=True, ca_path=ca_path)
    assert (served.verified, served.verify_error) == (error is None, error)
    assert served.certificate.fingerprint == shakes.fingerprint
    assert server.accepted == 1


def test_incomplete_chains_and_unknown_authorities_are_not_verified(listen: Any, ca_path: str, tmp_path: Path) -> None:
    complete = INTERMEDIATE.issue_cert("a.example.com")
    alone = trustme.LeafCert(complete.private_key_pem.bytes(), complete.cert_chain_pems[0].bytes(), [])
    server = listen(Shakes(alone))
    served = handshake(endpoint_of(server, "a.example.com"), timeout=PATIENCE, verify_chain=True, ca_path=ca_path)
    assert (served.verified, served.verify_error) == (False, "unable to get local issuer certificate")
    assert served.certificate.names == ("a.example.com",)
    with_system_store = handshake(endpoint_of(server, "a.example.com"), timeout=PATIENCE, verify_chain=True)
    assert with_system_store.verified is False
    empty = tmp_path / "authorities"
    empty.mkdir()
    assert handshake(endpoint_of(server), timeout=PATIENCE, verify_chain=True, ca_path=str(empty)).verified is False


def test_a_common_name_alone_is_not_verified(listen: Any, tmp_path: Path) -> None:
    path = tmp_path / "own.pem"
    path.write_bytes(pem(make(end=OF_NOW.replace(year=2040), begin=OF_NOW.replace(year=2020))) + key_pem(EC_KEY))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)

    def act(connection: socket.socket) -> None:
        context.wrap_socket(connection, server_side=True).recv(1)

    served = handshake(
        endpoint_of(listen(act), "a.example.com"), timeout=PATIENCE, verify_chain=True, ca_path=str(path)
    )
    assert (served.verified, served.verify_error) == (False, "the certificate is not for a.example.com")


def test_unusable_authorities(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = Endpoint("127.0.0.1", 1)

    def verify(path: str) -> str:
        return kind_of(lambda: handshake(nowhere, timeout=1, verify_chain=True, ca_path=path))

    assert verify(str(tmp_path / "none.pem")) == "missing"
    assert verify(write(b"")) == "no_certificate"
    path = write(pem(ROOT))

    def refuse(*_arguments: Any, **_options: Any) -> None:
        raise ssl.SSLError(1, "no")

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", refuse)
    assert verify(path) == "broken"


def test_ipv6(listen: Any) -> None:
    shakes = Shakes(AUTHORITY.issue_cert("::1"))
    try:
        server = listen(shakes, family=socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 here")
    for host in ("::1", "[::1]"):
        endpoint = endpoint_of(server, host=host)
        assert handshake(endpoint, timeout=PATIENCE).certificate.names == ("::1",)
        assert str(endpoint) == f"[::1]:{server.port}"


def test_the_text_of_an_endpoint() -> None:
    assert str(Endpoint("a.example.com", 443)) == "a.example.com:443"
    assert str(Endpoint("192.0.2.1", 443, "a.example.com")) == "192.0.2.1:443 (a.example.com)"


def failure(endpoint: Endpoint, timeout: float = PATIENCE) -> str:
    """Return the kind of a handshake error, which is the same with and without verification."""
    kind = kind_of(lambda: handshake(endpoint, timeout=timeout))
    assert kind_of(lambda: handshake(endpoint, timeout=timeout, verify_chain=True)) == kind
    return kind


def alert(connection: socket.socket, description: int) -> None:
    """Send a fatal alert as the response to the first message."""
    connection.recv(65536)
    connection.sendall(bytes([21, 3, 3, 0, 2, 2, description]))
    connection.recv(65536)


def reset(connection: socket.socket) -> None:
    connection.recv(65536)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def talk_http(connection: socket.socket) -> None:
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        (lambda connection: alert(connection, 40), "alert"),
        (lambda connection: alert(connection, 80), "alert"),
        (lambda connection: alert(connection, 112), "alert"),
        (lambda connection: alert(connection, 70), "alert"),
        (reset, "reset"),
        (lambda connection: connection.recv(65536), "reset"),
        (talk_http, "not_tls"),
        (lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n"), "not_tls"),
        (lambda connection: (connection.recv(65536), connection.sendall(bytes([22, 3, 3, 0, 4, 99, 0, 0, 0]))), "tls"),
    ],
)
def test_failing_handshakes(listen: Any, act: Any, kind: str) -> None:
    assert failure(endpoint_of(listen(act), "a.example.com")) == kind


def test_a_server_without_a_certificate_fails_with_an_alert(listen: Any) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    assert failure(endpoint_of(listen(lambda connection: context.wrap_socket(connection, server_side=True)))) == "alert"


def test_a_connection_that_is_reset_before_the_handshake(listen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ssl module treats it as a socket that will connect later."""

    def reset_at_once(connection: socket.socket) -> None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    connect = handshake_module._connect

    def connect_and_wait(*arguments: Any) -> socket.socket:
        connection = connect(*arguments)
        wait_until_readable(connection)
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(handshake_module, "_connect", connect_and_wait)
        assert failure(endpoint_of(listen(reset_at_once))) == "reset"
    gone = ssl.SSLError(0, "")
    gone.reason = "Closed before TLS handshake with data in recv buffer."

    def refuse(*_arguments: Any, **_options: Any) -> None:
        raise gone

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", refuse)
    assert failure(endpoint_of(listen(talk_http))) == "reset"


def test_a_closed_port() -> None:
    assert failure(Endpoint("127.0.0.1", unused_port())) == "refused"


@pytest.mark.parametrize("host", ["none.invalid", "a" * 80 + ".example.com", "", "a..b"])
def test_unresolvable_host_names(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if host in ("none.invalid", ""):

        def none(*_arguments: Any, **_options: Any) -> None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", none)
    assert failure(Endpoint(host, 443)) == "unresolved"


@pytest.mark.parametrize("server_name", [".example.com", "a" * 80 + ".example.com", "a\0b"])
def test_server_names_that_cannot_be_sent(listen: Any, server_name: str) -> None:
    server = listen(Shakes(AUTHORITY.issue_cert("a.example.com")))
    assert failure(endpoint_of(server, server_name)) == "bad_name"


class Watch:
    """A manual clock, and the timeout of each handshake."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clock = ManualClock()
        self.limits: list[float] = []
        wrap = ssl.SSLContext.wrap_socket

        def wrap_socket(context: ssl.SSLContext, plain: socket.socket, **options: Any) -> ssl.SSLSocket:
            if not options.get("server_side"):
                self.limits.append(plain.gettimeout() or 0)
            return wrap(context, plain, **options)

        monkeypatch.setattr(handshake_module, "time", types.SimpleNamespace(monotonic=self.clock))
        monkeypatch.setattr(ssl.SSLContext, "wrap_socket", wrap_socket)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Return a clock that only the test advances."""
    return Watch(monkeypatch)


def test_a_silent_port_ends_in_a_timeout(listen: Any, watch: Watch) -> None:
    server = listen(lambda connection: connection.recv(65536) and connection.recv(65536))
    assert kind_of(lambda: handshake(endpoint_of(server), timeout=0.2)) == "timeout"
    assert watch.limits == [pytest.approx(0.2)]


def test_slow_bytes_do_not_prolong_a_handshake(listen: Any) -> None:
    """A long message arrives byte by byte, each within the limit."""

    def trickle(connection: socket.socket) -> None:
        connection.recv(65536)
        for byte in bytes([22, 3, 3, 64, 0, 2, 0, 63, 0]) + bytes(16000):
            connection.sendall(bytes([byte]))
            server.ending.wait(0.02)

    server = listen(trickle)
    assert kind_of(lambda: handshake(endpoint_of(server), timeout=0.3)) == "timeout"


def test_both_handshakes_of_a_verification_share_the_timeout(listen: Any, ca_path: str, watch: Watch) -> None:
    shakes = Shakes(trustme.CA().issue_cert("a.example.com"))

    def slow(connection: socket.socket) -> None:
        connection.recv(1, socket.MSG_PEEK)
        watch.clock.advance(400)
        shakes(connection)

    server = listen(slow)
    assert handshake(endpoint_of(server), timeout=600, verify_chain=True, ca_path=ca_path).verified is False
    assert watch.limits == [600, 200]


class Unconnected:
    """Sockets that fail to connect with specified errors; it records their timeouts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *errors: Exception) -> None:
        self.timeouts: list[float] = []
        self.closed = 0
        self._errors = list(errors)
        addresses = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 443))] * len(errors)
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_arguments, **_options: addresses)
        monkeypatch.setattr(socket, "socket", self)

    def __call__(self, *_arguments: Any) -> Any:
        return self

    def settimeout(self, seconds: float) -> None:
        self.timeouts.append(seconds)

    def connect(self, _address: Any) -> None:
        raise self._errors.pop(0)

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize(
    ("errors", "kind"),
    [
        ([socket.timeout("timed out")], "timeout"),
        ([TimeoutError(110, "Connection timed out")], "timeout"),
        ([ConnectionResetError(104, "Connection reset by peer")], "reset"),
        ([OSError(113, "No route to host")], "unreachable"),
        ([OSError(101, "Network is unreachable"), ConnectionRefusedError(111, "Connection refused")], "refused"),
    ],
)
def test_failing_connections(monkeypatch: pytest.MonkeyPatch, errors: list[Exception], kind: str) -> None:
    sockets = Unconnected(monkeypatch, *errors)
    monkeypatch.setattr(handshake_module, "time", types.SimpleNamespace(monotonic=ManualClock()))
    assert kind_of(lambda: handshake(Endpoint("a.example.com", 443), timeout=4)) == kind
    assert sockets.closed == len(errors)
    assert sockets.timeouts == ([4] if len(errors) == 1 else [2, 4])


def test_a_disabled_address_family(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *_arguments, **_options: [(999, socket.SOCK_STREAM, 6, "", ("::1", 443, 0, 0))]
    )
    assert kind_of(lambda: handshake(Endpoint("a.example.com", 443), timeout=4)) == "unreachable"


def test_the_next_address_is_used_if_the_first_refuses(listen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shakes = Shakes(AUTHORITY.issue_cert("a.example.com"))
    server = listen(shakes)
    refusing = ("127.0.0.1", unused_port())
    addresses = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in (refusing, ("127.0.0.1", server.port))
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_arguments, **_options: addresses)
    assert handshake(Endpoint("a.example.com", 443), timeout=PATIENCE).certificate.fingerprint == shakes.fingerprint


def test_the_chain_is_known_since_python_3_13() -> None:
    """Python returns the chain since 3.13."""

    class Secure:
        @staticmethod
        def get_unverified_chain() -> list[bytes]:
            return [LEAF.public_bytes(Encoding.DER), BETWEEN.public_bytes(Encoding.DER)]

    chain = handshake_module._chain_of(Secure())
    assert chain is not None
    assert [found.subject for found in chain] == ["CN=a.example.com", "CN=Between,O=Authority"]
    assert handshake_module._chain_of(object()) is None


def test_an_endpoint_without_a_certificate(listen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssl.SSLSocket, "getpeercert", lambda *_arguments, **_options: None)
    assert (
        kind_of(lambda: handshake(endpoint_of(listen(Shakes(AUTHORITY.issue_cert("a.example.com")))), timeout=PATIENCE))
        == "tls"
    )


# -- against the simulator --------------------------------------------------------------------------------------


def test_the_tls_ports_of_the_simulator(write: Any) -> None:
    tls = {"certPath": write(pem(LEAF), "a.pem"), "keyPath": write(key_pem(EC_KEY), "key.pem")}
    with Simulator(tls_ports=(0, 0)) as sim:
        sim.add_static_virtual_host({"name": "a", "host": {"names": ["a.example.com"], "tls": tls}})
        first, second = sim.tls_ports
        served = handshake(Endpoint("127.0.0.1", first, "a.example.com"), timeout=PATIENCE)
        assert served.certificate == read_pem_certificates(tls["certPath"])[0]
        assert [(made.port, made.server_name, made.fingerprint) for made in sim.handshakes] == [
            (first, "a.example.com", served.certificate.fingerprint)
        ]
        sim.listener(second, "hang")
        assert kind_of(lambda: handshake(Endpoint("127.0.0.1", second), timeout=0.1)) == "timeout"
        sim.listener(second, "down")
        assert kind_of(lambda: handshake(Endpoint("127.0.0.1", second), timeout=PATIENCE)) == "refused"
        assert kind_of(lambda: handshake(Endpoint("127.0.0.1", sim.port), timeout=PATIENCE)) == "not_tls"
