# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One playbook with a virtual host, an application and a push task, twice: `make check` runs it."""

from __future__ import annotations

import json

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import APPLICATIONS, PUSH_TASKS, VHOSTS, Project

PLAY = {
    "hosts": "all",
    "gather_facts": False,
    "module_defaults": {
        "group/streamops.ovenmediaengine.ovenmediaengine": {
            "api_url": "{{ ovenmediaengine_api_url }}",
            "api_token": "{{ ovenmediaengine_api_token }}",
        }
    },
    "tasks": [
        {"streamops.ovenmediaengine.vhost": VHOSTS[1]},
        {"streamops.ovenmediaengine.application": APPLICATIONS[0]},
        {"streamops.ovenmediaengine.push_task": PUSH_TASKS[0]},
    ],
}


def test_the_second_run_changes_nothing(project: Project, reachable_sim: Simulator) -> None:
    project.inventory({"in-process": reachable_sim.url})
    (project.directory / "play.yml").write_text(json.dumps([PLAY]), encoding="utf-8")
    first, second = (project.play("play.yml", "-i", "inventory.json") for _run in range(2))
    assert (first.status, second.status) == (0, 0), first.output + second.output
    assert first.recap["in-process"]["changed"] == 3, first.output
    assert second.recap["in-process"]["changed"] == 0, second.output
