# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Predict which virtual host's certificate the server picks in a TLS handshake (server-facts: Certificates).

The server sorts the virtual hosts that have TLS by the bytes of their names, and picks the first one with a host name
that matches the SNI of the client. Without SNI it picks the first one (https_server.cpp and certificate.cpp of 0.15.10
to 0.21.0 [read]). Publishers and viewers reach virtual hosts in another order.
"""

from __future__ import annotations

import functools
import typing as t

from .._core.errors import OmeError
from .._resources import host_names
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import is_addressable
from .._tls.certificate import Certificate, CertificateError, Endpoint, covers
from .._tls.handshake import asked_name
from .._tls.pem_files import read_pem_certificates


class TlsHost(t.NamedTuple):
    """A virtual host that has TLS."""

    name: str
    host_names: tuple[str, ...]
    cert_path: str


class Shadow(t.NamedTuple):
    """Another virtual host, whose certificate the server picks instead of the expected one."""

    host: TlsHost
    rule: str
    """Why the server picks it, as a sentence without its period."""
    proven: bool
    """Whether the served certificate is known not to be that of the expected virtual host."""


def tls_host(vhost: t.Mapping[str, t.Any]) -> TlsHost | None:
    """Return the TLS settings of a virtual host in option form; None if it has no TLS."""
    host = vhost.get("host", {})
    tls = host.get("tls", {})
    if not tls.get("cert_path") or not tls.get("key_path"):
        return None
    return TlsHost(vhost["name"], tuple(host.get("names", ())), tls["cert_path"])


def candidates(hosts: t.Iterable[TlsHost], server_name: str | None) -> t.Iterator[tuple[TlsHost, str]]:
    """Yield the virtual hosts that match, in the server's order, each with its matching host name (empty without SNI).

    The server picks the first one whose files it could load.
    """
    for host in sorted(hosts, key=lambda one: one.name.encode("utf-8", "surrogatepass")):
        pattern = (
            ""
            if server_name is None
            else next((pattern for pattern in host.host_names if host_names.covers(pattern, server_name)), None)
        )
        if pattern is not None:
            yield host, pattern


def shadow_of(vhost: str, hosts: t.Sequence[TlsHost], endpoint: Endpoint, served: Certificate | None) -> Shadow | None:
    """Return the virtual host that hides ``vhost`` at an endpoint; None if there is none.

    ``hosts`` are the virtual hosts with TLS, at least those whose names sort before ``vhost`` and itself. ``served`` is
    the certificate of a handshake.
    """
    own = next((one for one in hosts if one.name == vhost), None)
    others = [(host, pattern) for host, pattern in candidates(hosts, asked_name(endpoint)) if host.name < vhost]
    if served is None or own is None or not others:
        return None
    holding = [(host, pattern) for host, pattern in others if _is_in(host, served)]
    if not holding and _is_in(own, served):  # the server could not load the files of the others
        return None
    host, pattern = (holding or others)[0]
    proven = bool(holding) or (bool(endpoint.server_name) and not covers(served, endpoint.server_name))
    return Shadow(host, rule_for(host, pattern), proven)


def rule_for(host: TlsHost, pattern: str) -> str:
    """Return why the server picks a virtual host, as a sentence without its period.

    ``pattern`` is the host name that matches; empty without SNI.
    """
    order = "the server picks the first virtual host, in alphabetical order of names"
    if pattern:
        return f"By SNI {order}, with a host name that matches: {host.name} ({pattern})"
    return f"Without SNI, which addresses do not have, {order}: {host.name}"


def _is_in(host: TlsHost, served: Certificate) -> bool:
    """Return whether a certificate is in the file of a virtual host; False if the file cannot be read here."""
    try:
        return read_pem_certificates(host.cert_path)[0].fingerprint == served.fingerprint
    except CertificateError:
        return False


def shadowed(vhost: str, shadows: t.Sequence[tuple[Endpoint, Shadow]]) -> OmeError:
    """Return the error for a virtual host whose certificate cannot be served at some endpoints.

    The message explains the first of them.
    """
    endpoint, shadow = shadows[0]
    others = f", and at {len(shadows) - 1} more endpoints" if len(shadows) > 1 else ""
    detail = f"{endpoint}{others}: {shadow.rule}. So the server never presents the certificate of {vhost} there."
    return OmeError("shadowed", f"bring the certificate of virtual host {vhost} into use", detail=detail)


class SniOrder:
    """The virtual hosts of a server that have TLS, read at the first use."""

    def __init__(self, api: t.Any, vhost: str | None) -> None:
        """``vhost`` is the expected virtual host: those that sort after it are not read. None reads all."""
        self._api = api
        self._vhost = vhost
        self._hosts: list[TlsHost] | None = None

    def shadow(self, endpoint: Endpoint, served: Certificate | None) -> Shadow | None:
        """Return what hides the expected virtual host at an endpoint; None if nothing does.

        Also None if the server does not answer, because a shadow only explains another problem.
        """
        return shadow_of(self._vhost, self._known(), endpoint, served) if self._vhost is not None else None

    def picked(self, endpoint: Endpoint) -> tuple[TlsHost, str] | None:
        """Return the virtual host whose certificate the server picks at an endpoint, with its matching host name."""
        return next(candidates(self._known(), asked_name(endpoint)), None)

    def _known(self) -> list[TlsHost]:
        if self._hosts is None:
            try:
                names = [
                    name
                    for name in self._api.list_virtual_hosts()
                    if is_addressable(name) and (self._vhost is None or name <= self._vhost)
                ]
                raws = self._api.map_concurrently(
                    [functools.partial(self._api.read_virtual_host, name) for name in sorted(names)]
                )
                self._hosts = [
                    host
                    for host in (tls_host(VIRTUAL_HOST.from_wire(raw)) for raw in raws if raw is not None)
                    if host is not None
                ]
            except OmeError:
                self._hosts = []
        return self._hosts
