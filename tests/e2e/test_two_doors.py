# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The same tasks through both doors: every module, each way to end, and what Ansible makes of the result. Results must be equal key by key."""

from __future__ import annotations

import json
import pathlib
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.doors.compare import compare, doors
from ansible_collections.streamops.ovenmediaengine.tests.doors.results import IN_PROCESS, MODULE
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES, make_virtual_host

from .conftest import APPLICATIONS, PUSH_TASKS, TOKEN, VHOSTS, Project
from .door_runs import SWITCH, DoorRun, play, run
from .rotation import authority

COLLECTION = "streamops.ovenmediaengine"
# Written by somebody else, and never to be taken for a template.
TEMPLATE = "{{ 7 * 7 }} {% raw %}"
_POLICY = {"policy_query_key_name": "policy", "signature_query_key_name": "signature"}
_SRT = {"vhost": "default", "app": "app", "stream": {"name": "main"}, "id": "t-9", "protocol": "srt"}


def host(name: str, **more: t.Any) -> dict[str, t.Any]:
    """The options of a virtual host."""
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, **more}


class Task(t.NamedTuple):
    """A task of the table."""

    name: str
    module: str
    options: dict[str, t.Any]
    keywords: dict[str, t.Any]


def task(name: str, module: str, options: t.Mapping[str, t.Any], **keywords: t.Any) -> Task:
    """A task; ``keywords`` are those of the task itself."""
    return Task(name, module, dict(options), keywords)


CHECK = {"check_mode": True, "diff": True}
TASKS = [
    # Virtual hosts
    task("vhost, in check mode", "vhost", VHOSTS[0], **CHECK),
    task("vhost, new", "vhost", VHOSTS[0], diff=True),
    task("vhost, unchanged", "vhost", VHOSTS[0]),
    task("vhost, differs", "vhost", {**VHOSTS[0], "host": {"names": ["other.example.com"]}}),
    task("vhost, recreated", "vhost", {**VHOSTS[0], "signed_policy": {**_POLICY, "secret_key": "planted-other-key"}, "recreate": True}, diff=True),
    task("vhost, read-only", "vhost", {"name": "default", "state": "absent"}),
    task("vhost, in a loop", "vhost", host("{{ item }}"), loop=["t-x", "t-y", "t/z"]),
    task("vhosts, some fail", "vhosts", {"vhosts": [VHOSTS[0], host("t-x", signed_policy={**_POLICY, "secret_key": "planted-key"})]}, diff=True),
    task("vhosts, purge in check mode", "vhosts", {"vhosts": VHOSTS, "purge": True}, **CHECK),
    task("vhosts, from a variable", "vhosts", {"vhosts": "{{ vhosts }}"}),
    task("vhosts, none", "vhosts", {"vhosts": []}),
    task("vhost_info, masked", "vhost_info", {"names": ["t-b", "t-none", "default"]}),
    task("vhost_info, shown", "vhost_info", {"names": ["t-b"], "show_secrets": True}),
    # Applications
    task("application, in check mode, of a virtual host to come", "application", {"vhost": "t-none", "name": "live"}, **CHECK),
    task("application, of none", "application", {"vhost": "t-none", "name": "live"}),
    task("applications, new", "applications", {"applications": APPLICATIONS}, diff=True),
    task("application, bare members", "application", {"vhost": "t-b", "name": "bare", "providers": {"rtmp": None}, "publishers": {"push": {}}}),
    task("application_info, masked", "application_info", {"vhost": "t-b"}),
    task("application_info, of somebody else", "application_info", {"vhost": "foreign"}),
    # Push tasks
    task("push_tasks, new", "push_tasks", {"tasks": PUSH_TASKS}, diff=True),
    task("push_task, unchanged", "push_task", PUSH_TASKS[0]),
    task("push_task, changed", "push_task", {**PUSH_TASKS[0], "stream_key": "planted-new-key"}, diff=True),
    task("push_task, masked key given back", "push_task", {**PUSH_TASKS[0], "stream_key": "********"}),
    task("push_task, wrong for its protocol", "push_task", {**_SRT, "url": "rtmp://u:planted-user@one.example.com/live", "stream_key": "planted-key"}),
    task("push_task, not ready in time", "push_task", {**PUSH_TASKS[1], "wait_for": "pushing", "wait_timeout": 0}),
    task("push_task_info, masked", "push_task_info", {"vhost": "default"}),
    task("push_task_info, shown", "push_task_info", {"vhost": "default", "show_secrets": True}),
    task("push_task, stopped", "push_task", {**PUSH_TASKS[2], "state": "stopped"}),
    # Certificates
    task("cert_reload, all", "cert_reload", {}),
    task("cert_reload, in check mode", "cert_reload", {"vhost": "t-none"}, **CHECK),
    task("cert_reload, no file", "cert_reload", {"certificate": "~/nowhere.pem", "vhost": "default"}),
    task("cert_reload, an endpoint that is down", "cert_reload", {"fingerprint": "ab" * 32, "endpoint": {"host": "127.0.0.1", "port": 9}, "wait_timeout": 0}),
    task("certificate_info, a key of another", "certificate_info", {"certificate": "{{ files }}/one.pem", "private_key": "$FILES/other.key"}),
    task("certificate_info, a key in place of a path", "certificate_info", {"certificate": "-----BEGIN PRIVATE KEY-----\nplanted-pem-key\n"}),
    # Audit
    task("audit_info, drift", "audit_info", {"vhosts": [*VHOSTS, host("t-missing")], "applications": APPLICATIONS, "push_tasks": PUSH_TASKS}),
    task("audit_info, entries that cannot be", "audit_info", {"vhosts": [17, "t-a", {"name": "t-c", "host": "planted-host-text"}], "sampling_interval": 0}),
    # Options that cannot be
    task("an option of another name", "vhost", {"nam": "t-a", "name": "t-a"}),
    task("an option of another name, inside", "vhost", {"name": "t-a", "signed_policy": {**_POLICY, "secret_ky": "planted-inside-key"}}),
    task("an option that is missing", "vhost", {"host": {"names": ["a"]}}),
    task("options that are missing, inside", "push_task", {"vhost": "default", "app": "app", "id": "t-1", "stream": {}}),
    task("a number in place of a dictionary", "vhost", {"name": "t-a", "host": 17}),
    task("a text in place of a dictionary", "push_task", {**PUSH_TASKS[0], "stream": "planted-in-place-of-a-stream"}),
    task("a number in place of a list", "vhosts", {"vhosts": 5}),
    task("a choice that is none", "vhost", {"name": "t-a", "state": "there"}),
    task("a number that is none", "vhost_info", {"timeout": "soon"}),
    task("a boolean that is none", "vhost_info", {"show_secrets": "perhaps"}),
    task("a name that no request can be about", "vhost", host("t/%s")),
    task("an entry twice", "vhosts", {"vhosts": [host("t-a"), host("t-a")]}),
    task("options in other types", "vhost_info", {"timeout": "5", "retries": "{{ 2 }}", "validate_certs": "yes", "names": "t-b,default"}),
    task("a dictionary as JSON", "vhost", {"name": "t-json", "host": '{"names": ["t-json.example.com"]}'}),
    task("options of nothing", "vhost", {"name": "t-json", "host": None, "signed_policy": None, "recreate": "{{ omit }}"}),
    task("text beyond ASCII", "vhost", {"name": "t-a\u00e9\u20ac\U0001f511"}),
    # Connections that fail
    task("a wrong token", "vhost_info", {"api_token": "planted-wrong-token"}),
    task("nobody listens", "vhosts", {"api_url": "http://127.0.0.1:9", "retries": 0, "vhosts": [host("t-a")]}),
    task("a password in the address", "vhost_info", {"api_url": "http://u:planted-url-password@127.0.0.1:9"}),
    task("in clear text, to nowhere", "vhost_info", {"api_url": "http://nowhere.invalid:8081", "retries": 0}),
    task("a file of authorities that is none", "vhost_info", {"api_url": "https://127.0.0.1:9", "ca_path": "$FILES/none.pem"}),
    task("no address", "vhost_info", {"api_url": "{{ omit }}"}),
    task("with requests sent again", "vhost_info", {"names": ["again"], "retries": 3}),
    task("an answer that repeats a secret", "application", {**APPLICATIONS[0], "vhost": "refusing"}),
    task("an error page", "application_info", {"vhost": "page"}),
    # What Ansible does with results
    task("hidden", "vhost_info", {"show_secrets": True}, no_log=True),
    task("hidden, failed", "vhost", {"name": "a/b"}, no_log=True),
    task("failed_when", "vhost_info", {"names": ["default"]}, failed_when="true"),
    task("changed_when", "vhost_info", {"names": ["default"]}, changed_when="true"),
    task("until", "vhost_info", {"names": ["default"]}, until="false", retries=1, delay=0),
    task("an undefined variable", "vhost_info", {"names": "{{ nobody_knows }}"}),
    task("left out", "vhost_info", {}, when=False),
]
# Once more with the options in the results, which ansible-core returns from 2.19 on only where it is asked to.
WITH_OPTIONS = ("vhost, unchanged", "vhosts, some fail", "push_task, unchanged", "an option of another name, inside", "nobody listens", "hidden")


def spoil(sim: Simulator) -> None:
    """Lets the requests of some tasks go wrong."""
    sim.inject("status", path="/v1/vhosts/again", status=503, times=2)
    sim.inject("status", path="/v1/vhosts/refusing/apps", method="POST", status=400, message="no planted-transcode-key here", times=-1)
    sim.inject("html", path="/v1/vhosts/page/apps", status=502, times=-1)


def plays(numbered: t.Sequence[Task], **variables: t.Any) -> dict[str, t.Any]:
    """A play of tasks, and one that shows what has been registered."""
    tasks: list[dict[str, t.Any]] = []
    for number, one in enumerate(numbered):
        api = {"api_url": "{{ url }}", "api_token": TOKEN} if one.module != "certificate_info" else {}
        tasks.append({"name": one.name, f"{COLLECTION}.{one.module}": {**api, **one.options}, "register": f"r{number}", "ignore_errors": True, **one.keywords})
    registered = "{{ [%s] }}" % ", ".join(f"r{number}" for number in range(len(numbered)))
    return play([*tasks, {"name": "registered", "ansible.builtin.debug": {"msg": registered}}], vars={**variables, "vhosts": VHOSTS})


def run_table(project: Project, in_process: bool) -> DoorRun:
    """Runs all tasks against a server of their own."""
    with Simulator(token=TOKEN, stop_delay=0.1) as sim:
        profile = {"name": "p", "outputStreamName": TEMPLATE, "encodes": {}}
        make_virtual_host(sim, "foreign", applications=[{"name": "app", "type": "live", "outputProfiles": {"outputProfile": [profile]}}])
        make_virtual_host(sim, "refusing")
        spoil(sim)
        started = [plays(TASKS), plays([one for one in TASKS if one.name in WITH_OPTIONS], ansible_inject_invocation=True)]
        variables = {SWITCH: in_process, "url": sim.url, "files": str(project.directory)}
        return run(project, started, {"one": variables}, "-vvv", FILES=str(project.directory))


def _both_doors_have_the_same_results(runs: tuple[DoorRun, DoorRun]) -> None:
    found = compare(runs[0].results, runs[1].results, ("process", "module"))
    if found.differences:
        pytest.fail("\n".join(found.differences[:40]), pytrace=False)
    assert found.of_collection > len(TASKS)


def _each_run_went_through_its_door(runs: tuple[DoorRun, DoorRun]) -> None:
    for one, door in zip(runs, (IN_PROCESS, MODULE)):
        assert list(doors(one.results)) == [door]
        nowhere = {result.name for result in one.results if result.of_collection and not result.door}
        assert nowhere == {"an undefined variable", "left out"}
    assert {one.module for one in TASKS} == set(MODULES)


def _the_table_has_each_way_to_end(runs: tuple[DoorRun, DoorRun]) -> None:
    ended = runs[0]
    assert ended.last("vhost, new").result["changed"] is True
    assert ended.last("vhost, unchanged").result["changed"] is False
    kinds = {
        "vhost, differs": "differs",
        "vhost, read-only": "read_only",
        "a wrong token": "unauthorized",
        "nobody listens": "refused",
        "vhosts, some fail": "items_failed",
        "in clear text, to nowhere": "unresolved",
        "an answer that repeats a secret": "bad_request",
        "a name that no request can be about": "bad_input",
    }
    assert {name: ended.last(name).result["error"]["kind"] for name in kinds} == kinds
    assert len(ended.last("with requests sent again").result["retries"]) == 2
    assert any("clear text" in json.dumps(one) for one in ended.last("in clear text, to nowhere").result["warnings"])
    assert "********" in ended.last("an answer that repeats a secret").result["msg"]
    assert ended.last("push_task_info, shown").result["tasks"][0]["stream_key"] == "planted-new-key"


def _what_a_server_says_is_no_template(runs: tuple[DoorRun, DoorRun]) -> None:
    for one in runs:
        shown = one.last("application_info, of somebody else").result["applications"]
        assert shown[0]["output_profiles"]["output_profile"][0]["output_stream_name"] == TEMPLATE
        assert TEMPLATE in json.dumps(one.of("registered")[0].result)


def _options_are_in_the_results_where_they_are_asked_for(runs: tuple[DoorRun, DoorRun]) -> None:
    for one in runs:
        invocation = one.of("vhost, unchanged")[-1].result["invocation"]["module_args"]
        assert invocation["api_token"] == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
        assert invocation["signed_policy"]["secret_key"] == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
        assert invocation["name"] == "t-a"


def _no_secret_is_shown_through_either_door(runs: tuple[DoorRun, DoorRun]) -> None:
    for one in runs:
        told = [json.dumps(result.result) for result in one.results if ", shown" not in result.name and result.name != "registered"]
        leaks = [text[max(0, text.find("planted-") - 200) :][:300] for text in told if "planted-" in text]
        assert leaks == []


# One test, as each process that runs tests would have the runs for itself otherwise, which take minutes.
CHECKS = (
    _both_doors_have_the_same_results,
    _each_run_went_through_its_door,
    _the_table_has_each_way_to_end,
    _what_a_server_says_is_no_template,
    _options_are_in_the_results_where_they_are_asked_for,
    _no_secret_is_shown_through_either_door,
)


@pytest.mark.timeout(900)
def test_both_doors(tmp_path: pathlib.Path) -> None:
    one, other = authority().issue(), authority().issue()
    for name, content in (("one.pem", one.certificate), ("other.key", other.key)):
        (tmp_path / name).write_bytes(content)
    # In one directory, so that what files are called is the same.
    project = Project(tmp_path)
    project.limit = 500.0  # on a machine that may be busy
    runs = run_table(project, True), run_table(project, False)
    for check in CHECKS:
        check(runs)
