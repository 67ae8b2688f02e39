# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the server holds in memory of virtual hosts, applications and push tasks; :mod:`.state` changes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .recorder import RecordApplication
from .tls import LoadedCertificate, load, readable


@dataclass
class PushTask:
    """One push task. Times are seconds of the clock (server-facts: Push tasks)."""

    id: str
    stream_name: str
    protocol: str
    url: str
    stream_key: str
    created: float
    track_ids: list[int] = field(default_factory=list)
    variant_names: list[str] = field(default_factory=list)
    is_config: bool = False
    ends_with_stream: bool = False
    """Whether it comes from a stream map."""
    session_since: float | None = None
    """Since when the server tries to deliver; None while the stream is not live."""
    last_session: float | None = None
    gone_at: float | None = None
    """When a task that was asked to stop disappears."""
    sequence: int = 0
    earlier_bytes: int = 0
    earlier_milliseconds: int = 0


@dataclass
class PushApplication:
    """The push tasks of one application; it can outlive the application (server-facts: Virtual hosts)."""

    tasks: dict[str, PushTask] = field(default_factory=dict)


@dataclass
class Application:
    """An application of a virtual host; ``config`` is what GET returns, less ``dynamic``."""

    name: str
    config: dict[str, Any]
    push: PushApplication | None = None
    records: RecordApplication | None = None
    mpegts_streams: list[dict[str, str]] = field(default_factory=list)
    """Those that have ports; reads return them in place of those of ``config``."""
    created: float = 0.0


@dataclass
class VirtualHost:
    """A virtual host; ``config`` is what GET returns."""

    name: str
    config: dict[str, Any]
    read_only: bool
    created: float = 0.0
    applications: dict[str, Application] = field(default_factory=dict)
    locate: Callable[[str], str] = readable
    certificates: list[tuple[float, LoadedCertificate]] = field(default_factory=list)
    """What was loaded, each with the moment from which it is in use, in the order of the loads."""

    def load_first_certificate(self, locate: Callable[[str], str] = readable) -> None:
        """Read the files of a new virtual host; it has no TLS if that fails (server-facts: Virtual hosts).

        :param locate: returns the file of this machine for a path of the configuration.
        """
        self.locate = locate
        tls = tls_files(self.config)
        certificate = load(tls, locate) if tls else None
        if certificate is not None:
            self.certificates = [(float("-inf"), certificate)]

    def certificate_at(self, moment: float) -> LoadedCertificate | None:
        """Return the certificate in use at a moment of the clock."""
        return next((certificate for since, certificate in reversed(self.certificates) if since <= moment), None)


@dataclass(frozen=True)
class StaticVirtualHost:
    """A virtual host of the server's configuration file; it is there again after a restart."""

    config: dict[str, Any]
    applications: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class ConfigTask:
    """A push task of the server's configuration (stream map)."""

    vhost: str
    app: str
    fields: Mapping[str, Any]


def tls_files(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the paths of certificate, key and chain of a virtual host; None if it has no TLS."""
    host = config.get("host")
    tls = host.get("tls") if isinstance(host, dict) else None
    return tls if isinstance(tls, dict) else None
