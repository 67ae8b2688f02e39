# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The directory and the units of a watcher."""

from __future__ import annotations

import os
import posixpath
import pwd
import re
import stat
import typing as t

from .._core.errors import BadInput
from .own_files import is_shared

# What of a directory and of the units belongs to a watcher, and why they cannot be used.
#
# A directory is used by the watcher whose name is in ``watch.json``. Other files in it are left alone.

SETTINGS = "watch.json"
PROGRAM = "watch.py"
INVENTORY = "inventory.yml"
BACKOFF = "backoff.json"
FILES = (PROGRAM, INVENTORY, "state.json", "state.new", BACKOFF, "backoff.new", "lock", SETTINGS)
"""The settings say whose files these are, so that they are removed last."""
_NAMES = (
    re.compile(r'^  "name": "([^"]*)"', re.MULTILINE),
    re.compile(r"^Description=(?:Restore|Watch) OvenMediaEngine on (\S+)", re.MULTILINE),
)
"""Where the settings and the units name the server."""
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH
_MOST_NAMES = 5


class Place:
    """The directory and the units of the watcher of a server, as they are."""

    def __init__(self, name: str, directory: str, unit: str, unit_dir: str) -> None:
        """``name`` is that of the server, ``unit`` that of the service and the timer."""
        self._name, self._directory, self._unit, self._unit_dir = name, directory, unit, unit_dir
        try:
            self.found: os.stat_result | None = os.stat(directory)
            self._inside = os.listdir(directory) if stat.S_ISDIR(self.found.st_mode) else []
        except FileNotFoundError:
            self.found, self._inside = None, []
        self._owner = _owner_of(posixpath.join(directory, SETTINGS))
        self.own = self._owner == name
        """Whether the directory is used by this watcher."""
        self._shared = any(is_shared(one) for one in (directory, os.path.realpath(directory)))

    @property
    def units(self) -> tuple[str, str]:
        """The paths of the service and the timer."""
        service, timer = (posixpath.join(self._unit_dir, f"{self._unit}.{kind}") for kind in ("service", "timer"))
        return service, timer

    @property
    def files(self) -> list[str]:
        """The paths of the files of the watcher, in the order in which they can be removed."""
        return [posixpath.join(self._directory, one) for one in FILES if self.own and one in self._inside]

    @property
    def removable(self) -> bool:
        """Whether nothing else is in the directory, so that it can be removed after the files."""
        return self.own and not self._shared and set(self._inside) <= set(FILES)

    def check(self, user: str, inventory: str, *, present: bool) -> None:
        """Raise BadInput if the directory or the units belong to others, or to be ``present`` cannot be used.

        To remove a watcher, the files of another one are left alone.
        """
        # A watcher of an earlier release in such a directory can be removed.
        if self._shared and (present or not self.own):
            raise BadInput(
                "directory",
                f"expected one for the watcher alone, such as /var/lib/{self._unit}, got {self._directory!r}, which is "
                "a directory of the system",
            )
        if self._owner is not None and not self.own and (present or not self._owner):
            other = self._owner or "another server"
            raise BadInput(
                "directory", f"expected another one, because {self._directory} belongs to the watcher of {other}"
            )
        for path in self.units:
            owner = _owner_of(path)
            if owner not in (None, self._name):
                whose = f"belongs to the watcher of {owner}" if owner else "was not written by this collection"
                raise BadInput("unit", f"expected another one, because {path} {whose}")
        if present:
            self._check_usable(user, inventory)

    def _check_usable(self, user: str, inventory: str) -> None:
        if posixpath.normpath(inventory) == posixpath.join(posixpath.normpath(self._directory), INVENTORY):
            raise BadInput("inventory", f"expected another file, because the watcher has its own in {inventory}")
        if self.found is None:
            return
        expected = ""
        taken = [one for one in FILES if one in self._inside]
        if not stat.S_ISDIR(self.found.st_mode):
            expected = f"expected a directory, and {self._directory} is none"
        elif self.found.st_mode & _WRITABLE:
            expected = (
                f"expected one to which only its owner can write, because the watcher runs what is there; "
                f"{self._directory} has the mode {stat.S_IMODE(self.found.st_mode):04o}"
            )
        elif not self.own and self.found.st_uid != uid_of(user):
            expected = f"expected one of {user} or one that does not exist; {self._directory} belongs to another user"
        elif not self.own and taken:
            names = ", ".join(taken[:_MOST_NAMES])
            expected = f"expected no files but those of this watcher in {self._directory}, got {names}"
        if expected:
            raise BadInput("directory", expected)


def uid_of(user: str) -> int:
    """Return the ID of a user. Raises BadInput if the host does not know it."""
    try:
        return pwd.getpwuid(int(user)).pw_uid if user.isdecimal() else pwd.getpwnam(user).pw_uid
    except (KeyError, ValueError, OverflowError):
        raise BadInput("user", f"expected a user of the host, got {user!r}") from None


def _owner_of(path: str) -> str | None:
    """Return the server that a file of a watcher names; empty if it names none, None if there is no file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return next((match[1] for match in (name.search(text) for name in _NAMES) if match), "")


# The units of a watcher: a service that looks at the server once, and a timer that starts it.

_NOTICE = "# Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten.\n"
_GUIDES = "https://github.com/streamops/ansible-ovenmediaengine/blob/main/docs/docsite/rst"
_GUIDE = f"Documentation={_GUIDES}/guide_after_restart.rst\n"
_SERVICE = """\
[Unit]
Description=Restore OvenMediaEngine on {name} after a restart
{guide}After=network.target

[Service]
Type=oneshot
# systemd sets HOME, which Ansible needs, if a user is named.
User={user}
WorkingDirectory={directory}
ExecStart={python} -I {directory}/{program} {directory}
TimeoutStartSec={longest}
UMask=0077
# The playbook leaves the processor to the media server.
Nice=10
SyslogIdentifier={unit}
# From systemd 250 on, the journal has the messages of the watcher without three lines of systemd for each run.
SyslogLevel=notice
LogLevelMax=notice
"""
_TIMER = """\
[Unit]
Description=Watch OvenMediaEngine on {name}
{guide}
[Timer]
OnActiveSec=1
OnUnitInactiveSec={interval}
AccuracySec=1

[Install]
WantedBy=timers.target
"""


def service(options: t.Mapping[str, t.Any]) -> str:
    """Return the service for the options of the module `watcher`."""
    longest = options["run_timeout"] + 4 * int(options["timeout"]) + 60
    return _NOTICE + _SERVICE.format(guide=_GUIDE, program=PROGRAM, longest=longest, **options)


def timer(options: t.Mapping[str, t.Any]) -> str:
    """Return the timer for the options of the module `watcher`."""
    return _NOTICE + _TIMER.format(guide=_GUIDE, **options)
