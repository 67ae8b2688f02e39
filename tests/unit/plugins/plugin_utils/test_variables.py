# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of the variables of roles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _variables
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils.actions import run
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

ROOT = Path(_variables.__file__).parents[2]
ROLES = sorted(path.name for path in (ROOT / "roles").iterdir())
OFFLINE = {"api_url": "no URL", "api_token": "token-1"}
PLATFORMS: dict[str, Any] = {"stream": "s", "chosen": ["a"], "platforms": []}
UNREACHABLE = {"api_url": "http://127.0.0.1:9", "api_token": "token-1", "retries": 0}


def specified(role: str) -> set[str]:
    """The options of a role, by its argument specs."""
    specs = yaml.safe_load((ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text(encoding="utf-8"))[
        "argument_specs"
    ]
    return {name for entry in specs.values() for name in entry.get("options", {})}


def test_all_that_roles_document_register_and_set_is_known() -> None:
    for role in ROLES:
        tasks = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "roles" / role / "tasks").glob("*.yml"))
        own = {
            *specified(role),
            *re.findall(r"register: (\w+)", tasks),
            *re.findall(r"^ *(ovenmediaengine_\w+):", tasks, re.MULTILINE),
        }
        assert own and _variables.unknown_names(role, own) == [], role
        assert set(_variables.documented()) >= specified(role)


def test_nothing_else_is_known() -> None:
    """The search for words finds what YAML finds, and the names that roles leave behind."""
    known = {word for word in _variables._KNOWN if word.startswith(_variables.PREFIX)}
    left_behind = {name for name in known if name.endswith("_summary")} | {"ovenmediaengine_audit"}
    assert known - left_behind == {name for name in _variables.documented() if name.startswith(_variables.PREFIX)}
    assert {"ovenmediaengine_hosts", "ovenmediaengine_in_process"} <= known


@pytest.mark.parametrize(
    "role", [pytest.param(role, marks=[] if role == "provision" else pytest.mark.exhaustive) for role in ROLES]
)
def test_every_variable_with_one_letter_less_is_refused_with_its_name(role: str) -> None:
    for name in specified(role):
        typo = name[:-1]
        if typo in _variables._KNOWN or not typo.startswith((_variables.PREFIX, f"{role}_")):
            continue
        text = _variables.unknown_variables(role, ["other", typo, name]) or ""
        assert f"{typo} (did you mean {name}?)" in text or typo + "_" in name, text
        assert len(text) < 400


def test_variables_of_others_are_accepted() -> None:
    names = [
        "ansible_user",
        "audit_rules",
        "provision_user",
        "ome_vhosts",
        "ovenmediaengine",
        "ovenmediaengine_secret_tenant_a_key",
        "vault_ovenmediaengine_x",
    ]
    assert _variables.unknown_variables("provision", names) is None
    assert _variables.unknown_names("audit", names) == ["audit_rules"]


def test_a_message_names_five_at_most() -> None:
    text = _variables.unknown_variables("provision", [f"ovenmediaengine_wrong_{number}" for number in range(50)]) or ""
    assert text.count("did you mean") == 5 and " and 45 more." in text


PURGE = {"ovenmediaengine_purge_vhosts": True}
EVERYTHING = {"ovenmediaengine_purge_everything": True}


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (PURGE, "needs ovenmediaengine_vhosts, which is not defined"),
        ({**PURGE, **EVERYTHING}, "needs ovenmediaengine_vhosts, which is not defined"),
        ({**PURGE, "ovenmediaengine_vhosts": None, **EVERYTHING}, "needs ovenmediaengine_vhosts, which is not defined"),
        ({**PURGE, "ovenmediaengine_vhosts": []}, "Set ovenmediaengine_purge_everything: true"),
        (
            {"ovenmediaengine_purge_vhosts": "yes", "ovenmediaengine_vhosts": []},
            "Set ovenmediaengine_purge_everything: true",
        ),
        ({**PURGE, "ovenmediaengine_vhosts": [], **EVERYTHING}, None),
        ({**PURGE, "ovenmediaengine_vhosts": [{"name": "t"}]}, None),
        ({"ovenmediaengine_purge_vhosts": False}, None),
        ({"ovenmediaengine_purge_vhosts": "no"}, None),
        ({"ovenmediaengine_purge_applications": True}, "needs ovenmediaengine_applications, which is not defined"),
        (
            {
                "ovenmediaengine_purge_applications": True,
                "ovenmediaengine_vhosts": [{"name": "t", "applications": [{"name": "a"}]}],
            },
            None,
        ),
        (
            {"ovenmediaengine_purge_applications": True, "ovenmediaengine_vhosts": [{"name": "t"}]},
            "needs ovenmediaengine_applications",
        ),
        ({"ovenmediaengine_purge_push_tasks": True}, "needs ovenmediaengine_push_tasks, which is not defined"),
        (
            {"ovenmediaengine_purge_push_tasks": True, "ovenmediaengine_push_tasks": []},
            "Set ovenmediaengine_purge_everything: true",
        ),
    ],
)
def test_a_purge_needs_a_list(variables: dict[str, Any], expected: str | None) -> None:
    text = _variables.unlisted_purges("provision", variables, lambda value: value)
    assert text is None if expected is None else expected in (text or "")
    assert _variables.unlisted_purges("audit", variables, lambda value: value) is None


@pytest.mark.parametrize("module", [{"connection": {"transport": "ssh"}}, {}], ids=["module", "in process"])
def test_a_task_of_a_role_is_refused_in_both_execution_paths(
    module: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NormalAction, "run", lambda self, tmp=None, task_vars=None: {"ran": True})
    typo = {"ovenmediaengine_vhost": [], "ansible_role_name": "streamops.ovenmediaengine.provision"}
    result = run("vhosts", {**OFFLINE, "vhosts": []}, typo, **module)
    assert (
        result["failed"] and "ovenmediaengine_vhosts?" in result["msg"] and result["msg"].endswith("Nothing was sent.")
    )
    assert result["error"]["kind"] == "bad_input" and result["error"]["method"] is None
    for role in ("", "somebody.else.provision", "provision"):  # variables are the user's own in other places
        other = run("vhosts", {**OFFLINE, "vhosts": []}, {**typo, "ansible_role_name": role}, **module)
        assert "did you mean" not in str(other)


def test_a_templated_list_is_rendered() -> None:
    variables = {
        "ansible_role_name": "streamops.ovenmediaengine.provision",
        "ovenmediaengine_vhosts": "{{ tenants }}",
        "tenants": [],
        "ovenmediaengine_purge_vhosts": "{{ yes_please }}",
        "yes_please": True,
    }
    try:
        from ansible.template import trust_as_template
    except ImportError:  # before ansible-core 2.19
        trusted = variables
    else:
        trusted = {name: trust_as_template(value) if "{{" in str(value) else value for name, value in variables.items()}
    assert "with an empty ovenmediaengine_vhosts" in run("vhost_info", OFFLINE, trusted)["msg"]
    assert "with an empty" not in run("vhost_info", OFFLINE, {**trusted, "tenants": [{"name": "t"}]})["msg"]


# Messages name variables


def in_role(role: str, module: str, options: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the result of the module in a task of the role."""
    return run(module, options, {"ansible_role_name": f"streamops.ovenmediaengine.{role}"}, tags=[], **more)


@pytest.mark.parametrize(
    ("role", "module", "options", "expected"),
    [
        (
            "provision",
            "provision",
            {
                "push_tasks": [
                    {"vhost": "a", "app": "b", "id": "c", "stream": {"name": "s"}, "protocol": "rtmp", "url": "x"}
                ]
            },
            "ovenmediaengine_push_tasks[0].url: expected",
        ),
        ("provision", "provision", {"vhosts": [{"name": "a b"}]}, "ovenmediaengine_vhosts[0].name: expected"),
        ("provision", "provision", {"wait_timeout": -1}, "ovenmediaengine_wait_seconds: expected"),
        (
            "provision",
            "provision",
            {"vhosts": [], "purge_vhosts": True},
            "ovenmediaengine_purge_vhosts: expected entries in ovenmediaengine_vhosts, got an empty list; set "
            "ovenmediaengine_purge_everything to true if that is meant.",
        ),
        ("provision", "provision", {"vhosts": 5}, "ovenmediaengine_vhosts[0]: expected a dictionary"),
        ("audit", "audit_info", {"certificate_days": -1}, "audit_certificate_days: expected"),
        (
            "restream",
            "restream",
            {"stream": "s", "chosen": "a", "platforms": [], "state": "x"},
            "value of restream_state",
        ),
    ],
)
def test_a_message_names_the_variable_that_sets_an_option(
    role: str, module: str, options: dict[str, Any], expected: str
) -> None:
    result = in_role(role, module, {**UNREACHABLE, **options})
    assert result["failed"] and result["msg"].startswith(expected), result["msg"]
    # Outside of a role, and in one of somebody else, it names the option.
    for variables in ({}, {"ansible_role_name": "somebody.else.provision"}):
        assert not run(module, {**UNREACHABLE, **options}, variables)["msg"].startswith(expected)


def test_the_remedy_and_its_entry_name_variables(simulator: Simulator) -> None:
    entries = [{"name": "t-a", "host": {"names": ["a.example.com"]}}, {"name": "t a"}]
    result = in_role("provision", "provision", connection(simulator, vhosts=entries))
    assert "in ovenmediaengine_vhosts[1]" in result["msg"] or "ovenmediaengine_vhosts[1].name" in result["msg"]
    down = in_role("provision", "provision", {**UNREACHABLE, "vhosts": entries[:1], "wait_timeout": 0})
    assert "ovenmediaengine_api_url" in down["error"]["remedy"] and down["error"]["remedy"] in down["msg"]


def test_findings_name_variables(simulator: Simulator) -> None:
    options = connection(simulator, vhosts=[], certificates=[{"vhost": "t"}])
    for role, names in (
        ("audit", ("ovenmediaengine_certificates[0]", "audit_read_only_vhosts")),
        ("", ("certificates[0]",)),
    ):
        variables = {"ansible_role_name": f"streamops.ovenmediaengine.{role}"} if role else {}
        simulator.add_static_virtual_host({"name": "t-configured", "host": {"names": ["b.example.com"]}})
        said = " ".join(one["message"] for one in run("audit_info", options, variables)["findings"])
        assert all(name in said for name in names), said


def test_warnings_name_variables(simulator: Simulator) -> None:
    result = in_role("provision", "provision", connection(simulator, vhosts=[], config_dir="/etc/none"))
    (text,) = result["warnings"]
    assert text.startswith("ovenmediaengine_config_dir is not used, because ovenmediaengine_durable is false"), text


def test_what_ansible_core_says_of_options_names_variables() -> None:
    unknown = in_role("provision", "provision", {**UNREACHABLE, "vhosts": [{"name": "t", "hots": {}}]})["msg"]
    assert "module: ovenmediaengine_vhosts.hots. Supported" in unknown, unknown
    assert unknown.endswith("Did you mean ovenmediaengine_vhosts.host?")
    missing = in_role("restream", "restream", {**UNREACHABLE, "platforms": []})["msg"]
    assert missing.startswith("missing required arguments: restream_platforms, restream_stream"), missing
    misspelt = in_role("provision", "provision", {**UNREACHABLE, "vhosts": [{"nmae": "t"}]})["msg"]
    assert misspelt == (
        "missing required arguments: name found in ovenmediaengine_vhosts. "
        "Unsupported parameters: ovenmediaengine_vhosts.nmae. Did you mean ovenmediaengine_vhosts.name?"
    )
