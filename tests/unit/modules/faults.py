# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults for single requests to a simulator, put in front of its work."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer, envelope


class Fault:
    """Spoils the requests of one method whose path ends in `path`: the first `times` after `skip` others."""

    def __init__(
        self,
        simulator: Simulator,
        method: str,
        path: str,
        *,
        times: int = 1,
        skip: int = 0,
        after_work: bool = False,
        status: int = 0,
        message: str = "[HTTP] planned by the test",
    ) -> None:
        """`status` answers with this error and `message`; 0 breaks the connection, before the work or after it. -1 `times` is for ever."""
        self.message = message
        self.matches = lambda exchange: exchange.method == method and exchange.target.endswith(path)
        self.left = times
        self.skip = skip
        self.after_work = after_work
        self.status = status
        simulator.middlewares.append(self)

    async def __call__(self, exchange: Any, work: Any) -> Answer:
        """The simulator's hook."""
        if not self.matches(exchange) or self.left == 0:
            return await work()
        if self.skip:
            self.skip -= 1
            return await work()
        self.left -= 1
        if self.after_work:
            await work()
        if self.status:
            return Answer(self.status, envelope(self.status, self.message))
        exchange.request.transport.abort()
        return Answer(500, envelope(500, "nobody hears this"))


class FaultAt(Fault):
    """Spoils one request by its number, counted from 0, and with -1 `times` those of the same method and path after it, until it is `over`."""

    def __init__(self, simulator: Simulator, number: int, *, times: int = 1, **kwargs: Any) -> None:
        super().__init__(simulator, "", "", times=times, **kwargs)
        self.number = number
        self.seen = 0
        self.met: str | None = None
        self.over = False
        self.matches = self._is_the_one

    def _is_the_one(self, exchange: Any) -> bool:
        request = f"{exchange.method} {exchange.target}"
        self.seen += 1
        if self.seen == self.number + 1:
            self.met = request
        return not self.over and self.met == request


class Meanwhile(Fault):
    """Lets somebody else do something just before a request is worked on."""

    def __init__(self, simulator: Simulator, method: str, path: str, deed: Any) -> None:
        super().__init__(simulator, method, path)
        self.deed = deed

    async def __call__(self, exchange: Any, work: Any) -> Any:
        if self.left and self.matches(exchange):
            self.left = 0
            self.deed()
        return await work()


class Connections:
    """Viewers, whom the simulator does not have: fills in the number of connections in the statistics of some paths."""

    def __init__(self, simulator: Simulator, numbers: dict[str, int]) -> None:
        self.numbers = numbers
        simulator.middlewares.append(self)

    async def __call__(self, exchange: Any, work: Any) -> Answer:
        """The simulator's hook."""
        answer = await work()
        if exchange.target in self.numbers:
            answer.payload["response"]["totalConnections"] = self.numbers[exchange.target]
        return answer
