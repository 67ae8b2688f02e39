# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Variables, the files of the module server_config, and back by an import: nothing is lost."""

from __future__ import annotations

import copy
import posixpath
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import hypothesis.strategies as st
import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import virtual_host_file
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.configuration import (
    JOBS,
    Configuration,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import Directory
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import application
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._config.meaning import (
    PUSHES,
    RECORDINGS,
    meaning,
    virtual_hosts_with_applications,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._config.test_samples import (
    CASES,
    sample,
    sample_file,
    tree,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.test_server_config import ALL
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module
from hypothesis import HealthCheck, given, settings
from jinja2 import Environment, StrictUndefined

from .configuration_directory import load, options, read

ORDER = (
    "The first virtual host with a matching host name gets a stream. The order in the files is b, tenant-a. With the "
    "role server, it is undefined. Check host names with * and ?."
)
FAST = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def render(value: Any, secrets: dict[str, str]) -> Any:
    """Return a value with the variables in place of their references."""
    if isinstance(value, dict):
        return {key: render(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [render(item, secrets) for item in value]
    if not isinstance(value, str):
        return value
    return Environment(undefined=StrictUndefined, autoescape=False).from_string(value).render(secrets)


def specified(version: str) -> dict[str, Any]:
    """Return everything that the version knows."""
    found = copy.deepcopy(ALL)
    found["server"]["modules"] = {"p2p": {"enable": True, "max_client_peers_per_host_peer": 3}}
    found["vhosts"].append({"name": "b", "host": {"names": ["*"]}, "applications": []})
    found["logger"] = {"path": "/var/log/ome", "tags": [{"name": "A|B", "level": "warn"}]}
    found["push_tasks"].append(
        {**found["push_tasks"][0], "id": "other", "stream": {"name": "s*", "variant_names": ["v"]}}
    )
    if version == "0.18.0":
        # It has no such keys.
        del found["server"]["bind"]["providers"]["webrtc"]["ice_candidates"]["tcp_force"]
    return found


@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_imported_variables_write_the_same_files(tmp_path: Path, version: str) -> None:
    given = specified(version)
    first = run_module("server_config", {"config_dir": str(tmp_path), "version": version, **given})
    assert not first.failed and first["changed"], first
    shown = load(read(tmp_path, show_secrets=True))
    result = read(tmp_path)
    assert result["left_out"] == [] and "canary" not in str(result)
    assert result["notes"] == [ORDER]
    assert [vhost["name"] for vhost in shown["ovenmediaengine_vhosts"]] == ["b", "tenant-a"]

    # The references of the text without secrets, filled in, give the text with them.
    secrets = {"server_managers_api_access_token": "canary-token", "server_alert_secret_key": "canary-alert"}
    secrets.update(
        {
            "server_alert_url_token": "canary-url",
            "server_bind_providers_srt_passphrase": "canary-passphrase",
            "server_bind_providers_webrtc_ice_servers_0_credential": "canary-credential",
            "tenant_a_signed_policy_secret_key": "canary-policy",
            "tenant_a_live_archive_stream_key": "canary-stream-key",
            "tenant_a_live_other_stream_key": "canary-stream-key",
            "tenant_a_live_evening_metadata": "canary-metadata",
        }
    )
    names = {f"ovenmediaengine_secret_{name}": value for name, value in secrets.items()}
    assert {secret["name"] for secret in result["secrets"]} == set(names)
    assert render(load(result), names) == shown

    again = run_module("server_config", {"config_dir": str(tmp_path), "version": version, **options(shown)})
    assert not again.failed and not again["changed"], again


def valid(name: str, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the jobs that the module takes; pushes get a valid destination."""
    found = []
    for job in jobs:
        destination = {"protocol": "rtmp", "url": "rtmp://a.example.com/app"} if name == "push_tasks" else {}
        try:
            JOBS[name].kind.validate({**job, **destination}, "", complete=True)
        except BadInput:
            continue
        found.append({**job, **destination})
    return found


def check(
    version: str, vhosts: list[dict[str, Any]], pushes: list[dict[str, Any]], records: list[dict[str, Any]]
) -> None:
    # The application of the jobs.
    publishers = {"push": {}, "file": {}}
    place = {"name": "v", "host": {"names": ["v"]}, "applications": [{"name": "a", "publishers": publishers}]}
    hosts = [*(vhost for vhost in vhosts if vhost["name"] != "v"), place]
    specified_jobs = {"push_tasks": pushes, "records": records}
    jobs = {name: [("", job) for job in valid(name, entries)] for name, entries in specified_jobs.items()}
    configuration = Configuration(parse(version), {}, None, [("", host) for host in hosts], jobs)
    with tempfile.TemporaryDirectory() as folder:
        for change in configuration.plan(Directory(folder), Context(), purge=False):
            Directory(folder).write(change.name, change.data or b"", change.expected)
        result = read(Path(folder).resolve(), show_secrets=True)
    # A map of another file stays an option.
    assert all(one["reason"].endswith("; the option stream_map names it") for one in result["left_out"])
    variables = load(result)
    back = {vhost["name"]: vhost for vhost in variables["ovenmediaengine_vhosts"]}
    assert set(back) == {host["name"] for host in hosts}
    for host in hosts:
        # A file has what the API would add.
        typed = [application.completed({"type": "live", **app}) for app in host["applications"]]
        wanted = meaning(VIRTUAL_HOST_FILE, {**host, "applications": typed})
        assert meaning(VIRTUAL_HOST_FILE, back[host["name"]]) == wanted
    for kind, stream_map in JOBS.items():
        form = stream_map.kind.declaration
        found = {job["id"]: meaning(form, job) for job in variables[f"ovenmediaengine_{kind}"]}
        assert found == {job["id"]: meaning(form, job) for _path, job in jobs[kind]}


@FAST
@given(st.data())
@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_a_configuration_comes_back(version: str, data: st.DataObject) -> None:
    hosts = st.lists(virtual_hosts_with_applications(version), max_size=2, unique_by=lambda one: one["name"])
    check(version, data.draw(hosts), data.draw(PUSHES), data.draw(RECORDINGS))


@pytest.mark.exhaustive
@LONG
@given(st.data())
@pytest.mark.parametrize("version", RECORDED_MEDIA)
def test_many_configurations_come_back(version: str, data: st.DataObject) -> None:
    hosts = st.lists(virtual_hosts_with_applications(version), max_size=2, unique_by=lambda one: one["name"])
    check(version, data.draw(hosts), data.draw(PUSHES), data.draw(RECORDINGS))


@pytest.mark.parametrize(("name", "version"), CASES)
def test_a_sample_keeps_its_meaning(tmp_path: Path, name: str, version: str) -> None:
    text = sample_file(name, version).read_text(encoding="utf-8")
    (tmp_path / "Server.xml").write_text(f'<Server version="8">{text}</Server>', encoding="utf-8")
    result = read(tmp_path)
    # Two samples have a provider WebRTC twice, and the second one has a timeout that the server does not read.
    assert all(
        one["reason"].startswith("the server takes the first WebRTC (Server.xml, line ") for one in result["left_out"]
    )
    (vhost,) = load(result)["ovenmediaengine_vhosts"]
    before = sample(name, version)
    for path in before.iterfind("./Host/TLS/*"):  # They are absolute, so that the API takes them, too.
        path.text = posixpath.normpath(f"{tmp_path}/{path.text}")
    assert tree(ElementTree.fromstring(virtual_host_file.render(vhost))) == tree(before)
