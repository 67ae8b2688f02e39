# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An import with macros: files to variables, and by server_config back to files, as people see it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

from .configuration_directory import load, options, read

CASES = Path(__file__).parents[3] / "cases"
TOKEN = "{{ ovenmediaengine_secret_server_managers_api_access_token }}"


def texts(folder: Path) -> Counter[tuple[str, str]]:
    """Return the texts with macros in the files of a directory, each with the name of its element."""
    return Counter(
        (one.tag, one.text)
        for path in folder.glob("*.xml")
        for one in ElementTree.parse(path).iter()
        if one.text and "${" in one.text
    )


def case(name: str, **given: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    result = read(CASES / name, **given)
    return result, load(result)


def left_out(result: dict[str, Any]) -> list[str]:
    return [f"{one['what']}: {one['reason']}" for one in result["left_out"]]


@pytest.mark.parametrize(
    "name",
    [
        "macro_bitrate",
        "macro_cert_path",
        "macro_host_name",
        "macro_number_and_host_name",
        "macro_redis_host",
        "macro_transcode_webhook_url",
        "macro_webhook_url",
        "macro_as_secret",
        "env_of_container",
    ],
)
@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_macros_come_back_as_they_were_written(tmp_path: Path, name: str, version: str) -> None:
    result, variables = case(name)
    assert left_out(result) == []
    written = options(variables)
    written["server"]["managers"]["api"]["access_token"] = "not-a-real-token"
    run = run_module("server_config", {"config_dir": str(tmp_path), "version": version, **written})
    assert not run.failed, run["msg"]
    expected = texts(CASES / name)
    if name == "env_of_container":  # an application that the collection completes does not come from the file
        assert expected <= texts(tmp_path)
    else:
        # Where a file has no output profile, the collection adds that of the API, whose name is no macro of files.
        found = texts(tmp_path) - Counter({("OutputStreamName", "${OriginStreamName}"): 1})
        assert found == expected
    again = run_module("server_config", {"config_dir": str(tmp_path), "version": version, **written})
    assert not again["changed"]


def test_a_secret_that_is_a_macro_needs_no_variable() -> None:
    result, variables = case("macro_as_secret")
    (vhost,) = variables["ovenmediaengine_vhosts"]
    assert vhost["signed_policy"]["secret_key"] == "${env:OME_POLICY_KEY}"
    assert [one["name"] for one in result["secrets"]] == ["ovenmediaengine_secret_server_managers_api_access_token"]
    assert result["variables"] == [{"name": "OME_POLICY_KEY", "text": "NO DEFAULT AND NO VALUE", "missing": True}]


def test_a_default_of_a_secret_is_a_secret(tmp_path: Path) -> None:
    server = (CASES / "macro_as_secret/Server.xml").read_text()
    (tmp_path / "Server.xml").write_text(server.replace("OME_POLICY_KEY}", "OME_POLICY_KEY:canary-default}"))
    result = read(tmp_path)
    assert "canary" not in str(result)
    (vhost,) = load(result)["ovenmediaengine_vhosts"]
    assert vhost["signed_policy"]["secret_key"] == "{{ ovenmediaengine_secret_default_signed_policy_secret_key }}"
    assert result["variables"] == [{"name": "OME_POLICY_KEY", "text": "default '********'", "missing": False}]
    assert result["notes"][-1].startswith("Secrets of the files are macros with a default (OME_POLICY_KEY).")


def test_the_token_of_the_api_stays_a_variable_because_requests_need_it(tmp_path: Path) -> None:
    server = (CASES / "macro_as_secret/Server.xml").read_text()
    (tmp_path / "Server.xml").write_text(server.replace("not-a-real-token", "${env:OME_TOKEN}"))
    result = read(tmp_path)
    assert load(result)["ovenmediaengine_api_token"] == TOKEN
    assert any("Set ovenmediaengine_api_token to the token." in note for note in result["notes"])


def test_an_application_named_by_a_macro_is_one_line() -> None:
    result, variables = case("macro_app_name")
    assert left_out(result) == [
        "application ${env:APP:app} of virtual host default (Server.xml, line 14): its name is a macro, which no "
        "request of the API can "
        "address. Write the name itself into the file"
    ]
    (vhost,) = variables["ovenmediaengine_vhosts"]
    assert [app["name"] for app in vhost["applications"]] == ["vod"]


def test_a_virtual_host_named_by_a_macro_is_one_line() -> None:
    result, variables = case("macro_vhost_name")
    assert left_out(result) == [
        "virtual host ${env:VHOST:default} (Server.xml, line 14): its name is a macro, which no request of the API can "
        "address. Write the "
        "name itself into the file"
    ]
    assert variables["ovenmediaengine_vhosts"] == []


def test_an_element_that_a_macro_switches_off_is_named(tmp_path: Path) -> None:
    server = (CASES / "macro_host_name/Server.xml").read_text()
    changed = server.replace("<RTMP/>", '<RTMP ignore="${env:NO_RTMP:false}"/>')
    (tmp_path / "Server.xml").write_text(changed)
    result = read(tmp_path)
    (one,) = left_out(result)
    assert one.startswith("attribute ignore of element RTMP (Server.xml, line ")
    assert [found["name"] for found in result["variables"]] == ["NO_RTMP", "OME_HOST"]


def test_the_variables_of_a_container_come_from_its_compose_file() -> None:
    file = CASES / "env_of_container/docker-compose.yml"
    result, variables = case("env_of_container", environment_from=str(file))
    assert variables["server_environment"] == {
        "DEFAULT_ORIGIN_SERVER": "origin.example.com",
        "OME_HOST_IP": "203.0.113.5",
    }
    assert result["variables"] == [
        {"name": "DEFAULT_ORIGIN_PORT", "text": "default '9000'", "missing": False},
        {"name": "DEFAULT_ORIGIN_SERVER", "text": "the value is in server_environment", "missing": False},
        {"name": "OME_HOST_IP", "text": "the value is in server_environment", "missing": False},
        {"name": "OME_SIGNALLING_PORT", "text": "default '3333'", "missing": False},
    ]


def test_variables_without_a_value_are_named() -> None:
    result, variables = case("env_of_container")
    assert "server_environment" not in variables
    assert [one["name"] for one in result["variables"] if one["missing"]] == ["DEFAULT_ORIGIN_SERVER"]


def test_a_secret_of_the_environment_is_a_variable_unless_secrets_are_asked_for(tmp_path: Path) -> None:
    compose = tmp_path / "docker-compose.yml"
    compose.write_text("services: {ome: {environment: {OME_POLICY_KEY: canary-key, OTHER: canary-other}}}\n")
    result, variables = case("macro_as_secret", environment_from=str(compose))
    assert "canary" not in str(result)
    assert variables["server_environment"] == {
        "OME_POLICY_KEY": "{{ ovenmediaengine_secret_environment_ome_policy_key }}"
    }
    _result, variables = case("macro_as_secret", environment_from=str(compose), show_secrets=True)
    assert variables["server_environment"] == {"OME_POLICY_KEY": "canary-key"}


def test_an_include_with_a_macro_is_named(tmp_path: Path) -> None:
    server = (CASES / "macro_host_name/Server.xml").read_text()
    include = '<VirtualHosts><VirtualHost include="${env:TENANTS:VHost*.xml}"/>'
    (tmp_path / "Server.xml").write_text(server.replace("<VirtualHosts>", include))
    result = read(tmp_path)
    (one,) = left_out(result)
    assert one.startswith("element VirtualHost (Server.xml, line 13): its include is ${env:TENANTS:VHost*.xml}.")
    assert [host["name"] for host in load(result)["ovenmediaengine_vhosts"]] == ["default"]
