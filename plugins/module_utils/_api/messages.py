# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Map statuses and messages of the server to error kinds."""

from __future__ import annotations

import re
import typing as t

# Parts of the server's messages in lower case, and their error kinds; the first match counts. They cover the documented
# text `Conflict` (api-contract: Endpoints) and the messages of every recorded version (tests/wire).
_MESSAGES = (
    ("read-only", "read_only"),
    ("controller not found", "controller_not_found"),
    ("could not find the virtual host", "vhost_not_found"),
    ("could not find the application", "application_not_found"),
    ("could not find application", "push_publisher_missing"),
    ("could not find publisher", "push_publisher_missing"),
    ("could not find the stream", "stream_not_found"),
    ("could not find stream", "stream_not_found"),
    ("could not pull the stream", "origin_unreachable"),
    ("could not find output stream", "output_stream_not_found"),
    ("could not find llhls stream", "llhls_publisher_missing"),
    ("could not find stt encoder", "stt_not_configured"),
    ("could not find dump info", "task_not_found"),
    ("could not get the multiplex stream", "stream_not_found"),
    ("could not get the multiplex application", "provider_missing"),
    ("could not find id", "task_not_found"),
    ("there is no push information", "task_not_found"),
    ("there is no record information", "record_not_found"),
    ("duplicate id", "duplicate_id"),
    ("already exists", "conflict"),
    ("conflict", "conflict"),
)
# `[name]`, `<name>` and `'name'` in a message, but not the prefixes `[HTTP]`, `[Config]` and `[JSON]`.
_QUOTED = re.compile(r"(?<!^)\[[^\]]*\]|<[^>]*>|'[^']*'")
_LONGEST_MESSAGE = 2000  # characters of a server message; that of a parser can repeat a whole request
_LONGEST_REDACTED = 2**16  # characters of a longer message that are searched for secrets
_STATUSES = {401: "unauthorized", 409: "conflict"}


class ItemAnswer(t.NamedTuple):
    """The answer for one item of a bulk request."""

    ok: bool
    status: int
    message: str
    kind: str  # a key of ADVICE; empty if ok


def kind_of(status: int, message: str) -> str:
    """Return the error kind (a key of ADVICE) for a status and the server's message."""
    if status != 401:
        # Quoted names are ignored, because a name can contain any of these parts.
        words = _QUOTED.sub("", message).lower()
        for part, kind in _MESSAGES:
            if part in words:
                return kind
    return _STATUSES.get(status, "server_error" if status >= 500 else "bad_request")


def named_in(payload: dict[str, t.Any] | None, name: str) -> dict[str, t.Any] | None:
    """Return an object with the requested name, regardless of that in the answer: further requests use it."""
    return None if payload is None else {**payload, "name": name}


Redact = t.Callable[[str], str]


def message_of(body: t.Any, redact: Redact) -> str:
    """Return the server's message in an envelope, on one line; empty if there is none.

    ``redact`` hides secrets in a message that is too long before it is cut, because a part of a secret is not
    recognized as such any more.
    """
    if isinstance(body, list) and body:
        body = body[0]
    message = body.get("message") if isinstance(body, dict) else None
    if not isinstance(message, str):
        return ""
    if len(message) > _LONGEST_MESSAGE:
        # The first cut bounds the work. What it leaves of a secret at the end is removed by the second.
        message = redact(message[:_LONGEST_REDACTED])[:_LONGEST_MESSAGE]
    words = " ".join(message.split())
    # Control characters are escaped, so that a terminal does not execute them.
    return words if words.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in words)


def item_answer(item: t.Any, whole: int, redact: Redact) -> ItemAnswer:
    """Return one item of a bulk answer with the status ``whole``; an item that is no envelope is no success."""
    status = item.get("statusCode") if isinstance(item, dict) else None
    if not isinstance(status, int):
        return ItemAnswer(False, whole, "", "unexpected_answer")
    message = message_of(item, redact)
    if 200 <= status < 300:
        return ItemAnswer(True, status, message, "")
    return ItemAnswer(False, status, message, kind_of(status, message))
