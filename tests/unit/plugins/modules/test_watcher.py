# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module watcher on a host whose systemd is a fake: what changes, in both execution paths, and what goes wrong.

tests/e2e/test_role_watch.py has what a user of the role sees, and that the watcher restores a server.
"""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host import commands
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

VARIABLES = {"ovenmediaengine_api_url": "http://127.0.0.1:8081", "ovenmediaengine_api_token": "canary-token"}


class Site:
    """The options of a watcher on a host with fakes."""

    def __init__(self, host: FakeHost, root: Path) -> None:
        self.host, self.directory = host, root / "w"
        self.options: dict[str, Any] = {
            "name": "media-1",
            "unit": "w-1",
            "directory": str(self.directory),
            "unit_dir": str(host.unit_dir),
            "user": getpass.getuser(),
            "python": sys.executable,
        }

    def run(self, *, check_mode: bool = False, variables: dict[str, Any] | None = None, **options: Any) -> Any:
        """Return the result of a task on the controller."""
        result = actions.run("watcher", {**self.options, **options}, variables or VARIABLES, check_mode=check_mode)
        assert "canary" not in str(result)
        return result

    def files(self) -> dict[str, bytes]:
        """Return all files of the watcher."""
        folders = (self.directory, self.host.unit_dir)
        return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Provide a host without a watcher, on which the playbook can be run."""
    real = commands.run

    def run(*command: str, **options: Any) -> commands.Ended:
        return commands.Ended(0, "", "") if command[0] == sys.executable else real(*command, **options)

    with FakeHost(tmp_path / "host") as host:
        monkeypatch.setenv("PATH", host.environment["PATH"])
        monkeypatch.setattr(commands, "run", run)
        yield Site(host, tmp_path)
        assert host.failures() == []


def names(result: Any) -> dict[str, str]:
    return {os.path.basename(one["path"]): one["state"] for one in result["files"]}


def test_installed_changed_and_removed(site: Site) -> None:
    checked = site.run(check_mode=True)
    assert checked["changed"] and site.files() == {} and site.host.calls() == []
    assert checked["line"] == "watcher w-1 would be installed"
    installed = site.run()
    created = dict.fromkeys(("w", "watch.json", "watch.py", "inventory.yml", "w-1.service", "w-1.timer"), "created")
    assert names(installed) == names(checked) == created and installed["diff"] == checked["diff"]
    assert installed["line"] == "watcher w-1 installed" and site.host.state("w-1.timer").active == "active"
    assert installed["diff"]["after"][f"{site.directory}/watch.json"] == "mode 0600, new content"
    assert "OnUnitInactiveSec=10" in installed["diff"]["after"][f"{site.host.unit_dir}/w-1.timer"]
    for check_mode in (True, False):
        again = site.run(check_mode=check_mode)
        assert not again["changed"] and again["line"] == "watcher w-1 unchanged" and again["files"] == []

    (site.directory / "backoff.json").write_text("{}", encoding="utf-8")
    (site.directory / "watch.py").chmod(0o600)
    changed = site.run(retry_seconds=5)
    assert names(changed) == {"watch.json": "changed", "watch.py": "changed"} and changed["action"] == "updated"
    assert not (site.directory / "backoff.json").exists()
    own = site.run(inventory="/srv/inventory.yml")
    assert names(own) == {"watch.json": "changed", "inventory.yml": "removed"}

    before = site.files()
    checked = site.run(state="absent", check_mode=True)
    assert checked["line"] == "watcher w-1 would be removed" and site.files() == before
    removed = site.run(state="absent")
    assert names(removed) == names(checked) and set(names(removed).values()) == {"removed"}
    assert not site.directory.exists() and site.files() == {}
    assert site.host.state("w-1.timer").active == "inactive"
    again = site.run(state="absent")
    assert not again["changed"] and again["line"] == "watcher w-1 absent"


def test_the_module_does_what_it_is_given(site: Site) -> None:
    contents = {"settings_content": '{\n  "name": "media-1"\n}\n', "inventory_content": "x", "program_content": "y"}
    for changed in (True, False):
        assert run_module("watcher", {**site.options, **contents})["changed"] is changed
    assert (site.directory / "watch.py").read_text(encoding="utf-8") == "y"


def test_what_systemd_has_forgotten_is_done_again(site: Site) -> None:
    """A run that was killed has written a file and told systemd nothing, or somebody has stopped the timer."""
    site.run()
    commands.run("systemctl", "disable", "w-1.timer")
    commands.run("systemctl", "stop", "w-1.timer")
    assert site.run(check_mode=True)["changed"] and site.run()["changed"] and not site.run()["changed"]
    assert site.host.state("w-1.timer").active == "active"
    timer = site.host.unit_dir / "w-1.timer"
    site.run(interval=20)
    timer.write_text(timer.read_text(encoding="utf-8").replace("=20", "=30"), encoding="utf-8")
    site.host.forget_calls()
    assert site.run(interval=30)["changed"] and not site.run(interval=30)["changed"]
    assert ["systemctl", "daemon-reload"] in site.host.calls() and [
        "systemctl",
        "restart",
        "w-1.timer",
    ] in site.host.calls()


def test_another_user_gets_the_files(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.run()
    (site.directory / "state.json").write_text("{}", encoding="utf-8")
    given: list[tuple[str, int]] = []
    monkeypatch.setattr(os, "chown", lambda path, uid, _gid: given.append((os.path.basename(path), uid)))
    site.options["user"] = "nobody"
    checked = site.run(check_mode=True)
    assert given == [] and names(checked) == dict.fromkeys(
        ("w", "watch.json", "inventory.yml", "state.json", "watch.py", "w-1.service"), "changed"
    )


def test_a_playbook_that_cannot_run_is_the_reason(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        commands, "run", lambda *_command, **_options: commands.Ended(2, "", "No module named ansible.")
    )
    result = site.run()
    assert result["failed"] and site.files() == {} and result["line"] == "watcher w-1 failed"
    playbook = "streamops.ovenmediaengine.provision"
    assert result["msg"] == (
        f"{sys.executable} cannot run the playbook {playbook} on the host of the watcher: No module named ansible. "
        "Install ansible-core and this collection there, or correct python, inventory or arguments. "
        "Nothing was changed."
    )


def test_what_the_host_refuses_is_the_reason(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.directory.parent.joinpath("file").write_text("x", encoding="utf-8")
    result = site.run(directory=f"{site.directory.parent}/file/w")
    assert result["error"]["kind"] == "host" and "Not a directory" in result["msg"]
    monkeypatch.setattr(
        commands, "run", lambda *command, **_options: commands.Ended(int(command[0] == "systemctl"), "", "No.")
    )
    result = site.run()
    assert result["error"]["kind"] == "host" and "ended with status 1: No." in result["msg"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": "fe80::1"}, "name: expected ASCII letters, digits"),
        ({"unit": "a b"}, "unit: expected ASCII letters, digits"),
        ({"directory": "/var/lib/a watcher"}, "directory: expected an absolute path without blanks"),
        ({"directory": "/var/lib/watcher\n"}, "directory: expected an absolute path without blanks"),
        ({"unit_dir": "units"}, "unit_dir: expected an absolute path"),
        ({"python": "python3"}, "python: expected an absolute path"),
        ({"user": "root\nExecStartPre=/bin/x"}, "user: expected the name or number of a user"),
        ({"interval": 0}, "interval: expected a positive number of seconds, got 0."),
        ({"timeout": 0}, "timeout: expected a positive number of seconds"),
        ({"run_timeout": -1}, "run_timeout: expected a positive number of seconds"),
        ({"retry_seconds": 0}, "retry_seconds: expected a positive number of seconds"),
        ({"retry_max_seconds": 1}, "retry_max_seconds: expected at least retry_seconds."),
        ({"retry_max_seconds": "x"}, "retry_max_seconds: expected a whole number, got 'x'."),
    ],
)
def test_wrong_options_are_refused_before_anything_changes(site: Site, options: dict[str, Any], words: str) -> None:
    result = site.run(**options)
    assert words in result["msg"] and site.files() == {} and site.host.calls() == []
    assert result["line"].endswith(" failed")


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        (
            {"ovenmediaengine_api_url": "media-1:8081"},
            "ovenmediaengine_api_url or ovenmediaengine_api_token is missing",
        ),
        ({"ovenmediaengine_api_token": ""}, "ovenmediaengine_api_url or ovenmediaengine_api_token is missing"),
        ({"ovenmediaengine_ca_path": "ca.pem"}, "ovenmediaengine_ca_path has to be an absolute path"),
        ({"ovenmediaengine_validate_certs": "maybe"}, "ovenmediaengine_validate_certs: expected a boolean."),
    ],
)
def test_a_connection_that_cannot_work_is_refused(site: Site, variables: dict[str, Any], words: str) -> None:
    result = site.run(variables={**VARIABLES, **variables})
    assert result["msg"].startswith(words) and result["msg"].endswith(" Nothing was changed.") and site.files() == {}
