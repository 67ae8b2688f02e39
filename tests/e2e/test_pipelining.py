# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modules on other hosts: how many commands and transfers a loop takes, and how much is transferred."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.benchmarks.ssh_rows import SshServer, end_masters
from ansible_collections.streamops.ovenmediaengine.tests.programs import needs
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import TOKEN, Project
from .execution_runs import play, run

pytestmark = pytest.mark.exhaustive

ITEMS = ["default", "default", "default"]
OFF = {"ansible_pipelining": False}
LARGEST_SHARE = 400_000
"""Bytes that a module sends besides what an empty one sends, encoded as ansible-core sends it."""


@pytest.fixture(name="loop")
def _loop(sim: Simulator) -> dict[str, t.Any]:
    """Return a task that reads a virtual host several times."""
    options = {"api_url": sim.url, "api_token": TOKEN, "names": ["{{ item }}"]}
    return {"name": "loop", "streamops.ovenmediaengine.vhost_info": options, "loop": ITEMS}


class Counted(t.NamedTuple):
    """What a run sent over the connection `counting`."""

    piped: int
    """Commands with a module on their standard input."""
    commands: int
    transfers: list[int]
    """The size of each, in bytes."""


def counted(
    directory: pathlib.Path, task: t.Mapping[str, t.Any], variables: t.Mapping[str, t.Any], **environment: str
) -> Counted:
    """Run a task on a host with the connection `counting`."""
    log = directory / "connection.log"
    log.write_text("", encoding="utf-8")
    hosts = {"one": {"ansible_connection": "counting", **variables}}
    ended = run(Project(directory), [play([task])], hosts, CONNECTION_LOG=str(log), **environment).run
    assert ended.status == 0, ended.output
    lines = log.read_text(encoding="utf-8").splitlines()
    sizes = [int(line.partition(" ")[2]) for line in lines if line.startswith("transfer ")]
    return Counted(lines.count("piped"), lines.count("command"), sizes)


def test_one_command_for_each_item(tmp_path: pathlib.Path, loop: dict[str, t.Any]) -> None:
    assert counted(tmp_path, loop, {}) == Counted(len(ITEMS), 0, [])


@pytest.mark.parametrize(
    ("variables", "environment"), [(OFF, {}), ({}, {"ANSIBLE_PIPELINING": "false"})], ids=["variable", "environment"]
)
def test_settings_of_the_user_win(
    tmp_path: pathlib.Path, loop: dict[str, t.Any], variables: dict[str, t.Any], environment: dict[str, str]
) -> None:
    found = counted(tmp_path, loop, variables, **environment)
    assert found.piped == 0
    assert len(found.transfers) == len(ITEMS) < found.commands


def test_a_setting_in_ansible_cfg_wins(tmp_path: pathlib.Path, loop: dict[str, t.Any]) -> None:
    (tmp_path / "ansible.cfg").write_text("[connection]\npipelining = false\n", encoding="utf-8")
    assert counted(tmp_path, loop, {}, ANSIBLE_CONFIG=str(tmp_path / "ansible.cfg")).piped == 0


def test_no_pipelining_with_become(tmp_path: pathlib.Path, loop: dict[str, t.Any]) -> None:
    assert counted(tmp_path, {**loop, "become": True, "become_method": "same_user"}, {}).piped == 0


def test_what_a_module_transfers(tmp_path: pathlib.Path, sim: Simulator) -> None:
    """The largest module of one object, compared with an empty module of ansible-core."""
    options = {"api_url": sim.url, "api_token": TOKEN, "name": "none", "state": "absent"}
    vhost = counted(tmp_path, {"name": "one", "streamops.ovenmediaengine.vhost": options}, OFF).transfers
    ping = counted(tmp_path, {"name": "empty", "ansible.builtin.ping": {}}, OFF).transfers
    assert len(vhost) == len(ping) == 1
    assert 0 < vhost[0] - ping[0] <= LARGEST_SHARE


@needs("sshd")
def test_a_loop_over_ssh(loop: dict[str, t.Any]) -> None:
    directory = pathlib.Path(tempfile.mkdtemp(prefix="ome-ssh-"))  # the path of a socket must be short
    server = SshServer(directory / "sshd")
    try:
        counts = []
        for variables in ({}, OFF):
            server.counts()
            hosts = {"one": {**server.variables, **variables}}
            ended = run(Project(directory), [play([loop])], hosts).run
            assert ended.status == 0, ended.output
            counts.append(server.counts())
            end_masters(directory)
        assert counts[0] == {"connections": 1, "commands": len(ITEMS), "transfers": 0}
        assert counts[1]["connections"] == 1
        assert counts[1]["transfers"] == len(ITEMS)
        assert counts[1]["commands"] > 3 * len(ITEMS)
    finally:
        server.close()
        shutil.rmtree(directory, ignore_errors=True)
