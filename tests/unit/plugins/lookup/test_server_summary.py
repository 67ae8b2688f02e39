# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup server_summary."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.lookup.server_summary import LookupModule

DUE = {"restart_due": True, "start_due": False, "reasons": ["Server.xml has changed"]}
NOTHING = {"restart_due": False, "start_due": False, "reasons": []}
WRITTEN = {
    "files": [{"path": "/x/Server.xml", "state": "changed"}, {"path": "/x/Logger.xml", "state": "unchanged"}],
    "upgrade": [{"option": "a", "kind": "renamed", "text": "a is now b"}],
}
AUDITED = {"counts": {"error": 0, "drift": 2, "warning": 1, "info": 0}, "findings": [{"kind": "differs"}], "vhosts": []}


@pytest.mark.parametrize(
    ("options", "line", "due"),
    [
        ({"plan": NOTHING}, "server 0.21.0: files changed: 0; no restart needed", False),
        (
            {"plan": DUE, "action": "restarted", "configuration": WRITTEN, "installed": "0.18.0"},
            "server 0.21.0: files changed: 1; restarted (Server.xml has changed); version 0.18.0 before",
            False,
        ),
        ({"plan": DUE}, "server 0.21.0: files changed: 0; a restart is due (Server.xml has changed)", True),
        (
            {"plan": DUE, "refusal": "2 streams were live."},
            "server 0.21.0: files changed: 0; 2 streams were live.",
            True,
        ),
        (
            {"plan": DUE, "action": "restarted", "missing_streams": ["a/b/c"]},
            "server 0.21.0: files changed: 0; restarted (Server.xml has changed); streams that are missing: a/b/c",
            False,
        ),
        (
            {"plan": DUE, "action": "rolled back", "succeeded": False},
            "server 0.21.0: files changed: 0; rolled back; failed",
            True,
        ),
        (
            {"plan": DUE, "action": "restarted", "audit": AUDITED},
            "server 0.21.0: files changed: 0; restarted (Server.xml has changed); audit: drift 2, warning 1",
            False,
        ),
        (
            {"plan": DUE, "action": "restarted", "audit": {"counts": {"error": 0}, "findings": []}},
            "server 0.21.0: files changed: 0; restarted (Server.xml has changed); audit: no problems",
            False,
        ),
        (
            {"plan": NOTHING, "audit": {"msg": "It failed."}},
            "server 0.21.0: files changed: 0; no restart needed",
            False,
        ),
        ({"plan": NOTHING, "action": "uninstalled"}, "server uninstalled", False),
        ({"plan": NOTHING, "succeeded": False}, "server 0.21.0: files changed: 0; failed", False),
        (
            {"plan": DUE, "action": "restarted", "check_mode": True},
            "Check mode, this would be done: server 0.21.0: files changed: 0; restarted (Server.xml has changed)",
            False,
        ),
    ],
)
def test_the_line_says_what_was_done(options: dict[str, Any], line: str, due: bool) -> None:
    summary = LookupModule().run([], **{"version": "0.21.0", "succeeded": True, **options})[0]
    assert summary["line"] == line
    assert summary["restart_required"] == due
    assert summary["failed"] != options.get("succeeded", True)


def test_the_line_names_five_reasons_at_most() -> None:
    plan = {**DUE, "reasons": [f"VHost_{number}.xml has changed" for number in range(9)]}
    summary = LookupModule().run([], plan=plan, version="0.21.0", succeeded=True, configuration=WRITTEN)[0]
    assert summary["line"].endswith("VHost_4.xml has changed and 4 more)")
    assert len(summary["reasons"]) == 9 and summary["upgrade"] == ["a is now b"] and summary["files"] == 1
