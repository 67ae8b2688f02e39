# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Media servers with real files and real TLS ports, for the tests of rotations."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import pathlib
import socket
import ssl
import stat
import tempfile
import typing as t

import trustme
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import LOCAL, TOKEN, Project, Run

NAME = "live.example.com"
FILES = ("cert.pem", "chain.pem", "privkey.pem")
# If a port never answers a handshake, or never serves what is waited for, only time tells.
SILENT = {"ovenmediaengine_timeout": 10}
LAPSES = {"ovenmediaengine_certificate_wait_timeout": 8}
LONG_AGO = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)


class Pair(t.NamedTuple):
    """A certificate with its key, in PEM form."""

    certificate: bytes
    key: bytes

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint as an endpoint that serves the certificate shows it."""
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.certificate.decode())).hexdigest()


class Authority:
    """A root, an authority under it, and what that has issued."""

    def __init__(self) -> None:
        self.root = trustme.CA()
        self.issuer = self.root.create_child_ca()
        self.chain: bytes = self.issuer.cert_pem.bytes()
        self.keys: list[bytes] = []

    def issue(self, *names: str, until: datetime.datetime | None = None) -> Pair:
        """Return a new pair."""
        made = self.issuer.issue_cert(*(names or (NAME,)), not_after=until)
        self.keys.append(made.private_key_pem.bytes())
        return Pair(made.cert_chain_pems[0].bytes(), made.private_key_pem.bytes())


@functools.cache
def authority() -> Authority:
    """Return the one that all tests use."""
    return Authority()


class MediaServer:
    """A simulated server whose virtual host `t-live` has a certificate in files, and new files that wait elsewhere."""

    def __init__(
        self, directory: pathlib.Path, version: str = "0.20.0", ports: int = 1, placed: bool = True, tls: bool = True
    ) -> None:
        self.old, self.new = authority().issue(), authority().issue()
        self.silent = not placed
        """Whether no port answers at first, because no certificate is loaded."""
        self.live = directory / "live"
        self.coming = directory / "coming"
        for folder in (self.live, self.coming):
            folder.mkdir(parents=True)
        if placed:
            self.write(self.live, self.old)
            (self.live / "privkey.pem").chmod(0o640)
        self.write(self.coming, self.new)
        # By its clock a second has passed whenever a handshake is done, so that what shows late shows after so many
        # looks.
        made: list[Simulator] = []
        self.simulator = Simulator(
            version, token=TOKEN, tls_ports=[0] * ports, clock=lambda: float(sum(len(one.handshakes) for one in made))
        )
        made.append(self.simulator)
        self.add("t-live", NAME, self.live if tls else None)

    def add(self, vhost: str, name: str, folder: pathlib.Path | None) -> None:
        """Add a virtual host."""
        host: dict[str, t.Any] = {"names": [name]}
        if folder is not None:
            host["tls"] = {
                "certPath": str(folder / "cert.pem"),
                "chainCertPath": str(folder / "chain.pem"),
                "keyPath": str(folder / "privkey.pem"),
            }
        self.simulator.add_static_virtual_host({"name": vhost, "host": host})

    def write(self, folder: pathlib.Path, pair: Pair, chain: bytes | None = None) -> None:
        """Write the files of a certificate, as certbot names them."""
        for name, content in zip(FILES, (pair.certificate, authority().chain if chain is None else chain, pair.key)):
            (folder / name).write_bytes(content)

    def __enter__(self) -> MediaServer:
        self.simulator.start()
        self.before = self.snapshot()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.simulator.stop()

    def snapshot(self) -> dict[str, tuple[bytes, int]]:
        """Return names, contents and modes of the files in place, backups included."""
        return {path.name: (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in self.live.iterdir()}

    @property
    def backups(self) -> list[pathlib.Path]:
        """Return the backups beside the files in place."""
        return sorted(self.live.glob("*~"))

    def served(self, position: int = 0, name: str = NAME) -> str | None:
        """Return the fingerprint of what one of its ports serves."""
        return served(self.simulator.tls_ports[position], name)

    @property
    def reloads(self) -> int:
        """Return how many reloads the server was asked for."""
        return sum("eload" in record.path for record in self.simulator.log)

    def variables(self, **more: t.Any) -> dict[str, t.Any]:
        """Return the variables of the host, with :data:`LAPSES` if a certificate does not arrive."""
        return {
            "ovenmediaengine_api_url": self.simulator.url,
            "ovenmediaengine_certificates": [{"vhost": "t-live", "certbot_live": str(self.coming)}],
            "ovenmediaengine_certificate_endpoints": [{"port": port} for port in self.simulator.tls_ports],
            **(SILENT if self.silent else {}),
            **more,
        }


def served(port: int, name: str) -> str | None:
    """Return the fingerprint of what a port serves, by a handshake of our own; None if the connection fails."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        plain = socket.create_connection(("127.0.0.1", port), timeout=60)
        with plain, context.wrap_socket(plain, server_hostname=name) as secure:
            return hashlib.sha256(secure.getpeercert(binary_form=True) or b"").hexdigest()
    except OSError:
        return None


def rotate(
    project: Project, hosts: t.Mapping[str, t.Mapping[str, t.Any]], *arguments: str, at_once: bool = False
) -> Run:
    """Run the playbook, or with ``at_once`` its role on all hosts concurrently; see that no key is printed."""
    log = project.directory / "ansible.log"
    log.unlink(missing_ok=True)
    common = {
        **LOCAL,
        "ovenmediaengine_api_token": TOKEN,
        "ovenmediaengine_timeout": 60,
        "ovenmediaengine_certificate_wait_timeout": 60,
    }
    inventory = project.directory / "servers.json"
    inventory.write_text(json.dumps({"all": {"hosts": hosts, "vars": common}}), encoding="utf-8")
    playbook = "streamops.ovenmediaengine.rotate_certificates"
    if at_once:
        playbook = str(project.directory / "at_once.json")
        play = {"hosts": "all", "gather_facts": False, "roles": ["streamops.ovenmediaengine.rotate_certificates"]}
        pathlib.Path(playbook).write_text(json.dumps([play]), encoding="utf-8")
    # Not below the test's own directory: ansible-core makes a socket in it, whose path must be short.
    with tempfile.TemporaryDirectory(prefix="rotation-") as temporary:
        run = project.play(
            playbook, "-i", str(inventory), "-vvvv", *arguments, ANSIBLE_LOG_PATH=str(log), TMPDIR=temporary
        )
        assert not list(pathlib.Path(temporary).glob("*.rotate_certificates")), (
            "the temporary directory was left behind"
        )
    printed = run.output + log.read_text(encoding="utf-8")
    lines = {line for key in authority().keys for line in key.decode().splitlines() if not line.startswith("-----")}
    assert lines and not [line for line in lines if line in printed], "a key was printed"
    return run


def outcome(run: Run, host: str) -> str:
    """Return the role's last line for a host."""
    return run.summary(host)


def failure(run: Run, host: str) -> str:
    """Return what the task that has failed for a host says."""
    return run.failure(host)
