# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbook status, as a user runs it."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import Project


@pytest.mark.exhaustive
def test_the_status_of_a_tenant(project: Project, sim: Simulator) -> None:
    project.inventory({"media-1": sim.url, "media-2": "http://127.0.0.1:9"})
    made = project.play("streamops.ovenmediaengine.provision", "-i", "inventory.json", "--limit", "media-1")
    assert made.status == 0, made.output
    run = project.play("streamops.ovenmediaengine.status", "-i", "inventory.json", "-e", "tenant=t-a")
    assert run.status == 0 and sum(counts["changed"] for counts in run.recap.values()) == 0, run.output
    assert "media-1  t-a     " in run.output and "media-2  t-a     no answer" in run.output
    assert "new error on media-2: " not in run.output and "error on media-2: " in run.output
    assert (project.directory / "ovenmediaengine-status/audit.json").is_file()
    # The report of an audit is no other run of it.
    assert (
        project.play("streamops.ovenmediaengine.audit", "-i", "inventory.json", "-e", "audit_fail_on=none").status == 0
    )
    audited = (project.directory / "ovenmediaengine-audit/audit.json").read_bytes()
    sim.restart()
    again = project.play("streamops.ovenmediaengine.status", "-i", "inventory.json", "-e", "tenant=t-a")
    assert "new drift on media-1: Virtual host t-a is listed and not on the server." in again.output, again.output
    assert (project.directory / "ovenmediaengine-audit/audit.json").read_bytes() == audited
