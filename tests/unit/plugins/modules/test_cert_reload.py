# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rotation ends with handshakes that show the new certificate, or with a failure that says what is served
(server-facts: Certificates).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import ReloadAnswer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates import probe
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.probe import (
    Expected,
    ProbeSettings,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.rotation import Rotation
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import Endpoint
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator, certificates
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.certificate_files import (
    ROOT,
    STRANGER,
    Issued,
    Site,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.conftest import VERSIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    ModuleRun,
    connection,
    make_virtual_host,
)

RELOAD = "/v1/vhosts/aa:reloadCertificate"
RELOAD_ALL = "/v1/vhosts:reloadAllCertificates"
REPORTING = ("0.15.10", "documented")
"""Versions that answer 500 if files cannot be loaded."""


@pytest.fixture(params=VERSIONS)
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version in turn, with three TLS ports."""
    with Simulator(version=request.param, tls_ports=(0, 0, 0)) as running:
        yield running


@pytest.fixture
def current() -> Iterator[Simulator]:
    """A simulator of the newest version, with three TLS ports."""
    with Simulator(tls_ports=(0, 0, 0)) as running:
        yield running


@pytest.fixture
def site(simulator: Simulator, tmp_path: Path) -> Site:
    """A virtual host on each version that serves the old certificate, and whose files hold the new one."""
    return renewed(Site(simulator, tmp_path).create())


@pytest.fixture
def newest(current: Simulator, tmp_path: Path) -> Site:
    """The same on the newest version."""
    return renewed(Site(current, tmp_path).create())


def renewed(site: Site) -> Site:
    site.place(site.new)
    return site


def proven(run: ModuleRun, site: Site, issued: Issued | None = None) -> None:
    """Check that the run was a rotation, and that every endpoint serves the new certificate."""
    issued = issued or site.new
    assert not run.failed, run["msg"]
    assert run["changed"] and run["expected"]["fingerprint"] == issued.fingerprint
    assert [entry["after"]["fingerprint"] for entry in run["endpoints"]] == [issued.fingerprint] * len(run["endpoints"])
    assert all(entry["agrees"] and entry["error"] is None for entry in run["endpoints"])
    assert (run["before"], run["after"]) == (run["endpoints"][0]["before"], run["endpoints"][0]["after"])
    assert served(site) == [issued.fingerprint] * 3


def served(site: Site) -> list[str | None]:
    """Return what the ports serve, as the simulator knows it."""
    moment = site.simulator.state.clock.now()
    loaded = site.simulator.state.virtual_hosts[site.name].certificate_at(moment)
    return [loaded.fingerprint if loaded is not None else None] * 3


def refused(run: ModuleRun, kind: str, *said: str, changed: bool = False) -> None:
    """Check that the run failed with this kind of error, and that its message holds these texts."""
    assert run.failed and run["changed"] is changed, run
    assert run["error"]["kind"] == kind, run["msg"]
    assert ADVICE[kind].remedy in run["msg"] and run["error"]["attempted"] in run["msg"]
    for text in said:
        assert text in run["msg"], run["msg"]


# -- the table --------------------------------------------------------------------------------------------------


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def close(path: Path) -> None:
    """A directory is what root cannot read either."""
    path.unlink()
    path.mkdir()


def turn_certificate_file(site: Site) -> None:
    site.cert.write_bytes(b"".join(site.new.chain) + site.new.cert)


BROKEN: dict[str, Callable[[Site], Any]] = {
    "broken PEM": lambda site: cut_off(site.cert),
    "no PEM at all": lambda site: site.cert.write_bytes(bytes(range(256))),
    "missing file": lambda site: site.cert.unlink(),
    "missing key": lambda site: site.key.unlink(),
    "missing chain": lambda site: site.chain.unlink(),
    "key of another certificate": lambda site: site.key.write_bytes(site.old.key),
    "unreadable file": lambda site: close(site.cert),
    "unreadable key": lambda site: close(site.key),
    "wrong order in the certificate file": turn_certificate_file,
}


@pytest.mark.parametrize("case", BROKEN)
def test_files_that_the_server_cannot_load(site: Site, simulator: Simulator, case: str) -> None:
    """The old certificate stays in use, whatever the server answers; the message says which, and until when."""
    BROKEN[case](site)
    run = site.reload()
    said = (site.old.fingerprint[:16], f"valid until {site.old.until}")
    if simulator.state.version.name in REPORTING:
        refused(run, "reload_failed", "answered 500", *said)
        assert run["reload"]["status"] == 500
    else:
        refused(
            run,
            "certificate_not_served",
            "3 of 3 endpoints",
            "answered the reload with 200",
            site.new.fingerprint[:16],
            *said,
        )
        assert run["reload"]["status"] == 200
    assert site.reloads == [RELOAD]
    assert [entry["agrees"] for entry in run["endpoints"]] == [False] * 3
    assert run["after"]["fingerprint"] == run["before"]["fingerprint"] == site.old.fingerprint
    assert run["expected"]["fingerprint"] == site.new.fingerprint
    assert served(site) == [site.old.fingerprint] * 3


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("broken PEM", "no END line"),
        ("no PEM at all", "no certificate in PEM form"),
        ("missing file", "does not exist"),
    ],
)
def test_the_expected_certificate_is_invalid(site: Site, case: str, said: str) -> None:
    """Nothing is sent, and the message still reports what is served."""
    BROKEN[case](site)
    for check_mode in (False, True):
        run = site.reload(certificate=str(site.cert), check_mode=check_mode)
        refused(
            run, "certificate_file", said, str(site.cert), site.old.fingerprint[:16], f"valid until {site.old.until}"
        )
        assert run["expected"] is None and run["reload"] is None and run["after"]["fingerprint"] == site.old.fingerprint
    assert site.reloads == []


def test_the_expected_certificate_is_not_readable(newest: Site) -> None:
    close(newest.source)
    refused(newest.reload(), "certificate_file", "not a regular file", newest.old.until)
    if os.geteuid() != 0:
        newest.source.rmdir()
        newest.source.write_bytes(newest.new.cert)
        newest.source.chmod(0)
        refused(newest.reload(), "certificate_file", "Permission denied", newest.old.until)
    assert newest.reloads == []


def test_a_good_rotation(site: Site, simulator: Simulator) -> None:
    checked = site.reload(check_mode=True)
    assert site.reloads == [] and len(simulator.handshakes) == 3
    assert simulator.writes == []
    assert served(site) == [site.old.fingerprint] * 3
    run = site.reload()
    proven(run, site)
    assert site.reloads == [RELOAD]
    assert run["reload"] == {"status": 200, "message": "OK"} and checked["reload"] is None
    assert run["before"]["fingerprint"] == site.old.fingerprint
    assert set(run["after"]) == {"fingerprint", "subject", "names", "issuer", "not_before", "not_after", "days_left"}
    assert (
        run["after"]["names"] == [site.host_name]
        and run["after"]["not_after"] == site.new.until
        and run["after"]["days_left"] == 90
    )
    assert f"CN={site.host_name}" in run["after"]["subject"]
    entry = run["endpoints"][1]
    assert (entry["host"], entry["port"], entry["server_name"]) == ("127.0.0.1", simulator.tls_ports[1], site.host_name)
    assert (entry["verified"], entry["verify_error"]) == (None, None)
    # Check mode predicted the result.
    assert {key: value for key, value in checked.items() if key in run and key not in ("reload", "invocation")} == {
        key: value for key, value in run.items() if key in checked and key not in ("reload", "invocation")
    }
    assert list(run["diff"]["before"]) == [f"127.0.0.1:{port} ({site.host_name})" for port in simulator.tls_ports]
    assert {side["fingerprint"] for side in run["diff"]["after"].values()} == {site.new.fingerprint}


def test_a_second_run_sends_no_reload(site: Site, simulator: Simulator) -> None:
    proven(site.reload(), site)
    simulator.clear_log()
    for check_mode in (False, True):
        run = site.reload(check_mode=check_mode)
        assert not run.failed and not run["changed"] and run["reload"] is None
        assert run["after"] == run["before"] and run["after"]["fingerprint"] == site.new.fingerprint
        assert run["diff"] == {"before": {}, "after": {}}
    assert simulator.writes == []


def test_an_expired_certificate_is_served_with_a_warning(site: Site) -> None:
    """It is what was asked for, and the server takes it; but nobody may overlook it."""
    expired = Issued(site.host_name, days=-3)
    site.place(expired)
    run = site.reload()
    proven(run, site, expired)
    assert run["after"]["days_left"] == -3
    assert any("has expired" in text and expired.until in text for text in run.warnings)
    assert site.reloads == [RELOAD]


def test_an_expired_certificate_in_use_is_replaced(simulator: Simulator, tmp_path: Path) -> None:
    site = Site(simulator, tmp_path)
    site.place(Issued(site.host_name, days=-10))
    renewed(site.create())
    run = site.reload()
    proven(run, site)
    assert run["before"]["days_left"] == -10 and not run.warnings


def test_the_order_of_the_chain_does_not_matter(site: Site) -> None:
    site.chain.write_bytes(b"".join(reversed(site.new.chain)))
    run = site.reload(verify_chain=True, chain_ca_path=site.root)
    proven(run, site)
    assert [entry["verified"] for entry in run["endpoints"]] == [True] * 3


def test_a_reload_that_takes_two_seconds_to_show(site: Site, simulator: Simulator, clock: ManualClock) -> None:
    simulator.delay_reloads(2)
    started = clock()
    run = site.reload(wait_timeout=10)
    assert 2 <= clock() - started < 10
    proven(run, site)
    assert site.reloads == [RELOAD]


def test_one_endpoint_of_three_that_lags(site: Site, simulator: Simulator) -> None:
    simulator.lag(simulator.tls_ports[1], 0.4)
    proven(site.reload(wait_timeout=10), site)
    assert site.reloads == [RELOAD]


@pytest.mark.parametrize("position", (0, 1, 2))
def test_one_endpoint_of_three_that_lags_too_long(site: Site, simulator: Simulator, position: int) -> None:
    """The others have changed, and the run says so."""
    port = simulator.tls_ports[position]
    simulator.lag(port)
    run = site.reload()
    refused(
        run,
        "certificate_not_served",
        "After 0.3 s, 1 of 3 endpoints",
        f"127.0.0.1:{port}",
        f"valid until {site.old.until}",
        changed=True,
    )
    assert [entry["agrees"] for entry in run["endpoints"]] == [index != position for index in range(3)]
    assert not any(str(other) in run["msg"] for other in simulator.tls_ports if other != port)
    assert site.reloads == [RELOAD]
    # Those that agree do not hide the one that does not.
    refused(site.reload(), "certificate_not_served", "1 of 3 endpoints", f"127.0.0.1:{port}")
    assert site.reloads == [RELOAD] * 2
    simulator.lag(port, 0)
    assert not site.reload()["changed"]


@pytest.mark.parametrize(
    ("behaviour", "said"), [("down", "Nothing listens at"), ("hang", "did not complete a TLS handshake within")]
)
def test_an_endpoint_that_cannot_be_reached_or_never_answers(
    site: Site, simulator: Simulator, handshake_limits: dict[int, list[float]], behaviour: str, said: str
) -> None:
    port = simulator.tls_ports[2]
    simulator.listener(port, behaviour)
    run = site.reload(timeout=77)
    # The first look has the time of the option, those of the wait have what is left of it, and at least a second.
    assert handshake_limits[port][0] == 77 and set(handshake_limits[port][1:]) == {1.0}
    refused(run, "handshake_failed", said, f"127.0.0.1:{port}", "1 of 3", changed=True)
    assert site.reloads == [RELOAD]
    assert [(entry["agrees"], entry["after"] is None) for entry in run["endpoints"]] == [
        (True, False),
        (True, False),
        (False, True),
    ]
    assert said in run["endpoints"][2]["error"]
    # The next run would reload again, because it cannot see the certificate.
    checked = site.reload(check_mode=True)
    assert checked["changed"] and not checked.failed


def test_endpoints_that_disappear_with_the_reload(newest: Site, current: Simulator) -> None:
    """Without handshakes no change is reported."""

    def hang() -> None:
        for port in current.tls_ports:
            current._server.tls_listener(port).behaviour = "hang"

    current.meanwhile("POST", ":reloadCertificate", hang)
    run = newest.reload()
    refused(run, "handshake_failed", "3 of 3", "answered the reload with 200")
    assert run["before"]["fingerprint"] == newest.old.fingerprint and run["after"] is None


@pytest.mark.parametrize("others", (True, False), ids=("with others", "alone"))
def test_a_virtual_host_without_tls(simulator: Simulator, tmp_path: Path, others: bool) -> None:
    """With others the server shows theirs; alone it lets the connection hang."""
    site = Site(simulator, tmp_path).create(tls=False)
    other = Site(simulator, tmp_path, "zz")
    if others:
        other.create()
    run = site.reload()
    if simulator.state.version.name == "0.15.10":
        refused(run, "reload_failed", "A virtual host without TLS", "answered 500")
    elif others:
        refused(
            run,
            "certificate_not_served",
            other.old.fingerprint[:16],
            other.old.until,
            "does not cover aa.example.com, so it is probably that of another virtual host",
        )
    else:
        refused(run, "handshake_failed", "3 of 3", "that the virtual host has TLS")
    assert site.reloads == [RELOAD]


# -- reload of all virtual hosts --------------------------------------------------------------------------------


def test_all_virtual_hosts(site: Site, simulator: Simulator) -> None:
    run = site.reload(vhost=None, endpoint=site.endpoints(server_name=site.host_name))
    proven(run, site)
    assert site.reloads == [RELOAD_ALL]


def test_a_reload_of_all_that_fails_for_another_one_is_still_proven(site: Site, simulator: Simulator) -> None:
    """Up to 0.16.8 one virtual host without TLS makes it fail, although the others are loaded."""
    make_virtual_host(simulator, "plain")
    simulator.clear_log()
    run = site.reload(vhost=None, endpoint=site.endpoints(server_name=site.host_name))
    proven(run, site)
    assert site.reloads == [RELOAD_ALL]
    failed = simulator.state.version.name == "0.15.10"
    assert run["reload"]["status"] == (500 if failed else 200)
    assert (
        any("answered the reload with 500" in text and "served nevertheless" in text for text in run.warnings) is failed
    )


def test_a_reload_of_all_that_fails_proves_nothing_by_what_was_served_before(newest: Site, current: Simulator) -> None:
    proven(newest.reload(), newest)
    current.inject("status", method="POST", path=":reloadCertificate", status=500, times=-1)
    refused(newest.reload(force=True), "reload_failed", newest.new.until)


def test_a_reload_that_never_arrived_reports_what_is_served(newest: Site, current: Simulator) -> None:
    current.inject("reset", method="POST", path=":reloadCertificate", times=-1)
    run = newest.reload()
    refused(run, "connection_lost", newest.old.fingerprint[:16], f"valid until {newest.old.until}")
    assert run["reload"] is None


def test_a_reload_whose_response_is_lost_is_retried(newest: Site, current: Simulator) -> None:
    current.inject("reset", method="POST", path=":reloadCertificate", when="after")
    run = newest.reload()
    proven(run, newest)
    assert newest.reloads == [RELOAD] * 2 and run["retries"]


# -- expected certificates --------------------------------------------------------------------------------------


def spellings(fingerprint: str) -> list[str]:
    colons = ":".join(fingerprint[at : at + 2] for at in range(0, 64, 2))
    return [
        fingerprint,
        fingerprint.upper(),
        colons,
        colons.upper(),
        f"sha256 Fingerprint={colons.upper()}",
        f"SHA256:{fingerprint}",
        f"  {fingerprint}\n",
        " ".join(fingerprint[at : at + 8] for at in range(0, 64, 8)),
    ]


def test_a_fingerprint_in_all_spellings(newest: Site) -> None:
    run = newest.reload(fingerprint=spellings(newest.new.fingerprint)[3])
    proven(run, newest)
    assert run["expected"] == {"fingerprint": newest.new.fingerprint}
    for spelling in spellings(newest.new.fingerprint):
        again = newest.reload(fingerprint=spelling)
        assert not again.failed and not again["changed"], spelling
    assert newest.reloads == [RELOAD]


def test_a_fingerprint_in_check_mode(newest: Site) -> None:
    checked = newest.reload(fingerprint=newest.new.fingerprint, check_mode=True)
    assert (
        checked["changed"]
        and checked["after"] == {"fingerprint": newest.new.fingerprint}
        and checked["before"]["fingerprint"] == newest.old.fingerprint
    )


def test_the_first_certificate_of_the_file_counts(newest: Site) -> None:
    newest.source.write_bytes(newest.new.key + newest.new.cert + b"".join(newest.new.chain))
    proven(newest.reload(), newest)


def test_one_endpoint_needs_no_list(newest: Site, current: Simulator) -> None:
    run = newest.reload(endpoint={"port": current.tls_ports[0]})
    proven(run, newest)
    assert len(run["endpoints"]) == 1


@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
def test_no_expectation(newest: Site, current: Simulator, check_mode: bool) -> None:
    """Reports a change each time; with endpoints it at least says what is served."""
    for times in (1, 2):
        run = newest.reload(certificate=None, check_mode=check_mode)
        assert run["changed"] and not run.failed and run["expected"] is None
        assert [entry["agrees"] for entry in run["endpoints"]] == [None] * 3
        assert run["after"]["fingerprint"] == (newest.old if check_mode else newest.new).fingerprint
        assert len(newest.reloads) == (0 if check_mode else times)
    run = newest.reload(certificate=None, endpoint=None, check_mode=check_mode)
    assert (
        run["changed"]
        and run["endpoints"] == []
        and run["before"] is run["after"] is None
        and run["diff"] == {"before": {}, "after": {}}
    )


def test_no_expectation_and_nothing_served(newest: Site, current: Simulator) -> None:
    current.listener(current.tls_ports[0], "down")
    refused(
        newest.reload(certificate=None, wait_timeout=0), "handshake_failed", "1 of 3", "Nothing listens", changed=True
    )


def test_force(newest: Site, current: Simulator) -> None:
    proven(newest.reload(), newest)
    current.clear_log()
    assert newest.reload(force=True, check_mode=True)["changed"] and newest.reloads == []
    run = newest.reload(force=True)
    proven(run, newest)
    assert newest.reloads == [RELOAD] and run["before"] == run["after"]


def test_the_server_name_is_that_of_the_virtual_host(newest: Site, current: Simulator, tmp_path: Path) -> None:
    """The first host name that is no pattern; else the host."""
    patterns = Site(current, tmp_path, "bb").create("*.bb.example.com", "live.bb.example.com", "other.bb.example.com")
    run = patterns.reload()
    assert not run.failed and [entry["server_name"] for entry in run["endpoints"]] == ["live.bb.example.com"] * 3
    star = Site(current, tmp_path, "cc").create("*")
    assert star.reload(check_mode=True)["endpoints"][0]["server_name"] == "127.0.0.1"
    run = patterns.reload(endpoint=patterns.endpoints(server_name="other.bb.example.com", host="localhost"))
    assert (run["endpoints"][0]["server_name"], run["endpoints"][0]["host"]) == (
        "other.bb.example.com",
        "localhost",
    )


# -- other failures ---------------------------------------------------------------------------------------------


def test_a_missing_virtual_host(site: Site) -> None:
    refused(site.reload(vhost="t-none"), "vhost_not_found")
    assert site.reloads == []
    named = site.reload(vhost="t-none", endpoint=site.endpoints(server_name=site.host_name))
    refused(named, "vhost_not_found", site.old.fingerprint[:16], site.old.until)
    checked = site.reload(vhost="t-none", check_mode=True)
    assert checked["changed"] and not checked.failed and any("t-none" in text for text in checked.warnings)


def test_a_hidden_virtual_host(site: Site, simulator: Simulator, tmp_path: Path) -> None:
    """One with the host name `*` hides all that sort after it: the message names it, and no reload is sent, as none
    would help.
    """
    star = Site(simulator, tmp_path, "a-star").create("*")
    order = "the server picks the first virtual host, in alphabetical order of names"
    said = f"{order}, with a host name that matches: a-star (*)"
    for check_mode in (True, False):
        run = site.reload(check_mode=check_mode)
        refused(
            run,
            "shadowed",
            star.old.until,
            said,
            "and at 2 more endpoints",
            "So the server never presents the certificate of aa there",
        )
    assert site.reloads == []
    files = site.run(
        "certificate_info", **connection(simulator, vhost="aa", certificate=str(site.source), endpoint=site.endpoints())
    )
    assert [entry["shadowed_by"] for entry in files["endpoints"]] == ["a-star"] * 3
    assert [problem["kind"] for problem in files["problems"]] == ["shadowed"] and said in files["problems"][0]["text"]
    everything = site.reload(vhost=None, endpoint=site.endpoints(server_name=site.host_name))
    refused(everything, "certificate_not_served", "does not cover aa.example.com", said)


@pytest.mark.parametrize(
    ("pattern", "case"),
    [("aa.example.com", "same name"), ("*.example.com", "wildcard"), ("aa.example.c?om", "one character at most")],
    ids=lambda one: one,
)
def test_a_virtual_host_hidden_by_a_certificate_that_covers_its_name(
    newest: Site, current: Simulator, tmp_path: Path, pattern: str, case: str
) -> None:
    """The file of the other virtual host says whose certificate it is, although the certificate is for the name."""
    other = Site(current, tmp_path, "a-first")
    other.place(Issued(newest.host_name))
    other.create(pattern)
    run = newest.reload()
    refused(run, "shadowed", f"matches: a-first ({pattern})", other.issued[-1].fingerprint[:16])
    # Without that file it may be the old certificate of the virtual host itself, so that a reload is tried.
    other.cert.unlink()
    refused(newest.reload(), "certificate_not_served", f"matches: a-first ({pattern})")


def test_a_virtual_host_hidden_without_sni(newest: Site, current: Simulator, tmp_path: Path) -> None:
    Site(current, tmp_path, "a-first").create()
    run = newest.reload(endpoint=newest.endpoints(server_name="127.0.0.1"))
    refused(run, "shadowed", "Without SNI, which addresses do not have", "names: a-first")


def test_a_virtual_host_that_could_not_be_loaded_hides_nothing(
    newest: Site, current: Simulator, tmp_path: Path
) -> None:
    star = Site(current, tmp_path, "a-star")
    star.cert.write_text("broken")
    star.create("*")
    proven(newest.reload(), newest)
    newest.place(newest.old)
    star.place(newest.old)
    newest.place(newest.old)
    proven(newest.reload(), newest, newest.old)


def test_a_virtual_host_that_is_not_hidden(newest: Site, current: Simulator, tmp_path: Path) -> None:
    """Another certificate is served for another reason, so that nobody is blamed; nor where the server does not say
    who is there.
    """
    BROKEN["missing file"](newest)
    asked = newest.endpoints(server_name="else.example.com")
    run = newest.reload(endpoint=asked)
    refused(run, "certificate_not_served", "does not cover else.example.com")
    assert "alphabetical" not in run["msg"]
    Site(current, tmp_path, "a-star").create("*")
    assert "a-star (*)" in newest.reload(endpoint=asked)["msg"]
    current.inject("status", method="GET", path="/v1/vhosts", status=500, times=-1)
    run = newest.reload(endpoint=asked)
    refused(run, "certificate_not_served", "does not cover else.example.com")
    assert "alphabetical" not in run["msg"]


def test_no_explanation_without_a_wildcard(newest: Site, current: Simulator) -> None:
    BROKEN["missing file"](newest)
    del current.state.virtual_hosts["default"]
    assert (
        "alphabetical"
        not in newest.reload(vhost=None, endpoint=newest.endpoints(server_name="else.example.com"))["msg"]
    )


# -- days left --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
def test_days_left(newest: Site, current: Simulator, check_mode: bool) -> None:
    short = Issued(newest.host_name, days=20)
    newest.place(short)
    run = newest.reload(fail_if_days_left_below=21, check_mode=check_mode)
    refused(run, "certificate_expiring", f"valid until {short.until}", "20 days left", "find 21 days", changed=True)
    assert run["after"]["fingerprint"] == short.fingerprint and run["after"]["days_left"] == 20
    assert len(newest.reloads) == (0 if check_mode else 1)
    for port in current.tls_ports:
        assert f"127.0.0.1:{port}" in run["msg"]
    run = newest.reload(fail_if_days_left_below=20, check_mode=check_mode)
    assert not run.failed and run["changed"] is check_mode
    # By fingerprint check mode cannot know.
    unknown = newest.reload(fingerprint=short.fingerprint, fail_if_days_left_below=21, check_mode=check_mode)
    assert unknown.failed is not check_mode


def test_days_left_without_a_reload(newest: Site) -> None:
    proven(newest.reload(), newest)
    for check_mode in (False, True):
        refused(
            newest.reload(fail_if_days_left_below=91, check_mode=check_mode),
            "certificate_expiring",
            newest.new.until,
            "90 days left",
        )
        assert not newest.reload(fail_if_days_left_below=90, check_mode=check_mode).failed
    assert newest.reloads == [RELOAD]


def test_no_days_left(newest: Site) -> None:
    newest.place(Issued(newest.host_name, days=-1))
    refused(newest.reload(fail_if_days_left_below=0), "certificate_expiring", "-1 days left", changed=True)


# -- verification -----------------------------------------------------------------------------------------------


def test_a_chain_that_clients_accept(site: Site) -> None:
    run = site.reload(verify_chain=True, chain_ca_path=site.root)
    proven(run, site)
    assert [(entry["verified"], entry["verify_error"]) for entry in run["endpoints"]] == [(True, None)] * 3
    assert [entry["verified"] for entry in site.reload()["endpoints"]] == [None] * 3


def test_ca_path_is_the_default(newest: Site) -> None:
    assert not newest.reload(verify_chain=True, ca_path=newest.root).failed
    other = newest.written("other.pem", STRANGER.cert_pem.bytes())
    refused(newest.reload(verify_chain=True, ca_path=newest.root, chain_ca_path=other), "chain_not_verified")
    refused(newest.reload(verify_chain=True), "chain_not_verified")  # the system trusts neither


def test_a_directory_of_authorities(newest: Site, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    refused(newest.reload(verify_chain=True, chain_ca_path=str(tmp_path / "none")), "chain_not_verified", changed=True)


class Doubt(NamedTuple):
    """A chain that clients refuse."""

    said: str
    spoil: Callable[[Site], Any]
    options: dict[str, Any]


DOUBTS = {
    "untrusted": Doubt("unable to get", lambda site: site.written("root.pem", STRANGER.cert_pem.bytes()), {}),
    "incomplete": Doubt("unable to get", lambda site: site.chain.write_bytes(site.new.chain[1]), {}),
    "only the root": Doubt("unable to get", lambda site: site.chain.write_bytes(ROOT.cert_pem.bytes()), {}),
    "expired": Doubt("expired", lambda site: site.place(Issued(site.host_name, days=-3)), {}),
    "not yet valid": Doubt("not yet valid", lambda site: site.place(Issued(site.host_name, begin=3)), {}),
    "other name": Doubt("is not for other.example.com", lambda site: None, {"server_name": "other.example.com"}),
}


@pytest.mark.parametrize("case", DOUBTS)
def test_a_chain_that_clients_refuse(newest: Site, case: str) -> None:
    """It is served, and the failure says why it is no good; without the option nobody asks."""
    doubt = DOUBTS[case]
    doubt.spoil(newest)
    endpoint = newest.endpoints(**doubt.options)
    assert not newest.reload(check_mode=True, endpoint=endpoint, verify_chain=True, chain_ca_path=newest.root).failed
    run = newest.reload(endpoint=endpoint, verify_chain=True, chain_ca_path=newest.root)
    refused(run, "chain_not_verified", doubt.said, "clients would refuse it", changed=True)
    assert [entry["verified"] for entry in run["endpoints"]] == [False] * 3
    assert all(doubt.said in entry["verify_error"] and entry["agrees"] for entry in run["endpoints"])
    again = newest.reload(endpoint=endpoint, verify_chain=True, chain_ca_path=newest.root)
    refused(again, "chain_not_verified", doubt.said)
    refused(
        newest.reload(endpoint=endpoint, verify_chain=True, chain_ca_path=newest.root, check_mode=True),
        "chain_not_verified",
    )
    assert not newest.reload(endpoint=endpoint).failed
    assert newest.reloads == [RELOAD]


def test_the_key_of_another_certificate(site: Site) -> None:
    """It is found before the server is asked."""
    site.key.write_bytes(site.old.key)
    for check_mode in (False, True):
        run = site.reload(verify_chain=True, chain_ca_path=site.root, check_mode=check_mode)
        refused(
            run,
            "certificate_file",
            str(site.key),
            "does not belong to the certificate",
            site.old.fingerprint[:16],
            site.old.until,
        )
        assert run["expected"]["fingerprint"] == site.new.fingerprint and run["endpoints"][0]["agrees"] is False
    assert site.reloads == []


@pytest.mark.parametrize(
    "spoil", (lambda site: site.key.unlink(), lambda site: close(site.key), lambda site: cut_off(site.key))
)
def test_an_unreadable_key_is_left_to_the_server(newest: Site, spoil: Callable[[Site], None]) -> None:
    spoil(newest)
    refused(newest.reload(verify_chain=True, chain_ca_path=newest.root), "certificate_not_served", newest.old.until)
    assert newest.reloads == [RELOAD]


# -- the API's own certificate ----------------------------------------------------------------------------------


def api_files(directory: Path, issued: Issued) -> dict[str, str]:
    cert, key = directory / "api-cert.pem", directory / "api-key.pem"
    cert.write_bytes(issued.cert + b"".join(issued.chain))
    key.write_bytes(issued.key)
    return {"tls_cert": str(cert), "tls_key": str(key)}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_certificate_of_the_api(tmp_path: Path, version: str) -> None:
    old, new = Issued("127.0.0.1"), Issued("127.0.0.1")
    files = api_files(tmp_path, old)
    with Simulator(version=version, **files) as running:
        site = Site(running, tmp_path)
        site.issued += [old, new]
        api_files(tmp_path, new)
        options = {
            "scope": "api",
            "vhost": None,
            "endpoint": None,
            "certificate": files["tls_cert"],
            "ca_path": site.root,
            "verify_chain": True,
        }
        checked = site.reload(check_mode=True, **options)
        assert checked["changed"] and running.writes == []
        run = site.reload(**options)
        assert site.reloads == ["/v1/managers/api:reloadCertificate"]
        assert (run["before"]["fingerprint"], run["endpoints"][0]["port"]) == (old.fingerprint, running.port)
        if running.state.version.has_api_certificate_reload:
            assert (
                not run.failed
                and run["changed"]
                and run["after"]["fingerprint"] == new.fingerprint
                and run["endpoints"][0]["verified"]
            )
            running.clear_log()
            assert not site.reload(**options)["changed"] and running.writes == []
            Path(files["tls_key"]).write_bytes(old.key)
            refused(site.reload(**options, force=True), "reload_failed", "answered 500", new.until)
        else:
            refused(
                run,
                "controller_not_found",
                "answered 404",
                "the server's version",
                old.fingerprint[:16],
                f"valid until {old.until}",
            )


def test_the_certificate_of_the_api_at_another_port(newest: Site) -> None:
    """For example because the API is behind a gateway."""
    run = newest.reload(scope="api", vhost=None, endpoint=newest.endpoints(server_name=newest.host_name))
    refused(run, "certificate_not_served", newest.old.until)
    assert newest.reloads == ["/v1/managers/api:reloadCertificate"]
    bare = newest.reload(scope="api", vhost=None, certificate=None, endpoint=None)
    assert bare["changed"] and bare["endpoints"] == []


# -- bad input --------------------------------------------------------------------------------------------------

PORT = {"port": 3334}
CERT: dict[str, Any] = {"certificate": "/c.pem", "endpoint": [PORT]}
PEM = "-----BEGIN EC PRIVATE KEY-----\ncanary\n-----END EC PRIVATE KEY-----\n"
BAD_INPUT: list[tuple[dict[str, Any], str]] = [
    ({"vhost": "a b"}, "vhost"),
    ({"vhost": ""}, "vhost"),
    ({"vhost": "default", "scope": "api"}, "vhost"),
    ({**CERT, "fingerprint": 64 * "a"}, "fingerprint"),
    ({"fingerprint": "", "endpoint": [PORT]}, "fingerprint"),
    ({"fingerprint": 63 * "a", "endpoint": [PORT]}, "fingerprint"),
    ({"fingerprint": 65 * "a", "endpoint": [PORT]}, "fingerprint"),
    ({"fingerprint": 64 * "g", "endpoint": [PORT]}, "fingerprint"),
    ({"fingerprint": 40 * "a", "endpoint": [PORT]}, "fingerprint"),
    ({"certificate": "", "endpoint": [PORT]}, "certificate"),
    ({"certificate": PEM, "endpoint": [PORT]}, "certificate"),
    ({"certificate": "/c.pem"}, "endpoint"),
    ({"certificate": "/c.pem", "endpoint": []}, "endpoint"),
    ({"certificate": "/c.pem", "scope": "api"}, "endpoint"),
    ({"fingerprint": 64 * "a"}, "endpoint"),
    ({"verify_chain": True}, "endpoint"),
    ({"fail_if_days_left_below": 10}, "endpoint"),
    ({"fail_if_days_left_below": 0}, "endpoint"),
    ({**CERT, "fail_if_days_left_below": -1}, "fail_if_days_left_below"),
    ({**CERT, "endpoint": [{}]}, "endpoint[0].port"),
    ({**CERT, "endpoint": {"host": "a.example.com"}}, "endpoint[0].port"),
    ({**CERT, "endpoint": [PORT, {"port": 0}]}, "endpoint[1].port"),
    ({**CERT, "endpoint": [{"port": 65536}]}, "endpoint[0].port"),
    ({**CERT, "endpoint": [{"port": -1}]}, "endpoint[0].port"),
    ({**CERT, "endpoint": [{**PORT, "host": "https://a.example.com"}]}, "endpoint[0].host"),
    ({**CERT, "endpoint": [{**PORT, "host": "*"}]}, "endpoint[0].host"),
    ({**CERT, "endpoint": [PORT, PORT]}, "endpoint[1]"),
    ({**CERT, "endpoint": [{**PORT, "server_name": "a b"}]}, "endpoint[0].server_name"),
    ({**CERT, "endpoint": [{**PORT, "server_name": "*.example.com"}]}, "endpoint[0].server_name"),
    ({**CERT, "wait_timeout": -1}, "wait_timeout"),
    ({**CERT, "wait_timeout": 86401}, "wait_timeout"),
    ({**CERT, "wait_timeout": "nan"}, "wait_timeout"),
    ({**CERT, "timeout": 0}, "timeout"),
    ({**CERT, "timeout": "inf"}, "timeout"),
    ({**CERT, "verify_chain": True, "chain_ca_path": "/does/not/exist.pem"}, "chain_ca_path"),
    ({**CERT, "verify_chain": True, "chain_ca_path": ""}, "chain_ca_path"),
    ({**CERT, "verify_chain": True, "chain_ca_path": PEM}, "chain_ca_path"),
    ({**CERT, "verify_chain": True, "chain_ca_path": "/dev/null"}, "chain_ca_path"),
    ({**CERT, "verify_chain": True, "ca_path": "/does/not/exist.pem"}, "ca_path"),
]


@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
@pytest.mark.parametrize(
    ("options", "option"), BAD_INPUT, ids=[f"{option}-{number}" for number, (_options, option) in enumerate(BAD_INPUT)]
)
def test_bad_input(
    server: Simulator, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], option: str, check_mode: bool
) -> None:
    """Nothing is sent, no handshake made."""
    monkeypatch.setattr(probe, "handshake", None)
    run = Site.run(NO_SITE, "cert_reload", check_mode=check_mode, **connection(server, **options))
    assert run.failed and run["changed"] is False
    assert run["msg"].startswith(f"{option}: "), run["msg"]
    assert run["error"]["kind"] == "bad_input" and "canary" not in run.printed
    assert server.log == []


class _NoSite:
    """A site without certificates, for checks of the output."""

    issued: list[Issued] = []


NO_SITE: Any = _NoSite()


@pytest.fixture(scope="module")
def server() -> Iterator[Simulator]:
    """One simulator for all tests, because none may send it a request."""
    with Simulator() as running:
        yield running


@pytest.mark.parametrize(
    "options",
    [{"scope": "all"}, {"endpoint": [{**PORT, "sni": "a"}]}, {"endpoint": "a:1"}, {"endpoint": [{"port": "https"}]}],
)
def test_options_that_ansible_refuses(server: Simulator, options: dict[str, Any]) -> None:
    assert Site.run(NO_SITE, "cert_reload", **connection(server, **options)).failed
    assert server.log == []


# -- time -------------------------------------------------------------------------------------------------------


class Clockwork:
    """A virtual host, a rotation, and a clock that only their waiting moves."""

    def __init__(self, tmp_path: Path, **options: Any) -> None:
        self.clock = ManualClock()
        self.simulator = Simulator(clock=self.clock, tls_ports=(0, 0), **options)
        self.naps: list[float] = []
        self.simulator.start()
        self.site = renewed(Site(self.simulator, tmp_path).create())
        self.context = Context(sleep=self.sleep, clock=self.clock)

    def sleep(self, seconds: float) -> None:
        assert seconds > 0, "the time is over"
        self.naps.append(seconds)
        self.clock.advance(seconds)

    def reload_certificates(self, vhost: str, *, api: bool) -> ReloadAnswer:
        """Reload as the API does."""
        assert not api
        certificates.reload_one(self.simulator.state, self.simulator.state.virtual_hosts[vhost])
        return ReloadAnswer(200, "OK")

    def list_virtual_hosts(self) -> list[str]:
        return []

    def map_concurrently(self, calls: Sequence[Callable[[], Any]]) -> list[Any]:
        return [call() for call in calls]

    def rotation(self, wait_timeout: float) -> Rotation:
        api: Any = self
        return Rotation(api, self.context, ProbeSettings(2), vhost="aa", scope="vhosts", wait_timeout=wait_timeout)

    @property
    def endpoints(self) -> list[Endpoint]:
        return [Endpoint("127.0.0.1", port, "aa.example.com") for port in self.simulator.tls_ports]


@pytest.fixture
def clockwork(tmp_path: Path) -> Iterator[Clockwork]:
    made = Clockwork(tmp_path)
    yield made
    made.simulator.stop()


def test_pauses_grow_to_two_seconds(clockwork: Clockwork) -> None:
    clockwork.simulator.delay_reloads(10)
    rotation = clockwork.rotation(30)
    assert rotation.run(clockwork.endpoints, Expected(clockwork.site.new.fingerprint), force=False)
    assert clockwork.naps == [0.25, 0.5, 1, 2, 2, 2, 2, 2]
    # Endpoints that agree are not probed again.
    assert len(clockwork.simulator.handshakes) == 2 + 2 * 9


def test_an_endpoint_that_agrees_is_not_probed_again(clockwork: Clockwork) -> None:
    late = clockwork.simulator.tls_ports[1]
    clockwork.simulator.lag(late, 3)
    assert clockwork.rotation(30).run(clockwork.endpoints, Expected(clockwork.site.new.fingerprint), force=False)
    ports = [made.port for made in clockwork.simulator.handshakes]
    assert ports.count(late) > ports.count(clockwork.simulator.tls_ports[0]) == 2


@pytest.mark.parametrize(("wait_timeout", "naps"), [(0, []), (0.1, [0.1]), (5, [0.25, 0.5, 1, 2, 1.25])])
def test_the_wait_ends_at_its_deadline_with_a_last_probe(
    clockwork: Clockwork, wait_timeout: float, naps: list[float]
) -> None:
    clockwork.simulator.delay_reloads(100)
    rotation = clockwork.rotation(wait_timeout)
    with pytest.raises(OmeError) as caught:
        rotation.run(clockwork.endpoints, Expected(clockwork.site.new.fingerprint), force=False)
    assert caught.value.kind == "certificate_not_served" and f"After {wait_timeout:g} s" in str(caught.value)
    assert clockwork.naps == pytest.approx(naps) and sum(naps) == wait_timeout
    assert len(clockwork.simulator.handshakes) == 2 * (2 + len(naps))
