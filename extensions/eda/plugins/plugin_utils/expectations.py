# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a server should have: the names in a variables file of the role provision."""

from __future__ import annotations

import logging
import os
import typing as t

import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.expected_stream import ExpectedStream
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import (
    PUSH_TASKS,
    RECORDS,
    JobKind,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.validators import addressable
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import Endpoint

from .expected_streams import stream_of
from .options import boolean_of

Scope = tuple[str, str]
"""Virtual host and application."""

Mark = tuple[str, t.Mapping[str, int]]
"""What a job is recognized by if a stream map has started it, under another ID: the name of its stream, which can have
wildcards, and hashes of its destination or path. Templates, vaulted values and macros are left out.
"""

_MOST_OBJECTS = 100_000
_TEMPLATE = "{{"

logger = logging.getLogger(__name__)


class Expectations(t.NamedTuple):
    """The names of what a server should have. Of the rest, only hashes are kept, so no secret is."""

    vhosts: frozenset[str] = frozenset()
    # Whether the file lists virtual hosts: only then is one on the server unexpected.
    lists_vhosts: bool = False
    applications: frozenset[Scope] = frozenset()
    push_tasks: t.Mapping[Scope, frozenset[str]] = {}
    records: t.Mapping[Scope, frozenset[str]] = {}
    # By virtual host, application and ID.
    push_marks: t.Mapping[tuple[str, str, str], Mark] = {}
    record_marks: t.Mapping[tuple[str, str, str], Mark] = {}
    # Whether the server itself starts push tasks and recordings with their streams, under other IDs.
    durable: bool = False
    # Host, port and server name; an empty host is that of the API.
    endpoints: tuple[Endpoint, ...] = ()
    # Those that should be live, if they are watched.
    streams: tuple[ExpectedStream, ...] = ()

    @property
    def scopes(self) -> list[Scope]:
        """Return all applications that are read."""
        return sorted({*self.applications, *self.push_tasks, *self.records})


def read(path: str, *, streams: bool = False) -> Expectations:
    """Return what a file expects, of ``streams`` that should be live only on request.

    Raises BadInput with the full path of a variable; the file is named, too.
    """
    try:
        with open(path, encoding="utf-8") as handle:
            values = yaml.load(handle, Loader=_Loader)  # noqa: S506 - a safe loader
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise BadInput("expectations", f"expected a readable file, but {path} cannot be read: {reason}") from None
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise BadInput("expectations", f"expected YAML in {path}{line}") from None
    try:
        found = _expectations(values)
        listed = _entries(values or {}, "ovenmediaengine_expected_streams") if streams else ()
        return found._replace(streams=tuple(stream_of(entry, inner) for inner, entry in listed))
    except BadInput as error:
        raise error.within(path) from None


class _Loader(yaml.SafeLoader):
    """Loads YAML and leaves out values with a tag, such as those that Ansible Vault encrypted."""


_Loader.add_multi_constructor("!", lambda _loader, _suffix, _node: None)


def _expectations(values: t.Any) -> Expectations:
    if values is None:
        values = {}
    if not isinstance(values, dict):
        raise BadInput("expectations", "expected variables, which are a dictionary")
    vhosts: set[str] = set()
    applications: set[Scope] = set()
    for path, entry in _entries(values, "ovenmediaengine_vhosts"):
        vhosts.add(_name(entry, "name", path))
        for inner, app in _entries(entry, "applications", path, names=True):
            applications.add((_name(entry, "name", path), _name(app, "name", inner)))
    for path, entry in _entries(values, "ovenmediaengine_applications"):
        applications.add((_name(entry, "vhost", path), _name(entry, "name", path)))
    jobs: dict[str, dict[Scope, set[str]]] = {"ovenmediaengine_push_tasks": {}, "ovenmediaengine_records": {}}
    marks: list[dict[tuple[str, str, str], Mark]] = [{}, {}]
    for kind, of_kind, (variable, scopes) in zip((PUSH_TASKS, RECORDS), marks, jobs.items()):
        for path, entry in _entries(values, variable):
            scope = (_name(entry, "vhost", path), _name(entry, "app", path))
            name = _name(entry, "id", path)
            scopes.setdefault(scope, set()).add(name)
            mark = _mark(kind, entry)
            if mark is not None:
                of_kind[(*scope, name)] = mark
    endpoints = [endpoint_of(entry, path) for path, entry in _entries(values, "ovenmediaengine_certificate_endpoints")]
    for path, entry in _entries(values, "ovenmediaengine_certificates"):
        own = entry.get("endpoint")
        listed = {"endpoint": [own] if isinstance(own, dict) else own}
        endpoints += [endpoint_of(one, inner) for inner, one in _entries(listed, "endpoint", path)]
    pushes, records = ({scope: frozenset(ids) for scope, ids in scopes.items()} for scopes in jobs.values())
    return Expectations(
        frozenset(vhosts),
        values.get("ovenmediaengine_vhosts") is not None,
        frozenset(applications),
        pushes,
        records,
        *marks,
        durable=boolean_of(values.get("ovenmediaengine_durable", False)) is True,
        endpoints=tuple(dict.fromkeys(endpoints)),
    )


def _mark(kind: JobKind, entry: t.Mapping[str, t.Any]) -> Mark | None:
    """Return what a job is recognized by; None if the name of its stream is not known."""
    stream = entry.get("stream")
    name = stream.get("name") if isinstance(stream, dict) else None
    if not isinstance(name, str) or _TEMPLATE in name:
        return None
    found = {option: entry.get(option, "") for option in kind.identity}
    return name, {option: mark_of(kind, option, value) for option, value in found.items() if _is_plain(value)}


def _is_plain(value: t.Any) -> bool:
    """Return whether a value is what the server has: no template, and without macros."""
    text = str(value)
    return isinstance(value, (str, int)) and _TEMPLATE not in text and "${" not in text


def mark_of(kind: JobKind, option: str, value: t.Any) -> int:
    """Return the hash of an option of a job, which says nothing of a secret and is good for this process only."""
    return hash(kind.declaration.fields[option].normalize(str(value)))


def _entries(
    values: t.Mapping[str, t.Any], name: str, path: str = "", *, names: bool = False
) -> t.Iterator[tuple[str, dict[str, t.Any]]]:
    """Yield the path and the value of each dictionary of a list. With ``names``, a text is a name."""
    entries, full = values.get(name), f"{path}.{name}" if path else name
    if entries is None:
        return
    if isinstance(entries, str) and _TEMPLATE in entries:
        raise BadInput(full, "expected a list as it is, because an event source evaluates no templates")
    if not isinstance(entries, list) or len(entries) > _MOST_OBJECTS:
        raise BadInput(full, f"expected a list of at most {_MOST_OBJECTS} entries")
    for index, entry in enumerate(entries):
        if names and isinstance(entry, str):
            entry = {"name": entry}
        if not isinstance(entry, dict):
            raise BadInput(f"{full}[{index}]", "expected a dictionary")
        yield f"{full}[{index}]", entry


def _name(entry: t.Mapping[str, t.Any], option: str, path: str) -> str:
    value = entry.get(option)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise BadInput(f"{path}.{option}", "expected a name")
    if _TEMPLATE in value:
        raise BadInput(f"{path}.{option}", "expected a name as it is, because an event source evaluates no templates")
    expected = addressable(value)
    if expected is not None:
        raise BadInput(f"{path}.{option}", f"{expected}, got {value[:80]!r}")
    return value


def endpoint_of(entry: t.Mapping[str, t.Any], path: str) -> Endpoint:
    """Return the endpoint of a dictionary with ``host``, ``port`` and ``server_name``. Raises BadInput."""
    try:
        port = int(entry.get("port", 443))
    except (TypeError, ValueError):
        port = 0
    if not 0 < port < 65536:
        raise BadInput(f"{path}.port", "expected a port, from 1 to 65535")
    texts = {}
    for option in ("host", "server_name"):
        value = entry.get(option)
        if value is not None and (not isinstance(value, str) or _TEMPLATE in value):
            raise BadInput(f"{path}.{option}", "expected a host name or an IP address")
        texts[option] = value or ""
    return Endpoint(texts["host"], port, texts["server_name"])


class Files:
    """Reads each file once, and again after it changed."""

    def __init__(self) -> None:
        self.streams = False
        """Whether streams that should be live are read, too."""
        self._read: dict[str, tuple[tuple[int, int], Expectations]] = {}

    def get(self, path: str | None) -> Expectations:
        """Return what a file expects. Raises BadInput if it was never valid; later the last valid content remains."""
        if path is None:
            return Expectations()
        known = self._read.get(path)
        stamp = _stamp(path)
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            found = read(path, streams=self.streams)
        except BadInput as error:
            if known is None:
                raise
            logger.error("The last valid content of %s remains in use. %s", path, error)
            found = known[1]
        self._read[path] = (stamp, found)
        return found


def _stamp(path: str) -> tuple[int, int]:
    """Return what changes with a file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)
