# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of output profiles (server-facts: Output profiles). Each write restarts the application."""

from __future__ import annotations

import copy
from typing import Any

from . import outputs, schema
from .answers import Answer, bulk, envelope, success
from .errors import NO_OBJECT, ApiError, ConfigError
from .state import Application, State, VirtualHost
from .virtual_hosts import refuse_read_only

_INVALID = "Invalid request body: "


def _find(vhost: VirtualHost, app: Application, name: str) -> dict[str, Any]:
    """Return the profile of a path. :raises ApiError: 404."""
    for profile in outputs.profiles(app):
        if schema.as_text(profile["name"]) == name:
            return profile
    raise ApiError(404, f"Could not find the output profile: [{vhost.name}/{app.name}/{name}]")


def list_names(app: Application) -> Answer:
    """GET .../outputProfiles, in the order of the application."""
    return success([schema.as_text(profile["name"]) for profile in outputs.profiles(app)])


def read(vhost: VirtualHost, app: Application, name: str) -> Answer:
    """GET .../outputProfiles/{profile}."""
    return success(_find(vhost, app, name))


def create(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST .../outputProfiles: an invalid item fails the request; the application restarts also for conflicts only."""
    refuse_read_only(vhost)
    if not isinstance(body, list):
        raise ApiError(400, "Request body must be an array")
    profiles = copy.deepcopy(outputs.profiles(app))
    names: list[str | None] = []
    conflicts: list[dict[str, Any]] = []
    for item in body:
        name = _checked(item)
        if any(schema.as_text(profile["name"]) == name for profile in profiles):
            names.append(None)
            conflicts.append(envelope(409, f'The output profile "{name}" already exists'))
        else:
            names.append(name)
            profiles.append(item)
    new = _recreate(state, vhost, app, profiles)
    refused = iter(conflicts)
    return bulk([next(refused) if name is None else envelope(response=_find(vhost, new, name)) for name in names])


def replace(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """PATCH .../outputProfiles/{profile}: what is not sent is removed."""
    refuse_read_only(vhost)
    if not isinstance(body, dict):
        raise ApiError(400, "Request body must be an object")
    old = _find(vhost, app, name)
    for key in body:
        if key.lower() == "name":
            raise ApiError(400, f"The {key} entry cannot be specified in the modification")
    profiles = [{**body, "name": name} if profile is old else profile for profile in outputs.profiles(app)]
    return success(_find(vhost, _recreate(state, vhost, app, profiles), name))


def delete(state: State, vhost: VirtualHost, app: Application, name: str) -> Answer:
    """DELETE .../outputProfiles/{profile}."""
    refuse_read_only(vhost)
    gone = _find(vhost, app, name)
    _recreate(state, vhost, app, [profile for profile in outputs.profiles(app) if profile is not gone])
    return success()


def _checked(item: Any) -> str:
    """Return the name of a new profile. :raises ApiError: 400."""
    if item is not None and not isinstance(item, dict):
        raise ApiError(500, NO_OBJECT, framed=False)
    profile = item or {}
    if any(key not in profile for key in ("name", "outputStreamName", "encodes")):
        raise ApiError(400, f'{_INVALID}"name", "outputStreamName", "encodes" are required')
    name, encodes = profile["name"], profile["encodes"]
    if not isinstance(name, str) or not isinstance(profile["outputStreamName"], str) or not isinstance(encodes, dict):
        raise ApiError(400, f'{_INVALID}"name" must be a string and "encodes" must be an object')
    at_least_one = '"encodes" must have at least one item (videos array or audios array)'
    if "videos" not in encodes and "audios" not in encodes:
        raise ApiError(400, _INVALID + at_least_one)
    for key in ("videos", "audios"):
        if key in encodes and not isinstance(encodes[key], list):
            raise ApiError(400, f'{_INVALID}"encodes.{key}" must be an array')
    if not encodes.get("videos") and not encodes.get("audios"):
        raise ApiError(400, f"{_INVALID}{at_least_one} and each item must have at least one item")
    return name


def _recreate(state: State, vhost: VirtualHost, app: Application, profiles: list[dict[str, Any]]) -> Application:
    """Delete the application and make it again with other profiles; its push tasks and streams are lost."""
    version = state.version
    config = {**app.config, "outputProfiles": {**app.config.get("outputProfiles", {}), "outputProfile": profiles}}
    try:
        accepted = schema.accept(config, schema.application(version.keys, version.takes_other_keys), "application")
    except ConfigError as error:
        raise ApiError(400, error.message) from error
    state.delete_application(vhost, app)
    return state.create_application(vhost, accepted)
