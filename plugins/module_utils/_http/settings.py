# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings of the connection to a server."""

from __future__ import annotations

import typing as t


class Settings(t.NamedTuple):
    """The connection options of the modules."""

    api_url: str
    api_token: str
    validate_certs: bool = True
    ca_path: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    timeout: float = 10.0  # seconds, for the connection, and then for the whole answer
    retries: int = 3
    http_headers: t.Mapping[str, str] = {}
    concurrency: int = 16  # concurrent requests of one task
