# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples of guide_server.rst and of the README of the role server, on a fake host."""

from __future__ import annotations

import re
import typing as t

import pytest
import yaml
from ansible.utils.vars import merge_hash
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST

from .conftest import TOKEN, Project
from .media_host import Media, changed
from .test_documents import SHOWN, _words, blocks, shown_in

pytestmark = pytest.mark.long
SECRETS = {"vault_api_token": TOKEN, "vault_stream_key": "canary-stream-key"}


@pytest.fixture
def host(project: Project) -> t.Iterator[FakeHost]:
    """Provide a host with nothing on it."""
    with FakeHost(project.directory / "host") as fake:
        yield fake
        assert fake.failures() == []


def _media(project: Project, host: FakeHost, document: str) -> Media:
    """Return the media server of the first inventory of a document, with a port and directories of its own."""
    text = next(block.text for block in blocks(document) if "all:" in block.text)
    shown = yaml.safe_load(text)["all"]["vars"]
    media = Media(project, host, shown.get("server_backend", "quadlet"))
    shown["server_settings"]["bind"]["managers"]["api"]["port"] = str(media.port)
    for name in ("ovenmediaengine_push_tasks", "ansible_become"):
        media.variables.pop(name, None)
        shown.pop(name, None) if name == "ansible_become" else None
    media.variables = {**media.variables, **SECRETS, **shown}
    return media


@pytest.mark.parametrize("document", ["guide_server.rst", "roles/server/README.md"])
def test_the_inventory_installs_a_server(document: str, project: Project, host: FakeHost) -> None:
    media = _media(project, host, document)
    installed = media.play()
    assert installed.status == 0, installed.output
    assert media.vhosts == {"tenant-a"}
    again = media.play()
    assert again.status == 0 and changed(again) == [], again.output
    if document == "guide_server.rst":
        assert installed.summary("media-1") == shown_in(document, 1)


def test_the_other_variables_of_the_guide_are_taken(project: Project, host: FakeHost) -> None:
    media = _media(project, host, "guide_server.rst")
    assert media.play().status == 0
    variables: dict[str, t.Any] = {
        "vault_new_token": "canary-new-token",
        "vault_old_token": TOKEN,
        "vault_license_key": "canary-license-key",
        "server_settings": media.variables["server_settings"],
    }
    for block in blocks("guide_server.rst"):
        if block.language == "yaml+jinja" and "all:" not in block.text:
            variables = merge_hash(variables, yaml.safe_load(block.text))
    variables["server_ports"].append(f"{media.port}/tcp")
    media.variables.pop("ovenmediaengine_api_token")
    run = media.play(**variables)
    assert run.status == 0, run.output
    reasons = "Server.xml has changed, environment is new, ovenmediaengine.container has changed"
    assert f"restarted ({reasons})" in run.summary("media-1")
    assert "PublishPort=3333-3334:3333-3334/tcp" in media.unit_file.read_text(encoding="utf-8")


def test_a_mistake_is_reported_as_in_the_guide(project: Project, host: FakeHost) -> None:
    media = _media(project, host, "guide_server.rst")
    media.variables["server_settings"]["bind"]["managers"]["api"]["port"] = "eighty"
    refused = media.play("--check")
    assert refused.status == 2 and refused.failure("media-1") == shown_in("guide_server.rst", 0), refused.output


def test_a_server_in_use_is_not_restarted_as_in_the_guide(project: Project, host: FakeHost) -> None:
    media = _media(project, host, "guide_server.rst")
    assert media.play().status == 0
    media.control("streams", vhost="tenant-a", app="live", stream="main")
    vhosts = [{**media.variables["ovenmediaengine_vhosts"][0], "host": {"names": ["other.example.com"]}}]
    refused = media.play(ovenmediaengine_vhosts=vhosts)
    assert refused.status == 2, refused.output
    # It says how long it has waited.
    said = re.sub(r"after \d+ seconds", "after 300 seconds", refused.failure("media-1"))
    assert said.endswith(shown_in("guide_server.rst", 2))


def test_the_upgrade_of_the_guide(project: Project, host: FakeHost) -> None:
    media = _media(project, host, "guide_server.rst")
    media.variables["server_settings"]["bind"]["providers"]["webrtc"] = {
        "signalling": {"port": "3333"},
        "ice_candidates": {"ice_candidate": ["*:10000/udp"], "tcp_force": True},
    }
    media.variables["server_version"] = "0.18.0"
    assert media.play().status == 0
    checked = media.play("--check", "--diff", server_version=NEWEST)
    assert checked.status == 0 and shown_in("guide_server.rst", 0, "Upgrade") in checked.output, checked.output
    upgraded = media.play(server_version=NEWEST)
    assert upgraded.status == 0, upgraded.output
    assert upgraded.summary("media-1") == shown_in("guide_server.rst", 1, "Upgrade")
    assert len([block for block in blocks("guide_server.rst", "Upgrade") if block.language in SHOWN]) == 2
    assert _words(upgraded.summary("media-1")).endswith("version 0.18.0 before; audit: no problems")
