# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The TLS ports, and what reloads do to them, over real sockets (server-facts: Certificates)."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.tests.simulator import (
    VERSIONS,
    ManualClock,
    Simulator,
    certificates,
    state,
    tls,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.publishing import is_for_host
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

AUTHORITY = trustme.CA()
BETWEEN = AUTHORITY.create_child_ca()
REPORTING = {
    "0.21.0": 200,
    "0.20.5": 200,
    "0.20.0": 200,
    "0.18.0": 200,
    "0.15.10": 500,
    "documented": 500,
    "later": 200,
}
"""The answer to a reload that failed, by version."""


def fingerprint_of(issued: trustme.LeafCert) -> str:
    """Return SHA-256 of an issued certificate."""
    return x509.load_pem_x509_certificate(issued.cert_chain_pems[0].bytes()).fingerprint(hashes.SHA256()).hex()


class Files:
    """Certificate, chain and key of a virtual host."""

    def __init__(self, directory: Path, name: str, *host_names: str) -> None:
        self.name = name
        self.host_names = host_names or (f"{name}.example.com",)
        self.cert, self.key, self.chain = (directory / f"{name}-{part}.pem" for part in ("cert", "key", "chain"))
        self.fingerprint = self.renew()

    def issue(self) -> trustme.LeafCert:
        """Return a certificate that is written nowhere yet."""
        return BETWEEN.issue_cert(f"{self.name}.example.com")

    def renew(self) -> str:
        """Write new ones. :returns: the fingerprint."""
        issued = self.issue()
        self.cert.write_bytes(issued.cert_chain_pems[0].bytes())
        self.chain.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems[1:]))
        self.key.write_bytes(issued.private_key_pem.bytes())
        return fingerprint_of(issued)

    @property
    def vhost(self) -> dict[str, Any]:
        """Return the virtual host as POST takes it."""
        tls = {"certPath": str(self.cert), "keyPath": str(self.key), "chainCertPath": str(self.chain)}
        return {"name": self.name, "host": {"names": list(self.host_names), "tls": tls}}


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., Files]:
    """Make the files of virtual hosts."""
    return lambda name, *host_names: Files(tmp_path, name, *host_names)


def shake(
    port: int, server_name: str | None = None, context: ssl.SSLContext | None = None, request: bytes = b""
) -> tuple[str, bytes]:
    """Do one handshake. :returns: the fingerprint of the certificate, and the answer to the request."""
    if context is None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain,
        context.wrap_socket(plain, server_hostname=server_name) as secure,
    ):
        der = secure.getpeercert(binary_form=True)
        assert der is not None
        answer = b""
        if request:
            secure.sendall(request)
            while part := secure.recv(65536):
                answer += part
        return x509.load_der_x509_certificate(der).fingerprint(hashes.SHA256()).hex(), answer


SOON = 0.2
"""Real seconds after which a client gives up what never comes."""


def silent(port: int) -> bool:
    """Return whether a port accepts a connection and then answers no handshake."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=SOON) as plain:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).wrap_socket(plain, server_hostname="a.example.com")
    except TimeoutError:
        return True
    return False


def serving(start: Any, *vhosts: Files, **options: Any) -> tuple[Simulator, Any]:
    """Return a simulator with one TLS port and virtual hosts."""
    sim, client = start(tls_ports=(0,), **options)
    assert client.post("/v1/vhosts", [made.vhost for made in vhosts])[0] == 200
    return sim, client


# -- which certificate ------------------------------------------------------------------------------------------


def test_the_server_name_picks_the_certificate(start: Any, files: Any) -> None:
    b, a, wild = files("b"), files("a"), files("w", "*.wild.example.com", "x.example.com")
    sim, _client = serving(start, b, wild, a)
    port = sim.tls_ports[0]
    for name, expected in (
        ("a.example.com", a),
        ("b.example.com", b),
        ("x.example.com", wild),
        ("c.wild.example.com", wild),
        ("d.c.wild.example.com", wild),
        ("nobody.example.com", a),
        (None, a),
    ):
        assert shake(port, name)[0] == expected.fingerprint, name
    assert [(made.port, made.server_name, made.vhost, made.fingerprint) for made in sim.handshakes[:2]] == [
        (port, "a.example.com", "a", a.fingerprint),
        (port, "b.example.com", "b", b.fingerprint),
    ]
    assert sim.handshakes[-1].server_name is None


def test_a_star_hides_all_that_sort_after_it(start: Any, files: Any) -> None:
    aa, star, tt = files("aa"), files("default2", "*"), files("tt")
    sim, _client = serving(start, tt, star, aa)
    port = sim.tls_ports[0]
    assert shake(port, "aa.example.com")[0] == aa.fingerprint
    assert shake(port, "tt.example.com")[0] == star.fingerprint
    assert shake(port)[0] == aa.fingerprint


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("a.example.com", "a.example.com", True),
        ("a.example.com", "A.example.com", False),
        ("a.example.com", "a-example.com", False),
        ("*.example.com", "a.b.example.com", True),
        ("*.example.com", "example.com", False),
        ("cdn?.example.com", "cdn.example.com", True),
        ("cdn?.example.com", "cdn12.example.com", False),
        ("[::1]", "[::1]", True),
        ("", "", True),
    ],
)
def test_host_names_match_as_the_server_does_it(pattern: str, name: str, matches: bool) -> None:
    vhost = Simulator().state.create_virtual_host({"name": "v", "host": {"names": [pattern]}})
    assert is_for_host(vhost, name) is matches


def test_a_virtual_host_without_names_matches_nothing(sim: Simulator) -> None:
    assert not is_for_host(sim.state.create_virtual_host({"name": "v"}), "a.example.com")


def test_nothing_is_answered_without_any_certificate(start: Any, files: Any) -> None:
    """The server leaves such connections alone; a port without TLS files is no error."""
    sim, client = start(tls_ports=(0,))
    assert silent(sim.tls_ports[0])
    gone = files("gone")
    gone.cert.unlink()
    assert (
        client.post("/v1/vhosts", [gone.vhost, {"name": "plain", "host": {"names": ["plain.example.com"]}}])[0] == 200
    )
    assert silent(sim.tls_ports[0])
    assert sim.handshakes == []


def test_a_delete_takes_the_certificate_away(start: Any, files: Any) -> None:
    a, b = files("a"), files("b")
    sim, client = serving(start, a, b)
    assert client.delete("/v1/vhosts/a")[0] == 200
    assert shake(sim.tls_ports[0], "a.example.com")[0] == b.fingerprint
    assert client.delete("/v1/vhosts/b")[0] == 200
    assert silent(sim.tls_ports[0])


def test_a_handshake_that_a_delete_overtakes_fails(start: Any, files: Any) -> None:
    sim, client = serving(start, files("a"))
    with socket.create_connection(("127.0.0.1", sim.tls_ports[0]), timeout=PATIENCE) as plain:
        shake(sim.tls_ports[0])  # by then the other connection has been accepted too
        assert client.delete("/v1/vhosts/a")[0] == 200
        with pytest.raises(ssl.SSLError, match="(?i)internal.error"):
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).wrap_socket(plain, server_hostname="a.example.com")


def test_the_chain_is_sent_in_the_order_of_the_file(start: Any, files: Any) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    AUTHORITY.configure_trust(context)
    a = files("a")
    between, root = a.chain.read_bytes(), AUTHORITY.cert_pem.bytes()
    sim, client = serving(start, a)
    port = sim.tls_ports[0]
    for chain in (between, root + between, between + root):
        a.chain.write_bytes(chain)
        assert client.post("/v1/vhosts/a:reloadCertificate")[0] == 200
        assert shake(port, "a.example.com", context)[0] == a.fingerprint
    a.chain.write_bytes(root)
    client.post("/v1/vhosts/a:reloadCertificate")
    with pytest.raises(ssl.SSLCertVerificationError):
        shake(port, "a.example.com", context)


def test_only_the_first_certificate_of_the_certificate_file_counts(start: Any, files: Any) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    AUTHORITY.configure_trust(context)
    a = files("a")
    a.cert.write_bytes(a.cert.read_bytes() + a.chain.read_bytes())
    vhost = a.vhost
    del vhost["host"]["tls"]["chainCertPath"]
    sim, client = start(tls_ports=(0,))
    client.post("/v1/vhosts", [vhost])
    assert shake(sim.tls_ports[0])[0] == a.fingerprint
    with pytest.raises(ssl.SSLCertVerificationError):
        shake(sim.tls_ports[0], "a.example.com", context)


# -- files that belong to this machine ---------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_no_file_of_this_machine_is_served(
    start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    # The machine of a media server: what the simulated configuration names is there, with a certificate that is not
    # ours.
    root = tmp_path / "machine"
    (root / "certs").mkdir(parents=True)
    foreign = Files(root / "certs", "a", "a.example.com")
    foreign.cert.rename(root / "certs" / "vhost.crt")
    foreign.key.rename(root / "certs" / "vhost.key")
    monkeypatch.setattr(tls, "OWN_ROOT", str(root))
    monkeypatch.setattr(state, "OWN_ROOT", str(root))
    sim, client = start(tls_ports=(0,), version=version)
    assert client.get("/v1/vhosts/default")[1]["response"]["host"]["tls"]["certPath"] == str(
        root / "certs" / "vhost.crt"
    )
    assert silent(sim.tls_ports[0])
    for path in ("/v1/vhosts/default:reloadCertificate", "/v1/vhosts:reloadAllCertificates"):
        assert client.post(path)[0] == 200
    sim.restart()
    assert silent(sim.tls_ports[0])
    # Another path in that place is no better, and one elsewhere is what a test wrote.
    inside, outside = Files(root / "certs", "a"), Files(tmp_path, "b")
    inside_vhost = inside.vhost
    inside_vhost["host"]["tls"]["certPath"] = str(root / "elsewhere" / ".." / "certs" / "a-cert.pem")
    assert client.post("/v1/vhosts", [inside_vhost, outside.vhost])[0] == 200
    assert shake(sim.tls_ports[0], "a.example.com")[0] == outside.fingerprint
    assert client.post("/v1/vhosts/a:reloadCertificate")[0] == REPORTING[version]


# -- reloads ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_a_good_reload_shows_at_once(start: Any, files: Any, version: str) -> None:
    a, b = files("a"), files("b")
    sim, client = serving(start, a, b, version=version)
    port = sim.tls_ports[0]
    old_a, old_b = a.fingerprint, b.fingerprint
    new_a, new_b = a.renew(), b.renew()
    assert shake(port, "a.example.com")[0] == old_a
    assert client.post("/v1/vhosts/a:reloadCertificate")[0] == 200
    assert [shake(port, f"{name}.example.com")[0] for name in "ab"] == [new_a, old_b]
    # `default` counts as good there; see known_files.
    assert client.post("/v1/vhosts:reloadAllCertificates")[0] == 200
    assert [shake(port, f"{name}.example.com")[0] for name in "ab"] == [new_a, new_b]


def truncate(made: Files) -> None:
    made.cert.write_bytes(made.cert.read_bytes()[:200])


def take_foreign_key(made: Files) -> None:
    made.key.write_bytes(made.issue().private_key_pem.bytes())


def encrypt_key(made: Files) -> None:
    key = load_pem_private_key(made.key.read_bytes(), None)
    made.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))


def make_unreadable(path: Path) -> None:
    """Make a directory in the place of a file, because permissions do not keep root out."""
    path.unlink()
    path.mkdir()


BROKEN: dict[str, Callable[[Files], Any]] = {
    "broken PEM": truncate,
    "empty": lambda made: made.cert.write_bytes(b""),
    "not ASCII": lambda made: made.cert.write_bytes(bytes(range(256))),
    "certificate missing": lambda made: made.cert.unlink(),
    "key missing": lambda made: made.key.unlink(),
    "chain missing": lambda made: made.chain.unlink(),
    "chain empty": lambda made: made.chain.write_bytes(b""),
    "foreign key": take_foreign_key,
    "encrypted key": encrypt_key,
    "certificate unreadable": lambda made: make_unreadable(made.cert),
    "key unreadable": lambda made: make_unreadable(made.key),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("version", VERSIONS)
def test_a_bad_reload_keeps_the_old_one(start: Any, files: Any, version: str, case: str) -> None:
    a, b = files("a"), files("b")
    sim, client = serving(start, a, b, version=version)
    port, old = sim.tls_ports[0], a.fingerprint
    a.renew()
    BROKEN[case](a)
    new_b = b.renew()
    assert client.post("/v1/vhosts/a:reloadCertificate")[0] == REPORTING[version]
    assert client.post("/v1/vhosts:reloadAllCertificates")[0] == REPORTING[version]
    assert shake(port, "a.example.com")[0] == old
    assert shake(port, "b.example.com")[0] == new_b
    for path in (a.cert, a.key):
        if path.is_dir():
            shutil.rmtree(path)
    good = a.renew()
    assert client.post("/v1/vhosts/a:reloadCertificate")[0] == 200
    assert shake(port, "a.example.com")[0] == good


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_keeps_the_old_one(start: Any, files: Any) -> None:
    a = files("a")
    sim, client = serving(start, a)
    old = a.fingerprint
    a.renew()
    a.key.chmod(0)
    assert client.post("/v1/vhosts/a:reloadCertificate")[0] == 200
    assert shake(sim.tls_ports[0])[0] == old


@pytest.mark.parametrize(
    ("version", "status"), [("0.21.0", 200), ("0.20.0", 200), ("0.18.0", 200), ("0.15.10", 500), ("documented", 200)]
)
def test_the_reload_of_a_virtual_host_without_tls(start: Any, files: Any, version: str, status: int) -> None:
    a = files("a")
    sim, client = serving(start, a, version=version)
    client.post("/v1/vhosts", [{"name": "plain", "host": {"names": ["plain.example.com"]}}])
    assert client.post("/v1/vhosts/plain:reloadCertificate")[0] == status
    new = a.renew()
    assert client.post("/v1/vhosts:reloadAllCertificates")[0] == status
    assert shake(sim.tls_ports[0])[0] == new


def test_a_virtual_host_whose_first_files_were_bad_is_served_after_a_reload(start: Any, files: Any) -> None:
    a = files("a")
    a.key.unlink()
    sim, client = serving(start, a)
    assert silent(sim.tls_ports[0])
    new = a.renew()
    assert client.post("/v1/vhosts/a:reloadCertificate")[0] == 200
    assert shake(sim.tls_ports[0])[0] == new


@pytest.mark.parametrize("version", VERSIONS)
def test_a_reload_that_is_set_to_fail(start: Any, files: Any, version: str) -> None:
    a = files("a")
    sim, client = serving(start, a, version=version)
    old = a.fingerprint
    a.renew()
    for vhost, path in (("a", "/v1/vhosts/a:reloadCertificate"), (None, "/v1/vhosts:reloadAllCertificates")):
        sim.fail_reload(vhost)
        assert client.post(path)[0] == REPORTING[version]
        assert shake(sim.tls_ports[0])[0] == old
        sim.fail_reload(vhost, fails=False)


def test_a_restart_reads_the_files_of_the_configuration_again(start: Any, files: Any) -> None:
    fixed, made = files("fixed"), files("made")
    sim, _client = start(tls_ports=(0,))
    sim.add_static_virtual_host(fixed.vhost)
    _client.post("/v1/vhosts", [made.vhost])
    new = fixed.renew()
    sim.restart()
    assert shake(sim.tls_ports[0], "made.example.com")[0] == new


def test_a_dead_server_comes_back_with_its_tls_ports(start: Any, files: Any) -> None:
    fixed = files("fixed")
    sim, client = start(tls_ports=(0, 0))
    sim.add_static_virtual_host(fixed.vhost)
    ports = sim.tls_ports
    with pytest.raises(OSError):
        client.post("/v1/vhosts", [{"name": "a", "%s": 1}])
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            shake(port)
    sim.restart()
    assert sim.tls_ports == ports
    assert [shake(port)[0] for port in ports] == [fixed.fingerprint] * 2


# -- ports that misbehave ---------------------------------------------------------------------------------------


def test_a_reload_that_shows_late(start: Any, files: Any, clock: ManualClock) -> None:
    a = files("a")
    sim, client = serving(start, a)
    sim.delay_reloads(2)
    new = a.renew()
    assert client.post("/v1/vhosts/a:reloadCertificate")[0] == 200
    a.renew()  # what is served was read by the call
    clock.advance(1.9)
    assert shake(sim.tls_ports[0])[0] == a.fingerprint
    clock.advance(0.1)
    assert shake(sim.tls_ports[0])[0] == new
    sim.delay_reloads(0)
    latest = a.renew()
    client.post("/v1/vhosts/a:reloadCertificate")
    assert shake(sim.tls_ports[0])[0] == latest


def test_a_port_that_lags(start: Any, files: Any, clock: ManualClock) -> None:
    a = files("a")
    sim, client = start(tls_ports=(0, 0, 0))
    client.post("/v1/vhosts", [a.vhost])
    first, second, third = sim.tls_ports
    sim.lag(second, 3)
    sim.lag(third)
    new = a.renew()
    client.post("/v1/vhosts/a:reloadCertificate")
    clock.advance(2.5)
    assert [shake(port)[0] for port in (first, second, third)] == [new, a.fingerprint, a.fingerprint]
    clock.advance(0.5)
    assert [shake(port)[0] for port in (first, second, third)] == [new, new, a.fingerprint]
    clock.advance(1000)
    assert shake(third)[0] == a.fingerprint
    sim.lag(third, 0)
    assert shake(third)[0] == new
    assert [handshake.port for handshake in sim.handshakes[:3]] == [first, second, third]


def test_a_port_lags_by_any_clock(files: Any) -> None:
    a = files("a")
    seconds = [1000.0]
    with Simulator(tls_ports=(0,), clock=lambda: seconds[0]) as sim:
        sim.add_static_virtual_host(a.vhost)
        sim.lag(sim.tls_ports[0], 0.3)
        new = a.renew()
        certificates.reload_one(sim.state, sim.state.virtual_hosts["a"])
        assert shake(sim.tls_ports[0])[0] == a.fingerprint
        seconds[0] += 0.4
        assert shake(sim.tls_ports[0])[0] == new


def test_a_port_that_hangs_or_is_down(start: Any, files: Any) -> None:
    a = files("a")
    sim, _client = start(tls_ports=(0, 0))
    _client.post("/v1/vhosts", [a.vhost])
    first, second = sim.tls_ports
    sim.listener(first, "hang")
    assert silent(first)
    assert shake(second)[0] == a.fingerprint
    sim.listener(first, "down")
    sim.listener(first, "down")
    with pytest.raises(ConnectionRefusedError):
        shake(first)
    sim.listener(first, "serve")
    assert shake(first)[0] == a.fingerprint
    for wrong in (lambda: sim.listener(first, "sleep"), lambda: sim.lag(first, -1)):
        with pytest.raises(ValueError, match="must"):
            wrong()
    with pytest.raises(LookupError):
        sim.listener(1, "down")


def test_a_request_is_answered_and_the_connection_closed(start: Any, files: Any) -> None:
    sim, _client = serving(start, files("a"))
    assert shake(sim.tls_ports[0], request=b"GET /app/stream/llhls.m3u8 HTTP/1.1\r\n\r\n")[1].startswith(
        b"HTTP/1.1 404 "
    )


def test_invalid_handshakes_end_the_connection(start: Any, files: Any) -> None:
    sim, _client = serving(start, files("a"))
    with socket.create_connection(("127.0.0.1", sim.tls_ports[0]), timeout=PATIENCE) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert b"HTTP" not in plain.recv(100)
        assert plain.recv(100) == b""


def test_many_handshakes_at_once(start: Any, files: Any) -> None:
    sim, _client = serving(start, files("a"))
    threads = [threading.Thread(target=shake, args=(sim.tls_ports[0], "a.example.com")) for _number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(sim.handshakes) == 20


# -- the API's own certificate ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "good", "bad"),
    [("0.21.0", 200, 500), ("0.20.0", 200, 500), ("documented", 200, 500), ("0.18.0", 404, 404), ("0.15.10", 404, 404)],
)
def test_the_api_certificate_is_really_loaded(tmp_path: Path, version: str, good: int, bad: int) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"

    def write(issued: trustme.LeafCert) -> str:
        cert.write_bytes(issued.cert_chain_pems[0].bytes())
        key.write_bytes(issued.private_key_pem.bytes())
        return fingerprint_of(issued)

    old = write(AUTHORITY.issue_cert("127.0.0.1"))
    with Simulator(version=version, tls_cert=str(cert), tls_key=str(key)) as sim:

        def reload() -> int:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            AUTHORITY.configure_trust(context)
            connection = http.client.HTTPSConnection("127.0.0.1", sim.port, timeout=PATIENCE, context=context)
            connection.request(
                "POST",
                "/v1/managers/api:reloadCertificate",
                headers={"Authorization": "Basic b21lLWFjY2Vzcy10b2tlbg=="},
            )
            status = connection.getresponse().status
            connection.close()
            return status

        new = write(AUTHORITY.issue_cert("127.0.0.1"))
        assert shake(sim.port)[0] == old
        assert reload() == good
        assert shake(sim.port)[0] == (new if good == 200 else old)
        write(AUTHORITY.issue_cert("127.0.0.1"))
        key.write_bytes(AUTHORITY.issue_cert("127.0.0.1").private_key_pem.bytes())
        assert reload() == bad
        assert shake(sim.port)[0] == (new if good == 200 else old)


# -- control and command ----------------------------------------------------------------------------------------


def test_control_calls(start: Any, files: Any, clock: ManualClock) -> None:
    a = files("a")
    sim, client = serving(start, a)
    port = sim.tls_ports[0]
    assert client.post("/_simulator/tls", {"port": port, "behaviour": "down"})[0] == 200
    with pytest.raises(ConnectionRefusedError):
        shake(port)
    assert client.post("/_simulator/tls", {"port": port, "behaviour": "serve", "lag": None})[0] == 200
    new = a.renew()
    client.post("/v1/vhosts/a:reloadCertificate")
    assert shake(port)[0] == a.fingerprint
    assert client.post("/_simulator/tls", {"port": port, "lag": 0})[0] == 200
    assert shake(port)[0] == new
    assert client.post("/_simulator/reload_delay", {"seconds": 2})[0] == 200
    latest = a.renew()
    client.post("/v1/vhosts/a:reloadCertificate")
    clock.advance(2)
    assert shake(port, "a.example.com")[0] == latest
    found = client.get("/_simulator/handshakes")[1]["handshakes"]
    assert found[-1] == {"port": port, "server_name": "a.example.com", "vhost": "a", "fingerprint": latest}
    assert client.delete("/_simulator/handshakes")[0] == 200
    assert client.get("/_simulator/handshakes")[1] == {"handshakes": []}
    for body in ({"port": 1}, {}, {"port": port, "behaviour": "sleep"}, {"port": port, "lag": -1}):
        assert client.post("/_simulator/tls", body)[0] == 400


@pytest.fixture
def command() -> Iterator[Callable[..., tuple[int, list[int]]]]:
    """Start the simulator as a process with TLS ports. :returns: its port and its TLS ports."""
    processes = []

    def begin(count: int) -> tuple[int, list[int]]:
        values = [sys.executable, "-m", "tests.simulator", "--port", "0", *["--tls-port", "0"] * count]
        process = subprocess.Popen(values, cwd=Path(__file__).resolve().parents[3], stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        ports = [int(process.stdout.readline().rsplit(":", 1)[1]) for _line in range(count + 1)]
        return ports[0], ports[1:]

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def test_the_command_has_tls_ports(command: Any, files: Any) -> None:
    a = files("a")
    port, tls_ports = command(2)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("POST", "/v1/vhosts", json.dumps([a.vhost]), {"Authorization": "Basic b21lLWFjY2Vzcy10b2tlbg=="})
    assert connection.getresponse().status == 200
    connection.close()
    assert [shake(number)[0] for number in tls_ports] == [a.fingerprint] * 2
