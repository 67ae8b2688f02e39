# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What runs a server, and its process: a program or an image, in a unit of systemd or by docker compose."""

from __future__ import annotations

import os
import re
import typing as t

from .._core.context import Context
from .._core.errors import OmeError, Refusal
from .._core.server_version import parse
from .._core.texts import named, shortened
from . import commands
from .commands import Ended, run

# What runs a server: podman or docker with an image, or a program of the host.

UNTOUCHED = "Nothing was changed."
_OLDEST_PODMAN = (4, 4)
_PULLS = 3
_PULL_PAUSE = 5.0  # seconds between two attempts
_LONGEST_PULL = 1800.0  # seconds
_LONGEST_SAID = 400  # characters


def _program(backend: str) -> str:
    return "podman" if backend == "quadlet" else "docker"


def check_engine(backend: str) -> None:
    """Raise Refusal if the host cannot run containers as this backend does."""
    command = ("podman", "--version") if backend == "quadlet" else ("docker", "compose", "version")
    ended = run(*command)
    found = re.search(r"[0-9]+(?:[.][0-9]+)+", ended.output)
    version = found[0] if found else "0"
    if ended.status == 0 and (backend == "compose" or _numbers(version) >= _OLDEST_PODMAN):
        return
    needed = "podman 4.4 or later" if backend == "quadlet" else "docker with its plugin compose"
    has = f"version {version}" if ended.status == 0 else "none"
    systemd = f"{named('backend')}: systemd"
    text = f"The backend {backend} needs {needed}, and this host has {has}. Install it, or set {systemd}."
    raise Refusal("look for what runs containers", text, UNTOUCHED)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def has_image(backend: str, image: str) -> bool:
    """Return whether the host has an image."""
    look = ("image", "exists", image) if backend == "quadlet" else ("image", "inspect", image)
    return run(_program(backend), *look).status == 0


def pull(backend: str, image: str, context: Context) -> None:
    """Fetch an image. Raises Refusal if that fails several times."""
    said = ""
    for attempt in range(_PULLS):
        if attempt:
            context.sleep(_PULL_PAUSE)
        ended = run(_program(backend), "pull", "--quiet", image, timeout=_LONGEST_PULL)
        if ended.status == 0:
            return
        said = shortened(ended.errors.strip(), _LONGEST_SAID)
    text = (
        f"The image {image} could not be pulled: {said} Correct {named('image_tag')} or {named('image_digest')}, "
        f"or the options {named('image')} and {named('version')}, or the access to the registry."
    )
    raise Refusal("fetch the image", text, UNTOUCHED)


def check_binary(path: str, version: str) -> None:
    """Raise Refusal if a program of the host cannot be run, or is another version."""
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        text = (
            f"{path} is no program that can be run. The backend systemd needs a binary of OvenMediaEngine {version} on "
            "the host. Install it, or correct binary."
        )
        raise Refusal("look for the program", text, UNTOUCHED)
    found = re.search(r"v?([0-9]+[.][0-9]+[.][0-9]+)", run(path, "-v").output)
    if found is not None and parse(found[1]) != parse(version):
        text = (
            f"{path} is version {found[1]}, and the option version is {version}. Install the binary of that version, "
            "or correct the option version."
        )
        raise Refusal("look for the program", text, UNTOUCHED)


def prepare(backend: str, what: str, version: str, context: Context) -> t.Callable[[], None] | None:
    """Check what is to run; return what fetches it, or None if nothing has to be fetched. Raises Refusal."""
    if backend == "systemd":
        check_binary(what, version)
        return None
    check_engine(backend)
    return None if has_image(backend, what) else lambda: pull(backend, what, context)


# The process of a server: a unit of systemd, or a container of docker compose.

ACTIVE, STARTING = ("active", "reloading"), "activating"
_LOOKS, _PAUSE = 5, 1.0  # reads of a state that changes, and seconds between two of them
_LINES = "2000"
_LONGEST_START = 600.0  # seconds; a container can need an image
_ENDED = re.compile(r"Main process exited, code=exited, status=([0-9]+)")


class StartFailed(OmeError):
    """A container that could not be started; ``said`` is what docker wrote."""

    def __init__(self, ended: Ended) -> None:
        super().__init__("host", "start the server", detail="It could not be started.")
        self.said = ended.said


class Mark(t.NamedTuple):
    """Where the logs of a start begin."""

    since: str
    """Seconds since 1970, by the clock that systemd and docker use."""
    size: int
    """Bytes of the log file."""


class Place(t.Protocol):
    """Where a server is on its host."""

    @property
    def backend(self) -> str:
        """Return what runs the server."""

    @property
    def unit(self) -> str:
        """Return the name of its unit, container or project."""

    @property
    def unit_file(self) -> str:
        """Return the path of its unit or compose file."""

    @property
    def log_file(self) -> str:
        """Return the path of its log."""


class ServerService:
    """Starts and stops a server, and says how it runs."""

    def __init__(self, place: Place, context: Context) -> None:
        self._place, self._context = place, context
        self._name = f"{place.unit}.service"
        self._compose = place.backend == "compose"

    def exists(self) -> bool:
        """Return whether systemd knows the unit."""
        return commands.properties(self._name, "LoadState")["LoadState"] not in ("not-found", "")

    def state(self) -> str:
        """Return ``active``, ``reloading``, ``activating`` (also between two attempts to start), or another state."""
        if not self._compose:
            return commands.properties(self._name, "ActiveState")["ActiveState"] or "inactive"
        if not os.path.exists(self._place.unit_file):
            return "inactive"
        return "active" if self._docker("ps", "--status", "running", "--quiet").output.strip() else "inactive"

    def stays_up(self) -> bool:
        """Return whether the process is there for some seconds. One that cannot start is there for a moment."""
        for look in range(_LOOKS):
            if look:
                self._context.sleep(_PAUSE)
            if self.state() not in ACTIVE:
                return False
        return True

    def restart(self) -> None:
        """Start the server, or start it again. Raises OmeError."""
        if self._compose:
            ended = self._docker("up", "--detach", "--quiet-pull", "--force-recreate")
            if ended.status:
                raise StartFailed(ended)
            return
        commands.forget_failure(self._name)  # systemd refuses to start a unit that has failed too often.
        commands.reload_units()
        # A start would leave a unit that waits for its next attempt as it is.
        commands.act("restart", self._name)

    def stop(self) -> None:
        """Stop the server. Raises OmeError."""
        if self._compose:
            ended = self._docker("down")
            if ended.status:
                raise OmeError("host", "stop the server", detail=ended.said)
            return
        commands.act("stop", self._name)

    def starts_with_host(self) -> bool:
        """Return whether the host starts the server. Podman and docker do by themselves."""
        if self._place.backend != "systemd":
            return True
        return commands.properties(self._name, "UnitFileState")["UnitFileState"] == "enabled"

    def start_with_host(self, *, enabled: bool) -> None:
        """Let the host start the server, or not."""
        commands.reload_units()
        commands.act("enable" if enabled else "disable", self._name)

    def forget(self) -> None:
        """Let systemd forget a unit that has no file any more."""
        if not self._compose:
            commands.reload_units()
            commands.forget_failure(self._name)

    def mark(self) -> Mark:
        """Return where the logs of a start begin."""
        try:
            size = os.stat(self._place.log_file).st_size
        except OSError:
            size = 0
        return Mark(run("date", "+%s").output.strip(), size)

    def logs(self, mark: Mark) -> list[str]:
        """Return what systemd or docker, and the log file, have got since a start."""
        if self._compose:
            unit = self._docker("logs", "--no-color", "--no-log-prefix", "--tail", _LINES, "--since", mark.since)
        else:
            more = ("--output", "cat", "--no-pager", "--quiet")
            unit = run("journalctl", "--unit", self._name, "--since", f"@{mark.since}", "--lines", _LINES, *more)
        file = run("tail", f"--bytes=+{mark.size + 1}", self._place.log_file)
        return [unit.output, file.output]

    def exit_status(self, log: str) -> str:
        """Return the status with which the process has ended since a start; empty if it has not.

        :param log: what systemd has logged since. It has each end but those with status 0.
        """
        if self._compose:
            return self._container_status()
        known = commands.properties(self._name, "ActiveState", "NRestarts", "ExecMainStatus")
        ends = _ENDED.findall(log)
        if ends:
            return str(ends[-1])
        has_ended = known["ActiveState"] not in ACTIVE or known["NRestarts"] not in ("", "0")
        return known["ExecMainStatus"] if has_ended else ""

    def _container_status(self) -> str:
        """Return the status of the container. Docker starts it again and again, and knows it only in between."""
        ended = Ended(0, "", "")
        for look in range(_LOOKS + 1):
            if look:
                self._context.sleep(_PAUSE)
            form = "{{.State.ExitCode}} {{.State.Status}}"
            ended = run("docker", "inspect", "--format", form, self._place.unit)
            if ended.status or not ended.output.strip().endswith(" running"):
                break
        found = re.match(r"([0-9]+) (?!running)", ended.output)
        return found[1] if found else ""

    def _docker(self, *command: str) -> Ended:
        project = ("--project-name", self._place.unit, "--file", self._place.unit_file)
        return run("docker", "compose", *project, *command, timeout=_LONGEST_START)


class ContainerService(ServerService):
    """A server in a container that somebody else has created, which podman or docker starts again by its name."""

    def exists(self) -> bool:
        """Return whether there is the container."""
        return self._inspect().status == 0

    def state(self) -> str:
        states = {"running": ACTIVE[0], "restarting": STARTING}
        return states.get(self._inspect().output.strip(), "inactive")

    def restart(self) -> None:
        ended = run(self._place.backend, "restart", self._place.unit, timeout=_LONGEST_START)
        if ended.status:
            raise StartFailed(ended)

    def logs(self, mark: Mark) -> list[str]:
        options = ("--tail", _LINES, "--since", mark.since)
        ended = run(self._place.backend, "logs", *options, self._place.unit)
        return [ended.output + ended.errors]

    def exit_status(self, log: str) -> str:
        ended = self._inspect("{{.State.ExitCode}}")
        return "" if self.state() in ACTIVE else ended.output.strip()

    def _inspect(self, form: str = "{{.State.Status}}") -> Ended:
        return run(self._place.backend, "container", "inspect", "--format", form, self._place.unit)
