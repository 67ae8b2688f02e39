# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module config_import: what it reads of a directory, and the file on the controller.

test_import_variables.py has what becomes of the files; tests/e2e/test_import_config.py what a user of the role sees.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module


@pytest.fixture(name="directory")
def _directory(tmp_path: Path) -> Path:
    """Provide the files of a server with one virtual host in a file of its own."""
    directory = tmp_path / "conf"
    server = config_files.server('<VirtualHost include="VHost_*.xml"/>').replace(config_files.TOKEN, "canary-token")
    config_files.write(directory, Server=server, VHost_a=config_files.virtual_host("a", host_name="a.example.com"))
    return directory


def run(directory: Path, *, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    """Return the result of a task on the controller."""
    usual = {"config_dir": str(directory), "dest": f"{directory.parent}/out/vars.yml"}
    result = actions.run("config_import", {**usual, **options}, {"inventory_hostname": "one"}, check_mode=check_mode)
    assert "canary" not in str(result) and "read" not in result
    return result


def test_the_file_is_written_when_it_differs(directory: Path) -> None:
    file = directory.parent / "out" / "vars.yml"
    checked = run(directory, check_mode=True)
    assert (
        checked["changed"] and not file.exists() and checked["line"].startswith("Check mode, this would be written: ")
    )
    written = run(directory)
    assert written["changed"] and written["diff"] == checked["diff"] and file.stat().st_mode & 0o777 == 0o600
    assert written["vhosts"] == 1 and written["secrets"] == ["ovenmediaengine_secret_server_managers_api_access_token"]
    assert not run(directory)["changed"]
    file.write_text(file.read_text(encoding="utf-8") + "mine: canary-mine\n", encoding="utf-8")
    again = run(directory)
    assert again["changed"] and "diff" not in again
    assert "canary-mine" in Path(again["backup_file"]).read_text(encoding="utf-8")
    shown = run(directory, show_secrets="yes")
    assert shown["changed"] and shown["secrets"] == [] and "diff" not in shown
    assert "canary-token" in file.read_text(encoding="utf-8")
    hidden = run(directory)
    assert hidden["changed"] and "diff" not in hidden and "backup_file" not in hidden


def test_the_file_of_another_server_stays(directory: Path) -> None:
    assert run(directory)["changed"]
    usual = {"config_dir": str(directory), "dest": f"{directory.parent}/out/vars.yml"}
    other = actions.run("config_import", usual, {"inventory_hostname": "two"})
    assert other["failed"] and "It is the file of another server, one, which it would overwrite." in other["msg"]
    slash = actions.run("config_import", {**usual, "dest": "/x/a/b.yml"}, {"inventory_hostname": "a/b"})
    assert "would change the directory of the file" in slash["msg"] and slash["error"]["kind"] == "bad_input"


def test_values_of_the_environment_are_not_shown(directory: Path) -> None:
    server = directory / "Server.xml"
    server.write_text(server.read_text(encoding="utf-8").replace("canary-token", "${env:TOKEN}"), encoding="utf-8")
    assert run(directory)["environment_missing"] == ["TOKEN"]
    (directory / "ome.env").write_text("TOKEN=canary-of-the-environment\n", encoding="utf-8")
    for path in ("ome.env", f"{directory}/ome.env"):
        result = run(directory, environment_from=path, show_secrets=True)
        assert "diff" not in result and result["environment"] == ["TOKEN"]
    assert "canary-of-the-environment" in (directory.parent / "out" / "vars.yml").read_text(encoding="utf-8")


def test_links_are_followed_inside_of_the_directory(directory: Path) -> None:
    (directory / "hosts").mkdir()
    (directory / "VHost_a.xml").rename(directory / "hosts" / "a.xml")
    (directory / "VHost_a.xml").symlink_to("hosts/a.xml")
    link = directory.parent / "linked"
    link.symlink_to(directory)
    assert run(link)["vhosts"] == 1
    (directory / "VHost_a.xml").unlink()
    (directory / "VHost_a.xml").symlink_to("/etc/hostname")
    refused = run(directory)
    assert refused["failed"] and refused["msg"].endswith(" Nothing was written.")


def test_what_cannot_be_read_is_the_reason(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = run(directory / "none")
    assert "There is no file Server.xml in " in missing["msg"] and missing["error"]["kind"] == "bad_input"
    os.mkfifo(directory / "ome.env")
    assert any("ome.env" in note for note in run(directory, environment_from="ome.env")["notes"])
    real = open

    def closed(path: Any, *arguments: Any, **options: Any) -> Any:
        if str(path).endswith("VHost_a.xml"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *arguments, **options)

    monkeypatch.setattr("builtins.open", closed)
    assert "VHost_a.xml: Permission denied" in run(directory)["msg"]


def test_a_connection_does_not_print_what_the_files_hold(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = SimpleNamespace(no_log=False)
    seen = []

    def run_normally(self: Any, _tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        seen.append(context.no_log)
        return dict(run_module("config_import", self._task.args))

    monkeypatch.setattr(NormalAction, "run", run_normally)
    options = {"config_dir": str(directory), "dest": f"{directory.parent}/vars.yml"}
    action = actions.action("config_import", options, connection={"transport": "ssh"})
    action._play_context = context
    result = action.run(task_vars=actions.VARIABLES)
    assert result["changed"] and "read" not in result and len(seen) >= 3 and all(seen) and not context.no_log
