# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a method and a path to the rules that answer it."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import (
    applications,
    certificates,
    channels,
    profiles,
    push_tasks,
    records,
    statistics,
    stream_events,
    streams,
    virtual_hosts,
)
from .answers import Answer, failure, success
from .errors import ApiError
from .jsontext import JsonError, JsonTooDeep, parse
from .state import Application, State, VirtualHost

CHALLENGE = {"WWW-Authenticate": 'Basic realm="OvenMediaEngine"'}


@dataclass
class Call:
    """A request that has found its rules; ``vhost`` and ``app`` are set if the path names them."""

    state: State
    body: Any
    vhost: VirtualHost
    app: Application
    names: Mapping[str, str]
    address: str
    """The url of the request."""


Rule = Callable[[Call], Answer]


def _version(call: Call) -> Answer:
    version = call.state.version
    if not version.has_version_call:
        raise ApiError(404, "Controller not found")
    return success({"version": version.reported, "gitVersion": "(simulator)"})


def _stream_statistics(call: Call) -> Answer:
    streams.find(call.state, call.vhost, call.app, call.names["stream"])
    return statistics.read(call.state, call.vhost.name, call.app.name, call.names["stream"])


def _internals(call: Call, rule: Rule) -> Answer:
    if not call.state.version.has_internals:
        raise ApiError(404, "Controller not found")
    return rule(call)


def _stream_action(call: Call) -> Answer:
    action = stream_events.ACTIONS[call.names["action"]]
    return action.rule(call.state, call.vhost, call.app, call.names["stream"], call.body)


def _channel(rule: Rule) -> Rule:
    """Return a rule of channels for versions that have them."""

    def answered(call: Call) -> Answer:
        if not call.state.version.has_channels:
            raise ApiError(404, "Controller not found")
        return rule(call)

    return answered


_VHOST = r"/v1/vhosts/(?P<vhost>[^/]*)"
_VHOST_ACTION = r"/v1/vhosts/(?P<vhost>[^/:]*):"
_APP = _VHOST + r"/apps/(?P<app>[^/:]*)"
_STREAMS = _APP + "/streams"
_STREAM = _STREAMS + r"/(?P<stream>[^/]*)"
_PROFILES = _APP + "/outputProfiles"
_PROFILE = _PROFILES + r"/(?P<profile>[^/]*)"
_INTERNALS = r"/v1/stats/current/internals"
_STATS = r"/v1/stats/current/vhosts/(?P<vhost>[^/]*)"

_SCHEDULED = _APP + "/scheduledChannels"
_MULTIPLEX = _APP + "/multiplexChannels"
_NAME = r"/(?P<channel>[^/]*)"

_CHANNELS: tuple[tuple[str, str, Rule], ...] = (
    ("GET", _SCHEDULED, lambda call: channels.list_scheduled(call.state, call.vhost, call.app)),
    ("POST", _SCHEDULED, lambda call: channels.create_scheduled(call.state, call.vhost, call.app, call.body)),
    (
        "GET",
        _SCHEDULED + _NAME,
        lambda call: channels.read_scheduled(call.state, call.vhost, call.app, call.names["channel"]),
    ),
    (
        "PATCH",
        _SCHEDULED + _NAME,
        lambda call: channels.change_scheduled(call.state, call.vhost, call.app, call.names["channel"], call.body),
    ),
    (
        "DELETE",
        _SCHEDULED + _NAME,
        lambda call: channels.delete_scheduled(call.state, call.vhost, call.app, call.names["channel"]),
    ),
    ("GET", _MULTIPLEX, lambda call: channels.list_multiplex(call.state, call.vhost, call.app)),
    ("POST", _MULTIPLEX, lambda call: channels.create_multiplex(call.state, call.vhost, call.app, call.body)),
    (
        "GET",
        _MULTIPLEX + _NAME,
        lambda call: channels.read_multiplex(call.state, call.vhost, call.app, call.names["channel"]),
    ),
    (
        "DELETE",
        _MULTIPLEX + _NAME,
        lambda call: channels.delete_multiplex(call.state, call.vhost, call.app, call.names["channel"]),
    ),
)

# The first that matches counts. Patterns and their order are those of the server, so that
# GET /v1/vhosts/x:y looks for a virtual host "x:y" as it does there.
_TABLE: tuple[tuple[str, str, Rule], ...] = (
    ("GET", r"/v1/version", _version),
    ("POST", r"/v1/vhosts", lambda call: virtual_hosts.create(call.state, call.body)),
    ("GET", r"/v1/vhosts", lambda call: virtual_hosts.list_names(call.state)),
    ("GET", _VHOST, lambda call: virtual_hosts.read(call.state, call.vhost)),
    ("DELETE", _VHOST, lambda call: virtual_hosts.delete(call.state, call.vhost)),
    ("POST", r"/v1/vhosts:reloadAllCertificates", lambda call: certificates.reload_all(call.state)),
    ("POST", _VHOST_ACTION + "reloadCertificate", lambda call: certificates.reload_one(call.state, call.vhost)),
    ("POST", _VHOST + "/apps", lambda call: applications.create(call.state, call.vhost, call.body)),
    ("GET", _VHOST + "/apps", lambda call: applications.list_names(call.state, call.vhost)),
    ("GET", _APP, lambda call: applications.read(call.app)),
    ("PATCH", _APP, lambda call: applications.change(call.state, call.vhost, call.app, call.body)),
    ("DELETE", _APP, lambda call: applications.delete(call.state, call.vhost, call.app)),
    ("POST", _APP + ":pushes", lambda call: push_tasks.pushes(call.state, call.vhost, call.app, call.body)),
    ("GET", _APP + ":pushes", lambda call: push_tasks.pushes(call.state, call.vhost, call.app, None)),
    ("POST", _APP + ":startPush", lambda call: push_tasks.start(call.state, call.vhost, call.app, call.body)),
    ("POST", _APP + ":stopPush", lambda call: push_tasks.stop(call.state, call.vhost, call.app, call.body)),
    ("POST", _APP + ":records", lambda call: records.records(call.state, call.vhost, call.app, call.body)),
    ("GET", _APP + ":records", lambda call: records.records(call.state, call.vhost, call.app, None)),
    ("POST", _APP + ":startRecord", lambda call: records.start(call.state, call.vhost, call.app, call.body)),
    ("POST", _APP + ":stopRecord", lambda call: records.stop(call.state, call.vhost, call.app, call.body)),
    *((method, pattern, _channel(rule)) for method, pattern, rule in _CHANNELS),
    ("POST", _STREAMS, lambda call: streams.pull(call.state, call.vhost, call.app, call.body, call.address)),
    ("GET", _STREAMS, lambda call: streams.list_names(call.state, call.vhost, call.app)),
    ("GET", _STREAM, lambda call: streams.read(call.state, call.vhost, call.app, call.names["stream"])),
    ("DELETE", _STREAM, lambda call: streams.delete(call.state, call.vhost, call.app, call.names["stream"])),
    ("POST", _STREAM + ":(?P<action>" + "|".join(stream_events.ACTIONS) + ")", _stream_action),
    ("POST", _PROFILES, lambda call: profiles.create(call.state, call.vhost, call.app, call.body)),
    ("GET", _PROFILES, lambda call: profiles.list_names(call.app)),
    ("GET", _PROFILE, lambda call: profiles.read(call.vhost, call.app, call.names["profile"])),
    (
        "PATCH",
        _PROFILE,
        lambda call: profiles.replace(call.state, call.vhost, call.app, call.names["profile"], call.body),
    ),
    ("DELETE", _PROFILE, lambda call: profiles.delete(call.state, call.vhost, call.app, call.names["profile"])),
    ("GET", r"/v1/stats/current", lambda call: statistics.read(call.state)),
    ("GET", _INTERNALS, lambda call: _internals(call, lambda _call: statistics.internals())),
    ("GET", _INTERNALS + "/queues", lambda call: _internals(call, lambda called: statistics.queues(called.state))),
    ("GET", _STATS, lambda call: statistics.read(call.state, call.vhost.name)),
    ("GET", _STATS + r"/apps/(?P<app>[^/]*)", lambda call: statistics.read(call.state, call.vhost.name, call.app.name)),
    ("GET", _STATS + r"/apps/(?P<app>[^/:]*)/streams/(?P<stream>[^/]*)", _stream_statistics),
    ("POST", r"/v1/managers/api:reloadCertificate", lambda call: certificates.reload_api(call.state)),
)

_ROUTES: dict[str, list[tuple[re.Pattern[str], Rule]]] = {}
for _method, _pattern, _rule in _TABLE:
    _ROUTES.setdefault(_method, []).append((re.compile(_pattern), _rule))
_ROUTES["HEAD"] = _ROUTES["GET"]


def check_credentials(authorization: str | None, token: str) -> None:
    """:raises ApiError: 401, with the texts of server-facts: HTTP."""
    if not authorization:
        raise ApiError(401, "Authorization header is required to call API")
    parts = authorization.split(" ")
    if len(parts) != 2:
        raise ApiError(401, "Invalid authorization header")
    if parts[0].upper() != "BASIC":
        raise ApiError(401, f"Not supported credential type: {parts[0]}")
    try:
        given = b64decode(parts[1])
    except (Base64Error, ValueError):
        given = b""
    if given != token.encode():
        raise ApiError(401, "Invalid credential")


def plain_path(target: str) -> str:
    """Return a request target without query and fragment, not percent-decoded (server-facts: Virtual hosts)."""
    if not target.startswith("/") and "://" in target:
        target = "/" + target.split("://", 1)[1].partition("/")[2]
    return re.split(r"[?#]", target, maxsplit=1)[0]


def _match(state: State, method: str, path: str) -> tuple[Rule, dict[str, str]]:
    for pattern, rule in _ROUTES.get(method, ()):
        found = pattern.fullmatch(path)
        action = stream_events.ACTIONS.get(found["action"]) if found and "action" in found.groupdict() else None
        if found is not None and (action is None or action.since <= state.version.release):
            return rule, found.groupdict()
    raise ApiError(404, "Controller not found")


def answer(
    state: State,
    token: str,
    method: str,
    target: str,
    authorization: str | None,
    raw: bytes,
    origin: str = "http://127.0.0.1",
) -> Answer:
    """Do the work of one request.

    :param target: the path as sent.
    :param origin: what precedes the path in the url of the request.
    :param authorization: the header, or None.
    :param raw: the body as sent.
    :raises ServerDies: the request ends the process.
    """
    if method == "OPTIONS":
        return Answer(204, headers={"Content-Type": "text/html"}, empty=True)
    try:
        check_credentials(authorization, token)
    except ApiError as error:
        refused = failure(error)
        refused.headers = CHALLENGE
        return refused
    try:
        with state.lock:
            return _work(state, method, plain_path(target), raw, origin)
    except ApiError as error:
        return failure(error)


def _work(state: State, method: str, path: str, raw: bytes, origin: str) -> Answer:
    state.channels.look()
    rule, names = _match(state, method, path)
    body = _read_body(raw) if method in ("POST", "PATCH") else None
    vhost: Any = virtual_hosts.find(state, names["vhost"]) if "vhost" in names else None
    app: Any = applications.find(vhost, names["app"]) if "app" in names else None
    return rule(Call(state, body, vhost, app, names, origin + path))


def _read_body(raw: bytes) -> Any:
    try:
        return parse(raw)
    except JsonError as error:
        raise ApiError(400, f"[JSON] {error}") from error
    except JsonTooDeep as error:
        raise ApiError(500, str(error), framed=False) from error
