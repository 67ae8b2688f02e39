# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The publishers of the test signal, and the process in the background that one runs in."""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import (
    background,
    publisher,
    signal_process,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.addresses import publish_url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.background import (
    Process,
    Publisher,
    failure_in,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.playback import Address, NotPlayed
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.publisher import Publication, publish
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.signal_process import Signal
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator, footage
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.conftest import wait_until
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests.viewing import add, application

NEVER = 600.0
"""Seconds that nobody waits for."""


@pytest.fixture
def server() -> Iterator[Simulator]:
    """Provide a server that takes publishers by RTMP and WHIP."""
    with Simulator(rtmp_ports=[0], signalling_ports=[0], default_host_names=["default.example.com"]) as made:
        add(made, "a", application(providers={"rtmp": {}, "webrtc": {}}))
        yield made


def publication(server: Simulator, protocol: str, host: str = "a.example.com") -> Publication:
    port = (server.signalling_ports if protocol == "whip" else server.rtmp_ports)[0]
    return Publication(publish_url(protocol, host, port, "live", "s1", tls=False), protocol, Address("127.0.0.1"))


@pytest.mark.parametrize("protocol", ["rtmp", "whip"])
def test_a_signal_is_live_until_it_ends(server: Simulator, protocol: str) -> None:
    signal_of = Signal(publication(server, protocol))
    signal_of.join()  # not begun
    signal_of.start()
    wait_until(lambda: ("a", "live", "s1") in server.state.streams)
    assert signal_of.is_running
    signal_of.end()
    signal_of.join()
    assert not signal_of.is_running and signal_of.failure is None
    wait_until(lambda: not server.state.streams)


@pytest.mark.parametrize("protocol, stage", [("rtmp", "connection"), ("whip", "denied")])
def test_a_server_that_does_not_take_it(server: Simulator, protocol: str, stage: str) -> None:
    signal_of = Signal(publication(server, protocol, "b.example.com"))
    signal_of.start()
    signal_of.join()
    assert signal_of.failure is not None and signal_of.failure.stage == stage, signal_of.failure


def test_an_error_that_nobody_expects_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: Any) -> None:
        raise KeyError

    monkeypatch.setattr(signal_process, "publish", fail)
    signal_of = Signal(Publication("rtmp://a.example.com/live/s1", "rtmp"))
    signal_of.start()
    signal_of.join()
    assert signal_of.failure is not None and "KeyError" in signal_of.failure.detail


def test_a_signal_whose_process_is_killed(server: Simulator) -> None:
    signal_of = Signal(publication(server, "rtmp"))
    signal_of.start()
    wait_until(lambda: ("a", "live", "s1") in server.state.streams)
    os.kill(signal_of._pid, signal.SIGKILL)
    signal_of.join()
    assert signal_of.failure is not None and signal_of.failure.detail == "The publisher was ended by signal 9."


def test_whip_asks_nobody_but_the_server(server: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(socket, "gethostbyname", asked.append)  # which libraries ask for a STUN server
    with pytest.raises(NotPlayed):
        publish(publication(server, "whip", "b.example.com"), lambda: False)
    assert not asked


def test_whip_that_the_server_refuses_or_ends(server: Simulator) -> None:
    server.inject("whip_refused", status=401)
    with pytest.raises(NotPlayed) as caught:
        publish(publication(server, "whip"), lambda: False)
    assert (caught.value.stage, caught.value.status) == ("denied", 401)
    server.inject("whip_refused", status=201, message="no SDP")
    with pytest.raises(NotPlayed) as caught:
        publish(publication(server, "whip"), lambda: False)
    assert caught.value.stage in ("negotiation", "ice")


def program(directory: Path, monkeypatch: pytest.MonkeyPatch, then: str) -> None:
    """Put a program in place of ffmpeg, which is the only one in PATH."""
    monkeypatch.setenv("PATH", str(directory))
    script = directory / "ffmpeg"
    script.write_text(f"#!{sys.executable}\nimport pathlib, signal, sys\n{then}\n", encoding="utf-8")
    script.chmod(0o755)


SRT = Publication(publish_url("srt", "a.example.com", 9999, "live", "s1", tls=False), "srt", Address("127.0.0.1"))


def test_srt_by_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = tmp_path / "arguments"
    program(tmp_path, monkeypatch, f"pathlib.Path({str(arguments)!r}).write_text(sys.argv[-1])\nsignal.pause()")
    monkeypatch.setattr(publisher, "_LOOK", 0.01)
    publish(SRT, lambda: arguments.exists() and bool(arguments.read_text(encoding="utf-8")))
    assert arguments.read_text(encoding="utf-8").startswith("srt://127.0.0.1:9999?streamid=srt%3A%2F%2Fa.example.com")


def test_srt_that_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, monkeypatch, "sys.exit(3)")
    with pytest.raises(NotPlayed, match="ffmpeg status 3"):
        publish(SRT, lambda: False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotPlayed) as caught:
        publish(SRT, lambda: False)
    assert caught.value.stage == "program"


class InThisProcess:
    """Runs what a process in the background does, in this one."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        monkeypatch.setattr(background, "detach", lambda _kept: None)
        self.publisher = Publisher("key")
        self.asked: list[bool] = []
        self.known: list[Process | None] = []
        self.play: Process | None = None
        monkeypatch.setattr(background, "play_of", lambda: self.play)

    def run(
        self, seconds: float = NEVER, watched: Process | None = None, then: Callable[[], None] = lambda: None
    ) -> bytes:
        """Return what the process would report."""

        def work(is_over: Callable[[], bool]) -> None:
            self.known.append(self.publisher.running())
            self.asked.append(is_over())
            then()
            self.asked.append(is_over())

        reading, writing = os.pipe()
        before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            self.publisher._run(work, seconds, watched, writing)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(writing)
        with os.fdopen(reading, "rb") as output:
            return output.read()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InThisProcess:
    """Provide what runs a publisher in this process."""
    return InThisProcess(tmp_path, monkeypatch)


def test_a_process_is_known_while_it_works(here: InThisProcess) -> None:
    assert here.run() == b"" and here.asked == [False, False]
    assert here.known[0] is not None and here.known[0].pid == os.getpid()
    assert here.publisher.running() is None


def test_a_process_belongs_to_its_play(here: InThisProcess) -> None:
    def belongs_to(play: Process | None) -> bool:
        here.play = play
        return here.publisher.running() is not None

    found: list[bool] = []
    one, other = Process(os.getpid(), background._started(os.getpid())), Process(1, "other")
    here.run(watched=one, then=lambda: found.extend(belongs_to(play) for play in (one, other, None)))
    assert found == [True, False, False]


def test_what_ends_a_process(here: InThisProcess) -> None:
    here.run(then=lambda: signal.raise_signal(signal.SIGTERM))
    assert here.asked == [False, True]
    here.run(seconds=-1.0)
    here.run(watched=Process(os.getpid(), "another start"))
    assert here.asked[2:] == [True] * 4
    here.run(watched=Process(os.getpid(), background._started(os.getpid())))
    assert here.asked[6:] == [False] * 2


def test_why_a_process_failed(here: InThisProcess) -> None:
    def refuse() -> None:
        raise NotPlayed("denied", "No.", 401)

    def fail() -> None:
        raise KeyError

    found = failure_in(here.run(then=refuse))
    assert found is not None and (found.stage, found.detail, found.status) == ("denied", "No.", 401)
    found = failure_in(here.run(then=fail))
    assert found is not None and found.stage == "connection" and "KeyError" in found.detail
    assert failure_in(b"") is None and failure_in(b'"text') is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"process": 1}', '{"process": [1, "0"], "play": null}', '{"process": [1], "play": null}']
)
def test_a_file_that_names_no_process(here: InThisProcess, text: str) -> None:
    here.publisher._path.write_text(text, encoding="utf-8")
    assert here.publisher.running() is None and not here.publisher.stop()


def test_a_process_that_does_not_end_is_killed(here: InThisProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_ENDING", 0.0)
    monkeypatch.setattr(background, "_LOOK", 0.001)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()
    known = {"process": [child, background._started(child)], "play": None}
    here.publisher._path.write_text(json.dumps(known), encoding="utf-8")
    assert here.publisher.stop() and not here.publisher.stop()
    os.waitpid(child, 0)


def test_the_play_is_found_by_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert background.play_of() is None or background.play_of() != Process(os.getpid(), "")
    monkeypatch.setattr(background, "_PROGRAMS", (os.path.basename(sys.executable),))
    found = background.play_of()
    assert found is not None and found.is_running
    monkeypatch.setattr(background.os, "getpid", lambda: 2**22 + 1)
    assert background.play_of() is None


def test_no_inherited_object_is_freed() -> None:
    reading, writing = os.pipe()

    class Left:
        """Garbage that only a collection frees."""

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            os.write(writing, b"freed ")

    gc.disable()
    try:
        Left()
        child = background.fork()
        if child == 0:
            gc.collect()
            os.write(writing, b"collected")
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(reading, 100) == b"collected" and not gc.isenabled()
        gc.collect()
        assert os.read(reading, 100) == b"freed "
    finally:
        gc.enable()
        os.close(reading)
        os.close(writing)
    child = background.fork()
    if child == 0:
        os._exit(not gc.isenabled())
    assert os.waitpid(child, 0)[1] == 0 and gc.isenabled()


def test_a_thread_of_the_simulator_that_has_made_a_picture_can_live() -> None:
    """Python frees in a new process what other threads have for themselves."""
    with ThreadPoolExecutor(1) as living:
        assert living.submit(footage.image, "png", 34, 18).result(PATIENCE)
        child = background.fork()
        if child == 0:
            os._exit(7)
        process = background.Process(child, background._started(child))
        try:
            wait_until(lambda: not process.is_running)
        finally:
            os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
        assert os.waitstatus_to_exitcode(status) == 7


def test_nothing_is_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        background.detach(writing)
        os.write(writing, os.getcwd().encode() + str(len(os.listdir("/proc/self/fd"))).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as output:
        assert output.read() == b"/5"  # three that lead nowhere, the pipe, and that of the list
    os.waitpid(child, 0)
