# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An encoder that publishes by RTMP, and connects again whenever it is disconnected."""

from __future__ import annotations

import contextlib
import fractions
import threading
import typing as t

import av

RATE, SAMPLE_RATE, SAMPLES = 10, 48000, 1024
_X264 = {"preset": "ultrafast", "tune": "zerolatency", "profile": "baseline"}
_PATIENCE = 10.0  # seconds for a connection
_PAUSE = 0.5  # seconds between two attempts to connect


class Encoder:
    """Publishes a grey picture, and silence with it; a context manager.

    :param url: with the host name that publishers use. :param address: host and port to connect to.
    """

    def __init__(self, url: str, address: str, height: int) -> None:
        self.height = height
        self._server, _slash, self._stream = url.rpartition("/")
        self._address = f"rtmp://{address}/{self._server.rpartition('/')[2]}/{self._stream}"
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Encoder:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            # Refused, or disconnected by the server.
            with contextlib.suppress(av.FFmpegError, OSError):
                self._publish(self.height)
            self._ended.wait(_PAUSE)

    def _publish(self, height: int) -> None:
        """Publish until the picture is to have another height, or until it is over."""
        options = {"rtmp_live": "live", "rtmp_tcurl": self._server}
        limits = (_PATIENCE, _PATIENCE)
        with av.open(self._address, "w", format="flv", options=options, timeout=limits) as container:
            video = container.add_stream("libx264", rate=RATE, options=_X264)
            video.width, video.height, video.pix_fmt = _width(height), height, "yuv420p"
            video.codec_context.gop_size = RATE
            audio = container.add_stream("aac", rate=SAMPLE_RATE, layout="mono")
            for stream in (video, audio):
                stream.codec_context.flags |= av.codec.context.Flags.global_header
            sounds = 0
            for picture in self._pictures(height):
                for packet in video.encode(picture):
                    container.mux(packet)
                while sounds * SAMPLES * RATE < picture.pts * SAMPLE_RATE:
                    for packet in audio.encode(_silence(sounds)):
                        container.mux(packet)
                    sounds += 1

    def _pictures(self, height: int) -> t.Iterator[av.VideoFrame]:
        number = 0
        while self.height == height and not self._ended.wait(1 / RATE):
            frame = av.VideoFrame(_width(height), height, "yuv420p")
            for plane in frame.planes:
                plane.update(bytes([128]) * plane.buffer_size)
            frame.pts, frame.time_base = number, fractions.Fraction(1, RATE)
            number += 1
            yield frame


def _silence(number: int) -> av.AudioFrame:
    frame = av.AudioFrame("fltp", "mono", SAMPLES)
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
    frame.sample_rate = SAMPLE_RATE
    frame.pts, frame.time_base = number * SAMPLES, fractions.Fraction(1, SAMPLE_RATE)
    return frame


def _width(height: int) -> int:
    """Return the even width of a picture of 16:9."""
    return height * 8 // 9 * 2
