# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The other roles by SSH and sudo, on a server that the role server has installed."""

from __future__ import annotations

import hashlib
import socket
import ssl
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import Run
from ansible_collections.streamops.ovenmediaengine.tests.e2e.media_host import changed, vhost
from ansible_collections.streamops.ovenmediaengine.tests.e2e.rotation import FILES, NAME, Pair, authority
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .guest import THERE, Guest
from .killing import Killer
from .media import Media

CONFIG = "/etc/ovenmediaengine"
# The server in its container sees the directory of its configuration.
LIVE, COMING = f"{CONFIG}/tls", "/root/coming"
TLS_PORT = 3334
CERTIFICATES = {name: f"{LIVE}/{file}" for name, file in zip(("cert_path", "chain_cert_path", "key_path"), FILES)}
OBJECTS: dict[str, t.Any] = {
    "ovenmediaengine_api_url": "http://127.0.0.1:8081",
    "ovenmediaengine_config_dir": CONFIG,
    "ovenmediaengine_push_tasks": [],
}
ROTATION: dict[str, t.Any] = {
    **OBJECTS,
    "ovenmediaengine_certificates": [{"vhost": "t-a", "certbot_live": COMING}],
    "ovenmediaengine_certificates_remote_src": True,
    "ovenmediaengine_certificate_endpoints": [{"port": TLS_PORT}],
}
PREFIX = "streamops.ovenmediaengine"
FEWEST_STEPS = 8
"""Of a rotation: requests, three files, and what is begun and ended."""
MATCHES = "import ssl, sys; ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*sys.argv[1:])"
"""A program that fails if a certificate and a key are no pair."""


def write(guest: Guest, folder: str, pair: Pair) -> None:
    """Write the files of a certificate as certbot does."""
    for name, text in zip(FILES, (pair.certificate, authority().chain, pair.key)):
        guest.write(f"{folder}/{name}", text.decode())


def served() -> str:
    """Return the fingerprint of the certificate that a viewer gets."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection((THERE, TLS_PORT), timeout=PATIENCE) as plain,
        context.wrap_socket(plain, server_hostname=NAME) as secure,
    ):
        return hashlib.sha256(secure.getpeercert(binary_form=True) or b"").hexdigest()


@pytest.mark.parametrize("media", ["quadlet"], indirect=True, scope="class")
class TestTenants:
    """Each test goes on with what the one before has left."""

    def test_a_durable_tenant_outlives_the_server(self, media: Media) -> None:
        write(media.guest, LIVE, authority().issue())
        settings = media.settings()
        settings["bind"]["publishers"]["llhls"]["tls_port"] = str(TLS_PORT)
        secure = vhost("t-a", NAME)
        secure["host"]["tls"] = CERTIFICATES
        media.variables.update(server_settings=settings, ovenmediaengine_vhosts=[secure])
        assert media.play().status == 0

        media.variables["ovenmediaengine_vhosts"] = [secure, vhost("t-durable")]
        files = media.files()
        for arguments in (("--check", "--diff"), ("--diff",)):
            made = media.playbook(f"{PREFIX}.provision", *arguments, **OBJECTS, ovenmediaengine_durable=True)
            assert made.status == 0 and "1 created" in made.output, made.output
            new = {line.split()[0] for line in media.files() - files if line.startswith("/")}
            assert new == (set() if arguments[0] == "--check" else {f"{CONFIG}/VHost_t-durable.xml"}), new
        media.kill()
        assert media.has_its_vhosts()
        again = media.playbook(f"{PREFIX}.provision", **OBJECTS, ovenmediaengine_durable=True)
        assert again.status == 0 and changed(again) == [], again.output

    def test_the_audit_finds_what_is_missing(self, media: Media) -> None:
        assert media.playbook(f"{PREFIX}.audit", **OBJECTS).status == 0
        media.variables["ovenmediaengine_vhosts"] += [vhost("t-missing")]
        found = media.playbook(f"{PREFIX}.audit", **OBJECTS)
        assert found.status == 2 and "findings: 0 error, 2 drift" in found.output, found.output
        page = media.project.directory / "ovenmediaengine-audit/audit.html"
        assert "t-missing" in page.read_text(encoding="utf-8")
        made = media.playbook(f"{PREFIX}.provision", **OBJECTS)
        assert made.status == 0 and media.has_its_vhosts(), made.output
        assert media.playbook(f"{PREFIX}.audit", **OBJECTS).status == 0

    def test_an_export_describes_the_server(self, media: Media) -> None:
        target = media.project.directory / "exported.yml"
        exported = media.playbook(f"{PREFIX}.export", **OBJECTS, export_file=str(target))
        assert exported.status == 0, exported.output
        text = target.read_text(encoding="utf-8")
        assert "t-a" in text and "t-durable" in text

    def test_a_viewer_gets_the_new_certificate(self, media: Media) -> None:
        new = authority().issue()
        before = served()
        write(media.guest, COMING, new)
        started = media.started()
        checked = media.playbook(f"{PREFIX}.rotate_certificates", "--check", "--diff", **ROTATION)
        assert checked.status == 0 and served() == before != new.fingerprint, checked.output
        rotated = media.playbook(f"{PREFIX}.rotate_certificates", "--diff", **ROTATION)
        assert rotated.status == 0 and served() == new.fingerprint, rotated.output
        assert media.mode(f"{LIVE}/privkey.pem") == "600" and media.started() == started
        again = media.playbook(f"{PREFIX}.rotate_certificates", **ROTATION)
        assert again.status == 0 and changed(again) == [], again.output

    def test_a_rotation_that_is_killed_leaves_no_broken_pair(self, media: Media) -> None:
        started, killer = media.started(), Killer(media)

        def rotate() -> Run:
            return media.playbook(f"{PREFIX}.rotate_certificates", **ROTATION)

        write(media.guest, COMING, authority().issue())
        whole = killer.killed_at(0, rotate)
        for step in range(1, whole + 1):
            new = authority().issue()
            write(media.guest, COMING, new)
            killer.killed_at(step, rotate)
            again = rotate()
            assert again.status == 0 and served() == new.fingerprint, (step, again.output)
            media.guest.run("python3", "-c", MATCHES, CERTIFICATES["cert_path"], CERTIFICATES["key_path"])
            assert media.started() == started
            left = set(media.guest.run("ls", "--almost-all", LIVE).split())
            assert {name for name in left if not name.endswith("~")} == set(FILES), (step, left)
        assert whole >= FEWEST_STEPS, whole
