# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports of MPEG-TS, which streams of applications reserve (server-facts: Applications)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .start_values import numbers


class MpegtsPorts:
    """The ports on which a server takes MPEG-TS, each for one stream.

    :param ports: none if the server takes no MPEG-TS.
    """

    def __init__(self, ports: Iterable[int] = ()) -> None:
        self._owners: dict[int, tuple[str, str] | None] = dict.fromkeys(sorted(ports))

    def reserve(self, vhost: str, app: str, config: dict[str, Any]) -> list[dict[str, str]]:
        """Reserve the ports of an application, in the order in which they are listed, until one is not free.

        :returns: the streams as the application is returned, in the order of the ports.
        """
        provider = (config.get("providers") or {}).get("mpegts")
        streams = provider.get("streams") if isinstance(provider, dict) else None
        found: dict[int, str] = {}
        for stream in streams if isinstance(streams, list) else ():
            listed = sorted(numbers(stream["port"])) if stream.get("port") is not None else [self._any()]
            for port in listed:
                if self._owners.get(port, (vhost, app)) is not None:
                    return self._returned(found)
                self._owners[port] = (vhost, app)
                found[port] = str(stream.get("name")).replace("${Port}", str(port))
        return self._returned(found)

    def release(self, vhost: str, app: str) -> None:
        """Free the ports of an application. A server forgets to if the whole virtual host is deleted."""
        self._owners = {port: None if owner == (vhost, app) else owner for port, owner in self._owners.items()}

    def clear(self) -> None:
        """Free all ports."""
        self._owners = dict.fromkeys(self._owners)

    def _any(self) -> int:
        return next((port for port, owner in self._owners.items() if owner is None), 0)

    @staticmethod
    def _returned(found: dict[int, str]) -> list[dict[str, str]]:
        return [{"name": found[port], "port": f"{port}/udp"} for port in sorted(found)]
