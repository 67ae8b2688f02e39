# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The profile of a multiplex channel: what the server keeps of a posted one (class MultiplexProfile [read])."""

from __future__ import annotations

from typing import Any

from .bodies import as_bool, as_int, as_string, member, members
from .errors import ApiError, ServerDies, has_conversion
from .versions import ServerVersion

_DESCRIPTIONS = ("publicName", "language", "characteristics")


def read(body: dict[str, Any], version: ServerVersion) -> dict[str, Any]:
    """Return the profile that is kept of a posted one, as a read returns it without its state.

    :raises ApiError: 400 with the server's words; 500 for a value of the wrong type.
    :raises ServerDies: the words would hold a printf conversion.
    """
    output = _required(body, "outputStream", "outputStream")
    stream: dict[str, Any] = {"name": as_string(_required(output, "name", "outputStream/name"))}
    if version.multiplex_has_bypass:
        bypass = output.get("bypassTranscoder")
        stream["bypassTranscoder"] = True if bypass is None else as_bool(bypass)
    sources = [_source(entry, version) for entry in members(_required(body, "sourceStreams", "sourceStreams"))]
    result: dict[str, Any] = {"outputStream": stream, "sourceStreams": sources or None}
    names = {track["newTrackName"] for source in sources for track in source["trackMap"] or ()}
    # A playlist without renditions is not kept.
    read_playlists = [_playlist(entry, names) for entry in members(body.get("playlists"))]
    playlists = [playlist for playlist in read_playlists if playlist is not None]
    if playlists:
        result["playlists"] = playlists
    return result


def _required(value: Any, key: str, name: str) -> Any:
    found = member(value, key)
    if found is None:
        raise ApiError(400, f"Failed to find {name} object")
    return found


def _refuse(text: str) -> None:
    """:raises ServerDies: the server uses these words, which hold values of the request, as a format.

    :raises ApiError: 400.
    """
    if has_conversion(text):
        raise ServerDies()
    raise ApiError(400, text)


def _source(entry: Any, version: ServerVersion) -> dict[str, Any]:
    name = as_string(_required(entry, "name", "sourceStreams/name"))
    url = as_string(_required(entry, "url", "sourceStreams/url"))
    if "://" not in url:
        _refuse(f"Failed to parse url: {url}")
    tracks: dict[str, list[dict[str, Any]]] = {}
    for track in members(_required(entry, "trackMap", "sourceStreams/trackMap")):
        read_track = _track(track, version)
        same_name = tracks.setdefault(read_track["sourceTrackName"], [])
        if version.multiplex_describes_tracks or not same_name:
            same_name.append(read_track)
    in_order = [track for source_name in sorted(tracks) for track in tracks[source_name]]
    return {"name": name, "url": url, "trackMap": in_order or None}


def _track(track: Any, version: ServerVersion) -> dict[str, Any]:
    place = "sourceStreams/trackMap"
    result: dict[str, Any] = {
        key: as_string(_required(track, key, f"{place}/{key}")) for key in ("sourceTrackName", "newTrackName")
    }
    for key in ("bitrateConf", "framerateConf"):
        if as_int(track.get(key)):
            result[key] = as_int(track[key])
    if version.multiplex_describes_tracks:
        result.update({key: as_string(track[key]) for key in _DESCRIPTIONS if as_string(track.get(key))})
        index = track.get("audioIndex")
        if index is not None and (isinstance(index, bool) or not isinstance(index, int)):
            raise ApiError(400, f"Invalid {place}/audioIndex: must be an integer")
        if index is not None and index < -1:
            raise ApiError(400, f"Invalid {place}/audioIndex: must be -1 or greater")
        if index is not None and index >= 0:
            result["audioIndex"] = index
    return result


def _playlist(entry: Any, names: set[str]) -> dict[str, Any] | None:
    name = as_string(_required(entry, "name", "playlists/name"))
    file_name = as_string(_required(entry, "fileName", "playlists/fileName"))
    given = entry.get("options")
    options: dict[str, Any] = {}
    if given is not None:
        depth = member(given, "hlsChunklistPathDepth")
        depth = -1 if depth is None else as_int(depth)
        if as_bool(given.get("webrtcAutoAbr")):
            options["webrtcAutoAbr"] = True
        if depth != -1:
            options["hlsChunklistPathDepth"] = depth
        if as_bool(given.get("enableTsPackaging")):
            options["enableTsPackaging"] = True
    if entry.get("renditions") is None:
        return None
    renditions = [_rendition(rendition, names) for rendition in members(entry["renditions"])]
    return {"name": name, "fileName": file_name, "options": options or None, "renditions": renditions or None}


def _rendition(rendition: Any, names: set[str]) -> dict[str, Any]:
    """Return a rendition. The server reads ``videoIndexHint`` and ``audioIndexHint`` and does not keep them."""
    result = {"name": as_string(_required(rendition, "name", "playlists/renditions/name"))}
    for kind in ("video", "audio"):
        variant = rendition.get(kind)
        if variant is not None:
            if as_string(variant) not in names:
                _refuse(f"Failed to find {kind} variant name {as_string(variant)} in SourceStream/TrackMap object")
            if as_string(variant):
                result[kind] = as_string(variant)
        as_int(rendition.get(f"{kind}IndexHint"))
    return result
