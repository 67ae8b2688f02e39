# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a publisher arrives (server-facts: Which virtual host a publisher or viewer reaches).

The rule is the same in 0.15.10, 0.18.0, 0.20.0 and 0.21.0 (GetVhostNameFromDomain of the orchestrator [read]).
Certificates are chosen by another order, see :mod:`.tls_listeners`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .state import Application, State, VirtualHost
from .wildcards import matches


@dataclass(frozen=True)
class Published:
    """A stream that went live."""

    vhost: str
    app: str
    stream: str


class NotPublished(LookupError):
    """The server found no application that takes a stream.

    :param vhost: the virtual host in which it looked; None if no host name matched.
    """

    def __init__(self, vhost: str | None, app: str, stream: str) -> None:
        super().__init__(f"Could not find the application: #{vhost or ''}#{app}")
        self.vhost = vhost
        self.app = app
        self.stream = stream

    def as_dict(self) -> dict[str, Any]:
        """Return the answer of the control interface."""
        return {"error": str(self), "vhost": self.vhost, "app": self.app, "stream": self.stream}


def is_for_host(vhost: VirtualHost, host: str) -> bool:
    """Return whether one of the host names of a virtual host matches, as the server does it.

    See :func:`.wildcards.matches`; case counts (HostName::UpdateRegex [read]).
    """
    item = vhost.config.get("host")
    names = item.get("names") if isinstance(item, dict) else None
    return any(matches(host, str(name)) for name in names or ())


def reached(vhosts: Iterable[VirtualHost], host: str) -> VirtualHost | None:
    """Return the virtual host that a host name reaches: the first match in the order of creation, None without a
    match.
    """
    return next((vhost for vhost in vhosts if host and is_for_host(vhost, host)), None)


def _providers(app: Application) -> Mapping[str, Any]:
    found = app.config.get("providers")
    return found if isinstance(found, dict) else {}


def publish(state: State, host: str, app: str, stream: str, provider: str = "rtmp", **source: Any) -> Published:
    """Let a publisher send a stream to ``rtmp://host/app/stream``.

    :param provider: by which it comes, as the API writes it.
    :param source: fields of :class:`.media.LiveStream`.
    :raises NotPublished: no virtual host has the host name, or the one that has it lacks the application, or the
        application lacks the provider.
    """
    with state.lock:
        vhost = reached(state.in_order_of_creation(), host)
        if vhost is None or app not in vhost.applications or provider not in _providers(vhost.applications[app]):
            raise NotPublished(vhost.name if vhost is not None else None, app, stream)
        state.stream_appears(vhost.name, app, stream, **source)
        return Published(vhost.name, app, stream)
