# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Scheduled and multiplex channels: their lives, what differs, lost answers, other clients, restarts, and how they are
read.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.channel_samples import (
    CALLS,
    CHANNELS,
    FILM,
    LIVE,
    MULTIPLEX,
    PLACE,
    RECREATED,
    SCHEDULED,
    ensure,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.test_life import life
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

KINDS = tuple(CHANNELS)


@pytest.fixture(params=RECORDED_MEDIA, name="simulator")
def _simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version with channels in turn, with the application `media`."""
    with Simulator(version=request.param, scene="media") as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


@pytest.fixture(name="current")
def _current() -> Iterator[Simulator]:
    """A simulator of the newest version, with the application `media`."""
    with Simulator(scene="media") as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


def writes(simulator: Simulator) -> list[str]:
    return [record.method for record in simulator.writes]


def one(module: str) -> str:
    """Return the end of the path of the channel."""
    return f"{CALLS[module]}/{CHANNELS[module]['name']}"


def removal(module: str) -> dict[str, Any]:
    return {**PLACE, "name": CHANNELS[module]["name"], "state": "absent"}


class TestLife:
    """Absent, check, apply, again, change, again, remove."""

    def test_programs_are_changed_in_place(self, simulator: Simulator) -> None:
        change = {**SCHEDULED, "programs": [{**LIVE, "repeat": True}], "fallback_program": {"items": []}}
        expected = ("created", "updated", "deleted")
        life(simulator, "scheduled_channel", SCHEDULED, change, removal("scheduled_channel"), expected)
        assert writes(simulator) == []

    @pytest.mark.parametrize("module", KINDS)
    def test_other_options_by_recreate(self, simulator: Simulator, module: str) -> None:
        change = {**CHANNELS[module], **RECREATED[module], "recreate": True}
        life(simulator, module, CHANNELS[module], change, removal(module), ("created", "recreated", "deleted"))

    @pytest.mark.parametrize("module", KINDS)
    def test_requests(self, simulator: Simulator, module: str) -> None:
        ensure(simulator, module)
        ensure(simulator, module, **RECREATED[module], recreate=True)
        ensure(simulator, module, state="absent")
        assert writes(simulator) == ["POST", "DELETE", "POST", "DELETE"]
        assert all(CALLS[module] in record.path for record in simulator.writes)


class TestComparison:
    """What is a difference, and what is only another spelling."""

    @pytest.mark.parametrize("module", KINDS)
    def test_what_info_returns_is_no_difference(self, simulator: Simulator, module: str) -> None:
        ensure(simulator, module)
        found = running_modules.run_module(f"{module}_info", connection(simulator, **PLACE))
        (channel,) = found[f"{module}s"]
        again = running_modules.run_module(module, connection(simulator, **channel))
        assert (again["action"], again["differences"]) == ("unchanged", [])

    @pytest.mark.parametrize("module", KINDS)
    def test_only_the_names_are_no_difference(self, simulator: Simulator, module: str) -> None:
        ensure(simulator, module)
        run = running_modules.run_module(module, connection(simulator, **{**removal(module), "state": "present"}))
        assert run["action"] == "unchanged"

    @pytest.mark.parametrize(
        "time",
        (
            "2999-01-31T20:15:00.500+01:00",
            "2999-01-31T20:15:00.5+0100",
            "2999-01-31 19:15:00.500Z",
            "2999-01-31T19:15:00.500000+00:00",
            "2999-01-31T22:15:00.500+03",
        ),
    )
    def test_times_are_compared_as_instants(self, current: Simulator, time: str) -> None:
        ensure(current, "scheduled_channel")
        run = ensure(current, "scheduled_channel", programs=[LIVE, {**FILM, "scheduled": time}])
        assert run["action"] == "unchanged", run

    def test_defaults_of_the_server_are_no_difference(self, current: Simulator) -> None:
        channel = {"stream": None, "fallback_program": None, "programs": [LIVE]}
        ensure(current, "scheduled_channel", **channel)
        item = {"url": "stream://default/media/live1", "start": 0, "duration": -1, "forward_data": False}
        stream = {"bypass_transcoder": False, "video_track": True, "audio_map": [], "error_tolerance_duration_ms": 500}
        program = {**LIVE, "items": [item], "repeat": False}
        run = ensure(current, "scheduled_channel", stream=stream, fallback_program={"items": []}, programs=[program])
        assert run["action"] == "unchanged", run

    def test_programs_that_are_over_are_not_compared(self, current: Simulator, clock: ManualClock) -> None:
        old = {"name": "old", "scheduled": "2019-01-01T00:00:00Z", "items": [{"url": "file://old.mp4"}]}
        assert ensure(current, "scheduled_channel", programs=[old, LIVE])["action"] == "created"
        for programs in ([old, LIVE], [LIVE]):
            assert ensure(current, "scheduled_channel", programs=programs)["action"] == "unchanged"
        run = ensure(current, "scheduled_channel", programs=[old])
        assert run["action"] == "updated", "the last one has no end"

    def test_items_are_compared_in_their_order(self, current: Simulator) -> None:
        ensure(current, "scheduled_channel")
        turned = {**FILM, "items": FILM["items"][::-1]}
        assert ensure(current, "scheduled_channel", programs=[LIVE, turned])["action"] == "unchanged"
        turned = {**FILM, "items": [*FILM["items"][1:], FILM["items"][0]]}
        run = ensure(current, "scheduled_channel", programs=[LIVE, turned])
        assert run["action"] == "updated"
        assert {difference["field"] for difference in run["differences"]} == {
            "programs[1].items[0].url",
            "programs[1].items[1].url",
            "programs[1].items[1].start",
            "programs[1].items[1].duration",
        }

    def test_the_order_of_a_track_map_means_nothing(self, simulator: Simulator) -> None:
        ensure(simulator, "multiplex_channel")
        sources = copy.deepcopy(MULTIPLEX["source_streams"])
        sources[0]["track_map"].reverse()
        assert ensure(simulator, "multiplex_channel", source_streams=sources)["action"] == "unchanged"
        sources[0]["track_map"][0]["new_track_name"] = "other"
        run = ensure(simulator, "multiplex_channel", source_streams=sources, playlists=[])
        assert [difference["field"] for difference in run["differences"]] == [
            "source_streams[0].track_map",
            "playlists",
        ]

    def test_a_difference_without_recreate(self, current: Simulator) -> None:
        ensure(current, "scheduled_channel")
        current.stream_appears("default", "media", "live1")
        current.clear_log()
        for check_mode in (False, True):
            run = ensure(current, "scheduled_channel", check_mode=check_mode, **RECREATED["scheduled_channel"])
            assert run.failed and not run["changed"] and run["error"]["kind"] == "differs"
            assert (
                "Differing fields: stream.bypass_transcoder. A recreate ends the channel for its viewers" in run["msg"]
            )
            assert run["diff"]["after"]["default/media/tv1"]["stream"]["bypass_transcoder"] is False
        assert current.writes == []


class TestRefusals:
    """What cannot be done, and why."""

    @pytest.mark.parametrize("check_mode", (False, True))
    @pytest.mark.parametrize("module", KINDS)
    def test_an_application_without_the_provider(self, simulator: Simulator, module: str, check_mode: bool) -> None:
        run = ensure(simulator, module, app="app", check_mode=check_mode)
        assert run.failed and not run["changed"] and run["error"]["kind"] == "provider_missing"
        assert "<Schedule> with MediaRootDir and ScheduleFilesDir" in run["msg"]
        gone = ensure(simulator, module, app="app", state="absent", check_mode=check_mode)
        assert gone["action"] == "unchanged"
        assert running_modules.run_module(f"{module}_info", connection(simulator))[f"{module}s"] == []

    @pytest.mark.parametrize("module", KINDS)
    @pytest.mark.parametrize(
        ("place", "kind"), (({"vhost": "none"}, "vhost_not_found"), ({"app": "none"}, "application_not_found"))
    )
    def test_nothing_that_could_hold_it(self, current: Simulator, module: str, place: Any, kind: str) -> None:
        run = ensure(current, module, **place)
        assert run.failed and run["error"]["kind"] == kind and run["error"]["attempted"].startswith("create ")
        predicted = ensure(current, module, **place, check_mode=True)
        assert predicted["action"] == "created" and "fails unless an earlier task creates it" in predicted.warnings[0]
        gone = ensure(current, module, **place, state="absent")
        assert gone["action"] == "unchanged" and "does not exist" in gone.warnings[0]

    @pytest.mark.parametrize("module", KINDS)
    def test_a_server_without_the_calls(self, module: str) -> None:
        with Simulator(version="0.15.10", scene="media") as old:
            run = ensure(old, module)
            assert run.failed and run["error"]["kind"] == "controller_not_found"
            assert "channel needs OvenMediaEngine 0.16." in run["msg"]
            info = running_modules.run_module(f"{module}_info", connection(old, **PLACE))
            assert info.failed and "channel needs OvenMediaEngine 0.16." in info["msg"]
            assert old.writes == []

    @pytest.mark.parametrize(
        ("module", "options", "named"),
        (
            (
                "scheduled_channel",
                {"stream": {"error_tolerance_duration_ms": 100}},
                "stream.error_tolerance_duration_ms",
            ),
            (
                "scheduled_channel",
                {"programs": [{**LIVE, "items": [{**LIVE["items"][0], "forward_data": True}]}]},
                "programs[0].items[0].forward_data",
            ),
            ("multiplex_channel", {"output_stream": {"bypass_transcoder": False}}, "output_stream.bypass_transcoder"),
        ),
    )
    def test_options_that_the_server_would_ignore(self, module: str, options: Any, named: str) -> None:
        with Simulator(version="0.18.0", scene="media") as old:
            for existing in (False, True):
                if existing:
                    ensure(old, module)
                    old.clear_log()
                run = ensure(old, module, **options, recreate=True)
                assert run.failed and run["error"]["kind"] == "unsupported_option"
                assert f"{named} needs OvenMediaEngine 0." in run["msg"] and old.writes == []

    @pytest.mark.parametrize("module", KINDS)
    def test_a_stream_that_has_the_name(self, current: Simulator, module: str) -> None:
        current.stream_appears("default", "media", CHANNELS[module]["name"])
        run = ensure(current, module)
        assert run.failed and not run["changed"] and run["error"]["kind"] == "name_taken"
        assert ensure(current, module, state="absent")["action"] == "unchanged"

    def test_a_multiplex_channel_of_a_track_that_no_source_has_is_a_warning(self, simulator: Simulator) -> None:
        sources = copy.deepcopy(MULTIPLEX["source_streams"])
        sources[0]["track_map"][1]["source_track_name"] = "aac"
        for check_mode in (True, False):
            run = ensure(simulator, "multiplex_channel", check_mode=check_mode, source_streams=sources)
            (text,) = run.warnings
            assert "channel default/media/mux1 takes aac of stream://default/media/live1, but no output profile" in text
            assert "the channel plays without it. Take one of these: bypass_audio, bypass_video." in text
        assert ensure(simulator, "multiplex_channel", recreate=True).warnings == []

    def test_a_multiplex_channel_without_sources(self, current: Simulator) -> None:
        run = ensure(current, "multiplex_channel", source_streams=None, playlists=None)
        assert run.failed and run["error"]["kind"] == "bad_input" and "source_streams: is required" in run["msg"]

    def test_a_playlist_of_tracks_that_the_channel_does_not_have(self, current: Simulator) -> None:
        ensure(current, "multiplex_channel")
        current.clear_log()
        playlists = copy.deepcopy(MULTIPLEX["playlists"])
        playlists[0]["renditions"][0]["video"] = "none %s"
        run = ensure(current, "multiplex_channel", source_streams=None, playlists=playlists, recreate=True)
        assert run.failed and "playlists[0].renditions[0].video: expected a new_track_name" in run["msg"]
        assert current.writes == []

    @pytest.mark.parametrize(
        ("module", "options", "expected"),
        (
            ("scheduled_channel", {"programs": [{**LIVE, "scheduled": "2020-01-01T00:00:00"}]}, "with an offset"),
            ("scheduled_channel", {"programs": [{**LIVE, "scheduled": "2020-13-01T00:00:00Z"}]}, "with an offset"),
            ("scheduled_channel", {"programs": [FILM, LIVE]}, "programs[1].scheduled: expected a later time"),
            ("scheduled_channel", {"programs": [LIVE, LIVE]}, "expected each name once"),
            ("scheduled_channel", {"programs": [{**LIVE, "items": [{"url": "rtsp://u:canary@h/s"}]}]}, "'file://path'"),
            ("scheduled_channel", {"programs": [{**LIVE, "items": [{"url": "stream://a/b"}]}]}, "'file://path'"),
            ("scheduled_channel", {"programs": [{**LIVE, "items": [{"url": "file://../etc"}]}]}, "without '..'"),
            ("scheduled_channel", {"fallback_program": {"items": [{"url": "file://"}]}}, "'file://path'"),
            ("scheduled_channel", {"programs": [{**LIVE, "items": [{"url": "file://a", "duration": 5}]}]}, "1000"),
            ("scheduled_channel", {"wait_timeout": -1}, "wait_timeout: expected seconds"),
            (
                "multiplex_channel",
                {"source_streams": [{**MULTIPLEX["source_streams"][0], "url": "file://a"}]},
                "stream://",
            ),
            (
                "multiplex_channel",
                {
                    "source_streams": [
                        {
                            **MULTIPLEX["source_streams"][0],
                            "track_map": [
                                {"source_track_name": "v", "new_track_name": "a"},
                                {"source_track_name": "v", "new_track_name": "b"},
                            ],
                        }
                    ]
                },
                "source_streams[0].track_map[1].source_track_name: expected each track once",
            ),
            ("multiplex_channel", {"source_streams": MULTIPLEX["source_streams"][:1]}, "expected a new_track_name"),
        ),
    )
    def test_bad_input(self, current: Simulator, module: str, options: Any, expected: str) -> None:
        run = ensure(current, module, **options)
        assert run.failed and run["error"]["kind"] == "bad_input" and expected in run["msg"]
        assert "canary" not in run["msg"] and not current.log


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", KINDS)
class TestLostAnswers:
    """The connection breaks, or a proxy gives up, before the work or after it."""

    @pytest.mark.parametrize("when", ("before", "after"))
    @pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
    def test_create_recreate_and_delete(
        self, current: Simulator, module: str, when: str, fault: dict[str, Any]
    ) -> None:
        current.inject(**fault, method="POST", path=CALLS[module], when=when)
        run = ensure(current, module)
        assert not run.failed and run["action"] == "created", run
        assert writes(current).count("POST") == (1 if when == "after" else 2)
        for method, path in (("DELETE", one(module)), ("POST", CALLS[module])):
            current.inject(**fault, method=method, path=path, when=when)
        run = ensure(current, module, **RECREATED[module], recreate=True)
        assert not run.failed and run["action"] == "recreated", run
        current.inject(**fault, method="DELETE", path=one(module), when=when)
        run = ensure(current, module, state="absent")
        assert not run.failed and run["action"] == "deleted", run
        assert current.state.channels.files == {}

    def test_create_that_never_gets_an_answer(self, current: Simulator, module: str) -> None:
        current.inject("reset", method="POST", path=CALLS[module], times=-1)
        run = ensure(current, module)
        assert run.failed and not run["changed"] and run["error"]["kind"] == "connection_lost"
        assert writes(current).count("POST") == 3

    def test_create_whose_outcome_cannot_be_read(self, current: Simulator, module: str) -> None:
        current.inject("reset", method="POST", path=CALLS[module], when="after")
        current.inject("status", method="GET", path=one(module), status=500, skip=1, times=-1)
        run = ensure(current, module)
        assert run.failed and run["changed"] and run["error"]["kind"] == "server_error"

    def test_recreate_that_the_server_refuses(self, current: Simulator, module: str) -> None:
        ensure(current, module)
        files = copy.deepcopy(current.state.channels.snapshot()["channel_files"])
        current.inject("status", method="POST", path=CALLS[module], status=400)
        run = ensure(current, module, **RECREATED[module], recreate=True)
        assert run.failed and run["changed"] and "The previous one was restored." in run["msg"]
        assert current.state.channels.snapshot()["channel_files"] == files

    def test_recreate_that_cannot_be_undone(self, current: Simulator, module: str) -> None:
        ensure(current, module)
        current.inject("status", method="POST", path=CALLS[module], status=400, times=-1)
        run = ensure(current, module, **RECREATED[module], recreate=True)
        assert run.failed and run["changed"] and run[module] is None
        assert "The previous one was deleted and could not be restored" in run["msg"]

    def test_a_delete_that_fails(self, current: Simulator, module: str) -> None:
        ensure(current, module)
        current.inject("status", method="DELETE", path=one(module), status=500, times=-1)
        run = ensure(current, module, state="absent")
        assert run.failed and not run["changed"] and run["error"]["kind"] == "server_error"
        run = ensure(current, module, **RECREATED[module], recreate=True)
        assert run.failed and "It was not recreated." in run["msg"]

    def test_a_channel_that_stays_listed(self, current: Simulator, module: str) -> None:
        ensure(current, module)
        run = ensure(current, module, state="absent", wait_timeout=1)
        assert run.failed and run["changed"] and run["error"]["kind"] == "wait_timeout"
        assert "still lists it after 1 s" in run["msg"]

    def test_a_channel_that_does_not_appear(self, current: Simulator, module: str) -> None:
        run = ensure(current, module, wait_timeout=0)
        assert run.failed and run["changed"] and run["error"]["kind"] == "wait_timeout"
        assert "does not show its effect after 0 s" in run["msg"]

    def test_another_client_that_deletes_it(self, current: Simulator, module: str, clock: ManualClock) -> None:
        ensure(current, module)
        path = next(iter(current.state.channels.files))
        current.state.channels.delete(path)
        run = ensure(current, module, state="absent")
        assert not run.failed and run["action"] == "deleted", "a second delete is a failure of the server"

    def test_a_restart(self, current: Simulator, module: str) -> None:
        ensure(current, module)
        current.restart()
        assert ensure(current, module)["action"] == "unchanged"
        current.restart()
        assert ensure(current, module, state="absent")["action"] == "deleted"


class TestUpdates:
    """A change in place."""

    @pytest.mark.parametrize("when", ("before", "after"))
    @pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
    def test_lost_answer(self, current: Simulator, when: str, fault: dict[str, Any]) -> None:
        ensure(current, "scheduled_channel")
        current.inject(**fault, method="PATCH", when=when)
        run = ensure(current, "scheduled_channel", programs=[LIVE])
        assert not run.failed and run["action"] == "updated", run
        assert ensure(current, "scheduled_channel", programs=[LIVE])["action"] == "unchanged"

    def test_a_refused_one(self, current: Simulator) -> None:
        ensure(current, "scheduled_channel")
        current.inject("status", method="PATCH", status=400, times=-1)
        run = ensure(current, "scheduled_channel", programs=[LIVE])
        assert run.failed and not run["changed"] and run["error"]["kind"] == "bad_request"
        assert len(run["scheduled_channel"]["programs"]) == 2

    def test_one_that_the_server_does_not_notice(self, current: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
        """The server misses a change in the second of the one before it; a second request shows it."""
        ensure(current, "scheduled_channel")
        current.clear_log()
        write, missed = current.state.channels.write, []

        def miss_first(path: str, content: Any) -> None:
            if missed:
                write(path, content)
            missed.append(path)

        monkeypatch.setattr(current.state.channels, "write", miss_first)
        assert ensure(current, "scheduled_channel", programs=[LIVE])["action"] == "updated"
        assert writes(current) == ["PATCH", "PATCH"]

    def test_one_that_never_shows(self, current: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
        ensure(current, "scheduled_channel")
        monkeypatch.setattr(current.state.channels, "write", lambda path, content: None)
        run = ensure(current, "scheduled_channel", programs=[LIVE])
        assert run.failed and run["changed"] and run["error"]["kind"] == "wait_timeout"


class TestConflicts:
    """Another client of the API is faster."""

    def test_the_same_channel(self, current: Simulator) -> None:
        self._between_read_and_create(current, SCHEDULED)
        run = ensure(current, "scheduled_channel")
        assert (run["action"], run["changed"]) == ("unchanged", False)

    def test_another_channel(self, current: Simulator) -> None:
        self._between_read_and_create(current, {**SCHEDULED, "programs": [FILM]})
        run = ensure(current, "scheduled_channel")
        assert run.failed and not run["changed"] and run["error"]["kind"] == "conflict"

    def _between_read_and_create(self, current: Simulator, channel: dict[str, Any]) -> None:
        """Let the channel exist, and the first read not find it."""
        ensure(current, "scheduled_channel", **channel)
        current.inject("status", method="GET", path="/tv1", status=404, message="Could not find the stream: [x] (404)")


class TestInfo:
    """How channels are read."""

    def test_all_of_the_server(self, simulator: Simulator) -> None:
        for module in KINDS:
            ensure(simulator, module)
        simulator.stream_appears("default", "media", "live1")
        for options in ({}, {"vhost": "default"}, PLACE, {**PLACE, "names": ["tv1", "none"]}):
            run = running_modules.run_module("scheduled_channel_info", connection(simulator, **options))
            (channel,), (status,) = run["scheduled_channels"], run["status"]
            assert channel["programs"][0]["items"][0]["url"] == "stream://default/media/live1"
            assert (status["vhost"], status["app"], status["name"], status["state"]) == (
                *PLACE.values(),
                "tv1",
                "onair",
            )
            assert status["current_program"]["name"] == "live"
            assert status["current_program"]["item"]["url"] == "stream://default/media/live1"
        assert run["missing"] == ["default/media/none"]
        run = running_modules.run_module("multiplex_channel_info", connection(simulator))
        (status,) = run["status"]
        assert status["state"] == "pulling" and status["message"].endswith("Wait for stream live2")
        simulator.stream_appears("default", "media", "live2")
        run = running_modules.run_module("multiplex_channel_info", connection(simulator))
        assert (run["status"][0]["state"], run["status"][0]["message"]) == ("playing", None)

    @pytest.mark.parametrize("module", KINDS)
    def test_filters_are_checked(self, current: Simulator, module: str) -> None:
        run = running_modules.run_module(f"{module}_info", connection(current, app="media"))
        assert run.failed and "vhost: is required if app is set" in run["msg"]
        run = running_modules.run_module(f"{module}_info", connection(current, names=["a/b"]))
        assert run.failed and run["msg"].startswith("names[0]: expected letters")

    def test_a_channel_off_air(self, current: Simulator) -> None:
        ensure(current, "scheduled_channel", programs=[FILM])
        run = running_modules.run_module("scheduled_channel_info", connection(current))
        assert (run["status"][0]["state"], run["status"][0]["current_program"]) == ("offair", None)
