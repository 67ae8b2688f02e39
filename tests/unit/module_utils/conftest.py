# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the lower rooms share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._transport import Settings, Transport
from ansible_collections.streamops.ovenmediaengine.tests.unit.module_utils.scripted_server import Act, ScriptedServer
from hypothesis import settings

# A busy machine is no failure.
settings.register_profile("module_utils", deadline=None, max_examples=25)
settings.load_profile("module_utils")

TOKEN = "token:with-Ünusual/signs+and spaces"

_OF_REQUESTS = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NETRC")


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes away what changes the behaviour of requests and of the modules."""
    for name in list(os.environ):
        if name.upper() in _OF_REQUESTS or name.startswith("OVENMEDIAENGINE_"):
            monkeypatch.delenv(name)


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
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
        chosen = {"api_token": TOKEN, "timeout": 5.0, "retries": 2, **options}
        super().__init__(Settings(url, **chosen), sleep=self.pauses.append, jitter=lambda: jitter, notice=self.notices.append)


@pytest.fixture
def connect() -> Iterator[Callable[..., Client]]:
    """Makes clients, whose connections are closed with the test."""
    with ExitStack() as made:

        def make(url: str, **options: Any) -> Client:
            client = Client(url, **options)
            made.callback(client.close)
            return client

        yield make
