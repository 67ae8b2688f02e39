# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Three plays at once change one virtual host and one stream map: all that is reported as changed is in the files."""

from __future__ import annotations

import concurrent.futures
import json
import typing as t
from xml.etree import ElementTree

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

from .conftest import LOCAL, Project

PREFIX = "streamops.ovenmediaengine"
PLAYS = ("x", "y", "z")
LIVE: dict[str, t.Any] = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}


def play(name: str, common: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    """Return a playbook with an application and a push task of its own."""
    task = {"vhost": "a", "app": "live", "id": name, "stream": {"name": name}, "protocol": "srt"}
    tasks = [
        {"name": "Application", f"{PREFIX}.application": {**common, **LIVE, "vhost": "a", "name": name}},
        {"name": "Push", f"{PREFIX}.push_tasks": {**common, "tasks": [{**task, "url": f"srt://{name}.example.com:9"}]}},
    ]
    return [{"name": name, "hosts": "all", "gather_facts": False, "tasks": tasks}]


@pytest.mark.exhaustive
def test_three_plays_at_once(project: Project) -> None:
    config = config_files.write(
        project.directory / "conf", Server=config_files.server('<VirtualHost include="VHost*.xml"/>')
    )
    with Simulator(config=config, port=0, stop_delay=0.2) as server:
        common = connection(server, durable=True, config_dir=str(config))
        vhost = {"name": "a", "host": {"names": ["a.example.com"]}, "applications": [LIVE]}
        assert not run_module("vhost", {**common, **vhost}).failed
        (project.directory / "inventory.json").write_text(json.dumps({"all": {"hosts": {"media-1": LOCAL}}}))
        for name in PLAYS:
            (project.directory / f"{name}.yml").write_text(json.dumps(play(name, common)), encoding="utf-8")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            runs = list(pool.map(lambda name: project.play(f"{name}.yml", "-i", "inventory.json"), PLAYS))
        for run in runs:
            assert run.status == 0 and run.recap["media-1"]["changed"] == 2, run.output
        found = ElementTree.parse(config / "VHost_a.xml").iter("Application")
        assert {element.findtext("Name") for element in found} == {"live", *PLAYS}
        pushes = ElementTree.parse(config / "maps" / "a" / "live" / "push_map.xml").iter("Push")
        assert {element.findtext("Id") for element in pushes} == set(PLAYS)
        assert not list(config.rglob(".*"))
