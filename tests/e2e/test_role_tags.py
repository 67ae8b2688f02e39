# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tags of the roles, and playbooks that match no host."""

from __future__ import annotations

import re
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import APPLICATIONS, PUSH_TASKS, REPOSITORY, VHOSTS, Project

PLAYBOOKS = (
    "audit",
    "export",
    "import_config",
    "merge_audits",
    "provision",
    "record",
    "recordings",
    "restart",
    "restream",
    "rotate_certificates",
    "server",
    "verify",
    "watch",
)


@pytest.mark.long
def test_each_step_of_provision_can_be_run_alone(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url}, ovenmediaengine_vhosts=[{**vhost, "applications": []} for vhost in VHOSTS])
    reported = "created, 0 recreated, 0 deleted, 0 unchanged, 0 failed"
    steps = [
        ("vhosts", f"virtual hosts: {len(VHOSTS)} {reported}; applications: not selected; push tasks: not selected; "),
        (
            "applications",
            f"virtual hosts: not selected; applications: {len(APPLICATIONS)} {reported}; push tasks: not selected; ",
        ),
        (
            "push_tasks",
            f"virtual hosts: not selected; applications: not selected; push tasks: {len(PUSH_TASKS)} started",
        ),
    ]
    for tag, line in steps:
        run = project.provision("--tags", tag)
        assert run.status == 0, run.output
        assert run.summary("one").startswith(line), run.summary("one")
        assert run.recap["one"]["changed"] == 1
        assert "as after a restart" not in run.summary("one") or tag == "vhosts"
    sim.clear_log()
    run = project.provision("--skip-tags", "vhosts,applications")
    assert run.recap["one"]["changed"] == 0 and not sim.writes
    assert run.summary("one").startswith("virtual hosts: not selected; applications: not selected; push tasks: 0 st")
    sim.clear_log()
    run = project.provision("--tags", "report")
    assert run.summary("one") == "virtual hosts: not selected; applications: not selected; push tasks: not selected"
    assert not sim.log
    # Check mode knows that the steps before do not run.
    sim.restart()
    project.inventory({"one": sim.url}, ovenmediaengine_push_tasks=[{**PUSH_TASKS[0], "vhost": "t-a", "app": "live"}])
    for arguments in (["--check"], []):
        run = project.provision("--tags", "push_tasks", *arguments)
        assert run.status == 2 and "Could not start push task t-a/live/t-1." in run.output


def _tagged(task: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    """Return the task, or the tasks of a block without tags."""
    if "tags" in task or "block" not in task:
        return [] if task.get("run_once") else [task]
    return [one for part in ("block", "always") for inside in task.get(part, ()) for one in _tagged(inside)]


def test_every_task_has_the_tag_of_its_role() -> None:
    for role in sorted(path.name for path in (REPOSITORY / "roles").iterdir()):
        tasks = yaml.safe_load((REPOSITORY / "roles" / role / "tasks" / "main.yml").read_text(encoding="utf-8"))
        tagged = [task for one in tasks for task in _tagged(one)]
        assert all(role in task.get("tags", ()) for task in tagged), role
        readme = (REPOSITORY / "roles" / role / "README.md").read_text(encoding="utf-8")
        # The names of the parts of the role provision are texts in an expression.
        words = {word for task in tagged for tag in task["tags"] for word in re.findall(r"'(\w+)'", tag) or [tag]}
        for tag in words:
            assert re.search(rf"[Tt]ags? .*`{tag}`", readme.replace("\n", " ")), (role, tag)


def test_all_playbooks_choose_their_hosts_alike() -> None:
    expressions = {
        yaml.safe_load((REPOSITORY / "playbooks" / f"{name}.yml").read_text(encoding="utf-8"))[0]["hosts"]
        for name in PLAYBOOKS
    }
    assert len(expressions) == 1


@pytest.mark.long
def test_a_playbook_that_matches_no_host_fails(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url, "two": sim.url})
    for arguments, words in (
        (["-e", "ovenmediaengine_hosts=onne"], "matches onne."),
        (["-e", "ovenmediaengine_hosts=one", "--limit", "two"], "matches one and two."),
    ):
        run = project.provision(*arguments)
        assert run.status != 0
        assert f"No host of the inventory {words}" in run.output
    (project.directory / "inventory.json").write_text('{"all": {"hosts": {}}}', encoding="utf-8")
    run = project.provision()
    assert run.status != 0
    assert "No host of the inventory matches all." in run.output
    assert not sim.log


@pytest.mark.exhaustive
@pytest.mark.parametrize("playbook", ["audit", "provision"])
def test_a_playbook_without_an_inventory_fails(project: Project, playbook: str) -> None:
    run = project.play(f"streamops.ovenmediaengine.{playbook}")
    assert run.status != 0 and "The run has no inventory: name one by -i" in run.output, run.output
    assert project.play(f"streamops.ovenmediaengine.{playbook}", "--syntax-check").status == 0


@pytest.mark.long
def test_all_tasks_of_a_rotation_have_its_tags(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url})
    run = project.play(
        "streamops.ovenmediaengine.rotate_certificates",
        "-i",
        "inventory.json",
        "--tags",
        "certificates",
        "--list-tasks",
    )
    assert "Rotate the certificates" in run.output


@pytest.mark.long
def test_a_syntax_check_needs_no_inventory(project: Project) -> None:
    run = project.play(*(f"streamops.ovenmediaengine.{playbook}" for playbook in PLAYBOOKS), "--syntax-check")
    assert run.status == 0, run.output
    assert run.output.count("playbook: ") == len(PLAYBOOKS)
