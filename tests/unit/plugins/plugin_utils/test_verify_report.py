# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of a verification in the report of an audit."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.rows import Row
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_junit import audit_junit
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_page import Page
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import audit_report
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._verify_report import as_audited

TIME = "2026-01-31T03:00:00Z"
SIGNAL = Row("t-a", "live", "a.example.com", "rtmp", "streamops-test-5f1c9a02")
VIEWER = Row("t-a", "live", "a.example.com", "rtmp", "streamops-test-5f1c9a02_low", "llhls", True)
PUSH = Row("t-a", "live", stream="main", protocol_out="push", id="t-1")
RECORD = Row("t-a", "live", stream="main", protocol_out="record", id="t-2")
ERROR = OmeError("test_stream", "publish", detail="POST /live/streamops-test-5f1c9a02 answered 404.")


def report(*rows: Row) -> dict[str, Any]:
    """Return the report of one server."""
    result = {"changed": False, "rows": [row.as_result() for row in rows], "line": ""}
    return audit_report({"media-1": as_audited(result)}, TIME)


def test_what_fails_is_a_finding() -> None:
    made = report(SIGNAL.failed(ERROR, "not_found"), PUSH.failed(ERROR, "bytes"), RECORD.failed(ERROR, "bytes"))
    [server] = made["servers"]
    assert (server["status"], server["reachable"], made["counts"]["error"]) == ("error", True, 3)
    places = [(one["push_task"], one["record"], one["field"], one["found"]) for one in server["findings"]]
    assert places == [("", "", "rtmp", "not_found"), ("t-1", "", "push", "bytes"), ("", "t-2", "record", "bytes")]
    assert {one["kind"] for one in server["findings"]} == {"does_not_play"}
    assert "/live/streamops-test answered 404." in server["findings"][0]["message"]
    assert [row["changes"] for row in Page(made).findings] == [[]] * len(Page(made).findings)


def test_what_plays_is_a_test_case() -> None:
    made = report(SIGNAL.passed(), VIEWER.passed(latency=0.1), PUSH.not_tried("It does not run."))
    assert made["status"] == "ok"
    assert [one["stream"] for one in made["servers"][0]["playbacks"]][:2] == ["streamops-test", "streamops-test_low"]
    suite = ElementTree.fromstring(audit_junit(made)).find("testsuite")
    assert suite is not None and (suite.get("tests"), suite.get("skipped")) == ("4", "1")
    assert [case.get("name") for case in suite.iter("testcase")] == [
        "server",
        "t-a/live a.example.com rtmp streamops-test",
        "t-a/live a.example.com rtmp llhls signed streamops-test_low",
        "t-a/live push t-1 main",
    ]
    details = [row["details"] for row in Page(made).playbacks]
    assert details == ["It does not run", "a.example.com", "a.example.com. latency 0.10 s"]


def test_a_result_without_rows_stays() -> None:
    assert as_audited({"msg": "failed"}) == {"msg": "failed"}
    [server] = audit_report({"media-1": as_audited({"msg": "failed"})}, TIME)["servers"]
    assert [one["kind"] for one in server["findings"]] == ["audit_failed"]
