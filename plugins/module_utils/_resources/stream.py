# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Live streams, as the server describes them (server-facts: Streams)."""

from __future__ import annotations

import re
import typing as t

from .._core.secret_urls import mask_url

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_WHOLE = re.compile(r"-?[0-9]{1,18}")
# Bit rates of tracks are text on 0.18.0 and numbers later (server-facts: Streams).
_NUMBERS = ("bitrate",)


def to_snake_case(key: str) -> str:
    """Return a key of the API such as `videoVariantName` as `video_variant_name`."""
    return _CAPITAL.sub(r"_\1", key).lower()


def readable(value: t.Any, key: str = "") -> t.Any:
    """Return a description by the server with keys in snake_case, and with the numbers of tracks as numbers."""
    if isinstance(value, dict):
        return {to_snake_case(name): readable(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [readable(item, key) for item in value]
    if isinstance(value, str) and key.startswith(_NUMBERS) and _WHOLE.fullmatch(value):
        return int(value)
    return value


def source_of(raw: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Return `source_type` and `source_url` of a stream (wire form), each empty if the server reports none."""
    source = raw.get("input")
    found = source if isinstance(source, dict) else {}
    texts = {option: found.get(wire) for option, wire in (("source_type", "sourceType"), ("source_url", "sourceUrl"))}
    return {option: text if isinstance(text, str) else "" for option, text in texts.items()}


def describe(raw: t.Mapping[str, t.Any], vhost: str, app: str, name: str, *, show_secrets: bool) -> dict[str, t.Any]:
    """Return a live stream (wire form) for a result: input, outputs, tracks and playlists."""
    stream = {"vhost": vhost, "app": app, **readable(raw), "name": name}
    for part, empty in (("input", {}), ("outputs", [])):
        if not isinstance(stream.get(part), type(empty)):
            stream[part] = empty
    url = source_of(raw)["source_url"]
    if url:
        stream["input"]["source_url"] = url if show_secrets else mask_url(url)
    return stream
