# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the files that a server starts from with the lists: what a restart brings, and what it loses.

What comes from a file cannot change before the server restarts (server-facts: What survives a restart). A difference
that ends with the restart is a warning, because nobody has to change anything. What the files lack is drift.

What handles files is only imported if an audit is durable: most are not.
"""

from __future__ import annotations

import typing as t

from .._config.stream_maps import is_durable_path, map_path
from .._core.context import Context
from .._core.errors import OmeError
from .._resources import application
from .._resources.jobs import JobKind
from .._resources.kind import key_of
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.fields import Difference
from .._schema.objects import Object
from .findings import DRIFT, ERROR, WARNING, Collector, Desired

if t.TYPE_CHECKING:
    from .._reconcile.config_files import VirtualHostFiles
    from .._reconcile.durable_jobs import MapFiles

Value = t.Mapping[str, t.Any]
Compared = t.Callable[[Object, Value], Object]
"""Return the declaration with which a specified object is compared."""


class DurableAudit:
    """What the configuration directory of a server has of the lists; nothing if the audit has no directory."""

    def __init__(self, context: Context, collector: Collector, desired: Desired, config_dir: str | None) -> None:
        self._context = context
        self._collector = collector
        self._desired = desired
        self._config_dir = config_dir
        self._files: VirtualHostFiles | None = None
        self._vhosts: dict[str, Value] = {}
        self._invalid: set[str] = set()
        self._maps: dict[tuple[JobKind, str, str], MapFiles] = {}

    # Reading

    def read(self) -> None:
        """Read the files; one that cannot be used is a finding."""
        if self._config_dir is None:
            return
        from .._reconcile.config_files import VirtualHostFiles

        try:
            self._files = VirtualHostFiles(self._config_dir, self._context)
        except OmeError as error:
            self._collector.add(ERROR, error.kind, str(error))
            return
        for name in self._files.names:
            try:
                self._vhosts[name] = self._files.read(name) or {}
            except OmeError as error:
                self._invalid.add(name)
                self._collector.add(ERROR, error.kind, str(error), vhost=name)

    def read_maps(self, kind: JobKind, jobs: t.Iterable[Value]) -> None:
        """Read the stream maps of the applications of jobs; one that cannot be used is a finding."""
        if self._files is None:
            return
        from .._config.stream_maps import map_of
        from .._reconcile.base import Predicted
        from .._reconcile.durable_jobs import MapFiles

        stream_map = map_of(kind)
        by_scope: dict[tuple[str, str], list[tuple[str, Value]]] = {}
        for job in jobs:
            by_scope.setdefault((job["vhost"], job["app"]), []).append(("", job))
        for (vhost, app), listed in by_scope.items():
            if vhost in self._invalid:
                continue
            try:
                maps = MapFiles(t.cast(str, self._config_dir), self._context, stream_map)
                maps.prepare(listed, Predicted(), absent=True, purge=False)  # which only reads
                self._maps[kind, vhost, app] = maps
            except OmeError as error:
                self._collector.add(ERROR, error.kind, str(error), vhost=vhost, application=app)

    @property
    def has_files(self) -> bool:
        """Whether the audit has a configuration directory."""
        return self._config_dir is not None

    def is_inline(self, vhost: str) -> bool:
        """Return whether Server.xml itself defines a virtual host."""
        return self._files is not None and self._files.is_inline(vhost)

    def _applications(self, vhost: str) -> dict[str, Value]:
        """Return the applications that the file of a virtual host has, by name."""
        return {app["name"]: {**app, "vhost": vhost} for app in self._vhosts.get(vhost, {}).get("applications", [])}

    def not_in_file(self, vhost: str, apps: t.Iterable[str]) -> set[str]:
        """Return the applications that the file of a virtual host does not have."""
        return set() if vhost not in self._vhosts else set(apps) - set(self._applications(vhost))

    # What the files lack

    def check(self, compared: Compared) -> None:
        """Report listed virtual hosts and applications that the files do not have as listed. Raises OmeError."""
        if self._files is None:
            return
        for vhost in self._desired.vhosts:
            name = vhost["name"]
            declaration = compared(VIRTUAL_HOST, vhost)
            self._check(f"Virtual host {name}", declaration, vhost, self._vhosts.get(name), vhost=name)
        for app in self._desired.applications:
            key = key_of(app)
            declaration = compared(application.APPLICATION, app)
            kept = self._applications(key.vhost).get(key.app)
            self._check(f"Application {key}", declaration, app, kept, vhost=key.vhost, application=key.app)

    def _check(self, title: str, declaration: Object, desired: Value, kept: Value | None, **place: str) -> None:
        vhost = place["vhost"]
        if self.is_inline(vhost) or vhost in self._invalid or ("application" in place and self._is_lost(vhost)):
            return
        if kept is None:
            text = f"{title} is in no file of the server's configuration: a restart loses it."
            self._collector.add(DRIFT, "not_durable", text, **place)
            return
        for difference in declaration.difference(desired, kept):
            text = f"{title}: {difference.field} differs in its file, from which the server starts."
            shown = {"field": difference.field, "found": difference.before, "wanted": difference.after}
            self._collector.add(DRIFT, "not_durable", text, **shown, **place)
        for option in application.lacking({**kept, **desired}) if "application" in place else ():
            text = f"{title} has no {option} in its file, so that after a restart {application.EFFECTS[option]}."
            text = f"{text} A durable run of provision adds what the API adds."
            self._collector.add(DRIFT, "not_durable", text, field=option, **place)

    def check_job(self, kind: JobKind, job: Value, **place: str) -> None:
        """Report a listed job that the stream map of its application does not have as listed."""
        vhost = job["vhost"]
        if self._files is None or vhost in self._invalid or self._is_lost(vhost) or self.mapped(kind, job) is not None:
            return
        text = f"{kind.title} {key_of(job)} is not as listed in the stream map of its application: a restart loses it."
        self._collector.add(DRIFT, "not_durable", text, **place)

    def _is_lost(self, vhost: str) -> bool:
        """Return whether a virtual host is reported as one that a restart loses, with all that is inside of it."""
        if vhost in self._vhosts or self.is_inline(vhost):
            return False
        return any(one["name"] == vhost for one in self._desired.vhosts)

    # What a restart brings

    def until_restart(
        self, title: str, declaration: Object, desired: Value, differences: t.Iterable[Difference], **place: str
    ) -> list[Difference]:
        """Report the differences that end when the server restarts, and return the others.

        They are those of a virtual host or an application whose file is as listed.
        """
        vhost, app = place["vhost"], place.get("application")
        kept = self._vhosts.get(vhost) if app is None else self._applications(vhost).get(app)
        if kept is None:
            return list(differences)
        lasting = {difference.field for difference in declaration.difference(desired, kept)}
        others = []
        for difference in differences:
            if difference.field in lasting:
                others.append(difference)
                continue
            text = f"{title}: {difference.field} differs until the server restarts. Its file is as listed."
            self._restart_due(text, difference.field, difference.before, difference.after, **place)
        return others

    def completes(self, title: str, current: Value, **place: str) -> None:
        """Report what a running application (option form) lacks, and its file has."""
        kept = self._applications(place["vhost"]).get(place["application"], {})
        for option in application.lacking(current):
            if kept.get(option) is not None:
                effect, wanted = application.EFFECTS[option], application.APPLICATION.fields[option].mask(kept[option])
                text = f"{title} has no {option} until the server restarts: {effect}. Its file has it."
                self._restart_due(text, option, None, wanted, **place)

    def appears(self, title: str, declaration: Object, desired: Value, **place: str) -> bool:
        """Report an application that is missing until the server restarts, and return whether it is one."""
        kept = self._applications(place["vhost"]).get(place["application"])
        if kept is None or any(declaration.difference(desired, kept)):
            return False
        text = f"{title} is listed, and missing until the server restarts. Its file has it."
        self._restart_due(text, "name", None, place["application"], **place)
        return True

    def disappears(self, title: str, **place: str) -> None:
        """Report a virtual host or an application that comes from a file and is no longer in one."""
        vhost, app = place["vhost"], place.get("application")
        if self._files is None or self.is_inline(vhost):
            return
        if app is None and vhost in self._files.names:
            return
        text = f"{title} stays on the server until it restarts. No file has it any more."
        self._restart_due(text, "name", app or vhost, None, **place)

    def _restart_due(self, text: str, field: str, found: t.Any, wanted: t.Any, **place: str) -> None:
        self._collector.add(WARNING, "restart_due", text, field=field, found=found, wanted=wanted, **place)

    # Jobs of stream maps

    def mapped(self, kind: JobKind, job: Value) -> Value | None:
        """Return a listed job as the stream map of its application has it; None if it is not as listed there."""
        key = key_of(job)
        maps = self._maps.get((kind, key.vhost, key.app))
        kept = None if maps is None else maps.current(key)
        return None if kept is None or any(kind.declaration.difference(job, kept)) else kept

    def reads_map(self, kind: JobKind, vhost: str, raw: t.Any, app: str) -> bool:
        """Return whether a running application (wire form) reads the stream map with the jobs.

        Without files, that is the map that this collection writes, if the application reads one.
        """
        if self._files is None:
            path = map_path(kind, raw, (vhost, app)) if isinstance(raw, dict) else None
            return path is not None and is_durable_path(kind, path, (vhost, app))
        maps = self._maps.get((kind, vhost, app))
        return maps is not None and isinstance(raw, dict) and maps.is_read_by((vhost, app), raw)

    @property
    def restart_required(self) -> bool | None:
        """Whether a restart is due; None if the audit has no configuration directory."""
        if self._config_dir is None:
            return None
        return any(finding.kind == "restart_due" for finding in self._collector.findings)
