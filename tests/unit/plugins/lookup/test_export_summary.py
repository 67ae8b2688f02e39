# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookups export_summary and export_conflicts."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.lookup import export_conflicts, export_summary

EMPTY = {
    "counts": {"vhosts": 1, "applications": 2, "push_tasks": 3},
    "secrets": [],
    "left_out": [],
    "unmanaged_fields": {},
}
LINE = "virtual hosts: 1; applications: 2; push tasks: 3; secrets to fill in: "


def summary(predicted: bool = False, **exported: Any) -> dict[str, Any]:
    return export_summary.LookupModule().run([], exported={**EMPTY, **exported}, file="/a.yml", predicted=predicted)[0]


def conflicts(**paths: str | None) -> list[str]:
    return export_conflicts.LookupModule().run([], paths=paths)


def test_a_server_without_secrets() -> None:
    assert summary() == {
        "file": "/a.yml",
        "vhosts": 1,
        "applications": 2,
        "push_tasks": 3,
        "streams": 0,
        "scheduled_channels": 0,
        "multiplex_channels": 0,
        "records": 0,
        "secrets": [],
        "left_out": [],
        "unmanaged_fields": {},
        "line": f"{LINE}0; left out: nothing",
    }


def test_further_kinds_are_in_the_line_if_there_are_any() -> None:
    found = summary(counts={**EMPTY["counts"], "streams": 1, "multiplex_channels": 0, "records": 2})
    assert found["line"].startswith("virtual hosts: 1; applications: 2; push tasks: 3; streams: 1; recordings: 2; ")
    assert (found["streams"], found["scheduled_channels"], found["records"]) == (1, 0, 2)


def test_names_of_what_the_file_does_not_hold() -> None:
    found = summary(
        predicted=True,
        secrets=[{"name": "one", "where": "x"}, {"name": "two", "where": "y"}],
        left_out=[
            {"what": "virtual host default", "reason": "r", "text": "t"},
            {"what": "application default/app", "reason": "r", "text": "t"},
        ],
        unmanaged_fields={"a": ["x", "y"], "b": ["z"]},
    )
    assert found["secrets"] == ["one", "two"] and found["left_out"] == [
        "virtual host default",
        "application default/app",
    ]
    assert found["line"] == (
        f"Check mode, this would be written: {LINE}2; left out: virtual host default, application default/app; "
        "not known and not written: x, y of virtual host a, z of virtual host b"
    )


def test_long_lists_are_cut() -> None:
    line = summary(left_out=[{"what": "x" * 1000}], unmanaged_fields={"a": ["y" * 1000]})["line"]
    assert f"left out: {'x' * 797}...; not known and not written: {'y' * 797}..." in line


def test_hosts_with_files_of_their_own_have_no_conflict() -> None:
    assert conflicts() == conflicts(a="/a.yml", b="/b.yml", c=None, d=None) == []


def test_hosts_that_share_a_file_are_named() -> None:
    assert conflicts(a="/y.yml", b="/x.yml", c="/y.yml", d="/x.yml", e="/z.yml") == ["/x.yml: b, d", "/y.yml: a, c"]


def test_of_many_hosts_five_are_named() -> None:
    assert conflicts(**dict.fromkeys("abcdefg", "/x.yml")) == ["/x.yml: a, b, c, d, e and 2 more"]
