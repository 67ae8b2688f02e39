# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs jobs as AWX does: a private data directory, credentials injected by AWX's own code, and ansible-runner."""

from __future__ import annotations

import json
import pathlib
import typing as t

import ansible_runner
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from awx_plugins.interfaces import _temporary_private_inject_api as awx_inject
from awx_plugins.interfaces._temporary_private_api import ManagedCredentialType
from awx_plugins.interfaces._temporary_private_credential_api import Credential

from .conftest import REPOSITORY, Project

AWX = REPOSITORY / "playbooks/files/awx"


def described(name: str) -> t.Any:
    """Return what a file of playbooks/files/awx says."""
    return yaml.safe_load((AWX / name).read_text(encoding="utf-8"))


def survey_defaults(playbook: str) -> dict[str, t.Any]:
    """Return the answers that a survey has if nobody changes them."""
    (template,) = [one for one in described("job_templates.yml")["job_templates"] if one["playbook"] == playbook]
    return {question["variable"]: question["default"] for question in template["survey_spec"]["spec"]}


class Job:
    """A job of AWX: a directory with project, inventory, credentials and answers of the survey."""

    def __init__(
        self,
        project: Project,
        number: int,
        hosts: t.Mapping[str, t.Mapping[str, t.Any]],
        variables: t.Mapping[str, t.Any],
    ) -> None:
        """``hosts`` are the variables of each host, ``variables`` those of all; AWX writes both into a script."""
        self.number = number
        self.directory = project.directory / f"awx-{number}"
        for name in ("env", "inventory", "project"):
            (self.directory / name).mkdir(parents=True)
        for playbook in (AWX / "project").glob("*.yml"):
            (self.directory / "project" / playbook.name).write_text(
                playbook.read_text(encoding="utf-8"), encoding="utf-8"
            )
        inventory = {
            "all": {"hosts": sorted(hosts), "vars": dict(variables)},
            "_meta": {"hostvars": {name: dict(one) for name, one in hosts.items()}},
        }
        script = self.directory / "inventory/hosts"
        script.write_text(
            f"#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nprint({json.dumps(json.dumps(inventory))})\n",
            encoding="utf-8",
        )
        script.chmod(0o700)
        # AWX gives a job nothing of its own environment; this is what makes Ansible of the tests be found, and the
        # collection.
        self.environment = dict(project.environment)
        self.safe_environment: dict[str, str] = {}
        self.arguments: list[str] = []
        (self.directory / "env/settings").write_text(
            json.dumps({"job_timeout": PATIENCE, "suppress_ansible_output": True, "suppress_output_file": False}),
            "utf-8",
        )

    def inject(self, credential_type: str, **inputs: t.Any) -> None:
        """Add a credential of one of the types in playbooks/files/awx."""
        awx_type = ManagedCredentialType(
            namespace="",
            name=credential_type,
            kind="cloud",
            inputs=described(f"{credential_type}/inputs.yml"),
            injectors=described(f"{credential_type}/injectors.yml"),
            managed=False,
        )
        added: dict[str, str] = {}
        awx_inject.inject_credential(
            awx_type, Credential(inputs), added, self.safe_environment, self.arguments, str(self.directory)
        )
        # In AWX the directory is /runner, as it is mounted there into the container of the job. Here are no containers.
        self.environment.update(
            {name: value.replace("/runner/", f"{self.directory}/") for name, value in added.items()}
        )
        self.safe_environment = awx_inject.build_safe_env(self.safe_environment)

    def answer(self, **answers: t.Any) -> None:
        """Write the extra variables: answers of the survey, and what AWX tells each job."""
        variables = {"awx_job_id": self.number, "tower_job_id": self.number, **answers}
        (self.directory / "env/extravars").write_text(json.dumps(variables), encoding="utf-8")

    def parameters(self, playbook: str, *arguments: str) -> dict[str, t.Any]:
        """Return what AWX hands to ansible-runner."""
        (self.directory / "env/cmdline").write_text(" ".join([*self.arguments, *arguments]), encoding="utf-8")
        return {
            "ident": str(self.number),
            "private_data_dir": str(self.directory),
            "playbook": playbook,
            "inventory": str(self.directory / "inventory/hosts"),
            "suppress_env_files": True,
            "envvars": self.environment,
            "fact_cache_type": "",
        }

    def run(self, playbook: str, *arguments: str) -> Ended:
        """Run a playbook of the project on this machine."""
        runner = ansible_runner.interface.run(quiet=True, **self.parameters(playbook, *arguments))
        return Ended(self.directory, runner.status, list(runner.events))

    def run_elsewhere(self, playbook: str, *arguments: str) -> Ended:
        """Run a playbook as Receptor brings it to an execution node, where the directory has the same path, and
        brings back what came of it.
        """
        aside, back = (self.directory.with_name(f"{name}-{self.number}") for name in ("controller", "back"))
        aside.mkdir()
        with (aside / "sent").open("wb") as sent:
            ansible_runner.interface.run(streamer="transmit", _output=sent, **self.parameters(playbook, *arguments))
        self.directory.rename(aside / "directory")
        with (aside / "sent").open("rb") as received, (aside / "answer").open("wb") as answer:
            ansible_runner.interface.run(
                streamer="worker", _input=received, _output=answer, private_data_dir=str(self.directory)
            )
        events: list[dict[str, t.Any]] = []
        with (aside / "answer").open("rb") as answer:
            runner = ansible_runner.interface.run(
                streamer="process",
                quiet=True,
                _input=answer,
                private_data_dir=str(back),
                ident=str(self.number),
                event_handler=events.append,
            )
        return Ended(back, runner.status, events)


class Ended(t.NamedTuple):
    """What a job has left."""

    directory: pathlib.Path
    status: str
    events: list[dict[str, t.Any]]

    @property
    def output(self) -> str:
        """Return all that was printed."""
        return "\n".join(event.get("stdout", "") for event in self.events)

    @property
    def artifacts(self) -> dict[str, t.Any]:
        """Return what AWX keeps as the artifacts of the job and hands on in a workflow."""
        found: dict[str, t.Any] = {}
        for event in self.events:
            found.update(event.get("event_data", {}).get("artifact_data", {}))
        return found

    @property
    def changed(self) -> dict[str, int]:
        """Return how many tasks have changed something, by host."""
        return dict(self.events[-1]["event_data"]["changed"])

    def texts(self) -> dict[str, str]:
        """Return all files that the job has left.

        Left out is the one in which ansible-runner itself keeps the environment, of which AWX keeps the safe one.
        """
        paths = [
            path for path in (self.directory / "artifacts").rglob("*") if path.is_file() and path.name != "command"
        ]
        return {str(path): path.read_text(encoding="utf-8", errors="replace") for path in paths}
