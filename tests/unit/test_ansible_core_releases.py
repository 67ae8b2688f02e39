# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""requirements/cores.txt lists the releases of ansible-core that are tested.

Everything else that names the supported releases agrees with it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    line.split()
    for line in (ROOT / "requirements/cores.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
RELEASES = [".".join(row[0].split(".")[:2]) for row in ROWS]
OLDEST, NEWEST = RELEASES[0], RELEASES[-1]
GUIDE = "docs/docsite/rst/guide_ansible_core.rst"
# Releases with which Red Hat tests the collections of partners.
CERTIFIED_WITH = {"2.16", "2.18", "2.20"}


def text(name: str) -> str:
    """Return what a file of the repository holds."""
    return (ROOT / name).read_text(encoding="utf-8")


def read(name: str) -> Any:
    """Return what a file of YAML holds."""
    return yaml.safe_load(text(name))


def minor(release: str) -> int:
    """Return the second number of a release."""
    return int(release.split(".")[1])


def in_order(version: str) -> tuple[int, ...]:
    """Return what a version is sorted by."""
    return tuple(map(int, version.split(".")))


def rows_of_the_guide() -> list[list[str]]:
    """Return the cells of the table of releases, row by row."""
    table = text(GUIDE).partition("Differences between releases\n")[0].partition(".. list-table::")[2]
    cells = re.findall(r"^   (\* -|  -) (.+)$", table, re.MULTILINE)
    rows: list[list[str]] = []
    for start, cell in cells:
        rows = [*rows, [cell]] if start == "* -" else [*rows[:-1], [*rows[-1], cell]]
    return rows[1:]


def test_every_release_between_the_oldest_and_the_newest_is_tested() -> None:
    assert [minor(release) for release in RELEASES] == list(range(minor(OLDEST), minor(NEWEST) + 1))
    assert set(RELEASES) >= CERTIFIED_WITH


def test_candidates_come_after_all_final_releases() -> None:
    final = [re.fullmatch(r"\d+\.\d+\.\d+", row[0]) is not None for row in ROWS]
    assert final[0] and final == sorted(final, reverse=True)


def test_metadata_names_the_oldest_release() -> None:
    assert read("meta/runtime.yml")["requires_ansible"] == f">={OLDEST}.0"
    roles = sorted((ROOT / "roles").glob("*/meta/main.yml"))
    assert roles and {
        yaml.safe_load(path.read_text(encoding="utf-8"))["galaxy_info"]["min_ansible_version"] for path in roles
    } == {OLDEST}


def test_the_execution_environment_takes_each_supported_release_and_no_other() -> None:
    core = read("playbooks/files/awx/execution-environment.yml")["dependencies"]["ansible_core"]["package_pip"]
    assert core == f"ansible-core>={OLDEST},<2.{minor(NEWEST) + 1}"
    # What execution environments take from the collection leaves ansible-core to them.
    assert read("meta/execution-environment.yml")["dependencies"] == {"python": "meta/ee-requirements.txt"}
    assert "ansible" not in text("meta/ee-requirements.txt")


def test_execution_environments_are_checked_with_both_ends() -> None:
    packages = re.findall(r'^ansible_core_package = "(.+)"$', text("antsibull-nox.toml"), re.MULTILINE)
    assert packages == [f"ansible-core>={OLDEST},<2.{minor(OLDEST) + 1}", f"ansible-core<2.{minor(NEWEST) + 1}"]


def test_the_readme_names_the_oldest_and_the_newest_release() -> None:
    assert f"- ansible-core {OLDEST} to {NEWEST}," in text("README.md")


def test_the_guide_lists_the_releases_and_their_pythons() -> None:
    assert f"The collection supports ansible-core {OLDEST} to {NEWEST}." in text(GUIDE)
    rows = rows_of_the_guide()
    assert [row[:2] for row in rows] == [[release, row[0]] for release, row in zip(RELEASES, ROWS)]
    oldest_on_hosts = read("tests/config.yml")["modules"]["python_requires"].lstrip(">=")
    for (_release, _tested, controller, hosts), (_core, *pythons) in zip(rows, ROWS):
        first, last = controller.split(" to ")
        assert all(in_order(first) <= in_order(python) <= in_order(last) for python in pythons)
        assert hosts == f"{oldest_on_hosts} to {last}"


@pytest.mark.parametrize("name", ["Makefile", "CONTRIBUTING.md", "README.md", "tests/e2e/test_documents.py"])
def test_commands_name_releases_that_are_tested(name: str) -> None:
    named = re.findall(r"\bCORES=\"?((?:\d+\.\d+ ?)+)", text(name))
    assert {release for releases in named for release in releases.split()} <= set(RELEASES)


def test_roles_declare_only_secrets_as_secrets() -> None:
    """ansible-core from 2.22 on masks each text of such a variable in all that it displays, so that no list of objects
    can be one.
    """
    specs = [
        yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]
        for path in (ROOT / "roles").glob("*/meta/argument_specs.yml")
    ]
    options = [named for spec in specs for entry in spec.values() for named in entry.get("options", {}).items()]
    secret = {name for name, option in options if option.get("no_log")}
    assert secret == {
        "ovenmediaengine_api_token",
        "ovenmediaengine_http_headers",
        "ovenmediaengine_stream_keys",
        "server_environment",
        "server_previous_api_token",
    }


def test_a_condition_takes_text_for_a_boolean() -> None:
    """Surveys of AWX and `-e` give text, of which `false` is as true as any other."""
    wrong = []
    for specs in sorted(ROOT.glob("roles/*/meta/argument_specs.yml")):
        entries = yaml.safe_load(specs.read_text(encoding="utf-8"))["argument_specs"].values()
        flags = {name for entry in entries for name, option in entry["options"].items() if option["type"] == "bool"}
        for tasks in sorted(specs.parents[1].glob("tasks/*.yml")):
            for line in tasks.read_text(encoding="utf-8").splitlines():
                # As the whole value of an option of a module, which converts it.
                rest = re.sub(r'"\{\{ \w+( \| default\(omit\))? \}\}"', "", line.partition(" # ")[0])
                used = re.findall(r"(?<![\w.])(\w+)(?!\w|:)(?: \| default\(\w+\))?( \| bool\b)?", rest)
                wrong += [
                    (tasks.parent.parent.name, name) for name, converted in used if name in flags and not converted
                ]
    assert wrong == []
