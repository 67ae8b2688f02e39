# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hook of recorded files: a command that is run once for each file that has ended, and the memory of it."""

from __future__ import annotations

import json
import os
import typing as t

from .._config import atomic_files
from .._core.errors import OmeError
from .._core.secret_store import SecretStore
from .._core.texts import shortened
from . import commands
from .recording_files import COMPLETE, RecordedFile
from .recording_index import Entry

_LARGEST = 256 * 1024 * 1024
_LONGEST_SAID = 400  # characters of what a command said
_VERSION = 1


class Memory:
    """The files for which the hook has succeeded, by relative path, each with the identity of its entry."""

    def __init__(self, path: str, done: dict[str, str]) -> None:
        self._path = path
        self._done = done

    @classmethod
    def read(cls, path: str) -> Memory:
        """Return the memory in a file; an empty one if there is no such file. Raise OmeError if it cannot be read."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(descriptor, encoding="ascii") as file:
                content = json.loads(file.read(_LARGEST))
            done = content["done"]
            if content["version"] != _VERSION or not all(isinstance(one, str) for one in done.values()):
                raise ValueError("it has another format")
        except FileNotFoundError:
            return cls(path, {})
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not as the module writes it"
            raise OmeError(
                "host",
                f"read {path}",
                detail=f"The file cannot be used: {why}. It says for which files the hook has run.",
                remedy="Restore it, or remove it to run the hook again for all files.",
            ) from None
        return cls(path, done)

    def __contains__(self, file: RecordedFile) -> bool:
        return file.entry is not None and self._done.get(file.relative) == file.entry.identity

    def add(self, file: RecordedFile) -> None:
        """Remember that the hook has succeeded for a file. Raise OSError if the memory cannot be written."""
        if file.entry is not None:
            self._done[file.relative] = file.entry.identity
            self.write()

    def forget(self, known: t.Container[str]) -> None:
        """Forget the files that no index names any more; ``known`` are the others, as
        relative paths. Raise OSError if the memory cannot be written.
        """
        left = {path: identity for path, identity in self._done.items() if path in known}
        if left != self._done:
            self._done = left
            self.write()

    def write(self) -> None:
        """Write the memory. Raise OSError if that fails."""
        # ASCII, so that names that are no UTF-8 come back as they were.
        data = json.dumps({"version": _VERSION, "done": self._done}, indent=0, sort_keys=True).encode("ascii")
        atomic_files.replace(self._path, data, atomic_files.Access(atomic_files.MODE), lambda: None)


def waiting(files: t.Iterable[RecordedFile], memory: Memory) -> list[RecordedFile]:
    """Return the files that have ended and for which the hook has not succeeded, the oldest first."""
    ended = [file for file in files if file.state == COMPLETE and file not in memory]
    return sorted(ended, key=lambda file: (file.status.st_mtime_ns, file.relative))


def run_hook(hook: t.Sequence[str], directory: str, file: RecordedFile, timeout: float) -> str:
    """Run the hook for a file; return why it failed, without secrets, or an empty text."""
    if file.entry is None:
        return "no index names the file"
    secrets = SecretStore()
    secrets.add(file.entry.metadata)
    path = os.path.join(directory, file.relative)
    ended = commands.run(*hook, path, timeout=timeout, environment=_environment(path, file.status.st_size, file.entry))
    if not ended.status:
        return ""
    said = shortened(secrets.scrub(ended.said), _LONGEST_SAID)
    return f"exit status {ended.status}" + (f": {said}" if said else "")


def _environment(path: str, size: int, entry: Entry) -> dict[str, str]:
    values = {
        "FILE": path,
        "VHOST": entry.vhost,
        "APP": entry.app,
        "STREAM": entry.stream,
        "ID": entry.id,
        "TRANSACTION_ID": entry.transaction_id,
        "SEQUENCE": entry.sequence,
        "LAST": "true" if entry.is_last else "false",
        "SIZE": size,
        "DURATION": entry.duration,
        "BEGIN": entry.begin,
        "END": entry.end,
        "METADATA": entry.metadata,
    }
    return {f"RECORDED_{name}": "" if value is None else str(value) for name, value in values.items()}
