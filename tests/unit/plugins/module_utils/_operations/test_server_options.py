# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the files of a server are to hold."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.server_options import (
    options_of,
    port_of_api,
    specs,
    unlisted,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST


def _params(**specified: Any) -> dict[str, Any]:
    defaults = {name: spec.get("default") for name, spec in specs().items()}
    return {**defaults, "version": NEWEST, "api_token": "token", **specified}


def test_applications_are_in_their_virtual_hosts() -> None:
    vhosts = [{"name": "a", "applications": [{"name": "x"}]}, {"name": "b", "applications": None}]
    apps = [{"vhost": "b", "name": "y"}, {"vhost": "default", "name": "app"}]
    params = _params(vhosts=vhosts, applications=apps)
    assert options_of(params)["vhosts"] == [vhosts[0], {"name": "b", "applications": [{"name": "y"}]}]
    assert unlisted(params) == ["default"]
    assert vhosts[1]["applications"] is None


def test_the_settings_get_the_token_and_a_port() -> None:
    settings = options_of(_params())["server"]
    assert settings == {
        "managers": {"api": {"access_token": "token"}},
        "bind": {"managers": {"api": {"port": "8081"}}},
    }
    # Whoever says something of the API says all of it.
    own = {"name": "media", "bind": {"managers": {"api": {"tls_port": "8082"}}}}
    assert options_of(_params(server=own))["server"] == {"managers": settings["managers"], **own}


def test_logs_are_in_the_directory_of_the_server() -> None:
    assert options_of(_params())["logger"] == {"path": "/var/log/ovenmediaengine"}
    assert options_of(_params(logger={"path": "/srv/log"}))["logger"] == {"path": "/srv/log"}


@pytest.mark.parametrize(
    ("port", "environment", "found"),
    [
        ("8082", {}, "8082"),
        ("8082/tcp", {}, "8082"),
        ("${env:API_PORT:8083}", {}, "8083"),
        ("${env:API_PORT:8083}", {"API_PORT": 8084}, "8084"),
        ("${env:API_PORT}", {}, ""),
        (None, {}, ""),
    ],
)
def test_the_port_of_the_api(port: Any, environment: dict[str, Any], found: str) -> None:
    server = {"bind": {"managers": {"api": {"port": port, "tls_port": "8443"}}}}
    assert port_of_api(_params(server=server, environment_variables=environment)) == found


def test_the_port_of_the_api_has_a_default() -> None:
    assert port_of_api(_params(server={"name": "media"})) == "8081"
