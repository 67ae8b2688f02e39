# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The benchmark runs, with few objects. How fast anything is, is not asserted."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

import pytest
from ansible_collections.streamops.ovenmediaengine.benchmarks import objects, rulebook_rows
from ansible_collections.streamops.ovenmediaengine.benchmarks.ssh_rows import SSH, has_sshd
from ansible_collections.streamops.ovenmediaengine.benchmarks.table import GROUPS, ONLY_SIMULATED
from ansible_collections.streamops.ovenmediaengine.tests import simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.server import Exchange, Work

from .conftest import REPOSITORY, TOKEN, TREE

pytestmark = pytest.mark.long

PAGE = REPOSITORY / "docs" / "benchmarks.md"
BENCH = [sys.executable, "-m", "ansible_collections.streamops.ovenmediaengine.benchmarks"]
BY_HAND = "by-hand"


def environment(**more: str) -> dict[str, str]:
    """Return the environment without what belongs to the one who runs the tests."""
    foreign = ("ANSIBLE_", "OVENMEDIAENGINE_", "COV_", "ROUNDS", "ROWS", "UNTIL", "AT_MOST")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**kept, "PYTHONPATH": str(TREE), **more}


def bench(output: pathlib.Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run it with few objects."""
    command = [*BENCH, "--at-most", "1", "--rounds", "1", "--again", "0", "--output", str(output), *arguments]
    return subprocess.run(
        command,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def vhosts_of(sim: simulator.Simulator) -> set[str]:
    """Return the virtual hosts that a server has."""
    return set(sim.state.virtual_hosts)


def test_all_rows(tmp_path: pathlib.Path) -> None:
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else None
    answer = bench(tmp_path)
    assert answer.returncode == 0, answer.stdout
    cost = json.loads((tmp_path / "raw.json").read_text(encoding="utf-8"))["rounds"][0]
    text = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    for group, title in GROUPS.items():
        measured = {"rulebook": rulebook_rows.missing() is None, SSH: has_sshd()}.get(group, True)
        assert (f"| **{title}** |" in text) == measured
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith(("| |", "| **"))]
    assert len(rows) == len(cost)
    assert text in answer.stdout
    # The same work takes the same requests, however it is done.
    assert (
        cost["bulk_unchanged"]["requests"]
        == cost["bulk_unchanged_module"]["requests"]
        == cost["script_unchanged"]["requests"]
        == 2
    )
    assert cost["bulk_new"]["requests"] == cost["script_new"]["requests"] + 1 == 3  # and who else has the host names
    assert cost["loop_1"]["requests"] == cost["loop_1_module"]["requests"] == cost["loop_1_uri"]["requests"] == 1
    if has_sshd():
        assert cost["ssh_vhost"]["requests"] == cost["ssh_vhost_files"]["requests"] == cost["ssh_uri"]["requests"] == 1
    assert cost["pushes_new"]["requests"] == cost["pushes_script"]["requests"] == 2
    assert cost["records_new"]["requests"] == cost["records_script"]["requests"] == 2
    assert cost["records_unchanged"]["requests"] == 1
    assert cost["streams_unchanged"]["requests"] == cost["channels_unchanged"]["requests"] == 2
    assert (
        cost["fleet_empty"]["requests"]
        > cost["fleet_unchanged"]["requests"]
        == cost["fleet_unchanged_module"]["requests"]
        > 0
    )
    # One server with one of each: a list, a virtual host, its applications, an application, its pushes.
    assert cost["rebuild_unchanged"]["requests"] <= 7
    # A part of a run does not replace the page of a whole one.
    assert (PAGE.read_text(encoding="utf-8") if PAGE.exists() else None) == before


def test_a_real_server_keeps_its_own_objects(tmp_path: pathlib.Path, sim: simulator.Simulator) -> None:
    sim.add_static_virtual_host({"name": BY_HAND, "host": {"names": ["hand.example.com"]}})
    there = vhosts_of(sim)
    answer = bench(
        tmp_path,
        "--rows",
        "bulk pushes rebuild fleet",
        OVENMEDIAENGINE_API_URL=sim.url,
        OVENMEDIAENGINE_API_TOKEN=TOKEN,
    )
    assert answer.returncode == 0, answer.stdout
    assert vhosts_of(sim) == there
    assert len([record for record in sim.writes if record.method == "POST" and record.path.endswith(":startPush")]) > 0
    text = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert "**Measured on a real server.**" in text
    assert f"Left out, `fleet`: {ONLY_SIMULATED['fleet']}" in text
    cost = json.loads((tmp_path / "raw.json").read_text(encoding="utf-8"))["rounds"][0]
    assert {"bulk_new", "pushes_new", "rebuild", "rebuild_unchanged"} <= set(cost)
    assert TOKEN not in answer.stdout + text


def test_an_interrupted_run_leaves_nothing_on_a_real_server(tmp_path: pathlib.Path, sim: simulator.Simulator) -> None:
    """By SIGTERM, which is made the same as Ctrl+C."""
    there = vhosts_of(sim)
    begun = threading.Event()

    async def look(exchange: Exchange, work: Work) -> Answer:
        answer = await work()
        if any(name.startswith(objects.PREFIX) for name in vhosts_of(sim)):
            begun.set()
        return answer

    sim.middlewares.append(look)
    command = [*BENCH, "--at-most", "50", "--rounds", "9", "--rows", "loops", "--output", str(tmp_path)]
    more = environment(OVENMEDIAENGINE_API_URL=sim.url, OVENMEDIAENGINE_API_TOKEN=TOKEN)
    with subprocess.Popen(command, env=more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert begun.wait(PATIENCE)
        process.send_signal(signal.SIGTERM)
        output = process.communicate(timeout=PATIENCE)[0]
    assert process.returncode == 130, output
    assert "Interrupted." in output
    assert "Traceback" not in output
    assert vhosts_of(sim) == there


def test_a_failed_row_is_reported(tmp_path: pathlib.Path, sim: simulator.Simulator) -> None:
    sim.inject("status", method="POST", path="/v1/vhosts", status=500, times=-1)
    answer = bench(tmp_path, "--rows", "bulk", OVENMEDIAENGINE_API_URL=sim.url, OVENMEDIAENGINE_API_TOKEN=TOKEN)
    assert answer.returncode == 1
    assert "A row failed" in answer.stdout
    assert TOKEN not in answer.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rows", "speed"], "no group speed"),
        (["--rounds", "0"], "ROUNDS must be 1 or more"),
        (["--again", "-1"], "--again not negative"),
    ],
)
def test_invalid_arguments_are_refused(tmp_path: pathlib.Path, arguments: list[str], said: str) -> None:
    answer = bench(tmp_path, *arguments)
    assert answer.returncode == 2
    assert said in answer.stdout
