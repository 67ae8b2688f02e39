# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Recordings, pulled streams and scheduled channels, as options of the modules and as requests of a script."""

from __future__ import annotations

import typing as t

from .objects import Call, Object, name_of

_APPLICATION = "media"
_ORIGIN = "rtsp://192.0.2.1"
_DIRECTORY = "/var/lib/ovenmediaengine"


def _entry(number: int, among: int) -> Object:
    return {"vhost": name_of(1 + number % among), "app": _APPLICATION}


def _path(entry: t.Mapping[str, t.Any], call: str) -> str:
    return f"/v1/vhosts/{entry['vhost']}/apps/{entry['app']}{call}"


def _paths(among: int, call: str) -> list[str]:
    return [_path(_entry(number, among), call) for number in range(among)]


def records(count: int, among: int) -> list[Object]:
    """Return recordings that wait for a stream, dealt out to the applications of so many virtual hosts."""
    return [
        {
            **_entry(number, among),
            "id": f"record-{number:05d}",
            "stream": {"name": "main"},
            "file_path": f"/recordings/{number:05d}/${{Stream}}.ts",
        }
        for number in range(count)
    ]


def channels(count: int, among: int) -> list[Object]:
    """Return scheduled channels with one program each, dealt out to the applications of so many virtual hosts."""
    item = {"url": f"stream://{name_of(1)}/{_APPLICATION}/main"}
    program = {"name": "all-day", "scheduled": "2020-01-01T00:00:00Z", "repeat": True, "items": [item]}
    return [
        {**_entry(number, among), "name": f"channel-{number:05d}", "programs": [program]} for number in range(count)
    ]


def streams(count: int, among: int) -> list[Object]:
    """Return pulled streams, dealt out to the applications of so many virtual hosts."""
    return [
        {
            **_entry(number, among),
            "name": f"camera-{number:05d}",
            "urls": [f"{_ORIGIN}/{number:05d}"],
            "persistent": True,
        }
        for number in range(count)
    ]


# The requests of a script


def create_applications(among: int) -> list[Call]:
    """Create an application in each of so many virtual hosts, which can record, pull streams and play channels."""
    # Each has directories of its own, because those that share a directory share its channels.
    return [
        (
            "POST",
            f"/v1/vhosts/{name_of(number)}/apps",
            [
                {
                    "name": _APPLICATION,
                    "type": "live",
                    "providers": {
                        "rtspPull": {},
                        "schedule": {
                            "mediaRootDir": f"{_DIRECTORY}/files",
                            "scheduleFilesDir": f"{_DIRECTORY}/schedules/{name_of(number)}",
                        },
                    },
                    "publishers": {"file": {}, "llhls": {}},
                }
            ],
        )
        for number in range(1, among + 1)
    ]


def announce_origin() -> list[Call]:
    """Let the pulls of a simulated server find their origin."""
    return [("POST", "/_simulator/origins", {"url": _ORIGIN, "behaviour": "accept"})]


def list_records(among: int) -> list[Call]:
    """List the recordings of the applications of so many virtual hosts."""
    return [("POST", path, {}) for path in _paths(among, ":records")]


def start_records(count: int, among: int) -> list[Call]:
    """Start recordings."""
    return [
        (
            "POST",
            _path(one, ":startRecord"),
            {"id": one["id"], "stream": one["stream"], "filePath": one["file_path"]},
        )
        for one in records(count, among)
    ]


def list_channels(among: int) -> list[Call]:
    """List the scheduled channels of the applications of so many virtual hosts."""
    return [("GET", path, None) for path in _paths(among, "/scheduledChannels")]


def create_channels(count: int, among: int) -> list[Call]:
    """Create scheduled channels."""
    return [
        (
            "POST",
            _path(one, "/scheduledChannels"),
            {"stream": {"name": one["name"]}, "programs": one["programs"]},
        )
        for one in channels(count, among)
    ]


def pull_streams(count: int, among: int) -> list[Call]:
    """Pull streams."""
    return [
        (
            "POST",
            _path(one, "/streams"),
            {"name": one["name"], "urls": one["urls"], "properties": {"persistent": one["persistent"]}},
        )
        for one in streams(count, among)
    ]
