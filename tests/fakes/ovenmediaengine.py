# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fake of the server's binary: it becomes a simulator."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

from .commands import options, say, unknown
from .store import Store


def main(store: Store, argv: list[str]) -> int:
    """Say the version (``-v``), or run the server from a directory (``-c``)."""
    found, words = options(argv, ("-c",))
    version = os.environ.get("FAKES_VERSION") or store.read()["binary_version"]
    if "-v" in found:
        say(f"OvenMediaEngine v{version} (v{version}-0-gfake)")
        return 1  # The real one does so, too.
    if words or set(found) - {"-c", "-d"}:
        raise unknown("OvenMediaEngine", argv)
    volumes: list[list[str]] | None = json.loads(os.environ.get("FAKES_VOLUMES", "null"))
    ports: list[str] | None = json.loads(os.environ.get("FAKES_PORTS", "null"))
    directory = _here(found.get("-c", ["conf"])[-1], volumes)
    values = ["--config", str(directory), "--server-version", version, "--api-only"]
    for source, target in volumes or ():
        values += ["--mount", f"{target}={source}"]
    if ports is not None:
        values += ["--port", str(_published(directory, ports))]
    from ..simulator.__main__ import main as simulate  # Only here: the other fakes start without it.
    from ..simulator.server import EXIT_NOT_STARTED

    status = simulate(values)
    how = store.read()["failed_start"]
    if status != EXIT_NOT_STARTED or not how:
        return status
    for number in range(how["lines"]):
        say(f"[2026-11-23 02:13:52.{number:03}] I [OvenMediaEngine:1] Module | Module {number} has been uninitialized")
    return int(how["status"])


def _here(path: str, volumes: list[list[str]] | None) -> Path:
    """Return the directory of the host for one that the server sees."""
    seen = os.path.normpath(path)
    for source, target in volumes or ():
        if seen == target or seen.startswith(target.rstrip("/") + "/"):
            return Path(source + seen[len(target.rstrip("/")) :])
    return Path(seen) if volumes is None else Path("/nonexistent") / seen.lstrip("/")


def _published(directory: Path, ports: list[str]) -> int:
    """Return the host's port of the API; 0, which nobody knows, if it is not published."""
    try:
        api = ElementTree.parse(directory / "Server.xml").findtext("Bind/Managers/API/Port", "")
    except (OSError, ElementTree.ParseError):
        return 0
    match = re.match(r"\s*\d+", api)
    if match is None:
        return 0
    port = int(match.group())
    for text in ports:
        *address, inside = text.partition("/")[0].rsplit(":", 2)[-2:]
        first, _dash, last = inside.partition("-")
        if text.endswith("/udp") or not int(first) <= port <= int(last or first):
            continue
        outside = int((address[0] if address else inside).partition("-")[0])
        return outside + port - int(first)
    return 0
