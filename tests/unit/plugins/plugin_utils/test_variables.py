# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of the variables of roles."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.plugins.action.normal import ActionModule as NormalAction
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _variables
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils.actions import run

ROOT = Path(_variables.__file__).parents[2]
ROLES = sorted(path.name for path in (ROOT / "roles").iterdir())
OFFLINE = {"api_url": "no URL", "api_token": "token-1"}


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


# Errors name variables


def named(text: str, role: str = "provision", module: str = "provision") -> str:
    result = {
        "failed": True,
        "msg": text,
        "error": {"remedy": text, "meaning": None},
        "results": [{"msg": text, "error": {"remedy": text}}, {"action": "x"}],
        "parts": {"vhosts": {"msg": text, "results": [{"msg": text, "applications": [{"msg": text}]}]}},
    }
    variables = {"ansible_role_name": f"streamops.ovenmediaengine.{role}"}
    assert _variables.name_variables(variables, f"streamops.ovenmediaengine.{module}", result)
    assert (
        result["error"]["remedy"]
        == result["results"][0]["msg"]
        == result["results"][0]["error"]["remedy"]
        == result["parts"]["vhosts"]["msg"]
        == result["parts"]["vhosts"]["results"][0]["applications"][0]["msg"]
        == result["msg"]
    )  # type: ignore[index]
    return str(result["msg"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "push_tasks[0].url: expected a URL, in push_tasks[0] (a/b/c).",
            "ovenmediaengine_push_tasks[0].url: expected a URL, in ovenmediaengine_push_tasks[0] (a/b/c).",
        ),
        ("push_wait_timeout: expected seconds", "ovenmediaengine_push_wait_timeout: expected seconds"),
        ("wait_timeout: expected seconds", "ovenmediaengine_wait_seconds: expected seconds"),
        ("Check it, or raise push_wait_timeout.", "Check it, or raise ovenmediaengine_push_wait_timeout."),
        (
            "raise timeout if it is slow; raise retries.",
            "raise ovenmediaengine_timeout if it is slow; raise ovenmediaengine_retries.",
        ),
        (
            "Set api_token (or OVENMEDIAENGINE_API_TOKEN) to X.",
            "Set ovenmediaengine_api_token (or OVENMEDIAENGINE_API_TOKEN) to X.",
        ),
        (
            "purge_push_tasks: got []; set purge_everything to true.",
            "ovenmediaengine_purge_push_tasks: got []; set ovenmediaengine_purge_everything: true.",
        ),
        ("The tasks of purge and timeout at /v1/tasks/api_url", "The tasks of purge and timeout at /v1/tasks/api_url"),
        (
            "Set the option api_token or ovenmediaengine_api_token.",
            "Set the option api_token or ovenmediaengine_api_token.",
        ),
    ],
)
def test_options_become_variables(text: str, expected: str) -> None:
    assert named(text) == expected


def test_warnings_name_variables_too() -> None:
    """A task that succeeds has them as text, a module of newer releases as objects."""

    @dataclasses.dataclass(frozen=True)
    class Event:
        msg: str

    @dataclasses.dataclass(frozen=True)
    class Warning:
        event: Event

    text = "api_url is plain http to another host."
    result: dict[str, Any] = {"warnings": [text, Warning(Event(text)), 1]}
    variables = {"ansible_role_name": "streamops.ovenmediaengine.provision"}
    assert not _variables.name_variables(variables, "streamops.ovenmediaengine.provision", result)
    first, second, third = result["warnings"]
    assert first == second.event.msg == f"ovenmediaengine_{text}" and third == 1


def test_each_role_has_its_own_variables() -> None:
    assert named("Set recreate to true to do so.") == "Set ovenmediaengine_recreate: true to do so."
    assert (
        named("raise wait_timeout", "rotate_certificates", "certificates")
        == "raise ovenmediaengine_certificate_wait_timeout"
    )
    assert named("certificate_days: expected", "audit", "audit_info") == "audit_certificate_days: expected"
    assert named("Set recreate to true to do so.", "restream") == "Set recreate to true to do so."


def test_findings_of_the_role_audit_name_its_variables() -> None:
    """Users of the role write `audit_read_only_vhosts`, those of the module `read_only_vhosts`."""
    text = "Virtual host a is not listed. If the configuration file defines it, name it in read_only_vhosts."
    for role, expected in (("audit", "audit_read_only_vhosts"), ("", "read_only_vhosts")):
        result = {"failed": False, "findings": [{"message": text}, {"message": "vhosts[0].name: expected text."}]}
        names = {"ansible_role_name": f"streamops.ovenmediaengine.{role}"} if role else {}
        assert _variables.name_variables(names, "streamops.ovenmediaengine.audit_info", result) is bool(role)
        said = [one["message"] for one in result["findings"]]  # type: ignore[attr-defined]
        assert said[0].endswith(f"name it in {expected}.")
        assert said[1] == f"{'ovenmediaengine_' if role else ''}vhosts[0].name: expected text."


def test_other_results_stay_as_they_are() -> None:
    for variables, failed in (({}, True), ({"ansible_role_name": "streamops.ovenmediaengine.provision"}, False)):
        result = {"failed": failed, "msg": "raise wait_timeout"}
        assert not _variables.name_variables(variables, "streamops.ovenmediaengine.provision", result)
        assert result["msg"] == "raise wait_timeout"
