# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option `extra`: keys of the server that no field declares, passed through unchanged."""

from __future__ import annotations

import re
import typing as t

from .._core.errors import BadInput
from .._core.macros import is_reference
from .._core.secret_store import MASK, SecretStore, mask_url
from .fields import Field, Float, mask_each_changed

# The option for keys of the server beyond the declared fields of an object.
EXTRA = "extra"
# Other names in a request could kill the server (server-facts: Virtual hosts), because it prints unknown names.
_EXTRA_KEY = re.compile(r"[A-Za-z0-9_]+")
_EXTRA_DEPTH = 16
# Names of secrets in undeclared parts of a resource.
_SECRET_NAME = re.compile(r"secret|passw|passphrase|token|auth|credential|(?:^|[a-z0-9_])key$", re.IGNORECASE)
# Sizes, times and ports are smaller; a larger number with the name of a secret is a secret that was written without
# quotes.
_SMALLEST_CODE = 10**9


class Extra(Field):
    """Keys of a server beyond the declared fields of an object: a dictionary in wire form, passed through unchanged.

    Only specified keys are compared, at every level; lists are compared as a whole.
    """

    type = "dict"

    def __init__(self, declared: t.Sequence[Field]) -> None:
        """Declare it for an object with the fields ``declared``: their JSON and XML names are rejected here."""
        super().__init__(EXTRA)
        self.declared = {
            name: field.option for field in declared for name in (*field.wires, field.xml.partition("/")[0])
        }

    def specified(self, value: t.Any) -> t.Any:
        """Return the value without nulls, which the server treats as absent (server-facts: Virtual hosts)."""
        if isinstance(value, dict):
            return {key: self.specified(item) for key, item in value.items() if item is not None}
        return (
            [self.specified(item) for item in value if item is not None] if isinstance(value, (list, tuple)) else value
        )

    def normalize(self, value: t.Any) -> t.Any:
        if isinstance(value, dict):
            return {str(key): self.normalize(item) for key, item in value.items() if item is not None}
        if isinstance(value, (list, tuple)):
            return [self.normalize(item) for item in value if item is not None]
        # Applications of the configuration file return numbers and booleans as text (server-facts: Virtual hosts).
        return str(value).lower() if isinstance(value, bool) else Float(EXTRA).normalize(value)

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        return self._covers(self.normalize(current), self.normalize(desired)) or (desired == {} and current is None)

    def _covers(self, current: t.Any, desired: t.Any) -> bool:
        """Return whether the current value has everything that is desired."""
        if isinstance(desired, dict):
            return isinstance(current, dict) and all(
                key in current and self._covers(current[key], item) for key, item in desired.items()
            )
        if isinstance(desired, list):
            return (
                isinstance(current, list) and len(current) == len(desired) and all(map(self._covers, current, desired))
            )
        return bool(current == desired)

    def from_wire(self, raw: t.Any) -> t.Any:
        return self.specified(raw)

    def mask(self, value: t.Any) -> t.Any:
        if isinstance(value, dict):
            secret = _names_of_secrets(value)
            return {key: self._mask_all(item) if key in secret else self.mask(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.mask(item) for item in value]
        return mask_url(value) if isinstance(value, str) and "://" in value else value

    def mask_changed(self, value: t.Any, current: t.Any) -> t.Any:
        if isinstance(value, (list, tuple)):
            return mask_each_changed(self.mask_changed, value, current)
        if not isinstance(value, dict):
            return super().mask_changed(value, current)
        before = current if isinstance(current, dict) else {}
        secret = _names_of_secrets(value)
        return {
            key: (self._mask_all_changed if key in secret else self.mask_changed)(item, before.get(key))
            for key, item in value.items()
        }

    def _mask_all(self, value: t.Any) -> t.Any:
        """Mask the value of a secret name, or a list of such values; dictionaries have their own names."""
        if isinstance(value, dict):
            return self.mask(value)
        if isinstance(value, (list, tuple)):
            return [self._mask_all(item) for item in value]
        return MASK if _may_be_secret(value) else value

    def _mask_all_changed(self, value: t.Any, current: t.Any) -> t.Any:
        """Mask like `_mask_all`, and mark a secret that changes."""
        if isinstance(value, dict):
            return self.mask_changed(value, current)
        if isinstance(value, (list, tuple)):
            return mask_each_changed(self._mask_all_changed, value, current)
        changed = _may_be_secret(value) and current is not None and not self.equal(value, current)
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
                raise BadInput(
                    f"{path}.{key}",
                    f"expected a setting without an option; use the option {self.declared[key]} instead of {EXTRA}",
                )
        self._validate(value, path, 0)

    def _validate(self, value: t.Any, path: str, depth: int) -> None:
        if depth > _EXTRA_DEPTH:
            raise BadInput(path, f"expected at most {_EXTRA_DEPTH} levels")
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str) or not _EXTRA_KEY.fullmatch(key):
                    raise BadInput(
                        f"{path}.{key!r}",
                        "expected a name of letters, digits and '_' only (other names can crash the server)",
                    )
                self._validate(item, f"{path}.{key}", depth + 1)
        elif isinstance(value, (list, tuple)):
            for index, item in enumerate(value):
                self._validate(item, f"{path}[{index}]", depth + 1)
        elif isinstance(value, str) and MASK in value:
            raise BadInput(path, "expected the complete value, got one with a masked part; read it with show_secrets")

    def merge(self, desired: t.Any, current: t.Any) -> t.Any:
        if isinstance(desired, dict) and isinstance(current, dict):
            return {**current, **{key: self.merge(item, current.get(key)) for key, item in desired.items()}}
        return desired


def unsendable_keys(raw: t.Any, path: str = "") -> list[str]:
    """Return the paths of names (wire form) that no request may contain; an object with them cannot be restored."""
    found = []
    if isinstance(raw, dict):
        for key, item in raw.items():
            plain = isinstance(key, str) and _EXTRA_KEY.fullmatch(key)
            found += unsendable_keys(item, f"{path}{key}.") if plain else [f"{path}{key!r}"]
    elif isinstance(raw, list):
        for index, item in enumerate(raw):
            found += unsendable_keys(item, f"{path}{index}.")
    return found


def names_a_secret(name: str) -> bool:
    """Return whether a name is one that secrets have, which is all that an undeclared value tells."""
    return _SECRET_NAME.search(name) is not None


def _names_of_secrets(value: t.Mapping[str, t.Any]) -> set[str]:
    """Return the keys of a dictionary with secret values, judged by name: undeclared values have no other sign.

    The server writes some names and values as pairs: {"key": "accessToken", "value": "..."}.
    """
    if value.keys() == {"key", "value"} and isinstance(value["key"], str):
        return {"value"} if _is_secret(value["key"], value["value"]) else set()
    return {key for key, item in value.items() if _is_secret(key, item)}


def _is_secret(name: t.Any, value: t.Any) -> bool:
    """Return whether a value is secret, judged by its name."""
    if isinstance(value, (list, tuple)):
        return any(map(_may_be_secret, _leaves(value))) and names_a_secret(str(name))
    return _may_be_secret(value) and names_a_secret(str(name))


def _may_be_secret(value: t.Any) -> bool:
    """Return whether a value can be a secret: not booleans and not numbers, unless they are too large for a setting,
    and no macros in place of a secret.
    """
    if isinstance(value, (int, float)):
        return not isinstance(value, bool) and abs(value) >= _SMALLEST_CODE
    return not isinstance(value, dict) and value not in (None, "") and not is_reference(value)


def _leaves(value: t.Any) -> t.Iterator[t.Any]:
    """Yield a value, or all values of a list at any depth; no dictionaries and no booleans."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif not isinstance(value, (bool, dict)):
        yield value
