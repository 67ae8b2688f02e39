# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields of the API's resources, declared once.

A resource is a :class:`Group` of fields. From this one declaration come the argument spec of its modules, the
translation between option names and wire names, validation, comparison, masking and merging. Three forms of a
resource occur:

option form
    what the user writes and info modules return: snake_case, lists where the API has comma-separated text.
given form
    the option form without what was left out (None).
wire form
    what the API takes and sends.

Releases of the server have renamed fields, added fields and changed defaults. A declaration holds all of that. As
declared, it writes the newest spelling; :meth:`Group.at` returns it as one version of the server knows it. Every
spelling is read, whatever the version.
"""

from __future__ import annotations

import copy
import math
import re
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._secrets import MASK, SecretStore, mask_url
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._server_version import BEFORE_VERSION_CALL, Changed, Version, parse

# The option that holds what a server has, or takes, beyond the declared fields of a group.
EXTRA = "extra"
# Other names in a request could kill the server (server-facts: Virtual hosts), as it prints those that it does not know.
_EXTRA_KEY = re.compile(r"[A-Za-z0-9_]+")
_EXTRA_DEPTH = 16
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
# Names under which secrets are kept in parts of a resource that are not declared.
_SECRET_NAME = re.compile(r"secret|passw|passphrase|token|auth|credential|(?:^|[a-z0-9_])key$", re.IGNORECASE)

# Sizes, times and ports are smaller; a number of more digits under the name of a secret is one that was written without quotes.
_SMALLEST_CODE = 10**9

# A check takes a value and returns what was expected instead, or None where the value is fine.
Check = t.Callable[[t.Any], t.Optional[str]]


class Difference(t.NamedTuple):
    """One field that is not as wanted; secrets are masked already."""

    field: str
    before: t.Any
    after: t.Any


class Field:
    """One field: its option name, its wire name, and how its values behave."""

    type = "str"

    def __init__(
        self,
        option: str,
        wire: str | Changed | None = None,
        *,
        xml: str | None = None,
        secret: bool = False,
        required: bool = False,
        default: t.Any = None,
        since: str | None = None,
        until: str | None = None,
        instead: str | None = None,
        check: Check | None = None,
    ) -> None:
        """Declare a field.

        ``wire`` is its JSON name and ``xml`` its name in the server's configuration files, if that is not the JSON name with a capital.
        ``default`` is the server's own value if the field is absent: giving it is no difference to leaving it out. JSON name and default
        can be :class:`Changed`. ``since`` is the first release that knows the field, if that is later than 0.15.10, and
        ``until`` the last one; ``instead`` is the option that others have in its place.
        """
        self.option = option
        self._wire = wire or option
        self._default = default
        # All JSON names, the newest first.
        self.wires: tuple[str, ...] = (self._wire.new, self._wire.old) if isinstance(self._wire, Changed) else (self._wire,)
        self.wire: str = self.wires[0]
        self.xml = xml or "".join(part[:1].upper() + part[1:] for part in self.wires[-1].split("_"))
        self.secret = secret
        self.required = required
        self.default = default.new if isinstance(default, Changed) else default
        self.since: Version | None = parse(since) if since else None
        self.until: Version | None = parse(until) if until else None
        self.instead = instead
        self.check = check

    def at(self, version: Version) -> t.Any:
        """Return the field as a version of the server knows it: its JSON name and its default."""
        field = copy.copy(self)
        if isinstance(self._wire, Changed):
            field.wire = self._wire.at(version)
        if isinstance(self._default, Changed):
            field.default = self._default.at(version)
        return field

    @property
    def renamed(self) -> bool:
        """Whether releases spell the JSON name differently."""
        return len(self.wires) > 1

    @property
    def default_changed(self) -> bool:
        """Whether releases have different defaults."""
        return isinstance(self._default, Changed)

    @property
    def depends_on_version(self) -> bool:
        """Whether releases differ in this field or in one inside of it."""
        return self.renamed or self.default_changed or self.limited

    @property
    def limited(self) -> bool:
        """Whether some releases do not know this field."""
        return self.since is not None or self.until is not None

    def known_to(self, version: Version) -> bool:
        """Return whether a release knows this field; of a server without a version only what is certain counts against it."""
        too_new = self.until is not None and version > self.until and version != BEFORE_VERSION_CALL
        return not too_new and (self.since is None or self.since <= version)

    def versioned(self, value: t.Any, path: str) -> t.Iterator[tuple[str, Field]]:
        """Yield the full option path and the field for all that is given in ``value`` and depends on the server's version."""
        if self.renamed or self.default_changed or self.limited:
            yield path, self

    def spec(self) -> dict[str, t.Any]:
        """The argument spec of this field."""
        # Said for every field, as names such as policy_query_key_name look like secrets and are none.
        return {"type": self.type, "required": self.required, "no_log": self.secret}

    def normal(self, value: t.Any) -> t.Any:
        """The value in the form in which two spellings of the same are equal. Never fails: servers send all kinds of things."""
        return "" if value is None else str(value)

    def equal(self, wanted: t.Any, present: t.Any) -> bool:
        """Whether the value on the server is as wanted; absent counts as the server's default."""
        return bool(self.normal(wanted) == self.normal(self.default if present is None else present))

    def to_wire(self, value: t.Any) -> t.Any:
        """Option form to wire form."""
        return value

    def from_wire(self, raw: t.Any) -> t.Any:
        """Wire form to option form."""
        return self.normal(raw)

    def mask(self, value: t.Any) -> t.Any:
        """The value as it may be shown."""
        return MASK if self.secret and value not in (None, "") else value

    def mask_after(self, value: t.Any, present: t.Any) -> t.Any:
        """The value as it may be shown beside the one before it: where only the masked part differs, this is seen without being shown."""
        masked = self.mask(value)
        return f"{masked} (changed)" if masked == self.mask(present) and not self.equal(value, present) else masked

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        """Remembers what must not be printed."""
        if self.secret:
            secrets.add(value, self.normal(value))

    def validate(self, value: t.Any, path: str) -> None:
        """Raises BadInput, naming the option by its full path."""
        if self.secret and value == MASK:
            raise BadInput(path, "expected the secret itself, got the mask that stands for it in output; read it with show_secrets, or leave the option out")
        if self.check is not None:
            expected = self.check(value)
            if expected:
                raise BadInput(path, expected if self.secret else f"{expected}, got {self.mask(value)!r}")

    def difference(self, wanted: t.Any, present: t.Any, path: str) -> t.Iterator[Difference]:
        """Yields what differs; what the user left out is never compared."""
        if not self.equal(wanted, present):
            yield Difference(path, self.mask(present), self.mask_after(wanted, present))

    def merge(self, wanted: t.Any, present: t.Any) -> t.Any:
        """What to send so that the wanted holds and the rest stays as it is."""
        return wanted


class Text(Field):
    """A line of text. ``fold`` brings spellings that the server does not tell apart together; ``choices`` are all values that there are."""

    def __init__(
        self,
        option: str,
        wire: str | Changed | None = None,
        *,
        fold: t.Callable[[str], str] | None = None,
        choices: t.Sequence[str] | None = None,
        **kwargs: t.Any,
    ) -> None:
        super().__init__(option, wire, **kwargs)
        self.fold = fold
        self.choices = choices

    def spec(self) -> dict[str, t.Any]:
        return {**super().spec(), **({"choices": list(self.choices)} if self.choices else {})}

    def normal(self, value: t.Any) -> t.Any:
        text = "" if value is None else str(value)
        return self.fold(text) if self.fold else text

    def to_wire(self, value: t.Any) -> t.Any:
        return self.normal(value)


class Url(Text):
    """A URL, which can carry secrets in its user info, its path and its query string; ``destination`` where it is that of a push."""

    def __init__(self, option: str, wire: str | Changed | None = None, *, destination: bool = False, **kwargs: t.Any) -> None:
        super().__init__(option, wire, **kwargs)
        self.destination = destination

    def mask(self, value: t.Any) -> t.Any:
        return mask_url(value, destination=self.destination) if isinstance(value, str) else value

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        secrets.add_url(value, destination=self.destination)

    def validate(self, value: t.Any, path: str) -> None:
        if isinstance(value, str) and MASK in value:
            raise BadInput(path, "expected the whole URL, got one with a masked part; read it with show_secrets")
        super().validate(value, path)


class Number(Field):
    """A whole number. Virtual hosts of the configuration file return it as text (server-facts: Virtual hosts)."""

    type = "int"

    def normal(self, value: t.Any) -> t.Any:
        try:
            return int(str(value).strip())
        except ValueError:
            return "" if value is None else str(value)


class Decimal(Field):
    """A number with a fraction, such as seconds. A whole one is sent as such, and text means the number that it says."""

    type = "float"

    def normal(self, value: t.Any) -> t.Any:
        text = "" if value is None else str(value)
        try:
            number = float(text)
            if not math.isfinite(number):  # nan would differ from itself
                return text
            return int(text if _WHOLE.fullmatch(text) else number) if number.is_integer() else number
        except ValueError:
            return text

    def to_wire(self, value: t.Any) -> t.Any:
        return self.normal(value)


class Bitrate(Text):
    """Bits per second: a whole number, or a text such as `2.5M`, which the server takes too [read]."""

    def normal(self, value: t.Any) -> t.Any:
        text = "" if value is None else str(value).strip()
        return int(text) if re.fullmatch(r"[0-9]{1,30}", text) else text.upper()

    def from_wire(self, raw: t.Any) -> t.Any:
        number = self.normal(raw)
        return number if isinstance(number, int) else str(raw)


class Flag(Field):
    """A boolean. Virtual hosts of the configuration file return it as text (server-facts: Virtual hosts)."""

    type = "bool"

    def normal(self, value: t.Any) -> t.Any:
        text = str(value).strip().lower()
        if text in ("true", "1", "yes", "on"):
            return True
        if text in ("false", "0", "no", "off"):
            return False
        return "" if value is None else str(value)


class Names(Field):
    """A set of texts: neither order nor repetition means anything."""

    type = "list"

    def spec(self) -> dict[str, t.Any]:
        return {**super().spec(), "elements": "str"}

    def normal(self, value: t.Any) -> t.Any:
        return sorted({self.normal_item(item) for item in self.items(value)})

    def normal_item(self, item: t.Any) -> str:
        """One text in comparable form."""
        return str(item)

    def items(self, value: t.Any) -> list[t.Any]:
        """The texts of a value from either side."""
        if isinstance(value, (list, tuple)):
            return [item for item in value if item is not None]
        return [] if value in (None, "") else [value]

    def from_wire(self, raw: t.Any) -> t.Any:
        return list(dict.fromkeys(str(item) for item in self.items(raw)))

    def validate(self, value: t.Any, path: str) -> None:
        seen: set[str] = set()
        for index, item in enumerate(value):
            expected = self.check(item) if self.check else None
            if expected:
                raise BadInput(f"{path}[{index}]", f"{expected}, got {self.mask(item)!r}")
            if self.normal_item(item) in seen:
                raise BadInput(f"{path}[{index}]", f"expected each entry once, got {item!r} again")
            seen.add(self.normal_item(item))


class CommaNames(Names):
    """A list here, comma-separated text on the wire; the server reads the names without regard to case."""

    def normal_item(self, item: t.Any) -> str:
        return str(item).strip().lower()

    def items(self, value: t.Any) -> list[t.Any]:
        if isinstance(value, str):
            value = value.split(",")
        return [item for item in super().items(value) if str(item).strip()]

    def to_wire(self, value: t.Any) -> t.Any:
        return ",".join(str(item).strip() for item in value)

    def from_wire(self, raw: t.Any) -> t.Any:
        return list(dict.fromkeys(str(item).strip() for item in self.items(raw)))


class Sequence(Names):
    """A list of URLs whose order means something: the server tries them one after the other."""

    def normal(self, value: t.Any) -> t.Any:
        return [self.normal_item(item) for item in self.items(value)]

    def mask(self, value: t.Any) -> t.Any:
        if isinstance(value, (list, tuple)):
            return [mask_url(str(item)) for item in value]
        return mask_url(value) if isinstance(value, str) else value

    def mask_after(self, value: t.Any, present: t.Any) -> t.Any:
        return _each_after(_url_after, value, present) if isinstance(value, (list, tuple)) else super().mask_after(value, present)

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        for item in self.items(value):
            secrets.add_url(item)

    def validate(self, value: t.Any, path: str) -> None:
        for index, item in enumerate(value):
            if MASK in str(item):
                raise BadInput(f"{path}[{index}]", "expected the whole URL, got one with a masked part; read it with show_secrets")
        super().validate(value, path)


class Extra(Field):
    """What a server has, or takes, beyond the declared fields of a group: a dictionary in wire form, passed through as given.

    Only keys that are given are compared, at every level; lists are compared whole.
    """

    type = "dict"

    def __init__(self, declared: t.Sequence[Field]) -> None:
        """``declared`` are the fields of the group, which must not be given here under any of their names on the server's side."""
        super().__init__(EXTRA)
        self.declared = {name: field.option for field in declared for name in (*field.wires, field.xml)}

    def given(self, value: t.Any) -> t.Any:
        """Without nulls, which the server takes for absence (server-facts: Virtual hosts)."""
        if isinstance(value, dict):
            return {key: self.given(item) for key, item in value.items() if item is not None}
        return [self.given(item) for item in value if item is not None] if isinstance(value, (list, tuple)) else value

    def normal(self, value: t.Any) -> t.Any:
        if isinstance(value, dict):
            return {str(key): self.normal(item) for key, item in value.items() if item is not None}
        if isinstance(value, (list, tuple)):
            return [self.normal(item) for item in value if item is not None]
        # Applications of the configuration file return numbers and booleans as text (server-facts: Virtual hosts).
        return str(value).lower() if isinstance(value, bool) else Decimal(EXTRA).normal(value)

    def equal(self, wanted: t.Any, present: t.Any) -> bool:
        return self._covers(self.normal(present), self.normal(wanted)) or (wanted == {} and present is None)

    def _covers(self, present: t.Any, wanted: t.Any) -> bool:
        if isinstance(wanted, dict):
            return isinstance(present, dict) and all(key in present and self._covers(present[key], item) for key, item in wanted.items())
        if isinstance(wanted, list):
            return isinstance(present, list) and len(present) == len(wanted) and all(map(self._covers, present, wanted))
        return bool(present == wanted)

    def from_wire(self, raw: t.Any) -> t.Any:
        return self.given(raw)

    def mask(self, value: t.Any) -> t.Any:
        if isinstance(value, dict):
            secret = _names_of_secrets(value)
            return {key: self._mask_all(item) if key in secret else self.mask(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.mask(item) for item in value]
        return mask_url(value) if isinstance(value, str) and "://" in value else value

    def mask_after(self, value: t.Any, present: t.Any) -> t.Any:
        if isinstance(value, (list, tuple)):
            return _each_after(self.mask_after, value, present)
        if not isinstance(value, dict):
            return super().mask_after(value, present)
        there = present if isinstance(present, dict) else {}
        secret = _names_of_secrets(value)
        return {key: (self._mask_all_after if key in secret else self.mask_after)(item, there.get(key)) for key, item in value.items()}

    def _mask_all(self, value: t.Any) -> t.Any:
        """A value that goes under the name of a secret, or a list of such; dictionaries have names of their own."""
        if isinstance(value, dict):
            return self.mask(value)
        if isinstance(value, (list, tuple)):
            return [self._mask_all(item) for item in value]
        return MASK if _may_be_secret(value) else value

    def _mask_all_after(self, value: t.Any, present: t.Any) -> t.Any:
        """Return what `_mask_all` does, with a mark where a secret changes."""
        if isinstance(value, dict):
            return self.mask_after(value, present)
        if isinstance(value, (list, tuple)):
            return _each_after(self._mask_all_after, value, present)
        changed = _may_be_secret(value) and present is not None and not self.equal(value, present)
        return f"{MASK} (changed)" if changed else self._mask_all(value)

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        if isinstance(value, dict):
            secret = _names_of_secrets(value)
            for key, item in value.items():
                if key in secret:
                    secrets.add(*filter(_may_be_secret, _leaves(item)))
                self.collect_secrets(item, secrets)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self.collect_secrets(item, secrets)
        elif isinstance(value, str) and "://" in value:
            secrets.add_url(value)

    def validate(self, value: t.Any, path: str) -> None:
        for key in value:
            if key in self.declared:
                raise BadInput(f"{path}.{key}", f"expected what has no option of its own; give it as {self.declared[key]} beside {EXTRA}")
        self._validate(value, path, 0)

    def _validate(self, value: t.Any, path: str, depth: int) -> None:
        if depth > _EXTRA_DEPTH:
            raise BadInput(path, f"expected at most {_EXTRA_DEPTH} levels")
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str) or not _EXTRA_KEY.fullmatch(key):
                    raise BadInput(f"{path}.{key!r}", "expected a name of letters, digits and '_' only (the server may not survive others)")
                self._validate(item, f"{path}.{key}", depth + 1)
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                self._validate(item, f"{path}[{index}]", depth + 1)
        elif isinstance(value, str) and MASK in value:
            raise BadInput(path, "expected the whole value, got one with a masked part; read it with show_secrets")

    def merge(self, wanted: t.Any, present: t.Any) -> t.Any:
        if isinstance(wanted, dict) and isinstance(present, dict):
            return {**present, **{key: self.merge(item, present.get(key)) for key, item in wanted.items()}}
        return wanted


def _each_after(mask_after: t.Callable[[t.Any, t.Any], t.Any], values: t.Sequence[t.Any], present: t.Any) -> list[t.Any]:
    """Return each entry of a list as it may be shown beside the one before it; lists of different lengths differ visibly."""
    comparable = isinstance(present, (list, tuple)) and len(present) == len(values)
    return [mask_after(item, there) for item, there in zip(values, present if comparable else [None] * len(values))]


def _url_after(url: t.Any, present: t.Any) -> str:
    """Return a URL as it may be shown beside the one before it."""
    masked = mask_url(str(url))
    return f"{masked} (changed)" if present is not None and str(url) != str(present) and masked == mask_url(str(present)) else masked


def unsendable_keys(raw: t.Any, path: str = "") -> list[str]:
    """The paths of names in wire form that no request may hold; what has them cannot be made again as it was."""
    found = []
    if isinstance(raw, dict):
        for key, item in raw.items():
            plain = isinstance(key, str) and _EXTRA_KEY.fullmatch(key)
            found += unsendable_keys(item, f"{path}{key}.") if plain else [f"{path}{key!r}"]
    elif isinstance(raw, list):
        for index, item in enumerate(raw):
            found += unsendable_keys(item, f"{path}{index}.")
    return found


def _names_of_secrets(value: t.Mapping[str, t.Any]) -> set[str]:
    """Return the keys of a dictionary whose values are hidden by the names that they have, because nothing else is known of them.

    The server writes some names and values as pairs: {"key": "accessToken", "value": "..."}.
    """
    if value.keys() == {"key", "value"} and isinstance(value["key"], str):
        return {"value"} if _is_secret(value["key"], value["value"]) else set()
    return {key for key, item in value.items() if _is_secret(key, item)}


def _is_secret(name: t.Any, value: t.Any) -> bool:
    """Return whether a value is hidden by the name that it has."""
    if isinstance(value, (list, tuple)):
        return any(map(_may_be_secret, _leaves(value))) and _SECRET_NAME.search(str(name)) is not None
    return _may_be_secret(value) and _SECRET_NAME.search(str(name)) is not None


def _may_be_secret(value: t.Any) -> bool:
    """Return whether a value can be a secret: booleans and numbers are none, apart from numbers that are too long to count anything."""
    if isinstance(value, (int, float)):
        return not isinstance(value, bool) and abs(value) >= _SMALLEST_CODE
    return not isinstance(value, dict) and value not in (None, "")


def _leaves(value: t.Any) -> t.Iterator[t.Any]:
    """A value, or all that is in a list of such, at any depth; dictionaries apart."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif not isinstance(value, (bool, dict)):
        yield value


class Group(Field):
    """A dictionary of fields."""

    type = "dict"

    def __init__(
        self, option: str, wire: str | Changed | None = None, *, fields: t.Sequence[Field], extra: bool = False, members: bool = False, **kwargs: t.Any
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
        self._at: dict[Version, Group] = {}

    def _index(self) -> None:
        """Look the fields up by all of their JSON names, the newest first."""
        self._by_wire = {wire: field for field in self.fields.values() if field.option != EXTRA for wire in field.wires}

    def at(self, version: Version) -> Group:
        """Return the group as a version of the server knows it; the group itself if no release differs in it."""
        if not self.depends_on_version:
            return self
        if version not in self._at:
            group: Group = super().at(version)
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
        """Yield the full option path and the field for every field, at any level, that has ``key`` among its JSON names."""
        prefix = f"{path}." if path else ""
        for field in self.fields.values():
            if key in field.wires and field.option != EXTRA:
                yield prefix + field.option, field
            inner = field.group if isinstance(field, GroupList) else field
            if isinstance(inner, Group):
                yield from inner.named(key, prefix + field.option + ("[]" if isinstance(field, GroupList) else ""))

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
                kept[key] = field.each_once(value) if isinstance(field, (Group, GroupList)) else value
        return kept

    def spec(self) -> dict[str, t.Any]:
        # Not a secret itself, although `pass` sounds like one; its fields speak for themselves.
        return {"type": self.type, "required": self.required, "no_log": False, "options": self.options()}

    def options(self) -> dict[str, t.Any]:
        """The argument specs of the fields."""
        return {option: field.spec() for option, field in self.fields.items()}

    def given(self, values: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """The given form: what the user left out is gone, at every level, and so are options of other groups."""
        return {option: self._given_value(field, values[option]) for option, field in self.fields.items() if values.get(option) is not None}

    @staticmethod
    def _given_value(field: Field, value: t.Any) -> t.Any:
        if isinstance(field, GroupList):
            return [field.group.given(item) for item in value]
        return field.given(value) if isinstance(field, (Group, Extra)) else value

    def _members_of(self, value: t.Any) -> dict[str, t.Any]:
        """The members of a value by their wire names; each with the group's or the extra part's value."""
        if not self.members or not isinstance(value, dict):
            return {}
        found = {field.wire: value[field.option] for field in self.fields.values() if isinstance(field, Group) and isinstance(value.get(field.option), dict)}
        return {**found, **{key: item for key, item in (value.get(EXTRA) or {}).items() if isinstance(item, dict)}}

    def _member_differences(self, wanted: t.Any, present: t.Any) -> t.Iterator[tuple[str, t.Any, t.Any]]:
        """Members that are only on one side: option path, value there, value wanted."""
        there, here = self._members_of(present), self._members_of(wanted)
        options = {field.wire: field.option for field in self.fields.values()}
        for wire in [*here, *there]:
            if (wire in there) != (wire in here):
                yield options.get(wire, f"{EXTRA}.{wire}"), there.get(wire), here.get(wire)

    def _pairs(self, wanted: t.Mapping[str, t.Any], present: t.Any) -> t.Iterator[tuple[Field, t.Any, t.Any]]:
        present = present if isinstance(present, dict) else {}
        for option, value in wanted.items():
            yield self.fields[option], value, present.get(option)

    def equal(self, wanted: t.Any, present: t.Any) -> bool:
        if any(self._member_differences(wanted, present)):
            return False
        return all(field.equal(value, there) for field, value, there in self._pairs(wanted, present))

    def to_wire(self, value: t.Any) -> t.Any:
        wire = {self.fields[option].wire: self.fields[option].to_wire(item) for option, item in value.items() if option != EXTRA}
        return {**wire, **value.get(EXTRA, {})}

    def from_wire(self, raw: t.Any) -> dict[str, t.Any]:
        if not isinstance(raw, dict):
            return {}
        value = {}
        for wire, field in self._by_wire.items():
            if raw.get(wire) is not None and field.option not in value:
                value[field.option] = field.from_wire(raw[wire])
        extra = {key: item for key, item in raw.items() if key not in self._by_wire and item is not None} if EXTRA in self.fields else {}
        return {**value, **({EXTRA: self.fields[EXTRA].from_wire(extra)} if extra else {})}

    def as_kept(self, value: t.Any) -> dict[str, t.Any]:
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
            elif isinstance(field, GroupList) and isinstance(value, list):
                for index, item in enumerate(value):
                    found += field.group.unknown(item, f"{path}{key}[{index}].")
            elif isinstance(field, Group):
                found += field.unknown(value, f"{path}{key}.")
        return found

    def mask(self, value: t.Any) -> t.Any:
        return {option: self.fields[option].mask(item) for option, item in value.items()} if isinstance(value, dict) else value

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

    def difference(self, wanted: t.Any, present: t.Any, path: str = "") -> t.Iterator[Difference]:
        prefix = f"{path}." if path else ""
        one_sided = {option: (there, value) for option, there, value in self._member_differences(wanted, present)}
        for option, (there, value) in one_sided.items():
            field = self.fields.get(option, self.fields.get(EXTRA, self))
            yield Difference(prefix + option, field.mask(there), field.mask(value))
        for field, value, there in self._pairs(wanted, present):
            if field.option == EXTRA:
                value = {key: item for key, item in value.items() if f"{EXTRA}.{key}" not in one_sided}
            if field.option not in one_sided:
                yield from field.difference(value, there, prefix + field.option)

    def merge(self, wanted: t.Any, present: t.Any) -> t.Any:
        merged = dict(present) if isinstance(present, dict) else {}
        for option, _there, value in self._member_differences(wanted, present):
            if value is None and option in merged:
                del merged[option]
        for field, value, there in self._pairs(wanted, present):
            merged[field.option] = field.merge(value, there)
        if self.members and EXTRA in merged:  # members that are not listed go, wherever they are kept
            listed = self._members_of(wanted)
            merged[EXTRA] = {key: item for key, item in merged[EXTRA].items() if key in listed or not isinstance(item, dict)}
        return merged


class GroupList(Field):
    """A list of dictionaries whose order means something, as that of origins: the first that matches is taken."""

    type = "list"

    def __init__(
        self, option: str, wire: str | Changed | None = None, *, fields: t.Sequence[Field], identity: str, extra: bool = False, **kwargs: t.Any
    ) -> None:
        """``identity`` is the field by which an entry is known again when it is merged; ``extra`` as for a group."""
        super().__init__(option, wire, **kwargs)
        self.group = Group(option, wire, fields=fields, extra=extra)
        self.identity = identity

    def at(self, version: Version) -> GroupList:
        field: GroupList = super().at(version)
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

    def equal(self, wanted: t.Any, present: t.Any) -> bool:
        present = present or []
        return len(wanted) == len(present) and all(self.group.equal(value, there) for value, there in zip(wanted, present))

    def to_wire(self, value: t.Any) -> t.Any:
        return [self.group.to_wire(item) for item in value]

    def from_wire(self, raw: t.Any) -> t.Any:
        return [self.group.from_wire(item) for item in raw] if isinstance(raw, list) else []

    def mask(self, value: t.Any) -> t.Any:
        return [self.group.mask(item) for item in value] if isinstance(value, list) else value

    def mask_after(self, value: t.Any, present: t.Any) -> t.Any:
        return _each_after(self.group.mask_after, value, present) if isinstance(value, list) else value

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        for item in value or []:
            self.group.collect_secrets(item, secrets)

    def validate(self, value: t.Any, path: str) -> None:
        seen: set[t.Any] = set()
        for index, item in enumerate(value):
            self.group.validate(item, f"{path}[{index}]")
            identity = item.get(self.identity)
            if identity is not None and identity in seen:
                raise BadInput(f"{path}[{index}].{self.identity}", f"expected each {self.identity} once, got {identity!r} again")
            seen.add(identity)

    def difference(self, wanted: t.Any, present: t.Any, path: str) -> t.Iterator[Difference]:
        present = present or []
        if len(wanted) != len(present):
            yield Difference(path, self.mask(present), self.mask(wanted))
            return
        for index, (value, there) in enumerate(zip(wanted, present)):
            yield from self.group.difference(value, there, f"{path}[{index}]")

    def merge(self, wanted: t.Any, present: t.Any) -> t.Any:
        known = {item[self.identity]: item for item in present or [] if self.identity in item}
        return [self.group.merge(item, known.get(item.get(self.identity))) for item in wanted]
