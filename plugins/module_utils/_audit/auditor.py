# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The audit of one server: where it is not as the lists say, and what is wrong with it, found without a single write.

What differs is decided by the declarations of the resources, as it is for the modules that change a server. The plans
of those are not used: they end where one object cannot be read, and they read what an audit does not need.
"""

from __future__ import annotations

import functools
import re
import typing as t

from .._api.client import Api
from .._api.spelling import ServerSpelling
from .._certificates.probe import ProbeResult, ProbeSettings
from .._certificates.sni import TlsHost, shadow_of, tls_host
from .._core.concurrency import deferred
from .._core.context import Context
from .._core.errors import UNANSWERED, OmeError
from .._reconcile.waiting import STABLE_TIMEOUT, list_stable
from .._reconcile.reachability import names_of, reaches, remedies
from .._resources import application, push_task, virtual_host
from .._resources.application import APPLICATION
from .._resources.host_names import CONFIGURED, Claim, HostNames, Owner, place_of
from .._resources.push_task import PUSH_TASK, Key
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.fields import Difference
from .._schema.validators import is_addressable
from .._tls.certificate import Certificate, Endpoint, covers
from .desired import Desired, DesiredCertificate
from .findings import DRIFT, ERROR, INFO, SEVERITIES, WARNING, Finding

# After these nothing more is asked: each further request would meet the same, and some would wait for it.
_LOST = (*UNANSWERED, "unauthorized", "redirect", "tls")
# What is wrong with a port whatever server name is asked for.
_DEAD_PORT = ("unresolved", "refused", "unreachable", "timeout")
_NOT_THERE = ("vhost_not_found", "application_not_found", "push_publisher_missing")
# An answer that could not be had, where None is an answer.
_UNKNOWN = object()
_IF_CONFIGURED = "Where the server's configuration file holds it, name its virtual host in read_only_vhosts."

# What is known of versions (server-facts): from, up to but not with, what it means for those who run the server.
_TRAPS: tuple[tuple[tuple[int, ...], tuple[int, ...] | None, str], ...] = (
    ((0,), (0, 16, 6), "Pushes go by RTMP and MPEG-TS only, and the push publisher is called rtmp_push."),
    (
        (0,),
        (0, 17),
        "A reload of all certificates is answered with an error where one virtual host has no TLS, although the others are loaded.",
    ),
    (
        (0, 17, 1),
        None,
        "A reload of certificates is answered with success whatever the files hold. Only a handshake shows what is served.",
    ),
    (
        (0, 17, 1),
        None,
        "Applications outlive their virtual host and come back with the next one of its name. This collection deletes them first.",
    ),
    (
        (0, 18),
        None,
        "An unknown key in a virtual host, or a task id, that holds a printf conversion ends the server. This collection sends none.",
    ),
    (
        (0, 21),
        None,
        "Some keys of the API have other names than before 0.21.0. Other tools may send the old ones; this collection sends those of the server.",
    ),
    (
        (0, 21, 1),
        None,
        "This collection was tested with 0.15.10, 0.18.0, 0.20.0 and 0.21.0, and not with newer versions.",
    ),
    # Seen on 0.18.0, not on 0.20.0; 0.16.6 is the first with this call.
    (
        (0, 16, 6),
        (0, 20),
        "A concludeHlsLive request ends the server when its stream ends (seen on 0.18.0). This collection sends none.",
    ),
    (
        (0,),
        (0, 18, 1),
        "The certificate of the API itself cannot be loaded again; a new one needs a restart, which loses what was made through the API.",
    ),
)


class _Push(t.NamedTuple):
    """One push task as it was seen at a moment."""

    raw: t.Mapping[str, t.Any]
    moment: float

    @property
    def sent(self) -> int | None:
        """Bytes sent over the present connection; None unless media flows."""
        sent = self.raw.get("sentBytes")
        return (
            sent
            if push_task.state_of(self.raw) == "pushing" and isinstance(sent, int) and not isinstance(sent, bool)
            else None
        )


class Audit:
    """Looks at one server."""

    def __init__(self, api: Api, context: Context, desired: Desired, *, sampling_interval: float = 0.0) -> None:
        """``sampling_interval`` in seconds lies between two looks at running pushes; 0 for one look."""
        self._api = api
        self._context = context
        self._wanted = desired
        self._sampling_interval = sampling_interval
        self._vhosts = {vhost["name"]: vhost for vhost in desired.vhosts}
        self._applications = {application.key_of(app): app for app in desired.applications}
        self._push_tasks = {push_task.key_of(task): task for task in desired.push_tasks}
        self._tls_hosts: list[TlsHost] = []
        self._host_names: dict[str, list[str]] = {}
        self._first: dict[Key, _Push] = {}
        self._last: dict[Key, _Push] = {}
        self._covered: set[tuple[str, str]] = set()  # applications that are reported as a whole, with what is in them
        self._looks: dict[Endpoint, ProbeResult] = {}
        self._dead: dict[tuple[str, int], ProbeResult] = {}
        self.findings: list[Finding] = []
        self.version: str | None = None
        self._dialect = ServerSpelling(api)
        self.reachable = False
        self.vhosts: dict[str, dict[str, t.Any]] = {}
        self.push_tasks: list[dict[str, t.Any]] = []
        self.certificates: list[dict[str, t.Any]] = []

    def run(self, certificates: t.Sequence[DesiredCertificate], handshakes: ProbeSettings) -> None:
        """Fills ``findings`` and the lists.

        A server that cannot be asked is a finding; its certificates are looked at all the same.
        """
        for vhost in self._wanted.vhosts:
            self._warn(virtual_host.warnings_for(vhost), vhost=vhost["name"])
        for key, task in self._push_tasks.items():
            self._warn(push_task.warnings_for(task), **_place(key))
        unseen: set[str] = set()
        try:
            self._meet()
            unseen = set(self.vhosts)
            self._api.map_concurrently([functools.partial(self._see, name, unseen) for name in sorted(self.vhosts)])
            self._judge_host_names()
            self._look_at_pushes_again()
        except OmeError as error:
            rest = " What was to be read after that is not compared." if self.reachable else ""
            self._add(ERROR, error.kind, f"{error}{rest}")
        for key in sorted(self._first):
            self._judge_push(key)
        for one in certificates:
            self._look_at_certificate(one, handshakes)
        for name, entry in self.vhosts.items():
            entry["status"] = self._status(name, entry, seen=name not in unseen)

    def _add(self, severity: str, kind: str, message: str, **place: t.Any) -> None:
        deferred(self.findings.append, Finding(severity, kind, message, **place))

    def _warn(self, warnings_for: t.Sequence[str], **place: str) -> None:
        for concern in warnings_for:
            self._add(WARNING, "concern", concern, **place)

    def _ask(self, ask: t.Callable[..., t.Any], *names: str, **place: str) -> t.Any:
        """What the server answers; ``_UNKNOWN`` where it cannot say, which is a finding then. Raises OmeError where no
        answer can be hoped for.
        """
        try:
            return ask(*names)
        except OmeError as error:
            if error.kind in _LOST:
                raise
            self._add(ERROR, error.kind, str(error), **place)
            return _UNKNOWN

    # What the server is

    def _meet(self) -> None:
        """The version, and which virtual hosts there are, on the server and in the lists."""
        self.version = self._api.read_version()
        names = set(self._api.list_virtual_hosts())
        self.reachable = True
        self._tell_traps()
        for name in sorted(names):
            if not is_addressable(name):
                self._add(
                    WARNING, "unaddressable", f"The server has a virtual host {name!r} that no request can be about."
                )
        listed = {*self._vhosts, *(names[0] for names in self._wanted.referenced_keys if len(names) == 1)}
        inside = {*(key.vhost for key in self._applications), *(key.vhost for key in self._push_tasks)}
        self.vhosts = {
            name: {
                "name": name,
                "listed": name in listed,
                "present": name in names,
                "read_only": name in self._wanted.read_only,
            }
            for name in {*filter(is_addressable, names), *filter(is_addressable, listed), *inside}
        }

    def _tell_traps(self) -> None:
        numbers = tuple(int(part) for part in re.findall(r"\d{1,9}", "0" if self.version is None else self.version)[:3])
        if self.version is None:
            self._add(INFO, "version_trap", "The server does not tell its version, so it is older than 0.16.5.")
        elif not numbers:
            self._add(INFO, "version_trap", f"The server tells a version that says nothing: {self.version!r}.")
        for first, end, text in _TRAPS:
            if numbers and first <= numbers and (end is None or numbers < end):
                self._add(INFO, "version_trap", text)

    # Virtual hosts

    def _see(self, name: str, unseen: set[str]) -> None:
        """Compares a virtual host and all that is in it, while others are compared beside it; then takes it from those
        that are ``unseen``.
        """
        entry = dict(self.vhosts[name])
        deferred(self.vhosts.__setitem__, name, entry)
        self._compare_virtual_host(name, entry)
        deferred(unseen.discard, name)

    def _compare_virtual_host(self, name: str, entry: dict[str, t.Any]) -> None:
        """Compares a virtual host and all that is in it."""
        raw = self._ask(self._api.read_virtual_host, name, vhost=name) if entry["present"] else None
        entry["present"] = raw is not None  # it may have gone since
        desired = self._vhosts.get(name)
        if raw is not None and raw is not _UNKNOWN:
            found = VIRTUAL_HOST.from_wire(raw)
            self._context.keep_secrets(VIRTUAL_HOST, found)
            entry["read_only"] = entry["read_only"] or virtual_host.looks_read_only(raw)
            host = tls_host({**found, "name": name})
            if host is not None:
                deferred(self._tls_hosts.append, host)
            deferred(self._host_names.__setitem__, name, names_of(found))
            if desired is not None:
                self._differ(
                    f"Virtual host {name}",
                    self._dialect.to_compare(VIRTUAL_HOST, desired).difference(desired, found),
                    entry,
                    vhost=name,
                )
                unknown = sorted(VIRTUAL_HOST.unknown(raw))
                if unknown:
                    text = f"Virtual host {name} has settings that this collection does not know and cannot compare: {', '.join(unknown)}."
                    self._add(INFO, "unmanaged", text, vhost=name, found=unknown)
        elif raw is None and desired is not None:
            self._add(DRIFT, "missing", f"Virtual host {name} is listed and not on the server.", vhost=name)
        self._compare_inside(name, entry)

    def _judge_host_names(self) -> None:
        """Reports host names by which publishers and viewers reach another virtual host, or may do so."""
        places = {vhost: place_of(vhost, read_only=self.vhosts[vhost]["read_only"]) for vhost in self._host_names}
        claims = HostNames(Claim(vhost, names, places[vhost]) for vhost, names in self._host_names.items())
        for vhost, names in self._host_names.items():
            owners = {name: owner for name in names if (owner := claims.owner(name, vhost, places[vhost])) is not None}
            for lost in (True, False):
                taken = {name: owner for name, owner in owners.items() if owner.lost == lost}
                if taken:
                    self._add_host_names(vhost, taken, {name for name, place in places.items() if place == CONFIGURED})

    def _add_host_names(self, vhost: str, taken: t.Mapping[str, Owner], configured: t.Collection[str]) -> None:
        """One finding about host names of a virtual host that others take for sure, or that others may take."""
        others = {name: owner.vhosts for name, owner in taken.items()}
        place = {"vhost": vhost, "field": "host.names", "found": list(taken)}
        if all(owner.lost for owner in taken.values()):
            text = f"Publishers and viewers that use these host names of virtual host {vhost} reach another one: {reaches(others)}."
            self._add(ERROR, "unreachable", f"{text} {remedies(taken.values(), configured)}", **place)
        else:
            text = (
                f"Other virtual hosts have host names of virtual host {vhost}, too: {reaches(others, or_else=vhost)}."
            )
            self._add(
                WARNING,
                "ambiguous_host_name",
                f"{text} The one that was created first gets them, and the API does not tell which that is.",
                **place,
            )

    def _compare_inside(self, vhost: str, entry: dict[str, t.Any]) -> None:
        """Compares the applications of a virtual host and their push tasks; reports the virtual host if nobody has
        listed it.
        """
        desired = {key.name for key in self._applications if key.vhost == vhost}
        pushed = {key.app for key in self._push_tasks if key.vhost == vhost}
        names = self._list_applications(vhost, needed=bool(desired or pushed)) if entry["present"] else set()
        if names is None:
            raws = {}
        else:
            strange = sorted(name for name in names if not is_addressable(name))
            names -= set(strange)
            raws = self._read_applications(vhost, names, desired, entry)
            for app in sorted(desired):
                self._compare_application(application.Key(vhost, app), raws.get(app), entry)
            if entry["listed"] or entry["read_only"]:
                for app in strange:
                    text = f"Virtual host {vhost} has an application {app!r} that no request can be about."
                    self._add(WARNING, "unaddressable", text, vhost=vhost)
        if entry["present"] and not entry["listed"] and not entry["read_only"]:
            self._add(
                DRIFT,
                "not_listed",
                f"Virtual host {vhost} is on the server and not listed. {_IF_CONFIGURED}",
                vhost=vhost,
            )
            deferred(self._covered.update, {(vhost, app) for app in names or ()})
        elif not entry["read_only"]:
            self._find_unlisted(vhost, raws, desired)
        for app in sorted({*(names or ()), *pushed}):
            there = entry["present"] and (names is None or app in names)
            self._compare_pushes(vhost, app, raws.get(app, _UNKNOWN if names is None else None), there=there)

    def _find_unlisted(self, vhost: str, raws: t.Mapping[str, t.Any], desired: t.Collection[str]) -> None:
        for app, raw in sorted(raws.items()):
            if app in desired or (vhost, app) in self._wanted.referenced_keys:
                continue
            if isinstance(raw, dict) and not application.is_dynamic(
                raw
            ):  # one that the server made for a stream goes by itself
                text = f"Application {vhost}/{app} is on the server and not listed. {_IF_CONFIGURED}"
                self._add(DRIFT, "not_listed", text, vhost=vhost, application=app)
                deferred(self._covered.add, (vhost, app))

    # Applications

    def _list_applications(self, vhost: str, *, needed: bool) -> set[str] | None:
        """The names of the applications; None where they cannot be known, which matters only where they are
        ``needed``.
        """
        try:
            return set(self._api.list_applications(vhost))
        except OmeError as error:
            if error.kind == "vhost_not_found":  # deleted meanwhile
                return set()
            if error.kind in _LOST:
                raise
            if needed or error.kind != "controller_not_found":
                self._add(ERROR, error.kind, str(error), vhost=vhost)
            return None

    def _read_applications(
        self, vhost: str, names: t.Collection[str], desired: t.Collection[str], entry: dict[str, t.Any]
    ) -> dict[str, t.Any]:
        """What the server says of applications; of those that are not listed only where that can be a finding.

        Applications of the configuration file give away that their virtual host is read-only.
        """
        raws = {}
        for app in sorted(names):
            if entry["read_only"] and app not in desired:
                continue
            raws[app] = raw = self._ask(self._api.read_application, vhost, app, vhost=vhost, application=app)
            if isinstance(raw, dict):
                self._context.keep_secrets(APPLICATION, application.from_wire(raw, vhost))
                entry["read_only"] = entry["read_only"] or virtual_host.has_textual_scalar(APPLICATION, raw)
        return raws

    def _compare_application(self, key: application.Key, raw: t.Any, entry: t.Mapping[str, t.Any]) -> None:
        place, desired = {"vhost": key.vhost, "application": key.name}, self._applications[key]
        if isinstance(raw, dict):
            declaration = self._dialect.to_compare(APPLICATION, desired)
            self._differ(
                f"Application {key}",
                declaration.difference(desired, application.from_wire(raw, key.vhost)),
                entry,
                **place,
            )
        elif raw is None:
            lacking = application.incomplete(desired)
            if lacking:
                self._add(
                    ERROR,
                    "bad_input",
                    f"Application {key} is listed and not on the server, and cannot be made: {lacking}.",
                    **place,
                )
            else:
                self._add(
                    DRIFT,
                    "missing",
                    f"Application {key} is listed and not on the server.{_where_to_change(entry)}",
                    **place,
                )

    # Push tasks

    def _compare_pushes(self, vhost: str, app: str, raw: t.Any, *, there: bool) -> None:
        """Compares the push tasks of an application, of which the server says ``raw``; None where that was not asked
        yet.
        """
        tasks = self._list_push_tasks(vhost, app) if there else []
        if tasks is None:
            return
        present = self._seen_now(vhost, app, tasks)
        deferred(self._first.update, present)
        lacks: bool | None = None
        for key in sorted(key for key in self._push_tasks if (key.vhost, key.app) == (vhost, app)):
            if key in present:
                found = push_task.from_wire(present[key].raw, vhost, app)
                self._differ(f"Push task {key}", PUSH_TASK.difference(self._push_tasks[key], found), {}, **_place(key))
                continue
            if lacks is None:
                lacks = there and self._lacks_push_publisher(application.Key(vhost, app), raw)
            if lacks:
                error = OmeError("push_publisher_missing", f"start push task {key}")
                self._add(
                    ERROR,
                    error.kind,
                    f"Push task {key} is listed and not on the server. {error.advice.meaning} {error.advice.remedy}",
                    **_place(key),
                )
            else:
                self._add(DRIFT, "missing", f"Push task {key} is listed and not on the server.", **_place(key))

    def _list_push_tasks(self, vhost: str, app: str) -> list[dict[str, t.Any]] | None:
        """The push tasks of an application; None where they cannot be known, which is a finding then."""
        try:
            return list_stable(self._api, self._context, (vhost, app), STABLE_TIMEOUT)
        except OmeError as error:
            if error.kind in _NOT_THERE:
                return []
            if error.kind in _LOST:
                raise
            self._add(ERROR, error.kind, str(error), vhost=vhost, application=app)
            return None

    def _lacks_push_publisher(self, key: application.Key, raw: t.Any) -> bool:
        """Whether no run could start a push, as the application has no publisher for it and is not to get one."""
        if application.can_push(self._applications.get(key, {})):
            return False
        if raw is None:
            raw = self._ask(self._api.read_application, *key, vhost=key.vhost, application=key.name)
        publishers = raw.get("publishers") if isinstance(raw, dict) else None
        return isinstance(publishers, dict) and not any(name in publishers for name in push_task.PUSH_PUBLISHERS)

    def _look_at_pushes_again(self) -> None:
        """The second look at the applications with pushes that send, to see whether they do."""
        scopes = sorted({(key.vhost, key.app) for key, push in self._first.items() if push.sent is not None})
        if not self._sampling_interval or not scopes:
            return
        self._context.sleep(self._sampling_interval)
        self._api.map_concurrently([functools.partial(self._look_again, *scope) for scope in scopes])

    def _look_again(self, vhost: str, app: str) -> None:
        deferred(self._last.update, self._seen_now(vhost, app, self._list_push_tasks(vhost, app) or []))

    def _seen_now(self, vhost: str, app: str, tasks: t.Iterable[dict[str, t.Any]]) -> dict[Key, _Push]:
        """Push tasks of an application that have been read at this moment."""
        moment, seen = self._context.clock(), {}
        for task in tasks:
            self._context.keep_secrets(PUSH_TASK, PUSH_TASK.from_wire(task))
            seen[Key(vhost, app, push_task.id_of(task))] = _Push(task, moment)
        return seen

    def _judge_push(self, key: Key) -> None:
        """Reports a push that does not send or that nobody has listed, as it was seen last."""
        first = self._first[key]
        last = self._last.get(key, first)
        state, configured = push_task.state_of(last.raw), push_task.is_of_configuration(last.raw)
        listed = key in self._push_tasks or tuple(key) in self._wanted.referenced_keys
        bits, elapsed = _bits_per_second(first, last), last.moment - first.moment
        if state == "error":
            self._add(
                ERROR,
                "push_error",
                f"Push task {key} is in state error: its destination does not take it. The server keeps trying.",
                **_place(key),
            )
        elif bits == 0:
            self._add(
                ERROR,
                "push_stalled",
                f"Push task {key} says that it pushes, and has sent nothing for {elapsed:.0f} s.",
                **_place(key),
            )
        if not listed and not configured and (key.vhost, key.app) not in self._covered:
            if is_addressable(key.id):
                self._add(DRIFT, "not_listed", f"Push task {key} is on the server and not listed.", **_place(key))
            else:
                self._add(WARNING, "unaddressable", push_task.unaddressable(key), **_place(key))
        url = last.raw.get("url")
        self.push_tasks.append(
            {
                "vhost": key.vhost,
                "app": key.app,
                "id": key.id,
                "protocol": str(last.raw.get("protocol", "")),
                "url": PUSH_TASK.fields["url"].mask(url) if isinstance(url, str) else "",
                "state": state,
                "bits_per_second": bits,
                "listed": listed,
                "is_config": configured,
            }
        )

    # Certificates

    def _look(self, endpoint: Endpoint, handshakes: ProbeSettings) -> ProbeResult:
        """One handshake with an endpoint; none with a port that is known to be dead, as each would wait for its time
        to be over.
        """
        port = (endpoint.host, endpoint.port)
        if endpoint not in self._looks:
            self._looks[endpoint] = look = self._dead.get(port) or ProbeResult(endpoint, handshakes)
            if look.error is not None and look.error.kind in _DEAD_PORT:
                self._dead[port] = look
        return self._looks[endpoint]

    def _look_at_certificate(self, one: DesiredCertificate, handshakes: ProbeSettings) -> None:
        look, now = self._look(one.endpoint, handshakes), self._context.now()
        place = {"vhost": one.vhost, "endpoint": str(one.endpoint)}
        served, told = look.certificate, look.told()
        agrees = look.shows(one.expected) if one.expected is not None else None
        if served is None:
            self._add(ERROR, "handshake_failed", f"{one.endpoint}: {told}.", **place)
        else:
            days = served.days_left(now)
            for_another = one.named and not covers(served, one.endpoint.server_name)
            if one.expected is not None and not agrees:
                text = f"{one.endpoint} serves another certificate than it should: {told}.{self._why_another(one, served) if for_another else ''}"
                self._add(
                    DRIFT,
                    "certificate_differs",
                    text,
                    field="fingerprint",
                    found=served.fingerprint,
                    wanted=one.expected.fingerprint,
                    **place,
                )
            elif for_another:
                text = (
                    f"Clients would refuse the certificate at {one.endpoint}: {told}.{self._why_another(one, served)}"
                )
                self._add(
                    WARNING,
                    "certificate_name",
                    text,
                    field="names",
                    found=list(served.names),
                    wanted=one.endpoint.server_name,
                    **place,
                )
            if now > served.valid_until:
                self._add(
                    ERROR,
                    "certificate_expired",
                    f"The certificate at {one.endpoint} expired at {served.not_after}.",
                    **place,
                )
            elif now < served.valid_from:
                self._add(
                    ERROR,
                    "certificate_not_yet_valid",
                    f"The certificate at {one.endpoint} is not valid before {served.not_before}.",
                    **place,
                )
            else:
                if days < one.days:
                    text = f"The certificate at {one.endpoint} is valid for {days} days more, until {served.not_after}."
                    self._add(WARNING, "certificate_expiring", text, **place)
                # What has another name or is out of time fails this too, and is told already.
                if look.served is not None and look.served.verified is False and not for_another:
                    self._add(
                        WARNING,
                        "chain_not_verified",
                        f"Clients would refuse what {one.endpoint} serves: {look.served.verify_error}.",
                        **place,
                    )
        facts = served.as_result(now) if served is not None else None
        self.certificates.append(
            {
                "vhost": one.vhost,
                "endpoint": str(one.endpoint),
                "certificate": facts,
                "agrees": agrees,
                "error": str(look.error or ""),
            }
        )

    def _why_another(self, one: DesiredCertificate, served: Certificate) -> str:
        """Why a certificate for another name is served (server-facts: Certificates)."""
        text = f" It is not for {one.endpoint.server_name}, so it is likely that of another virtual host."
        shadow = shadow_of(one.vhost, self._tls_hosts, one.endpoint, served) if one.vhost else None
        return (
            f"{text} {shadow.rule}. So the server never presents that of {one.vhost} there."
            if shadow is not None
            else text
        )

    # What all share

    def _differ(
        self, title: str, differences: t.Iterable[Difference], entry: t.Mapping[str, t.Any], **place: str
    ) -> None:
        """One finding for each field that differs."""
        for difference in differences:
            text = f"{title}: {difference.field} differs.{_where_to_change(entry)}"
            self._add(
                DRIFT,
                "differs",
                text,
                field=difference.field,
                found=difference.before,
                wanted=difference.after,
                **place,
            )

    def _status(self, name: str, entry: t.Mapping[str, t.Any], *, seen: bool) -> str:
        """The worst that was found of a virtual host, and of what is in it."""
        if not entry["present"]:
            return "missing"
        if not seen:  # the server was lost before
            return ERROR
        about = {finding.severity for finding in self.findings if finding.vhost == name}
        worst = next((severity for severity in SEVERITIES if severity in about), "ok")
        return "not_listed" if worst == DRIFT and not entry["listed"] and not entry["read_only"] else worst

    def result(self) -> dict[str, t.Any]:
        """What was found, in stable order."""
        order = {severity: index for index, severity in enumerate(SEVERITIES)}
        findings = sorted(self.findings, key=lambda one: (order[one.severity], *one[3:8], one.kind, one.message))
        return {
            "reachable": self.reachable,
            "version": self.version,
            "counts": {severity: sum(finding.severity == severity for finding in findings) for severity in SEVERITIES},
            "findings": [finding._asdict() for finding in findings],
            "vhosts": [self.vhosts[name] for name in sorted(self.vhosts)],
            "push_tasks": self.push_tasks,
            "certificates": sorted(self.certificates, key=lambda one: (one["vhost"], one["endpoint"])),
        }


def _place(key: Key) -> dict[str, str]:
    """Where a finding about a push task belongs."""
    return {"vhost": key.vhost, "application": key.app, "push_task": key.id}


def _where_to_change(entry: t.Mapping[str, t.Any]) -> str:
    return (
        " The virtual host comes from the server's configuration file, where it must be changed."
        if entry.get("read_only")
        else ""
    )


def _bits_per_second(first: _Push, last: _Push) -> int | None:
    """How much flowed between two looks; None where that cannot be known, as after a new connection."""
    if first.sent is None or last.sent is None or first.raw.get("sequence") != last.raw.get("sequence"):
        return None
    elapsed = last.moment - first.moment
    return round(8 * (last.sent - first.sent) / elapsed) if elapsed > 0 and last.sent >= first.sent else None
