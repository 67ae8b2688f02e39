# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects of the API, declared once as fields.

A resource is an :class:`Object` with fields. Its declaration defines the argument spec of its modules, translation to
wire names and back, validation, comparison, masking and merging. A resource has three forms:

option form
    what users write and info modules return: snake_case, lists instead of comma-separated text.
specified form
    the option form without omitted options (None).
wire form
    the JSON of the API.

Releases have renamed and added fields, and changed defaults. A declaration contains all of that and writes the newest
spelling; :meth:`Object.at` returns the declaration for one version. All spellings are read, whatever the version.
"""

from __future__ import annotations

import typing as t

from .._core.errors import BadInput
from .._core.secret_store import SecretStore
from .._core.server_version import Changed, Version
from .extra import EXTRA, Extra
from .fields import Difference, Field, mask_each_changed, needs


class Object(Field):
    """A dictionary with declared fields."""

    type = "dict"

    def __init__(
        self,
        option: str,
        wire: str | Changed | None = None,
        *,
        fields: t.Sequence[Field],
        extra: bool | t.Callable[[t.Sequence[Field]], Extra] = False,
        presence_keyed: bool = False,
        short: str = "",
        shorthands: t.Sequence[Shorthand] = (),
        **kwargs: t.Any,
    ) -> None:
        """Declare an object; ``extra`` passes undeclared keys through, under the option `extra`; it can be a class
        that compares them in its own way.

        ``presence_keyed``: each nested object, even an empty one, switches something on by its presence, like the
        providers of an application. One that the server has and the user does not list is a difference. ``short`` is
        the option that stands for the whole object, see :mod:`.option_forms`. ``shorthands`` are options that stand for
        values of fields.
        """
        super().__init__(option, wire, **kwargs)
        self.fields = {field.option: field for field in fields}
        if extra:
            self.fields[EXTRA] = extra(fields) if callable(extra) else Extra(fields)
        self.presence_keyed = presence_keyed
        self.short = short
        self.shorthands = {one.option: one for one in shorthands}
        self._index()
        self._varied = any(field.depends_on_version for field in self.fields.values())
        self._at: dict[Version, Object] = {}

    def _index(self) -> None:
        """Index the fields by all of their JSON names, the newest first."""
        self._by_wire = {wire: field for field in self.fields.values() if field.option != EXTRA for wire in field.wires}

    def at(self, version: Version) -> Object:
        """Return the declaration for a server version; the same object if no release differs in it."""
        if not self.depends_on_version:
            return self
        if version not in self._at:
            declaration: Object = super().at(version)
            declaration.fields = {option: field.at(version) for option, field in self.fields.items()}
            declaration._index()
            self._at[version] = declaration
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

    def too_new(self, value: t.Any, version: Version, path: str = "") -> list[str]:
        """Return which releases the options in ``value`` (option form) need that a version does not know."""
        return [needs(option, field) for option, field in self.versioned(value, path) if not field.known_to(version)]

    def fields_named(self, key: str, path: str = "") -> t.Iterator[tuple[str, Field]]:
        """Yield (full option path, field) for every field at any level with the JSON name ``key``."""
        prefix = f"{path}." if path else ""
        for field in self.fields.values():
            if key in field.wires and field.option != EXTRA:
                yield prefix + field.option, field
            inner = field.element if isinstance(field, ObjectList) else field
            if isinstance(inner, Object):
                suffix = "[]" if isinstance(field, ObjectList) else ""
                yield from inner.fields_named(key, prefix + field.option + suffix)

    def drop_old_spellings(self, raw: t.Any) -> t.Any:
        """Return a value in wire form without the older spelling of each field that has two."""
        if not isinstance(raw, dict):
            return raw
        value = {}
        for key, item in raw.items():
            field = self._by_wire.get(key)
            if field is None:
                value[key] = item
            elif key == next((wire for wire in field.wires if raw.get(wire) is not None), None):
                value[key] = field.drop_old_spellings(item) if isinstance(field, (Object, ObjectList)) else item
        return value

    def spec(self) -> dict[str, t.Any]:
        # An object is no secret, even one named `pass`; each of its fields has its own no_log.
        return {"type": self.type, "required": self.required, "no_log": False, "options": self.options()}

    def options(self) -> dict[str, t.Any]:
        """Return the argument specs of the fields and shorthands."""
        return {option: field.spec() for option, field in {**self.fields, **self.shorthands}.items()}

    def specified(self, values: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the specified form: without omitted options at every level, and without undeclared options.

        Shorthands are written out. One with an invalid value stays, for :meth:`validate`.
        """
        found = {
            option: self._specified_value(field, values[option])
            for option, field in self.fields.items()
            if values.get(option) is not None
        }
        for option, shorthand in self.shorthands.items():
            if values.get(option) is not None:
                found = shorthand.written_out(shorthand.specified(values[option]), found)
        return found

    @staticmethod
    def _specified_value(field: Field, value: t.Any) -> t.Any:
        if isinstance(field, ObjectList):
            return [field.element.specified(item) for item in value]
        return field.specified(value) if isinstance(field, (Object, Extra)) else value

    def _nested_objects(self, value: t.Any) -> dict[str, t.Any]:
        """Return the nested objects of a presence-keyed value (option form) by wire name, those in `extra` included."""
        if not self.presence_keyed or not isinstance(value, dict):
            return {}
        found = {
            field.wire: value[field.option]
            for field in self.fields.values()
            if isinstance(field, Object) and isinstance(value.get(field.option), dict)
        }
        return {**found, **{key: item for key, item in (value.get(EXTRA) or {}).items() if isinstance(item, dict)}}

    def _presence_differences(self, desired: t.Any, current: t.Any) -> t.Iterator[tuple[str, t.Any, t.Any]]:
        """Yield (option path, current value, desired value) for nested objects that only one side has."""
        before, after = self._nested_objects(current), self._nested_objects(desired)
        options = {field.wire: field.option for field in self.fields.values()}
        for wire in [*after, *before]:
            if (wire in before) != (wire in after):
                yield options.get(wire, f"{EXTRA}.{wire}"), before.get(wire), after.get(wire)

    def _pairs(self, desired: t.Mapping[str, t.Any], current: t.Any) -> t.Iterator[tuple[Field, t.Any, t.Any]]:
        """Yield (field, desired value, current value) for each desired option."""
        current = current if isinstance(current, dict) else {}
        for option, value in desired.items():
            yield self.fields[option], value, current.get(option)

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        if any(self._presence_differences(desired, current)):
            return False
        return all(field.equal(value, before) for field, value, before in self._pairs(desired, current))

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
        """Return an option form as the server will return it."""
        return self.from_wire(self.to_wire(value))

    def unknown(self, raw: t.Any, path: str = "") -> list[str]:
        """Return the paths (wire form) of keys that this collection neither declares nor passes through."""
        if not isinstance(raw, dict):
            return []
        found = []
        for key, value in raw.items():
            field = self._by_wire.get(key)
            if field is None:
                found += [] if EXTRA in self.fields else [f"{path}{key}"]
            elif isinstance(field, ObjectList) and isinstance(value, list):
                for index, item in enumerate(value):
                    found += field.element.unknown(item, f"{path}{key}[{index}].")
            elif isinstance(field, Object):
                found += field.unknown(value, f"{path}{key}.")
        return found

    def mask(self, value: t.Any) -> t.Any:
        if not isinstance(value, dict):
            return value
        return {option: self.fields[option].mask(item) for option, item in value.items()}

    def mask_changed(self, value: t.Any, current: t.Any) -> t.Any:
        return {field.option: field.mask_changed(item, before) for field, item, before in self._pairs(value, current)}

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        for option, item in (value or {}).items():
            if option not in self.shorthands:
                self.fields[option].collect_secrets(item, secrets)

    def validate(self, value: t.Any, path: str) -> None:
        prefix = f"{path}." if path else ""
        for option, item in value.items():
            (self.shorthands.get(option) or self.fields[option]).validate(item, prefix + option)
        super().validate(value, path)

    def doubts(self, value: t.Any, path: str) -> t.Iterator[tuple[str, t.Any, str]]:
        yield from super().doubts(value, path)
        for option, item in value.items():
            yield from self.fields[option].doubts(item, f"{path}.{option}" if path else option)

    def difference(self, desired: t.Any, current: t.Any, path: str = "") -> t.Iterator[Difference]:
        prefix = f"{path}." if path else ""
        one_sided = {option: (before, value) for option, before, value in self._presence_differences(desired, current)}
        for option, (before, value) in one_sided.items():
            field = self.fields.get(option, self.fields.get(EXTRA, self))
            yield Difference(prefix + option, field.mask(before), field.mask(value))
        for field, value, before in self._pairs(desired, current):
            if field.option == EXTRA:
                value = {key: item for key, item in value.items() if f"{EXTRA}.{key}" not in one_sided}
            if field.option not in one_sided:
                yield from field.difference(value, before, prefix + field.option)

    def merge(self, desired: t.Any, current: t.Any) -> t.Any:
        merged = dict(current) if isinstance(current, dict) else {}
        for option, _before, value in self._presence_differences(desired, current):
            if value is None and option in merged:
                del merged[option]
        for field, value, before in self._pairs(desired, current):
            merged[field.option] = field.merge(value, before)
        if self.presence_keyed and EXTRA in merged:  # Unlisted nested objects are removed from `extra` too.
            listed = self._nested_objects(desired)
            merged[EXTRA] = {
                key: item for key, item in merged[EXTRA].items() if key in listed or not isinstance(item, dict)
            }
        return merged


class Shorthand(Object):
    """An object that users write in place of values of other options, which the server knows."""

    def replaced(self, value: t.Mapping[str, t.Any], beside: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options around a valid value with those that it stands for.

        ``beside`` are the other options there, in specified form. They win.
        """
        raise NotImplementedError

    def written_out(self, value: t.Mapping[str, t.Any], beside: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return what :meth:`replaced` returns; the options as they are if the value is invalid."""
        try:
            self.validate(value, self.option)
        except BadInput:
            return {**beside, self.option: value}
        return self.replaced(value, beside)


class ObjectList(Field):
    """A list of objects whose order is significant, such as origins: the server uses the first that matches."""

    type = "list"
    short_items: tuple[t.Any, ...] = (dict,)

    def __init__(
        self,
        option: str,
        wire: str | Changed | None = None,
        *,
        fields: t.Sequence[Field],
        identity: str,
        extra: bool = False,
        shorthands: t.Sequence[Shorthand] = (),
        **kwargs: t.Any,
    ) -> None:
        """Declare a list; entries are merged by the field ``identity``; the others are as for :class:`Object`."""
        super().__init__(option, wire, **kwargs)
        self.element = Object(option, wire, fields=fields, extra=extra, shorthands=shorthands)
        self.identity = identity

    def at(self, version: Version) -> ObjectList:
        field: ObjectList = super().at(version)
        field.element = self.element.at(version)
        return field

    @property
    def depends_on_version(self) -> bool:
        return self.element.depends_on_version or super().depends_on_version

    def versioned(self, value: t.Any, path: str) -> t.Iterator[tuple[str, Field]]:
        yield from super().versioned(value, path)
        if self.element.depends_on_version and isinstance(value, list):
            for index, item in enumerate(value):
                for inner, field in self.element.versioned(item):
                    yield f"{path}[{index}].{inner}", field

    def drop_old_spellings(self, raw: t.Any) -> t.Any:
        """Return a list in wire form without the older spelling of each field that has two."""
        return [self.element.drop_old_spellings(item) for item in raw] if isinstance(raw, list) else raw

    def spec(self) -> dict[str, t.Any]:
        return {"type": "list", "elements": "dict", "required": self.required, "options": self.element.options()}

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        current = current or []
        return len(desired) == len(current) and all(
            self.element.equal(value, before) for value, before in zip(desired, current)
        )

    def to_wire(self, value: t.Any) -> t.Any:
        return [self.element.to_wire(item) for item in value]

    def from_wire(self, raw: t.Any) -> t.Any:
        return [self.element.from_wire(item) for item in raw] if isinstance(raw, list) else []

    def mask(self, value: t.Any) -> t.Any:
        return [self.element.mask(item) for item in value] if isinstance(value, list) else value

    def mask_changed(self, value: t.Any, current: t.Any) -> t.Any:
        return mask_each_changed(self.element.mask_changed, value, current) if isinstance(value, list) else value

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        for item in value or []:
            self.element.collect_secrets(item, secrets)

    def validate(self, value: t.Any, path: str) -> None:
        seen: set[t.Any] = set()
        for index, item in enumerate(value):
            self.element.validate(item, f"{path}[{index}]")
            identity = item.get(self.identity)
            if identity is not None and identity in seen:
                raise BadInput(
                    f"{path}[{index}].{self.identity}", f"expected each {self.identity} once, got {identity!r} again"
                )
            seen.add(identity)

    def doubts(self, value: t.Any, path: str) -> t.Iterator[tuple[str, t.Any, str]]:
        for index, item in enumerate(value):
            yield from self.element.doubts(item, f"{path}[{index}]")

    def difference(self, desired: t.Any, current: t.Any, path: str) -> t.Iterator[Difference]:
        current = current or []
        if len(desired) != len(current):
            yield Difference(path, self.mask(current), self.mask(desired))
            return
        for index, (value, before) in enumerate(zip(desired, current)):
            yield from self.element.difference(value, before, f"{path}[{index}]")

    def merge(self, desired: t.Any, current: t.Any) -> t.Any:
        known = {item[self.identity]: item for item in current or [] if self.identity in item}
        return [self.element.merge(item, known.get(item.get(self.identity))) for item in desired]
