# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates in use: what endpoints serve, and a reload that is proven by handshakes (server-facts: Certificates).

The server's answer to a reload proves nothing from version 0.17.1 on: it is 200 whatever the files hold, and the old
certificate stays in use. Only a handshake shows what is served.
"""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api import Api, ReloadAnswer
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificate import (
    Certificate,
    CertificateError,
    Endpoint,
    Served,
    covers,
    handshake,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._sni import Shadow, SniOrder, rule_for, shadowed

FIRST_DELAY = 0.25  # seconds between two looks at what is served; doubles each time
LARGEST_DELAY = 2.0  # seconds


class Handshakes(t.NamedTuple):
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


class Look:
    """What one handshake with an endpoint showed."""

    def __init__(self, endpoint: Endpoint, handshakes: Handshakes, timeout: float | None = None) -> None:
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
        return self.certificate is not None and (expected is None or self.certificate.fingerprint == expected.fingerprint)

    def told(self) -> str:
        """What was served, in words."""
        if self.certificate is None:
            return f"the handshake fails: {str(self.error).rstrip('.')}"
        one = self.certificate
        return f"it serves {one.subject or 'a certificate without subject'} ({one.fingerprint[:16]}…, valid until {one.not_after})"


class EndpointReport:
    """One endpoint before and after."""

    def __init__(self, endpoint: Endpoint, before: Look) -> None:
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


class Rotation:
    """Brings endpoints to serve the expected certificate by asking the server to load its files again."""

    def __init__(self, api: Api, context: Context, handshakes: Handshakes, *, vhost: str | None, scope: str, wait_timeout: float, known: bool = False) -> None:
        """``scope`` is `vhosts` (one where ``vhost`` names it, else all) or `api`; ``wait_timeout`` in seconds bounds the proof.

        ``known`` says that the virtual host has been seen on the server.
        """
        self._api = api
        self._context = context
        self._handshakes = handshakes
        self._vhost = vhost
        self._scope = scope
        self._wait_timeout = wait_timeout
        self._known = known
        self._order = SniOrder(api, vhost)
        self.answer: ReloadAnswer | None = None
        self.reports: list[EndpointReport] = []

    def look(self, endpoints: t.Sequence[Endpoint]) -> None:
        """Sees what endpoints serve, and begins ``reports`` with it."""
        self.reports = [EndpointReport(endpoint, Look(endpoint, self._handshakes)) for endpoint in endpoints]

    def run(self, endpoints: t.Sequence[Endpoint], expected: Expected | None, *, force: bool) -> bool:
        """Looks, reloads where that is needed, and proves; returns whether something is, or in check mode would be, changed.

        Raises OmeError where the proof fails; ``reports`` then say what is served.
        """
        self.look(endpoints)
        served = bool(self.reports) and expected is not None and all(report.before.shows(expected) for report in self.reports)
        if served and not force:
            return False
        if expected is not None:
            self._refuse_shadowed(expected)
        if self._context.check_mode:
            self._warn_of_missing()
            return True
        try:
            self.answer = self._api.reload_certificates(self._vhost, api=self._scope == "api")
        except OmeError as error:
            if not self._came_all_the_same(expected, error):
                raise self.with_served(error) from None
            return True
        self._wait(expected)
        lagging = [report for report in self.reports if not report.after.shows(expected)]
        if lagging:
            raise self._not_served(lagging, expected)
        return True

    @property
    def served_another(self) -> bool:
        """Whether any endpoint has come to serve another certificate than before."""
        return any(report.after.certificate not in (None, report.before.certificate) for report in self.reports)

    def with_served(self, error: OmeError) -> OmeError:
        """Adds to an error what is served."""
        return error.add_detail(f"{_told(self.reports)}.") if self.reports else error

    def _came_all_the_same(self, expected: Expected | None, error: OmeError) -> bool:
        """Whether another certificate, the one that is expected, is served by all in spite of an error of the server or a lost answer.

        Servers up to 0.16.8 answer the reload of all with 500 where one of them fails, or has no TLS; the others were loaded.
        """
        if error.kind == "reload_failed":
            for report in self.reports:
                report.after = Look(report.endpoint, self._handshakes)
        elif error.maybe_done:
            self._wait(expected)
        else:
            return False
        self.answer = ReloadAnswer(error.status, error.server_message or "") if error.status else None
        if expected is None or not self.served_another or not all(report.after.shows(expected) for report in self.reports):
            return False
        said = f"The server answered the reload with {self.answer.status}: {self.answer.message}" if self.answer else "The reload got no answer."
        self._context.warn(f"{said} The certificate is served all the same.")
        return True

    def _warn_of_missing(self) -> None:
        if self._vhost is not None and not self._known and self._api.read_virtual_host(self._vhost) is None:
            self._context.warn(f"The server has no virtual host {self._vhost} yet. Reloading its certificate fails unless an earlier task creates it.")

    def _wait(self, expected: Expected | None) -> None:
        """Looks again and again until all endpoints agree or the time is over."""
        deadline = self._context.clock() + self._wait_timeout
        delay = FIRST_DELAY
        waiting = list(self.reports)
        while waiting:
            for report in waiting:
                left = deadline - self._context.clock()
                report.after = Look(report.endpoint, self._handshakes, max(left, 1.0))
            waiting = [report for report in waiting if not report.after.shows(expected)]
            left = deadline - self._context.clock()
            if not waiting or left <= 0:
                break
            self._context.sleep(min(delay, left))
            delay = min(2 * delay, LARGEST_DELAY)

    def _not_served(self, lagging: t.Sequence[EndpointReport], expected: Expected | None) -> OmeError:
        detail = f"After {self._wait_timeout:g} s, {len(lagging)} of {len(self.reports)} endpoints do not serve it. {_told(lagging)}."
        if self.answer is not None and self.answer.status:
            detail += f" The server answered the reload with {self.answer.status}."
        if all(report.after.certificate is None for report in lagging):
            return OmeError("handshake_failed", "prove which certificate is served", detail=detail)
        hint = self._why_another(lagging) if self._scope == "vhosts" else ""
        wanted = f" {expected.fingerprint[:16]}…" if expected is not None else ""
        return OmeError("certificate_not_served", f"bring the certificate{wanted} into use", detail=detail + hint)

    def _why_another(self, lagging: t.Sequence[EndpointReport]) -> str:
        """Return why the certificate of another virtual host may be served (server-facts: Certificates)."""
        for report in lagging:
            name, one = report.endpoint.server_name, report.after.certificate
            found = self._order.picked(report.endpoint) if one is not None else None
            other = bool(name) and one is not None and not covers(one, name)
            text = f" The certificate that {report.endpoint} serves is not for {name}, so it is likely that of another virtual host." if other else ""
            if found is not None and (found[0].name != self._vhost if self._vhost else other):
                return f"{text} {rule_for(*found)}."
            if text:
                return text
        return ""

    def _refuse_shadowed(self, expected: Expected) -> None:
        """Raise if endpoints are known to serve another virtual host's certificate, so that no reload would help."""
        if self._scope != "vhosts" or self._vhost is None:
            return
        found = shadows(self._order, [report for report in self.reports if not report.before.shows(expected)])
        if found:
            raise self.with_served(shadowed(self._vhost, found))


def shadows(order: SniOrder, reports: t.Sequence[EndpointReport]) -> list[tuple[Endpoint, Shadow]]:
    """Return what is known to hide a virtual host, by endpoint."""
    found = [(report.endpoint, order.shadow(report.endpoint, report.before.certificate)) for report in reports]
    return [(endpoint, shadow) for endpoint, shadow in found if shadow is not None and shadow.proven]


def _told(reports: t.Sequence[EndpointReport]) -> str:
    """What endpoints serve, in words."""
    return "; ".join(f"{report.endpoint}: {report.after.told()}" for report in reports)


def _facts(look: Look, now: float) -> dict[str, t.Any] | None:
    return look.certificate.as_result(now) if look.certificate is not None else None


def expiring(reports: t.Sequence[EndpointReport], days: int | None, now: float, instead: Certificate | None = None) -> OmeError | None:
    """The failure where a certificate that is served has fewer days left than it must have.

    ``instead`` is one that would be served in place of those that were seen.
    """
    if days is None:
        return None
    served = [(report.endpoint, instead or report.after.certificate) for report in reports]
    short = [(endpoint, one) for endpoint, one in served if one is not None and one.days_left(now) < days]
    if not short:
        return None
    told = "; ".join(f"{endpoint}: {one.subject}, valid until {one.not_after}, {one.days_left(now)} days left" for endpoint, one in short)
    return OmeError("certificate_expiring", f"find {days} days of validity", detail=f"A certificate that is served ends too soon. {told}.")


def unverified(reports: t.Sequence[EndpointReport]) -> OmeError | None:
    """The failure where clients would not accept what is served; None where it was not to be verified."""
    bad = [(report.endpoint, report.after.served) for report in reports if report.after.served is not None and report.after.served.verified is False]
    if not bad:
        return None
    told = "; ".join(f"{endpoint}: {served.verify_error}" for endpoint, served in bad)
    return OmeError("chain_not_verified", "verify what is served", detail=f"The certificate is served, and clients would refuse it. {told}.")
