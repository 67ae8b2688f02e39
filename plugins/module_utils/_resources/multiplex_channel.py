# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The multiplex channel: fields, rules, status (server-facts: Multiplex channels)."""

from __future__ import annotations

import typing as t

from .._api.streams import MultiplexChannels
from .._core.errors import BadInput
from .._core.texts import name_list
from .._schema import validators as checks
from .._schema.fields import Bool, Difference, Int, String
from .._schema.objects import Object, ObjectList
from . import concerns
from .channels import INTERRUPTION, KEY, SETTLES, Source, key_fields, stream_url
from .kind import Key, Kind, Raw, Specified, Value

MOST_NAMED = 5  # tracks in a message


class TrackMap(ObjectList):
    """A list of tracks whose order means nothing: the server sorts them."""

    def equal(self, desired: t.Any, current: t.Any) -> bool:
        return super().equal(_sorted(desired), _sorted(current))

    def difference(self, desired: t.Any, current: t.Any, path: str) -> t.Iterator[Difference]:
        if not self.equal(desired, current):
            yield Difference(path, self.mask(_sorted(current)), self.mask(_sorted(desired)))


def _sorted(tracks: t.Any) -> list[t.Any]:
    return sorted(tracks or (), key=_place)


def _place(track: t.Mapping[str, t.Any]) -> tuple[str, int, str]:
    index = track.get("audio_index", -1)
    return (
        str(track.get("source_track_name")),
        index if isinstance(index, int) else -1,
        str(track.get("new_track_name")),
    )


def _track_map() -> TrackMap:
    descriptions = [("public_name", "publicName"), ("language", "language"), ("characteristics", "characteristics")]
    return TrackMap(
        "track_map",
        "trackMap",
        required=True,
        identity="new_track_name",
        fields=[
            String("source_track_name", "sourceTrackName", required=True, check=checks.one_line),
            String("new_track_name", "newTrackName", required=True, check=checks.one_line),
            Int("bitrate_conf", "bitrateConf", default=0, check=checks.count),
            Int("framerate_conf", "framerateConf", default=0, check=checks.count),
            *(
                String(option, wire, default="", check=checks.one_line_or_empty, since="0.20.5")
                for option, wire in descriptions
            ),
            Int("audio_index", "audioIndex", default=-1, check=_index, since="0.20.5"),
        ],
    )


def _index(value: int) -> str | None:
    return None if value == -1 else checks.count(value)


def _playlists() -> ObjectList:
    """Declare playlists, with the options of those of output profiles. They have other JSON names and fewer fields."""
    return ObjectList(
        "playlists",
        identity="file_name",
        fields=[
            String("name", required=True, check=checks.one_line),
            String("file_name", "fileName", required=True, check=checks.one_line, doubt=concerns.playlist_file),
            Object(
                "options",
                fields=[
                    Bool("web_rtc_auto_abr", "webrtcAutoAbr", default=False),
                    Int("hls_chunklist_path_depth", "hlsChunklistPathDepth", default=-1),
                    Bool("enable_ts_packaging", "enableTsPackaging", default=False),
                ],
            ),
            ObjectList(
                "renditions",
                required=True,  # the server keeps no playlist without them
                identity="name",
                fields=[
                    String("name", required=True, check=checks.one_line),
                    String("video", check=checks.one_line),
                    String("audio", check=checks.one_line),
                ],
            ),
        ],
    )


MULTIPLEX_CHANNEL = Object(
    "multiplex_channel",
    fields=[
        *key_fields(),
        Object(
            "output_stream",
            "outputStream",
            fields=[Bool("bypass_transcoder", "bypassTranscoder", default=True, since="0.19.0")],
        ),
        ObjectList(
            "source_streams",
            "sourceStreams",
            identity="name",
            fields=[
                String("name", required=True, check=checks.one_line),
                Source("url", required=True, check=stream_url),
                _track_map(),
            ],
        ),
        _playlists(),
    ],
)


def _check(channel: t.Mapping[str, t.Any], path: str, _complete: bool) -> None:
    """Raise BadInput for tracks that are listed twice, or that no source provides."""
    prefix = f"{path}." if path else ""
    for number, source in enumerate(channel.get("source_streams", ())):
        seen: set[tuple[str, int]] = set()
        for index, track in enumerate(source["track_map"]):
            place = _place(track)[:2]
            if place in seen:
                raise BadInput(
                    f"{prefix}source_streams[{number}].track_map[{index}].source_track_name",
                    f"expected each track once, got {place[0]!r} again with the same audio_index",
                )
            seen.add(place)
    if "source_streams" in channel:
        unknown = _unknown_track(channel)
        if unknown:
            raise BadInput(prefix + unknown[0], unknown[1])


def incomplete(channel: t.Mapping[str, t.Any]) -> str | None:
    """Return what a channel lacks that the server requires, or None."""
    if not channel.get("source_streams"):
        return "source_streams: is required, because the channel does not exist yet"
    unknown = _unknown_track(channel)
    return ": ".join(unknown) if unknown else None


def _unknown_track(channel: t.Mapping[str, t.Any]) -> tuple[str, str] | None:
    """Return the option that names a track that no source provides, and what was expected: the server rejects it, and
    some names in that rejection end the server.
    """
    names = {track["new_track_name"] for source in channel["source_streams"] for track in source.get("track_map", ())}
    for number, playlist in enumerate(channel.get("playlists", ())):
        for index, rendition in enumerate(playlist.get("renditions", ())):
            for option in ("video", "audio"):
                if rendition.get(option) not in (None, *names):
                    path = f"playlists[{number}].renditions[{index}].{option}"
                    return path, f"expected a new_track_name of source_streams, got {rendition[option]!r}"
    return None


def sources_of(channel: t.Mapping[str, t.Any]) -> list[tuple[str, ...]]:
    """Return virtual host, application and name of each source of a channel (option form)."""
    urls = [str(source.get("url", "")) for source in channel.get("source_streams") or ()]
    places = [tuple(url.partition("://")[2].split("/")) for url in urls]
    return [place if len(place) == 3 else () for place in places]


def warnings_for(
    channel: t.Mapping[str, t.Any], made: t.Mapping[tuple[str, ...], t.Collection[str] | None]
) -> t.Iterator[str]:
    """Yield warnings about tracks that no source of a channel (option form) has: the channel plays without them.

    ``made`` has the tracks of the output profiles by virtual host and application; None if they are not known.
    """
    title = f"Multiplex channel {'/'.join(str(channel[part]) for part in KEY)}"
    for source, place in zip(channel.get("source_streams") or (), sources_of(channel)):
        known = made.get(place[:2])
        asked = {str(track.get("source_track_name")) for track in source.get("track_map") or ()}
        if known and not asked.issubset(known):
            yield (
                f"{title} takes {name_list(asked.difference(known), MOST_NAMED)} of {source['url']}, but no output "
                f"profile of application {'/'.join(place[:2])} makes such a track, so the channel plays "
                f"without it. Take one of these: {name_list(known, MOST_NAMED)}."
            )


def from_wire(raw: Raw, key: Key) -> Value:
    """Return a channel of wire form in option form; empty lists are included, so that it is complete input."""
    channel = {**MULTIPLEX_CHANNEL.from_wire(raw), **key._asdict()}
    for source in channel.setdefault("source_streams", []):
        source.setdefault("track_map", [])
    for playlist in channel.setdefault("playlists", []):
        playlist.setdefault("renditions", [])
    return channel


def to_wire(channel: t.Mapping[str, t.Any], declaration: Object) -> dict[str, t.Any]:
    """Return the body of a create for a channel in option form."""
    body: dict[str, t.Any] = declaration.to_wire({option: channel[option] for option in channel if option not in KEY})
    body["outputStream"] = {"name": channel["name"], **body.get("outputStream", {})}
    return body


def status_of(raw: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the status of a channel (wire form): its state, and what it waits for."""
    message = raw.get("pullingMessage")
    return {"state": str(raw.get("state", "unknown")).lower(), "message": None if message is None else str(message)}


def why_not_playing(raw: Raw, _now: float) -> str | None:
    """Return why a channel (wire form) does not play, as the server says; None if it plays."""
    status = status_of(raw)
    if status["state"] == "playing" or not _sources(MULTIPLEX_CHANNEL.from_wire(raw)):
        return None
    message = f" The server says: {status['message']}" if status["message"] else ""
    return f"it is in state {status['state']}, although all its sources are live.{message}".rstrip(".")


def _sources(channel: Specified) -> list[Key]:
    """Return the streams that a channel (option form) combines."""
    return [Key(*place) for place in sources_of(channel) if place]


MULTIPLEX_CHANNELS = Kind(
    "multiplex channel",
    MULTIPLEX_CHANNEL,
    reads=from_wire,
    sends=to_wire,
    check=_check,
    incomplete=incomplete,
    endpoints=MultiplexChannels,
    since="0.16.5",
    providers=lambda _channel: ("multiplex",),
    settles=SETTLES,
    interruption=INTERRUPTION,
    details=lambda raw: {"state": status_of(raw)["state"]},
    status=status_of,
    option="multiplex_channels",
    place="channel",
    described=lambda raw: {"type": "multiplex", "state": None if raw is None else status_of(raw)["state"]},
    why_idle=why_not_playing,
    sources=_sources,
    track_warnings=warnings_for,
)
