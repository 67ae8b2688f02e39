# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks of the guides of 1.0.0 run unchanged, and do what they did."""

from __future__ import annotations

import pathlib

import pytest

from .documents_of_1_0 import DATA, NOT_RUN, document, documents
from .page_of_1_0 import differences, page
from .playbooks_of_1_0 import PAGE, recorded, run

NAMES = sorted(path.stem for path in DATA.glob("*.yml"))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_playbooks_do_what_is_recorded(name: str, tmp_path: pathlib.Path) -> None:
    assert run(document(name), tmp_path) == recorded()["current"][name], (tmp_path / "output.txt").read_text(
        encoding="utf-8"
    )


def test_each_difference_has_a_reason() -> None:
    results = recorded()
    assert differences(documents(), results) == []
    assert results["reference"].keys() == results["current"].keys() == set(NAMES)
    for name in NAMES:
        before, after = results["reference"][name], results["current"][name]
        assert before["outcomes"].keys() == after["outcomes"].keys() and before["servers"] == after["servers"], name


def test_each_block_is_run_or_has_a_reason() -> None:
    for of in documents():
        run_here = recorded()["current"][of.name]["outcomes"]
        missing = [
            block.line
            for block in of.blocks
            if not block.file and str(block.line) not in run_here and (of.name, block.line) not in NOT_RUN
        ]
        assert missing == [], of.name


def test_the_page_has_the_recorded_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(documents(), recorded())
