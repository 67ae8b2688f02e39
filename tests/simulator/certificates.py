# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reloading certificates (server-facts: Certificates)."""

from __future__ import annotations

import os

from .answers import Answer, success
from .errors import ApiError
from .state import State, VirtualHost

_FAILED = "Failed to reload certificate. Check server log for more information."


def reload_one(state: State, vhost: VirtualHost) -> Answer:
    """POST /v1/vhosts/{vhost}:reloadCertificate."""
    return _answer(state, _fails(state, vhost))


def reload_all(state: State) -> Answer:
    """POST /v1/vhosts:reloadAllCertificates; one that fails makes it fail."""
    return _answer(state, None in state.failing_reloads or any(_fails(state, vhost) for vhost in state.virtual_hosts.values()))


def reload_api(state: State) -> Answer:
    """POST /v1/managers/api:reloadCertificate."""
    if not state.version.has_api_certificate_reload:
        raise ApiError(404, "Controller not found")
    return success()


def _answer(state: State, failed: bool) -> Answer:
    if failed and state.version.reload_reports_failure:
        raise ApiError(500, _FAILED)
    return success()


def _fails(state: State, vhost: VirtualHost) -> bool:
    host = vhost.config.get("host")
    tls = host.get("tls") if isinstance(host, dict) else None
    if vhost.name in state.failing_reloads:
        return True
    if not isinstance(tls, dict):
        return state.version.reload_without_tls_fails
    return not all(_usable(state, path) for path in tls.values())


def _usable(state: State, path: object) -> bool:
    """Whether a file is there and looks like PEM. Relative paths resolve against / (server-facts: Virtual hosts)."""
    if path in state.known_files:
        return True
    try:
        with open(os.path.join("/", str(path)), "rb") as file:
            return b"-----BEGIN " in file.read()
    except (OSError, ValueError):
        return False
