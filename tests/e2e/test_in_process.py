# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which tasks run in the worker process of the controller and which as modules, and what the former have of Ansible."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import typing as t

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret
from ansible_collections.streamops.ovenmediaengine.tests.execution_paths.results import IN_PROCESS, MODULE
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import TOKEN, Project
from .execution_runs import SWITCH, ExecutionRun, play, run

pytestmark = pytest.mark.exhaustive

COLLECTION = "streamops.ovenmediaengine"
Task = dict[str, t.Any]


def connection(sim: Simulator, **more: t.Any) -> dict[str, t.Any]:
    """Return the connection options."""
    return {"api_url": sim.url, "api_token": TOKEN, **more}


def task(name: str, sim: Simulator, module: str = "vhost_info", **keywords: t.Any) -> Task:
    """Return a task that reads the virtual hosts, or another one.

    :param keywords: those of a task; ``options`` adds to the options of the module.
    """
    options = {**connection(sim), **keywords.pop("options", {})}
    return {"name": name, f"{COLLECTION}.{module}": options, "ignore_errors": True, **keywords}


def vhost(name: str, **more: t.Any) -> dict[str, t.Any]:
    """Return the options of a virtual host."""
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, **more}


def another_python(directory: pathlib.Path) -> str:
    """Return a program that is a Python, but not that of the controller."""
    path = directory / "python"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return str(path)


# Where a task runs


@pytest.fixture(name="everywhere", scope="module")
def _everywhere(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[ExecutionRun]:
    """Provide one run with a task for each thing that decides where it runs."""
    directory = tmp_path_factory.mktemp("everywhere")
    with Simulator(token=TOKEN) as sim:
        python = another_python(directory)
        became = {"become": True, "become_method": "same_user"}
        plain = task("plain", sim)
        on_one: list[Task] = [
            task("become", sim, **became),
            {"name": "block that becomes", **became, "block": [task("become in a block", sim)]},
            task("become by a variable", sim, vars={"ansible_become": True, "ansible_become_method": "same_user"}),
            task("become: false", sim, become=False),
            task("async", sim, **{"async": int(PATIENCE), "poll": 1}),
            task("another connection", sim, vars={"ansible_connection": "elsewhere"}),
            task("environment", sim, environment={"SOME_NAME": "x"}),
            {
                "name": "block with an environment",
                "environment": {"SOME_NAME": "x"},
                "block": [task("environment of a block", sim)],
            },
            task("environment that comes to nothing", sim, environment="{{ nothing | default({}) }}"),
            task("another interpreter", sim, vars={"ansible_python_interpreter": python}),
            task("the controller's interpreter", sim, vars={"ansible_python_interpreter": sys.executable}),
            task("any interpreter", sim, vars={"ansible_python_interpreter": "auto_silent"}),
            task("off", sim, vars={SWITCH: False}),
            task("off, in words", sim, vars={SWITCH: "no"}),
            task("off, by a template", sim, vars={SWITCH: "{{ not is_wanted }}", "is_wanted": True}),
            task("on, in words", sim, vars={SWITCH: "yes"}),
            task("neither on nor off", sim, vars={SWITCH: "perhaps"}),
            task("check mode", sim, "vhost", options=vhost("t-check"), check_mode=True, diff=True),
            task("loop", sim, loop=["a", "b", "c"]),
            task("loop, some as modules", sim, loop=[True, False, True], vars={SWITCH: "{{ item }}"}),
            task("not needed", sim, when=False),
            {"name": "off for a block", "vars": {SWITCH: False}, "block": [task("off in a block", sim)]},
        ]
        on_another: list[Task] = [
            task("delegated", sim, delegate_to="localhost"),
            task("delegated and off", sim, delegate_to="localhost", vars={SWITCH: False}),
            task("delegated to one that is local", sim, delegate_to="one"),
            task("once", sim, delegate_to="localhost", run_once=True),
        ]
        hosts: dict[str, dict[str, t.Any]] = {
            "one": {},
            "another": {"ansible_connection": "elsewhere"},
            "without": {SWITCH: False},
        }
        started = [play([plain])]
        started += [
            {**play(on_one), "hosts": "one"},
            {**play([*on_another, task("delegated from here", sim, delegate_to="another")]), "hosts": "another"},
        ]
        started += [{**play([task("delegated from one", sim, delegate_to="another")]), "hosts": "one"}]
        started += [{**play([task("off for a play", sim)]), "hosts": "one", "vars": {SWITCH: False}}]
        yield run(Project(directory), started, hosts)


EXECUTIONS = {
    "plain": IN_PROCESS,
    "become": MODULE,
    "become in a block": MODULE,
    "become by a variable": MODULE,
    "become: false": IN_PROCESS,
    "async": MODULE,
    "another connection": MODULE,
    "environment": MODULE,
    "environment of a block": MODULE,
    "environment that comes to nothing": IN_PROCESS,
    "another interpreter": MODULE,
    "the controller's interpreter": IN_PROCESS,
    "any interpreter": IN_PROCESS,
    "off": MODULE,
    "off, in words": MODULE,
    "off, by a template": MODULE,
    "on, in words": IN_PROCESS,
    "check mode": IN_PROCESS,
    "loop": IN_PROCESS,
    "off in a block": MODULE,
    "off for a play": MODULE,
    "delegated from one": MODULE,
}
OF_ANOTHER = {
    "plain": MODULE,
    "delegated": IN_PROCESS,
    "delegated and off": MODULE,
    "delegated to one that is local": IN_PROCESS,
    "once": IN_PROCESS,
    "delegated from here": MODULE,
}


@pytest.mark.parametrize(
    ("host", "name", "execution"),
    [("one", *pair) for pair in EXECUTIONS.items()]
    + [("another", *pair) for pair in OF_ANOTHER.items()]
    + [("without", "plain", MODULE)],
)
def test_each_task_uses_the_expected_execution_path(
    everywhere: ExecutionRun, host: str, name: str, execution: str
) -> None:
    result = everywhere.last(name, host)
    assert result.event == "ok", result.result
    assert result.execution == execution


def test_each_item_of_a_loop_is_asked_where_to_run(everywhere: ExecutionRun) -> None:
    results = everywhere.of("loop, some as modules")
    assert [result.event for result in results] == ["item ok"] * 3 + ["ok"]
    assert {result.started for result in results} == {1}, "one process, for the one item that is to run as a module"


def test_a_skipped_task_runs_nowhere(everywhere: ExecutionRun) -> None:
    assert (everywhere.last("not needed").event, everywhere.execution("not needed")) == ("skipped", "")


def test_a_switch_that_is_neither_on_nor_off_is_an_error(everywhere: ExecutionRun) -> None:
    result = everywhere.last("neither on nor off")
    assert result.event == "failed, ignored"
    assert result.started == 0
    assert f"{SWITCH} must be true or false, got 'perhaps'" in result.result["msg"]


def test_extra_variables_turn_it_off(project: Project, sim: Simulator) -> None:
    tasks = [task("plain", sim), task("on, in vain", sim, vars={SWITCH: True})]
    ended = run(project, [play(tasks)], {"one": {SWITCH: True}}, "-e", f"{SWITCH}=false")
    assert [ended.execution(name) for name in ("plain", "on, in vain")] == [MODULE, MODULE]
    assert ended.run.recap["one"]["ignored"] == 0


NO_REQUESTS = """
import sys


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "requests":
            raise ModuleNotFoundError("No module named 'requests'", name=name)


if any(word.endswith("ansible-playbook") for word in sys.orig_argv):
    sys.meta_path.insert(0, Hidden())
"""


def test_without_requests_on_the_controller_modules_are_used(project: Project, sim: Simulator) -> None:
    hidden = project.directory / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(NO_REQUESTS, encoding="utf-8")
    tasks = [
        task("plain", sim),
        {
            "name": "needs no server",
            f"{COLLECTION}.certificate_info": {"certificate": "/nowhere.pem"},
            "ignore_errors": True,
        },
    ]
    ended = run(project, [play(tasks)], {"one": {}}, PYTHONPATH=str(hidden))
    assert ended.execution("plain") == MODULE
    assert ended.last("plain").event == "ok", ended.last("plain").result
    assert "No module named" not in ended.run.output


# What Ansible does around a task


def test_what_ansible_does_around_a_task(project: Project, sim: Simulator) -> None:
    vault = project.directory / "password"
    vault.write_text("canary-vault-password\n", encoding="utf-8")
    (project.directory / "secrets.yml").write_bytes(
        VaultLib([("default", VaultSecret(b"canary-vault-password"))]).encrypt(
            json.dumps({"vaulted_token": TOKEN, "vaulted_key": "canary-policy-key"})
        )
    )
    policy = {
        "policy_query_key_name": "policy",
        "signature_query_key_name": "signature",
        "secret_key": "{{ vaulted_key }}",
    }
    wanted = vhost("t-a", signed_policy=policy)
    bare = f"{COLLECTION}."
    tasks: list[Task] = [
        {
            "name": "by defaults, in check mode",
            f"{bare}vhost": wanted,
            "check_mode": True,
            "diff": True,
            "register": "checked",
        },
        {"name": "by defaults", f"{bare}vhost": wanted, "diff": True, "register": "made"},
        {"name": "by defaults again", f"{bare}vhost": wanted, "register": "again"},
        {
            "name": "tell",
            "ansible.builtin.debug": {"msg": "{{ [checked.diff == made.diff, made is changed, again is changed] }}"},
        },
        {"name": "without a log", f"{bare}vhost_info": {"names": ["t-a"]}, "no_log": True, "register": "hidden"},
        {"name": "tell what was hidden", "ansible.builtin.debug": {"msg": "{{ hidden.vhosts[0].name }}"}},
        {
            "name": "until",
            f"{bare}vhost_info": {},
            "register": "read",
            "until": "read.attempts == 3",
            "retries": 5,
            "delay": 0,
        },
        {
            "name": "failed",
            f"{bare}vhost": vhost("t-a", host={"names": ["other.example.com"]}),
            "ignore_errors": True,
            "register": "failed",
        },
        {"name": "failed_when", f"{bare}vhost_info": {}, "failed_when": "true", "ignore_errors": True},
        {"name": "changed_when", f"{bare}vhost_info": {}, "changed_when": "true"},
        {
            "name": "rescue",
            "block": [{"name": "ends", f"{bare}vhost": {"name": "a/b"}}],
            "rescue": [{"name": "rescued", "ansible.builtin.debug": {}}],
        },
        {
            "name": "a loop",
            f"{bare}vhost": {"name": "{{ item }}", "host": {"names": ["{{ item }}.example.com"]}},
            "loop": ["t-b", "t-c"],
            "register": "loop",
        },
        {"name": "an option of another name", f"{bare}vhost": {"nam": "t-a", "name": "t-a"}, "ignore_errors": True},
        {"name": "the token from the environment", f"{bare}vhost_info": {"api_token": "{{ omit }}"}},
        {"name": "notifies", f"{bare}vhost": {"name": "t-b", "state": "absent"}, "notify": "handler"},
    ]
    defaults = {f"group/{COLLECTION}.ovenmediaengine": {"api_url": sim.url, "api_token": "{{ vaulted_token }}"}}
    started = play(
        tasks,
        module_defaults=defaults,
        vars_files=["secrets.yml"],
        handlers=[{"name": "handler", f"{bare}vhost_info": {}}],
    )
    environment = {"OVENMEDIAENGINE_API_TOKEN": TOKEN}
    ended = run(project, [started], {"one": {}}, "--vault-password-file", str(vault), "-vvvv", **environment)
    assert ended.run.recap["one"]["failed"] == 0, ended.run.output
    assert {result.execution for result in ended.results if result.of_collection} == {IN_PROCESS}
    assert ended.last("tell").result["msg"] == [True, True, False]
    assert {key for key in ended.last("without a log").result if not key.startswith("_")} == {"censored", "changed"}
    assert ended.last("tell what was hidden").result["msg"] == "t-a"
    assert ended.last("until").result["attempts"] == 3
    assert [result.event for result in ended.of("until")] == ["retry", "retry", "ok"]
    assert ended.last("failed").result["error"]["kind"] == "differs"
    assert (ended.last("failed_when").event, ended.last("failed_when").result["failed_when_result"]) == (
        "failed, ignored",
        True,
    )
    assert ended.last("changed_when").result["changed"] is True
    assert ended.last("rescued").event == "ok"
    assert [item["action"] for item in ended.last("a loop").result["results"]] == ["created", "created"]
    assert (
        "Unsupported parameters for (streamops.ovenmediaengine.vhost) module: nam."
        in ended.last("an option of another name").result["msg"]
    )
    assert ended.last("handler").event == "ok"
    assert [record.status for record in sim.log if record.status not in (200, 404)] == []
    for secret in (TOKEN, "canary-policy-key", "canary-vault-password"):
        assert secret not in ended.run.output
        assert secret not in (project.directory / "results.jsonl").read_text(encoding="utf-8")


def test_check_mode_and_diff_of_the_command_line(project: Project, sim: Simulator) -> None:
    tasks = [
        task("made", sim, "vhost", options=vhost("t-a")),
        task("made really", sim, "vhost", options=vhost("t-b"), check_mode=False),
    ]
    ended = run(project, [play(tasks)], {"one": {}}, "--check", "--diff")
    assert [ended.execution(name) for name in ("made", "made really")] == [IN_PROCESS] * 2
    assert [result.event for result in ended.of("made")] == ["diff", "ok"]
    assert "t-a" in ended.last("made").result["diff"]["after"]
    assert [record.body[0]["name"] for record in sim.writes] == ["t-b"]
    assert "+++ after" in ended.run.output


# Processes and connections


def connections(sim: Simulator) -> int:
    """Return how many connections the requests so far came over."""
    return len({record.connection for record in sim.log})


def test_a_loop_keeps_one_connection(project: Project, sim: Simulator) -> None:
    loop = task("loop", sim, "vhost", options=vhost("{{ item }}"), loop=[f"t-{number}" for number in range(25)])
    ended = run(project, [play([loop])], {"one": {}})
    assert ended.last("loop").event == "ok", ended.run.output
    assert len(sim.writes) == 25
    assert connections(sim) == 1
    sim.clear_log()
    ended = run(project, [play([{**loop, "loop": ["t-1", "t-2", "t-3"]}])], {"one": {SWITCH: False}})
    assert ended.last("loop").result["changed"] is False
    assert connections(sim) == 3, "a module has a connection of its own, so that the above shows something"


@pytest.mark.parametrize("strategy", ["linear", "free"])
def test_hosts_run_concurrently(project: Project, strategy: str) -> None:
    with Simulator(token=TOKEN) as sim, Simulator(token=TOKEN) as other:
        hosts = {f"host-{number}": {"url": (sim, other)[number % 2].url, "mine": f"t-{number}"} for number in range(6)}
        options = {"api_url": "{{ url }}", "api_token": TOKEN, **vhost("{{ mine }}-{{ item }}")}
        tasks: list[Task] = [
            {"name": "make", f"{COLLECTION}.vhost": options, "loop": [1, 2, 3]},
            {
                "name": "read",
                f"{COLLECTION}.vhost_info": {"api_url": "{{ url }}", "api_token": TOKEN, "concurrency": 1},
            },
        ]
        ended = run(project, [play(tasks, strategy=strategy)], hosts, "--forks", "4")
        for number, name in enumerate(hosts):
            assert ended.run.recap[name]["failed"] == 0, ended.run.output
            assert [item["vhost"]["name"] for item in ended.last("make", name).result["results"]] == [
                f"t-{number}-{item}" for item in (1, 2, 3)
            ]
            found = {one["name"] for one in ended.last("read", name).result["vhosts"]}
            assert found >= {f"t-{number}-{item}" for item in (1, 2, 3)}
            assert not any(int(one.split("-")[1]) % 2 != number % 2 for one in found if one.startswith("t-")), (
                "each host has its own server"
            )
        assert {result.execution for result in ended.results} == {IN_PROCESS}
        # A worker process is made for a task of a host; none may have the connection of another one.
        for server in (sim, other):
            assert connections(server) == 6


def test_no_temporary_directory_is_made(project: Project, sim: Simulator) -> None:
    remote = project.directory / "remote"
    ended = run(project, [play([task("in process", sim)])], {"one": {}}, ANSIBLE_REMOTE_TMP=str(remote))
    assert ended.execution("in process") == IN_PROCESS
    assert not remote.exists()
    copied = {SWITCH: False, "ansible_pipelining": False}
    run(project, [play([task("as a module", sim)])], {"one": copied}, ANSIBLE_REMOTE_TMP=str(remote))
    assert os.path.isdir(remote), "a module has one, so that the above shows something"


def test_defaults_of_one_module_leave_the_others_alone(project: Project, sim: Simulator) -> None:
    """As they would not if one action plugin were that of all modules."""
    defaults = {f"{COLLECTION}.stream_info": {"vhost": "t-of-defaults", **connection(sim)}}
    own: Task = {"name": "own", f"{COLLECTION}.stream_info": {"app": "app"}, "ignore_errors": True}
    tasks = [task("other", sim, "server_info"), own]
    ended = run(project, [play(tasks, module_defaults=defaults)], {"one": {}})
    assert "msg" not in ended.last("other").result, ended.run.output
    assert "t-of-defaults/app" in ended.last("own").result["msg"]
    assert {result.execution for result in ended.results} == {IN_PROCESS}
