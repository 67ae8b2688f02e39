# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Check the options of an event source as the modules check theirs: with full paths, and without unknown names."""

from __future__ import annotations

import difflib
import os
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput

Check = t.Callable[[t.Any], t.Optional[str]]
"""Takes a value and returns what was expected instead, or None if the value is valid."""

# As Ansible takes them.
_TRUE = ("true", "yes", "on", "1", "y", "t")
_FALSE = ("false", "no", "off", "0", "n", "f")
_LONGEST_SECRET = 4096
_SECRETS = ("secret_key", "api_token")
# ansible-rulebook adds them to the options of every source.
_OF_RULEBOOK = ("eda_feedback_queue",)


class Options:
    """The options of a source, or of one entry of a list in them.

    Raises BadInput with the full path of an option that is invalid, missing or unknown. A value appears in a message
    only if it is no secret.
    """

    def __init__(self, values: t.Any, known: t.Collection[str], path: str = "") -> None:
        """``known`` are all names; ``path`` is the full path of the dictionary, empty for the options of a source."""
        self._path = path
        if not isinstance(values, dict):
            raise BadInput(path or "options", f"expected a dictionary, got {_kind(values)}")
        self._values = {name: value for name, value in values.items() if value is not None}
        for name in values:
            if name in _OF_RULEBOOK and not path:
                continue
            if name in _SECRETS and f"{name}_env" in known:
                text = f"expected {name}_env or {name}_file, because a rulebook is no place for a secret"
                raise BadInput(self.path(name), text)
            if name not in known:
                close = difflib.get_close_matches(str(name), known, 1)
                hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"
                raise BadInput(self.path(str(name)), f"expected a known option ({hint})")

    def path(self, name: str) -> str:
        """Return the full path of an option."""
        return f"{self._path}.{name}" if self._path else name

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def refuse(self, name: str, expected: str) -> t.NoReturn:
        """Raise BadInput for an option."""
        raise BadInput(self.path(name), expected)

    def text(self, name: str, default: str | None = None, check: Check | None = None) -> str | None:
        """Return a text."""
        value = self._values.get(name, default)
        if value is None:
            return None
        if not isinstance(value, str):
            self.refuse(name, f"expected text, got {_kind(value)}")
        self._check(name, value, check)
        return value

    def required_text(self, name: str, check: Check | None = None) -> str:
        """Return a text that must be there."""
        value = self.text(name, check=check)
        return self.refuse(name, "expected a value, because the option is required") if value is None else value

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``. Text with a number is accepted, as by the modules."""
        value = self.number(name, default, low, high)
        if value != int(value):
            self.refuse(name, f"expected a whole number, got {value:g}")
        return int(value)

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """Return a number from ``low`` to ``high``."""
        value = self._values.get(name, default)
        expected = f"expected a number from {low:g} to {high:g}"
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            self.refuse(name, f"{expected}, got {_kind(value)}")
        try:
            number = float(value)
        except (ValueError, OverflowError):
            self.refuse(name, f"{expected}, got {str(value)[:40]!r}")
        if not low <= number <= high:
            self.refuse(name, f"{expected}, got {number:g}")
        return number

    def boolean(self, name: str, *, default: bool) -> bool:
        """Return a boolean; text is accepted as Ansible accepts it."""
        value = self._values.get(name, default)
        found = boolean_of(value)
        return self.refuse(name, f"expected true or false, got {str(value)[:40]!r}") if found is None else found

    def entries(self, name: str, known: t.Collection[str], *, required: bool = False) -> list[Options]:
        """Return the options of each dictionary of a list."""
        value = self._values.get(name, [])
        if not isinstance(value, list):
            self.refuse(name, f"expected a list, got {_kind(value)}")
        if required and not value:
            self.refuse(name, "expected at least one entry")
        return [Options(entry, known, f"{self.path(name)}[{index}]") for index, entry in enumerate(value)]

    def nested(self, name: str, known: t.Collection[str]) -> Options | None:
        """Return the options of a dictionary; None if it is empty or omitted."""
        value = self._values.get(name)
        return None if value is None or value == {} else Options(value, known, self.path(name))

    def file(self, name: str) -> str | None:
        """Return the path of a file that can be read."""
        path = self.text(name)
        if path is not None:
            try:
                with open(path, "rb"):
                    pass
            except (OSError, ValueError) as error:
                self.refuse(name, f"expected a readable file, but {path} cannot be read: {_reason(error)}")
        return path

    def secret(self, name: str) -> str:
        """Return a secret from the environment variable ``{name}_env`` or the file ``{name}_file``."""
        variable, file = self.text(f"{name}_env"), self.text(f"{name}_file")
        if (variable is None) == (file is None):
            got = "none of them" if variable is None else "both"
            self.refuse(f"{name}_env", f"expected either {name}_env or {name}_file, got {got}")
        if variable is not None:
            return self._usable(f"{name}_env", os.environ.get(variable, ""), f"the environment variable {variable}")
        assert file is not None
        try:
            with open(file, encoding="utf-8") as handle:
                content = handle.read(_LONGEST_SECRET + 2)
        except (OSError, ValueError) as error:
            self.refuse(f"{name}_file", f"expected a readable file, but {file} cannot be read: {_reason(error)}")
        return self._usable(f"{name}_file", content.rstrip("\r\n"), file)

    def _usable(self, name: str, secret: str, where: str) -> str:
        if not secret.strip():
            self.refuse(name, f"expected a secret in {where}, which is empty or not set")
        if len(secret) > _LONGEST_SECRET or not secret.isprintable():
            self.refuse(name, f"expected one line of at most {_LONGEST_SECRET} characters in {where}")
        return secret

    def _check(self, name: str, value: t.Any, check: Check | None) -> None:
        expected = check(value) if check else None
        if expected is not None:
            self.refuse(name, f"{expected}, got {value[:80]!r}")


def boolean_of(value: t.Any) -> bool | None:
    """Return the boolean that a value or its text means; None if it means none."""
    text = str(value).strip().lower()
    return True if text in _TRUE else False if text in _FALSE else None


def _kind(value: t.Any) -> str:
    """Return the kind of a value in words of YAML."""
    for kind, name in ((bool, "a boolean"), (dict, "a dictionary"), (list, "a list"), (str, "text")):
        if isinstance(value, kind):
            return name
    return "nothing" if value is None else "a number" if isinstance(value, (int, float)) else type(value).__name__


def _reason(error: Exception) -> str:
    """Return why a file cannot be read, without its content."""
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
