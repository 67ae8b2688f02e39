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
import re
import typing as t
from urllib.parse import quote, unquote, urlsplit

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


# Entries of results whose values are words of this collection. A secret can be such a word by chance, and a playbook must still be able to compare them.
_OWN_WORDS = frozenset(("kind", "remedy", "action", "state", "method"))


def _split_query(query: str) -> t.Iterator[tuple[str, str | None]]:
    """Yields name and value of each part of a query string; the value is None where there is no `=`."""
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        yield name, value if equals else None


def _split_url(url: str) -> tuple[str, str, str, str, str | None, str | None]:
    """Splits by hand, as nothing of the text may be lost or rewritten: scheme with `://`, user info, host, path, query, fragment."""
    rest, hash_sign, fragment = url.partition("#")
    rest, question, query = rest.partition("?")
    scheme, separator, rest = rest.partition("://") if "://" in rest else ("", "", rest)
    authority, slash, path = rest.partition("/")
    user, at_sign, host = authority.rpartition("@")
    return (
        scheme + separator,
        user if at_sign else "",
        host,
        slash + path,
        query if question else None,
        fragment if hash_sign else None,
    )


def mask_url(url: str) -> str:
    """Returns the URL with everything masked that lets somebody in.

    That is user info, values in the query string that are not known to be harmless, the fragment, and in an RTMP URL
    the part of the path after the application, where many platforms expect the stream key.
    """
    scheme, user, host, path, query, fragment = _split_url(url)
    masked = scheme + (f"{MASK}@" if user else "") + host
    masked += _mask_rtmp_path(path) if scheme.lower().startswith("rtmp") else path
    if query is not None:
        masked += "?" + "&".join(_mask_query_part(name, value) for name, value in _split_query(query))
    if fragment is not None:
        masked += f"#{MASK}"
    return masked


def _is_open(name: str, value: str) -> bool:
    return value == "" or name.lower() in _OPEN_QUERY_OPTIONS


def _mask_query_part(name: str, value: str | None) -> str:
    if value is None:  # a bare word can be a token
        return name if name in _OPEN_QUERY_OPTIONS or not name else MASK
    return f"{name}={value if _is_open(name, value) else MASK}"


def _rtmp_key(path: str) -> str:
    """The part of an RTMP path after `/app/`, empty where there is none."""
    return path.lstrip("/").partition("/")[2].strip("/")


def _mask_rtmp_path(path: str) -> str:
    key = _rtmp_key(path)
    return path.replace(key, MASK) if key else path


def url_secrets(url: str) -> set[str]:
    """Returns the parts of a URL that :func:`mask_url` masks, as they stand and percent-decoded."""
    scheme, user, dummy, path, query, fragment = _split_url(url)
    found = set()
    if user:
        found.add(user)
        found.add(user.partition(":")[2])
    if scheme.lower().startswith("rtmp"):
        found.add(_rtmp_key(path))
    for name, value in _split_query(query or ""):
        if value is None:
            found.add("" if name in _OPEN_QUERY_OPTIONS else name)
        elif not _is_open(name, value):
            found.add(value)
    found.add(fragment or "")
    found |= {unquote(part) for part in found}
    return {part for part in found if part}


def has_user_info(url: str) -> bool:
    """Whether a URL carries `user@` or `user:password@`."""
    return "@" in urlsplit(url).netloc


class SecretStore:
    """Every secret value that a run has met, to take them out of free text."""

    # A short secret as a plain substring would blot out half of every message, so below this length only whole words count.
    _WHOLE_WORD_BELOW = 6

    def __init__(self) -> None:
        self._values: set[str] = set()

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

    def add_url(self, url: t.Any) -> None:
        """Remembers the secret parts of a URL."""
        if isinstance(url, str):
            self.add(*url_secrets(url))

    def _spellings(self) -> set[str]:
        spellings = set()
        for value in self._values:
            encoded = value.encode("utf-8", "surrogateescape")
            spellings |= {value, quote(value, safe=""), quote(value), base64.b64encode(encoded).decode(), repr(value)[1:-1]}
        return spellings

    def scrub(self, text: str) -> str:
        """Returns the text with each secret replaced, in plain, URL-encoded, base64 and escaped form."""
        for spelling in sorted(self._spellings(), key=len, reverse=True):
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
