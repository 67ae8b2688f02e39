# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Concurrent calls: order, failures, interruption."""

from __future__ import annotations

import functools
import random
import signal
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import concurrency
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.concurrency import (
    deferred,
    go_on,
    map_concurrently,
    number,
    pause,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE


class Failure(Exception):
    """The failure of calls in these tests."""


def threads_of_calls() -> list[threading.Thread]:
    """Return the threads of calls that still run."""
    return [thread for thread in threading.enumerate() if thread.name.startswith("call-")]


class Overtaking:
    """Block some calls until the next one has ended or one has failed; none without threads."""

    def __init__(self, places: Collection[int], most: int) -> None:
        self._places = places if most > 1 else ()
        self._ended: set[int] = set()
        self._failed = False
        self._change = threading.Condition()

    @contextmanager
    def call(self, place: int) -> Iterator[None]:
        """Run one call."""
        try:
            if place in self._places:
                with self._change:
                    assert self._change.wait_for(lambda: self._failed or place + 1 in self._ended, PATIENCE)
            yield
        except Failure:
            self._failed = True
            raise
        finally:
            with self._change:
                self._ended.add(place)
                self._change.notify_all()


@pytest.mark.parametrize("most", [1, 2, 3, 8, 32])
def test_results_are_in_the_order_of_the_calls(most: int) -> None:
    overtaking = Overtaking(range(0, 40, 2), most)

    def call(place: int) -> int:
        with overtaking.call(place):
            return place

    assert map_concurrently([functools.partial(call, place) for place in range(40)], most) == list(range(40))
    assert threads_of_calls() == []


@pytest.mark.parametrize(
    ("calls", "most", "expected"), [(40, 8, 8), (40, 3, 3), (6, 8, 3), (3, 8, 1), (1, 8, 1), (40, 1, 1)]
)
def test_concurrency_is_limited_and_few_calls_need_no_threads(calls: int, most: int, expected: int) -> None:
    under_way, seen, lock, threads = [0], [0], threading.Lock(), set()
    all_there = threading.Barrier(expected)

    def call(place: int) -> None:
        with lock:
            under_way[0] += 1
            seen[0] = max(seen[0], under_way[0])
            threads.add(threading.current_thread())
        if place < expected:  # The first calls wait for each other.
            all_there.wait(PATIENCE)
        with lock:
            under_way[0] -= 1

    map_concurrently([functools.partial(call, place) for place in range(calls)], most)
    assert seen == [expected]
    assert (threads == {threading.current_thread()}) is (expected == 1)


@pytest.mark.parametrize(("busy", "expected"), [(1.0, 4), (0.6, 4), (0.4, 8), (0.0, 8)])
def test_more_threads_start_only_while_the_others_mostly_wait(
    monkeypatch: pytest.MonkeyPatch, busy: float, expected: int
) -> None:
    elapsed, often, threads, all_there = [0.0], threading.Event(), set(), threading.Barrier(8)

    def perf_counter() -> float:
        elapsed[0] += 1
        if elapsed[0] > 5:
            often.set()
        return elapsed[0]

    def call() -> None:
        threads.add(threading.current_thread())
        if expected == 8:
            all_there.wait(PATIENCE)
        else:
            assert often.wait(PATIENCE)

    clocks = SimpleNamespace(perf_counter=perf_counter, process_time=lambda: busy * elapsed[0])
    monkeypatch.setattr(concurrency, "time", clocks)
    map_concurrently([call] * 16, 8)
    assert len(threads) == expected


def test_no_calls_return_no_results() -> None:
    assert map_concurrently([], 8) == []


@pytest.mark.parametrize("most", [1, 8])
def test_the_first_failure_in_call_order_is_raised(most: int) -> None:
    failed_first = threading.Event()

    def call(place: int) -> None:
        if place == 2:
            assert most == 1 or failed_first.wait(PATIENCE)
            raise Failure("two")
        if place == 5:
            failed_first.set()
            raise Failure("five")

    with pytest.raises(Failure, match="two"):
        map_concurrently([functools.partial(call, place) for place in range(100)], most)
    assert threads_of_calls() == []


@pytest.mark.parametrize("most", [1, 8])
def test_no_call_starts_after_a_failure(most: int) -> None:
    begun: list[int] = []

    def call(place: int) -> None:
        begun.append(place)
        if place == 3:
            raise Failure
        if place > 3:
            pause(PATIENCE)  # Ends as soon as the failure is known.

    with pytest.raises(Failure):
        map_concurrently([functools.partial(call, place) for place in range(100)], most)
    assert 4 <= len(begun) <= 3 + most


def failing_with_effects(most: int, fails: int, seed: int) -> tuple[list[str], str]:
    """Return effects and outcome of calls of which one fails and some overtake others."""
    effects: list[str] = []
    overtaking = Overtaking(random.Random(seed).sample(range(0, 30, 2), 10), most)

    def call(place: int) -> int:
        deferred(effects.append, f"{place} begins")
        with overtaking.call(place):
            deferred(effects.append, f"{place} ends")
            if place == fails:
                raise Failure(str(place))
            return place

    try:
        return effects, str(map_concurrently([functools.partial(call, place) for place in range(30)], most))
    except Failure as error:
        return effects, repr(error)


@pytest.mark.parametrize("fails", [0, 7, 29, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_concurrent_effects_equal_sequential_effects(fails: int, seed: int) -> None:
    assert failing_with_effects(8, fails, seed) == failing_with_effects(1, fails, seed)


def test_nested_calls_run_in_the_same_thread() -> None:
    def inner(threads: set[threading.Thread]) -> None:
        threads.add(threading.current_thread())

    def outer() -> bool:
        threads: set[threading.Thread] = set()
        map_concurrently([functools.partial(inner, threads)] * 20, 8)
        return threads == {threading.current_thread()}

    assert map_concurrently([outer] * 20, 8) == [True] * 20


def test_a_call_knows_its_number() -> None:
    assert map_concurrently([number] * 20, 8) == list(range(20))
    assert number() == 0


def test_outside_of_calls_nothing_is_deferred(monkeypatch: pytest.MonkeyPatch) -> None:
    effects: list[float] = []
    monkeypatch.setattr(concurrency.time, "sleep", effects.append)
    deferred(effects.append, 1)
    go_on()
    pause(0.05)
    assert effects == [1, 0.05]


def go_on_and_on(_seconds: float) -> None:
    """Wait until interrupted."""
    while True:
        go_on()


@pytest.mark.parametrize("wait", [pause, go_on_and_on], ids=["pause", "go on"])
def test_a_waiting_call_ends_when_its_result_is_not_needed(wait: Callable[[float], Any]) -> None:
    waiting, ended, waited_in_vain = threading.Event(), threading.Event(), []

    def call(place: int) -> None:
        if place == 0:
            assert waiting.wait(PATIENCE)
            raise Failure
        waiting.set()
        try:
            wait(PATIENCE)
            waited_in_vain.append(place)
        finally:
            ended.set()

    with pytest.raises(Failure):
        map_concurrently([functools.partial(call, place) for place in range(16)], 8)
    assert ended.is_set() and waited_in_vain == []
    assert threads_of_calls() == []


def test_a_call_before_the_failed_one_continues() -> None:
    failed, ended = threading.Event(), []

    def call(place: int) -> None:
        if place == 0:
            assert failed.wait(PATIENCE)
            pause(0.1)
            go_on()
            ended.append(place)
        elif place == 1:
            failed.set()
            raise Failure

    with pytest.raises(Failure):
        map_concurrently([functools.partial(call, place) for place in range(16)], 8)
    assert ended == [0]


class _TimeIsUp(BaseException):
    """The exception by which Ansible ends a task that exceeds its timeout."""


def test_a_signal_ends_all_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted, waiting = threading.Event(), threading.Barrier(9)

    def on_signal(_number: int, _frame: Any) -> None:
        raise _TimeIsUp

    def send() -> None:
        waiting.wait(PATIENCE)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    def call() -> None:
        waiting.wait(PATIENCE)
        assert interrupted.wait(PATIENCE)  # like waiting for a response
        go_on()
        raise AssertionError("the outcome was still needed")

    before = signal.signal(signal.SIGUSR1, on_signal)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(_TimeIsUp):
            map_concurrently([call] * 100, 8, interrupted.set)
    finally:
        signal.signal(signal.SIGUSR1, before)
        sender.join()
    assert threads_of_calls() == []


@pytest.mark.parametrize("allowed", [0, 1, 3])
def test_calls_run_in_fewer_threads_if_the_system_limits_them(monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    start, started = threading.Thread.start, []

    def start_few(thread: threading.Thread) -> None:
        if len(started) == allowed:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_few)
    assert map_concurrently([number] * 40, 8) == list(range(40))
    assert len(started) == allowed and number() == 0
