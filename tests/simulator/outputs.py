# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which outputs an application makes of a stream: what is played, pushed and recorded are outputs.

Without output profiles there are none (server-facts: What the API does and files do not). A profile with an encode that
the server cannot make has no output at all, and the input is still listed as live (server-facts: Output profiles).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .media import LiveStream
from .objects import Application
from .versions import ServerVersion

ORIGIN = "${OriginStreamName}"
MULTIPLEX = "Multiplex"
"""The source type of streams that are their own output, because they bypass the encoders by default."""
_CODECS = ("h264", "h265", "vp8", "vp9", "flv", "av1", "jpeg", "png", "webp", "avif", "aac", "mp2", "mp3", "opus")
"""How the names of codecs begin that the server knows, in any case."""


def profiles(app: Application) -> list[dict[str, Any]]:
    """Return the output profiles of an application."""
    item = app.config.get("outputProfiles")
    found = item.get("outputProfile") if isinstance(item, dict) else None
    return [profile for profile in found or () if isinstance(profile, dict)]


def encodes(profile: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the encodes of a profile for one kind of media, such as ``videos``."""
    item = profile.get("encodes")
    found = item.get(key) if isinstance(item, dict) else None
    return [encode for encode in found or () if isinstance(encode, dict)]


def is_true(value: Any) -> bool:
    """Return whether a boolean is true; an application of the configuration file has text."""
    return str(value).lower() == "true"


def can_be_made(profile: Mapping[str, Any]) -> bool:
    """Return whether the server makes an output of a profile, of an input with video and audio."""
    return all(
        is_true(encode.get("bypass")) or str(encode.get("codec", _CODECS[0])).lower().startswith(_CODECS)
        for key in ("videos", "images", "audios")
        for encode in encodes(profile, key)
    )


def output_name(profile: Mapping[str, Any], stream: str) -> str:
    """Return the name of the output that a profile makes of a stream."""
    return str(profile.get("outputStreamName", ORIGIN)).replace(ORIGIN, stream)


def is_relayed(version: ServerVersion, stream: LiveStream) -> bool:
    """Return whether a stream is not encoded again, so that it is its own output."""
    return stream.pull is not None and stream.pull.relay and version.pull_checks_urls


def names(version: ServerVersion, app: Application, name: str, stream: LiveStream) -> list[str]:
    """Return the names of the outputs of a stream."""
    if is_relayed(version, stream) or stream.source_type == MULTIPLEX:
        return [name]
    return list(dict.fromkeys(output_name(profile, name) for profile in profiles(app) if can_be_made(profile)))
