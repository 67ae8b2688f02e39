# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit takes certificates as the module certificates takes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import AuditInfo
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.certificate_files import Site
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

HOST_NAMES = ("localhost",)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A virtual host that serves its certificate on a port."""
    with Simulator(tls_ports=(0,), default_host_names=HOST_NAMES) as running:
        yield Site(running, tmp_path).create()


def listed(site: Site) -> list[dict[str, Any]]:
    """The virtual host as it is listed."""
    tls = {"cert_path": str(site.cert), "key_path": str(site.key), "chain_cert_path": str(site.chain)}
    return [{"name": site.name, "host": {"names": [site.host_name], "tls": tls}}]


def audit(site: Site, **options: Any) -> Any:
    """Return what an audit says of the virtual host."""
    return run_module("audit_info", connection(site.simulator, vhosts=listed(site), **options))


def agreements(result: Any) -> list[Any]:
    """Return of each endpoint whether it serves what is expected."""
    return [(one["vhost"], one["agrees"]) for one in result["certificates"]]


def test_an_entry_is_taken_as_it_is(site: Site) -> None:
    live = site.directory / "live"
    live.mkdir()
    (live / "cert.pem").write_bytes(site.old.cert)
    entry = {
        "vhost": site.name,
        "certbot_live": str(live),
        "endpoints": site.endpoints(),
        "private_key_content": "canary",
        "chain": "chain.pem",
        "cert_path": "/c.pem",
        "key_path": "/k.pem",
    }
    run = audit(site, certificates=[entry])
    assert agreements(run) == [(site.name, True)] and "canary" not in run.printed
    (live / "cert.pem").write_bytes(site.new.cert)
    assert agreements(audit(site, certificates=[entry])) == [(site.name, False)]


def test_the_content_of_a_certificate(site: Site) -> None:
    for issued, agrees in ((site.old, True), (site.new, False)):
        entry = {"vhost": site.name, "certificate_content": issued.cert.decode()}
        run = audit(site, certificates=[entry], certificate_endpoints=site.endpoints())
        assert agreements(run) == [(site.name, agrees)]


def test_virtual_hosts_with_tls_have_an_entry(site: Site) -> None:
    assert agreements(audit(site, certificate_endpoints=site.endpoints()[0])) == [(site.name, None)]
    assert agreements(audit(site, certificates=[])) == []
    one = [{"vhost": site.name, "fingerprint": site.old.fingerprint}]
    assert agreements(audit(site, certificates=one, certificate_endpoints=site.endpoints())) == [(site.name, True)]


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"certificate_content": "canary"}, "certificate"),
        ({"certificate": "/c.pem", "certbot_live": "/live"}, "certbot_live"),
        ({"certificate_content": "canary", "fingerprint": "a" * 64}, "fingerprint"),
        ({"certificat": "/c.pem"}, ""),
    ],
)
def test_what_cannot_be_expected_is_a_finding(site: Site, entry: dict[str, Any], field: str) -> None:
    run = audit(site, certificates=[{"vhost": site.name, **entry}], certificate_endpoints=site.endpoints())
    fields = [one["field"] for one in run["findings"] if one["kind"] in ("bad_input", "certificate_file")]
    assert fields == ["certificates[0]" + (f".{field}" if field else "")] and "canary" not in str(run["findings"])


@pytest.mark.parametrize("wrong", ["text", ["text"], {"a": 1}, 1, [["x"]]])
def test_a_list_of_another_type_is_left_to_the_check_of_types(wrong: Any) -> None:
    options = {"certificates": wrong, "certificate_endpoints": [{"port": 1}], "vhosts": wrong}
    assert AuditInfo.as_declared(options)["certificates"] == wrong


def test_files_on_the_controller_are_read_where_a_rotation_finds_them(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "one.pem").write_bytes(site.old.cert)
    (tmp_path / "live").mkdir()
    (tmp_path / "live" / "cert.pem").write_bytes(site.new.cert)
    (tmp_path / "broken.pem").write_text("canary", encoding="utf-8")
    entries = [
        {"vhost": site.name, "certificate": "one.pem"},
        {"vhost": site.name, "certbot_live": "live"},
        {"vhost": site.name, "certificate": "broken.pem"},
        {"vhost": site.name},
    ]
    options = {"certificates": entries, "certificate_endpoints": site.endpoints(), "certificates_remote_src": False}
    result = actions.run("audit_info", connection(site.simulator, vhosts=listed(site), **options))
    assert agreements(result) == [(site.name, True), (site.name, False), (site.name, None), (site.name, None)]
    broken = [one["message"] for one in result["findings"] if one["kind"] == "certificate_file"]
    assert len(broken) == 1 and "broken.pem contains no certificate" in broken[0]
    assert result["started_at"].endswith("Z")
