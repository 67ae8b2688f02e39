# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The demonstration, as `make demo` calls it."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import REPOSITORY, TOKEN, TREE, Project

pytestmark = pytest.mark.exhaustive


def _demo(project: Project, **environment: str) -> str:
    answer = subprocess.run(
        [str(REPOSITORY / "demo" / "run")],
        cwd=project.directory,
        env={**project.environment, "ANSIBLE_COLLECTIONS_PATH": str(TREE), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout
    return answer.stdout


def _missing() -> list[str]:
    """Return the push tasks that the audit of the demonstration misses, which has no other drift."""
    report = json.loads((REPOSITORY / ".build" / "demo" / "audit" / "audit.json").read_text(encoding="utf-8"))
    assert report["status"] == "drift"
    found = [one for one in report["servers"][0]["findings"] if one["severity"] == "drift"]
    assert {one["kind"] for one in found} == {"missing"}
    return [one["push_task"] for one in found]


def test_the_demo_leaves_nothing_on_a_real_server(project: Project, sim: Simulator) -> None:
    sim.add_static_virtual_host(
        {"name": "default", "host": {"names": ["localhost"]}}, ["app"]
    )  # without the *, which is an error of an audit
    output = _demo(project, OVENMEDIAENGINE_API_URL=sim.url, OVENMEDIAENGINE_API_TOKEN=TOKEN)
    assert "5 created" in output and "4 started" in output
    assert "changed=0" in output
    assert "(changed)" in output
    assert "demo-secret" not in output and TOKEN not in output
    assert output.count("\n") < 80
    assert _missing() == ["t-control-room"] and ".build/demo/audit/audit.html" in output
    assert "Durable virtual hosts: left out" in output and "Kill the server" not in output
    assert list(sim.state.virtual_hosts) == ["default"]
    ours = ("/v1/vhosts/default/apps/app:", "/v1/vhosts/default:reloadCertificate", "/v1/vhosts/t-")
    assert [
        record.path for record in sim.writes if record.path != "/v1/vhosts" and not record.path.startswith(ours)
    ] == []


def test_the_simulated_server_keeps_what_is_durable(project: Project) -> None:
    output = _demo(project)
    plays = re.compile(r"t-arena/live +live\.arena\.example\.com +rtmp +yes +\d\.\d\d s +\d\.\d\d s")
    killed = output.partition("== Kill the server, and start it")[2].partition("== Audit")[0]
    assert "virtual hosts: default, t-arena, t-cinema, t-edge, t-origin, t-school" in killed
    assert "provision" not in killed.splitlines()[1]
    assert len(plays.findall(output)) == 2 and plays.search(killed), "before the kill and after it"
    assert _missing() == ["t-backup-site", "t-control-room", "t-social-platform", "t-video-platform"]
    assert "virtual hosts 0, applications 0, push tasks 4" in output.partition("== Audit")[2]
    assert "demo-secret" not in output and "demo-token" not in output
    files = sorted((REPOSITORY / ".build" / "demo" / "conf").glob("*.xml"))
    assert len(files) == 7 and {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert output.count("\n") < 110
