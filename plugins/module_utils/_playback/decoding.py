# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Decode what arrived: the first frame of each track, with PyAV."""

from __future__ import annotations

import io
import typing as t

from .playback import NotPlayed, Track

_KINDS = ("video", "audio")


def decode(data: bytes, seconds: float, rendition: str = "") -> list[Track]:
    """Return the tracks of media of which the first frame can be decoded.

    :param data: a file, or an initialization section with the parts after it.
    :param seconds: how long the media last, to measure rates.
    :raises NotPlayed: a track has no key frame, or no frame that can be decoded.
    """
    import av

    try:
        with av.open(io.BytesIO(data), mode="r") as container:
            streams = [stream for stream in container.streams if stream.type in _KINDS]
            if not streams:
                raise NotPlayed("decoding", "The media have neither video nor audio.")
            read = {stream.index: _Read(stream) for stream in streams}
            for packet in container.demux(streams):
                read[packet.stream.index].take(packet)
            return [one.track(seconds, rendition) for one in read.values()]
    except av.FFmpegError as error:
        raise NotPlayed("decoding", f"The media cannot be read: {_reason(error)}.") from None


def decode_picture(data: bytes) -> Track:
    """Return the picture of a file such as JPEG. Raises NotPlayed if it cannot be decoded."""
    import av

    try:
        with av.open(io.BytesIO(data), mode="r") as container:
            container.streams.video[0].codec_context.thread_count = 1
            frame = next(container.decode(video=0))
            return Track("image", container.streams.video[0].codec_context.name, frame.width, frame.height)
    except (av.FFmpegError, StopIteration, IndexError) as error:
        raise NotPlayed("decoding", f"The picture cannot be decoded: {_reason(error)}.") from None


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", "") or type(error).__name__).rstrip(".")


class _Read:
    """What is read of one track: its packets, of which those up to the first frame are decoded."""

    def __init__(self, stream: t.Any) -> None:
        # One thread: a decoder that decodes one frame gains nothing from more.
        stream.codec_context.thread_count = 1
        self._stream = stream
        self._packets = 0
        self._bytes = 0
        self._has_key_frame = False
        self._frame: t.Any = None
        self._error = ""

    def take(self, packet: t.Any) -> None:
        import av

        if packet.size:
            self._packets += 1
            self._bytes += packet.size
            self._has_key_frame |= packet.is_keyframe
        if self._frame is not None:
            return
        try:
            self._frame = next(iter(packet.decode()), None)
        except av.FFmpegError as error:
            self._error = _reason(error)

    def track(self, seconds: float, rendition: str) -> Track:
        """Return the track. Raises NotPlayed if it has no frame."""
        context = self._stream.codec_context
        kind = self._stream.type
        if self._frame is None and not self._packets:
            raise NotPlayed("media", f"The {kind} track has no frame.")
        # Outside of MP4 a decoder gets its parameters with a key frame. What is no video is one long packet.
        is_video = not self._error or (not getattr(context, "width", 0) and self._packets > 1)
        if self._frame is None and not self._has_key_frame and is_video:
            raise NotPlayed("key_frame", f"None of {self._packets} frames of the {kind} track is a key frame.")
        if self._frame is None or getattr(self._frame, "is_corrupt", False):
            why = f": {self._error}" if self._error else ""
            raise NotPlayed("decoding", f"No frame of the {kind} track ({context.name}) can be decoded{why}.")
        found = Track(kind, context.name, rendition=rendition)
        if seconds > 0:
            found.bitrate = round(self._bytes * 8 / seconds)
        if kind == "video":
            found.width, found.height = self._frame.width, self._frame.height
            found.framerate = round(self._packets / seconds, 2) if seconds > 0 else None
        return found
