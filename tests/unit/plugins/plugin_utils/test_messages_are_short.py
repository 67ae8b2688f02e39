# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No message is longer than 2,000 characters, whatever a user gives and a server says, in both execution paths."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import listed, shortened
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.one_stream import plan
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_report as report_plugin
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.checking import messages_of
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import VALID
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import TASK
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils.actions import run
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    connection,
    make_virtual_host,
    run_module,
)

pytestmark = pytest.mark.parametrize("in_process", (True, False), ids=("in process", "module"))
HUGE = "much of it " * 2_000


def messages(module: str, options: dict[str, Any], *, in_process: bool) -> list[str]:
    """The messages of a run, none of which is too long."""
    result = run(module, options) if in_process else dict(run_module(module, options))
    found = list(messages_of(json.loads(json.dumps(result, default=str))))
    assert all(len(message) <= 2000 for message in found), [message[:100] for message in found if len(message) > 2000]
    return found


QUIET = ("server", "test_stream", "playback_info", "expected_streams_info")
"""Modules whose example asks a server that runs here, or none, or that have no error of a stream but a problem."""


@pytest.mark.parametrize("module", [name for name in CONNECTED if name not in QUIET])
def test_a_server_with_huge_messages(simulator: Simulator, in_process: bool, module: str) -> None:
    for method in ("GET", "POST", "PUT", "DELETE"):
        simulator.inject("status", method=method, status=500, times=-1, message=HUGE)
    options = VALID[module]
    if module == "certificates":  # without an entry it asks for nothing
        options = {
            "certificates": [{"vhost": "t-v", "certificate_content": "x", "private_key_content": "x"}],
            "endpoints": [{"port": 1}],
        }
    assert messages(module, connection(simulator, **options, retries=1), in_process=in_process)


@pytest.mark.parametrize("module", CONNECTED)
@pytest.mark.parametrize(
    "wrong",
    ({HUGE: 1}, {"api_url": HUGE}, {"timeout": HUGE}, {"http_headers": {HUGE: "x"}}, {"api_token": HUGE}),
    ids=lambda wrong: str(wrong)[:15],
)
def test_long_options(in_process: bool, module: str, wrong: dict[str, Any]) -> None:
    options = {
        "api_url": "http://127.0.0.1:9",
        "api_token": "an-ordinary-token",
        "retries": 0,
        **VALID[module],
        **wrong,
    }
    assert messages(module, options, in_process=in_process)


@pytest.mark.parametrize(
    "fault", ({"kind": "reset"}, {"kind": "status", "status": 400}, {"kind": "status"}), ids=("reset", "400", "500")
)
def test_many_items_with_long_names(simulator: Simulator, in_process: bool, fault: dict[str, Any]) -> None:
    long = "n" * 240
    tasks = [
        {**TASK, "id": f"t-{number}", "vhost": f"{long}{number % 7}", "app": f"{long}{number}"} for number in range(60)
    ]
    assert (
        "60 of 60 push tasks failed."
        in messages("push_tasks", connection(simulator, tasks=tasks), in_process=in_process)[-1]
    )
    vhosts = [{"name": f"{long}-{number}", "host": {"names": [f"{number}.example.com"]}} for number in range(60)]
    simulator.inject(**fault, method="POST", path="/v1/vhosts", times=-1, message=HUGE)
    assert any(
        "60 of 60 virtual hosts failed." in message
        for message in messages("vhosts", connection(simulator, vhosts=vhosts, retries=0), in_process=in_process)
    )


def test_warnings_about_many_objects(simulator: Simulator, in_process: bool) -> None:
    for number in range(30):
        make_virtual_host(simulator, f"not addressable {number} {'x' * 3000}")
    assert any(
        "cannot be addressed" in message
        for message in messages("vhost_info", connection(simulator), in_process=in_process)
    )


def test_helpers_for_long_texts(in_process: bool) -> None:
    assert shortened("a" * 2000) == "a" * 2000
    cut = shortened(f"Could not {'x' * 5000} do this.")
    assert (
        len(cut) == 2000 and cut.startswith("Could not x") and cut.endswith("x do this.") and " characters) … x" in cut
    )
    assert (
        listed(["a", "b", "c", "d", "e"]) == "a, b, c, d, e"
        and listed([f"t-{number}" for number in range(1650)]) == "t-0, t-1, … and 1,648 more"
    )
    report = report_plugin.audit_report(
        {"one": {"msg": HUGE, "failed": True}, "h" * 300: {"msg": HUGE, "unreachable": True}}, "now"
    )
    assert all(len(finding["message"]) <= 2000 for server in report["servers"] for finding in server["findings"])
    problems = plan(
        {
            "vhost": "v",
            "app": "a",
            "stream": "s",
            "state": "started",
            "stream_keys": {},
            "chosen": ["none of them"],
            "platforms": [{"name": f"{number}-{HUGE[:300]}"} for number in range(50)],
        },
        [],
    ).problems
    assert problems and all(len(problem) <= 2000 for problem in problems)
