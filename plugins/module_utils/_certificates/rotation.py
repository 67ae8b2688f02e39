# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reload certificates, and prove by handshakes that they are served (server-facts: Certificates).

From version 0.17.1 on, the answer to a reload proves nothing: it is 200 whatever the files hold, and the server keeps
the old certificate if it cannot load the new one. Only a handshake shows which certificate is served.
"""

from __future__ import annotations

import typing as t

from .._api.client import Api, ReloadAnswer
from .._core.context import Context
from .._core.errors import OmeError
from .._tls.certificate import Endpoint, covers
from .probe import (
    EndpointReport,
    Expected,
    ProbeResult,
    ProbeSettings,
    Shadow,
    SniOrder,
    describe_reports,
    proven_shadows,
    rule_for,
    shadowed,
)

FIRST_DELAY = 0.25  # seconds between two rounds of handshakes; doubles each time
LARGEST_DELAY = 2.0  # seconds
SHORTEST_TIMEOUT = 1.0  # seconds for a handshake, even if less of the wait is left


class Rotation:
    """Brings endpoints to serve the expected certificate: probe, reload, and probe until they do."""

    def __init__(
        self,
        api: Api,
        context: Context,
        settings: ProbeSettings,
        *,
        vhost: str | None,
        scope: str,
        wait_timeout: float,
        known: bool = False,
    ) -> None:
        """``scope`` is `vhosts` (the one in ``vhost``, or all if that is None) or `api`.

        ``wait_timeout`` in seconds bounds the proof. ``known`` says that the virtual host is on the server.
        """
        self._api = api
        self._context = context
        self._settings = settings
        self._vhost = vhost
        self._scope = scope
        self._wait_timeout = wait_timeout
        self._known = known
        self._order = SniOrder(api, vhost)
        self.answer: ReloadAnswer | None = None
        self.reports: list[EndpointReport] = []

    def probe(self, endpoints: t.Sequence[Endpoint]) -> None:
        """Read what endpoints serve, and begin ``reports`` with it."""
        self.reports = [EndpointReport(endpoint, ProbeResult(endpoint, self._settings)) for endpoint in endpoints]

    def run(self, endpoints: t.Sequence[Endpoint], expected: Expected | None, *, force: bool) -> bool:
        """Probe, reload if needed or if ``force`` is set, and prove; return whether something changes.

        In check mode, return whether a real run would change something. Raises OmeError if the proof fails;
        ``reports`` then hold what is served.
        """
        self.probe(endpoints)
        return self.prove(expected, force=force)

    def prove(self, expected: Expected | None, *, force: bool) -> bool:
        """Do what :meth:`run` does after it has probed."""
        if self.is_served(expected) and not force:
            return False
        if expected is not None:
            self._refuse_shadowed(expected)
        if self._context.check_mode:
            self._warn_of_missing()
            return True
        try:
            self.answer = self._api.reload_certificates(self._vhost, api=self._scope == "api")
        except OmeError as error:
            if not self._took_effect(expected, error):
                raise self.with_served(error) from None
            return True
        self._wait(expected)
        lagging = [report for report in self.reports if not report.after.shows(expected)]
        if lagging:
            raise self._not_served(lagging, expected)
        return True

    def is_served(self, expected: Expected | None) -> bool:
        """Return whether all endpoints served the expected certificate when they were probed."""
        return (
            bool(self.reports)
            and expected is not None
            and all(report.before.shows(expected) for report in self.reports)
        )

    def shadows(self, expected: Expected) -> list[tuple[Endpoint, Shadow]]:
        """Return the endpoints at which another virtual host is known to hide the one in question."""
        differing = [report for report in self.reports if not report.before.shows(expected)]
        return proven_shadows(self._order, differing)

    @property
    def served_another(self) -> bool:
        """Whether an endpoint serves another certificate than before."""
        return any(report.after.certificate not in (None, report.before.certificate) for report in self.reports)

    def with_served(self, error: OmeError) -> OmeError:
        """Return the error with what is served."""
        return error.with_detail(f"{describe_reports(self.reports)}.") if self.reports else error

    def _took_effect(self, expected: Expected | None, error: OmeError) -> bool:
        """Return whether all endpoints serve the expected certificate, although the reload failed or got no answer.

        Servers up to 0.16.8 answer a reload of all certificates with 500 if one virtual host fails or has no TLS,
        after loading the others.
        """
        if error.kind == "reload_failed":
            for report in self.reports:
                report.after = ProbeResult(report.endpoint, self._settings)
        elif error.outcome_unknown:
            self._wait(expected)
        else:
            return False
        self.answer = ReloadAnswer(error.status, error.server_message or "") if error.status else None
        if (
            expected is None
            or not self.served_another
            or not all(report.after.shows(expected) for report in self.reports)
        ):
            return False
        problem = "The reload got no answer."
        if self.answer is not None:
            problem = f"The server answered the reload with {self.answer.status}: {self.answer.message}"
        self._context.warn(f"{problem} The expected certificate is served nevertheless.")
        return True

    def _warn_of_missing(self) -> None:
        if self._vhost is not None and not self._known and self._api.read_virtual_host(self._vhost) is None:
            self._context.warn(
                f"The server does not have virtual host {self._vhost} yet. "
                "Reloading its certificate fails unless an earlier task creates it."
            )

    def _wait(self, expected: Expected | None) -> None:
        """Probe until all endpoints serve the expected certificate, or until the time is over."""
        deadline = self._context.clock() + self._wait_timeout
        delay = FIRST_DELAY
        waiting = list(self.reports)
        while waiting:
            for report in waiting:
                left = deadline - self._context.clock()
                report.after = ProbeResult(report.endpoint, self._settings, max(left, SHORTEST_TIMEOUT))
            waiting = [report for report in waiting if not report.after.shows(expected)]
            left = deadline - self._context.clock()
            if not waiting or left <= 0:
                break
            self._context.sleep(min(delay, left))
            delay = min(2 * delay, LARGEST_DELAY)

    def _not_served(self, lagging: t.Sequence[EndpointReport], expected: Expected | None) -> OmeError:
        """Return the error for endpoints that do not serve the expected certificate in time."""
        count = f"{len(lagging)} of {len(self.reports)} endpoints"
        detail = f"After {self._wait_timeout:g} s, {count} do not serve it. {describe_reports(lagging)}."
        if self.answer is not None and self.answer.status:
            detail += f" The server answered the reload with {self.answer.status}."
        if all(report.after.certificate is None for report in lagging):
            return OmeError("handshake_failed", "prove which certificate is served", detail=detail)
        reason = self._why_another(lagging) if self._scope == "vhosts" else ""
        shown = f" {expected.fingerprint[:16]}…" if expected is not None else ""
        return OmeError("certificate_not_served", f"bring the certificate{shown} into use", detail=detail + reason)

    def _why_another(self, lagging: t.Sequence[EndpointReport]) -> str:
        """Return why the certificate of another virtual host may be served (server-facts: Certificates)."""
        for report in lagging:
            name, one = report.endpoint.server_name, report.after.certificate
            picked = self._order.picked(report.endpoint) if one is not None else None
            wrong_name = bool(name) and one is not None and not covers(one, name)
            text = ""
            if wrong_name:
                text = (
                    f" The certificate that {report.endpoint} serves does not cover {name}, "
                    "so it is probably that of another virtual host."
                )
            if picked is not None and (picked[0].name != self._vhost if self._vhost else wrong_name):
                return f"{text} {rule_for(*picked)}."
            if text:
                return text
        return ""

    def _refuse_shadowed(self, expected: Expected) -> None:
        """Raise OmeError if endpoints are known to serve another virtual host, because no reload would help."""
        if self._scope != "vhosts" or self._vhost is None:
            return
        shadows = self.shadows(expected)
        if shadows:
            raise self.with_served(shadowed(self._vhost, shadows))
