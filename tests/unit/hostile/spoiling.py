# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Responses of the simulator that are good except at one place in their JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import JSON_HEADERS
from ansible_collections.streamops.ovenmediaengine.tests.simulator.raw import KEEP, Raw, message


class Literal(NamedTuple):
    """Text that is put into JSON unchanged."""

    text: str


class Node(NamedTuple):
    """A place in a JSON value, and the value there."""

    path: tuple[Any, ...]
    value: Any


def nodes(value: Any, path: tuple[Any, ...] = ()) -> Iterator[Node]:
    """Return every node of a JSON value, itself included."""
    yield Node(path, value)
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield from nodes(item, (*path, key))


def written(value: Any) -> str:
    """Return JSON in which each literal is unchanged."""
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """Return the value with another one at a place."""
    if not path:
        return other
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {key: replaced(item, rest, other) if key == step else item for key, item in value.items()}
    return [replaced(item, rest, other) if index == step else item for index, item in enumerate(value)]


Spoil = Callable[[int, Any], "Any | bytes"]
"""Takes the number of a request and the good response; returns what is sent instead, bytes as a whole body."""


class Spoiler:
    """Rewrites the responses of a simulator; one of its middlewares."""

    def __init__(self, simulator: Simulator) -> None:
        self.spoil: Spoil = lambda _number, good: good
        self.good: list[tuple[str, str, Any]] = []
        """Method, path and good response of each request so far."""
        simulator.middlewares.append(self)

    def clear(self) -> None:
        """Give good responses again, and forget the requests so far."""
        self.spoil = lambda _number, good: good
        self.good = []

    async def __call__(self, exchange: Any, work: Any) -> Raw:
        """Answer one request."""
        good = await work()
        number = len(self.good)
        self.good.append((exchange.method, exchange.target, good.payload))
        spoilt = self.spoil(number, good.payload)
        content = spoilt if isinstance(spoilt, bytes) else written(spoilt).encode("utf-8", "surrogatepass")
        return Raw(good.status, [message(good.status, JSON_HEADERS, content)], end=KEEP)
