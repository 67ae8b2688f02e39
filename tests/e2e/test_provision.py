# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook provision, as a user runs them."""

from __future__ import annotations

import contextlib
import json
import pathlib
import re
import socket

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import APPLICATIONS, HEADERS, LOCAL, PUSH_TASKS, TOKEN, VHOSTS, Project


def _line(vhosts: str, applications: str, push_tasks: str, missing: str) -> str:
    before = f"; missing before: {missing}" if missing else ""
    return f"virtual hosts: {vhosts}; applications: {applications}; push tasks: {push_tasks}{before}"


_NONE = "(all virtual hosts were missing, as after a restart of the server)"
_APPLICATIONS_CREATED = "2 created, 0 recreated, 0 deleted, 0 unchanged, 0 failed"
CREATED = _line(
    "2 created, 0 recreated, 0 deleted, 0 unchanged, 0 failed",
    _APPLICATIONS_CREATED,
    "3 started, 0 restarted, 0 stopped, 0 unchanged, 0 failed",
    f"virtual hosts 2, applications 2, push tasks 3 {_NONE}",
)
UNCHANGED = _line(
    "0 created, 0 recreated, 0 deleted, 2 unchanged, 0 failed",
    "0 created, 0 recreated, 0 deleted, 2 unchanged, 0 failed",
    "0 started, 0 restarted, 0 stopped, 3 unchanged, 0 failed",
    "nothing",
)
NOT_REACHED = _line("not reached", "not reached", "not reached", "")


def test_one_server(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url})

    checked = project.provision("--check", "--diff")
    assert checked.status == 0, checked.output
    assert checked.summary("one") == "Check mode, this would be done: " + CREATED
    assert '"t-a"' in checked.output and '"default/app/t-1"' in checked.output
    assert not sim.writes

    first = project.provision()
    assert first.status == 0, first.output
    assert first.summary("one") == CREATED
    assert first.recap["one"]["changed"] == 1
    assert len(sim.writes) == 1 + 2 + len(PUSH_TASKS)

    sim.clear_log()
    second = project.provision("--diff")
    assert second.status == 0, second.output
    assert second.summary("one") == UNCHANGED
    assert second.recap["one"]["changed"] == 0
    assert not sim.writes
    # The list, for which the task waits, each virtual host, its application, and one look at the pushes.
    assert len(sim.log) == 1 + len(VHOSTS) + 2 + 1
    assert second.recap["one"]["ok"] == 2, "one task for the server, and the message"

    sim.restart()
    third = project.provision()
    assert third.summary("one") == CREATED, third.output

    # One that differs fails, and the summary still says what was done.
    other = [
        {**VHOSTS[0], "host": {"names": ["other.example.com"]}},
        VHOSTS[1],
        {"name": "t-c", "host": {"names": ["c.example.com"]}},
    ]
    project.inventory({"one": sim.url}, ovenmediaengine_vhosts=other)
    fourth = project.provision()
    assert fourth.status == 2
    assert "host.names" in fourth.output
    assert fourth.summary("one") == _line(
        "1 created, 0 recreated, 0 deleted, 1 unchanged, 1 failed",
        "0 created, 0 recreated, 0 deleted, 2 unchanged, 0 failed",
        "0 started, 0 restarted, 0 stopped, 3 unchanged, 0 failed",
        "virtual hosts 1, applications 0, push tasks 0",
    )


@pytest.mark.exhaustive
def test_applications_of_both_kinds_are_purged_and_counted_once(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url})
    first = project.provision()
    assert first.status == 0, first.output
    spare = {"vhost": "t-a", "name": "spare", "publishers": {"llhls": {}}}
    project.inventory({"one": sim.url}, ovenmediaengine_applications=[*APPLICATIONS, spare])
    assert project.provision().status == 0

    other = {**VHOSTS[0], "applications": [*VHOSTS[0]["applications"], {"name": "more", "publishers": {"llhls": {}}}]}  # type: ignore[misc]
    project.inventory(
        {"one": sim.url}, ovenmediaengine_vhosts=[other, VHOSTS[1]], ovenmediaengine_purge_applications=True
    )
    sim.clear_log()
    for arguments in (["--check"], []):
        run = project.provision(*arguments)
        assert run.status == 0, run.output
        assert "; applications: 1 created, 0 recreated, 1 deleted, 2 unchanged, 0 failed;" in run.summary("one"), (
            run.output
        )
        assert run.summary("one").endswith("; missing before: virtual hosts 0, applications 1, push tasks 0")
        assert bool(sim.writes) != bool(arguments)
    apps = {name: sorted(vhost.applications) for name, vhost in sim.state.virtual_hosts.items()}
    assert apps == {"default": ["app", "nopush"], "t-a": ["live", "more"], "t-b": ["live"]}


@pytest.mark.exhaustive
def test_one_of_five_servers_is_unreachable(project: Project) -> None:
    with contextlib.ExitStack() as stack:
        sims = {f"media{number}": stack.enter_context(Simulator(token=TOKEN)) for number in range(1, 6)}
        project.inventory({name: sim.url for name, sim in sims.items()}, ovenmediaengine_wait_seconds=1)

        first = project.provision()
        assert first.status == 0, first.output
        for name, sim in sims.items():
            assert first.summary(name) == CREATED
            assert len(sim.writes) == 1 + 2 + len(PUSH_TASKS)
            sim.clear_log()

        sims["media3"].stop()
        sims["media5"].restart()
        second = project.provision()
        assert second.status == 2, second.output
        assert second.recap["media3"]["failed"] == 1
        assert second.summary("media3") == NOT_REACHED
        assert second.summary("media5") == CREATED
        for name in ("media1", "media2", "media4"):
            assert second.recap[name]["changed"] == 0
            assert second.summary(name) == UNCHANGED
            assert not sims[name].writes


@pytest.mark.exhaustive
def test_a_wrong_token_fails_at_once(project: Project, sim: Simulator) -> None:
    project.inventory({"one": sim.url}, ovenmediaengine_api_token="canary-wrong-token")
    run = project.provision()
    assert run.status == 2
    assert "AccessToken of Managers/API" in run.output
    assert "RETRYING" not in run.output
    assert run.summary("one") == NOT_REACHED
    assert len(sim.log) == 1
    assert "canary" not in run.output


@pytest.mark.exhaustive
def test_the_wait_is_bounded(project: Project) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        project.inventory({"one": f"http://127.0.0.1:{unused.getsockname()[1]}"}, ovenmediaengine_wait_seconds=2)
        run = project.provision("--check")
    assert run.status == 2
    assert "Connection refused" in run.output
    assert run.summary("one") == "Check mode, this would be done: " + NOT_REACHED


@pytest.mark.exhaustive
def test_the_wait_ends_when_the_server_comes(project: Project, sim: Simulator) -> None:
    lost = sim.inject("reset", times=3)
    project.inventory({"one": sim.url}, ovenmediaengine_wait_seconds=600)
    run = project.provision()
    assert run.status == 0, run.output
    assert run.summary("one") == CREATED
    assert not lost.active and [record.fault for record in sim.log[:4]] == ["reset"] * 3 + [None]


@pytest.mark.exhaustive
@pytest.mark.parametrize("broken", [False, True])
def test_no_secret_is_printed_at_any_verbosity(project: Project, sim: Simulator, broken: bool) -> None:
    vhosts = VHOSTS
    if broken:
        # A field that does not exist, in an entry with a secret that has the wrong type.
        vhosts = [
            {**VHOSTS[0], "signed_policyy": {"secret_key": "canary-misspelt"}},
            {**VHOSTS[1], "admission_webhooks": "canary-wrong-type"},
        ]
    project.inventory({"one": sim.url}, ovenmediaengine_vhosts=vhosts)
    log = project.directory / "ansible.log"
    runs = [project.provision("-vvvv", "--diff", ANSIBLE_LOG_PATH=str(log))]
    if not broken:
        changed = [{**task, "url": task["url"].replace("example.com", "example.org")} for task in PUSH_TASKS]
        project.inventory({"one": sim.url}, ovenmediaengine_push_tasks=changed)
        runs.append(project.provision("-vvvv", "--diff", ANSIBLE_LOG_PATH=str(log)))
    assert [run.status for run in runs] == ([2] if broken else [0, 0]), runs[-1].output
    printed = "".join(run.output for run in runs) + log.read_text(encoding="utf-8")
    # Everything that is secret says so in its value.
    assert len(re.findall("canary", json.dumps([VHOSTS, APPLICATIONS, PUSH_TASKS, HEADERS, TOKEN]))) == 10
    assert [line for line in printed.splitlines() if "canary" in line] == []


@pytest.mark.exhaustive
def test_a_variable_of_the_wrong_type_is_refused_without_showing_it(project: Project, sim: Simulator) -> None:
    project.inventory(
        {"one": sim.url}, ovenmediaengine_vhosts="canary-text", ovenmediaengine_push_tasks=["canary-entry"]
    )
    run = project.provision("-vvvv")
    assert run.status == 2
    assert "ovenmediaengine_vhosts" in run.output
    assert "canary" not in run.output
    assert not sim.log


@pytest.mark.exhaustive
def test_ansible_runner(project: Project, sim: Simulator, tmp_path: pathlib.Path) -> None:
    ansible_runner = pytest.importorskip("ansible_runner")
    (tmp_path / "runner").mkdir()
    variables = {
        "ovenmediaengine_vhosts": VHOSTS,
        "ovenmediaengine_applications": APPLICATIONS,
        "ovenmediaengine_push_tasks": PUSH_TASKS,
    }

    def run() -> object:
        return ansible_runner.run(
            private_data_dir=str(tmp_path / "runner"),
            playbook="streamops.ovenmediaengine.provision",
            inventory={"all": {"hosts": {"one": LOCAL}}},
            extravars=variables,
            # As a controller hands a credential over.
            envvars={**project.environment, "OVENMEDIAENGINE_API_URL": sim.url, "OVENMEDIAENGINE_API_TOKEN": TOKEN},
            quiet=True,
        )

    for changed in ({"one": 1}, {}):
        result = run()
        assert (result.status, result.rc) == ("successful", 0), result.stdout.read()  # type: ignore[attr-defined]
        assert result.stats["changed"] == changed  # type: ignore[attr-defined]
    results = [event["event_data"]["res"] for event in result.events if event["event"] == "runner_on_ok"]  # type: ignore[attr-defined]
    assert results[-1]["msg"] == UNCHANGED


@pytest.mark.exhaustive
def test_many_servers_have_one_message(project: Project, sim: Simulator) -> None:
    hosts = {f"host-{number:02}": sim.url for number in range(1, 11)}
    lists = dict.fromkeys(("vhosts", "applications", "push_tasks"), [])
    numbers = dict.fromkeys(("wait_seconds", "retries"), 0)
    variables = {f"ovenmediaengine_{name}": value for name, value in {**lists, **numbers}.items()}
    project.inventory(hosts, **variables)
    assert project.provision().output.count("Summary] *") == 1
    assert all(project.provision().summary(host).startswith("virtual hosts: none listed") for host in hosts)

    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        hosts["host-00"] = f"http://127.0.0.1:{closed.getsockname()[1]}"
        project.inventory(hosts, **variables)
        run = project.provision()
    assert run.status == 2 and run.recap["host-00"]["failed"] == 1 and "refused" in run.failure("host-00")
    messages = re.findall(r'^ok: \[.*\] => (?={\n    "msg")', run.output, re.MULTILINE)
    assert len(messages) == 1
    lines = json.JSONDecoder().raw_decode(run.output, run.output.index(messages[0]) + len(messages[0]))[0]["msg"]
    assert sorted(lines) == sorted(set(hosts) - {"host-00"})
    assert all(line.startswith("virtual hosts: none listed") for line in lines.values())
    assert run.output.count(f'"line": "{NOT_REACHED}"') == 1, "the result of the server that has failed"
