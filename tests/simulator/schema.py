# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys a virtual host and an application take, and what is kept of a posted one.

The keys come from the tables in tests/wire/keys, those of the rest of Server.xml from ``server_keys.json``. The rules
are those of the server's configuration: keys that it does not know are refused at every level, null is absence, scalars
are kept with the type that they had (server-facts: Virtual hosts). :mod:`.config_xml` reads XML by the same items.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Union

from . import values
from .errors import ConfigError

SCALAR = "scalar"
MEMBER = "[]"
"""The suffix of the path of a list in the paths of its members."""
KEYS = Path(__file__).resolve().parents[1] / "wire" / "keys"
"""The tables of the keys that each version takes."""
SERVER_KEYS = Path(__file__).with_name("server_keys.json")
"""The keys of Server.xml outside of its virtual hosts, read in the source of the versions, in the order in which it
registers them. The form is that of the other tables; ``versions`` says which versions have a row, without it all do.
"""

Kind = Union[str, "Item", "ListOf"]


@dataclass(frozen=True)
class Field:
    """One key of an item."""

    kind: Kind = SCALAR
    required: bool = False
    check: Callable[[Any], str | None] | None = None
    """Gives the words of the refusal, or None."""
    xml: str = ""
    """Name of the element in a configuration file."""
    type: str = "text"
    """Type of a scalar: a name of the tables."""


@dataclass(frozen=True)
class ListOf:
    """An array. ``bare``: the array replaces the item that holds it, as ``host.names`` does."""

    kind: Kind = SCALAR
    bare: bool = False


@dataclass(frozen=True)
class Item:
    """An object, with its keys in the order in which the server looks at them.

    ``open``: other keys are kept as posted.
    """

    fields: dict[str, Field] = field(default_factory=dict)
    open: bool = False
    check: Callable[[dict[str, Any]], None] | None = None
    """Raises ConfigError for values that do not fit together."""

    def inside(self, name: str) -> Item:
        """Return the object of a key that holds one."""
        kind = self.fields[name].kind
        assert isinstance(kind, Item)
        return kind


def accept(value: Any, item: Item, path: str) -> dict[str, Any]:
    """Take a posted object.

    :param value: the JSON value.
    :param item: the keys that it may have.
    :param path: what error texts call it: ``virtualHost`` or ``application``.
    :returns: what a read gives back: the posted keys without those that were null.
    :raises ConfigError: an unknown key at any level, or a required one that is missing.
    """
    result: dict[str, Any] = _accept_item(value, item, path, False)
    return result


def _accept_item(value: Any, item: Item, path: str, lenient: bool) -> Any:
    # The server walks the keys in alphabetical order, so the first in that order is the one it names.
    unknown = sorted(key for key in value if key not in item.fields and key != "$") if isinstance(value, dict) else []
    if unknown and not item.open:
        raise ConfigError(f"Unknown item found: {path}.{unknown[0]}")
    result: Any = {key: value[key] for key in unknown if value[key] is not None}
    for key, entry in item.fields.items():
        kept = _accept_field(value, key, entry, path, lenient or not entry.required)
        if kept is None:
            continue
        if isinstance(entry.kind, ListOf) and entry.kind.bare:
            return kept
        result[key] = kept
    if item.check is not None:
        item.check(result)
    return result


def _accept_field(parent: Any, key: str, entry: Field, path: str, lenient: bool) -> Any:
    own_path = f"{path}.{key}"
    if isinstance(entry.kind, ListOf):
        kept = _accept_list(parent, key, entry.kind)
    else:
        value = parent.get(key) if isinstance(parent, dict) else None
        if value is None:
            kept = None
        elif isinstance(entry.kind, Item):
            # A part that is optional makes everything under it optional: only "name" is really enforced.
            kept = _accept_item(value, entry.kind, own_path, lenient)
        else:
            kept = value
    if kept is None:
        if not lenient:
            raise ConfigError(f"{own_path} is not optional")
        return None
    problem = entry.check(kept) if entry.check is not None else None
    if problem is not None:
        raise ConfigError(problem)
    return kept


def _accept_list(parent: Any, key: str, kind: ListOf) -> list[Any] | None:
    if isinstance(parent, list):
        if not kind.bare:
            raise ConfigError(f"{key} is not an array")
        values: Any = parent
    else:
        values = parent.get(key) if isinstance(parent, dict) else None
    if values is None:
        return None
    if not isinstance(values, list):
        raise ConfigError(f"Child {key} is not an array")
    if isinstance(kind.kind, Item):
        # Members are named after the list alone in error texts, and enforce what they require.
        return [_accept_item(value, kind.kind, key, False) for value in values]
    return [value for value in values if value is not None]


def as_text(value: Any) -> str:
    """Return a scalar as the server reads it if it needs a string; types are coerced silently."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def _port(value: Any) -> str | None:
    """Check one port (SingularPort::SetPort [read]): a number, and the kind of socket after a slash."""
    text = as_text(value)
    number, slash, kind = text.strip().partition("/")
    if not _is_port(number):
        return f"Invalid port: {text}"
    return f"Unknown socket type: {text}" if slash and kind.strip().upper() not in ("TCP", "UDP", "SRT") else None


def _ports(value: Any) -> str | None:
    """Check ports and ranges of them (RangedPort::SetPort [read])."""
    for part in as_text(value).strip().partition("/")[0].split(","):
        ends = part.strip().split("-")
        if len(ends) > 2:
            return f"Invalid port expression: {part.strip()}"
        if not all(map(_is_port, ends)) or int(ends[0]) > int(ends[-1]):
            return f"Invalid port{' range' if len(ends) == 2 else ''}: {part.strip()}"
    return None


def _is_port(text: str) -> bool:
    return text.strip().isdecimal() and 0 < int(text) < 65536


def _redis_host(value: Any) -> str | None:
    text = as_text(value)
    return None if len(text.split(":")) == 2 else f"Invalid host format {text} > it must be host:port"


def _type_in(*known: str) -> Callable[[Any], str | None]:
    return lambda value: None if as_text(value) in known else f"Unknown type: {as_text(value)}"


_CHECKS: dict[str, Callable[[Any], str | None]] = {
    "type": _type_in("live", "vod"),
    "originMapStore.redisServer.host": _redis_host,
    "providers.mpegts.streams[].port": _ports,
}
"""What the server looks at beside the keys, by path."""
_SERVER_CHECKS = {
    "type": _type_in("origin", "edge"),
    "alert.rules.ingress.minBitrate": lambda value: values.bitrate(as_text(value), "MinBitrate"),
    "alert.rules.ingress.maxBitrate": lambda value: values.bitrate(as_text(value), "MaxBitrate"),
}
_RANGED = ("bind.providers.mpegts.", "bind.providers.srt.", "bind.publishers.srt.")
"""Where several ports can be given."""


class _Table:
    """One part of the table of a version.

    :param rows: the keys, in the order in which the server registers them; tests/wire/README.md describes them.
    :param overrides: fields that are not as the table has them, by path.
    :param takes_others: whether objects also take keys that are not in the table.
    :param checks: what the server looks at beside the keys, by path.
    """

    def __init__(
        self,
        rows: list[dict[str, Any]],
        overrides: Mapping[str, Field],
        takes_others: bool,
        checks: Mapping[str, Callable[[Any], str | None]],
    ) -> None:
        self._takes_others = takes_others
        self._checks = checks
        self._rows = {row["json"]: row for row in rows}
        self._overrides = overrides
        self._inside: dict[str, list[str]] = {}
        for path in self._rows:
            if not path.endswith(MEMBER):
                self._inside.setdefault(path.rpartition(".")[0], []).append(path)

    def item(self, path: str = "") -> Item:
        """Return an object; the empty path is the whole."""
        return Item(
            {inside.rpartition(".")[2]: self._field(inside) for inside in self._inside.get(path, ())},
            self._takes_others,
        )

    def _field(self, path: str) -> Field:
        row = self._rows[path]
        return self._overrides.get(path) or Field(
            self._kind(path), not row["optional"], self._checks.get(path), _last(row["xml"]), row["type"]
        )

    def _kind(self, path: str) -> Kind:
        row = self._rows[path]
        if row["type"] == "object":
            return self.item(path)
        if row["type"] != "list":
            return SCALAR
        member = self._rows[path + MEMBER]
        kind = self._kind(path + MEMBER)
        if member["xml"] == row["xml"]:
            return ListOf(kind)
        # The JSON leaves out the name that the members have in XML.
        return bare_list(_last(member["xml"]), kind, not member["optional"])


def bare_list(xml: str, kind: Kind, required: bool = False) -> Item:
    """Return an object that JSON writes as the array of its members. :param xml: what the members are called in XML."""
    return Item({xml[:1].lower() + xml[1:]: Field(ListOf(kind, bare=True), required, xml=xml)})


def _last(xml: str) -> str:
    return xml.rpartition(".")[2]


def _rows(version: str, part: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((KEYS / f"{version}.json").read_text(encoding="utf-8"))[part]
    return rows


@cache
def application(version: str, takes_others: bool = False) -> Item:
    """Return the keys of an application.

    :param version: name of a table in :data:`KEYS`.
    :param takes_others: whether keys that are not in the table are taken too.
    """
    item = _Table(_rows(version, "application"), {}, takes_others, _CHECKS).item()
    return replace(item, check=lambda app: values.refuse(app, version))


@cache
def virtual_host(version: str, takes_others: bool = False, requires_host_names: bool = False) -> Item:
    """Return the keys of a virtual host.

    :param version: name of a table in :data:`KEYS`.
    :param takes_others: whether keys that are not in the table are taken too.
    :param requires_host_names: as the contract documents it; real servers do not.
    """
    applications = bare_list("Application", application(version, takes_others))
    overrides = {"applications": Field(applications, xml="Applications")}
    item = _Table(_rows(version, "virtual_host"), overrides, takes_others, _CHECKS).item()
    return replace(item, fields={**item.fields, "host": replace(item.fields["host"], required=requires_host_names)})


@cache
def server(version: str, takes_others: bool = False) -> Item:
    """Return the keys of Server.xml.

    :param version: name of a table in :data:`KEYS`.
    :param takes_others: whether keys that are not in the table are taken too.
    """
    table = json.loads(SERVER_KEYS.read_text(encoding="utf-8"))["server"]
    rows = [row for row in table if version in row.get("versions", (version,))]
    checks = dict(_SERVER_CHECKS)
    for path in (row["json"] for row in rows if row["xml"].endswith("Port") and row["type"] == "text"):
        checks[path] = _ports if path.startswith(_RANGED) else _port
    item = _Table(rows, {}, takes_others, checks).item()
    hosts = bare_list("VirtualHost", virtual_host(version, takes_others), required=True)
    return replace(item, fields={**item.fields, "virtualHosts": Field(hosts, xml="VirtualHosts")})
