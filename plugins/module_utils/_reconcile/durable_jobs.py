# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Durable push tasks and recordings: the stream maps of applications, and their entries."""

from __future__ import annotations

import functools
import os
import posixpath
import typing as t

from .._api.client import Api
from .._config import document, versions
from .._config.document import Element
from .._config.editor import Edited, Editor
from .._config.stream_maps import StreamMap, is_same_job
from .._config.virtual_host_file import VIRTUAL_HOST_FILE
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.server_version import Version
from .._core.texts import named
from .._resources import application
from .._resources.jobs import JobKind, id_of, is_of_configuration
from .._resources.kind import Key, Specified, Value, key_of
from .base import (
    FAILED,
    RESTARTED,
    STARTED,
    STOPPED,
    UNCHANGED,
    Outcome,
    Plan,
    PlannedChange,
    Predicted,
    Request,
    merge_outcomes,
)
from .config_files import ConfigWriter, VirtualHostFiles
from .jobs import Jobs, live_streams
from .jobs_plan import WAITING, RunningJobs, Scope

# The stream maps of a task: what they have, what they are to have, and the applications that name them.


class _Map(t.NamedTuple):
    """The map of one application: its file, its jobs before and after, by ID, and the virtual host that names it."""

    file: str
    root: Element | None
    before: dict[str, Value] | None
    after: dict[str, Value]
    vhost: Value


class MapFiles:
    """The stream maps of one kind, of any number of applications."""

    restart_required = False
    """A map is read whenever a stream starts, so that none of its changes needs a restart."""

    def __init__(self, config_dir: str, context: Context, kind: StreamMap) -> None:
        """Read the configuration; raise OmeError if it is not one that a server can start from."""
        self.kind = kind
        self._context = context
        self._files = VirtualHostFiles(config_dir, context)
        self.writer = ConfigWriter(self._files.directory, context)
        self._maps: dict[Scope, _Map] = {}
        self._desired: dict[Key, Value] = {}

    @property
    def scopes(self) -> list[Scope]:
        """The applications with a map."""
        return list(self._maps)

    # Before the first write

    def prepare(
        self, jobs: t.Sequence[tuple[str, Specified]], predicted: Predicted, *, absent: bool, purge: bool
    ) -> None:
        """Take the jobs of a task, each with the path of its option.

        Raise BadInput if the virtual host of one that is to be started has no file with its application.
        """
        by_scope: dict[Scope, list[tuple[str, Specified]]] = {}
        for path, job in jobs:
            by_scope.setdefault((job["vhost"], job["app"]), []).append((path, job))
        for scope, listed in by_scope.items():
            vhost = self._durable_vhost(scope, listed[0][0], predicted, absent=absent)
            if vhost is None:
                continue
            file = self._file(scope, _application(vhost, scope) or {}, listed[0][0])
            data = self._files.directory.read(file)
            root = None if data is None else document.parse(data, file).root_of(self.kind.root)
            before: dict[str, Value] | None = None if root is None else {}
            for _element, known in () if root is None else self.kind.jobs_of(root, *scope):
                t.cast("dict[str, Value]", before).setdefault(known["id"], known)
            for known in (before or {}).values():
                self._context.keep_secrets(self.kind.kind.declaration, known)
            after = {} if purge else dict(before or {})
            for path, job in listed:
                if absent:
                    after.pop(job["id"], None)
                    continue
                after[job["id"]] = self._merged(job, (before or {}).get(job["id"]))
                self._desired[key_of(job)] = after[job["id"]]
                self.kind.check(after[job["id"]], path)
            self._maps[scope] = _Map(file, root, before, after, vhost)

    def check_version(self, jobs: t.Sequence[tuple[str, Specified]], version: Version) -> None:
        """Raise OmeError if the version does not know an option, or stream maps at all."""
        for path, job in jobs:
            versions.check(self.kind.kind.declaration, job, version, path)
        for scope, one in self._maps.items():
            naming = self._naming(scope, one)
            versions.check(VIRTUAL_HOST_FILE, naming, version, self._files.file_of(scope[0]))
            self._edited(scope, one, one.after)  # These refuse what only somebody can change by hand.
            self._files.edited(scope[0], naming)

    def _durable_vhost(self, scope: Scope, path: str, predicted: Predicted, *, absent: bool) -> Value | None:
        """Return the virtual host (option form) whose file has the application; None if nothing is to be written."""
        vhost = None if self._files.is_inline(scope[0]) else self._files.read(scope[0])
        app = None if vhost is None else _application(vhost, scope)
        if app is not None and self.kind.publisher in (app.get("publishers") or {}):
            for option in [] if absent or predicted.listed(*scope) else application.lacking(app):
                self._context.warn(
                    f"Application {'/'.join(scope)} has no {option} in its file, so that after a restart "
                    f"{application.EFFECTS[option]}. Make the application durable again, which adds what the API adds."
                )
            return vhost
        if absent or predicted.listed(*scope):
            return None
        name = "/".join(scope)
        if not predicted.is_complete and app is None:
            self._context.warn(
                f"Application {name} is in no file of {named('config_dir')} yet. Making its {self.kind.kind.what}s "
                "durable fails unless an earlier task makes the application durable."
            )
            return None
        raise BadInput(
            f"{path}.app" if path else "app",
            f"expected an application that has the publisher {self.kind.publisher} in a VHost file of "
            f"{named('config_dir')}, got {name!r}; make the application durable first",
        )

    def _file(self, scope: Scope, app: Specified, path: str) -> str:
        """Return the map that an application names, or the usual one, relative to the configuration directory."""
        named = (app["publishers"][self.kind.publisher].get("stream_map") or {}).get("path")
        if not named:
            return self.kind.path(*scope)
        here = self._files.directory.path
        file = os.path.relpath(named, here) if posixpath.isabs(named) else posixpath.normpath(named)
        if file.startswith("..") or "${" in file:
            raise BadInput(
                f"{path}.app" if path else "app",
                f"expected an application with a stream map inside of {here}, got one that names {named!r}",
            )
        return file

    def _merged(self, job: Specified, current: Value | None) -> Value:
        if current is not None and not any(self.kind.kind.declaration.difference(job, current)):
            return current
        return self.kind.kind.merge(job, current or {})

    # Reading

    def named_path(self, scope: Scope) -> str:
        """Return the path by which the application names, or will name, its map."""
        one = self._maps[scope]
        app = _application(one.vhost, scope) or {}
        return str((app["publishers"][self.kind.publisher].get("stream_map") or {}).get("path") or one.file)

    def desired(self, key: Key) -> Value:
        """Return a job as the map will have it."""
        return self._desired[key]

    def remaining(self, scope: Scope) -> list[Value]:
        """Return the jobs that the map will have."""
        return list(self._maps[scope].after.values())

    def current(self, key: Key) -> Value | None:
        """Return a job as the map has it now; None if it does not."""
        one = self._maps.get((key.vhost, key.app))
        return None if one is None else (one.before or {}).get(key.name)

    def is_read_by(self, scope: Scope, raw: t.Mapping[str, t.Any]) -> bool:
        """Return whether a running application (wire form) reads the map, so that the map starts jobs now."""
        app = application.from_wire(raw, scope[0])
        named = ((app.get("publishers") or {}).get(self.kind.publisher) or {}).get("stream_map") or {}
        on = str(named.get("enable")).lower() == "true"
        return on and scope in self._maps and named.get("path") == self.named_path(scope)

    def has_started(self, entry: Specified, raw: t.Mapping[str, t.Any], key: Key) -> bool:
        """Return whether an entry of a map has started a job (wire form)."""
        return is_same_job(self.kind.kind, entry, self.kind.kind.from_wire(raw, key))

    # Writing

    def write(self, failed: t.Collection[Key]) -> dict[Scope, OmeError]:
        """Write the maps without what has failed, then the files of virtual hosts that do not name them yet."""
        errors: dict[Scope, OmeError] = {}
        vhosts: dict[str, Value] = {}
        for scope, one in self._maps.items():
            after = dict(one.after)
            for key in failed:
                if key[:2] == scope:  # The map keeps what it has.
                    after.pop(key.name, None)
                    after.update({key.name: one.before[key.name]} if one.before and key.name in one.before else {})
            error = self._write_map(scope, one, after)
            if error is not None:
                errors[scope] = error
                continue
            vhost = vhosts.get(scope[0], one.vhost)
            vhosts[scope[0]] = self._naming(scope, one._replace(vhost=vhost)) if after else vhost
        for name, vhost in vhosts.items():
            error = self._write_files(self._files.file_of(name), self._files.edited(name, vhost))
            errors.update({scope: error for scope in self._maps if error and scope[0] == name and scope not in errors})
        return {
            scope: error.for_attempt(
                f"make the {self.kind.kind.what}s of application {'/'.join(scope)} durable"
            ).with_detail("They are as desired now, but a restart of the server loses them.")
            for scope, error in errors.items()
        }

    def _write_map(self, scope: Scope, one: _Map, after: dict[str, Value]) -> OmeError | None:
        if one.root is None and not after:
            return None
        return self._write_files(one.file, self._edited(scope, one, after))

    def _edited(self, scope: Scope, one: _Map, after: t.Mapping[str, Value]) -> list[Edited]:
        """Return the map if it changes."""
        if one.root is None:
            return [self.kind.new(list(after.values()), "", one.file)]
        editor = Editor()
        editor.show(self.kind.declaration, one.root)
        self.kind.edit(editor, one.root, list(after.values()), scope, "")
        return editor.files()

    def _write_files(self, name: str, files: t.Sequence[Edited]) -> OmeError | None:
        if not files:
            self.writer.keep(name)
        return self.writer.write(files)

    def _naming(self, scope: Scope, one: _Map) -> Value:
        """Return the virtual host (option form) with the application that names the map."""
        apps = []
        for app in one.vhost["applications"]:
            if app.get("name") == scope[1]:
                publishers = app["publishers"]
                publisher = publishers[self.kind.publisher]
                named = {**(publisher.get("stream_map") or {}), "enable": True, "path": self.named_path(scope)}
                app = {**app, "publishers": {**publishers, self.kind.publisher: {**publisher, "stream_map": named}}}
            apps.append(app)
        return {**one.vhost, "applications": apps}


def _application(vhost: Value, scope: Scope) -> Value | None:
    """Return an application of a virtual host (option form)."""
    return next((app for app in vhost.get("applications", []) if app.get("name") == scope[1]), None)


# Durable push tasks and recordings: entries of the stream map of an application.
#
# The server reads a stream map whenever a stream starts (server-facts: What survives a restart). Therefore a job that a
# map starts is only started by the API if its stream is live already. What the API has started is stopped if the map
# has started the same.


class DurableJobs(Jobs):
    """Start and stop jobs by stream maps, and by the API if a map cannot do it now."""

    def __init__(self, api: Api, context: Context, kind: JobKind, maps: MapFiles, *, wait_timeout: float) -> None:
        super().__init__(api, context, kind, wait_timeout=wait_timeout)
        self._maps = maps
        self._live: dict[Scope, set[str]] = {}
        self._states: dict[tuple[str, ...], str] = {}
        """The states of the jobs that their map starts, by key."""

    # Probing

    def probe(self, request: Request) -> RunningJobs:
        current = super().probe(request)
        scopes = [scope for scope in self._maps.scopes if scope not in current.missing]
        read = self._api.map_concurrently([functools.partial(self._names_map, scope) for scope in scopes])
        active = [scope for scope, names_map in zip(scopes, read) if names_map]
        found = self._api.map_concurrently([functools.partial(live_streams, self._api, scope) for scope in active])
        self._live = dict(zip(active, found))
        return current

    def _names_map(self, scope: Scope) -> bool:
        """Return whether the running application reads the map, so that the map starts jobs before a restart."""
        return self._maps.is_read_by(scope, self._api.read_application(*scope) or {})

    # Planning

    def plan(self, request: Request, current: RunningJobs) -> Plan:
        plan = super().plan(request, current._replace(written=tuple(self._live)))
        desired = {key_of(job) for job in request.desired}
        changes = [
            self._by_map(change, current) if change.key in desired and not request.absent else change
            for change in plan.changes
        ]
        return plan._replace(changes=(*changes, *self._stale(current)))

    def _by_map(self, change: PlannedChange, current: RunningJobs) -> PlannedChange:
        """Return the change of a job, which the map starts unless its stream is live without it."""
        scope = change.key.scope
        if scope not in self._live or change.action == FAILED:
            return change
        entry = self._maps.desired(change.key)
        twins = [raw for key, raw in self._of_configuration(scope, current) if self._started_by(entry, raw, key)]
        if entry["stream"]["name"] in self._live[scope] and not twins:
            return change
        state = self._states[change.key] = self._kind.state_of(twins[0]) if twins else WAITING
        change = change.replace(differences=()).with_details(state=state, **({"is_config": True} if twins else {}))
        # What a map has started has a random ID, so that `before` is a job of the API.
        action = UNCHANGED if change.before is None else STOPPED
        return change.replace(action=action, after=None)

    def _stale(self, current: RunningJobs) -> list[PlannedChange]:
        """Return the changes that stop what a map has started from an entry that changes, or that it no longer has.

        The entry can be gone before this task, because the module server_config writes maps, too.
        """
        changes = []
        for scope in self._live:
            for key, raw in self._of_configuration(scope, current):
                if not any(self._started_by(entry, raw, key) for entry in self._maps.remaining(scope)):
                    before = self._kind.from_wire(raw, key)
                    details = {"state": self._kind.state_of(raw)}
                    label = key._asdict()
                    changes.append(
                        PlannedChange(
                            self._kind.declaration, label, label, action=STOPPED, before=before, details=details
                        )
                    )
        return changes

    @staticmethod
    def _of_configuration(scope: Scope, current: RunningJobs) -> t.Iterator[tuple[Key, dict[str, t.Any]]]:
        for key, raw in current.jobs.items():
            if key[:2] == scope and is_of_configuration(raw) and id_of(raw):
                yield key, raw

    def _started_by(self, entry: Specified, raw: dict[str, t.Any], key: Key) -> bool:
        """Return whether an entry of a map has started a job (wire form)."""
        return self._maps.has_started(entry, raw, key)

    # Predicting and applying

    def apply(self, plan: Plan, request: Request) -> list[Outcome]:
        # Nothing is to be done, or waited for, if the map starts a job.
        changes = [change for change in plan.changes if change.key not in self._states or change.changed]
        outcomes = merge_outcomes(plan.changes, super().apply(plan._replace(changes=tuple(changes)), request))
        return [
            outcome.with_details(state=self._states[outcome.key])
            if outcome.key in self._states and outcome.action != FAILED
            else outcome
            for outcome in outcomes
        ]

    def finish(self, outcomes: t.Sequence[Outcome]) -> list[Outcome]:
        """Write the maps, unless in check mode, without the entries of jobs that failed; return the outcomes."""
        failed = {outcome.key for outcome in outcomes if outcome.action == FAILED}
        errors = self._maps.write(failed)
        return [self._not_durable(outcome, errors) for outcome in outcomes]

    @staticmethod
    def _not_durable(outcome: Outcome, errors: t.Mapping[Scope, OmeError]) -> Outcome:
        error = errors.get(outcome.key.scope)
        if error is None or outcome.action == FAILED:
            return outcome
        return outcome.replace(action=FAILED, error=error, touched=outcome.action in (STARTED, RESTARTED, STOPPED))
