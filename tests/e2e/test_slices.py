# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet in four slices, each a job that ansible-runner brings to an execution node as Receptor does: together they
do what one job does.
"""

from __future__ import annotations

import contextlib
import json
import pathlib
import re
import socket
import typing as t

import jsonschema
import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .awx import Ended, Job, survey_defaults
from .conftest import APPLICATIONS, LOCAL, PUSH_TASKS, REPOSITORY, TOKEN, VHOSTS, Project

pytestmark = pytest.mark.long

SLICES = 4
SERVERS = 5
VARIABLES = {
    **LOCAL,
    "ovenmediaengine_vhosts": VHOSTS,
    "ovenmediaengine_applications": APPLICATIONS,
    "ovenmediaengine_push_tasks": PUSH_TASKS,
    "ovenmediaengine_retries": 0,
    "audit_sampling_interval": 0,
}
Hosts = t.Mapping[str, t.Mapping[str, t.Any]]


def sliced(hosts: Hosts, number: int) -> Hosts:
    """Return the hosts of a slice, as AWX cuts an inventory: by name, every fourth."""
    return {name: hosts[name] for name in sorted(hosts)[number - 1 :: SLICES]}


class Controller:
    """Launches jobs; each has a number of its own."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.reports = project.directory / "reports"
        self.number = 0

    def launch(self, playbook: str, hosts: Hosts, *arguments: str, **answers: t.Any) -> Ended:
        """Run one job on an execution node; what it leaves holds no secret."""
        self.number += 1
        job = Job(self.project, self.number, hosts, VARIABLES)
        job.inject("credential_type_api", api_token=TOKEN, timeout="5")
        job.answer(**{**survey_defaults(playbook), "awx_reports_dir": str(self.reports), **answers})
        ended = job.run_elsewhere(playbook, *arguments)
        assert [line for text in ended.texts().values() for line in text.splitlines() if "canary" in line] == []
        return ended

    def launch_sliced(self, playbook: str, hosts: Hosts, *arguments: str, **answers: t.Any) -> list[Ended]:
        """Run a job in slices; AWX runs them in a workflow of their own."""
        self.number += 1
        workflow = self.number
        return [
            self.launch(playbook, sliced(hosts, number), *arguments, awx_workflow_job_id=workflow, **answers)
            for number in range(1, SLICES + 1)
        ]


def report(directory: pathlib.Path | str) -> dict[str, t.Any]:
    """Return a report, without its times."""
    read: dict[str, t.Any] = json.loads((pathlib.Path(directory) / "audit.json").read_text(encoding="utf-8"))
    jsonschema.validate(read, json.loads((REPOSITORY / "docs/audit/report.schema.json").read_text(encoding="utf-8")))
    return {**read, "generated_at": "", "started_at": ""}


def metrics(directory: pathlib.Path | str) -> str:
    """Return the metrics beside a report, without those of its times."""
    text = (pathlib.Path(directory) / "audit.prom").read_text(encoding="utf-8")
    return re.sub("^.*(timestamp|duration)_seconds.*\n", "", text, flags=re.MULTILINE)


def without_place(summary: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the numbers of an audit, without where its report is."""
    return {name: value for name, value in summary.items() if name not in ("report_dir", "line")}


@pytest.fixture
def sims() -> t.Iterator[list[Simulator]]:
    """Provide a fleet of servers."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(Simulator(token=TOKEN)) for _number in range(SERVERS)]


@pytest.fixture
def hosts(sims: list[Simulator]) -> t.Iterator[dict[str, dict[str, t.Any]]]:
    """Provide the inventory: the servers, and a host where none listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        fleet = {f"media-{number}": {"ovenmediaengine_api_url": sim.url} for number, sim in enumerate(sims, 1)}
        yield {
            **fleet,
            "silent": {
                "ovenmediaengine_api_url": f"http://127.0.0.1:{unused.getsockname()[1]}",
                "ovenmediaengine_wait_seconds": 1,
            },
        }


def test_provision_and_audit_in_slices(
    project: Project, sims: list[Simulator], hosts: dict[str, dict[str, t.Any]]
) -> None:
    awx = Controller(project)
    ended = awx.launch_sliced("provision.yml", hosts)
    silent = sorted(hosts).index("silent") % SLICES
    assert [one.status for one in ended] == ["failed" if number == silent else "successful" for number in range(SLICES)]
    assert {name: number for one in ended for name, number in one.changed.items()} == {
        name: 1 for name in hosts if name != "silent"
    }
    for sim in sims:
        sim.clear_log()

    # As one job would have: nothing is left to do.
    whole = awx.launch("provision.yml", {name: one for name, one in hosts.items() if name != "silent"})
    assert whole.status == "successful" and whole.changed == {}, whole.output
    assert [sim.writes for sim in sims] == [[]] * SERVERS

    sims[0].restart()
    sims[4].add_static_virtual_host({"name": "t-by-hand", "host": {"names": ["by-hand.example.com"]}})
    whole = awx.launch("audit.yml", hosts, "--check")
    assert whole.status == "failed"
    parts = awx.launch_sliced("audit.yml", hosts, "--check")
    # A node of a workflow hands on what its slices have left, the last one first.
    handed_on = {name: value for part in parts for name, value in part.artifacts.items()}
    assert {part.artifacts["ovenmediaengine_audit"]["servers"] for part in parts} == {1, 2}
    merged = awx.launch("merge_audits.yml", hosts, "--check", **handed_on)
    assert merged.status == "failed"
    summary, expected = (one.artifacts["ovenmediaengine_audit"] for one in (merged, whole))
    assert without_place(summary) == without_place(expected)
    assert summary["servers"] == SERVERS + 1 and summary["not_audited"] == 1 and summary["drift"] > 0
    assert report(summary["report_dir"]) == report(expected["report_dir"])
    for name in ("audit.xml", "audit.html"):
        texts = [(pathlib.Path(one["report_dir"]) / name).read_text(encoding="utf-8") for one in (summary, expected)]
        assert len(texts[0]) == len(texts[1])
    assert metrics(summary["report_dir"]) == metrics(expected["report_dir"]) != ""
    assert [sim.writes for sim in sims] == [[]] * SERVERS

    # If one slice has left no report, its servers are reported. The earlier merged report is none of the parts.
    lost = pathlib.Path(parts[1].artifacts["ovenmediaengine_audit"]["report_dir"])
    for path in lost.iterdir():
        path.unlink()
    again = awx.launch("merge_audits.yml", hosts, "--check", **handed_on).artifacts["ovenmediaengine_audit"]
    missing = [
        server["name"]
        for server in report(again["report_dir"])["servers"]
        if server["findings"][0]["kind"] == "not_audited"
    ]
    assert missing == sorted(sliced(hosts, 2)) and again["failed"]


def test_a_merge_without_reports_fails(project: Project) -> None:
    run = project.play("streamops.ovenmediaengine.merge_audits", "-i", "one,two", "-e", "audit_parts_dir=nothing")
    assert run.status == 2
    assert (
        f"There is no audit.json in {project.directory}/nothing or its subdirectories on the controller" in run.output
    )


def test_slices_with_limits_give_the_report_of_one_audit(project: Project) -> None:
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Simulator(token=TOKEN)) for _number in range(7)]
        hosts = {f"media-{number}": {"ovenmediaengine_api_url": sim.url} for number, sim in enumerate(servers, 1)}
        # Three of them have what is listed.
        variables = {**LOCAL, "ovenmediaengine_api_token": TOKEN, "ovenmediaengine_vhosts": VHOSTS}
        (project.directory / "inventory.yml").write_text(
            yaml.safe_dump({"all": {"hosts": hosts, "vars": {**variables, "audit_sampling_interval": 0}}}), "utf-8"
        )
        playbook, common = "streamops.ovenmediaengine.audit", ["-i", "inventory.yml", "-e", "audit_fail_on=none"]
        done = project.play(
            "streamops.ovenmediaengine.provision", "-i", "inventory.yml", "--limit", "media-1,media-2,media-3"
        )
        assert done.status == 0, done.output
        for number in range(SLICES - 1):
            part = f"slice-{number + 1}.txt"
            (project.directory / part).write_text(
                "\n".join(sorted(hosts)[number :: SLICES - 1]) + "\n", encoding="utf-8"
            )
            run = project.play(playbook, *common, "--limit", f"@{part}", "-e", f"audit_report_dir=reports/{number + 1}")
            assert run.status == 0, run.output
        whole = project.play(playbook, *common, "-e", "audit_report_dir=whole")
        merged = project.play(
            "streamops.ovenmediaengine.merge_audits", *common, "-e", "audit_parts_dir=reports",
            "-e", "audit_report_dir=reports/all",
        )  # fmt: skip
        assert whole.status == merged.status == 0, whole.output + merged.output
        assert report(project.directory / "reports/all") == report(project.directory / "whole")
        assert len(report(project.directory / "whole")["servers"]) == len(hosts)
