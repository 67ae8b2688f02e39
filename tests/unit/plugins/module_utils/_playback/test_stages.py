# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every fault is found at its stage, by each protocol: no wrong verdict."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import DENIED, PLAYS
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playback_faults import (
    CASES,
    PlaybackFault,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    SIGNALLING,
    World,
    outcome,
)


@pytest.mark.parametrize("fault, protocol", CASES, ids=str)
def test_a_fault_is_found_at_its_stage(request: pytest.FixtureRequest, fault: PlaybackFault, protocol: str) -> None:
    world: World = request.getfixturevalue("rtc_world" if protocol in SIGNALLING else "world")
    with fault.made(world, protocol) as changes:
        found = world.play(protocol, **changes)
    stage = fault.stages[protocol]
    assert outcome(found) == stage, found.failure
    error = found.fails(PLAYS)
    assert (error is None) == (stage == "plays")
    if error is not None:
        told = error.as_result()
        assert told["kind"] == f"play_{stage}" and told["meaning"] and told["remedy"]
    refusals = ("denied", "not_found") if protocol in SIGNALLING else ("denied",)
    assert (found.fails(DENIED) is None) == (stage in refusals)
