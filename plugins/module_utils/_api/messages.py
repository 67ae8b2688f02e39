# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Map the server's messages and statuses to error kinds."""

from __future__ import annotations

import re
import typing as t

# Parts of the server's own messages, in lower case, and what they mean; the first that is found counts. The texts of
# the contract (`Conflict`) and of every recorded version are among them.
_MESSAGES = (
    ("read-only", "read_only"),
    ("controller not found", "controller_not_found"),
    ("could not find the virtual host", "vhost_not_found"),
    ("could not find the application", "application_not_found"),
    ("could not find application", "push_publisher_missing"),
    ("could not find publisher", "push_publisher_missing"),
    ("could not find id", "task_not_found"),
    ("there is no push information", "task_not_found"),
    ("duplicate id", "duplicate_id"),
    ("already exists", "conflict"),
    ("conflict", "conflict"),
)
# `[name]` and `'name'` in a message, but not `[HTTP]`, `[Config]` and `[JSON]` at its beginning.
_QUOTED = re.compile(r"(?<!^)\[[^\]]*\]|'[^']*'")
_LONGEST_MESSAGE = 2000  # characters of the server's words; a parser's message can repeat a whole request
_STATUSES = {401: "unauthorized", 409: "conflict"}


class ItemAnswer(t.NamedTuple):
    """The answer to one item of a bulk request."""

    ok: bool
    status: int
    message: str
    kind: str  # a key of ADVICE where not ok


def kind_of(status: int, message: str) -> str:
    """The kind of error (a key of ADVICE) that a status and the server's message mean."""
    if status != 401:
        # Names that the server quotes mean nothing, however they read.
        words = _QUOTED.sub("", message).lower()
        for part, kind in _MESSAGES:
            if part in words:
                return kind
    return _STATUSES.get(status, "server_error" if status >= 500 else "bad_request")


def named_in(payload: dict[str, t.Any] | None, name: str) -> dict[str, t.Any] | None:
    """An object under the name by which it was asked for, whatever the answer calls it: the name goes into further
    requests.
    """
    return None if payload is None else {**payload, "name": name}


def message_of(body: t.Any) -> str:
    """The server's own words in an envelope."""
    if isinstance(body, list) and body:
        body = body[0]
    message = body.get("message") if isinstance(body, dict) else None
    if not isinstance(message, str):
        return ""
    words = " ".join(message[:_LONGEST_MESSAGE].split())
    # What a terminal would take for a command is shown and not sent to it.
    return words if words.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in words)


def item_answer(item: t.Any, whole: int) -> ItemAnswer:
    """One item of a bulk answer; one that is no envelope is no success, whatever the status of the whole says."""
    status = item.get("statusCode") if isinstance(item, dict) else None
    if not isinstance(status, int):
        return ItemAnswer(False, whole, "", "unexpected_answer")
    message = message_of(item)
    if 200 <= status < 300:
        return ItemAnswer(True, status, message, "")
    return ItemAnswer(False, status, message, kind_of(status, message))
