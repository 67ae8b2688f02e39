# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documentation names the releases of the server with which the collection is tested, and the newest one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import NEWEST, TESTED, show
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED, RECORDED_MEDIA, RELEASES, versions

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ", ".join(map(show, TESTED[:-1]))
# Options of tasks, examples of options, and the line of the role server.
EXAMPLE = re.compile(
    r"(?:(?:^|[ {])(?:server_)?version[:=] ?|such as V\(|such as `*|\bserver (?=\S+: files))(\d+\.\d+\.\d+)(?![.\d])"
)


def test_the_tested_releases_are_those_that_were_recorded() -> None:
    wire = ROOT / "tests/wire"
    assert tuple(map(show, reversed(TESTED))) == RECORDED and show(NEWEST) == versions.NEWEST
    assert {path.stem for path in wire.glob("*.json")} == set(RECORDED)
    assert {path.stem for path in wire.glob("media/*.json")} == set(RECORDED_MEDIA)
    assert {path.stem for path in wire.glob("keys/*.json")} == set(RELEASES)


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("README.md", f"- OvenMediaEngine {OTHERS} or {show(NEWEST)}; these were tested."),
        ("galaxy.yml", f"(tested with {OTHERS} and {show(NEWEST)})"),
        ("docs/docsite/rst/guide_server_versions.rst", f"supports OvenMediaEngine {OTHERS} and {show(NEWEST)}."),
        ("docs/docsite/rst/guide_server_versions.rst", f"A version newer than {show(NEWEST)} gets the newest known"),
        ("docs/docsite/rst/guide_server_versions.rst", f"returns the names of {show(NEWEST)} for every version."),
        ("docs/docsite/rst/guide_live.rst", f"These are the names of server version {show(NEWEST)} for every server"),
        ("plugins/modules/server_info.py", f"The names are those of server version {show(NEWEST)}."),
        ("extensions/molecule/container/molecule.yml", f"docker.io/airensoft/ovenmediaengine:v{show(NEWEST)}"),
        ("docs/api-coverage.md", f"{show(NEWEST)} is the newest;"),
        (
            "docs/decisions/simulated-server.md",
            f"OvenMediaEngine {show(NEWEST)} (the default), {', '.join(RELEASES[1:-1])}",
        ),
    ],
)
def test_a_statement_about_the_releases_is_true(document: str, text: str) -> None:
    assert text in (ROOT / document).read_text(encoding="utf-8")


def examples(*patterns: str) -> dict[str, str]:
    """Return the releases that examples of documents are for, by place."""
    return {
        f"{path.relative_to(ROOT)}, line {number}": release
        for pattern in patterns
        for path in sorted(ROOT.glob(pattern))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for release in EXAMPLE.findall(line)
    }


@pytest.mark.parametrize(
    ("patterns", "others"),
    [
        (("demo/server.yml", "plugins/modules/*.py", "roles/*/**/*.*", "docs/docsite/rst/*.rst"), set()),
        # Upgrades begin with an older release.
        (("tests/integration/targets/**/*.yml", "extensions/molecule/**/*.yml"), {RECORDED_MEDIA[-1]}),
    ],
    ids=["documentation", "targets"],
)
def test_examples_are_for_the_newest_release(patterns: tuple[str, ...], others: set[str]) -> None:
    found = examples(*patterns)
    assert show(NEWEST) in found.values()
    assert {place: release for place, release in found.items() if release not in {show(NEWEST), *others}} == {}
