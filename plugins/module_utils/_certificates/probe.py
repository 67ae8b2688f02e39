# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Probe endpoints: one TLS handshake each, and the certificate that it shows."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .._tls.certificate import Certificate, CertificateError, Endpoint, Served
from .._tls.handshake import handshake
from .sni import Shadow, SniOrder

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
