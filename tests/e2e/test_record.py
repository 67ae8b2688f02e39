# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook record, as a user runs them."""

from __future__ import annotations

import json
import re
import shlex
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import BOTH_PATHS, LOCAL, REPOSITORY, TOKEN, Project, Run

PLAYBOOK = "streamops.ovenmediaengine.record"


@pytest.fixture
def media() -> t.Iterator[Simulator]:
    """Provide a server whose application `media` has a file publisher, and the live stream `main`."""
    with Simulator(token=TOKEN, stop_delay=0.2, scene="media") as server:
        server.stream_appears("default", "media", "main")
        yield server


def record(project: Project, *arguments: str, **variables: t.Any) -> Run:
    """Run the playbook."""
    values = {"record_app": "media", "record_stream": "main", **variables}
    return project.play(PLAYBOOK, "-i", "inventory.json", "--diff", "-e", json.dumps(values), *arguments)


def recorded(server: Simulator) -> dict[str, str]:
    """Return the paths of the recordings that the server has, with macros, by their ids."""
    holder = server.state.records.application("default", "media")
    assert holder is not None
    return {name: one.file_path for name, one in holder.records.items()}


@pytest.mark.exhaustive
def test_start_and_stop(project: Project, media: Simulator) -> None:
    project.inventory({"media-1": media.url})
    config = media.add_config_record("default", "media", stream_name="main").id
    title = "Evening show: ${Id}"
    checked = record(project, "--check", record_title=title)
    assert checked.status == 0, checked.output
    begin = "stream default/media/main: main-recording"
    path = "/${VirtualHost}/${Application}/main_Evening-show-Id_${StartTime:YYYYMMDDhhmmss}.mp4"
    assert checked.summary("media-1") == f"Check mode, this would be done: {begin} started, file {path}"
    assert '"default/media/main-recording"' in checked.output  # the diff
    assert not media.writes

    first = record(project, record_title=title, ovenmediaengine_record_wait_for="recording")
    assert first.status == 0, first.output
    assert re.fullmatch(
        rf"{begin} started \(recording\), file /default/media/main_Evening-show-Id_[0-9]{{14}}\.mp4",
        first.summary("media-1"),
    )
    assert recorded(media) == {config: "", "main-recording": path}

    media.clear_log()
    again = record(project, record_title=title)
    assert again.recap["media-1"]["changed"] == 0 and not media.writes, again.output

    checked = record(project, "--check", record_state="stopped")
    assert checked.summary("media-1").startswith(
        f"Check mode, this would be done: {begin} stopped, file /default/media/"
    )
    assert not media.writes
    stopped = record(project, record_state="stopped")
    assert re.fullmatch(
        rf"{begin} stopped, file /default/media/main_Evening-show-Id_[0-9]{{14}}\.mp4, [0-9]+ bytes, 0:[0-9:]{{5}}",
        stopped.summary("media-1"),
    ), stopped.output
    assert recorded(media) == {config: ""}


@pytest.mark.exhaustive
@pytest.mark.parametrize("state", ["started", "stopped"])
def test_the_recording_of_another_stream_is_refused(project: Project, media: Simulator, state: str) -> None:
    project.inventory({"media-1": media.url})
    assert record(project).status == 0
    media.clear_log()
    run = record(project, record_stream="other", record_id="main-recording", record_state=state)
    assert run.status == 2 and not media.writes and set(recorded(media)) == {"main-recording"}
    assert run.failure("media-1") == (
        "The recording main-recording belongs to the stream main, not to other. Specify that stream, or another id. "
        "Nothing was done."
    )
    assert run.summary("media-1") == "stream default/media/other: not reached"


@pytest.mark.exhaustive
def test_several_servers_through_both_execution_paths(project: Project, media: Simulator, sim: Simulator) -> None:
    """A server that cannot record does not prevent the others from it."""
    project.inventory({**dict.fromkeys(BOTH_PATHS, media.url), "plain": sim.url})
    for state in ("started", "stopped"):
        run = record(project, record_state=state, record_title="show", record_id="{{ inventory_hostname }}")
        for name in BOTH_PATHS:
            assert f" {state}" in run.summary(name), run.output
            assert run.recap[name]["changed"] == 1
        assert run.recap["plain"]["failed"] == (state == "started")
        assert run.summary("plain").endswith("plain failed" if state == "started" else "plain unchanged"), run.output
    assert "plain is not running" in " ".join(run.output.split())
    assert recorded(media) == {}


@pytest.mark.exhaustive
def test_after_a_restart_the_recording_goes_on_in_a_new_file(project: Project, media: Simulator) -> None:
    project.inventory({"media-1": media.url})
    assert record(project).recap["media-1"]["changed"] == 1
    media.restart()
    run = record(project)
    assert run.status == 0 and run.recap["media-1"]["changed"] == 1, run.output
    assert set(recorded(media)) == {"main-recording"}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"record_title": "///"}, "record_title: expected a letter from a to z or a digit"),
        (
            {"record_schedule": "0 0 *", "record_interval_minutes": 5},
            "cannot be used together with record_interval_minutes",
        ),
        ({"record_tittle": "x"}, "record_tittle (did you mean record_title?)"),
        ({"record_stream": "a b"}, "record_stream: expected letters, digits"),
        ({"record_stream": ""}, "record_stream: expected the name of a stream, got an empty text."),
        ({"record_interval_minutes": -1}, "record_interval_minutes: expected a whole number"),
        ({"ovenmediaengine_record_directory": ""}, "ovenmediaengine_record_directory: expected an absolute path"),
        ({"record_state": "on"}, "value of record_state must be one of: started, stopped"),
    ],
)
def test_invalid_input_is_reported_and_nothing_is_sent(
    project: Project, media: Simulator, variables: dict[str, t.Any], words: str
) -> None:
    project.inventory({"media-1": media.url})
    run = record(project, **variables)
    assert run.status == 2
    assert words in run.failure("media-1"), run.output
    assert not media.log


@pytest.mark.exhaustive
def test_a_refusal_of_the_server_is_reported(project: Project, media: Simulator) -> None:
    project.inventory({"media-1": media.url}, ovenmediaengine_api_token="canary-wrong-token")
    for state in ("started", "stopped"):
        run = record(project, "-vvvv", record_state=state)
        assert run.status == 2
        assert "Set ovenmediaengine_api_token" in run.failure("media-1")
        assert run.summary("media-1").startswith("stream default/media/main: ")
        assert run.summary("media-1").endswith("failed")
        assert "canary" not in run.output


def _shape(line: str) -> str:
    """Return a summary without its numbers, and without the names that examples choose."""
    return re.sub(r"default/\w+/", "default/APP/", re.sub(r"[0-9]+", "0", line))


def _started_and_stopped(project: Project, server: Simulator) -> tuple[Run, Run]:
    """Run the example and the commands of roles/record/README.md."""
    text = (REPOSITORY / "roles/record/README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (project.directory / "inventory.yml").write_text(
        example.replace("http://127.0.0.1:8081", server.url), encoding="utf-8"
    )
    values = {"vault_api_token": TOKEN, **LOCAL}
    started, stopped = (
        project.play(*shlex.split(command), "-e", json.dumps(values))
        for command in re.findall(r"^ansible-playbook (.+)$", text, re.MULTILINE)
    )
    assert started.recap["origin-1.example.com"]["changed"] == 1, started.output
    return started, stopped


@pytest.mark.exhaustive
def test_the_example_of_the_readme(project: Project, media: Simulator) -> None:
    _started, stopped = _started_and_stopped(project, media)
    line = stopped.summary("origin-1.example.com")
    text = (REPOSITORY / "roles/record/README.md").read_text(encoding="utf-8")
    assert _shape(line) in _shape(text)
    assert recorded(media) == {}


@pytest.mark.exhaustive
def test_the_summary_of_the_guide(project: Project, media: Simulator) -> None:
    _started, stopped = _started_and_stopped(project, media)
    guide = (REPOSITORY / "docs/docsite/rst/guide_records.rst").read_text(encoding="utf-8")
    assert _shape(stopped.summary("origin-1.example.com")) in _shape(guide)


@pytest.mark.exhaustive
def test_the_file_names_of_the_readme(project: Project, media: Simulator) -> None:
    """Each row of its table is a title and the file that it gives."""
    text = (REPOSITORY / "roles/record/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(main)` \| (?:`(.+?)`)? ?\| `(.+?)` \|$", text, re.MULTILINE)
    assert len(rows) == 4
    project.inventory({"media-1": media.url})
    for stream, title, name in rows:
        run = record(project, record_stream=stream, record_title=title)
        assert run.status == 0, run.output
        (path,) = recorded(media).values()
        assert path.rpartition("/")[2].replace("${StartTime:YYYYMMDDhhmmss}", "20260131200000") == name
