# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server starts from the files that the collection renders, and reads back what they say."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import virtual_host_file
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA
from ansible_collections.streamops.ovenmediaengine.tests.simulator.configuration import load
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.config_files import server, write
from ansible_collections.streamops.ovenmediaengine.tests.simulator.versions import VERSIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._config.meaning import (
    meaning,
    virtual_hosts_with_applications,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def without_empty_extras(value: Any, inside: bool = False) -> Any:
    """Return a value without what is empty in ``extra``: an element without members is read as an empty object."""
    if isinstance(value, list):
        return [without_empty_extras(item, inside) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: without_empty_extras(item, inside or key == "extra") for key, item in value.items()}
    return {key: item for key, item in kept.items() if item not in ({}, []) or not (inside or key == "extra")}


@pytest.mark.parametrize("version", RECORDED_MEDIA)
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_server_starts_from_rendered_virtual_hosts(version: str, data: st.DataObject) -> None:
    vhost: dict[str, Any] = data.draw(virtual_hosts_with_applications(version))
    with tempfile.TemporaryDirectory() as directory:
        content = virtual_host_file.render(vhost)
        write(Path(directory), Server=server('<VirtualHost include="VHost*.xml"/>'), VHost_a=content)
        ((config, applications),) = load(Path(directory), VERSIONS[version]).virtual_hosts
    desired = {key: value for key, value in vhost.items() if key != "applications"}
    check(VIRTUAL_HOST, config, desired)
    assert len(applications) == len(vhost["applications"])
    for app, wanted in zip(applications, vhost["applications"]):
        check(APPLICATION, app, wanted)


def check(declaration: Object, read: dict[str, Any], desired: dict[str, Any]) -> None:
    """Compare what the server reads with what was rendered."""
    found = meaning(declaration, declaration.from_wire(read))
    assert without_empty_extras(found) == without_empty_extras(meaning(declaration, desired))
