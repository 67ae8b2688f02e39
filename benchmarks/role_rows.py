# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about other roles on a fleet, beside a task that does nothing on the same hosts."""

from __future__ import annotations

import functools
import itertools
import typing as t

import trustme

from . import objects
from .measuring import Sample
from .places import Place
from .table import Figure, Row, Sizes, time_ratio

ROTATE, EXPORT = "streamops.ovenmediaengine.rotate_certificates", "streamops.ovenmediaengine.export"
DEBUG, KEPT, ROTATED, EXPORTED = "roles_debug", "roles_rotate_unchanged", "roles_rotated", "roles_export"
_NAME = "live.benchmark.example.com"
_FILES = ("cert.pem", "chain.pem", "privkey.pem")


class RoleRows:
    """Makes the rows about the roles `rotate_certificates` and `export`.

    :param fleet: where there are the servers, each with a TLS port.
    """

    def __init__(self, fleet: Place, sizes: Sizes) -> None:
        self._fleet = fleet
        self._count = sizes.fleet
        self._tenants = sizes.fleet_tenants
        self._filled = False
        issuer = trustme.CA().create_child_ca()
        pairs = [issuer.issue_cert(_NAME) for _number in range(2)]
        self._pairs = itertools.cycle(
            [(pair.cert_chain_pems[0].bytes(), issuer.cert_pem.bytes(), pair.private_key_pem.bytes()) for pair in pairs]
        )

    def all(self) -> list[Row]:
        """Return the rows in the order of the table."""
        return [
            self._row(DEBUG, "with one `debug` each, for comparison", self._filled_and(self._debug), 0.015),
            self._row(KEPT, "by `rotate_certificates`, all served already", self._filled_and(self._kept), 0.04, True),
            self._row(ROTATED, "by `rotate_certificates`, with new files", self._filled_and(self._rotated), 0.05, True),
            self._row(EXPORTED, "by `export`, unchanged", self._filled_and(self._exported), 0.03, True),
        ]

    # What is run

    def _debug(self) -> Sample:
        return self._fleet.play("debug")

    def _kept(self) -> Sample:
        return self._rotate(changes=False)

    def _rotated(self) -> Sample:
        self._write("coming", next(self._pairs))
        return self._rotate(changes=True)

    def _exported(self) -> Sample:
        variables = {"export_file": str(self._fleet.directory / "{{ inventory_hostname }}.yml")}
        return self._fleet.play(EXPORT, changes=None, variables=variables)

    def _rotate(self, changes: bool) -> Sample:
        source = str(self._fleet.directory / "coming")
        variables = {
            "ovenmediaengine_certificates": [{"vhost": objects.name_of(1), "certbot_live": source}],
            "ovenmediaengine_certificate_endpoints": [{"port": "{{ benchmark_tls_port | int }}"}],
            "ovenmediaengine_certificate_backups": 1,
        }
        return self._fleet.play(ROTATE, changes=changes, variables=variables)

    # What the servers have

    def _filled_and(self, run: t.Callable[[], Sample]) -> t.Callable[[], Sample]:
        return functools.partial(self._run, run)

    def _run(self, run: t.Callable[[], Sample]) -> Sample:
        if not self._filled:
            first = next(self._pairs)
            self._write("coming", first)
            for number, url in enumerate(self._fleet.servers.urls):
                self._write(f"live-{number}", first)
                self._fleet.send(self._calls(f"live-{number}"), url)
            # Files that a rotation has made have other modes, and an export is there from then on.
            self._rotate(changes=True)
            self._exported()
            self._filled = True
        return run()

    def _calls(self, folder: str) -> list[objects.Call]:
        """Return the requests that make what a server has, one virtual host of it with TLS."""
        paths = (str(self._fleet.directory / folder / name) for name in _FILES)
        tls = dict(zip(("certPath", "chainCertPath", "keyPath"), paths))
        with_tls = {"name": objects.name_of(1), "host": {"names": [_NAME], "tls": tls}}
        rest = objects.virtual_hosts(self._tenants)[1:]
        return [
            ("POST", "/v1/vhosts", [with_tls, *rest]),
            *objects.create_applications(self._tenants),
            *objects.start_push_tasks(self._tenants, self._tenants),
        ]

    def _write(self, folder: str, pair: tuple[bytes, bytes, bytes]) -> None:
        path = self._fleet.directory / folder
        path.mkdir(exist_ok=True)
        for name, content in zip(_FILES, pair):
            (path / name).write_bytes(content)

    def _row(self, key: str, text: str, run: t.Callable[[], Sample], each: float, compared: bool = False) -> Row:
        figure: Figure | None = time_ratio(key, DEBUG, "{} × a playbook with one `debug`", 2) if compared else None
        needs = (DEBUG,) if compared else ()
        return Row(key, "roles", f"{self._count:,} servers {text}", run, 1.0 + each * self._count, figure, needs)
