# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reloading certificates (server-facts: Certificates)."""

from __future__ import annotations

from .answers import Answer, success
from .errors import ApiError
from .objects import VirtualHost, tls_files
from .state import State
from .tls import load

_FAILED = "Failed to reload certificate. Check server log for more information."
_API_FAILED = "Failed to create a certificate for the API Server"


def reload_one(state: State, vhost: VirtualHost) -> Answer:
    """POST /v1/vhosts/{vhost}:reloadCertificate."""
    return _answer(state, _reload(state, vhost))


def reload_all(state: State) -> Answer:
    """POST /v1/vhosts:reloadAllCertificates; one that fails makes it fail, and does not keep the others from being
    loaded.
    """
    if None in state.failing_reloads:
        return _answer(state, False)
    results = [_reload(state, vhost) for vhost in state.virtual_hosts.values()]
    return _answer(state, all(results))


def reload_api(state: State) -> Answer:
    """POST /v1/managers/api:reloadCertificate. If the API has no TLS here, it is taken as loaded."""
    if not state.version.has_api_certificate_reload:
        raise ApiError(404, "Controller not found")
    if state.api_certificate is not None and not state.api_certificate.reload():
        raise ApiError(500, _API_FAILED)  # api_server.cpp [read]
    return success()


def _answer(state: State, succeeded: bool) -> Answer:
    if not succeeded and state.version.reload_reports_failure:
        raise ApiError(500, _FAILED)
    return success()


def _reload(state: State, vhost: VirtualHost) -> bool:
    """Load the files of a virtual host. :returns: whether that worked; the certificate in use stays otherwise."""
    if vhost.name in state.failing_reloads:
        return False
    tls = tls_files(vhost.config)
    if tls is None:
        return not state.version.reload_without_tls_fails
    if state.known_files.issuperset(path for path in tls.values() if path):
        return True
    certificate = load(tls, vhost.locate)
    if certificate is None:
        return False
    vhost.certificates.append((state.clock.now() + state.reload_delay, certificate))
    return True
