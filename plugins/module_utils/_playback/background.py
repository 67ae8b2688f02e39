# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a publisher in the background: for a bounded time, no longer than the play, and found again by its key."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import signal
import tempfile
import time
import typing as t
from pathlib import Path

from .playback import NotPlayed

_PROGRAMS = ("ansible-playbook", "ansible", "ansible-console", "ansible-pull")
"""Programs with whose end a publisher ends."""
_ENDING = 10.0  # seconds
_LOOK = 0.05  # seconds


class Process(t.NamedTuple):
    """A process, which its start time tells from a later one with the same number."""

    pid: int
    started: str

    @property
    def is_running(self) -> bool:
        """Return whether it still runs."""
        return _started(self.pid) == self.started


def _started(pid: int) -> str:
    """Return the start time of a process; empty if it does not run, or has ended and is not waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] == "Z" else fields[19]


def play_of() -> Process | None:
    """Return the process of Ansible that runs this task: the topmost of its ancestors; None if there is none here."""
    found, pid = None, os.getpid()
    while pid > 0:  # in a container, Ansible can be the first one
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:3]
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            break
        if any(os.path.basename(word.decode("utf-8", "replace")) in _PROGRAMS for word in words):
            found = Process(pid, _started(pid))
        pid = int(stat.rpartition(")")[2].split()[1])
    return found


class Publisher:
    """A publisher in the background. It belongs to the play that has started it; no other play uses or ends it.

    :param key: what tells it from others, such as its URL.
    """

    def __init__(self, key: str) -> None:
        self._path = _directory() / (hashlib.sha256(key.encode()).hexdigest()[:32] + ".json")

    def running(self) -> Process | None:
        """Return the process that publishes for this play; None if there is none."""
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
            process, play = Process(*known["process"]), known["play"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return process if play == _listed(play_of()) and process.is_running else None

    def start(self, work: t.Callable[[t.Callable[[], bool]], None], seconds: float) -> t.BinaryIO:
        """Start a process that works until it is over; return a stream that ends with it, and has why it failed."""
        reading, writing = os.pipe()
        watched = play_of()
        child = fork()
        if child == 0:
            try:
                os.setsid()
                # The second process has no parent that would have to wait for it.
                if fork() == 0:
                    self._run(work, seconds, watched, writing)
            finally:
                os._exit(0)
        os.close(writing)
        os.waitpid(child, 0)
        return os.fdopen(reading, "rb")

    def stop(self) -> bool:
        """End the process, and wait for its end; return whether there was one."""
        process = self.running()
        if process is None:
            return False
        end = time.monotonic() + _ENDING
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
        while process.is_running:
            if time.monotonic() > end:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
            time.sleep(_LOOK)
        self._path.unlink(missing_ok=True)
        return True

    def _run(
        self, work: t.Callable[[t.Callable[[], bool]], None], seconds: float, watched: Process | None, writing: int
    ) -> None:
        """Do the work of the process."""
        detach(writing)
        end, asked = time.monotonic() + seconds, end_on_request()
        looked = [0.0]

        def is_over() -> bool:
            now = time.monotonic()
            if watched is not None and now - looked[0] > 0.5:
                looked[0] = now
                asked[0] |= not watched.is_running
            return asked[0] or now > end

        own = Process(os.getpid(), _started(os.getpid()))
        temporary = self._path.with_suffix(f".{own.pid}")
        known = {"process": _listed(own), "play": _listed(watched)}
        temporary.write_text(json.dumps(known), encoding="utf-8")
        temporary.replace(self._path)
        with report_failure(writing):
            work(is_over)
        self._forget(known)

    def _forget(self, known: t.Mapping[str, t.Any]) -> None:
        """Remove the file, unless it is that of a later process."""
        with contextlib.suppress(OSError, ValueError):
            if json.loads(self._path.read_text(encoding="utf-8")) == known:
                self._path.unlink()


def fork() -> int:
    """Fork as ``os.fork`` does. The new process never frees objects that it has inherited.

    A filter graph of PyAV waits, when it is freed, for its threads, which the new process does not have. What had been
    played before and was not collected yet would let it hang at any time.

    What other threads have for themselves is freed all the same, by Python: none may live that has called ``reformat``
    of a frame, for which PyAV keeps something for the thread.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        pid = os.fork()
        if pid == 0:
            gc.freeze()
    finally:
        if collects:
            gc.enable()
    return pid


def _listed(process: Process | None) -> list[t.Any] | None:
    """Return a process as JSON has it."""
    return None if process is None else list(process)


def end_on_request() -> list[bool]:
    """Return a list whose one item becomes true when SIGTERM asks the process to end. SIGINT is for the play alone."""
    asked = [False]
    signal.signal(signal.SIGTERM, lambda _number, _frame: asked.__setitem__(0, True))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return asked


@contextlib.contextmanager
def report_failure(writing: int) -> t.Iterator[None]:
    """Write why the work of a process failed, for :func:`failure_in`. Nobody else could report it."""
    try:
        yield
    except NotPlayed as failure:
        os.write(writing, json.dumps([failure.stage, failure.detail, failure.status]).encode())
    except BaseException as error:
        text = f"The publisher ended by {type(error).__name__}."
        os.write(writing, json.dumps(["connection", text, None]).encode())


def failure_in(text: bytes) -> NotPlayed | None:
    """Return why a publisher failed, from what its stream has; None if it has ended well."""
    try:
        stage, detail, status = json.loads(text)
    except ValueError:
        return None
    return NotPlayed(stage, detail, status)


def _directory() -> Path:
    """Return a directory for the files of this user's publishers, which nobody else can write."""
    path = Path(tempfile.gettempdir()) / f"streamops-ovenmediaengine-{os.getuid()}"
    path.mkdir(mode=0o700, exist_ok=True)
    status = path.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077 or path.is_symlink():
        raise NotPlayed("connection", f"The directory {path} belongs to somebody else, or others can write to it.")
    return path


def detach(kept: int) -> None:
    """Close everything that the process has inherited, so that nobody waits for its end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    most = os.sysconf("SC_OPEN_MAX") if hasattr(os, "sysconf") else 1024
    os.closerange(3, kept)
    os.closerange(kept + 1, min(most, 65536))
    os.chdir("/")
