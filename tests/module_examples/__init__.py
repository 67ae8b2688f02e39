# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An example of each module, from which tests derive most of what they try with it.

Each file is a family of modules. ``EXAMPLES`` has options with which each module succeeds, and what cannot be derived
from its code. ``scenarios``, for modules that write, yields runs for the tests of faults. Many tests read them:

============================================  ==================================================================
tests/unit/hostile                            hostile values in each option, and responses of hostile servers
tests/unit/faults                             a fault at each request of each scenario
tests/e2e/test_secret_scan.py                 secrets in each option, with success and each common error
tests/integration/targets/execution_paths     both execution paths, in check mode and in a real run
tests/unit/plugins/plugin_utils               the effect: in check mode, in the first and in the second run
============================================  ==================================================================

Scenarios of a module are left out for server versions that have none of its calls, according to docs/api-coverage.md.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import types
import typing as t
from pathlib import Path

from ansible_collections.streamops.ovenmediaengine.tests.simulator.versions import VERSIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit import api_coverage

from ._example import ALWAYS, ANY_END, EVERY, NOTHING, ONCE, SUCCESS, Example, Options
from ._scenario import CANARY, Scenario
from ._server import HOLDER, LIVE, RENDITIONS, in_directory, prepare, write_files

__all__ = [
    "ALWAYS",
    "ANY_END",
    "CANARY",
    "EVERY",
    "HOLDER",
    "LIVE",
    "NOTHING",
    "ONCE",
    "RENDITIONS",
    "SUCCESS",
    "Example",
    "Options",
    "Scenario",
    "examples",
    "inside",
    "options",
    "placed",
    "prepare",
    "scenarios",
]


@functools.cache
def _families() -> list[types.ModuleType]:
    names = [file.name for file in pkgutil.iter_modules(__path__) if not file.name.startswith("_")]
    return [importlib.import_module(f"{__name__}.{name}") for name in names]


@functools.cache
def examples() -> dict[str, Example]:
    """Return the example of each module."""
    found = [example for family in _families() for example in family.EXAMPLES]
    assert len({example.module for example in found}) == len(found), "a module has two examples"
    return {example.module: example for example in found}


def options(directory: Path) -> dict[str, dict[str, t.Any]]:
    """Return the options of each module, with a directory in which the files that they name are written."""
    write_files(directory)
    return {module: in_directory(example.options, directory) for module, example in examples().items()}


def placed(values: Options, **place: str) -> dict[str, t.Any]:
    """Return options with other names of virtual host, application and so on, where they have such an option."""
    return {**values, **{name: text for name, text in place.items() if name in values}}


@functools.cache
def inside() -> dict[str, t.Mapping[str, t.Any]]:
    """Return valid values inside of options that hold objects, by the name of the option."""
    return {name: values for example in examples().values() for name, values in example.inside.items()}


@functools.cache
def _since() -> dict[str, api_coverage.Version]:
    """Return the first release that has a call of each module."""
    found: dict[str, api_coverage.Version] = {}
    for row in api_coverage.rows():
        for module in row.modules:
            found[module] = min(row.since, found.get(module, row.since))
    return found


def scenarios(version: str) -> dict[str, Scenario]:
    """Return the scenarios of all modules by name, for a version of the simulator."""
    release = api_coverage.numbers(VERSIONS[version].reported)
    found = [
        scenario
        for family in _families()
        if hasattr(family, "scenarios")
        for scenario in family.scenarios(version)
        if _since().get(scenario.module, release) <= release
    ]
    assert len({one.name for one in found}) == len(found), "two scenarios have one name"
    return {one.name: one for one in found}
