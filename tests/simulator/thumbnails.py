# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The thumbnail publisher: pictures of live streams, as ``tests/wire/play`` has them and by its source [read].

A real server waits five seconds for the first picture of a codec; here a stream has its pictures at once, or none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from . import cross_domains, footage, outputs
from .objects import Application, VirtualHost
from .state import State

if TYPE_CHECKING:
    from .viewers import Sent

NAME = "thumbnail"
_FILE = re.compile(r".*thumb\.(jpg|png|webp)")
_CODECS = {"jpg": "jpeg", "png": "png", "webp": "webp"}
_TEXT = "text/html"
_NO_STREAM = "There is no stream or cannot pull a stream"
_NO_APPLICATION = "Could not found application of thumbnail publisher"
"""The words of the server."""
_MADE = ("jpeg", "png")
_SIZE = {"width": 320, "height": 168}

Answer = tuple[int, str, bytes, dict[str, str]]
"""Status, content type, body and headers."""


def answer(state: State, vhost: VirtualHost | None, app: Application | None, sent: Sent) -> Answer:
    """Return what a request for a thumbnail gets."""
    from .viewers import is_admitted

    found = _FILE.fullmatch(sent.parts[2])
    if found is None or (found[1] == "webp" and not state.version.viewers_get_cors):
        return 404, _TEXT, b"", {}
    if sent.method == "OPTIONS":
        return _preflight(state, vhost, app, sent)
    if vhost is not None and not is_admitted(state, vhost, sent, NAME):
        return _refused(401, "Unauthorized")
    if vhost is None or app is None or NAME not in (app.config.get("publishers") or {}):
        return _refused(404, _NO_APPLICATION if state.version.viewers_get_cors else _NO_STREAM)
    cors = cross_domains.headers(state.version, vhost, app, NAME, "GET", sent.headers)
    live = [
        (stream, one)
        for (of_vhost, of_app, stream), one in state.streams.items()
        if (of_vhost, of_app) == (vhost.name, app.name) and sent.parts[1] in one.outputs
    ]
    if not live:
        return _refused(404, _NO_STREAM, cors)
    image = _image(app, live[0][0], sent.parts[1], _CODECS[found[1]])
    if image is None:
        return _refused(404, "There is no thumbnail image", cors)
    codec, width, height = image
    return 200, f"image/{codec}", footage.image(codec, width, height), cors


def _refused(status: int, text: str, headers: dict[str, str] | None = None) -> Answer:
    return status, _TEXT, text.encode(), headers or {}


def _preflight(state: State, vhost: VirtualHost | None, app: Application | None, sent: Sent) -> Answer:
    if not state.version.viewers_get_cors:
        return 204, _TEXT, b"", {}
    if vhost is None or app is None:
        return 404, _TEXT, b"", {}
    cors = cross_domains.headers(state.version, vhost, app, NAME, "OPTIONS, GET", sent.headers)
    return 200, _TEXT, b"", {"Access-Control-Allow-Private-Network": "true", **cors}


def _image(app: Application, stream: str, output: str, codec: str) -> tuple[str, int, int] | None:
    """Return codec, width and height of the image of an output; None if its profile makes none."""
    for profile in outputs.profiles(app):
        if outputs.output_name(profile, stream) != output or not outputs.can_be_made(profile):
            continue
        for encode in outputs.encodes(profile, "images"):
            if str(encode.get("codec", "")).lower() == codec and codec in _MADE:
                return codec, *(_number(encode.get(name)) or default for name, default in _SIZE.items())
    return None


def _number(value: Any) -> int:
    text = str(value)
    return int(text) if text.isdecimal() else 0
