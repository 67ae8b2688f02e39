# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the certificates that endpoints serve with the lists, and find those that clients refuse."""

from __future__ import annotations

import typing as t

from .._certificates.probe import ProbeResult, ProbeSettings
from .._certificates.sni import TlsHost, shadow_of
from .._tls.certificate import Certificate, Endpoint, covers
from .collector import Collector
from .desired import DesiredCertificate
from .findings import DRIFT, ERROR, WARNING

# Errors of a handshake that every server name on the port would meet.
_DEAD_PORT = ("unresolved", "refused", "unreachable", "timeout")


class CertificateAudit:
    """Probes endpoints and compares what they serve."""

    def __init__(
        self, collector: Collector, settings: ProbeSettings, tls_hosts: t.Sequence[TlsHost], now: float
    ) -> None:
        """``tls_hosts`` are the virtual hosts of the server that have TLS; ``now`` is in seconds since 1970."""
        self._collector = collector
        self._settings = settings
        self._tls_hosts = tls_hosts
        self._now = now
        self._results: dict[Endpoint, ProbeResult] = {}
        self._dead: dict[tuple[str, int], ProbeResult] = {}
        self.entries: list[dict[str, t.Any]] = []
        """What results say of each endpoint."""

    def compare(self, desired: DesiredCertificate) -> None:
        """Probe one endpoint, report what is wrong with its certificate, and make its entry of the result."""
        result = self._probe(desired.endpoint)
        served = result.certificate
        agrees = result.shows(desired.expected) if desired.expected is not None else None
        if served is None:
            text = f"{desired.endpoint}: {result.describe()}."
            self._collector.add(ERROR, "handshake_failed", text, **_place(desired))
        else:
            self._judge(desired, result, served, differs=agrees is False)
        self.entries.append(
            {
                "vhost": desired.vhost,
                "endpoint": str(desired.endpoint),
                "certificate": served.as_result(self._now) if served is not None else None,
                "agrees": agrees,
                "error": str(result.error or ""),
            }
        )

    def _probe(self, endpoint: Endpoint) -> ProbeResult:
        """Return what an endpoint serves. A port that is known to be dead is not probed again for other names."""
        port = (endpoint.host, endpoint.port)
        if endpoint not in self._results:
            self._results[endpoint] = result = self._dead.get(port) or ProbeResult(endpoint, self._settings)
            if result.error is not None and result.error.kind in _DEAD_PORT:
                self._dead[port] = result
        return self._results[endpoint]

    def _judge(self, desired: DesiredCertificate, result: ProbeResult, served: Certificate, *, differs: bool) -> None:
        """Report what is wrong with a certificate; ``differs`` says that it is not the expected one."""
        endpoint, place = desired.endpoint, _place(desired)
        wrong_name = desired.named and not covers(served, endpoint.server_name)
        reason = self._why_another(desired, served) if wrong_name else ""
        if differs and desired.expected is not None:
            self._collector.add(
                DRIFT,
                "certificate_differs",
                f"{endpoint} does not serve the expected certificate: {result.describe()}.{reason}",
                field="fingerprint",
                found=served.fingerprint,
                wanted=desired.expected.fingerprint,
                **place,
            )
        elif wrong_name:
            self._collector.add(
                WARNING,
                "certificate_name",
                f"Clients would refuse the certificate at {endpoint}: {result.describe()}.{reason}",
                field="names",
                found=list(served.names),
                wanted=endpoint.server_name,
                **place,
            )
        if self._now > served.valid_until:
            text = f"The certificate at {endpoint} expired at {served.not_after}."
            self._collector.add(ERROR, "certificate_expired", text, **place)
        elif self._now < served.valid_from:
            text = f"The certificate at {endpoint} is not valid before {served.not_before}."
            self._collector.add(ERROR, "certificate_not_yet_valid", text, **place)
        else:
            days = served.days_left(self._now)
            if days < desired.days:
                text = f"The certificate at {endpoint} is valid for {days} more days, until {served.not_after}."
                self._collector.add(WARNING, "certificate_expiring", text, **place)
            # A wrong name or period fails the verification, too, and is reported already.
            if result.served is not None and result.served.verified is False and not wrong_name:
                text = f"Clients would refuse the certificate at {endpoint}: {result.served.verify_error}."
                self._collector.add(WARNING, "chain_not_verified", text, **place)

    def _why_another(self, desired: DesiredCertificate, served: Certificate) -> str:
        """Return why a certificate for another name is served (server-facts: Certificates)."""
        endpoint, vhost = desired.endpoint, desired.vhost
        text = f" It does not cover {endpoint.server_name}, so it is probably that of another virtual host."
        shadow = shadow_of(vhost, self._tls_hosts, endpoint, served) if vhost else None
        if shadow is None:
            return text
        return f"{text} {shadow.rule}. So the server never presents that of {vhost} there."


def _place(desired: DesiredCertificate) -> dict[str, str]:
    """Return the fields of a finding that identify an endpoint."""
    return {"vhost": desired.vhost, "endpoint": str(desired.endpoint)}
