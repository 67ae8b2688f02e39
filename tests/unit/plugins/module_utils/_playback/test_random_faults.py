# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random streams, servers and faults: what plays is never said not to, and what does not play is never said to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.addresses import FILES, play_url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import Address, Playback
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import (
    AAC,
    JPEG,
    OPUS,
    add,
    application,
    profile,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.cutting_proxy import (
    CuttingProxy,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playback_faults import (
    FAULTS,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    APP,
    HOST,
    HTTP,
    ORIGIN,
    SIGNALLING,
    STREAM,
    PassingClock,
    World,
    server,
)

SEED = 20261128
VERSIONS = ("0.18.0", "0.20.0", "0.21.0")
SIZES = ((320, 168), (640, 360), (160, 90))
LATER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("status", {"status": 500}),
    ("status", {"status": 401}),
    ("status", {"status": 404}),
    ("status", {"status": 200}),
    ("unauthorized_later", {}),
    ("missing_init", {}),
    ("no_cors", {}),
)
"""Faults of the simulator that a playback does not survive, whichever of its requests they spoil."""


def encodes(dice: random.Random, protocol: str) -> tuple[dict[str, Any], str, bool]:
    """Return random output profiles, the file that is played, and whether it has video."""
    if protocol not in ("llhls", "hls"):
        return profile(OPUS, AAC, images=[JPEG]), FILES.get(protocol, ""), True
    audios = dice.choice([(), (AAC,), (OPUS, AAC)])
    kind = dice.choice(["video and audio", "audio alone", "renditions"])
    prefix = "ts:" if protocol == "hls" else ""
    if kind == "audio alone":
        made = profile(AAC)
        made["outputProfile"][0]["encodes"].pop("videos")
        return made, FILES[protocol], False
    if kind == "video and audio":
        return profile(*audios), FILES[protocol], True
    sizes = SIZES[: dice.randint(1, len(SIZES))]
    videos = [
        {"name": f"v{at}", "codec": "h264", "width": wide, "height": high, "framerate": 15, "bitrate": 300000}
        for at, (wide, high) in enumerate(sizes)
    ]
    audio = {"audio": "a"} if audios else {}
    renditions = [{"name": f"r{at}", "video": video["name"], **audio} for at, video in enumerate(videos)]
    options = {"enableTsPackaging": True}
    playlist = {"name": "abr", "fileName": "abr", "options": options, "renditions": renditions}
    return profile(*audios, videos=videos, playlists=[playlist]), f"{prefix}abr.m3u8", True


@contextmanager
def random_world(
    dice: random.Random, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[World, str, bool]]:
    """Provide a server with a random stream, the URL that plays it, and whether it has video."""
    is_rtc = protocol in SIGNALLING
    clock = None if is_rtc else PassingClock()
    ports = {"signalling_ports": [0]} if is_rtc else {"viewer_ports": [0], "thumbnail_ports": [0]}
    with server(clock, dice.choice(VERSIONS), **ports) as made:
        profiles, file, has_video = encodes(dice, protocol)
        publishers = {name: {"crossDomains": {"urls": [ORIGIN]}} for name in ("llhls", "hls", "thumbnail")}
        add(made, "a", application(outputProfiles=profiles, publishers={**publishers, "webrtc": {}}))
        made.publish(HOST, APP, STREAM)
        if clock is not None:
            clock.advance(dice.choice([0, dice.uniform(0, 15), dice.uniform(0, 200)]))
        world = World(made, clock, monkeypatch)
        yield world, play_url(protocol, HOST, world.port(protocol), APP, STREAM, file, tls=False), has_video


def played(dice: random.Random, protocol: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, bool, Playback]:
    """Play once. Return what was wrong, whether the stream plays, and what the player says."""
    with random_world(dice, protocol, monkeypatch) as (world, url, has_video), ExitStack() as stack:
        changes: dict[str, Any] = {"url": url}
        if dice.random() < 0.3 and protocol in ("llhls", "hls"):
            changes["origin"] = ORIGIN
        what = dice.choice(["nothing", "fault", "later", "cut"] if protocol in HTTP else ["nothing", "fault"])
        if what == "nothing":
            return what, True, world.play(protocol, **changes)
        if what == "fault":
            fault = dice.choice([fault for fault in FAULTS if protocol in fault.stages])
            own = stack.enter_context(fault.made(world, protocol))
            if {"stream", "host"} & set(own):
                del changes["url"]
            found = world.play(protocol, **{**changes, **own})
            is_met = world.injected is None or bool(world.injected.met)
            is_harmless = fault.name == "no key frame" and not has_video
            return fault.name, fault.stages[protocol] == "plays" or not is_met or is_harmless, found
        if what == "cut":
            proxy = stack.enter_context(CuttingProxy(world.port(protocol), int(10 ** dice.uniform(0, 5.5))))
            found = world.play(protocol, connect_to=Address("127.0.0.1", proxy.port), **changes)
            return what, not proxy.has_cut, found
        kind, options = dice.choice(LATER)
        spoilt = world.simulator.spoil(kind, protocol=protocol, skip=dice.randint(0, 25), **options)
        found = world.play(protocol, **changes)
        is_harmless = kind == "no_cors" and "origin" not in changes
        return f"{kind} {options}", is_harmless or not spoilt.met, found


def protocol_for(dice: random.Random) -> str:
    """Return a protocol, most often one that takes little time."""
    return dice.choice(("llhls",) * 4 + ("hls",) * 3 + ("thumbnail", *SIGNALLING))


@pytest.mark.parametrize("runs", [20, *(pytest.param(250, marks=pytest.mark.long, id=f"250-{at}") for at in range(4))])
def test_no_verdict_is_wrong(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, record_property: Any, runs: int
) -> None:
    name = request.node.callspec.id
    wrong, playing = [], 0
    for number in range(runs):
        dice = random.Random(f"{SEED} {name} {number}")
        protocol = protocol_for(dice)
        with monkeypatch.context() as patch:
            what, plays, found = played(dice, protocol, patch)
        playing += plays
        if found.plays is not plays:
            verdict = "does not play though it does" if plays else "plays though it does not"
            wrong.append(f"run {number}, {protocol}, {what}: {verdict} ({found.failure})")
    record_property("plays", [playing, runs])
    assert wrong == []
    assert 0 < playing < runs
