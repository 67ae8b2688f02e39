# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers as HTTP responses."""

from __future__ import annotations

from aiohttp import web

from .answers import JSON_HEADERS, Answer
from .jsontext import dump


class _Response(web.Response):
    """A response that has the header ``Date`` only if the server sends one; aiohttp always adds it."""

    async def _prepare_headers(self) -> None:
        await super()._prepare_headers()
        if not self.headers["Date"]:
            del self.headers["Date"]


def response(result: Answer, date: str = "") -> web.Response:
    """Return an answer as a response. :param date: value of the header ``Date``, which is left out if it is empty."""
    return _Response(
        status=result.status,
        headers={**JSON_HEADERS, "Date": date, **result.headers},
        body=None if result.empty else dump(result.payload),
    )
