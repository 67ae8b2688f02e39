# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is described for AWX: it is valid by AWX's own rules, the playbook awx_setup makes it, and jobs run with it."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import typing as t

import jsonschema
import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._runtime.options import connection_options
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .awx import AWX, Job, described, survey_defaults
from .conftest import APPLICATIONS, LOCAL, PUSH_TASKS, REPOSITORY, TOKEN, TREE, VHOSTS, Project, Run
from .media_host import Media, with_fakes

TYPES = ("credential_type_api", "credential_type_stream_keys")
STORIES = ("provision", "server", "restart", "rotate_certificates", "restream", "record", "audit", "export")
SPECS = {
    role: yaml.safe_load((REPOSITORY / f"roles/{role}/meta/argument_specs.yml").read_text("utf-8"))["argument_specs"]
    for role in STORIES
}

# The rules of AWX, from CredentialTypeInputField and CredentialTypeInjectorField in awx/main/fields.py.
_FIELD = {
    "type": {"enum": ["string", "boolean"]},
    "format": {"enum": ["ssh_private_key", "url"]},
    "choices": {"type": "array", "minItems": 1, "items": {"type": "string"}, "uniqueItems": True},
    "id": {"type": "string", "pattern": "^[a-zA-Z_]+[a-zA-Z0-9_]*$"},
    "label": {"type": "string"},
    "help_text": {"type": "string"},
    "multiline": {"type": "boolean"},
    "secret": {"type": "boolean"},
    "ask_at_runtime": {"type": "boolean"},
    "default": {},
}
INPUTS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "required": {"type": "array", "items": {"type": "string"}},
        "fields": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _FIELD,
                "additionalProperties": False,
                "required": ["id", "label"],
            },
        },
    },
}
INJECTORS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "file": {
            "type": "object",
            "patternProperties": {r"^template(\.[a-zA-Z_]+[a-zA-Z0-9_]*)?$": {"type": "string"}},
            "additionalProperties": False,
        },
        "env": {
            "type": "object",
            "patternProperties": {"^[a-zA-Z_]+[a-zA-Z0-9_]*$": {"type": "string", "pattern": "^[\x00-\x7f]*$"}},
            "additionalProperties": False,
        },
    },
}
# SURVEY_TYPE_MAPPING in awx/main/constants.py.
SURVEY_TYPES = {
    "text": str,
    "textarea": str,
    "password": str,
    "multiplechoice": str,
    "multiselect": str,
    "integer": int,
    "float": (float, int),
}


@pytest.mark.parametrize("name", TYPES)
def test_credential_types_are_valid(name: str) -> None:
    inputs, injectors = described(f"{name}/inputs.yml"), described(f"{name}/injectors.yml")
    jsonschema.validate(inputs, INPUTS)
    jsonschema.validate(injectors, INJECTORS)
    fields = {field["id"]: field for field in inputs["fields"]}
    assert len(fields) == len(inputs["fields"]) and "tower" not in fields
    assert set(inputs["required"]) <= set(fields)
    for field in fields.values():
        assert field["type"] == "string" or not {"choices", "multiline", "format", "secret"} & set(field)
        assert isinstance(field.get("default", ""), str)
    # Each template names fields that there are, and files that are made.
    files = [template.partition(".")[2] for template in injectors["file"]]
    assert len(files) == 1 or "" not in files
    known: dict[str, t.Any] = dict.fromkeys(fields, "EXAMPLE")
    filename: t.Any = "EXAMPLE" if files == [""] else dict.fromkeys(files, "EXAMPLE")
    sandbox = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    for template in [*injectors["file"].values(), *injectors["env"].values()]:
        sandbox.from_string(template).render({**known, "tower": {"filename": filename}})
    assert not any(variable.startswith("ANSIBLE_") for variable in injectors["env"])


def test_the_credential_type_covers_the_connection_options() -> None:
    injectors = described("credential_type_api/injectors.yml")
    # How many requests a task sends at a time is a matter of the job, and none of the credential.
    assert set(injectors["env"]) == {
        f"OVENMEDIAENGINE_{name.upper()}" for name in connection_options() if name != "concurrency"
    }
    secret = {field["id"] for field in described("credential_type_api/inputs.yml")["fields"] if field.get("secret")}
    assert secret == {"api_token", "client_key", "http_headers"}


def test_job_templates_are_for_the_stories_and_their_surveys_are_valid() -> None:
    templates = described("job_templates.yml")["job_templates"]
    playbooks = {template["playbook"] for template in templates}
    assert {f"{story}.yml" for story in STORIES} <= playbooks == {path.name for path in (AWX / "project").glob("*.yml")}
    for template in templates:
        assert template["survey_spec"]["spec"] and template["survey_spec"].keys() == {"name", "description", "spec"}
        variables = [question["variable"] for question in template["survey_spec"]["spec"]]
        assert len(set(variables)) == len(variables)
        role, entry = {"merge_audits.yml": ("audit", "merge"), "status.yml": ("audit", "server")}.get(
            template["playbook"], (template["playbook"].removesuffix(".yml"), "main")
        )
        for question in template["survey_spec"]["spec"]:
            _check_question(question)
            option = SPECS[role][entry]["options"].get(question["variable"])
            if option is None:  # one of the playbook in playbooks/files/awx/project
                assert question["variable"] in (AWX / "project" / template["playbook"]).read_text("utf-8")
            elif "choices" in option:
                assert question["choices"] == option["choices"] or set(question["choices"]) == set(option["choices"])
            assert not (option or {}).get("no_log"), "a secret is no answer of a survey"


def _check_question(question: dict[str, t.Any]) -> None:
    """Check the rules of JobTemplateSurveySpec in awx/api/views."""
    assert all(isinstance(question[key], str) for key in ("type", "question_name", "variable"))
    assert isinstance(question["required"], bool)
    assert question["default"] == "" or isinstance(question["default"], SURVEY_TYPES[question["type"]])
    assert all(isinstance(question[key], int) for key in ("min", "max") if key in question)
    if question["type"] == "multiplechoice":
        assert question["default"] in question["choices"]


def test_workflows_and_schedules_name_existing_templates() -> None:
    jobs = {template["name"] for template in described("job_templates.yml")["job_templates"]}
    workflows = described("workflows.yml")["workflow_job_templates"]
    for workflow in workflows:
        nodes = {node["identifier"]: node for node in workflow["workflow_nodes"]}
        assert {node["unified_job_template"]["name"] for node in nodes.values()} <= jobs
        assert {
            one["identifier"]
            for node in nodes.values()
            for following in node.get("related", {}).values()
            for one in following
        } <= set(nodes)
    for schedule in described("schedules.yml")["schedules"]:
        assert schedule["unified_job_template"] in jobs | {workflow["name"] for workflow in workflows}
        assert schedule["rrule"].startswith("DTSTART:") and "INTERVAL=" in schedule["rrule"]


def test_the_notification_can_be_rendered_with_and_without_a_report() -> None:
    class Undefined(StrictUndefined):
        """Refuses what is not defined, as AWX does if it checks messages."""

    (message,) = [one["message"] for one in described("notification_messages.yml").values()]
    assert "\n" not in message
    render = ImmutableSandboxedEnvironment(undefined=Undefined).from_string(message).render
    known = {"job_friendly_name": "Job", "url": "https://awx.example.com/#/jobs/7"}
    job: dict[str, t.Any] = {"id": 7, "name": "audit", "artifacts": {}}
    assert render(**known, job=job) == "Job #7 audit: failed https://awx.example.com/#/jobs/7"
    job["artifacts"] = {"ovenmediaengine_audit": {"line": "servers: 3, 2 as listed"}}
    assert "servers: 3, 2 as listed" in render(**known, job=job)


@pytest.mark.exhaustive
def test_the_execution_environment_is_built_from_the_definition(tmp_path: pathlib.Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "ansible_builder",
            "create",
            "--file",
            str(AWX / "execution-environment.yml"),
            "--context",
            str(tmp_path / "context"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # Its name depends on the container engine that is there.
    (containerfile,) = [path.read_text(encoding="utf-8") for path in (tmp_path / "context").glob("*file")]
    assert "ansible-core>=2.16,<2.23" in containerfile
    requirements = yaml.safe_load((tmp_path / "context/_build/requirements.yml").read_text(encoding="utf-8"))
    assert requirements == {"collections": [{"name": "streamops.ovenmediaengine"}]}
    assert "sshpass" in (tmp_path / "context/_build/bindep.txt").read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_execution_environments_find_out_what_the_collection_needs() -> None:
    command = [sys.executable, "-m", "ansible_builder", "introspect", str(TREE)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    needed = yaml.safe_load(done.stdout)
    lines = (REPOSITORY / "meta/ee-requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line.partition(" ")[0] for line in needed["python"] if line.endswith("streamops.ovenmediaengine")] == [
        line for line in lines if not line.startswith("#")
    ]
    assert not [line for line in needed["system"] if "streamops" in line]


@pytest.mark.exhaustive
def test_the_playbook_for_execution_environments_passes_where_the_modules_work(project: Project) -> None:
    run = project.play(str(REPOSITORY / "tests/ee/execution_environment.yml"), "-i", "localhost,")
    assert run.status == 0, run.output


# The playbook awx_setup, with fake modules of awx.awx that record their options.

STAND_IN = """
import json, os
from ansible.module_utils.basic import AnsibleModule

def main():
    module = AnsibleModule(argument_spec=OPTIONS, supports_check_mode=True)
    given = {name: value for name, value in module.params.items() if value is not None}
    with open(os.environ["STAND_IN_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps([NAME, given]) + "\\n")
    module.exit_json(changed=False)

main()
"""
_TEXT: dict[str, t.Any] = {}
_FLAG: dict[str, t.Any] = {"type": "bool"}
_NUMBER: dict[str, t.Any] = {"type": "int"}
_TEXTS: dict[str, t.Any] = {"type": "list", "elements": "str"}
_DICT: dict[str, t.Any] = {"type": "dict"}
_ASK = (
    "job_type",
    "limit",
    "diff_mode",
    "variables",
    "inventory",
    "credential",
    "execution_environment",
    "forks",
    "job_slice_count",
)
# The options of awx.awx 24 that are of use here, with the types that they have there.
OPTIONS_OF_AWX: dict[str, dict[str, t.Any]] = {
    "project": {"name": _TEXT, "organization": _TEXT, "scm_type": _TEXT, "scm_url": _TEXT, "scm_branch": _TEXT},
    "execution_environment": {"name": _TEXT, "organization": _TEXT, "image": _TEXT},
    "credential_type": {
        "name": _TEXT,
        "description": _TEXT,
        "kind": {"choices": ["ssh", "vault", "net", "scm", "cloud", "insights"]},
        "inputs": _DICT,
        "injectors": _DICT,
    },
    "credential": {
        "name": _TEXT,
        "organization": _TEXT,
        "credential_type": _TEXT,
        "inputs": {"type": "dict", "no_log": True},
        "update_secrets": _FLAG,
    },
    "notification_template": {
        "name": _TEXT,
        "organization": _TEXT,
        "notification_type": {
            "choices": [
                "awssns",
                "email",
                "grafana",
                "irc",
                "mattermost",
                "pagerduty",
                "rocketchat",
                "slack",
                "twilio",
                "webhook",
            ]
        },
        "notification_configuration": _DICT,
        "messages": _DICT,
    },
    "job_template": {
        **dict.fromkeys(
            ("name", "description", "organization", "inventory", "project", "playbook", "execution_environment"), _TEXT
        ),
        "job_type": {"choices": ["run", "check"]},
        "credentials": _TEXTS,
        "forks": _NUMBER,
        "job_slice_count": _NUMBER,
        "diff_mode": _FLAG,
        "become_enabled": _FLAG,
        "use_fact_cache": _FLAG,
        **{f"ask_{name}_on_launch": _FLAG for name in _ASK},
        "survey_enabled": _FLAG,
        "survey_spec": _DICT,
        "notification_templates_error": _TEXTS,
    },
    "workflow_job_template": {
        "name": _TEXT,
        "description": _TEXT,
        "organization": _TEXT,
        "workflow_nodes": {"type": "list", "elements": "dict"},
    },
    "schedule": {"name": _TEXT, "description": _TEXT, "unified_job_template": _TEXT, "rrule": _TEXT},
}


def set_up(project: Project, variables: dict[str, t.Any]) -> tuple[Run, list[tuple[str, dict[str, t.Any]]]]:
    """Run the playbook with the fake modules; return the run, and what each module was given."""
    collection = project.directory / "stand-ins/ansible_collections/awx/awx"
    (collection / "plugins/modules").mkdir(parents=True)
    (collection / "galaxy.yml").write_text(
        "namespace: awx\nname: awx\nversion: 24.6.1\nreadme: README.md\nauthors: []\n", encoding="utf-8"
    )
    (collection / "MANIFEST.json").write_text(
        json.dumps(
            {
                "collection_info": {"namespace": "awx", "name": "awx", "version": "24.6.1", "dependencies": {}},
                "format": 1,
            }
        ),
        encoding="utf-8",
    )
    for name, options in OPTIONS_OF_AWX.items():
        # repr, because the options hold true and false in the way of Python.
        text = f"#!/usr/bin/python\nNAME = {name!r}\nOPTIONS = {options!r}\n{STAND_IN}"
        (collection / f"plugins/modules/{name}.py").write_text(text, encoding="utf-8")
    (project.directory / "variables.yml").write_text(yaml.safe_dump(variables), encoding="utf-8")
    log = project.directory / "stand-ins.log"
    paths = os.pathsep.join([str(project.directory / "stand-ins"), project.environment["ANSIBLE_COLLECTIONS_PATH"]])
    environment = {"ANSIBLE_COLLECTIONS_PATH": paths, "STAND_IN_LOG": str(log)}
    run = project.play("streamops.ovenmediaengine.awx_setup", "-vvv", "-e", "@variables.yml", **environment)
    assert [line for line in run.output.splitlines() if "canary" in line] == []
    return run, [
        tuple(json.loads(line)) for line in log.read_text(encoding="utf-8").splitlines()
    ] if log.exists() else []


@pytest.mark.exhaustive
def test_the_playbook_creates_the_described_objects(project: Project) -> None:
    run, made = set_up(
        project,
        {
            "awx_setup_organization": "Media",
            "awx_setup_project_url": "https://git.example.com/media.git",
            "awx_setup_execution_environment": "Media EE",
            "awx_setup_execution_environment_image": "registry.example.com/media:1",
            "awx_setup_credentials": ["Media vault"],
            "awx_setup_api_inputs": {"api_token": TOKEN},
            "awx_setup_stream_keys_inputs": {"stream_keys": "one: canary-key"},
            "awx_setup_notification": {
                "type": "slack",
                "configuration": {"channels": ["#media"], "token": "canary-slack-token"},
            },
            "awx_setup_slices": 4,
            "awx_setup_forks": 20,
        },
    )
    assert run.status == 0, run.output
    by_module: dict[str, list[dict[str, t.Any]]] = {}
    for name, given in made:
        by_module.setdefault(name, []).append(given)
    assert {name: len(given) for name, given in by_module.items()} == {
        "project": 1,
        "execution_environment": 1,
        "credential_type": 2,
        "credential": 2,
        "notification_template": 1,
        "job_template": 10,
        "workflow_job_template": 2,
        "schedule": 1,
    }
    # Templates for AWX come through as they are, with their braces.
    for name, given in zip(TYPES, by_module["credential_type"]):
        assert given["inputs"] == described(f"{name}/inputs.yml")
        assert given["injectors"] == described(f"{name}/injectors.yml")
    assert by_module["notification_template"][0]["messages"] == described("notification_messages.yml")
    assert by_module["credential"][0]["inputs"] == {"api_token": TOKEN}
    for given, template in zip(by_module["job_template"], described("job_templates.yml")["job_templates"]):
        assert (given["name"], given["playbook"], given["survey_spec"]) == (
            template["name"],
            template["playbook"],
            template["survey_spec"],
        )
        assert (given["organization"], given["forks"], given["use_fact_cache"]) == ("Media", 20, False)
        assert given["job_slice_count"] == (4 if template["playbook"] in ("audit.yml", "provision.yml") else 1)
        keys = ["OvenMediaEngine stream keys"] if template["playbook"] == "restream.yml" else []
        assert given["credentials"] == ["Media vault", "OvenMediaEngine API", *keys]
        reported = template["playbook"] in ("merge_audits.yml", "rotate_certificates.yml", "server.yml", "restart.yml")
        # Only these roles change the host. For the others, the inventory decides.
        assert given.get("become_enabled") == (True if template["playbook"] in ("server.yml", "restart.yml") else None)
        assert given.get("notification_templates_error") == (["OvenMediaEngine"] if reported else None)
    assert [given["workflow_nodes"] for given in by_module["workflow_job_template"]] == [
        workflow["workflow_nodes"] for workflow in described("workflows.yml")["workflow_job_templates"]
    ]


@pytest.mark.exhaustive
def test_few_objects_are_created_without_variables(project: Project) -> None:
    run, made = set_up(project, {})
    assert run.status == 0, run.output
    assert [name for name, _given in made] == ["credential_type"] * 2 + ["job_template"] * 10 + [
        "workflow_job_template"
    ] * 2 + ["schedule"]
    assert all(given["credentials"] == [] for name, given in made if name == "job_template")


@pytest.mark.exhaustive
def test_the_playbook_reports_a_missing_awx_collection(project: Project) -> None:
    run = project.play(
        "streamops.ovenmediaengine.awx_setup", ANSIBLE_COLLECTIONS_PATH=project.environment["ANSIBLE_COLLECTIONS_PATH"]
    )
    assert run.status == 2
    assert "needs the collection awx.awx, which is not installed" in run.output


# Jobs

FLEET = {
    "ovenmediaengine_vhosts": VHOSTS,
    "ovenmediaengine_applications": APPLICATIONS,
    "ovenmediaengine_push_tasks": PUSH_TASKS,
}


def job(project: Project, number: int, *sims: Simulator, **variables: t.Any) -> Job:
    """Return a job for servers that take their token from the credential."""
    hosts = {f"media-{place}": {"ovenmediaengine_api_url": sim.url} for place, sim in enumerate(sims, 1)}
    made = Job(project, number, hosts, {**LOCAL, **FLEET, "audit_sampling_interval": 0, **variables})
    made.inject("credential_type_api", api_token=TOKEN, http_headers='{"X-Gateway-Key": "canary-header-value"}')
    return made


@pytest.mark.exhaustive
def test_provision_and_audit_as_jobs(project: Project, reachable_sim: Simulator) -> None:
    """In check mode, for real, and audited. Nothing that a job leaves is secret, and no facts are gathered."""
    for number, arguments in enumerate((["--check", "--diff"], []), 1):
        one = job(project, number, reachable_sim)
        one.answer(**survey_defaults("provision.yml"))
        ended = one.run("provision.yml", *arguments)
        assert ended.status == "successful", ended.output
        assert ended.changed == {"media-1": 1}
        assert bool(reachable_sim.writes) != bool(arguments)
        assert "gather_facts" not in {
            event.get("event_data", {}).get("task_action", "").rpartition(".")[2] for event in ended.events
        }
        _no_secret(ended.texts(), one.safe_environment)
    reachable_sim.clear_log()
    one = job(project, 3, reachable_sim)
    one.answer(**survey_defaults("audit.yml"), awx_reports_dir=str(project.directory / "reports"))
    ended = one.run("audit.yml", "--check")
    assert ended.status == "successful", ended.output
    assert ended.artifacts["ovenmediaengine_audit"]["drift"] == 0
    assert ended.artifacts["ovenmediaengine_audit"]["report_dir"] == str(project.directory / "reports/audit/3/3")
    assert (project.directory / "reports/audit/3/3/audit.html").is_file()
    assert not reachable_sim.writes
    _no_secret(ended.texts(), one.safe_environment)


@pytest.mark.exhaustive
def test_a_server_is_installed_by_a_job(project: Project) -> None:
    with FakeHost(project.directory / "host") as host:
        media = Media(project, host, "quadlet")
        one = Job(project, 1, {"media-1": {**media.variables, "server_idle_wait": 600}}, LOCAL)
        one.inject("credential_type_api", api_token=TOKEN)
        one.environment.update(with_fakes(project, host))
        one.answer(**{**survey_defaults("server.yml"), "server_idle_wait": 0})
        ended = one.run("server.yml", "--diff")
        assert ended.status == "successful", ended.output
        assert f"server {NEWEST}: files changed: 4; started (the server does not run)" in ended.output
        assert media.vhosts == {"t-a"} and host.failures() == []
        _no_secret(ended.texts(), one.safe_environment)


@pytest.mark.exhaustive
def test_restream_as_a_job_takes_keys_from_the_credential(project: Project, sim: Simulator) -> None:
    platforms = [
        {"name": "one", "url": "rtmp://one.example.com/live"},
        {"name": "two", "url": "rtmp://two.example.com/live"},
    ]
    for number, state in enumerate(("started", "stopped"), 1):
        one = job(project, number, sim, ovenmediaengine_platforms=platforms)
        one.inject("credential_type_stream_keys", stream_keys="one: canary-key-one\ntwo: canary-key-two\n")
        one.answer(**{**survey_defaults("restream.yml"), "restream_stream": "main", "restream_state": state})
        ended = one.run("restream.yml")
        assert ended.status == "successful", ended.output
        assert ended.changed == {"media-1": 1}
        application = sim.state.push_application("default", "app")
        assert application is not None
        keys = {name: task.stream_key for name, task in application.tasks.items()}
        assert keys == ({"main-one": "canary-key-one", "main-two": "canary-key-two"} if state == "started" else {})
        _no_secret(ended.texts(), one.safe_environment)


@pytest.mark.exhaustive
def test_record_as_a_job_with_the_answers_of_its_survey(project: Project) -> None:
    with Simulator(token=TOKEN, scene="media") as server:
        server.stream_appears("default", "media", "main")
        for number, state in enumerate(("started", "stopped"), 1):
            one = job(project, number, server)
            answers = {
                "record_app": "media",
                "record_stream": "main",
                "record_title": "Große Bühne",
                "record_state": state,
            }
            one.answer(**{**survey_defaults("record.yml"), **answers})
            ended = one.run("record.yml")
            assert ended.status == "successful", ended.output
            assert ended.changed == {"media-1": 1}
            assert f"stream default/media/main: main-recording {state}" in ended.output
            assert "file /default/media/main_Grosse-Buhne_2" in ended.output
            _no_secret(ended.texts(), one.safe_environment)


@pytest.mark.exhaustive
def test_a_failed_job_shows_no_secret(project: Project, sim: Simulator) -> None:
    one = job(project, 1, sim)
    one.inject("credential_type_api", api_token="canary-wrong-token", timeout="5", retries="1", api_url="")
    one.answer(**survey_defaults("provision.yml"))
    ended = one.run("provision.yml", "-vvv")
    assert ended.status == "failed"
    assert "AccessToken of Managers/API" in ended.output
    _no_secret(ended.texts(), one.safe_environment)


@pytest.mark.exhaustive
def test_the_status_of_a_tenant_as_a_job(project: Project, reachable_sim: Simulator) -> None:
    one = job(project, 1, reachable_sim)
    one.answer(**survey_defaults("provision.yml"))
    assert one.run("provision.yml").status == "successful"
    reachable_sim.clear_log()
    for number, tenant in enumerate(("all", VHOSTS[0]["name"], ""), 2):
        one = job(project, number, reachable_sim)
        answers = {**survey_defaults("status.yml"), "tenant": tenant}
        one.answer(**answers, awx_reports_dir=str(project.directory / "reports"))
        ended = one.run("status.yml", "--check")
        assert ended.status == "successful" and VHOSTS[0]["name"] in ended.output, ended.output
        assert (VHOSTS[1]["name"] in ended.output) == (tenant in ("all", ""))
        assert (project.directory / "reports/status/audit.html").is_file()
        _no_secret(ended.texts(), one.safe_environment)
    assert not reachable_sim.writes


@pytest.mark.exhaustive
def test_export_as_a_job(project: Project, sim: Simulator) -> None:
    one = job(project, 1, sim)
    one.answer(**{**survey_defaults("export.yml"), "awx_export_dir": str(project.directory / "export")})
    ended = one.run("export.yml")
    assert ended.status == "successful", ended.output
    assert (project.directory / "export/media-1.yml").is_file()


def test_certificates_of_the_credential_become_files(project: Project) -> None:
    one = Job(project, 1, {}, {})
    one.inject(
        "credential_type_api", api_token=TOKEN, ca_certificates="some PEM\nof two lines\n", client_certificate=""
    )
    environment = one.environment
    assert pathlib.Path(environment["OVENMEDIAENGINE_CA_PATH"]).read_text("utf-8").splitlines() == [
        "some PEM",
        "of two lines",
    ]
    # A box that was not ticked, and one that AWX knows nothing of.
    assert environment["OVENMEDIAENGINE_VALIDATE_CERTS"] == "True"
    assert environment["OVENMEDIAENGINE_CLIENT_CERT"] == environment["OVENMEDIAENGINE_CLIENT_KEY"] == ""
    other = Job(project, 2, {}, {})
    other.inject(
        "credential_type_api",
        api_token=TOKEN,
        client_certificate="canary-pem",
        client_key="canary-key",
        skip_verification=True,
    )
    assert pathlib.Path(other.environment["OVENMEDIAENGINE_CLIENT_KEY"]).read_text("utf-8") == "canary-key"
    assert other.environment["OVENMEDIAENGINE_VALIDATE_CERTS"] == "False"


def _no_secret(texts: t.Mapping[str, str], safe_environment: t.Mapping[str, str]) -> None:
    """Neither the files that a job has left nor what AWX keeps of its environment hold a secret; all secrets say so in
    their values.
    """
    assert texts and safe_environment
    leaks = [f"{name}: {line[:500]}" for name, text in texts.items() for line in text.splitlines() if "canary" in line]
    assert leaks == []
    assert [name for name, value in safe_environment.items() if "canary" in value] == []
