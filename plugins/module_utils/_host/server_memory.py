# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What has to be remembered of a server between two runs: what it runs with, and what a failed start puts back.

It is in a directory for root only:

- ``started.json`` says what the running server was started with.
- ``directories.json`` lists the directories that were made for the server.
- ``last_good`` has a copy of the files with which it runs, and ``made`` those that have come since its start.
- ``pending.json`` is there while files differ from those with which the server runs: from the first write on until a
  start has succeeded, or has been undone. The copies are then older than the files, and have to stay.
"""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import json
import os
import posixpath
import shutil
import typing as t

from .._config.atomic_files import UNCHANGED_ID, Access, remove_leftovers, replace
from .server_place import ServerPlace

PATTERNS = ("Server.xml", "Logger.xml", "VHost*.xml", "push_map.xml", "record_map.xml")
MAPS = ("push_map.xml", "record_map.xml")
Copies = dict[str, str]
"""Paths of copies by the paths of the files that they are copies of."""


class File(t.NamedTuple):
    """A file of the server as it is."""

    path: str
    checksum: str
    """SHA-1, as release 2.0.0 has remembered it."""
    mtime: float


def read(path: str) -> File | None:
    """Return a file; None if there is none."""
    try:
        with open(path, "rb") as file:
            data, mtime = file.read(), os.fstat(file.fileno()).st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return None
    return File(path, hashlib.sha1(data, usedforsecurity=False).hexdigest(), mtime)


def configuration_files(config_dir: str) -> list[File]:
    """Return the files from which a server starts."""
    found = []
    for folder, folders, names in os.walk(config_dir):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in PATTERNS):
                one = read(posixpath.join(folder, name))
                found += [one] if one is not None else []
    return found


class ServerMemory:
    """What is remembered of one server."""

    def __init__(self, place: ServerPlace) -> None:
        self._place = place
        self._good, self._made = (posixpath.join(place.memory, name) for name in ("last_good", "made"))
        self.started: dict[str, t.Any] = self._load("started.json") or {}
        """``version``, ``image``, ``url`` and ``files`` (checksums by path) of the last start, if there was one."""
        known = self._load("directories.json")
        if known is None:  # Release 2.0.0 kept no list, and took all of them for its own.
            known = list(place.directories) if self.started else []
        missing = [path for path in place.directories if not os.path.exists(path)]
        self.directories: list[str] = sorted({*known, *missing})
        """The directories that were made for the server, or are to be."""

    def clean(self) -> None:
        """Finish, or remove, what a killed process has begun."""
        self._recover()
        _remove(f"{self._good}.new")
        remove_leftovers(self._place.memory, deepest=5)
        for path in self._place.host_files:
            remove_leftovers(posixpath.dirname(path), deepest=0)

    # The files of the server

    def files(self) -> list[File]:
        """Return the files of the configuration."""
        return configuration_files(self._place.config_dir)

    def unit_files(self) -> list[File]:
        """Return the unit and the environment variables, as far as they are there."""
        paths = (self._place.unit_file, self._place.environment_file)
        return [one for one in map(read, paths) if one is not None]

    # What runs

    def note_directories(self) -> None:
        """Remember which directories were made for the server."""
        self._save("directories.json", self.directories)

    def note_running(self, files: t.Mapping[str, str]) -> None:
        """Remember with which files the server has started by itself since the last start."""
        self.started = {**self.started, "files": dict(files)}
        self._save("started.json", self.started)

    def note_started(self, version: str, url: str) -> None:
        """Remember what has started, and keep a copy of it."""
        self.copy_all()
        files = [*self.files(), *self.unit_files()]
        self.started = {
            "version": version,
            "image": self._place.runs,
            "url": url,
            "files": {one.path: one.checksum for one in files},
        }
        self._save("started.json", self.started)
        self.forget_pending()

    # What a failed start puts back

    @property
    def pending(self) -> bool:
        """Whether files differ from those with which the server runs."""
        return os.path.exists(self._path("pending.json"))

    def begin(self) -> None:
        """Note that files are going to be written."""
        if not self.pending:
            self._save("pending.json", {})

    def note_written(self, paths: t.Iterable[str]) -> None:
        """Note the files of the configuration that were written, or removed."""
        written = {path: one.checksum if (one := read(path)) else "" for path in paths}
        self._save("pending.json", {"written": {**self._written(), **written}})

    def forget_pending(self) -> None:
        """Note that the server runs with its files."""
        _remove(self._path("pending.json"))

    def _written(self) -> dict[str, str]:
        found: dict[str, str] = (self._load("pending.json") or {}).get("written") or {}
        return found

    def keep(self) -> None:
        """Copy what has come since the start: virtual hosts that the API has made, and stream maps.

        Both are of the server that runs. What an earlier run has written, and no start has tried, is not.
        """
        config, good = self._place.config_dir, posixpath.join(self._good, "config")
        pending, written = self.pending, self._written()
        now = {one.path: one for one in self.files()}
        if not pending:
            _remove(self._made)
        for path, copy in self._in(self._made).items():
            if path not in now and path not in written:
                _remove(copy)
        for path, copy in self._in(good).items():
            if not pending and posixpath.basename(path) in MAPS:
                _remove(copy)
        started = self.started.get("files", {})
        for path, one in now.items():
            name = posixpath.basename(path)
            if written.get(path) == one.checksum:
                continue
            if name in MAPS:
                _copy(path, config, good)
            elif posixpath.dirname(path) == config and name.startswith("VHost") and path not in started:
                _copy(path, config, self._made)

    @property
    def has_copies(self) -> bool:
        """Whether there is a copy of what ran last."""
        return os.path.exists(self._good) or os.path.exists(f"{self._good}.old")

    def copy_all(self) -> None:
        """Replace the copies by one of the files as they are. If this process is killed, the old or the new ones are
        there.
        """
        new, old = f"{self._good}.new", f"{self._good}.old"
        self._recover()
        _remove(new)
        for one in self.files():
            _copy(one.path, self._place.config_dir, posixpath.join(new, "config"))
        for one in self.unit_files():
            _copy(one.path, posixpath.dirname(one.path), posixpath.join(new, "unit"))
        if os.path.exists(self._good):
            os.rename(self._good, old)
        os.rename(new, self._good)
        _remove(old)
        _remove(self._made)

    def _recover(self) -> None:
        """Finish what a killed process has begun with the copies."""
        old = f"{self._good}.old"
        if os.path.exists(old):
            if os.path.exists(self._good):
                _remove(old)
            else:
                os.rename(old, self._good)

    def last_good(self) -> Copies:
        """Return the copies of the configuration with which the server ran."""
        self._recover()
        return self._in(posixpath.join(self._good, "config"))

    def made_since(self) -> Copies:
        """Return the copies of virtual hosts that the API has made since. No start has tried their files."""
        return self._in(self._made)

    def put_back(self, copies: Copies) -> None:
        """Put copies of the configuration back, and remove all other files of it."""
        for one in self.files():
            if one.path not in copies:
                _remove(one.path)
        for copy in copies.values():
            root = self._made if copy.startswith(f"{self._made}/") else posixpath.join(self._good, "config")
            _copy(copy, root, self._place.config_dir)

    def put_unit_back(self) -> None:
        """Put the old unit and the old environment variables back; remove those that were not there.

        Without a unit here, the old one is that of a package.
        """
        for path in (self._place.unit_file, self._place.environment_file):
            copy = posixpath.join(self._good, "unit", posixpath.basename(path))
            if os.path.exists(copy):
                _copy(copy, posixpath.dirname(copy), posixpath.dirname(path))
            else:
                _remove(path)

    def remove(self) -> None:
        """Forget everything."""
        _remove(self._place.memory)

    # Files

    def _in(self, root: str) -> Copies:
        """Return the copies below a directory."""
        found = {}
        for folder, _folders, names in os.walk(root):
            for name in names:
                copy = posixpath.join(folder, name)
                found[posixpath.join(self._place.config_dir, posixpath.relpath(copy, root))] = copy
        return found

    def _path(self, name: str) -> str:
        return posixpath.join(self._place.memory, name)

    def _load(self, name: str) -> t.Any:
        """Return the value of a file; None if there is none, or a killed process of an old release has left a part."""
        try:
            with open(self._path(name), encoding="utf-8") as file:
                return json.load(file)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None

    def _save(self, name: str, value: t.Any) -> None:
        text = json.dumps(value, indent=4, sort_keys=True) + "\n"
        replace(self._path(name), text.encode(), Access(0o600, UNCHANGED_ID, UNCHANGED_ID), lambda: None)


def _remove(path: str) -> None:
    """Remove a file or a directory with everything in it, if it is there."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
        return
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _copy(path: str, root: str, target: str) -> None:
    """Copy a file, with owner, mode and time, to the same place below another directory."""
    relative = posixpath.relpath(path, root)
    os.makedirs(target, mode=0o700, exist_ok=True)
    source, folder = root, target
    for part in filter(None, posixpath.dirname(relative).split("/")):
        source, folder = posixpath.join(source, part), posixpath.join(folder, part)
        _make(folder, os.stat(source))
    there = os.stat(path)
    copy = posixpath.join(target, relative)
    with open(path, "rb") as file:
        replace(copy, file.read(), Access(there.st_mode & 0o7777, there.st_uid, there.st_gid), lambda: None)
    os.utime(copy, ns=(there.st_atime_ns, there.st_mtime_ns))


def _make(folder: str, like: os.stat_result) -> None:
    """Make a directory with the owner and mode of another one, unless it is there."""
    if os.path.isdir(folder):
        return
    os.mkdir(folder, mode=0o700)
    if os.geteuid() == 0:
        os.chown(folder, like.st_uid, like.st_gid)
    os.chmod(folder, like.st_mode & 0o7777)
