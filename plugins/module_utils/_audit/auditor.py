# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Audit one server: compare it with the lists and find what is wrong with it, without a single write."""

from __future__ import annotations

import functools
import re
import typing as t

from .._api.client import Api
from .._api.spelling import comparable
from .._certificates.probe import ProbeResult, ProbeSettings, TlsHost, shadow_of
from .._core.context import Context
from .._core.errors import OmeError
from .._core.server_version import NEWEST, TESTED, show
from .._playback.outputs import Viewers
from .._playback.playback import Settings
from .._resources import application, virtual_host
from .._resources.expected_stream import ExpectedStream
from .._resources.jobs import PUSH_TASKS, RECORDS
from .._resources.multiplex_channel import MULTIPLEX_CHANNELS
from .._resources.scheduled_channel import SCHEDULED_CHANNELS
from .._resources.stream import PULLED_STREAMS
from .._tls.certificate import Certificate, Endpoint, covers
from .applications import Applications, Inputs
from .durable import DurableAudit
from .expected import ExpectedStreams
from .findings import (
    DRIFT,
    ERROR,
    EVERY_VHOST,
    INFO,
    SEVERITIES,
    WARNING,
    Audited,
    Collector,
    Desired,
    DesiredCertificate,
    Finding,
    affects,
)
from .jobs import JobAudit
from .kinds import KindAudit
from .live_statistics import LEVELS, StatisticsAudit
from .objects import ObjectAudit
from .playing import PlayAudit
from .streams_and_channels import StreamAudit

# Known defects and limits of server versions, which people who run these versions should know.
#
# The facts are those of docs/server-facts.md.

_Numbers = tuple[int, ...]


class KnownDefect(t.NamedTuple):
    """A defect or limit of the versions from ``first`` up to, but not including, ``end``."""

    first: _Numbers
    end: _Numbers | None
    text: str
    of_webhooks: bool = False  # whether it concerns only servers whose virtual hosts use admission webhooks


KNOWN_DEFECTS = (
    KnownDefect(
        (0,),
        (0, 16, 6),
        "Pushes support RTMP and MPEG-TS only, and the push publisher is called rtmp_push.",
    ),
    KnownDefect(
        (0,),
        (0, 17),
        "If one virtual host has no TLS, the server answers a reload of all certificates with an error, although it "
        "has reloaded the others.",
    ),
    KnownDefect(
        (0, 17, 1),
        None,
        "The server answers a certificate reload with success whatever the files hold. Only a handshake shows which "
        "certificate it serves.",
    ),
    KnownDefect(
        (0, 17, 1),
        None,
        "Applications outlive their virtual host and reappear in the next one of the same name. This collection "
        "deletes them first.",
    ),
    KnownDefect(
        (0, 18),
        None,
        "A printf conversion in an unknown key of a virtual host, or in the id of a push task, crashes the server. "
        "This collection sends none.",
    ),
    KnownDefect(
        (0, 21),
        None,
        "Some keys of the API have other names than before 0.21.0. This collection sends the names that the server "
        "knows; other tools may send the old ones.",
    ),
    KnownDefect(
        (*NEWEST[:2], NEWEST[2] + 1),
        None,
        f"This collection was tested with {', '.join(map(show, TESTED[:-1]))} and {show(NEWEST)}, and not with newer "
        "versions.",
    ),
    # Seen on 0.18.0, not on 0.20.0; 0.16.6 is the first with this call.
    KnownDefect(
        (0, 16, 6),
        (0, 20),
        "After a concludeHlsLive request, the server crashes when the stream ends (seen on 0.18.0). This collection "
        "sends none.",
    ),
    KnownDefect(
        (0,),
        (0, 18, 1),
        "The certificate of the API itself cannot be reloaded. A new one needs a restart, which loses everything that "
        "was created through the API.",
    ),
    KnownDefect(
        (0, 20),
        (0, 20, 5),
        "Admission webhooks never send `closing`, so the control server does not learn that a publisher or viewer has "
        "left (issue 1991 of the server). Upgrade to 0.20.5 or later.",
        of_webhooks=True,
    ),
)


def describe_known_defects(version: str | None) -> t.Iterator[str]:
    """Yield what is known about a server version, whatever the server is used for.

    ``version`` is the text that the server reports; None if it is older than the call that reports one.
    """
    numbers = _numbers(version)
    if version is None:
        yield "The server does not report its version, so it is older than 0.16.5."
    elif not numbers:
        yield f"The server reports a version without a number, {version!r}, so known defects cannot be listed."
    yield from (defect.text for defect in _of_version(numbers) if not defect.of_webhooks)


def describe_webhook_defects(version: str | None) -> t.Iterator[str]:
    """Yield what is known about the admission webhooks of a server version, as the server reports it."""
    yield from (defect.text for defect in _of_version(_numbers(version)) if defect.of_webhooks)


def _numbers(version: str | None) -> _Numbers:
    # At most nine digits each: a longer number is no version, and Python refuses to convert very long ones.
    return tuple(int(part) for part in re.findall(r"\d{1,9}", "0" if version is None else version)[:3])


def _of_version(numbers: _Numbers) -> t.Iterator[KnownDefect]:
    for defect in KNOWN_DEFECTS:
        if numbers and defect.first <= numbers and (defect.end is None or numbers < defect.end):
            yield defect


# Compare the certificates that endpoints serve with the lists, and find those that clients refuse.

# Errors of a handshake that every server name on the port would meet.
_DEAD_PORT = ("unresolved", "refused", "unreachable", "timeout")


class CertificateAudit:
    """Probes endpoints and compares what they serve."""

    def __init__(self, collector: Collector, settings: ProbeSettings, now: float) -> None:
        """``now`` is in seconds since 1970."""
        self._collector = collector
        self._settings = settings
        self._tls_hosts: t.Sequence[TlsHost] = ()
        self._now = now
        self._results: dict[Endpoint, ProbeResult] = {}
        self._dead: dict[tuple[str, int], ProbeResult] = {}
        self.entries: list[dict[str, t.Any]] = []
        """What results say of each endpoint."""

    def read(self, certificates: t.Iterable[DesiredCertificate]) -> None:
        """Probe the endpoints."""
        for desired in certificates:
            self._probe(desired.endpoint)

    def compare(self, certificates: t.Iterable[DesiredCertificate], tls_hosts: t.Sequence[TlsHost]) -> None:
        """Report what is wrong with the certificates, and make the entries of the result.

        ``tls_hosts`` are the virtual hosts of the server that have TLS.
        """
        self._tls_hosts = tls_hosts
        for desired in certificates:
            self._compare_one(desired)

    def _compare_one(self, desired: DesiredCertificate) -> None:
        result = self._results[desired.endpoint]
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


class Audit:
    """Runs the parts of an audit in their order, and makes the result."""

    def __init__(
        self,
        api: Api,
        context: Context,
        desired: Desired,
        *,
        sampling_interval: float = 0.0,
        config_dir: str | None = None,
        viewers: Viewers | None = None,
        play: bool = False,
        expected: t.Sequence[ExpectedStream] = (),
        statistics: str = LEVELS[0],
        most_streams: int = 0,
        findings: t.Iterable[Finding] = (),
        audited: Audited = EVERY_VHOST,
    ) -> None:
        """``sampling_interval`` is the time in seconds between two samples of what runs; 0 for one sample.

        ``config_dir`` is the configuration directory that the server starts from, if objects are durable.
        ``viewers`` says how live streams are played, all of them with ``play``, otherwise those that are
        expected to play by a protocol. ``expected`` are the streams that should be live. ``statistics`` is one of
        :data:`.live_statistics.LEVELS`, with ``most_streams`` at the deepest.
        ``findings`` are those about entries of the lists that cannot be compared. ``desired``, ``expected`` and
        ``findings`` have no objects of virtual hosts that are not ``audited``.
        """
        self._api = api
        self._context = context
        self._desired = desired
        self._collector = Collector(findings, audited)
        self._sampling_interval = sampling_interval
        self._applications = Applications(api, desired, self._collector)
        self._inputs = Inputs(api, self._collector, self._applications)
        self._durable = DurableAudit(context, self._collector, desired, config_dir)
        common = (api, context, desired, self._collector, self._applications)
        self._push_tasks, self._records = (
            JobAudit(*common, kind, self._durable, self._inputs) for kind in (PUSH_TASKS, RECORDS)
        )
        self._streams, *self._channels = (
            StreamAudit(*common, kind) for kind in (PULLED_STREAMS, SCHEDULED_CHANNELS, MULTIPLEX_CHANNELS)
        )
        self._parts: list[KindAudit] = [self._push_tasks, self._records, self._streams, *self._channels]
        self._objects = ObjectAudit(*common, self._parts, self._durable, audited)
        self._expected = ExpectedStreams(api, context, self._collector, expected)
        self._plays_all = play
        only = None if play else self._expected.played()
        self._playing = PlayAudit(api, context, desired, self._collector, viewers or Viewers(Settings()), only)
        self._statistics = StatisticsAudit(api, self._collector, statistics, most_streams)
        self._certificates: list[dict[str, t.Any]] = []
        self._version: str | None = None
        self._release = NEWEST
        self._reachable = False

    def run(self, certificates: t.Sequence[DesiredCertificate], settings: ProbeSettings) -> None:
        """Read everything, then compare it. A server that does not answer is a finding; its endpoints are still
        probed.
        """
        self._durable.read()
        for part in self._parts:
            part.read_files()
        endpoints = CertificateAudit(self._collector, settings, self._context.now())
        try:
            self._read_server()
        except OmeError as error:
            rest = " Everything that was not read before is not compared." if self._reachable else ""
            self._collector.add(ERROR, error.kind, f"{error}{rest}")
        endpoints.read(certificates)
        self._compare()
        endpoints.compare(certificates, self._objects.tls_hosts)
        self._certificates = endpoints.entries
        for name, entry in self._objects.entries.items():
            entry["live_streams"] = self._live_streams(name)
            entry["status"] = self._status(name, entry, finished=name not in self._objects.unread)

    def _read_server(self) -> None:
        """Read all that is compared. Raises OmeError if no further request can succeed."""
        self._version = self._api.read_version()
        self._release = self._api.server_version()
        names = set(self._api.list_virtual_hosts())
        self._reachable = True
        self._api.map_concurrently(self._objects.reads(names))
        for channels in self._channels:
            channels.read_tracks()
        self._inputs.start(self._version)
        needed = [stream for part in self._parts for stream in part.needed_streams()]
        apps = self._applications.present
        self._inputs.read(
            [*needed, *self._expected.needed_streams()],
            every=apps if self._plays_all or self._statistics.is_deep else (),
        )
        self._look_again()
        self._statistics.read(
            self._inputs.statistics,
            sorted(name for name, entry in self._objects.entries.items() if entry["present"]),
            self._applications.present,
            [key for key, _raw in self._inputs.live()],
        )
        self._playing.read(self._inputs, self._applications, self._objects.option_forms)

    def _compare(self) -> None:
        """Report what differs in what was read, and what is wrong with it. Sends nothing."""
        for vhost in self._desired.vhosts:
            self._collector.add_warnings(map(str, virtual_host.concerns_of(vhost)), vhost=vhost["name"])
        for app in self._desired.applications:
            place = {"vhost": app["vhost"], "application": app["name"]}
            self._collector.add_warnings(map(str, application.concerns_of(app)), **place)
        for part in self._parts:
            part.check_desired()
        if self._reachable:
            for text in describe_known_defects(self._version):
                self._collector.add(INFO, "version_trap", text)
            self._durable.check(functools.partial(comparable, version=self._release))
            self._objects.compare(self._release)
            users = self._objects.users_of_webhooks()
            for text in describe_webhook_defects(self._version) if users else ():
                self._collector.add(INFO, "version_trap", text, **affects(users))
        for part in self._parts:
            part.compare(self._release)
        self._inputs.judge()
        self._playing.compare()
        if self._reachable:
            self._expected.compare(self._inputs, self._applications, self._playing.rows)

    def _look_again(self) -> None:
        """Read what runs, and what should run, once more after the sampling interval. Raises OmeError."""
        calls = [call for part in self._parts for call in part.second_look()]
        waited_for = (key for part in (self._push_tasks, self._records) for key in part.unused_inputs())
        calls += self._inputs.second_look(waited_for)
        calls += self._expected.second_look(self._applications)
        if self._sampling_interval and calls:
            self._context.sleep(self._sampling_interval)
            self._api.map_concurrently(calls)

    def _live_streams(self, vhost: str) -> int | None:
        """Return how many inputs of a virtual host are live; None if that was not read, and of one that is missing."""
        if not (self._objects.entries[vhost]["present"] and self._objects.lists_applications(vhost)):
            return None
        return self._applications.count_live(vhost)

    def _status(self, name: str, entry: t.Mapping[str, t.Any], *, finished: bool) -> str:
        """Return the status of a virtual host: the worst severity of it and of what is inside of it."""
        if not entry["present"]:
            return "missing"
        if not finished:  # the server stopped answering before
            return ERROR
        severities = {
            finding.severity for finding in self._collector.findings if name == finding.vhost or name in finding.vhosts
        }
        worst = next((severity for severity in SEVERITIES if severity in severities), "ok")
        return "not_listed" if worst == DRIFT and not entry["listed"] and not entry["read_only"] else worst

    def result(self) -> dict[str, t.Any]:
        """Return what was found, in a stable order."""
        order = {severity: index for index, severity in enumerate(SEVERITIES)}
        findings = sorted(
            self._collector.findings, key=lambda one: (order[one.severity], *one[3:11], one.kind, one.message)
        )
        vhosts, restart_required = self._objects.entries, self._durable.restart_required
        return {
            **({} if restart_required is None else {"restart_required": restart_required}),
            "reachable": self._reachable,
            "version": self._version,
            "counts": {severity: sum(one.severity == severity for one in findings) for severity in SEVERITIES},
            "findings": [finding._asdict() for finding in findings],
            "vhosts": [vhosts[name] for name in sorted(vhosts)],
            "push_tasks": self._push_tasks.entries,
            "records": self._records.entries,
            "streams": self._streams.entries,
            "channels": sorted(
                (entry for part in self._channels for entry in part.entries),
                key=lambda one: (one["vhost"], one["app"], one["name"], one["type"]),
            ),
            "playbacks": self._playing.entries,
            "expected_streams": self._expected.entries,
            "statistics": self._statistics.entries,
            "certificates": sorted(self._certificates, key=lambda one: (one["vhost"], one["endpoint"])),
        }
