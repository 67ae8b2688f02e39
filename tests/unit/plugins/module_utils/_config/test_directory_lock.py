# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lock of a configuration directory: who has it, who waits, what is left."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import atomic_files
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.atomic_files import (
    LOCK_FILE,
    locked,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError

# Holds a lock of the same kind until its input ends.
HOLDER = """
import fcntl, sys
file = open(sys.argv[1], "a+")
fcntl.lockf(file, fcntl.LOCK_EX)
file.truncate(0)
file.write(sys.argv[2])
file.flush()
print("locked", flush=True)
sys.stdin.read()
"""


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.at: dict[float, Any] = {}
        """What happens at a time."""

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        for time in [one for one in self.at if one <= self.now]:
            self.at.pop(time)()

    def context(self, **options: Any) -> Context:
        return Context(
            sleep=self.sleep, clock=lambda: self.now, now=lambda: 1_700_000_000.0, module="a.b.vhost", **options
        )


@pytest.fixture
def clock() -> Clock:
    return Clock()


@contextlib.contextmanager
def held_by_another(directory: Path, text: str = "pid 7 on host b since yesterday") -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the lock."""
    command = [sys.executable, "-c", HOLDER, str(directory / LOCK_FILE), text]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "locked\n"
        try:
            yield process
        finally:
            process.kill()


def test_it_says_who_holds_it_and_leaves_nothing(tmp_path: Path, clock: Clock) -> None:
    with locked(str(tmp_path), clock.context()):
        (name,) = os.listdir(tmp_path)
        assert name == LOCK_FILE and not name.endswith(".xml")
        text = (tmp_path / name).read_text()  # Closing another descriptor of the file ends a record lock.
        assert text == f"pid {os.getpid()} on host {os.uname().nodename} since 2023-11-14T22:13:20Z (a.b.vhost)"
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert not os.listdir(tmp_path)


def test_check_mode_takes_no_lock(tmp_path: Path, clock: Clock) -> None:
    with held_by_another(tmp_path), locked(str(tmp_path), clock.context(check_mode=True)):
        assert clock.now == 0
    os.unlink(tmp_path / LOCK_FILE)
    with locked(str(tmp_path), clock.context(check_mode=True)):
        assert not os.listdir(tmp_path)


def test_the_thread_that_holds_it_takes_it_again(tmp_path: Path, clock: Clock) -> None:
    link = tmp_path.parent / "link"
    link.symlink_to(tmp_path)
    with locked(str(tmp_path), clock.context()):
        with locked(str(link), clock.context()):
            pass
        assert os.listdir(tmp_path) == [LOCK_FILE]
        failures: list[OmeError] = []

        def other_thread() -> None:
            try:
                with locked(str(tmp_path), clock.context()):
                    pass
            except OmeError as error:
                failures.append(error)

        thread = threading.Thread(target=other_thread)
        thread.start()
        thread.join()
        assert "It is locked by another thread of this process; waited" in str(failures[0])
    assert not os.listdir(tmp_path)


def test_another_process_holds_it_for_too_long(tmp_path: Path, clock: Clock) -> None:
    with held_by_another(tmp_path), pytest.raises(OmeError) as caught, locked(str(tmp_path), clock.context()):
        pass
    assert caught.value.kind == "config_file" and clock.now == atomic_files.LONGEST_WAIT
    assert str(caught.value) == (
        f"Could not lock {tmp_path}. It is locked by pid 7 on host b since yesterday; waited 120 s. "
        "Run the task again when that one has ended."
    )


@pytest.mark.parametrize(("text", "shown"), [("", "another task"), ("a\x1b[31m\nb" + "c" * 999, "a[31mb" + "c" * 292)])
def test_the_name_of_the_holder_is_input(tmp_path: Path, clock: Clock, text: str, shown: str) -> None:
    with held_by_another(tmp_path, text), pytest.raises(OmeError) as caught, locked(str(tmp_path), clock.context()):
        pass
    assert f"It is locked by {shown}; waited" in str(caught.value)


def test_what_a_killed_process_has_left_is_taken_and_removed(tmp_path: Path, clock: Clock) -> None:
    with held_by_another(tmp_path) as process:

        def kill() -> None:
            process.kill()
            process.wait()

        clock.at[3.0] = kill
        with locked(str(tmp_path), clock.context()):
            assert 3.0 <= clock.now < 3.2
    assert not os.listdir(tmp_path)


def test_a_file_that_another_process_removes_while_this_one_waits_is_not_the_lock(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fcntl.lockf
    removed: list[str] = []

    def lockf(descriptor: int, *arguments: int) -> None:
        if not removed:  # Between open and lock, the one before removes its file, and a third one makes a new one.
            removed.append(LOCK_FILE)
            os.unlink(tmp_path / LOCK_FILE)
            (tmp_path / LOCK_FILE).write_text("third")
        real(descriptor, *arguments)

    monkeypatch.setattr(fcntl, "lockf", lockf)
    with locked(str(tmp_path), clock.context()):
        assert removed and clock.now > 0
        assert "third" not in (tmp_path / LOCK_FILE).read_text()
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EPERM, errno.ENOENT])
def test_a_directory_that_nobody_can_write_needs_no_lock(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    _fail_to_open(monkeypatch, number)
    with locked(str(tmp_path), clock.context()):
        assert clock.now == 0 and not os.listdir(tmp_path)


@pytest.mark.parametrize("writable", [False, True])
def test_a_lock_of_another_user(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, writable: bool) -> None:
    """It is waited for, unless this user can make no file there at all."""
    _fail_to_open(monkeypatch, errno.EACCES)
    monkeypatch.setattr(os, "access", lambda *_arguments: writable)
    if writable:
        with pytest.raises(OmeError, match="locked by another user"), locked(str(tmp_path), clock.context()):
            pass
    else:
        with locked(str(tmp_path), clock.context()):
            assert clock.now == 0


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.ELOOP])
def test_a_lock_that_cannot_be_made_is_an_error(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    _fail_to_open(monkeypatch, number)
    message = f"Could not lock {tmp_path}. .*{os.strerror(number)}"
    with pytest.raises(OmeError, match=message) as caught, locked(str(tmp_path), clock.context()):
        pass
    assert caught.value.kind == "config_file"
    monkeypatch.undo()
    with locked(str(tmp_path), clock.context()):
        assert os.listdir(tmp_path) == [LOCK_FILE]


def test_a_link_or_a_pipe_in_its_place_is_an_error(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / LOCK_FILE).symlink_to(tmp_path / "Server.xml")
    with pytest.raises(OmeError, match="Could not lock"), locked(str(tmp_path), clock.context()):
        pass
    assert not (tmp_path / "Server.xml").exists()
    os.unlink(tmp_path / LOCK_FILE)
    os.mkfifo(tmp_path / LOCK_FILE)
    with pytest.raises(OmeError, match="Could not lock"), locked(str(tmp_path), clock.context()):
        pass


def test_a_file_system_without_locks_is_written_without_one(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_arguments: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", none)
    with locked(str(tmp_path), clock.context()):
        assert not os.listdir(tmp_path)


def test_a_directory_that_is_made_meanwhile_is_locked_then(tmp_path: Path, clock: Clock) -> None:
    new = tmp_path / "new"
    with locked(str(new), clock.context()):
        new.mkdir()
        with locked(str(new), clock.context()):
            assert os.listdir(new) == [LOCK_FILE]
    assert not os.listdir(new)


@pytest.mark.parametrize(("of_directory", "of_lock"), [(0o755, 0o600), (0o775, 0o660), (0o777, 0o666)])
def test_who_can_write_the_directory_can_take_the_lock(
    tmp_path: Path, clock: Clock, of_directory: int, of_lock: int
) -> None:
    tmp_path.chmod(of_directory)
    with locked(str(tmp_path), clock.context()):
        assert stat.S_IMODE((tmp_path / LOCK_FILE).stat().st_mode) == of_lock


def test_a_full_disk_does_not_matter_to_the_name_of_the_holder(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with locked(str(tmp_path), clock.context()):
        assert (tmp_path / LOCK_FILE).read_text() == ""


def _fail_to_open(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    real = os.open

    def fail(path: Any, *arguments: Any, **options: Any) -> int:
        if str(path).endswith(LOCK_FILE):
            raise OSError(number, os.strerror(number))
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", fail)
