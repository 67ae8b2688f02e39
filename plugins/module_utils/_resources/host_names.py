# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the virtual host that a publisher or viewer reaches by a host name.

The server uses the first virtual host, in the order of creation, with a host name that matches. In a host name ``*``
matches any text and ``?`` at most one character, both including dots; case is significant. The rule is the same in
0.15.10 to 0.21.0 (server-facts: Which virtual host a publisher or viewer reaches). Certificates are selected in another
order.
"""

from __future__ import annotations

import re
import typing as t

# Places in the order of creation. The API does not report the order of virtual hosts with the same place.
CONFIGURED = 0  # from the server's configuration file
EXISTING = 1  # created through the API before
NEW = 2  # the first one that a task creates; the next ones have the places after it

OF_SAMPLE = "default"  # the only virtual host of the sample configuration
_LONGEST_NAME = 255  # characters; DNS has no longer names
_MANY_WILDCARDS = re.compile(r"[*?]*\*[*?]*")


def place_of(vhost: str, *, read_only: bool) -> int:
    """Return the place of an existing virtual host.

    ``read_only`` says that it is recognized as one of the configuration file. Not all of them can be recognized, and
    none on 0.15.10. That of the sample configuration is recognized by its name.
    """
    return CONFIGURED if read_only or vhost == OF_SAMPLE else EXISTING


class Claim(t.NamedTuple):
    """The host names of one virtual host, and its place in the order of creation."""

    vhost: str
    names: t.Sequence[str]
    place: int


class Owner(t.NamedTuple):
    """The result for a host name that several virtual hosts claim.

    If ``lost``, another virtual host receives its publishers and viewers; otherwise whichever was created first.
    """

    lost: bool
    rivals: tuple[tuple[str, str], ...]
    """The other virtual hosts that can receive them, each with its host name that matches; several if their order is
    unknown."""

    @property
    def vhosts(self) -> str:
        """Return the names of the other virtual hosts, such as "aa" or "aa or bb"."""
        return " or ".join(vhost for vhost, _pattern in self.rivals)


class HostNames:
    """The host names of all virtual hosts of a server."""

    def __init__(self, claims: t.Iterable[Claim]) -> None:
        self._exact: dict[str, list[Claim]] = {}
        self._patterns: list[tuple[str, str, str, Claim]] = []
        for claim in claims:
            for name in claim.names:
                if _has_wildcard(name):
                    if len(name) <= _LONGEST_NAME:
                        self._patterns.append((name, *_ends(name), claim))
                else:
                    self._exact.setdefault(name, []).append(claim)

    def owner(self, name: str, vhost: str, place: int) -> Owner | None:
        """Return who receives publishers and viewers of a virtual host's name; None if the virtual host itself does.

        A name with a wildcard is lost if another virtual host receives every host that it matches.
        """
        rivals: dict[str, tuple[int, str]] = {}
        for pattern, claim in self._matching(name):
            if claim.vhost != vhost and claim.place <= place:
                rivals.setdefault(claim.vhost, (claim.place, pattern))
        if not rivals:
            return None
        first = min(other for other, _pattern in rivals.values())
        return Owner(
            first < place,
            tuple(sorted((other, pattern) for other, (where, pattern) in rivals.items() if where == first)),
        )

    def _matching(self, name: str) -> t.Iterator[tuple[str, Claim]]:
        for claim in self._exact.get(name, ()):
            yield name, claim
        if len(name) <= _LONGEST_NAME:
            for pattern, start, end, claim in self._patterns:
                if name.startswith(start) and name.endswith(end) and covers(pattern, name):
                    yield pattern, claim


def covers(pattern: str, name: str) -> bool:
    """Return whether the host name ``pattern`` matches every host that the host name ``name`` matches."""
    if not _has_wildcard(pattern):
        return pattern == name
    pattern = _MANY_WILDCARDS.sub("*", pattern)
    if pattern == "*":
        return True
    # Only wildcards of the pattern match the characters for a wildcard of the name. "*" counts as one character more
    # than all "?" of the pattern can match.
    many = pattern.count("?") + 1
    characters: list[str | None] = []
    for one in _MANY_WILDCARDS.sub("*", name):
        characters += [None] * many if one == "*" else [None if one == "?" else one]
    # For each prefix of the pattern, by length: whether it matches the characters so far.
    matched = [True]
    for expected in pattern:
        matched.append(matched[-1] and expected in "*?")
    for character in characters:
        before, matched = matched, [False]
        for index, expected in enumerate(pattern):
            if expected == "*":
                matched.append(matched[index] or before[index + 1])
            elif expected == "?":
                matched.append(matched[index] or before[index])
            else:
                matched.append(expected == character and before[index])
    return matched[-1]


def _has_wildcard(name: str) -> bool:
    return "*" in name or "?" in name


def _ends(pattern: str) -> tuple[str, str]:
    """Return the text before the first wildcard and the text after the last one."""
    parts = re.split(r"[*?]", pattern)
    return parts[0], parts[-1]
