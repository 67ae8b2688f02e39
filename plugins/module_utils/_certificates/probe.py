# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which certificate the server picks by SNI, and which one endpoints show in a handshake."""

from __future__ import annotations

import functools
import typing as t

from .._core.errors import OmeError
from .._resources import virtual_host
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import is_addressable
from .._tls.certificate import Certificate, CertificateError, Endpoint, Served, covers
from .._tls.certificate_reader import read_pem_certificates
from .._tls.handshake import asked_name, handshake

# Predict which virtual host's certificate the server picks in a TLS handshake (server-facts: Certificates).
#
# The server sorts the virtual hosts that have TLS by the bytes of their names, and picks the first one with a host name
# that matches the SNI of the client. Without SNI it picks the first one (https_server.cpp and certificate.cpp of
# 0.15.10 to 0.21.0 [read]). Publishers and viewers reach virtual hosts in another order.


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
            else next((pattern for pattern in host.host_names if virtual_host.covers(pattern, server_name)), None)
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


# Probe endpoints: one TLS handshake each, and the certificate that it shows.

_MOST_DESCRIBED = 5


class ProbeSettings(t.NamedTuple):
    """Settings of handshakes; ``timeout`` is in seconds, for each of them."""

    timeout: float
    verify_chain: bool = False
    ca_path: str | None = None


class Expected(t.NamedTuple):
    """The certificate that should be served; ``certificate`` is None if only the fingerprint is known."""

    fingerprint: str
    certificate: Certificate | None = None

    def as_result(self, now: float) -> dict[str, t.Any]:
        """Return the entry of a result; ``now`` is in seconds since 1970."""
        return self.certificate.as_result(now) if self.certificate is not None else {"fingerprint": self.fingerprint}


class ProbeResult:
    """The outcome of one handshake with an endpoint."""

    def __init__(self, endpoint: Endpoint, settings: ProbeSettings, timeout: float | None = None) -> None:
        """Make the handshake. ``timeout`` in seconds counts if it is shorter than that of the settings."""
        self.served: Served | None = None
        self.error: CertificateError | None = None
        try:
            self.served = handshake(
                endpoint,
                timeout=min(settings.timeout, settings.timeout if timeout is None else timeout),
                verify_chain=settings.verify_chain,
                ca_path=settings.ca_path,
            )
        except CertificateError as error:
            self.error = error

    @property
    def certificate(self) -> Certificate | None:
        """The certificate that was served; None if the handshake failed."""
        return self.served.certificate if self.served is not None else None

    def shows(self, expected: Expected | None) -> bool:
        """Return whether the expected certificate was served; if none is expected, any certificate counts."""
        return self.certificate is not None and (
            expected is None or self.certificate.fingerprint == expected.fingerprint
        )

    def describe(self) -> str:
        """Return the outcome as a clause for messages."""
        one = self.certificate
        if one is None:
            return f"the handshake fails: {str(self.error).rstrip('.')}"
        subject = one.subject or "a certificate without subject"
        return f"it serves {subject} ({one.fingerprint[:16]}…, valid until {one.not_after})"


class EndpointReport:
    """One endpoint before and after a reload."""

    def __init__(self, endpoint: Endpoint, before: ProbeResult) -> None:
        self.endpoint = endpoint
        self.before = before
        self.after = before

    def as_result(self, expected: Expected | None, now: float) -> dict[str, t.Any]:
        """Return the entry of a result; ``now`` is in seconds since 1970."""
        served = self.after.served
        return {
            **self.endpoint._asdict(),
            "before": _facts(self.before, now),
            "after": _facts(self.after, now),
            "agrees": self.after.shows(expected) if expected is not None else None,
            "verified": served.verified if served is not None else None,
            "verify_error": served.verify_error if served is not None else None,
            "error": str(self.after.error) if self.after.error is not None else None,
        }


def _facts(result: ProbeResult, now: float) -> dict[str, t.Any] | None:
    return result.certificate.as_result(now) if result.certificate is not None else None


def proven_shadows(order: SniOrder, reports: t.Sequence[EndpointReport]) -> list[tuple[Endpoint, Shadow]]:
    """Return the endpoints at which another virtual host is known to hide the one in question."""
    found = [(report.endpoint, order.shadow(report.endpoint, report.before.certificate)) for report in reports]
    return [(endpoint, shadow) for endpoint, shadow in found if shadow is not None and shadow.proven]


def describe_reports(reports: t.Sequence[EndpointReport]) -> str:
    """Return what endpoints serve, for messages; of many the first five."""
    return _listed([f"{report.endpoint}: {report.after.describe()}" for report in reports])


def expiring(
    reports: t.Sequence[EndpointReport], days: int | None, now: float, predicted: Certificate | None = None
) -> OmeError | None:
    """Return the error if a served certificate is valid for fewer than ``days``; None if it is not, or without days.

    ``predicted`` is judged in place of the served certificates, in check mode. ``now`` is in seconds since 1970.
    """
    if days is None:
        return None
    served = [(report.endpoint, predicted or report.after.certificate) for report in reports]
    short = [(endpoint, one) for endpoint, one in served if one is not None and one.days_left(now) < days]
    if not short:
        return None
    texts = [
        f"{endpoint}: {one.subject}, valid until {one.not_after}, {one.days_left(now)} days left"
        for endpoint, one in short
    ]
    detail = f"A certificate that is served ends too soon. {_listed(texts)}."
    return OmeError("certificate_expiring", f"find {days} days of validity", detail=detail)


def unverified(reports: t.Sequence[EndpointReport]) -> OmeError | None:
    """Return the error if clients would refuse a served certificate; None if not, or if nothing was verified."""
    texts = [
        f"{report.endpoint}: {report.after.served.verify_error}"
        for report in reports
        if report.after.served is not None and report.after.served.verified is False
    ]
    if not texts:
        return None
    detail = f"The certificate is served, and clients would refuse it. {_listed(texts)}."
    return OmeError("chain_not_verified", "verify what is served", detail=detail)


def _listed(texts: t.Sequence[str]) -> str:
    left = len(texts) - _MOST_DESCRIBED
    return "; ".join([*texts[:_MOST_DESCRIBED], *([f"and {left} more"] if left > 0 else [])])
