# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulator does not start with what the tables of the collection refuse, and starts with the neighbours.

Its own rules come from the server's source a second time (server-facts: Values that servers refuse).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import versions, virtual_host_file
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.server_files import (
    LoggerFile,
    ServerFile,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import Version, show
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.logger_config import LOGGER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NotStarted
from ansible_collections.streamops.ovenmediaengine.tests.simulator.configuration import load
from ansible_collections.streamops.ovenmediaengine.tests.simulator.versions import VERSIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._resources.test_refusals import (
    ROWS,
    Row,
)

from .config_files import server, write

INCLUDE = '<VirtualHost include="VHost*.xml"/>'
DECLARATIONS = {"server": SERVER, "logger": LOGGER, "vhost": VIRTUAL_HOST_FILE, "application": VIRTUAL_HOST_FILE}


def whole(table: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return what has a file of its own: the virtual host of an application."""
    if table == "application":
        return {"name": "t", "host": {"names": ["t.example.com"]}, "applications": [{"name": "live", **value}]}
    return {"name": "t", "host": {"names": ["t.example.com"]}, **value} if table == "vhost" else value


def is_known(table: str, value: dict[str, Any], version: Version) -> bool:
    """Return whether a release knows all options of a value."""
    try:
        versions.check(DECLARATIONS[table], whole(table, value), version)
    except OmeError:
        return False
    return True


def start(directory: Path, table: str, value: dict[str, Any], version: Version) -> None:
    """Write the file of a value without its checks, and start a simulator of the version from it."""
    files = {"Server": server(INCLUDE)}
    if table == "server":
        files["Server"] = ServerFile(version).render({"name": "x", **value})
    elif table == "logger":
        files["Logger"] = LoggerFile().render(value)
    else:
        files["VHost_t"] = virtual_host_file.render(whole(table, value))
    write(directory, **files)
    load(directory, VERSIONS[show(version)])


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_server_does_not_start_with_what_a_row_refuses(tmp_path: Path, row: Row) -> None:
    known = 0
    for value in row.example.refused.values():
        for version in row.versions:
            if is_known(row.table, value, version):
                known += 1
                if row.example.starts:
                    start(tmp_path, row.table, value, version)
                else:
                    with pytest.raises(NotStarted):
                        start(tmp_path, row.table, value, version)
    assert known


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_server_starts_with_the_neighbours(tmp_path: Path, row: Row) -> None:
    started = 0
    for value in row.example.taken:
        for version in row.versions:
            if is_known(row.table, value, version) and "${PublicIP}" not in str(value):
                try:
                    start(tmp_path, row.table, value, version)
                except NotStarted as error:  # what is in `extra` is not known to all releases
                    assert "Unknown item found" in str(error), value
                else:
                    started += 1
    assert started
