# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules as Ansible runs them: results, failures, and no secrets in what they print or log."""

from __future__ import annotations

import ast
import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils import basic
from ansible.module_utils.common.parameters import PASS_VARS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution, redaction
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.redaction import (
    LongestFirst,
    without_secrets,
    without_values,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._task_options import CheckedOptions
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.conftest import Serve
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    CLOSE,
    answer,
    refusal,
    success,
    unused_port,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    ModuleRun,
    connection,
    run_module,
)

NO_LOG = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
SECRETS = {
    "token": "HIDDEN-token-0",
    "header": "HIDDEN-header-1",
    "stream key": "HIDDEN-streamkey-2",
    "key in a URL": "HIDDEN-urlkey-3",
    "passphrase": "HIDDEN-passphrase-4",
    "secret key": "HIDDEN-secretkey-5",
    "redis": "HIDDEN-redis-6",
    "user info": "HIDDEN-userinfo-7",
}
CONNECTION = {"api_token": SECRETS["token"], "retries": 0, "http_headers": {"X-Key": SECRETS["header"]}}
TASK: dict[str, Any] = {
    "vhost": "default",
    "app": "app",
    "id": "platform",
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": f"rtmp://127.0.0.1/app/{SECRETS['key in a URL']}",
    "stream_key": SECRETS["stream key"],
}
SRT_TASK: dict[str, Any] = {
    "vhost": "default",
    "app": "app",
    "id": "backup",
    "stream": {"name": "main"},
    "protocol": "srt",
    "url": f"srt://me:{SECRETS['user info']}@127.0.0.1:9?passphrase={SECRETS['passphrase']}",
}
VHOST: dict[str, Any] = {
    "name": "tenant-a",
    "host": {"names": ["a.example.com"]},
    "signed_policy": {
        "policy_query_key_name": "p",
        "signature_query_key_name": "s",
        "secret_key": SECRETS["secret key"],
    },
    "origin_map_store": {"redis_server": {"host": "r:6379", "auth": SECRETS["redis"]}},
    "admission_webhooks": {
        "control_server_url": f"https://me:{SECRETS['user info']}@hooks.example.com",
        "secret_key": SECRETS["secret key"],
    },
}


def run(module: str, options: dict[str, Any], **kwargs: Any) -> ModuleRun:
    """Run a module so that newer versions of ansible-core return the invocation, as with -vvv."""
    asked = {"_ansible_inject_invocation": True} if "inject_invocation" in PASS_VARS else {}
    return run_module(module, {**options, **asked}, **kwargs)


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that a module writes to the log of the managed host."""
    lines: list[str] = []
    monkeypatch.setattr(basic.AnsibleModule, "log", lambda self, msg, log_args=None: lines.append(f"{msg} {log_args}"))
    return lines


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A server whose token is a canary."""
    with Simulator(token=SECRETS["token"]) as running:
        yield running


def hides_all(result: ModuleRun) -> bool:
    """Return whether the output holds no canary; fail with the names of those in it."""
    assert [name for name, secret in SECRETS.items() if secret in result.printed] == []
    return True


# Results


def test_the_result_is_that_of_the_operation(simulator: Simulator) -> None:
    result = run("vhost_info", connection(simulator))
    assert not result.failed
    assert result["changed"] is False
    assert [vhost["name"] for vhost in result["vhosts"]] == ["default"]


def test_check_mode_reaches_the_operation(simulator: Simulator) -> None:
    result = run("vhost", {**connection(simulator), **VHOST}, check_mode=True)
    assert (result["changed"], result["action"]) == (True, "created")
    assert simulator.writes == []


def test_warnings_are_returned_and_scrubbed(simulator: Simulator) -> None:
    result = run("push_task", {**connection(simulator), **SRT_TASK, "stream_key": "backup"})
    assert len(result.warnings) == 1
    assert "stream_key" in result.warnings[0]
    assert hides_all(result)


def test_a_secret_that_a_warning_repeats_is_scrubbed(serve: Serve) -> None:
    server = serve(success([f"no name: {SECRETS['header'].lower()} QTpiLWM="]))
    result = run(
        "vhost_info",
        {"api_url": server.url, "api_token": "A:b-c", "http_headers": {"X-Key": SECRETS["header"].lower()}},
    )
    assert "no name: ******** ********" in result.warnings[0]
    assert SECRETS["header"].lower() not in result.printed


def test_retries_are_reported(serve: Serve) -> None:
    server = serve(CLOSE, success([]))
    result = run("vhost_info", {"api_url": server.url, "api_token": "token", "retries": 1})
    assert not result.failed
    assert len(result["retries"]) == 1
    assert result["retries"][0].startswith("GET /v1/vhosts at ")


def test_no_key_retries_without_a_retry(simulator: Simulator) -> None:
    assert "retries" not in run("vhost_info", connection(simulator))


def test_a_failure_has_a_message_and_a_structure() -> None:
    result = run("vhost_info", {"api_url": f"http://127.0.0.1:{unused_port()}", **CONNECTION})
    assert result.failed
    assert result["changed"] is False
    assert result["error"]["kind"] == "refused"
    assert result["msg"].startswith("Could not list the virtual hosts. ")


def test_bad_input_is_refused_before_anything_is_sent(serve: Serve) -> None:
    server = serve()
    result = run("push_task", {"api_url": server.url, **CONNECTION, **TASK, "id": "%s"})
    assert (result.failed, result["error"]["kind"]) == (True, "bad_input")
    assert result["msg"].startswith("id: expected ")
    assert server.connections == 0


def test_wrong_connection_options_are_refused_before_anything_is_sent(serve: Serve) -> None:
    server = serve()
    result = run("vhost_info", {"api_url": server.url, "api_token": "token", "timeout": 0})
    assert result["msg"].startswith("timeout: expected seconds")
    assert server.connections == 0


def test_options_of_the_environment_are_taken(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(success([]))
    monkeypatch.setenv("OVENMEDIAENGINE_API_URL", server.url)
    monkeypatch.setenv("OVENMEDIAENGINE_API_TOKEN", "token")
    monkeypatch.setenv("OVENMEDIAENGINE_HTTP_HEADERS", '{"X-Key": "x-value"}')
    assert not run("vhost_info", {}).failed
    assert server.requests[0].headers["authorization"] == "Basic dG9rZW4="
    assert server.requests[0].headers["x-key"] == "x-value"


def test_a_failed_result_keeps_its_other_keys(simulator: Simulator) -> None:
    result = run(
        "vhosts", {**connection(simulator), "vhosts": [VHOST, {"name": "default", "host": {"names": ["other"]}}]}
    )
    assert (result.failed, result["changed"]) == (True, True)
    assert [entry["action"] for entry in result["results"]] == ["created", "failed"]
    assert hides_all(result)


# Secrets in what is printed

GOOD_RUNS = {
    "vhost": VHOST,
    "vhosts": {"vhosts": [VHOST]},
    "push_task": TASK,
    "push_tasks": {"tasks": [TASK, SRT_TASK]},
}


@pytest.mark.parametrize("module", GOOD_RUNS)
def test_a_run_that_succeeds_shows_no_secret(simulator: Simulator, module: str) -> None:
    result = run(module, {**connection(simulator), **CONNECTION, **GOOD_RUNS[module]})
    assert not result.failed
    assert result["changed"] is True
    assert "invocation" in result
    assert hides_all(result)


@pytest.mark.parametrize("module", GOOD_RUNS)
def test_a_run_that_fails_shows_no_secret(module: str) -> None:
    result = run(module, {"api_url": f"http://127.0.0.1:{unused_port()}", **CONNECTION, **GOOD_RUNS[module]})
    assert result.failed
    assert "invocation" in result
    assert hides_all(result)


@pytest.mark.parametrize("module", GOOD_RUNS)
@pytest.mark.parametrize("wrong", [{"bogus": 1}, {"retries": "many"}, {"timeout": []}, {"state": "maybe"}])
def test_a_run_whose_options_are_refused_by_ansible_shows_no_secret(module: str, wrong: dict[str, Any]) -> None:
    result = run(module, {"api_url": "http://127.0.0.1:9", **CONNECTION, **GOOD_RUNS[module], **wrong})
    assert result.failed
    assert "error" not in result  # the operation did not run
    assert hides_all(result)


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("push_tasks", {"tasks": [TASK, {**SRT_TASK, "bogus": 1}]}),
        ("push_tasks", {"tasks": [TASK, {"id": "x"}]}),
        ("vhosts", {"vhosts": [VHOST, {**VHOST, "origins": {"origin": [{"bogus": 1}]}}]}),
        ("vhost", {**VHOST, "host": {"names": ["a"], "bogus": 1}}),
    ],
)
def test_a_run_with_a_wrong_entry_shows_no_secret(module: str, options: dict[str, Any]) -> None:
    result = run(module, {"api_url": "http://127.0.0.1:9", **CONNECTION, **options})
    assert result.failed
    assert "error" not in result
    assert hides_all(result)


@pytest.mark.parametrize(
    "tasks",
    [
        ["oops", TASK],
        [[1], TASK],
        json.dumps([TASK]),
        [{**TASK, "stream": "no dictionary"}],
        [{**TASK, "stream": ["x"]}],
        TASK,
        [json.dumps(TASK)],
    ],
)
def test_a_list_of_the_wrong_form_shows_no_secret(tasks: Any) -> None:
    result = run("push_tasks", {"api_url": f"http://127.0.0.1:{unused_port()}", **CONNECTION, "tasks": tasks})
    assert result.failed
    assert hides_all(result)


@pytest.mark.parametrize("from_environment", [True, False])
@pytest.mark.parametrize("headers", [json.dumps({"X-Key": SECRETS["header"]}), f"X-Key={SECRETS['header']}"])
def test_headers_as_text_show_no_secret(monkeypatch: pytest.MonkeyPatch, headers: str, from_environment: bool) -> None:
    options: dict[str, Any] = {**CONNECTION, "http_headers": headers}
    if from_environment:
        monkeypatch.setenv("OVENMEDIAENGINE_HTTP_HEADERS", options.pop("http_headers"))
    result = run("push_task", {"api_url": f"http://127.0.0.1:{unused_port()}", **options, **TASK})
    assert result.failed
    assert hides_all(result)


# module, options, message
WRONG_TYPES: list[tuple[str, dict[str, Any], str]] = [
    ("vhost", {**VHOST, "host": 5}, "host: expected a dictionary, got a number."),
    ("vhost", {**VHOST, "host": [5]}, "host: expected a dictionary, got a list."),
    (
        "vhost",
        {**VHOST, "origins": {"origin": [{"location": "/", "pass": 7}]}},
        "origins.origin[0].pass: expected a dictionary, got a number.",
    ),
    ("vhosts", {"vhosts": [VHOST, {**VHOST, "host": True}]}, "vhosts[1].host: expected a dictionary, got a boolean."),
    ("vhosts", {"vhosts": [None]}, "vhosts[0]: expected a dictionary, got nothing."),
    ("vhosts", {"vhosts": VHOST}, "vhosts: expected a list, got a dictionary."),
    ("application", {"vhost": "v", "name": "a", "providers": 1.5}, "providers: expected a dictionary, got a number."),
    ("push_task", {**TASK, "stream": 17}, "stream: expected a dictionary, got a number."),
    (
        "push_tasks",
        {"tasks": [json.dumps(TASK), {**TASK, "stream": 17}]},
        "tasks[1].stream: expected a dictionary, got a number.",
    ),
    # ansible-core would name the option without its path, or no option.
    ("application", {"vhost": "v", "name": "a", "providers": "RTMP-x"}, "providers: expected a dictionary, got text."),
    (
        "vhosts",
        {
            "vhosts": [
                {**VHOST, "applications": [{"name": "a", "publishers": {"llhls": {"dvr": {"max_duration": "1h"}}}}]}
            ]
        },
        "vhosts[0].applications[0].publishers.llhls.dvr.max_duration: expected a whole number, got '1h'.",
    ),
    (
        "vhosts",
        {"vhosts": [{**VHOST, "admission_webhooks": {"timeout": [1]}}]},
        "vhosts[0].admission_webhooks.timeout: expected a whole number, got a list.",
    ),
    (
        "vhost",
        {**VHOST, "origins": {"origin": [{"location": "/", "failback": "maybe"}]}},
        "origins.origin[0].failback: expected true or false, got 'maybe'.",
    ),
    ("vhost", {**VHOST, "host": {"names": {"a": 1}}}, "host.names: expected a list, got a dictionary."),
]


@pytest.mark.parametrize(("module", "options", "said"), WRONG_TYPES)
def test_a_wrong_type_is_refused_with_the_full_path(module: str, options: dict[str, Any], said: str) -> None:
    """The check of ansible-core would name the option without its path, or nothing, or raise an exception."""
    result = run(module, {"api_url": "http://127.0.0.1:9", **CONNECTION, **options})
    assert (result.failed, result["msg"]) == (True, said)
    assert "exception" not in result
    assert hides_all(result)


# Options of objects that the documentation of another module describes: module, options, message.
DESCRIBED_ELSEWHERE: list[tuple[str, dict[str, Any], str]] = [
    (
        "vhost",
        {**VHOST, "applications": [{"name": "a", "providers": {"rtpm": {}}}]},
        "Did you mean applications.providers.rtmp?",
    ),
    ("vhost", {**VHOST, "applications": [{"type": "live"}]}, "missing required arguments: name found in applications"),
    (
        "vhosts",
        {"vhosts": [{**VHOST, "applications": [{"name": "a", "type": "love"}]}]},
        "value of type must be one of: live, vod, got: love found in vhosts -> applications",
    ),
    (
        "applications",
        {"applications": [{"vhost": "v", "name": "a", "tpye": "live"}]},
        "Did you mean applications.type?",
    ),
    (
        "provision",
        {"push_tasks": [{**TASK, "stream_kye": SECRETS["stream key"]}]},
        "Did you mean push_tasks.stream_key?",
    ),
    (
        "provision",
        {"vhosts": [VHOST], "records": [{"vhost": "v", "app": "a", "id": "i", "interval": "1h"}]},
        "records[0].interval: expected a whole number, got '1h'.",
    ),
    (
        "server",
        {"server": {"bind": {"providers": {"srt": {"passphrsae": SECRETS["passphrase"]}}}}},
        "Did you mean server.bind.providers.srt.passphrase?",
    ),
    ("server", {"logger": {"tags": [{"name": ".*"}]}}, "missing required arguments: level found in logger -> tags"),
    (
        "server_config",
        {"config_dir": "/etc/o", "version": "0.21.0", "push_tasks": [{"vhost": "v", "id": "x"}]},
        "missing required arguments: app found in push_tasks",
    ),
]
# A misspelt option that is required is a missing one for ansible-core.
MISSPELT: list[tuple[str, dict[str, Any], str]] = [
    (
        "application",
        {"vhots": "v", "name": "a"},
        "missing required arguments: vhost. Unsupported parameters: vhots. Did you mean vhost?",
    ),
    (
        "push_task",
        {"vhost": "v", "ap": "a", "name": "x"},
        "missing required arguments: app, id. Unsupported parameters: ap, name. Did you mean app?",
    ),
    (
        "vhosts",
        {"vhosts": [{**VHOST, "applications": [{"nmae": "a"}]}]},
        "missing required arguments: name found in vhosts -> applications. "
        "Unsupported parameters: vhosts.applications.nmae. Did you mean vhosts.applications.name?",
    ),
    (
        "vhosts",
        {"vhosts": [{"name": "v", "hots": {}, "applications": [{}]}]},
        "missing required arguments: name found in vhosts -> applications",
    ),
]


@pytest.mark.parametrize(("module", "options", "said"), [*DESCRIBED_ELSEWHERE, *MISSPELT])
def test_options_that_another_module_describes_are_checked_by_both_execution_paths(
    module: str, options: dict[str, Any], said: str
) -> None:
    if OPERATIONS[module].has_connection:
        options = {"api_url": "http://127.0.0.1:9", **CONNECTION, **options}
    result = run(module, options)
    assert (result.failed, "error" in result) == (True, False)
    assert result["msg"].endswith(said)
    assert hides_all(result)
    checked = CheckedOptions(OPERATIONS[module], options, f"streamops.ovenmediaengine.{module}", str)
    assert without_secrets(checked.problem, checked.secrets) == result["msg"]


def test_an_unexpected_exception_in_the_check_of_ansible_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_self: Any, _params: Any) -> Any:
        raise TypeError("of its own")

    monkeypatch.setattr(basic.ModuleArgumentSpecValidator, "validate", broken)
    with pytest.raises(TypeError, match="of its own"):
        run("vhost_info", {"api_url": "http://127.0.0.1:9", **CONNECTION})


def test_a_secret_that_a_server_repeats_is_scrubbed(serve: Serve) -> None:
    words = f"no {SECRETS['stream key']} and no {SECRETS['key in a URL']}, {SECRETS['token']} {SECRETS['header']}"
    server = serve(success([]), refusal(400, words))
    result = run("push_task", {"api_url": server.url, **CONNECTION, **TASK})
    assert result["error"]["kind"] == "bad_request"
    assert "no ********" in result["msg"]
    assert hides_all(result)


def test_a_credential_that_a_server_repeats_is_scrubbed(serve: Serve) -> None:
    credential = base64.b64encode(SECRETS["token"].encode()).decode()
    server = serve(success([]), refusal(400, f"no {credential}"))
    result = run("push_task", {"api_url": server.url, **CONNECTION, **TASK})
    assert "no ********" in result["msg"]
    assert credential not in result.printed


def test_a_secret_that_only_the_server_had_is_scrubbed(serve: Serve) -> None:
    there = {
        "name": "tenant-a",
        "host": {"names": ["a.example.com"]},
        "signedPolicy": {"secretKey": "ONLY-the-server-8"},
    }
    server = serve(success(there), refusal(500, "why ONLY-the-server-8"))
    wanted = {"name": "tenant-a", "host": {"names": ["b.example.com"]}}
    result = run("vhost", {"api_url": server.url, "api_token": "token", "retries": 0, **wanted})
    assert result.failed
    assert "why" in result["msg"]
    assert "ONLY-the-server-8" not in result.printed


@pytest.mark.parametrize("shown", [True, False])
def test_an_info_module_shows_secrets_only_on_request(simulator: Simulator, shown: bool) -> None:
    run("vhost", {**connection(simulator), **VHOST})
    run("push_task", {**connection(simulator), **TASK})
    vhosts = run("vhost_info", {**connection(simulator), "names": ["tenant-a"], "show_secrets": shown})
    tasks = run("push_task_info", {**connection(simulator), "vhost": "default", "app": "app", "show_secrets": shown})
    assert (SECRETS["secret key"] in vhosts.printed, SECRETS["redis"] in vhosts.printed) == (shown, shown)
    assert (SECRETS["stream key"] in tasks.printed, SECRETS["key in a URL"] in tasks.printed) == (shown, shown)
    assert SECRETS["token"] not in vhosts.printed + tasks.printed


def test_the_output_of_an_info_module_is_input_without_change(simulator: Simulator) -> None:
    run("vhost", {**connection(simulator), **VHOST})
    found = run("vhost_info", {**connection(simulator), "names": ["tenant-a"], "show_secrets": True})["vhosts"]
    result = run("vhosts", {**connection(simulator), "vhosts": found})
    assert (result.failed, result["changed"]) == (False, False)


# Secrets in the log of the managed host


@pytest.mark.parametrize("module", GOOD_RUNS)
def test_nothing_of_the_invocation_is_logged(simulator: Simulator, logged: list[str], module: str) -> None:
    assert not run(module, {**connection(simulator), **GOOD_RUNS[module]}).failed
    # ansible-core before 2.19 logs the warnings of a module as well, which are printed to all anyway.
    warnings = ("[WARNING] Publishers and viewers ", "[WARNING] Virtual host tenant-a: ")
    assert [text for text in logged if not text.startswith(warnings)] == []


# Single functions


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("rtmp://h/app/streamkey", {"streamkey"}),
        ("no URL", set()),
        ("a@b:c?d#e", set()),
        (None, set()),
        (5, set()),
        (
            {"a": ["srt://h?passphrase=phrase", {"b": "https://u:word@h"}], "c": ("x://h#part",)},
            {"phrase", "u:word", "word", "part"},
        ),
        ([], set()),
        ({"secret_key": "s", "http_headers": {"X": ["deep"]}, "name": "n"}, {"s", "deep"}),
    ],
)
def test_secrets_are_found_at_any_place(value: Any, found: set[str]) -> None:
    assert redaction.secrets_in(value) == found


def test_secrets_are_replaced_anywhere_in_a_result() -> None:
    """ansible-core from 2.22 on does not do it."""
    secrets = LongestFirst(["key-1", "key-1-and-more", "8123456789", "words of a token"])
    result = {
        "invocation": {
            "api_token": "words of a token",
            "items": [{"url": "rtmp://h/app/key-1-and-more"}, ("key-1", None)],
        },
        "msg": "key-1 and key-1-and-more",
        "number": 81234567890,
        "changed": True,
        "failed": False,
        "key-1": 1.5,
    }
    assert without_values(result, secrets) == {
        "invocation": {"api_token": NO_LOG, "items": [{"url": "rtmp://h/app/********"}, [NO_LOG, None]]},
        "msg": "******** and ********",
        "number": NO_LOG,
        "changed": True,
        "failed": False,
        "key-1": 1.5,
    }
    assert without_values(result, set()) is result


def test_a_module_reports_that_requests_is_missing(monkeypatch: pytest.MonkeyPatch, serve: Serve) -> None:
    server = serve()
    monkeypatch.setattr(execution, "HAS_REQUESTS", False)
    monkeypatch.setattr(execution, "REQUESTS_IMPORT_ERROR", "ImportError: No module named 'requests'")
    result = run("vhost_info", {"api_url": server.url, "api_token": "token"})
    assert result.failed
    assert result["msg"].startswith("Failed to import the required Python library (requests) on ")
    assert server.connections == 0


ALONE = """
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = {arguments!r}
basic._ANSIBLE_PROFILE = "legacy"
from ansible_collections.streamops.ovenmediaengine.plugins.modules.{module} import main
main()
"""


@pytest.mark.parametrize("module", ["vhosts", "push_task_info"])
def test_a_process_without_requests_reports_what_is_missing(tmp_path: Path, module: str) -> None:
    (tmp_path / "requests.py").write_text("raise ImportError('No module named requests')\n", encoding="utf-8")
    own: dict[str, Any] = {"vhosts": []} if module == "vhosts" else {"vhost": "default"}
    arguments = {
        "api_url": "http://127.0.0.1:9",
        "api_token": SECRETS["token"],
        **own,
        "_ansible_remote_tmp": str(tmp_path),
    }
    program = ALONE.format(module=module, arguments=json.dumps({"ANSIBLE_MODULE_ARGS": arguments}).encode())
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    result = ModuleRun(done.stdout)
    assert done.returncode == 1
    assert result["failed"] is True
    assert result["msg"].startswith("Failed to import the required Python library (requests) on ")
    assert SECRETS["token"] not in result.printed + done.stderr


def test_connections_are_closed_after_success_and_failure(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[None] = []
    close = execution.Transport.close
    monkeypatch.setattr(execution.Transport, "close", lambda self: closed.append(close(self)))
    server = serve(answer(["x"]), refusal(404, "Could not find the virtual host: [x]"), refusal(401, "no"))
    assert not run("vhost_info", {"api_url": server.url, "api_token": "token"}).failed
    assert run("vhost_info", {"api_url": server.url, "api_token": "token"}).failed
    assert len(closed) == 2


@pytest.mark.parametrize("before", [1980, 1990, 2**16 - 10])
def test_a_secret_at_the_cut_of_a_long_message_is_hidden(serve: Serve, before: int) -> None:
    """A part of a secret is not recognized as such, so messages are redacted before they are cut."""
    server = serve(refusal(400, "x" * before + " canary-token-0123456789 " + "y" * 9))
    result = run("vhost_info", {"api_url": server.url, "api_token": "canary-token-0123456789"})
    assert result.failed and "xxx" in result["error"]["server_message"]
    assert "canary" not in result.printed


# Files that a module imports on the managed host

MODULE_UTILS = Path(execution.__file__).parents[1]
# What a module must not bring, by the subject that it has nothing to do with.
WRITING = ("_reconcile.", "_operations.results")
AUDIT = ("_audit.",)
CERTIFICATES = ("_certificates.", "_tls.certificate_reader", "_tls.handshake")
CONTENTS = ("_resources.application", "_resources.jobs", "_reconcile.parents")
FOREIGN = {
    "vhost": (*CERTIFICATES, *AUDIT),
    "application": (*CERTIFICATES, *AUDIT, "_reconcile.virtual_hosts"),
    "push_task": (*CERTIFICATES, *AUDIT, "_reconcile.parents"),
    "record": (*CERTIFICATES, *AUDIT, "_reconcile.parents"),
    "vhost_info": (*CERTIFICATES, *AUDIT, *WRITING),
    "push_task_info": (*CERTIFICATES, *AUDIT, "_reconcile.parents"),
    "server_info": (*CERTIFICATES, *AUDIT, *WRITING, *CONTENTS),
    "cert_reload": (*AUDIT, *WRITING, *CONTENTS),
    "certificate_info": (*AUDIT, *WRITING, *CONTENTS),
}


def imported(path: Path) -> set[Path]:
    """Return the files of module_utils that a file imports, as ansible-core finds them: anywhere in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            name = (node.module or "").replace(".", "/")
            base = (
                path.parents[node.level - 1] / name if node.level else MODULE_UTILS / name.partition("module_utils/")[2]
            )
            found |= {base.with_suffix(".py"), *(base / f"{alias.name}.py" for alias in node.names)}
    return {file for file in found if file.is_file() and MODULE_UTILS in file.parents}


def brought_by(module: str) -> set[str]:
    """Return the names of the files of module_utils that a module brings to a managed host."""
    brought: set[Path] = set()
    pending = imported(MODULE_UTILS.parent / "modules" / f"{module}.py")
    while pending:
        brought |= pending
        pending = set().union(*map(imported, pending)) - brought
    return {".".join(file.relative_to(MODULE_UTILS).with_suffix("").parts) for file in brought}


@pytest.mark.parametrize("module", FOREIGN)
def test_a_module_imports_only_what_it_needs(module: str) -> None:
    """Each file is sent to the managed host and compiled there for every task."""
    brought = brought_by(module)
    assert "_operations.base" in brought
    assert {name for name in brought if name.startswith(FOREIGN[module])} == set()
