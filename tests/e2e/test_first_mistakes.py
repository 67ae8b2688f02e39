# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Typical mistakes of new users, typed in a playbook: what ansible-playbook prints names the mistake and the remedy."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import TOKEN, Project, Run

NAMESPACE = "streamops.ovenmediaengine."
HOST = {"host": {"names": ["live.tenant-a.example.com"]}}
PUSH = {"id": "p", "stream": {"name": "nope"}, "protocol": "rtmp", "url": "rtmp://live.example.com/app"}
IN_NOPUSH = {"vhost": "default", "app": "nopush", **PUSH, "stream_key": "canary-stream-key"}
NO_STREAM = {
    "vhost": "default",
    "app": "app",
    "stream": "nope",
    "format": "id3v2",
    "frames": [{"frame_type": "TXXX", "info": "a", "data": "b"}],
}


def run(project: Project, tasks: list[tuple[str, dict[str, t.Any]]], **environment: str) -> tuple[Run, list[str]]:
    """Run a playbook whose tasks must fail, each with a module and its options; return the run and the messages."""
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [{NAMESPACE + module: options, "ignore_errors": True} for module, options in tasks],
    }
    (project.directory / "play.yml").write_text(json.dumps([play]), encoding="utf-8")
    done = project.play("play.yml", **environment)
    results = [
        json.loads(line.partition("FAILED! => ")[2]) for line in done.output.splitlines() if "FAILED! => " in line
    ]
    assert len(results) == len(tasks), done.output
    return done, [result["msg"] for result in results]


def test_what_is_printed_for_the_mistakes_of_a_new_user(project: Project, sim: Simulator) -> None:
    with Simulator(token=TOKEN, tls=True) as tls, Simulator("0.15.10", token=TOKEN) as old:
        port = sim.url.rpartition(":")[2]
        mistakes: list[tuple[str, dict[str, t.Any], str]] = [
            # misspelt options
            ("vhost", {"name": "tenant-a", "hosts": HOST["host"]}, "Did you mean host?"),
            ("vhost", {"name": "tenant-a", "host": {"name": ["a"]}}, "Did you mean host.names?"),
            (
                "vhosts",
                {"vhosts": [{"name": "tenant-a", **HOST, "applications": [{"name": "live", "provider": ["rtmp"]}]}]},
                "Did you mean vhosts.applications.providers?",
            ),
            (
                "vhost",
                {"name": "tenant-a", **HOST, "applications": [{"name": "live", "providers": ["rtpm"]}]},
                "Did you mean applications.providers.rtmp?",
            ),
            # a wrong type
            ("vhost", {"name": "tenant-a", "host": 8081}, "host: expected a dictionary, got a number."),
            # the address
            ("vhost_info", {"api_url": f"ws://127.0.0.1:{port}"}, "such as 'http://127.0.0.1:8081', got 'ws://"),
            ("vhost_info", {"api_url": f"127.0.0.1:{port}"}, "such as 'http://127.0.0.1:8081', got '127.0.0.1:"),
            ("vhost_info", {"api_url": tls.url.replace("https", "http")}, "the port speaks TLS, which is https."),
            ("vhost_info", {"api_url": f"{sim.url}/v1"}, "Check that api_url is the base address without /v1"),
            # the token
            (
                "vhost_info",
                {"api_token": ""},
                "api_token: is empty; set it, or the environment variable OVENMEDIAENGINE",
            ),
            ("vhost_info", {"api_token": f"Basic {TOKEN}"}, "It begins with 'Basic ': give the token alone"),
            # the server
            (
                "scheduled_channel_info",
                {"api_url": old.url, "vhost": "default", "app": "app"},
                "needs OvenMediaEngine 0.16.1 or later.",
            ),
            ("push_task", IN_NOPUSH, "Add the push publisher to this application: publishers: {push: {}}"),
            ("stream_event", NO_STREAM, "Check the name, and that the source of the stream is live."),
        ]
        environment = {"OVENMEDIAENGINE_API_URL": sim.url, "OVENMEDIAENGINE_API_TOKEN": TOKEN}
        done, messages = run(project, [(module, options) for module, options, _said in mistakes], **environment)
    for (module, options, said), message in zip(mistakes, messages):
        assert said in message, (module, options, message)
    assert TOKEN not in done.output and "canary" not in done.output
    assert sim.writes == [] or all(write.status == 404 for write in sim.writes)


@pytest.mark.parametrize("missing", ["api_url", "api_token"])
def test_a_connection_option_that_is_missing_is_named_with_the_places_to_set_it(
    project: Project, sim: Simulator, missing: str
) -> None:
    environment = {"OVENMEDIAENGINE_API_URL": sim.url, "OVENMEDIAENGINE_API_TOKEN": TOKEN}
    del environment[f"OVENMEDIAENGINE_{missing.upper()}"]
    _done, (message,) = run(project, [("vhost_info", {})], **environment)
    assert message == (
        f"missing required arguments: {missing}. Set the option {missing}, the environment variable "
        f"OVENMEDIAENGINE_{missing.upper()} or, for roles, ovenmediaengine_{missing}."
    )


def test_a_python_without_requests_is_told_how_to_install_it(project: Project, sim: Simulator) -> None:
    (project.directory / "fake").mkdir()
    (project.directory / "fake/requests.py").write_text("raise ImportError('No module named requests')\n", "utf-8")
    environment = {"OVENMEDIAENGINE_API_URL": sim.url, "OVENMEDIAENGINE_API_TOKEN": TOKEN}
    _done, (message,) = run(project, [("vhost_info", {})], PYTHONPATH=str(project.directory / "fake"), **environment)
    assert "Failed to import the required Python library (requests)" in message
    assert " -m pip install requests. If the module runs on the controller, set ansible_python_interpreter" in message


def test_a_dead_proxy_of_the_environment_is_named_without_its_password(project: Project, sim: Simulator) -> None:
    environment = {
        "OVENMEDIAENGINE_API_URL": sim.url,
        "OVENMEDIAENGINE_API_TOKEN": TOKEN,
        "NO_PROXY": "",
        "no_proxy": "",
    }
    proxy = "http://somebody:canary-password@127.0.0.1:9"
    done, (message,) = run(project, [("vhost_info", {"retries": 0})], http_proxy=proxy, **environment)
    assert "No connection through the proxy http://********@127.0.0.1:9 of http_proxy: Connection refused." in message
    assert "add the host of api_url to no_proxy there." in message and "Server.xml" not in message
    assert "canary" not in done.output and sim.log == []
