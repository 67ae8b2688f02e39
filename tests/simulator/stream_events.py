# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What requests send into streams: events, subtitles, the end of HLS, speech to text (server-facts: Streams); and the
table of all actions of a stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from . import dumps, streams
from .answers import Answer, bulk, envelope, success
from .errors import ApiError
from .media import LiveStream, StreamEvent
from .state import Application, State, VirtualHost

_EVENT_TYPES = ("VIDEO", "AUDIO", "EVENT")


def _text(value: Any, key: str) -> str | None:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def _array(value: dict[str, Any], key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def send_event(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """POST ...:sendEvent."""
    streams.find(state, vhost, app, name)
    _check_event(state, body)
    state.world.events.append(StreamEvent(vhost.name, app.name, name, "sendEvent", body))
    return success()


def send_events(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """POST ...:sendEvents: items in order, without rollback."""
    streams.find(state, vhost, app, name)
    if not isinstance(body, list) or not body:
        raise ApiError(400, "events(array) is required")
    items = []
    for item in body:
        try:
            send_event(state, vhost, app, name, item)
            items.append(envelope())
        except ApiError as error:
            if not error.framed:
                raise
            items.append(envelope(error.status, error.text))
    return bulk(items)


def _check_event(state: State, body: Any) -> None:
    values = streams.as_object(body)
    kind, events = _text(values, "eventFormat"), _array(values, "events")
    if kind is None or not events:
        raise ApiError(400, "eventFormat(string) and events(array) are required")
    if kind.upper() not in state.version.event_formats:
        raise ApiError(400, f"eventFormat is not supported: [{kind}]")
    _CHECKS[kind.upper()](events)
    if "eventType" in values:
        event_type = _text(values, "eventType")
        if event_type is None:
            raise ApiError(400, "eventType must be string")
        if event_type.upper() not in _EVENT_TYPES:
            raise ApiError(400, f"eventType is not supported: [{event_type}]")


def _check_id3(events: list[Any]) -> None:
    for event in events:
        frame = _text(streams.as_object(event), "frameType")
        if frame is None:
            raise ApiError(400, "frameType is required in events")
        if frame.upper() != "PRIV" and not frame.upper().startswith("T"):
            raise ApiError(400, f"frameType is not supported: [{frame}]")


def _check_cue(events: list[Any]) -> None:
    """Check the first event; the others count for nothing."""
    cue = _text(streams.as_object(events[0]), "cueType")
    if cue is None:
        raise ApiError(400, "cueType is required in events")
    if cue.upper() not in ("OUT", "CONT", "IN"):
        raise ApiError(400, f"cueType is not supported: [{cue}]")


def _check_scte35(events: list[Any]) -> None:
    """Check the first event; the others count for nothing."""
    event = streams.as_object(events[0])
    if (_text(event, "spliceCommand") or "spliceInsert").upper() != "SPLICEINSERT":
        raise ApiError(400, "Now only spliceInsert is supported")
    number = event.get("id")
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ApiError(400, "id is required in events")
    direction = _text(event, "type")
    if direction is None:
        raise ApiError(400, "type is required in events")
    if direction.upper() not in ("OUT", "IN"):
        raise ApiError(400, "type must be 'out' or 'in'")


_CHECKS: dict[str, Callable[[list[Any]], None]] = {"ID3V2": _check_id3, "CUE": _check_cue, "SCTE35": _check_scte35}


def conclude(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """POST ...:concludeHlsLive; on 0.18.0 the process ends when the stream does."""
    stream = streams.find(state, vhost, app, name)
    streams.as_object(body)
    stream.concluded = True
    state.world.events.append(StreamEvent(vhost.name, app.name, name, "concludeHlsLive", body))
    return success()


def send_subtitles(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    """POST ...:sendSubtitles."""
    streams.find(state, vhost, app, name)
    values = streams.as_object(body)
    kind, data = _text(values, "format"), _array(values, "data")
    if kind is None or not data:
        raise ApiError(400, "format(string) and data(array) are required")
    if kind.upper() != "WEBVTT":
        raise ApiError(400, f"format is not supported: [{kind}]")
    for entry in data:
        item = streams.as_object(entry)
        if _text(item, "label") is None or not _array(item, "subtitles"):
            raise ApiError(400, "label(string) and subtitles(array) are required")
        for subtitle in _array(item, "subtitles"):
            if _text(streams.as_object(subtitle), "text") is None:
                raise ApiError(400, "text(string) is required in subtitles")
    state.world.events.append(StreamEvent(vhost.name, app.name, name, "sendSubtitles", body))
    return success()


def _set_speech(
    state: State, vhost: VirtualHost, app: Application, name: str, change: Callable[[LiveStream], None]
) -> Answer:
    stream = streams.find(state, vhost, app, name)
    if not stream.renditions:
        raise ApiError(404, f"Could not find STT encoder for stream: [{vhost.name}/{app.name}/{name}]")
    change(stream)
    return success({"enabled": not stream.stt_paused})


def enable_speech(state: State, vhost: VirtualHost, app: Application, name: str, _body: Any) -> Answer:
    """POST ...:enableStt."""
    return _set_speech(state, vhost, app, name, lambda stream: setattr(stream, "stt_paused", False))


def disable_speech(state: State, vhost: VirtualHost, app: Application, name: str, _body: Any) -> Answer:
    """POST ...:disableStt."""
    return _set_speech(state, vhost, app, name, lambda stream: setattr(stream, "stt_paused", True))


def speech_status(state: State, vhost: VirtualHost, app: Application, name: str, _body: Any) -> Answer:
    """POST ...:sttStatus: 200 also for a stream without an encoder."""
    stream = streams.find(state, vhost, app, name)
    renditions = [{"codec": "WHISPER", **entry} for entry in stream.renditions]
    return success({"enabled": bool(renditions) and not stream.stt_paused, "renditions": renditions})


class StreamAction(NamedTuple):
    """A call ``POST .../streams/{stream}:ACTION``."""

    rule: Callable[[State, VirtualHost, Application, str, Any], Answer]
    since: tuple[int, ...]
    """The first release that has it."""
    sends: bool = False
    """Whether it sends something that no call reads back: an entry of ``state.world.events``."""


ACTIONS: dict[str, StreamAction] = {
    "hlsDumps": StreamAction(dumps.list_dumps, (0, 15, 0)),
    "startHlsDump": StreamAction(dumps.start, (0, 15, 0)),
    "stopHlsDump": StreamAction(dumps.stop, (0, 15, 0)),
    "sendEvent": StreamAction(send_event, (0, 15, 0), sends=True),
    "sendEvents": StreamAction(send_events, (0, 18, 0), sends=True),
    "concludeHlsLive": StreamAction(conclude, (0, 16, 6), sends=True),
    "sendSubtitles": StreamAction(send_subtitles, (0, 20, 0), sends=True),
    "enableStt": StreamAction(enable_speech, (0, 21, 0)),
    "disableStt": StreamAction(disable_speech, (0, 21, 0)),
    "sttStatus": StreamAction(speech_status, (0, 21, 0)),
}
"""The actions of a stream."""
