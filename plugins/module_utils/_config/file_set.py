# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a configuration directory as one change: compared, shown, written and removed together."""

from __future__ import annotations

import os
import typing as t

from .._core.context import Context
from .._core.errors import BadInput, OmeError
from . import xml_writer
from .directory import Directory
from .server_files import FileKind, MapFile, VirtualHostFile
from .stream_maps import STREAM_MAPS
from .virtual_host_file import PREFIX

CREATED, CHANGED, REMOVED, UNCHANGED = "created", "changed", "removed", "unchanged"
_MAPS = "maps"
_UNREADABLE = "(not shown, because it could not be read)\n"


class DesiredFile(t.NamedTuple):
    """A file that should be there."""

    name: str  # relative to the directory
    kind: FileKind
    value: t.Any  # in option form
    option: str  # its full path


class FileChange(t.NamedTuple):
    """What happens to one file."""

    name: str
    state: str
    restarts: bool
    text: str | None  # None if it is removed
    before: str  # with masked secrets; empty if there is no such file
    after: str

    @property
    def changes(self) -> bool:
        """Return whether something happens."""
        return self.state != UNCHANGED


def plan(directory: Directory, desired: DesiredFile, context: Context) -> FileChange:
    """Return what has to happen to a file. The secrets of the current file are kept from output, too."""
    text = desired.kind.render(desired.value, desired.option)
    current = directory.read(desired.name)
    if current is not None and current == text.encode("utf-8"):
        return FileChange(desired.name, UNCHANGED, desired.kind.restarts, text, "", "")
    value, before = _current(desired.kind, current, desired.name, context)
    after = desired.kind.render(desired.kind.mask_changed(desired.value, value), desired.option)
    return FileChange(desired.name, CREATED if current is None else CHANGED, desired.kind.restarts, text, before, after)


def plan_removal(directory: Directory, name: str, kind: FileKind, context: Context) -> FileChange:
    """Return the removal of a file."""
    before = _current(kind, directory.read(name), name, context)[1]
    return FileChange(name, REMOVED, kind.restarts, None, before, "")


def _current(kind: FileKind, data: bytes | None, name: str, context: Context) -> tuple[t.Any, str]:
    """Return the value of a file that is there and its text with masked secrets."""
    if data is None:
        return None, ""
    try:
        value = kind.read(data, name)
        for one in value if isinstance(value, list) else [value]:
            context.keep_secrets(kind.declaration, one)
        return value, kind.render(kind.mask(value), name)
    except BadInput:  # written by hand, and the server may not understand it either
        return None, _UNREADABLE


def apply(directory: Directory, changes: t.Iterable[FileChange]) -> t.Iterator[FileChange]:
    """Write and remove files; yield each that is done. Raise OmeError at the first that fails."""
    for change in changes:
        if not change.changes:
            pass
        elif change.text is None:
            directory.remove(change.name)
        else:
            _make(directory)
            directory.write(change.name, change.text)
        yield change


def _make(directory: Directory) -> None:
    """Make the directory, if there is none."""
    try:
        os.makedirs(directory.path, exist_ok=True)
    except OSError as error:
        detail = f"{directory.path}: {error.strerror or error}."
        raise OmeError("config_file", "make the configuration directory", detail=detail) from None


def diff(directory: Directory, changes: t.Sequence[FileChange]) -> dict[str, str]:
    """Return the diff of all files, in the form that Ansible shows."""
    changed = [change for change in changes if change.changes]

    def side(texts: t.Iterable[tuple[str, str]]) -> str:
        return "".join(f"# {os.path.join(directory.path, name)}\n{text}" for name, text in texts if text)

    return {
        "before_header": directory.path,
        "after_header": directory.path,
        "before": side((change.name, change.before) for change in changed),
        "after": side((change.name, change.after) for change in changed),
    }


def is_written_here(directory: Directory, name: str) -> bool:
    """Return whether this collection wrote a file."""
    return xml_writer.NOTICE.encode() in (directory.read(name) or b"")[:200]


def virtual_host_files(directory: Directory) -> dict[str, FileKind]:
    """Return the files of virtual hosts that this collection wrote."""
    if not os.path.isdir(directory.path):
        return {}
    return {name: VirtualHostFile() for name in directory.written_here(PREFIX)}


def maps(directory: Directory) -> dict[str, FileKind]:
    """Return the stream maps that this collection wrote."""
    found: dict[str, FileKind] = {}
    for vhost in _folders(directory, _MAPS):
        for app in _folders(directory, f"{_MAPS}/{vhost}"):
            for kind in STREAM_MAPS:
                name = kind.path(vhost, app)
                if is_written_here(directory, name):
                    found[name] = MapFile(kind, vhost, app)
    return found


def _folders(directory: Directory, name: str) -> list[str]:
    """Return the names of the folders in a folder, without links."""
    try:
        with os.scandir(os.path.join(directory.path, name)) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
