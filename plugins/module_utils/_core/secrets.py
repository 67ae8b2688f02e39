# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What must never be printed, and how it is masked.

Two ways work together. Values are masked where they stand, by what the field is (`_fields` knows which fields
are secrets), and free text (messages, warnings) is scrubbed of every secret value that the run has met, whether the
user gave it or only the server had it.
"""

from __future__ import annotations

import base64
import json
import re
import typing as t
from urllib.parse import quote, quote_plus, unquote

from .texts import shortened

MASK = "********"

# Options in the query string of a push URL that say how to connect and open nothing. Everything else that stands in a
# query string is masked: `passphrase`, `streamid`, tokens of platforms, and what nobody has thought of yet.
_OPEN_QUERY_OPTIONS = frozenset(
    (
        "mode",
        "latency",
        "rcvlatency",
        "peerlatency",
        "timeout",
        "connect_timeout",
        "listen_timeout",
        "pbkeylen",
        "payload_size",
        "pkt_size",
        "tlpktdrop",
        "maxbw",
        "inputbw",
        "oheadbw",
        "mss",
        "ipttl",
        "iptos",
        "ttl",
        "localaddr",
        "transtype",
        "nakreport",
        "listen",
    )
)


# Values of those that can stand in the open; anything else may be another option that a wrong separator hides.
_OPEN_VALUE = re.compile(r"[\w.:-]*")
# Entries of results whose values are words of this collection. A secret can be such a word by chance, and a playbook
# must still be able to compare them.
_OWN_WORDS = frozenset(("kind", "remedy", "action", "state", "method"))
# Options and entries of results that identify an object or a server. Playbooks address objects by them, so they are
# never masked.
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
    )
)
_NAMES |= {"unlisted"}
# Entries of results that are dictionaries from names to names.
_NAMES_BY_NAME = frozenset(("unreachable_host_names",))
# Entries of results whose values are words of the server or of this collection.
_WORDS = frozenset(("kind", "action", "state", "method", "type", "protocol", "scheme", "severity", "status"))
# Entries of results that are messages.
_MESSAGES = frozenset(("msg", "message", "meaning", "server_message", "attempted"))
# What can be a name. Anything else in the place of a name is a mistake, and can be a secret.
_NAME = re.compile(r"[A-Za-z0-9_./:*\[\]-]+")
# Texts that say too little to be looked for in other texts: parts of words, short numbers and booleans.
_ORDINARY = re.compile(r".{1,2}|[+-]?[0-9]{1,5}|true|false|none|null", re.IGNORECASE | re.DOTALL)


class _Url(t.NamedTuple):
    """The parts of a URL as they stand, so that put together again they give the very same text."""

    scheme: str  # with what parts it from the host
    user: str  # without the @
    host: str
    path: str
    query: str | None
    fragment: str | None


def _split_url(url: str, *, at_any_place: bool = False) -> _Url:
    """Splits by hand, as this must cope with everything that somebody may write.

    User info ends before the path. A password that holds a sign which should have been encoded breaks that rule, so
    with ``at_any_place`` everything up to the last @ is taken for user info.
    """
    start = re.match(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:/+)?", url)
    scheme = start.group() if start else ""
    rest = url[len(scheme) :]
    authority = rest if at_any_place else re.split(r"[/?#]", rest, maxsplit=1)[0]
    user, at_sign, dummy = authority.rpartition("@")
    rest = rest[len(user + at_sign) :]
    rest, hash_sign, fragment = rest.partition("#")
    rest, question, query = rest.partition("?")
    host, slash, path = rest.partition("/")
    return _Url(scheme, user, host, slash + path, query if question else None, fragment if hash_sign else None)


def _query_parts(query: str) -> t.Iterator[tuple[str, str]]:
    """Each part of a query string as what can be shown, and the secret after it."""
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if name.lower() in _OPEN_QUERY_OPTIONS and _OPEN_VALUE.fullmatch(value):
            yield part, ""
        elif equals and value:
            yield name + equals, value
        else:  # a bare word can be a token, and end in the padding of its base64
            yield "", part


def mask_url(url: str, *, destination: bool = False) -> str:
    """Returns the URL with everything masked that lets somebody in.

    That is user info, values in the query string that are not known to be harmless, the fragment, and in an RTMP URL
    the part of the path after the application, where many platforms expect the stream key. Where the ``destination``
    of a push is meant, it is so under any scheme, as a wrong one can be a mistake, and without one all may be a key.
    """
    if destination and _may_be_a_key(url):
        return MASK
    parts = _split_url(url)
    if parts != _split_url(url, at_any_place=True):
        return parts.scheme + MASK  # what stands behind the @ is the host or the end of a secret, and nobody can tell
    masked = parts.scheme + (f"{MASK}@" if parts.user else "") + parts.host
    key = _rtmp_key(parts, destination)
    masked += parts.path[: len(parts.path) - len(key)] + MASK if key else parts.path
    if parts.query is not None:
        masked += "?" + "&".join(shown + (MASK if secret else "") for shown, secret in _query_parts(parts.query))
    if parts.fragment is not None:
        masked += f"#{MASK}"
    return masked


def _may_be_a_key(url: str) -> bool:
    """Whether this is no URL, and more than the host and the port of one: a stream key that stands in the wrong place."""
    return "://" not in url and bool(url.strip()) and not re.fullmatch(r"[A-Za-z0-9.-]+:[0-9]+", url.strip())


def _rtmp_key(parts: _Url, destination: bool) -> str:
    """What stands in the path of an RTMP URL after the application, as it stands; empty where there is nothing."""
    if not destination and not parts.scheme.strip().lower().startswith("rtmp"):
        return ""
    found = re.fullmatch(r"/+[^/]+/+([^/].*)", parts.path, re.DOTALL)
    return found.group(1) if found else ""


def url_secrets(url: str, *, destination: bool = False) -> set[str]:
    """Returns the parts of a URL that :func:`mask_url` masks, as they stand and percent-decoded."""
    found = {url, url.strip()} if destination and _may_be_a_key(url) else set()
    for parts in (_split_url(url), _split_url(url, at_any_place=True)):
        key = _rtmp_key(parts, destination)
        found |= {parts.user, parts.user.partition(":")[2], key, key.rstrip("/ "), parts.fragment or ""}
        found |= {secret for _shown, secret in _query_parts(parts.query or "")}
    found |= {unquote(part) for part in found}
    return {part for part in found if part}


def has_user_info(url: str) -> bool:
    """Whether a URL carries, or may carry, `user@` or `user:password@`."""
    return bool(_split_url(url, at_any_place=True).user)


def names_in(value: t.Any, without: t.Collection[str], *, words: bool = False) -> set[str]:
    """Return the names of objects and servers inside of options or of a result, with ``words`` also the words that a
    result consists of.

    ``without`` are keys whose values are not looked into, because secrets are expected there.
    """
    keys = _NAMES | _WORDS if words else _NAMES
    found: set[str] = set()
    pending = [(value, False)]
    while pending:
        one, named = pending.pop()
        if isinstance(one, dict):
            pending += [(item, key in keys) for key, item in one.items() if key not in without]
            pending += [
                ([*item, *item.values()], True)
                for key, item in one.items()
                if key in _NAMES_BY_NAME and isinstance(item, dict)
            ]
        elif isinstance(one, (list, tuple)):
            pending += [(item, named) for item in one]
        elif isinstance(one, str):
            found.update(name for name in ([one] if named else _hosts(one)) if _NAME.fullmatch(name))
    return found


def _hosts(url: str) -> list[str]:
    """The host of a URL, with its port and alone; none where it is not certain what is the host."""
    if "://" not in url:
        return []
    parts = _split_url(url)
    return [parts.host, re.sub(r":[0-9]*\Z", "", parts.host)] if parts == _split_url(url, at_any_place=True) else []


def is_ordinary(value: str) -> bool:
    """Return whether a text says too little to be looked for in other texts, because it stands in many that have
    nothing to do with it.
    """
    return _ORDINARY.fullmatch(value) is not None


_SHORT_ESCAPES = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r"}
_ENTITIES = {"<": "lt", ">": "gt", "&": "amp", '"': "quot", "'": "apos"}


def _pattern_of(letters: str) -> str:
    """A pattern for a letter, or for a run of backslashes, in every spelling that escapes it, however often.

    Bounded, as texts can be hostile.
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
    """What every base64 text that holds these bytes holds, by the three ways in which they can be aligned in it,
    without what neighbours go into.
    """
    cores = set()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + value).decode().rstrip("=")
        cores.add(encoded[(0, 2, 3)[offset] : len(encoded) - bool((offset + len(value)) % 3)])
    return cores | {core.translate(str.maketrans("+/", "-_")) for core in cores}


class _Spellings:
    """One secret in all of its spellings."""

    _SHORTEST_CORE = 8
    # A pattern is much longer than what it is for.
    _LONGEST_PATTERN = 256

    def __init__(self, value: str, whole_word_below: int, names: t.Iterable[str]) -> None:
        """``names`` stay as they are, although the secret is one of them or stands in one."""
        encoded = value.encode("utf-8", "surrogatepass")
        exact = base64.b64encode(encoded).decode()
        self._value = value
        self._whole_word = len(value) < whole_word_below
        # Letters and digits are never escaped: where a run of them is missing, the secret is missing. The last is the
        # least like that of other secrets.
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
        """The text without the secret, base64 apart."""
        if len(self._value) > self._LONGEST_PATTERN or not all(run in text for run in self._runs):
            return text
        if self._pattern is None:
            pattern = "".join(map(_pattern_of, re.findall(r"\\+|.", self._value, re.DOTALL)))
            pattern = rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])" if self._whole_word else pattern
            # Longest first, and only those that hold the secret: a secret that holds a name goes whole.
            names = "|".join(
                map(re.escape, sorted((name for name in self._names if self._value in name), key=len, reverse=True))
            )
            self._pattern = re.compile(
                rf"(?P<name>(?<![A-Za-z0-9_-])(?:{names})(?![A-Za-z0-9_-]))|{pattern}" if names else pattern
            )
        return self._pattern.sub(lambda found: found.group() if found.lastgroup else MASK, text)


class SecretStore:
    """Every secret value that a run has met, to take them out of free text."""

    # A short secret as a plain substring would blot out half of every message, so below this length only whole words
    # count.
    _WHOLE_WORD_BELOW = 6

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._names: frozenset[str] = frozenset()
        self._spellings: list[_Spellings] | None = None
        self._texts: list[str] = []

    @property
    def values(self) -> frozenset[str]:
        """The secrets as they were met."""
        return frozenset(self._values)

    def add(self, *values: t.Any) -> None:
        """Remembers secrets; None, text of blanks alone, which stand between all words, and the mask itself are none."""
        for value in values:
            text = "" if value is None else str(value)
            if text.strip() and text != MASK:
                self._values.add(text)
                self._spellings = None

    def keep(self, names: t.Iterable[str]) -> None:
        """Leave these names of objects and servers as they are from now on, although a secret is the same text or a
        part of it.
        """
        self._names |= frozenset(names)
        self._spellings = None

    def add_url(self, url: t.Any, *, destination: bool = False) -> None:
        """Remembers the secret parts of a URL."""
        if isinstance(url, str):
            self.add(*url_secrets(url, destination=destination))

    def scrub(self, text: str) -> str:
        """Returns the text with each secret replaced: in plain, base64, and URL-encoded, escaped for JSON, HTML and
        others, also one inside of the other.
        """
        if self._spellings is None:  # made once: a result has thousands of texts, and a fleet hundreds of secrets
            known = [one for one in self._values if not is_ordinary(one)]
            values = {
                value for one in known for value in (one, " ".join(one.split()))
            }  # the server's own words arrive with blanks folded
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
        """Scrubs every text inside of dicts and lists; keys stay, and so do the collection's own words.

        Messages are shortened after that: of a secret that is cut in two, neither half would be found.
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
