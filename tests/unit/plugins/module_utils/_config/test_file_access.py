# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mode, owner and group of files with secrets: others cannot read them, and the server still can."""

from __future__ import annotations

import os
import pwd
import stat
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import atomic_files
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.atomic_files import (
    Access,
    Tightened,
)

ROOT, OME, ALICE, CONTAINER = 0, 990, 1000, 4242
GROUPS = {ROOT: 0, OME: 991, ALICE: 100}
"""The primary group of each user; that of a container is not known."""


@pytest.fixture(autouse=True)
def users(monkeypatch: pytest.MonkeyPatch) -> None:
    def getpwuid(uid: int) -> Any:
        return SimpleNamespace(pw_gid=GROUPS[uid])

    monkeypatch.setattr(pwd, "getpwuid", getpwuid)
    monkeypatch.setattr(os, "geteuid", lambda: ROOT)


def status(mode: int, uid: int = ROOT, gid: int = ROOT) -> os.stat_result:
    return os.stat_result((stat.S_IFREG | mode, 1, 1, 1, uid, gid, 0, 0, 0, 0))


@pytest.mark.parametrize(
    ("before", "uid", "gid", "after"),
    [
        (0o600, ROOT, 0, 0o600),
        (0o644, ROOT, 0, 0o600),
        (0o666, ROOT, 0, 0o600),
        (0o664, OME, 991, 0o600),
        (0o604, OME, 991, 0o600),
        (0o644, ALICE, 100, 0o600),
        (0o644, CONTAINER, CONTAINER, 0o600),
        (0o644, CONTAINER, 991, 0o640),
        # The server is a member of the group.
        (0o640, ROOT, 991, 0o640),
        (0o644, ROOT, 991, 0o640),
        (0o666, ROOT, 991, 0o640),
        (0o660, ROOT, 991, 0o640),
        # Only its group could read it, so that somebody wanted that.
        (0o640, OME, 991, 0o640),
        (0o660, OME, 991, 0o640),
        (0o602, OME, 991, 0o600),
        (0o440, ROOT, 0, 0o440),
    ],
)
def test_others_lose_all_access_to_secrets(before: int, uid: int, gid: int, after: int) -> None:
    file, directory = status(before, uid, gid), status(0o755, ROOT, 0)
    assert atomic_files.access(file, directory, private=True) == Access(after, uid, gid)
    assert atomic_files.access(file, directory, private=False) == Access(before, uid, gid)
    assert atomic_files.tightened(file, private=False) is None
    expected = None if before == after else Tightened(before, after)
    assert atomic_files.tightened(file, private=True) == expected


@pytest.mark.parametrize(
    ("file", "directory", "after"),
    [
        # The server, which runs as the owner of the directory, was one of the others.
        (status(0o644), status(0o755, OME, 991), Access(0o600, OME, 991)),
        (status(0o644, ROOT, 991), status(0o755, OME, 991), Access(0o640, ROOT, 991)),
        (status(0o600), status(0o755, OME, 991), Access(0o600, ROOT, ROOT)),
        (status(0o644, ALICE, 100), status(0o755, OME, 991), Access(0o600, ALICE, 100)),
        (status(0o644, OME, 991), status(0o755), Access(0o600, OME, 991)),
    ],
)
def test_a_file_of_root_that_the_server_could_read_as_one_of_others_gets_its_owner(
    file: os.stat_result, directory: os.stat_result, after: Access
) -> None:
    assert atomic_files.access(file, directory, private=True) == after


def test_only_root_gives_files_away(monkeypatch: pytest.MonkeyPatch) -> None:
    directory = status(0o755, OME, 991)
    assert atomic_files.access(None, directory, private=False) == Access(0o600, OME, 991)
    monkeypatch.setattr(os, "geteuid", lambda: ALICE)
    assert atomic_files.access(None, directory, private=True) == Access(0o600)
    assert atomic_files.access(status(0o644), directory, private=True) == Access(0o600, ROOT, ROOT)


def test_the_warning_says_what_the_server_needs() -> None:
    assert Tightened(0o644, 0o600).warning("/conf/Server.xml", check_mode=False) == (
        "The mode of /conf/Server.xml is now 0600 (was 0644), because it has secrets. The server must run as its owner "
        "to read it."
    )
    predicted = Tightened(0o666, 0o640).warning("/conf/Server.xml", check_mode=True)
    assert "would be 0640 (was 0666)" in predicted and "as its owner or a member of its group" in predicted
