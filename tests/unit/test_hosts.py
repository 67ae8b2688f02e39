# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make hosts` on machines that cannot boot a host: it says why, and what would make it possible."""

from __future__ import annotations

import os
import pathlib

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import programs
from ansible_collections.streamops.ovenmediaengine.tests.hosts import guest, table


@pytest.fixture(autouse=True)
def _able(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(programs, "find", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(guest, "CGROUPS", tmp_path)
    (tmp_path / "unified").mkdir()
    (tmp_path / "unified/cgroup.procs").touch()


def test_a_machine_with_all_of_it_can() -> None:
    assert guest.unusable() == ""


def test_who_is_not_root_learns_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert guest.unusable() == "only root can boot a guest: sudo make hosts"


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "find", lambda name: None if name in ("debootstrap", "systemd-nspawn") else name)
    assert guest.unusable() == "programs are missing: apt-get install debootstrap systemd-container"


def test_a_machine_without_systemd_needs_a_tree_of_cgroups(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setattr(guest, "CGROUPS", tmp_path / "missing")
    monkeypatch.setattr(guest, "SYSTEMD", tmp_path / "missing")
    assert guest.unusable().startswith("this machine has neither systemd nor a tree of cgroups")


def test_the_table_has_the_worst_of_each_scenario() -> None:
    results = table.Results(["quadlet", "systemd"])
    tests = "tests/hosts/test_server.py::TestLife::test_"
    for test, seconds, outcome in [
        (f"{tests}first_install[quadlet]", 1.4, "passed"),
        (f"{tests}first_install[quadlet]", 12, "passed"),
        (f"{tests}first_install[systemd]", 8, "failed"),
        (f"{tests}first_install[systemd]", 1, "passed"),
        (f"{tests}a_server_that_ends[quadlet-11]", 7, "passed"),
        (f"{tests}a_server_that_ends[systemd-11]", 0, "skipped"),
        ("tests/hosts/test_watch.py::test_two_servers", 30, "passed"),
    ]:
        results.add(test, seconds, outcome)
    assert results.lines() == [
        "| scenario | quadlet | systemd | any |",
        "|---|--:|--:|--:|",
        "| server: first install | 13 s | failed | - |",
        "| server: a server that ends 11 | 7 s | skipped | - |",
        "| watch: two servers | - | - | 30 s |",
    ]
