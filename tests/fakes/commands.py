# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the fakes share: arguments, errors, and the way from a service to the server's process."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence

from . import running
from .services import Service
from .store import Store

EXIT_UNKNOWN = 64
"""A fake was asked for what it does not know."""
EXIT_NO_PROGRAM = 126
"""The container engine cannot run the program of a container."""
_NO_PROGRAM = (
    "Error: crun: executable file `{program}` not found in $PATH: No such file or directory: OCI runtime error"
)
SERVER = "OvenMediaEngine"
Command = Callable[[Store, list[str]], int]


class Failure(Exception):
    """A command that fails.

    :param text: what it says on standard error. :param status: its exit status.
    """

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


def unknown(program: str, argv: Sequence[str]) -> Failure:
    """Return the failure of a fake that does not know what it is asked for."""
    return Failure(f"the fake of {program} does not know: {' '.join(argv)}", EXIT_UNKNOWN)


def say(*lines: str) -> None:
    """Print lines."""
    for line in lines:
        print(line)


def complain(text: str) -> None:
    """Print a line to standard error."""
    print(text, file=sys.stderr)


def options(argv: list[str], with_value: Sequence[str] = ()) -> tuple[dict[str, list[str]], list[str]]:
    """Split arguments into options, each with its values, and the others.

    :param with_value: the options that take a value, which can follow a space or ``=``.
    """
    found: dict[str, list[str]] = {}
    others: list[str] = []
    rest = iter(argv)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if not argument.startswith("-") or argument == "-":
            others.append(argument)
        elif name in with_value:
            found.setdefault(name, []).append(value if equals else next(rest, ""))
        elif argument[:2] in with_value and not argument.startswith("--"):
            found.setdefault(argument[:2], []).append(argument[2:])
        else:
            found.setdefault(name, []).append(value)
    return found, others


def line_count(found: dict[str, list[str]], *names: str) -> int | None:
    """Return the number of lines that an option asks for; None for all."""
    values = [value for name in names for value in found.get(name, [])]
    return int(values[-1]) if values and values[-1] != "all" else None


def since(found: dict[str, list[str]], *names: str) -> float:
    """Return the seconds since the epoch of an option such as ``--since``, which also takes ``@SECONDS``; 0 for all."""
    values = [value for name in names for value in found.get(name, [])]
    return float(values[-1].removeprefix("@")) if values else 0.0


def version_of(store: Store, reference: str) -> str | None:
    """Return the version of an image that can be pulled; None if the registry does not have it."""
    state = store.read()
    known = state["registry"].get(reference)
    if known is not None:
        return str(known)
    name, _slash, last = reference.rpartition("/")
    if "@" in last:
        return None
    tag = last.partition(":")[2] or "latest"
    match = re.fullmatch(r"v?(\d+\.\d+\.\d+)", tag)
    version = state["versions"][0] if tag == "latest" else match.group(1) if match else ""
    return version if version in state["versions"] else None


def start_container(store: Store, name: str, service: Service) -> None:
    """Start a server in a container; its image is there. :raises Failure: it is not."""
    image = service.image or ""
    if service.command and not service.command[0].endswith(SERVER):
        store.mark_start(name)
        raise Failure(_NO_PROGRAM.format(program=service.command[0]), EXIT_NO_PROGRAM)
    version = store.read()["images"].get(image)
    if version is None:
        raise Failure(f"Error: {image}: image not known", 125)
    command = [part for part in service.command if not part.endswith((SERVER, "ome_launcher.sh"))]
    environment = {
        "FAKES_VERSION": version,
        "FAKES_VOLUMES": json.dumps(service.volumes),
        "FAKES_PORTS": json.dumps(service.ports),
    }
    command = [str(store.bin_dir / SERVER), *(command or ["-c", "/opt/ovenmediaengine/bin/origin_conf"])]
    with store.change() as state:
        state["runs"][name] = {"image": image, "container": service.container or name}
    running.start(store, name, service, command, environment)
