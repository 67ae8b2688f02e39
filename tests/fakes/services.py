# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Units of systemd, quadlets of podman and files of docker compose, as far as they say how the server runs."""

from __future__ import annotations

import re
import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml

_ALWAYS = ("always", "unless-stopped")


class Unusable(Exception):
    """A file that the program which reads it would refuse."""


@dataclass
class Service:
    """How a server is run."""

    command: list[str]
    """Program and arguments; in a container, what the file puts in place of the image's own command."""
    image: str | None = None
    container: str | None = None
    volumes: list[list[str]] = field(default_factory=list)
    """Pairs of the directory of the host and that in the container."""
    ports: list[str] | None = None
    """Published ports; None if the container has the network of the host."""
    restart: str = "no"
    waits_between_starts: bool = False
    """Whether it waits so long that nothing gives up: ``RestartSec`` of a second or more, and docker."""
    prevent: list[int] = field(default_factory=list)
    """Exit statuses after which nothing starts the server again."""
    directory: str | None = None
    description: str = ""
    wanted: bool = False
    """Whether it has an ``[Install]`` section."""
    oneshot: bool = False
    """Whether a start waits for the end of the program."""
    user: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return what JSON can carry."""
        return asdict(self)

    def restarts_after(self, status: int) -> bool:
        """Return whether it is started again after an exit status."""
        if status in self.prevent:
            return False
        return self.restart in _ALWAYS or (self.restart == "on-failure" and status != 0)


def unit(text: str) -> Service:
    """Return what a unit file or a quadlet says. :raises Unusable: it has no program or no image."""
    sections = _sections(text)
    service = sections.get("Service", {})
    made = Service(
        command=[],
        restart=_last(service, "Restart", "no"),
        waits_between_starts=float(_last(service, "RestartSec", "0.1")) >= 1,
        prevent=[int(status) for status in _last(service, "RestartPreventExitStatus").split()],
        directory=_last(service, "WorkingDirectory") or None,
        description=_last(sections.get("Unit", {}), "Description"),
        wanted="WantedBy" in sections.get("Install", {}),
        oneshot=_last(service, "Type") == "oneshot",
        user=_last(service, "User"),
    )
    container = sections.get("Container")
    if container is None:
        made.environment = _environment(service.get("EnvironmentFile", []), r'"((?:[^"\\]|\\.)*)"')
        made.command = shlex.split(_last(service, "ExecStart"))
        if not made.command:
            raise Unusable("Service has no ExecStart=, ExecStop=, or SuccessAction=. Refusing.")
        return made
    made.image = _last(container, "Image")
    if not made.image:
        raise Unusable("no Image or Rootfs key specified")
    made.command = shlex.split(_last(container, "Exec"))
    made.environment = _environment(container.get("EnvironmentFile", []))
    made.container = _last(container, "ContainerName")
    # systemd replaces %x and $x.
    made.volumes = [_volume(text.replace("%%", "%").replace("$$", "$")) for text in container.get("Volume", [])]
    made.ports = None if _last(container, "Network") == "host" else list(container.get("PublishPort", []))
    return made


def description(text: str) -> str:
    """Return the description of a unit."""
    return _last(_sections(text).get("Unit", {}), "Description")


def check_timer(text: str) -> None:
    """Check the file of a timer. :raises Unusable: it never elapses."""
    if not any(key.startswith("On") for key in _sections(text).get("Timer", {})):
        raise Unusable("Timer unit lacks value setting. Refusing.")


def compose(path: Path) -> tuple[str, dict[str, Service]]:
    """Return the name of a project and its services. :raises Unusable: compose would refuse the file."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise Unusable(f"open {path}: no such file or directory") from error
    except yaml.YAMLError as error:
        raise Unusable(f"yaml: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("services"), dict):
        raise Unusable("empty compose file")
    name = content.get("name") or path.parent.name
    return name, {key: _compose_service(name, key, value) for key, value in content["services"].items()}


def _compose_service(project: str, key: str, value: dict[str, Any]) -> Service:
    if not value.get("image"):
        raise Unusable(f'service "{key}" has neither an image nor a build context specified')
    command = value.get("command") or []
    return Service(
        command=shlex.split(command) if isinstance(command, str) else [str(part) for part in command],
        image=value["image"],
        container=value.get("container_name") or f"{project}-{key}-1",
        volumes=[_volume(text.replace("$$", "$")) for text in value.get("volumes") or []],
        ports=None if value.get("network_mode") == "host" else [str(port) for port in value.get("ports") or []],
        environment=_environment(value.get("env_file") or [], r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\""),
        restart=str(value.get("restart", "no")),
        waits_between_starts=True,
        wanted=True,
    )


def _environment(files: list[str], quoted: str = "") -> dict[str, str]:
    """Return the variables of files. :raises Unusable: one is missing.

    :param quoted: the expression of a value in quotes, whose last group has escapes; without it, nothing is quoted.
    """
    found: dict[str, str] = {}
    for file in files:
        try:
            lines = Path(file).read_text(encoding="utf-8").splitlines()
        except FileNotFoundError as error:
            raise Unusable(f"env file {file} not found: stat {file}: no such file or directory") from error
        for name, _equals, value in (line.partition("=") for line in lines if not line.startswith("#")):
            match = re.fullmatch(quoted, value) if quoted else None
            escaped = match and match[match.re.groups] is not None
            found[name] = (
                re.sub(r"\\(.)", r"\1", match[match.re.groups]) if match and escaped else match[1] if match else value
            )
    return found


def _sections(text: str) -> dict[str, dict[str, list[str]]]:
    found: dict[str, dict[str, list[str]]] = {}
    section: dict[str, list[str]] = {}
    for line in text.replace("\\\n", " ").splitlines():
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("[") and line.endswith("]"):
            section = found.setdefault(line[1:-1], {})
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise Unusable(f"Missing '=', ignoring line: {line}")
        if value.strip():
            section.setdefault(key.strip(), []).append(value.strip())
        else:
            section.pop(key.strip(), None)
    return found


def _last(section: dict[str, list[str]], key: str, default: str = "") -> str:
    return section.get(key, [default])[-1]


def _volume(text: str) -> list[str]:
    return text.split(":")[:2]
