# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter server_log."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter import server_log as plugin

server_log = plugin.FilterModule().filters()["server_log"]

OPTIONS: dict[str, Any] = {
    "api_token": ["canary-token-1", ""],
    "files": {
        "vhosts": [{"name": "t-a", "signed_policy": {"secret_key": "canary-policy-key"}}],
        "push_tasks": [{"stream_key": "canary-stream-key", "url": "srt://x:9?passphrase=canary-passphrase"}],
    },
    "http_headers": {"X-Key": "canary-header"},
}


def test_secrets_are_masked_in_all_lines() -> None:
    log = "\n".join(
        f"[error] {secret} in t-a"
        for secret in ("canary-token-1", "canary-policy-key", "canary-stream-key", "canary-passphrase", "canary-header")
    )
    lines = server_log([log], OPTIONS)
    assert len(lines) == 5 and not any("canary" in line for line in lines)
    assert all(line.startswith("[error] ") and line.endswith(" in t-a") for line in lines)


def test_the_last_lines_of_each_log_are_returned_once() -> None:
    log = "\n".join(f"line {number}" for number in range(30)) + "\n\n"
    assert server_log([log], {}, lines=3) == ["line 27", "line 28", "line 29"]
    assert server_log(["a\nb", "b\nc", ""], {}) == ["a", "b", "c"]
    assert server_log([], {}) == []


def test_colours_are_removed_and_long_lines_shortened() -> None:
    assert server_log(["\x1b[31mred\x1b[0m"], {}) == ["red"]
    assert len(server_log(["x" * 5000], {})[0]) <= 400


HEAD = "[2026-11-23 02:13:52.{:03}] {} [OvenMediaEngine:{}] Config | {}"


def test_the_reason_of_a_failed_start_comes_before_the_lines_of_the_shutdown() -> None:
    attempt = [HEAD.format(1, "E", 7, "Unknown item found: Server.Bogus"), HEAD.format(2, "C", 7, "Could not start")]
    again = [line.replace(":7]", ":8]").replace(".00", ".01") for line in attempt]
    shutdown = [HEAD.format(number, "I", 8, f"Module {number} failed to stay") for number in range(20)]
    log = "\n".join([*attempt, *again, *shutdown, "Main process exited, code=exited, status=11/n/a: failed"])
    lines = server_log([log], {}, lines=2, errors=5)
    assert lines == [*attempt, shutdown[-1], "Main process exited, code=exited, status=11/n/a: failed"]
    assert server_log([log], {}, lines=1, errors=1)[0] == attempt[0]


def test_an_error_of_the_container_engine_is_found_and_masked() -> None:
    log = "Trying to pull\nError: crun: canary-token-1 not found in $PATH\nStopped the unit"
    assert server_log([log], OPTIONS, lines=1, errors=5) == [
        "Error: crun: ******** not found in $PATH",
        "Stopped the unit",
    ]


@pytest.mark.parametrize(("logs", "options"), [("text", {}), ([1], {}), ([], [])])
def test_other_input_is_refused(logs: Any, options: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="server_log expects a"):
        server_log(logs, options)
