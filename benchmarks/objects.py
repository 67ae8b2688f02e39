# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is made on servers, as options of the modules, and the requests by which a script would do the same."""

from __future__ import annotations

import typing as t

PREFIX = "streamops-benchmark-"
"""What the names of all virtual hosts begin with, so that they can be distinguished from others."""
PIECE = 500
"""How many virtual hosts the modules send in one request."""
# Addresses for documentation, which nobody has. No stream is live, so that no server even tries to reach it.
_DESTINATION = "rtmp://192.0.2.1/live"
_STREAM_KEY = "not-a-real-key"
_APPLICATION = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}

Object = dict[str, t.Any]
Call = tuple[str, str, t.Any]


def name_of(number: int) -> str:
    """Return the name of a virtual host."""
    return f"{PREFIX}{number:05d}"


def virtual_hosts(count: int) -> list[Object]:
    """Return virtual hosts without applications."""
    return [
        {"name": name_of(number), "host": {"names": [f"{number:05d}.benchmark.example.com"]}}
        for number in range(1, count + 1)
    ]


def tenants(count: int) -> list[Object]:
    """Return virtual hosts with one application each, which can push."""
    return [{**vhost, "applications": [_APPLICATION]} for vhost in virtual_hosts(count)]


def applications(count: int) -> list[Object]:
    """Return the applications of so many tenants, as a list of their own."""
    return [{"vhost": name_of(number), **_APPLICATION} for number in range(1, count + 1)]


def push_tasks(count: int, among: int) -> list[Object]:
    """Return push tasks that wait for a stream, dealt out to the applications of so many tenants."""
    return [
        {
            "vhost": name_of(1 + number % among),
            "app": _APPLICATION["name"],
            "id": f"push-{number:05d}",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "url": _DESTINATION,
            "stream_key": _STREAM_KEY,
        }
        for number in range(count)
    ]


# The requests of a script


def create_virtual_hosts(count: int) -> list[Call]:
    """Make virtual hosts, in pieces."""
    vhosts = virtual_hosts(count)
    return [("POST", "/v1/vhosts", vhosts[start : start + PIECE]) for start in range(0, count, PIECE)]


def list_virtual_hosts() -> list[Call]:
    """List the virtual hosts."""
    return [("GET", "/v1/vhosts", None)]


def read_virtual_hosts(count: int) -> list[Call]:
    """Read each virtual host."""
    return [("GET", f"/v1/vhosts/{name_of(number)}", None) for number in range(1, count + 1)]


def create_applications(count: int) -> list[Call]:
    """Look which applications each of so many tenants has, and make the one that is missing."""
    application = {**_APPLICATION, "type": "live"}
    paths = [f"/v1/vhosts/{name_of(number)}/apps" for number in range(1, count + 1)]
    return [call for path in paths for call in (("GET", path, None), ("POST", path, [application]))]


def read_applications(count: int) -> list[Call]:
    """List and read the application of each of so many tenants."""
    paths = [f"/v1/vhosts/{name_of(number)}/apps" for number in range(1, count + 1)]
    return [("GET", path, None) for apps in paths for path in (apps, f"{apps}/{_APPLICATION['name']}")]


def list_push_tasks(among: int) -> list[Call]:
    """List the push tasks of the applications of so many tenants."""
    return [
        ("POST", f"/v1/vhosts/{name_of(number)}/apps/{_APPLICATION['name']}:pushes", {})
        for number in range(1, among + 1)
    ]


def start_push_tasks(count: int, among: int) -> list[Call]:
    """Start push tasks."""
    return [
        (
            "POST",
            f"/v1/vhosts/{task['vhost']}/apps/{task['app']}:startPush",
            {
                "id": task["id"],
                "stream": task["stream"],
                "protocol": task["protocol"],
                "url": task["url"],
                "streamKey": task["stream_key"],
            },
        )
        for task in push_tasks(count, among)
    ]
