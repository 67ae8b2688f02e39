# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What runs a server: podman or docker with an image, or a program of the host."""

from __future__ import annotations

import os
import re
import typing as t

from .._core.context import Context
from .._core.errors import Refusal
from .._core.option_names import named
from .._core.server_version import parse
from .._core.texts import shortened
from .commands import run

UNTOUCHED = "Nothing was changed."
_OLDEST_PODMAN = (4, 4)
_PULLS = 3
_PAUSE = 5.0  # seconds between two attempts
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
            context.sleep(_PAUSE)
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
