# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of applications (server-facts: Applications)."""

from __future__ import annotations

import copy
from typing import Any

from . import schema
from .answers import Answer, bulk, envelope, success
from .errors import NO_OBJECT, ApiError, ConfigError
from .state import Application, State, VirtualHost
from .virtual_hosts import refuse_read_only

_FIXED = ("name", "dynamic", "outputProfiles")

_DEFAULTS: dict[str, Any] = {
    "providers": {"ovt": {}, "rtspPull": {}, "webrtc": {}, "srt": {}, "rtmp": {}},
    "publishers": {"llhls": {}, "webrtc": {}, "ovt": {}},
    "outputProfiles": {
        "outputProfile": [
            {
                "name": "default",
                "outputStreamName": "${OriginStreamName}",
                "encodes": {
                    "videos": [{"name": "bypass_video", "bypass": True}],
                    "audios": [
                        {
                            "name": codec,
                            "codec": codec,
                            "bitrate": 128000,
                            "samplerate": 48000,
                            "channel": 2,
                            "bypassIfMatch": {"codec": "eq"},
                        }
                        for codec in ("opus", "aac")
                    ],
                },
            }
        ]
    },
}
"""What the server fills in for keys that are left out of POST .../apps."""


def find(vhost: VirtualHost, name: str) -> Application:
    """Return the application of a path. :raises ApiError: 404."""
    found = vhost.applications.get(name)
    if found is None or not name or not name.isascii():
        raise ApiError(404, f"Could not find the application: [{vhost.name}/{name}]")
    return found


def representation(app: Application) -> dict[str, Any]:
    """Return an application as reads return it."""
    config = app.config
    if app.mpegts_streams:
        mpegts = {**config["providers"]["mpegts"], "streams": app.mpegts_streams}
        config = {**config, "providers": {**config["providers"], "mpegts": mpegts}}
    return {**config, "dynamic": False}


def list_names(state: State, vhost: VirtualHost) -> Answer:
    """GET /v1/vhosts/{vhost}/apps."""
    return success(state.shuffled(vhost.applications))


def read(app: Application) -> Answer:
    """GET /v1/vhosts/{vhost}/apps/{app}."""
    return success(representation(app))


def delete(state: State, vhost: VirtualHost, app: Application) -> Answer:
    """DELETE /v1/vhosts/{vhost}/apps/{app}."""
    refuse_read_only(vhost)
    state.delete_application(vhost, app)
    return success()


def create(state: State, vhost: VirtualHost, body: Any) -> Answer:
    """POST /v1/vhosts/{vhost}/apps: items in order, without rollback; a bad item ends it."""
    refuse_read_only(vhost)
    if not isinstance(body, list):
        raise ApiError(400, "Request body must be an array")
    items = []
    for item in body:
        config = _accept(state, _with_defaults(item))
        name = schema.as_text(config["name"])
        if name in vhost.applications:
            items.append(envelope(409, f"Could not create the application: [{vhost.name}/{name}] already exists"))
        else:
            items.append(envelope(response=representation(state.create_application(vhost, config))))
    return bulk(items)


def change(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """PATCH /v1/vhosts/{vhost}/apps/{app}: the application is deleted and made again, its push tasks are lost."""
    refuse_read_only(vhost)
    if not isinstance(body, dict):
        raise ApiError(400, "Request body must be an object")
    for key in _FIXED:
        if key in body:
            raise ApiError(400, f"Cannot change [{key}] using this API")
    merged = copy.deepcopy(app.config)
    _overwrite(merged, body)
    config = _accept(state, merged)
    state.delete_application(vhost, app)
    return success(representation(state.create_application(vhost, config)))


def _with_defaults(item: Any) -> dict[str, Any]:
    if item is not None and not isinstance(item, dict):
        raise ApiError(500, NO_OBJECT, framed=False)
    given = item or {}
    return {**given, **{key: copy.deepcopy(value) for key, value in _DEFAULTS.items() if key not in given}}


def _accept(state: State, config: dict[str, Any]) -> dict[str, Any]:
    try:
        return schema.accept(
            config, schema.application(state.version.keys, state.version.takes_other_keys), "application"
        )
    except ConfigError as error:
        raise ApiError(state.version.application_config_error_status, error.message, framed=False) from error


def _overwrite(target: dict[str, Any], source: dict[str, Any]) -> None:
    for key, value in source.items():
        if isinstance(value, dict):
            inner = target.get(key)
            if not isinstance(inner, dict):
                inner = target[key] = {}
            _overwrite(inner, value)
        else:
            target[key] = value
