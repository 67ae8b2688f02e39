# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup certificate_changes."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.lookup.certificate_changes import (
    LookupModule,
    certificate_changes,
)

NOW = datetime.datetime(2026, 3, 1, 12, 30, 45, 123456, tzinfo=datetime.timezone.utc)
TIME = "20260301T123045123456Z"


def new(path: str, checksum: str = "new", mode: str = "0644") -> dict[str, Any]:
    return {"path": path, "checksum": checksum, "mode": mode, "destination": path}


def current(path: str, checksum: str = "old", mode: str = "0644", **more: Any) -> dict[str, Any]:
    return {"path": path, "checksum": checksum, "mode": mode, "uid": 1, "gid": 2, "islnk": False, **more}


def entry(files: list[dict[str, Any]]) -> dict[str, Any]:
    served = [{"certificate": {"fingerprint": "12"}}, {"certificate": None}]
    return {"files": files, "certificate_path": files[0]["path"], "served": served}


def changes(files: list[dict[str, Any]], found: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    defaults = {"targets": [], "replaced": {}, "restore_owner": False, "set_owner": False, "backups": 3, "now": NOW}
    return certificate_changes(entry(files), found, **{**defaults, **more})


def test_a_file_that_differs() -> None:
    found = changes([new("/etc/./cert.pem")], [current("/etc/cert.pem")])
    assert found["files"][0] == {
        **new("/etc/./cert.pem"),
        "exists": True,
        "differs": True,
        "due": True,
        "was": {"mode": "0644", "owner": "", "group": ""},
        "backup": f"/etc/./cert.pem.{TIME}~",
    }
    assert found["differ"] is found["had_certificate"] is True
    assert found["shared_with"] == found["surplus_backups"] == [] and found["served"] == ["12"]


def test_a_file_that_does_not_exist() -> None:
    found = changes([new("/cert.pem")], [current("/other.pem", "new")])
    assert (found["files"][0]["exists"], found["files"][0]["differs"], found["files"][0]["due"]) == (False, True, True)
    assert found["files"][0]["was"] == {"mode": "", "owner": "", "group": ""} and found["had_certificate"] is False


@pytest.mark.parametrize(
    ("mode", "set_owner", "due"), [("0644", False, False), ("0600", False, True), ("0644", True, True)]
)
def test_mode_and_owner_are_due_without_another_content(mode: str, set_owner: bool, due: bool) -> None:
    found = changes([new("/cert.pem")], [current("/cert.pem", "new", mode)], set_owner=set_owner)
    assert found["differ"] is False and found["files"][0]["differs"] is False and found["files"][0]["due"] is due


def test_owner_and_group_are_kept_for_root() -> None:
    assert changes([new("/cert.pem")], [current("/cert.pem")], restore_owner=True)["files"][0]["was"] == {
        "mode": "0644",
        "owner": "1",
        "group": "2",
    }


def test_a_link_is_compared_by_its_target() -> None:
    link = current("/cert.pem", "of the link", islnk=True)
    target = {"stat": current("/cert.pem", "new"), "item": link}
    assert changes([new("/cert.pem")], [link], targets=[target])["differ"] is False
    assert changes([new("/cert.pem")], [link], targets=[{"stat": {"exists": False}}])["files"][0]["exists"] is False


def test_virtual_hosts_with_a_file_of_this_run_are_named_once() -> None:
    replaced = {"/a": "one", "/b": "one", "/c": "two", "/d": "three"}
    assert changes([new("/a"), new("/b"), new("/c")], [], replaced=replaced)["shared_with"] == ["one", "two"]


def test_the_newest_backups_of_each_file_remain() -> None:
    old = [f"/cert.pem.2025010{day}T000000000000Z~" for day in (3, 1, 2)]
    found = [
        current("/cert.pem"),
        current("/key.pem", "new"),
        *map(current, old),
        current("/key.pem.20250101T000000000000Z~"),
        current("/cert.pem.txt~"),
    ]
    files = [new("/cert.pem"), new("/key.pem")]
    assert changes(files, found, backups=2)["surplus_backups"] == [old[1], old[2]]
    assert changes(files, found, backups=9)["surplus_backups"] == []
    assert changes(files, found, backups=0)["surplus_backups"] == [
        *sorted(old),
        f"/cert.pem.{TIME}~",
        "/key.pem.20250101T000000000000Z~",
    ]


def test_backups_stay_if_nothing_differs() -> None:
    found = [current("/cert.pem", "new"), current("/cert.pem.20250101T000000000000Z~")]
    assert changes([new("/cert.pem")], found, backups=0)["surplus_backups"] == []


def test_the_plugin_takes_what_ansible_makes_of_variables() -> None:
    found = LookupModule().run(
        [],
        entry=entry([new("/cert.pem")]),
        found=[current("/cert.pem")],
        targets=[],
        replaced={},
        restore_owner="yes",
        set_owner="no",
        backups="3",
    )
    assert found[0]["files"][0]["was"]["owner"] == "1"
    assert found[0]["files"][0]["backup"].startswith("/cert.pem.2") and found[0]["files"][0]["backup"].endswith("Z~")
