# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which virtual host a publisher or viewer reaches by a host name (server-facts: Which virtual host a publisher or
viewer reaches).

The server goes through its virtual hosts in the order of creation and takes the first one with a host name that
matches. In a host name ``*`` is any text and ``?`` at most one character, dots included, and case counts. The rule is
the same in 0.15.10 to 0.21.0. Certificates are chosen by another order.
"""

from __future__ import annotations

import re
import typing as t

# Places in the order of creation. Two virtual hosts with the same place come in an order that the API does not tell.
CONFIGURED = 0  # from the server's configuration file
EXISTING = 1  # made through the API before
NEW = 2  # the first one that a task makes; the next ones have the places after it

OF_SAMPLE = "default"  # the only virtual host of the sample configuration
_LONGEST_NAME = 255  # characters; no host has a longer name
_MANY_WILDCARDS = re.compile(r"[*?]*\*[*?]*")


def place_of(vhost: str, *, read_only: bool) -> int:
    """The place of a virtual host that is there; ``read_only`` if there is a sign that it comes from the configuration
    file.

    Not all of them give a sign, on 0.15.10 none does. The one of the sample configuration is known by its name.
    """
    return CONFIGURED if read_only or vhost == OF_SAMPLE else EXISTING


class Claim(t.NamedTuple):
    """The host names of one virtual host, and its place in the order of creation."""

    vhost: str
    names: t.Sequence[str]
    place: int


class Owner(t.NamedTuple):
    """Who gets a host name that others claim, too: another virtual host, or, if not ``lost``, whichever was created
    first.
    """

    lost: bool
    rivals: tuple[tuple[str, str], ...]
    """The other virtual hosts that may get it, each with its host name that matches.

    More than one if their order is unknown.
    """

    @property
    def vhosts(self) -> str:
        """The other virtual hosts in words, such as "aa" or "aa or bb"."""
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
        """Who gets the host name of a virtual host; None if it gets the name itself.

        A name with a wildcard counts as taken if another virtual host gets every host that it matches.
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
    """Whether the host name ``pattern`` matches each host that the host name ``name`` matches."""
    if not _has_wildcard(pattern):
        return pattern == name
    pattern = _MANY_WILDCARDS.sub("*", pattern)
    # A wildcard of the name stands for characters that only wildcards of the pattern match; "*" for more than all "?"
    # can match.
    many = pattern.count("?") + 1
    characters: list[str | None] = []
    for one in _MANY_WILDCARDS.sub("*", name):
        characters += [None] * many if one == "*" else [None if one == "?" else one]
    # Which beginnings of the pattern match the characters so far, by their length.
    matched = [True]
    for desired in pattern:
        matched.append(matched[-1] and desired in "*?")
    for character in characters:
        before, matched = matched, [False]
        for index, desired in enumerate(pattern):
            if desired == "*":
                matched.append(matched[index] or before[index + 1])
            elif desired == "?":
                matched.append(matched[index] or before[index])
            else:
                matched.append(desired == character and before[index])
    return matched[-1]


def _has_wildcard(name: str) -> bool:
    return "*" in name or "?" in name


def _ends(pattern: str) -> tuple[str, str]:
    """The text before the first wildcard and after the last one."""
    parts = re.split(r"[*?]", pattern)
    return parts[0], parts[-1]
