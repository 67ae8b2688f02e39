# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""For each way to make an application durable: what is live before the server is killed is live after it, before any
playbook runs, and its pushes start again.
"""

from __future__ import annotations

import json
import pathlib
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA, ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module
from ansible_collections.streamops.ovenmediaengine.tests.unit.viewing import status_of_playlist

from .conftest import LOCAL, TOKEN, Project

PREFIX = "streamops.ovenmediaengine"
WAYS = ("vhost", "application", "provision", "server-config", "imported")
"""The names of the virtual hosts, each with an application `live` without output profiles."""
LIVE: dict[str, t.Any] = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}
BARE = "server-config-bare"
"""A virtual host whose application is `- name: live` alone."""


def host_of(way: str) -> str:
    return f"{way}.example.com"


def vhost(way: str, *apps: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"name": way, "host": {"names": [host_of(way)]}, **({"applications": list(apps)} if apps else {})}


def push(way: str) -> dict[str, t.Any]:
    place = {"vhost": way, "app": "live", "stream": {"name": "main"}}
    return {**place, "id": "backup", "protocol": "srt", "url": f"srt://{way}.backup.example.com:9999"}


def start_files(project: Project, version: str) -> None:
    """Import a hand-written Server.xml, and write what the server starts from."""
    written = config_files.application("live", "<LLHLS/><Push/>", output="")
    imported = config_files.virtual_host("imported", host_name=host_of("imported"), applications=written)
    config_files.write(project.directory / "by-hand", Server=config_files.server(imported))
    run = project.play(
        f"{PREFIX}.import_config",
        *("-i", "inventory.json", "-e", f"import_config_dir={project.directory / 'by-hand'}"),
        *("-e", "import_config_file=imported.yml", "-e", "import_config_show_secrets=false"),
    )
    assert run.status == 0, run.output
    text = (project.directory / "imported.yml").read_text(encoding="utf-8")
    assert "the files lack what the API adds: imported/live (output_profiles)" in " ".join(text.split())
    (adopted,) = yaml.safe_load(text)["ovenmediaengine_vhosts"]
    options = {
        "config_dir": str(project.directory / "conf"),
        "version": version,
        "server": {
            "bind": {"managers": {"api": {"port": 8081}}},
            "managers": {"api": {"access_token": TOKEN}},
        },
        "vhosts": [adopted, vhost("server-config", LIVE), vhost(BARE, {"name": "live"})],
        "push_tasks": [push("imported"), push("server-config")],
    }
    done = run_module("server_config", options)
    assert not done.failed, done["msg"]


def playbook(project: Project) -> str:
    """Write a playbook that makes the other virtual hosts durable, each in its way."""
    common = {"durable": True, "config_dir": "{{ ovenmediaengine_config_dir }}"}
    task = {"hosts": "all", "gather_facts": False}
    tasks = [
        {f"{PREFIX}.vhost": {**common, **vhost("vhost", LIVE)}},
        {f"{PREFIX}.vhost": {**common, **vhost("application")}},
        {f"{PREFIX}.application": {**common, **LIVE, "vhost": "application"}},
        {f"{PREFIX}.push_tasks": {**common, "tasks": [push("vhost"), push("application")]}},
    ]
    defaults = {
        f"group/{PREFIX}.ovenmediaengine": {"api_url": "{{ ovenmediaengine_api_url }}", "api_token": TOKEN},
    }
    named = [{"name": f"Task {number}", **one} for number, one in enumerate(tasks)]
    role = [{"name": "Provision", "ansible.builtin.import_role": {"name": f"{PREFIX}.provision"}}]
    plays = [{**task, "module_defaults": defaults, "tasks": named}, {**task, "tasks": role}]
    (project.directory / "durable.yml").write_text(json.dumps(plays), encoding="utf-8")
    return "durable.yml"


def inventory(project: Project, url: str) -> None:
    variables = {
        **LOCAL,
        "ovenmediaengine_api_url": url,
        "ovenmediaengine_api_token": TOKEN,
        "ovenmediaengine_durable": True,
        "ovenmediaengine_config_dir": str(project.directory / "conf"),
        "ovenmediaengine_vhosts": [vhost("provision", LIVE)],
        "ovenmediaengine_push_tasks": [push("provision")],
    }
    text = json.dumps({"all": {"hosts": {"media-1": variables}}})
    (project.directory / "inventory.json").write_text(text, encoding="utf-8")


def live(server: Simulator) -> dict[str, tuple[int, list[str]]]:
    """Publish a stream to each host name; return the status of its playlist and the states of its pushes."""
    found = {}
    for way in (*WAYS, BARE):
        assert server.publish(host_of(way), "live", "main").vhost == way
        status = status_of_playlist(server, host_of(way))
        states = run_module("push_task_info", connection(server, vhost=way, app="live"))["status"]
        found[way] = (status, sorted({state["state"] for state in states}))
    return found


@pytest.mark.parametrize(
    "version", [NEWEST, *(pytest.param(version, marks=pytest.mark.exhaustive) for version in RECORDED_MEDIA[1:])]
)
@pytest.mark.exhaustive
def test_each_way_to_make_an_application_outlives_a_restart(project: Project, version: str) -> None:
    inventory(project, "http://127.0.0.1:9")
    start_files(project, version)
    config: pathlib.Path = project.directory / "conf"
    with Simulator(version, config=config, port=0, viewer_ports=[0], stop_delay=0, clock=ManualClock()) as server:
        inventory(project, server.url)
        run = project.play(playbook(project), "-i", "inventory.json")
        assert run.status == 0, run.output
        expected = {way: (200, ["connecting"]) for way in WAYS}
        assert live(server) == {**expected, BARE: (200, [])}
        server.restart()
        assert live(server) == {**expected, BARE: (200, [])}, "before any playbook runs"
        server.clear_log()
        again = project.play("durable.yml", "-i", "inventory.json")
        assert again.status == 0 and again.recap["media-1"]["changed"] == 0, again.output
        assert server.writes == []
