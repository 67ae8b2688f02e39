# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Settings that servers accept although they cannot work or protect nothing: the rules, and the warnings about them.

A rule takes a value and returns what is wrong with it, as the rest of a sentence about its option; None if nothing is.
The declaration of a field names its rule as ``doubt``, so that every way in has it.
"""

from __future__ import annotations

import re
import typing as t

from .._core.texts import name_list
from .._schema.fields import Field

MOST_NAMED = 5
_PORT = re.compile(r"(?:[^:\[\]]*|\[[^\]]*\]):([0-9]*)")
_RESERVED = ("default", "playlist", "chunklist")
_POLICIES = ("secret_key", "policy_query_key_name", "control_server_url")
_HLS = ("hls", "hlsv3")
"""Names of the publisher for HLS, but not of that for LL-HLS."""
_MACRO = "${"


def host_name(value: str) -> str | None:
    """Judge a host name (server-facts: Which virtual host a publisher or viewer reaches)."""
    if _MACRO in value:
        return None
    port = _PORT.fullmatch(value)
    if port:
        return f"never matches, because host names have no port. Remove ':{port[1]}'."
    if value != value.lower():
        # All versions compare host names case-sensitively, for streams and for certificates [read].
        return "has capital letters. The server compares them case-sensitively, and browsers send them in lower case."
    return None


def origin_of_browser(value: str) -> str | None:
    """Judge an entry of cross domains (server-facts: What the API does and files do not)."""
    if _MACRO in value or not re.search(r"[,\s]|(?<![:/])/", value.strip()) and value == value.strip():
        return None
    return (
        "never matches, because the server compares it exactly with the origin that a browser sends. Write one scheme, "
        "host and port an entry, without a path, such as 'https://www.example.com'."
    )


def playlist_file(value: str) -> str | None:
    """Judge the file name of a playlist (server-facts: What the API does and files do not)."""
    word = next((word for word in _RESERVED if word in value), None)
    if word is None:
        return None
    return f"contains the reserved word '{word}', so that players may not get this playlist. Choose another name."


def access_policy(value: t.Mapping[str, t.Any]) -> str | None:
    """Judge a signed policy or admission webhooks (server-facts: What the API does and files do not, Signed URLs).

    Without what makes it work, a definition says only how single settings differ. Empty lists switch it off on purpose,
    as in the sample configuration.
    """
    publishers = {str(name).strip().lower() for name in (value.get("enables") or {}).get("publishers") or ()}
    if publishers & set(_HLS):
        return (
            "does not protect HLS, though it lists it: no release of the server checks viewers by HLS, so everybody "
            "can play. Protect LL-HLS, and leave the publisher hls out of the applications."
        )
    if value.get("enables") or not any(value.get(option) for option in _POLICIES):
        return None
    return (
        "protects nothing without enables: everybody can publish and play. List under enables the providers and "
        "publishers that it protects."
    )


def tls_files(value: t.Mapping[str, t.Any]) -> str | None:
    """Judge the certificate files of a virtual host."""
    if bool(value.get("cert_path")) == bool(value.get("key_path")):
        return None
    return "needs both cert_path and key_path. The server accepts only one of them, but then serves no TLS."


class Concern(t.NamedTuple):
    """One setting of an object that cannot work."""

    place: str  # object and option
    shown: str  # the value, with a blank before it; empty if it is an object
    problem: str

    def __str__(self) -> str:
        return f"{self.place}{self.shown} {self.problem}"


def concerns(declaration: Field, value: t.Any, title: str) -> list[Concern]:
    """Return what cannot work in a value in option form; ``title`` names its object."""
    return [
        Concern(f"{title}: {path}" if path else title, "" if isinstance(shown, dict) else f" {shown!r}", problem)
        for path, shown, problem in declaration.doubts(value, "")
    ]


def warnings(found: t.Iterable[Concern]) -> list[str]:
    """Return the warnings of one task: of more than MOST_NAMED concerns with the same problem, a single one."""
    by_problem: dict[str, list[Concern]] = {}
    for concern in found:
        by_problem.setdefault(concern.problem, []).append(concern)
    texts: list[str] = []
    for problem, same in by_problem.items():
        if len(same) <= MOST_NAMED:
            texts += map(str, same)
        else:
            places = name_list((concern.place for concern in same), MOST_NAMED)
            texts.append(f"Each of {len(same)} settings {problem} They are: {places}.")
    return texts
