# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each server version gets its own spelling, once, and is asked for its version only if that matters."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RELEASES, VERSIONS, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.application_strategies import (
    applications,
    virtual_hosts,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    ModuleRun,
    connection,
    make_virtual_host,
)
from hypothesis import HealthCheck, Phase, given, settings

EXAMPLES = settings(
    max_examples=12, deadline=None, phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck)
)
ASKED = "GET /v1/version"
DVR = {"vhost": "t-v", "name": "live", "publishers": {"llhls": {"dvr": {"enable": True}}}}


def requests(simulator: Simulator) -> list[str]:
    return [f"{record.method} {record.path}" for record in simulator.log]


def run(simulator: Simulator, module: str = "application", *, check_mode: bool = False, **options: Any) -> ModuleRun:
    simulator.clear_log()
    return running_modules.run_module(module, connection(simulator, **options), check_mode=check_mode)


def misspelt(group: Object, body: Any, path: str = "") -> Iterator[str]:
    """Keys of a body in another spelling than the group's, and fields that have two."""
    if not isinstance(body, dict):
        return
    for field in group.fields.values():
        used = [wire for wire in field.wires if wire in body]
        if len(used) > 1 or (used and used != [field.wire]):
            yield f"{path}{used}"
        for wire in used:
            if isinstance(field, ObjectList):
                for item in body[wire]:
                    yield from misspelt(field.element, item, f"{path}{wire}[].")
            elif isinstance(field, Object):
                yield from misspelt(field, body[wire], f"{path}{wire}.")


@pytest.fixture(scope="module", params=RELEASES)
def server(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """One simulator a version for all examples."""
    with Simulator(version=request.param, stop_delay=0.0) as running:
        yield running
        assert not running.died


def expect_one_spelling(server: Simulator) -> None:
    version = parse(server.state.version.name)
    for record in server.log:
        if record.method == "POST" and record.path == "/v1/vhosts":
            assert not [key for item in record.body for key in misspelt(VIRTUAL_HOST.at(version), item)]
        elif record.method == "POST" and record.path.endswith("/apps"):
            assert not [key for item in record.body for key in misspelt(APPLICATION.at(version), item)]
    assert sum(record.path == "/v1/version" for record in server.log) <= 1


@EXAMPLES
@given(data=st.data())
def test_what_is_applied_and_read_is_applied_without_a_change(server: Simulator, data: st.DataObject) -> None:
    """Random virtual hosts and applications of all declared options that the version knows."""
    server.restart()
    version = server.state.version.keys
    hosts = data.draw(
        st.lists(virtual_hosts(version), min_size=1, max_size=2, unique_by=lambda vhost: vhost["name"]).filter(
            _none_is("default")
        )
    )
    apps = [{**data.draw(applications(version)), "vhost": vhost["name"]} for vhost in hosts]
    for module, option, wanted in (("vhosts", "vhosts", hosts), ("applications", "applications", apps)):
        made = run(server, module, **{option: wanted})
        assert not made.failed and made["changed"], made
        expect_one_spelling(server)
    for module, option in (("vhost_info", "vhosts"), ("application_info", "applications")):
        found = [
            entry
            for entry in run(server, module, show_secrets=True)[option]
            if entry.get("vhost", entry["name"]) != "default"
        ]
        again = run(server, f"{module.removesuffix('_info')}s", **{option: found})
        assert not again.failed and not again["changed"] and server.writes == [], again


def _none_is(name: str) -> Any:
    return lambda vhosts: all(vhost["name"] != name for vhost in vhosts)


# -- when the version is asked ---------------------------------------------------------------------------------------


def test_the_version_is_asked_once_for_many_objects(current: Simulator) -> None:
    make_virtual_host(current, "t-v")
    apps = [{**copy.deepcopy(DVR), "name": f"app{number}"} for number in range(5)]
    assert run(current, "applications", applications=apps)["counts"] == {"created": 5}
    assert requests(current).count(ASKED) == 1


def test_the_version_is_not_asked_where_no_spelling_differs(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    plain = {"vhost": "t-v", "name": "plain", "providers": {"rtmp": {}}, "publishers": {"llhls": {"segment_count": 4}}}
    assert run(simulator, **plain)["action"] == "created"
    assert ASKED not in requests(simulator)


def test_nothing_is_asked_in_a_run_that_changes_nothing(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    assert run(simulator, **DVR)["action"] == "created"
    for check_mode in (True, False):
        assert run(simulator, check_mode=check_mode, **DVR)["action"] == "unchanged"
        assert ASKED not in requests(simulator)


# -- versions that the collection does not know ----------------------------------------------------------------------


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Starts a simulator of one version that says it is another."""

    def start(version: str, reported: str) -> Simulator:
        monkeypatch.setitem(VERSIONS, "other", dataclasses.replace(VERSIONS[version], reported=reported))
        return Simulator(version="other")

    return start


@pytest.mark.parametrize("reported", ["0.21.1", "1.0.0", "nonsense", ""])
def test_a_newer_version_gets_the_newest_spelling(reports: Any, reported: str) -> None:
    with reports(NEWEST, reported) as simulator:
        make_virtual_host(simulator, "t-v")
        assert run(simulator, **DVR)["action"] == "created"
        assert "dvr" in simulator.state.virtual_hosts["t-v"].applications["live"].config["publishers"]["llhls"]


def test_a_refused_key_with_another_spelling_is_explained(reports: Any) -> None:
    with reports("0.20.0", "0.30.0") as simulator:  # its next release has gone back, say
        make_virtual_host(simulator, "t-v")
        result = run(simulator, **DVR)
        assert (
            result.failed
            and "publishers.llhls.dvr differently: dvr or dVR" in result["msg"]
            and "reports version 0.30.0" in result["msg"]
        )


def test_another_server_behind_the_same_address_is_asked_again(reports: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with Simulator(version="0.20.0", stop_delay=0.0) as old:
        make_virtual_host(old, "t-v")
        assert run(old, **DVR)["action"] == "created"
        assert "dVR" in old.state.virtual_hosts["t-v"].applications["live"].config["publishers"]["llhls"]
        old.state.version = VERSIONS[NEWEST]
        old.restart()
        make_virtual_host(old, "t-v")
        assert run(old, **DVR)["action"] == "created"
        assert "dvr" in old.state.virtual_hosts["t-v"].applications["live"].config["publishers"]["llhls"]


# -- options that a version does not know ----------------------------------------------------------------------------

ORIGIN = {"location": "/app", "pass": {"scheme": "ovt", "urls": {"url": ["origin.example.com:9000/app"]}}}
TOO_NEW = {
    "name": "t-v",
    "host": {"names": ["t.example.com"]},
    "origins": {"origin": [ORIGIN], "properties": {"retry_count": 3}},
}


@pytest.mark.parametrize("check_mode", [True, False])
def test_an_option_that_the_server_is_too_old_for(check_mode: bool) -> None:
    with Simulator(version="0.18.0") as simulator:
        created = run(simulator, "vhost", check_mode=check_mode, **TOO_NEW)
        assert created.failed and created["error"]["kind"] == "unsupported_option" and simulator.writes == []
        assert (
            "origins.properties.retry_count needs OvenMediaEngine 0.19.0 or later. The version of "
            "this server is 0.18.0." in created["msg"]
        )
        make_virtual_host(simulator, "t-v")
        recreated = run(simulator, "vhost", check_mode=check_mode, recreate=True, **TOO_NEW)
        assert recreated.failed and recreated["error"]["kind"] == "unsupported_option"
        assert "t-v" in simulator.state.virtual_hosts and not [
            record for record in simulator.writes if record.method == "DELETE"
        ]


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_virtual_host_is_not_taken_down_for_an_application_that_the_server_is_too_old_for(check_mode: bool) -> None:
    with Simulator(version="0.15.10") as simulator:
        make_virtual_host(simulator, "t-v")
        wanted = {
            "name": "t-v",
            "host": {"names": ["other.example.com"]},
            "applications": [{"name": "live", "publishers": {"push": {}}}],
        }
        result = run(simulator, "vhost", check_mode=check_mode, recreate=True, **wanted)
        assert (
            result.failed
            and result["error"]["kind"] == "unsupported_option"
            and "publishers.push needs OvenMediaEngine 0.16.6" in result["msg"]
        )
        assert not [record for record in simulator.writes if record.method == "DELETE"]


def test_an_application_is_not_taken_down_for_an_option_that_the_server_is_too_old_for() -> None:
    with Simulator(version="0.20.0") as simulator:
        make_virtual_host(simulator, "t-v")
        assert run(simulator, vhost="t-v", name="live", publishers={"push": {}})["action"] == "created"
        result = run(simulator, vhost="t-v", name="live", recreate=True, publishers={"push": {"send_timeout": 3000}})
        assert result.failed and "publishers.push.send_timeout needs OvenMediaEngine 0.20.5 or later" in result["msg"]
        assert "live" in simulator.state.virtual_hosts["t-v"].applications and simulator.writes == []


def test_an_option_that_newer_servers_no_longer_know(current: Simulator) -> None:
    make_virtual_host(current, "t-v")
    result = run(current, vhost="t-v", name="live", providers={"file": {"root_path": "/srv"}})
    assert (
        result.failed
        and "providers.file needs OvenMediaEngine 0.20.5 or earlier" in result["msg"]
        and current.writes == []
    )


# -- defaults --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "same", "other"), [("0.20.0", 1, 0), ("0.20.5", 0, 1), (NEWEST, 0, 1)])
def test_a_default_is_that_of_the_servers_version(version: str, same: int, other: int) -> None:
    with Simulator(version=version) as simulator:
        make_virtual_host(simulator, "t-v", origins={"properties": {}})
        options = {"name": "t-v", "host": {"names": ["t-v.example.com"]}}
        make = run(simulator, "vhost", **options, origins={"properties": {"retry_count": same}})
        assert not make.failed and make["action"] == "unchanged", make
        differs = run(simulator, "vhost", **options, origins={"properties": {"retry_count": other}})
        assert differs["error"]["kind"] == "differs"


# -- answers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spelling", ["dVR", "dvr"])
@pytest.mark.parametrize("version", ["0.20.0", NEWEST])
def test_every_spelling_is_read(version: str, spelling: str) -> None:
    with Simulator(version=version) as simulator:
        make_virtual_host(simulator, "t-v")
        assert run(simulator, **DVR)["action"] == "created"
        simulator.state.virtual_hosts["t-v"].applications["live"].config["publishers"]["llhls"] = {
            spelling: {"enable": True}
        }
        assert run(simulator, **DVR)["action"] == "unchanged"
        found = run(simulator, "application_info", vhost="t-v")["applications"][0]
        assert found["publishers"]["llhls"] == {"dvr": {"enable": True}}


def test_of_two_spellings_in_an_answer_one_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release after 0.21.0 answers with both."""
    with Simulator() as simulator:
        make_virtual_host(simulator, "t-v")
        options = {"web_rtc_auto_abr": True}
        profile = {"name": "p", "output_stream_name": "x", "playlists": [{"file_name": "master", "options": options}]}
        assert (
            run(simulator, vhost="t-v", name="live", output_profiles={"output_profile": [profile]})["action"]
            == "created"
        )
        config = simulator.state.virtual_hosts["t-v"].applications["live"].config
        config["outputProfiles"]["outputProfile"][0]["playlists"][0]["options"] = {
            "webrtcAutoAbr": True,
            "webRtcAutoAbr": True,
        }
        run(simulator, "vhost", name="t-v", host={"names": ["new.example.com"]}, recreate=True)
        sent = [record.body for record in simulator.writes if record.path.endswith("/apps") and record.body]
        assert sent and sent[0][0]["outputProfiles"]["outputProfile"][0]["playlists"][0]["options"] == {
            "webrtcAutoAbr": True
        }


@pytest.mark.parametrize("name", ["dvr", "dVR", "DVR"])
def test_extra_takes_no_spelling_of_an_option(current: Simulator, name: str) -> None:
    result = run(current, vhost="t-v", name="live", publishers={"llhls": {"extra": {name: {}}}})
    assert result.failed and "use the option dvr instead of extra" in result["msg"] and current.log == []
