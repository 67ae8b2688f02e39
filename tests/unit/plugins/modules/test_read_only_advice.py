# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What comes from the server's configuration file and differs is to be changed there, and not to be recreated."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

VHOST = {"name": "default", "host": {"names": ["other.example.com"]}}
APP = {"vhost": "default", "name": "app", "providers": {"rtmp": {}, "mpegts": {}}}
TASKS: list[tuple[str, dict[str, Any]]] = [
    ("vhost", VHOST),
    ("vhosts", {"vhosts": [VHOST]}),
    ("application", APP),
    ("applications", {"applications": [APP]}),
    ("provision", {"vhosts": [VHOST]}),
    ("provision", {"applications": [APP]}),
]


@pytest.fixture
def bare(current: Simulator) -> Simulator:
    """A server whose configured virtual host has no number and no boolean, by which it could be recognized."""
    default = current.state.virtual_hosts["default"]
    default.config = {"name": "default", "host": {"names": ["*"]}}
    default.applications["app"].config = {"name": "app", "type": "live", "providers": {"rtmp": {}}}
    return current


@pytest.mark.parametrize(("module", "options"), TASKS)
def test_a_virtual_host_from_a_file_that_differs_is_to_be_changed_in_its_file(
    bare: Simulator, module: str, options: dict[str, Any]
) -> None:
    result = run_module(module, connection(bare, **options))
    assert result.failed and "recreate" not in result["msg"], result["msg"]
    assert "Change it in the server's configuration file" in result["msg"]
    assert "durable with config_dir changes the file" in result["msg"]


@pytest.mark.parametrize(("module", "options"), TASKS)
def test_check_mode_says_that_it_may_come_from_a_file(bare: Simulator, module: str, options: dict[str, Any]) -> None:
    result = run_module(module, connection(bare, **options), check_mode=True)
    assert result.failed and bare.writes == []
    assert "Check mode cannot determine whether it comes from the server's configuration file" in result["msg"]
