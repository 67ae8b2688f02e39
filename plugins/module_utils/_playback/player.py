# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Play many targets concurrently, until they are as expected or the time is over."""

from __future__ import annotations

import collections
import importlib.util
import sys
import typing as t

from .._core import concurrency
from .._core.context import Context
from .._core.errors import OmeError
from .ffprobe import play_by_program
from .hls import HlsPlayer
from .playback import NotPlayed, Playback, Settings, Target
from .thumbnail import play_thumbnail
from .viewer import Viewer
from .waiting import Clock, Interrupt
from .webrtc import play_webrtc

_LIBRARIES = {
    "llhls": ("m3u8", "av"),
    "hls": ("m3u8", "av"),
    "thumbnail": ("av",),
    "webrtc": ("aiortc", "av", "websockets"),
    "webrtc_tcp": ("aiortc", "av", "websockets"),
}
_PAUSE = 1.0  # seconds between two attempts


def check_libraries(protocols: t.Iterable[str]) -> None:
    """Raise OmeError if the libraries are missing that play these protocols."""
    needed = dict.fromkeys(name for protocol in protocols for name in _LIBRARIES.get(protocol, ()))
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        names = ", ".join(missing)
        raise OmeError(
            "play_library",
            "play as a viewer",
            detail=f"The Python of the module ({sys.executable}) lacks: {names}.",
            remedy=f"Run {sys.executable} -m pip install {' '.join(missing)}",
        )


class Player:
    """Plays targets.

    :param most: playbacks at the same time.
    """

    def __init__(self, settings: Settings, most: int) -> None:
        self._settings = settings
        self._most = most
        self._interrupt = Interrupt()

    def play_until(
        self,
        targets: t.Sequence[Target],
        is_right: t.Callable[[int, Playback], bool],
        seconds: float,
        context: Context,
    ) -> list[Playback]:
        """Return the outcome of each target; repeat those that are not right until they are, or the time is over.

        None waits for another one, which can take long to fail. All are played once before one is repeated.
        """
        end = context.clock() + seconds
        found: dict[int, Playback] = {}
        waiting = collections.deque((index, context.clock()) for index in range(len(targets)))

        def work() -> None:
            while waiting:
                concurrency.go_on()
                try:
                    index, begin = waiting.popleft()
                except IndexError:  # another thread was faster
                    break
                if begin > context.clock():
                    context.sleep(begin - context.clock())
                playback = found[index] = self._play(targets[index])
                if not is_right(index, playback) and context.clock() < end:
                    waiting.append((index, min(context.clock() + _PAUSE, end)))

        workers = [work] * min(self._most, len(targets))
        concurrency.map_concurrently(workers, self._most, self._interrupt, calls_a_thread=1)
        return [found[index] for index in range(len(targets))]

    def _play(self, target: Target) -> Playback:
        playback, clock = Playback(target), Clock(self._settings.timeout)
        try:
            if target.protocol in ("srt", "rtmp"):
                play_by_program(playback, clock, self._interrupt)
            elif target.protocol.startswith("webrtc"):
                play_webrtc(playback, self._settings, clock, self._interrupt)
            else:
                self._play_by_http(playback, clock)
        except NotPlayed as failure:
            playback.failure = failure
        return playback

    def _play_by_http(self, playback: Playback, clock: Clock) -> None:
        viewer = Viewer(playback.target, self._settings, clock, self._interrupt)
        try:
            if playback.target.protocol == "thumbnail":
                play_thumbnail(viewer, playback)
            else:
                HlsPlayer(viewer, playback).play()
        finally:
            playback.certificate = viewer.certificate
            viewer.close()
