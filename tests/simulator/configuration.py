# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration directory of a server: Server.xml with the files that it includes, Logger.xml and Server.id
(server-facts: What survives a restart).

Left out: ``Managers/API/Storage``, which no version reads after it has parsed it [read]; the license.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import schema, start_values
from .config_xml import XmlFile, child_text, parse, resolved
from .errors import ConfigError
from .pugixml import Node
from .versions import ServerVersion

SERVER, LOGGER, SERVER_ID = "Server.xml", "Logger.xml", "Server.id"
LEGACY = ("LastConfig.xml", "LastConfig.json")
LOG_FILE = "ovenmediaengine.log"
_VERSIONS = {"Server": (8, 9, 10), "Logger": (2,)}
_LEVELS = ("debug", "info", "warn", "error", "critical")


class NotStarted(Exception):
    """The server ends before it listens; ``str()`` is the line in its log."""


@dataclass(frozen=True)
class Configuration:
    """What a server takes from its configuration directory. Ports are None if they are not configured."""

    directory: Path
    port: int | None
    tls_port: int | None
    token: str
    certificate: tuple[str, str] | None
    """Paths of certificate and key of the API."""
    mpegts_ports: tuple[int, ...]
    """Those on which the server takes MPEG-TS."""
    publisher_ports: tuple[int, ...]
    """TLS ports of providers and publishers that serve the certificates of virtual hosts."""
    virtual_hosts: tuple[tuple[dict[str, Any], tuple[dict[str, Any], ...]], ...]
    """Virtual hosts, each with its applications, in the order of the files."""
    server_id: str


def load(directory: Path, version: ServerVersion) -> Configuration:
    """Read a configuration directory, and write ``Server.id`` if it is not there.

    :raises NotStarted: a server of the version would not start.
    """
    try:
        found = _read(directory, version)
    except ConfigError as error:
        raise NotStarted(f"An error occurred while load config: {error.message}") from error
    names: set[str] = set()
    for vhost, applications in found.virtual_hosts:
        name = resolved(vhost["name"])
        own_names = [resolved(app["name"]) for app in applications]
        if name in names or len(own_names) != len(set(own_names)):
            raise NotStarted(f"Could not create VirtualHost({name})")
        names.add(name)
    if not found.token and (found.port or found.tls_port):
        raise NotStarted("Empty <AccessToken> is not allowed")
    return found


def _read(directory: Path, version: ServerVersion) -> Configuration:
    for name in LEGACY:
        if (directory / name).is_file():
            raise ConfigError(
                f"Legacy config file found. Please migrate '{name}' manually or delete it and run OME again."
            )
    if (directory / LOGGER).exists():
        logger = parse(directory / LOGGER, "Logger")
        if logger is None:
            raise ConfigError("Could not found config: <Logger>")
        _check_version(logger)
        _check_tags(logger, version)
    file = XmlFile(directory / SERVER, directory, version.static_scalars_are_strings)
    root = file.root("Server")
    value = file.read(root, schema.server(version.keys, version.takes_other_keys), "Server")
    _check_version(root)
    for problem in start_values.problems(value, version.keys):
        raise NotStarted(problem)
    api = _at(value, "bind", "managers", "api") or {}
    tls = _at(value, "managers", "host", "tls") or {}
    bound = [_at(value, "bind", kind) or {} for kind in ("providers", "publishers")]
    return Configuration(
        directory=directory,
        port=_port(api.get("port")),
        tls_port=_port(api.get("tlsPort")),
        token=resolved(_at(value, "managers", "api", "accessToken") or ""),
        certificate=(resolved(tls.get("certPath", "")), resolved(tls.get("keyPath", ""))) if tls else None,
        mpegts_ports=tuple(sorted(start_values.numbers(_at(value, "bind", "providers", "mpegts", "port")))),
        publisher_ports=tuple(sorted({port for settings in bound for port in _tls_ports(settings)})),
        virtual_hosts=tuple(_split(vhost) for vhost in value.get("virtualHosts", ())),
        server_id=_server_id(directory),
    )


def _check_version(root: Node) -> None:
    text = resolved(root.get("version", ""))
    number = int(text) if text.isdecimal() else 0
    if number == 0:
        raise ConfigError(
            f"Could not obtain version in your XML. If you have upgraded OME, see misc/conf_examples/{root.tag}.xml"
        )
    if number not in _VERSIONS[root.tag]:
        raise ConfigError(f"The version of {root.tag}.xml is outdated (Your XML version: {number}).")


def _check_tags(logger: Node, version: ServerVersion) -> None:
    """Check what follows the first tag; the server takes each element there for a tag [read]."""
    names = [node.tag for node in logger]
    if "Tag" not in names:
        raise ConfigError("Could not found config: <Tag>")
    levels = _LEVELS if version.config_generation < 20 else ("trace", *_LEVELS)
    for node in logger[names.index("Tag") :]:
        if node.get("level") not in levels:
            raise ConfigError(f"Invalid log level: {node.get('level', '')} (Tag name: [{node.get('name', '')}])")


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _port(value: Any) -> int | None:
    return None if value is None else int(resolved(str(value)).partition("/")[0])


def _tls_ports(value: dict[str, Any]) -> Iterator[int]:
    for settings in value.values():
        port = _at(settings, "tlsPort") or _at(settings, "signalling", "tlsPort")
        if port is not None:
            yield int(resolved(str(port)).partition("/")[0].partition("-")[0])


def _split(vhost: dict[str, Any]) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    config = {key: value for key, value in vhost.items() if key != "applications"}
    return config, tuple(vhost.get("applications", ()))


def _server_id(directory: Path) -> str:
    path = directory / SERVER_ID
    with contextlib.suppress(OSError):
        found = path.read_text(encoding="utf-8").partition("\n")[0]
        if found:
            return found
    made = str(uuid.uuid4())
    with contextlib.suppress(OSError):
        path.write_text(made, encoding="utf-8")
    return made


def log_file(directory: Path) -> Path | None:
    """Return the file to which the server appends its log: in the directory that Logger.xml names; None without."""
    try:
        logger = parse(directory / LOGGER, "Logger")
    except ConfigError:
        return None
    if logger is None:
        return None
    path = child_text(logger, "Path")
    disabled = any(node.get("enabled") == "false" for node in logger.iter("File"))
    return Path(path) / LOG_FILE if os.path.isabs(path) and not disabled else None
