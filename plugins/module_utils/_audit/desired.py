# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an audit compares a server with."""

from __future__ import annotations

import typing as t

from .._certificates.probe import Expected
from .._tls.certificate import Endpoint


class Desired(t.NamedTuple):
    """What the repository says of a server, in specified form."""

    vhosts: t.Sequence[t.Mapping[str, t.Any]] = ()
    applications: t.Sequence[t.Mapping[str, t.Any]] = ()
    push_tasks: t.Sequence[t.Mapping[str, t.Any]] = ()
    # Virtual hosts of the server's configuration file that its answers do not give away.
    read_only: t.Collection[str] = ()
    # What is listed by entries that cannot be used, by the names that lead to it. It is neither compared nor "not
    # listed".
    referenced_keys: t.Collection[tuple[str, ...]] = ()


class DesiredCertificate(t.NamedTuple):
    """One certificate that should be served, and for how many days more at least."""

    vhost: str
    endpoint: Endpoint
    expected: Expected | None
    days: int
    # Whether clients ask for the endpoint's server name; it is the address of the port otherwise.
    named: bool = True
