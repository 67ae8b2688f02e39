# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes a push task valid, whether a request or a stream map asks for it (PushApplication::Validate [read])."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from .errors import ApiError

if TYPE_CHECKING:
    from .state import PushTask

_SCHEMES = {"rtmp": ("rtmp://", "rtmps://"), "srt": ("srt://",), "mpegts": ("udp://", "tcp://")}


def check_required(task: PushTask) -> None:
    """:raises ApiError: a value is missing."""
    values = {"id": task.id, "stream.name": task.stream_name, "url": task.url, "protocol": task.protocol}
    missing = [name for name, value in values.items() if not value]
    if missing:
        raise ApiError(400, f"There is no required parameter [ {' '.join(missing)}]")


def check_url(task: PushTask) -> None:
    """Remove the slashes at the end of a url. :raises ApiError: the url does not fit the protocol."""
    task.url = task.url.rstrip("/")
    if "://" not in task.url:
        raise ApiError(400, "Could not parse url")
    if not task.url.startswith(_SCHEMES[task.protocol]):
        raise ApiError(400, "Unsupported protocol")
    if task.protocol == "srt" and _mode(task.url) not in ("", "caller"):
        raise ApiError(400, "Unsupported connection mode")
    if task.url.startswith("tcp://") and task.url.endswith("listen"):
        raise ApiError(400, "Unsupported tcp listen")


def _mode(url: str) -> str:
    return dict(parse_qsl(urlsplit(url).query)).get("mode", "")
