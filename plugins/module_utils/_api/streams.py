# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of streams, of actions on them, of HLS dumps and of channels."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .paths import action_path, channels_path, statistics_path, stream_path, streams_path
from .server import CREATES, READS, SENDS, STARTS, STOPS, SWITCHES, UPDATES, Server

# The endpoints of streams (server-facts: Streams, recordings, channels, output profiles).

_ABSENT = ("stream_not_found", "application_not_found", "vhost_not_found")


class Streams:
    """The endpoints of the streams of one server. Every method raises OmeError if a request fails."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def list(self, vhost: str, app: str) -> t.Collection[str]:
        """Return the names of all streams, unordered (GET)."""
        return self._server.list_names(streams_path(vhost, app), f"list the streams of application {vhost}/{app}")

    def read(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return a stream in wire form, or None if it is not live (GET)."""
        path = stream_path(vhost, app, name)
        return self._server.read_object(path, f"read stream {vhost}/{app}/{name}", "stream_not_found")

    def create(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> None:
        """Pull a stream (POST).

        502 is an answer of the server: the origin cannot be reached, or the application has no provider for it. Nothing
        is left behind then.
        """
        path, attempt = streams_path(vhost, app), f"pull stream {vhost}/{app}/{body['name']}"
        self._server.call("POST", path, body, attempt=attempt, idempotence=CREATES)

    def update(self, vhost: str, app: str, name: str, body: t.Mapping[str, t.Any]) -> None:
        """Do nothing: no option of a pull can be changed in place."""

    def delete(self, vhost: str, app: str, name: str) -> bool:
        """End a stream; return false if it was not live (DELETE).

        It is still listed for a moment. An encoder that sends it can reconnect.
        """
        return self._server.delete_object(stream_path(vhost, app, name), f"delete stream {vhost}/{app}/{name}", _ABSENT)

    def read_statistics(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return the statistics of a stream in wire form, or None if it is not live (GET)."""
        path = statistics_path(vhost, app, name)
        return self._server.read_object(path, f"read the statistics of stream {vhost}/{app}/{name}", "stream_not_found")


# The endpoints of actions on a live stream: events, the end of HLS, speech to text.
#
# Source: server-facts: Actions of a stream.


class StreamActions:
    """The actions on one stream. Every method raises OmeError if a request fails."""

    def __init__(self, server: Server, vhost: str, app: str, stream: str) -> None:
        self._server = server
        self._stream = (vhost, app, stream)
        self.title = f"{vhost}/{app}/{stream}"

    def send_event(self, body: t.Mapping[str, t.Any]) -> None:
        """Send an event to players (POST …:sendEvent)."""
        attempt = f"send an event to stream {self.title}"
        self._server.call("POST", action_path(*self._stream, "sendEvent"), body, attempt=attempt, idempotence=SENDS)

    def send_subtitles(self, body: t.Mapping[str, t.Any]) -> None:
        """Send subtitles to players (POST …:sendSubtitles)."""
        attempt = f"send subtitles to stream {self.title}"
        self._server.call("POST", action_path(*self._stream, "sendSubtitles"), body, attempt=attempt, idempotence=SENDS)

    def conclude(self) -> None:
        """End the live part of the HLS stream (POST …:concludeHlsLive); 0.18.0 ends with the stream."""
        attempt = f"conclude stream {self.title}"
        self._server.call("POST", action_path(*self._stream, "concludeHlsLive"), {}, attempt=attempt, idempotence=SENDS)

    def read_speech_to_text(self) -> dict[str, t.Any]:
        """Return `enabled` and `renditions` of the speech-to-text of the stream (POST …:sttStatus)."""
        path, attempt = action_path(*self._stream, "sttStatus"), f"read the speech-to-text of stream {self.title}"
        answer = self._server.call("POST", path, {}, attempt=attempt, idempotence=READS)
        payload = self._server.payload(answer)
        if not isinstance(payload, dict):
            raise self._server.unexpected_success(answer, attempt, path).with_outcome_unknown(False)
        return payload

    def switch_speech_to_text(self, *, on: bool) -> None:
        """Switch the speech-to-text of the stream on or off (POST …:enableStt, …:disableStt)."""
        path = action_path(*self._stream, "enableStt" if on else "disableStt")
        attempt = f"switch speech-to-text of {self.title}"
        self._server.call("POST", path, {}, attempt=attempt, idempotence=SWITCHES)


# The endpoints of HLS dumps (server-facts: HLS dumps).


class HlsDumps:
    """The endpoints of the HLS dumps of one server. Every method raises OmeError if a request fails."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def list(self, vhost: str, app: str, stream: str, output: str) -> t.Sequence[dict[str, t.Any]]:
        """Return all dumps of an output stream in wire form, stopped ones included (POST …:hlsDumps)."""
        path, attempt = action_path(vhost, app, stream, "hlsDumps"), f"list the HLS dumps of {vhost}/{app}/{stream}"
        return self._server.list_objects(path, attempt, {"outputStreamName": output})

    def start(self, vhost: str, app: str, stream: str, request: t.Mapping[str, t.Any]) -> None:
        """Start a dump (POST …:startHlsDump). The answer does not have the dump."""
        path = action_path(vhost, app, stream, "startHlsDump")
        attempt = f"start HLS dump {vhost}/{app}/{stream}/{request['id']}"
        self._server.call("POST", path, request, attempt=attempt, idempotence=STARTS)

    def stop(self, vhost: str, app: str, stream: str, output: str, dump_id: str) -> None:
        """Stop a dump, which stays listed as disabled (POST …:stopHlsDump)."""
        path, attempt = (
            action_path(vhost, app, stream, "stopHlsDump"),
            f"stop HLS dump {vhost}/{app}/{stream}/{dump_id}",
        )
        body = {"outputStreamName": output, "id": dump_id}
        self._server.call("POST", path, body, attempt=attempt, idempotence=STOPS)


# The endpoints of scheduled and multiplex channels: one method for each.
#
# Source: server-facts: Streams, recordings, channels, output profiles.


class Channels:
    """The endpoints of one kind of channels. Every method raises OmeError if a request fails."""

    what = ""
    calls = ""  # the last part of the path

    def __init__(self, server: Server) -> None:
        self._server = server

    def _path(self, vhost: str, app: str, name: str | None = None) -> str:
        return channels_path(vhost, app, self.calls, name)

    def list(self, vhost: str, app: str) -> t.Collection[str]:
        """Return the names of all channels of an application, unordered (GET)."""
        return self._server.list_names(self._path(vhost, app), f"list the {self.what}s of {vhost}/{app}")

    def read(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        """Return a channel in wire form, or None if it does not exist (GET)."""
        attempt = f"read {self.what} {vhost}/{app}/{name}"
        return self._server.read_object(self._path(vhost, app, name), attempt, "stream_not_found")

    def create(self, vhost: str, app: str, body: t.Mapping[str, t.Any]) -> None:
        """Write the file of a channel (POST); the server notices it later. 403 means that the provider is missing."""
        path, attempt = self._path(vhost, app), f"create a {self.what} in {vhost}/{app}"
        try:
            self._server.call("POST", path, body, attempt=attempt, idempotence=CREATES)
        except OmeError as error:
            raise _without_provider(error) from error

    def update(self, vhost: str, app: str, name: str, body: t.Mapping[str, t.Any]) -> None:
        """Change the file of a channel (PATCH); the server notices it later."""
        path, attempt = self._path(vhost, app, name), f"change {self.what} {vhost}/{app}/{name}"
        self._server.call("PATCH", path, body, attempt=attempt, idempotence=UPDATES)

    def delete(self, vhost: str, app: str, name: str) -> bool:
        """Delete the file of a channel; return false if the channel did not exist (DELETE).

        The channel ends some seconds later. A second request until then is a failure of the server (500).
        """
        attempt = f"delete {self.what} {vhost}/{app}/{name}"
        return self._server.delete_object(self._path(vhost, app, name), attempt, _ABSENT)


class ScheduledChannels(Channels):
    """The endpoints of scheduled channels."""

    what = "scheduled channel"
    calls = "scheduledChannels"

    def read(self, vhost: str, app: str, name: str) -> dict[str, t.Any] | None:
        try:
            return super().read(vhost, app, name)
        except OmeError as error:
            if "could not get the scheduled stream" in (error.server_message or "").lower():
                raise error.as_kind("name_taken").with_outcome_unknown(False) from error
            raise


class MultiplexChannels(Channels):
    """The endpoints of multiplex channels; there is none that changes one."""

    what = "multiplex channel"
    calls = "multiplexChannels"


def _without_provider(error: OmeError) -> OmeError:
    return error.as_kind("provider_missing") if error.kind == "bad_request" and error.status == 403 else error
