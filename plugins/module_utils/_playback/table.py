# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows of a verification as a table for people: host name and protocol in, by protocol out."""

from __future__ import annotations

import typing as t

from .._core.texts import aligned
from .playback import DENIED, PLAYS
from .rows import FAILS, Row

_PUBLISHED = "published"


def table_of(rows: t.Sequence[Row]) -> list[str]:
    """Return the lines of the table: a heading, a line for each test signal, and one for each push task and recording.

    A cell has the seconds to the first frame, or what came of it.
    """
    columns = list(dict.fromkeys(row.protocol_out or _PUBLISHED for row in rows if row.host_name))
    lines: dict[tuple[str, ...], dict[str, list[Row]]] = {}
    for row in rows:
        app = f"{row.vhost}/{row.app}".rstrip("/")
        name = (app, row.host_name, row.protocol_in) if row.id is None else (f"{app}/{row.id}", None, row.protocol_out)
        cells = lines.setdefault(tuple(part or "" for part in name), {})
        cells.setdefault((row.protocol_out or _PUBLISHED) if row.host_name else _PUBLISHED, []).append(row)
    heads = ["application", "host name", "in", *(columns or [_PUBLISHED])]
    body = [[*name, *(_cell(found.get(column, ())) for column in heads[3:])] for name, found in lines.items()]
    return aligned([heads, *body]) if body else []


def _cell(rows: t.Iterable[Row]) -> str:
    """Return what came of the same thing: the longest time, and whether it is closed without a signature."""
    rows = list(rows)
    failed = [f"FAILS: {row.stage}" for row in rows if row.verdict == FAILS]
    if failed:
        return failed[0]
    seconds = [row.seconds_to_first_frame for row in rows if row.seconds_to_first_frame is not None]
    texts = [f"{max(seconds):.2f} s"] if seconds else ["yes"] if any(row.verdict == PLAYS for row in rows) else []
    texts += ["closed unsigned"] if any(row.verdict == DENIED for row in rows) else []
    return ", ".join(texts) or ("not tried" if rows else "")
