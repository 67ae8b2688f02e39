# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Viewers for tests: they ask a simulated server for playlists and media, and decode what they get."""

from __future__ import annotations

import http.client
import io
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

LL_HLS = "/live/s1/llhls.m3u8"
HLS = "/live/s1/ts:playlist.m3u8"
HOST = "a.example.com"
OPUS = {"name": "opus", "codec": "opus", "bitrate": 128000}
AAC = {"name": "a", "bypass": True}
JPEG = {"name": "j", "codec": "jpeg", "width": 160, "height": 90, "framerate": 1}


def profile(*audios: dict[str, Any], videos: Any = (), **more: Any) -> dict[str, Any]:
    """Return output profiles: by default the video as it came in."""
    encodes = {"videos": list(videos) or [{"name": "v", "bypass": True}], "audios": list(audios)}
    encodes.update({name: more.pop(name) for name in ("images",) if name in more})
    return {"outputProfile": [{"name": "p", "outputStreamName": "${OriginStreamName}", "encodes": encodes, **more}]}


def application(*publishers: str, **more: Any) -> dict[str, Any]:
    """Return an application that plays by publishers, by default LL-HLS."""
    names = publishers or ("llhls",)
    made = {"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": {name: {} for name in names}}
    return {**made, "outputProfiles": profile(OPUS, AAC), **more}


def add(simulator: Simulator, name: str, app: dict[str, Any] | None = None, **config: Any) -> None:
    """Put a virtual host into the configuration file, which is reached by ``NAME.example.com``."""
    host = {"names": [f"{name}.example.com"], **config.pop("host", {})}
    simulator.add_static_virtual_host({"name": name, "host": host, **config}, [] if app is None else [app])


class Viewer:
    """Sends requests with any host name.

    :param port: the first one that serves LL-HLS and HLS if None.
    """

    def __init__(self, simulator: Simulator, port: int | None = None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port or simulator.viewer_ports[0], timeout=PATIENCE)

    def send(
        self, path: str, host: str = HOST, method: str = "GET", headers: dict[str, str] | None = None
    ) -> tuple[int, list[str], bytes]:
        """Return status, headers and body."""
        self._connection.request(method, path, headers={"Host": host, **(headers or {})})
        response = self._connection.getresponse()
        body = response.read()
        return response.status, [f"{name}: {value}" for name, value in response.getheaders()], body

    def status(self, path: str = LL_HLS, host: str = HOST) -> int:
        """Return the status alone."""
        return self.send(path, host)[0]

    def body(self, path: str, host: str = HOST) -> bytes:
        """Return the body of an answer of 200."""
        status, _headers, body = self.send(path, host)
        assert status == 200, f"{status} for {path}"
        return body

    def text(self, path: str, host: str = HOST) -> str:
        """Return the text of an answer of 200."""
        return self.body(path, host).decode()

    def media(self, kind: str = "video") -> str:
        """Return the path of the media playlist of LL-HLS of the first track of a kind."""
        found = re.search(rf"(/\S+/chunklist_\d+_{kind}_[^\"\s]+)", self.text(LL_HLS))
        assert found is not None
        return found[1]

    def while_waiting(self, clock: ManualClock, seconds: float, path: str, **sent: Any) -> tuple[int, list[str], bytes]:
        """Send a request that waits, let time pass, and return what is answered then."""
        waiting = clock.waiting
        with ThreadPoolExecutor() as pool:
            sending = pool.submit(self.send, path, **sent)
            clock.wait_until_waiting(waiting + 1)
            clock.advance(seconds)
            return sending.result(PATIENCE)


def parts(playlist: str) -> list[str]:
    """Return the paths of the parts of a playlist."""
    return [f"/live/s1/{uri}" for uri in re.findall(r'#EXT-X-PART:.*URI="([^"]+)"', playlist)]


def lines(playlist: str) -> list[str]:
    """Return the paths in a playlist that stand in a line of their own."""
    found = [line for line in playlist.splitlines() if line and not line.startswith("#")]
    return [line if line.startswith("/") else f"/live/s1/{line}" for line in found]


def init(playlist: str) -> str:
    """Return the path of the initialization section."""
    [uri] = re.findall(r'#EXT-X-MAP:URI="([^"]+)"', playlist)
    return f"/live/s1/{uri}"


def hint(playlist: str) -> str:
    """Return the path of the part that is announced."""
    [uri] = re.findall(r'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="([^"]+)"', playlist)
    return f"/live/s1/{uri}"


def decoded(data: bytes, kind: str = "video") -> list[Any]:
    """Return the frames of the first track of a kind; none of what cannot be decoded."""
    import av

    frames: list[Any] = []
    av.logging.set_level(None)
    with av.open(io.BytesIO(data)) as container:
        [stream] = [stream for stream in container.streams if stream.type == kind]
        try:
            for packet in container.demux(stream):
                frames.extend(packet.decode())
        except av.FFmpegError:
            return frames
    return frames


def boxes(data: bytes) -> list[str]:
    """Return the kinds of the boxes of MP4 that a file consists of."""
    found, at = [], 0
    while at < len(data):
        found.append(data[at + 4 : at + 8].decode("latin-1"))
        at += int.from_bytes(data[at : at + 4], "big")
    assert at == len(data)
    return found
