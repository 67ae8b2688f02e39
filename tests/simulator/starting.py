# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a simulator with a configuration directory opens its ports, and writes the server's own log."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .api_listeners import Port
from .configuration import NotStarted, log_file
from .server import Server
from .tls import ApiCertificate


@dataclass
class Start:
    """Opens the ports that the configuration of a server names; a start of the process calls it.

    :param server: has a state with a configuration.
    :param host: address to listen on, whatever Server.xml has as ``IP``.
    :param port: in place of the API port of Server.xml, 0 for any that is free.
    :param api_only: whether the TLS ports of providers and publishers stay closed.
    """

    server: Server
    host: str
    port: int | None = None
    api_only: bool = False

    async def __call__(self) -> None:
        """:raises NotStarted: a port is taken."""
        state = self.server.state
        found = state.configuration
        assert found is not None
        self.server.token = found.token
        plain = found.port if self.port is None else self.port
        ports: list[Port] = [] if plain is None else [(plain, None)]
        if found.tls_port is not None and found.certificate is not None:
            try:
                state.api_certificate = ApiCertificate(
                    *(state.locate(path, found.directory) for path in found.certificate)
                )
                ports.append((found.tls_port, state.api_certificate.context))
            except OSError as error:
                state.say(f"Could not load the certificate of the API server: {error}")
        try:
            await self.server.listen_on(self.host, ports)
            await self._listen_tls([] if self.api_only else list(found.publisher_ports))
        except OSError as error:
            state.say(f"Could not open the ports of the server: {error}")
            raise NotStarted(state.lines[-1]) from error

    async def _listen_tls(self, wanted: list[int]) -> None:
        listeners = self.server.tls_listeners
        for listener in [listener for listener in listeners if listener.port not in wanted]:
            listener.release()
            listeners.remove(listener)
        for listener in listeners:
            await listener.behave(listener.behaviour)
        for port in wanted:
            if port not in [listener.port for listener in listeners]:
                await self.server.listen_tls(self.host, port)


def log_to(directory: Path) -> Callable[[str], None]:
    """Return what writes a line of the server's log: to standard output, and to the file that Logger.xml names."""

    def write(text: str) -> None:
        moment = datetime.now().isoformat(" ", "milliseconds")
        line = f"[{moment}] E [OvenMediaEngine:{os.getpid()}] OvenMediaEngine | {text}"
        print(line, flush=True)
        path = log_file(directory)
        if path is not None:
            with contextlib.suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")

    return write
