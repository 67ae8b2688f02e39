# Copyright: (c) 2026, StreamOps
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
# Entries of results whose values are words of this collection. A secret can be such a word by chance, and a playbook must still be able to compare them.
_OWN_WORDS = frozenset(("kind", "remedy", "action", "state", "method"))


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


def mask_url(url: str) -> str:
    """Returns the URL with everything masked that lets somebody in.

    That is user info, values in the query string that are not known to be harmless, the fragment, and in an RTMP URL
    the part of the path after the application, where many platforms expect the stream key.
    """
    parts = _split_url(url)
    if parts != _split_url(url, at_any_place=True):
        return parts.scheme + MASK  # what stands behind the @ is the host or the end of a secret, and nobody can tell
    masked = parts.scheme + (f"{MASK}@" if parts.user else "") + parts.host
    key = _rtmp_key(parts)
    masked += parts.path[: len(parts.path) - len(key)] + MASK if key else parts.path
    if parts.query is not None:
        masked += "?" + "&".join(shown + (MASK if secret else "") for shown, secret in _query_parts(parts.query))
    if parts.fragment is not None:
        masked += f"#{MASK}"
    return masked


def _rtmp_key(parts: _Url) -> str:
    """What stands in the path of an RTMP URL after the application, as it stands; empty where there is nothing."""
    if not parts.scheme.strip().lower().startswith("rtmp"):
        return ""
    found = re.fullmatch(r"/+[^/]+/+([^/].*)", parts.path, re.DOTALL)
    return found.group(1) if found else ""


def url_secrets(url: str) -> set[str]:
    """Returns the parts of a URL that :func:`mask_url` masks, as they stand and percent-decoded."""
    found = set()
    for parts in (_split_url(url), _split_url(url, at_any_place=True)):
        key = _rtmp_key(parts)
        found |= {parts.user, parts.user.partition(":")[2], key, key.rstrip("/ "), parts.fragment or ""}
        found |= {secret for _shown, secret in _query_parts(parts.query or "")}
    found |= {unquote(part) for part in found}
    return {part for part in found if part}


def has_user_info(url: str) -> bool:
    """Whether a URL carries, or may carry, `user@` or `user:password@`."""
    return bool(_split_url(url, at_any_place=True).user)


class SecretStore:
    """Every secret value that a run has met, to take them out of free text."""

    # A short secret as a plain substring would blot out half of every message, so below this length only whole words count.
    _WHOLE_WORD_BELOW = 6

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._longest_first: list[str] | None = None

    @property
    def values(self) -> frozenset[str]:
        """The secrets as they were met."""
        return frozenset(self._values)

    def add(self, *values: t.Any) -> None:
        """Remembers secrets; None, the empty text and the mask itself are none."""
        for value in values:
            text = "" if value is None else str(value)
            if text and text != MASK:
                self._values.add(text)
                self._longest_first = None

    def add_url(self, url: t.Any) -> None:
        """Remembers the secret parts of a URL."""
        if isinstance(url, str):
            self.add(*url_secrets(url))

    def _spellings(self) -> set[str]:
        spellings: set[str] = set()
        for value in self._values:
            encoded = value.encode("utf-8", "surrogatepass")
            urls = {quote(encoded), quote(encoded, safe=""), quote_plus(encoded)}
            urls |= {re.sub(r"%[0-9A-F]{2}", lambda found: found.group().lower(), url) for url in urls}
            escaped = {repr(value)[1:-1], json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
            # The server's own words arrive with blanks folded.
            spellings |= {value, " ".join(value.split()), base64.b64encode(encoded).decode()} | urls | escaped
        return spellings - {""}

    def scrub(self, text: str) -> str:
        """Returns the text with each secret replaced, in plain, URL-encoded, base64 and escaped form."""
        if self._longest_first is None:  # made once: a result has thousands of texts, and a fleet hundreds of secrets
            self._longest_first = sorted(self._spellings(), key=len, reverse=True)
        for spelling in self._longest_first:
            if spelling not in text:
                continue
            if len(spelling) < self._WHOLE_WORD_BELOW:
                text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(spelling)}(?![A-Za-z0-9])", MASK, text)
            else:
                text = text.replace(spelling, MASK)
        return text

    def scrub_tree(self, value: t.Any) -> t.Any:
        """Scrubs every text inside of dicts and lists; keys stay, and so do the collection's own words."""
        if isinstance(value, str):
            return self.scrub(value)
        if isinstance(value, dict):
            return {key: item if key in _OWN_WORDS else self.scrub_tree(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.scrub_tree(item) for item in value]
        return value
