# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the comparisons of all kinds of objects inside of applications share."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from .._api.client import Api
from .._core.context import Context
from .._core.errors import OmeError
from .._core.server_version import Version
from .._resources.kind import Key, Kind, key_of
from .._schema.validators import is_addressable
from .applications import Applications
from .findings import DRIFT, WARNING, Collector, Desired


@dataclasses.dataclass(eq=False, repr=False)  # a representation would show secrets
class KindAudit:
    """Reads the objects of one kind on a server, and compares them with the list."""

    _api: Api
    _context: Context
    _desired: Desired
    _collector: Collector
    _applications: Applications
    _kind: Kind
    _skipped: set[tuple[str, str]] = dataclasses.field(init=False, default_factory=set)
    entries: list[dict[str, t.Any]] = dataclasses.field(init=False, default_factory=list)
    """What results say of each object that is listed or was found."""

    @functools.cached_property
    def _objects(self) -> dict[Key, t.Mapping[str, t.Any]]:
        """The listed objects."""
        return {key_of(value): value for value in getattr(self._desired, self._kind.option)}

    def read_files(self) -> None:
        """Read what files have of the listed objects."""

    def check_desired(self) -> None:
        """Report listed objects that are valid but may not do what was meant."""

    def read(self, vhost: str, app: str, raw: t.Any, *, present: bool) -> None:
        """Read the objects of an application, and what it lacks for those that it does not have.

        ``raw`` is the application in wire form; None if it was not read yet. ``present`` says whether it is on the
        server. Raises OmeError if no further request can succeed.
        """
        raise NotImplementedError

    def needed_streams(self) -> t.Iterable[Key]:
        """Return the streams of which :meth:`compare` needs to know whether they are live."""
        raise NotImplementedError

    def second_look(self) -> list[t.Callable[[], None]]:
        """Return the calls that read again what runs or should run."""
        raise NotImplementedError

    def compare(self, version: Version) -> None:
        """Report what is missing, not as listed, not listed or at fault, and make the entries of the result."""
        raise NotImplementedError

    def scopes(self) -> set[tuple[str, str]]:
        """Return virtual host and application of the listed objects."""
        return {key.scope for key in self._objects}

    def skip_unlisted(self, applications: t.Iterable[tuple[str, str]]) -> None:
        """Report no unlisted objects of these applications, because they are reported with all that is in them."""
        self._skipped.update(applications)

    def _listed(self, scope: tuple[str, str]) -> list[Key]:
        """Return the keys of the listed objects of an application, sorted."""
        return sorted(key for key in self._objects if key.scope == scope)

    def _is_listed(self, key: Key) -> bool:
        """Return whether the list has an object, or an invalid entry for it."""
        return key in self._objects or (self._kind.option, *key) in self._desired.referenced_keys

    def _title(self, key: Key) -> str:
        return f"{self._kind.title} {key}"

    def _place(self, key: Key) -> dict[str, str]:
        """Return the fields of a finding that identify an object."""
        return {"vhost": key.vhost, "application": key.app, self._kind.place: key.name}

    def _add_unlisted(self, key: Key) -> None:
        """Report an object that is not listed, unless that is reported with its application."""
        if key.scope in self._skipped:
            return
        if is_addressable(key.name):
            text = f"{self._title(key)} is on the server and not listed."
            self._collector.add(DRIFT, "not_listed", text, **self._place(key))
        else:
            self._collector.add(WARNING, "unaddressable", self._kind.unaddressable(key), **self._place(key))

    def _add_blocked(self, error: OmeError, keys: t.Sequence[Key]) -> None:
        """Report listed objects that their application cannot have, with the error that a task would get."""
        names = [key.name for key in keys]
        self._collector.add_blocked(error, self._title(keys[0]), f"{self._kind.what}s", names, **self._place(keys[0]))
