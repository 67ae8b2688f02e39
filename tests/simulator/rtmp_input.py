# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a publisher by RTMP sends: the codecs and the bytes of its stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_VIDEOS = {2: "FLV", 7: "H264", 12: "H265"}
_ENHANCED_VIDEOS = {b"avc1": "H264", b"hvc1": "H265", b"av01": "AV1", b"vp09": "VP9"}
_AUDIOS = {2: "MP3", 10: "AAC"}
_MANY = 50
"""Packets after which a server no longer waits for the tracks that are announced."""


@dataclass
class Input:
    """What has come in so far."""

    total_bytes: int = 0
    video: str = ""
    """The codec, once it is known."""
    audio: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    _packets: int = 0

    @property
    def is_ready(self) -> bool:
        """Return whether all tracks are known: those of the metadata, or a video and an audio."""
        if self._packets > _MANY:
            return bool(self.video or self.audio)
        wanted = [name for name in ("video", "audio") if not self.metadata or self.metadata.get(f"{name}codecid")]
        return bool(wanted) and all(getattr(self, name) for name in wanted)

    def take_video(self, tag: bytes) -> None:
        """Take a video tag of FLV."""
        if not tag:
            return
        self._packets += 1
        self.total_bytes += len(tag)
        enhanced = bool(tag[0] & 0x80)
        known = _ENHANCED_VIDEOS.get(tag[1:5], "") if enhanced else _VIDEOS.get(tag[0] & 0x0F, "")
        self.video = known or self.video

    def take_audio(self, tag: bytes) -> None:
        """Take an audio tag of FLV."""
        if not tag:
            return
        self._packets += 1
        self.total_bytes += len(tag)
        self.audio = _AUDIOS.get(tag[0] >> 4, "") or self.audio

    def take_metadata(self, values: list[Any]) -> None:
        """Take a data message, such as ``@setDataFrame``, ``onMetaData`` and its values."""
        self.metadata.update(next((value for value in values if isinstance(value, dict)), {}))
