# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The in-process execution path: which tasks it runs, and their results."""

from __future__ import annotations

import base64
import copy
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail
from ansible.module_utils.common.parameters import PASS_VARS
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime import execution
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _in_process, _interpreters, _task_options
from ansible_collections.streamops.ovenmediaengine.tests import module_examples
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import api_coverage
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED, OPERATIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._runtime.test_module import (
    WRONG_TYPES,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils.actions import (
    VARIABLES,
    action_class,
    run,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    MODULES,
    connection,
    make_virtual_host,
)

try:
    from ansible.template import trust_as_template
except ImportError:  # before ansible-core 2.19
    trust_as_template = None

AS_A_MODULE = {"ran": "as a module"}
OFFLINE = {"api_url": "no URL", "api_token": "token-1"}
"""Connection options with which every module fails before it sends anything."""


@pytest.fixture
def _module_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the run of the module by a mark."""
    monkeypatch.setattr(NormalAction, "run", lambda self, tmp=None, task_vars=None: dict(AS_A_MODULE))


# Operations


@pytest.mark.parametrize("module", MODULES)
def test_module_and_action_plugin_have_the_same_operation(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = importlib.import_module(f"ansible_collections.streamops.ovenmediaengine.plugins.modules.{module}")
    ran: list[Any] = []
    monkeypatch.setattr(loaded, "run_module", ran.append)
    loaded.main()
    assert ran == [OPERATIONS[module]] == [action_class(module).operation]


def test_every_module_has_an_action_plugin() -> None:
    plugins = Path(_in_process.__file__).parents[1]
    assert sorted(path.name for path in (plugins / "action").glob("*.py")) == sorted(
        path.name for path in (plugins / "modules").glob("*.py")
    )


# Where a task runs


def runs_here(variables: dict[str, Any] | None = None, **changes: Any) -> bool:
    """Return whether a task runs in process."""
    return run("vhost_info", dict(OFFLINE), variables, **changes) != AS_A_MODULE


@pytest.mark.usefixtures("_module_is_not_run")
class TestWhereATaskRuns:
    """Conditions, one at a time."""

    def test_on_the_controller_it_runs_here(self) -> None:
        assert runs_here()

    @pytest.mark.parametrize("transport", ["ssh", "paramiko_ssh", "docker", "network_cli"])
    def test_over_another_connection_it_does_not(self, transport: str) -> None:
        assert not runs_here(connection={"transport": transport})

    def test_as_another_user_it_does_not(self) -> None:
        assert not runs_here(connection={"become": object()})

    def test_in_the_background_it_does_not(self) -> None:
        assert not runs_here(async_val=30)

    @pytest.mark.parametrize(
        ("environment", "here"),
        [
            (None, True),
            ([], True),
            ([{}], True),
            ([None, {}], True),
            ([{"A": "b"}], False),
            ([{}, {"A": "b"}], False),
            ({"A": "b"}, False),
        ],
    )
    def test_with_environment_variables_it_does_not(self, environment: Any, here: bool) -> None:
        assert runs_here(environment=environment) is here

    @pytest.mark.parametrize("value", [False, "false", "no", "off", 0, "0"])
    def test_it_can_be_turned_off(self, value: Any) -> None:
        assert not runs_here({"ovenmediaengine_in_process": value})

    @pytest.mark.parametrize("value", [True, "true", "yes", "on", 1, "1"])
    def test_it_can_be_turned_on(self, value: Any) -> None:
        assert runs_here({"ovenmediaengine_in_process": value})

    @pytest.mark.parametrize("value", ["maybe", "", [], {}, 2])
    def test_anything_else_is_refused(self, value: Any) -> None:
        with pytest.raises(AnsibleActionFail, match="ovenmediaengine_in_process must be true or false, got"):
            runs_here({"ovenmediaengine_in_process": value})

    def test_without_requests_it_does_not(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_in_process, "HAS_REQUESTS", False)
        assert not runs_here()

    @pytest.mark.parametrize(
        "interpreter",
        ["", "auto", "auto_silent", "auto_legacy", "auto_legacy_silent", sys.executable, f" {sys.executable} "],
    )
    def test_with_the_controllers_python_or_any_it_runs_here(self, interpreter: str) -> None:
        assert runs_here({"ansible_python_interpreter": interpreter})

    @pytest.mark.parametrize(
        "interpreter", ["/nonexistent/python", "/bin/sh", f"{sys.executable} -I", "/usr/bin/env python"]
    )
    def test_with_another_python_it_does_not(self, interpreter: str) -> None:
        assert not runs_here({"ansible_python_interpreter": interpreter})

    def test_the_same_program_in_another_virtual_environment_is_another_python(self, tmp_path: Path) -> None:
        programs = tmp_path / "bin"
        programs.mkdir()
        (programs / "python").symlink_to(os.path.realpath(sys.executable))
        (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
        assert not runs_here({"ansible_python_interpreter": str(programs / "python")})

    def test_another_name_for_the_same_virtual_environment_is_not(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        programs = tmp_path / "environment" / "bin"
        programs.mkdir(parents=True)
        (programs / "python").symlink_to(os.path.realpath(sys.executable))
        (programs.parent / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
        monkeypatch.setattr(sys, "executable", str(programs / "python"))
        (tmp_path / "link").symlink_to(programs.parent)
        assert runs_here({"ansible_python_interpreter": str(tmp_path / "link" / "bin" / "python")})

    @pytest.mark.parametrize(
        "template",
        ["{{ ansible_playbook_python }}", "{{ansible_playbook_python}}", "{{ ansible_playbook_python | string }}"],
    )
    @pytest.mark.parametrize(("python", "here"), [(sys.executable, True), ("/nonexistent/python", False)])
    def test_the_python_of_the_controller_is_recognized_by_its_variable(
        self, template: str, python: str, here: bool
    ) -> None:
        if trust_as_template is not None:
            template = trust_as_template(template)
        assert runs_here({"ansible_python_interpreter": template, "ansible_playbook_python": python}) is here

    @pytest.mark.parametrize(
        ("configured", "here"), [(sys.executable, True), ("auto_silent", True), ("/nonexistent/python", False)]
    )
    def test_without_a_variable_the_configuration_sets_the_python(
        self, configured: str, here: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ANSIBLE_PYTHON_INTERPRETER", configured)
        _interpreters.configured_interpreter.cache_clear()
        assert runs_here({"ansible_python_interpreter": None}) is here
        assert runs_here({"ansible_delegated_vars": {"localhost": {}}}, delegate_to="localhost") is here
        assert runs_here({"ansible_python_interpreter": sys.executable})
        _interpreters.configured_interpreter.cache_clear()

    @pytest.mark.parametrize(("there", "here"), [(sys.executable, True), ("/nonexistent/python", False)])
    def test_the_python_of_the_host_that_a_task_is_delegated_to_counts(self, there: str, here: bool) -> None:
        delegated = {"ansible_delegated_vars": {"localhost": {"ansible_python_interpreter": there}}}
        assert (
            runs_here({"ansible_python_interpreter": "/elsewhere/python", **delegated}, delegate_to="localhost") is here
        )


# Results. The integration target execution_paths compares them with those of modules.


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("module", MODULES)
def test_every_module_succeeds_and_check_mode_sends_no_write(
    module: str, check_mode: bool, simulator: Simulator, tmp_path: Path
) -> None:
    """In check mode it reports the change that the first run makes. The second run changes nothing more."""
    module_examples.prepare(simulator)
    effect = module_examples.examples()[module].effect
    access = connection(simulator, retries=0) if module in CONNECTED else {}
    options = {**module_examples.options(tmp_path)[module], **access}
    changes = [effect != module_examples.NOTHING] + [effect == module_examples.ALWAYS] * (not check_mode)
    results = [run(module, copy.deepcopy(options), check_mode=check_mode) for _run in changes]
    assert not any(result.get("failed") for result in results), results
    assert [result["changed"] for result in results] == changes
    assert not (check_mode or module.endswith("_info")) or simulator.writes == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", CONNECTED)
def test_every_module_sends_only_writes_that_the_api_coverage_names(
    module: str, simulator: Simulator, tmp_path: Path
) -> None:
    """A module that is in no row runs those of others."""
    rows = api_coverage.rows()
    own = [row for row in rows if module in row.modules] or [row for row in rows if row.modules]
    module_examples.prepare(simulator)
    assert not run(module, {**module_examples.options(tmp_path)[module], **connection(simulator)}).get("failed")
    newest = api_coverage.numbers(simulator.state.version.reported)
    sent = [(one.method, one.path) for one in (simulator.log if module.endswith("_info") else simulator.writes)]
    found = [any(row.answers(newest, method, path) for row in own) for method, path in sent]
    asks = module.endswith("_info") and module != "playback_info"  # which asks viewers' ports only
    assert any(found) if asks else all(found), sent


BAD: list[tuple[str, dict[str, Any]]] = [
    ("vhost", {"bogus": 1, "name": "t"}),
    ("vhost", {}),
    ("vhost", {"name": "t", "state": "gone"}),
    ("vhost", {"name": "t", "host": 5}),
    ("vhost", {"name": "t", "host": {"names": ["a"], "bogus": "token-1"}}),
    ("vhost", {"name": "t t", "host": {"names": ["a"]}}),
    ("vhosts", {"vhosts": 5}),
    ("vhosts", {"vhosts": ["oops"]}),
    ("vhosts", {"vhosts": [{"name": "t", "applications": [{"name": "live", "providers": 7}]}]}),
    ("vhost_info", {"names": {"a": 1}, "timeout": "long"}),
    ("application", {"vhost": "t", "name": "x", "providers": {"rtmp": None, "bogus": None}}),
    (
        "push_task",
        {
            "vhost": "t",
            "app": "a",
            "id": "i",
            "url": "rtmp://u:HIDDEN-word@h/a/HIDDEN-key",
            "protocol": "rtmp",
            "stream_key": "HIDDEN-k",
        },
    ),
    ("push_task", {"vhost": "t", "app": "a", "id": "i", "stream": 17, "stream_key": "HIDDEN-k"}),
    ("push_task", {"vhost": "t", "app": "a", "id": "i", "stream_key": ["HIDDEN-k"], "retries": "HIDDEN-k"}),
    (
        "push_tasks",
        {
            "tasks": [
                {
                    "vhost": "t",
                    "app": "a",
                    "id": "i",
                    "stream_key": "HIDDEN-k",
                    "url": "rtmp://h/a/HIDDEN-key",
                    "bogus": 1,
                }
            ]
        },
    ),
    ("cert_reload", {"endpoint": 5}),
    ("cert_reload", {"endpoint": {"port": 70000}, "fingerprint": "x"}),
    ("certificate_info", {}),
    ("audit_info", {"certificates": {"endpoint": 8}}),
]


@pytest.mark.parametrize(("module", "options"), BAD)
def test_refusals_show_no_values(module: str, options: dict[str, Any]) -> None:
    task_options = {"api_url": "http://127.0.0.1:9", "api_token": "token-1", "retries": 0, **options}
    result = run(module, task_options)
    assert result["failed"] is True
    assert "HIDDEN" not in json.dumps(result, default=str)


@pytest.mark.parametrize(("module", "options", "said"), WRONG_TYPES)
def test_a_wrong_type_is_refused_with_the_full_path(module: str, options: dict[str, Any], said: str) -> None:
    result = run(module, {**OFFLINE, **options})
    assert (result["failed"], result["msg"]) == (True, said)


def test_an_audit_takes_entries_of_any_form(simulator: Simulator) -> None:
    options = connection(
        simulator,
        vhosts=[{"name": "t-1", "host": {"names": ["a"]}}, 5, {"name": "t-2", "host": 7}],
        certificates=[{"endpoint": {"port": 0}}],
    )
    result = run("audit_info", options)
    assert [finding["kind"] for finding in result["findings"]].count("bad_input") == 3


def test_options_come_from_the_environment_too(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OVENMEDIAENGINE_API_URL", simulator.url)
    monkeypatch.setenv("OVENMEDIAENGINE_API_TOKEN", simulator.token)
    assert [vhost["name"] for vhost in run("vhost_info", {})["vhosts"]] == ["default"]


def test_options_are_not_changed(simulator: Simulator) -> None:
    """The next attempt of the task uses them again."""
    options = connection(simulator, vhost="default", name="t", providers={"rtmp": None})
    before = json.dumps(options)
    run("application", options, check_mode=True)
    assert json.dumps(options) == before


def test_nothing_that_ansible_core_deprecates_is_used(simulator: Simulator, capfd: pytest.CaptureFixture[str]) -> None:
    result = run("vhost_info", connection(simulator))
    assert result["invocation"]["module_args"]["api_token"] == "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
    assert "deprecations" not in result and "DEPRECATION" not in "".join(capfd.readouterr())


@pytest.mark.skipif(
    "inject_invocation" not in PASS_VARS, reason="older releases of ansible-core always give the options"
)
def test_the_invocation_is_returned_only_on_request(simulator: Simulator) -> None:
    assert "invocation" in run("vhost_info", connection(simulator))
    assert "invocation" not in run("vhost_info", connection(simulator), {"ansible_inject_invocation": False})
    assert "invocation" not in run("vhost_info", {"bogus": 1}, {"ansible_inject_invocation": False})


# Options that only name a variable


GIVEN_BY_NAME = {
    "not set": ("{{ ovenmediaengine_timeout | default(omit) }}", {}),
    "not set, and needed": ("{{ ovenmediaengine_timeout }}", {}),
    "text": ("{{ ovenmediaengine_api_url | default(omit) }}", {"ovenmediaengine_api_url": "http://ome-1:8081"}),
    "empty": ("{{ ovenmediaengine_api_url | default(omit) }}", {"ovenmediaengine_api_url": ""}),
    "lines": ("{{ ovenmediaengine_api_url }}", {"ovenmediaengine_api_url": "a\nb\n"}),
    "false": ("{{ ovenmediaengine_purge_vhosts }}", {"ovenmediaengine_purge_vhosts": False}),
    "nothing": ("{{ ovenmediaengine_retries | default(omit) }}", {"ovenmediaengine_retries": None}),
    "zero": ("{{ ovenmediaengine_retries | default(omit) }}", {"ovenmediaengine_retries": 0}),
    "part of one": ("{{ ovenmediaengine_timeout | default(omit) }}", {"ovenmediaengine_timeout": 0.5}),
    "a list": ("{{ ovenmediaengine_vhosts }}", {"ovenmediaengine_vhosts": [{"name": "a", "host": {"names": []}}]}),
    "a template": (
        "{{ ovenmediaengine_api_token | default(omit) }}",
        {"ovenmediaengine_api_token": "{{ vault }}", "vault": "token-1"},
    ),
    "a template of nothing": (
        "{{ ovenmediaengine_api_token | default(omit) }}",
        {"ovenmediaengine_api_token": "{{ omit }}"},
    ),
    "a template in a list": (
        "{{ ovenmediaengine_vhosts }}",
        {"ovenmediaengine_vhosts": [{"name": "{{ tenant }}"}], "tenant": "a"},
    ),
    "a comment": ("{{ ovenmediaengine_api_token }}", {"ovenmediaengine_api_token": "a{# b #}"}),
    "a list of templates": ("{{ item }}", {"item": ["{{ a }}", {"b": "{{ c }}"}], "a": 1}),
    "an item": ("{{ item }}", {"item": "t-a"}),
    "an item that is a number": ("{{ item }}", {"item": 8081}),
    "a key": ("{{ item.name }}", {"item": {"name": "t-a"}}),
    "a key with a dictionary": (
        "{{ item.host }}",
        {"item": {"host": {"names": ["a.example.com"], "tls": {"cert_path": "{{ path }}"}}, "name": 1}, "path": "/a"},
    ),
    "a key with a template": ("{{ item.name }}", {"item": {"name": "{{ tenant }}"}, "tenant": "t-a"}),
    "a key that is not there": ("{{ item.host | default(omit) }}", {"item": {"name": "t-a"}}),
    "a key that is not there, and needed": ("{{ item.host }}", {"item": {"name": "t-a"}}),
    "a key of nothing": ("{{ item.host | default(omit) }}", {}),
    "a key of a text": ("{{ item.host | default(omit) }}", {"item": "t-a"}),
    "a key of a list": ("{{ item.host | default(omit) }}", {"item": ["t-a"]}),
    "a key of a template": ("{{ item.name | default(omit) }}", {"item": "{{ other }}", "other": {"name": "t-a"}}),
    "a key with nothing": ("{{ item.tls | default(omit) }}", {"item": {"tls": None}}),
    "a key that is a method": ("{{ item.copy }}", {"item": {"copy": "t-a"}}),
    "a key of a key": ("{{ item.host.names }}", {"item": {"host": {"names": ["a"]}}}),
    "another variable": ("{{ my_url | default(omit) }}", {"my_url": "http://ome-1:8081"}),
    "a list of objects": (
        "{{ tenants }}",
        {"tenants": [{"name": "a", "host": {"names": ["a.example.com"], "tls": None}, "port": 8081, "on": True}, []]},
    ),
    "a list with a template deep inside": (
        "{{ tenants }}",
        {"tenants": [{"name": "a", "host": {"names": ["{{ name }}.example.com"]}}], "name": "a"},
    ),
    "a template as a key": ("{{ tenants }}", {"tenants": {"{{ name }}": 1}, "name": "a"}),
    "a key that is a number": ("{{ tenants }}", {"tenants": {1: "a"}}),
    "a tuple": ("{{ tenants }}", {"tenants": [("a", "{{ name }}")], "name": "b"}),
    "a key of another variable": ("{{ tenant.host }}", {"tenant": {"host": {"names": ["a"]}}}),
    "a variable that is not there": ("{{ tenants }}", {}),
    "a variable that is not there, or nothing": ("{{ tenants | default(omit) }}", {}),
    "a function": ("{{ range | default(omit) }}", {}),
    "a variable with the name of a function": ("{{ range }}", {"range": [1]}),
    "a literal": ("{{ true }}", {"true": "no"}),
    "no literal": ("{{ trueish }}", {"trueish": "yes"}),
    "all variables": ("{{ vars }}", {"vars": {"a": 1}}),
    "a fact": ("{{ ansible_hostname }}", {"ansible_hostname": "ome-1"}),
    "another default": ("{{ ovenmediaengine_timeout | default(5) }}", {}),
    "more text": ("{{ ovenmediaengine_api_url }}/x", {"ovenmediaengine_api_url": "http://ome-1:8081"}),
    "no template": ("ovenmediaengine_api_url", {"ovenmediaengine_api_url": "http://ome-1:8081"}),
    "no text": ({"a": "{{ ovenmediaengine_retries }}"}, {"ovenmediaengine_retries": 1}),
}


def finalized(action: Any, value: Any, variables: dict[str, Any], *, trusted: bool = True) -> tuple[type, Any]:
    """Return the type and value of an option, or the type of the error."""
    from ansible._internal._templating._engine import TemplateEngine

    def trust(one: Any) -> Any:
        if isinstance(one, (list, dict)):
            return (
                [trust(item) for item in one]
                if isinstance(one, list)
                else {key: trust(item) for key, item in one.items()}
            )
        return trust_as_template(one) if trusted and isinstance(one, str) else one

    try:
        found = action.finalize_task_arg("option", trust(value), TemplateEngine(variables=trust(variables)), None)
    except Exception as error:
        return type(error), None
    return type(found), found


@pytest.mark.skipif(
    not hasattr(NormalAction, "finalize_task_arg"), reason="older releases of ansible-core do not ask the action plugin"
)
@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize("case", GIVEN_BY_NAME)
def test_an_option_that_names_a_variable_has_the_value_of_ansible(case: str, trusted: bool) -> None:
    value, variables = GIVEN_BY_NAME[case]
    assert finalized(action_class("vhosts"), value, variables, trusted=trusted) == finalized(
        NormalAction, value, variables, trusted=trusted
    )


@pytest.mark.skipif(
    not hasattr(NormalAction, "finalize_task_arg"), reason="older releases of ansible-core do not ask the action plugin"
)
def test_an_option_that_names_a_variable_needs_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible._internal._templating._engine import TemplateEngine

    monkeypatch.setattr(TemplateEngine, "_compile_template", None)
    omitted = ("not set", "a key that is not there", "a key of nothing")
    plain = (
        "text",
        "empty",
        "lines",
        "false",
        "zero",
        "part of one",
        "a list",
        "an item",
        "an item that is a number",
        "a key",
    )
    for case in (*omitted, *plain, "a list of objects", "a key of another variable", "another variable", "no literal"):
        value, variables = GIVEN_BY_NAME[case]
        kind = finalized(action_class("vhosts"), value, variables)[0]
        assert kind.__name__ == "AnsibleValueOmittedError" if case in omitted else not issubclass(kind, Exception), case
    assert issubclass(finalized(action_class("vhosts"), *GIVEN_BY_NAME["a template"])[0], Exception)


def test_secrets_are_hidden_in_the_result(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v", signedPolicy={"secretKey": "HIDDEN-key-1"})
    options = connection(
        simulator,
        name="t-v",
        host={"names": ["other"]},
        signed_policy={"secret_key": "HIDDEN-key-2"},
        http_headers={"X-A": "HIDDEN-header"},
    )
    result = run("vhost", options)
    assert result["failed"] is True
    assert "HIDDEN" not in json.dumps(result, default=str)


def test_a_credential_that_a_warning_repeats_is_scrubbed(simulator: Simulator) -> None:
    credential = base64.b64encode(simulator.token.encode()).decode()
    make_virtual_host(simulator, f"no name {credential}")
    result = run("vhost_info", connection(simulator))
    assert "no name ********" in result["warnings"][0]
    assert credential not in json.dumps(result, default=str)


def test_texts_of_the_server_are_no_templates(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v", distribution="{{ 1 + 1 }}")
    found = run("vhost_info", connection(simulator, names=["t-v"]))["vhosts"][0]["distribution"]
    assert found == "{{ 1 + 1 }}"
    if not _task_options.HAS_TAGS:
        assert getattr(found, "__UNSAFE__", False)


def test_an_unexpected_exception_fails_the_task_without_values(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: Any, **_options: Any) -> Any:
        raise KeyError("HIDDEN-value")

    monkeypatch.setattr(execution, "Api", broken)
    result = run("vhost_info", connection(simulator))
    assert result["failed"] is True
    assert result["msg"].startswith("MODULE FAILURE: KeyError in streamops.ovenmediaengine.vhost_info")
    assert "HIDDEN" not in json.dumps(result, default=str)


def test_an_exception_in_the_check_of_ansible_fails_the_task_without_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_params: Any) -> Any:
        raise TypeError("HIDDEN-value")

    _spec, checker = _task_options.spec_of(OPERATIONS["vhost_info"])
    monkeypatch.setattr(checker, "validate", broken)
    result = run("vhost_info", dict(OFFLINE))
    assert result["failed"] is True
    assert result["msg"].startswith("MODULE FAILURE: TypeError in streamops.ovenmediaengine.vhost_info")
    assert "HIDDEN" not in json.dumps(result, default=str)


def test_the_argument_spec_is_made_once(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    run("vhost_info", connection(simulator))
    monkeypatch.setattr(_task_options, "argument_spec", None)
    assert not run("vhost_info", connection(simulator)).get("failed")
    assert VARIABLES["ansible_python_interpreter"] == sys.executable


def test_what_a_plugin_loads_is_not_searched_for_garbage() -> None:
    program = (
        "import gc, importlib, sys; importlib.import_module(sys.argv[1]); "
        "print(gc.get_freeze_count(), len(gc.get_objects()))"
    )
    frozen, others = map(
        int,
        subprocess.run(
            [sys.executable, "-c", program, "ansible_collections.streamops.ovenmediaengine.plugins.action.vhosts"],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.split(),
    )
    assert frozen > 10 * others
