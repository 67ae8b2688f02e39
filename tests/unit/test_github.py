# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Workflows, and what they and pre-commit repeat of other files of the repository.

Zizmor and actionlint check the rest.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = {path.stem: path for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}
PINNED = re.compile(r"(?P<action>[\w.-]+/[\w./-]+)@(?P<commit>[0-9a-f]{40}) # v\d+\.\d+\.\d+")


def workflow(name: str) -> dict[Any, Any]:
    """Return a workflow."""
    content = yaml.safe_load(WORKFLOWS[name].read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def steps(name: str) -> list[dict[str, Any]]:
    """Return the steps of all jobs of a workflow."""
    return [step for job in workflow(name)["jobs"].values() for step in job["steps"]]


def step(name: str, title: str) -> dict[str, Any]:
    """Return a step of a workflow."""
    (found,) = (step for step in steps(name) if step["name"] == title)
    return found


def locked(name: str) -> set[str]:
    """Return the lines of a list of packages that are not comments."""
    return {
        line
        for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    }


def cores() -> list[list[str]]:
    """Return the releases of ansible-core, each with its Pythons."""
    return [
        line.split()
        for line in (ROOT / "requirements/cores.txt").read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]


def test_the_workflows_are_there() -> None:
    assert {"ci", "docs", "nightly", "release"} <= set(WORKFLOWS)


def test_each_action_is_pinned_to_one_commit() -> None:
    commits: dict[str, set[str]] = {}
    for path in WORKFLOWS.values():
        for used in re.findall(r"\buses: *(.*)", path.read_text(encoding="utf-8")):
            pin = PINNED.fullmatch(used)
            assert pin, f"{path.name}: {used}"
            commits.setdefault(pin["action"], set()).add(pin["commit"])
    assert commits and {action: found for action, found in commits.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_jobs_have_least_permissions_and_an_end(name: str) -> None:
    content = workflow(name)
    assert content["permissions"] == {} and content["concurrency"]["group"]
    assert [
        job
        for job, settings in content["jobs"].items()
        if "permissions" not in settings or not settings["timeout-minutes"] <= 120
    ] == []
    checkouts = [step for step in steps(name) if step.get("uses", "").startswith("actions/checkout@")]
    assert [step for step in checkouts if step["with"]["persist-credentials"] is not False] == []


def test_only_the_release_writes_to_the_repository() -> None:
    writers = {
        (name, job, permission)
        for name in WORKFLOWS
        for job, settings in workflow(name)["jobs"].items()
        for permission, level in settings["permissions"].items()
        if level == "write"
    }
    assert writers == {("release", "github", "contents"), ("docs", "deploy", "pages"), ("docs", "deploy", "id-token")}


def test_containers_run_each_release_of_ansible_core(tmp_path: Path) -> None:
    script = step("ci", "Read requirements/cores.txt")
    assert script["shell"] == "python"
    output = tmp_path / "output"
    subprocess.run(
        [sys.executable, "-c", script["run"]],
        cwd=ROOT,
        env={**os.environ, "GITHUB_OUTPUT": str(output)},
        check=True,
        timeout=60,
    )
    found = {
        name: json.loads(value)
        for name, value in (line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    }
    expected = [("stable-" + ".".join(core.split(".")[:2]), pythons[0]) for core, *pythons in cores()]
    assert [(row["ansible"], row["python"]) for row in found["containers"]] == [*expected, ("devel", cores()[-1][-1])]
    assert [(row["core"], row["python"]) for row in found["ends"]] == [
        (core, pythons[0]) for core, *pythons in (cores()[0], cores()[-1])
    ]
    jobs = workflow("ci")["jobs"]
    used = {name: job["strategy"]["matrix"]["include"] for name, job in jobs.items() if "strategy" in job}
    containers, ends = ("${{ fromJSON(needs.releases.outputs.%s) }}" % output for output in ("containers", "ends"))
    assert used == {"sanity": containers, "units": containers, "integration": ends}


def test_one_job_waits_for_all_others() -> None:
    jobs = workflow("ci")["jobs"]
    waited = set(jobs["passed"]["needs"])
    assert set(jobs) - waited == {"passed", "releases"} and all(
        jobs[name]["needs"] == "releases" for name in waited - {"test"}
    )


def test_units_names_existing_tests() -> None:
    named = re.findall(r"tests/unit/\S+", step("ci", "Run the unit tests that depend on ansible-core")["run"])
    assert named and [path for path in named if not (ROOT / path).exists()] == []


def test_the_nightly_run_has_each_server_version() -> None:
    matrix = workflow("nightly")["jobs"]["server"]["strategy"]["matrix"]["include"]
    versions = {row["version"] for row in matrix}
    # The configuration that the container gets has the Push publisher, which 0.15.10 does not know by this name.
    assert versions == {path.stem for path in (ROOT / "tests/wire/keys").glob("*.json")} - {"0.15.10"}
    assert [
        row["tag"] for row in matrix if row["tag"] != ("" if row["version"] == "0.18.0" else "v") + row["version"]
    ] == []
    (documented,) = re.findall(r"\(tested with ([^)]*)\)", (ROOT / "galaxy.yml").read_text(encoding="utf-8"))
    assert set(re.findall(r"[\d.]*\d", documented)) - versions <= {"0.15.10"}


CHANGELOG = (
    "Notes\n=====\n\nv1.2.0\n======\n\nRelease Summary\n---------------\n\nIt is new.\n\nv1.1.0\n======\n\nIt is old.\n"
)


@pytest.mark.parametrize(
    ("tag", "fragment", "message"),
    [
        ("1.2.0", "", ""),
        ("1.3.0", "", "The tag is 1.3.0, and galaxy.yml has version 1.2.0."),
        ("1.2.0", "more.yml", "Not in the changelog yet: more.yml (1 in all). Run make changelog."),
    ],
)
def test_a_release_agrees_with_its_tag(tmp_path: Path, tag: str, fragment: str, message: str) -> None:
    (tmp_path / "galaxy.yml").write_text("name: x\nversion: 1.2.0\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.rst").write_text(CHANGELOG, encoding="utf-8")
    (tmp_path / "changelogs/fragments").mkdir(parents=True)
    if fragment:
        (tmp_path / "changelogs/fragments" / fragment).touch()
    assert release_check(tmp_path, tag) == message
    notes = tmp_path / "notes.rst"
    assert (notes.read_text(encoding="utf-8").strip() if notes.exists() else None) == (
        None if message else "Release Summary\n---------------\n\nIt is new."
    )


def test_a_release_without_changelog_is_refused(tmp_path: Path) -> None:
    (tmp_path / "galaxy.yml").write_text("version: 1.2.1\n", encoding="utf-8")
    (tmp_path / "CHANGELOG.rst").write_text(CHANGELOG, encoding="utf-8")
    assert release_check(tmp_path, "1.2.1") == "CHANGELOG.rst has no section v1.2.1: run make changelog."


def release_check(place: Path, tag: str) -> str:
    """Run the check of a tag in a directory, and return why it refuses the tag."""
    script = step("release", "Compare the tag with galaxy.yml and the changelog")
    assert script["shell"] == "python"
    environment = {**os.environ, "TAG": tag, "RUNNER_TEMP": str(place)}
    answer = subprocess.run(
        [sys.executable, "-c", script["run"]],
        cwd=place,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=60,
    )
    assert bool(answer.returncode) == bool(answer.stderr)
    return answer.stderr.strip()


def test_the_release_is_published_with_a_tested_ansible_core() -> None:
    (version,) = re.findall(r"ansible-core==(\S+)", step("release", "Install ansible-core")["run"])
    assert version in [core for core, *_pythons in cores()]


def test_pre_commit_has_the_versions_of_the_checks() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert repository["repo"] == "local"
    wanted = {package for hook in repository["hooks"] for package in hook["additional_dependencies"]}
    assert wanted - locked("test.txt") == locked("ci.txt")


def test_units_in_containers_are_those_of_the_sessions() -> None:
    listed = re.search(
        r"^DEPEND_ON_CORE = \((.*?)^\)", (ROOT / "noxfile.py").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert listed is not None
    sessions = set(re.findall(r'"(tests/unit/[^"]+)"', listed.group(1)))
    containers = set(re.findall(r"tests/unit/[\w./]+", (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")))
    assert sessions == {path.rstrip("/") for path in containers}
