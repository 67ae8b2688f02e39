# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples of modules are complete, and the integration target gets all of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.tests import module_examples
from ansible_collections.streamops.ovenmediaengine.tests.module_examples import __main__ as writer
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS, argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES


def test_each_module_has_an_example_with_options_that_it_has() -> None:
    examples = module_examples.examples()
    assert set(examples) == set(MODULES)
    for module, example in examples.items():
        assert {*example.options, *example.beside} <= set(argument_spec(module)), module
        assert example.effect == module_examples.NOTHING or not module.endswith("_info"), module


def test_a_scenario_is_named_by_its_module() -> None:
    found = module_examples.scenarios("0.21.0")
    assert all(name.startswith(f"{scenario.module}: ") for name, scenario in found.items())
    assert all(set(scenario.options) <= set(argument_spec(scenario.module)) for scenario in found.values())


@pytest.mark.parametrize(
    ("version", "missing"),
    [
        ("0.20.0", {"stream_stt"}),
        (
            "0.15.10",
            {
                "multiplex_channel",
                "multiplex_channels",
                "scheduled_channel",
                "scheduled_channels",
                "stream_conclude",
                "stream_stt",
            },
        ),
    ],
)
def test_scenarios_of_modules_whose_calls_a_version_does_not_have_are_left_out(version: str, missing: set[str]) -> None:
    newest, found = (
        {scenario.module for scenario in module_examples.scenarios(one).values()} for one in ("0.21.0", version)
    )
    assert newest - found >= missing and found <= newest
    assert {"vhost", "stream_event"} <= found


def test_the_options_name_files_that_are_there(tmp_path: Path) -> None:
    options = module_examples.options(tmp_path)
    assert "/FILES" not in json.dumps(options)
    assert (Path(options["config_import"]["config_dir"]) / "Server.xml").is_file()
    assert (Path(options["audit_report"]["parts_dir"]) / "audit.json").is_file()


def test_options_get_other_names_where_they_have_some() -> None:
    placed = module_examples.placed({"vhost": "a", "names": ["x"]}, vhost="b", app="c")
    assert placed == {"vhost": "b", "names": ["x"]}


def test_each_example_becomes_a_task_in_check_mode_and_one_for_real(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert writer.main([str(tmp_path)]) == 0
    tasks = json.loads((tmp_path / "examples.yml").read_text(encoding="utf-8"))
    modules = [(module, mode) for module in OPERATIONS for mode in (True, False)]
    found = {(module, task.get("check_mode", False)) for task in tasks for module in OPERATIONS if _runs(task, module)}
    assert len(tasks) == len(modules) and found == set(modules)
    written = json.loads(capsys.readouterr().out)
    assert written["results"] == [task["register"] for task in tasks] and len(written["needed"]) == 3


def _runs(task: dict[str, object], module: str) -> bool:
    return f"streamops.ovenmediaengine.{module}" in task


def test_other_arguments_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert writer.main([]) == 2
    assert "examples.yml" in capsys.readouterr().err
