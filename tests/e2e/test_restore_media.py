# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pulled streams, channels and recordings in the roles provision and export, before and after a restart."""

from __future__ import annotations

import json
import re
import typing as t
from datetime import timedelta

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

from .conftest import BOTH_PATHS, HEADERS, LOCAL, TOKEN, Project, Run
from .test_after_restart import blocks
from .test_documents import shown_in

PASSWORD = "canary-camera-password"
ORIGIN = f"rtsp://viewer:{PASSWORD}@camera.example.com:554/live"
VERSIONS = [NEWEST, *(pytest.param(one, marks=pytest.mark.long) for one in RECORDED_MEDIA[1:])]
PLACE = {"vhost": "site", "app": "media"}
CHANNELS = {
    "ovenmediaengine_scheduled_channels": [
        {
            **PLACE,
            "name": "tv",
            "fallback_program": {"items": [{"url": "file://wait.mp4"}]},
            "programs": [
                {
                    "name": "live",
                    "scheduled": "2020-01-01T00:00:00Z",
                    "items": [{"url": "stream://site/media/camera"}],
                }
            ],
        }
    ],
    "ovenmediaengine_multiplex_channels": [
        {
            **PLACE,
            "name": "wall",
            "source_streams": [
                {
                    "name": "camera",
                    "url": "stream://site/media/camera",
                    "track_map": [{"source_track_name": "video", "new_track_name": "video"}],
                }
            ],
        }
    ],
}


def media(**more: t.Any) -> dict[str, t.Any]:
    """Return the variables of the guide."""
    variables: dict[str, t.Any] = yaml.safe_load(blocks("yaml")[-1])
    return {**variables, **more}


def full() -> dict[str, t.Any]:
    """Return the variables of the guide with channels, and with secrets in a recording."""
    variables = media(**CHANNELS)
    variables["ovenmediaengine_vhosts"][0]["applications"][0]["providers"].update(schedule={}, multiplex={})
    variables["ovenmediaengine_records"][0]["metadata"] = "canary-metadata"
    return variables


def inventory(project: Project, sim: Simulator, hosts: t.Iterable[str] = ("one",), **variables: t.Any) -> None:
    """Write an inventory of one server, with the variables of the role."""
    connection = {"ovenmediaengine_api_token": TOKEN, "ovenmediaengine_http_headers": HEADERS}
    common = {**LOCAL, **connection, "camera_password": PASSWORD, **variables}
    each = {name: {"ovenmediaengine_api_url": sim.url, **BOTH_PATHS.get(name, {})} for name in hosts}
    (project.directory / "inventory.json").write_text(
        json.dumps({"all": {"hosts": each, "vars": common}}), encoding="utf-8"
    )


def provision(project: Project, *arguments: str) -> Run:
    """Run the playbook; nothing that it prints may be secret."""
    run = project.provision(*arguments)
    assert [line for line in run.output.splitlines() if "canary" in line] == []
    return run


def read(module: str, sim: Simulator) -> t.Any:
    """Return the result of an info module."""
    return run_module(module, {"api_url": sim.url, "api_token": TOKEN})


def output_file(sim: Simulator) -> str:
    """Return the file that the only recording writes."""
    (status,) = read("record_info", sim)["status"]
    assert status["state"] == "recording", status
    return str(status["output_file_path"])


def parts(line: str) -> dict[str, str]:
    """Return the parts of the last line by title."""
    return dict(part.split(": ", 1) for part in line.removeprefix("Check mode, this would be done: ").split("; "))


@pytest.mark.exhaustive
@pytest.mark.parametrize("version", VERSIONS)
def test_one_run_restores_a_pull_and_its_recording(project: Project, version: str) -> None:
    with Simulator(version, token=TOKEN, stop_delay=0.2, default_host_names=["default.example.com"]) as sim:
        sim.origin(ORIGIN)
        inventory(project, sim, **media())

        checked = provision(project, "--check", "--diff")
        assert checked.status == 0, checked.output
        assert "WARNING" not in checked.output and not sim.writes
        assert checked.summary("one") == "Check mode, this would be done: " + shown_in(
            "guide_after_restart.rst", 0, "Restore pulls and recordings"
        )

        first = provision(project)
        assert first.status == 0, first.output
        assert first.summary("one") == shown_in("guide_after_restart.rst", 0, "Restore pulls and recordings")
        assert first.recap["one"]["changed"] == 1
        file = output_file(sim)

        sim.restart()
        assert list(sim.state.virtual_hosts) == ["default"]
        # The name of a file has whole seconds, and both runs may take less than one.
        sim.state.clock.set(sim.state.clock.time_of_day() + timedelta(seconds=7))
        second = provision(project)
        assert second.status == 0, second.output
        assert second.summary("one") == first.summary("one")
        (stream,) = read("stream_info", sim)["streams"]
        assert (stream["name"], stream["input"]["source_type"]) == ("camera", "RtspPull")
        again = output_file(sim)
        assert again != file and re.fullmatch(r".*/camera/[0-9]{14}\.ts", again)

        sim.clear_log()
        third = provision(project, "--diff")
        assert third.status == 0, third.output
        assert third.recap["one"]["changed"] == 0 and not sim.writes
        assert third.summary("one").endswith("missing before: nothing")
        assert output_file(sim) == again


@pytest.mark.long
def test_both_execution_paths_do_the_same(project: Project) -> None:
    with Simulator(token=TOKEN, stop_delay=0.2, default_host_names=["default.example.com"]) as sim:
        sim.origin(ORIGIN)
        inventory(project, sim, BOTH_PATHS, **full())
        lines = []
        for path in BOTH_PATHS:
            sim.restart()
            run = provision(project, "--limit", path)
            assert run.status == 0, run.output
            lines.append(run.summary(path))
        assert parts(lines[0])["recordings"].startswith("1 started")
        # Channels survive a restart, and come back with their application.
        assert parts(lines[0])["streams"] == parts(lines[1])["streams"]


@pytest.mark.long
def test_a_camera_that_is_off_keeps_nothing_else_from_being_restored(project: Project) -> None:
    pushes = [
        {
            **PLACE,
            "id": "p",
            "stream": {"name": "camera"},
            "protocol": "mpegts",
            "url": "udp://239.0.0.1:5000",
        }
    ]
    variables = media(
        ovenmediaengine_push_tasks=pushes,
        ovenmediaengine_record_wait_for="ready",
        ovenmediaengine_stream_wait_timeout=0,
    )
    variables["ovenmediaengine_vhosts"][0]["applications"][0]["publishers"]["push"] = {}
    with Simulator(token=TOKEN, stop_delay=0.2, default_host_names=["default.example.com"]) as sim:
        inventory(project, sim, **variables)
        run = provision(project)
        assert run.status == 2
        assert "origin" in run.failure("one")
        found = parts(run.summary("one"))
        assert found["streams"] == "0 created, 0 recreated, 0 unchanged, 1 failed"
        assert found["push tasks"].startswith("1 started") and found["recordings"].startswith("1 started")
        assert [record["state"] for record in read("record_info", sim)["status"]] == ["ready"]
        sim.origin(ORIGIN)
        run = provision(project)
        assert run.status == 0, run.output
        assert output_file(sim)


@pytest.mark.long
def test_steps_purges_and_reasons(project: Project) -> None:
    with Simulator(token=TOKEN, stop_delay=0.2, default_host_names=["default.example.com"]) as sim:
        sim.origin(ORIGIN)
        inventory(project, sim, **full())
        assert provision(project, "--tags", "vhosts").status == 0
        for tag, title in (
            ("streams", "streams"),
            ("scheduled_channels", "scheduled channels"),
            ("multiplex_channels", "multiplex channels"),
            ("records", "recordings"),
        ):
            run = provision(project, "--tags", tag)
            assert run.status == 0, run.output
            found = parts(run.summary("one"))
            assert found[title].startswith(("1 created", "1 started")), run.summary("one")
            others = {"streams", "scheduled channels", "multiplex channels", "recordings"} - {title}
            assert {found[other] for other in others} == {"not selected"}
        record = full()["ovenmediaengine_records"][0]
        options = {"api_url": sim.url, "api_token": TOKEN}
        assert not run_module("record", {**options, **record, "id": "unlisted"}).failed
        for arguments in (["--check"], []):
            run = provision(project, "-e", "ovenmediaengine_purge_records=true", *arguments)
            assert run.status == 0, run.output
            assert "; recordings: 0 started, 0 restarted, 1 stopped, 1 unchanged, 0 failed;" in run.summary("one")
        assert [record["id"] for record in read("record_info", sim)["records"]] == ["camera"]
        # Without a list the purge is refused, and nothing is sent.
        sim.clear_log()
        run = provision(project, "-e", '{"ovenmediaengine_purge_records": true, "ovenmediaengine_records": []}')
        assert "ovenmediaengine_purge_records with an empty ovenmediaengine_records" in run.failure("one")
        assert not sim.log


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_an_export_of_streams_channels_and_recordings_changes_nothing(project: Project, version: str) -> None:
    with Simulator(version, token=TOKEN, stop_delay=0.2, default_host_names=["default.example.com"]) as sim:
        sim.origin(ORIGIN)
        inventory(project, sim, **full())
        made = provision(project)
        assert made.status == 0, made.output

        inventory(project, sim)
        sim.clear_log()
        exported = project.play("streamops.ovenmediaengine.export", "-i", "inventory.json")
        assert exported.status == 0 and "canary" not in exported.output, exported.output
        assert not sim.writes
        assert "; streams: 1; scheduled channels: 1; multiplex channels: 1; recordings: 1; " in exported.summary("one")
        text = (project.directory / "ovenmediaengine-one.yml").read_text(encoding="utf-8")
        assert "canary" not in text
        assert re.search(r"^# The server reports only the URL.*\novenmediaengine_streams:\n", text, re.MULTILINE)
        names = re.findall(r"^# (ovenmediaengine_secret_\w+): !vault \|$", text, re.MULTILINE)
        assert len(names) == 2, names
        secrets = {name: "canary-metadata" if "metadata" in name else f"viewer:{PASSWORD}" for name in names}
        (project.directory / "secrets.json").write_text(json.dumps(secrets), encoding="utf-8")

        files = ("-e", "@ovenmediaengine-one.yml", "-e", "@secrets.json")
        sim.clear_log()
        same = provision(project, *files)
        assert same.status == 0, same.output
        assert same.recap["one"]["changed"] == 0 and not sim.writes
        assert same.summary("one").endswith("missing before: nothing")

        # The file restores the server, too.
        sim.restart()
        back = provision(project, *files)
        assert back.status == 0, back.output
        assert output_file(sim)
        repeated = project.play("streamops.ovenmediaengine.export", "-i", "inventory.json")
        assert repeated.recap["one"]["changed"] == 0, repeated.output


@pytest.mark.long
def test_check_mode_predicts_what_a_recreate_loses(project: Project) -> None:
    with Simulator(token=TOKEN, stop_delay=0.2, default_host_names=["default.example.com"]) as sim:
        sim.origin(ORIGIN)
        inventory(project, sim, **full())
        assert provision(project).status == 0
        changed = full()
        changed["ovenmediaengine_vhosts"][0]["applications"][0]["publishers"]["webrtc"] = {}
        inventory(project, sim, **changed, ovenmediaengine_recreate=True)
        checked = provision(project, "--check")
        real = provision(project)
        assert (checked.status, real.status) == (0, 0), checked.output + real.output
        assert checked.summary("one") == "Check mode, this would be done: " + real.summary("one")
        assert provision(project).recap["one"]["changed"] == 0
