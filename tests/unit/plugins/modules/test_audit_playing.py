# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit plays what is live, and says what does not play and why."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.auditor import Audit
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import Desired
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.probe import ProbeSettings
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Settings, Transport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import player
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.outputs import Viewers
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import Address
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import add, application
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    SECONDS_LIVE,
    PassingClock,
    World,
    server,
)

MINE = ("t-a", "live", "main")


class Played:
    """A server whose streams are played, and an audit. All of their time passes as soon as somebody waits."""

    def __init__(self, world: World, clock: ManualClock) -> None:
        self.simulator = world.simulator
        self.world = world
        self.clock = clock
        self.meanwhile: Callable[[], None] = lambda: None
        self.ports = {"llhls": self.simulator.viewer_ports[0]}

    def go_live(self, vhost: str, stream: str = "main") -> None:
        """Publish a stream to the first host name of a virtual host, and let it have media."""
        self.simulator.publish(f"{vhost}.example.com", "live", stream)
        self.sleep(SECONDS_LIVE)

    @property
    def now(self) -> float:
        """Return the time of all in seconds."""
        return self.clock()

    def sleep(self, seconds: float) -> None:
        """Let time pass for all."""
        self.clock.advance(seconds)
        self.meanwhile()

    def audit(self, desired: Desired | None = None, **viewers: Any) -> dict[str, Any]:
        """Return the result of an audit that plays by LL-HLS, unless others are named."""
        reach = Viewers(
            self.world.settings,
            **{"connect_to": Address("127.0.0.1"), "ports": self.ports, "protocols": ["llhls"], **viewers},
        )
        settings = Settings(self.simulator.url, self.simulator.token, retries=0)
        with contextlib.closing(Transport(settings)) as transport:
            context = Context(sleep=self.sleep, clock=self.clock)
            listed = desired or Desired(read_only=["default", "t-a", "t-b"])
            audit = Audit(Api(transport), context, listed, viewers=reach, play=True)
            audit.run([], ProbeSettings(1.0))
        assert self.simulator.writes == []
        return audit.result()


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    """A server with a stream that plays."""
    clock = PassingClock()
    with server(clock, viewer_ports=[0]) as simulator:
        add(simulator, "t-a", application())
        found = Played(World(simulator, clock, monkeypatch), clock)
        found.go_live("t-a")
        simulator.clear_log()
        yield found


def wrong(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the findings about what does not play."""
    return [one for one in result["findings"] if one["kind"] == "does_not_play"]


def test_what_plays_is_no_finding(played: Played) -> None:
    result = played.audit()
    assert result["counts"]["error"] == 0
    (one,) = result["playbacks"]
    assert one.pop("seconds_to_first_frame") >= 0 and isinstance(one.pop("latency"), float)
    assert one == {
        "vhost": "t-a",
        "app": "live",
        "stream": "main",
        "host_name": "t-a.example.com",
        "protocol_out": "llhls",
        "signed": None,
        "verdict": "plays",
        "stage": None,
        "msg": "",
    }


def test_nothing_is_played_unless_it_is_asked_for(played: Played) -> None:
    settings = Settings(played.simulator.url, played.simulator.token)
    with contextlib.closing(Transport(settings)) as transport:
        audit = Audit(Api(transport), Context(), Desired(read_only=["default", "t-a"]))
        audit.run([], ProbeSettings(1.0))
    assert audit.result()["playbacks"] == []


def test_playing_reads_only_what_was_not_read_yet(played: Played) -> None:
    def sent(**viewers: Any) -> Counter[tuple[str, str]]:
        played.simulator.clear_log()
        played.audit(**viewers)
        return Counter((one.method, one.path) for one in played.simulator.log)

    assert sent() == sent(protocols=[]), "what does not depend on protocols"
    assert sent()["GET", "/v1/vhosts/t-a/apps/live"] == 1


@pytest.mark.parametrize(
    ("kind", "stage"),
    [
        ("frozen_playlist", "stalled"),
        ("empty_playlist", "playlist"),
        ("missing_init", "media"),
        ("unauthorized_later", "denied"),
        ("no_key_frame", "key_frame"),
    ],
)
def test_what_does_not_play_is_an_error_with_its_stage(played: Played, kind: str, stage: str) -> None:
    played.simulator.spoil(kind)
    begun = played.now
    result = played.audit()
    (one,) = wrong(result)
    assert (one["vhost"], one["application"], one["stream"]) == MINE
    assert (one["severity"], one["field"], one["found"]) == ("error", "llhls", stage)
    assert one["message"].startswith("Stream t-a/live/main does not play by llhls at t-a.example.com. ")
    assert [(entry["verdict"], entry["stage"]) for entry in result["playbacks"]] == [("fails", stage)]
    assert next(entry for entry in result["vhosts"] if entry["name"] == "t-a")["status"] == "error"
    assert played.now - begun >= 10, "it has been tried for ten seconds"


def test_what_plays_at_a_later_attempt_is_no_finding(played: Played) -> None:
    played.simulator.spoil("missing_init")
    played.meanwhile = played.simulator.clear_faults
    assert wrong(played.audit()) == []


def test_a_stream_that_ends_meanwhile_is_no_finding(played: Played) -> None:
    played.meanwhile = lambda: played.simulator.stream_disappears(*MINE)
    played.simulator.spoil("missing_init")
    result = played.audit()
    assert wrong(result) == [] and result["playbacks"] == []


def test_one_dead_port_is_one_finding(played: Played) -> None:
    played.go_live("t-a", "other")
    (one,) = wrong(played.audit(ports={"llhls": 9}))
    assert one["message"].startswith("2 streams do not play by llhls at t-a.example.com. ")
    assert (one["vhost"], one["stream"], one["found"]) == ("t-a", "", "connection")


def test_each_host_name_is_played(played: Played) -> None:
    names = ["t-b.example.com", "b.example.org", "*.example.net"]
    add(played.simulator, "t-b", application(), host={"names": names})
    played.go_live("t-b")
    assert [(one["vhost"], one["host_name"]) for one in played.audit()["playbacks"]] == [
        ("t-a", "t-a.example.com"),
        ("t-b", "b.example.org"),
        ("t-b", "t-b.example.com"),
    ]


def test_a_host_name_for_everything_is_played_by_the_host_of_the_api(played: Played) -> None:
    add(played.simulator, "t-b", application(), host={"names": ["*"]})
    played.simulator.publish("anything.example.com", "live", "main")
    played.sleep(SECONDS_LIVE)
    assert [one["host_name"] for one in played.audit()["playbacks"] if one["vhost"] == "t-b"] == ["127.0.0.1"]


def test_a_host_name_that_reaches_another_virtual_host_does_not_play(played: Played) -> None:
    add(played.simulator, "t-b", application())
    played.go_live("t-b", "second")
    played.simulator.spoil("wrong_virtual_host", vhost="t-b", target="t-a")
    (one,) = wrong(played.audit())
    assert (one["vhost"], one["stream"], one["found"]) == ("t-b", "second", "not_found")


POLICY = {"secret_key": "1kU^b6", "enables": {"publishers": ["llhls"]}}


def test_a_protected_stream_is_played_with_a_signature(played: Played) -> None:
    policy = {
        "policyQueryKeyName": "policy",
        "signatureQueryKeyName": "signature",
        "secretKey": POLICY["secret_key"],
        "enables": {"publishers": "llhls"},
    }
    add(played.simulator, "t-b", application(), signedPolicy=policy)
    played.go_live("t-b")
    result = played.audit()
    assert wrong(result) == []
    assert [one["signed"] for one in result["playbacks"]] == [None, True]


def test_a_policy_by_which_nothing_can_be_signed_is_a_warning(played: Played) -> None:
    listed = VIRTUAL_HOST.specified({"name": "t-a", "signed_policy": {**POLICY, "secret_key": ""}})
    result = played.audit(Desired(vhosts=[listed], read_only=["default", "t-a"]))
    assert result["playbacks"] == []
    (one,) = [one for one in result["findings"] if one["kind"] == "concern"]
    assert (one["severity"], one["vhost"], one["field"]) == ("warning", "t-a", "signed_policy")


def test_a_protocol_without_publisher_is_not_played(played: Played) -> None:
    assert {one["protocol_out"] for one in played.audit(protocols=["llhls", "webrtc"])["playbacks"]} == {"llhls"}
    assert {one["protocol_out"] for one in played.audit(protocols=None)["playbacks"]} == {"llhls"}


def test_a_missing_library_is_one_finding(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "_LIBRARIES", {"llhls": ("no_such_library",)})
    result = played.audit()
    (one,) = [one for one in result["findings"] if one["severity"] == "error"]
    assert one["kind"] == "play_library" and "no_such_library" in one["message"]
    assert result["playbacks"] == []
