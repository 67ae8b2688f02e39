# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The test signal: a moving picture with a clock and a counter, and a tone; by the sources of FFmpeg."""

from __future__ import annotations

import fractions
import time
import typing as t

WIDTH, HEIGHT, RATE = 640, 360, 30
SAMPLE_RATE = 48000
PICTURE = f"size={WIDTH}x{HEIGHT}:rate={RATE}"
"""Of the source ``testsrc2``, which draws a clock and a counter of pictures."""
TONE = f"frequency=1000:beep_factor=4:sample_rate={SAMPLE_RATE}:samples_per_frame=1024"
"""Of the source ``sine``."""
X264 = {"preset": "ultrafast", "tune": "zerolatency", "profile": "baseline"}
"""Options of the encoder: what each player can decode, and no frame that waits for a later one."""


class Source:
    """Frames of one kind, each at its time.

    :param kind: ``video`` or ``audio``.
    """

    def __init__(self, kind: str) -> None:
        import av.filter

        graph = av.filter.Graph()
        if kind == "video":
            chain = [
                graph.add("testsrc2", PICTURE),
                graph.add("format", "pix_fmts=yuv420p"),
                graph.add("buffersink"),
            ]
            self.time_base = fractions.Fraction(1, RATE)
        else:
            layout = f"sample_fmts=s16:channel_layouts=mono:sample_rates={SAMPLE_RATE}"
            chain = [graph.add("sine", TONE), graph.add("aformat", layout), graph.add("abuffersink")]
            self.time_base = fractions.Fraction(1, SAMPLE_RATE)
        graph.link_nodes(*chain).configure()
        self.kind = kind
        self._graph = graph

    def frame(self) -> t.Any:
        """Return the next frame."""
        frame = self._graph.pull()
        frame.time_base = self.time_base
        return frame


def interleaved() -> t.Iterator[t.Any]:
    """Yield the frames of picture and tone in the order of their times, none before its time."""
    sources = [Source("video"), Source("audio")]
    waiting = [source.frame() for source in sources]
    begun = time.monotonic()
    while True:
        index = min(range(len(sources)), key=lambda one: waiting[one].time)
        frame = waiting[index]
        delay = frame.time - (time.monotonic() - begun)
        if delay > 0:
            time.sleep(delay)
        waiting[index] = sources[index].frame()
        yield frame
