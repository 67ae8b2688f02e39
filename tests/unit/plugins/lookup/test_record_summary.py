# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup record_summary."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.lookup.record_summary import LookupModule

STREAM = "default/app/main"
RECORD = {"id": "main-recording"}
MACROS = "/shows/main_${StartTime:YYYYMMDDhhmmss}.mp4"
RECORDED = {
    "state": "recording",
    "output_file_path": "/shows/main_20261123200000.mp4",
    "total_record_bytes": 87811,
    "total_record_time": 3_726_900,
}


def summary(result: dict[str, Any], *status: dict[str, Any], **more: Any) -> dict[str, Any]:
    options = {"stream": STREAM, "record": RECORD, "result": result, "status": list(status), **more}
    made: dict[str, Any] = LookupModule().run([], **options)[0]
    return made


def test_a_start() -> None:
    result = {"action": "started", "state": "ready", "record": {"file_path": MACROS}}
    assert summary(result) == {
        "failed": False,
        "stream": STREAM,
        "id": "main-recording",
        "action": "started",
        "state": "ready",
        "file_path": MACROS,
        "files": 0,
        "bytes": 0,
        "seconds": 0,
        "line": f"stream {STREAM}: main-recording started (ready), file {MACROS}",
    }
    assert summary(result, RECORDED)["file_path"] == RECORDED["output_file_path"]


def test_a_stop() -> None:
    found = summary({"action": "stopped", "state": "stopped", "record": {"file_path": MACROS}}, RECORDED)
    assert (found["files"], found["bytes"], found["seconds"]) == (1, 87811, 3726.9)
    assert found["line"] == (
        f"stream {STREAM}: main-recording stopped, file /shows/main_20261123200000.mp4, 87811 bytes, 1:02:06"
    )


def test_a_stop_of_several_files() -> None:
    found = summary({"action": "stopped", "record": None}, {**RECORDED, "sequence": 2}, check_mode=True)
    assert found["files"] == 3
    assert found["line"] == (
        f"Check mode, this would be done: stream {STREAM}: main-recording stopped, 3 files, "
        "the last one /shows/main_20261123200000.mp4, 87811 bytes, 1:02:06"
    )
    # Its stream has ended, and its files are complete.
    assert summary({"action": "stopped"}, {**RECORDED, "state": "stopped", "sequence": 2})["files"] == 2


def test_a_stop_before_anything_was_recorded() -> None:
    found = summary({"action": "stopped", "record": {"file_path": MACROS}}, {"state": "ready"})
    assert found["line"].endswith("main-recording stopped, nothing was recorded") and found["file_path"] == ""


def test_a_stop_of_what_does_not_exist() -> None:
    found = summary({"action": "unchanged", "record": None})
    assert found["line"].endswith(": main-recording unchanged") and not found["failed"]


def test_a_task_that_failed_or_was_not_reached() -> None:
    assert summary({}, record={})["line"].endswith(": not reached")
    assert summary({})["failed"] and summary({"failed": True})["failed"]
    assert summary({"failed": True, "msg": "No."})["line"].endswith(": failed")
    failed = summary({"failed": True, "action": "failed", "record": None})
    assert failed["line"].endswith(": main-recording failed") and failed["failed"]
