# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The comparison of both execution paths finds each difference, and nothing else."""

from __future__ import annotations

import json
import pathlib
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.execution_paths.__main__ import main
from ansible_collections.streamops.ovenmediaengine.tests.execution_paths.compare import compare, count_executions
from ansible_collections.streamops.ovenmediaengine.tests.execution_paths.results import IN_PROCESS, MODULE, Result, read

VHOST = "streamops.ovenmediaengine.vhost"
URI = "ansible.builtin.uri"


def result(value: dict[str, t.Any], **more: t.Any) -> Result:
    """Return a result of a task."""
    fields: dict[str, t.Any] = {
        "run": "vhost-abcd1234.yml, playbook 1",
        "host": "one",
        "name": "Create",
        "path": "/somewhere/tests/integration/targets/vhost/tasks/main.yml:7",
        "action": VHOST,
        "event": "ok",
        "item": None,
        "started": 0,
    }
    return Result(**{**fields, **more}, result=value)


def differences(first: dict[str, t.Any], second: dict[str, t.Any], action: str = VHOST) -> list[str]:
    """Return the differences between two runs of one task."""
    return compare([result(first, action=action)], [result(second, action=action)], ("A", "B")).differences


SAME = {
    "changed": True,
    "vhost": {"name": "t-a", "host": {"names": ["a", "b"]}},
    "diff": {"before": {}, "after": {"t-a": None}},
    "count": 3,
}


def test_equal_results_have_no_difference() -> None:
    found = compare(
        [result(SAME)],
        [
            result(
                dict(reversed(SAME.items())),
                path="/elsewhere/targets/vhost/tasks/main.yml:7",
                run="vhost-wxyz5678.yml, playbook 1",
            )
        ],
    )
    assert found == ([], 1, 1, 6)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({**SAME, "changed": False}, "changed: true in A, false in B"),
        ({**SAME, "changed": 1}, "changed: true of type bool in A, 1 of type int in B"),
        ({**SAME, "count": 3.0}, "count: 3 of type int in A, 3.0 of type float in B"),
        ({**SAME, "count": "3"}, 'count: 3 of type int in A, "3" of type str in B'),
        ({**SAME, "diff": {"before": {}, "after": {}}}, "diff.after.t-a: only in A: null"),
        ({**SAME, "warnings": ["w"]}, 'warnings: only in B: ["w"]'),
        ({**SAME, "vhost": {"name": "t-a", "host": {"names": ["a"]}}}, "vhost.host.names: 2 items in A, 1 in B"),
        ({**SAME, "vhost": {"name": "t-a", "host": {"names": ["b", "a"]}}}, 'vhost.host.names[0]: "a" in A, "b" in B'),
        ({**SAME, "vhost": None}, "vhost: {"),
    ],
)
def test_a_difference_is_found(other: dict[str, t.Any], words: str) -> None:
    found = differences(SAME, other)
    assert found[0].startswith(
        f"vhost.yml, playbook 1, one, targets/vhost/tasks/main.yml:7 [Create] {VHOST}, ok: {words}"
    )


def test_a_task_of_one_run_only_is_found_and_later_tasks_are_compared() -> None:
    first = [result(SAME, name="One"), result(SAME, name="Two"), result(SAME, name="Three")]
    second = [result(SAME, name="One"), result({**SAME, "count": 4}, name="Three"), result(SAME, name="Four")]
    found = compare(first, second, ("A", "B"))
    assert [line.partition("yml:7 ")[2] for line in found.differences] == [
        f"[Two] {VHOST}, ok: only in A",
        f"[Three] {VHOST}, ok: count: 3 in A, 4 in B",
        f"[Four] {VHOST}, ok: only in B",
    ]
    assert (found.results, found.of_collection) == (2, 2)


def test_an_attempt_of_one_run_only_is_no_difference_and_others_are_compared() -> None:
    attempt, other = result({"n": 1}, event="retry"), result({"n": 2}, event="retry")
    assert compare([attempt, attempt, result(SAME)], [attempt, result(SAME)], ("A", "B")).differences == []
    (found,) = compare([attempt, result(SAME)], [other, result(SAME)], ("A", "B")).differences
    assert "retry: n: 1 in A, 2 in B" in found


def test_a_different_event_is_found() -> None:
    found = compare([result(SAME)], [result(SAME, event="failed")], ("A", "B"))
    assert [line.rpartition("ok: ")[2].rpartition("failed: ")[2] for line in found.differences] == [
        "only in A",
        "only in B",
    ]


def test_each_host_and_item_is_compared_with_itself() -> None:
    first = [result(SAME, host=host, event="item ok", item=item) for host in ("one", "two") for item in ("x", {"y": 1})]
    second = [first[index] for index in (2, 0, 3, 1)]
    assert compare(first, second) == ([], 4, 4, 24)
    swapped = [first[index] for index in (1, 0, 2, 3)]
    assert len(compare(first, swapped).differences) == 2


def url(port: int) -> str:
    """Return the URL of a simulator."""
    return f"http://127.0.0.1:{port}/v1"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"msg": f"at {url(40001)} and {url(40002)}"}, {"msg": f"at {url(50002)} and {url(50001)}"}),
        ({"port": 40001, "at": url(40001)}, {"port": 50001, "at": url(50001)}),
        ({"path": "/tmp/x/ansible.k3b_x9q1.simulator/log"}, {"path": "/tmp/y/ansible.z3c_x9q1.simulator/log"}),
        ({"dest": "/a.pem.20260102T030405000001Z~"}, {"dest": "/a.pem.20260102T030406000002Z~"}),
        (
            {"path": "/x/ansible-test/2.21.5/in_process/installed/a"},
            {"path": "/x/ansible-test/2.21.5/module/installed/a"},
        ),
        ({"ansible_job_id": "j201587454.17498"}, {"ansible_job_id": "j914201587454.8"}),
        ({"checksums": ["ab" * 20, "cd" * 20]}, {"checksums": ["01" * 20, "23" * 20]}),
        ({"not_before": "2026-01-01T00:00:00Z"}, {"not_before": "2026-01-02T10:11:12.5+00:00"}),
        ({"server": {"uptime": 3}}, {"server": {"uptime": 4}}),
        ({"statistics": {"total_bytes_in": 0}}, {"statistics": {"total_bytes_in": 125000}}),
        ({"status": [{"id": "a"}]}, {"status": [{"id": "a", "record_bytes": 125000, "record_time": 1000}]}),
        (
            {"rows": [{"stream": "streamops-test-5f1c9a02", "latency": 0.1, "seconds_to_first_frame": 0.5}]},
            {"rows": [{"stream": "streamops-test-0e1d7b44", "latency": 0.2, "seconds_to_first_frame": 0.4}]},
        ),
        ({"table": ["rtmp  yes  0.57 s"]}, {"table": ["rtmp  yes  0.61 s"]}),
        ({"output_file_path": "/main_20260102030405.ts"}, {"output_file_path": "/main_20260102030406.ts"}),
        ({"msg": "a stopped, nothing was recorded"}, {"msg": "a stopped, file /a.ts, 125000 bytes, 0:00:01"}),
        ({"msg": "Valid booleans include: 0, 'yes', 1"}, {"msg": "Valid booleans include: 1, 0, 'yes'"}),
        ({"retries": ["Refused. Trying again in 0.2 s."]}, {"retries": ["Refused. Trying again in 0.5 s."]}),
        (
            {"fingerprint": "ab" * 32, "msg": f"{'ab' * 8}\u2026"},
            {"fingerprint": "cd" * 32, "msg": f"{'cd' * 8}\u2026"},
        ),
    ],
)
def test_values_that_differ_between_any_two_runs_are_no_difference(
    first: dict[str, t.Any], second: dict[str, t.Any]
) -> None:
    assert differences(first, second) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"msg": f"at {url(40001)} and {url(40002)}"}, {"msg": f"at {url(50001)} and {url(50001)}"}),
        ({"port": 8081, "at": url(40001)}, {"port": 8082, "at": url(40001)}),
        ({"ports": [40001, 40002, 40001]}, {"ports": [40001, 40002, 40002]}),
        ({"path": "/tmp/ansible.k3b_x9q1.simulator/log"}, {"path": "/tmp/ansible.k3b_x9q1.certificates/log"}),
        (
            {"path": "/x/ansible-test/2.21.5/in_process/installed/a"},
            {"path": "/x/ansible-test/2.21.5/module/installed/b"},
        ),
        ({"not_before": "2026-01-01T00:00:00Z"}, {"not_before": None}),
        ({"server": {"uptime": 3}}, {"server": {"uptime": None}}),
        ({"output_file_path": "/main_20260102030405.ts"}, {"output_file_path": "/other_20260102030405.ts"}),
        ({"msg": "a stopped, nothing was recorded"}, {"msg": "a restarted, nothing was recorded"}),
        ({"fingerprints": ["ab" * 32, "ab" * 32]}, {"fingerprints": ["ab" * 32, "cd" * 32]}),
        ({"elapsed": 1}, {"elapsed": 2}),
        ({"msg": "Valid booleans include: 0, 'yes', 1"}, {"msg": "Valid booleans include: 0, 1"}),
        ({"count": 40001}, {"count": 40002}),
    ],
)
def test_a_difference_with_a_meaning_is_found(first: dict[str, t.Any], second: dict[str, t.Any]) -> None:
    assert len(differences(first, second)) == 1


def test_numbering_holds_for_all_results_of_a_run() -> None:
    first = [result({"at": url(40001)}), result({"at": url(40002)}), result({"at": url(40001)})]
    second = [result({"at": url(40001)}), result({"at": url(40002)}), result({"at": url(40002)})]
    assert [line.rpartition("at: ")[2] for line in compare(first, second).differences] == [
        '"http://127.0.0.1:<port 1>/v1" in the first run, "http://127.0.0.1:<port 2>/v1" in the second run'
    ]


def test_the_random_name_of_a_generated_playbook_is_ignored() -> None:
    first, second = (
        result(SAME, run=f"role_audit-{name}.yml, playbook 1", path=f"/x/{name}/role_audit-{name}.yml:1")
        for name in ("cd2nwtqq", "0hx_tqe7")
    )
    assert compare([first], [second]).differences == []


def test_files_of_a_directory_have_no_order() -> None:
    one, other = {"files": [{"path": "/a"}, {"path": "/b"}]}, {"files": [{"path": "/b"}, {"path": "/a"}]}
    assert differences(one, other, "ansible.builtin.find") == []
    assert differences(one, {"files": [{"path": "/a"}, {"path": "/c"}]}, "ansible.builtin.find")
    assert differences(one, other)


def test_numbering_starts_again_with_each_playbook() -> None:
    first = [
        result({"at": url(40001)}, run="one.yml, playbook 1"),
        result({"at": url(40002)}, run="two.yml, playbook 2"),
    ]
    second = [
        result({"at": url(40001)}, run="one.yml, playbook 1"),
        result({"at": url(40001)}, run="two.yml, playbook 2"),
    ]
    assert compare(first, second).differences == []


def request(method: str, path: str, **more: t.Any) -> dict[str, t.Any]:
    """Return a record of the simulator's log."""
    return {"method": method, "path": path, "write": method == "POST", "time": 1.5, "connection": 40000, **more}


def test_reads_are_compared_as_a_set_and_writes_in_order() -> None:
    reads = [request("GET", "/a"), request("GET", "/b")]
    again = [request("GET", "/b", time=7.0), request("GET", "/a", connection=40005), request("GET", "/b")]
    writes = [request("POST", "/c"), request("POST", "/d")]

    def log(*records: dict[str, t.Any]) -> dict[str, t.Any]:
        return {"json": {"log": list(records)}, "elapsed": len(records), "msg": f"OK ({len(records)} bytes)"}

    assert differences(log(*reads, *writes, *reads), log(*again, *writes, *again), URI) == []
    assert differences(log(*reads, *writes), log(*reads, *reversed(writes)), URI)
    assert differences(log(*reads, *writes), log(*reads, writes[0], writes[0], writes[1]), URI)
    assert differences(log(*reads, *writes), log(reads[0], *writes), URI)
    assert differences(log(*reads), log(reads[0], request("GET", "/b", body={})), URI)
    starts = [request("POST", "/v1/vhosts/a/apps/b:startPush", body={"id": name}) for name in ("x", "y")]
    assert differences(log(*starts, writes[0]), log(*reversed(starts), writes[0]), URI) == []
    assert differences(log(*starts), log(*starts, starts[0]), URI)
    assert differences(log(starts[0], writes[0], starts[1]), log(starts[1], writes[0], starts[0]), URI)
    # Results of the collection are compared in full, whatever the name of the key.
    assert differences({"log": reads}, {"log": reads[::-1]})


@pytest.mark.parametrize(
    ("execution", "fields"),
    [
        (MODULE, {"started": 1}),
        (IN_PROCESS, {}),
        (IN_PROCESS, {"event": "failed"}),
        ("", {"event": "skipped"}),
        ("", {"action": URI, "started": 1}),
        ("", {"action": URI}),
    ],
)
def test_started_processes_decide_the_execution_path(execution: str, fields: dict[str, t.Any]) -> None:
    assert result({"changed": False}, **fields).execution == execution


def test_a_task_whose_options_cannot_be_templated_has_no_execution_path() -> None:
    assert result({"msg": "Task failed: 'tenant' is undefined"}, event="failed").execution == ""
    assert result({"msg": "'tenant' is undefined"}, event="item failed").execution == ""
    assert result({"msg": "Could not list the virtual hosts."}, event="failed").execution == IN_PROCESS
    assert result({"changed": False, "msg": "'tenant' is undefined"}).execution == IN_PROCESS


def written(path: pathlib.Path, *, started: int = 0, value: t.Any = None, action: str = VHOST, ends: int = 2) -> str:
    """Write a file as the callback does: a playbook with a task that has two items."""
    entries: list[dict[str, t.Any]] = [
        {"kind": "run", "playbook": "site.yml", "process": 1},
        {"kind": "task", "task": "t1", "name": "Create", "action": action},
    ]
    entries += [{"kind": "module", "module": action, "task": "t1", "host": "one"}] * started
    common = {
        "kind": "result",
        "host": "one",
        "task": "t1",
        "name": "Create",
        "path": "/x/site.yml:3",
        "action": action,
        "loop": True,
    }
    entries += [{**common, "event": "item ok", "item": number, "result": value or SAME} for number in range(ends)]
    entries.append({"kind": "stats", "hosts": {"one": {"ok": 1}}})
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
    return str(path)


def test_a_file_is_read(tmp_path: pathlib.Path) -> None:
    read_back = read(pathlib.Path(written(tmp_path / "a", started=2)))
    assert [(one.run, one.item, one.started, one.execution, one.result) for one in read_back] == [
        ("site.yml, playbook 1", item, 2, MODULE, SAME) for item in (0, 1)
    ]
    assert count_executions(read_back) == {MODULE: 2}
    (tmp_path / "b").write_text('{"kind": "result"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="before any playbook"):
        read(tmp_path / "b")


def test_the_command_succeeds_if_both_execution_paths_agree(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", written(tmp_path / "a"), written(tmp_path / "b", started=2)]) == 0
    assert capsys.readouterr().out == (
        "both execution paths: 2 results with 12 values compared, "
        "2 of them of modules of the collection (2 in process; 2 module): no difference\n"
    )


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({}, {}, "Create] streamops.ovenmediaengine.vhost took the execution path in_process, not module"),
        (
            {"started": 2},
            {"started": 2},
            "Create] streamops.ovenmediaengine.vhost took the execution path module, not in_process",
        ),
        ({}, {"started": 2, "value": {"changed": False}}, "changed: true in process, false in module"),
        ({"ends": 1}, {"started": 2}, "item ok 1: only in module"),
        ({"action": URI}, {"action": URI, "started": 2}, "No result of a module of the collection is in both runs."),
        ({"ends": 0}, {"ends": 0}, "No result of a module of the collection is in both runs."),
    ],
)
def test_the_command_fails(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], first: t.Any, second: t.Any, words: str
) -> None:
    assert main(["compare", written(tmp_path / "a", **first), written(tmp_path / "b", **second)]) == 1
    assert words in capsys.readouterr().out


def test_a_long_report_is_truncated(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = written(tmp_path / "a", value={str(number): number for number in range(200)})
    assert main(["compare", one, written(tmp_path / "b", started=2, value={"changed": False})]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 42
    assert lines[-2] == "and 362 more"


def test_a_wrong_command_prints_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "one"]) == 2
    assert "python -m tests.execution_paths compare" in capsys.readouterr().err
