# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that people wrote are edited: what a task does not specify stays byte for byte, and is never removed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

SECRET = "canary-in-the-file"
SERVER = config_files.server('<VirtualHost include="VHost*.xml"/>')
MINE = f"""\
<!-- tenant a, {SECRET} in a comment -->
<VirtualHost>
\t<Name>a</Name>  <!-- keep -->
\t<Host><Names><Name>A.example.com</Name><Name>b.example.com</Name></Names></Host>

\t<SignedPolicy>
\t\t<PolicyQueryKeyName>policy</PolicyQueryKeyName>
\t\t<SignatureQueryKeyName>signature</SignatureQueryKeyName>
\t\t<SecretKey>{SECRET}</SecretKey>
\t\t<Enables><Providers>rtmp</Providers><Publishers>llhls</Publishers></Enables>
\t</SignedPolicy>
\t<Applications>
\t\t<!-- off for now -->
\t\t<Application ignore="true"><Name>off</Name><Type>live</Type><Note>{SECRET}</Note></Application>
\t\t<Application include="app_*.xml"/>
\t\t<Application include="second.xml" />
\t\t<Application>
\t\t\t<Type>live</Type><Name>live</Name>
\t\t\t<Providers><RTMP/></Providers>
\t\t\t<Publishers>
\t\t\t\t<LLHLS><ChunkDuration>0.50</ChunkDuration></LLHLS>
\t\t\t\t<Push><StreamMap><Enable>true</Enable><Path>mine/push.xml</Path></StreamMap></Push>
\t\t\t</Publishers>
\t\t\t<OutputProfiles><OutputProfile><Name>p</Name><OutputStreamName>${{OriginStreamName}}</OutputStreamName>
\t\t\t\t<Encodes><Video><Name>v</Name><Bypass>true</Bypass></Video></Encodes></OutputProfile></OutputProfiles>
\t\t</Application>
\t</Applications>
</VirtualHost>
<!-- end -->
""".replace("\n", "\r\n")
COMPLETE = """\
<Application>
  <Name>{name}</Name><Type>live</Type><Providers><RTMP/></Providers><Publishers><LLHLS/></Publishers>
  <OutputProfiles><OutputProfile><Name>p</Name><OutputStreamName>${{OriginStreamName}}</OutputStreamName>
    <Encodes><Video><Name>v</Name><Bypass>true</Bypass></Video></Encodes></OutputProfile></OutputProfiles>
</Application>
"""
MAP = f"""\
<PushInfo>
    <!-- {SECRET} -->
    <Push><Enable>false</Enable><Id>later</Id><StreamName>main</StreamName><Protocol>rtmp</Protocol>
        <Url>rtmp://off.example.com/app</Url><StreamKey>{SECRET}</StreamKey></Push>
    <Push>
        <Comment by="{SECRET}">for the platform</Comment>
        <StreamKey>{SECRET}</StreamKey>
        <Url>rtmp://live.example.com/app</Url>
        <Enable>true</Enable> <Id>platform</Id>
        <StreamName>main</StreamName><Protocol>rtmp</Protocol>
    </Push>
</PushInfo>
"""
LIVE: dict[str, Any] = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}, "file": {}}}
PUSH: dict[str, Any] = {"vhost": "a", "app": "live", "id": "platform", "stream": {"name": "main"}, "protocol": "rtmp"}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration directory that somebody wrote."""
    path = config_files.write(tmp_path / "conf", Server=SERVER)
    (path / "VHost_mine.xml").write_bytes(MINE.encode())
    (path / "app_one.xml").write_text(COMPLETE.format(name="one"))
    (path / "second.xml").write_text(COMPLETE.format(name="second"))
    (path / "mine").mkdir()
    (path / "mine" / "push.xml").write_text(MAP)
    return path


@pytest.fixture
def server(config: Path) -> Iterator[Simulator]:
    """A server that starts from the directory."""
    with Simulator(config=config, port=0, stop_delay=0.2) as made:
        yield made
        assert not made.died


def run(server: Simulator, config: Path, module: str, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    specified = {"durable": True, "config_dir": str(config), **options}
    result = running_modules.run_module(module, connection(server, **specified), check_mode=check_mode)
    assert SECRET not in json.dumps({key: result[key] for key in result if key != "invocation"})
    return result


def both(server: Simulator, config: Path, module: str, **options: Any) -> ModuleRun:
    """Run a module after its check mode, which must predict files and diff; then once more, which changes nothing."""
    before = files(config)
    predicted = run(server, config, module, check_mode=True, **options)
    assert files(config) == before
    done = run(server, config, module, **options)
    assert not done.failed and not predicted.failed, (predicted.get("msg"), done.get("msg"))
    assert file_diff(predicted) == file_diff(done)
    assert states(predicted) == states(done)
    again = run(server, config, module, **options)
    assert not again.failed and set(states(again).values()) <= {"unchanged"}, states(again)
    return done


def files(config: Path) -> dict[str, bytes]:
    return {str(path.relative_to(config)): path.read_bytes() for path in config.rglob("*.xml")}


def states(result: ModuleRun) -> dict[str, str]:
    if "parts" in result:
        found = [file for part in result["parts"].values() for file in part.get("files", ())]
    else:
        found = result["files"]
    return {file["path"]: file["state"] for file in found}


def file_diff(result: ModuleRun) -> dict[str, dict[str, Any]]:
    """Return both sides of the diff of files, by path."""
    sides = {}
    for side in ("before", "after"):
        parts = result["diff"][side].values() if "parts" in result else [result["diff"][side]]
        sides[side] = {key: text for part in parts for key, text in part.items() if str(key).startswith("/")}
    return sides


def changed_lines(before: bytes, after: bytes) -> list[str]:
    lines = difflib.ndiff(before.decode().splitlines(keepends=True), after.decode().splitlines(keepends=True))
    return [line[0] + line[2:] for line in lines if line[0] in "+-"]


def test_one_option_of_a_virtual_host(server: Simulator, config: Path) -> None:
    before = files(config)
    policy = {"signed_policy": {"policy_query_key_name": "p2"}}
    done = both(server, config, "vhost", name="a", host={"names": ["A.example.com", "b.example.com"]}, **policy)
    after = files(config)
    assert changed_lines(before.pop("VHost_mine.xml"), after.pop("VHost_mine.xml")) == [
        "-\t\t<PolicyQueryKeyName>policy</PolicyQueryKeyName>\r\n",
        "+\t\t<PolicyQueryKeyName>p2</PolicyQueryKeyName>\r\n",
    ]
    assert before == after
    path = str(config / "VHost_mine.xml")
    sides = ["\n".join(done["diff"][side][path]).encode() for side in ("before", "after")]
    assert changed_lines(*sides) == [
        "-\t\t<PolicyQueryKeyName>policy</PolicyQueryKeyName>\n",
        "+\t\t<PolicyQueryKeyName>p2</PolicyQueryKeyName>\n",
    ]


def test_a_new_application_beside_those_of_people(server: Simulator, config: Path) -> None:
    before = files(config)
    both(server, config, "application", vhost="a", **{**LIVE, "name": "new"})
    after = files(config)
    old, new = before.pop("VHost_mine.xml").decode(), after.pop("VHost_mine.xml").decode()
    assert before == after
    place = new.index("\r\n\t\t<Application>\r\n\t\t\t<Name>new</Name>")
    end = new.index("</Application>", place) + len("</Application>")
    assert new[:place] + new[end:] == old
    assert "\n" not in new[place:end].replace("\r\n", "")


def test_an_application_of_people_gets_an_option_and_keeps_the_rest(server: Simulator, config: Path) -> None:
    before = files(config)["VHost_mine.xml"]
    publishers = {"llhls": {"chunk_duration": 0.5, "origin_mode": True}, "push": {}}
    app: dict[str, Any] = {"vhost": "a", "name": "live", "providers": {"rtmp": {}}, "publishers": publishers}
    both(server, config, "application", **app)
    assert changed_lines(before, files(config)["VHost_mine.xml"]) == [
        "-\t\t\t\t<LLHLS><ChunkDuration>0.50</ChunkDuration></LLHLS>\r\n",
        "+\t\t\t\t<LLHLS><ChunkDuration>0.50</ChunkDuration><OriginMode>true</OriginMode></LLHLS>\r\n",
    ]


def test_an_included_application_is_edited_in_its_file(server: Simulator, config: Path) -> None:
    before = files(config)
    app: dict[str, Any] = {
        "vhost": "a",
        "name": "second",
        "providers": {"rtmp": {}, "srt": {}},
        "publishers": {"llhls": {}},
    }
    done = both(server, config, "application", **app)
    after = files(config)
    assert states(done) == {str(config / "second.xml"): "changed"}
    assert changed_lines(before.pop("second.xml"), after.pop("second.xml")) == [
        "-  <Name>second</Name><Type>live</Type><Providers><RTMP/></Providers><Publishers><LLHLS/></Publishers>\n",
        "+  <Name>second</Name><Type>live</Type><Providers><RTMP/><SRT /></Providers>"
        "<Publishers><LLHLS/></Publishers>\n",
    ]
    assert before == after


def test_applications_of_includes_are_removed_only_with_an_include_of_their_own(
    server: Simulator, config: Path
) -> None:
    before = files(config)
    done = both(server, config, "application", vhost="a", name="second", state="absent")
    assert done["changed"]
    after = files(config)
    assert changed_lines(before["VHost_mine.xml"], after["VHost_mine.xml"]) == [
        '-\t\t<Application include="second.xml" />\r\n'
    ]
    assert after["second.xml"] == before["second.xml"]
    server.clear_log()
    refused = run(server, config, "application", vhost="a", name="one", state="absent")
    assert refused.failed and server.writes == [] and files(config) == after
    assert (
        "app_one.xml:1: expected no element Application, which the include 'app_*.xml' in VHost_mine.xml:1"
        in (refused["msg"])
    )


def test_entries_of_a_map_that_are_off_stay(server: Simulator, config: Path) -> None:
    before = files(config)["mine/push.xml"]
    job = {**PUSH, "url": "rtmp://other.example.com/app", "stream_key": SECRET}
    done = both(server, config, "push_tasks", tasks=[job, {**job, "id": "new"}])
    after = files(config)["mine/push.xml"]
    lines = changed_lines(before, after)
    assert lines[:2] == [
        "-        <Url>rtmp://live.example.com/app</Url>\n",
        "+        <Url>rtmp://other.example.com/app</Url>\n",
    ]
    assert all(line[0] == "+" for line in lines[2:]) and "<Id>new</Id>" in "".join(lines)
    gone = both(server, config, "push_tasks", tasks=[{**job, "id": "new"}, job], state="stopped")
    assert b"<Id>later</Id>" in files(config)["mine/push.xml"] and b"<Id>new</Id>" not in files(config)["mine/push.xml"]
    assert done["changed"] and gone["changed"]


def test_a_file_of_people_is_never_removed(server: Simulator, config: Path) -> None:
    both(server, config, "application", vhost="a", **{**LIVE, "name": "new"})
    before = files(config)
    for check_mode in (True, False):
        result = run(server, config, "vhost", name="a", state="absent", check_mode=check_mode)
        assert result.failed and not result["changed"]
        assert "VHost_mine.xml has the virtual host a" in result["msg"] and "next start" in result["msg"]
        other = {"name": "b", "host": {"names": ["c.example.com"]}}
        result = run(server, config, "vhosts", vhosts=[other], purge=True, check_mode=check_mode)
        assert not result.failed
        assert any("VHost_mine.xml has the virtual host a" in text for text in result.warnings)
        assert {name: data for name, data in files(config).items() if name != "VHost_b.xml"} == before


def test_a_file_with_a_new_secret_can_no_longer_be_read_by_others(server: Simulator, config: Path) -> None:
    for name in ("VHost_mine.xml", "second.xml"):
        (config / name).chmod(0o644)
    webhook = {"enable": True, "control_server_url": "https://hooks.example.com/", "secret_key": SECRET}
    app: dict[str, Any] = {"vhost": "a", "name": "second", "providers": {"rtmp": {}}, "publishers": {"llhls": {}}}
    for check_mode in (True, False):
        done = run(server, config, "application", **app, transcode_webhook=webhook, check_mode=check_mode)
        assert not done.failed and any("second.xml" in text and "0600" in text for text in done.warnings)
    assert (config / "second.xml").stat().st_mode & 0o777 == 0o600
    assert (config / "VHost_mine.xml").stat().st_mode & 0o777 == 0o644


def test_a_file_that_several_include_is_not_edited(server: Simulator, config: Path) -> None:
    other = MINE.replace("<Name>a</Name>", "<Name>b</Name>").replace("example.com", "example.org")
    (config / "VHost_other.xml").write_bytes(other.encode())
    before = files(config)
    app: dict[str, Any] = {
        "vhost": "a",
        "name": "second",
        "providers": {"rtmp": {}, "srt": {}},
        "publishers": {"llhls": {}},
    }
    server.clear_log()
    refused = run(server, config, "application", **app)
    assert refused.failed and "second.xml:2: expected a file that is included once" in refused["msg"]
    assert server.writes == [] and files(config) == before


@pytest.mark.parametrize(
    "options",
    [
        {"vhosts": [{"name": "b", "host": {"names": ["c.example.com"]}}]},
        {"vhosts": [{"name": "b", "host": {"names": ["c.example.com"]}, "applications": [LIVE]}]},
        {
            "vhosts": [{"name": "b", "host": {"names": ["c.example.com"]}}],
            "applications": [{"vhost": "b", **LIVE}, {"vhost": "a", **LIVE, "name": "new"}],
            "push_tasks": [
                {**PUSH, "vhost": "b", "url": "rtmp://h.example.com/x", "stream_key": SECRET},
                {**PUSH, "url": "rtmp://h.example.com/x", "stream_key": ""},
            ],
            "records": [{"vhost": "b", "app": "live", "id": "r", "stream": {"name": "main"}}],
        },
    ],
)
def test_check_mode_predicts_the_files_of_all_parts(server: Simulator, config: Path, options: dict[str, Any]) -> None:
    both(server, config, "provision", **options)


def test_check_mode_predicts_changes_and_removals(server: Simulator, config: Path) -> None:
    host = {"name": "b", "host": {"names": ["c.example.com"]}}
    both(server, config, "provision", vhosts=[{**host, "applications": [LIVE, {**LIVE, "name": "second"}]}])
    job = {**PUSH, "vhost": "b", "url": "rtmp://h.example.com/x", "stream_key": SECRET}
    both(server, config, "provision", push_tasks=[job, {**job, "id": "two", "app": "second"}])
    both(server, config, "provision", push_tasks=[{**job, "url": "rtmp://i.example.com/x"}], purge_push_tasks=True)
    changed = {**LIVE, "publishers": {**LIVE["publishers"], "llhls": {"chunk_duration": 0.2}}}
    both(server, config, "applications", applications=[{"vhost": "b", **changed}], purge=True, recreate=True)
    both(server, config, "vhosts", vhosts=[{"name": "b"}], state="absent")
    assert "VHost_b.xml" not in files(config)
