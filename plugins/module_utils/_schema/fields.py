# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields: names, versions, comparison and masking, for single values and lists of texts."""

from __future__ import annotations

import copy
import math
import re
import typing as t

from .._core.errors import BadInput
from .._core.macros import has_macro, is_reference, split_at_commas
from .._core.secret_store import MASK, SecretStore, mask_url
from .._core.server_version import BEFORE_VERSION_CALL, Changed, Version, of_this_server, parse, releases
from .._core.texts import named
from .validators import one_line

# Texts about options that some releases of the server do not know.


def needs(path: str, field: Field) -> str:
    """Return a text with the releases that know an option."""
    instead = f" (others have {field.instead} in place of {field.option})" if field.instead else ""
    return f"{named(path)} needs {releases(field.since, field.until)}{instead}"


def unsupported(unknown: t.Sequence[str], version: Version) -> str:
    """Return the detail of an error for unsupported options: at most five and the number of the others."""
    more = f"; and {len(unknown) - 5} more options" if len(unknown) > 5 else ""
    return f"{'; '.join(unknown[:5])}{more}. {of_this_server(version)}"


# The base of all fields: names, versions, comparison, masking.

# A check takes a value and returns what was expected instead, or None if the value is valid.
Check = t.Callable[[t.Any], t.Optional[str]]


class Difference(t.NamedTuple):
    """One field that differs from its desired value; secrets are masked."""

    field: str
    before: t.Any
    after: t.Any


class Field:
    """One field: option name, wire name, and how its values are checked, translated, compared and masked."""

    type = "str"
    macros = False
    """Whether the server replaces macros in values, see :func:`macro_options.with_macros`."""
    short_items: tuple[t.Any, ...] = ()
    """The types of entries of a list that is short for an object with this field alone."""
    is_literal = False
    """Whether the API takes a macro in a value of a request as no value at all [read]."""

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
        doubt: t.Callable[[t.Any], str | None] | None = None,
    ) -> None:
        """Declare a field.

        ``wire`` is its JSON name, by default the option name. ``xml`` is its name in the server's configuration files,
        by default the JSON name with a capital letter. ``Names/Name`` is an element `Names` that holds one or more
        elements `Name`; ``@name`` is an attribute of the element around it. ``default`` is the server's value if the
        field is absent: specifying it is equal to omitting the option. JSON name and default can be :class:`Changed`.
        ``since`` is the first release that knows the field, if later than 0.15.10, and ``until`` the last one;
        ``instead`` is the option that other releases have in its place. ``doubt`` takes a valid value and returns what
        is wrong with it, or None: the server accepts it although it cannot work.
        """
        self.option = option
        self._wire = wire or option
        self._default = default
        # All JSON names, the newest first.
        self.wires: tuple[str, ...] = (
            (self._wire.new, self._wire.old) if isinstance(self._wire, Changed) else (self._wire,)
        )
        self.wire: str = self.wires[0]
        self.xml = xml or "".join(part[:1].upper() + part[1:] for part in self.wires[-1].split("_"))
        self.secret = secret
        self.required = required
        self.default = default.new if isinstance(default, Changed) else default
        self.since: Version | None = parse(since) if since else None
        self.until: Version | None = parse(until) if until else None
        self.instead = instead
        self.check = check
        self.doubt = doubt

    def is_macro(self, value: t.Any) -> bool:
        """Return whether a value has macros of configuration files. What stands for them is known to the server only,
        so that such a text equals nothing but itself.
        """
        return self.macros and has_macro(value)

    def at(self, version: Version) -> t.Any:
        """Return the field with the JSON name and the default of one server version."""
        field = copy.copy(self)
        if isinstance(self._wire, Changed):
            field.wire = self._wire.at(version)
        if isinstance(self._default, Changed):
            field.default = self._default.at(version)
        return field

    @property
    def renamed(self) -> bool:
        """Return whether releases spell the JSON name differently."""
        return len(self.wires) > 1

    @property
    def default_changed(self) -> bool:
        """Return whether releases have different defaults."""
        return isinstance(self._default, Changed)

    @property
    def depends_on_version(self) -> bool:
        """Return whether releases differ in this field or in a nested one."""
        return self.renamed or self.default_changed or self.limited

    @property
    def limited(self) -> bool:
        """Return whether some releases do not know this field."""
        return self.since is not None or self.until is not None

    def known_to(self, version: Version) -> bool:
        """Return whether a release knows this field; true if uncertain, for a server that does not report a version."""
        too_new = self.until is not None and version > self.until and version != BEFORE_VERSION_CALL
        return not too_new and (self.since is None or self.since <= version)

    def versioned(self, value: t.Any, path: str) -> t.Iterator[tuple[str, Field]]:
        """Yield (full option path, field) for everything in ``value`` (option form) that depends on the version."""
        if self.renamed or self.default_changed or self.limited:
            yield path, self

    def spec(self) -> dict[str, t.Any]:
        """Return the argument spec of this field."""
        # no_log is explicit for every field, because Ansible takes names such as policy_query_key_name for secrets.
        return {"type": self.type, "required": self.required, "no_log": self.secret}

    def normalize(self, value: t.Any) -> t.Any:
        """Return the value in comparable form: all spellings of a value are equal.

        Never fail, because servers can send any JSON.
        """
        return "" if value is None else str(value)

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        """Return whether the current value is the desired one; None is the server's default."""
        return bool(self.normalize(desired) == self.normalize(self.default if current is None else current))

    def to_wire(self, value: t.Any) -> t.Any:
        """Return a value of option form in wire form."""
        return value

    def from_wire(self, raw: t.Any) -> t.Any:
        """Return a value of wire form in option form."""
        return self.normalize(raw)

    def mask(self, value: t.Any) -> t.Any:
        """Return the value with secrets masked."""
        if not self.secret or value in (None, "") or (self.macros and is_reference(value)):
            return value
        return MASK

    def mask_changed(self, value: t.Any, current: t.Any) -> t.Any:
        """Return the value with secrets masked; mark it with "(changed)" if only masked parts differ from ``current``.

        Without the mark, a diff would not show that a secret changes.
        """
        masked = self.mask(value)
        return f"{masked} (changed)" if masked == self.mask(current) and not self.equal(value, current) else masked

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        """Add the secrets in a value to the store."""
        if self.secret and not (self.macros and is_reference(value)):
            secrets.add(value, self.normalize(value))

    def validate(self, value: t.Any, path: str) -> None:
        """Raise BadInput for an invalid value (option form); ``path`` is the full path of the option."""
        if self.secret and value == MASK:
            raise BadInput(
                path,
                "expected the secret itself, got the mask that replaces it in output; "
                "read it with show_secrets, or omit the option",
            )
        expected = self.expected(value)
        if expected:
            raise BadInput(path, expected if self.secret else f"{expected}, got {self.mask(value)!r}")

    def expected(self, value: t.Any) -> str | None:
        """Return what the check expects instead of a value; None if it is valid."""
        if self.check is None:
            return None
        return one_line(value) if self.is_macro(value) else self.check(value)

    def doubts(self, value: t.Any, path: str) -> t.Iterator[tuple[str, t.Any, str]]:
        """Yield (full option path, value, what is wrong with it) for what is valid in ``value`` and cannot work.

        Secrets are masked.
        """
        problem = self.doubt(value) if self.doubt and not self.is_macro(value) else None
        if problem:
            yield path, self.mask(value), problem

    def difference(self, desired: t.Any, current: t.Any, path: str) -> t.Iterator[Difference]:
        """Yield the differences; ``desired`` is in specified form: omitted options are never compared."""
        if not self.equal(desired, current):
            yield Difference(path, self.mask(current), self.mask_changed(desired, current))

    def merge(self, desired: t.Any, current: t.Any) -> t.Any:
        """Return the current value with the desired one applied: omitted options stay unchanged."""
        return desired


# Fields with a single value.

_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")


class String(Field):
    """A line of text."""

    def __init__(
        self,
        option: str,
        wire: str | Changed | None = None,
        *,
        normalizer: t.Callable[[str], str] | None = None,
        choices: t.Sequence[str] | None = None,
        **kwargs: t.Any,
    ) -> None:
        """Declare a text.

        ``normalizer`` maps spellings that the server treats alike to one; ``choices`` are all allowed values.
        """
        super().__init__(option, wire, **kwargs)
        self.normalizer = normalizer
        self.choices = choices

    def spec(self) -> dict[str, t.Any]:
        return {**super().spec(), **({"choices": list(self.choices)} if self.choices else {})}

    def normalize(self, value: t.Any) -> t.Any:
        text = "" if value is None else str(value)
        return self.normalizer(text) if self.normalizer and not self.is_macro(text) else text

    def to_wire(self, value: t.Any) -> t.Any:
        return self.normalize(value)


class Url(String):
    """A URL, which can contain secrets in its user info, path and query string."""

    def __init__(
        self, option: str, wire: str | Changed | None = None, *, destination: bool = False, **kwargs: t.Any
    ) -> None:
        """Declare a URL; ``destination`` says that a push task sends to it."""
        super().__init__(option, wire, **kwargs)
        self.destination = destination

    def mask(self, value: t.Any) -> t.Any:
        return mask_url(value, destination=self.destination) if isinstance(value, str) else value

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        secrets.add_url(value, destination=self.destination)

    def validate(self, value: t.Any, path: str) -> None:
        if isinstance(value, str) and MASK in value:
            raise BadInput(path, "expected the complete URL, got one with a masked part; read it with show_secrets")
        super().validate(value, path)


class Int(Field):
    """A whole number. Virtual hosts of the configuration file have it as text (server-facts: Virtual hosts)."""

    type = "int"
    is_literal = True

    def normalize(self, value: t.Any) -> t.Any:
        try:
            return int(str(value).strip())
        except ValueError:
            return "" if value is None else str(value)


class Float(Field):
    """A number with a fraction, such as seconds.

    Whole numbers are sent without a fraction; text is parsed as a number.
    """

    type = "float"
    is_literal = True

    def normalize(self, value: t.Any) -> t.Any:
        text = "" if value is None else str(value)
        try:
            number = float(text)
            if not math.isfinite(number):  # NaN is not equal to itself.
                return text
            return int(text if _WHOLE.fullmatch(text) else number) if number.is_integer() else number
        except ValueError:
            return text

    def to_wire(self, value: t.Any) -> t.Any:
        return self.normalize(value)


class Bitrate(String):
    """Bits per second: a whole number, or a text such as `2.5M`, which the server also accepts [read]."""

    def normalize(self, value: t.Any) -> t.Any:
        text = "" if value is None else str(value).strip()
        if self.is_macro(text):
            return str(value)
        return int(text) if re.fullmatch(r"[0-9]{1,30}", text) else text.upper()

    def from_wire(self, raw: t.Any) -> t.Any:
        number = self.normalize(raw)
        return number if isinstance(number, int) else str(raw)

    def validate(self, value: t.Any, path: str) -> None:
        # What is read has a number; an option has its text.
        super().validate(str(value), path)


class Bool(Field):
    """A boolean. Virtual hosts of the configuration file have it as text (server-facts: Virtual hosts)."""

    type = "bool"
    is_literal = True

    def normalize(self, value: t.Any) -> t.Any:
        text = str(value).strip().lower()
        if text in ("true", "1", "yes", "on"):
            return True
        if text in ("false", "0", "no", "off"):
            return False
        return "" if value is None else str(value)


class PresenceBool(Field):
    """A boolean that is an empty element of a configuration file.

    It is true if the element is there, even one with the text `false` [read]. False is no element.
    """

    type = "bool"

    def normalize(self, value: t.Any) -> t.Any:
        return Bool(self.option).normalize(value)

    def to_wire(self, value: t.Any) -> t.Any:
        return ""

    def from_wire(self, raw: t.Any) -> t.Any:
        return True


# Fields that are lists of texts.


class StringSet(Field):
    """A set of texts: order and repetition are not significant."""

    type = "list"
    short_items: tuple[t.Any, ...] = (str,)

    def spec(self) -> dict[str, t.Any]:
        return {**super().spec(), "elements": "str"}

    def normalize(self, value: t.Any) -> t.Any:
        return sorted({self.normalize_item(item) for item in self.items(value)})

    def normalize_item(self, item: t.Any) -> str:
        """Return one text in comparable form."""
        return str(item)

    def items(self, value: t.Any) -> list[t.Any]:
        """Return the texts of a value in option form or wire form."""
        if isinstance(value, (list, tuple)):
            return [item for item in value if item is not None]
        return [] if value in (None, "") else [value]

    def from_wire(self, raw: t.Any) -> t.Any:
        return list(dict.fromkeys(str(item) for item in self.items(raw)))

    def validate(self, value: t.Any, path: str) -> None:
        seen: set[str] = set()
        for index, item in enumerate(value):
            expected = self.expected(item)
            if expected:
                raise BadInput(f"{path}[{index}]", f"{expected}, got {self.mask(item)!r}")
            if self.normalize_item(item) in seen:
                raise BadInput(f"{path}[{index}]", f"expected each entry once, got {item!r} again")
            seen.add(self.normalize_item(item))

    def doubts(self, value: t.Any, path: str) -> t.Iterator[tuple[str, t.Any, str]]:
        for index, item in enumerate(value if self.doubt else ()):
            yield from super().doubts(item, f"{path}[{index}]")


class CsvSet(StringSet):
    """A set of names, comma-separated text in wire form; the server ignores their case."""

    def normalize_item(self, item: t.Any) -> str:
        text = str(item).strip()
        return text if self.is_macro(text) else text.lower()

    def items(self, value: t.Any) -> list[t.Any]:
        if isinstance(value, str):
            value = split_at_commas(value)
        return [item for item in super().items(value) if str(item).strip()]

    def to_wire(self, value: t.Any) -> t.Any:
        return ",".join(str(item).strip() for item in value)

    def from_wire(self, raw: t.Any) -> t.Any:
        return list(dict.fromkeys(str(item).strip() for item in self.items(raw)))


class StringList(StringSet):
    """A list of URLs whose order is significant: the server tries them one after the other."""

    def normalize(self, value: t.Any) -> t.Any:
        return [self.normalize_item(item) for item in self.items(value)]

    def mask(self, value: t.Any) -> t.Any:
        if isinstance(value, (list, tuple)):
            return [mask_url(str(item)) for item in value]
        return mask_url(value) if isinstance(value, str) else value

    def mask_changed(self, value: t.Any, current: t.Any) -> t.Any:
        return (
            mask_each_changed(_mask_changed_url, value, current)
            if isinstance(value, (list, tuple))
            else super().mask_changed(value, current)
        )

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        for item in self.items(value):
            secrets.add_url(item)

    def validate(self, value: t.Any, path: str) -> None:
        for index, item in enumerate(value):
            if MASK in str(item):
                raise BadInput(
                    f"{path}[{index}]",
                    "expected the complete URL, got one with a masked part; read it with show_secrets",
                )
        super().validate(value, path)


def mask_each_changed(
    mask_changed: t.Callable[[t.Any, t.Any], t.Any], values: t.Sequence[t.Any], current: t.Any
) -> list[t.Any]:
    """Return a list with each entry masked and marked as in :meth:`Field.mask_changed`.

    Entries of lists with different lengths are not marked, because the change is visible.
    """
    comparable = isinstance(current, (list, tuple)) and len(current) == len(values)
    return [mask_changed(item, before) for item, before in zip(values, current if comparable else [None] * len(values))]


def _mask_changed_url(url: t.Any, current: t.Any) -> str:
    """Return a URL masked, and marked if only its masked parts change."""
    masked = mask_url(str(url))
    return (
        f"{masked} (changed)"
        if current is not None and str(url) != str(current) and masked == mask_url(str(current))
        else masked
    )
