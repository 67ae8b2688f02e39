# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of HLS dumps (server-facts: HLS dumps)."""

from __future__ import annotations

from typing import Any

from . import streams
from .answers import Answer, success
from .errors import ApiError
from .media import Dump, LiveStream
from .state import Application, State, VirtualHost


def _text(body: dict[str, Any], key: str) -> str:
    value = body.get(key)
    return value if isinstance(value, str) else ""


def _requested(body: Any) -> Dump:
    values = streams.as_object(body)
    listed = values.get("playlist")
    return Dump(
        id=_text(values, "id"),
        output=_text(values, "outputStreamName"),
        path=_text(values, "outputPath"),
        info_file=_text(values, "infoFile"),
        user_data=_text(values, "userData"),
        playlists=[entry for entry in listed if isinstance(entry, str)] if isinstance(listed, list) else [],
    )


def _representation(dump: Dump) -> dict[str, Any]:
    optional = {"infoFile": dump.info_file, "userData": dump.user_data, "playlist": dump.playlists}
    return {
        "id": dump.id,
        "outputStreamName": dump.output,
        "outputPath": dump.path,
        "enabled": dump.enabled,
        **{key: value for key, value in optional.items() if value},
    }


def _of_output(state: State, app: Application, place: str, stream: LiveStream, name: str, output: str) -> Any:
    """Return the dumps of an output stream, by id. :raises ApiError: 404 without the output, or its LLHLS."""
    if output not in [entry["name"] for entry in streams.outputs(state, app, name, stream)]:
        raise ApiError(404, f"Could not find output stream: [{place}]")
    if "llhls" not in (app.config.get("publishers") or {}):
        raise ApiError(404, f"Could not find LLHLS stream: [{place}]")
    return stream.dumps.setdefault(output, {})


def list_dumps(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """POST ...:hlsDumps: those with an id, or all."""
    stream = streams.find(state, vhost, app, name)
    wanted = _requested(body)
    if not wanted.output:
        raise ApiError(400, "outputStreamName is required")
    dumps = _of_output(state, app, f"{vhost.name}/{app.name}/{wanted.output}", stream, name, wanted.output)
    return success([_representation(dumps[key]) for key in sorted(dumps) if wanted.id in ("", key)])


def start(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """POST ...:startHlsDump. A stopped dump keeps its id."""
    stream = streams.find(state, vhost, app, name)
    dump = _requested(body)
    if not (dump.id and dump.output and dump.path):
        raise ApiError(400, "id, outputStreamName and outputPath are required")
    place = f"{vhost.name}/{app.name}/{dump.output}"
    dumps = _of_output(state, app, place, stream, name, dump.output)
    if dump.id in dumps:
        raise ApiError(500, f"Could not start dump: [{place}] (Duplicate ID)")
    if dump.info_file and any(other.info_file == dump.info_file for other in dumps.values()):
        raise ApiError(500, f"Could not start dump: [{place}] (Duplicate info file)")
    dumps[dump.id] = dump
    return success()


def stop(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """POST ...:stopHlsDump: the one with an id; all without one."""
    stream = streams.find(state, vhost, app, name)
    wanted = _requested(body)
    if not wanted.output:
        raise ApiError(400, "outputStreamName is required")
    place = f"{vhost.name}/{app.name}/{wanted.output}"
    dumps = _of_output(state, app, place, stream, name, wanted.output)
    if wanted.id and wanted.id not in dumps:
        raise ApiError(500, f"Could not stop dump: [{place}] (Could not find dump info)")
    for key, dump in dumps.items():
        if wanted.id in ("", key):
            dump.enabled = False
    return success()
