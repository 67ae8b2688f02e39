# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What 1.0.0 had is there, and the porting guide names what is new. The audit of slices equals that of all servers."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.measure_slices import formula, line, table
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import LOCAL, REPOSITORY, TOKEN, VHOSTS, Project
from .documents_of_1_0 import DATA

GUIDE = REPOSITORY / "docs/docsite/rst/guide_porting.rst"
SLICES = 3


def interface() -> t.Any:
    """Return what 1.0.0 had: plugins with options and results, roles with variables, playbooks."""
    return json.loads((DATA / "interface.json").read_text(encoding="utf-8"))


def names(of: t.Any, nested: str, before: str = "") -> set[str]:
    """Return the names of options or results, each with those that contain it."""
    found = set()
    for name, content in (of or {}).items():
        found |= {before + name} | names(content.get(nested), nested, f"{before}{name}.")
    return found


@pytest.mark.long
@pytest.mark.parametrize("kind", ["module", "filter"])
def test_options_and_results_of_1_0_0_are_there(kind: str, project: Project) -> None:
    before = {key.split()[1]: value for key, value in interface()["plugins"].items() if key.startswith(kind)}
    assert before
    ended = subprocess.run(
        ["ansible-doc", "-t", kind, "--json", *(f"streamops.ovenmediaengine.{name}" for name in before)],
        cwd=project.directory,
        env=project.environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    for name, content in json.loads(ended.stdout).items():
        had = before[name.rpartition(".")[2]]
        assert set(had["options"]) - names(content["doc"]["options"], "suboptions") == set(), name
        assert set(had["returns"]) - names(content["return"], "contains") == set(), name


def test_variables_of_roles_and_playbooks_of_1_0_0_are_there() -> None:
    had = interface()
    for role, entries in had["roles"].items():
        path = REPOSITORY / "roles" / role / "meta/argument_specs.yml"
        specs = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]
        for entry, variables in entries.items():
            assert set(variables) - set(specs[entry]["options"]) == set(), role
    assert set(had["playbooks"]) <= {path.stem for path in (REPOSITORY / "playbooks").glob("*.yml")}


def test_nothing_is_renamed_so_nothing_is_redirected() -> None:
    runtime = yaml.safe_load((REPOSITORY / "meta/runtime.yml").read_text(encoding="utf-8"))
    modules = {key.split()[1] for key in interface()["plugins"] if key.startswith("module ")}
    present = {path.stem for path in (REPOSITORY / "plugins/modules").glob("*.py")}
    redirected = set(runtime.get("plugin_routing", {}).get("modules", {}))
    assert modules <= present | redirected
    assert redirected == set()  # otherwise the guide has to say so under Deprecations
    assert modules <= set(runtime["action_groups"]["ovenmediaengine"])


def test_the_guide_names_what_is_new() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    had = interface()
    for kind, folder in (("module", "modules"), ("filter", "filter")):
        old = {key.split()[1] for key in had["plugins"] if key.startswith(f"{kind} ")}
        new = {path.stem for path in (REPOSITORY / "plugins" / folder).glob("*.py")} - old
        assert sorted(name for name in new if f"``{name}``" not in text) == []
    roles = {path.name for path in (REPOSITORY / "roles").iterdir() if path.is_dir()} - set(had["roles"])
    playbooks = {path.stem for path in (REPOSITORY / "playbooks").glob("*.yml")} - set(had["playbooks"])
    assert sorted(name for name in roles | playbooks if f"``{name}``" not in text) == []


def test_variables_that_the_guide_names_are_known() -> None:
    known = {
        name
        for path in (REPOSITORY / "roles").glob("*/meta/argument_specs.yml")
        for spec in yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"].values()
        for name in spec["options"]
    }
    facts = {f"ovenmediaengine_{role}_summary" for role in ("provision", "restream", "rotate_certificates", "server")}
    named = set(re.findall(r"``(ovenmediaengine_\w+[a-z])``", GUIDE.read_text(encoding="utf-8")))
    assert named - known - facts == set()


def test_the_formula_of_slices() -> None:
    assert line([(100, 12.0), (300, 32.0)]) == pytest.approx((2.0, 0.1))
    with pytest.raises(ValueError, match="two numbers of servers"):
        line([(100, 12.0), (100, 13.0)])
    entries = [
        {"playbook": name, "servers": servers, "seconds": seconds, "cpu": 1.0, "memory": 70.0, "largest": 71.0}
        for name in ("provision", "audit")
        for servers, seconds in ((100, 12.0), (300, 32.0), (1000, 100.0))
    ]
    assert formula(entries, "audit") == pytest.approx({"a": 2.0, "b": 0.1, "largest": 1000, "error": 2.0})
    assert "provision: t(n) = 2.0 s + 0.1000 s * n; +2 % off at 1,000 servers" in table({"entries": entries})


def report(project: Project, name: str) -> t.Any:
    """Return a report without its times."""
    read = json.loads((project.directory / name / "audit.json").read_text(encoding="utf-8"))
    return {**read, "generated_at": "", "started_at": ""}


@pytest.mark.long
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
        for number in range(SLICES):
            part = f"slice-{number + 1}.txt"
            (project.directory / part).write_text("\n".join(sorted(hosts)[number::SLICES]) + "\n", encoding="utf-8")
            run = project.play(playbook, *common, "--limit", f"@{part}", "-e", f"audit_report_dir=reports/{number + 1}")
            assert run.status == 0, run.output
        whole = project.play(playbook, *common, "-e", "audit_report_dir=whole")
        merged = project.play(
            "streamops.ovenmediaengine.merge_audits", *common, "-e", "audit_parts_dir=reports",
            "-e", "audit_report_dir=reports/all",
        )  # fmt: skip
        assert whole.status == merged.status == 0, whole.output + merged.output
        assert report(project, "reports/all") == report(project, "whole")
        assert len(report(project, "whole")["servers"]) == len(hosts)
