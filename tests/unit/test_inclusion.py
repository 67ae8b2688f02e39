# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requirements of Ansible's community and of a certification that no tool checks; docs/inclusion.md has the lists."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible.plugins.loader import get_all_plugin_loaders
from ansible_collections.streamops.ovenmediaengine.plugins.doc_fragments.attributes import ModuleDocFragment

ROOT = Path(__file__).resolve().parents[2]
BLOB = "https://github.com/streamops/ansible-ovenmediaengine/blob/main/"
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODULES = sorted(path for path in (ROOT / "plugins/modules").glob("*.py") if path.stem != "__init__")
NEEDED = ("meta", "plugins", "roles", "playbooks")
MADE_BY_TOOLS = {"__pycache__", "output"}


def read(name: str) -> Any:
    """Return the content of a YAML file."""
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


class Line(NamedTuple):
    """One requirement of a list."""

    asked: str
    met: str
    shown: str


def lines() -> list[Line]:
    """Return the lines of all lists."""
    text = (ROOT / "docs/inclusion.md").read_text(encoding="utf-8")
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in text.splitlines() if row.startswith("| ")]
    return [Line(*row) for row in cells if row != ["Requirement", "Met", "Evidence"]]


def targets() -> set[str]:
    """Return the targets of make."""
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def is_there(named: str) -> bool:
    """Return whether a file, test or target exists."""
    if named.startswith("make "):
        return named[len("make ") :] in targets()
    path, _colons, test = named.partition("::")
    if test:
        return (ROOT / path).is_file() and re.search(
            rf"^def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE
        ) is not None
    return (ROOT / path).exists()


@pytest.mark.parametrize("line", lines(), ids=lambda line: line.asked)
def test_what_a_line_names_is_there(line: Line) -> None:
    words = {"build_ignore", "CORES"}
    named = set(re.findall(r"`([^`]+)`", line.shown)) - words
    assert line.met in ("yes", "partly", "no", "none") and line.shown
    assert named or line.met == "no"
    assert [name for name in sorted(named) if not is_there(name)] == []


@pytest.mark.parametrize("name", ["make nothing", "README.rst", "tests/unit/test_inclusion.py::test_of_nothing"])
def test_what_does_not_exist_is_noticed(name: str) -> None:
    assert not is_there(name)


def test_readme_has_what_the_lists_ask_for() -> None:
    headings = set(re.findall(r"^## (.+)$", README, re.MULTILINE))
    assert {
        "Requirements",
        "Installation",
        "Use cases",
        "Testing",
        "Support",
        "Release notes",
        "Contributing",
        "Licence",
    } <= headings
    for page in (README, (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        assert "https://docs.ansible.com/ansible/latest/community/code_of_conduct.html" in page
    assert not re.search(r"pip install ansible(-core)?\b", README)
    without_pictures = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", README)
    targets_of_links = re.findall(r"\]\(([^)]+)\)", without_pictures) + re.findall(
        r"^\[[^\]]+\]: (\S+)$", README, re.MULTILINE
    )
    assert [target for target in targets_of_links if not target.startswith(("https://", "#"))] == []


def test_links_of_the_readme_point_to_files() -> None:
    definitions = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", README, re.MULTILINE))
    used = set(re.findall(r"\]\[([^\]]+)\]", README))
    assert used == set(definitions)
    assert [
        url for url in definitions.values() if not url.startswith(BLOB) or not (ROOT / url[len(BLOB) :]).is_file()
    ] == []
    inline = [url for url in re.findall(r"\]\(([^)]+)\)", README) if url.startswith(BLOB)]
    assert inline and [url for url in inline if not (ROOT / url[len(BLOB) :]).is_file()] == []
    anchors = {
        re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))
        for heading in re.findall(r"^#+ (.+)$", README, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors


def test_modules_that_only_read_are_named_info() -> None:
    kinds = {
        path.stem: set(re.findall(r"ovenmediaengine\.attributes\.(\w+)", path.read_text(encoding="utf-8")))
        for path in MODULES
    }
    assert {
        name: kind
        for name, kind in kinds.items()
        if kind not in (({"info"}, {"local_info"}) if name.endswith("_info") else ({"changing"}, {"files"}))
    } == {}
    for kind in set().union(*kinds.values()):
        attributes = yaml.safe_load(getattr(ModuleDocFragment, kind.upper()))["attributes"]
        assert attributes["check_mode"]["support"] == "full", kind


def documentation(path: Path, name: str = "DOCUMENTATION") -> Any:
    """Return the documentation of a module."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [target.id for target in node.targets if isinstance(target, ast.Name)] == [
            name
        ]:
            return yaml.safe_load(ast.literal_eval(node.value))
    raise AssertionError(f"{path.name} has no {name}")


def test_no_module_returns_facts_or_is_asked_by_its_state() -> None:
    for path in MODULES:
        state = documentation(path).get("options", {}).get("state", {})
        assert set(state.get("choices", [])) <= {"present", "absent", "started", "stopped"}, path.name
        assert not (path.stem.endswith("_info") and state), path.name
        assert "ansible_facts" not in documentation(path, "RETURN"), path.name


def test_each_module_documents_its_first_version() -> None:
    releases = {tuple(map(int, release.split("."))) for release in read("changelogs/changelog.yaml")["releases"]}
    for path in MODULES:
        since = tuple(map(int, documentation(path)["version_added"].split(".")))
        assert since in releases or since > max(releases), path.name


def test_only_plugins_of_known_types() -> None:
    known = {loader.subdir.removesuffix("_plugins") for _name, loader in get_all_plugin_loaders()}
    folders = {path.name for path in (ROOT / "plugins").iterdir()} - MADE_BY_TOOLS
    assert folders - known == {"modules", "plugin_utils"}


def test_shared_code_is_private() -> None:
    names = [path.name for path in (ROOT / "plugins" / "plugin_utils").glob("*.py")]
    names += [path.name for path in (ROOT / "plugins" / "module_utils").iterdir() if path.name != "__pycache__"]
    assert names and [name for name in names if not name.startswith("_")] == []


def test_nothing_public_needs_other_directories() -> None:
    others = (
        {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
        - set(NEEDED)
        - MADE_BY_TOOLS
    )
    assert {"docs", "tests"} <= others
    way_out = re.compile(
        rf"\.\./(?:\.\./)*(?:{'|'.join(sorted(others))})\b|ansible_collections\.streamops\.ovenmediaengine\.(?:{'|'.join(sorted(others))})\b"
    )
    found = []
    for folder in NEEDED:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".yml", ".j2", ".html") and way_out.search(path.read_text(encoding="utf-8")):
                found.append(path.relative_to(ROOT).as_posix())
    assert found == []


def test_galaxy_finds_what_it_asks_for() -> None:
    galaxy = read("galaxy.yml")
    assert galaxy["dependencies"] == {} and galaxy["license"] == ["GPL-3.0-or-later"]
    assert [
        name
        for name in ("repository", "documentation", "homepage", "issues")
        if not galaxy[name].startswith("https://")
    ] == []


def test_the_changelog_has_this_version_or_what_comes() -> None:
    releases = read("changelogs/changelog.yaml")["releases"]
    assert read("galaxy.yml")["version"] in releases
    assert all(release["release_date"] and release["changes"] for release in releases.values())


def test_dependencies_have_no_upper_bounds() -> None:
    wanted = [
        line
        for line in (ROOT / "meta/ee-requirements.txt").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    assert (
        wanted
        and [line for line in wanted if not re.fullmatch(r"[a-z0-9-]+(>=[\d.]+)?", line) or line.startswith("ansible")]
        == []
    )


def test_nothing_is_ignored() -> None:
    assert [*ROOT.glob("tests/sanity/ignore*"), *ROOT.glob(".ansible-lint-ignore")] == []


def test_ansible_lint_leaves_nothing_out() -> None:
    settings = read(".ansible-lint")
    assert settings["profile"] == "production"
    assert "skip_list" not in settings
    assert [path for path in settings["exclude_paths"] if path.startswith((*NEEDED, "extensions"))] == []


def test_no_large_files() -> None:
    left_out = {".git", ".build", ".venv", ".venv-demo", ".hypothesis", *MADE_BY_TOOLS}
    folders = [
        path for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".") and path.name not in left_out
    ]
    files = [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and not MADE_BY_TOOLS & set(path.parts)
    ]
    assert [path.name for path in files if path.stat().st_size > 250_000] == []
    assert {path.suffix for path in files if b"\0" in path.read_bytes()} <= {".png"}
