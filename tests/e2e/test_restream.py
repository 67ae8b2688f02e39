# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook restream, as a user runs them."""

from __future__ import annotations

import json
import pathlib
import re
import shlex
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import LOCAL, REPOSITORY, TOKEN, Project, Run

PLATFORMS = [
    {"name": "one", "url": "rtmp://one.example.com/live"},
    {"name": "two", "url": "rtmp://two.example.com/live", "stream_key": "canary-key-two"},
    {"name": "three", "protocol": "srt", "url": "srt://three.example.com:9?passphrase=canary-passphrase"},
]


def restream(project: Project, *arguments: str, platforms: str = "all", keys: pathlib.Path | None = None) -> Run:
    """Run the playbook as loudly as it goes; nothing that it prints or logs may be secret."""
    log = project.directory / "ansible.log"
    log.unlink(missing_ok=True)
    environment = {"ANSIBLE_LOG_PATH": str(log), **({"OVENMEDIAENGINE_STREAM_KEYS_FILE": str(keys)} if keys else {})}
    chosen = ["-e", "restream_stream=main", "-e", f"restream_platforms={platforms}"]
    run = project.play(
        "streamops.ovenmediaengine.restream",
        "-i",
        "inventory.json",
        "-vvvv",
        "--diff",
        *chosen,
        *arguments,
        **environment,
    )
    printed = run.output + log.read_text(encoding="utf-8")
    assert [line for line in printed.splitlines() if "canary" in line] == []
    return run


def inventory(project: Project, sim: Simulator, **variables: t.Any) -> None:
    """Write an inventory of one server with three platforms."""
    project.inventory(
        {"media": sim.url},
        **{
            "ovenmediaengine_platforms": PLATFORMS,
            "ovenmediaengine_stream_keys": {"one": "canary-key-one"},
            **variables,
        },
    )


def pushed(sim: Simulator) -> dict[str, str]:
    """Return the stream keys that the server has, by the ids of its push tasks."""
    application = sim.state.push_application("default", "app")
    assert application is not None
    return {name: task.stream_key for name, task in application.tasks.items()}


@pytest.mark.exhaustive
def test_start_and_stop(project: Project, sim: Simulator) -> None:
    inventory(project, sim)
    checked = restream(project, "--check")
    assert checked.status == 0, checked.output
    done = "stream default/app/main: one started, two started, three started"
    assert checked.summary("media") == f"Check mode, this would be done: {done}"
    assert '"default/app/main-one"' in checked.output  # the diff
    assert not sim.writes

    first = restream(project)
    assert first.status == 0, first.output
    assert (
        first.summary("media")
        == "stream default/app/main: one started (ready), two started (ready), three started (ready)"
    )
    assert pushed(sim) == {"main-one": "canary-key-one", "main-two": "canary-key-two", "main-three": ""}

    sim.clear_log()
    again = restream(project)
    assert again.recap["media"]["changed"] == 0 and not sim.writes, again.output

    stopped = restream(project, "-e", "restream_state=stopped", platforms="three,one")
    assert stopped.summary("media") == "stream default/app/main: three stopped, one stopped", stopped.output
    assert set(pushed(sim)) == {"main-two"}


AMBIGUOUS = [
    {"name": name, "url": f"rtmp://{name}.example.com/live", "stream_key": ""} for name in ("youtube", "backup-youtube")
]


def streams(sim: Simulator) -> dict[str, str]:
    """Return the streams that the server pushes, by the ids of the push tasks."""
    application = sim.state.push_application("default", "app")
    assert application is not None
    return {name: task.stream_name for name, task in application.tasks.items()}


@pytest.mark.exhaustive
def test_streams_and_platforms_with_hyphens_have_push_tasks_of_their_own(project: Project, sim: Simulator) -> None:
    """The stream main-backup to youtube is not the stream main to backup-youtube."""
    inventory(project, sim, ovenmediaengine_platforms=AMBIGUOUS)
    backup = ["-e", "restream_stream=main-backup"]
    assert restream(project, platforms="backup-youtube").status == 0
    assert restream(project, *backup, platforms="youtube").status == 0
    assert streams(sim) == {"main--backup-youtube": "main", "main-backup--youtube": "main-backup"}
    assert restream(project, *backup, "-e", "restream_state=stopped", platforms="youtube").status == 0
    assert streams(sim) == {"main--backup-youtube": "main"}


@pytest.mark.exhaustive
def test_a_push_task_with_the_id_of_2_0_0_is_the_one_of_its_stream_only(project: Project, sim: Simulator) -> None:
    inventory(project, sim, ovenmediaengine_platforms=[{**AMBIGUOUS[0], "id": "main-backup-youtube"}])
    backup = ["-e", "restream_stream=main-backup"]
    assert restream(project, *backup, platforms="youtube").status == 0
    inventory(project, sim, ovenmediaengine_platforms=AMBIGUOUS)
    again = restream(project, *backup, platforms="youtube")
    assert again.status == 0 and again.recap["media"]["changed"] == 0, again.output
    other = restream(project, "-e", "restream_state=stopped", platforms="backup-youtube")
    assert other.summary("media") == "stream default/app/main: backup-youtube unchanged", other.output
    assert streams(sim) == {"main-backup-youtube": "main-backup"}
    stopped = restream(project, *backup, "-e", "restream_state=stopped", platforms="youtube")
    assert stopped.summary("media") == "stream default/app/main-backup: youtube stopped", stopped.output
    assert streams(sim) == {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("state", ["started", "stopped"])
def test_the_push_task_of_another_stream_is_refused(project: Project, sim: Simulator, state: str) -> None:
    inventory(project, sim, ovenmediaengine_platforms=[{**AMBIGUOUS[0], "id": "youtube"}])
    assert restream(project, platforms="youtube").status == 0
    sim.clear_log()
    run = restream(project, "-e", "restream_stream=other", "-e", f"restream_state={state}", platforms="youtube")
    assert run.status == 2 and not sim.writes and streams(sim) == {"youtube": "main"}
    assert run.failure("media") == (
        "The push task youtube belongs to the stream main, not to other. Specify that stream, or give the platform "
        "youtube another id. Nothing was done."
    )
    assert run.summary("media") == "stream default/app/other: not reached"


@pytest.mark.long
def test_keys_from_a_file(project: Project, sim: Simulator) -> None:
    inventory(project, sim, ovenmediaengine_stream_keys={})
    keys = project.directory / "keys.yml"
    keys.write_text("one: canary-{{ 7 * 6 }}-in-file\n", encoding="utf-8")
    run = restream(project, platforms="one", keys=keys)
    assert run.status == 0, run.output
    assert pushed(sim) == {"main-one": "canary-{{ 7 * 6 }}-in-file"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("one: [canary-broken", "keys.yml, is expected to hold YAML"),
        ("two: canary-other", "There is no stream key for the platform one."),
        (None, "keys.yml, cannot be read on the controller: No such file or directory. Nothing was done."),
    ],
)
def test_invalid_input_is_reported_and_nothing_is_sent(
    project: Project, sim: Simulator, text: str | None, said: str
) -> None:
    inventory(project, sim, ovenmediaengine_stream_keys={})
    keys = project.directory / "keys.yml"
    if text is not None:
        keys.write_text(text, encoding="utf-8")
    run = restream(project, platforms="one", keys=keys)
    assert run.status == 2
    assert said in run.output
    assert run.summary("media") == "stream default/app/main: not reached"
    assert not sim.log


def test_an_empty_answer_of_a_survey_is_named_by_its_variable(project: Project, sim: Simulator) -> None:
    inventory(project, sim)
    run = restream(project, "-e", "restream_stream=")
    assert run.status == 2
    assert run.failure("media") == ("restream_stream: expected the name of a stream, got an empty text.")
    assert not sim.log


@pytest.mark.long
def test_a_refusal_of_the_server_is_reported(project: Project, sim: Simulator) -> None:
    inventory(project, sim, ovenmediaengine_api_token="canary-wrong-token")
    run = restream(project)
    assert run.status == 2
    assert "AccessToken of Managers/API" in run.output
    assert run.summary("media") == "stream default/app/main: failed"


@pytest.mark.long
def test_the_example_of_the_readme(project: Project, sim: Simulator) -> None:
    text = (REPOSITORY / "roles/restream/README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (project.directory / "inventory.yml").write_text(
        example.replace("http://127.0.0.1:8081", sim.url), encoding="utf-8"
    )
    values = {"vault_api_token": TOKEN, "vault_key_of_one": "key-one", "vault_key_of_two": "key-two", **LOCAL}
    started, stopped = (
        project.play(*shlex.split(command), "-e", json.dumps(values))
        for command in re.findall(r"^ansible-playbook (.+)$", text, re.MULTILINE)
    )
    assert (
        started.summary("origin-1.example.com") == "stream default/app/main: one started (ready), two started (ready)"
    ), started.output
    assert (
        stopped.summary("origin-1.example.com") == "stream default/app/main: one stopped, two stopped, three unchanged"
    ), stopped.output
    assert pushed(sim) == {}
