# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The line that says what was done to a server."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_start import summary

REASONS = ["Server.xml has changed"]
RESTARTED = {"action": "restarted", "reasons": REASONS}
DUE = {"restart_required": True, "reasons": REASONS}
AUDITED = {"counts": {"error": 0, "drift": 2, "warning": 1, "info": 0}, "findings": [{"kind": "differs"}]}


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ({}, "0; no restart needed"),
        (
            {**RESTARTED, "files": 1, "installed_version": "0.18.0"},
            "1; restarted (Server.xml has changed); version 0.18.0 before",
        ),
        (DUE, "0; a restart is due (Server.xml has changed)"),
        (
            {**RESTARTED, "missing_streams": ["a/b/c"]},
            "0; restarted (Server.xml has changed); streams that are missing: a/b/c",
        ),
        ({**DUE, "action": "rolled back", "failed": True}, "0; rolled back; failed"),
        ({**DUE, "action": "failed", "failed": True}, "0; failed"),
        ({**RESTARTED, "audit": AUDITED}, "0; restarted (Server.xml has changed); audit: drift 2, warning 1"),
        (
            {**RESTARTED, "audit": {"counts": {"error": 0}, "findings": []}},
            "0; restarted (Server.xml has changed); audit: no problems",
        ),
        ({"failed": True}, "0; failed"),
        ({"host_warnings": ["look here"]}, "0; no restart needed; warning: look here"),
    ],
)
def test_the_line_says_what_was_done(found: dict[str, Any], line: str) -> None:
    assert summary({"version": "0.21.0", **found})["line"] == f"server 0.21.0: files changed: {line}"


def test_the_version_can_be_missing() -> None:
    assert summary({"failed": True})["line"] == "server: files changed: 0; failed"


def test_a_refusal_is_said_in_place_of_the_reasons() -> None:
    refused = summary({"version": "0.21.0", **DUE}, refusal="2 streams were live.", check_mode=True)
    assert refused["line"] == "Check mode, this would be done: server 0.21.0: files changed: 0; 2 streams were live."


def test_a_server_that_is_gone_has_no_version() -> None:
    assert summary({"version": "0.21.0", "action": "uninstalled"})["line"] == "server uninstalled"


def test_the_line_names_five_reasons_at_most() -> None:
    found = summary({**DUE, "reasons": [f"VHost_{number}.xml has changed" for number in range(9)]})
    assert found["line"].endswith("VHost_4.xml has changed and 4 more)") and len(found["reasons"]) == 9
