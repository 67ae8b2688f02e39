# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/api-coverage.md agrees with the modules, with the calls in the code, and with what real servers answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.unit import api_calls
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/api-coverage.md").read_text(encoding="utf-8")
RECORDINGS = sorted([*(ROOT / "tests/wire").glob("[0-9]*.json"), *(ROOT / "tests/wire/media").glob("[0-9]*.json")])
NO_ROUTE = "[HTTP] Controller not found (404)"

# What the server takes as a name in a path: only that of an application ends at a colon.
_NAME, _APP_NAME = "[^/]*", "[^/:]*"


class Row(NamedTuple):
    """A call of the server's API."""

    method: str
    path: str
    since: tuple[int, ...]
    until: tuple[int, ...] | None
    modules: tuple[str, ...]
    remarks: str

    def answers(self, version: tuple[int, ...], method: str, path: str) -> bool:
        """Return whether a server of a version has this call for a request."""
        if version < self.since or (self.until is not None and version > self.until) or method != self.method:
            return False
        pattern = re.sub(r"\\\{(\w+)\\\}", lambda name: _APP_NAME if name[1] == "app" else _NAME, re.escape(self.path))
        return re.fullmatch(pattern, path) is not None


def numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers."""
    return tuple(int(part) for part in version.split("."))


def rows() -> list[Row]:
    """Return the rows of all tables."""
    found = []
    for line in re.findall(r"^\| [A-Z]+ /.+$", PAGE, re.MULTILINE):
        call, since, _does, used, remarks = (cell.strip() for cell in line.strip("|").split("|"))
        method, path = call.split(" ")
        first, _to, last = since.partition(" to ")
        modules = re.findall(r"`(\w+)`", used)
        assert used == ", ".join(f"`{name}`" for name in modules) or used == "no", line
        found.append(Row(method, path, numbers(first), numbers(last) if last else None, tuple(modules), remarks))
    return found


ROWS = rows()
USED = [row for row in ROWS if row.modules]
LEFT_OUT = [row for row in ROWS if not row.modules]
CALLS = api_calls.read()


def test_every_module_of_the_table_exists() -> None:
    assert {name for row in ROWS for name in row.modules} - set(MODULES) == set()


def test_every_module_that_sends_requests_of_its_own_is_in_the_table() -> None:
    # `certificate_info` reads virtual hosts only to find the names and the order of certificates. `audit_report`,
    # `config_import`, `server_config` and `watcher` send none. The others send those of the modules for their objects.
    assert set(MODULES) - {name for row in ROWS for name in row.modules} == {
        "audit_report",
        "certificate_info",
        "config_import",
        "export",
        "provision",
        "record_stream",
        "restream",
        "server",
        "server_config",
        "watcher",
    }


def test_every_call_has_one_row_and_what_is_left_out_a_reason() -> None:
    calls = [(row.method, re.sub(r"\{\w+\}", "{}", row.path)) for row in ROWS]
    assert len(set(calls)) == len(calls)
    assert {row.method for row in ROWS} <= api_calls.METHODS
    assert [row.path for row in LEFT_OUT if not row.remarks] == []


def test_the_counts_are_those_of_the_tables() -> None:
    found = re.search(r"\*\*([\d.]+) has (\d+) calls. The collection uses (\d+) of them; (\d+) are left out", PAGE)
    assert found is not None
    newest = numbers(found[1])
    now = [row for row in ROWS if row.since <= newest and row.until is None]
    assert newest == max(numbers(path.stem) for path in RECORDINGS)
    assert [int(text) for text in found.groups()[1:]] == [
        len(now),
        len([row for row in now if row.modules]),
        len([row for row in now if not row.modules]),
    ]
    assert len(ROWS) - len(now) == 1 and "One more call exists in\nolder releases only." in PAGE


def test_every_call_of_the_code_has_a_row_that_says_used() -> None:
    assert len(CALLS.found) >= 15
    unlisted = [call for call in CALLS.found if not any(CALLS.sends(call, row.method, row.path) for row in USED)]
    assert unlisted == []


def test_the_code_has_every_call_that_is_used_and_none_that_is_left_out() -> None:
    sent = {(row.method, row.path) for row in USED for call in CALLS.found if CALLS.sends(call, row.method, row.path)}
    assert [(row.method, row.path) for row in USED if (row.method, row.path) not in sent] == []
    exact = {(method, call.path) for call in CALLS.found for method in call.methods}
    assert [row for row in LEFT_OUT if (row.method, re.sub(r"\{\w+\}", "{}", row.path)) in exact] == []


def exchanges(recording: Path) -> Iterator[tuple[str, str, str]]:
    """Yield method, path and message of what a real server routed; 401 and OPTIONS come before that."""
    for scenario in json.loads(recording.read_text(encoding="utf-8"))["scenarios"]:
        for step in scenario["steps"]:
            request, response = step["request"], step.get("response") or {}
            if request["method"] == "OPTIONS" or response.get("status") in (None, 401):
                continue
            body = response.get("body")
            message = body.get("message", "") if isinstance(body, dict) else ""
            yield request["method"].replace("HEAD", "GET"), request["path"], message


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.relative_to(ROOT / "tests/wire").as_posix())
def test_real_servers_have_the_calls_of_the_table_and_no_others(recording: Path) -> None:
    version = numbers(recording.stem)
    found = list(exchanges(recording))
    assert len(found) >= 50
    wrong = [
        f"{method} {path}: {message}"
        for method, path, message in found
        if any(row.answers(version, method, path) for row in ROWS) == (message == NO_ROUTE)
    ]
    assert wrong == []


def test_calls_are_found_however_a_path_is_built() -> None:
    source = '''
WHERE = "/v1/a/{name}"
STARTS = Names("things", "startThing")
class Server:
    def send_text(self, path, body):
        """Send to /v1/documented."""
        return self.call("POST", path, body)
    def remove(self, path):
        return self.call("DELETE", path)
class Things:
    def direct(self, name):
        return self.remove(f"/v1/a/{name}/b")
    def by_table(self, name):
        return self.send_text(_path(name, self.names.start), f"start {name}")
    def by_constant(self, name):
        return self.remove(WHERE.format(name=name))
    def by_parts(self, name, inner):
        return self.remove(f"/v1/parts/{name}" + (f"/inner/{inner}" if inner else ""))
    def by_base(self, name):
        return self.remove(f"{self._base(name)}/last")
    def _base(self, name):
        return f"/v1/base/{name}"
def _path(name, call):
    return f"/v1/a/{name}:{call}"
'''
    calls = api_calls.Calls({"things.py": source})
    rows_of_test = {
        "DELETE /v1/a/{name}/b": {"direct"},
        "POST /v1/a/{name}:startThing": {"by_table"},
        "POST /v1/a/{name}:stopThing": set(),
        "DELETE /v1/a/{name}:startThing": set(),
        "DELETE /v1/a/{name}": {"by_constant"},
        "DELETE /v1/parts/{name}": {"by_parts"},
        "DELETE /v1/parts/{name}/inner/{inner}": {"by_parts"},
        "DELETE /v1/base/{name}/last": {"by_base"},
        "POST /v1/documented": set(),
    }
    for text, places in rows_of_test.items():
        method, path = text.split(" ")
        sending = {call.place.split(": ")[1] for call in calls.found if calls.sends(call, method, path)}
        assert sending == places, text
