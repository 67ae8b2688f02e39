# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a restart of a server is due for."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host.server_memory import File
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_task import (
    Plan,
    plan,
    started_with,
)

DIRECTORY = "/etc/ovenmediaengine"
UNIT = "/etc/systemd/system/ovenmediaengine.service"
FILES = {f"{DIRECTORY}/Server.xml": "s1", f"{DIRECTORY}/VHost_a.xml": "a1", UNIT: "u1"}
STARTED = {"version": "0.21.0", "image": "ome:v0.21.0", "files": FILES}
SINCE = "2026-11-23T02:13:52.640+00:00"
START = 1795400032.64


def _found(files: dict[str, str], mtime: float = START + 60) -> list[File]:
    return [File(path, checksum, mtime) for path, checksum in files.items()]


def _plan(files: dict[str, str], **more: Any) -> Plan:
    options: dict[str, Any] = {
        "started": STARTED,
        "current": _found(files),
        "running": True,
        "version": "0.21.0",
        "image": "ome:v0.21.0",
        "start_time": SINCE,
        "predicted": {},
        **more,
    }
    return plan(**options)


def test_nothing_is_due_if_the_files_are_those_of_the_start() -> None:
    assert _plan(FILES) == Plan(reasons=[])


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
    assert _plan(files) == Plan(restart=bool(reasons), reasons=reasons)


def test_a_process_that_started_after_the_change_has_it() -> None:
    changed = {**FILES, f"{DIRECTORY}/Server.xml": "s2"}
    assert not _plan(changed, current=_found(changed, START - 1)).restart
    assert _plan(changed, current=_found(changed, START - 1), start_time="").restart
    # A unit has no effect on the process that systemd or docker started again.
    assert _plan({}, current=_found({**FILES, UNIT: "u2"}, START - 1)).because == "ovenmediaengine.service has changed"


def test_a_process_that_started_by_itself_has_the_files_of_that_time() -> None:
    """The API made a virtual host, the server crashed and took it from its file, and then the file has changed."""
    made = f"{DIRECTORY}/VHost_made.xml"

    def reasons(now: str, mtime: float) -> str:
        files = started_with(STARTED, _found({**FILES, made: "m1"}, mtime), SINCE)
        return _plan({**FILES, made: now}, started={**STARTED, "files": files}).because

    assert reasons("m2", START - 1) == "VHost_made.xml has changed"
    assert reasons("m2", START + 60) == ""
    assert reasons("m1", START - 1) == ""


def test_another_version_or_image_needs_a_restart() -> None:
    assert _plan(FILES, version="0.21.1", image="ome@sha256:1").reasons == [
        "the version is 0.21.1 instead of 0.21.0",
        "the image is ome@sha256:1 instead of ome:v0.21.0",
    ]


def test_check_mode_counts_what_would_change() -> None:
    predicted = {
        f"{DIRECTORY}/Server.xml": "changed",
        f"{DIRECTORY}/VHost_new.xml": "created",
        f"{DIRECTORY}/maps/a/live/push_map.xml": "changed",
    }
    assert _plan(FILES, predicted=predicted).because == "Server.xml has changed"


def test_check_mode_calls_a_file_new_as_the_run_after_it_does() -> None:
    path = f"{DIRECTORY}/environment"
    checked = _plan(FILES, predicted={path: "changed"})
    run = _plan({**FILES, path: "e1"})
    assert checked.reasons == run.reasons == ["environment is new"]


def test_a_server_that_was_started_by_others_is_restarted() -> None:
    assert _plan(FILES, started={}) == Plan(restart=True, reasons=["the role has not started the running server"])


def test_a_server_that_does_not_run_is_started() -> None:
    assert _plan(FILES, running=False) == Plan(start=True, reasons=["the server does not run"])
