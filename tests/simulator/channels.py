# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of scheduled and multiplex channels (server-facts: Streams, recordings, channels, output profiles)."""

from __future__ import annotations

from typing import Any

from . import multiplexes, schedules
from .answers import Answer, envelope, success
from .channel_files import MULTIPLEX, SCHEDULED, Channel, Kind, directory
from .errors import ApiError
from .state import Application, State, VirtualHost

FORBIDDEN = Answer(403, envelope(403, "Forbidden"))
CREATED = Answer(201, envelope(201, "Created"))


def _path(app: Application, kind: Kind, name: str) -> str | None:
    found = directory(app, kind)
    return None if found is None else f"{found}/{name}.{kind.extension}"


def _object(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise ApiError(400, "Invalid request body")
    return body


# -- scheduled channels ---------------------------------------------------------------------------------------


def list_scheduled(state: State, vhost: VirtualHost, app: Application) -> Answer:
    """GET .../scheduledChannels."""
    return success(list(state.channels.of(SCHEDULED, vhost.name, app.name)))


def create_scheduled(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST .../scheduledChannels."""
    _object(body)
    if directory(app, SCHEDULED) is None:
        return FORBIDDEN
    schedule = schedules.read(body, state.clock.time_of_day(), state.version)
    return _create(state, vhost, app, SCHEDULED, schedule["stream"]["name"], schedule)


def read_scheduled(state: State, vhost: VirtualHost, app: Application, name: str) -> Answer:
    """GET .../scheduledChannels/{name}."""
    channel = _scheduled(state, vhost, app, name)
    if channel is None:
        raise ApiError(500, "Could not get the scheduled stream")
    return success({**channel.file.content, "currentProgram": state.channels.current_program(channel)})


def change_scheduled(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """PATCH .../scheduledChannels/{name}."""
    channel = _scheduled(state, vhost, app, name)
    _object(body)
    if channel is None:
        raise ApiError(400, "Stream is not a scheduled stream")
    if "stream" in body:
        raise ApiError(400, "Stream object could not be patched")
    try:
        changed = schedules.patch(channel.file.content, body, state.clock.time_of_day(), state.version)
    except ApiError as error:
        if error.status != 400:
            raise
        raise ApiError(400, "Could not patch the schedule") from error
    state.channels.write(channel.path, changed)
    return CREATED


def delete_scheduled(state: State, vhost: VirtualHost, app: Application, name: str) -> Answer:
    """DELETE .../scheduledChannels/{name}."""
    channel = _scheduled(state, vhost, app, name)
    if channel is None:
        raise ApiError(400, "Stream is not a scheduled stream")
    return _delete(state, SCHEDULED, channel)


def _scheduled(state: State, vhost: VirtualHost, app: Application, name: str) -> Channel | None:
    """Return a channel; None if a stream of another kind has the name. :raises ApiError: 404."""
    channel = state.channels.of(SCHEDULED, vhost.name, app.name).get(name)
    if channel is None and (vhost.name, app.name, name) not in state.streams:
        raise ApiError(404, f"Could not find the stream: [{vhost.name}/#{vhost.name}#{app.name}/{name}]")
    return channel


# -- multiplex channels ---------------------------------------------------------------------------------------


def list_multiplex(state: State, vhost: VirtualHost, app: Application) -> Answer:
    """GET .../multiplexChannels."""
    _require_multiplex(app)
    return success(sorted(state.channels.of(MULTIPLEX, vhost.name, app.name)))


def create_multiplex(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST .../multiplexChannels. A channel that does not play yet is no stream and so no conflict."""
    _object(body)
    if directory(app, MULTIPLEX) is None:
        return FORBIDDEN
    profile = multiplexes.read(body, state.version)
    return _create(state, vhost, app, MULTIPLEX, profile["outputStream"]["name"], profile)


def read_multiplex(state: State, vhost: VirtualHost, app: Application, name: str) -> Answer:
    """GET .../multiplexChannels/{name}."""
    channel = _multiplex(state, vhost, app, name)
    missing = state.channels.missing_source(channel)
    if missing is None:
        return success({**channel.file.content, "state": "Playing"})
    message = f"Multiplex Channel : #{vhost.name}#{app.name}/{name}: Wait for stream {missing}"
    return success({**channel.file.content, "state": "Pulling", "pullingMessage": message})


def delete_multiplex(state: State, vhost: VirtualHost, app: Application, name: str) -> Answer:
    """DELETE .../multiplexChannels/{name}."""
    return _delete(state, MULTIPLEX, _multiplex(state, vhost, app, name))


def _require_multiplex(app: Application) -> None:
    if directory(app, MULTIPLEX) is None:
        raise ApiError(404, "Could not get the multiplex application")


def _multiplex(state: State, vhost: VirtualHost, app: Application, name: str) -> Channel:
    if not name:
        raise ApiError(400, "Invalid stream name")
    _require_multiplex(app)
    channel = state.channels.of(MULTIPLEX, vhost.name, app.name).get(name)
    if channel is None:
        raise ApiError(404, f"Could not get the multiplex stream <{name}>")
    return channel


# -- both -----------------------------------------------------------------------------------------------------


def _create(
    state: State, vhost: VirtualHost, app: Application, kind: Kind, name: str, content: dict[str, Any]
) -> Answer:
    taken = name in state.channels.of(SCHEDULED, vhost.name, app.name)
    if taken or (vhost.name, app.name, name) in state.streams:
        raise ApiError(409, f"Stream '{name}' already exists")
    path = _path(app, kind, name)
    assert path is not None
    state.channels.write(path, content)
    return CREATED


def _delete(state: State, kind: Kind, channel: Channel) -> Answer:
    if not state.channels.delete(channel.path):
        raise ApiError(500, f"Could not delete the {kind.word} file {channel.path}")
    return success()
