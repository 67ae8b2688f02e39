# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates are read from files and from what is served, without any change; what is wrong is a finding and no
failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates import probe
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.certificate_files import (
    BETWEEN,
    LOWEST,
    ROOT,
    STRANGER,
    Issued,
    Site,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.conftest import (
    LIMIT_WITH_THE_MUTE,
    VERSIONS,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection


@pytest.fixture(params=VERSIONS)
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version in turn, with two TLS ports."""
    with Simulator(version=request.param, tls_ports=(0, 0)) as running:
        yield running


@pytest.fixture
def current() -> Iterator[Simulator]:
    """A simulator of the newest version, with two TLS ports."""
    with Simulator(tls_ports=(0, 0)) as running:
        yield running


@pytest.fixture
def site(simulator: Simulator, tmp_path: Path) -> Site:
    """A virtual host on each version."""
    return Site(simulator, tmp_path).create()


@pytest.fixture
def newest(current: Simulator, tmp_path: Path) -> Site:
    """A virtual host on the newest version."""
    return Site(current, tmp_path).create()


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may talk to an API, for which there is no library either."""
    for name in ("Transport", "Api"):
        monkeypatch.setattr(execution, name, None)
    monkeypatch.setattr(execution, "HAS_REQUESTS", False)


def info(site: Site, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    """A run that changes nothing and does not fail."""
    run = site.run("certificate_info", check_mode=check_mode, **options)
    assert not run.failed and run["changed"] is False, run
    return run


def refused(run: ModuleRun, option: str) -> None:
    assert run.failed and run["changed"] is False
    assert run["error"]["kind"] == "bad_input" and run["msg"].startswith(f"{option}: "), run["msg"]


def local(port: int, **fields: Any) -> dict[str, Any]:
    return {"host": "127.0.0.1", "port": port, **fields}


# -- served certificates ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
def test_certificates_of_a_virtual_host(site: Site, simulator: Simulator, check_mode: bool) -> None:
    run = info(
        site,
        check_mode=check_mode,
        **connection(simulator, vhost="aa", endpoint=site.endpoints(), certificate=str(site.source)),
    )
    assert [record.path for record in simulator.log] == ["/v1/vhosts/aa"] and simulator.writes == []
    assert [(entry["host"], entry["port"], entry["server_name"]) for entry in run["endpoints"]] == [
        ("127.0.0.1", port, "aa.example.com") for port in simulator.tls_ports
    ]
    for entry in run["endpoints"]:
        assert set(entry) == {
            "host",
            "port",
            "server_name",
            "certificate",
            "agrees",
            "verified",
            "verify_error",
            "error",
            "shadowed_by",
        }
        assert entry["certificate"] == run["certificates"][0] and entry["agrees"] is True
        assert (entry["verified"], entry["verify_error"], entry["error"], entry["shadowed_by"]) == (
            None,
            None,
            None,
            None,
        )
    certificate = run["certificates"][0]
    assert (
        certificate["fingerprint"] == site.old.fingerprint
        and certificate["not_after"] == site.old.until
        and certificate["days_left"] == 90
    )
    assert certificate["names"] == ["aa.example.com"] and run["problems"] == []


@pytest.mark.usefixtures("no_server")
def test_an_endpoint_without_any_api(newest: Site, current: Simulator) -> None:
    endpoint = local(current.tls_ports[0], server_name="aa.example.com")
    run = info(newest, endpoint=endpoint)
    assert (
        run["endpoints"][0]["certificate"]["fingerprint"] == newest.old.fingerprint
        and run["endpoints"][0]["agrees"] is None
    )
    assert run["certificates"] == run["problems"] == []
    assert info(newest, endpoint=endpoint, fingerprint=newest.old.fingerprint.upper())["endpoints"][0]["agrees"] is True
    assert info(newest, endpoint=endpoint, fingerprint=newest.new.fingerprint)["endpoints"][0]["agrees"] is False
    named = info(
        newest,
        endpoint=local(current.tls_ports[0]),
        certificate=str(newest.cert),
        names=["*.example.com", "aa.example.com"],
    )
    assert named["endpoints"][0]["server_name"] == "aa.example.com" and named["endpoints"][0]["agrees"]
    assert current.log == []


@pytest.mark.usefixtures("no_server")
def test_the_host_of_api_url_is_the_default_without_asking_it(
    newest: Site, current: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = info(newest, api_url=current.url, endpoint=newest.endpoints())
    assert [entry["host"] for entry in run["endpoints"]] == ["127.0.0.1"] * 2
    assert [entry["server_name"] for entry in run["endpoints"]] == ["127.0.0.1"] * 2
    monkeypatch.setenv("OVENMEDIAENGINE_API_URL", "http://localhost:1/prefix")
    assert info(newest, endpoint=newest.endpoints())["endpoints"][0]["host"] == "localhost"


def test_unreachable_endpoints_are_no_failures(
    site: Site, simulator: Simulator, handshake_limits: dict[int, list[float]]
) -> None:
    hung, down = simulator.tls_ports
    simulator.listener(hung, "hang")
    simulator.listener(down, "down")
    api = simulator.port
    run = info(site, timeout=77, endpoint=[local(hung), local(down), local(api)], fingerprint=site.old.fingerprint)
    assert handshake_limits == {port: [77] for port in (hung, down, api)}
    texts = (
        f"did not complete a TLS handshake within {LIMIT_WITH_THE_MUTE} s",
        "Nothing listens at",
        "does not speak TLS",
    )
    for entry, text in zip(run["endpoints"], texts):
        assert text in entry["error"] and f"127.0.0.1:{entry['port']}" in entry["error"]
        assert entry["certificate"] is None and entry["agrees"] is False and entry["verified"] is None


def test_an_unknown_host(newest: Site) -> None:
    run = info(newest, endpoint={"host": "nobody.invalid", "port": 443})
    assert "nobody.invalid cannot be resolved" in run["endpoints"][0]["error"]


@pytest.mark.parametrize(
    ("spoil", "name", "error"),
    [
        (lambda site: None, "aa.example.com", None),
        (lambda site: None, "zz.example.com", "the certificate is not for zz.example.com"),
        (lambda site: site.written("root.pem", STRANGER.cert_pem.bytes()), "aa.example.com", "unable to get"),
    ],
)
def test_verification(
    newest: Site, current: Simulator, spoil: Callable[[Site], Any], name: str, error: str | None
) -> None:
    spoil(newest)
    endpoint = local(current.tls_ports[0], server_name=name)
    entry = info(newest, endpoint=endpoint, verify_chain=True, chain_ca_path=newest.root)["endpoints"][0]
    assert entry["verified"] is (error is None) and entry["certificate"]["fingerprint"] == newest.old.fingerprint
    assert entry["verify_error"] is None if error is None else error in entry["verify_error"]
    assert entry["error"] is None
    assert info(newest, endpoint=endpoint, verify_chain=True, ca_path=newest.root)["endpoints"][0]["verified"] is (
        error is None
    )


def test_an_incomplete_chain(current: Simulator, tmp_path: Path) -> None:
    site = Site(current, tmp_path)
    site.chain.write_bytes(ROOT.cert_pem.bytes())
    site.create()
    entry = info(
        site,
        endpoint=local(current.tls_ports[0]),
        names=["aa.example.com"],
        certificate=str(site.cert),
        verify_chain=True,
        chain_ca_path=site.root,
    )
    assert entry["endpoints"][0]["verified"] is False and "unable to get" in entry["endpoints"][0]["verify_error"]


def test_a_missing_virtual_host(site: Site, simulator: Simulator) -> None:
    run = site.run("certificate_info", **connection(simulator, vhost="t-none", endpoint=site.endpoints()))
    assert run.failed and run["error"]["kind"] == "vhost_not_found" and simulator.handshakes == []


# -- files ------------------------------------------------------------------------------------------------------


def close(path: Path) -> None:
    """A directory is what root cannot read either."""
    path.unlink()
    path.mkdir()


PROBLEMS: dict[str, tuple[Callable[[Site], Any], list[str]]] = {
    "nothing": (lambda site: None, []),
    "root at the end": (lambda site: site.chain.write_bytes(b"".join([*site.old.chain, ROOT.cert_pem.bytes()])), []),
    "broken": (lambda site: site.cert.write_bytes(site.cert.read_bytes()[:200]), ["broken"]),
    "no certificate": (lambda site: site.cert.write_bytes(b""), ["no_certificate"]),
    "a key instead": (lambda site: site.cert.write_bytes(site.old.key), ["no_certificate"]),
    "missing": (lambda site: site.cert.unlink(), ["missing"]),
    "all missing": (
        lambda site: [path.unlink() for path in (site.cert, site.chain, site.key)],
        ["missing", "missing", "missing"],
    ),
    "unreadable": (lambda site: close(site.cert), ["unreadable"]),
    "unreadable key": (lambda site: close(site.key), ["unreadable"]),
    "broken key": (lambda site: site.key.write_bytes(site.key.read_bytes()[:60]), ["broken_key"]),
    "other key": (lambda site: site.key.write_bytes(site.new.key), ["key_mismatch"]),
    "expired": (lambda site: site.place(Issued(site.host_name, days=-3)), ["expired"]),
    "too early": (lambda site: site.place(Issued(site.host_name, begin=3)), ["not_yet_valid"]),
    "other name": (lambda site: site.place(Issued("other.example.com")), ["name_not_covered"]),
    "chain turned": (
        lambda site: site.chain.write_bytes(BETWEEN.cert_pem.bytes() + LOWEST.cert_pem.bytes()),
        ["chain_order"],
    ),
    "certificate in the chain": (
        lambda site: site.chain.write_bytes(site.old.cert + b"".join(site.old.chain)),
        ["chain_order"],
    ),
    "certificate file turned": (
        lambda site: site.cert.write_bytes(b"".join(site.old.chain) + site.old.cert),
        ["key_mismatch", "name_not_covered", "chain_order"],
    ),
    "broken chain": (
        lambda site: site.chain.write_bytes(b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"),
        ["broken"],
    ),
}


@pytest.mark.usefixtures("no_server")
@pytest.mark.parametrize("case", PROBLEMS)
def test_problems_of_files(newest: Site, case: str) -> None:
    spoil, kinds = PROBLEMS[case]
    spoil(newest)
    options = {
        "certificate": str(newest.cert),
        "chain": str(newest.chain),
        "private_key": str(newest.key),
        "names": [newest.host_name],
    }
    run = info(newest, **options)
    assert [problem["kind"] for problem in run["problems"]] == kinds, run["problems"]
    assert all(set(problem) == {"kind", "text"} and problem["text"].endswith(".") for problem in run["problems"])
    assert all(str(newest.directory) in problem["text"] for problem in run["problems"])
    assert run["endpoints"] == []


@pytest.mark.usefixtures("no_server")
def test_more_than_one_certificate_in_the_file(newest: Site) -> None:
    newest.cert.write_bytes(newest.old.cert + newest.old.key + b"".join(newest.old.chain))
    run = info(newest, certificate=str(newest.cert))
    assert [problem["kind"] for problem in run["problems"]] == ["chain_in_certificate"]
    assert len(run["certificates"]) == 3 and run["certificates"][0]["fingerprint"] == newest.old.fingerprint


def test_a_broken_file_beside_an_endpoint(newest: Site, current: Simulator) -> None:
    newest.cert.unlink()
    run = info(newest, certificate=str(newest.cert), endpoint=local(current.tls_ports[0]))
    assert run["endpoints"][0]["agrees"] is None and run["endpoints"][0]["certificate"] and run["certificates"] == []
    assert [problem["kind"] for problem in run["problems"]] == ["missing"]


def test_the_names_of_the_virtual_host(site: Site, simulator: Simulator, tmp_path: Path) -> None:
    two = Site(simulator, tmp_path, "bb").create("bb.example.com", "live.bb.example.com", "*")
    run = info(two, **connection(simulator, vhost="bb", certificate=str(two.cert)))
    assert [problem["kind"] for problem in run["problems"]] == ["name_not_covered"] and "live.bb.example.com" in run[
        "problems"
    ][0]["text"]
    assert (
        info(two, **connection(simulator, vhost="bb", certificate=str(two.cert), names=["bb.example.com"]))["problems"]
        == []
    )


# -- bad input --------------------------------------------------------------------------------------------------

PORT = {"host": "127.0.0.1", "port": 3334}
PEM = "-----BEGIN EC PRIVATE KEY-----\ncanary\n-----END EC PRIVATE KEY-----\n"
BAD_INPUT: list[tuple[dict[str, Any], str]] = [
    ({}, "endpoint"),
    ({"endpoint": []}, "endpoint"),
    ({"fingerprint": 64 * "a"}, "endpoint"),
    ({"endpoint": PORT, "chain": "/c.pem"}, "certificate"),
    ({"endpoint": PORT, "private_key": "/k.pem"}, "certificate"),
    ({"endpoint": PORT, "names": ["a.example.com"]}, "certificate"),
    ({"endpoint": {"port": 3334}}, "endpoint[0].host"),
    ({"endpoint": [PORT, {"port": 3334}]}, "endpoint[1].host"),
    ({"endpoint": {"port": 3334}, "api_url": "localhost:8081"}, "endpoint[0].host"),
    ({"endpoint": {"host": "a.example.com"}}, "endpoint[0].port"),
    ({"endpoint": {**PORT, "port": 70000}}, "endpoint[0].port"),
    ({"endpoint": {**PORT, "host": "a/b"}}, "endpoint[0].host"),
    ({"endpoint": {**PORT, "server_name": "*.example.com"}}, "endpoint[0].server_name"),
    ({"endpoint": [PORT, PORT]}, "endpoint[1]"),
    ({"endpoint": PORT, "fingerprint": "aa:bb"}, "fingerprint"),
    ({"endpoint": PORT, "fingerprint": 64 * "a", "certificate": "/c.pem"}, "fingerprint"),
    ({"endpoint": PORT, "timeout": 0}, "timeout"),
    ({"endpoint": PORT, "timeout": 3601}, "timeout"),
    ({"endpoint": PORT, "verify_chain": True, "chain_ca_path": "/does/not/exist.pem"}, "chain_ca_path"),
    ({"endpoint": PORT, "verify_chain": True, "ca_path": "/does/not/exist.pem"}, "ca_path"),
    ({"certificate": ""}, "certificate"),
    ({"certificate": PEM}, "certificate"),
    ({"certificate": "/c.pem", "chain": PEM}, "chain"),
    ({"certificate": "/c.pem", "private_key": PEM}, "private_key"),
    ({"certificate": "/c.pem", "private_key": PEM.replace("\n", " ")}, "private_key"),
    ({"certificate": "/c.pem", "names": ["a.example.com", "a b"]}, "names[1]"),
    ({"certificate": "/c.pem", "names": [""]}, "names[0]"),
    ({"certificate": "/c.pem", "vhost": "aa"}, "api_url"),
    ({"certificate": "/c.pem", "vhost": "aa", "api_url": "http://127.0.0.1:1"}, "api_token"),
    ({"certificate": "/c.pem", "vhost": "a/b", "api_url": "http://127.0.0.1:1", "api_token": "canary"}, "vhost"),
    ({"certificate": "/c.pem", "vhost": "aa", "api_url": "127.0.0.1:1", "api_token": "canary"}, "api_url"),
    (
        {
            "certificate": "/c.pem",
            "vhost": "aa",
            "api_url": "http://127.0.0.1:1",
            "api_token": "canary",
            "retries": -1,
        },
        "retries",
    ),
]


@pytest.mark.usefixtures("no_server")
@pytest.mark.parametrize(
    ("options", "option"), BAD_INPUT, ids=[f"{option}-{number}" for number, (_options, option) in enumerate(BAD_INPUT)]
)
def test_bad_input(newest: Site, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], option: str) -> None:
    """Nothing is sent, no handshake is made, and content in place of a path is not repeated."""
    monkeypatch.setattr(probe, "handshake", None)
    monkeypatch.setattr(execution, "HAS_REQUESTS", True)
    run = newest.run("certificate_info", **options)
    refused(run, option)
    assert "canary" not in run.printed


@pytest.mark.usefixtures("no_server")
def test_requests_is_needed_only_with_a_virtual_host(newest: Site, current: Simulator) -> None:
    run = newest.run("certificate_info", **connection(current, vhost="aa", certificate=str(newest.cert)))
    assert run.failed and "requests" in run["msg"]
