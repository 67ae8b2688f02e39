# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Misspelt variables, and purges without a list: nothing is sent, in check mode as in a real run."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator

from .conftest import BOTH_PATHS, VHOSTS, Project

PLAYBOOK = "streamops.ovenmediaengine."


def _run(project: Project, playbook: str, *arguments: str, **variables: t.Any) -> t.Any:
    return project.play(PLAYBOOK + playbook, "-i", "inventory.json", "-e", json.dumps(variables), *arguments)


def _hosts(
    project: Project, sim: Simulator, hosts: t.Mapping[str, t.Mapping[str, t.Any]], *without: str, **variables: t.Any
) -> None:
    """Write an inventory of hosts that are one server with variables of their own.

    ``without`` names those that not all have.
    """
    path = project.inventory(dict.fromkeys(hosts, sim.url), **variables)
    inventory = json.loads(path.read_text(encoding="utf-8"))["all"]
    common = {name: inventory["vars"].pop(name) for name in without}
    for name, own in hosts.items():
        inventory["hosts"][name].update({**common, **own})
        for missing in [variable for variable in common if own.get(variable) == _LEFT_OUT]:
            del inventory["hosts"][name][missing]
    path.write_text(json.dumps({"all": inventory}), encoding="utf-8")


_LEFT_OUT = "left out"


@pytest.mark.long
def test_a_typo_with_a_purge_deletes_nothing(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url})
    assert project.provision().status == 0
    sim.clear_log()
    misspelt = {
        "ovenmediaengine_vhosts": _LEFT_OUT,
        "ovenmediaengine_vhost": VHOSTS,
        "ovenmediaengine_purge_vhosts": True,
    }
    # With the name right but without the list, the purge is refused as well.
    unlisted = {"ovenmediaengine_purge_vhosts": True, "ovenmediaengine_purge_everything": True}
    hosts = {
        **{path: {**misspelt, **own} for path, own in BOTH_PATHS.items()},
        "without": {"ovenmediaengine_vhosts": _LEFT_OUT, **unlisted},
        "null": {"ovenmediaengine_vhosts": None, **unlisted},
    }
    _hosts(project, sim, hosts, "ovenmediaengine_vhosts")
    for arguments in (["--check"], []):
        run = project.provision(*arguments)
        assert run.status == 2
        for name in BOTH_PATHS:
            assert "ovenmediaengine_vhost (did you mean ovenmediaengine_vhosts?)" in run.failure(name)
            assert run.summary(name).endswith(
                "virtual hosts: not reached; applications: not reached; push tasks: not reached"
            )
        for name in ("without", "null"):
            assert "ovenmediaengine_purge_vhosts needs ovenmediaengine_vhosts, which is not defined" in run.failure(
                name
            )
    assert not sim.log
    assert len(sim.state.virtual_hosts) == 1 + len(VHOSTS)


@pytest.mark.long
def test_an_empty_list_is_purged_only_if_that_is_asked_for(project: Project, sim: Simulator) -> None:
    path = project.inventory({"one": sim.url})
    assert project.provision().status == 0
    sim.clear_log()
    path = project.inventory(
        {"one": sim.url},
        ovenmediaengine_vhosts=[],
        ovenmediaengine_applications=[],
        ovenmediaengine_push_tasks=[],
        ovenmediaengine_purge_vhosts=True,
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
    "import_config": {"import_config_fil": "x.yml"},
    "rotate_certificates": {"ovenmediaengine_certificate": []},
    "restream": {"restream_stream": "s", "restream_platforms": "one", "ovenmediaengine_platform": [{"name": "one"}]},
    "record": {"record_stream": "s", "record_tittle": "x"},
    "recordings": {"recordings_directory": "/srv/recordings", "recordings_keeps": {}},
    "merge_audits": {"audit_parts_dir": ".", "audit_fail_onn": "none"},
    "server": {"server_version": NEWEST, "server_restarts": "always"},
    "restart": {"restart_windows": "02:00-04:00"},
    "audit": {"audit_fail_onn": "none"},
    "watch": {"watch_intervall": 5},
}


@pytest.mark.long
def test_every_role_refuses_names_that_no_role_has(project: Project, sim: Simulator) -> None:
    """One play, because the first playbook that fails would end the run."""
    project.inventory({"one": sim.url})
    tasks: list[dict[str, t.Any]] = []
    for playbook, variables in _TYPOS.items():
        entry = {"tasks_from": "merge"} if playbook == "merge_audits" else {}
        role = {"name": PLAYBOOK + playbook.replace("merge_audits", "audit"), **entry}
        say = {"name": f"{playbook} has failed", "ansible.builtin.debug": {"msg": "{{ ansible_failed_result.msg }}"}}
        tasks.append({"block": [{"ansible.builtin.include_role": role, "vars": variables}], "rescue": [say]})
    (project.directory / "play.json").write_text(
        json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]), encoding="utf-8"
    )
    run = project.play("play.json", "-i", "inventory.json")
    for playbook, variables in _TYPOS.items():
        typo = next(
            name
            for name in variables
            if name
            not in (
                "restream_stream",
                "restream_platforms",
                "record_stream",
                "recordings_directory",
                "audit_parts_dir",
                "server_version",
            )
        )
        reported = run.output.partition(f"TASK [{playbook} has failed]")[2].partition("\nTASK [")[0]
        if playbook == "audit":  # a finding, as all that is wrong with a host
            reported = (project.directory / "ovenmediaengine-audit" / "audit.json").read_text(encoding="utf-8")
        assert f"{typo} (did you mean " in reported, run.output
    assert not sim.log


@pytest.mark.long
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
        record_app="app",
    )
    for playbook in ("provision", "export", "rotate_certificates"):
        run = _run(project, playbook)
        assert run.status == 0, run.output
    # A role that runs after another meets the facts of that one.
    play = [
        {
            "hosts": "all",
            "gather_facts": False,
            "roles": [PLAYBOOK + "provision", PLAYBOOK + "export", PLAYBOOK + "provision"],
        }
    ]
    (project.directory / "play.yml").write_text(json.dumps(play), encoding="utf-8")
    run = project.play("play.yml", "-i", "inventory.json")
    assert run.status == 0, run.output


@pytest.mark.long
def test_errors_of_a_role_name_its_variables(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url})
    assert project.provision().status == 0
    changed = [{**VHOSTS[0], "host": {"names": ["other.example.com"]}}, VHOSTS[1]]
    push = {
        "vhost": "t-a",
        "app": "live",
        "id": "platform",
        "stream": {"name": "main"},
        "protocol": "rtmp",
        "url": "http://one.example.com",
        "stream_key": "x",
    }
    cases: dict[str, tuple[dict[str, t.Any], str]] = {
        "changed": ({"ovenmediaengine_vhosts": changed}, "Set ovenmediaengine_recreate to true to recreate it."),
        "push": ({"ovenmediaengine_push_tasks": [push]}, "in ovenmediaengine_push_tasks[0] (t-a/live/platform)."),
        "wrong": (
            {"ovenmediaengine_api_token": "wrong"},
            "Set ovenmediaengine_api_token (or OVENMEDIAENGINE_API_TOKEN)",
        ),
        "without": (
            {"ovenmediaengine_api_token": _LEFT_OUT},
            "the environment variable OVENMEDIAENGINE_API_TOKEN or, for roles, ovenmediaengine_api_token.",
        ),
    }
    hosts = {f"{name}-{path}": {**case[0], **own} for name, case in cases.items() for path, own in BOTH_PATHS.items()}
    _hosts(project, sim, hosts, "ovenmediaengine_vhosts", "ovenmediaengine_push_tasks", "ovenmediaengine_api_token")
    run = project.provision("--forks", "4")
    assert run.status == 2
    for name, (_variables, words) in cases.items():
        for path in BOTH_PATHS:
            assert words in run.failure(f"{name}-{path}"), run.output
