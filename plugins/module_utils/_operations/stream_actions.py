# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that act on a live stream: events, the end of HLS, speech to text."""

from __future__ import annotations

import functools
import re
import typing as t

from .._api.client import Api
from .._api.streams import StreamActions, Streams
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.server_version import UNKNOWN, Version, describe, of_this_server, releases, show
from .._resources.stream import readable
from .._schema import validators as checks
from .._schema.fields import Bool, Int, String
from .._schema.objects import Object, ObjectList
from .base import FLAG, Operation, Result, check_names, state_option

# Events that a request sends into a live stream, by format.
#
# Source: server-facts: Actions of a stream.

_FRAME_TYPE = re.compile(r"T[A-Z0-9]{3}|PRIV")
# The first and the last release with each format.
RELEASES: dict[str, tuple[Version, Version | None]] = {
    "id3v2": ((0, 15, 10), None),
    "cue": ((0, 18, 0), (0, 20, 5)),
    "scte35": ((0, 19, 0), (0, 20, 5)),
    "webvtt": ((0, 20, 0), None),
}
_EVENT_KEY = [String(option, required=True, check=checks.addressable) for option in ("vhost", "app", "stream")]


def _frame_type(value: str) -> str | None:
    return None if _FRAME_TYPE.fullmatch(value) else "expected TXXX, another text frame such as TIT2, or PRIV"


def _not_blank(value: str) -> str | None:
    return None if value.strip() else "expected some text"


STREAM_EVENT = Object(
    "stream_event",
    fields=[
        *_EVENT_KEY,
        String("format", "eventFormat", choices=list(RELEASES)),
        String("type", "eventType", choices=["event", "video", "audio"]),
        Bool("urgent"),
        ObjectList(
            "frames",
            fields=[
                String("frame_type", "frameType", required=True, check=_frame_type),
                String("info"),
                String("data"),
            ],
            identity="",
        ),
        Object(
            "cue",
            fields=[
                String("cue_type", "cueType", required=True, choices=["out", "in"]),
                Int("duration", check=checks.count),
            ],
        ),
        Object(
            "scte35",
            fields=[
                Int("id", required=True, check=checks.count),
                String("splice_type", "type", required=True, choices=["out", "in"]),
                Int("duration", check=checks.count),
                Bool("auto_return", "autoReturn"),
            ],
        ),
        ObjectList(
            "subtitles",
            fields=[
                String("label", required=True, check=checks.one_line),
                ObjectList(
                    "cues",
                    "subtitles",
                    fields=[
                        String("text", required=True, check=_not_blank),
                        Int("start_offset", "startOffset", check=checks.count),
                        Int("duration", "durationMs", check=checks.count),
                        String("settings", check=checks.one_line),
                    ],
                    identity="",
                    required=True,
                ),
            ],
            identity="label",
        ),
    ],
)
# The option that holds the content of each format.
CONTENT = {"id3v2": "frames", "cue": "cue", "scte35": "scte35", "webvtt": "subtitles"}


def format_of(event: t.Mapping[str, t.Any]) -> str:
    """Return the format of an event (specified form)."""
    return str(event.get("format", "id3v2"))


def validate(event: t.Mapping[str, t.Any]) -> None:
    """Raise BadInput for an invalid event (specified form)."""
    STREAM_EVENT.validate(event, "")
    name = format_of(event)
    for other, option in CONTENT.items():
        if other == name and not event.get(option):
            raise BadInput(option, f"expected the content of the event; it is required if format is {name}")
        if other != name and option in event:
            raise BadInput(option, f"cannot be used if format is {name}")
    for option in ("type", "urgent"):
        if name == "webvtt" and option in event:
            raise BadInput(option, "cannot be used if format is webvtt")


def unsupported(name: str, version: Version) -> str:
    """Return why a server of a version refuses a format; empty if it does not."""
    first, last = RELEASES[name]
    if version >= first and (last is None or version <= last):
        return ""
    return f"Events of the format {name} need {releases(first, last)}. {of_this_server(version)}"


def request(event: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the body that sends an event."""
    name = format_of(event)
    wire: dict[str, t.Any] = STREAM_EVENT.to_wire(event)
    content = wire[CONTENT[name]]
    if name == "webvtt":
        return {"format": name, "data": content}
    options: dict[str, t.Any] = {key: wire[key] for key in ("eventType", "urgent") if key in wire}
    return {"eventFormat": name, **options, "events": content if isinstance(content, list) else [content]}


_KEY = ("vhost", "app", "stream")
_REQUIRED = {"type": "str", "required": True}
# concludeHlsLive exists since the first of these, and is known to be harmless since the second
# (server-facts: Actions of a stream).
_CONCLUDES: Version = (0, 16, 6)
_CONCLUDES_SAFELY: Version = (0, 20, 0)
_SPEECH: Version = (0, 21, 0)


class _StreamAction(Operation):
    """Acts on a stream that has to be live."""

    @property
    def key(self) -> tuple[str, str, str]:
        """The names of virtual host, application and stream."""
        return self.params["vhost"], self.params["app"], self.params["stream"]

    def check(self) -> None:
        check_names(self.params, *_KEY)

    def require_stream(self, api: Api, attempt: str) -> None:
        """Raise OmeError if the stream is not live; for check mode, because a real run gets this from the server."""
        if Streams(api).read(*self.key) is None:
            raise OmeError("stream_not_found", attempt)

    @staticmethod
    def send(call: t.Callable[[], t.Any], result: Result) -> Result:
        """Send what cannot be read back; return the result, which says "changed" also if the outcome is unknown."""
        try:
            call()
        except OmeError as error:
            if not error.outcome_unknown:
                raise
            return {"changed": True, "failed": True, "msg": str(error), "error": error.as_result()}
        return result

    @staticmethod
    def require_version(api: Api, first: Version, attempt: str) -> Version:
        """Return the server's version; raise OmeError if it is older than ``first`` or unreadable."""
        version = api.server_version()
        if version == UNKNOWN:
            detail = "The server reports no readable version, and the operation depends on it."
            raise OmeError("unexpected_answer", attempt, detail=detail)
        if version < first:
            detail = f"It needs {releases(first)}. {of_this_server(version)}"
            raise OmeError("unsupported_call", attempt).with_detail(detail)
        return version


class StreamEvent(_StreamAction):
    """The operation of the module `stream_event`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return STREAM_EVENT.options()

    @property
    def event(self) -> dict[str, t.Any]:
        """The event in specified form."""
        return STREAM_EVENT.specified(self.params)

    def check(self) -> None:
        validate(self.event)

    def run(self, api: Api, context: Context) -> Result:
        name, actions = format_of(self.event), StreamActions(api, *self.key)
        attempt = f"send an event to stream {actions.title}"
        if name != "id3v2":  # All versions know this one.
            reason = unsupported(name, api.server_version())
            if reason:
                raise OmeError("unsupported_option", attempt, detail=reason)
        body = request(self.event)
        if context.check_mode:
            self.require_stream(api, attempt)
            return {"changed": True}
        send = actions.send_subtitles if name == "webvtt" else actions.send_event
        return self.send(functools.partial(send, body), {"changed": True})


class StreamConclude(_StreamAction):
    """The operation of the module `stream_conclude`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {**dict.fromkeys(_KEY, _REQUIRED), "force": FLAG}

    def run(self, api: Api, context: Context) -> Result:
        actions = StreamActions(api, *self.key)
        attempt = f"conclude stream {actions.title}"
        version = self.require_version(api, _CONCLUDES, attempt)
        if version < _CONCLUDES_SAFELY and not self.params["force"]:
            detail = (
                f"A server of version {describe(version)} can crash when a concluded stream ends: 0.18.0 does, and "
                f"{show(_CONCLUDES_SAFELY)} is the first release that is known not to."
            )
            raise OmeError("unsafe_version", attempt, detail=detail)
        if context.check_mode:
            self.require_stream(api, attempt)
            return {"changed": True}
        return self.send(actions.conclude, {"changed": True})


class StreamStt(_StreamAction):
    """The operation of the module `stream_stt`."""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {**dict.fromkeys(_KEY, _REQUIRED), "state": state_option("started", "stopped")}

    def run(self, api: Api, context: Context) -> Result:
        actions, on = StreamActions(api, *self.key), self.params["state"] == "started"
        attempt = f"switch speech-to-text of stream {actions.title}"
        self.require_version(api, _SPEECH, attempt)
        current = actions.read_speech_to_text()
        before = current.get("enabled") is True
        if on and not current.get("renditions"):
            raise OmeError("stt_not_configured", attempt)
        diff = {"before": {actions.title: {"enabled": before}}, "after": {actions.title: {"enabled": on}}}
        result = {
            "changed": before != on,
            "enabled": on,
            "renditions": readable(current.get("renditions") or []),
            "diff": diff if before != on else {"before": {}, "after": {}},
        }
        if before == on or context.check_mode:
            return result
        return self.send(functools.partial(self._switch, actions, attempt, on=on), result)

    @staticmethod
    def _switch(actions: StreamActions, attempt: str, *, on: bool) -> None:
        """Switch speech-to-text, and read whether that had an effect."""
        actions.switch_speech_to_text(on=on)
        try:
            current = actions.read_speech_to_text()
        except OmeError as error:
            raise error.with_outcome_unknown(True) from error
        if (current.get("enabled") is True) != on:
            raise OmeError("lost", attempt, outcome_unknown=True)
