# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Misspelt variables, and purges without a list: nothing is sent, in check mode as in a real run."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import VHOSTS, Project

PLAYBOOK = "streamops.ovenmediaengine."


def _run(project: Project, playbook: str, *arguments: str, **variables: t.Any) -> t.Any:
    return project.play(PLAYBOOK + playbook, "-i", "inventory.json", "-e", json.dumps(variables), *arguments)


@pytest.mark.exhaustive
def test_a_typo_with_a_purge_deletes_nothing(project: Project, sim: Simulator) -> None:
    path = project.inventory({"one": sim.url})
    assert project.provision().status == 0
    inventory = json.loads(path.read_text(encoding="utf-8"))
    variables = inventory["all"]["vars"]
    variables["ovenmediaengine_vhost"] = variables.pop("ovenmediaengine_vhosts")
    variables["ovenmediaengine_purge_vhosts"] = True
    path.write_text(json.dumps(inventory), encoding="utf-8")
    sim.clear_log()
    for arguments in (["--check"], [], ["-e", "ovenmediaengine_in_process=false"]):
        run = project.provision(*arguments)
        assert run.status == 2
        assert "ovenmediaengine_vhost (did you mean ovenmediaengine_vhosts?)" in run.output
        assert run.summary("one").endswith("virtual hosts: not reached; applications: not reached; push tasks: not reached")
    # With the name right but without the list, the purge is refused as well.
    del variables["ovenmediaengine_vhost"]
    for vhosts in ({}, {"ovenmediaengine_vhosts": None}):
        variables.update(vhosts)
        path.write_text(json.dumps(inventory), encoding="utf-8")
        run = project.provision("-e", "ovenmediaengine_purge_everything=true")
        assert run.status == 2
        assert "ovenmediaengine_purge_vhosts needs ovenmediaengine_vhosts, which is not defined" in run.output
    assert not sim.log
    assert len(sim.state.virtual_hosts) == 1 + len(VHOSTS)


@pytest.mark.exhaustive
def test_an_empty_list_is_purged_only_if_that_is_asked_for(project: Project, sim: Simulator) -> None:
    path = project.inventory({"one": sim.url})
    assert project.provision().status == 0
    sim.clear_log()
    path = project.inventory(
        {"one": sim.url}, ovenmediaengine_vhosts=[], ovenmediaengine_applications=[], ovenmediaengine_push_tasks=[], ovenmediaengine_purge_vhosts=True
    )
    for arguments in (["--check"], []):
        run = project.provision(*arguments)
        assert run.status == 2
        assert "ovenmediaengine_purge_everything: true" in run.output
        assert not sim.log
    variables = json.loads(path.read_text(encoding="utf-8"))["all"]["vars"]
    assert variables["ovenmediaengine_purge_vhosts"]
    run = project.provision("-e", "ovenmediaengine_purge_everything=true")
    assert run.status == 0, run.output
    assert set(sim.state.virtual_hosts) == {"default"}


_TYPOS = {
    "provision": {"ovenmediaengine_wait_second": 3},
    "export": {"export_fil": "x.yml"},
    "rotate_certificates": {"ovenmediaengine_certificate": []},
    "restream": {"restream_stream": "s", "restream_platforms": "one", "ovenmediaengine_platform": [{"name": "one"}]},
    "merge_audits": {"audit_parts_dir": ".", "audit_fail_onn": "none"},
    "audit": {"audit_fail_onn": "none"},
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("playbook", _TYPOS)
def test_every_role_refuses_names_that_no_role_has(project: Project, sim: Simulator, playbook: str) -> None:
    project.inventory({"one": sim.url})
    typo = next(name for name in _TYPOS[playbook] if name not in ("restream_stream", "restream_platforms", "audit_parts_dir"))
    run = _run(project, playbook, **_TYPOS[playbook])
    assert run.status == 2, run.output
    told = run.output
    if playbook == "audit":  # a finding, as all that is wrong with a host
        told = (project.directory / "ovenmediaengine-audit" / "audit.json").read_text(encoding="utf-8")
    assert f"{typo} (did you mean " in told, run.output
    assert not sim.log


@pytest.mark.exhaustive
def test_one_inventory_serves_all_roles(project: Project, sim: Simulator) -> None:
    project.inventory(
        {"one": sim.url},
        ovenmediaengine_platforms=[],
        ovenmediaengine_certificates=[],
        ovenmediaengine_in_process=True,
        ovenmediaengine_hosts="all",
        ovenmediaengine_secret_t_a_key="x",
        audit_report_dir="elsewhere",
        export_file="export.yml",
        restream_app="app",
    )
    for playbook in ("provision", "export", "rotate_certificates"):
        run = _run(project, playbook)
        assert run.status == 0, run.output
    # A role that runs after another meets the facts of that one.
    play = [{"hosts": "all", "gather_facts": False, "roles": [PLAYBOOK + "provision", PLAYBOOK + "export", PLAYBOOK + "provision"]}]
    (project.directory / "play.yml").write_text(json.dumps(play), encoding="utf-8")
    run = project.play("play.yml", "-i", "inventory.json")
    assert run.status == 0, run.output


@pytest.mark.exhaustive
def test_errors_of_a_role_name_its_variables(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url})
    assert project.provision().status == 0
    changed = [{**VHOSTS[0], "host": {"names": ["other.example.com"]}}, VHOSTS[1]]
    push = {"vhost": "t-a", "app": "live", "id": "platform", "stream": {"name": "main"}, "protocol": "rtmp", "url": "http://one.example.com", "stream_key": "x"}
    cases: list[tuple[dict[str, t.Any], str]] = [
        ({"ovenmediaengine_vhosts": changed}, "Set ovenmediaengine_recreate: true to do so."),
        ({"ovenmediaengine_push_tasks": [push]}, "in ovenmediaengine_push_tasks[0] (t-a/live/platform)."),
        ({"ovenmediaengine_api_token": "wrong"}, "Set ovenmediaengine_api_token (or OVENMEDIAENGINE_API_TOKEN)"),
    ]
    for variables, words in cases:
        for in_process in (True, False):
            project.inventory({"one": sim.url}, **variables, ovenmediaengine_in_process=in_process)
            run = project.provision()
            assert run.status == 2
            assert words in run.output, run.output
    path = project.inventory({"one": sim.url})
    inventory = json.loads(path.read_text(encoding="utf-8"))
    del inventory["all"]["vars"]["ovenmediaengine_api_token"]
    path.write_text(json.dumps(inventory), encoding="utf-8")
    run = project.provision()
    assert "the environment variable OVENMEDIAENGINE_API_TOKEN or, for roles, ovenmediaengine_api_token." in run.output
