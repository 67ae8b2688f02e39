# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where a server is on its host: its program, its directories, and the files that say how it runs."""

from __future__ import annotations

import os
import posixpath
import pwd
import re
import typing as t

from .._core.option_names import named
from .environment_files import NOTICE
from .environment_files import problems as environment_problems
from .own_paths import directory_problems, path_problem, text_problems

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
        found = environment_problems(params["environment_variables"] or {}, self.backend) if present else []
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
