# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a plain asyncio script does that plays streams by LL-HLS: the work of ``playback_info``, without its checks.

``python llhls_script.py ADDRESS HOST URL...``; it fails if a stream does not play.
"""

from __future__ import annotations

import asyncio
import io
import sys
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import av
import m3u8

_MEASURED = 2.0  # seconds of media


def first_frames(data: bytes) -> int:
    """Return of how many tracks the first frame can be decoded."""
    with av.open(io.BytesIO(data), mode="r") as container:
        streams = {stream.index: stream for stream in container.streams}
        decoded = set()
        for packet in container.demux():
            if packet.stream.index not in decoded and list(packet.decode()):
                decoded.add(packet.stream.index)
        assert len(decoded) == len(streams)
    return len(decoded)


class Stream:
    """A viewer of one stream."""

    def __init__(self, session: aiohttp.ClientSession, address: str) -> None:
        self._session = session
        self._address = address

    async def _get(self, url: str, query: str = "") -> bytes:
        parts = urlsplit(url)
        joined = "&".join(one for one in (parts.query, query) if one)
        target = parts._replace(netloc=self._address, query=joined).geturl()
        async with self._session.get(target, headers={"Host": parts.netloc}) as response:
            response.raise_for_status()
            return await response.read()

    async def _playlist(self, url: str, query: str = "") -> Any:
        return m3u8.loads((await self._get(url, query)).decode(), uri=url)

    async def play(self, url: str) -> int:
        """Return the number of tracks that play."""
        listed = await self._playlist(url)
        urls = {one.absolute_uri for one in (*listed.playlists, *listed.media)}
        begun = [(url, *await self._begin(url)) for url in urls]
        for url, segment, part, _tracks in begun:
            after = await self._playlist(url, f"_HLS_msn={segment}&_HLS_part={part}")
            newest = [one for segment in after.segments for one in segment.parts][-1]
            assert await self._get(newest.absolute_uri)
        return sum(tracks for *_place, tracks in begun)

    async def _begin(self, url: str) -> tuple[int, int, int]:
        listed = await self._playlist(url)
        parts = [one for segment in listed.segments for one in segment.parts]
        start = max(at for at, one in enumerate(parts) if one.independent == "YES")
        data, seconds = await self._get(listed.segment_map[-1].absolute_uri), 0.0
        for one in parts[start:]:
            if seconds >= _MEASURED:
                break
            data, seconds = data + await self._get(one.absolute_uri), seconds + one.duration
        complete = sum(bool(segment.uri) for segment in listed.segments)
        last = listed.segments[-1]
        return listed.media_sequence + complete, 0 if last.uri else len(last.parts), first_frames(data)


async def main(address: str, urls: list[str]) -> None:
    """Play all streams concurrently."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        tracks = await asyncio.gather(*(Stream(session, address).play(url) for url in urls))
    print(f"{len(urls)} streams, {sum(tracks)} tracks")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
