# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where a server is on its host, and the texts of the files that say how it runs."""

from __future__ import annotations

import json
import os
import posixpath
import pwd
import re
import typing as t

from .._core.texts import named
from .own_files import directory_problems, path_problem, text_problems

# Write files of environment variables as systemd, podman and docker compose read them.
#
# Each has rules of its own. A value that one of them would change is refused by the name of its variable, and no
# message has a value.

NOTICE = "# Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten."
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# What no reader gives a meaning without quotes.
_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,=\\-]*")
# What systemd unescapes in double quotes (systemd.exec: EnvironmentFile).
_ESCAPED = re.compile(r'(["\\`$])')


def problems(variables: t.Any, backend: str, what: str = "environment_variables") -> list[str]:
    """Return why variables cannot be those of a server; ``what`` is the option with the dictionary."""
    what = named(what)
    if not isinstance(variables, t.Mapping):
        return [f"{what} has to be a dictionary of environment variables and their values."]
    found = []
    for name, value in variables.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            found.append(f"{what}: expected names of letters, digits and '_', got {str(name)[:100]!r}.")
        elif not isinstance(value, (str, int, float)):
            found.append(f"{what}.{name}: expected a text or a number.")
        elif _CONTROL.search(text_of(value)):
            found.append(f"{what}.{name}: expected one line, without line breaks and other control characters.")
        elif backend == "compose" and _for_compose(text_of(value)) is None:
            found.append(
                f"{what}.{name}: expected no backslash at the end beside quotes, blanks, '#' or '$', which docker "
                "compose cannot read."
            )
    return found


def text_of(value: t.Any) -> str:
    """Return a value as the text that the server gets."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def render(variables: t.Mapping[str, t.Any], backend: str) -> str:
    """Return the text of a file for a backend of the module `server`, for variables without :func:`problems`."""
    quotes: dict[str, t.Callable[[str], str | None]] = {
        "systemd": _for_systemd,
        "quadlet": str,
        "compose": _for_compose,
    }
    lines = [f"{name}={quotes[backend](text_of(variables[name]))}" for name in sorted(variables)]
    return "\n".join([NOTICE, *lines]) + "\n"


def _for_systemd(value: str) -> str:
    """Return a value in double quotes, in which systemd replaces no variable."""
    escaped = _ESCAPED.sub(r"\\\1", value)
    return f'"{escaped}"'


def _for_compose(value: str) -> str | None:
    """Return a value as docker compose reads it; None if it cannot.

    In single quotes nothing is replaced, but a quote cannot be in them. In double quotes a backslash escapes. A
    backslash before the last quote would escape that.
    """
    if _PLAIN.fullmatch(value):
        return value
    if value.endswith("\\"):
        return None
    if "'" not in value:
        return f"'{value}'"
    escaped = re.sub(r'(["\\$])', r"\\\1", value)
    return f'"{escaped}"'


# Where a server is on its host: its program, its directories, and the files that say how it runs.

BACKENDS = ("quadlet", "compose", "systemd")
ROOT = ("", "root", "0")
"""Users that have no files of their own: everything is root's anyway."""
_DIRECTORIES = ("config_dir", "log_dir", "data_dir")
_PATHS = ("unit_dir", "sysctl_dir", "tmpfiles_dir", "binary")
_UNIT_DIRS = {"quadlet": "/etc/containers/systemd"}
_BINARIES = {"systemd": "/usr/bin/OvenMediaEngine"}
_LOG = "ovenmediaengine.log"
_SIGNATURE = NOTICE.partition(";")[0].lstrip("# ")


class ServerPlace:
    """The paths of a server, as the options of the module `server` say."""

    def __init__(self, params: t.Mapping[str, t.Any]) -> None:
        self._params = params
        self.backend: str = params["backend"]
        self.unit: str = params["unit"]
        self.config_dir, self.log_dir, self.data_dir = (str(params[name]) for name in _DIRECTORIES)
        self.unit_dir: str = params["unit_dir"] or _UNIT_DIRS.get(self.backend, "/etc/systemd/system")
        self.binary: str = params["binary"] or _BINARIES.get(self.backend, "/opt/ovenmediaengine/bin/OvenMediaEngine")
        self.sysctl_file = posixpath.join(params["sysctl_dir"], f"90-{self.unit}.conf")
        self.rule_file = posixpath.join(params["tmpfiles_dir"], f"{self.unit}.conf")
        self.memory = posixpath.join(self.data_dir, ".ansible")
        """The directory of what has to be remembered, for root only."""
        self.environment_file = posixpath.join(self.memory, "environment")
        self.log_file = posixpath.join((params["logger"] or {}).get("path") or self.log_dir, _LOG)

    @property
    def directories(self) -> tuple[str, str, str]:
        """The directories of the server: of its configuration, its logs, and of everything else."""
        return self.config_dir, self.log_dir, self.data_dir

    @property
    def unit_file(self) -> str:
        """The file that says how the server runs."""
        if self.backend == "compose":
            return posixpath.join(self.data_dir, "compose.yml")
        return posixpath.join(self.unit_dir, f"{self.unit}.{'container' if self.backend == 'quadlet' else 'service'}")

    @property
    def host_files(self) -> tuple[str, str, str]:
        """The files among those of the host."""
        return self.unit_file, self.sysctl_file, self.rule_file

    @property
    def runs(self) -> str:
        """What runs: the program, or the image with its tag or digest."""
        if self.backend == "systemd":
            return self.binary
        digest, tag = self._params["image_digest"], self._params["image_tag"] or f"v{self._params['version']}"
        return f"{self._params['image']}@{digest}" if digest else f"{self._params['image']}:{tag}"

    @property
    def owner(self) -> str:
        """The user who has to read the configuration. A name of an image means nothing on the host."""
        user = str(self._params["user"])
        found = re.match(r"[0-9]+", user)
        return user if self.backend == "systemd" else found[0] if found else ""

    @property
    def has_user(self) -> bool:
        """Whether :attr:`owner` is somebody else than root."""
        return self.owner not in ROOT

    @property
    def uid(self) -> int | None:
        """The ID of :attr:`owner`; None if that is root, or if the host does not know the user."""
        if not self.has_user:
            return None
        try:
            return int(self.owner) if self.owner.isdecimal() else pwd.getpwnam(self.owner).pw_uid
        except KeyError:
            return None

    def problems(self) -> list[str]:
        """Return a message for each option that a unit, a compose file or a rule cannot hold safely."""
        params, present = self._params, self._params["state"] == "present"
        own = {name: params[name] for name in _DIRECTORIES}
        paths = {name: value for name in _PATHS if (value := params[name]) is not None}
        found = problems(params["environment_variables"] or {}, self.backend) if present else []
        if present:
            links = {name: os.path.realpath(path) for name, path in own.items() if os.path.islink(path)}
            found += directory_problems(own, links, ["log_dir"])
        else:  # An earlier release can have used directories of others.
            paths.update(own)
        for name, path in paths.items():
            problem = path_problem(path)
            found += [f"{named(name)}: {problem}."] if problem is not None else []
        kinds = {
            "project" if self.backend == "compose" else "unit": "unit",
            "user" if self.backend == "systemd" else "user_and_group": "user",
            "image": "image",
            "tag": "image_tag",
            "digest": "image_digest",
            "volume": "volumes",
            "port": "ports",
        }
        for kind, option in kinds.items():
            if params[option] is not None:
                found += text_problems(kind, {option: params[option]})
        return found

    def of_others(self) -> list[str]:
        """Return those of the files of the host that exist and that this collection has not written."""
        return [path for path in self.host_files if (text := _text(path)) is not None and _SIGNATURE not in text]

    def replaced(self) -> list[str]:
        """Return those files of others that would be replaced. A unit that runs a media server is taken over."""
        return [
            path
            for path in self.of_others()
            if path != self.unit_file or "ovenmediaengine" not in (_text(path) or "").lower()
        ]


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


# Texts of the files that say how a server runs: a unit of podman or systemd, a compose file, and rules of the host.

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
