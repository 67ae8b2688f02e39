# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""stream_event, stream_conclude and stream_stt: what each version of the server gets, and what it must never get."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

LIVE = {"vhost": "default", "app": "app", "stream": "main"}
PATH = "/v1/vhosts/default/apps/app/streams/main"
FRAMES = [{"frame_type": "TXXX", "info": "now", "data": "100%s"}, {"frame_type": "TIT2", "data": "News"}]
CUE = {"format": "cue", "cue": {"cue_type": "out", "duration": 5000}}
SCTE35 = {"format": "scte35", "scte35": {"id": 7, "splice_type": "out", "duration": 5000, "auto_return": True}}
SUBTITLES = {"format": "webvtt", "subtitles": [{"label": "English", "cues": [{"text": "Hello", "duration": 4000}]}]}
RENDITIONS = [{"label": "English", "model": "small.bin", "language": "auto", "translation": "false"}]


@pytest.fixture
def live(simulator: Simulator) -> Simulator:
    """A server of each version with a live stream."""
    simulator.stream_appears("default", "app", "main")
    return simulator


@pytest.fixture
def newest(current: Simulator) -> Simulator:
    """The same, of the newest version."""
    current.stream_appears("default", "app", "main")
    return current


def run(simulator: Simulator, module: str, *, check_mode: bool = False, **options: Any) -> running_modules.ModuleRun:
    return running_modules.run_module(module, connection(simulator, **{**LIVE, **options}), check_mode=check_mode)


def sent(simulator: Simulator) -> list[tuple[str, Any]]:
    return [(record.path.removeprefix(PATH), record.body) for record in simulator.writes]


class TestEvents:
    """stream_event."""

    def test_id3v2_is_sent_each_time_to_all_versions(self, live: Simulator) -> None:
        checked = run(live, "stream_event", check_mode=True, frames=FRAMES, type="video", urgent=True)
        assert checked["changed"] and sent(live) == []
        for _time in range(2):
            assert run(live, "stream_event", frames=FRAMES, type="video", urgent=True)["changed"]
        body = {
            "eventFormat": "id3v2",
            "eventType": "video",
            "urgent": True,
            "events": [
                {"frameType": "TXXX", "info": "now", "data": "100%s"},
                {"frameType": "TIT2", "data": "News"},
            ],
        }
        assert sent(live) == [(":sendEvent", body)] * 2
        assert [record.method for record in live.log] == ["GET", "POST", "POST"]

    @pytest.mark.parametrize(
        ("event", "versions", "body"),
        (
            (CUE, ("0.20.0", "0.18.0"), {"eventFormat": "cue", "events": [{"cueType": "out", "duration": 5000}]}),
            (
                SCTE35,
                ("0.20.0",),
                {"eventFormat": "scte35", "events": [{"id": 7, "type": "out", "duration": 5000, "autoReturn": True}]},
            ),
            (
                SUBTITLES,
                ("0.21.0", "0.20.0"),
                {
                    "format": "webvtt",
                    "data": [{"label": "English", "subtitles": [{"text": "Hello", "durationMs": 4000}]}],
                },
            ),
        ),
    )
    @pytest.mark.parametrize("check_mode", (True, False))
    def test_other_formats_by_version(
        self, live: Simulator, event: dict[str, Any], versions: tuple[str, ...], body: Any, check_mode: bool
    ) -> None:
        result = run(live, "stream_event", check_mode=check_mode, **event)
        if live.state.version.reported not in versions:
            assert result.failed and result["error"]["kind"] == "unsupported_option" and not result["changed"]
            assert f"format {event['format']} need" in result["msg"] and sent(live) == []
            return
        assert result["changed"] and not result.failed
        action = ":sendSubtitles" if event is SUBTITLES else ":sendEvent"
        assert sent(live) == ([] if check_mode else [(action, body)])

    @pytest.mark.parametrize("when", ("before", "after"))
    @pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
    def test_a_lost_answer_sends_nothing_twice(self, newest: Simulator, when: str, fault: dict[str, Any]) -> None:
        newest.inject(**fault, method="POST", path=":sendEvent", when=when)
        result = run(newest, "stream_event", frames=FRAMES)
        assert result.failed and result["changed"] and len(sent(newest)) == 1

    @pytest.mark.parametrize(
        ("options", "option"),
        (
            ({}, "frames"),
            ({"frames": []}, "frames"),
            ({"frames": [{"frame_type": "COMM"}]}, "frames[0].frame_type"),
            ({"frames": FRAMES, "cue": {"cue_type": "in"}}, "cue"),
            ({"format": "cue"}, "cue"),
            ({"format": "scte35", "scte35": {"id": -1, "splice_type": "in"}}, "scte35.id"),
            ({**SUBTITLES, "urgent": True}, "urgent"),
            ({"format": "webvtt", "subtitles": SUBTITLES["subtitles"] * 2}, "subtitles[1].label"),
            ({"frames": FRAMES, "stream": "%s"}, "stream"),
        ),
    )
    def test_options_that_cannot_work_send_nothing(
        self, current: Simulator, options: dict[str, Any], option: str
    ) -> None:
        result = run(current, "stream_event", **options)
        assert result.failed and result["msg"].startswith(f"{option}: "), result["msg"]
        assert current.log == []


@pytest.mark.parametrize("check_mode", (True, False))
@pytest.mark.parametrize(("module", "options"), (("stream_event", {"frames": FRAMES}), ("stream_conclude", {})))
def test_a_stream_that_is_not_live(current: Simulator, module: str, options: dict[str, Any], check_mode: bool) -> None:
    result = run(current, module, check_mode=check_mode, **options)
    assert result.failed and result["error"]["kind"] == "stream_not_found" and not result["changed"]


class TestConclude:
    """stream_conclude."""

    @pytest.mark.parametrize("check_mode", (True, False))
    def test_by_version(self, live: Simulator, check_mode: bool) -> None:
        result = run(live, "stream_conclude", check_mode=check_mode)
        refusals = {"0.18.0": "unsafe_version", "0.15.10": "unsupported_call"}
        refusal = refusals.get(live.state.version.name)
        if refusal:
            assert result.failed and result["error"]["kind"] == refusal and not result["changed"]
            assert sent(live) == []
        else:
            assert result["changed"] and sent(live) == ([] if check_mode else [(":concludeHlsLive", {})])

    def test_0_18_0_is_asked_by_force_only(self) -> None:
        with Simulator(version="0.18.0") as simulator:
            simulator.stream_appears("default", "app", "main")
            assert "0.18.0 does" in run(simulator, "stream_conclude")["msg"] and sent(simulator) == []
            assert run(simulator, "stream_conclude", force=True)["changed"]
            assert sent(simulator) == [(":concludeHlsLive", {})]

    @pytest.mark.parametrize("force", (True, False))
    def test_nothing_is_sent_to_an_unknown_version(self, newest: Simulator, force: bool) -> None:
        newest.inject("status", method="GET", path="/v1/version", status=500, times=-1)
        result = run(newest, "stream_conclude", force=force)
        assert result.failed and result["error"]["kind"] == "server_error" and sent(newest) == []

    def test_nothing_is_sent_to_a_server_without_a_readable_version(self, newest: Simulator) -> None:
        newest.state.version = replace(newest.state.version, reported="unknown")
        result = run(newest, "stream_conclude", force=True)
        assert result.failed and result["error"]["kind"] == "unexpected_answer" and sent(newest) == []

    @pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
    def test_a_lost_answer_sends_nothing_twice(self, newest: Simulator, fault: dict[str, Any]) -> None:
        newest.inject(**fault, method="POST", path=":concludeHlsLive", when="after")
        result = run(newest, "stream_conclude")
        assert result.failed and result["changed"] and len(sent(newest)) == 1


class TestSpeechToText:
    """stream_stt."""

    def test_life(self, newest: Simulator) -> None:
        newest.speech("default", "app", "main", RENDITIONS)
        result = run(newest, "stream_stt")
        assert not result["changed"] and result["enabled"] and sent(newest) == []
        assert result["renditions"] == [{"codec": "WHISPER", **RENDITIONS[0]}]
        checked = run(newest, "stream_stt", check_mode=True, state="stopped")
        assert checked["changed"] and checked["enabled"] is False and sent(newest) == []
        result = run(newest, "stream_stt", state="stopped")
        assert result["changed"] and result["enabled"] is False
        assert result["diff"]["before"] == {"default/app/main": {"enabled": True}}
        assert not run(newest, "stream_stt", state="stopped")["changed"]
        assert run(newest, "stream_stt")["changed"]
        assert sent(newest) == [(":disableStt", {}), (":enableStt", {})]

    def test_a_stream_without_it(self, newest: Simulator) -> None:
        assert not run(newest, "stream_stt", state="stopped")["changed"]
        assert run(newest, "stream_stt")["error"]["kind"] == "stt_not_configured" and sent(newest) == []

    def test_older_versions_do_not_have_it(self, live: Simulator) -> None:
        if live.state.version.reported == "0.21.0":
            return
        result = run(live, "stream_stt")
        assert result.failed and result["error"]["kind"] == "unsupported_call" and "0.21.0" in result["msg"]
        assert sent(live) == []

    @pytest.mark.parametrize("when", ("before", "after"))
    @pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
    def test_a_lost_answer(self, newest: Simulator, when: str, fault: dict[str, Any]) -> None:
        newest.speech("default", "app", "main", RENDITIONS)
        newest.inject(**fault, method="POST", path=":disableStt", when=when)
        result = run(newest, "stream_stt", state="stopped")
        assert not result.failed and result["changed"]

    def test_a_switch_without_effect_is_a_failure(self, newest: Simulator) -> None:
        newest.speech("default", "app", "main", RENDITIONS)
        stream = newest.state.streams["default", "app", "main"]
        newest.meanwhile("POST", f"{PATH}:sttStatus", lambda: setattr(stream, "stt_paused", False), skip=1)
        result = run(newest, "stream_stt", state="stopped")
        assert result.failed and result["error"]["kind"] == "lost" and result["changed"]

    def test_a_switch_that_cannot_be_verified_is_a_change(self, newest: Simulator) -> None:
        newest.speech("default", "app", "main", RENDITIONS)
        newest.inject("status", method="POST", path=":sttStatus", status=500, skip=1)
        result = run(newest, "stream_stt", state="stopped")
        assert result.failed and result["changed"] and result["error"]["kind"] == "server_error"
        assert newest.state.streams["default", "app", "main"].stt_paused
