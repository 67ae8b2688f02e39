# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secret values, and their removal from free text.

Values of secret fields are masked by their declaration in `_resources`. Free text such as messages and warnings is
scrubbed of every secret value that a run has read, from options or from the server.
"""

from __future__ import annotations

import base64
import json
import re
import typing as t
from urllib.parse import quote, quote_plus

from .secret_urls import MASK, hosts_in, url_secrets
from .texts import shortened

# Entries of results whose values are words of this collection. They are never scrubbed, so that playbooks can compare
# them even if a secret happens to be the same word.
_OWN_WORDS = frozenset(("kind", "remedy", "action", "state", "method"))
# Options and entries of results that identify an object or a server. They are never masked, because playbooks address
# objects by them.
_NAMES = frozenset(
    (
        "name",
        "names",
        "vhost",
        "app",
        "application",
        "push_task",
        "id",
        "host",
        "server_name",
        "variant_names",
        "endpoint",
        "path",
        "version",
        "unlisted",
    )
)
# Entries of results that map names to names.
_NAMES_BY_NAME = frozenset(("unreachable_host_names",))
# Entries of results whose values are words of the server or of this collection.
_WORDS = frozenset(("kind", "action", "state", "method", "type", "protocol", "scheme", "severity", "status"))
# Entries of results that are messages.
_MESSAGES = frozenset(("msg", "message", "meaning", "server_message", "attempted"))
# The form of a name. Any other text in the place of a name is a mistake, and can be a secret.
_NAME = re.compile(r"[A-Za-z0-9_./:*\[\]-]+")
# Texts that are too common to be replaced in other texts: parts of words, short numbers and booleans.
_ORDINARY = re.compile(r".{1,2}|[+-]?[0-9]{1,5}|true|false|none|null", re.IGNORECASE | re.DOTALL)


def names_in(value: t.Any, without: t.Collection[str], *, words: bool = False) -> set[str]:
    """Return the names of objects and servers in options or in a result.

    ``without`` are keys whose values are skipped, because they can contain secrets. With ``words``, include the values
    that are words of the server or of this collection.
    """
    keys = _NAMES | _WORDS if words else _NAMES
    found: set[str] = set()
    pending = [(value, False)]
    while pending:
        one, named = pending.pop()
        if isinstance(one, dict):
            # Most options are not set.
            pending += [(item, key in keys) for key, item in one.items() if item is not None and key not in without]
            pending += [
                ([*item, *item.values()], True)
                for key, item in one.items()
                if key in _NAMES_BY_NAME and isinstance(item, dict)
            ]
        elif isinstance(one, (list, tuple)):
            pending += [(item, named) for item in one]
        elif isinstance(one, str):
            found.update(name for name in ([one] if named else hosts_in(one)) if _NAME.fullmatch(name))
    return found


def is_ordinary(value: str) -> bool:
    """Return whether a text is too common to be replaced in other texts."""
    return _ORDINARY.fullmatch(value) is not None


_SHORT_ESCAPES = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r"}
_ENTITIES = {"<": "lt", ">": "gt", "&": "amp", '"': "quot", "'": "apos"}


def _pattern_of(letters: str) -> str:
    """Return a pattern for one character, or for a run of backslashes, in every escaped spelling.

    It covers repeated escaping. Repetitions are bounded, because texts can be hostile.
    """
    letter = letters[0]
    if letter.isascii() and letter.isalnum():
        return letter
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    escaped = "".join(
        f"u{units[start : start + 4]}" if not start else rf"\\{{1,32}}u{units[start : start + 4]}"
        for start in range(0, len(units), 4)
    )
    found = [
        "".join(f"%(?:25){{0,8}}{byte:02x}" for byte in letter.encode("utf-8", "surrogatepass")),
        f"&(?:amp;){{0,8}}#(?:0{{0,8}}{ord(letter)}|x0{{0,8}}{ord(letter):x});",
    ]
    found += [f"&(?:amp;){{0,8}}{_ENTITIES[letter]};"] if letter in _ENTITIES else []
    if letter == "\\":
        return f"(?i:(?:\\\\(?:{escaped})?|{'|'.join(found)}){{1,64}})"
    after = [
        escaped,
        f"U{ord(letter):08x}",
        *([f"x{ord(letter):02x}"] if ord(letter) < 256 else []),
        *_SHORT_ESCAPES.get(letter, ""),
    ]
    found += [
        rf"\\{{1,32}}(?:{'|'.join(after)})",
        rf"\\{{0,32}}{chr(92) + 's' if letter.isspace() else re.escape(letter)}",
    ]
    found += [r"\+"] if letter == " " else []
    return f"(?i:{'|'.join(found)})"


def _base64_cores(value: bytes) -> set[str]:
    """Return the texts of which every base64 text with these bytes contains one.

    There is one for each alignment of the bytes, without the characters that depend on neighbouring bytes.
    """
    cores = set()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + value).decode().rstrip("=")
        cores.add(encoded[(0, 2, 3)[offset] : len(encoded) - bool((offset + len(value)) % 3)])
    return cores | {core.translate(str.maketrans("+/", "-_")) for core in cores}


class _Spellings:
    """Find one secret in all of its spellings."""

    _SHORTEST_CORE = 8
    # Characters; a pattern is much longer than its secret.
    _LONGEST_PATTERN = 256

    def __init__(self, value: str, whole_word_below: int, names: t.Iterable[str]) -> None:
        """Prepare one secret; ``names`` stay visible even if they equal or contain it."""
        encoded = value.encode("utf-8", "surrogatepass")
        exact = base64.b64encode(encoded).decode()
        self._value = value
        self._whole_word = len(value) < whole_word_below
        # Letters and digits are never escaped: a text without one of these runs does not contain the secret. The last
        # run is the most distinctive one, because secrets often share a prefix.
        self._runs = re.findall(r"[A-Za-z0-9]+", value)[::-1] if len(value) <= self._LONGEST_PATTERN else []
        self.sign = self._runs[0] if self._runs else ""
        cores = {core for core in _base64_cores(encoded) if len(core) >= self._SHORTEST_CORE}
        self.texts = {exact, *cores} if len(exact) >= whole_word_below else cores
        if len(value) > self._LONGEST_PATTERN:
            urls = {quote(encoded), quote(encoded, safe=""), quote_plus(encoded)}
            urls |= {re.sub(r"%[0-9A-F]{2}", lambda found: found.group().lower(), url) for url in urls}
            self.texts |= urls | {
                value,
                repr(value)[1:-1],
                json.dumps(value)[1:-1],
                json.dumps(value, ensure_ascii=False)[1:-1],
            }
        self._names = names
        self._pattern: re.Pattern[str] | None = None

    def scrub(self, text: str) -> str:
        """Return the text with the secret masked in all spellings but base64."""
        if len(self._value) > self._LONGEST_PATTERN or not all(run in text for run in self._runs):
            return text
        if self._pattern is None:
            pattern = "".join(map(_pattern_of, re.findall(r"\\+|.", self._value, re.DOTALL)))
            pattern = rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])" if self._whole_word else pattern
            # Longest first. Names that do not contain the secret are left out, so that a secret that contains a name is
            # masked as a whole.
            names = "|".join(
                map(re.escape, sorted((name for name in self._names if self._value in name), key=len, reverse=True))
            )
            self._pattern = re.compile(
                rf"(?P<name>(?<![A-Za-z0-9_-])(?:{names})(?![A-Za-z0-9_-]))|{pattern}" if names else pattern
            )
        return self._pattern.sub(lambda found: found.group() if found.lastgroup else MASK, text)


class SecretStore:
    """The secret values that a run has read; masks them in free text."""

    # Characters. A shorter secret is masked only as a whole word, because as a substring it would occur in most
    # messages.
    _WHOLE_WORD_BELOW = 6

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._names: frozenset[str] = frozenset()
        self._spellings: list[_Spellings] | None = None
        self._texts: list[str] = []

    @property
    def values(self) -> frozenset[str]:
        """Return the secrets as they were added."""
        return frozenset(self._values)

    def add(self, *values: t.Any) -> None:
        """Add secrets; ignore None, blank text and the mask itself."""
        for value in values:
            text = "" if value is None else str(value)
            if text.strip() and text != MASK:
                self._values.add(text)
                self._spellings = None

    def keep(self, names: t.Iterable[str]) -> None:
        """Never mask these names of objects and servers from now on, even if a secret equals or is part of one."""
        self._names |= frozenset(names)
        self._spellings = None

    def add_url(self, url: t.Any, *, destination: bool = False) -> None:
        """Add the secret parts of a URL; ``destination`` as for :func:`mask_url`."""
        if isinstance(url, str):
            self.add(*url_secrets(url, destination=destination))

    def scrub(self, text: str) -> str:
        """Return the text with each secret masked.

        Spellings are plain, base64, URL-encoded, escaped for JSON, HTML and others, also nested.
        """
        if self._spellings is None:  # built once: a result has thousands of texts, and a fleet hundreds of secrets
            known = [one for one in self._values if not is_ordinary(one)]
            # Server messages have their whitespace collapsed.
            values = {value for one in known for value in (one, " ".join(one.split()))}
            self._spellings = [
                _Spellings(value, self._WHOLE_WORD_BELOW, self._names)
                for value in sorted(values, key=len, reverse=True)
            ]
            self._texts = sorted(
                {one for spellings in self._spellings for one in spellings.texts}, key=len, reverse=True
            )
        for spellings in self._spellings:
            if spellings.sign in text:
                text = spellings.scrub(text)
        for one in self._texts:
            if one in text:
                text = text.replace(one, MASK)
        return text

    def scrub_tree(self, value: t.Any) -> t.Any:
        """Return a value with every text in dictionaries and lists scrubbed; keys and the collection's words stay.

        Shorten messages only after scrubbing, because half a secret would not be found.
        """
        if isinstance(value, str):
            return self.scrub(value)
        if isinstance(value, dict):
            return {key: item if key in _OWN_WORDS else self._scrub_item(key, item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.scrub_tree(item) for item in value]
        return value

    def _scrub_item(self, key: t.Any, item: t.Any) -> t.Any:
        return shortened(self.scrub(item)) if key in _MESSAGES and isinstance(item, str) else self.scrub_tree(item)
