# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docs/api-coverage.md agrees with the modules, with the calls in the code, and with what real servers answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.unit import api_calls, api_coverage
from ansible_collections.streamops.ovenmediaengine.tests.unit.api_coverage import RECORDINGS, ROOT, numbers, rows
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES

NO_ROUTE = "[HTTP] Controller not found (404)"

PAGE = api_coverage.PAGE.read_text(encoding="utf-8")
ROWS = rows(PAGE)
USED = [row for row in ROWS if row.modules]
LEFT_OUT = [row for row in ROWS if not row.modules]
CALLS = api_calls.read()


def test_every_module_of_the_table_exists() -> None:
    assert {name for row in ROWS for name in row.modules} - set(MODULES) == set()


def test_every_module_with_a_connection_is_in_a_table_or_named_before_them() -> None:
    in_tables = {name for row in ROWS for name in row.modules}
    before = re.search(r"^- \*\*In no row\*\* (.+\n(?:  .+\n)*)", PAGE, re.MULTILINE)
    assert before is not None
    assert set(CONNECTED) - in_tables == set(re.findall(r"`(\w+)`", before[1]))
    assert in_tables <= set(CONNECTED)


def test_every_call_has_one_row_and_what_is_left_out_a_reason() -> None:
    calls = [(row.method, re.sub(r"\{\w+\}", "{}", row.path)) for row in ROWS]
    assert len(set(calls)) == len(calls)
    assert {row.method for row in ROWS} <= api_calls.METHODS
    assert [row.path for row in LEFT_OUT if not row.remarks] == []


def test_the_totals_are_those_of_the_tables() -> None:
    """`make format` writes them."""
    assert api_coverage.totals(ROWS) in PAGE


def test_totals_count_what_the_newest_release_has() -> None:
    version, used = numbers("0.15.0"), ("vhost",)
    made = [
        api_coverage.Row("GET", "/v1/a", version, None, used, ""),
        api_coverage.Row("GET", "/v1/b", version, None, (), "a reason"),
        api_coverage.Row("GET", "/v1/c", version, numbers("0.18.0"), (), "a reason"),
    ]
    found = re.search(r"\*\*([\d.]+) has (\d+) calls", api_coverage.totals(made))
    assert found is not None and numbers(found[1]) == max(numbers(path.stem) for path in RECORDINGS)
    assert re.findall(r"\b\d+\b(?![.])", api_coverage.totals(made).partition(" has ")[2]) == ["2", "1", "1", "1"]


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
