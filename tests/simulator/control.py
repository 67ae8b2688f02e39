# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control interface under ``/_simulator/``: not part of the API, without credentials, never in the log.

=======  ============  ==========================================================================
GET      log           ``{"log": [record, ...]}``
DELETE   log           forgets the records
POST     restart       ends the process and starts it again: all that the API made is lost. A configuration directory
                       is read again; without an answer if the server does not start from it, and stays down
GET      lines         ``{"lines": [text, ...]}``: the errors in the server's own log
POST     streams       ``{"vhost", "app", "stream"}`` goes live, with the outputs that :mod:`.outputs` allows: none of
                       a profile with an unknown codec. Options: ``reconnects`` true: its encoder connects
                       again after a DELETE; ``source_type`` and ``source_url``, by default an encoder by RTMP
DELETE   streams       the same, ends. If that kills the process (concludeHlsLive on 0.18.0), it is dead from the
                       next request on
POST     origins       ``{"url", "behaviour": "accept" | "refuse"}``: what a pull meets at that url or under it.
                       No origin is reachable unless one was announced here; a restart changes nothing. A pull
                       that is not persistent ends if its origin refuses for ``noInputFailoverTimeoutMs``
POST     speech        ``{"vhost", "app", "stream", "renditions": [{"label", "model", "language", "translation"}]}``:
                       the live stream has these encoders of speech to text (0.21.0); texts
POST     viewers       ``{"number", "vhost"}``, also ``app`` and ``stream``: so many are connected until a restart
POST     publish       ``{"host", "app", "stream"}``: a publisher sends the stream to that host name. Answers with
                       ``{"vhost", "app", "stream"}`` where it went live, or with 404 and also ``error``, such as
                       ``Could not find the application: #default#live``; ``vhost`` is null if no host name matches
POST     tasks         ``{"vhost", "app"}`` and task fields: a task of the server's configuration
POST     records       ``{"vhost", "app"}`` and fields of a recording: a recording of the server's configuration
POST     destinations  ``{"url", "behaviour": "accept" | "refuse" | "hang"}``
POST     reload        ``{"vhost": name or null, "fails": bool}``; null is the reload of all
POST     reload_delay  ``{"seconds": number}``: a reload shows only after that
POST     latency       ``{"seconds": number}`` that each API request takes beside its work from now on
POST     tls           ``{"port", "behaviour": "serve" | "hang" | "down", "lag": number or null}``, either or
                       both: what a TLS port does, and after how many seconds it shows reloads (null: none)
GET      handshakes    ``{"handshakes": [{"port", "server_name", "vhost", "fingerprint"}, ...]}``
DELETE   handshakes    forgets them
POST     vhosts        ``{"config": {...}, "applications": [...]}``: into the configuration file, in the place of
                       a virtual host of that name (so that ``default`` can lose its ``*``)
GET      faults        ``{"faults": [{"id", "kind", ..., "met": [request, ...], "active": bool}, ...]}``
POST     faults        ``{"kind", ...}``: spoils requests from now on; kinds and options are in :mod:`.faults`,
                       those of viewers in :mod:`.viewer_faults`, those of WebRTC and RTMP in :mod:`.media_faults`;
                       answers with the fault
DELETE   faults        ends and forgets all, or with ``{"id"}`` one
GET      state         what the server holds
=======  ============  ==========================================================================
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from . import records
from .answers import Answer
from .configuration import NotStarted
from .faults import from_json as fault_of_api
from .publishing import NotPublished, publish
from .push_tasks import representation
from .router import plain_path
from .state import ACCEPT, REFUSE, State
from .viewer_faults import from_json as fault_of_viewers
from .viewer_faults import is_for_viewers

if TYPE_CHECKING:
    from .server import Server

PREFIX = "/_simulator/"
_STREAM_FIELDS = {"vhost", "app", "stream", "reconnects", "source_type", "source_url"}
_TASK_FIELDS = {"id", "stream_name", "protocol", "url", "stream_key", "variant_names"}
_RECORD_FIELDS = {
    "id",
    "stream_name",
    "file_path",
    "info_path",
    "interval",
    "schedule",
    "segmentation_rule",
    "metadata",
    "variant_names",
}


async def answer(server: Server, method: str, target: str, raw: bytes) -> Answer:
    """Do what a control request asks; 400 if the request is invalid, 404 if there is no such call,
    or a publisher
    finds no application."""
    action = _ACTIONS.get((method, plain_path(target)[len(PREFIX) :]))
    if action is None:
        return Answer(404, {"error": f"no such control call: {method} {target}"})
    try:
        body = json.loads(raw) if raw else {}
        if action in (_set_tls, _restart):
            return Answer(200, await action(server, body))
        with server.state.lock:
            return Answer(200, action(server, body))
    except NotPublished as error:
        return Answer(404, error.as_dict())
    except (KeyError, LookupError, TypeError, ValueError, AttributeError) as error:
        return Answer(400, {"error": f"{type(error).__name__}: {error}"})


def _log(server: Server, _body: Any) -> Any:
    return {"log": [record.as_dict() for record in server.log]}


def _lines(server: Server, _body: Any) -> Any:
    return {"lines": server.state.lines}


def _clear_log(server: Server, _body: Any) -> Any:
    server.clear_log()
    return {}


async def _restart(server: Server, _body: Any) -> Any:
    with contextlib.suppress(NotStarted):
        await server.restart()
    return {}


def _stream_appears(server: Server, body: Any) -> Any:
    unknown = sorted(set(body) - _STREAM_FIELDS)
    if unknown:
        raise ValueError(f"unknown keys: {', '.join(unknown)}")
    server.state.stream_appears(**body)
    return {}


def _stream_disappears(server: Server, body: Any) -> Any:
    server.state.stream_disappears(body["vhost"], body["app"], body["stream"])
    return {}


def _set_origin(server: Server, body: Any) -> Any:
    set_origin(server.state, body["url"], body["behaviour"])
    return {}


def _set_speech(server: Server, body: Any) -> Any:
    set_speech(server.state, body["vhost"], body["app"], body["stream"], body["renditions"])
    return {}


def _set_viewers(server: Server, body: Any) -> Any:
    set_viewers(server.state, int(body["number"]), body["vhost"], body.get("app"), body.get("stream"))
    return {}


def _publish(server: Server, body: Any) -> Any:
    return asdict(publish(server.state, **body))


def _fields(body: Any, known: set[str]) -> dict[str, Any]:
    fields = {key: value for key, value in body.items() if key not in ("vhost", "app")}
    unknown = sorted(set(fields) - known)
    if unknown:
        raise ValueError(f"unknown keys: {', '.join(unknown)}")
    return fields


def _add_record(server: Server, body: Any) -> Any:
    fields = _fields(body, _RECORD_FIELDS)
    holder, record = server.state.records.add_config_record(body["vhost"], body["app"], **fields)
    return records.representation(server.state, holder, record)


def _add_task(server: Server, body: Any) -> Any:
    fields = _fields(body, _TASK_FIELDS)
    task = server.state.add_config_task(body["vhost"], body["app"], **fields)
    return representation(server.state, body["vhost"], body["app"], task)


def _set_destination(server: Server, body: Any) -> Any:
    server.state.set_destination(body["url"], body["behaviour"])
    return {}


def _set_reload(server: Server, body: Any) -> Any:
    set_failing_reload(server.state, body.get("vhost"), body.get("fails", True))
    return {}


def _set_reload_delay(server: Server, body: Any) -> Any:
    server.state.reload_delay = float(body["seconds"])
    return {}


def _set_latency(server: Server, body: Any) -> Any:
    server.latency = float(body["seconds"])
    return {}


async def _set_tls(server: Server, body: Any) -> Any:
    # Numbers that a playbook puts together are texts for ansible-core before 2.19.
    listener = server.tls_listener(int(body["port"]))
    if "lag" in body:
        listener.lag(None if body["lag"] is None else float(body["lag"]))
    if "behaviour" in body:
        await listener.behave(body["behaviour"])
    return {}


def _handshakes(server: Server, _body: Any) -> Any:
    return {"handshakes": [asdict(handshake) for handshake in server.handshakes]}


def _clear_handshakes(server: Server, _body: Any) -> Any:
    server.handshakes.clear()
    return {}


def _add_virtual_host(server: Server, body: Any) -> Any:
    server.state.add_static_virtual_host(body["config"], body.get("applications", ()))
    return {}


def _faults(server: Server, _body: Any) -> Any:
    return {"faults": [fault.as_dict() for fault in server.faults.all]}


def _inject(server: Server, body: Any) -> Any:
    fault = fault_of_viewers(body) if is_for_viewers(body) else fault_of_api(body)
    server.inject(fault)
    return fault.as_dict()


def _clear_faults(server: Server, body: Any) -> Any:
    if body.get("id") is None:
        server.faults.clear()
    else:
        server.faults.end(int(body["id"]))
    return {}


def _state(server: Server, _body: Any) -> Any:
    return snapshot(server.state)


def set_origin(state: State, url: str, behaviour: str) -> None:
    """Say what a pull meets at a url, or under it; it finds nothing elsewhere."""
    if behaviour not in (ACCEPT, REFUSE):
        raise ValueError(f"behaviour must be {ACCEPT} or {REFUSE}")
    with state.lock:
        state.world.origins[url.rstrip("/")] = behaviour


def set_speech(state: State, vhost: str, app: str, stream: str, renditions: list[dict[str, str]]) -> None:
    """Give a live stream encoders that turn its speech into subtitles."""
    with state.lock:
        state.streams[vhost, app, stream].renditions = list(renditions)


def set_viewers(state: State, number: int, vhost: str, app: str | None = None, stream: str | None = None) -> None:
    """Let so many viewers be connected to a virtual host, an application or a stream."""
    with state.lock:
        state.viewers[tuple(part for part in (vhost, app, stream) if part is not None)] = number


def set_failing_reload(state: State, vhost: str | None, fails: bool) -> None:
    """Let the reload of one virtual host, or (None) of all, fail from now on or no longer."""
    with state.lock:
        if fails:
            state.failing_reloads.add(vhost)
        else:
            state.failing_reloads.discard(vhost)


def snapshot(state: State) -> dict[str, Any]:
    """Return what the server holds, push tasks and recordings that outlived their application
    included, as JSON can carry it."""
    state.channels.look()
    tasks: list[dict[str, Any]] = []
    for (vhost, app), holders in state.push_applications.items():
        for push in holders:
            tasks.extend(representation(state, vhost, app, task) for task in push.tasks.values())
    return {
        "version": state.version.name,
        "virtual_hosts": {
            vhost.name: {
                "read_only": vhost.read_only,
                "config": vhost.config,
                "applications": {app.name: app.config for app in vhost.applications.values()},
            }
            for vhost in state.virtual_hosts.values()
        },
        "tasks": tasks,
        "records": [
            records.representation(state, holder, record)
            for holders in state.records.applications.values()
            for holder in holders
            for record in holder.records.values()
        ],
        **state.channels.snapshot(),
        "streams": [list(key) for key in state.streams],
        "stream_events": [asdict(event) for event in state.world.events],
        "destinations": state.destinations,
        "origins": state.world.origins,
        "failing_reloads": sorted(state.failing_reloads, key=str),
    }


_ACTIONS: dict[tuple[str, str], Callable[[Server, Any], Any]] = {
    ("GET", "log"): _log,
    ("DELETE", "log"): _clear_log,
    ("POST", "restart"): _restart,
    ("GET", "lines"): _lines,
    ("POST", "streams"): _stream_appears,
    ("DELETE", "streams"): _stream_disappears,
    ("POST", "origins"): _set_origin,
    ("POST", "speech"): _set_speech,
    ("POST", "viewers"): _set_viewers,
    ("POST", "publish"): _publish,
    ("POST", "tasks"): _add_task,
    ("POST", "records"): _add_record,
    ("POST", "destinations"): _set_destination,
    ("POST", "reload"): _set_reload,
    ("POST", "reload_delay"): _set_reload_delay,
    ("POST", "latency"): _set_latency,
    ("POST", "tls"): _set_tls,
    ("GET", "handshakes"): _handshakes,
    ("DELETE", "handshakes"): _clear_handshakes,
    ("POST", "vhosts"): _add_virtual_host,
    ("GET", "faults"): _faults,
    ("POST", "faults"): _inject,
    ("DELETE", "faults"): _clear_faults,
    ("GET", "state"): _state,
}
