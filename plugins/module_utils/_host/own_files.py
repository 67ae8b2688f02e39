# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files and directories that belong to a program on its host: what differs, and what may be written."""

from __future__ import annotations

import contextlib
import os
import posixpath
import re
import stat
import typing as t

from .._config.atomic_files import UNCHANGED_ID, Access, replace
from .._core.server_version import NEWEST, show
from .._core.texts import named

# Check what roles put on a host: directories of their own, and texts of units and compose files.
#
# A role removes what it has made. A directory that it shares with others is therefore never its own. A text with a line
# break would become another setting of a unit, and a path with a blank two arguments.

# Directories of the Filesystem Hierarchy Standard, of systemd and of container engines, by the one that has them.
_SHARED_IN = {
    "": "afs etc home media mnt nix opt private root snap srv tmp usr var",
    "/etc": "containers containers/systemd cron.d default init.d logrotate.d opt pki profile.d security ssh ssl "
    "ssl/certs ssl/private sudoers.d sysctl.d systemd systemd/system tmpfiles.d udev",
    "/usr": "etc games include lib lib64 libexec local local/etc local/lib local/share local/src local/var share src",
    "/var": "backups cache crash db empty games lib lib/containers lib/docker lib/systemd local lock log log/journal "
    "mail opt run spool tmp www",
}
_SHARED = {f"{parent}/{name}" for parent, names in _SHARED_IN.items() for name in names.split()}
# Nothing below them belongs to a role. What is in /run is lost at a reboot.
_TREES_IN = {
    "": "bin boot dev lib lib32 lib64 lost+found proc run sbin sys",
    "/usr": "bin sbin local/bin local/sbin",
}
_SHARED_TREES = [f"{parent}/{name}" for parent, names in _TREES_IN.items() for name in names.split()]
_HOME = re.compile(r"/home/[^/]+")
# Neither a unit, a compose file, a rule of systemd-tmpfiles nor a shell gives these characters a meaning.
_PATH = re.compile(r"/[\w./@+=-]*")
_TEXTS = {
    "unit": (r"[A-Za-z0-9][A-Za-z0-9_.-]{0,199}", "ASCII letters, digits and '_.-', with a letter or digit first"),
    "project": (
        r"[a-z0-9][a-z0-9_-]{0,199}",
        "lower-case ASCII letters, digits, '_' and '-', which docker compose needs",
    ),
    "user": (r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*\$?)?", "the name or number of a user"),
    "user_and_group": (r"(?:[A-Za-z0-9_][\w.-]*(?::[A-Za-z0-9_][\w.-]*)?)?", "USER or USER:GROUP, names or numbers"),
    "image": (r"[A-Za-z0-9][A-Za-z0-9._:/-]*", "an image such as registry.example.com/ome"),
    "tag": (r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", f"a tag such as v{show(NEWEST)}"),
    "digest": (r"(?:[a-z0-9]+(?:[+._-][a-z0-9]+)*:[0-9a-f]{32,})?", "a digest such as sha256:0123…"),
    "version": (r"[0-9]+[.][0-9]+[.][0-9]+", f"a complete version such as {show(NEWEST)}"),
    "port": (
        r"(?:(?:[0-9A-Za-z.-]+:|\[[0-9a-f:.]+\]:)?[0-9]+(?:-[0-9]+)?:)?[0-9]+(?:-[0-9]+)?(?:/(?:tcp|udp))?",
        "a port or a range of ports, such as 1935/tcp, 10000-10003/udp or 127.0.0.1:8081:8081/tcp",
    ),
    "volume": (
        r"[\w./@+= $%~-]+:/[\w./@+= $%~-]*(?::[A-Za-z0-9,=_-]+)?",
        "SOURCE:DESTINATION or SOURCE:DESTINATION:OPTIONS, without quotes and line breaks",
    ),
}
"""The kinds of texts: the expression that a whole text has to match, and what it expects."""


def is_shared(path: str) -> bool:
    """Return whether others have files in a directory by convention, such as ``/var/log``."""
    real = posixpath.normpath("/" + path.lstrip("/"))
    return (
        real == "/"
        or real in _SHARED
        or _HOME.fullmatch(real) is not None
        or any(real == tree or real.startswith(f"{tree}/") for tree in _SHARED_TREES)
    )


def path_problem(path: t.Any) -> str | None:
    """Return why a path cannot be used in a unit, a rule or a command; None if it can."""
    if not isinstance(path, str) or not path.startswith("/") or path.startswith("//"):
        return "has to be an absolute path"
    if not _PATH.fullmatch(path):
        return "has to be a path of letters, digits and '._@+=-' only, because it is in a unit"
    return None if ".." not in path.split("/") else "has to be a path without '..'"


def directory_problems(
    own: t.Mapping[str, t.Any], targets: t.Mapping[str, str] | None = None, cleaned: t.Collection[str] = ()
) -> list[str]:
    """Return why directories cannot be those of a role, each with the name of its variable.

    :param own: the paths by variable; each has to be a directory of its own. :param targets: where those that are links
    lead to on the host. :param cleaned: variables of those whose old files are removed.
    """
    problems, real = [], {}
    for name, path in own.items():
        problem = path_problem(path)
        if problem is None:
            real[name] = posixpath.normpath((targets or {}).get(name) or path)
            if is_shared(real[name]):
                problem = f"is {real[name]}, which others use, too; set a directory of its own below it"
        if problem is not None:
            problems.append(f"{named(name)} {problem}.")
    names = list(real)
    for index, name in enumerate(names):
        for other in names[index + 1 :]:
            if real[name] == real[other]:
                problems.append(f"{named(name)} and {named(other)} are the same directory, {real[name]}; set two.")
    for name in cleaned:
        for other in names:
            if name in real and real[other].startswith(f"{real[name]}/"):
                problems.append(
                    f"{named(other)} is inside of {named(name)}, whose old files are removed; set one outside of it."
                )
    return problems


def text_problem(kind: str, value: t.Any) -> str:
    """Return what is expected of a text of a kind of :data:`_TEXTS`; empty if it is as expected."""
    pattern, expected = _TEXTS[kind]
    return "" if re.fullmatch(pattern, str(value)) else expected


def text_problems(kind: str, values: t.Mapping[str, t.Any]) -> list[str]:
    """Return why texts of a kind of :data:`_TEXTS`, or lists of them, cannot be used, by the names of variables."""
    problems = []
    for name, value in values.items():
        for index, one in enumerate(value if isinstance(value, (list, tuple)) else [value]):
            expected = text_problem(kind, one)
            if expected:
                where = f"{name}[{index}]" if isinstance(value, (list, tuple)) else name
                problems.append(f"{named(where)}: expected {expected}.")
    return problems


# Files of a program on its host: what differs, and how it is put into place.

CREATED, CHANGED, REMOVED = "created", "changed", "removed"


class OwnFile(t.NamedTuple):
    """A file as it is to be."""

    path: str
    text: str | None
    """None for a file that is not to be there."""
    mode: int = 0o644
    uid: int = UNCHANGED_ID
    secret: bool = False
    """Whether no diff may show the text."""

    def state(self) -> str:
        """Return what has to be done: :data:`CREATED`, :data:`CHANGED` or :data:`REMOVED`; empty for nothing."""
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            return "" if self.text is None else CREATED
        if self.text is None:
            return REMOVED
        same = stat.S_IMODE(there.st_mode) == self.mode and self.uid in (UNCHANGED_ID, there.st_uid)
        return "" if same and _read(self.path) == self.text.encode() else CHANGED

    def place(self) -> None:
        """Write it as a whole, or remove it."""
        if self.text is None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)
            return
        replace(self.path, self.text.encode(), Access(self.mode, self.uid, UNCHANGED_ID), lambda: None)

    def shown(self) -> tuple[str, str]:
        """Return what a diff shows of it: before and after."""
        old = _read(self.path)
        if not self.secret:
            return "" if old is None else old.decode("utf-8", "replace"), self.text or ""
        before = "" if old is None else f"mode {stat.S_IMODE(os.stat(self.path).st_mode):04o}"
        if self.text is None:
            return before, ""
        return before, f"mode {self.mode:04o}" + (", new content" if old != self.text.encode() else "")


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
