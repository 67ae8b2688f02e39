# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Masking hides secrets and nothing else: names, ids, hosts, ports, numbers and booleans stay, in both execution
paths.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import module_examples
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import VALID
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils.actions import run
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    connection,
    make_virtual_host,
    run_module,
)

PATHS = pytest.mark.parametrize("in_process", (True, False), ids=("in process", "module"))
TIME = re.compile(r"20\d\d-\d\d-\d\dT[\d:.]+(?:\+00:00|Z)")
TASK = {
    "vhost": "t-live-1",
    "app": "live",
    "id": "on-air",
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": "rtmp://live.example.com/live",
}
APP = {"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}}}


def result_of(module: str, options: dict[str, Any], *, in_process: bool, check_mode: bool = False) -> dict[str, Any]:
    """The result of a module in one of the execution paths."""
    result = (
        run(module, options, check_mode=check_mode)
        if in_process
        else dict(run_module(module, options, check_mode=check_mode))
    )
    result.pop("_ansible_parsed", None)
    decoded: dict[str, Any] = json.loads(json.dumps(result, default=str))
    return decoded


def masks(text: str) -> list[str]:
    """Texts that show that something was masked."""
    return [mask for mask in ("********", "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER") if mask in text]


@PATHS
@pytest.mark.parametrize("key", ("live", "main", "on-air", "t-live-1", "rtmp", "example", "1", "18", "true", "8"))
def test_a_stream_key_that_is_a_common_word_masks_itself_only(simulator: Simulator, in_process: bool, key: str) -> None:
    make_virtual_host(simulator, "t-live-1", applications=[APP])
    tasks = [{**TASK, "stream_key": key}]
    started = result_of("push_tasks", connection(simulator, tasks=tasks), in_process=in_process)
    (entry,) = started["results"]
    assert (entry["vhost"], entry["app"], entry["id"], entry["action"]) == ("t-live-1", "live", "on-air", "started")
    assert started["counts"] == {"started": 1}
    (shown,) = started["invocation"]["module_args"]["tasks"]
    assert masks(shown.pop("stream_key"))
    assert {name: shown[name] for name in TASK if name != "stream"} == {
        name: value for name, value in TASK.items() if name != "stream"
    }
    assert started["diff"]["after"]["t-live-1/live/on-air"]["stream_key"] == "********"
    assert started["diff"]["after"]["t-live-1/live/on-air"]["app"] == "live"
    failed = result_of(
        "push_tasks",
        connection(simulator, tasks=[{**tasks[0], "app": "live", "vhost": "t-none"}]),
        in_process=in_process,
    )
    assert (
        "t-none/live/on-air" in failed["msg"]
        and "/v1/vhosts/t-none/apps/live" in failed["msg"]
        and not masks(failed["msg"])
    )
    assert simulator.url[7:] in failed["msg"]
    assert failed["results"][0]["error"]["host"] == simulator.url[7:]


@PATHS
@pytest.mark.parametrize("module", CONNECTED)
@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
def test_a_token_that_is_also_a_name_masks_itself_only(in_process: bool, module: str, check_mode: bool) -> None:
    results = []
    for token in ("t-v", "an-ordinary-token"):
        with Simulator(token=token, clock=ManualClock()) as simulator:
            module_examples.prepare(simulator)
            options = connection(simulator, **VALID[module])
            if "dest" in options:
                Path(options["dest"]).unlink(missing_ok=True)
            result = result_of(module, options, in_process=in_process, check_mode=check_mode)
            assert masks(result["invocation"]["module_args"].pop("api_token"))
            results.append(TIME.sub("time", json.dumps(result).replace(simulator.url[7:], "server")))
    assert results[0] == results[1]


@PATHS
@pytest.mark.parametrize("header", ("1", "0.20.0", "127.0.0.1", "http", "8081"))
def test_a_header_that_is_a_number_or_a_host_leaves_messages_readable(in_process: bool, header: str) -> None:
    options = {
        "api_url": "http://127.0.0.1:9",
        "api_token": "an-ordinary-token",
        "retries": 0,
        "http_headers": {"X-Tenant": header},
    }
    result = result_of("vhost_info", options, in_process=in_process)
    assert "127.0.0.1:9" in result["msg"] and not masks(result["msg"])
    assert result["error"]["host"] == "127.0.0.1:9"
    assert result["invocation"]["module_args"]["timeout"] == 10.0


@PATHS
def test_numbers_and_booleans_under_the_names_of_secrets_are_no_secrets(simulator: Simulator, in_process: bool) -> None:
    make_virtual_host(simulator, "t-v")
    extra = {
        "noSuchKey": 1,
        "tokens": [1, 2.5, True],
        "authTimeout": 300,
        "secretText": "canary-secret-1",
        "key": {"token": 8081},
    }
    app = {"vhost": "t-v", "name": "live", "publishers": {"llhls": {"extra": extra}}}
    shown = {**extra, "secretText": "********"}
    predicted = result_of("application", connection(simulator, **app), in_process=in_process, check_mode=True)
    assert predicted["application"]["publishers"]["llhls"]["extra"] == shown
    assert predicted["diff"]["after"]["t-v/live"]["publishers"]["llhls"]["extra"] == shown
    failed = result_of(
        "application",
        connection(simulator, **{**app, "vhost": "t-none"}, api_url="http://127.0.0.1:9"),
        in_process=in_process,
    )
    assert "at 127.0.0.1:9 got no answer" in failed["msg"]
    assert "canary" not in json.dumps([predicted, failed])


@PATHS
def test_an_invalid_name_is_masked_if_it_is_a_secret(simulator: Simulator, in_process: bool) -> None:
    options = connection(simulator, **{**TASK, "id": "canary secret 1", "stream_key": "canary secret 1"})
    result = result_of("push_task", options, in_process=in_process)
    assert result["error"]["kind"] == "bad_input" and "canary secret" not in json.dumps(result)


@PATHS
def test_a_secret_that_contains_a_name_is_masked_whole(in_process: bool) -> None:
    options = {"api_url": "http://127.0.0.1:9", "api_token": "live", "retries": 0, **TASK, "stream_key": ""}
    result = result_of(
        "push_task", {**options, "url": "rtmp://live.example.com/live/live-canary-live"}, in_process=in_process
    )
    assert "the push tasks of t-live-1/live." in result["msg"]
    assert "canary" not in json.dumps(result)
