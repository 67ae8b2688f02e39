# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates made on the spot, their files, and a virtual host that serves them on TLS ports."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import trustme
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, post
from cryptography import x509
from cryptography.hazmat.primitives import hashes

ROOT = trustme.CA()
BETWEEN = ROOT.create_child_ca()
LOWEST = BETWEEN.create_child_ca()
STRANGER = trustme.CA()


class Issued:
    """A certificate that is written nowhere yet; its chain has two certificates and no root."""

    def __init__(self, name: str, days: int = 90, begin: int = -30) -> None:
        now = datetime.datetime.now(datetime.timezone.utc)
        since, until = now + datetime.timedelta(days=begin), now + datetime.timedelta(days=days, hours=1)
        made = LOWEST.issue_cert(name, common_name=name, not_before=since, not_after=until)
        self.cert = made.cert_chain_pems[0].bytes()
        self.chain = [LOWEST.cert_pem.bytes(), BETWEEN.cert_pem.bytes()]
        self.key = made.private_key_pem.bytes()
        self._parsed = x509.load_pem_x509_certificate(self.cert)

    @property
    def fingerprint(self) -> str:
        """As results show it."""
        return self._parsed.fingerprint(hashes.SHA256()).hex()

    @property
    def until(self) -> str:
        """The end of its validity as results show it."""
        return self._parsed.not_valid_after_utc.strftime("%Y-%m-%dT%H:%M:%SZ")


class Site:
    """A virtual host with files, the TLS ports on which it is served, and runs of the modules about them."""

    def __init__(self, simulator: Simulator, directory: Path, name: str = "aa") -> None:
        self.simulator = simulator
        self.directory = directory
        self.name = name
        self.host_name = f"{name}.example.com"
        self.cert, self.chain, self.key = (directory / f"{name}-{part}.pem" for part in ("cert", "chain", "key"))
        self.source = directory / f"{name}-source.pem"
        self.root = self.written("root.pem", ROOT.cert_pem.bytes())
        self.old = Issued(self.host_name)
        self.new = Issued(self.host_name)
        self.issued = [self.old, self.new]
        self.place(self.old)

    def written(self, name: str, content: bytes) -> str:
        """Writes a file; returns its path."""
        path = self.directory / name
        path.write_bytes(content)
        return str(path)

    def place(self, issued: Issued) -> None:
        """Writes the files that the server reads, and that from which the module knows what to expect."""
        self.issued.append(issued)
        self.cert.write_bytes(issued.cert)
        self.chain.write_bytes(b"".join(issued.chain))
        self.key.write_bytes(issued.key)
        self.source.write_bytes(issued.cert)

    @property
    def tls(self) -> dict[str, str]:
        """The files as the API names them."""
        return {"certPath": str(self.cert), "keyPath": str(self.key), "chainCertPath": str(self.chain)}

    def create(self, *names: str, tls: bool = True) -> Site:
        """Makes the virtual host, with what the files hold now, and forgets how."""
        host = {"names": list(names or [self.host_name]), **({"tls": self.tls} if tls else {})}
        post(self.simulator, "/v1/vhosts", [{"name": self.name, "host": host}])
        self.simulator.clear_log()
        return self

    def endpoints(self, *ports: int, **fields: Any) -> list[dict[str, Any]]:
        """Entries of `endpoint`, for all ports where none is named."""
        return [{"port": port, **fields} for port in ports or self.simulator.tls_ports]

    @property
    def reloads(self) -> list[str]:
        """The paths of the reloads that were asked for."""
        return [record.path for record in self.simulator.log if "reload" in record.path]

    def run(self, module: str, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
        """Runs a module, of which no output may show a private key."""
        run = running_modules.run_module(module, options, check_mode=check_mode)
        secret_lines = [
            line for issued in self.issued for line in issued.key.decode().splitlines() if "-----" not in line
        ]
        assert not [line for line in secret_lines if line in run.printed]
        assert "PRIVATE KEY" not in run.printed
        return run

    def reload(self, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
        """Runs cert_reload for the virtual host, with what its source holds, on all ports, unless options say
        otherwise; None leaves one out.
        """
        given = {
            **connection(
                self.simulator,
                vhost=self.name,
                certificate=str(self.source),
                endpoint=self.endpoints(),
                wait_timeout=0.3,
            ),
            **({"certificate": None} if "fingerprint" in options else {}),
            **options,
        }
        return self.run(
            "cert_reload", check_mode=check_mode, **{name: value for name, value in given.items() if value is not None}
        )
