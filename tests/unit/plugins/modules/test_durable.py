# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Durable virtual hosts and applications: by API now, by file at the next start, with one result."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import Directory
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    ModuleRun,
    connection,
    make_virtual_host,
)

INCLUDE = '<VirtualHost include="VHost*.xml"/>'
SECRET, OTHER_SECRET = "canary-of-the-webhook", "canary-of-another-webhook"
LIVE = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration directory with one virtual host in Server.xml."""
    inline = config_files.virtual_host("default", applications=config_files.application("app"))
    return config_files.write(tmp_path / "conf", Server=config_files.server(INCLUDE + inline))


@pytest.fixture(params=RECORDED_MEDIA)
def server(request: pytest.FixtureRequest, config: Path) -> Iterator[Simulator]:
    """A server of each version that starts from the directory."""
    with Simulator(request.param, config=config, port=0, stop_delay=0.2) as made:
        yield made
        assert not made.died


@pytest.fixture
def newest(config: Path) -> Iterator[Simulator]:
    """A server of the newest version that starts from the directory."""
    with Simulator(config=config, port=0, stop_delay=0.2) as made:
        yield made
        assert not made.died


def run(
    server: Simulator, config: Path, module: str = "vhost", *, check_mode: bool = False, **options: Any
) -> ModuleRun:
    server.clear_log()
    specified = {"durable": True, "config_dir": str(config), **options}
    return running_modules.run_module(module, connection(server, **specified), check_mode=check_mode)


def vhost(name: str = "a", *hosts: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "host": {"names": list(hosts or [f"{name}.example.com"])}, **fields}


def writes(server: Simulator) -> list[str]:
    return [f"{record.method} {record.path}" for record in server.writes]


def states(result: ModuleRun) -> dict[str, str]:
    return {Path(file["path"]).name: file["state"] for file in result["files"]}


def contents(config: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in config.glob("VHost*.xml")}


def options_of(module: str, *vhosts: dict[str, Any]) -> dict[str, Any]:
    return {"vhosts": list(vhosts)} if module == "vhosts" else vhosts[0]


def restarted(server: Simulator) -> Simulator:
    server.restart()
    return server


WEBHOOKS = {"control_server_url": "http://hooks.example.com/", "secret_key": SECRET, "timeout": 2000}
TEXT = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten. -->
<VirtualHost>
  <Name>a</Name>
  <Host>
    <Names>
      <Name>a.example.com</Name>
    </Names>
  </Host>
  <AdmissionWebhooks>
    <ControlServerUrl>http://hooks.example.com/</ControlServerUrl>
    <SecretKey>canary-of-the-webhook</SecretKey>
    <Timeout>2000</Timeout>
  </AdmissionWebhooks>
  <Applications>
    <Application>
      <Name>live</Name>
      <Type>live</Type>
      <Providers>
        <RTMP />
      </Providers>
      <Publishers>
        <LLHLS />
        <Push />
      </Publishers>
      <OutputProfiles>
        <OutputProfile>
          <Name>default</Name>
          <OutputStreamName>${OriginStreamName}</OutputStreamName>
          <Encodes>
            <Video>
              <Name>bypass_video</Name>
              <Bypass>true</Bypass>
            </Video>
            <Audio>
              <Name>opus</Name>
              <Codec>opus</Codec>
              <BypassIfMatch>
                <Codec>eq</Codec>
              </BypassIfMatch>
              <Bitrate>128000</Bitrate>
              <Samplerate>48000</Samplerate>
              <Channel>2</Channel>
            </Audio>
            <Audio>
              <Name>aac</Name>
              <Codec>aac</Codec>
              <BypassIfMatch>
                <Codec>eq</Codec>
              </BypassIfMatch>
              <Bitrate>128000</Bitrate>
              <Samplerate>48000</Samplerate>
              <Channel>2</Channel>
            </Audio>
          </Encodes>
        </OutputProfile>
      </OutputProfiles>
    </Application>
  </Applications>
</VirtualHost>
"""


@pytest.mark.parametrize("module", ("vhost", "vhosts"))
def test_from_absent_to_absent(server: Simulator, config: Path, module: str) -> None:
    desired = options_of(module, vhost(admission_webhooks=WEBHOOKS, applications=[LIVE]))
    path = str(config / "VHost_a.xml")

    predicted = run(server, config, module, check_mode=True, **desired)
    assert predicted["changed"] and not predicted.failed, predicted.get("msg")
    assert server.writes == [] and contents(config) == {}
    done = run(server, config, module, **desired)
    assert (done["changed"], done["restart_required"]) == (True, False)
    assert done["files"] == predicted["files"] == [{"path": path, "state": "created"}]
    assert done["diff"] == predicted["diff"] and set(done["diff"]["after"]) == {"a", "a/live", path}
    assert done["diff"]["after"][path] == TEXT.replace(SECRET, "********").splitlines()
    assert writes(server) == ["POST /v1/vhosts", "POST /v1/vhosts/a/apps"]
    assert contents(config) == {"VHost_a.xml": TEXT}
    assert stat.S_IMODE((config / "VHost_a.xml").stat().st_mode) == 0o600

    for check_mode in (True, False):
        again = run(server, config, module, check_mode=check_mode, **desired)
        assert (again["changed"], again["restart_required"], states(again)) == (
            False,
            False,
            {"VHost_a.xml": "unchanged"},
        )
        assert again["diff"] == {"before": {}, "after": {}} and server.writes == []

    # Another host name, by a recreate: the file changes with the virtual host.
    more = options_of(module, vhost("a", "a.example.com", "b.example.com"))
    predicted = run(server, config, module, check_mode=True, recreate=True, **more)
    done = run(server, config, module, recreate=True, **more)
    assert not done.failed, done["msg"]
    assert done["changed"] and states(done) == states(predicted) == {"VHost_a.xml": "changed"}
    assert done["diff"] == predicted["diff"] and not done["restart_required"]
    assert contents(config)["VHost_a.xml"] == TEXT.replace(
        "      <Name>a.example.com</Name>\n", "      <Name>a.example.com</Name>\n      <Name>b.example.com</Name>\n"
    )

    gone = options_of(module, {"name": "a"})
    predicted = run(server, config, module, check_mode=True, state="absent", **gone)
    assert server.writes == [] and set(contents(config)) == {"VHost_a.xml"}
    done = run(server, config, module, state="absent", **gone)
    assert done["changed"] and states(done) == states(predicted) == {"VHost_a.xml": "removed"}
    assert contents(config) == {} and path in done["diff"]["before"] and path not in done["diff"]["after"]
    assert done["diff"] == predicted["diff"] and not done["restart_required"]
    again = run(server, config, module, state="absent", **gone)
    assert not again["changed"] and again["files"] == []


def test_all_is_there_after_a_restart(server: Simulator, config: Path) -> None:
    desired = vhost(admission_webhooks=WEBHOOKS, applications=[LIVE])
    run(server, config, **desired)
    done = run(restarted(server), config, **desired)
    assert (done["changed"], done["restart_required"]) == (False, False)
    assert server.writes == []
    assert [item["action"] for item in done["application_results"]] == ["unchanged"]
    without = running_modules.run_module("vhost", connection(server, **desired))
    assert not without["changed"] and "files" not in without and "restart_required" not in without


@pytest.mark.parametrize("module", ("vhost", "vhosts"))
def test_what_comes_from_a_file_differs_until_the_restart(server: Simulator, config: Path, module: str) -> None:
    first = vhost(admission_webhooks=WEBHOOKS, applications=[LIVE])
    run(server, config, **first)
    restarted(server)
    changed = vhost(
        "a",
        "b.example.com",
        admission_webhooks={**WEBHOOKS, "secret_key": OTHER_SECRET},
        applications=[{**LIVE, "providers": {"srt": {}}}, {"name": "second"}],
    )
    differences = [
        {"field": "host.names", "before": ["a.example.com"], "after": ["b.example.com"]},
        {"field": "admission_webhooks.secret_key", "before": "********", "after": "******** (changed)"},
    ]
    results = []
    for number, check_mode in enumerate((True, False, True, False)):
        result = run(server, config, module, check_mode=check_mode, **options_of(module, changed))
        assert not result.failed, result["msg"]
        assert result["changed"] is (number < 2) and result["restart_required"]
        itself = result if module == "vhost" else result["results"][0]
        inside = result["application_results"] if module == "vhost" else itself["applications"]
        assert itself["action"] == "unchanged" and itself["differs_until_restart"] == differences
        assert [item["action"] for item in inside] == ["unchanged", "unchanged"]
        assert {item["field"] for item in inside[0]["differs_until_restart"]} == {"providers.rtmp", "providers.srt"}
        assert inside[1]["differs_until_restart"] == [{"field": "name", "before": None, "after": "second"}]
        results.append(result)
    assert [states(result)["VHost_a.xml"] for result in results] == ["changed", "changed", "unchanged", "unchanged"]
    assert results[0]["diff"] == results[1]["diff"] and list(results[1]["diff"]["after"]) == [
        str(config / "VHost_a.xml")
    ]
    text = contents(config)["VHost_a.xml"]
    first, second = text.split("<Name>second</Name>")
    assert OTHER_SECRET in text and "<SRT />" in first and "<RTMP />" not in first and "<RTMP />" in second

    done = run(restarted(server), config, module, **options_of(module, changed))
    assert (done["changed"], done["restart_required"], states(done)) == (False, False, {"VHost_a.xml": "unchanged"})
    assert "differs_until_restart" not in json.dumps(done)


def test_absent_removes_the_file_and_the_object_stays_until_the_restart(server: Simulator, config: Path) -> None:
    run(server, config, **vhost(admission_webhooks=WEBHOOKS, applications=[LIVE]))
    restarted(server)
    for check_mode, changed in ((True, True), (False, True), (True, False), (False, False)):
        result = run(server, config, state="absent", name="a", check_mode=check_mode)
        assert not result.failed, result["msg"]
        assert (result["changed"], result["restart_required"]) == (changed, True)
        assert result["action"] == "unchanged"
        assert result["differs_until_restart"] == [{"field": "name", "before": "a", "after": None}]
        assert states(result) == ({"VHost_a.xml": "removed"} if changed else {})
    assert contents(config) == {}
    result = run(restarted(server), config, state="absent", name="a")
    assert (result["changed"], result["restart_required"]) == (False, False)


def test_a_file_begins_with_what_the_server_has(server: Simulator, config: Path) -> None:
    make_virtual_host(server, "a", distribution="by-hand", applications=[])
    running_modules.post(server, "/v1/vhosts/a/apps", [{"name": "other", "type": "live"}])
    result = run(server, config, name="a", host={"names": ["a.example.com"]}, applications=[LIVE])
    assert not result.failed and result["changed"]
    text = contents(config)["VHost_a.xml"]
    assert "<Distribution>by-hand</Distribution>" in text and "<Name>other</Name>" in text
    assert "<Name>live</Name>" in text
    restarted(server)
    found = running_modules.run_module("application_info", connection(server, vhost="a"))
    assert {app["name"] for app in found["applications"]} == {"live", "other"}


def test_settings_of_a_file_that_are_not_listed_stay(newest: Simulator, config: Path) -> None:
    written = config_files.virtual_host(
        "a",
        "<Distribution>kept</Distribution>",
        host_name="a.example.com",
        applications=config_files.application("kept-app"),
    )
    config_files.write(config, VHost_own_name=written)
    restarted(newest)
    same = run(newest, config, **vhost())
    assert not same["changed"] and states(same) == {"VHost_own_name.xml": "unchanged"}
    assert contents(config)["VHost_own_name.xml"] == written
    done = run(newest, config, **vhost("a", "b.example.com"))
    assert done["changed"] and states(done) == {"VHost_own_name.xml": "changed"}
    text = contents(config)["VHost_own_name.xml"]
    assert "kept-app" in text and "<Distribution>kept</Distribution>" in text and "b.example.com" in text


def test_a_specified_default_changes_no_file(newest: Simulator, config: Path) -> None:
    run(newest, config, **vhost())
    before = contents(config)
    result = run(newest, config, **vhost(distribution="ovenmediaengine.com", applications=[]))
    assert not result["changed"] and contents(config) == before


def test_an_unknown_option_is_refused_with_its_path_before_anything(server: Simulator, config: Path) -> None:
    subtitles = {"enable": True, "default_label": "en", "rendition": [{"label": "en", "language": "en"}]}
    app = {**LIVE, "subtitles": subtitles}
    result = run(server, config, "vhosts", vhosts=[vhost("b"), vhost("a", applications=[app])])
    if server.state.version.name == "0.21.0":
        assert not result.failed and set(contents(config)) == {"VHost_a.xml", "VHost_b.xml"}
        return
    assert result.failed and result["error"]["kind"] == "unsupported_option" and not result["changed"]
    assert "vhosts[1].applications[0].subtitles needs" in result["msg"]
    assert server.writes == [] and contents(config) == {}


def test_virtual_hosts_of_server_xml_are_left_to_it(server: Simulator, config: Path) -> None:
    before = (config / "Server.xml").read_text()
    equal = run(server, config, name="default", host={"names": ["*"]})
    assert not equal.failed and not equal["changed"] and equal["files"] == [] and not equal["restart_required"]
    result = run(server, config, "vhosts", vhosts=[vhost("default", "x.example.com", distribution="x"), vhost("b")])
    assert result.failed and [item["action"] for item in result["results"]] == ["failed", "created"]
    assert states(result) == {"VHost_b.xml": "created"}
    assert (config / "Server.xml").read_text() == before


def test_a_failed_write_by_the_api_leaves_no_file(newest: Simulator, config: Path) -> None:
    newest.inject("status", method="POST", path=r"/v1/vhosts", times=10)
    result = run(newest, config, **vhost())
    assert result.failed and contents(config) == {} and result["files"] == []


def test_an_application_that_fails_is_in_no_file(newest: Simulator, config: Path) -> None:
    newest.inject("status", method="POST", path=r"/v1/vhosts/a/apps", times=10)
    result = run(newest, config, **vhost(applications=[LIVE]))
    assert result.failed and states(result) == {"VHost_a.xml": "created"}
    assert "<Applications>" not in contents(config)["VHost_a.xml"]


def test_a_file_that_cannot_be_written_is_a_failure_that_the_next_run_mends(
    newest: Simulator, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Directory, name: str, *_data: Any, **_options: Any) -> None:
        raise OmeError("config_file", f"write {name}", detail=f"{name}: No space left on device.")

    with monkeypatch.context() as broken:
        broken.setattr(Directory, "write", full)
        result = run(newest, config, "vhosts", vhosts=[vhost("a"), vhost("b", applications=[LIVE])])
    assert result.failed and result["changed"]
    assert {item["action"] for item in result["results"]} == {"failed"}
    error = result["results"][0]["error"]
    assert error["kind"] == "config_file" and error["attempted"] == "make virtual host a durable"
    assert "No space left on device" in error["meaning"] and "loses that when it restarts" in error["meaning"]
    assert result["files"] == [] and contents(config) == {}
    mended = run(newest, config, "vhosts", vhosts=[vhost("a"), vhost("b", applications=[LIVE])])
    assert not mended.failed and mended["changed"] and writes(newest) == []
    assert states(mended) == {"VHost_a.xml": "created", "VHost_b.xml": "created"}


@pytest.mark.parametrize(
    ("server_xml", "others", "text"),
    [
        (None, {}, "There is no file Server.xml"),
        ("", {}, 'Add <VirtualHost include="VHost*.xml" />'),
        (INCLUDE.replace("VHost*", "Other*"), {}, 'Add <VirtualHost include="VHost*.xml" />'),
        (INCLUDE, {"VHost_a": config_files.virtual_host("b")}, "VHost_a.xml: expected the virtual host a, got another"),
        (INCLUDE, {"VHost_b": "<VirtualHost>"}, "VHost_b.xml:1: expected the end tag </VirtualHost>"),
    ],
)
def test_a_directory_that_cannot_make_it_durable_is_refused_first(
    current: Simulator, tmp_path: Path, server_xml: str | None, others: dict[str, str], text: str
) -> None:
    files = others if server_xml is None else {**others, "Server": config_files.server(server_xml)}
    config = config_files.write(tmp_path / "conf", **files)
    before = contents(config)
    result = run(current, config, **vhost())
    assert result.failed and text in result["msg"], result["msg"]
    assert current.log == [] and contents(config) == before


@pytest.mark.parametrize("module", ("vhost", "vhosts", "application", "applications"))
def test_the_directory_is_required(current: Simulator, module: str) -> None:
    inside = {"name": "a", "vhost": "v"} if "app" in module else vhost()
    options = {module: [inside]} if module.endswith("s") else inside
    result = running_modules.run_module(module, connection(current, durable=True, **options))
    assert result.failed and result["msg"] == "config_dir: is required if durable is true."
    result = running_modules.run_module(module, connection(current, durable=True, config_dir="conf", **options))
    assert result.failed and "config_dir: expected the absolute path" in result["msg"] and current.log == []


def test_purge_removes_the_files_of_what_it_deletes_and_of_what_came_from_them(newest: Simulator, config: Path) -> None:
    run(newest, config, "vhosts", vhosts=[vhost("a"), vhost("b", admission_webhooks=WEBHOOKS)])
    config_files.write(config, VHost_hand=config_files.virtual_host("hand"))
    restarted(newest)
    run(newest, config, "vhosts", vhosts=[vhost("c")])
    assert set(contents(config)) == {"VHost_a.xml", "VHost_b.xml", "VHost_c.xml", "VHost_hand.xml"}
    purged = run(newest, config, "vhosts", vhosts=[vhost("a")], purge=True)
    assert not purged.failed, purged["msg"]
    assert states(purged) == {"VHost_a.xml": "unchanged", "VHost_b.xml": "removed", "VHost_c.xml": "removed"}
    assert purged["restart_required"] and set(contents(config)) == {"VHost_a.xml", "VHost_hand.xml"}
    again = run(newest, config, "vhosts", vhosts=[vhost("a")], purge=True)
    assert (again["changed"], again["restart_required"]) == (False, True)
    restarted(newest)
    again = run(newest, config, "vhosts", vhosts=[vhost("a")], purge=True)
    assert (again["changed"], again["restart_required"]) == (False, False)
    found = running_modules.run_module("vhost_info", connection(newest))
    assert {one["name"] for one in found["vhosts"]} == {"a", "default", "hand"}


def test_no_secret_is_in_a_result(server: Simulator, config: Path) -> None:
    url = "http://hooks.example.com/?token=canary-of-the-query"
    for secret in (SECRET, OTHER_SECRET):
        desired = vhost(admission_webhooks={"control_server_url": url, "secret_key": secret})
        for check_mode in (True, False):
            result = run(server, config, **desired, check_mode=check_mode)
            assert not result.failed or secret == OTHER_SECRET
            assert "canary" not in json.dumps({key: result[key] for key in result if key != "invocation"})
        restarted(server)
    # What only the file has is masked as well.
    result = run(server, config, name="a", state="absent")
    assert result["changed"] and "canary" not in result.printed


# Applications


def app(**fields: Any) -> dict[str, Any]:
    return {"vhost": "a", **LIVE, **fields}


@pytest.mark.parametrize("module", ("application", "applications"))
def test_applications_go_into_the_file_of_their_virtual_host(server: Simulator, config: Path, module: str) -> None:
    run(server, config, **vhost(admission_webhooks=WEBHOOKS))
    before = contents(config)["VHost_a.xml"]

    def options(**fields: Any) -> dict[str, Any]:
        return {"applications": [app(**fields)]} if module == "applications" else app(**fields)

    predicted = run(server, config, module, check_mode=True, **options())
    assert server.writes == [] and contents(config)["VHost_a.xml"] == before
    done = run(server, config, module, **options())
    assert not done.failed and done["changed"] and not done["restart_required"]
    assert states(done) == states(predicted) == {"VHost_a.xml": "changed"} and done["diff"] == predicted["diff"]
    assert contents(config)["VHost_a.xml"] == TEXT
    again = run(server, config, module, **options())
    assert not again["changed"] and states(again) == {"VHost_a.xml": "unchanged"}

    restarted(server)
    for changed in (True, False):
        result = run(server, config, module, **options(providers={"srt": {}}))
        assert not result.failed, result["msg"]
        assert (result["changed"], result["restart_required"]) == (changed, True)
        itself = result if module == "application" else result["results"][0]
        assert {one["field"] for one in itself["differs_until_restart"]} == {"providers.rtmp", "providers.srt"}
    restarted(server)
    result = run(server, config, module, **options(providers={"srt": {}}))
    assert (result["changed"], result["restart_required"]) == (False, False)

    for changed in (True, False):
        gone = {"vhost": "a", "name": "live"}
        result = run(server, config, module, state="absent", **({"applications": [gone]} if "ns" in module else gone))
        assert not result.failed, result["msg"]
        assert (result["changed"], result["restart_required"]) == (changed, True)
    assert contents(config)["VHost_a.xml"] == before


def test_purge_removes_applications_from_the_file(newest: Simulator, config: Path) -> None:
    run(newest, config, **vhost(admission_webhooks=WEBHOOKS, applications=[LIVE, {"name": "second"}]))
    done = run(newest, config, "applications", applications=[app()], purge=True)
    assert done["changed"] and not done["restart_required"] and contents(config)["VHost_a.xml"] == TEXT


def test_purged_applications_of_a_file_stay_until_the_restart(newest: Simulator, config: Path) -> None:
    run(newest, config, **vhost(admission_webhooks=WEBHOOKS, applications=[LIVE, {"name": "second"}]))
    restarted(newest)
    for changed in (True, False):
        done = run(newest, config, "applications", applications=[app()], purge=True)
        assert not done.failed, done["msg"]
        assert (done["changed"], done["restart_required"]) == (changed, True)
        assert contents(config)["VHost_a.xml"] == TEXT
    done = run(restarted(newest), config, "applications", applications=[app()], purge=True)
    assert (done["changed"], done["restart_required"]) == (False, False)


def test_an_application_needs_a_durable_virtual_host(newest: Simulator, config: Path) -> None:
    make_virtual_host(newest, "a")
    result = run(newest, config, "applications", applications=[app()])
    assert result.failed and result["error"]["kind"] == "bad_input" and newest.log == []
    assert "applications[0].vhost: expected a virtual host that has a file in config_dir, got 'a'" in result["msg"]
    checked = run(newest, config, "application", check_mode=True, **app())
    assert not checked.failed and any("has no file in config_dir yet" in text for text in checked.warnings)
    predicted = [{"name": "a", "action": "created"}]
    checked = run(newest, config, "applications", check_mode=True, applications=[app()], predicted=predicted)
    assert not checked.failed and checked["changed"] and checked["files"] == []


def test_check_mode_says_if_it_cannot_tell_where_a_virtual_host_comes_from(newest: Simulator, config: Path) -> None:
    run(newest, config, **vhost())
    restarted(newest)
    result = run(newest, config, check_mode=True, **vhost("a", "b.example.com"))
    assert not result.failed and result["restart_required"]
    assert any("comes from its file or from the API" in text for text in result.warnings)
