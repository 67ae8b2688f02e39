# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Durable virtual hosts: the API makes them now, and a file makes them at the next start of the server.

Everything that can be refused is refused before the first write. Then the API comes first, so that no file describes
what the server has refused. A file that cannot be written makes its object a failure, and the next run writes it.
"""

from __future__ import annotations

import functools
import typing as t

from .._api.client import Api
from .._config.virtual_host_file import VIRTUAL_HOST_FILE
from .._core.context import Context
from .._core.errors import BadInput, OmeError
from .._core.texts import named
from .._resources import application
from .._resources.application import APPLICATION
from .._resources.kind import Key, Value
from .._resources.virtual_host import VIRTUAL_HOST
from .._schema.validators import is_addressable
from .base import DELETED, FAILED, UNCHANGED, Outcome, Predicted
from .config_files import ConfigWriter, Entry, VirtualHostFiles, check, merged, refuse_unstartable

_REMOVE_BY_HAND = "Remove the file by hand, or list the virtual host."


class Durable:
    """Keep the files of virtual hosts in step with what a task does by the API."""

    def __init__(self, api: Api, context: Context, config_dir: str) -> None:
        """Read the configuration; raise OmeError if it is not one that a server can start from."""
        self._api = api
        self._context = context
        self._files = VirtualHostFiles(config_dir, context)
        self._entries: list[Entry] = []
        self._bases: dict[str, Value] = {}
        self._absent: list[str] = []
        self._purging = False
        self.writer = ConfigWriter(self._files.directory, context)
        self.restart_required = False

    @property
    def configured(self) -> list[str]:
        """The names of virtual hosts that have a file, so that the running ones may come from it."""
        return self._files.names

    # Before the first write

    def prepare(self, entries: t.Sequence[Entry]) -> None:
        """Take virtual hosts that are to exist, with their applications.

        Raise OmeError for whatever no file can hold, or the server's version does not know.
        """
        entries = [entry for entry in entries if not self._files.is_inline(entry.name)]
        for entry in entries:
            self._files.refuse_unusable(entry.name)
        version = self._api.server_version()
        for entry in entries:
            check(entry, version)
        entries = self._api.map_concurrently([functools.partial(self._with_running, entry) for entry in entries])
        found = self._api.map_concurrently([functools.partial(self._base, entry.name) for entry in entries])
        for entry, base in zip(entries, found):
            after = merged(base, entry, version)
            self._files.edited(entry.name, after)  # which refuses what only somebody can change by hand
            file = self._files.file_of(entry.name)
            refuse_unstartable(entry, after, version, file)
            # The file can have options that this task does not specify.
            check(Entry(entry.name, file, *_split(after, file)), version)
            self._entries.append(entry)
            self._bases[entry.name] = base

    def prepare_applications(self, entries: t.Sequence[Entry], predicted: Predicted, *, purge: bool = False) -> None:
        """Take applications; raise BadInput if the virtual host of one that is to exist has no file.

        ``predicted`` is what is known of the files that earlier tasks would have written.
        ``purge`` removes the others from the file, except those that no request can address.
        """
        durable = []
        for entry in entries:
            if entry.name in self._files.names or self._files.is_inline(entry.name):
                desired = {app["name"] for _path, app in entry.apps}
                names = [app["name"] for app in (self._files.read(entry.name) or {}).get("applications", [])]
                others = [name for name in names if name not in desired and is_addressable(name)]
                durable.append(entry._replace(without=others) if purge else entry)
                self._purging = purge
            elif entry.apps and not predicted.listed(entry.name):
                path = entry.apps[0][0]
                expected = f"expected a virtual host that has a file in {named('config_dir')}, got {entry.name!r}"
                expected += "; make the virtual host durable first"
                if predicted.is_complete:
                    raise BadInput(f"{path}.vhost" if path else "vhost", expected)
                self._context.warn(
                    f"Virtual host {entry.name} has no file in {named('config_dir')} yet. Making its applications "
                    "durable fails unless an earlier task makes the virtual host durable."
                )
        self.prepare(durable)

    def prepare_absent(self, names: t.Sequence[str]) -> None:
        """Take virtual hosts that are not to exist."""
        self._absent = [name for name in names if not self._files.is_inline(name)]
        for name in self._absent:
            self._files.read(name)  # whose secrets the diff masks

    def _base(self, name: str) -> Value:
        """Return what the file of a virtual host begins with: what it has, or else what the server has."""
        return self._files.read(name) or self._running(name) or {"name": name}

    def _with_running(self, entry: Entry) -> Entry:
        """Return the entry with what the server has of applications that the file has not, or without what the API
        adds.
        """
        vhost = self._files.read(entry.name)
        if vhost is None:  # the file begins with what the server has
            return entry
        kept = {app["name"]: app for app in vhost.get("applications", [])}
        running = {}
        for _path, app in entry.apps:
            name = app["name"]
            lacking = application.lacking({**kept.get(name, {}), **app})
            found = self._running_application(entry.name, name) if lacking or name not in kept else None
            if found is not None:
                running[name] = {option: found[option] for option in found if name not in kept or option in lacking}
        return entry._replace(running=running)

    def _running_application(self, vhost: str, name: str) -> Value | None:
        """Read an application (option form) that the server did not make by itself; None if there is none."""
        try:
            raw = self._api.read_application(vhost, name)
        except OmeError as error:
            if error.kind not in ("controller_not_found", "vhost_not_found"):
                raise
            return None
        if raw is None or application.is_dynamic(raw):
            return None
        app = application.from_wire(raw, vhost)
        self._context.keep_secrets(APPLICATION, app)
        return {option: app[option] for option in app if option != "vhost"}

    def _running(self, name: str) -> Value | None:
        """Read a virtual host with its applications, except those that the server made by itself."""
        raw = self._api.read_virtual_host(name)
        if raw is None:
            return None
        names = self._applications(name)
        found = self._api.map_concurrently([functools.partial(self._running_application, name, app) for app in names])
        apps = [app for app in found if app is not None]
        vhost = VIRTUAL_HOST.from_wire(raw)
        if apps:
            vhost["applications"] = apps
        self._context.keep_secrets(VIRTUAL_HOST_FILE, vhost)
        return vhost

    def _applications(self, vhost: str) -> list[str]:
        """Read the names of the applications that requests can address."""
        try:
            return [app for app in sorted(self._api.list_applications(vhost)) if is_addressable(app)]
        except OmeError as error:
            # A server without the call has no applications that this collection could know.
            if error.kind in ("controller_not_found", "vhost_not_found"):
                return []
            raise

    # After the API

    def finish(self, vhosts: t.Sequence[Outcome], apps: t.Sequence[Outcome]) -> tuple[list[Outcome], list[Outcome]]:
        """Write the files of what is now as desired, unless in check mode; return the outcomes, with any write
        error.
        """
        vhosts = [self._accepted(outcome, outcome.label["name"]) for outcome in vhosts]
        apps = [self._accepted(outcome, outcome.label["vhost"]) for outcome in apps]
        failed = {outcome.key for outcome in (*vhosts, *apps) if outcome.action == FAILED}
        errors: dict[str, OmeError] = {}
        written: dict[Key, Value] = {}
        for entry in self._entries:
            if Key(entry.name) in failed:
                continue
            done = entry._replace(
                apps=[(path, app) for path, app in entry.apps if Key(entry.name, app["name"]) not in failed],
                without=[app for app in entry.without if Key(entry.name, app) not in failed],
            )
            if self._purging:
                self.restart_required |= self._keeps_others(entry, {outcome.key for outcome in apps})
            after = merged(self._bases[entry.name], done, self._api.server_version())
            written.update({Key(entry.name, app["name"]): app for app in after.get("applications", [])})
            error = self._write(entry.name, after)
            if error is not None:
                errors[entry.name] = error
        apps = [self._completed(outcome, written.get(outcome.key)) for outcome in apps]
        for name in self._absent:
            error = None if Key(name) in failed else self._remove(name)
            if error is not None:
                errors[name] = error
        return (
            [_not_durable(outcome, errors.get(outcome.label["name"])) for outcome in vhosts],
            [_not_durable(outcome, None if vhosts else errors.get(outcome.label["vhost"])) for outcome in apps],
        )

    def purge(self, outcomes: t.Sequence[Outcome], unlisted: t.Collection[str]) -> list[Outcome]:
        """Remove the files of virtual hosts that a purge has deleted, and of others that are not desired if this
        collection wrote them; return the outcomes, with any write error.

        ``unlisted`` are the virtual hosts that were on the server and are not desired.
        """
        by_name = {outcome.label["name"]: outcome for outcome in outcomes}
        desired = {entry.name for entry in self._entries}
        for name in self.configured:
            outcome = by_name.get(name)
            if not self._files.written_here(name):
                if name not in desired:
                    self._context.warn(f"{self._stays(name)} {_REMOVE_BY_HAND}")
                if outcome is not None:
                    by_name[name] = outcome.with_details(stays_in=self._files.path_of(name))
                continue
            if outcome is not None and outcome.action != DELETED:
                continue
            error = self._remove(name)
            if error is not None:
                by_name[name] = _not_durable(outcome or Outcome(VIRTUAL_HOST, {"name": name}, {}), error)
            elif outcome is None and name in unlisted:
                self.restart_required = True
        # What is left comes from a file that an earlier run has removed.
        left = [name for name in unlisted if is_addressable(name) and name not in (*by_name, *self.configured)]
        self.restart_required |= not all(self._files.is_inline(name) for name in left)
        return list(by_name.values())

    def _keeps_others(self, entry: Entry, known: t.Collection[Key]) -> bool:
        """Return whether the server has applications that a purge cannot delete, because they come from its file."""
        desired = {app["name"] for _path, app in entry.apps}
        left = [app for app in self._applications(entry.name) if app not in desired]
        return any(Key(entry.name, app) not in known for app in left)

    def _accepted(self, outcome: Outcome, vhost: str) -> Outcome:
        """Return the outcome of what comes from a file: it differs until the next start, and that is no failure."""
        if (
            outcome.action != FAILED
            or t.cast(OmeError, outcome.error).kind != "read_only"
            or self._files.is_inline(vhost)
        ):
            return outcome
        if vhost in self._absent and vhost in self.configured and not self._files.written_here(vhost):
            return outcome.replace(error=t.cast(OmeError, outcome.error).with_detail(self._stays(vhost)))
        self.restart_required = True
        name = outcome.label["name"]
        differences: list[dict[str, t.Any]] = [difference._asdict() for difference in outcome.differences]
        if not differences:  # it is to be created or deleted
            before = None if outcome.before is None else name
            differences = [{"field": "name", "before": before, "after": name if before is None else None}]
        details = {key: value for key, value in outcome.details.items() if key != "would_drop"}
        return outcome.replace(
            action=UNCHANGED,
            error=None,
            after=outcome.before,
            details={**details, "differs_until_restart": differences},
        )

    def _completed(self, outcome: Outcome, written: Value | None) -> Outcome:
        """Return the outcome of an application (``written`` as its file has it) that the server made from an
        incomplete file: it lacks until the next start what the API adds.
        """
        if outcome.action != UNCHANGED or outcome.before is None or written is None:
            return outcome
        known = list(outcome.details.get("differs_until_restart", []))
        named = {difference["field"].partition(".")[0] for difference in known}
        lacking = [option for option in application.lacking(outcome.before) if option not in named]
        if not lacking:
            return outcome
        self.restart_required = True
        known += [
            {"field": option, "before": None, "after": APPLICATION.fields[option].mask(written[option])}
            for option in lacking
        ]
        return outcome.replace(details={**outcome.details, "differs_until_restart": known})

    def _write(self, name: str, after: Value) -> OmeError | None:
        files = self._files.edited(name, after)
        if not files:
            self.writer.keep(self._files.file_of(name))
        error = self.writer.write(files)
        return error and error.for_attempt(f"make virtual host {name} durable").with_detail(
            "The server has it as desired, but loses that when it restarts."
        )

    def _remove(self, name: str) -> OmeError | None:
        if self._files.read(name) is None:
            return None
        if not self._files.written_here(name):
            attempt = f"remove the file of virtual host {name}"
            return OmeError("config_file", attempt, detail=self._stays(name), remedy=_REMOVE_BY_HAND)
        error = self.writer.remove(self._files.file_of(name), self._files.shown(name))
        return error and error.for_attempt(f"remove the file of virtual host {name}").with_detail(
            "The next start of the server brings the virtual host back."
        )

    def _stays(self, name: str) -> str:
        """Return the sentences about a file that this collection has not made."""
        return (
            f"{self._files.file_of(name)} has the virtual host {name}, and was not made by this collection, so that it "
            "stays. The next start of the server brings the virtual host back."
        )


def _split(vhost: Value, file: str) -> tuple[Value, list[tuple[str, Value]]]:
    """Return a virtual host (option form) and its applications, each with its place in the file."""
    apps = vhost.get("applications", [])
    itself = {option: value for option, value in vhost.items() if option != "applications"}
    return itself, [(f"{file}.applications[{index}]", app) for index, app in enumerate(apps)]


def _not_durable(outcome: Outcome, error: OmeError | None) -> Outcome:
    """Return the outcome of an object whose file could not be written."""
    if error is None or outcome.action == FAILED:
        return outcome
    return outcome.replace(action=FAILED, error=error, touched=outcome.changed)
