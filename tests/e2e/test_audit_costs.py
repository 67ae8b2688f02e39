# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an audit of a fleet costs: tasks for each host, and requests to each server; and where it is written."""

from __future__ import annotations

import collections
import json
import pathlib

import pytest

from .audited_fleet import NAMES, Fleet
from .conftest import Project

CALLBACKS = pathlib.Path(__file__).parent / "counting_callbacks"
A_HOST = ["Audit the server"]
ONCE = ["Write the report", "Keep the summary", "Summary"]


def started(fleet: Fleet, **variables: object) -> dict[str, list[str]]:
    """Run the playbook, and return the names of the tasks that it started, by host."""
    path = fleet.project.directory / "started"
    path.unlink(missing_ok=True)
    fleet.audit(
        variables=variables,
        ANSIBLE_CALLBACK_PLUGINS=str(CALLBACKS),
        ANSIBLE_CALLBACKS_ENABLED="started_tasks",
        STARTED_TASKS=str(path),
    )
    found = collections.defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        host, task = json.loads(line)
        found[host].append(task.partition(" : ")[2].partition(" against")[0])
    return found


def test_tasks_for_each_host_and_requests_to_each_server(project: Project) -> None:
    with Fleet(project) as fleet:
        for name in ("a-first", "b-second", "c-third"):
            fleet.add(name)
        for sim in fleet.sims.values():
            sim.clear_log()
        tasks = started(fleet, audit_sampling_interval=0)
        assert tasks["a-first"] == ["", *A_HOST, *ONCE, "Fail if the server is not as listed"]
        assert tasks["b-second"] == tasks["c-third"] == A_HOST
        # Version, names and statistics, three for each virtual host with its application, and the pushes; the
        # configuration file has one with two applications, which are not read. As there are live streams, their list of
        # each application and each of them are read.
        listed = len(NAMES)
        for sim in fleet.sims.values():
            requests = [f"{record.method} {record.path}" for record in sim.log]
            live = listed + 2 + len(sim.state.streams)
            assert len(requests) == len(set(requests)) == 3 + 2 * (listed + 1) + 2 * listed + 2 + live, requests
            sim.clear_log()
        fleet.hosts["b-second"]["ovenmediaengine_push_tasks"] = []
        tasks = started(fleet, audit_sampling_interval=0)
        assert all(names[-1] == "Fail if the server is not as listed" for names in tasks.values())
        assert tasks["b-second"][:-1] == tasks["c-third"][:-1] == A_HOST


@pytest.mark.exhaustive
def test_names_of_hosts_are_no_templates(project: Project) -> None:
    name = "{{ 7 * 191 }}"
    with Fleet(project) as fleet:
        fleet.add(name)
        fleet.add("zz")
        fleet.hosts[name]["ovenmediaengine_push_tasks"] = []
        for sim in fleet.sims.values():
            sim.clear_log()
        run = fleet.audit(variables={"audit_sampling_interval": 0})
        assert [(server["name"], server["status"]) for server in fleet.report()["servers"]] == [
            ("zz", "info"),
            (name, "drift"),
        ]
        assert run.status == 2 and f"[{name}]: FAILED!" in run.output and run.recap["zz"]["failed"] == 0
