# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of a server that one task provisions: their order, their options, and contradictions between them."""

from __future__ import annotations

import contextlib
import typing as t

from .._api.client import SharedReads
from .._core.context import Context
from .._core.errors import BadInput
from .._core.texts import listed, named, renaming
from .._reconcile.snapshot import Snapshots
from .._resources import virtual_host
from .._resources.application import APPLICATION, has_any
from .._resources.jobs import PUSH_TASKS, RECORDS
from .._resources.kind import Key, key_of
from .._resources.multiplex_channel import MULTIPLEX_CHANNELS
from .._resources.scheduled_channel import SCHEDULED_CHANNELS
from .._resources.stream import PULLED_STREAMS
from .._resources.virtual_host import VIRTUAL_HOST
from .applications import Applications
from .base import Params
from .jobs import PushTaskList, RecordList
from .results import ManagingOperation
from .streams_and_channels import MultiplexChannelList, ScheduledChannelList, StreamList
from .virtual_hosts import Vhosts

# The parts of a server that one task provisions: their order, their options, and which hold the objects of others.


class Part:
    """One kind of objects, with the operation of the module that manages many of them."""

    def __init__(
        self,
        name: str,
        operation: type[ManagingOperation],
        renamed: t.Mapping[str, str] | None = None,
        *,
        holds: str = "",
    ) -> None:
        """``name`` is the option that lists the objects, and the key of the part in results.

        ``renamed`` are the options of the operation that have another name in the task; None for its default.
        ``holds`` is the kind of object in words if it holds those of the parts after it.
        """
        self.name = name
        self.operation = operation
        self.holds = holds
        self.entries = str(operation.entries)
        self.specs = operation.options()
        self.renamed = renamed or {}
        self._names: dict[str, str | None] = {option: option for option in self.specs}
        self._names.update({"state": None, "force": None, "wait_timeout": None, "predicted": None})
        self._names.update({"purge": f"purge_{name}", self.entries: name, **self.renamed})

    def params(self, params: Params) -> dict[str, t.Any]:
        """Return the options of the operation from those of the task."""
        found = {}
        for option, spec in self.specs.items():
            name = self._names[option]
            found[option] = spec.get("default") if name is None else params[name]
        return {**found, self.entries: found[self.entries] or []}

    def renaming(self) -> t.ContextManager[None]:
        """Let messages about options of the operation name the options of the task."""
        return renaming({option: name for option, name in self._names.items() if name and name != option})

    @contextlib.contextmanager
    def naming(self, operation: ManagingOperation) -> t.Iterator[None]:
        """Let errors about options of the operation name the options of the task, and the entry that holds them."""
        with self.renaming():
            try:
                yield
            except BadInput as error:
                raise operation.in_entry(error) from None


PARTS = (
    Part("vhosts", Vhosts, holds="virtual host"),
    Part("applications", Applications, holds="application"),
    Part("streams", StreamList, {"wait_timeout": "stream_wait_timeout"}),
    Part("scheduled_channels", ScheduledChannelList),
    Part("multiplex_channels", MultiplexChannelList),
    Part("push_tasks", PushTaskList, {"wait_for": "push_wait_for", "wait_timeout": "push_wait_timeout"}),
    Part("records", RecordList, {"wait_for": "record_wait_for", "wait_timeout": "record_wait_timeout"}),
)
"""The parts in the order in which they are provisioned.

All of them run. What is inside of a virtual host or an application that could not be made is skipped.
"""

NAMES = tuple(part.name for part in PARTS)
PURGED = tuple(part.name for part in PARTS if "purge" in part.specs)
"""The names of the parts that can be purged."""


def applications_inside(params: Params) -> list[dict[str, t.Any]]:
    """Return the applications that are listed in virtual hosts, each with its virtual host."""
    return [
        {"vhost": vhost["name"], **app} for vhost in params["vhosts"] or () for app in vhost.get("applications") or ()
    ]


# Refuse parts of one task that contradict each other, before anything is sent or written.
#
# Otherwise each run would fail after it has made one of the two, or make one after the other again and again.

_Entries = t.Sequence[tuple[str, t.Mapping[str, t.Any]]]

# The lists whose objects share the names of the streams of an application, and what each needs there.
_STREAMS = (PULLED_STREAMS, SCHEDULED_CHANNELS, MULTIPLEX_CHANNELS)
_JOBS = (PUSH_TASKS, RECORDS)


class Lists:
    """The lists of a task, each entry in specified form with the path of its option."""

    def __init__(self, params: Params) -> None:
        self._params = params
        self._vhosts = {vhost["name"] for vhost in params["vhosts"] or ()}
        nested = [
            (f"vhosts[{index}].applications[{inner}]", {"vhost": vhost["name"], **app})
            for index, vhost in enumerate(params["vhosts"] or ())
            for inner, app in enumerate(vhost.get("applications") or ())
        ]
        self._applications = [
            (path, APPLICATION.specified(app)) for path, app in (*nested, *self._list("applications"))
        ]
        self._by_key = {key_of(app): (path, app) for path, app in reversed(self._applications)}

    def _list(self, name: str) -> _Entries:
        return [(f"{name}[{index}]", entry) for index, entry in enumerate(self._params[name] or ())]

    def refuse_conflicts(self) -> None:
        """Raise BadInput if two entries contradict each other."""
        self._check_applications()
        self._check_names()
        for kind in _STREAMS:
            for path, entry in self._list(kind.option):
                needed = kind.providers(kind.declaration.specified(entry))
                self._check_inside(path, entry, "providers", needed, f"the provider {' or '.join(sorted(needed))}")
        for job in _JOBS:
            for path, entry in self._list(job.option):
                self._check_inside(path, entry, "publishers", job.publishers, f"a {job.map_publisher} publisher")

    def _check_applications(self) -> None:
        """An application can be listed in its virtual host and again alone, if both define the same."""
        for path, app in self._applications:
            first, other = self._by_key[key_of(app)]
            found = {one.field for pair in ((app, other), (other, app)) for one in APPLICATION.difference(*pair)}
            if found:
                expected = f"expected the definition of {named(first)} for application {key_of(app)}, or none"
                raise BadInput(f"{path}.name", f"{expected}; these options differ: {listed(sorted(found))}")

    def _check_names(self) -> None:
        """A stream and a channel of one name are the same for the server (server-facts: Scheduled channels)."""
        seen: dict[Key, str] = {}
        for kind in _STREAMS:
            for path, entry in self._list(kind.option):
                key = key_of(entry)
                if key in seen:
                    expected = "expected each name once among the streams and channels of an application"
                    raise BadInput(f"{path}.name", f"{expected}, got {str(key)!r} again after {named(seen[key])}")
                seen[key] = path

    def _check_inside(self, path: str, entry: Params, option: str, wires: t.Collection[str], what: str) -> None:
        """An entry cannot be in an application that is listed without what it needs."""
        place, app = self._by_key.get(Key(entry["vhost"], entry["app"]), ("", {}))
        if wires and option in app and not has_any(app, option, wires):
            expected = f"expected an application with {what}, got '{entry['vhost']}/{entry['app']}'"
            raise BadInput(f"{path}.app", f"{expected}, which {named(place)}.{option} defines without")

    # What a purge would delete

    def refuse_purged(self, api: SharedReads, context: Context) -> None:
        """Raise BadInput if a purge would delete what another part needs; the server knows whether it can."""
        parts = self._params["parts"]
        vhosts, apps = (name in parts and self._params[f"purge_{name}"] for name in ("vhosts", "applications"))
        needed: dict[tuple[str, str | None], str] = {}
        for name in ("applications", *(kind.option for kind in (*_STREAMS, *_JOBS))):
            for path, entry in self._list(name) if name in parts and (vhosts or apps) else ():
                needed.setdefault((entry["vhost"], entry.get("app")), path)
        purged = {key.vhost for key in self._by_key}
        for (vhost, app), path in needed.items():
            if vhosts and vhost not in self._vhosts and _would_delete(vhost, api, context):
                expected = (
                    f"expected a virtual host that {named('vhosts')} lists, because {named('purge_vhosts')} "
                    f"deletes {vhost!r}"
                )
                raise BadInput(f"{path}.vhost", expected)
            if not apps or app is None or vhost not in purged or Key(vhost, app) in self._by_key:
                continue
            if _would_delete(vhost, api, context) and api.read_application(vhost, app) is not None:
                expected = (
                    f"expected an application that is listed, because {named('purge_applications')} deletes "
                    f"'{vhost}/{app}'"
                )
                raise BadInput(f"{path}.app", expected)


def _would_delete(vhost: str, api: SharedReads, context: Context) -> bool:
    """Read whether a virtual host exists that a purge can change; check mode relies on how it looks."""
    raw = api.read_virtual_host(vhost)
    if raw is None or virtual_host.looks_read_only(raw):
        return False
    context.keep_secrets(VIRTUAL_HOST, VIRTUAL_HOST.from_wire(raw))
    return context.check_mode or not Snapshots(api, context).probe_read_only(vhost)
