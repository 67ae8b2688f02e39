# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server and the files that the options of the examples are for."""

from __future__ import annotations

import json
import os
import typing as t
from pathlib import Path

from ._example import FILES

if t.TYPE_CHECKING:
    from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

LIVE = {"vhost": "default", "app": "app", "stream": "t-live"}
"""A live stream with speech-to-text."""
RENDITIONS = [{"label": "english", "model": "small", "language": "en"}]
HOLDER: dict[str, t.Any] = {
    "name": "t-v",
    "host": {"names": ["v.example.com"]},
    "applications": [{"name": "rec", "type": "live", "publishers": {"file": {}}}],
}
"""A virtual host with an application for recordings, as in the API."""

_SERVER = '<Server version="8"><Name>t-s</Name><Type>origin</Type><VirtualHosts></VirtualHosts></Server>'
# The virtual host of the simulated server that its configuration file defines.
_RUNNING = (
    '<Server version="8"><Name>t-s</Name><Type>origin</Type><VirtualHosts><VirtualHost><Name>default</Name>'
    "</VirtualHost></VirtualHosts></Server>"
)
_INDEX = """\
<?xml version="1.0" encoding="utf-8"?>
<files>
  <file>
    <transactionId>t-transaction</transactionId>
    <id>t-r</id>
    <metadata>t-metadata</metadata>
    <vhost>default</vhost>
    <app>app</app>
    <stream>main</stream>
    <filePath><![CDATA[/old.ts]]></filePath>
    <recordBytes>5</recordBytes>
    <recordTime>1000</recordTime>
    <sequence>0</sequence>
    <lastSequence>true</lastSequence>
    <createdTime>2020-01-01T00:00:00.000+00:00</createdTime>
    <startTime>2020-01-01T00:00:00.000+00:00</startTime>
    <finishTime>2020-01-01T00:00:01.000+00:00</finishTime>
  </file>
</files>
"""
_OLD = 1577836801  # the end of the recording, in seconds
_AUDIT = {"schema_version": 1, "generated_at": "2026-01-31T03:00:00Z", "servers": []}


def prepare(simulator: Simulator) -> None:
    """Make what the examples need on a simulator with the scene `media`."""
    with simulator.state.lock:
        vhost = simulator.state.create_virtual_host({key: HOLDER[key] for key in ("name", "host")})
        for app in HOLDER["applications"]:
            simulator.state.create_application(vhost, app)
    simulator.stream_appears(LIVE["vhost"], LIVE["app"], LIVE["stream"])
    simulator.speech(LIVE["vhost"], LIVE["app"], LIVE["stream"], RENDITIONS)


def write_files(directory: Path) -> None:
    """Write the files that options name: a configuration to import, a part of a report, and an old recording."""
    for name, text in (
        ("imported/Server.xml", _SERVER),
        ("running/Server.xml", _RUNNING),
        ("parts/one/audit.json", json.dumps(_AUDIT)),
        ("recordings/index.xml", _INDEX),
        ("recordings/old.ts", "media"),
    ):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (_OLD, _OLD))


def in_directory(value: t.Any, directory: Path) -> t.Any:
    """Return options in which the directory has the place of :data:`FILES`."""
    if isinstance(value, str):
        return value.replace(FILES, str(directory))
    if isinstance(value, dict):
        return {key: in_directory(item, directory) for key, item in value.items()}
    return [in_directory(item, directory) for item in value] if isinstance(value, list) else value
