# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a server on its host: directories, rules, configuration and unit, put there in an order that is safe.

A failed start can undo everything: what runs is kept before the first file of the configuration is written.
"""

from __future__ import annotations

import os
import posixpath
import stat
import typing as t

from .._core.context import Context
from .._core.errors import OmeError
from .._host import server_place
from .._host.commands import run
from .._host.own_files import CHANGED, CREATED, REMOVED, OwnFile
from .._host.server_memory import ServerMemory
from .._host.server_place import ServerPlace
from .._host.server_service import ServerService
from .base import Params, Result
from .server_config import ServerConfig

_HIDDEN = ".ansible-ovenmediaengine"
"""The beginning of the names of files of tasks that run at the same time."""


class StepFailed(OmeError):
    """Another operation, which is a part of the task, has failed."""

    def __init__(self, result: Result, untouched: str = "") -> None:
        """``result`` is that of the operation; ``untouched`` says what was left as it is."""
        super().__init__("host", "manage the server", detail=f"{result.get('msg', '')} {untouched}".strip())
        self.result = result

    def __str__(self) -> str:
        return self.detail

    def as_failure(self) -> Result:
        return {**super().as_failure(), "error": self.result.get("error") or self.as_result()}


class ServerFiles:
    """Writes the files of a server, or in check mode finds out what would change."""

    def __init__(self, params: Params, place: ServerPlace, memory: ServerMemory, context: Context) -> None:
        self._params, self._place, self._memory, self._context = params, place, memory, context
        self._real = not context.check_mode
        self.states: dict[str, str] = {}
        """What happens to files and directories that change, by path."""
        self.config: Result = {}
        """The result of the operation that writes the configuration."""
        self.warnings: list[str] = []
        self._before, self._after = "", ""

    @property
    def diff(self) -> dict[str, str]:
        """The diff of all files."""
        config: t.Mapping[str, str] = self.config.get("diff") or {}
        header = self._place.unit
        return {
            "before_header": header,
            "after_header": header,
            "before": config.get("before", "") + self._before,
            "after": config.get("after", "") + self._after,
        }

    @property
    def config_changes(self) -> dict[str, str]:
        """The states of those files of the configuration that change, by path."""
        files = self.config.get("files") or ()
        return {one["path"]: one["state"] for one in files if one["state"] != "unchanged"}

    def write(self, config: ServerConfig, service: ServerService, *, keeps: t.Callable[[], None]) -> None:
        """Write everything; ``keeps`` keeps what runs. Raises OmeError or StepFailed."""
        try:
            self._make_directories()
            if self._real:
                self._memory.clean()
            self._warn_of_readers()
            self._put(OwnFile(self._place.sysctl_file, server_place.sysctl(self._params)))
            self._load_kernel_settings()
            own = self._place.log_dir in self._memory.directories
            self._put(OwnFile(self._place.rule_file, server_place.rule(self._place, self._params, own=own)))
            if self._real:
                keeps()
                self._memory.begin()
            self._write_config(config)
            self._write_unit(service)
            if self._real:
                self._memory.note_written(self.config_changes)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise OmeError("host", "write the files of the server", detail=f"{where}{error.strerror}.") from None

    # Directories

    def _make_directories(self) -> None:
        modes = {
            self._place.config_dir: 0o755,
            self._place.log_dir: 0o750,  # The log has keys of streams in clear text.
            self._place.data_dir: 0o755,
            self._place.memory: 0o700,
            posixpath.dirname(self._place.unit_file): None,
        }
        for path, mode in modes.items():
            made = path in self._memory.directories
            self._make_directory(path, mode if made or path == self._place.memory else None, made=made)
        if self._real:
            self._memory.note_directories()
        for path in (self._place.log_dir, self._place.data_dir):
            if path in self._memory.directories:
                # After a change of the user, the new one has to write the log file of the old one.
                self._give(path, _below(path, self._place.memory, "compose.yml"))

    def _make_directory(self, path: str, mode: int | None, *, made: bool) -> None:
        """Make a directory. One that was there keeps its owner and mode, unless it was made for the server."""
        try:
            there = os.stat(path)
        except FileNotFoundError:
            self.states[path] = CREATED
            if self._real:
                os.makedirs(path)
                os.chmod(path, 0o755 if mode is None else mode)
        else:
            if mode is not None and stat.S_IMODE(there.st_mode) != mode:
                self.states[path] = CHANGED
                if self._real:
                    os.chmod(path, mode)
        if made:
            self._give(path, [path])

    def _give(self, root: str, paths: t.Iterable[str]) -> None:
        """Give files to the user of the server, who has to read or to write them."""
        uid = self._place.uid
        if not self._place.has_user:
            return
        for path in paths:
            # Check mode makes no user, so that nothing can belong to a new one.
            if os.path.lexists(path) and os.lstat(path).st_uid != uid:
                self.states.setdefault(root, CHANGED)
                if self._real and uid is not None:
                    os.chown(path, uid, -1, follow_symlinks=False)

    def _warn_of_readers(self) -> None:
        path = self._place.log_dir
        if path not in self._memory.directories and os.path.isdir(path) and os.stat(path).st_mode & stat.S_IROTH:
            self.warnings.append(f"everybody can read {path}, and the log has stream keys")

    # Rules of the host

    def _load_kernel_settings(self) -> None:
        """Load the settings. sysctl succeeds also if the host refuses them, as in a container."""
        wanted = server_place.buffers(self._params)
        if not wanted or not self._real:
            return
        values = [str(value) for value in wanted.values()]
        before = _kernel_settings(wanted)
        if before == values:
            return
        run("sysctl", "--load", self._place.sysctl_file)
        now = _kernel_settings(wanted)
        if now != before:
            self.states.setdefault(self._place.sysctl_file, CHANGED)
        if now != values:
            refused = " and ".join(f"{name} = {value}" for name, value in wanted.items())
            self.warnings.append(f"the host refuses {refused} (now {' and '.join(now) or 'unknown'})")

    # Configuration and unit

    def _run(self, config: ServerConfig) -> None:
        """Write or remove the files of the configuration. Raises StepFailed."""
        result = config.run(None, self._context)
        if "files" in result:
            self.config = result
            self.states.update(self.config_changes)
        if result.get("failed"):
            raise StepFailed(result)

    def _write_config(self, config: ServerConfig) -> None:
        self._run(config)
        directory = self._place.config_dir
        files = [one["path"] for one in self.config["files"] if one["state"] != REMOVED]
        own = directory in self._memory.directories
        self._give(directory, [directory, *_below(directory)] if own else files)

    def _write_unit(self, service: ServerService) -> None:
        values = self._params["environment_variables"] or {}
        text = server_place.render(values, self._place.backend) if values else None
        # systemd, podman and docker read the file as root.
        self._put(OwnFile(self._place.environment_file, text, 0o600, secret=True))
        self._put(OwnFile(self._place.unit_file, server_place.unit(self._place, self._params)))
        if os.path.exists(self._place.unit_file) and not service.starts_with_host():
            self.states.setdefault(self._place.unit_file, CHANGED)
            if self._real:
                service.start_with_host(enabled=True)

    def _put(self, file: OwnFile) -> None:
        state = file.state()
        if not state:
            return
        self.states[file.path] = state
        before, after = file.shown()
        self._before += f"# {file.path}\n{before.rstrip()}\n" if before else ""
        self._after += f"# {file.path}\n{after.rstrip()}\n" if after else ""
        if self._real:
            file.place()

    # Everything away

    def remove(self, config: ServerConfig) -> None:
        """Remove what was written. Server.id, logs, recordings, images and programs stay. Raises StepFailed."""
        of_others = self._place.of_others()
        for path in self._place.host_files:
            if path not in of_others:
                self._put(OwnFile(path, None))
        if os.path.isdir(self._place.memory):
            self.states[self._place.memory] = REMOVED
            if self._real:
                self._memory.remove()
        self._run(config)
        for path in sorted(self._place.directories, reverse=True):
            if self._real and path in self._memory.directories and os.path.isdir(path) and not os.listdir(path):
                os.rmdir(path)


def _below(root: str, without: str = "", name: str = "") -> t.Iterator[str]:
    """Yield what is below a directory, except the directory ``without`` and files with a name."""
    for folder, folders, names in os.walk(root):
        folders[:] = [one for one in folders if posixpath.join(folder, one) != without]
        for one in (*folders, *names):
            if one != name and not one.startswith(_HIDDEN):
                yield posixpath.join(folder, one)


def _kernel_settings(names: t.Iterable[str]) -> list[str]:
    return run("sysctl", "--values", *names).output.split()
