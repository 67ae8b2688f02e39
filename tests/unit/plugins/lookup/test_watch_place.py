# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup watch_place."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.lookup.watch_place import LookupModule

OWN = {"exists": True, "isdir": True, "pw_name": "root", "uid": 0, "mode": "0700"}
SETTINGS = '{\n  "name": "media-1",\n  "api_token": "canary"\n}\n'
SERVICE = "[Unit]\nDescription=Restore OvenMediaEngine on media-1 after a restart\n"
TIMER = "[Unit]\nDescription=Watch OvenMediaEngine on media-1\n"


def place(*names: str, texts: tuple[str | None, ...] = (None, None, None), **options: Any) -> dict[str, Any]:
    """Return what belongs to the watcher of media-1, in a directory with these files."""
    directory = options.setdefault("directory", "/srv/w")
    given = {
        "stats": [OWN],
        "files": [{"path": f"{directory}/{name}", "pw_name": "root", "uid": 0} for name in names],
        "unit": "w-1",
        "unit_directory": "/etc/systemd/system",
        "user": "root",
        "texts": [{} if text is None else {"content": base64.b64encode(text.encode()).decode()} for text in texts],
    }
    found: dict[str, Any] = LookupModule().run(["media-1"], **{**given, **options})[0]
    assert "canary" not in str(found)
    return found


def problem(*names: str, **options: Any) -> str:
    (text,) = place(*names, **options)["problems"]
    assert len(text) < 400
    return str(text)


def test_only_own_files_and_a_directory_without_others_can_be_removed() -> None:
    texts = (SETTINGS, SERVICE, TIMER)
    alone = place("watch.json", "state.json", "lock", "watch.py", texts=texts, present=False)
    assert alone["files"] == [f"/srv/w/{name}" for name in ("watch.py", "state.json", "lock", "watch.json")]
    assert alone["removable"] and alone["problems"] == []
    shared = place("watch.json", "notes.txt", texts=texts, present=False)
    assert shared["files"] == ["/srv/w/watch.json"] and not shared["removable"]


def test_a_directory_that_no_watcher_uses_is_left_alone() -> None:
    found = place("inventory.yml", present=False)
    assert (found["files"], found["removable"], found["own"], found["problems"]) == ([], False, False, [])


@pytest.mark.parametrize("directory", ["/", "//", "/opt", "/opt/", "/var/lib/../../etc", "/home/ome", "/tmp", "/root"])
def test_a_directory_of_the_system_is_refused(directory: str) -> None:
    for present in (True, False):
        assert problem(directory=directory, present=present) == (
            f"watch_dir {directory} is a directory of the system. Choose one for the watcher alone, such as "
            "/var/lib/w-1."
        )
    linked = [{**OWN, "islnk": True, "lnk_source": directory}, OWN]
    assert "is a directory of the system" in problem(stats=linked)


def test_a_watcher_of_2_0_0_in_a_directory_of_the_system_can_be_removed() -> None:
    found = place("watch.json", "containerd", directory="/opt", texts=(SETTINGS, SERVICE, TIMER), present=False)
    assert found["problems"] == [] and found["files"] == ["/opt/watch.json"] and not found["removable"]
    assert not place("watch.json", directory="/opt", texts=(SETTINGS, None, None), present=False)["removable"]


@pytest.mark.parametrize("present", [True, False])
def test_what_belongs_to_another_watcher_is_left_alone(present: bool) -> None:
    other = (SETTINGS.replace("media-1", "media-2"), None, None)
    if present:
        assert "watch_dir /srv/w belongs to the watcher of media-2." in problem("watch.json", texts=other)
    else:
        found = place("watch.json", texts=other, present=False)
        assert (found["problems"], found["files"], found["removable"]) == ([], [], False)
    damaged = ("{", None, None)
    assert "belongs to the watcher of another server" in problem("watch.json", texts=damaged, present=present)
    units = (None, SERVICE.replace("media-1", "media-2"), TIMER.replace("media-1", "media-2"))
    assert "The unit w-1 in /etc/systemd/system belongs to the watcher of media-2." in problem(
        texts=units, present=present
    )
    foreign = (None, "[Unit]\nDescription=nginx\n", None)
    assert "was not written by this role" in problem(texts=foreign, present=present)


@pytest.mark.parametrize(
    ("stat", "words"),
    [
        ({"isdir": False}, "is not a directory"),
        ({"woth": True, "mode": "0777"}, "Others than its owner can write to watch_dir /srv/w (mode 0777)"),
        ({"wgrp": True, "mode": "0770"}, "Others than its owner can write to watch_dir /srv/w (mode 0770)"),
        ({"pw_name": "ome", "uid": 9}, "belongs to ome and not to root (watch_user)"),
    ],
)
def test_a_directory_of_somebody_else_is_not_changed(stat: dict[str, Any], words: str) -> None:
    assert words in problem(stats=[{**OWN, **stat}])


def test_files_of_somebody_else_are_not_replaced() -> None:
    assert "has files that this role did not write: inventory.yml, lock." in problem("inventory.yml", "lock", "other")
    own = (SETTINGS, SERVICE, TIMER)
    assert "is a file of the watcher" in problem("watch.json", texts=own, inventory="/srv/w/./inventory.yml")


def test_another_user_gets_the_files() -> None:
    found = place("watch.json", "state.json", texts=(SETTINGS, SERVICE, TIMER), user="ome")
    assert found["problems"] == [] and found["of_others"] == ["/srv/w/state.json", "/srv/w/watch.json"]
    assert place("watch.json", texts=(SETTINGS, SERVICE, TIMER), user="0")["of_others"] == []
