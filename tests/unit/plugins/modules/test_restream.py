# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module restream on a server, and the file with stream keys on the controller.

test_restream_plan.py has the push tasks and all refusals; tests/e2e/test_restream.py what a user of the role sees.
"""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

PLATFORMS = [
    {"name": "one", "url": "rtmp://one.example.com/live"},
    {"name": "two", "url": "rtmp://two.example.com/live"},
]
KEYS = {"one": "canary-one", "two": "canary-two"}


def options(simulator: Simulator, **changed: Any) -> dict[str, Any]:
    """Return options that start both."""
    usual = {"stream": "main", "chosen": "all", "platforms": PLATFORMS, "stream_keys": KEYS}
    return connection(simulator, **{**usual, **changed})


def run(simulator: Simulator, **changed: Any) -> dict[str, Any]:
    """Return the result of a task on the controller."""
    result = actions.run("restream", options(simulator, **changed))
    assert "canary" not in str(result)
    return result


def keys(simulator: Simulator) -> dict[str, str]:
    """Return the stream keys that the server has, by ID."""
    application = simulator.state.push_application("default", "app")
    assert application is not None
    return {name: task.stream_key for name, task in application.tasks.items()}


def test_started_changed_and_stopped_with_one_line_each(simulator: Simulator) -> None:
    checked = run_module("restream", options(simulator), check_mode=True)
    assert checked["changed"] and not simulator.writes
    assert checked["line"] == "Check mode, this would be done: stream default/app/main: one started, two started"
    started = run_module("restream", options(simulator))
    assert started["platforms"] == {"one": "started", "two": "started"} and keys(simulator) == {
        "main-one": "canary-one",
        "main-two": "canary-two",
    }
    assert started["line"] == "stream default/app/main: one started (ready), two started (ready)"
    assert [entry["id"] for entry in started["results"]] == ["main-one", "main-two"]
    simulator.clear_log()
    again = run(simulator)
    assert not again["changed"] and not simulator.writes and again["counts"] == {"unchanged": 2}
    changed = run(simulator, stream_keys={**KEYS, "two": "canary-other"})
    assert changed["platforms"] == {"one": "unchanged", "two": "restarted"}
    assert keys(simulator)["main-two"] == "canary-other"
    stopped = run(simulator, chosen=["two"], state="stopped", stream_keys=None)
    assert stopped["line"] == "stream default/app/main: two stopped" and set(keys(simulator)) == {"main-one"}


@pytest.mark.parametrize("state", ("started", "stopped"))
def test_a_missing_application_is_the_error_of_a_start(simulator: Simulator, state: str) -> None:
    result = run(simulator, app="none", state=state)
    if state == "stopped":
        assert not result["changed"] and set(result["platforms"].values()) == {"unchanged"}
    else:
        assert result["failed"] and result["results"][0]["error"]["kind"] == "application_not_found"
        assert result["line"] == "stream default/none/main: one failed, two failed"


def test_other_errors_end_the_task(simulator: Simulator) -> None:
    result = run(simulator, api_token="canary-wrong")
    assert result["failed"] and result["error"]["kind"] == "unauthorized"
    assert result["line"] == "stream default/app/main: failed" and result["platforms"] == {}


@pytest.mark.parametrize(
    ("text", "specified", "key"),
    [
        ("one: canary-file", {}, "canary-file"),
        ("one: 0123", None, "0123"),
        ("one: 'a # {{ b }}'\nfour: 5", {}, "a # {{ b }}"),
        ("one: canary-file", {"one": "canary-variable"}, "canary-variable"),
        ("one: ''", {}, ""),
        ("", {"one": 123}, "123"),
        ("{one: canary-json}", {}, "canary-json"),
    ],
)
def test_keys_come_from_a_file_and_from_options(
    simulator: Simulator, tmp_path: pathlib.Path, text: str, specified: Any, key: str
) -> None:
    file = tmp_path / "keys.yml"
    file.write_text(text, encoding="utf-8")
    actions.run("restream", options(simulator, chosen=["one"], stream_keys=specified, stream_keys_file=str(file)))
    assert keys(simulator) == {"main-one": key}


@pytest.mark.parametrize("text", ("canary: [x", "canary", "one: {canary: x}", "- canary", "\udcff", None))
def test_a_file_that_has_no_keys_is_refused(simulator: Simulator, tmp_path: pathlib.Path, text: str | None) -> None:
    file = tmp_path / "keys.yml"
    if text is not None:
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
    result = run(simulator, stream_keys_file=str(file))
    assert result["failed"] and not simulator.log and result["line"] == "stream default/app/main: not reached"
    reason = (
        "cannot be read on the controller: No such file" if text is None else "is expected to hold YAML with the name"
    )
    assert result["msg"].startswith(f"The file with stream keys, {file}, {reason}")
    assert result["msg"].endswith(" Nothing was done.") and result["error"]["kind"] == "bad_input"
    # Stopping reads no file.
    assert not run(simulator, stream_keys_file=str(file), state="stopped").get("failed")


def test_the_push_task_of_another_stream_stays(simulator: Simulator) -> None:
    own = [{**PLATFORMS[0], "id": "shared"}]
    assert run(simulator, platforms=own)["changed"]
    simulator.clear_log()
    for state in ("started", "stopped"):
        result = run(simulator, platforms=own, stream="other", state=state)
        assert result["failed"] and not simulator.writes
        assert result["msg"] == (
            "The push task shared belongs to the stream main, not to other. Specify that stream, or give the platform "
            "one another id. Nothing was done."
        )


def test_all_problems_are_said_at_once(simulator: Simulator) -> None:
    result = run(simulator, chosen=["three"], platforms=[*PLATFORMS, PLATFORMS[0]])
    assert not simulator.log and result["msg"] == (
        "platforms[2].name: expected each platform once, got 'one' again. "
        "chosen: expected names of platforms (one, two), got 'three'. Nothing was done."
    )
    assert (
        run(simulator, stream_keys={"one": ["canary"]})["msg"] == "stream_keys: expected a text for the platform one."
    )
    assert run(simulator, stream="a b")["msg"].startswith("stream: expected letters, digits")
    assert run(simulator, stream=" ")["msg"] == "stream: expected the name of a stream, got an empty text."
    assert run(simulator, platforms="canary")["line"] == "stream default/app/main: not reached"
