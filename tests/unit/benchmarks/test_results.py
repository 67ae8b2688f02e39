# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is made of the numbers of a benchmark: medians, ratios, promises, the page."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.benchmarks import __main__ as program
from ansible_collections.streamops.ovenmediaengine.benchmarks import (
    media_objects,
    notes,
    objects,
    rulebook_rows,
    ssh_rows,
)
from ansible_collections.streamops.ovenmediaengine.benchmarks.measuring import Sample
from ansible_collections.streamops.ovenmediaengine.benchmarks.page import page
from ansible_collections.streamops.ovenmediaengine.benchmarks.places import Place
from ansible_collections.streamops.ovenmediaengine.benchmarks.results import Results, Spread
from ansible_collections.streamops.ovenmediaengine.benchmarks.rows import Rows
from ansible_collections.streamops.ovenmediaengine.benchmarks.table import (
    BASE,
    DEBUG_ONE,
    EMPTY,
    EMPTY_BULK,
    GROUPS,
    ONLY_SIMULATED,
    Row,
    Sizes,
)
from ansible_collections.streamops.ovenmediaengine.benchmarks.targets import Verdict, verdicts

ABOUT = {
    "server": "simulated",
    "missing": {},
    "groups": list(GROUPS),
    "at_most": 0,
    "again": 2,
    "cores": 2,
    "system": "Linux",
    "python": "3.12.1",
    "ansible_core": "2.21.5",
    "requests": "2.34.2",
    "forks": 10,
    "seconds_a_request": [0.0002, 0.0001, 0.0003],
}


class NoServers:
    """Servers without requests, for rows that are built and not measured."""

    urls: t.Sequence[str] = ()
    environment: t.Mapping[str, str] = {}
    cpu = None

    def clear(self) -> None:
        """Remove nothing."""

    def requests(self) -> None:
        """Count nothing."""


@pytest.fixture
def rows(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """Provide all rows of a whole run, even if there is no Java and no OpenSSH."""
    monkeypatch.setattr(rulebook_rows, "missing", lambda: None)
    monkeypatch.setattr(ssh_rows, "has_sshd", lambda: True)
    place = Place(tmp_path / "one", NoServers(), {}, {})
    return Rows(place, place, Sizes(), place, place).all()


def costs(rows: t.Sequence[Row], factor: float = 1.0, **seconds: float) -> dict[str, Sample]:
    """Return a round in which each row took what is expected of it, or what is said here."""
    return {
        row.key: Sample(
            factor * seconds.get(row.key, row.expected),
            2.0,
            60.0,
            70.0,
            requests=1001,
            server_cpu=0.25 * factor * row.expected,
        )
        for row in rows
    }


def test_a_spread_has_median_minimum_and_maximum() -> None:
    results = Results({}, [{"a": Sample(3.0)}, {"a": Sample(1.0)}, {"a": Sample(2.0)}, {"b": Sample(9.0)}])
    assert results.spread("a") == Spread(2.0, 1.0, 3.0, 3)
    assert results.spread("c") is None
    assert results.spread("a", lambda sample: sample.cpu) is None


def test_short_rows_count_as_often_as_they_were_measured() -> None:
    results = Results({}, [{"a": Sample(1.0), "b": Sample(9.0)}], [{"a": Sample(2.0)}, {"a": Sample(4.0)}])
    assert results.spread("a") == Spread(2.0, 1.0, 4.0, 3)
    assert results.spread("b") == Spread(9.0, 9.0, 9.0, 1)
    assert results.figure(("a", "b"), lambda cost: cost["b"].seconds / cost["a"].seconds) == Spread(9.0, 9.0, 9.0, 1)


def test_short_rows_are_compared_with_short_rows(rows: list[Row]) -> None:
    short = {row.key for row in rows if row.short}
    assert {key for row in rows if row.short for key in row.needs} <= short
    assert all(row.expected < 4 for row in rows if row.short)


def test_a_ratio_is_made_in_each_round_and_not_of_medians() -> None:
    results = Results(
        {},
        [
            {"a": Sample(2.0), "b": Sample(1.0)},
            {"a": Sample(30.0), "b": Sample(10.0)},
            {"a": Sample(4.0), "b": Sample(1.0)},
            {"a": Sample(9.0)},
        ],
    )
    assert results.figure(("a", "b"), lambda cost: cost["a"].seconds / cost["b"].seconds) == Spread(3.0, 2.0, 4.0, 3)
    assert results.figure(("a", "c"), lambda cost: cost["c"].seconds) is None


def test_saved_results_are_read_again(tmp_path: pathlib.Path) -> None:
    results = Results(ABOUT, [{"a": Sample(1.5, 1.0, 60.0, 61.0, 3, 0.5)}, {"a": Sample(1.0)}], [{"a": Sample(2.5)}])
    path = tmp_path / "new" / "raw.json"
    results.save(path)
    assert Results.load(path) == results


def test_keys_are_unique_and_figures_are_made_of_rows_of_the_same_group_or_the_base(rows: list[Row]) -> None:
    by_key = {row.key: row for row in rows}
    assert len(by_key) == len(rows)
    for row in rows:
        assert row.group in GROUPS
        assert {by_key[key].group for key in row.needs} <= {row.group, BASE}
        assert (row.figure is None) == (row.needs == ())
        if row.figure is not None:
            only_these = {key: Sample(1.0, 1.0) for key in (row.key, *row.needs)}
            assert row.figure.of(only_these) >= 0


def test_a_real_server_has_no_rows_that_need_simulated_ones(tmp_path: pathlib.Path, rows: list[Row]) -> None:
    place = Place(tmp_path / "real", NoServers(), {}, {})
    real = {row.key for row in Rows(place, None, Sizes()).all()}
    left_out = {row.key for row in rows} - real
    assert real < {row.key for row in rows}
    assert left_out == {row.key for row in rows if row.group in ONLY_SIMULATED or row.key.endswith("_10000")}


def test_no_size_is_above_the_limit() -> None:
    small = Sizes().at_most(2)
    expected = {field.name: 2 for field in dataclasses.fields(Sizes)}
    assert dataclasses.asdict(small) == {**expected, "loops": (1, 2), "growth": (2,), "playbacks": (2,)}
    assert Sizes().at_most(100000) == Sizes()


def test_the_page_has_all_rows_and_compares_the_targets(rows: list[Row]) -> None:
    results = Results(ABOUT, [costs(rows), costs(rows, 2.0), costs(rows, 1.5)])
    text = page(results, rows, Sizes())
    lines = text.splitlines()
    for row in rows:
        same = [other for other in rows if other.text == row.text]
        assert len([line for line in lines if line.startswith(f"| {row.text} | ")]) == len(same), row.text
    empty = next(line for line in lines if line.startswith("| A playbook without a task |"))
    assert empty == "| A playbook without a task | 0.90 s | 0.60 - 1.20 | 3 | 2.00 s | 63 / 73 | 1,001 | 25 % |  |"
    assert "Such a server takes 200 µs (100 to 300 µs)" in text
    assert "of 3 rounds" in text
    assert "2 more times in each" in text
    assert "## Targets" in text
    # As many bars everywhere.
    table = [line for line in lines if line.startswith("|") and line in lines[: lines.index("## Targets")]]
    assert {line.count("|") for line in table} == {10}


def test_a_page_of_few_rounds_judges_nothing(rows: list[Row]) -> None:
    text = page(Results({**ABOUT, "at_most": 3}, [costs(rows)]), rows, Sizes())
    assert "## Targets" not in text
    assert "more than 3 objects" in text


def test_the_page_names_omitted_rows(rows: list[Row]) -> None:
    groups = [group for group in GROUPS if group not in ("loops", "pushes", "growth")]
    about = {**ABOUT, "groups": groups, "server": "real", "missing": ONLY_SIMULATED}
    text = page(Results(about, [costs(rows)]), rows, Sizes())
    assert "**Measured on a real server.**" in text
    assert "Left out, `fleet`: there is one server." in text
    assert "Left out, `media`: pulls need an origin, and channels a directory on the server." in text
    assert "Not requested: `loops`, `pushes`, `growth`." in text


def test_the_page_says_what_is_the_cost_of_ansible_itself(rows: list[Row]) -> None:
    more = {EMPTY: 0.5, DEBUG_ONE: 0.6, "debug": 2.5, "loop_500": 4.0, "fleet_debug_one": 2.5, "fleet_unchanged": 5.0}
    text = page(Results(ABOUT, [costs(rows, **more)] * 2), rows, Sizes()).partition("Ansible's own cost\n")[2]
    assert "takes 0.50 s, and one task that does nothing 100.0 ms (100.0 - 100.0)" in text
    assert "Each item of a loop costs 4.0 ms (4.0 - 4.0)" in text
    assert "62 % (62 - 62) of the time of the loop of 500 `vhost`" in text
    assert "20.0 ms (20.0 - 20.0) for each of 100 hosts" in text
    assert "50 % (50 - 50) of the time of `provision` unchanged" in text
    assert notes.notes(Results(ABOUT, [{EMPTY: Sample(1.0)}]), Sizes()) == []


def test_long_rows_are_measured_in_few_rounds(tmp_path: pathlib.Path, rows: list[Row]) -> None:
    long = [row for row in rows if row.rounds]
    assert {row.key for row in long} >= {"loop_500_module", "large_unchanged", "playback_1000", "ssh_uri"}
    assert {row.rounds for row in long if row.expected > 60} == {1}
    assert {row.rounds for row in long if row.expected <= 60} == {2} and min(row.expected for row in long) > 15
    run = dataclasses.replace(long[0], run=lambda: Sample(1.0, 1.0, 1.0, 1.0), expected=20.0)
    results = Results({**ABOUT, "again": 0})
    program.Bench([run], Place(tmp_path / "one", NoServers(), {}, {}), results, lambda: None).measure(3, 0)
    assert [len(one) for one in results.rounds] == [1, 1, 0]


def test_a_real_server_needs_a_token(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OVENMEDIAENGINE_API_URL", "http://127.0.0.1:1")
    monkeypatch.delenv("OVENMEDIAENGINE_API_TOKEN", raising=False)
    assert program.main(["--rounds", "1"]) == 2
    assert "OVENMEDIAENGINE_API_TOKEN is not" in capsys.readouterr().out


KEPT = {
    EMPTY: 0.5,
    EMPTY_BULK: 0.5,
    "debug": 2.0,
    "script_new": 0.5,
    "script_unchanged": 1.5,
    "bulk_new": 1.2,
    "bulk_unchanged": 2.4,
    "loop_500": 2.4,
    "loop_500_uri": 72.0,
    "fleet_debug_one": 2.0,
    "fleet_debug": 10.0,
    "fleet_unchanged": 6.0,
    "fleet_audit": 7.0,
    "fleet_status": 5.5,
    "ssh_uri": 40.0,
    "ssh_vhost": 40.0,
    "large_debug_one": 20.0,
    "large_unchanged": 60.0,
    "rebuild_empty": 0.5,
    "rebuild_script": 1.5,
    "rebuild": 2.4,
    "latency": 4.0,
    "latency_serial": 24.0,
    "growth_new_1000": 1.5,
    "growth_new_10000": 10.5,
    "growth_unchanged_1000": 2.5,
    "growth_unchanged_10000": 25.5,
}


def judged(rows: t.Sequence[Row], processor: float = 10.0, memory: float = 70.0, **more: float) -> list[Verdict]:
    """Return the verdicts about a round that keeps all targets, but for what is passed here."""
    cost = costs(rows, **{**KEPT, **more})
    cost["fleet_unchanged_module"] = Sample(60.0, 80.0, 60.0, memory)
    cost["fleet_unchanged"] = cost["fleet_unchanged"]._replace(cpu=processor)
    return verdicts(Results(ABOUT, [cost]), Sizes())


@pytest.mark.parametrize(
    ("key", "seconds", "missed"),
    [
        ("bulk_new", 1.3, ["1,000 virtual hosts in one task, new"]),
        ("bulk_unchanged", 2.5, ["1,000 virtual hosts in one task, unchanged"]),
        ("loop_500_uri", 71.0, ["A loop of 500 unchanged `vhost`"]),
        ("loop_500", 2.41, ["A loop of 500 unchanged `vhost`", "The same loop"]),
        ("fleet_debug_one", 1.9, ["Fleet of 100, `provision`, unchanged: at most 3 ×"]),
        ("fleet_debug", 9.9, ["Fleet of 100, `provision`, unchanged: at most 0.6 ×"]),
        ("large_unchanged", 61.0, ["Fleet of 1,000, `provision`, unchanged: at most 3 ×"]),
        ("rebuild", 2.5, ["Rebuild of 200 virtual hosts"]),
        ("fleet_audit", 7.9, ["Audit of a fleet of 100"]),
        ("fleet_status", 6.1, ["Status of a tenant on 100 servers"]),
        ("ssh_vhost", 41.0, ["A loop"]),
        ("latency", 4.1, ["1,000 reads at 20 ms latency"]),
        # At 1,000 it is 2 ms each, at 10,000 it is 2.5 ms.
        ("growth_new_10000", 13.1, ["Linear growth, new"]),
        ("growth_unchanged_10000", 25.6, ["Linear growth, unchanged"]),
    ],
)
def test_promises(rows: list[Row], key: str, seconds: float, missed: list[str]) -> None:
    assert {verdict.kept for verdict in judged(rows)} == {True}
    broken = [verdict.text for verdict in judged(rows, **{key: seconds}) if not verdict.kept]
    assert [text[: len(start)] for text, start in zip(broken, missed, strict=True)] == missed


def test_promises_about_processor_and_memory(rows: list[Row]) -> None:
    broken = {verdict.text: verdict.measured for verdict in judged(rows, 10.2, 145.0) if not verdict.kept}
    assert broken == {
        "Fleet of 100, unchanged: at least 8 × less processor time than as modules": "7.84 × (7.84 - 7.84)",
        "Memory of each process of the controller: at most 150 MB in all rows": "152 MB",
    }


def test_unmeasured_targets_are_not_judged() -> None:
    judged = verdicts(Results(ABOUT, [{EMPTY: Sample(1.0)}]), Sizes())
    assert {one.kept for one in judged} == {None}


def test_objects_are_recognized_by_their_names() -> None:
    names = [vhost["name"] for vhost in objects.tenants(3)]
    assert len(set(names)) == 3
    assert all(name.startswith(objects.PREFIX) for name in names)
    assert {task["vhost"] for task in objects.push_tasks(7, 3)} == set(names)
    for listed in (media_objects.records, media_objects.channels, media_objects.streams):
        assert {entry["vhost"] for entry in listed(7, 3)} == set(names)


def test_a_script_makes_virtual_hosts_in_pieces() -> None:
    assert [len(body) for _method, _path, body in objects.create_virtual_hosts(1001)] == [500, 500, 1]


def test_rounds_follow_each_other_and_short_rows_are_measured_again(tmp_path: pathlib.Path, rows: list[Row]) -> None:
    every = [functools.partial(costs(rows).__getitem__, row.key) for row in rows]
    rows = [dataclasses.replace(row, run=run, expected=1.0) for row, run in zip(rows, every)]
    results = Results({**ABOUT, "again": 2})
    program.Bench(rows, Place(tmp_path / "one", NoServers(), {}, {}), results, lambda: None).measure(2, 0)
    assert [set(one) for one in results.rounds] == [{row.key for row in rows}] * 2
    assert [set(one) for one in results.again] == [{row.key for row in rows if row.short}] * 4
    text = page(results, rows, Sizes())
    assert "2 more times in each" in text
    assert [
        line.split("|")[4].strip() for line in text.splitlines() if line.startswith("| A playbook without a task |")
    ] == ["6"]


def test_until_ends_after_the_round_that_passes_it(
    tmp_path: pathlib.Path, rows: list[Row], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 50.0, 150.0])
    monkeypatch.setattr(program.time, "monotonic", lambda: next(seconds))
    row = dataclasses.replace(rows[0], run=lambda: Sample(1.0, 1.0, 1.0, 1.0))
    results = Results({**ABOUT, "again": 0})
    program.Bench([row], Place(tmp_path / "one", NoServers(), {}, {}), results, lambda: None).measure(3, 100)
    assert len(results.rounds) == 2
    assert "ended after 2 of 3 rounds, as UNTIL says" in capsys.readouterr().out
