# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates in use: what endpoints serve, and a reload that is proven by handshakes (server-facts: Certificates).

The server's answer to a reload proves nothing from version 0.17.1 on: it is 200 whatever the files hold, and the old
certificate stays in use. Only a handshake shows what is served.
"""

from __future__ import annotations

import typing as t

from .._api.client import Api, ReloadAnswer
from .._core.context import Context
from .._core.errors import OmeError
from .._tls.certificate import Endpoint, covers
from .probe import EndpointReport, Expected, ProbeResult, ProbeSettings, describe_reports, shadows
from .sni import SniOrder, rule_for, shadowed

FIRST_DELAY = 0.25  # seconds between two looks at what is served; doubles each time
LARGEST_DELAY = 2.0  # seconds


class Rotation:
    """Brings endpoints to serve the expected certificate by asking the server to load its files again."""

    def __init__(
        self,
        api: Api,
        context: Context,
        handshakes: ProbeSettings,
        *,
        vhost: str | None,
        scope: str,
        wait_timeout: float,
        known: bool = False,
    ) -> None:
        """``scope`` is `vhosts` (one where ``vhost`` names it, else all) or `api`; ``wait_timeout`` in seconds bounds
        the proof.

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
        self.reports = [EndpointReport(endpoint, ProbeResult(endpoint, self._handshakes)) for endpoint in endpoints]

    def run(self, endpoints: t.Sequence[Endpoint], expected: Expected | None, *, force: bool) -> bool:
        """Looks, reloads where that is needed, and proves; returns whether something is, or in check mode would be,
        changed.

        Raises OmeError where the proof fails; ``reports`` then say what is served.
        """
        self.look(endpoints)
        served = (
            bool(self.reports)
            and expected is not None
            and all(report.before.shows(expected) for report in self.reports)
        )
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
        return error.with_detail(f"{describe_reports(self.reports)}.") if self.reports else error

    def _came_all_the_same(self, expected: Expected | None, error: OmeError) -> bool:
        """Whether another certificate, the one that is expected, is served by all in spite of an error of the server or
        a lost answer.

        Servers up to 0.16.8 answer the reload of all with 500 where one of them fails, or has no TLS; the others were
        loaded.
        """
        if error.kind == "reload_failed":
            for report in self.reports:
                report.after = ProbeResult(report.endpoint, self._handshakes)
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
        said = (
            f"The server answered the reload with {self.answer.status}: {self.answer.message}"
            if self.answer
            else "The reload got no answer."
        )
        self._context.warn(f"{said} The certificate is served all the same.")
        return True

    def _warn_of_missing(self) -> None:
        if self._vhost is not None and not self._known and self._api.read_virtual_host(self._vhost) is None:
            self._context.warn(
                f"The server has no virtual host {self._vhost} yet. Reloading its certificate fails unless an earlier task creates it."
            )

    def _wait(self, expected: Expected | None) -> None:
        """Looks again and again until all endpoints agree or the time is over."""
        deadline = self._context.clock() + self._wait_timeout
        delay = FIRST_DELAY
        waiting = list(self.reports)
        while waiting:
            for report in waiting:
                left = deadline - self._context.clock()
                report.after = ProbeResult(report.endpoint, self._handshakes, max(left, 1.0))
            waiting = [report for report in waiting if not report.after.shows(expected)]
            left = deadline - self._context.clock()
            if not waiting or left <= 0:
                break
            self._context.sleep(min(delay, left))
            delay = min(2 * delay, LARGEST_DELAY)

    def _not_served(self, lagging: t.Sequence[EndpointReport], expected: Expected | None) -> OmeError:
        detail = f"After {self._wait_timeout:g} s, {len(lagging)} of {len(self.reports)} endpoints do not serve it. {describe_reports(lagging)}."
        if self.answer is not None and self.answer.status:
            detail += f" The server answered the reload with {self.answer.status}."
        if all(report.after.certificate is None for report in lagging):
            return OmeError("handshake_failed", "prove which certificate is served", detail=detail)
        hint = self._why_another(lagging) if self._scope == "vhosts" else ""
        desired = f" {expected.fingerprint[:16]}…" if expected is not None else ""
        return OmeError("certificate_not_served", f"bring the certificate{desired} into use", detail=detail + hint)

    def _why_another(self, lagging: t.Sequence[EndpointReport]) -> str:
        """Return why the certificate of another virtual host may be served (server-facts: Certificates)."""
        for report in lagging:
            name, one = report.endpoint.server_name, report.after.certificate
            found = self._order.picked(report.endpoint) if one is not None else None
            other = bool(name) and one is not None and not covers(one, name)
            text = (
                f" The certificate that {report.endpoint} serves is not for {name}, so it is likely that of another virtual host."
                if other
                else ""
            )
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
