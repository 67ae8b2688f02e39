# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The endpoints of actions on a live stream: events, the end of HLS, speech to text.

Source: server-facts: Actions of a stream.
"""

from __future__ import annotations

import typing as t

from .idempotence import READS, SENDS, SWITCHES
from .server import Server


class StreamActions:
    """The actions on one stream. Every method raises OmeError if a request fails."""

    def __init__(self, server: Server, vhost: str, app: str, stream: str) -> None:
        self._server = server
        self._path = f"/v1/vhosts/{vhost}/apps/{app}/streams/{stream}"
        self.title = f"{vhost}/{app}/{stream}"

    def send_event(self, body: t.Mapping[str, t.Any]) -> None:
        """Send an event to players (POST …:sendEvent)."""
        attempt = f"send an event to stream {self.title}"
        self._server.call("POST", f"{self._path}:sendEvent", body, attempt=attempt, idempotence=SENDS)

    def send_subtitles(self, body: t.Mapping[str, t.Any]) -> None:
        """Send subtitles to players (POST …:sendSubtitles)."""
        attempt = f"send subtitles to stream {self.title}"
        self._server.call("POST", f"{self._path}:sendSubtitles", body, attempt=attempt, idempotence=SENDS)

    def conclude(self) -> None:
        """End the live part of the HLS stream (POST …:concludeHlsLive); 0.18.0 ends with the stream."""
        attempt = f"conclude stream {self.title}"
        self._server.call("POST", f"{self._path}:concludeHlsLive", {}, attempt=attempt, idempotence=SENDS)

    def read_speech_to_text(self) -> dict[str, t.Any]:
        """Return `enabled` and `renditions` of the speech-to-text of the stream (POST …:sttStatus)."""
        path, attempt = f"{self._path}:sttStatus", f"read the speech-to-text of stream {self.title}"
        answer = self._server.call("POST", path, {}, attempt=attempt, idempotence=READS)
        payload = self._server.payload(answer)
        if not isinstance(payload, dict):
            raise self._server.unexpected_success(answer, attempt, path).with_outcome_unknown(False)
        return payload

    def switch_speech_to_text(self, *, on: bool) -> None:
        """Switch the speech-to-text of the stream on or off (POST …:enableStt, …:disableStt)."""
        path, attempt = f"{self._path}:{'enable' if on else 'disable'}Stt", f"switch speech-to-text of {self.title}"
        self._server.call("POST", path, {}, attempt=attempt, idempotence=SWITCHES)
