# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role server: restarts that are refused, fail, or change the version."""

from __future__ import annotations

import re
import subprocess
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import TOKEN, Project
from .media_host import BROKEN, PUSHES, UNIT, VHOSTS, Media, changed, play, verify_unit, vhost


@pytest.fixture
def host(project: Project) -> t.Iterator[FakeHost]:
    """Provide a host with nothing on it."""
    with FakeHost(project.directory / "host") as fake:
        yield fake
        assert fake.failures() == []


@pytest.mark.long
def test_viewers_and_streams_are_not_disconnected(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    verify_unit(media.unit_file)
    assert UNIT in host.store.read()["enabled"]
    pid = media.pid()
    media.control("streams", vhost="t-a", app="live", stream="main")
    media.control("viewers", number=3, vhost="t-a", app="live", stream="main")

    # What needs no restart is done all the same. The virtual host of the file differs until the restart.
    changes = [vhost("t-a", "other.example.com"), vhost("t-b")]
    refused = media.play(ovenmediaengine_vhosts=changes)
    assert refused.status == 2, refused.output
    assert "seconds (live streams: 1). It is due because VHost_t-a.xml has changed" in refused.failure("media-1")
    assert "server_restart: always" in refused.failure("media-1")
    assert media.pid() == pid and media.vhosts == {"t-a", "t-b"}

    # It stays due, also if nobody may restart the server.
    later = media.play("--check", ovenmediaengine_vhosts=changes)
    assert later.status == 0 and "seconds (live streams: 1)" in later.summary("media-1")
    never = media.play(ovenmediaengine_vhosts=changes, server_restart="never")
    assert never.status == 0 and changed(never) == [], never.output
    assert never.summary("media-1").endswith("a restart is due (VHost_t-a.xml has changed)")
    assert media.pid() == pid

    forced = media.play(ovenmediaengine_vhosts=changes, server_restart="always")
    assert forced.status == 0, forced.output
    assert "restarted (VHost_t-a.xml has changed)" in forced.summary("media-1")
    assert forced.summary("media-1").endswith("streams that are missing: t-a/live/main")
    assert media.pid() != pid and media.vhosts == {"t-a", "t-b"}


@pytest.mark.long
def test_viewers_without_a_stream_count_up_to_the_limit(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    media.control("viewers", number=3, vhost="t-a")
    media.variables["server_settings"] = media.settings(privacy_protection=True)
    refused = media.play(server_max_viewers=3)
    assert refused.status == 2 and "seconds (viewers: 3)" in refused.failure("media-1"), refused.output
    kept = media.play(server_state="absent")
    assert kept.status == 2 and "The server was not stopped, because it was in use" in kept.failure("media-1"), (
        kept.output
    )
    restarted = media.play(server_max_viewers=4)
    assert restarted.status == 0 and "restarted (Server.xml has changed)" in restarted.summary("media-1")


@pytest.mark.long
def test_a_failed_start_puts_back_what_ran(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    # Since the start, the API has made a virtual host, and a stream map has changed.
    more = [*PUSHES, {**PUSHES[0], "id": "t-2", "url": "rtmp://two.example.com/live"}]
    media.variables.update(ovenmediaengine_push_tasks=more, ovenmediaengine_vhosts=[*VHOSTS, vhost("t-made")])
    assert media.play().status == 0
    before = {path: path.read_bytes() for path in media.config.rglob("*.xml")}
    assert {"VHost_t-made.xml", "push_map.xml"} <= {path.name for path in before}
    wrong = media.settings(**BROKEN)
    media.variables["server_start_wait"] = 4
    grown = {
        "ovenmediaengine_vhosts": [*VHOSTS, vhost("t-made", "other.example.com"), vhost("t-b")],
        "ovenmediaengine_push_tasks": [*more, {**PUSHES[0], "id": "t-3", "url": "rtmp://three.example.com/live"}],
    }
    failed = media.play(server_settings=wrong, **grown)
    assert failed.status == 2, failed.output
    text = failed.failure("media-1")
    assert "The server did not come up with the new files. Its API did not respond within 4 seconds." in text
    assert f"The old files (version {NEWEST}) were put back, and the server runs with them." in text
    assert "Unknown type: bogus" in text
    assert failed.summary("media-1") == f"server {NEWEST}: files changed: 4; rolled back; failed"
    assert {path: path.read_bytes() for path in media.config.rglob("*.xml")} == before and media.pid() != 0
    assert {path.stat().st_mode & 0o777 for path in before} == {0o600}
    # The API has made the new virtual host, whose file was removed. The one that the API had made is from its file now.
    assert media.vhosts == {"t-a", "t-made", "t-b"}

    repaired = media.play(server_restart="never", **grown)
    assert repaired.status == 0, repaired.output
    assert (
        repaired.summary("media-1")
        == f"server {NEWEST}: files changed: 3; a restart is due (VHost_t-made.xml has changed)"
    )


@pytest.mark.long
def test_a_server_of_a_package_is_taken_over(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    media.config.mkdir()
    written = {
        "Server.xml": '<Server version="8"><Type>origin</Type><IP>*</IP>'
        f"<Bind><Managers><API><Port>{media.port}</Port></API></Managers></Bind>"
        f"<Managers><Host><Names><Name>*</Name></Names></Host><API><AccessToken>{TOKEN}</AccessToken></API></Managers>"
        '<VirtualHosts><VirtualHost include="VHost*.xml" /></VirtualHosts></Server>',
        "VHost_t-old.xml": "<VirtualHost><Name>t-old</Name><Host><Names><Name>old.example.com</Name></Names></Host>"
        "</VirtualHost>",
    }
    for name, text in written.items():
        (media.config / name).write_text(text, encoding="utf-8")
    unit = f"[Service]\nExecStart={host.binary} -c {media.config}\n[Install]\nWantedBy=multi-user.target\n"
    (host.package_dir / UNIT).write_text(unit, encoding="utf-8")
    for arguments in (["daemon-reload"], ["start", UNIT]):
        subprocess.run([str(host.binary.parent / "systemctl"), *arguments], check=True, timeout=PATIENCE)
    pid = media.pid()
    assert pid != 0

    # The role does not say that the server does not run, and a start that fails leaves it as it was.
    media.variables["server_start_wait"] = 4
    failed = media.play(server_settings=media.settings(**BROKEN))
    assert failed.status == 2 and "and the server runs with them." in failed.failure("media-1"), failed.output
    assert {path.name: path.read_text(encoding="utf-8") for path in media.config.glob("*.xml")} == written
    assert not media.unit_file.exists() and media.pid() not in (0, pid)

    pid = media.pid()
    taken = media.play(server_start_wait=20)
    assert taken.status == 0, taken.output
    assert "; restarted (" in taken.summary("media-1")
    assert media.pid() != pid and media.unit_file.exists() and media.vhosts == {"t-a", "t-old"}
    again = media.play()
    assert again.status == 0 and changed(again) == [], again.output


@pytest.mark.long
def test_a_file_that_keeps_the_old_server_from_starting_is_left_out(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    media.variables["ovenmediaengine_vhosts"] = [*VHOSTS, vhost("t-made")]
    assert media.play().status == 0
    # Somebody has broken the file that no start has tried.
    made = media.config / "VHost_t-made.xml"
    made.write_text(
        made.read_text(encoding="utf-8").replace("<Name>t-made</Name>", "<Name>t-made</Name><Bogus>1</Bogus>")
    )
    media.variables["server_start_wait"] = 4
    failed = media.play(server_settings=media.settings(**BROKEN))
    assert failed.status == 2, failed.output
    text = failed.failure("media-1")
    assert "It started without the files that were new since its last start: VHost_t-made.xml." in text, failed.output
    assert "were put back, and the server runs with them." in text
    # The API has made it again.
    assert media.vhosts == {"t-a", "t-made"} and not made.exists()
    repaired = media.play()
    assert repaired.status == 0, repaired.output
    assert repaired.summary("media-1") == f"server {NEWEST}: files changed: 1; no restart needed"


@pytest.mark.long
def test_a_first_start_that_fails_leaves_its_files(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    media.variables["server_start_wait"] = 2
    failed = media.play(server_settings=media.settings(**BROKEN))
    assert failed.status == 2
    assert "The server was stopped, because there was nothing to put back." in failed.failure("media-1"), failed.output
    assert failed.summary("media-1") == f"server {NEWEST}: files changed: 4; failed"
    repaired = media.play(server_start_wait=20)
    assert repaired.status == 0, repaired.output
    assert repaired.summary("media-1") == f"server {NEWEST}: files changed: 1; started (the server does not run)"


@pytest.mark.long
def test_upgrade_with_renamed_options(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "quadlet")
    webrtc = {"signalling": {"port": "3333"}, "ice_candidates": {"ice_candidate": ["*:10000/udp"], "tcp_force": True}}
    settings = media.settings()
    settings["bind"]["providers"]["webrtc"] = webrtc
    media.variables.update(server_version="0.18.0", server_settings=settings)
    assert media.play().status == 0

    # An option that the new version does not know is refused before anything is written.
    before = media.files()
    unknown = media.settings(modules={"task_pool": {"thread_count": 8}})
    refused = media.play(server_settings=unknown)
    assert refused.status == 2 and "server_settings.modules.task_pool" in refused.failure("media-1").replace(
        "server.modules", "server_settings.modules"
    ), refused.output
    assert {path: text for path, text in media.files().items() if path in before} == before

    # The image holds another version than its tag says: the old one is put back.
    new = f"docker.io/airensoft/ovenmediaengine:v{NEWEST}"
    host.publish(new, "0.20.5")
    mixed = media.play(server_version=NEWEST)
    assert mixed.status == 2, mixed.output
    assert f"The server that started is version 0.20.5 instead of {NEWEST}." in mixed.failure("media-1")
    assert "The old files (version 0.18.0) were put back" in mixed.failure("media-1")
    assert "Image=docker.io/airensoft/ovenmediaengine:v0.18.0" in media.unit_file.read_text(encoding="utf-8")

    with host.store.change() as state:
        state["images"].pop(new)
    host.publish(new, NEWEST)
    words = f"ice_candidates.tcp_force: Version {NEWEST} names it tcp_relay_force and still takes tcp_force."
    for arguments in (("--check",), ()):
        upgraded = media.play(*arguments, server_version=NEWEST)
        assert upgraded.status == 0, upgraded.output
        assert words in upgraded.output
        assert "version 0.18.0 before" in upgraded.summary("media-1")
    assert f"the version is {NEWEST} instead of 0.18.0" in upgraded.summary("media-1")
    # The push task is in its stream map. The known defects of the version are no problems of this server; the signed
    # policy, which is switched on for nothing, is one.
    assert upgraded.summary("media-1").endswith("audit: warning 1"), upgraded.output
    assert (
        "signed_policy protects nothing" in upgraded.output and "is listed and not on the server" not in upgraded.output
    )
    again = media.play(server_version=NEWEST)
    assert again.status == 0 and changed(again) == [] and words not in again.output


@pytest.mark.long
def test_servers_are_restarted_one_after_the_other(project: Project, host: FakeHost) -> None:
    servers = {f"media-{number}": Media(project, host, "systemd", f"-{number}") for number in (1, 2, 3)}
    assert play(project, servers).status == 0
    host.forget_calls()
    for media in servers.values():
        media.variables["server_settings"] = media.settings(privacy_protection=True)
    restarted = play(project, servers)
    assert restarted.status == 0, restarted.output
    restarts = [call[-1] for call in host.calls("systemctl") if call[1] == "restart"]
    assert restarts == [f"ovenmediaengine-{number}.service" for number in (1, 2, 3)]
    # Each turn ends before the next one begins.
    tasks = re.findall(r"^TASK \[(?:[\w.]+ : )?(.+?)\] \*+\n((?:(?!TASK|PLAY).*\n)*)", restarted.output, re.MULTILINE)
    turns = [[name for name in servers if f"[{name}]" in lines] for task, lines in tasks if task == "Server"]
    assert turns == [list(servers), *([name] for name in servers)], turns

    # The first server that fails keeps the others from being restarted.
    for media in servers.values():
        media.variables.update(server_settings=media.settings(name="renamed"), server_start_wait=2)
    first, second = servers["media-1"], servers["media-2"]
    first.variables["server_settings"] = first.settings(**BROKEN)
    pids = {name: media.pid() for name, media in servers.items()}
    failed = play(project, servers)
    assert failed.status == 2
    assert "rolled back" in failed.summary("media-1")
    for name in ("media-2", "media-3"):
        assert "The server was not restarted, because media-1" in failed.failure(name), failed.output
        assert servers[name].pid() == pids[name]

    # What was not done is still due.
    second.variables["server_start_wait"] = 20
    resumed = play(project, {"media-2": second})
    assert resumed.status == 0, resumed.output
    assert resumed.summary("media-2").endswith("files changed: 0; restarted (Server.xml has changed)")


@pytest.mark.long
def test_a_crash_makes_up_for_a_restart(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    due = media.play(server_settings=media.settings(name="renamed"), server_restart="never")
    assert due.summary("media-1").endswith("a restart is due (Server.xml has changed)"), due.output
    host.reboot()
    after = media.play(server_settings=media.settings(name="renamed"))
    assert after.status == 0, after.output
    assert after.summary("media-1").endswith("no restart needed")


@pytest.mark.long
def test_the_token_and_the_port_of_the_api_change(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    old_token = media.variables["ovenmediaengine_api_token"]
    with_other_port = Media(project, host, "systemd", "-other").settings()
    media.variables.update(
        ovenmediaengine_api_token="canary-new-token",
        server_previous_api_token=old_token,
        server_settings=with_other_port,
    )
    changed_run = media.play()
    assert changed_run.status == 0, changed_run.output
    assert "restarted (Server.xml has changed)" in changed_run.summary("media-1")
    again = media.play()
    assert again.status == 0 and changed(again) == [], again.output
