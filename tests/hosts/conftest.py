# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One guest for all tests, and on it one media server at a time; which tests run, and how long each took."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import Project
from ansible_collections.streamops.ovenmediaengine.tools import fresh

from . import images, table
from .guest import Guest
from .media import Media

BACKENDS = ("quadlet", "compose", "systemd")
RESULTS = table.Results(BACKENDS)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option, because all scenarios take most of an hour."""
    parser.addoption("--all-scenarios", action="store_true", help="also those that make test-all leaves out")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out scenarios without the mark ``chosen``, or with another backend than it names."""
    if not config.getoption("all_scenarios"):
        items[:] = [item for item in items if _is_chosen(item)]


def _is_chosen(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("chosen")
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return mark is not None and parameters.get("media") in mark.args


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the time of a scenario."""
    RESULTS.add(report.nodeid, report.duration, report.outcome)


def pytest_terminal_summary(terminalreporter: t.Any) -> None:
    """Print the table of scenarios and backends."""
    for line in RESULTS.lines():
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def guest() -> t.Iterator[Guest]:
    """Provide a host with the images of both engines and the binary."""
    try:
        new = Guest.new()
    except fresh.Unusable as error:
        pytest.skip(str(error))
    images.prepare(new)
    with new:
        new.versions = images.load(new)
        yield new


@pytest.fixture(scope="class", params=BACKENDS)
def media(guest: Guest, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Media]:
    """Provide a media server that is not installed yet, and uninstall it after the last test of a class."""
    found = Media(guest, Project(tmp_path_factory.mktemp(request.param)), request.param)
    yield found
    removed = found.play(server_state="absent", server_restart="always")
    assert removed.status == 0, removed.output
    assert guest.run("systemctl", "list-units", "--failed", "--plain", "--no-legend", f"{found.unit}*") == ""
    # What the role leaves there. The next class finds a new host.
    guest.run("rm", "--recursive", "--force", found.config, found.log, found.data)
