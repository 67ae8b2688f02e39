# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run calls concurrently in threads, with the same outcome in every run as sequentially.

Results come in the order of the calls. Side effects of a call, such as warnings, are deferred by `deferred` until all
calls before it have had theirs. The first failure in the order of the calls is raised, whichever came first. No thread
outlives the calls.
"""

from __future__ import annotations

import threading
import time
import typing as t

Result = t.TypeVar("Result")
Effect = tuple[t.Callable[..., t.Any], tuple[t.Any, ...]]

# Each thread needs its own connection, which takes as long to open as one request or, by TLS, two or three.
_CALLS_A_THREAD = 2
# Python runs one thread at a time. More than a few only get in each other's way, unless they wait for a network or a
# slow server.
_FIRST_THREADS = 4
_BUSY = 0.5  # of the time
_INTERVAL = 0.005  # seconds between two looks at how busy they are
_LONGEST_WAIT = 0.2  # seconds


class CallOver(Exception):
    """Ends a call whose outcome is no longer needed, because an earlier call failed or the whole task ends."""


class _Call:
    """One call in progress."""

    def __init__(self, calls: _Calls, number: int) -> None:
        self.calls = calls
        self.number = number
        self.effects: list[Effect] = []
        self.result: t.Any = None
        self.error: BaseException | None = None


class _CurrentThread(threading.local):
    """The call that the present thread runs."""

    call: _Call | None = None


_current = _CurrentThread()


class _Processor:
    """How busy this process keeps a processor."""

    def __init__(self) -> None:
        self._asked = time.perf_counter()
        self._used = time.process_time()

    def is_idle(self) -> bool:
        """Return whether the process has mostly waited since the last question."""
        asked, used = self._asked, self._used
        self._asked, self._used = time.perf_counter(), time.process_time()
        return self._used - used < _BUSY * (self._asked - asked)


class _Calls:
    """Calls that several threads run, in their order."""

    def __init__(self, calls: t.Sequence[t.Callable[[], t.Any]], most: int) -> None:
        """``most`` limits the threads."""
        self._calls = calls
        self._most = most
        self._threads: list[threading.Thread] = []
        self._change = threading.Condition()
        self._begun: list[_Call] = []
        self._first_failed = len(calls)  # calls after that one are neither started nor needed
        self._working = 0

    def run(self, interrupt: t.Callable[[], None]) -> list[t.Any]:
        """Return the results; raise the first failure in the order of the calls.

        ``interrupt`` ends what threads wait for if the task must end at once.
        """
        try:
            self._start(_FIRST_THREADS)
            if not self._threads:
                self._begin_work()
                self._work()
            self._wait()
        except BaseException:  # a signal, such as that of Ansible's time limit of a task
            self._most = 0
            self._fail(-1)
            interrupt()
            self._wait()
            raise
        finally:
            for thread in self._threads:
                if thread.ident is not None:
                    thread.join()
        return [self._resolved(call) for call in self._begun]

    def _start(self, count: int) -> None:
        """Start so many more threads, within the limit. If the system has no more, the running ones do all the work."""
        for number in range(len(self._threads), min(len(self._threads) + count, self._most)):
            thread = threading.Thread(target=self._work, name=f"call-{number}", daemon=True)
            self._threads.append(thread)
            self._begin_work()
            try:
                thread.start()
            except RuntimeError:
                self._end_work()
                self._threads.pop()
                self._most = len(self._threads)
                return

    def _begin_work(self) -> None:
        with self._change:
            self._working += 1

    def _end_work(self) -> None:
        with self._change:
            self._working -= 1
            self._change.notify_all()

    def _wait(self) -> None:
        """Wait until all threads are done, without joining them. Double their number while they mostly wait.

        Python regards a thread as ended if a signal interrupts its join. A signal that arrives just before a wait
        begins is handled only after that wait, so each wait is short.
        """
        processor = _Processor()
        while len(self._threads) < self._most and not self._are_done(_INTERVAL):
            if processor.is_idle():
                self._start(len(self._threads))
        while not self._are_done(_LONGEST_WAIT):
            pass

    def _are_done(self, seconds: float) -> bool:
        with self._change:
            return self._change.wait_for(lambda: self._working == 0, seconds)

    def _resolved(self, call: _Call) -> t.Any:
        for effect, arguments in call.effects:
            effect(*arguments)
        if call.error is not None:
            raise call.error
        return call.result

    def _work(self) -> None:
        call = self._next()
        while call is not None:
            _current.call = call
            try:
                call.result = self._calls[call.number]()
            except CallOver as error:
                call.error = error
            except BaseException as error:  # raised in the thread that waits for the results
                call.error = error
                self._fail(call.number)
            call = self._next()
        _current.call = None
        self._end_work()

    def _next(self) -> _Call | None:
        with self._change:
            if len(self._begun) >= self._first_failed:
                return None
            self._begun.append(_Call(self, len(self._begun)))
            return self._begun[-1]

    def _fail(self, number: int) -> None:
        with self._change:
            self._first_failed = min(self._first_failed, number)
            self._change.notify_all()

    def is_over(self, call: _Call) -> bool:
        """Return whether the outcome of a call is no longer needed."""
        return call.number > self._first_failed

    def pause(self, call: _Call, seconds: float) -> None:
        """Wait, but no longer than the outcome of the call is needed; ``seconds`` bounds the wait."""
        with self._change:
            self._change.wait_for(lambda: self.is_over(call), seconds)


def map_concurrently(
    calls: t.Sequence[t.Callable[[], Result]],
    most: int,
    interrupt: t.Callable[[], None] = lambda: None,
    calls_a_thread: int = _CALLS_A_THREAD,
) -> list[Result]:
    """Return the results of calls, at most ``most`` of them concurrent; raise the first failure in their order.

    Nested calls, few calls, and all calls if ``most`` is one run sequentially, without threads. After a failure no
    further call starts. ``interrupt`` is called if the task must end at once; it must end what threads wait for. There
    is a thread for ``calls_a_thread`` calls, which are fewer if each takes seconds.
    """
    threads = min(most, len(calls) // calls_a_thread)
    if threads < 2 or _current.call is not None:
        return [call() for call in calls]
    return _Calls(calls, threads).run(interrupt)


def deferred(effect: t.Callable[..., t.Any], *arguments: t.Any) -> None:
    """Run an effect as soon as all earlier calls have had theirs; immediately, if there are no threads."""
    if _current.call is None:
        effect(*arguments)
    else:
        _current.call.effects.append((effect, arguments))


def number() -> int:
    """Return the position of the present call among the concurrent ones; 0 if there are none."""
    return 0 if _current.call is None else _current.call.number


def beside_others() -> bool:
    """Return whether the present call is one of several concurrent ones."""
    return _current.call is not None


def go_on() -> None:
    """Raise CallOver if the outcome of the present call is no longer needed."""
    if _current.call is not None and _current.call.calls.is_over(_current.call):
        raise CallOver


def pause(seconds: float) -> None:
    """Wait ``seconds``; end early, with CallOver, if the outcome of the present call is no longer needed."""
    if _current.call is None:
        time.sleep(seconds)
    else:
        _current.call.calls.pause(_current.call, seconds)
        go_on()
