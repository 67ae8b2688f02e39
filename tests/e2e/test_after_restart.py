# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What guide_after_restart.rst shows: the command of the systemd drop-in is run, and what is for AWX is read."""

from __future__ import annotations

import json
import pathlib
import re
import shlex
import subprocess
import sys

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._watcher_files import watcher_files
from ansible_collections.streamops.ovenmediaengine.tests.programs import needs
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.viewing import status_of_playlist

from .conftest import LOCAL, REPOSITORY, TOKEN, VHOSTS, Project

GUIDE = (REPOSITORY / "docs/docsite/rst/guide_after_restart.rst").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the blocks of the guide in a language."""
    found = re.findall(rf"^\.\. code-block:: {re.escape(language)}\n\n((?:(?: {{4}}.*)?\n)+)", GUIDE, re.MULTILINE)
    return ["\n".join(line[4:] for line in text.splitlines()).strip() + "\n" for text in found]


def test_the_durable_tenant_of_the_guide_plays_after_a_restart(project: Project, tmp_path: pathlib.Path) -> None:
    shown = next(text for text in blocks("console") if "durable.yml" in text).splitlines()
    (play,) = yaml.safe_load(next(text for text in blocks("yaml+jinja") if "durable: true" in text))
    del play["become"]  # the directory belongs to the user of this test
    (project.directory / "durable.yml").write_text(json.dumps([play]), encoding="utf-8")
    config = config_files.write(tmp_path / "conf", Server=config_files.server('<VirtualHost include="VHost*.xml"/>'))
    (url,) = {line.rpartition(" http://")[2] for line in shown if line.startswith("$ curl ")}
    address, path = url.split("/", 1)
    host = address.partition(":")[0]
    with Simulator(config=config, port=0, viewer_ports=[0]) as server:
        variables = {
            "ovenmediaengine_api_url": server.url,
            "ovenmediaengine_api_token": server.token,
            "ovenmediaengine_config_dir": str(config),
        }
        inventory = {"media": {"hosts": {"media-1": {**LOCAL, **variables}}}}
        (project.directory / "inventory.yml").write_text(json.dumps(inventory), encoding="utf-8")
        printed = []
        for line in shown:
            if line.startswith("$ ansible-playbook "):
                run = project.play(*line.split()[2:])
                assert run.status == 0, run.output
            elif line.startswith("$ curl "):
                server.publish(host, "live", "main")
                line += f"\n{status_of_playlist(server, host, '/' + path)}"
            elif line.startswith("$ ssh "):
                server.restart()
            else:
                continue
            printed += line.splitlines()
        assert printed == shown


def settings() -> dict[str, str]:
    """Return the settings of the drop-in, with its continued lines put together."""
    (text,) = blocks("ini")
    head, *lines = text.replace("\\\n", " ").splitlines()
    assert head == "[Service]"
    return dict(line.split("=", 1) for line in lines)


@pytest.mark.exhaustive
def test_the_command_of_the_drop_in_brings_everything_back(project: Project, sim: Simulator) -> None:
    known = {"ovenmediaengine_api_url": sim.url, "ovenmediaengine_api_token": TOKEN, "ovenmediaengine_vhosts": VHOSTS}
    place = "/var/lib/ovenmediaengine-watch-media-1.example.com"
    texts = watcher_files(
        "media-1.example.com",
        known,
        directory=place,
        python="python3",
        timeout=5,
        run_timeout=300,
        retry_seconds=30,
        retry_max_seconds=600,
    )
    (project.directory / "inventory.yml").write_text(texts["inventory"], encoding="utf-8")
    prefixed = settings()["ExecStartPost"]
    # A failure does not count, and the rights are those of root.
    assert prefixed.startswith("-+/")
    command = shlex.split(prefixed[2:])
    assert all(
        word.startswith("/") for word in (command[0], *(word for word in command if word.endswith(("env", "python3"))))
    )
    # The watcher locks this file (roles/watch/files/watch.py).
    assert command[command.index("/usr/bin/flock") + 1] == f"{place}/lock"
    replaced = [word.replace(place, str(project.directory)) for word in command]
    replaced[replaced.index("/usr/bin/python3")] = sys.executable
    environment = project.environment
    replaced[replaced.index("HOME=/root")] = f"HOME={environment['HOME']}"
    # No environment of a shell because systemd starts it.
    run = subprocess.run(
        replaced,
        cwd="/",
        env={"PATH": environment["PATH"], "ANSIBLE_COLLECTIONS_PATH": environment["ANSIBLE_COLLECTIONS_PATH"]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "as after a restart" in run.stdout
    assert "canary" not in run.stdout + run.stderr
    assert list(sim.state.virtual_hosts) == ["default", "t-a", "t-b"]


def test_the_playbook_ends_before_systemd_would_end_the_server() -> None:
    given = settings()
    command = shlex.split(given["ExecStartPost"][2:])
    assert command[0] == "/usr/bin/timeout"
    kill_after, limit = int(command[1].partition("=")[2]), int(command[2])
    (wait,) = [int(seconds) for seconds in re.findall(r"``ovenmediaengine_wait_seconds`` \((\d+) by default\)", GUIDE)]
    defaults = yaml.safe_load((REPOSITORY / "roles/provision/defaults/main.yml").read_text(encoding="utf-8"))
    assert wait == defaults["ovenmediaengine_wait_seconds"]
    assert wait + 60 < limit and limit + kill_after + 30 < int(given["TimeoutStartSec"])


@needs("systemd-analyze")
def test_systemd_accepts_the_drop_in(tmp_path: pathlib.Path) -> None:
    drop_in = blocks("ini")[0].replace("[Service]\n", "")
    unit = tmp_path / "ovenmediaengine.service"
    unit.write_text(f"[Unit]\nDescription=OvenMediaEngine\n[Service]\nExecStart=/bin/true\n{drop_in}", encoding="utf-8")
    run = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "ovenmediaengine.service" not in run.stderr, run.stderr


def test_files_for_awx_name_existing_playbooks_and_variables() -> None:
    provision, job = (yaml.safe_load(text) for text in blocks("yaml+jinja")[-2:])
    assert [play["import_playbook"] for play in provision] == ["streamops.ovenmediaengine.provision"]
    assert (REPOSITORY / "playbooks" / "provision.yml").is_file()
    template, schedule = (task for play in job for task in play["tasks"])
    assert schedule["awx.awx.schedule"]["unified_job_template"] == template["awx.awx.job_template"]["name"]
    assert template["awx.awx.job_template"]["allow_simultaneous"] is False
    assert re.fullmatch(
        r"DTSTART;TZID=\w+:\d{8}T\d{6} RRULE:FREQ=MINUTELY;INTERVAL=\d+", schedule["awx.awx.schedule"]["rrule"]
    )
