# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read virtual hosts and applications, then compare them with the lists.

The declarations of the resources decide what differs, as they do in the modules that change a server. The reconcilers
are not used: they stop at an object that cannot be read, and they read what an audit does not need.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._api.spelling import comparable
from .._certificates.probe import TlsHost, tls_host
from .._core.concurrency import deferred
from .._core.context import Context
from .._core.errors import OmeError
from .._core.server_version import Version
from .._core.texts import name_list, with_names
from .._reconcile.virtual_hosts import MOST_NAMED, names_of, reaches, remedies
from .._resources import application, virtual_host
from .._resources.application import APPLICATION
from .._resources.kind import Key, key_of
from .._resources.virtual_host import CONFIGURED, VIRTUAL_HOST, Claim, HostNames, Owner, place_of
from .._schema.validators import is_addressable
from .applications import Applications
from .durable import DurableAudit
from .findings import DRIFT, ERROR, INFO, UNKNOWN, WARNING, Audited, Collector, Desired, affects, where_to_change
from .kinds import KindAudit

_IF_CONFIGURED = "If the server's configuration file defines it, name its virtual host in $read_only_vhosts."


class ReadHost(t.NamedTuple):
    """What was read of a virtual host: it and its applications in wire form, UNKNOWN for what could not be read.

    ``names`` are those of its applications; None if they could not be read. ``obsolete`` are applications that no list
    and no file has any more.
    """

    raw: t.Any
    names: set[str] | None
    apps: t.Mapping[str, t.Any]
    obsolete: t.Mapping[str, t.Any]


class ObjectAudit:
    """Reads the virtual hosts of one server, with all that is inside of them, and compares them."""

    def __init__(
        self,
        api: Api,
        context: Context,
        desired: Desired,
        collector: Collector,
        applications: Applications,
        parts: t.Sequence[KindAudit],
        durable: DurableAudit,
        audited: Audited,
    ) -> None:
        """``parts`` read and compare what is inside of applications, in their order.

        Of virtual hosts that are not ``audited`` nothing but themselves is read, for their host names and TLS.
        """
        self._durable = durable
        self._audited = audited
        self._api = api
        self._context = context
        self._desired = desired
        self._collector = collector
        self._inside = applications
        self._parts = parts
        # Virtual hosts and applications of the desired objects inside of applications.
        self._scopes = {scope for part in parts for scope in part.scopes()}
        self._vhosts = {vhost["name"]: vhost for vhost in desired.vhosts}
        self._applications = {key_of(app): app for app in desired.applications}
        self._read: dict[str, ReadHost] = {}
        self._others: dict[str, t.Any] = {}
        self._unaddressable: list[str] = []
        self.entries: dict[str, dict[str, t.Any]] = {}
        """What results say of each virtual host, by name."""

    # Reading

    def reads(self, names: t.Collection[str]) -> list[t.Callable[[], None]]:
        """Make the entries of all audited virtual hosts, and return the calls that read them and the others.

        ``names`` are those on the server. The calls can be made concurrently.
        """
        listed = {*self._vhosts, *(key[0] for key in self._desired.referenced_keys if len(key) == 1)}
        referenced = {*(key.vhost for key in self._applications), *(vhost for vhost, _app in self._scopes)}
        self._unaddressable = sorted(name for name in filter(self._audited, names) if not is_addressable(name))
        addressable = set(filter(is_addressable, names))
        audited = {*filter(self._audited, addressable), *filter(is_addressable, listed), *referenced}
        self.entries = {
            name: {
                "name": name,
                "listed": name in listed,
                "present": name in names,
                "read_only": self._is_known_read_only(name),
            }
            for name in audited
        }
        return [
            *(functools.partial(self._read_audited, name) for name in sorted(audited)),
            *(functools.partial(self._read_other, name) for name in sorted(addressable - audited)),
        ]

    def _is_known_read_only(self, name: str) -> bool:
        """Return whether the configuration file defines a virtual host, as far as is known before it is read."""
        return name in self._desired.read_only or self._durable.is_inline(name)

    def _read_other(self, name: str) -> None:
        """Read a virtual host that is not audited. Raises OmeError if no further request can succeed."""
        raw = self._collector.read(self._api.read_virtual_host, name, vhost=name)
        deferred(self._others.__setitem__, name, raw)

    def _read_audited(self, name: str) -> None:
        """Read a virtual host and all that is inside of it; others are read concurrently.

        Raises OmeError if no further request can succeed.
        """
        entry = dict(self.entries[name])
        raw = self._collector.read(self._api.read_virtual_host, name, vhost=name) if entry["present"] else None
        entry["present"] = raw is not None  # it may have been deleted since the names were listed
        if raw is not None and raw is not UNKNOWN:
            self._context.keep_secrets(VIRTUAL_HOST, VIRTUAL_HOST.from_wire(raw))
            entry["read_only"] = entry["read_only"] or virtual_host.looks_read_only(raw)
        desired = {key.app for key in self._applications if key.vhost == name}
        used = {app for vhost, app in self._scopes if vhost == name}
        names = self._list_applications(name, needed=bool(desired or used)) if entry["present"] else set()
        addressable = None if names is None else {app for app in names if is_addressable(app)}
        apps = self._read_applications(name, addressable or (), desired, entry)
        obsolete = self._read_obsolete(name, addressable or (), desired, entry)
        for app in sorted({*(addressable or ()), *used}):
            present = entry["present"] and (addressable is None or app in addressable)
            found = apps.get(app, UNKNOWN if addressable is None else None)
            self._inside.keep(name, app, found, present=present)
            for part in self._parts:
                part.read(name, app, found, present=present)
        deferred(self._read.__setitem__, name, ReadHost(raw, names, apps, obsolete))
        deferred(self.entries.__setitem__, name, entry)

    def _list_applications(self, vhost: str, *, needed: bool) -> set[str] | None:
        """Return the names of the applications; None if they cannot be read.

        A server without this call is a finding only if the names are ``needed``.
        """
        try:
            return set(self._api.list_applications(vhost))
        except OmeError as error:
            if error.kind == "vhost_not_found":  # deleted meanwhile
                return set()
            if needed or error.kind != "controller_not_found":
                self._collector.add_error(error, vhost=vhost)
            return None

    def _read_applications(
        self, vhost: str, names: t.Collection[str], desired: t.Collection[str], entry: dict[str, t.Any]
    ) -> dict[str, t.Any]:
        """Return applications in wire form; unlisted ones only if they can be a finding.

        Numbers as text show that the configuration file defines the virtual host (server-facts: Applications).
        """
        raws = {}
        for app in sorted(names):
            if entry["read_only"] and app not in desired:
                continue
            place = {"vhost": vhost, "application": app}
            raws[app] = raw = self._collector.read(self._api.read_application, vhost, app, **place)
            if isinstance(raw, dict):
                self._context.keep_secrets(APPLICATION, application.from_wire(raw, vhost))
                entry["read_only"] = entry["read_only"] or virtual_host.has_textual_scalar(APPLICATION, raw)
        return raws

    def _read_obsolete(
        self, vhost: str, names: t.Collection[str], desired: t.Collection[str], entry: t.Mapping[str, t.Any]
    ) -> dict[str, t.Any]:
        """Return the applications (wire form) of a listed virtual host that no list and no file has any more."""
        if not (entry["present"] and entry["listed"] and entry["read_only"]):
            return {}
        return {
            app: self._collector.read(self._api.read_application, vhost, app, vhost=vhost, application=app)
            for app in sorted(self._durable.not_in_file(vhost, names))
            if app not in desired and (vhost, app) not in self._desired.referenced_keys
        }

    @property
    def unread(self) -> set[str]:
        """The virtual hosts that were not read to the end, because the server stopped answering before."""
        return set(self.entries) - set(self._read)

    def lists_applications(self, vhost: str) -> bool:
        """Return whether the applications of a virtual host are known."""
        return vhost in self._read and self._read[vhost].names is not None

    # What was read

    @functools.cached_property
    def option_forms(self) -> dict[str, dict[str, t.Any]]:
        """The virtual hosts of the server that could be read, in option form, by name."""
        raws = {**self._others, **{name: read.raw for name, read in self._read.items()}}
        return {
            name: VIRTUAL_HOST.from_wire(raw)
            for name, raw in sorted(raws.items())
            if raw is not None and raw is not UNKNOWN
        }

    @property
    def tls_hosts(self) -> list[TlsHost]:
        """The virtual hosts of the server that have TLS."""
        hosts = (tls_host({**vhost, "name": name}) for name, vhost in self.option_forms.items())
        return [host for host in hosts if host is not None]

    def users_of_webhooks(self) -> list[str]:
        """Return the audited virtual hosts that ask a control server about publishers or viewers."""
        return [
            name
            for name, vhost in self.option_forms.items()
            if name in self.entries and any((vhost.get("admission_webhooks", {}).get("enables") or {}).values())
        ]

    # Comparison

    def compare(self, version: Version) -> None:
        """Report what differs between the lists and what was read, and host names that do not lead here."""
        for name in self._unaddressable:
            self._add_unaddressable(f"virtual host {name!r}")
        for name, read in sorted(self._read.items()):
            entry, desired = self.entries[name], self._vhosts.get(name)
            if read.raw is not None and read.raw is not UNKNOWN and desired is not None:
                self._compare_virtual_host(read.raw, desired, entry, version)
            elif read.raw is None and desired is not None:
                text = f"Virtual host {name} is listed and not on the server."
                self._collector.add(DRIFT, "missing", text, vhost=name)
            self._compare_inside(name, read, entry, version)
        self._judge_host_names()

    def _add_unaddressable(self, title: str, **place: str) -> None:
        text = f"The server has {title}. It cannot be audited, because no request can address this name."
        self._collector.add(WARNING, "unaddressable", text, **place)

    def _compare_virtual_host(
        self, raw: t.Mapping[str, t.Any], desired: t.Mapping[str, t.Any], entry: t.Mapping[str, t.Any], version: Version
    ) -> None:
        """Compare a virtual host in wire form."""
        name = entry["name"]
        declaration, title = comparable(VIRTUAL_HOST, desired, version), f"Virtual host {name}"
        differences = self._durable.until_restart(
            title, declaration, desired, declaration.difference(desired, VIRTUAL_HOST.from_wire(raw)), vhost=name
        )
        self._collector.add_differences(title, differences, read_only=entry["read_only"], vhost=name)
        unknown = sorted(VIRTUAL_HOST.unknown(raw))
        if unknown:
            text = f"Virtual host {name} has settings that this collection does not know and cannot compare:"
            self._collector.add(INFO, "unmanaged", f"{text} {', '.join(unknown)}.", vhost=name, found=unknown)

    def _compare_inside(self, vhost: str, read: ReadHost, entry: t.Mapping[str, t.Any], version: Version) -> None:
        """Compare the applications of a virtual host; report what is not listed."""
        desired = {key.app for key in self._applications if key.vhost == vhost}
        if read.names is not None:
            for app in sorted(desired):
                self._compare_application(Key(vhost, app), read.apps.get(app), entry, version)
            if entry["listed"] or entry["read_only"]:
                for app in sorted(app for app in read.names if not is_addressable(app)):
                    self._add_unaddressable(f"an application {app!r} in virtual host {vhost}", vhost=vhost)
        if entry["present"] and not entry["listed"] and not entry["read_only"]:
            text = f"Virtual host {vhost} is on the server and not listed. {with_names(_IF_CONFIGURED)}"
            self._collector.add(DRIFT, "not_listed", text, vhost=vhost)
            self._skip_unlisted((vhost, app) for app in read.names or ())
        elif not entry["read_only"]:
            self._find_unlisted(vhost, read.apps, desired)
        elif entry["present"]:
            self._find_obsolete(vhost, read.obsolete, entry)

    def _skip_unlisted(self, applications: t.Iterable[tuple[str, str]]) -> None:
        """Report no unlisted objects inside of applications that are reported themselves."""
        skipped = list(applications)
        for part in self._parts:
            part.skip_unlisted(skipped)

    def _find_unlisted(self, vhost: str, raws: t.Mapping[str, t.Any], desired: t.Collection[str]) -> None:
        for app, raw in sorted(raws.items()):
            if app in desired or (vhost, app) in self._desired.referenced_keys:
                continue
            # The server created a dynamic application for a stream, and deletes it with the stream.
            if isinstance(raw, dict) and not application.is_dynamic(raw):
                text = f"Application {vhost}/{app} is on the server and not listed. {with_names(_IF_CONFIGURED)}"
                self._collector.add(DRIFT, "not_listed", text, vhost=vhost, application=app)
                self._skip_unlisted([(vhost, app)])

    def _find_obsolete(self, vhost: str, obsolete: t.Mapping[str, t.Any], entry: t.Mapping[str, t.Any]) -> None:
        """Report what no file has any more: the virtual host, or applications of a listed one."""
        if not entry["listed"]:
            self._durable.disappears(f"Virtual host {vhost}", vhost=vhost)
        for app, raw in obsolete.items():
            if isinstance(raw, dict) and not application.is_dynamic(raw):
                self._durable.disappears(f"Application {vhost}/{app}", vhost=vhost, application=app)

    def _compare_application(self, key: Key, raw: t.Any, entry: t.Mapping[str, t.Any], version: Version) -> None:
        """Compare a listed application; ``raw`` is None if the server does not have it."""
        place = {"vhost": key.vhost, "application": key.app}
        desired, title = self._applications[key], f"Application {key}"
        declaration = comparable(APPLICATION, desired, version)
        if isinstance(raw, dict):
            current = application.from_wire(raw, key.vhost)
            found = declaration.difference(desired, current)
            differences = self._durable.until_restart(title, declaration, desired, found, **place)
            self._durable.completes(title, {**current, **desired}, **place)
            self._collector.add_differences(title, differences, read_only=entry["read_only"], **place)
            self._collector.add_warnings(map(str, application.concerns_of_found(key, current)), **place)
        elif raw is None:
            if entry["read_only"] and self._durable.appears(title, declaration, desired, **place):
                return
            text = f"{title} is listed and not on the server"
            incomplete = application.incomplete(desired)
            if incomplete:
                self._collector.add(ERROR, "bad_input", f"{text}, and cannot be created: {incomplete}.", **place)
            else:
                self._collector.add(DRIFT, "missing", f"{text}.{where_to_change(entry['read_only'])}", **place)

    # Host names

    def _judge_host_names(self) -> None:
        """Report host names by which publishers and viewers reach another virtual host, or may reach one."""
        of_hosts = {vhost: names_of(current) for vhost, current in self.option_forms.items()}
        places = {vhost: place_of(vhost, read_only=self._is_read_only(vhost)) for vhost in of_hosts}
        claims = HostNames(Claim(vhost, names, places[vhost]) for vhost, names in of_hosts.items())
        causes: dict[tuple[t.Any, ...], dict[str, dict[str, Owner]]] = {}
        audited = {vhost: names for vhost, names in of_hosts.items() if vhost in self.entries}
        for vhost, names in audited.items():
            owners = {name: owner for name in names if (owner := claims.owner(name, vhost, places[vhost])) is not None}
            for lost in (True, False):
                taken = {name: owner for name, owner in owners.items() if owner.lost == lost}
                rivals = {rival for owner in taken.values() for rival in owner.rivals}
                # Of virtual hosts with the same host name, each is a rival of the others.
                cause = rivals if lost else {vhost, *(rival for rival, _pattern in rivals)}
                if taken:
                    causes.setdefault((lost, frozenset(cause)), {})[vhost] = taken
        configured = {name for name, place in places.items() if place == CONFIGURED}
        for (lost, _cause), affected in causes.items():
            self._add_host_names(affected, configured, lost=lost)
        for vhost, names in audited.items():
            if not names and not names_of(self._vhosts.get(vhost)):
                self._add_no_host_name(vhost)

    def _is_read_only(self, vhost: str) -> bool:
        if vhost in self.entries:
            return bool(self.entries[vhost]["read_only"])
        return self._is_known_read_only(vhost) or virtual_host.looks_read_only(self._others[vhost])

    def _add_host_names(
        self, affected: t.Mapping[str, t.Mapping[str, Owner]], configured: t.Collection[str], *, lost: bool
    ) -> None:
        """Add a finding about host names that others take, or may take, for one cause: by virtual host and host name.

        ``configured`` are the virtual hosts of the server's configuration file.
        """
        vhosts = list(affected)
        of_them = f"virtual host{'s' if len(vhosts) > 1 else ''} {name_list(vhosts, MOST_NAMED)}"
        owners = {name: owner for taken in affected.values() for name, owner in taken.items()}
        others = {name: owner.vhosts for name, owner in owners.items()}
        place = {**affects(vhosts), "field": "host.names", "found": list(owners)}
        if lost:
            text = f"Publishers and viewers that use these host names of {of_them} reach another one"
            text = f"{text}: {reaches(others)}. {remedies(owners.values(), configured)}"
            self._collector.add(ERROR, "unreachable", text, **place)
            return
        if len(vhosts) > 1:
            text = f"The {of_them} have the same host names: {name_list(owners, MOST_NAMED)}."
        else:
            text = f"Other virtual hosts have host names of {of_them}, too: {reaches(others, or_else=vhosts[0])}."
        text = f"{text} The one that was created first gets them, and the API does not report which one that is."
        self._collector.add(WARNING, "ambiguous_host_name", text, **place)

    def _add_no_host_name(self, vhost: str) -> None:
        """Add a finding about a virtual host without a host name."""
        where = (
            "Add <Name> under Host, Names of the virtual host in Server.xml, and restart the server."
            if self.entries[vhost]["read_only"]
            else "Set host.names."
        )
        text = (
            f"Virtual host {vhost} has no host name, so no publisher or viewer reaches it. Give it one that leads to "
            f"the server, such as media-1.example.com. {where}"
        )
        self._collector.add(WARNING, "no_host_name", text, vhost=vhost, field="host.names")
