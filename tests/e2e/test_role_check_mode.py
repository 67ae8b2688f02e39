# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check mode of the role provision: what is listed is predicted, what is listed nowhere fails as in a real run."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import APPLICATIONS, PUSH_TASKS, Project

PUSH = {**PUSH_TASKS[0], "vhost": "t-b", "app": "live"}


@pytest.mark.parametrize("in_process", ["true", "false"])
def test_a_new_fleet_is_predicted_without_a_warning(project: Project, sim: Simulator, in_process: str) -> None:
    project.inventory({"one": sim.url}, ovenmediaengine_push_tasks=[PUSH])
    checked = project.provision("--check", "-e", f"ovenmediaengine_in_process={in_process}")
    assert checked.status == 0, checked.output
    assert "WARNING" not in checked.output and "not there yet" not in checked.output
    assert "push tasks: 1 started" in checked.summary("one")
    real = project.provision()
    assert real.status == 0, real.output
    assert checked.summary("one") == "Check mode, this would be done: " + real.summary("one")


@pytest.mark.timeout(300)
def test_a_typo_in_a_reference_fails_in_check_mode_as_in_a_real_run(project: Project, sim: Simulator) -> None:
    for variables, words in (
        ({"ovenmediaengine_applications": [{**APPLICATIONS[0], "vhost": "t-bb"}], "ovenmediaengine_push_tasks": []}, "create application t-bb/live"),
        ({"ovenmediaengine_push_tasks": [{**PUSH, "app": "lvie"}]}, "start push task t-b/lvie/t-1"),
    ):
        sim.restart()
        project.inventory({"one": sim.url}, **variables)
        for arguments in (["--check"], []):
            run = project.provision(*arguments)
            assert run.status == 2, run.output
            assert f"Could not {words}." in run.output
            assert "not there yet" not in run.output
