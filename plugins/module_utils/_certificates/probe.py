# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Probe endpoints: one handshake for each, and what they serve."""

from __future__ import annotations

import typing as t

from .._core.errors import OmeError
from .._tls.certificate import Certificate, CertificateError, Endpoint, Served
from .._tls.handshake import handshake
from .sni import Shadow, SniOrder


class ProbeSettings(t.NamedTuple):
    """How handshakes are made; ``timeout`` in seconds is for one of them."""

    timeout: float
    verify_chain: bool = False
    ca_path: str | None = None


class Expected(t.NamedTuple):
    """The certificate that should be served; the facts only where it was read from a file."""

    fingerprint: str
    certificate: Certificate | None = None

    def as_result(self, now: float) -> dict[str, t.Any]:
        """The form in which results show it; ``now`` in seconds since 1970."""
        return self.certificate.as_result(now) if self.certificate is not None else {"fingerprint": self.fingerprint}


class ProbeResult:
    """What one handshake with an endpoint showed."""

    def __init__(self, endpoint: Endpoint, handshakes: ProbeSettings, timeout: float | None = None) -> None:
        """``timeout`` in seconds, where it is to be shorter than usual."""
        self.served: Served | None = None
        self.error: CertificateError | None = None
        try:
            self.served = handshake(
                endpoint,
                timeout=min(handshakes.timeout, handshakes.timeout if timeout is None else timeout),
                verify_chain=handshakes.verify_chain,
                ca_path=handshakes.ca_path,
            )
        except CertificateError as error:
            self.error = error

    @property
    def certificate(self) -> Certificate | None:
        """The certificate that was served; None where the handshake failed."""
        return self.served.certificate if self.served is not None else None

    def shows(self, expected: Expected | None) -> bool:
        """Whether what is expected was served; any certificate will do where nothing is."""
        return self.certificate is not None and (
            expected is None or self.certificate.fingerprint == expected.fingerprint
        )

    def told(self) -> str:
        """What was served, in words."""
        if self.certificate is None:
            return f"the handshake fails: {str(self.error).rstrip('.')}"
        one = self.certificate
        return f"it serves {one.subject or 'a certificate without subject'} ({one.fingerprint[:16]}…, valid until {one.not_after})"


class EndpointReport:
    """One endpoint before and after."""

    def __init__(self, endpoint: Endpoint, before: ProbeResult) -> None:
        self.endpoint = endpoint
        self.before = before
        self.after = before

    def as_result(self, expected: Expected | None, now: float) -> dict[str, t.Any]:
        """The form in which results show it; ``now`` in seconds since 1970."""
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


def shadows(order: SniOrder, reports: t.Sequence[EndpointReport]) -> list[tuple[Endpoint, Shadow]]:
    """Return what is known to hide a virtual host, by endpoint."""
    found = [(report.endpoint, order.shadow(report.endpoint, report.before.certificate)) for report in reports]
    return [(endpoint, shadow) for endpoint, shadow in found if shadow is not None and shadow.proven]


def describe_reports(reports: t.Sequence[EndpointReport]) -> str:
    """What endpoints serve, in words."""
    return "; ".join(f"{report.endpoint}: {report.after.told()}" for report in reports)


def _facts(look: ProbeResult, now: float) -> dict[str, t.Any] | None:
    return look.certificate.as_result(now) if look.certificate is not None else None


def expiring(
    reports: t.Sequence[EndpointReport], days: int | None, now: float, instead: Certificate | None = None
) -> OmeError | None:
    """The failure where a certificate that is served has fewer days left than it must have.

    ``instead`` is one that would be served in place of those that were seen.
    """
    if days is None:
        return None
    served = [(report.endpoint, instead or report.after.certificate) for report in reports]
    short = [(endpoint, one) for endpoint, one in served if one is not None and one.days_left(now) < days]
    if not short:
        return None
    told = "; ".join(
        f"{endpoint}: {one.subject}, valid until {one.not_after}, {one.days_left(now)} days left"
        for endpoint, one in short
    )
    return OmeError(
        "certificate_expiring",
        f"find {days} days of validity",
        detail=f"A certificate that is served ends too soon. {told}.",
    )


def unverified(reports: t.Sequence[EndpointReport]) -> OmeError | None:
    """The failure where clients would not accept what is served; None where it was not to be verified."""
    bad = [
        (report.endpoint, report.after.served)
        for report in reports
        if report.after.served is not None and report.after.served.verified is False
    ]
    if not bad:
        return None
    told = "; ".join(f"{endpoint}: {served.verify_error}" for endpoint, served in bad)
    return OmeError(
        "chain_not_verified",
        "verify what is served",
        detail=f"The certificate is served, and clients would refuse it. {told}.",
    )
