# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role provision with durable objects: nothing is missing after a restart, before any playbook runs."""

from __future__ import annotations

import json
import pathlib
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

from .conftest import BOTH_PATHS, LOCAL, Project

ONE_BY_ONE = ["in-process", pytest.param("module", marks=pytest.mark.long)]
SECRETS = ("canary-of-the-webhook", "canary-of-the-platform")
PLACE = {"vhost": "tenant-a", "app": "live", "stream": {"name": "main"}}
VARIABLES: dict[str, t.Any] = {
    "ovenmediaengine_durable": True,
    "ovenmediaengine_vhosts": [
        {
            "name": "tenant-a",
            "host": {"names": ["live.tenant-a.example.com"]},
            "admission_webhooks": {
                "control_server_url": "http://hooks.example.com/",
                "secret_key": SECRETS[0],
                "enables": {"providers": ["rtmp"]},
            },
        }
    ],
    "ovenmediaengine_applications": [
        {"vhost": "tenant-a", "name": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}, "file": {}}}
    ],
    "ovenmediaengine_push_tasks": [
        {**PLACE, "id": "p", "protocol": "rtmp", "url": "rtmp://live.example.com/app", "stream_key": SECRETS[1]}
    ],
    "ovenmediaengine_records": [{**PLACE, "id": "r", "file_path": "/${Stream}/${StartTime:YYYYMMDDhhmmss}.ts"}],
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("host", ONE_BY_ONE)
def test_nothing_is_missing_after_a_restart(project: Project, tmp_path: pathlib.Path, host: str) -> None:
    config = config_files.write(tmp_path / "conf", Server=config_files.server('<VirtualHost include="VHost*.xml"/>'))
    with Simulator(config=config, port=0) as server:
        variables = {**LOCAL, **VARIABLES, "ovenmediaengine_config_dir": str(config)}
        variables["ovenmediaengine_api_token"] = server.token

        def provision(*arguments: str, names: t.Sequence[str] = ("live.tenant-a.example.com",)) -> str:
            variables["ovenmediaengine_vhosts"][0]["host"]["names"] = list(names)
            each = {"ovenmediaengine_api_url": server.url, **(BOTH_PATHS[host] or {})}
            text = json.dumps({"all": {"hosts": {host: each}, "vars": variables}})
            (project.directory / "inventory.json").write_text(text, encoding="utf-8")
            server.clear_log()
            run = project.provision(*arguments)
            assert run.status == 0, run.output
            assert not any(secret in run.output for secret in SECRETS)
            return run.output

        provision("--check", "--diff")
        assert server.writes == [] and list(config.glob("VHost*")) == []
        assert "missing before: virtual hosts 1, applications 1, push tasks 1, recordings 1" in provision("--diff")
        provision()
        assert server.writes == []

        server.restart()
        found = run_module("application_info", connection(server, vhost="tenant-a"))
        assert [app["name"] for app in found["applications"]] == ["live"]
        server.stream_appears("tenant-a", "live", "main")
        for module in ("push_task_info", "record_info"):
            status = run_module(module, connection(server, vhost="tenant-a", app="live"))["status"]
            assert [one["is_config"] for one in status] == [True]
        output = provision("--diff")
        assert " changed=0 " in output and server.writes == [] and "restart of the server is" not in output
        assert "; a restart of the server is required" in provision(names=["other.example.com"])
        assert server.writes == [] or {record.status for record in server.writes} == {403}

        audit = project.play(
            "streamops.ovenmediaengine.audit", "-i", "inventory.json", "-e", "audit_sampling_interval=0"
        )
        assert audit.status == 0, audit.output
        assert not any(secret in audit.output for secret in SECRETS)
        report = json.loads((project.directory / "ovenmediaengine-audit/audit.json").read_text(encoding="utf-8"))
        found = [one for one in report["servers"][0]["findings"] if one["severity"] != "info"]
        assert [(one["kind"], one["field"], one["wanted"]) for one in found] == [
            ("restart_due", "host.names", ["other.example.com"])
        ]
        page = (project.directory / "ovenmediaengine-audit/audit.html").read_text(encoding="utf-8")
        assert "is not as listed until the server restarts." in page


RECORDING = "/${VirtualHost}/${Application}/main_${StartTime:YYYYMMDDhhmmss}.mp4"


@pytest.mark.exhaustive
@pytest.mark.parametrize("host", ONE_BY_ONE)
def test_what_the_server_has_started_itself_is_started_by_nobody_else(
    project: Project, tmp_path: pathlib.Path, host: str
) -> None:
    config = config_files.write(tmp_path / "conf", Server=config_files.server('<VirtualHost include="VHost*.xml"/>'))
    with Simulator(config=config, port=0, stop_delay=0.2) as server:
        variables = {**LOCAL, **VARIABLES, "ovenmediaengine_api_token": server.token}
        variables["ovenmediaengine_records"] = [{**PLACE, "id": "r", "file_path": RECORDING}]
        durable = {"ovenmediaengine_durable": True, "ovenmediaengine_config_dir": str(config)}

        def play(name: str, expected: int = 0, **extra: t.Any) -> str:
            each = {"ovenmediaengine_api_url": server.url, **(BOTH_PATHS[host] or {})}
            text = json.dumps({"all": {"hosts": {host: each}, "vars": {**variables, **extra}}})
            (project.directory / "inventory.json").write_text(text, encoding="utf-8")
            server.clear_log()
            run = project.play(f"streamops.ovenmediaengine.{name}", "-i", "inventory.json", "--diff")
            assert run.status == expected, run.output
            assert not any(secret in run.output for secret in SECRETS)
            return run.output

        def runs() -> list[tuple[bool, str]]:
            found = [
                (module, run_module(module, connection(server, vhost="tenant-a", app="live"))["status"])
                for module in ("push_task_info", "record_info")
            ]
            return [(one["is_config"], module) for module, status in found for one in status]

        once = [(True, "push_task_info"), (True, "record_info")]
        play("provision", **durable)
        variables["ovenmediaengine_durable"] = False

        # The watcher, a rulebook or AWX is faster than the encoder.
        server.restart()
        output = play("provision")
        assert " changed=0 " in output and server.writes == [] and "are left to the stream map" in output
        server.stream_appears("tenant-a", "live", "main")
        assert runs() == once
        assert " changed=0 " in play("provision") and server.writes == [] and runs() == once

        restream = {"restream_vhost": "tenant-a", "restream_app": "live", "restream_stream": "main"}
        restream["restream_platforms"] = "platform"
        platforms = [{"name": "platform", "url": "rtmp://live.example.com/app", "stream_key": SECRETS[1]}]
        output = play("restream", **restream, ovenmediaengine_platforms=platforms)
        assert "stream tenant-a/live/main: platform unchanged" in output and server.writes == []
        output = play("record", record_vhost="tenant-a", record_app="live", record_stream="main")
        assert "main-recording unchanged" in output and server.writes == [] and runs() == once

        play("audit", audit_sampling_interval=0, audit_read_only_vhosts=["tenant-a"])
        report = json.loads((project.directory / "ovenmediaengine-audit/audit.json").read_text(encoding="utf-8"))
        (audited,) = report["servers"]
        assert [one["kind"] for one in audited["findings"] if one["severity"] != "info"] == []
        for option, name in (("push_tasks", "p"), ("records", "r")):
            assert [(one["id"], one["listed"], one["is_config"]) for one in audited[option]] == [(name, True, True)]
        metrics = (project.directory / "ovenmediaengine-audit/audit.prom").read_text(encoding="utf-8")
        for option in ("push_tasks", "records"):
            counted = [line for line in metrics.splitlines() if line.startswith(f"ovenmediaengine_audit_{option}{{")]
            assert [line.rpartition(" ")[2] for line in counted] == ["1"]

        for directory, names in (({}, []), ({"ovenmediaengine_config_dir": str(config)}, ["p", "r"])):
            play("export", **directory)
            exported = yaml.safe_load((project.directory / f"ovenmediaengine-{host}.yml").read_text(encoding="utf-8"))
            kinds = ("ovenmediaengine_push_tasks", "ovenmediaengine_records")
            assert [one["id"] for kind in kinds for one in exported.get(kind, ())] == names
