# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields with a single value."""

from __future__ import annotations

import math
import re
import typing as t

from .._core.errors import BadInput
from .._core.secret_store import SecretStore
from .._core.secret_urls import MASK, mask_url
from .._core.server_version import Changed
from .fields import Field

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
