# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads that several parts of one task need, sent once."""

from __future__ import annotations

import threading
import typing as t

from .._http.client import Transport
from .._http.responses import NO_BODY, Answer
from .client import Api
from .idempotence import READS, Idempotence
from .messages import ItemAnswer

Read = t.TypeVar("Read")
_Key = tuple[str, ...]


class SharedReads(Api):
    """The endpoints of one server, for a task of several parts.

    The first read of an object in a part can be answered by what an earlier part has read. Every further read in the
    same part is a request, so that a part that reads twice sees what has changed meanwhile. A write makes all reads
    before it invalid, and so does a connection that broke, because the server may have restarted.
    """

    def __init__(self, transport: Transport) -> None:
        super().__init__(transport)
        self._lock = threading.Lock()
        self._earlier: dict[_Key, t.Any] = {}
        self._current: dict[_Key, t.Any] = {}
        self._valid_since = 0  # the number of writes before the reads that are kept

    @classmethod
    def of(cls, api: Api) -> SharedReads:
        """Return the endpoints of the same server over the same connections."""
        return cls(api._transport)

    def with_limits(self, timeout: float, retries: int) -> SharedReads:
        """Return the endpoints over the same connections, for requests that may take at most ``timeout`` seconds."""
        return type(self)(self._transport.with_limits(timeout, retries))

    def note_virtual_hosts(self, names: list[str]) -> None:
        """Keep the names of all virtual hosts for the next part, which were just read by other means."""
        with self._lock:
            self._current[("vhosts",)] = names

    def begin_part(self) -> None:
        """Make what was read so far available to the next part."""
        with self._lock:
            self._earlier = {**self._earlier, **self._current}
            self._current = {}

    def has_read_virtual_host(self, name: str) -> bool:
        with self._lock:
            return self._valid() and any(
                reads.get(("vhost", name)) is not None for reads in (self._current, self._earlier)
            )

    def list_virtual_hosts(self) -> list[str]:
        return self._once(("vhosts",), super().list_virtual_hosts)

    def read_virtual_host(self, name: str) -> dict[str, t.Any] | None:
        read = super().read_virtual_host
        return self._once(("vhost", name), lambda: read(name))

    def list_applications(self, vhost: str) -> list[str]:
        read = super().list_applications
        return self._once(("applications", vhost), lambda: read(vhost))

    def read_application(self, vhost: str, app: str) -> dict[str, t.Any] | None:
        read = super().read_application
        return self._once(("application", vhost, app), lambda: read(vhost, app))

    def call(self, method: str, path: str, body: t.Any = NO_BODY, *, attempt: str, idempotence: Idempotence) -> Answer:
        if idempotence is READS:
            return super().call(method, path, body, attempt=attempt, idempotence=idempotence)
        try:
            return super().call(method, path, body, attempt=attempt, idempotence=idempotence)
        finally:
            self._forget()

    def create_objects(
        self, path: str, items: t.Sequence[t.Mapping[str, t.Any]], attempt: str, idempotence: Idempotence
    ) -> list[ItemAnswer]:
        try:
            return super().create_objects(path, items, attempt, idempotence)
        finally:
            if items:  # without items it is a question
                self._forget()

    def _valid(self) -> bool:
        """Return whether reads can be shared at all."""
        return not self.disconnects

    def _once(self, key: _Key, read: t.Callable[[], Read]) -> Read:
        """Return what an earlier part has read, or read."""
        with self._lock:
            if self._valid() and key in self._earlier:
                value: Read = self._earlier.pop(key)
                self._current[key] = value
                return value
            since = self._valid_since
        value = read()
        with self._lock:
            if self._valid() and since == self._valid_since:
                self._current[key] = value
        return value

    def _forget(self) -> None:
        with self._lock:
            self._valid_since += 1
            self._earlier.clear()
            self._current.clear()
