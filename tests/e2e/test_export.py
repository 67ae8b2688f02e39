# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook export, and the way back by provision, as a user runs them."""

from __future__ import annotations

import json
import pathlib
import re
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.control import snapshot
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

from .conftest import HEADERS, LOCAL, TOKEN, Project, Run

PUSH = {"0.15.10": "rtmp_push"}
# What a template could be, and what YAML could read as something else: all of it must come back as it is.
TEXTS = [
    "{{ x }}",
    "{% if %}",
    "{# no comment",
    "yes",
    "012",
    "1_000",
    "12:30:45",
    "~",
    "é",
    "a: b #c",
    "'\"",
    "!vault",
    "%TAG",
    "- x",
]


def fleet(number: int, version: str) -> dict[str, t.Any]:
    """Return virtual hosts, each with an application and two pushes; every secret says so in its value."""
    publishers: dict[str, t.Any] = {"llhls": {"chunk_duration": 0.5}, PUSH.get(version, "push"): {}}
    vhosts, apps, tasks = [], [], []
    for index in range(number):
        name = f"t-{index:03}"
        app = {"name": "live", "providers": {"rtmp": {}}, "publishers": publishers}
        policy = {
            "policy_query_key_name": "policy",
            "signature_query_key_name": "sig",
            "secret_key": f"canary-policy-{index}",
        }
        vhost: dict[str, t.Any] = {"name": name, "host": {"names": [f"{name}.example.com"]}, "signed_policy": policy}
        if index % 2:
            vhost["applications"] = [app]
        else:
            apps.append({"vhost": name, **app})
        vhosts.append(vhost)
        task = {"vhost": name, "app": "live", "stream": {"name": "main"}, "protocol": "rtmp"}
        tasks.append(
            {**task, "id": "one", "url": "rtmp://one.example.com/live", "stream_key": f"canary-stream-{index}"}
        )
        tasks.append(
            {**task, "id": "two", "url": f"rtmps://two.example.com/live/canary-path-{index}", "stream_key": ""}
        )
    return {"ovenmediaengine_vhosts": vhosts, "ovenmediaengine_applications": apps, "ovenmediaengine_push_tasks": tasks}


def odd_fleet(version: str) -> dict[str, t.Any]:
    """Return what is harder to write down."""
    made = fleet(3, version)
    made["ovenmediaengine_vhosts"][1] = {
        "name": "t_000",  # its variables would have the names of those of t-000
        "host": {"names": ["*", "b.example.com"], "tls": {"cert_path": "/c/{{ x }}.pem", "key_path": "/c/key.pem"}},
        "signed_policy": {
            "policy_query_key_name": "{{ x }}",
            "signature_query_key_name": "yes",
            "secret_key": "canary-{{ policy }}",
        },
        "admission_webhooks": {
            "control_server_url": "https://u:canary-user@hooks.example.com/{{x}}?a={b&k=canary-query",
            "secret_key": "canary-webhook",
            "timeout": 2000,
            "enables": {"providers": ["rtmp", "srt"]},
        },
        "origins": {
            "origin": [
                {
                    "location": "/live",
                    "pass": {"scheme": "ovt", "urls": {"url": ["a.example.com:9000/{{x}}", "b.example.com"]}},
                }
            ]
        },
        "origin_map_store": {
            "origin_host_name": "012",
            "redis_server": {"host": "192.0.2.1:6379", "auth": "canary-redis"},
        },
        "applications": made["ovenmediaengine_vhosts"][1]["applications"],
    }
    profile = {
        "name": "{% raw %}",
        "output_stream_name": "${OriginStreamName}",
        "encodes": {"videos": [{"name": "v", "bypass": True}]},
    }
    for task in made["ovenmediaengine_push_tasks"]:
        task["vhost"] = task["vhost"].replace("t-001", "t_000")
        task["stream"]["variant_names"] = TEXTS
    odd = made["ovenmediaengine_applications"][0]
    odd["output_profiles"] = {"output_profile": [profile]}
    # A field that releases spell differently, and settings without an option.
    odd["publishers"] = {
        **odd["publishers"],
        "llhls": {"dvr": {"enable": False}, "extra": {"cacheControl": {"segmentMaxAge": 5}}},
    }
    odd["extra"] = {
        "persistentStreams": {"stream": [{"name": "{{ x }}", "originStreamName": "~", "fallbackStreamName": "012"}]}
    }
    made["ovenmediaengine_push_tasks"][2:3] = [
        {
            "vhost": "default",
            "app": "app",
            "id": f"t-{scheme}",
            "stream": {"name": "{{ main }}"},
            "protocol": scheme,
            "url": url,
            **({"stream_key": "canary-{{ key }}"} if scheme == "rtmp" else {}),
        }
        for scheme, url in (
            ("rtmp", "rtmp://u:canary-user@one.example.com/{{live}}"),
            ("mpegts", "udp://239.0.0.1:5000"),
            *(
                []
                if version in PUSH
                else [("srt", "srt://three.example.com:9?mode=caller&streamid=canary-id&passphrase=canary-{%")]
            ),
        )
    ]
    return made


def inventory(project: Project, urls: t.Mapping[str, str]) -> None:
    """Write an inventory of servers without their desired state."""
    connection = {"ovenmediaengine_api_token": TOKEN, "ovenmediaengine_http_headers": HEADERS}
    hosts = {name: {"ovenmediaengine_api_url": url} for name, url in urls.items()}
    (project.directory / "inventory.json").write_text(
        json.dumps({"all": {"hosts": hosts, "vars": {**LOCAL, **connection}}}), encoding="utf-8"
    )


def variables(project: Project, name: str, content: t.Any) -> str:
    """Return a file of variables, as an argument."""
    (project.directory / name).write_text(json.dumps(content), encoding="utf-8")
    return f"@{name}"


def export(project: Project, *arguments: str, **environment: str) -> Run:
    """Run the playbook; nothing that it prints or writes may be secret."""
    run = project.play("streamops.ovenmediaengine.export", "-i", "inventory.json", *arguments, **environment)
    written = "".join(path.read_text(encoding="utf-8") for path in project.directory.glob("ovenmediaengine-*.yml"))
    assert [line for line in (run.output + written).splitlines() if "canary" in line] == []
    return run


def secrets_of(path: pathlib.Path) -> list[str]:
    """Return the variables that a file lists at its end."""
    return re.findall(r"^# (ovenmediaengine_secret_\w+): !vault \|$", path.read_text(encoding="utf-8"), re.MULTILINE)


def held(sim: Simulator) -> t.Any:
    """Return what a server has, in an order of its own and without times and counters."""
    state = snapshot(sim.state)
    state["tasks"] = sorted(
        (task["vhost"], task["app"], task["id"], task["url"], task.get("streamKey"), str(task["stream"]))
        for task in state["tasks"]
    )
    return state


def in_clear(names: list[str], sim: Simulator) -> dict[str, t.Any]:
    """Return the values that a user would fill in, read from the server by the places in the names of the file."""
    found: dict[str, t.Any] = {}
    for name, vhost in sim.state.virtual_hosts.items():
        found[_name(name, "signed_policy_secret_key")] = vhost.config.get("signedPolicy", {}).get("secretKey")
    for task in snapshot(sim.state)["tasks"]:
        found[_name(task["vhost"], task["app"], task["id"], "stream_key")] = task.get("streamKey")
        found[_name(task["vhost"], task["app"], task["id"], "url_path")] = task["url"].rpartition("/")[2]
    return {name: found[name] for name in names}


def _name(*parts: str) -> str:
    return "ovenmediaengine_secret_" + re.sub(r"[^a-z0-9]+", "_", "_".join(parts))


@pytest.mark.long
def test_one_run_restores_a_fleet_of_200_after_a_restart(project: Project) -> None:
    number = 200
    with Simulator(token=TOKEN) as sim:
        inventory(project, {"one": sim.url})
        wanted = variables(project, "fleet.json", fleet(number, "0.20.0"))
        # A list, for which the task waits, a read of the one that is not listed, and one POST of virtual hosts; a list
        # and a POST of applications, and a list and two starts of pushes for each.
        requests, writes = 3 + number * (2 + 3), 1 + number * 3
        first = project.provision("-e", wanted)
        assert first.status == 0, first.output
        assert (len(sim.log), len(sim.writes)) == (requests, writes)
        made = held(sim)

        sim.clear_log()
        exported = export(project)
        assert exported.status == 0, exported.output
        counts = (
            f"virtual hosts: {number}; applications: {number}; push tasks: {number * 2}; "
            f"secrets to fill in: {number * 3};"
        )
        assert exported.summary("one").startswith(counts)
        # Three reads begin with the list of virtual hosts. Then come the virtual hosts; the lists of applications, and
        # each application; the same lists, and the pushes of each application. The configuration file adds a virtual
        # host with two applications.
        assert len(sim.log) == 3 + (number + 1) + (number + 1) + (number + 2) + (number + 1) + (number + 2)
        assert not sim.writes
        file = project.directory / "ovenmediaengine-one.yml"
        before = file.read_bytes()
        secrets = variables(project, "secrets.json", in_clear(secrets_of(file), sim))

        sim.restart()
        sim.clear_log()
        assert list(sim.state.virtual_hosts) == ["default"] and not snapshot(sim.state)["tasks"]
        back = project.provision("-e", f"@{file.name}", "-e", secrets)
        assert back.status == 0, back.output
        assert (
            f"missing before: virtual hosts {number}, applications {number}, push tasks {number * 2} "
            "(all virtual hosts were missing, as after a restart of the server)" in back.summary("one")
        )
        assert (len(sim.log), len(sim.writes)) == (requests, writes)
        assert held(sim) == made

        again = export(project, "--diff")
        assert again.recap["one"]["changed"] == 0, again.output
        assert file.read_bytes() == before


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", RECORDED)
def test_an_export_recreates_the_same_state_on_an_empty_server(project: Project, version: str) -> None:
    with Simulator(version, token=TOKEN) as sim, Simulator(version, token=TOKEN) as other:
        inventory(project, {"one": sim.url})
        wanted = odd_fleet(version)
        first = project.provision("-e", variables(project, "fleet.json", unsafe(wanted)))
        assert first.status == 0, first.output
        sim.add_config_task(
            "default", "app", stream_name="main", url="rtmp://config.example.com/app", stream_key="canary-config"
        )
        read_only = {"export_read_only_vhosts": ["default"]} if version == "0.15.10" else {}

        sim.clear_log()
        exported = export(project, "-e", json.dumps(read_only))
        assert exported.status == 0, exported.output
        assert not sim.writes
        file = project.directory / "ovenmediaengine-one.yml"
        names = secrets_of(file)
        assert len(names) == len(set(names)) and all(names)
        assert "default" not in [vhost["name"] for vhost in loaded(file)["ovenmediaengine_vhosts"]]

        # Before the secrets are filled in, nothing is made, and the message names one that is missing.
        inventory(project, {"one": other.url})
        refused = project.provision("-e", f"@{file.name}")
        assert refused.status == 2
        assert re.search(r"'ovenmediaengine_secret_\w+' is undefined", refused.output), refused.output
        assert not other.log

        secrets = filled(loaded(file), clear(sim))
        assert sorted(secrets) == sorted(names)
        back = project.provision("-e", f"@{file.name}", "-e", variables(project, "secrets.json", unsafe(secrets)))
        assert back.status == 0, back.output
        theirs, ours = held(sim), held(other)
        theirs["tasks"] = [task for task in theirs["tasks"] if "config.example.com" not in task[3]]
        assert ours == theirs


def loaded(file: pathlib.Path) -> dict[str, t.Any]:
    """Return a file of variables; what is marked as no template comes as its text."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))
    return t.cast("dict[str, t.Any]", yaml.load(file.read_text(encoding="utf-8"), Loader))


def unsafe(value: t.Any) -> t.Any:
    """Return values as extra variables in JSON that no template is looked for in."""
    if isinstance(value, dict):
        return {key: unsafe(item) for key, item in value.items()}
    if isinstance(value, list):
        return [unsafe(item) for item in value]
    return {"__ansible_unsafe": value} if isinstance(value, str) and "{" in value else value


def clear(sim: Simulator) -> dict[str, t.Any]:
    """Return the same three lists from a server, secrets and all, by names."""
    common = {"api_url": sim.url, "api_token": TOKEN, "show_secrets": True}
    vhosts = run_module("vhost_info", common)["vhosts"]
    apps = run_module("application_info", common)["applications"]
    tasks = run_module("push_task_info", common)["tasks"]
    return {
        "ovenmediaengine_vhosts": {entry["name"]: entry for entry in vhosts},
        "ovenmediaengine_applications": {entry["vhost"] + "/" + entry["name"]: entry for entry in apps},
        "ovenmediaengine_push_tasks": {"/".join([entry["vhost"], entry["app"], entry["id"]]): entry for entry in tasks},
    }


def filled(exported: t.Any, there: t.Any) -> dict[str, str]:
    """Return the secrets at the places where the file has the names of variables."""
    found: dict[str, str] = {}

    def look(template: t.Any, value: t.Any) -> None:
        if isinstance(template, dict):
            for key, item in template.items():
                look(item, value[key])
        elif isinstance(template, list):
            for item, other in zip(template, value, strict=True):
                look(item, other)
        elif isinstance(template, str) and "{{ ovenmediaengine_secret_" in template:
            pattern, groups = "", re.split(r"\{\{ (ovenmediaengine_secret_\w+) \}\}", template)
            for place, part in enumerate(groups):
                pattern += "(.+)" if place % 2 else re.escape(part.replace("{{ '{' }}", "{"))
            match = re.fullmatch(pattern, value)
            assert match, (template, value)
            found.update(zip(groups[1::2], match.groups(), strict=True))
        else:
            assert template == value

    for name, entries in exported.items():
        for entry in entries:
            key = "/".join(entry[option] for option in ("vhost", "app", "name", "id") if option in entry)
            look(entry, there[name][key])
    return found


@pytest.mark.exhaustive
@pytest.mark.parametrize("playbook", ["export", "import_config"])
def test_the_name_of_a_server_does_not_choose_the_directory(project: Project, sim: Simulator, playbook: str) -> None:
    project.inventory({"../../outside/one": sim.url, "one": sim.url}, import_config_dir=str(project.directory))
    (project.directory / "Server.xml").write_text('<Server version="8"/>', encoding="utf-8")
    before = set(project.directory.parent.rglob("*.yml"))
    run = project.play(f"streamops.ovenmediaengine.{playbook}", "-i", "inventory.json")
    assert run.status == 2
    assert run.failure("../../outside/one").startswith(
        "The name of the server in the inventory, '../../outside/one', would change the directory of the file. Rename "
        "the server, or choose a file without its name."
    )
    # The other server is not held up.
    written = set(project.directory.parent.rglob("*.yml")) - before
    assert {path.parent for path in written if "outside" in str(path) or path.stem.endswith("-one")} == {
        project.directory
    }
    assert run.recap["one"]["failed"] == 0


@pytest.mark.exhaustive
def test_servers_with_the_same_file_are_refused(project: Project) -> None:
    with (
        Simulator("0.20.0", token=TOKEN) as one,
        Simulator("0.20.0", token=TOKEN) as two,
        Simulator("0.20.0", token=TOKEN) as three,
    ):
        project.inventory({"one": one.url, "two": two.url, "three": three.url})
        shared = "{\"export_file\": \"{{ 'three.yml' if inventory_hostname == 'three' else './same.yml' }}\"}"
        run = project.play("streamops.ovenmediaengine.export", "-i", "inventory.json", "-e", shared)
        assert run.status == 2 and run.recap["three"]["failed"] == 0, run.output
        (refused,) = (name for name in ("one", "two") if run.recap[name]["failed"])
        assert f"Could not write {project.directory}/same.yml." in run.failure(refused)
        assert "Put inventory_hostname into the name of the file" in run.failure(refused)
        # Nor does a later run of one server replace the file of another.
        kept = (project.directory / "same.yml").read_bytes()
        run = project.play("streamops.ovenmediaengine.export", "-i", "inventory.json", "-e", shared, "-l", refused)
        assert run.status == 2 and "It is the file of another server" in run.failure(refused)
        assert (project.directory / "same.yml").read_bytes() == kept
        assert project.play("streamops.ovenmediaengine.export", "-i", "inventory.json").status == 0
