# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The result of a verification as that of an audit, so that one report can have both."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import ERROR, Finding
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.places import TEST_STREAM
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.rows import FAILS, PUSH, RECORD

Result = t.Mapping[str, t.Any]
_TEST_STREAM = re.compile(f"{TEST_STREAM}[0-9a-f]{{8}}")
_NOT_SHOWN = ("error",)
_JOBS = {PUSH: "push_task", RECORD: "record"}


def as_audited(result: Result) -> Result:
    """Return the result of the module verify as the module audit_info would return it; any other as it is."""
    rows = result.get("rows")
    if not isinstance(rows, (list, tuple)):
        return result
    shown = [{key: _steady(value) for key, value in row.items() if key not in _NOT_SHOWN} for row in rows]
    findings = [_finding(row)._asdict() for row in shown if row["verdict"] == FAILS]
    return {"reachable": True, "findings": findings, "playbacks": shown}


def _steady(value: t.Any) -> t.Any:
    """Return a value without the random part of names of test streams, so that the same state gives the same report."""
    return _TEST_STREAM.sub(TEST_STREAM.rstrip("-"), value) if isinstance(value, str) else value


def _finding(row: Result) -> Finding:
    """Return the finding about something that does not play."""
    place = {"vhost": row["vhost"], "application": row["app"], "field": row["protocol_out"] or row["protocol_in"] or ""}
    if row["id"] is not None:
        place[_JOBS[row["protocol_out"]]] = row["id"]
    return Finding(ERROR, "does_not_play", row["msg"], **place, found=row["stage"])
