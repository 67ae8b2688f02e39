# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the media of a live stream is cut into segments and parts, and how far it has come.

A segment takes 10 seconds and a part 7 frames of 15 a second, as in ``tests/wire/play``. A sample (a frame of video, or
1024 samples of audio) belongs to the part in which it begins, so that tracks of any rate have the same parts, which
follow each other without a gap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

SEGMENT_SECONDS = 10
PART_SECONDS = Fraction(7, 15)
PARTS = math.ceil(SEGMENT_SECONDS / PART_SECONDS)
"""Of a segment; the last one is shorter."""
MOST_WAIT = 3.0 * SEGMENT_SECONDS
"""A request for a part that is further away than this is not answered later, but with 404."""
_MOST_SEGMENTS = 5
_TOLERANCE = 1e-6
"""Of the clock, whose seconds have fractions that no float has exactly."""


def start_of(segment: int, part: int = 0) -> Fraction:
    """Return the second of the stream at which a part begins."""
    return SEGMENT_SECONDS * segment + min(part * PART_SECONDS, Fraction(SEGMENT_SECONDS))


@dataclass(frozen=True)
class Progress:
    """How far a stream has come.

    :param seconds: since it is live.
    :param timestamp: writes the time of day of a second of it.
    """

    seconds: float
    timestamp: Callable[[float], str]

    @property
    def segment(self) -> int:
        """Return the number of the segment that is being made."""
        return int((self.seconds + _TOLERANCE) // SEGMENT_SECONDS)

    @property
    def part(self) -> int:
        """Return the number of the next part in that segment."""
        return int((self.seconds + _TOLERANCE - self.segment * SEGMENT_SECONDS) / float(PART_SECONDS))

    @property
    def first(self) -> int:
        """Return the number of the first segment that is still listed."""
        return max(0, self.segment - _MOST_SEGMENTS + 1)

    def until(self, segment: int, part: int) -> float:
        """Return the seconds until a part is complete; 0.0 if it is."""
        left = float(start_of(segment, part + 1)) - self.seconds
        return left if left > _TOLERANCE else 0.0

    def until_listed(self, segment: int, part: int) -> float:
        """Return the seconds until a playlist has a part, or a later one if the segment has no such part."""
        return self.until(segment, part) if part < PARTS else self.until(segment + 1, 0)


@dataclass(frozen=True)
class Rhythm:
    """The samples of a track.

    :param timescale: ticks of a second.
    :param ticks: how many a sample takes.
    """

    timescale: int
    ticks: int

    def first(self, segment: int, part: int = 0) -> int:
        """Return the number of the first sample of a part, from the begin of the stream."""
        return math.ceil(start_of(segment, part) * self.timescale / self.ticks)

    def seconds(self, segment: int, part: int | None = None) -> float:
        """Return how long a part, or (None) a whole segment takes, as the difference of times in milliseconds."""
        start = self.first(segment, part or 0)
        end = self.first(segment + 1) if part is None else self.first(segment, part + 1)
        return (self._milliseconds(end) - self._milliseconds(start)) / 1000

    @property
    def longest_part(self) -> float:
        """Return how long the longest part takes."""
        samples = math.ceil(PART_SECONDS * self.timescale / self.ticks)
        return math.ceil(Fraction(samples * self.ticks * 1000, self.timescale)) / 1000

    def _milliseconds(self, sample: int) -> int:
        return round(Fraction(sample * self.ticks * 1000, self.timescale))
