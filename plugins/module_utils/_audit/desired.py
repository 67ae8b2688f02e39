# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The desired state that an audit compares a server with."""

from __future__ import annotations

import typing as t

from .._certificates.probe import Expected
from .._tls.certificate import Endpoint


class Desired(t.NamedTuple):
    """The lists of one server, in specified form."""

    vhosts: t.Sequence[t.Mapping[str, t.Any]] = ()
    applications: t.Sequence[t.Mapping[str, t.Any]] = ()
    push_tasks: t.Sequence[t.Mapping[str, t.Any]] = ()
    # Virtual hosts of the server's configuration file that the API does not identify as such.
    read_only: t.Collection[str] = ()
    # The names in invalid entries, from the virtual host on. These objects are neither compared nor "not listed".
    # Those of virtual hosts have one name and those of applications two; others begin with the option of their list.
    referenced_keys: t.Collection[tuple[str, ...]] = ()
    records: t.Sequence[t.Mapping[str, t.Any]] = ()
    streams: t.Sequence[t.Mapping[str, t.Any]] = ()
    scheduled_channels: t.Sequence[t.Mapping[str, t.Any]] = ()
    multiplex_channels: t.Sequence[t.Mapping[str, t.Any]] = ()


class DesiredCertificate(t.NamedTuple):
    """The certificate that an endpoint should serve, and the fewest days that it must remain valid."""

    vhost: str
    endpoint: Endpoint
    expected: Expected | None
    days: int
    # Whether clients use the server name of the endpoint; otherwise it is the address of the port.
    named: bool = True
