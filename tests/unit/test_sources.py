# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every source that code and documents cite can be opened: "PAGE: SECTION" cites a heading of docs/PAGE.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("server-facts", "api-contract")
CITING = ("plugins", "roles", "playbooks", "tests", "docs", "demo", "benchmarks", "tools")


def headings(page: str) -> set[str]:
    """Return the headings of a page of docs."""
    return set(re.findall(r"^#{2,} (.+)$", (ROOT / f"docs/{page}.md").read_text(encoding="utf-8"), re.MULTILINE))


def citations(page: str) -> dict[str, str]:
    """Return the text that follows each citation of a page, by its place."""
    found = {}
    paths = [
        path
        for folder in CITING
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".yml", ".md", ".rst", ".patch")
    ]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(rf"(?<![\w/]){page}:\s+(?!SECTION)", text):
            # A citation can continue on the next line, in a comment too.
            place = f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}"
            found[place] = " ".join(text[match.end() :][:200].replace("#", " ").split())
    return found


@pytest.mark.parametrize("page", ["server-facts", "api-contract"])
def test_every_cited_section_exists(page: str) -> None:
    cited, sections = citations(page), tuple(headings(page))
    assert cited and {place: text for place, text in cited.items() if not text.startswith(sections)} == {}


def test_every_document_that_code_names_is_in_the_repository() -> None:
    there = {
        path.name
        for folder in (ROOT, ROOT / "docs", ROOT / "docs/decisions", ROOT / "tests/wire")
        for path in folder.glob("*.md")
    }
    named = {}
    for folder in ("plugins", "tests/simulator"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for name in re.findall(r"(?<![\w.-])([\w-]+\.md)\b", path.read_text(encoding="utf-8")):
                named[f"{path.relative_to(ROOT)}: {name}"] = name
    assert named and {place for place, name in named.items() if name not in there} == set()
