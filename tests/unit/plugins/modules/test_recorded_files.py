# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module recorded_files: what it removes and what it never removes, and when the hook runs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host import recording_files, recording_hooks
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations import recorded_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun

from .recordings_on_disk import DAY, HOUR, NOW, TEMPORARY, Disk

GIGABYTE = 10**9
STATE = recorded_files.STATE_FILE


@pytest.fixture(name="disk")
def _disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(tmp_path, monkeypatch)


def run(disk: Disk, **options: Any) -> ModuleRun:
    """Return the result of a run, which check mode has predicted; the second run after it removes nothing."""
    checked = disk.run("recorded_files", check_mode=True, **options)
    result = disk.run("recorded_files", **options)
    for key in ("changed", "removed", "freed_bytes", "left_bytes", "kept", "diff"):
        assert checked[key] == result[key], key
    again = disk.run("recorded_files", **options)
    assert again["removed"] == [] and not again["changed"]
    return result


def removed(result: ModuleRun) -> list[tuple[str, str]]:
    """Return what was removed, and why."""
    return [(one["name"], one["reason"]) for one in result["removed"]]


def test_without_limits_nothing_is_removed(disk: Disk) -> None:
    disk.record("old.ts", age=1000 * DAY)
    disk.write(TEMPORARY, age=1000 * DAY)
    result = run(disk)
    assert not result["changed"] and result["left_bytes"] == 10
    assert result["line"] == f"recordings {disk.directory}: 0 files removed, 0.0 GB freed"


def test_files_are_removed_by_age(disk: Disk) -> None:
    old = disk.record("a/old.ts", age=30 * DAY + 1)
    disk.record("new.ts", age=30 * DAY)
    result = run(disk, keep={"days": 30})
    assert removed(result) == [("old.ts", "days")] and result["changed"]
    assert result["diff"] == {"before": f"{old}\n", "after": ""}
    assert result["freed_bytes"] == result["left_bytes"] == 10
    assert set(disk.contents()) == {"new.ts", "index.xml"}
    assert disk.run("recorded_files")["index_files"][0]["missing"] == 1  # Entries stay.


def test_the_oldest_files_are_removed_until_both_limits_are_met(disk: Disk) -> None:
    for days in range(1, 6):
        disk.record(f"{days}.ts", age=days * DAY, size=GIGABYTE)
    result = run(disk, keep={"days": 4.5, "gigabytes": 2})
    assert removed(result) == [("5.ts", "days"), ("4.ts", "gigabytes"), ("3.ts", "gigabytes")]
    assert (result["freed_bytes"], result["left_bytes"]) == (3 * GIGABYTE, 2 * GIGABYTE)
    assert "3 files removed, 3.0 GB freed" in result["line"]


def test_what_no_index_names_is_left(disk: Disk) -> None:
    disk.write("unlisted.ts", age=99 * DAY)
    disk.write("notes.txt", age=99 * DAY)
    disk.enter("/../outside.ts")
    disk.write("../outside.ts", age=99 * DAY)
    result = run(disk, keep={"days": 1, "gigabytes": 0.000000001}, orphans=True)
    assert result["removed"] == [] and (disk.directory.parent / "outside.ts").exists()


def test_index_files_and_those_of_the_module_are_left_whatever_an_index_says(disk: Disk, hook: Hook) -> None:
    disk.run("recorded_files", hook=hook.command)
    for name in ("index.xml", STATE, ".ansible-ovenmediaengine.lock"):
        disk.enter(f"/{name}")
    disk.record("a.ts")
    run(disk, hook=hook.command)
    os.utime(disk.index, (0, 0))
    os.utime(disk.directory / STATE, (0, 0))
    assert removed(run(disk, hook=hook.command, keep={"days": 0.5})) == [("a.ts", "days")]
    assert set(disk.contents()) == {"index.xml", STATE}


def test_what_an_index_that_cannot_be_read_names_is_left(disk: Disk) -> None:
    disk.record("old.ts", age=99 * DAY)
    disk.index.write_bytes(disk.index.read_bytes()[:-10])
    result = run(disk, keep={"days": 1})
    assert result["removed"] == [] and len(result.warnings) == 1


def test_files_that_may_be_written_or_read_are_left(disk: Disk) -> None:
    reasons = {
        disk.record("fresh.ts", age=299): "was changed a short time ago, or is being written",
        disk.record("future.ts", age=-DAY): "was changed a short time ago, or is being written",
        disk.record("written.ts"): "was changed a short time ago, or is being written",
        disk.record("read.ts"): "a process has it open",
        disk.record("no-end.ts", finishTime=""): "its entry in the index has no end",
    }
    disk.open(str(disk.directory / "written.ts"), writing=True)
    disk.open(str(disk.directory / "read.ts"), writing=False)
    result = run(disk, keep={"gigabytes": 1e-9})
    assert result["removed"] == [] and {one["path"]: one["reason"] for one in result["kept"]} == reasons


def test_a_link_is_never_followed_or_removed(disk: Disk, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "old.ts").touch()
    (disk.directory / "folder").symlink_to(outside)
    (disk.directory / "old.ts").symlink_to(outside / "old.ts")
    for name in ("/old.ts", "/folder/old.ts"):
        disk.enter(name)
    assert run(disk, keep={"days": 0.001})["removed"] == []
    assert (outside / "old.ts").exists() and (disk.directory / "old.ts").is_symlink()


@pytest.mark.parametrize("change", ["grows", "vanishes", "becomes a link", "folder becomes a link"])
def test_a_file_that_changes_before_its_removal_is_left(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    path = Path(disk.record("folder/old.ts", age=99 * DAY))
    other = tmp_path / "other"
    other.mkdir()
    (other / "old.ts").touch()

    def plan(*arguments: Any) -> Any:
        planned = real(*arguments)
        if change == "grows":
            path.write_bytes(b"0" * 11)
            os.utime(path, (NOW - 99 * DAY, NOW - 99 * DAY))
        else:
            path.unlink()
        if change == "becomes a link":
            path.symlink_to(other / "old.ts")
        if change == "folder becomes a link":
            path.parent.rmdir()
            path.parent.symlink_to(other)
        return planned

    real = recorded_files.plan
    monkeypatch.setattr(recorded_files, "plan", plan)
    result = disk.run("recorded_files", keep={"days": 1})
    assert result["removed"] == [] and (other / "old.ts").exists()
    if change == "folder becomes a link":
        assert result.failed and "1 files could not be removed" in result["msg"]
    else:
        assert [one["reason"] for one in result["kept"]] == ["has changed or vanished meanwhile"]


def test_a_file_that_cannot_be_removed_is_reported_and_others_are_removed(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.record("a.ts", age=9 * DAY)
    disk.record("b.ts", age=8 * DAY)
    unlink = os.unlink

    def refuse(path: Any, **options: Any) -> None:
        if path == "a.ts":
            raise PermissionError(1, "Operation not permitted")
        unlink(path, **options)

    monkeypatch.setattr(recording_files.os, "unlink", refuse)
    result = disk.run("recorded_files", keep={"days": 1})
    assert result.failed and result["changed"] and removed(result) == [("b.ts", "days")]
    assert result["error"]["kind"] == "host"
    assert f"1 files could not be removed: {disk.directory}/a.ts (Operation not permitted)." in result["msg"]


def test_orphans_are_removed_if_nobody_has_them_open(disk: Disk) -> None:
    other = [f"{TEMPORARY[:-1]}{letter}" for letter in "cdef"]
    disk.write(TEMPORARY, age=24 * HOUR + 1)
    disk.write(other[0], age=24 * HOUR - 1)
    disk.open(disk.write(other[1], age=99 * DAY), writing=True)
    disk.open(disk.write(other[2], age=99 * DAY), writing=False)
    disk.record(other[3], age=99 * DAY)  # an index names it
    disk.write(f"{TEMPORARY}.ts", age=99 * DAY)
    result = run(disk, orphans=True)
    assert removed(result) == [(TEMPORARY, "orphan")] and result["freed_bytes"] == 10
    assert [one["reason"] for one in result["kept"]] == ["a process has it open"]
    assert removed(run(disk, orphans=True, orphan_hours=0.5)) == [(other[0], "orphan")]


def test_orphans_stay_if_not_all_processes_can_be_examined(disk: Disk) -> None:
    disk.write(TEMPORARY, age=99 * DAY)
    disk.record("old.ts", age=99 * DAY)
    (disk.proc / "2").mkdir()
    result = run(disk, orphans=True, keep={"days": 1})
    assert removed(result) == [("old.ts", "days")]
    assert len(result.warnings) == 1 and "Run the task as root." in result.warnings[0]


# The hook.

WRITER = """
import json, os, sys
with open({log!r}, "a") as log:
    log.write(json.dumps([sys.argv[1:], {{k: v for k, v in os.environ.items() if k.startswith("RECORDED_")}}]) + "\\n")
if os.path.basename(sys.argv[-1]) in {failing!r}.split():
    sys.exit("no " + os.environ["RECORDED_METADATA"])
"""


class Hook:
    """A hook that logs its calls, and fails for some names."""

    def __init__(self, root: Path) -> None:
        self._log, self._program = root / "log", root / "hook.py"
        self.command = [sys.executable, str(self._program), "--to", "somewhere"]
        self.fail_for("")

    def fail_for(self, names: str) -> None:
        """Let it fail for files of these names from now on."""
        self._program.write_text(WRITER.format(log=str(self._log), failing=names), encoding="utf-8")

    def calls(self) -> list[tuple[list[str], dict[str, str]]]:
        """Return the calls since the last question: arguments and environment."""
        lines = self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []
        self._log.unlink(missing_ok=True)
        return [tuple(json.loads(line)) for line in lines]  # type: ignore[misc]


@pytest.fixture(name="hook")
def _hook(tmp_path: Path) -> Hook:
    return Hook(tmp_path)


def test_the_hook_runs_once_for_each_file_that_has_ended(disk: Disk, hook: Hook) -> None:
    second, first = disk.record("b.ts", age=DAY, stream="x; rm"), disk.record("a.ts", age=2 * DAY, lastSequence="true")
    disk.write("unlisted.ts")
    disk.record("no-end.ts", finishTime="")
    checked = disk.run("recorded_files", check_mode=True, hook=hook.command)
    assert checked["changed"] and [one["action"] for one in checked["hooks"]] == ["waiting", "waiting"]
    assert "hook would be run for 2 files" in checked["line"] and hook.calls() == []
    result = disk.run("recorded_files", hook=hook.command)
    assert result["changed"] and "canary" not in result.printed
    assert result["hooks"] == [{"path": path, "action": "ran", "error": None} for path in (first, second)]
    calls = hook.calls()
    assert [arguments for arguments, _environment in calls] == [["--to", "somewhere", one] for one in (first, second)]
    assert calls[0][1] == {
        "RECORDED_FILE": first,
        "RECORDED_VHOST": "default",
        "RECORDED_APP": "live",
        "RECORDED_STREAM": "tv",
        "RECORDED_ID": "main",
        "RECORDED_TRANSACTION_ID": "bcUCyJeKuOGnsah3",
        "RECORDED_SEQUENCE": "1",
        "RECORDED_LAST": "true",
        "RECORDED_SIZE": "10",
        "RECORDED_DURATION": "60.011",
        "RECORDED_BEGIN": "2027-01-13T07:59:00.000+00:00",
        "RECORDED_END": "2027-01-13T08:00:00.000+00:00",
        "RECORDED_METADATA": "canary-metadata",
    }
    assert calls[1][1]["RECORDED_STREAM"] == "x; rm" and calls[1][1]["RECORDED_LAST"] == "false"
    again = disk.run("recorded_files", hook=hook.command)
    assert not again["changed"] and again["hooks"] == [] and hook.calls() == []
    assert (disk.directory / STATE).stat().st_mode & 0o777 == 0o600
    disk.record("a.ts", age=HOUR)  # a later file of the same name
    assert [one["path"] for one in disk.run("recorded_files", hook=hook.command)["hooks"]] == [first]


def test_a_failure_is_reported_and_tried_again_and_its_file_is_kept(disk: Disk, hook: Hook) -> None:
    disk.record("a.ts", age=9 * DAY)
    path = disk.record("b.ts", age=8 * DAY)
    hook.fail_for("b.ts")
    result = disk.run("recorded_files", hook=hook.command, keep={"days": 1})
    assert result.failed and result["changed"] and "canary" not in result.printed
    assert removed(result) == [("a.ts", "days")]
    assert result["kept"] == [{"path": path, "reason": "waits for the hook"}]
    assert result["hooks"][1] == {"path": path, "action": "failed", "error": "exit status 1: no ********"}
    assert f"The hook failed for 1 files: {path} (exit status 1: no ********). They are not removed." in result["msg"]
    assert result["line"].endswith("hook run for 2 files, 1 of them failed")
    again = disk.run("recorded_files", hook=hook.command)
    assert again.failed and not again["changed"]
    hook.fail_for("")
    result = run_once(disk, hook, keep={"days": 1})
    assert not result.failed and removed(result) == [("b.ts", "days")]


def run_once(disk: Disk, hook: Hook, **options: Any) -> ModuleRun:
    """Return the result of a run with the hook, whose removals check mode has predicted."""
    checked = disk.run("recorded_files", check_mode=True, hook=hook.command, **options)
    result = disk.run("recorded_files", hook=hook.command, **options)
    assert removed(checked) == removed(result)
    return result


def test_a_hook_that_does_not_exist_says_nothing_or_takes_too_long(disk: Disk, tmp_path: Path) -> None:
    disk.record("a.ts")
    missing = disk.run("recorded_files", hook=["/nonexistent/program"])
    assert "exit status 127: /nonexistent/program: No such file" in missing["hooks"][0]["error"]
    silent = disk.run("recorded_files", hook=[sys.executable, "-c", "raise SystemExit(3)"])
    assert silent["hooks"][0]["error"] == "exit status 3"
    slow = [sys.executable, "-c", "import threading; threading.Event().wait()"]
    assert "did not end within" in disk.run("recorded_files", hook=slow, hook_timeout=0.2)["hooks"][0]["error"]


def test_a_hook_can_move_its_file(disk: Disk, tmp_path: Path) -> None:
    path = disk.record("a.ts", age=9 * DAY)
    move = "import os, sys; os.rename(sys.argv[2], sys.argv[1])"
    result = disk.run("recorded_files", hook=[sys.executable, "-c", move, str(tmp_path / "moved.ts")], keep={"days": 1})
    assert result["removed"] == result["kept"] == [] and result["hooks"][0]["action"] == "ran"
    os.rename(tmp_path / "moved.ts", path)
    assert disk.run("recorded_files", hook=["/nonexistent/program"])["hooks"] == []


def test_what_no_index_names_any_more_is_forgotten(disk: Disk, hook: Hook, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    options: dict[str, Any] = {"hook": hook.command, "state_file": str(state)}
    disk.record("a.ts")
    disk.run("recorded_files", **options)
    assert not (disk.directory / STATE).exists()
    known = json.loads(state.read_text(encoding="ascii"))["done"]
    assert known == {"a.ts": "bcUCyJeKuOGnsah3/0/2027-01-14T08:00:00.000+00:00"}
    whole = disk.index.read_bytes()
    for text in (whole[:-10], None):  # Nothing is forgotten because of an index that cannot be read or is away.
        if text is None:
            disk.index.unlink()
        else:
            disk.index.write_bytes(text)
        disk.run("recorded_files", **options)
        assert json.loads(state.read_text(encoding="ascii"))["done"] == known
    disk.index.write_bytes(b"<files/>")
    disk.run("recorded_files", **options)
    assert json.loads(state.read_text(encoding="ascii"))["done"] == {}


@pytest.mark.parametrize("content", ["", "[]", "{", '{"version": 2, "done": {}}', '{"version": 1, "done": {"a": 1}}'])
def test_a_state_file_that_cannot_be_used_ends_the_task(disk: Disk, hook: Hook, content: str) -> None:
    disk.record("a.ts", age=9 * DAY)
    (disk.directory / STATE).write_text(content, encoding="ascii")
    result = disk.run("recorded_files", hook=hook.command, keep={"days": 1})
    assert result.failed and "remove it to run the hook again for all files" in result["msg"]
    assert hook.calls() == [] and "a.ts" in disk.contents()


def test_a_state_file_that_is_a_link_or_cannot_be_written(disk: Disk, hook: Hook, tmp_path: Path) -> None:
    disk.record("a.ts")
    (disk.directory / STATE).symlink_to(tmp_path / "elsewhere")
    assert "Too many levels of symbolic links" in disk.run("recorded_files", hook=hook.command)["msg"]
    result = disk.run("recorded_files", hook=hook.command, state_file=str(tmp_path / "missing" / "state"))
    assert result.failed and "No such file or directory" in result["msg"] and hook.calls() == []
    line = recorded_files.RecordedFiles.not_run({"directory": "/srv/recordings"}, result, check_mode=False)["line"]
    assert line == "recordings /srv/recordings: failed"


def test_a_name_that_is_no_utf_8_reaches_the_hook(disk: Disk, hook: Hook) -> None:
    disk.write(b"\xff.ts")
    disk.enter("/\udcff.ts")
    assert disk.run("recorded_files", hook=hook.command)["hooks"][0]["path"].endswith("/\\udcff.ts")
    assert hook.calls()[0][0][-1].endswith("/\udcff.ts")
    assert disk.run("recorded_files", hook=hook.command)["hooks"] == []


def test_a_hook_needs_an_entry(disk: Disk) -> None:
    status = os.stat(disk.write("a.ts"))
    file = recording_files.RecordedFile("a.ts", status, recording_files.COMPLETE, False, False, None, "")
    assert recording_hooks.run_hook(["/bin/false"], "/", file, 1) == "no index names the file"
    memory = recording_hooks.Memory("/nonexistent/state", {"a.ts": ""})
    memory.add(file)
    assert file not in memory


def test_two_tasks_run_one_after_the_other(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = []
    real = recorded_files.found_in

    def look(*arguments: Any) -> Any:
        locked.append((disk.directory / ".ansible-ovenmediaengine.lock").exists())
        return real(*arguments)

    monkeypatch.setattr(recorded_files, "found_in", look)
    disk.run("recorded_files")
    disk.run("recorded_files", check_mode=True)
    assert locked == [True, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"directory": "/var/lib"}, "directory: expected a directory of recordings, got /var/lib, which others use"),
        ({"directory": "relative"}, "directory: expected an absolute path"),
        ({"directory": "/nonexistent/x"}, "Could not read /nonexistent/x. No such file or directory."),
        ({"keep": {"days": 0}}, "keep.days: expected a positive number, got 0"),
        ({"keep": {"gigabytes": "inf"}}, "keep.gigabytes: expected a positive number, got inf"),
        ({"orphan_hours": "nan"}, "orphan_hours: expected a positive number"),
        ({"hook_timeout": 1e9}, "hook_timeout: expected a positive number, at most 604800"),
        ({"hook": ["upload"]}, "hook: expected the absolute path of a program first, got 'upload'"),
        ({"hook": ["/bin/true", "a\0b"]}, "hook: expected the absolute path"),
        ({"state_file": "a\0b"}, "state_file: expected an absolute path"),
    ],
)
def test_options_that_cannot_work(disk: Disk, options: dict[str, Any], message: str) -> None:
    result = disk.run("recorded_files", **options)
    assert result.failed and message in result["msg"], result["msg"]
