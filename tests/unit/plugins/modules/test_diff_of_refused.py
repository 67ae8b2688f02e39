# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What differs and may not be changed fails, and the diff shows what would change."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import TASK
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

VHOST: dict[str, Any] = {
    "name": "t-v",
    "host": {"names": ["old.example.com"]},
    "admission_webhooks": {
        "control_server_url": "https://hooks.example.com",
        "secret_key": "canary-old",
        "timeout": 1000,
    },
    "applications": [{"name": "live", "providers": {"rtmp": {}, "srt": {}}, "publishers": {"llhls": {}}}],
}
OTHER: dict[str, Any] = {
    "name": "t-v",
    "host": {"names": ["new.example.com"]},
    "admission_webhooks": {"secret_key": "canary-new"},
}
FEWER = {"vhost": "t-v", "name": "live", "providers": {"rtmp": {}}}


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("module", "options", "title", "field", "before", "after"),
    [
        ("vhost", OTHER, "t-v", "host", {"names": ["old.example.com"]}, {"names": ["new.example.com"]}),
        ("vhosts", {"vhosts": [OTHER]}, "t-v", "host", {"names": ["old.example.com"]}, {"names": ["new.example.com"]}),
        ("application", FEWER, "t-v/live", "providers", {"rtmp": {}, "srt": {}}, {"rtmp": {}}),
        ("applications", {"applications": [FEWER]}, "t-v/live", "providers", {"rtmp": {}, "srt": {}}, {"rtmp": {}}),
        (
            "vhost",
            {"name": "default", "host": {"names": ["x.example.com"]}},
            "default",
            "host",
            None,
            None,
        ),  # read-only
    ],
)
def test_what_differs_and_is_refused_is_in_the_diff(
    simulator: Simulator,
    module: str,
    options: dict[str, Any],
    title: str,
    field: str,
    before: Any,
    after: Any,
    check_mode: bool,
) -> None:
    assert not running_modules.run_module("vhost", connection(simulator, **VHOST)).failed
    writes = len(simulator.writes)
    run = running_modules.run_module(module, connection(simulator, **options), check_mode=check_mode)
    assert run.failed and not run["changed"]
    sides = run["diff"]["before"][title], run["diff"]["after"][title]
    assert sides[0][field] != sides[1][field]
    if before is not None:
        assert (sides[0][field], sides[1][field]) == (before, after)
    assert "canary" not in json.dumps(run["diff"])
    assert [record for record in simulator.writes[writes:] if record.status == 200 and record.body] == []


@pytest.mark.parametrize("check_mode", [False, True])
def test_push_task_of_the_configuration_that_differs(current: Simulator, check_mode: bool) -> None:
    current.add_config_task("default", "app", id="t-p", stream_name="main", url="rtmp://x.example.com/app")
    run = running_modules.run_module("push_task", connection(current, **TASK), check_mode=check_mode)
    assert run["error"]["kind"] == "configured_task"
    assert run["diff"]["before"]["default/app/t-p"]["url"] != run["diff"]["after"]["default/app/t-p"]["url"]
    assert "canary" not in json.dumps(run["diff"])


@pytest.mark.parametrize(
    ("asked", "no_log", "shown"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_the_diff_of_a_failure_is_printed(
    current: Simulator, capsys: pytest.CaptureFixture[str], asked: bool, no_log: bool, shown: bool
) -> None:
    """ansible-core prints the diff of a task that changed something, and no other."""
    assert not running_modules.run_module("vhost", connection(current, **VHOST)).failed
    capsys.readouterr()
    result = actions.run("vhost", connection(current, **OTHER), diff=asked, no_log=no_log)
    printed = capsys.readouterr()
    assert result["failed"] and printed.out == ""
    assert (
        "-" + 16 * " " + '"old.example.com"' in printed.err and "+" + 16 * " " + '"new.example.com"' in printed.err
    ) is shown
    assert "canary" not in printed.err
