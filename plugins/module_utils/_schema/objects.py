# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields of the API's resources, declared once.

A resource is a :class:`Group` of fields. From this one declaration come the argument spec of its modules, the
translation between option names and wire names, validation, comparison, masking and merging. Three forms of a
resource occur:

option form
    what the user writes and info modules return: snake_case, lists where the API has comma-separated text.
specified form
    the option form without what was left out (None).
wire form
    what the API takes and sends.

Releases of the server have renamed fields, added fields and changed defaults. A declaration holds all of that. As
declared, it writes the newest spelling; :meth:`Group.at` returns it as one version of the server knows it. Every
spelling is read, whatever the version.
"""

from __future__ import annotations

import typing as t

from .._core.errors import BadInput
from .._core.secrets import SecretStore
from .._core.server_version import Changed, Version
from .collections import mask_each_after
from .extra import EXTRA, Extra
from .fields import Difference, Field


class Object(Field):
    """A dictionary of fields."""

    type = "dict"

    def __init__(
        self,
        option: str,
        wire: str | Changed | None = None,
        *,
        fields: t.Sequence[Field],
        extra: bool = False,
        members: bool = False,
        **kwargs: t.Any,
    ) -> None:
        """``extra`` lets keys through that are not declared, under an option of this name.

        ``members`` says that the groups among the fields are a set: each turns something on by being there, be it
        empty, so that one that is there and not listed is a difference.
        """
        super().__init__(option, wire, **kwargs)
        self.fields = {field.option: field for field in fields}
        if extra:
            self.fields[EXTRA] = Extra(fields)
        self.members = members
        self._index()
        self._varied = any(field.depends_on_version for field in self.fields.values())
        self._at: dict[Version, Object] = {}

    def _index(self) -> None:
        """Look the fields up by all of their JSON names, the newest first."""
        self._by_wire = {wire: field for field in self.fields.values() if field.option != EXTRA for wire in field.wires}

    def at(self, version: Version) -> Object:
        """Return the group as a version of the server knows it; the group itself if no release differs in it."""
        if not self.depends_on_version:
            return self
        if version not in self._at:
            group: Object = super().at(version)
            group.fields = {option: field.at(version) for option, field in self.fields.items()}
            group._index()
            self._at[version] = group
        return self._at[version]

    @property
    def depends_on_version(self) -> bool:
        return self._varied or super().depends_on_version

    def versioned(self, value: t.Any, path: str = "") -> t.Iterator[tuple[str, Field]]:
        if path:
            yield from super().versioned(value, path)
        if self._varied and isinstance(value, dict):
            prefix = f"{path}." if path else ""
            for option, item in value.items():
                yield from self.fields[option].versioned(item, prefix + option)

    def named(self, key: str, path: str = "") -> t.Iterator[tuple[str, Field]]:
        """Yield the full option path and the field for every field, at any level, that has ``key`` among its JSON
        names.
        """
        prefix = f"{path}." if path else ""
        for field in self.fields.values():
            if key in field.wires and field.option != EXTRA:
                yield prefix + field.option, field
            inner = field.group if isinstance(field, ObjectList) else field
            if isinstance(inner, Object):
                yield from inner.named(key, prefix + field.option + ("[]" if isinstance(field, ObjectList) else ""))

    def each_once(self, raw: t.Any) -> t.Any:
        """Return a value in wire form in which no field has two spellings: of two the newest stays."""
        if not isinstance(raw, dict):
            return raw
        kept = {}
        for key, value in raw.items():
            field = self._by_wire.get(key)
            if field is None:
                kept[key] = value
            elif key == next((wire for wire in field.wires if raw.get(wire) is not None), None):
                kept[key] = field.each_once(value) if isinstance(field, (Object, ObjectList)) else value
        return kept

    def spec(self) -> dict[str, t.Any]:
        # Not a secret itself, although `pass` sounds like one; its fields speak for themselves.
        return {"type": self.type, "required": self.required, "no_log": False, "options": self.options()}

    def options(self) -> dict[str, t.Any]:
        """The argument specs of the fields."""
        return {option: field.spec() for option, field in self.fields.items()}

    def specified(self, values: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """The specified form: what the user left out is gone, at every level, and so are options of other groups."""
        return {
            option: self._given_value(field, values[option])
            for option, field in self.fields.items()
            if values.get(option) is not None
        }

    @staticmethod
    def _given_value(field: Field, value: t.Any) -> t.Any:
        if isinstance(field, ObjectList):
            return [field.group.specified(item) for item in value]
        return field.specified(value) if isinstance(field, (Object, Extra)) else value

    def _members_of(self, value: t.Any) -> dict[str, t.Any]:
        """The members of a value by their wire names; each with the group's or the extra part's value."""
        if not self.members or not isinstance(value, dict):
            return {}
        found = {
            field.wire: value[field.option]
            for field in self.fields.values()
            if isinstance(field, Object) and isinstance(value.get(field.option), dict)
        }
        return {**found, **{key: item for key, item in (value.get(EXTRA) or {}).items() if isinstance(item, dict)}}

    def _member_differences(self, desired: t.Any, present: t.Any) -> t.Iterator[tuple[str, t.Any, t.Any]]:
        """Members that are only on one side: option path, value there, value wanted."""
        there, here = self._members_of(present), self._members_of(desired)
        options = {field.wire: field.option for field in self.fields.values()}
        for wire in [*here, *there]:
            if (wire in there) != (wire in here):
                yield options.get(wire, f"{EXTRA}.{wire}"), there.get(wire), here.get(wire)

    def _pairs(self, desired: t.Mapping[str, t.Any], present: t.Any) -> t.Iterator[tuple[Field, t.Any, t.Any]]:
        present = present if isinstance(present, dict) else {}
        for option, value in desired.items():
            yield self.fields[option], value, present.get(option)

    def equal(self, desired: t.Any, present: t.Any) -> bool:
        if any(self._member_differences(desired, present)):
            return False
        return all(field.equal(value, there) for field, value, there in self._pairs(desired, present))

    def to_wire(self, value: t.Any) -> t.Any:
        wire = {
            self.fields[option].wire: self.fields[option].to_wire(item)
            for option, item in value.items()
            if option != EXTRA
        }
        return {**wire, **value.get(EXTRA, {})}

    def from_wire(self, raw: t.Any) -> dict[str, t.Any]:
        if not isinstance(raw, dict):
            return {}
        value = {}
        for wire, field in self._by_wire.items():
            if raw.get(wire) is not None and field.option not in value:
                value[field.option] = field.from_wire(raw[wire])
        extra = (
            {key: item for key, item in raw.items() if key not in self._by_wire and item is not None}
            if EXTRA in self.fields
            else {}
        )
        return {**value, **({EXTRA: self.fields[EXTRA].from_wire(extra)} if extra else {})}

    def as_stored(self, value: t.Any) -> dict[str, t.Any]:
        """The option form as the server will return it."""
        return self.from_wire(self.to_wire(value))

    def unknown(self, raw: t.Any, path: str = "") -> list[str]:
        """Wire paths that a server sent and this collection does not know."""
        if not isinstance(raw, dict):
            return []
        found = []
        for key, value in raw.items():
            field = self._by_wire.get(key)
            if field is None:
                found += [] if EXTRA in self.fields else [f"{path}{key}"]
            elif isinstance(field, ObjectList) and isinstance(value, list):
                for index, item in enumerate(value):
                    found += field.group.unknown(item, f"{path}{key}[{index}].")
            elif isinstance(field, Object):
                found += field.unknown(value, f"{path}{key}.")
        return found

    def mask(self, value: t.Any) -> t.Any:
        return (
            {option: self.fields[option].mask(item) for option, item in value.items()}
            if isinstance(value, dict)
            else value
        )

    def mask_after(self, value: t.Any, present: t.Any) -> t.Any:
        return {field.option: field.mask_after(item, there) for field, item, there in self._pairs(value, present)}

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        for option, item in (value or {}).items():
            self.fields[option].collect_secrets(item, secrets)

    def validate(self, value: t.Any, path: str) -> None:
        prefix = f"{path}." if path else ""
        for option, item in value.items():
            self.fields[option].validate(item, prefix + option)
        super().validate(value, path)

    def difference(self, desired: t.Any, present: t.Any, path: str = "") -> t.Iterator[Difference]:
        prefix = f"{path}." if path else ""
        one_sided = {option: (there, value) for option, there, value in self._member_differences(desired, present)}
        for option, (there, value) in one_sided.items():
            field = self.fields.get(option, self.fields.get(EXTRA, self))
            yield Difference(prefix + option, field.mask(there), field.mask(value))
        for field, value, there in self._pairs(desired, present):
            if field.option == EXTRA:
                value = {key: item for key, item in value.items() if f"{EXTRA}.{key}" not in one_sided}
            if field.option not in one_sided:
                yield from field.difference(value, there, prefix + field.option)

    def merge(self, desired: t.Any, present: t.Any) -> t.Any:
        merged = dict(present) if isinstance(present, dict) else {}
        for option, _there, value in self._member_differences(desired, present):
            if value is None and option in merged:
                del merged[option]
        for field, value, there in self._pairs(desired, present):
            merged[field.option] = field.merge(value, there)
        if self.members and EXTRA in merged:  # members that are not listed go, wherever they are kept
            listed = self._members_of(desired)
            merged[EXTRA] = {
                key: item for key, item in merged[EXTRA].items() if key in listed or not isinstance(item, dict)
            }
        return merged


class ObjectList(Field):
    """A list of dictionaries whose order means something, as that of origins: the first that matches is taken."""

    type = "list"

    def __init__(
        self,
        option: str,
        wire: str | Changed | None = None,
        *,
        fields: t.Sequence[Field],
        identity: str,
        extra: bool = False,
        **kwargs: t.Any,
    ) -> None:
        """``identity`` is the field by which an entry is known again when it is merged; ``extra`` as for a group."""
        super().__init__(option, wire, **kwargs)
        self.group = Object(option, wire, fields=fields, extra=extra)
        self.identity = identity

    def at(self, version: Version) -> ObjectList:
        field: ObjectList = super().at(version)
        field.group = self.group.at(version)
        return field

    @property
    def depends_on_version(self) -> bool:
        return self.group.depends_on_version or super().depends_on_version

    def versioned(self, value: t.Any, path: str) -> t.Iterator[tuple[str, Field]]:
        yield from super().versioned(value, path)
        if self.group.depends_on_version and isinstance(value, list):
            for index, item in enumerate(value):
                for inner, field in self.group.versioned(item):
                    yield f"{path}[{index}].{inner}", field

    def each_once(self, raw: t.Any) -> t.Any:
        """Return a list in wire form in which no field of an entry has two spellings."""
        return [self.group.each_once(item) for item in raw] if isinstance(raw, list) else raw

    def spec(self) -> dict[str, t.Any]:
        return {"type": "list", "elements": "dict", "required": self.required, "options": self.group.options()}

    def equal(self, desired: t.Any, present: t.Any) -> bool:
        present = present or []
        return len(desired) == len(present) and all(
            self.group.equal(value, there) for value, there in zip(desired, present)
        )

    def to_wire(self, value: t.Any) -> t.Any:
        return [self.group.to_wire(item) for item in value]

    def from_wire(self, raw: t.Any) -> t.Any:
        return [self.group.from_wire(item) for item in raw] if isinstance(raw, list) else []

    def mask(self, value: t.Any) -> t.Any:
        return [self.group.mask(item) for item in value] if isinstance(value, list) else value

    def mask_after(self, value: t.Any, present: t.Any) -> t.Any:
        return mask_each_after(self.group.mask_after, value, present) if isinstance(value, list) else value

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        for item in value or []:
            self.group.collect_secrets(item, secrets)

    def validate(self, value: t.Any, path: str) -> None:
        seen: set[t.Any] = set()
        for index, item in enumerate(value):
            self.group.validate(item, f"{path}[{index}]")
            identity = item.get(self.identity)
            if identity is not None and identity in seen:
                raise BadInput(
                    f"{path}[{index}].{self.identity}", f"expected each {self.identity} once, got {identity!r} again"
                )
            seen.add(identity)

    def difference(self, desired: t.Any, present: t.Any, path: str) -> t.Iterator[Difference]:
        present = present or []
        if len(desired) != len(present):
            yield Difference(path, self.mask(present), self.mask(desired))
            return
        for index, (value, there) in enumerate(zip(desired, present)):
            yield from self.group.difference(value, there, f"{path}[{index}]")

    def merge(self, desired: t.Any, present: t.Any) -> t.Any:
        known = {item[self.identity]: item for item in present or [] if self.identity in item}
        return [self.group.merge(item, known.get(item.get(self.identity))) for item in desired]
