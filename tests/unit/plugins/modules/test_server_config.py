# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""server_config: files through their life, options that a version does not know, upgrades, secrets."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA, NotStarted, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection, run_module

SERVER: dict[str, Any] = {
    "name": "media-1",
    "bind": {
        "managers": {"api": {"port": 8081}},
        "providers": {
            "rtmp": None,
            "srt": {"port": "9999", "passphrase": "canary-passphrase"},
            "webrtc": {
                "ice_candidates": {"ice_candidate": ["*:10000-10004/udp"], "tcp_force": True},
                "ice_servers": [{"urls": ["turn:t.example.com"], "user_name": "u", "credential": "canary-credential"}],
            },
        },
        "publishers": ["llhls", "webrtc"],
    },
    "managers": {"api": {"access_token": "canary-token"}},
    "alert": {"url": "https://a.example.com/x?token=canary-url", "secret_key": "canary-alert", "timeout": 3000},
}
VHOST: dict[str, Any] = {
    "name": "tenant-a",
    "host": {"names": ["live.example.com"]},
    "signed_policy": {
        "policy_query_key_name": "policy",
        "signature_query_key_name": "signature",
        "secret_key": "canary-policy",
        "enables": {"publishers": ["llhls"]},
    },
    "applications": [
        {
            "name": "live",
            "providers": {"rtmp": {}},
            "publishers": {"llhls": {"segment_count": 4}, "push": {}, "file": {}, "webrtc": {}},
        },
        {"name": "plain", "providers": {"rtmp": {}}, "publishers": {"llhls": {}}},
    ],
}
PUSH: dict[str, Any] = {
    "vhost": "tenant-a",
    "app": "live",
    "id": "archive",
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": "rtmp://a.example.com/app",
    "stream_key": "canary-stream-key",
}
RECORD: dict[str, Any] = {
    "vhost": "tenant-a",
    "app": "live",
    "id": "evening",
    "stream": {"name": "main"},
    "file_path": "/srv/${Stream}_${StartTime:YYYYMMDDhhmmss}.ts",
    "metadata": "canary-metadata",
}
ALL: dict[str, Any] = {
    "server": SERVER,
    "logger": {},
    "vhosts": [VHOST],
    "push_tasks": [PUSH],
    "records": [RECORD],
}
FILES = [
    "Logger.xml",
    "Server.xml",
    "VHost_tenant-a.xml",
    "maps/tenant-a/live/push_map.xml",
    "maps/tenant-a/live/record_map.xml",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A configuration directory that does not exist yet."""
    return tmp_path / "conf"


def config(folder: Path, *, check_mode: bool = False, version: str = NEWEST, **options: Any) -> ModuleRun:
    given = {"config_dir": str(folder), "version": version, **copy.deepcopy(options)}
    run = run_module("server_config", given, check_mode=check_mode)
    assert "canary" not in run.printed
    return run


def states(run: ModuleRun, folder: Path) -> dict[str, str]:
    return {os.path.relpath(file["path"], folder): file["state"] for file in run["files"]}


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_life(folder: Path) -> None:
    checked = config(folder, check_mode=True, **ALL)
    assert checked["changed"] and states(checked, folder) == dict.fromkeys(FILES, "created")
    assert checked["restart_required"] is True and checked["upgrade"] == [] and not folder.exists()

    run = config(folder, **ALL)
    assert {key: run[key] for key in ("changed", "files", "diff", "restart_required")} == {
        key: checked[key] for key in ("changed", "files", "diff", "restart_required")
    }
    assert list(contents(folder)) == FILES
    assert run["diff"]["before"] == "" and f"# {folder}/Server.xml\n<?xml" in run["diff"]["after"]
    assert all(stat.S_IMODE((folder / name).stat().st_mode) == 0o600 for name in FILES)

    written = contents(folder)
    for mode in (True, False):
        again = config(folder, check_mode=mode, **ALL)
        assert not again["changed"] and states(again, folder) == dict.fromkeys(FILES, "unchanged")
        assert not again["restart_required"] and again["diff"]["before"] == again["diff"]["after"] == ""
    assert contents(folder) == written

    other = copy.deepcopy(ALL)
    other["vhosts"][0]["host"]["names"].append("b.example.com")
    other["vhosts"][0]["signed_policy"]["secret_key"] = "canary-policy-2"
    run = config(folder, **other)
    assert states(run, folder) == {**dict.fromkeys(FILES, "unchanged"), "VHost_tenant-a.xml": "changed"}
    assert run["restart_required"]
    assert "<Name>b.example.com</Name>" in run["diff"]["after"]
    assert "<SecretKey>********</SecretKey>" in run["diff"]["before"]
    assert "<SecretKey>******** (changed)</SecretKey>" in run["diff"]["after"]

    checked = config(folder, check_mode=True, state="absent")
    assert states(checked, folder) == dict.fromkeys(FILES, "removed") and len(contents(folder)) == len(FILES)
    run = config(folder, state="absent", **ALL)
    assert run["changed"] and run["restart_required"] and run["diff"]["after"] == ""
    assert states(run, folder) == dict.fromkeys(FILES, "removed") and list(folder.iterdir()) == []
    assert not config(folder, state="absent", **ALL)["changed"]


def test_what_is_in_the_files(folder: Path) -> None:
    config(folder, **ALL)
    server = ElementTree.parse(folder / "Server.xml").getroot()
    assert server.tag == "Server" and server.get("version") == "8"
    assert [server.findtext(name) for name in ("Name", "Type", "IP")] == ["media-1", "origin", "*"]
    assert server.find("VirtualHosts/VirtualHost").attrib == {"include": "VHost*.xml"}  # type: ignore[union-attr]
    assert server.findtext("Managers/Host/Names/Name") == "*"
    assert server.findtext("Managers/API/AccessToken") == "canary-token"
    assert server.findtext("Bind/Providers/SRT/Options/Option/Key") == "SRTO_PASSPHRASE"
    assert server.findtext("Bind/Providers/SRT/Options/Option/Value") == "canary-passphrase"
    assert server.find("Bind/Providers/RTMP") is not None and server.find("Bind/Publishers/LLHLS") is not None
    logger = ElementTree.parse(folder / "Logger.xml").getroot()
    assert logger.get("version") == "2" and [one.tag for one in logger] == ["Path", "Tag", "Tag", "Tag"]
    assert logger.findall("Tag")[-1].attrib == {"name": ".*", "level": "info"}
    host = ElementTree.parse(folder / "VHost_tenant-a.xml").getroot()
    live, plain = host.findall("Applications/Application")
    assert live.findtext("Publishers/Push/StreamMap/Path") == "maps/tenant-a/live/push_map.xml"
    assert live.findtext("Publishers/FILE/StreamMap/Path") == "maps/tenant-a/live/record_map.xml"
    assert live.findtext("Publishers/Push/StreamMap/Enable") == "true" and plain.find(".//StreamMap") is None
    pushes = ElementTree.parse(folder / FILES[3]).getroot()
    assert pushes.findtext("Push/StreamKey") == "canary-stream-key" and pushes.findtext("Push/Enable") == "true"


def test_a_change_of_a_map_needs_no_restart(folder: Path) -> None:
    config(folder, **ALL)
    run = config(folder, **{**ALL, "push_tasks": [{**PUSH, "stream_key": "canary-stream-key-2"}]})
    assert run["changed"] and not run["restart_required"]
    assert states(run, folder) == {**dict.fromkeys(FILES, "unchanged"), FILES[3]: "changed"}
    assert "<StreamKey>******** (changed)</StreamKey>" in run["diff"]["after"]


def test_what_is_omitted_stays_as_it_is(folder: Path) -> None:
    config(folder, **ALL)
    before = contents(folder)
    run = config(folder, vhosts=[{"name": "tenant-b", "host": {"names": ["b.example.com"]}}])
    assert states(run, folder) == {"VHost_tenant-b.xml": "created"}
    assert {name: text for name, text in contents(folder).items() if name != "VHost_tenant-b.xml"} == before
    # An application reads its map for as long as there is one.
    run = config(folder, vhosts=[VHOST])
    assert not run["changed"] and states(run, folder) == {"VHost_tenant-a.xml": "unchanged"}


def test_purge_removes_files_of_this_collection_only(folder: Path) -> None:
    config(folder, **ALL)
    by_hand = folder / "VHost_by-hand.xml"
    by_hand.write_text("<VirtualHost><Name>by-hand</Name></VirtualHost>", encoding="utf-8")
    keep = [{"name": "tenant-b", "host": {"names": ["b.example.com"]}}]
    removed = dict.fromkeys(FILES[2:], "removed")
    checked = config(folder, check_mode=True, vhosts=keep, purge=True)
    assert states(checked, folder) == {"VHost_tenant-b.xml": "created", **removed}
    run = config(folder, vhosts=keep, purge=True)
    assert run["files"] == checked["files"] and run["diff"] == checked["diff"] and run["restart_required"]
    assert sorted(contents(folder)) == ["Logger.xml", "Server.xml", "VHost_by-hand.xml", "VHost_tenant-b.xml"]
    assert not config(folder, vhosts=keep, purge=True)["changed"]
    run = config(folder, vhosts=[], purge=True)
    assert states(run, folder) == {"VHost_tenant-b.xml": "removed"} and by_hand.exists()


def test_files_that_were_written_by_hand_are_not_removed(folder: Path) -> None:
    folder.mkdir()
    for name in ("Server.xml", "Logger.xml", "VHost_x.xml", "Edge.xml"):
        (folder / name).write_text("<Server/>", encoding="utf-8")
    run = config(folder, state="absent")
    assert not run["changed"] and run["files"] == [] and len(contents(folder)) == 4


def test_files_that_were_written_by_hand_are_replaced_and_shown(folder: Path) -> None:
    folder.mkdir()
    mine = folder / "Server.xml"
    mine.write_text(
        '<Server version="8"><Name>old</Name><Type>edge</Type><IP>*</IP><Bind/><Managers><Host><Names><Name>*</Name>'
        "</Names></Host><API><AccessToken>canary-old-token</AccessToken></API></Managers><VirtualHosts>"
        '<VirtualHost include="VHost*.xml"/><VirtualHost><Name>default</Name></VirtualHost></VirtualHosts></Server>',
        encoding="utf-8",
    )
    mine.chmod(0o640)
    (folder / "Logger.xml").write_text("<Logger><Tag canary-broken", encoding="utf-8")
    run = config(folder, **ALL)
    assert states(run, folder)["Server.xml"] == "changed"
    assert "<Name>old</Name>" in run["diff"]["before"]
    assert "<AccessToken>******** (changed)</AccessToken>" in run["diff"]["after"]
    assert "(not shown, because it could not be read)" in run["diff"]["before"]
    assert stat.S_IMODE(mine.stat().st_mode) == 0o640
    assert [text for text in run.warnings if "Server.xml defines virtual hosts itself" in text and "default" in text]
    assert not config(folder, **ALL).warnings


def test_options_that_the_version_does_not_know_are_refused_before_a_file_is_touched(folder: Path) -> None:
    config(folder, **ALL)
    before = contents(folder)
    given = copy.deepcopy(ALL)
    given["server"]["modules"] = {"task_pool": {"thread_count": 8}}
    given["vhosts"][0]["applications"][0]["publishers"]["push"]["connection_timeout"] = 5
    for mode in (True, False):
        run = config(folder, check_mode=mode, version="0.18.0", installed_version=NEWEST, **given)
        assert run.failed and run["error"]["kind"] == "unsupported_option" and not run["changed"]
        assert "server.modules.task_pool needs OvenMediaEngine 0.21.0 or later" in run["msg"]
        assert "vhosts[0].applications[0].publishers.push.connection_timeout needs" in run["msg"]
        unknown = {one["option"] for one in run["upgrade"] if one["kind"] == "unknown_option"}
        assert unknown == {
            "server.modules.task_pool",
            "vhosts[0].applications[0].publishers.push.connection_timeout",
        }
    assert contents(folder) == before


def notices(run: ModuleRun) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in run["upgrade"]:
        assert one["text"].startswith(f"{one['option']}: ") and len(one["text"]) < 400
        found.setdefault(one["kind"], []).append(one["option"])
    return found


def test_upgrade_and_downgrade(folder: Path) -> None:
    force = "server.bind.providers.webrtc.ice_candidates.tcp_force"
    estimation = "vhosts[0].applications[0].publishers.webrtc.bandwidth_estimation"
    given = copy.deepcopy(ALL)
    given["vhosts"][0]["applications"][0]["publishers"]["llhls"]["dvr"] = {"enable": True}
    run = config(folder, version=NEWEST, installed_version="0.18.0", **given)
    assert notices(run) == {
        "renamed": [force, "vhosts[0].applications[0].publishers.llhls.dvr"],
        "default_changed": [estimation],
    }
    texts = " ".join(one["text"] for one in run["upgrade"])
    assert f"Version {NEWEST} names it tcp_relay_force and still takes tcp_force." in texts
    assert f"Its default is ALL in version {NEWEST}, and was REMB." in texts
    assert f"The API of version {NEWEST} names it dvr in place of dVR." in texts

    new = copy.deepcopy(given)
    candidates = new["server"]["bind"]["providers"]["webrtc"]["ice_candidates"]
    candidates["tcp_relay_force"] = candidates.pop("tcp_force")
    new["server"]["defaults"] = {"cross_domains": {"urls": ["*"]}}
    new["vhosts"][0]["applications"][0]["publishers"]["webrtc"]["bandwidth_estimation"] = "REMB"
    run = config(folder, version=NEWEST, installed_version="0.18.0", **new)
    assert notices(run) == {
        "renamed": ["vhosts[0].applications[0].publishers.llhls.dvr"],
        "unknown_option": [f"{force.rpartition('.')[0]}.tcp_relay_force", "server.defaults"],
    }
    assert "Version 0.18.0 does not know it. Remove it before you go back" in run["upgrade"][0]["text"]

    back = config(folder, version="0.18.0", installed_version=NEWEST, **new)
    assert back.failed and notices(back) == {
        "renamed": [f"{force.rpartition('.')[0]}.tcp_relay_force", "vhosts[0].applications[0].publishers.llhls.dvr"],
        "unknown_option": ["server.defaults"],
    }
    assert "Use tcp_force." in back["upgrade"][0]["text"]
    assert config(folder, version="0.18.0", installed_version="0.18.0", **given)["upgrade"] == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"config_dir": "conf"}, "config_dir: expected an absolute path"),
        ({"version": "latest"}, f"version: expected a version from 0.15.10 on, such as '{NEWEST}', got 'latest'"),
        ({"version": "0.14.0"}, "version: expected a version from 0.15.10 on"),
        ({"installed_version": "0.21"}, "installed_version: expected a version"),
        ({"server": {"stun_server": "x"}}, "server.stun_server: expected 'host:port'"),
        ({"logger": {"path": "x"}}, "logger.path: expected an absolute path"),
        ({"vhosts": [{"name": "a"}]}, "vhosts[0].host.names: expected at least one name"),
        ({"vhosts": [VHOST, VHOST]}, "vhosts[1].name: expected each object once"),
        ({"push_tasks": [{**PUSH, "app": "other"}]}, "expected an application that vhosts lists, got tenant-a/other"),
        ({"push_tasks": [{**PUSH, "app": "plain"}]}, "expected an application with publishers.push, got 'plain'"),
        ({"records": [{**RECORD, "app": "plain"}]}, "expected an application with publishers.file, got 'plain'"),
        ({"push_tasks": [PUSH, PUSH]}, "push_tasks[1].id: expected each object once"),
        ({"vhosts": None, "push_tasks": None, "records": None, "purge": True}, "purge: expected the option vhosts"),
        ({"state": "absent", "purge": True}, "purge: cannot be used if state is absent"),
    ],
)
def test_invalid_options_are_refused_before_anything_is_read(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    run = config(folder, **{"config_dir": str(folder), **ALL, **changes})  # type: ignore[arg-type]
    assert run.failed and message in run["msg"] and run["error"]["kind"] == "bad_input", run
    assert not folder.exists()


def test_an_application_with_a_map_of_its_own_takes_no_tasks(folder: Path) -> None:
    vhost = copy.deepcopy(VHOST)
    vhost["applications"][0]["publishers"]["push"] = {"stream_map": {"enable": True, "path": "mine.xml"}}
    run = config(folder, vhosts=[vhost], push_tasks=[PUSH])
    assert run.failed and "without publishers.push.stream_map of its own" in run["msg"]
    config(folder, vhosts=[vhost])
    assert "<Path>mine.xml</Path>" in (folder / "VHost_tenant-a.xml").read_text(encoding="utf-8")


def test_a_virtual_host_that_another_file_has_is_refused(folder: Path) -> None:
    folder.mkdir()
    (folder / "VHost-mine.xml").write_text("<VirtualHost><Name>tenant-a</Name></VirtualHost>", encoding="utf-8")
    run = config(folder, vhosts=[VHOST])
    assert run.failed and "vhosts[0].name: expected a virtual host that VHost-mine.xml does not have" in run["msg"]
    assert len(contents(folder)) == 1
    (folder / "VHost-mine.xml").write_text("<VirtualHost", encoding="utf-8")
    run = config(folder, vhosts=[VHOST])
    assert run["changed"] and any("VHost-mine.xml" in text for text in run.warnings)


def test_what_is_no_file_fails_before_anything_is_written(folder: Path) -> None:
    (folder / "Server.xml").mkdir(parents=True)
    for mode in (True, False):
        run = config(folder, check_mode=mode, **ALL)
        assert run.failed and run["error"]["kind"] == "bad_input" and "Server.xml" in run["msg"]
    assert contents(folder) == {}


@contextlib.contextmanager
def limited_files() -> Iterator[None]:
    """Let writes fail beyond 200,000 bytes of a file, as on a full disk."""
    limit, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))


def test_a_failed_write_reports_what_was_written_before(folder: Path) -> None:
    with limited_files():
        run = config(folder, **{**ALL, "server": {**SERVER, "name": "x" * 300_000}})
    assert run.failed and run["error"]["kind"] == "config_file" and "write Server.xml" in run["msg"]
    assert run["changed"] and run["restart_required"]
    written = [name for name in FILES if name != "Server.xml"]
    assert states(run, folder) == dict.fromkeys(written, "created") and list(contents(folder)) == written
    assert "# " + str(folder / "Server.xml") not in run["diff"]["after"]


def test_the_diff_of_a_failed_write_is_printed_as_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = {**ALL, "config_dir": str(folder), "version": NEWEST, "server": {**SERVER, "name": "x" * 300_000}}
    with limited_files():
        result = actions.run("server_config", copy.deepcopy(options), diff=True)
    printed = capsys.readouterr().err
    assert result["failed"] and "\n+  <Name>tenant-a</Name>\n" in printed and "canary" not in printed


def test_links_that_lead_out_of_the_directory_are_refused(folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    outside = tmp_path / "outside.xml"
    outside.write_text("mine", encoding="utf-8")
    (folder / "Server.xml").symlink_to(outside)
    run = config(folder, **ALL)
    assert run.failed and "expected a file inside of" in run["msg"] and outside.read_text(encoding="utf-8") == "mine"


def test_warnings_for_settings_that_cannot_work(folder: Path) -> None:
    server = {"bind": {"managers": ["api"]}}
    run = config(folder, server=server, vhosts=[{"name": "x", "host": {"names": ["Live.example.com"]}}])
    assert any("server.bind.managers.api has no effect" in text for text in run.warnings)
    assert any("capital letters" in text for text in run.warnings)


@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_a_server_starts_from_the_files_and_has_what_they_say(folder: Path, version: str) -> None:
    server = copy.deepcopy({key: value for key, value in SERVER.items() if key != "extra"})
    if parse(version) < (0, 21, 0):
        server["alert"]["rules"] = {"ingress": {"has_b_frames": True, "long_key_frame_interval": False}}
    config(folder, version=version, **{**ALL, "server": server})
    with Simulator(version, config=folder, port=0) as started:
        assert started.token == "canary-token"
        access = connection(started)
        desired = copy.deepcopy(VHOST)
        for publisher, name in (("push", "push_map.xml"), ("file", "record_map.xml")):
            stream_map = {"enable": True, "path": f"maps/tenant-a/live/{name}"}
            desired["applications"][0]["publishers"][publisher] = {"stream_map": stream_map}
        run = run_module("vhost", {**access, **desired}, check_mode=True)
        assert not run["changed"], run
        assert "canary" not in run.printed
        started.stream_appears("tenant-a", "live", "main")
        pushes = run_module("push_task_info", {**access, "vhost": "tenant-a", "app": "live"})["tasks"]
        assert [(task["url"], task["stream"]["name"]) for task in pushes] == [(PUSH["url"], "main")], pushes
        assert len(run_module("record_info", {**access, "vhost": "tenant-a", "app": "live"})["records"]) == 1


def test_the_simulator_refuses_what_the_module_refuses(folder: Path) -> None:
    """The module would write what keeps a server of an older version from starting."""
    config(folder, server={**SERVER, "extra": {}, "modules": {"task_pool": {"thread_count": 2}}})
    with pytest.raises(NotStarted, match="Unknown item found: Server.modules.TaskPool"):
        Simulator("0.20.0", config=folder, port=0)
    assert config(folder, version="0.20.0", server={"modules": {"task_pool": {}}}).failed


def test_results_have_no_secret_in_any_form(folder: Path) -> None:
    for options in (ALL, {**ALL, "version": "0.18.0"}, {**ALL, "vhosts": [{**VHOST, "distribution": "\n"}]}):
        run = config(folder, **options)
        assert "canary" not in json.dumps(run)


def test_a_provider_without_its_bind_is_reported_in_check_mode_too(folder: Path) -> None:
    bound = copy.deepcopy(ALL)
    bound["vhosts"][0]["applications"][1]["providers"] = {"srt": {}, "mpegts": {}, "rtsp_pull": {}}
    for check_mode in (True, False):
        run = config(folder, check_mode=check_mode, **bound)
        (warning,) = [text for text in run.warnings if "has no effect" in text]
        assert (
            "providers.mpegts of tenant-a/plain has no effect, because server.bind.providers.mpegts is missing: it has "
            "no port and is off. Add server.bind.providers.mpegts, or remove it from the applications."
        ) in warning
    # Without the option server, it is the current file that counts.
    later = config(folder, vhosts=bound["vhosts"], push_tasks=[PUSH], records=[RECORD])
    assert any("providers.mpegts of tenant-a/plain" in text for text in later.warnings)


def test_two_virtual_hosts_with_one_host_name_are_reported(folder: Path) -> None:
    other = {"name": "tenant-b", "host": {"names": ["b.example.com", "LIVE.example.com"]}}
    for check_mode in (True, False):
        run = config(folder, check_mode=check_mode, vhosts=[VHOST, other])
        (warning,) = [text for text in run.warnings if "same host name" in text]
        assert "The virtual hosts tenant-a, tenant-b have the same host name live.example.com. Only one" in warning


def test_a_run_that_was_killed_leaves_nothing_behind(folder: Path) -> None:
    config(folder, **ALL)
    left = folder / "maps" / "tenant-a" / "live" / ".ansible-ovenmediaengine-x1234567.tmp"
    left.write_text("<Ser", encoding="utf-8")
    assert not config(folder, check_mode=True, **ALL)["changed"] and left.exists()
    assert not config(folder, **ALL)["changed"] and not left.exists()
