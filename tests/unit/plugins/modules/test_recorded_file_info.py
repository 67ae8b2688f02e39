# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module recorded_file_info: what it says of the files of a directory, however these and the indexes look."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host import (
    open_files,
    recording_files,
    recording_index,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations import recorded

from .recordings_on_disk import DAY, HOUR, TEMPORARY, Disk


@pytest.fixture(name="disk")
def _disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(tmp_path, monkeypatch)


def test_what_the_index_says_is_returned_without_metadata(disk: Disk) -> None:
    path = disk.record("live/tv/one.ts", age=DAY, size=1234, lastSequence="true")
    result = disk.run("recorded_file_info", check_mode=True)
    assert not result["changed"] and not result.warnings and "canary" not in result.printed
    assert result["files"] == [
        {
            "name": "one.ts",
            "path": path,
            "state": "complete",
            "size": 1234,
            "modified": "2027-01-14T08:00:00Z",
            "index_file": str(disk.index),
            "file_path": "/live/tv/one.ts",
            "vhost": "default",
            "app": "live",
            "stream": "tv",
            "id": "main",
            "transaction_id": "bcUCyJeKuOGnsah3",
            "sequence": 0,
            "last": True,
            "duration": 60.011,
            "begin": "2027-01-14T07:59:00.000+00:00",
            "end": "2027-01-14T08:00:00.000+00:00",
        }
    ]
    assert result["index_files"] == [
        {"path": str(disk.index), "entries": 1, "missing": 0, "outside": 0, "problem": None}
    ]


def test_the_state_of_each_file(disk: Disk) -> None:
    disk.record("just-ended.ts", age=1)
    disk.record("no-end.ts", finishTime="1970-01-01T09:00:00.000+09:00", recordTime="none")
    disk.record("no-end-yet.ts", age=1, finishTime="1969-12-31T19:00:00.000-05:00")
    disk.open(disk.record("written-again.ts"), writing=True)
    disk.open(disk.record("watched.ts"), writing=False)
    disk.write("of-nobody.mp4")
    disk.write("new-of-nobody.webm", age=299)
    disk.write("notes.txt")
    disk.write("tmp_short.ts")
    disk.write(f"a/{TEMPORARY}", age=301)
    disk.write(f"b/{TEMPORARY[:-1]}y", age=299)
    disk.open(disk.write(f"c/{TEMPORARY[:-1]}z"), writing=True)
    assert {name: file["state"] for name, file in disk.files().items()} == {
        "just-ended.ts": "complete",
        "no-end.ts": "cut",
        "no-end-yet.ts": "growing",
        "written-again.ts": "growing",
        "watched.ts": "complete",
        "of-nobody.mp4": "unlisted",
        "new-of-nobody.webm": "growing",
        "tmp_short.ts": "unlisted",
        TEMPORARY: "cut",
        f"{TEMPORARY[:-1]}y": "growing",
        f"{TEMPORARY[:-1]}z": "growing",
    }
    assert disk.files()["no-end.ts"]["end"] is None and disk.files()["no-end.ts"]["duration"] is None
    assert disk.files(quiet_seconds=2 * DAY)[TEMPORARY]["state"] == "growing"


def test_the_last_entry_about_a_name_counts_and_others_are_counted(disk: Disk) -> None:
    disk.enter("/one.ts", id="replaced")
    disk.record("one.ts", id="replacing")
    for outside in ("/../one.ts", "", "/"):
        disk.enter(outside)
    disk.enter("/removed.ts")
    assert disk.files()["one.ts"]["id"] == "replacing"
    (index,) = disk.run("recorded_file_info")["index_files"]
    assert (index["entries"], index["missing"], index["outside"]) == (6, 1, 3)


def test_paths_of_the_server_below_another_directory(disk: Disk) -> None:
    disk.write("one.ts")
    disk.enter("/opt/ome/records/one.ts")
    assert disk.files()["one.ts"]["state"] == "unlisted"
    assert disk.files(server_directory="/opt/ome/records/")["one.ts"]["state"] == "complete"
    assert disk.run("recorded_file_info", server_directory="/opt/ome/rec")["index_files"][0]["outside"] == 1
    disk.enter(f"{disk.directory}/one.ts")
    assert disk.files()["one.ts"]["state"] == "complete"


def test_a_directory_that_is_a_link_is_its_target(disk: Disk, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(disk.directory)
    disk.write("one.ts")
    disk.enter(f"{link}/one.ts")
    result = disk.run("recorded_file_info", directory=str(link))
    assert result["directory"] == str(disk.directory)
    assert [one["state"] for one in result["files"]] == ["complete"]


def test_only_index_files_that_info_path_names_are_read(disk: Disk) -> None:
    for name in ("a", "b"):
        disk.record(f"live/{name}/one.ts", id=name)
    text = disk.index.read_bytes()
    disk.index.unlink()
    (disk.directory / "live/a/index.xml").write_bytes(text)
    (disk.directory / "live/a/other.xml").write_bytes(b"<other/>")
    paths = ["/${Application}/${Stream}/index.xml"]
    assert disk.files(info_path=paths)["one.ts"]["state"] == "complete"
    assert disk.files(info_path=["/${Application}/index.xml", "/live/a/index2xml"])["one.ts"]["state"] == "unlisted"
    assert len(disk.run("recorded_file_info")["index_files"]) == 1
    result = disk.run("recorded_file_info", info_path=["/live/a/${Id}.xml"])
    assert [one["problem"] for one in result["index_files"]] == [None, "expected the element files"]
    refused = disk.run("recorded_file_info", info_path=["/x", "/../index.xml"])
    assert refused.failed and refused["msg"].startswith("info_path[1]: expected the path of an index file in directory")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "line 1: expected an element, got none"),
        (b"<files><file>", "line 1: expected the end tag </file>"),
        (b"<files>" + b"<x>" * 100, "line 1: expected at most 64 levels of elements"),
        (b"\xff\xfe<\x00\x00\xd8f\x00", "expected text in UTF-16"),
    ],
)
def test_an_index_that_cannot_be_read_is_a_warning(disk: Disk, text: bytes, problem: str) -> None:
    disk.record("good.ts")
    (disk.directory / "bad.xml").write_bytes(text)
    result = disk.run("recorded_file_info")
    assert [one["state"] for one in result["files"]] == ["complete"]
    assert result["index_files"][0]["problem"].startswith(problem)
    assert len(result.warnings) == 1 and "bad.xml (" in result.warnings[0]


def test_nothing_is_expanded_or_fetched(disk: Disk, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary-secret", encoding="utf-8")
    disk.write("one.ts")
    disk.index.write_text(
        f'<!DOCTYPE files [<!ENTITY x SYSTEM "file://{secret}"><!ENTITY y "canary-lol">]>'
        "<files><file><id>&x;&y;</id><filePath>/one.ts</filePath><sequence>99999999999999999999</sequence></file></files>",
        encoding="utf-8",
    )
    result = disk.run("recorded_file_info")
    (file,) = result["files"]
    assert (file["id"], file["sequence"], file["state"]) == ("&x;&y;", None, "cut")
    assert "canary-lol" not in result["files"][0].values()


def test_an_index_that_is_too_large_is_not_read(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    disk.record("one.ts")
    for module in (recording_index, recording_files):
        monkeypatch.setattr(module, "LARGEST", 100)
    result = disk.run("recorded_file_info")
    assert "expected at most 100 bytes, got 101" in result["index_files"][0]["problem"]


def test_indexes_that_are_too_large_together_are_not_read(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        (disk.directory / f"{name}.xml").write_bytes(b"<files/>")
    monkeypatch.setattr(recording_files, "LARGEST_IN_ALL", 9)
    result = disk.run("recorded_file_info")
    problems = [one["problem"] for one in result["index_files"] if one["problem"]]
    assert problems == ["expected at most 9 bytes in all index files"]


def test_names_that_are_no_utf_8(disk: Disk) -> None:
    disk.write(b"\xff.ts")
    disk.enter("/\udcff.ts", id="\udcfe")
    file = disk.files()["\\udcff.ts"]
    assert (file["state"], file["id"]) == ("complete", "\\udcfe")


def test_links_below_the_directory_are_not_followed(disk: Disk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "index.xml").write_text("<files/>", encoding="utf-8")
    (outside / "one.ts").touch()
    (disk.directory / "folder").symlink_to(outside)
    (disk.directory / "index.xml").symlink_to(outside / "index.xml")
    (disk.directory / "one.ts").symlink_to(outside / "one.ts")
    os.mkfifo(disk.directory / "pipe.xml")
    result = disk.run("recorded_file_info")
    assert result["files"] == [] and result["index_files"] == []
    assert "folder is a symbolic link, which is not followed" in result.warnings[0]


def test_folders_that_are_too_deep_or_cannot_be_read(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_files, "DEEPEST", 2)
    disk.record("1/2/3/one.ts")
    disk.write("1/2/3/4/two.ts")
    disk.write("refused/three.ts")
    listdir = os.listdir
    refused = (disk.directory / "refused").stat().st_ino

    def refuse(path: object) -> list[str]:
        if isinstance(path, int) and os.fstat(path).st_ino == refused:
            raise PermissionError(13, "Permission denied")
        return listdir(path)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(recording_files.os, "listdir", refuse)
    result = disk.run("recorded_file_info")
    assert [one["name"] for one in result["files"]] == ["one.ts"]
    assert "refused cannot be read: Permission denied." in result.warnings[0]
    assert "1/2/3/4 is too deep" in result.warnings[0]


def test_what_vanishes_meanwhile_is_left_out(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    disk.record("one.ts")
    disk.record("gone.ts")
    disk.write("folder/two.ts")
    look, reading = os.stat, os.open

    def look_late(path: object, **options: object) -> os.stat_result:
        if path == "gone.ts":
            raise FileNotFoundError(2, "No such file or directory")
        status = look(path, **options)  # type: ignore[arg-type]
        if path == "folder" and stat.S_ISDIR(status.st_mode):
            (disk.directory / "folder/two.ts").unlink()
            (disk.directory / "folder").rmdir()
        return status

    def open_late(path: object, *arguments: object, **options: object) -> int:
        if path == "index.xml":
            raise FileNotFoundError(2, "No such file or directory")
        if path == "refused.xml":
            raise PermissionError(13, "Permission denied")
        return reading(path, *arguments, **options)  # type: ignore[arg-type]

    (disk.directory / "refused.xml").touch()
    monkeypatch.setattr(disk, "contents", dict)
    monkeypatch.setattr(recording_files.os, "stat", look_late)
    monkeypatch.setattr(recording_files.os, "open", open_late)
    result = disk.run("recorded_file_info")
    assert [(one["name"], one["state"]) for one in result["files"]] == [("one.ts", "unlisted")]
    assert [one["problem"] for one in result["index_files"]] == ["Permission denied"]


def test_processes_that_end_or_cannot_be_examined(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = disk.write(TEMPORARY, age=HOUR)
    (disk.proc / "self").mkdir()
    (disk.proc / "1" / "fd" / "7").symlink_to("socket:[1]")
    assert open_files.open_files().is_complete
    (disk.proc / "1" / "fd" / "8").symlink_to(path)  # whose fdinfo cannot be read
    assert disk.files()[TEMPORARY]["state"] == "growing"
    (disk.proc / "2").mkdir()
    assert not open_files.open_files().is_complete
    monkeypatch.setattr(open_files, "PROC", str(disk.proc / "missing"))
    assert open_files.open_files() == (frozenset(), frozenset(), False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"directory": "/nonexistent/recordings"},
            "Could not read /nonexistent/recordings. No such file or directory.",
        ),
        ({"directory": "/srv/../etc"}, "directory: expected an absolute path without '..'"),
        ({"server_directory": "records"}, "server_directory: expected an absolute path"),
        ({"quiet_seconds": -1}, "quiet_seconds: expected a number of seconds, got -1"),
        ({"quiet_seconds": "nan"}, "quiet_seconds: expected a number of seconds, got nan"),
    ],
)
def test_options_that_cannot_work(disk: Disk, options: dict[str, object], message: str) -> None:
    result = disk.run("recorded_file_info", **options)  # type: ignore[arg-type]
    assert result.failed and result["msg"].startswith(message), result["msg"]


def test_a_time_beyond_all_years() -> None:
    assert recorded.time_text(0) == "1970-01-01T00:00:00Z" and recorded.time_text(2.0**40) is None
