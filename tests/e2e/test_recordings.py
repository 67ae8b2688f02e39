# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role and the playbook recordings, as a user runs them, with what the documents show."""

from __future__ import annotations

import json
import os
import pathlib
import re
import typing as t

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.recordings_on_disk import TEMPORARY

from .conftest import LOCAL, Project, Run
from .test_documents import blocks

PLAYBOOK = "streamops.ovenmediaengine.recordings"
DAY = 86400
INDEX = """<?xml version="1.0" encoding="utf-8"?>
<files>
{entries}
</files>
"""
ENTRY = (
    "<file><transactionId>t</transactionId><stream>main</stream><filePath><![CDATA[/live/{0}]]></filePath>"
    "<sequence>0</sequence><finishTime>2026-01-31T21:00:00.000+00:00</finishTime></file>"
)
UPLOAD = """\
#!/bin/sh
echo "$RECORDED_STREAM $1" >> {log}
"""


@pytest.fixture
def directory(project: Project) -> pathlib.Path:
    """Provide recordings: three that are older than a month, two newer ones, and what a crash and others have left."""
    folder = project.directory / "recordings" / "live"
    folder.mkdir(parents=True)
    ages = {f"old-{days}.mp4": days for days in (31, 40, 50)} | {"new-1.mp4": 1, "new-29.mp4": 29}
    for name, days in {**ages, TEMPORARY: 2, "mine.mp4": 99}.items():
        path = folder / name
        path.touch()
        os.truncate(path, 1_400_000_000 if name.startswith("old") else 1000)  # takes no place on the disk
        moment = path.stat().st_mtime - days * DAY - 60
        os.utime(path, (moment, moment))
    (folder / "index.xml").write_text(INDEX.format(entries="".join(map(ENTRY.format, ages))), encoding="utf-8")
    upload = project.directory / "upload-recording"
    upload.write_text(UPLOAD.format(log=project.directory / "uploaded"), encoding="utf-8")
    upload.chmod(0o755)
    return folder.parent


def inventory(project: Project, document: str, directory: pathlib.Path, **variables: t.Any) -> None:
    """Write the inventory of a document, with this directory and without become."""
    language = "yaml" if document.endswith("README.md") else "yaml+jinja"
    text = next(block.text for block in blocks(document) if block.language == language)
    text = text.replace("/srv/recordings", str(directory)).replace("/usr/local/bin", str(project.directory))
    content = yaml.safe_load(text)
    assert content["all"]["vars"].pop("ansible_become") is True
    content["all"]["vars"].update(LOCAL, **variables)
    (project.directory / "inventory.json").write_text(json.dumps(content), encoding="utf-8")


def shape(line: str) -> str:
    """Return a summary without its numbers and its directory."""
    return re.sub(r"[0-9.]+", "N", re.sub(r"/\S+(?=: )", "DIRECTORY", line))


@pytest.mark.parametrize("in_process", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_the_summary_of_old_recordings(project: Project, directory: pathlib.Path, in_process: bool) -> None:
    inventory(project, "guide_records.rst", directory, ovenmediaengine_in_process=in_process)
    before = sorted(path.name for path in directory.rglob("*"))
    checked = project.play(PLAYBOOK, "-i", "inventory.json", "--check", "--diff")
    assert checked.status == 0, checked.output
    assert sorted(path.name for path in directory.rglob("*")) == before
    assert not (project.directory / "uploaded").exists() and "/live/old-50.mp4" in checked.output
    run = project.play(PLAYBOOK, "-i", "inventory.json")
    assert run.status == 0, run.output
    _compare(run, checked, project)
    uploaded = (project.directory / "uploaded").read_text(encoding="utf-8").splitlines()
    ages = ("old-50", "old-40", "old-31", "new-29", "new-1")
    assert uploaded == [f"main {directory}/live/{name}.mp4" for name in ages]
    left = {path.name for path in (directory / "live").iterdir()} - {TEMPORARY}  # which only root can remove
    assert left == {"new-1.mp4", "new-29.mp4", "mine.mp4", "index.xml"}
    again = project.play(PLAYBOOK, "-i", "inventory.json")
    assert again.recap["media-1.example.com"]["changed"] == 0


def _compare(run: Run, checked: Run, project: Project) -> None:
    """Compare the summaries with that of the guide."""
    summary = run.summary("media-1.example.com")
    (shown,) = (block.text.strip() for block in blocks("guide_records.rst") if block.text.startswith("recordings "))
    assert shape(summary) == shape(shown) and " 4.2 GB freed, " in summary, summary
    would = checked.summary("media-1.example.com")
    assert shape(would.replace("would be ", "")) == shape(shown) and "files would be removed" in would


@pytest.mark.exhaustive
def test_a_hook_that_fails_is_reported_for_its_host(project: Project, directory: pathlib.Path) -> None:
    inventory(project, "roles/recordings/README.md", directory)
    (project.directory / "upload-recording").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    run = project.play(PLAYBOOK, "-i", "inventory.json")
    assert run.status == 2 and "The hook failed for 5 files" in run.failure("media-1.example.com"), run.output
    assert run.summary("media-1.example.com").endswith("hook run for 5 files, 5 of them failed")
    assert (directory / "live" / "old-50.mp4").exists()


@pytest.mark.exhaustive
def test_the_tasks_of_the_guide_show_what_is_not_complete(project: Project, directory: pathlib.Path) -> None:
    text = next(block.text for block in blocks("guide_records.rst") if "recorded_file_info" in block.text)
    tasks = yaml.safe_load(text.replace("/srv/recordings", str(directory)))
    assert tasks[0].pop("become") is True
    inventory(project, "guide_records.rst", directory)
    play = [{"hosts": "all", "gather_facts": False, "tasks": tasks}]
    (project.directory / "play.json").write_text(json.dumps(play), encoding="utf-8")
    run = project.play("play.json", "-i", "inventory.json")
    assert run.status == 0, run.output
    assert f"{directory}/live/{TEMPORARY} is cut and has 1000 bytes" in run.output
    assert f"{directory}/live/mine.mp4 is unlisted and has 1000 bytes" in run.output
