# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Calls side by side, in threads, with the same outcome in every run as one after the other.

Results come in the order of the calls. What a call leaves behind besides its result, such as warnings, is put off by
:func:`later` until all calls before it have left theirs. The first failure in the order of the calls is the one that is
raised, whichever came first. No thread outlives the calls.
"""

from __future__ import annotations

import threading
import time
import typing as t

Made = t.TypeVar("Made")
Effect = tuple[t.Callable[..., t.Any], tuple[t.Any, ...]]

# A thread costs a connection of its own, which takes as long to make as one request or, by TLS, two or three.
_CALLS_A_THREAD = 2
_LONGEST_WAIT = 0.2  # seconds


class CallOver(Exception):
    """Ends a call whose outcome nobody needs any more, as one before it has failed, or the whole task is to end."""


class _Call:
    """One call on its way."""

    def __init__(self, calls: _Calls, number: int) -> None:
        self.calls = calls
        self.number = number
        self.effects: list[Effect] = []
        self.result: t.Any = None
        self.error: BaseException | None = None


class _Here(threading.local):
    """What the present thread does."""

    call: _Call | None = None


_here = _Here()


class _Calls:
    """Calls that are carried out by several threads, which take them in their order."""

    def __init__(self, calls: t.Sequence[t.Callable[[], t.Any]]) -> None:
        self._calls = calls
        self._change = threading.Condition()
        self._begun: list[_Call] = []
        self._first_failed = len(calls)  # nothing after that call is begun, or needed
        self._working = 0

    def run(self, threads: int, interrupt: t.Callable[[], None]) -> list[t.Any]:
        """The results; raises the first failure in the order of the calls. ``interrupt`` ends what threads wait for,
        where the task is to end at once.
        """
        workers = [threading.Thread(target=self._work, name=f"call-{number}", daemon=True) for number in range(threads)]
        try:
            if not [worker for worker in workers if self._start(worker)]:
                self._begin_work()
                self._work()
            self._wait_for_workers()
        except BaseException:  # a signal, such as that of Ansible's time limit of a task
            self._fail(-1)
            interrupt()
            self._wait_for_workers()
            raise
        finally:
            for worker in workers:
                if worker.ident is not None:
                    worker.join()
        return [self._settled(call) for call in self._begun]

    def _start(self, worker: threading.Thread) -> bool:
        """Starts a thread, unless the system has no more: those that are there do all the work then."""
        self._begin_work()
        try:
            worker.start()
        except RuntimeError:
            self._end_work()
            return False
        return True

    def _begin_work(self) -> None:
        with self._change:
            self._working += 1

    def _end_work(self) -> None:
        with self._change:
            self._working -= 1
            self._change.notify_all()

    def _wait_for_workers(self) -> None:
        """Waits until all have done their work. A thread that is joined must not be waited for so, as Python takes it
        for ended where a signal comes.

        A signal that comes just before a wait begins is handled only when that wait ends, so none of them is long.
        """
        with self._change:
            while not self._change.wait_for(lambda: self._working == 0, _LONGEST_WAIT):
                pass

    def _settled(self, call: _Call) -> t.Any:
        for effect, arguments in call.effects:
            effect(*arguments)
        if call.error is not None:
            raise call.error
        return call.result

    def _work(self) -> None:
        call = self._next()
        while call is not None:
            _here.call = call
            try:
                call.result = self._calls[call.number]()
            except CallOver as error:
                call.error = error
            except BaseException as error:  # whatever it is, it is raised where the results are waited for
                call.error = error
                self._fail(call.number)
            call = self._next()
        _here.call = None
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
        """Whether the outcome of a call is not needed any more."""
        return call.number > self._first_failed

    def pause(self, call: _Call, seconds: float) -> None:
        """Waits, and no longer than the outcome of the call is needed."""
        with self._change:
            self._change.wait_for(lambda: self.is_over(call), seconds)


def map_concurrently(
    calls: t.Sequence[t.Callable[[], Made]], most: int, interrupt: t.Callable[[], None] = lambda: None
) -> list[Made]:
    """The results of calls, of which at most ``most`` are under way at a time; raises the first failure in their order.

    A call that is made by one of them, few calls, and all calls where ``most`` is one, are carried out one after the
    other without threads. After a failure nothing more is begun. ``interrupt`` is called where the task is to end at
    once; it must end what
    threads wait for.
    """
    threads = min(most, len(calls) // _CALLS_A_THREAD)
    if threads < 2 or _here.call is not None:
        return [call() for call in calls]
    return _Calls(calls).run(threads, interrupt)


def deferred(effect: t.Callable[..., t.Any], *arguments: t.Any) -> None:
    """Has an effect as soon as all calls before the present one have had theirs: at once, where there are no threads."""
    if _here.call is None:
        effect(*arguments)
    else:
        _here.call.effects.append((effect, arguments))


def number() -> int:
    """The place of the present call among those beside it; 0 where there are none."""
    return 0 if _here.call is None else _here.call.number


def beside_others() -> bool:
    """Whether the present call has others beside it."""
    return _here.call is not None


def go_on() -> None:
    """Raises CallOver where nobody needs the outcome of the present call any more."""
    if _here.call is not None and _here.call.calls.is_over(_here.call):
        raise CallOver


def pause(seconds: float) -> None:
    """Waits; ends early, with CallOver, where nobody needs the outcome of the present call any more."""
    if _here.call is None:
        time.sleep(seconds)
    else:
        _here.call.calls.pause(_here.call, seconds)
        go_on()
