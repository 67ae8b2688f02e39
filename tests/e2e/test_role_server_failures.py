# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role server: servers that cannot start, tokens that are refused, and hosts that refuse something."""

from __future__ import annotations

import fnmatch
import os
import pwd
import stat
import subprocess
import threading
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import TOKEN, Project
from .media_host import BROKEN, UNIT, Media, changed, play

REASON = "Unknown type: bogus"


@pytest.fixture
def host(project: Project) -> t.Iterator[FakeHost]:
    """Provide a host with nothing on it."""
    with FakeHost(project.directory / "host") as fake:
        yield fake
        assert fake.failures() == []


def _systemctl(host: FakeHost, *arguments: str) -> int:
    command = [str(host.binary.parent / "systemctl"), *arguments]
    return subprocess.run(command, check=False, timeout=PATIENCE).returncode


def _wait_until(condition: t.Callable[[], bool]) -> None:
    pause = threading.Event()
    for _look in range(int(100 * PATIENCE)):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("it does not happen")


@pytest.mark.long
def test_a_unit_in_auto_restart_is_started_at_once_with_the_corrected_files(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    host.fail_starts(11, lines=30)
    media.variables["server_start_wait"] = 4
    failed = media.play(server_settings=media.settings(**BROKEN))
    text = failed.failure("media-1")
    assert failed.status == 2 and "The server was stopped, because there was nothing to put back." in text, (
        failed.output
    )
    # The reason comes first, although 30 lines of the shutdown follow it.
    assert REASON in text.split("errors first: ")[1][:250] and "exit status 0" not in text
    assert host.state(UNIT).active == "inactive"

    # As release 2.0.0 left it: the unit is started again and again.
    assert _systemctl(host, "start", UNIT) == 0
    _wait_until(lambda: host.state(UNIT).active == "activating" and host.state(UNIT).starts == 3)
    media.variables.update(server_start_wait=20, server_idle_wait=3600)
    started = media.play()
    assert started.status == 0, started.output
    assert started.summary("media-1") == f"server {NEWEST}: files changed: 1; started (the server does not run)"
    assert media.vhosts == {"t-a"}
    # The files that never ran are not what a failed start puts back.
    kept = (media.root / "data/.ansible/last_good/config/Server.xml").read_text(encoding="utf-8")
    assert "bogus" not in kept


@pytest.mark.long
@pytest.mark.parametrize(
    ("backend", "status"),
    [
        ("systemd", 1),
        *(pytest.param(*one, marks=pytest.mark.long) for one in [("systemd", 0), ("quadlet", 11), ("compose", 0)]),
    ],
)
def test_a_failed_start_says_its_reason(project: Project, host: FakeHost, backend: str, status: int) -> None:
    media = Media(project, host, backend)
    host.fail_starts(status, lines=30)
    failed = media.play(server_settings=media.settings(**BROKEN), server_start_wait=4)
    text = failed.failure("media-1")
    assert failed.status == 2 and REASON in text.split("errors first: ")[1][:250], failed.output
    assert f"It ended with exit status {status}." in text
    assert "The server was stopped, because there was nothing to put back." in text
    assert media.pid() == 0 and "activating" not in (
        host.state(UNIT).active,
        host.state("ovenmediaengine-server").active,
    )


@pytest.mark.long
@pytest.mark.parametrize("backend", ["quadlet", "compose"])
def test_a_program_that_the_container_engine_cannot_run_is_the_reason(
    project: Project, host: FakeHost, backend: str
) -> None:
    media = Media(project, host, backend)
    failed = media.play(server_binary="/opt/missing", server_start_wait=4)
    text = failed.failure("media-1")
    assert failed.status == 2 and "executable file `/opt/missing` not found" in text.split("errors first: ")[1], text


@pytest.mark.long
def test_a_token_change_without_the_previous_token_fails_at_once(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    before = media.files()
    host.forget_calls()
    media.variables.update(ovenmediaengine_api_token="canary-new-token", server_idle_wait=3600)
    for arguments in (("--check",), ()):
        refused = media.play(*arguments)
        assert refused.status == 2, refused.output
        assert refused.failure("media-1") == (
            "The running server does not accept ovenmediaengine_api_token. Set server_previous_api_token to the token "
            "that the server was started with, or set server_restart: always, which disconnects everybody. Nothing "
            "was changed."
        )
    assert {path: text for path, text in media.files().items() if not path.endswith(".log")} == {
        path: text for path, text in before.items() if not path.endswith(".log")
    }
    wrong = media.play(server_previous_api_token="canary-wrong")
    assert "does not accept server_previous_api_token." in wrong.failure("media-1"), wrong.output

    # Whoever has lost the old token can restart the server.
    for arguments in (("--check",), ()):
        forced = media.play(*arguments, server_restart="always")
        assert forced.status == 0, forced.output
        assert "restarted (Server.xml has changed)" in forced.summary("media-1")
    assert TOKEN not in (media.config / "Server.xml").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_server_that_comes_back_refuses_the_new_token_and_runs(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    media.variables.update(ovenmediaengine_api_token="canary-new-token", server_restart="always", server_start_wait=4)
    failed = media.play(server_settings=media.settings(**BROKEN))
    assert failed.status == 2 and "were put back, and the server runs with them." in failed.failure("media-1")
    assert media.pid() != 0


@pytest.mark.long
def test_kernel_settings_that_the_host_refuses_are_reported(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    host.fix_kernel()
    installed = media.play()
    assert installed.status == 0, installed.output
    assert installed.summary("media-1").endswith(
        "warning: the host refuses net.core.rmem_max = 16777216 and net.core.wmem_max = 16777216"
        " (now 212992 and 212992)"
    )
    # The warning stays, and nothing counts as changed.
    again = media.play()
    assert "the host refuses net.core.rmem_max" in again.summary("media-1") and changed(again) == [], again.output


@pytest.mark.exhaustive
def test_uninstalling_a_server_that_failed_leaves_no_failed_unit(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play(server_settings=media.settings(**BROKEN), server_start_wait=4).status == 2
    _systemctl(host, "start", UNIT)
    _wait_until(lambda: host.state(UNIT).active == "failed")
    removed = media.play(server_state="absent")
    assert removed.status == 0, removed.output
    assert host.state(UNIT).active == "inactive"
    assert not media.config.exists() and not (media.root / "data").exists()


@pytest.mark.long
def test_directories_that_were_there_keep_owner_and_mode(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    logs = media.root / "log"
    logs.mkdir()
    logs.chmod(0o705)
    (logs / "theirs.log").write_text("theirs", encoding="utf-8")
    media.variables["server_user"] = "nobody" if os.getuid() == 0 else ""
    # The server of a test is not started as another user.
    installed = media.play()
    assert installed.status == 0, installed.output
    assert stat.S_IMODE(logs.stat().st_mode) == 0o705 and logs.stat().st_uid == os.getuid()
    assert (logs / "theirs.log").stat().st_uid == os.getuid()
    assert f"warning: everybody can read {logs}, and the log has stream keys" in installed.summary("media-1")
    # Old files of others stay: the rule takes what begins with the name of the log only.
    rule = (media.root / "tmpfiles/ovenmediaengine.conf").read_text(encoding="utf-8").splitlines()
    patterns = [line.removeprefix("x ") for line in rule if line.startswith("x ")]

    def excluded(name: str) -> bool:
        return any(fnmatch.fnmatchcase(str(logs / name), pattern) for pattern in patterns)

    assert all(map(excluded, ["theirs.log", "oven", "ovenmediaengine.lo", "ovenmediaengine2.log", ".hidden"]))
    assert not excluded("ovenmediaengine.log") and not excluded("ovenmediaengine.log.20261123")
    # What the role makes is its own: nobody else reads the log.
    assert stat.S_IMODE(media.config.stat().st_mode) == 0o755
    removed = media.play(server_state="absent")
    assert removed.status == 0 and (logs / "theirs.log").exists(), removed.output


@pytest.mark.long
def test_the_log_directory_of_the_role_is_closed_and_follows_the_user(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    assert media.play().status == 0
    logs = media.root / "log"
    assert stat.S_IMODE(logs.stat().st_mode) == 0o750
    rule = (media.root / "tmpfiles/ovenmediaengine.conf").read_text(encoding="utf-8")
    assert f"e {logs} - - - 14d" in rule and "\nx " not in rule
    if os.getuid() != 0:
        return  # Only root gives files to others.
    old = logs / "ovenmediaengine.log"
    old.write_text("", encoding="utf-8")
    # Check mode does not create a user.
    predicted = media.play("--check", server_user="ovenmediaengine-of-tests")
    assert predicted.status == 0 and "Server" in changed(predicted), predicted.output
    changed_user = media.play(server_user="nobody")
    assert changed_user.status == 0, changed_user.output
    nobody = pwd.getpwnam("nobody").pw_uid
    assert {path.stat().st_uid for path in (logs, old, media.config, media.config / "Server.xml")} == {nobody}
    assert (media.root / "data/.ansible").stat().st_uid == 0
    again = media.play(server_user="nobody")
    assert again.status == 0 and changed(again) == [], again.output


@pytest.mark.exhaustive
def test_a_unit_of_somebody_else_is_neither_replaced_nor_removed(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    theirs = "[Service]\nExecStart=/usr/sbin/nginx\n"
    media.unit_file.write_text(theirs, encoding="utf-8")
    refused = media.play()
    assert refused.status == 2, refused.output
    assert refused.failure("media-1") == (
        f"server_unit: expected another one, because {media.unit_file} exists, and this collection has not written it. "
        "Choose another name, or move the file away. Nothing was changed."
    )
    removed = media.play(server_state="absent")
    assert removed.status == 0 and media.unit_file.read_text(encoding="utf-8") == theirs, removed.output


@pytest.mark.exhaustive
def test_containers_see_the_data_directory_and_volumes_under_the_same_path(project: Project, host: FakeHost) -> None:
    servers = {name: Media(project, host, name, f"-{name}") for name in ("quadlet", "compose")}
    checked = play(project, servers, "--check", "--diff", server_volumes=["/srv/100%/$x:/recordings"])
    assert checked.status == 0, checked.output
    data = {name: f"{media.root}/data:{media.root}/data:Z" for name, media in servers.items()}
    # What systemd and docker would replace stands for itself.
    for line in (f"Volume={data['quadlet']}", "Volume=/srv/100%%/$$x:/recordings"):
        assert f"+{line}\n" in checked.output, checked.output
    for line in (f'- "{data["compose"]}"', '- "/srv/100%/$$x:/recordings"'):
        assert f"+      {line}\n" in checked.output, checked.output
