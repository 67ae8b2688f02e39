# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup certificate_plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible_collections.streamops.ovenmediaengine.plugins.lookup.certificate_plan import LookupModule, certificate_plan

TLS = {"cert_path": "/etc/a/cert.pem", "key_path": "/etc/a/key.pem", "chain_cert_path": "/etc/a/chain.pem"}
FOUND = {
    "vhosts": [
        {"name": "a", "host": {"names": ["a.example.com"], "tls": TLS}},
        {"name": "plain", "host": {"tls": None}},
    ],
    "missing": ["gone"],
}


def plan(*certificates: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return certificate_plan(certificates, FOUND, [{"port": 3334}], "0644", "0600", **more)


def test_destinations_come_from_the_virtual_host() -> None:
    entry = plan({"vhost": "a", "certificate": "cert", "private_key": "key", "chain": "chain"})[0]
    assert entry == {
        "vhost": "a",
        "number": 0,
        "found": True,
        "endpoints": [{"port": 3334}],
        "files": [
            {"name": "chain", "source": "chain", "path": "/etc/a/chain.pem", "mode": "0644"},
            {"name": "certificate", "source": "cert", "path": "/etc/a/cert.pem", "mode": "0644"},
            {"name": "private_key", "source": "key", "path": "/etc/a/key.pem", "mode": "0600"},
        ],
    }


def test_an_entry_can_specify_destinations_and_endpoints() -> None:
    entry = plan(
        {
            "vhost": "a",
            "certbot_live": "/live",
            "cert_path": "/x",
            "key_path": "/y",
            "chain_cert_path": "/z",
            "endpoints": [{"port": 1}],
        }
    )[0]
    assert [file["path"] for file in entry["files"]] == ["/z", "/x", "/y"] and entry["endpoints"] == [{"port": 1}]


@pytest.mark.parametrize(
    ("entry", "sources"),
    [
        ({"certbot_live": "/live"}, ["/live/chain.pem", "/live/cert.pem", "/live/privkey.pem"]),
        ({"certbot_live": "/live", "chain": ""}, ["", "/live/cert.pem", "/live/privkey.pem"]),
        ({"certbot_live": "/live", "chain": None}, ["", "/live/cert.pem", "/live/privkey.pem"]),
        ({"certificate": "cert", "private_key": "key"}, ["", "cert", "key"]),
    ],
)
def test_sources(entry: dict[str, Any], sources: list[str]) -> None:
    assert [file["source"] for file in plan({"vhost": "a", **entry})[0]["files"]] == sources


def test_virtual_hosts_that_are_missing_or_have_no_tls_have_no_destinations() -> None:
    plain, gone = plan({"vhost": "plain", "certbot_live": "/live"}, {"vhost": "gone", "certbot_live": "/live"})
    assert [file["path"] for file in plain["files"] + gone["files"]] == [""] * 6
    assert (plain["found"], gone["found"], gone["number"]) == (True, False, 1)


@pytest.mark.parametrize("remote", [True, False])
def test_the_plugin_looks_for_relative_sources_on_the_controller(tmp_path: Path, remote: bool) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files/cert.pem").touch()
    plugin = LookupModule(loader=DataLoader())
    arguments = {"found": FOUND, "endpoints": [], "mode": "0644", "key_mode": "0600", "remote": remote}
    certificates = [{"vhost": "a", "certificate": "cert.pem", "private_key": "/key.pem"}]
    found = plugin.run([], {"playbook_dir": str(tmp_path)}, certificates=certificates, **arguments)
    assert [file["source"] for file in found[0][0]["files"]] == [
        "",
        "cert.pem" if remote else str(tmp_path / "files/cert.pem"),
        "/key.pem",
    ]


def test_no_certificates_make_an_empty_plan() -> None:
    assert plan() == []
