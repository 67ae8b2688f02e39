# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tool that compares two versions finds what it looks for."""

from __future__ import annotations

import collections
import json
import pathlib
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import behaviour
from ansible_collections.streamops.ovenmediaengine.tests.execution_paths.results import Result

TARGET = "/x/targets/vhost/tasks/main.yml:7"
ROLE = "/x/ovenmediaengine/roles/audit/tasks/main.yml:3"
VHOST = "streamops.ovenmediaengine.vhost"


def result(value: dict[str, t.Any], path: str = TARGET, action: str = VHOST, name: str = "Create") -> Result:
    """Return a successful result."""
    return Result("vhost.yml, playbook 1", "testhost", name, path, action, "ok", None, value, 0)


def differences(first: list[Result], second: list[Result], status: tuple[int, int] = (0, 0)) -> list[str]:
    """Return the differences between the results of two runs of a target."""
    runs = [
        behaviour.Run(code, list(behaviour.comparable(results, {"vhost"})), [])
        for code, results in zip(status, (first, second))
    ]
    return behaviour.compare_runs("vhost", runs, collections.Counter())


@pytest.mark.parametrize(
    ("first", "second", "number"),
    [
        ({"msg": "One."}, {"msg": "Another."}, 0),
        ({"warnings": ["One."]}, {"warnings": ["Another."]}, 0),
        ({"warnings": ["One."]}, {"warnings": []}, 1),
        ({"error": {"kind": "tls", "remedy": "a"}}, {"error": {"kind": "tls", "remedy": "b"}}, 0),
        ({"error": {"kind": "tls"}}, {"error": {"kind": "refused"}}, 1),
        ({"changed": True}, {"changed": False}, 1),
    ],
)
def test_texts_are_not_compared(first: dict[str, t.Any], second: dict[str, t.Any], number: int) -> None:
    assert len(differences([result(first)], [result(second)])) == number


def test_only_modules_of_both_versions_are_compared_in_roles() -> None:
    first = [result({"changed": True, "item": 1}, ROLE), result({}, ROLE, "ansible.builtin.debug")]
    second = [result({"changed": True, "item": 2}, ROLE, name="Another"), result({}, ROLE, VHOST + "_new")]
    assert differences(first, second) == []
    assert len(differences(first, [*second, result({"changed": True}, ROLE)])) == 1


def test_a_target_that_ends_early_is_one_difference() -> None:
    assert differences([result({})], [result({}), result({}, name="Next")], (2, 0)) == [
        "vhost: ends early with the reference: [no task]"
    ]


def test_requests_of_each_task_are_read(tmp_path: pathlib.Path) -> None:
    def record(method: str, path: str) -> str:
        headers = {"Host": "127.0.0.1:40000", "Accept": "a"}
        record = {"method": method, "path": path, "body": None, "write": method != "GET", "status": 200}
        return json.dumps({**record, "headers": headers, "time": 1.0, "connection": 5}) + "\n"

    first = record("GET", "/v1/b") + record("GET", "/v1/a") + record("GET", "/v1/b")
    (tmp_path / "requests.jsonl").write_text(first + record("POST", "/v1/c"), encoding="utf-8")
    task = {"kind": "task", "name": "Create", "path": TARGET, "action": VHOST}
    tasks = [{**task, "requests": 0}, {**task, "requests": len(first)}]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in tasks), encoding="utf-8")
    found = list(behaviour.requests(tmp_path))
    assert [one.event for one in found] == ["GET /v1/a", "GET /v1/b", "POST /v1/c"]
    assert found[0].result["headers"] == {"accept": "a"}
