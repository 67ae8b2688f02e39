# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers that the tests of playing share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    SECONDS_LIVE,
    PassingClock,
    World,
    go_live,
    server,
)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Provide a server whose time passes as soon as a viewer waits, with a stream that has been live for a while."""
    clock = PassingClock()
    with server(clock, viewer_ports=[0], thumbnail_ports=[0]) as made:
        go_live(made)
        clock.advance(SECONDS_LIVE)
        yield World(made, clock, monkeypatch)


@pytest.fixture
def rtc_world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Provide a server in real time, with a live stream, for viewers by WebRTC."""
    with server(None, signalling_ports=[0]) as made:
        go_live(made)
        yield World(made, None, monkeypatch)
