# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `config_dir` means one thing everywhere, and says so if it is not used."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._task_options import paths_of
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

PUSH = {
    "vhost": "default",
    "app": "app",
    "id": "p",
    "stream": "main",
    "protocol": "srt",
    "url": "srt://a.example.com:9",
}
TASKS: list[tuple[str, dict[str, Any]]] = [
    ("vhost", {"name": "t", "host": "t.example.com"}),
    ("vhosts", {"vhosts": []}),
    ("application", {"vhost": "default", "name": "app"}),
    ("applications", {"applications": []}),
    ("push_tasks", {"tasks": [PUSH]}),
    ("records", {"records": []}),
    ("provision", {}),
    ("audit_info", {}),
]


# Push tasks and recordings use the directory without durable, too: they read the stream maps in it.
@pytest.mark.parametrize(("module", "options"), [one for one in TASKS if one[0] not in ("push_tasks", "records")])
def test_a_configuration_directory_that_is_not_used_is_a_warning(
    current: Simulator, module: str, options: dict[str, Any]
) -> None:
    result = run_module(module, connection(current, config_dir="/etc/ovenmediaengine", **options), check_mode=True)
    (warning,) = [text for text in result.warnings if "config_dir" in text]
    assert "config_dir is not used, because durable is false: " in warning
    unset = run_module(module, connection(current, **options), check_mode=True)
    assert "config_dir" not in str(unset.warnings)


@pytest.mark.parametrize(("module", "options"), TASKS)
@pytest.mark.parametrize("path", (None, "conf", "./conf"))
def test_a_relative_configuration_directory_is_refused(
    current: Simulator, module: str, options: dict[str, Any], path: str | None
) -> None:
    result = run_module(module, connection(current, durable=True, config_dir=path, **options))
    expected = "is required if durable is true" if path is None else "expected the absolute path of the server's "
    assert result.failed and result["msg"].startswith(f"config_dir: {expected}") and not current.log


def test_no_execution_path_looks_for_a_relative_configuration_directory_beside_the_playbook() -> None:
    for operation in OPERATIONS.values():
        assert "config_dir" not in paths_of(operation)
