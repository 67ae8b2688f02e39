# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs that the server starts by a stream map: which specified job each of them is.

They have random ids (server-facts: What survives a restart). A push task is recognized by its stream and its
destination, a recording by its stream and the path of its file.
"""

from __future__ import annotations

import posixpath
import re
import typing as t

from .._schema.fields import Difference, Field
from . import application
from .job import JobKind, id_of, is_of_configuration

Value = t.Mapping[str, t.Any]
Raw = t.Mapping[str, t.Any]  # a job in wire form
Scope = tuple[str, str]  # the names of a virtual host and an application

_SOURCE = "${SourceStream}"


class Mapped(t.NamedTuple):
    """A job that the server's configuration has started, in wire form and in option form."""

    raw: Raw
    job: dict[str, t.Any]

    @property
    def server_id(self) -> str:
        """The id that the server has given it."""
        return id_of(self.raw)


def map_path(kind: JobKind, raw: t.Mapping[str, t.Any], scope: Scope) -> str | None:
    """Return the path of the stream map that a running application (wire form) reads; None if it reads none."""
    app = application.from_wire(raw, scope[0])
    named = ((app.get("publishers") or {}).get(kind.map_publisher) or {}).get("stream_map") or {}
    return str(named["path"]) if str(named.get("enable")).lower() == "true" and named.get("path") else None


def durable_path(kind: JobKind, vhost: str, app: str) -> str:
    """Return the path of the map that this collection writes, relative to the configuration directory."""
    return posixpath.join("maps", vhost, app, kind.map_file)


def is_durable_path(kind: JobKind, path: str, scope: Scope) -> bool:
    """Return whether a stream map is where this collection writes it."""
    usual = durable_path(kind, *scope)
    return path == usual or path.endswith(f"/{usual}")


def is_same_job(kind: JobKind, specified: Value, running: Value) -> bool:
    """Return whether a job (option form, as it runs) is what the server makes of a specified one, or of an entry."""
    is_recognized = takes_stream(_stream_of(specified), _stream_of(running)) and all(
        _is_value(kind.declaration.fields[option], specified.get(option, ""), running, option)
        for option in kind.identity
    )
    # Recordings without a path have a file each, so that several of one stream can run: their settings tell them apart.
    return is_recognized and bool(specified.get(kind.destination) or not settings_differ(kind, specified, running))


def of_configuration(kind: JobKind, jobs: t.Iterable[Raw], scope: Scope) -> list[Mapped]:
    """Return the jobs of an application that the server's configuration has started."""
    return [Mapped(raw, kind.from_wire(raw, *scope)) for raw in jobs if is_of_configuration(raw)]


def started_by(kind: JobKind, specified: Value, configured: t.Iterable[Mapped]) -> list[Mapped]:
    """Return the jobs of the configuration of an application that its stream map has started from what is specified."""
    return [one for one in configured if is_same_job(kind, specified, one.job)]


def settings_differ(kind: JobKind, specified: Value, running: Value) -> list[Difference]:
    """Return the differences in what a job is not recognized by, such as the tracks of a push task."""
    ignored = ("id", *kind.identity)
    compared = {option: value for option, value in specified.items() if option not in ignored}
    stream = {option: value for option, value in compared.get("stream", {}).items() if option != "name"}
    return list(kind.declaration.difference({**compared, "stream": stream}, running))


def same_destination(kind: JobKind, specified: Value, running: Value) -> bool:
    """Return whether a job of another stream goes where a specified one goes."""
    if is_same_job(kind, specified, running) or not specified.get(kind.destination):
        return False
    texts = [str(specified.get(option, "")) for option in kind.identity]
    if any("${" in text for text in texts):
        return False
    return is_same_job(kind, {**specified, "stream": running.get("stream", {})}, running)


def entries_of(kind: JobKind, entries: t.Sequence[Value], jobs: t.Sequence[Raw], scope: Scope) -> dict[str, Value]:
    """Return the entries of a stream map by the ids of the jobs (wire form) that the server has started from them.

    An entry for the streams of a pattern is no job, and an id that would name several jobs names none.
    """
    found: dict[str, Value] = {}
    names = [id_of(raw) for raw in jobs]
    for one in of_configuration(kind, jobs, scope):
        entry = next((entry for entry in entries if is_same_job(kind, entry, one.job)), None)
        if entry is not None and not set("*?$") & set(_stream_of(entry)):
            found[one.server_id] = entry
            names.append(entry["id"])
    return {server_id: entry for server_id, entry in found.items() if names.count(entry["id"]) == 1}


def _stream_of(job: Value) -> str:
    stream = job.get("stream")
    return str(stream.get("name", "")) if isinstance(stream, dict) else ""


def takes_stream(pattern: str, name: str) -> bool:
    """Return whether the server starts an entry for a stream; `*` and `?` are wildcards [read]."""
    if pattern == name or not set("*?$") & set(pattern):
        return pattern == name
    expression = re.escape(pattern).replace(re.escape(_SOURCE), ".*").replace(r"\*", ".*").replace(r"\?", ".?")
    return re.fullmatch(expression, name, re.DOTALL) is not None


def _is_value(field: Field, value: t.Any, running: Value, option: str) -> bool:
    """Return whether an option of a job that runs is the specified value, with or without macros replaced.

    The server replaces macros in the destination of a push task, and keeps them in the path of a recording.
    """
    current = running.get(option, "")
    if field.equal(value, current) or not isinstance(value, str) or "${" not in value:
        return bool(field.equal(value, current))
    macros = {"${Application}": re.escape(str(running["app"])), "${Stream}": re.escape(_stream_of(running))}
    expression = re.escape(str(field.normalize(value)))
    for macro, text in {**macros, _SOURCE: ".*"}.items():  # No job says which input its stream comes from.
        expression = expression.replace(re.escape(macro), text)
    return re.fullmatch(expression, str(field.normalize(current)), re.DOTALL) is not None
