# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make hosts` on machines that cannot boot a host: it says why, and what would make it possible."""

from __future__ import annotations

import os
import pathlib

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import programs
from ansible_collections.streamops.ovenmediaengine.tests.hosts import guest


@pytest.fixture(autouse=True)
def _able(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(programs, "find", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(guest, "CGROUPS", tmp_path)
    (tmp_path / "unified").mkdir()
    (tmp_path / "unified/cgroup.procs").touch()


def test_a_machine_with_all_of_it_can() -> None:
    assert guest.available() == ""


def test_who_is_not_root_learns_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert guest.available() == "only root can boot a guest: run the command with sudo"


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "find", lambda name: None if name in ("debootstrap", "systemd-nspawn") else name)
    assert guest.available() == "programs are missing: apt-get install debootstrap systemd-container"


def test_a_machine_without_systemd_needs_a_tree_of_cgroups(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setattr(guest, "CGROUPS", tmp_path / "missing")
    monkeypatch.setattr(guest, "SYSTEMD", tmp_path / "missing")
    assert guest.available().startswith("this machine has neither systemd nor a tree of cgroups")
