# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The stream maps that the running applications of a server read (server-facts: What survives a restart).

Only what handles files is imported late: most tasks read none.
"""

from __future__ import annotations

import functools
import os
import posixpath
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._resources.job import JobKind
from .._resources.mapped_jobs import is_durable_path, map_path
from .jobs_plan import RunningMap, Scope
from .live_streams import live_streams
from .plan import Value
from .predicted import Predicted


class RunningMaps:
    """Read the stream maps of one kind of job, of any number of applications."""

    def __init__(
        self, api: Api, context: Context, kind: JobKind, config_dir: str | None, made: Predicted | None = None
    ) -> None:
        """``config_dir`` is the configuration directory if the task can read it. ``made`` is what the task has created
        through the API, which reads no map.
        """
        self._api = api
        self._context = context
        self._kind = kind
        self._config_dir = config_dir
        self._made = made or Predicted()

    @property
    def can_read(self) -> bool:
        """Whether the task has a configuration directory."""
        return self._config_dir is not None

    def read(self, scopes: t.Iterable[Scope], *, with_live: bool) -> dict[Scope, RunningMap]:
        """Return the maps of those applications that read one; ``with_live`` adds their live streams."""
        asked = [scope for scope in scopes if not self._made.created(*scope)]
        read = functools.partial(self._read, with_live=with_live)
        found = self._api.map_concurrently([functools.partial(read, scope) for scope in asked])
        return {scope: one for scope, one in zip(asked, found) if one is not None}

    def _read(self, scope: Scope, *, with_live: bool) -> RunningMap | None:
        try:
            raw = self._api.read_application(*scope)
        except OmeError as error:
            if error.kind == "controller_not_found":  # such a server has no maps
                return None
            raise
        path = map_path(self._kind, raw or {}, scope)
        if path is None:
            return None
        return RunningMap(
            path,
            None if self._config_dir is None else self._entries(self._config_dir, path, scope),
            is_durable_path(self._kind, path, scope),
            live_streams(self._api, scope) if with_live else (),
        )

    def _entries(self, config_dir: str, path: str, scope: Scope) -> list[Value] | None:
        try:
            entries = read_entries(self._kind, config_dir, path, scope)
        except OmeError as error:
            self._context.warn(f"The stream map {path} of {'/'.join(scope)} cannot be read: {error}")
            return None
        for entry in entries or ():
            self._context.keep_secrets(self._kind.declaration, entry)
        return entries


def read_entries(kind: JobKind, config_dir: str, path: str, scope: Scope) -> list[Value] | None:
    """Return the entries of a stream map in option form; None if it is not in the directory.

    Raise OmeError if it cannot be read.
    """
    from .._config.directory import Directory
    from .._config.stream_maps import map_of

    directory = Directory(config_dir)
    name = os.path.relpath(path, directory.path) if posixpath.isabs(path) else posixpath.normpath(path)
    if name.startswith("..") or "${" in name or not name.isprintable():
        return None
    data = directory.read(name)
    return None if data is None else map_of(kind).read(data, name, *scope)
