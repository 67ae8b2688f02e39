# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who can read along and who answers: verification, authorities, client certificates, versions of TLS, and the warning
where there is none of it.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    ScriptedServer,
    success,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

WARNING = "api_url is plain http to another host"
TOKEN = "canary-token"


def read(url: str, **options: Any) -> running_modules.ModuleRun:
    """Asks for one virtual host that is not there."""
    return running_modules.run_module(
        "vhost_info", {"api_url": url, "api_token": TOKEN, "names": ["t-x"], "retries": 0, "timeout": 5, **options}
    )


@pytest.fixture
def authority() -> trustme.CA:
    """An authority that nobody trusts by itself."""
    return trustme.CA()


@pytest.fixture
def ca_path(authority: trustme.CA, tmp_path: Path) -> str:
    """The file with its certificate."""
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return str(tmp_path / "ca.pem")


@pytest.fixture
def context(authority: trustme.CA) -> ssl.SSLContext:
    """A server's side of TLS, with a certificate of that authority."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(made)
    return made


@pytest.fixture
def server(context: ssl.SSLContext) -> Iterator[ScriptedServer]:
    """A server that has the virtual host; a test may change the context before it connects."""
    with ScriptedServer(*[success({"name": "t-x"})] * 3, context=context) as started:
        yield started


def test_plain_http_to_another_host_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(success({"name": "t-x"})) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)  # so that an answer comes from a host of this name
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        run = read("http://ome.example.com:8081")
    assert not run.failed and len(run["vhosts"]) == 1
    assert len(run.warnings) == 1 and WARNING in run.warnings[0]
    assert "ome.example.com" not in run.warnings[0]  # the same text for every host of a fleet is shown once


def test_plain_http_to_the_host_itself_is_not(current: Simulator) -> None:
    assert running_modules.run_module("vhost_info", connection(current)).warnings == []


def test_a_server_of_an_unknown_authority_is_refused_by_default(server: ScriptedServer) -> None:
    run = read(server.url)
    assert run.failed and run["error"]["kind"] == "tls" and "not accepted" in run["msg"] and "ca_path" in run["msg"]
    assert server.requests == []


def test_the_authority_can_be_named(server: ScriptedServer, ca_path: str) -> None:
    run = read(server.url, ca_path=ca_path)
    assert not run.failed and run.warnings == []


def test_verification_is_only_switched_off_in_so_many_words(server: ScriptedServer) -> None:
    assert not read(server.url, validate_certs=False).failed


@pytest.mark.parametrize("key_apart", (True, False))
def test_a_server_that_asks_for_a_client_certificate(
    server: ScriptedServer, context: ssl.SSLContext, ca_path: str, tmp_path: Path, key_apart: bool
) -> None:
    clients = trustme.CA()
    clients.configure_trust(context)
    context.verify_mode = ssl.CERT_REQUIRED
    made = clients.issue_cert("controller.example.com")
    certificate, key = tmp_path / "client.pem", tmp_path / "client.key"
    if key_apart:
        made.cert_chain_pems[0].write_to_path(str(certificate))
        made.private_key_pem.write_to_path(str(key))
        options = {"client_cert": str(certificate), "client_key": str(key)}
    else:
        made.private_key_and_cert_chain_pem.write_to_path(str(certificate))
        options = {"client_cert": str(certificate)}
    assert not read(server.url, ca_path=ca_path, **options).failed
    assert len(server.requests) == 1

    without = read(server.url, ca_path=ca_path)
    assert without.failed and len(server.requests) == 1

    stranger = trustme.CA().issue_cert("controller.example.com")
    stranger.private_key_and_cert_chain_pem.write_to_path(str(certificate))
    other = read(server.url, ca_path=ca_path, client_cert=str(certificate))
    assert other.failed and len(server.requests) == 1
    assert "PRIVATE KEY" not in other.printed


def test_a_missing_client_certificate_is_named_before_anything_is_sent(
    server: ScriptedServer, ca_path: str, tmp_path: Path
) -> None:
    run = read(server.url, ca_path=ca_path, client_cert=str(tmp_path / "nowhere.pem"))
    assert run.failed and run["error"]["kind"] == "tls" and server.requests == []


@pytest.mark.parametrize("version", (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3))
def test_versions_of_today(
    server: ScriptedServer, context: ssl.SSLContext, ca_path: str, version: ssl.TLSVersion
) -> None:
    context.minimum_version = context.maximum_version = version
    assert not read(server.url, ca_path=ca_path).failed


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_a_server_that_is_older_than_what_the_system_allows(
    server: ScriptedServer, context: ssl.SSLContext, ca_path: str
) -> None:
    # Python's own contexts take nothing before 1.2, whatever the system's OpenSSL still could.
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    run = read(server.url, ca_path=ca_path)
    assert run.failed and run["error"]["kind"] == "tls" and server.requests == []


def test_tls_does_not_fall_back_to_plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    running_modules.probe_patiently(monkeypatch)
    with ScriptedServer(success({"name": "t-x"})) as plain:
        run = read(
            plain.url.replace("http:", "https:"), timeout=0.5
        )  # such a server waits for the end of a request that TLS has not
        assert (
            run.failed
            and run["error"]["kind"] == "wrong_scheme"
            and not any("Authorization" in str(one) for one in plain.requests)
        )
