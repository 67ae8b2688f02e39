# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing by ffprobe: what the program writes, and what that means."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import (
    Address,
    Playback,
    Settings,
    Target,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._playback.playing import (
    outcome,
    play_once,
)

VIDEO = {
    "index": 0,
    "codec_type": "video",
    "codec_name": "h264",
    "width": 320,
    "height": 168,
    "avg_frame_rate": "30000/1001",
    "bit_rate": "90000",
}
AUDIO = {"index": 1, "codec_type": "audio", "codec_name": "aac", "avg_frame_rate": "0/0"}
DATA = {"index": 2, "codec_type": "data"}
RTMP, SRT = "rtmp://127.0.0.1:1935/live/s1", "srt://127.0.0.1:9998?streamid=srt%3A%2F%2Fa.example.com%2Flive%2Fs1"


class Program:
    """A program that writes what it is given, and keeps its arguments."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._directory = directory
        monkeypatch.setenv("PATH", str(directory))

    def does(self, output: Any, errors: str = "", status: int = 0, then: str = "") -> None:
        text = output if isinstance(output, str) else json.dumps(output)
        script = self._directory / "ffprobe"
        script.write_text(
            f"#!{sys.executable}\nimport json, pathlib, sys\n"
            f"pathlib.Path({str(self._directory / 'arguments')!r}).write_text(json.dumps(sys.argv[1:]))\n"
            f"{then}\nsys.stdout.write({text!r})\nsys.stderr.write({errors!r})\nsys.exit({status})\n",
            encoding="utf-8",
        )
        script.chmod(0o755)

    @property
    def arguments(self) -> list[str]:
        found: list[str] = json.loads((self._directory / "arguments").read_text(encoding="utf-8"))
        return found


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Provide a program in place of ffprobe, which is the only one in PATH."""
    return Program(tmp_path, monkeypatch)


def play(url: str, address: Address | None = None, seconds: float = PATIENCE) -> Playback:
    return play_once([Target(url, url.partition(":")[0], address)], Settings(seconds))[0]


def frames(*indexes: int) -> list[dict[str, int]]:
    return [{"stream_index": index} for index in indexes]


def test_without_the_program(program: Program) -> None:
    assert outcome(play(RTMP)) == "program"


def test_what_plays(program: Program) -> None:
    program.does({"streams": [VIDEO, AUDIO, DATA], "frames": frames(0, 1)})
    found = play(RTMP)
    assert outcome(found) == "plays" and found.seconds_to_first_frame is not None
    video, audio = found.tracks
    assert (video.codec, video.width, video.height, video.bitrate, video.framerate) == ("h264", 320, 168, 90000, 29.97)
    assert (audio.codec, audio.bitrate, audio.framerate) == ("aac", None, None)
    assert program.arguments[-1] == RTMP


@pytest.mark.parametrize(
    "output, errors, status, stage",
    [
        ("", "Connection to tcp://h:1 failed: Connection refused", 1, "connection"),
        ("", "rtmp://h/a/s: Input/output error", 1, "connection"),
        ("", "Server error: stream not found", 1, "media"),
        ("no JSON", "", 0, "media"),
        ({"streams": [DATA], "frames": []}, "", 0, "media"),
        ({"streams": [VIDEO, AUDIO], "frames": frames(1)}, "", 0, "key_frame"),
    ],
)
def test_what_does_not_play(program: Program, output: Any, errors: str, status: int, stage: str) -> None:
    program.does(output, errors, status)
    assert outcome(play(RTMP)) == stage


@pytest.mark.parametrize(
    "errors, stage, is_refused",
    [
        (f"{SRT}: Input/output error", "not_found", True),
        (f"[srt @ 0x1] Connection to {SRT} failed: Input/output error\n{SRT}: Input/output error", "connection", False),
    ],
    ids=["refused", "nobody"],
)
def test_a_viewer_by_srt_who_is_refused(program: Program, errors: str, stage: str, is_refused: bool) -> None:
    program.does("", errors, 1)
    found = play(SRT)
    assert outcome(found) == stage and (found.fails("denied") is None) is is_refused


def test_a_program_that_does_not_end(program: Program) -> None:
    program.does("", then="import signal; signal.pause()")
    assert outcome(play(RTMP, seconds=0.5)) == "timeout"


@pytest.mark.parametrize(
    "url, address, expected",
    [
        (
            "rtmp://a.example.com:1935/live/s1?policy=p",
            Address("127.0.0.1", 1936),
            ["-rtmp_tcurl", "rtmp://a.example.com:1935/live", "rtmp://127.0.0.1:1936/live/s1?policy=p"],
        ),
        (SRT.replace("127.0.0.1", "h.example.com"), Address("::1"), [SRT.replace("127.0.0.1", "[::1]")]),
    ],
)
def test_another_address_keeps_the_host_name(program: Program, url: str, address: Address, expected: list[str]) -> None:
    program.does({"streams": [VIDEO], "frames": frames(0)})
    assert outcome(play(url, address)) == "plays"
    assert program.arguments[-len(expected) :] == expected


@pytest.mark.parametrize("rate", ["", "0/0", "x", "0/1"])
def test_rates_that_are_none(program: Program, rate: str) -> None:
    program.does({"streams": [{**VIDEO, "avg_frame_rate": rate}], "frames": frames(0)})
    assert play(RTMP).tracks[0].framerate is None
