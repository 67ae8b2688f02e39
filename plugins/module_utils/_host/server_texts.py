# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts of the files that say how a server runs: a unit of podman or systemd, a compose file, and rules of the host."""

from __future__ import annotations

import json
import posixpath
import re
import typing as t

from .environment_files import NOTICE
from .server_place import ROOT, ServerPlace

Params = t.Mapping[str, t.Any]
_PUBLISHED = re.compile(r"([0-9-]+)((?:/(?:tcp|udp))?)\Z")


def unit(place: ServerPlace, params: Params) -> str:
    """Return the text of the file that says how the server runs."""
    texts = {"quadlet": _quadlet, "compose": _compose, "systemd": _service}
    return "\n".join([NOTICE, *texts[place.backend](place, params)]) + "\n"


def _ports(params: Params) -> list[str]:
    """Return the published ports. The host has the same ports as the container, unless one says otherwise."""
    return [_PUBLISHED.sub(r"\1:\1\2", port) if _PUBLISHED.match(port) else port for port in params["ports"]]


def _own_volumes(place: ServerPlace) -> list[str]:
    return [f"{path}:{path}:Z" for path in place.directories]


def _quadlet(place: ServerPlace, params: Params) -> list[str]:
    """Return the lines of a unit of podman (podman-systemd.unit(5))."""
    limit = params["file_limit"]
    host = params["network"] == "host"
    user, environment = params["user"], params["environment_variables"]
    return [
        "[Unit]",
        f"Description=OvenMediaEngine {params['version']}",
        "Wants=network-online.target",
        "After=network-online.target",
        "",
        "[Container]",
        f"Image={place.runs}",
        f"ContainerName={place.unit}",
        f"Exec={place.binary} -c {place.config_dir}",
        *([f"User={user}"] if user else []),
        *(["Network=host"] if host else [f"PublishPort={port}" for port in _ports(params)]),
        *([f"EnvironmentFile={place.environment_file}"] if environment else []),
        *(f"Volume={volume}" for volume in _own_volumes(place)),
        *(f"Volume={volume.replace('%', '%%').replace('$', '$$')}" for volume in params["volumes"]),
        f"PodmanArgs=--ulimit nofile={limit}:{limit}",
        "",
        "[Service]",
        "Restart=always",
        "RestartSec=2",
        "# The server ends with 1 if it does not accept its configuration.",
        "RestartPreventExitStatus=1",
        "TimeoutStartSec=300",
        "TimeoutStopSec=30",
        "",
        "[Install]",
        "WantedBy=multi-user.target",
    ]


def _service(place: ServerPlace, params: Params) -> list[str]:
    """Return the lines of a unit of systemd (systemd.service(5))."""
    user = params["user"]
    own = [f"User={user}", "AmbientCapabilities=CAP_NET_BIND_SERVICE"] if user not in ROOT[:2] else []
    return [
        "[Unit]",
        f"Description=OvenMediaEngine {params['version']}",
        "Wants=network-online.target",
        "After=network-online.target",
        "",
        "[Service]",
        "Type=exec",
        f"ExecStart={place.binary} -c {place.config_dir}",
        f"WorkingDirectory={place.data_dir}",
        *own,
        *([f"EnvironmentFile={place.environment_file}"] if params["environment_variables"] else []),
        f"LimitNOFILE={params['file_limit']}",
        "Restart=always",
        "RestartSec=2",
        "# The server ends with 1 if it does not accept its configuration.",
        "RestartPreventExitStatus=1",
        "TimeoutStopSec=30",
        "",
        "[Install]",
        "WantedBy=multi-user.target",
    ]


def _compose(place: ServerPlace, params: Params) -> list[str]:
    """Return the lines of a compose file. A text in JSON is one in YAML, too."""
    network = ["network_mode: host"]
    if params["network"] != "host":
        network = ["ports:", *(f"  - {json.dumps(port)}" for port in _ports(params))]
    volumes = [volume.replace("$", "$$") for volume in (*_own_volumes(place), *params["volumes"])]
    limit = params["file_limit"]
    service = [
        f"image: {json.dumps(place.runs)}",
        f"container_name: {json.dumps(place.unit)}",
        f"command: {json.dumps([place.binary, '-c', place.config_dir])}",
        *([f"user: {json.dumps(params['user'])}"] if params["user"] else []),
        *network,
        *(["env_file:", f"  - {json.dumps(place.environment_file)}"] if params["environment_variables"] else []),
        "volumes:",
        *(f"  - {json.dumps(volume, ensure_ascii=False)}" for volume in volumes),
        "ulimits:",
        "  nofile:",
        f"    soft: {limit}",
        f"    hard: {limit}",
        "restart: unless-stopped",
        "stop_grace_period: 30s",
        "logging:",
        "  driver: json-file",
        "  options:",
        "    max-size: 10m",
        '    max-file: "3"',
    ]
    return [f"name: {json.dumps(place.unit)}", "services:", "  server:", *(f"    {line}" for line in service)]


def buffers(params: Params) -> dict[str, int]:
    """Return the kernel settings by name, in bytes."""
    found = {f"net.core.{name}": params[name] for name in ("rmem_max", "wmem_max")}
    return {name: value for name, value in found.items() if value > 0}


def sysctl(params: Params) -> str | None:
    """Return the text of the file with kernel settings; None if there are none."""
    lines = [f"{name} = {value}" for name, value in buffers(params).items()]
    return "\n".join([NOTICE, *lines]) + "\n" if lines else None


def rule(place: ServerPlace, params: Params, *, own: bool) -> str | None:
    """Return the text of the rule of systemd-tmpfiles that removes old log files; None if all are kept.

    The server begins a new file each day, and removes none. In a directory that is not ``own``, only files that begin
    with the name of the log are removed: everything that differs in one of its characters is excluded.
    """
    if params["log_days"] <= 0:
        return None
    directory, name = place.log_dir, posixpath.basename(place.log_file)
    lines = [NOTICE, f"e {directory} - - - {params['log_days']}d"]
    if not own:
        lines.append(f"# The directory is not that of the server: only files that begin with {name} are removed.")
        lines.append(f"x {directory}/.*")
        for length, letter in enumerate(name):
            lines += [f"x {directory}/{name[:length]}"] if length else []
            lines.append(f"x {directory}/{name[:length]}[!{letter}]*")
    return "\n".join(lines) + "\n"
