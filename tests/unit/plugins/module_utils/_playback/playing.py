# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated server with a live stream, and players whose time passes as soon as somebody waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import concurrency
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import player, waiting, webrtc
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.addresses import play_url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import (
    Address,
    Playback,
    Settings,
    Target,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.player import Player
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import (
    AAC,
    JPEG,
    OPUS,
    add,
    application,
    profile,
)

HOST, APP, STREAM = "a.example.com", "live", "s1"
HTTP, SIGNALLING = ("llhls", "hls", "thumbnail"), ("webrtc", "webrtc_tcp")
SECONDS_LIVE = 34.5
ORIGIN = "https://player.example.com"
SOON = 0.05
"""Seconds that a player waits for what never comes."""


class PassingClock(ManualClock):
    """Seconds that pass as soon as the server waits for them."""

    def later(self, seconds: float, deed: Callable[[], None]) -> Callable[[], None]:
        call_off = super().later(seconds, deed)
        threading.Thread(target=self.advance, args=(seconds,), daemon=True).start()
        return call_off


class CountingClock(waiting.Clock):
    """A player's clock that has all the time for some waits, and little for each further one.

    :param waits: how many have all the time.
    """

    def __init__(self, waits: int) -> None:
        super().__init__(PATIENCE)
        self._waits = waits
        self.last = SOON
        """Seconds of each further wait."""

    @property
    def left(self) -> float:
        self._waits -= 1
        return PATIENCE if self._waits >= 0 else self.last


class World:
    """A server with the stream ``live/s1`` of the host name ``a.example.com``, and viewers.

    :param simulator: its clock is a :class:`PassingClock` for viewers by HTTP.
    """

    def __init__(self, simulator: Simulator, clock: ManualClock | None, monkeypatch: pytest.MonkeyPatch) -> None:
        self.simulator = simulator
        self.clock = clock
        self.settings = Settings(PATIENCE)
        self.injected: Any = None
        """The fault of the simulator, if there is one."""
        self._monkeypatch = monkeypatch
        monkeypatch.setattr(webrtc, "_MEASURED", 0.0)
        if clock is not None:
            monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=clock))
            monkeypatch.setattr(concurrency, "pause", clock.advance)

    def port(self, protocol: str) -> int:
        """Return the port of a protocol."""
        if protocol in SIGNALLING:
            return self.simulator.signalling_ports[0]
        return (self.simulator.thumbnail_ports if protocol == "thumbnail" else self.simulator.viewer_ports)[0]

    def target(self, protocol: str, *, host: str = HOST, stream: str = STREAM, **changes: Any) -> Target:
        """Return what a viewer plays. Changes are fields of :class:`Target`."""
        port = self.port(protocol)
        fields = {
            "url": play_url(protocol, host, port, APP, stream, tls=False),
            "protocol": protocol,
            "connect_to": Address("127.0.0.1", port),
        }
        return Target(**{**fields, **changes})

    def play(self, protocol: str, *, waits: int | None = None, **changes: Any) -> Playback:
        """Play as a viewer. Changes are those of :meth:`target`.

        :param waits: of the player, after which it has no more time.
        """
        with self._monkeypatch.context() as patch:
            if waits is not None:
                patch.setattr(player, "Clock", lambda _seconds: CountingClock(waits))
            return play_once([self.target(protocol, **changes)], self.settings)[0]


def play_once(targets: list[Target], settings: Settings) -> list[Playback]:
    """Return the outcome of each target, which is played once."""
    return Player(settings, len(targets)).play_until(targets, lambda _index, _playback: True, 0.0, Context())


def outcome(playback: Playback) -> str:
    """Return the stage that failed, or ``plays``."""
    return playback.failure.stage if playback.failure is not None else "plays"


def server(clock: ManualClock | None, version: str = "0.21.0", **ports: Any) -> Simulator:
    """Return a simulated server that is not started."""
    ports = ports or {"viewer_ports": [0], "thumbnail_ports": [0], "signalling_ports": [0]}
    return Simulator(version, clock=clock, default_host_names=["default.example.com"], **ports)


def go_live(simulator: Simulator, **config: Any) -> None:
    """Add the virtual host, and publish its stream. :param config: of the virtual host."""
    publishers: dict[str, Any] = {name: {} for name in ("hls", "webrtc", "thumbnail")}
    llhls = {"crossDomains": {"urls": [ORIGIN]}}
    app = application(outputProfiles=profile(OPUS, AAC, images=[JPEG]), publishers={"llhls": llhls, **publishers})
    add(simulator, "a", app, **config)
    simulator.publish(HOST, APP, STREAM)
