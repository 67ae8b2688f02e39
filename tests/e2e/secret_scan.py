# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds secrets in whatever a run has left, in every spelling that tools give to a text.

Spellings are without number: JSON inside of JSON, a URL inside of a shell command, YAML that is folded. So texts and
secrets are not compared literally. Both are brought into one form, in which escapes are resolved as often as there
are any, and what escaping adds (backslashes, quotes, blanks) is gone. Only base64 is searched for unchanged, because
it looks like other
text.
"""

from __future__ import annotations

import base64
import html
import json
import pathlib
import re
import typing as t
from urllib.parse import quote, quote_plus

# A part of a secret that is as long as this is a leak, too: something may have masked only its beginning.
_SHORTEST_PART = 10
_DEEPEST = 6

_UNICODE_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2}))")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
# What escaping and line breaking add or change: backslashes, quotes, blanks and the plus that replaces one.
_NOISE = re.compile(r"[\s\\\"'`+]+")
_SURROGATES = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")
_TERMINAL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Leak(t.NamedTuple):
    """A secret that was found."""

    secret: str
    """What it is, never its value."""
    place: str
    spelling: str
    where: str
    """The text around it, as it was searched."""


def resolved(text: str) -> str:
    """Return the text with all escapes of JSON, Python, YAML, URLs and HTML resolved, in any order and nesting."""
    text = _TERMINAL.sub("", text)
    for _level in range(_DEEPEST):
        before = text
        if "\\" in text:
            text = _UNICODE_ESCAPE.sub(
                lambda found: _character(found.group(1) or found.group(2) or found.group(3)), text
            )
            text = _SURROGATES.sub(lambda found: found.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)
        if "%" in text:
            text = _PERCENT.sub(lambda found: _bytes_of(found.group()), text)
        if "&" in text:
            text = html.unescape(text)
        if text == before:
            break
    return text


def _character(digits: str) -> str:
    number = int(digits, 16)
    return chr(number) if number <= 0x10FFFF else ""


def _bytes_of(escaped: str) -> str:
    raw = bytes.fromhex(escaped.replace("%", ""))
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def plain_form(text: str) -> str:
    """Return the form in which texts and secrets are compared; letters of either case are the same."""
    return _NOISE.sub("", resolved(text)).casefold()


def base64_form(text: str) -> str:
    """Return the form in which base64 is searched for: without escapes and line breaks, both alphabets as one."""
    return re.sub(r"[\s\\\"'+_-]+", "", resolved(text)).replace("/", "")


def cores(value: bytes) -> set[str]:
    """Return the part that every base64 text with these bytes contains, for each of the three alignments."""
    found = set()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + value).decode().rstrip("=")
        # The first and the last characters are made of neighbours, too.
        first, last = (0, 2, 3)[offset], len(encoded) - ((offset + len(value)) % 3 != 0)
        found.add(encoded[first:last])
    return found


def _parts(value: str) -> set[str]:
    """Return the secret, and its halves if they are long enough to differ from other text."""
    half = len(value) // 2
    return {value} | {part for part in (value[half:],) if len(part) >= _SHORTEST_PART}


class Scanner:
    """Looks for secrets.

    :param secrets: values by what they are called in reports of leaks.
    """

    def __init__(self, secrets: t.Mapping[str, str]) -> None:
        self.secrets = dict(secrets)
        self._plain: list[tuple[str, str]] = []
        self._base64: list[tuple[str, str]] = []
        for name, value in self.secrets.items():
            forms = {plain_form(part) for part in _parts(value)}
            if not all(forms):
                raise ValueError(f"nothing of {name} is left to search for")
            self._plain += [(name, form) for form in forms]
            encoded = {
                value,
                json.dumps(value)[1:-1],
                json.dumps(value, ensure_ascii=False)[1:-1],
                quote(value),
                quote(value, safe=""),
                quote_plus(value),
            }
            self._base64 += [(name, base64_form(core)) for spelling in encoded for core in cores(spelling.encode())]

    def scan(self, text: str | bytes, place: str) -> list[Leak]:
        """Return the secrets that are in a text, each once for its plain and once for its base64 spellings."""
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        found: dict[tuple[str, str], Leak] = {}
        for spelling, needles, form in (
            ("plain or escaped", self._plain, plain_form(text)),
            ("base64", self._base64, base64_form(text)),
        ):
            for name, needle in needles:
                position = form.find(needle) if (name, spelling) not in found else -1
                if position >= 0:
                    around = form[max(0, position - 160) : position + len(needle) + 40]
                    found[name, spelling] = Leak(name, place, spelling, around)
        return list(found.values())

    def scan_files(self, *roots: pathlib.Path) -> tuple[list[Leak], list[str]]:
        """Scan the names and the contents of all files under some directories, or single files; return the leaks and
        what was looked at.
        """
        leaks, places = [], []
        for root in roots:
            for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
                place = str(path.relative_to(root.parent))
                if path.is_file() and not path.is_symlink():
                    places.append(place)
                    leaks += self.scan(path.read_bytes(), place)
                leaks += self.scan(path.name, f"name of {place}")
        return leaks, places


class Canaries:
    """Makes secrets for a test, each another, and remembers them by what they are.

    :param hard: with what makes escaping matter: quotes, backslash, `%`, `&`, `+`, blank, letters beyond ASCII.
    """

    # What a value may hold at its place, in the hard set.
    _HARD: t.ClassVar[dict[str, str]] = {
        "text": " '\"\\%+&%41=\u00e9\u20ac/ ",
        "ascii": " '\"\\%+&%41=/ ",
        "path": "'\"\\%+&%41=\u00e9/",
        "query": "'\"\\%+%41=\u00e9/",
        "user": "'\"\\%+&%41=\u00e9",
        "digits": "",
    }

    def __init__(self, hard: bool, prefix: str) -> None:
        self.hard = hard
        self.prefix = prefix
        self.secrets: dict[str, str] = {}

    def __call__(self, name: str, kind: str = "text") -> str:
        """Return the secret of this name; make it if there is none yet. ``kind`` says its place."""
        known = f"{self.prefix} {name}"
        if known not in self.secrets:
            word = re.sub(r"[^a-z]+", "-", name.lower())
            if kind == "digits":
                self.secrets[known] = f"90{hash_of(known) % 10**13:013}"
            else:
                # Its end is like that of no other, so that half of it is enough to be known again.
                self.secrets[known] = f"canary-{word}{self._HARD[kind] if self.hard else '-'}{hash_of(known):016x}"
        return self.secrets[known]


def hash_of(text: str) -> int:
    """Return a number that is the same in every run."""
    number = 1469598103934665603
    for byte in text.encode():
        number = ((number ^ byte) * 1099511628211) % 2**64
    return number


def describe(leaks: t.Sequence[Leak]) -> str:
    """Return leaks as a message; not more than can be read."""
    return (
        "\n".join(f"{leak.secret}, {leak.spelling}, in {leak.place}: ...{leak.where[-200:]}" for leak in leaks[:25])
        + f"\n{len(leaks)} leaks"
    )
