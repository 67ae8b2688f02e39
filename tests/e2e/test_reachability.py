# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the role provision makes is reached by publishers, or it says that it is not."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NotPublished, Simulator

from .conftest import BOTH_PATHS, TOKEN, Project, Run

pytestmark = pytest.mark.exhaustive

APPLICATIONS = [{"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}}}]
TENANT_A = {"name": "t-a", "host": {"names": ["live.a.example.com"]}, "applications": APPLICATIONS}
TENANT_B = {"name": "t-b", "host": {"names": ["*.a.example.com"]}, "applications": APPLICATIONS}
SHOW = """\
- hosts: all
  gather_facts: false
  roles:
    - streamops.ovenmediaengine.provision
  post_tasks:
    - ansible.builtin.debug:
        msg: "names={{ ovenmediaengine_provision_summary.unreachable_host_names | to_json | b64encode }}."
"""


def provision(
    project: Project,
    sim: Simulator | dict[str, Simulator],
    *vhosts: dict[str, t.Any],
    arguments: t.Sequence[str] = (),
    **variables: t.Any,
) -> tuple[Run, t.Any]:
    """Run the role; return the run, and the host names that the summary says are not reached."""
    lists = {
        "ovenmediaengine_vhosts": list(vhosts),
        "ovenmediaengine_applications": [],
        "ovenmediaengine_push_tasks": [],
    }
    project.inventory(
        {name: one.url for name, one in (sim if isinstance(sim, dict) else {"one": sim}).items()}, **lists, **variables
    )
    (project.directory / "show.yml").write_text(SHOW, encoding="utf-8")
    run = project.play("show.yml", "-i", "inventory.json", *arguments)
    shown = [json.loads(base64.b64decode(text)) for text in re.findall(r"names=(\S+)\.", run.output)]
    return run, (shown if isinstance(sim, dict) else shown[0] if shown else None)


def test_the_stock_configuration(project: Project) -> None:
    with contextlib.ExitStack() as stack:
        sims = {path: stack.enter_context(Simulator(token=TOKEN)) for path in BOTH_PATHS}
        for arguments in (["--check"], []):
            run, names = provision(project, sims, TENANT_A, arguments=arguments)
            assert run.status == 0 and all(recap["unreachable"] == 0 for recap in run.recap.values()), run.output
            assert names == [{"live.a.example.com": "default"}] * 2
            warning = " ".join(run.output.split())
            assert (
                "live.a.example.com of t-a reaches default" in warning
                and "Replace <Name>*</Name> of virtual host default" in warning
            )
        for sim in sims.values():
            with pytest.raises(NotPublished, match="#default#live"):
                sim.publish("live.a.example.com", "live", "main")
        again, names = provision(project, sims, TENANT_A)
        assert (
            all(recap["changed"] == 0 for recap in again.recap.values())
            and names == [{}] * 2
            and "reaches default" not in again.output
        )


def test_it_can_be_required(project: Project) -> None:
    with Simulator(token=TOKEN) as sim:
        run, _names = provision(project, sim, TENANT_A, ovenmediaengine_require_reachable=True)
        assert (
            run.status == 2
            and run.recap["one"]["failed"] == 1
            and "live.a.example.com would reach default" in run.output
        )
        assert sim.writes == []


def test_with_the_wildcard_taken_out(project: Project) -> None:
    with Simulator(token=TOKEN, default_host_names=["localhost"]) as sim:
        run, names = provision(project, sim, TENANT_A, TENANT_B, ovenmediaengine_require_reachable=True)
        assert run.status == 0 and names == {} and "[WARNING]: Publishers" not in run.output, run.output
        assert sim.publish("live.a.example.com", "live", "main").vhost == "t-a"
        assert sim.publish("other.a.example.com", "live", "main").vhost == "t-b"

        changed = {**TENANT_A, "distribution": "other"}
        run, names = provision(project, sim, changed, TENANT_B, ovenmediaengine_recreate=True)
        assert run.status == 0 and names == {"live.a.example.com": "t-b"}, run.output
        assert sim.publish("live.a.example.com", "live", "again").vhost == "t-b"


def test_the_first_table_of_an_audit_shows_it(project: Project) -> None:
    with Simulator(token=TOKEN) as sim:
        project.inventory(
            {"one": sim.url},
            ovenmediaengine_vhosts=[TENANT_A],
            ovenmediaengine_applications=[],
            ovenmediaengine_push_tasks=[],
        )
        assert project.provision().status == 0
        run = project.play(
            "streamops.ovenmediaengine.audit",
            "-i",
            "inventory.json",
            "-e",
            "audit_fail_on=none audit_report_dir=report",
        )
        assert run.status == 0, run.output
    page = (project.directory / "report" / "audit.html").read_text(encoding="utf-8")
    first = page[page.index('data-name="findings"') : page.index('data-name="servers"')]
    assert "live.a.example.com reaches default" in first and "&lt;Name&gt;*&lt;/Name&gt;" in first
    report = json.loads((project.directory / "report" / "audit.json").read_text(encoding="utf-8"))
    assert [one["kind"] for one in report["servers"][0]["findings"] if one["severity"] == "error"] == ["unreachable"]
