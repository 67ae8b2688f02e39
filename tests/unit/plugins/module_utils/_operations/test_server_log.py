# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a log says about a failed start."""

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_start import told


def test_the_last_lines_of_each_log_are_told_once() -> None:
    log = "\n".join(f"line {number}" for number in range(30)) + "\n\n"
    assert told([log], str) == [f"line {number}" for number in range(25, 30)]
    assert told(["a\nb", "b\nc", ""], str) == ["a", "b", "c"]
    assert told([], str) == []


def test_colours_are_removed_and_long_lines_shortened() -> None:
    assert told(["\x1b[31mred\x1b[0m"], str) == ["red"]
    assert len(told(["x" * 5000], str)[0]) <= 400


HEAD = "[2026-11-23 02:13:52.{:03}] {} [OvenMediaEngine:{}] Config | {}"


def test_the_reason_of_a_failed_start_comes_before_the_lines_of_the_shutdown() -> None:
    attempt = [HEAD.format(1, "E", 7, "Unknown item found: Server.Bogus"), HEAD.format(2, "C", 7, "Could not start")]
    again = [line.replace(":7]", ":8]").replace(".00", ".01") for line in attempt]
    shutdown = [HEAD.format(number, "I", 8, f"Module {number} failed to stay") for number in range(20)]
    log = "\n".join([*attempt, *again, *shutdown, "Main process exited, code=exited, status=11/n/a: failed"])
    assert told([log], str) == [*attempt, *shutdown[-4:], log.splitlines()[-1]]


def test_an_error_of_the_container_engine_is_found_and_masked() -> None:
    secrets = SecretStore()
    secrets.add("canary-token-1")
    log = "Trying to pull\nError: crun: canary-token-1 not found in $PATH\nStopped the unit"
    assert told([log], secrets.scrub) == [
        "Error: crun: ******** not found in $PATH",
        "Trying to pull",
        "Stopped the unit",
    ]
