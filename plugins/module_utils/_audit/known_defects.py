# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Known defects and limits of server versions, which people who run these versions should know.

The facts are those of docs/server-facts.md.
"""

from __future__ import annotations

import re
import typing as t

_Numbers = tuple[int, ...]


class KnownDefect(t.NamedTuple):
    """A defect or limit of the versions from ``first`` up to, but not including, ``end``."""

    first: _Numbers
    end: _Numbers | None
    text: str
    of_webhooks: bool = False  # whether it concerns only servers whose virtual hosts use admission webhooks


KNOWN_DEFECTS = (
    KnownDefect(
        (0,),
        (0, 16, 6),
        "Pushes support RTMP and MPEG-TS only, and the push publisher is called rtmp_push.",
    ),
    KnownDefect(
        (0,),
        (0, 17),
        "If one virtual host has no TLS, the server answers a reload of all certificates with an error, although it "
        "has reloaded the others.",
    ),
    KnownDefect(
        (0, 17, 1),
        None,
        "The server answers a certificate reload with success whatever the files hold. Only a handshake shows which "
        "certificate it serves.",
    ),
    KnownDefect(
        (0, 17, 1),
        None,
        "Applications outlive their virtual host and reappear in the next one of the same name. This collection "
        "deletes them first.",
    ),
    KnownDefect(
        (0, 18),
        None,
        "A printf conversion in an unknown key of a virtual host, or in the id of a push task, crashes the server. "
        "This collection sends none.",
    ),
    KnownDefect(
        (0, 21),
        None,
        "Some keys of the API have other names than before 0.21.0. This collection sends the names that the server "
        "knows; other tools may send the old ones.",
    ),
    KnownDefect(
        (0, 21, 1),
        None,
        "This collection was tested with 0.15.10, 0.18.0, 0.20.0 and 0.21.0, and not with newer versions.",
    ),
    # Seen on 0.18.0, not on 0.20.0; 0.16.6 is the first with this call.
    KnownDefect(
        (0, 16, 6),
        (0, 20),
        "After a concludeHlsLive request, the server crashes when the stream ends (seen on 0.18.0). This collection "
        "sends none.",
    ),
    KnownDefect(
        (0,),
        (0, 18, 1),
        "The certificate of the API itself cannot be reloaded. A new one needs a restart, which loses everything that "
        "was created through the API.",
    ),
    KnownDefect(
        (0, 20),
        (0, 20, 5),
        "Admission webhooks never send `closing`, so the control server does not learn that a publisher or viewer has "
        "left (issue 1991 of the server). Upgrade to 0.20.5 or later.",
        of_webhooks=True,
    ),
)


def describe_known_defects(version: str | None) -> t.Iterator[str]:
    """Yield what is known about a server version, whatever the server is used for.

    ``version`` is the text that the server reports; None if it is older than the call that reports one.
    """
    numbers = _numbers(version)
    if version is None:
        yield "The server does not report its version, so it is older than 0.16.5."
    elif not numbers:
        yield f"The server reports a version without a number, {version!r}, so known defects cannot be listed."
    yield from (defect.text for defect in _of_version(numbers) if not defect.of_webhooks)


def describe_webhook_defects(version: str | None) -> t.Iterator[str]:
    """Yield what is known about the admission webhooks of a server version, as the server reports it."""
    yield from (defect.text for defect in _of_version(_numbers(version)) if defect.of_webhooks)


def _numbers(version: str | None) -> _Numbers:
    # At most nine digits each: a longer number is no version, and Python refuses to convert very long ones.
    return tuple(int(part) for part in re.findall(r"\d{1,9}", "0" if version is None else version)[:3])


def _of_version(numbers: _Numbers) -> t.Iterator[KnownDefect]:
    for defect in KNOWN_DEFECTS:
        if numbers and defect.first <= numbers and (defect.end is None or numbers < defect.end):
            yield defect
