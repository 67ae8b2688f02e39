# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The files of a configuration directory as one change: compared, shown, written and removed together."""

from __future__ import annotations

import contextlib
import os
import typing as t

from .._core.context import Context
from .._core.errors import BadInput, OmeError
from . import atomic_files, document, versions
from .directory import Directory
from .document import Element
from .editor import Edited, Editor, shared_files
from .masked_diff import masked_text
from .server_files import SERVER_XML, FileKind, MapFile, VirtualHostFile
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
    root: Element | None = None  # the element that has it, if it is known already


class FileChange(t.NamedTuple):
    """What happens to one file."""

    name: str
    state: str
    restarts: bool
    data: bytes | None  # None if it is removed
    expected: bytes | None  # the contents that were read; None if there is no such file
    before: str  # as it is shown; empty if there is no such file
    after: str
    private: bool = False
    """Whether the new contents have secrets."""

    @property
    def changes(self) -> bool:
        """Return whether something happens."""
        return self.state != UNCHANGED


class _Current(t.NamedTuple):
    """A file that is there: its root element, or None if the server may not understand it either."""

    data: bytes
    root: Element | None


def plan(
    directory: Directory, desired: t.Sequence[DesiredFile], context: Context, server: Element | None
) -> list[FileChange]:
    """Return what has to happen to files. The secrets of the current files are kept from output, too.

    ``server`` is the root element of Server.xml with what it includes; None if the server could not start from it.
    """
    current = [_current(directory, one, context) for one in desired]
    roots = [one.root for one in current if one is not None and one.root is not None]
    editor = Editor(shared_files(roots if server is None else [server]))
    if server is not None:
        editor.show(SERVER_XML, server)
    edited: dict[str, Edited] = {}
    for one, found in zip(desired, current):
        if found is not None and found.root is not None:
            editor.show(one.kind.shown, found.root)
            one.kind.edit(editor, found.root, one.value, one.option)
        else:
            made = one.kind.new(one.value, one.option, one.name)
            before = (None, "") if found is None else (found.data, _UNREADABLE)
            edited[one.name] = made._replace(before=before[0], shown_before=before[1])
    edited.update((one.name, one) for one in editor.files())
    kinds = {one.name: one.kind.restarts for one in desired}
    data = {one.name: None if found is None else found.data for one, found in zip(desired, current)}
    changes = [_change(edited[name], restarts=True) for name in edited if name not in kinds]  # of included files
    for name, restarts in kinds.items():
        if name in edited:
            changes.append(_change(edited[name], restarts=restarts))
        else:
            changes.append(FileChange(name, UNCHANGED, restarts, data[name], data[name], "", ""))
    return changes


def _change(one: Edited, *, restarts: bool) -> FileChange:
    state = CREATED if one.before is None else CHANGED
    return FileChange(one.name, state, restarts, one.after, one.before, one.shown_before, one.shown_after, one.private)


def plan_removal(directory: Directory, name: str, kind: FileKind, context: Context) -> FileChange:
    """Return the removal of a file."""
    try:
        current = _current(directory, DesiredFile(name, kind, None, ""), context)
    except OmeError:
        current = _Current(directory.read(name) or b"", None)
    before = "" if current is None else _UNREADABLE
    if current is not None and current.root is not None:
        before = masked_text(kind.shown, current.root)
    return FileChange(name, REMOVED, kind.restarts, None, None if current is None else current.data, before, "")


def _current(directory: Directory, one: DesiredFile, context: Context) -> _Current | None:
    """Return a file that is there; without its root element if the server cannot read it, so that nothing is lost.

    Raise OmeError if the server may read it, and this collection cannot: it must not be replaced.
    """
    data = directory.read(one.name)
    if data is None:
        return None
    root = one.root
    if root is None:
        try:
            document.parse(data, one.name).root_of(one.kind.tag)
        except BadInput:
            return _Current(data, None)
        root = directory.load(one.name, one.kind.tag, one.kind.apart)
    versions.check_file_version(root)
    with contextlib.suppress(BadInput):  # Then only its text is masked.
        value = one.kind.value(root)
        for item in value if isinstance(value, list) else [value]:
            context.keep_secrets(one.kind.declaration, item)
    return _Current(data, root)


def apply(directory: Directory, changes: t.Sequence[FileChange], context: Context) -> t.Iterator[FileChange]:
    """Write and remove files, unless in check mode; yield each that is done. Raise OmeError at the first that fails.

    Warn of files that others can no longer read.
    """
    writes = not context.check_mode
    if writes and any(change.changes and change.data is not None for change in changes):
        _make(directory)
    with directory.locked(context):  # once more, because the directory can be new
        if writes:
            directory.remove_leftovers()
        for change in changes:
            if not change.changes:
                pass
            elif change.data is None:
                if writes:
                    directory.remove(change.name, change.expected)
            else:
                tightened = directory.tightened(change.name, private=change.private)
                if writes:
                    directory.write(change.name, change.data, change.expected, private=change.private)
                if tightened is not None:
                    path = os.path.join(directory.path, change.name)
                    context.warn(tightened.warning(path, check_mode=context.check_mode))
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
    return atomic_files.is_written_here(directory.read(name))


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
