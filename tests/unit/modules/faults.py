# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults of the simulator in the words of these tests, and what else may happen while a request is worked on."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator, faults
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer


class Fault(faults.Fault):
    """Spoils the requests of one method whose path ends in `path`: the first `times` after `skip` others."""

    def __init__(
        self,
        simulator: Simulator,
        method: str | None,
        path: str | None,
        *,
        after_work: bool = False,
        status: int = 0,
        message: str = "[HTTP] planned by the test",
        **options: Any,
    ) -> None:
        """`status` answers with this error and `message`; 0 breaks the connection, before the work or after it. -1 `times` is for ever."""
        when = faults.AFTER if after_work else faults.BEFORE
        super().__init__("status" if status else "reset", method=method, path=path, when=when, status=status or None, message=message, **options)
        simulator.plant(self)


class Meanwhile:
    """Lets somebody else do something just before a request is worked on, the first of one method whose path ends in `path`."""

    def __init__(self, simulator: Simulator, method: str, path: str, deed: Any) -> None:
        self.matches = lambda exchange: exchange.method == method and exchange.target.endswith(path)
        self.deed = deed
        self.left = 1
        simulator.middlewares.append(self)

    async def __call__(self, exchange: Any, work: Any) -> Any:
        """The simulator's hook."""
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
