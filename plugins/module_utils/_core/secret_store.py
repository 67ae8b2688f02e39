# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secret values: where they are found, such as in URLs, and their removal from free text."""

from __future__ import annotations

import base64
import binascii
import json
import re
import typing as t
from urllib.parse import quote, quote_plus, unquote

from .macros import is_reference
from .texts import shortened

# URLs that contain secrets: user info, query strings, stream keys.

MASK = "********"

# Options in the query string of a push URL that are never secret. All other options are masked: `passphrase`,
# `streamid`, tokens of platforms, and unknown ones.
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
        "transport",
        "direction",
        "nakreport",
        "listen",
    )
)


# Sources on the server itself, which have no stream key.
_LOCAL_SCHEMES = ("stream://", "file://")

# Values of these options that can be shown. Any other value can contain another option after a wrong separator.
_OPEN_VALUE = re.compile(r"[\w.:-]*")


# Compiled here, so that no worker process of Ansible compiles them again.
_START = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*:/+)?")
_END_OF_AUTHORITY = re.compile(r"[/?#]")


class _Url(t.NamedTuple):
    """The parts of a URL, unchanged: joined again, they give the same text."""

    scheme: str  # with the separator after it
    user: str  # without the @
    host: str
    path: str
    query: str | None
    fragment: str | None


def _split_url(url: str, *, at_any_place: bool = False) -> _Url:
    """Split any text like a URL; never fail, because users can write anything.

    User info ends before the path. A password with a character that should have been encoded breaks this rule: with
    ``at_any_place``, user info is everything up to the last @.
    """
    start = _START.match(url)
    scheme = start.group() if start else ""
    rest = url[len(scheme) :]
    authority = rest if at_any_place else _END_OF_AUTHORITY.split(rest, maxsplit=1)[0]
    user, at_sign, dummy = authority.rpartition("@")
    rest = rest[len(user + at_sign) :]
    rest, hash_sign, fragment = rest.partition("#")
    rest, question, query = rest.partition("?")
    host, slash, path = rest.partition("/")
    return _Url(scheme, user, host, slash + path, query if question else None, fragment if hash_sign else None)


def _query_parts(query: str) -> t.Iterator[tuple[str, str]]:
    """Yield each part of a query string: the text that can be shown, and the secret after it."""
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if name.lower() in _OPEN_QUERY_OPTIONS and _OPEN_VALUE.fullmatch(value):
            yield part, ""
        elif equals and value:
            yield name + equals, value
        else:  # A word without a value can be a token that ends in base64 padding.
            yield "", part


def mask_url(url: str, *, destination: bool = False) -> str:
    """Return the URL with all secrets masked.

    Secrets are user info, values in the query string that are not known to be harmless, the fragment, and in an RTMP
    URL the path after the application, because many platforms expect the stream key there. For the ``destination`` of a
    push the path is masked under any scheme, because the scheme can be a mistake; a destination without a scheme is
    masked as a whole, because it can be a stream key.
    """
    if destination and _may_be_a_key(url):
        return MASK
    parts = _split_url(url)
    if parts != _split_url(url, at_any_place=True):
        return parts.scheme + MASK  # The text after the @ can be the host or the end of a secret.
    masked = parts.scheme + (f"{_masked(parts.user)}@" if parts.user else "") + parts.host
    key = _rtmp_key(parts, destination)
    masked += parts.path[: len(parts.path) - len(key)] + _masked(key) if key else parts.path
    if parts.query is not None:
        masked += "?" + "&".join(shown + _masked(secret) for shown, secret in _query_parts(parts.query))
    if parts.fragment is not None:
        masked += f"#{_masked(parts.fragment) or MASK}"
    return masked


def _masked(secret: str) -> str:
    """Return the mask for a part that is secret; a macro of configuration files in its place is none."""
    return MASK if secret and not is_reference(secret) else secret


def _may_be_a_key(url: str) -> bool:
    """Return whether a text is neither a URL nor host and port, and so can be a stream key in the wrong option."""
    return "://" not in url and bool(url.strip()) and not re.fullmatch(r"[A-Za-z0-9.-]+:[0-9]+", url.strip())


def _rtmp_key(parts: _Url, destination: bool) -> str:
    """Return the path of an RTMP URL after the application, unchanged; empty if there is none.

    So is that of the ``destination`` of a push under any scheme but those of sources on the server itself.
    """
    scheme = parts.scheme.strip().lower()
    if scheme in _LOCAL_SCHEMES or not (destination or scheme.startswith("rtmp")):
        return ""
    found = re.fullmatch(r"/+[^/]+/+([^/].*)", parts.path, re.DOTALL)
    return found.group(1) if found else ""


def url_secrets(url: str, *, destination: bool = False) -> set[str]:
    """Return the parts of a URL that :func:`mask_url` masks, unchanged and percent-decoded."""
    found = {url, url.strip()} if destination and _may_be_a_key(url) else set()
    for parts in (_split_url(url), _split_url(url, at_any_place=True)):
        key = _rtmp_key(parts, destination)
        found |= {parts.user, parts.user.partition(":")[2], key, key.rstrip("/ "), parts.fragment or ""}
        found |= {secret for _shown, secret in _query_parts(parts.query or "")}
    found |= {unquote(part) for part in found}
    return {part for part in found if part and not is_reference(part)}


def has_user_info(url: str) -> bool:
    """Return whether a URL contains, or can contain, `user@` or `user:password@`."""
    return bool(_split_url(url, at_any_place=True).user)


def hosts_in(url: str) -> list[str]:
    """Return the host of a URL, with its port and without; nothing if the URL is ambiguous."""
    if "://" not in url:
        return []
    parts = _split_url(url)
    return [parts.host, re.sub(r":[0-9]*\Z", "", parts.host)] if parts == _split_url(url, at_any_place=True) else []


# Secret values, and their removal from free text.
#
# Values of secret fields are masked by their declaration in `_resources`. Free text such as messages and warnings is
# scrubbed of every secret value that a run has read, from options or from the server.

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


# Recognize access tokens that were changed before they were given to the collection.

_HEADER = re.compile(r"(?:authorization:?\s*)?(basic|bearer)\s", re.IGNORECASE)
_SHORTEST = 8  # characters; a shorter token is often Base64 of something by chance


def rejected_token(token: str) -> str:
    """Return what a rejected access token looks like, as a sentence without any part of it; empty if unsuspicious.

    The server takes the token as a whole, and the modules encode it (server-facts: HTTP).
    """
    header = _HEADER.match(token.lstrip())
    if header:
        return f"It begins with '{header[1].capitalize()} ': give the token alone, and not encoded."
    if token != token.strip():
        return "It begins or ends with a blank."
    if token[:1] == token[-1:] and token[:1] in "\"'":
        return "It has quotes around it, which are taken for a part of it."
    return "It looks like Base64: give it as it is in Server.xml, not encoded." if _is_encoded(token) else ""


def _is_encoded(token: str) -> bool:
    """Return whether a text is Base64 of printable ASCII."""
    if len(token) < _SHORTEST:
        return False
    try:
        decoded = base64.b64decode(token, validate=True)
    except (binascii.Error, ValueError):
        return False
    return decoded.isascii() and decoded.decode("ascii", "replace").strip().isprintable()
