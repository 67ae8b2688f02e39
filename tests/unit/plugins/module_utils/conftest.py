# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the lower rooms share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Settings, Transport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.connections import Connections
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.responses import Answer
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE, wait_until_readable
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import (
    Act,
    ScriptedServer,
    success,
)
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("module_utils", deadline=None, max_examples=25)
settings.load_profile("module_utils")

Serve = Callable[..., ScriptedServer]

OK = success(["default"])
TOKEN = "token:with-Ünusual/signs+and spaces"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes away what changes the behaviour of requests and of the modules."""
    running_modules.forget_environment(monkeypatch)


@pytest.fixture
def patient_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives the look whether a port speaks the other protocol all the time it needs."""
    running_modules.probe_patiently(monkeypatch)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts scripted servers, which end with the test."""
    with ExitStack() as running:

        def start(*script: Act, **options: Any) -> ScriptedServer:
            return running.enter_context(ScriptedServer(*script, **options))

        yield start


class Client(Transport):
    """A transport whose pauses take no time and are kept, with what was told of them."""

    def __init__(self, url: str, *, jitter: float = 1.0, **options: Any) -> None:
        self.pauses: list[float] = []
        self.notices: list[str] = []
        chosen = {"api_token": TOKEN, "timeout": PATIENCE, "retries": 2, **options}
        super().__init__(
            Settings(url, **chosen), sleep=self.pauses.append, jitter=lambda: jitter, notice=self.notices.append
        )


Connect = Callable[..., Client]
SOON = 0.2
"""Real seconds after which a client gives up what never comes."""


def give_up_once(client: Client) -> None:
    """Let the next attempt give up soon; all after it have the time they need, however slow the machine."""
    client.settings = client.settings._replace(timeout=SOON)
    client._sleep = lambda pause: setattr(client, "settings", client.settings._replace(timeout=PATIENCE))


def read(client: Transport) -> Answer:
    """A request that may be sent again."""
    return client.send("GET", "/v1/vhosts", attempt="list the virtual hosts", repeatable=True)


def create(client: Transport) -> Answer:
    """A request that may not."""
    return client.send("POST", "/v1/vhosts", [{"name": "a"}], attempt="create virtual host a", repeatable=False)


def wait_for_ends(connections: Connections) -> None:
    """Wait until the client can see that the server has closed each connection."""
    for line in connections._pooled:
        assert wait_until_readable(line._connection.sock)


@pytest.fixture
def connect() -> Iterator[Connect]:
    """Makes clients, whose connections are closed with the test."""
    with ExitStack() as made:

        def make(url: str, **options: Any) -> Client:
            client = Client(url, **options)
            made.callback(client.close)
            return client

        yield make
