# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check mode and summary of the role provision: both say what a run does."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import APPLICATIONS, BOTH_PATHS, PUSH_TASKS, VHOSTS, Project

pytestmark = pytest.mark.long

PUSH = {**PUSH_TASKS[0], "vhost": "t-b", "app": "live"}


def test_a_new_fleet_is_predicted_without_a_warning(project: Project, reachable_sim: Simulator) -> None:
    # Their webhooks are switched on for nothing, which is a warning of its own.
    vhosts = [{name: value for name, value in vhost.items() if name != "admission_webhooks"} for vhost in VHOSTS]
    project.inventory(
        dict.fromkeys(BOTH_PATHS, reachable_sim.url), ovenmediaengine_vhosts=vhosts, ovenmediaengine_push_tasks=[PUSH]
    )
    checked = project.provision("--check")
    assert checked.status == 0, checked.output
    assert "WARNING" not in checked.output and "does not exist yet" not in checked.output
    assert "push tasks: 1 started" in checked.summary("module")
    real = project.provision("--limit", "in-process")
    assert real.status == 0, real.output
    for path in BOTH_PATHS:
        assert checked.summary(path) == "Check mode, this would be done: " + real.summary("in-process")


def test_a_typo_in_a_reference_fails_in_check_mode_as_in_a_real_run(project: Project, sim: Simulator) -> None:
    for variables, words in (
        (
            {"ovenmediaengine_applications": [{**APPLICATIONS[0], "vhost": "t-bb"}], "ovenmediaengine_push_tasks": []},
            "create application t-bb/live",
        ),
        ({"ovenmediaengine_push_tasks": [{**PUSH, "app": "lvie"}]}, "start push task t-b/lvie/t-1"),
    ):
        sim.restart()
        project.inventory({"one": sim.url}, **variables)
        for arguments in (["--check"], []):
            run = project.provision(*arguments)
            assert run.status == 2, run.output
            assert f"Could not {words}." in run.output
            assert "does not exist yet" not in run.output


# The summary says what happened


def _with(vhost: dict[str, object], **changes: object) -> dict[str, object]:
    return {**vhost, **changes}


def test_one_new_tenant_on_a_running_server_is_no_restart(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url})
    assert "as after a restart of the server" in project.provision().summary("one")
    new = [{"name": "t-new", "host": {"names": ["new.example.com"]}}]
    project.inventory(
        {"one": sim.url}, ovenmediaengine_vhosts=new, ovenmediaengine_applications=[], ovenmediaengine_push_tasks=[]
    )
    for arguments in (["--check"], []):
        run = project.provision(*arguments)
        assert run.status == 0, run.output
        assert run.summary("one").endswith("; missing before: virtual hosts 1, applications 0, push tasks 0"), (
            run.output
        )
    sim.restart()
    assert "as after a restart of the server" in project.provision().summary("one")


def test_recreated_contents_are_not_reported_as_unchanged(project: Project, sim: Simulator) -> None:
    pushes = [{**PUSH, "id": "p-1"}, {**PUSH, "id": "p-2", "vhost": "t-a"}, PUSH_TASKS[0]]
    project.inventory({"one": sim.url}, ovenmediaengine_push_tasks=pushes)
    assert project.provision().status == 0
    # A virtual host with an application of the flat list and a push in it, and an application inside of another virtual
    # host with a push in it.
    live = _with(VHOSTS[0]["applications"][0], publishers={"llhls": {}, "push": {}, "webrtc": {}})  # type: ignore[index]
    changed = [_with(VHOSTS[0], applications=[live]), _with(VHOSTS[1], host={"names": ["b2.example.com"]})]
    variables = {
        "ovenmediaengine_vhosts": changed,
        "ovenmediaengine_push_tasks": pushes,
        "ovenmediaengine_recreate": True,
    }
    expected = (
        "virtual hosts: 0 created, 1 recreated, 0 deleted, 1 unchanged, 0 failed; "
        "applications: 0 created, 2 recreated, 0 deleted, 0 unchanged, 0 failed; "
        "push tasks: 0 started, 2 restarted, 0 stopped, 1 unchanged, 0 failed; missing before: nothing"
    )
    for more in ({}, {"ovenmediaengine_purge_applications": True}):
        project.inventory({"one": sim.url}, **{**variables, **more})
        checked = project.provision("--check")
        assert checked.status == 0, checked.output
        assert checked.summary("one") == "Check mode, this would be done: " + expected
    real = project.provision()
    assert real.status == 0, real.output
    assert real.summary("one") == expected
    again = project.provision()
    assert "2 unchanged, 0 failed; push tasks: 0 started, 0 restarted, 0 stopped, 3 unchanged" in again.summary("one")
