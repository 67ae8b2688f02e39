# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_certificates."""

from __future__ import annotations

import hashlib
import pathlib
import ssl
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.plugins.filter import audit_certificates as plugin

audit_certificates = plugin.FilterModule().filters()["audit_certificates"]
PORTS = [{"port": 443}]


def write(path: pathlib.Path) -> str:
    """Writes a certificate; returns its fingerprint."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pem = trustme.CA().cert_pem.bytes()
    path.write_bytes(pem)
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem.decode())).hexdigest()


def test_files_of_the_controller_are_read_where_rotation_finds_them(tmp_path: pathlib.Path) -> None:
    one, two, three = (
        write(tmp_path / "files" / "one.pem"),
        write(tmp_path / "two.pem"),
        write(tmp_path / "live" / "cert.pem"),
    )
    entries = [
        {"vhost": "a", "certificate": "one.pem", "private_key": "canary"},
        {"vhost": "b", "certificate": str(tmp_path / "two.pem"), "endpoints": [{"port": 1}]},
        {"vhost": "c", "certbot_live": "live"},
        {"vhost": "d", "certificate": "none.pem"},
        {"vhost": "e"},
    ]
    assert audit_certificates(entries, PORTS, directory=str(tmp_path)) == [
        {"vhost": "a", "endpoint": PORTS, "fingerprint": one},
        {"vhost": "b", "endpoint": [{"port": 1}], "fingerprint": two},
        {"vhost": "c", "endpoint": PORTS, "fingerprint": three},
        {"vhost": "d", "endpoint": PORTS, "certificate": "none.pem"},
        {"vhost": "e", "endpoint": PORTS},
    ]


def test_files_of_the_media_server_are_handed_on() -> None:
    made = audit_certificates(
        [{"vhost": "a", "certificate": "/c/a.pem"}, {"vhost": "b", "certbot_live": "/c/b"}], PORTS, remote="yes"
    )
    assert [entry["certificate"] for entry in made] == ["/c/a.pem", "/c/b/cert.pem"]


def test_virtual_hosts_with_tls_are_looked_at_where_there_are_ports() -> None:
    vhosts: list[dict[str, Any]] = [
        {"name": "a", "host": {"tls": {"cert_path": "/c"}}},
        {"name": "b", "host": {}},
        {"name": "c", "host": {"tls": {"x": 1}}},
    ]
    assert audit_certificates([{"vhost": "c"}], PORTS, vhosts) == [
        {"vhost": "c", "endpoint": PORTS},
        {"vhost": "a", "endpoint": PORTS},
    ]
    assert audit_certificates([], [], vhosts) == []


@pytest.mark.parametrize("wrong", ["text", ["text"], {"a": 1}, None, 1])
def test_what_is_no_list_of_dictionaries_is_left_to_the_module(wrong: Any) -> None:
    assert audit_certificates(wrong, PORTS) == wrong
    assert audit_certificates([], PORTS, wrong) == []
