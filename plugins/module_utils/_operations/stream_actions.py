# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that act on a live stream: events, the end of HLS, speech to text."""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.stream_actions import StreamActions
from .._api.streams import Streams
from .._core.context import Context
from .._core.errors import OmeError
from .._core.server_version import NEWEST, Version, describe, show
from .._resources import stream_event
from .._resources.descriptions import readable
from .._resources.stream_event import STREAM_EVENT
from .base import FLAG, Operation, Result, check_names, state_option

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
        if version == NEWEST:
            detail = "The server reports no readable version, and the operation depends on it."
            raise OmeError("unexpected_answer", attempt, detail=detail)
        if version < first:
            detail = f"It needs OvenMediaEngine {show(first)} or later, and this server is {describe(version)}."
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
        stream_event.validate(self.event)

    def run(self, api: Api, context: Context) -> Result:
        name, actions = stream_event.format_of(self.event), StreamActions(api, *self.key)
        attempt = f"send an event to stream {actions.title}"
        if name != "id3v2":  # All versions know this one.
            reason = stream_event.unsupported(name, api.server_version())
            if reason:
                raise OmeError("unsupported_option", attempt, detail=reason)
        body = stream_event.request(self.event)
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
