# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A task that fails before it runs is the only error that a user sees: no later task of the role hides it."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import PUSH_TASKS, VHOSTS, Project

UNDEFINED = {**PUSH_TASKS[0], "stream_key": "{{ vault_undefined }}"}


@pytest.mark.parametrize("hosts", (1, 12))
def test_an_undefined_secret_is_the_only_error(project: Project, sim: Simulator, hosts: int) -> None:
    names = {f"host-{number:02}": sim.url for number in range(hosts)}
    project.inventory(
        names, ovenmediaengine_vhosts=VHOSTS, ovenmediaengine_applications=[], ovenmediaengine_push_tasks=[UNDEFINED]
    )
    run = project.provision()
    assert run.status == 2 and not sim.writes, run.output
    assert "vault_undefined" in run.output
    assert "has no attribute" not in run.output
    assert all(recap["failed"] == 1 for recap in run.recap.values()), run.output


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("playbook", "variables"),
    [
        (
            "restream",
            {
                "restream_stream": "main",
                "ovenmediaengine_platforms": [{"name": "one", "url": "rtmp://a.example.com/live"}],
                "ovenmediaengine_stream_keys": {"one": "{{ vault_undefined }}"},
            },
        ),
        ("restream", {"restream_stream": "main", "ovenmediaengine_api_token": "{{ vault_undefined }}"}),
        (
            "record",
            {"record_stream": "main", "ovenmediaengine_record_directory": "{{ vault_undefined }}"},
        ),
        ("record", {"record_stream": "main", "ovenmediaengine_api_token": "{{ vault_undefined }}"}),
        ("rotate_certificates", {"ovenmediaengine_certificates": [{"vhost": "{{ vault_undefined }}"}]}),
        ("watch", {"watch_dir": "{{ vault_undefined }}"}),
        ("restart", {"restart_unit": "{{ vault_undefined }}"}),
        ("server", {"server_version": "{{ vault_undefined }}"}),
        ("export", {"export_file": "{{ vault_undefined }}"}),
    ],
)
def test_an_undefined_variable_of_another_role_is_the_only_error(
    project: Project, sim: Simulator, playbook: str, variables: dict[str, object]
) -> None:
    project.inventory({"media": sim.url}, **{"ovenmediaengine_platforms": [], **variables})
    run = project.play(f"streamops.ovenmediaengine.{playbook}", "-i", "inventory.json")
    assert run.status == 2 and not sim.writes, run.output
    assert run.recap["media"]["failed"] == 1 and run.output.count("fatal: [media]") == 1, run.output
    assert "vault_undefined" in run.failure("media"), run.output
