# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The base of all fields: names, versions, comparison, masking."""

from __future__ import annotations

import copy
import typing as t

from .._core.errors import BadInput
from .._core.secret_urls import MASK
from .._core.secrets import SecretStore
from .._core.server_version import BEFORE_VERSION_CALL, Changed, Version, parse

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

        ``wire`` is its JSON name and ``xml`` its name in the server's configuration files, if that is not the JSON name
        with a capital. ``default`` is the server's own value if the field is absent: giving it is no difference to
        leaving it out. JSON name and default can be :class:`Changed`. ``since`` is the first release that knows the
        field, if that is later than 0.15.10, and ``until`` the last one; ``instead`` is the option that others have in
        its place.
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
        """Return whether a release knows this field; of a server without a version only what is certain counts against
        it.
        """
        too_new = self.until is not None and version > self.until and version != BEFORE_VERSION_CALL
        return not too_new and (self.since is None or self.since <= version)

    def versioned(self, value: t.Any, path: str) -> t.Iterator[tuple[str, Field]]:
        """Yield the full option path and the field for all that is given in ``value`` and depends on the server's
        version.
        """
        if self.renamed or self.default_changed or self.limited:
            yield path, self

    def spec(self) -> dict[str, t.Any]:
        """The argument spec of this field."""
        # Said for every field, as names such as policy_query_key_name look like secrets and are none.
        return {"type": self.type, "required": self.required, "no_log": self.secret}

    def normalize(self, value: t.Any) -> t.Any:
        """The value in the form in which two spellings of the same are equal.

        Never fails: servers send all kinds of things.
        """
        return "" if value is None else str(value)

    def equal(self, desired: t.Any, present: t.Any) -> bool:
        """Whether the value on the server is as wanted; absent counts as the server's default."""
        return bool(self.normalize(desired) == self.normalize(self.default if present is None else present))

    def to_wire(self, value: t.Any) -> t.Any:
        """Option form to wire form."""
        return value

    def from_wire(self, raw: t.Any) -> t.Any:
        """Wire form to option form."""
        return self.normalize(raw)

    def mask(self, value: t.Any) -> t.Any:
        """The value as it may be shown."""
        return MASK if self.secret and value not in (None, "") else value

    def mask_after(self, value: t.Any, present: t.Any) -> t.Any:
        """The value as it may be shown beside the one before it: where only the masked part differs, this is seen
        without being shown.
        """
        masked = self.mask(value)
        return f"{masked} (changed)" if masked == self.mask(present) and not self.equal(value, present) else masked

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        """Remembers what must not be printed."""
        if self.secret:
            secrets.add(value, self.normalize(value))

    def validate(self, value: t.Any, path: str) -> None:
        """Raises BadInput, naming the option by its full path."""
        if self.secret and value == MASK:
            raise BadInput(
                path,
                "expected the secret itself, got the mask that stands for it in output; read it with show_secrets, or leave the option out",
            )
        if self.check is not None:
            expected = self.check(value)
            if expected:
                raise BadInput(path, expected if self.secret else f"{expected}, got {self.mask(value)!r}")

    def difference(self, desired: t.Any, present: t.Any, path: str) -> t.Iterator[Difference]:
        """Yields what differs; what the user left out is never compared."""
        if not self.equal(desired, present):
            yield Difference(path, self.mask(present), self.mask_after(desired, present))

    def merge(self, desired: t.Any, present: t.Any) -> t.Any:
        """What to send so that the wanted holds and the rest stays as it is."""
        return desired
