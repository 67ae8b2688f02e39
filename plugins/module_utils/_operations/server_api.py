# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a server says of itself through its API: its version, who uses it, and whether it is up."""

from __future__ import annotations

import typing as t

from .._api.client import Api
from .._api.server import Statistics
from .._core.context import Context
from .._core.errors import OmeError, Refusal
from .._core.texts import shortened
from .._resources import stream
from .base import Operation, Params, Result
from .streams_and_channels import StreamInfo

VIEWERS = ("webrtc", "llhls", "hlsv3", "srt", "ovt")
"""The connections that count as viewers."""
_POLL = 0.5  # seconds between two requests while a server starts
_IDLE_POLL = 5.0  # seconds between two looks at who uses a server
_LONGEST_TRY = 5.0  # seconds for one request while a server starts
_LONGEST_SAID = 300  # characters


class Connect(t.Protocol):
    """Makes a client of the API at an address, with other values of connection options."""

    def __call__(self, **options: t.Any) -> t.ContextManager[Api]:
        """Return the client, which is closed at the end. Raises BadInput if an option cannot work."""


class Address(t.NamedTuple):
    """Where the API of a server is."""

    url: str
    token: str


class ServerApi:
    """The API of the server of a task."""

    def __init__(self, params: Params, connect: Connect, context: Context) -> None:
        self._params, self._connect, self._context = params, connect, context

    def client(self, address: Address, **options: t.Any) -> t.ContextManager[Api]:
        """Return a client; ``options`` are other values of connection options."""
        return self._connect(api_url=address.url, api_token=address.token, **options)

    def perform(self, operation: Operation, address: Address) -> Result:
        """Return the result of another operation on the server. Raises OmeError."""
        operation.check()
        with self.client(address) as api:
            return operation.run(api, self._context)

    def identity(self, address: Address) -> tuple[str, str]:
        """Return version and start time of a running server, each empty if it does not say it. Raises OmeError."""
        with self.client(address, retries=0) as api:
            raw, date = Statistics(api).read_server()
            server = stream.of_server(raw, date)
            return str(api.read_version() or ""), str(server.get("start_time") or "")

    def live_streams(self, address: Address) -> list[str]:
        """Return the live streams as ``VHOST/APP/STREAM``. Raises OmeError."""
        found = self.perform(StreamInfo(StreamInfo.defaults()), address)
        return ["/".join((one["vhost"], one["app"], one["name"])) for one in found["streams"]]

    def viewers(self, address: Address) -> int:
        """Return the number of connected viewers. Raises OmeError."""
        with self.client(address) as api:
            connections = stream.of_server(*Statistics(api).read_server())["connections"]
        return sum(connections.get(kind) or 0 for kind in VIEWERS)

    def why_busy(self, address: Address) -> str:
        """Wait until nobody uses the server; return why it may not be stopped, or an empty text.

        A server is idle if no stream is live and few viewers are connected. Check mode looks once.
        """
        begin = self._context.clock()
        wait = 0 if self._context.check_mode else self._params["idle_wait"]
        while True:
            again, busy = self._use(address, begin)
            left = begin + wait - self._context.clock()
            if not busy or not again or left <= 0:
                return busy
            self._context.sleep(min(_IDLE_POLL, left))

    def _use(self, address: Address, begin: float) -> tuple[bool, str]:
        """Return whether to look again, and why the server is in use since ``begin``; an empty text if it is not."""
        used = ""
        try:
            live = self.live_streams(address)
            if live:
                used = f"live streams: {len(live)}"
            elif (viewers := self.viewers(address)) >= self._params["max_viewers"]:
                used = f"viewers: {viewers}"
        except OmeError as error:
            said = shortened(str(error), _LONGEST_SAID).rstrip(".")
            # A token that is not accepted does not become valid by waiting.
            again = error.kind != "unauthorized"
            return again, f"its API did not say within {self._waited(begin)} seconds who is connected: {said}"
        return True, f"it was in use after {self._waited(begin)} seconds ({used})" if used else ""

    def _waited(self, begin: float) -> int:
        return int(self._context.clock() - begin)

    def prove(self, address: Address, version: str, *, may_refuse_token: bool = False) -> None:
        """Wait until the API of a server that was started responds, and check its version.

        :param version: the expected one; empty if it is unknown. :param may_refuse_token: whether a server that does
            not accept the token is up, too. Raises OmeError.
        """
        deadline = self._context.clock() + self._params["start_wait"]
        while True:
            try:
                with self.client(address, retries=0, timeout=min(self._params["timeout"], _LONGEST_TRY)) as api:
                    api.list_virtual_hosts()
                    found = str(api.read_version() or "")
                break
            except OmeError as error:
                if error.kind == "unauthorized" and may_refuse_token:
                    return
                # Another program can have the port, as long as the server does not say that it cannot open it.
                waits = error.unanswered or error.kind == "not_json"
                if not waits or self._context.clock() >= deadline:
                    raise
            self._context.sleep(_POLL)
        if found and version and found != version:
            text = f"The server that started is version {found} instead of {version}."
            raise Refusal("start the server", text, "Correct the option version, or the image or binary.")

    def missing_streams(self, before: t.Collection[str], address: Address) -> list[str]:
        """Wait for streams that were live before; return those that are not live again in time.

        Publishers and origins come back by themselves.
        """
        deadline = self._context.clock() + self._params["stream_wait"]
        while True:
            try:
                live = self.live_streams(address)
            except OmeError:
                live = []
            missing = [name for name in before if name not in live]
            left = deadline - self._context.clock()
            if not missing or left <= 0:
                return missing
            self._context.sleep(min(_IDLE_POLL, left))
