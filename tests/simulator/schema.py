# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys a virtual host and an application take, and what is kept of a posted one.

The rules are those of the server's configuration: keys that it does not know are refused at every level,
null is absence, scalars are kept with the type that they had (server-facts: Virtual hosts).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Union

from .errors import ConfigError

SCALAR = "scalar"
ANYTHING = "anything"
"""A part whose keys the simulator does not know one by one; it is kept as posted."""

Kind = Union[str, "Item", "ListOf"]


@dataclass(frozen=True)
class Field:
    """One key of an item."""

    kind: Kind = SCALAR
    required: bool = False
    check: Callable[[Any], str | None] | None = None
    """Gives the words of the refusal, or None."""


@dataclass(frozen=True)
class ListOf:
    """An array. ``bare``: the array stands for the item that holds it, as ``host.names`` does."""

    kind: Kind = SCALAR
    bare: bool = False


@dataclass(frozen=True)
class Item:
    """An object, with its keys in the order in which the server looks at them."""

    fields: dict[str, Field] = field(default_factory=dict)


def accept(value: Any, item: Item, path: str) -> dict[str, Any]:
    """Take a posted object.

    :param value: the JSON value.
    :param item: the keys that it may have.
    :param path: what error texts call it: ``virtualHost`` or ``application``.
    :returns: what a read gives back: the posted keys without those that were null.
    :raises ConfigError: an unknown key at any level, or a required one that is missing.
    """
    result: dict[str, Any] = _accept_item(value, item, path, False)
    return result


def _accept_item(value: Any, item: Item, path: str, lenient: bool) -> Any:
    if isinstance(value, dict):
        # The server walks the keys in alphabetical order, so the first in that order is the one it names.
        for key in sorted(value):
            if key not in item.fields and key != "$":
                raise ConfigError(f"Unknown item found: {path}.{key}")
    result: Any = {}
    for key, entry in item.fields.items():
        kept = _accept_field(value, key, entry, path, lenient or not entry.required)
        if kept is None:
            continue
        if isinstance(entry.kind, ListOf) and entry.kind.bare:
            return kept
        result[key] = kept
    return result


def _accept_field(parent: Any, key: str, entry: Field, path: str, lenient: bool) -> Any:
    own_path = f"{path}.{key}"
    if isinstance(entry.kind, ListOf):
        kept = _accept_list(parent, key, entry.kind)
    else:
        value = parent.get(key) if isinstance(parent, dict) else None
        if value is None:
            kept = None
        elif isinstance(entry.kind, Item):
            # A part that is optional makes everything under it optional: only "name" is really enforced.
            kept = _accept_item(value, entry.kind, own_path, lenient)
        else:
            kept = value
    if kept is None:
        if not lenient:
            raise ConfigError(f"{own_path} is not optional")
        return None
    problem = entry.check(kept) if entry.check is not None else None
    if problem is not None:
        raise ConfigError(problem)
    return kept


def _accept_list(parent: Any, key: str, kind: ListOf) -> list[Any] | None:
    if isinstance(parent, list):
        if not kind.bare:
            raise ConfigError(f"{key} is not an array")
        values: Any = parent
    else:
        values = parent.get(key) if isinstance(parent, dict) else None
    if values is None:
        return None
    if not isinstance(values, list):
        raise ConfigError(f"Child {key} is not an array")
    if isinstance(kind.kind, Item):
        # Members are named after the list alone in error texts, and enforce what they require.
        return [_accept_item(value, kind.kind, key, False) for value in values]
    return [value for value in values if value is not None]


def as_text(value: Any) -> str:
    """A scalar as the server reads it where it needs a string; types are coerced silently."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


_RESPELLED = {
    "dVR": "dvr",
    "dRM": "drm",
    "mPEGTSPush": "mpegtsPush",
    "hLSChunklistPathDepth": "hlsChunklistPathDepth",
    "sAR": "sar",
    "ignoreRtcpSRTimestamp": "ignoreRtcpSrTimestamp",
}
"""Keys up to 0.20.5 and from 0.21.0 on (server-facts: 0.21.0)."""


def _spelled(item: Item, generation: int) -> Item:
    """The same item with the spelling of a version."""

    def kind(of: Kind) -> Kind:
        if isinstance(of, ListOf):
            return replace(of, kind=kind(of.kind))
        return _spelled(of, generation) if isinstance(of, Item) else of

    if generation < 21:
        return item
    return Item({_RESPELLED.get(key, key): replace(entry, kind=kind(entry.kind)) for key, entry in item.fields.items()})


def _keys(text: str, required: str = "") -> dict[str, Field]:
    """Scalar fields from names separated by spaces."""
    fields = {name: Field(required=True) for name in required.split()}
    fields.update({name: Field() for name in text.split()})
    return fields


def _redis_host(value: Any) -> str | None:
    text = as_text(value)
    return None if len(text.split(":")) == 2 else f"Invalid host format {text} > it must be host:port"


def _application_type(value: Any) -> str | None:
    text = as_text(value)
    return None if text in ("live", "vod") else f"Unknown type: {text}"


def _enables() -> Item:
    return Item(_keys("providers publishers"))


def _origins(generation: int) -> Item:
    origin = _keys("persistent failback strictLocation relay")
    if generation >= 18:
        origin["ignoreRtcpSRTimestamp"] = Field()
    properties = _keys("noInputFailoverTimeout unusedStreamDeletionTimeout streamFailbackTimeout")
    if generation >= 20:
        properties["retryCount"] = Field()
    passing = {
        "scheme": Field(required=True),
        "urls": Field(Item({"url": Field(ListOf(), required=True)}), required=True),
        "forwardQueryParams": Field(),
    }
    return Item(
        {
            "origin": Field(ListOf(Item({"location": Field(required=True), "pass": Field(Item(passing), required=True), **origin}))),
            "properties": Field(Item(properties)),
        }
    )


@cache
def virtual_host(generation: int, requires_host_names: bool) -> Item:
    """The keys of a virtual host.

    :param generation: second number of the version.
    :param requires_host_names: as the contract documents it; real servers do not.
    """
    names = Item({"name": Field(ListOf(bare=True), required=True)})
    host = Item(
        {
            "names": Field(names, required=True),
            "tls": Field(Item(_keys("chainCertPath", required="certPath keyPath"))),
        }
    )
    fields = {
        "name": Field(required=True),
        "distribution": Field(),
        "host": Field(host, required=requires_host_names),
        "signedPolicy": Field(Item({**_keys("", "policyQueryKeyName signatureQueryKeyName secretKey"), "enables": Field(_enables(), required=True)})),
        "admissionWebhooks": Field(Item({**_keys("", "controlServerUrl secretKey timeout"), "enables": Field(_enables(), required=True)})),
        "origins": Field(_origins(generation)),
        "originMapStore": Field(
            Item(
                {
                    "redisServer": Field(Item({"host": Field(required=True, check=_redis_host), "auth": Field()}), required=True),
                    "originHostName": Field(),
                }
            )
        ),
        "crossDomains": Field(ANYTHING),
        "applications": Field(Item({"application": Field(ListOf(application(generation), bare=True))})),
    }
    if generation < 18:
        fields["signedToken"] = Field(ANYTHING)
    return _spelled(Item(fields), generation)


@cache
def application(generation: int) -> Item:
    """The keys of an application. :param generation: second number of the version."""
    fields = {
        "name": Field(required=True),
        "type": Field(required=True, check=_application_type),
        "decodes": Field(ANYTHING),
        "outputProfiles": Field(_output_profiles(generation)),
        "providers": Field(_providers(generation)),
        "publishers": Field(_publishers(generation)),
        "persistentStreams": Field(ANYTHING),
    }
    if generation >= 18:
        fields["transcodeWebhook"] = Field(
            Item(
                _keys(
                    "timeout useLocalProfilesOnConnectionFailure useLocalProfilesOnServerDisallow useLocalProfilesOnErrorResponse",
                    required="enable controlServerUrl secretKey",
                )
            )
        )
        fields["eventGenerator"] = Field(Item(_keys("enable path")))
    else:
        fields.update({"webConsole": Field(ANYTHING), "origin": Field(ANYTHING)})
    return _spelled(Item(fields), generation)


def _output_profiles(generation: int) -> Item:
    profile = {
        "name": Field(required=True),
        "outputStreamName": Field(required=True),
        "encodes": Field(_encodes(generation)),
        "playlists": Field(ListOf(_playlist(generation))),
    }
    fields = {
        "hardwareAcceleration": Field(),
        "outputProfile": Field(ListOf(Item(profile))),
    }
    if generation >= 18:
        fields.update({"hwaccels": Field(ANYTHING), "decodes": Field(Item(_keys("threadCount onlyKeyframes")))})
    if generation >= 20:
        fields["mediaOptions"] = Field(ANYTHING)
    return Item(fields)


def _encodes(generation: int) -> Item:
    matching = {"bypassIfMatch": Field(Item(_keys("codec bitrate framerate width height sAR samplerate channel")))}
    extra = _keys("modules" if generation >= 18 else "active")
    video = _keys("name bypass codec bitrate width height framerate preset threadCount keyFrameInterval bFrames profile")
    if generation >= 18:
        video.update(_keys("skipFrames keyFrameIntervalType lookahead"))
    audio = _keys("name bypass codec bitrate samplerate channel")
    image = _keys("name codec width height framerate")
    if generation >= 18:
        image.update(_keys("skipFrames"))
    return Item(
        {
            "videos": Field(ListOf(Item({**video, **extra, **matching}))),
            "audios": Field(ListOf(Item({**audio, **extra, **matching}))),
            "images": Field(ListOf(Item({**image, **extra, **matching}))),
        }
    )


def _playlist(generation: int) -> Item:
    options = _keys("webRtcAutoAbr hLSChunklistPathDepth")
    if generation >= 18:
        options.update(_keys("enableTsPackaging"))
    if generation >= 20:
        options.update(_keys("enableSubtitles"))
    rendition = _keys("video audio", required="name")
    if generation >= 18:
        rendition.update(_keys("video_index_hint audio_index_hint"))
    fields = {
        "name": Field(),
        "fileName": Field(required=True),
        "options": Field(Item(options)),
        "renditions": Field(ListOf(Item(rendition))),
    }
    if generation >= 18:
        fields["rendition_templates"] = Field(ANYTHING)
    return Item(fields)


def _providers(generation: int) -> Item:
    common = "maxConnection"
    if generation >= 20:
        common += " packetSilenceTimeoutMs timestampMode useIncomingTimestamp"

    def provider(text: str = "", required: str = "", free: str = "") -> Field:
        parts = {name: Field(ANYTHING) for name in free.split()}
        return Field(Item({**_keys(f"{common} {text}", required), **parts}))

    rtmp = "blockDuplicateStreamName passthroughOutputProfile" + (" useIncomingTimestamp" if generation >= 18 else "")
    fields = {
        "rtspPull": provider("blockDuplicateStreamName"),
        "rtsp": provider(),
        "rtmp": provider(rtmp, free="eventGenerator"),
        "ovt": provider(),
        "mpegts": provider(free="streams audioMap"),
        "srt": provider("blockDuplicateStreamName", free="audioMap"),
        "webrtc": provider("timeout", free="crossDomains"),
        "file": provider("rootPath passthroughOutputProfile", free="streamMap"),
    }
    if generation >= 18:
        fields["schedule"] = provider("", "mediaRootDir scheduleFilesDir")
        fields["multiplex"] = provider("", "muxFilesDir")
    return Item(fields)


def _publishers(generation: int) -> Item:
    def publisher(text: str = "", free: str = "") -> Field:
        parts = {name: Field(ANYTHING) for name in free.split()}
        return Field(Item({**_keys(f"maxConnection {text}"), **parts}))

    hls = "originMode serverTimeBasedSegmentNumbering segmentCount segmentDuration createDefaultPlaylist"
    hls_parts = "crossDomains dVR dumps cacheControl defaultQueryString"
    fields = {
        "appWorkerCount": Field(),
        "streamWorkerCount": Field(),
        "webrtc": publisher("timeout jitterBuffer rtx ulpfec createDefaultPlaylist bandwidthEstimation", "playoutDelay"),
        "llhls": publisher(f"{hls} chunkDuration partHoldBack enablePreloadHint", f"{hls_parts} dRM"),
        "hls": publisher(hls, hls_parts),
        "ovt": publisher(),
        "file": publisher("rootPath filePath infoPath fileInfoPath", "streamMap record"),
        "thumbnail": publisher(free="crossDomains"),
        "mPEGTSPush": publisher(),
        "rtmpPush": publisher(),
    }
    if generation >= 18:
        fields.update(
            {
                "delayBufferTimeMs": Field(),
                "push": publisher(free="streamMap"),
                "srtPush": publisher(),
                "srt": publisher(),
            }
        )
    else:
        fields.update({"dash": Field(ANYTHING), "llDash": Field(ANYTHING)})
    return Item(fields)
