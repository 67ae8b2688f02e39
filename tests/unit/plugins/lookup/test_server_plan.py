# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_plan."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.lookup.server_plan import LookupModule, server_plan

DIRECTORY = "/etc/ovenmediaengine"
UNIT = "/etc/systemd/system/ovenmediaengine.service"
FILES = {f"{DIRECTORY}/Server.xml": "s1", f"{DIRECTORY}/VHost_a.xml": "a1", UNIT: "u1"}
STARTED = {"version": "0.21.0", "image": "ome:v0.21.0", "files": FILES}
SINCE = "2026-11-23T02:13:52.640+00:00"
START = 1795400032.64


def _stat(files: dict[str, str], mtime: float = START + 60) -> list[dict[str, Any]]:
    return [{"path": path, "checksum": checksum, "mtime": mtime} for path, checksum in files.items()]


def _plan(files: dict[str, str], **more: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "started": STARTED,
        "running": True,
        "version": "0.21.0",
        "image": "ome:v0.21.0",
        "start_time": SINCE,
        **more,
    }
    return server_plan(current=options.pop("current", _stat(files)), **options)


def test_nothing_is_due_if_the_files_are_those_of_the_start() -> None:
    assert _plan(FILES) == {"start_due": False, "restart_due": False, "reasons": []}


@pytest.mark.parametrize(
    ("files", "reasons"),
    [
        ({**FILES, f"{DIRECTORY}/Server.xml": "s2"}, ["Server.xml has changed"]),
        ({**FILES, f"{DIRECTORY}/Logger.xml": "l1"}, ["Logger.xml is new"]),
        ({**FILES, UNIT: "u2"}, ["ovenmediaengine.service has changed"]),
        ({**FILES, f"{DIRECTORY}/VHost_a.xml": "a2"}, ["VHost_a.xml has changed"]),
        ({path: checksum for path, checksum in FILES.items() if "VHost" not in path}, ["VHost_a.xml was removed"]),
        ({**FILES, f"{DIRECTORY}/VHost_new.xml": "n1"}, []),
        ({**FILES, f"{DIRECTORY}/maps/a/live/push_map.xml": "m1"}, []),
    ],
)
def test_only_what_the_api_cannot_do_needs_a_restart(files: dict[str, str], reasons: list[str]) -> None:
    plan = _plan(files)
    assert plan["reasons"] == reasons
    assert plan["restart_due"] == bool(reasons)


def test_a_process_that_started_after_the_change_has_it() -> None:
    changed = {**FILES, f"{DIRECTORY}/Server.xml": "s2"}
    assert not _plan(changed, current=_stat(changed, START - 1))["restart_due"]
    assert _plan(changed, current=_stat(changed, START - 1), start_time="")["restart_due"]
    # A unit has no effect on the process that systemd or docker started again.
    assert _plan({}, current=_stat({**FILES, UNIT: "u2"}, START - 1))["reasons"] == [
        "ovenmediaengine.service has changed"
    ]


def test_a_process_that_started_by_itself_has_the_files_of_that_time() -> None:
    """The API made a virtual host, the server crashed and took it from its file, and then the file has changed."""
    made = f"{DIRECTORY}/VHost_made.xml"
    older, newer = _stat({**FILES, made: "m1"}, START - 1), _stat({**FILES, made: "m1"})
    now = {**FILES, made: "m2"}
    assert _plan(now, before=older)["reasons"] == ["VHost_made.xml has changed"]
    assert _plan(now, before=newer)["reasons"] == []
    assert _plan({**FILES, made: "m1"}, before=older)["reasons"] == []


def test_another_version_or_image_needs_a_restart() -> None:
    plan = _plan(FILES, version="0.21.1", image="ome@sha256:1")
    assert plan["reasons"] == [
        "the version is 0.21.1 instead of 0.21.0",
        "the image is ome@sha256:1 instead of ome:v0.21.0",
    ]


def test_check_mode_counts_what_would_change() -> None:
    changed = [
        {"path": f"{DIRECTORY}/Server.xml", "state": "changed"},
        {"path": f"{DIRECTORY}/VHost_a.xml", "state": "unchanged"},
        {"path": f"{DIRECTORY}/VHost_new.xml", "state": "created"},
        {"path": f"{DIRECTORY}/maps/a/live/push_map.xml", "state": "changed"},
    ]
    plan = _plan(FILES, changed=changed)
    assert plan["reasons"] == ["Server.xml has changed"]


def test_check_mode_calls_a_file_new_as_the_run_after_it_does() -> None:
    path = f"{DIRECTORY}/environment"
    checked = _plan(FILES, changed=[{"path": path, "state": "changed"}])
    run = _plan({**FILES, path: "e1"})
    assert checked["reasons"] == run["reasons"] == ["environment is new"]


def test_a_server_that_the_role_has_not_started_is_restarted() -> None:
    plan = _plan(FILES, started={})
    assert plan["restart_due"] and plan["reasons"] == ["the role has not started the running server"]


def test_a_server_that_does_not_run_is_started() -> None:
    plan = LookupModule().run([], started=STARTED, current=[], running="false", version="0.21.0", image="ome:v0.21.0")[
        0
    ]
    assert plan == {
        "start_due": True,
        "restart_due": False,
        "reasons": ["the server does not run"],
    }
