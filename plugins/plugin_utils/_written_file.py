# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file with the variables of a server that a task writes on the controller: its place, and whether somebody has
edited it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
import time
import typing as t

_CHECKSUM = "# Checksum: "
_OF_SERVER = re.compile(
    r"^# (?:Objects|Configuration files) of the OvenMediaEngine server of (.*), as variables of the role", re.MULTILINE
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MOST_SHOWN = 60
_LONGEST_LIST = 800  # characters
SECRETS = (
    "",
    "# Secrets",
    "# -------",
    "# Define these in another file, such as secrets.yml, one after the other with",
    "#   ansible-vault encrypt_string --stdin-name NAME >> secrets.yml",
)
"""The lines before the list of secrets."""


class Found(t.NamedTuple):
    """The file that is there."""

    text: str | None
    """None if there is none."""

    @property
    def edited(self) -> bool:
        """Whether somebody has edited it.

        Its last line is a checksum of the lines before it. If that is correct, nobody has added a secret, and a diff
        can show the text.
        """
        lines, _mark, checksum = (self.text or "").rpartition(_CHECKSUM)
        return self.text is not None and f"{_sha256(lines)}\n" != checksum

    @property
    def server(self) -> str:
        """Return the name of the server that it is of; empty if it is of none."""
        found = _OF_SERVER.search(self.text or "")
        return found[1] if found else ""


def place_of(name: str, file: str) -> tuple[str, str]:
    """Return the absolute path of a file, without links, and a sentence about why it must not be written.

    ``name`` is that of the server in the inventory. One of both is empty.
    """
    shown = repr(name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}...")
    if _CONTROL.search(name):
        return "", f"The name of the server in the inventory, {shown}, has a control character. Rename the server."
    if name in file and ("/" in name or name == ".."):
        return "", (
            f"The name of the server in the inventory, {shown}, would change the directory of the file. Rename the "
            "server, or choose a file without its name."
        )
    return os.path.realpath(os.path.expanduser(file)), ""


def read(path: str) -> Found:
    """Return the file that is there. Raises OSError if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return Found(file.read())
    except FileNotFoundError:
        return Found(None)


def write(path: str, text: str, mode: int | None, found: Found) -> str:
    """Write the file as a whole; return the path of the copy of the old one, empty without one. Raises OSError, also if
    another process has made the file since it was found missing.

    :param mode: None keeps that of the old file; a new one has that of the system.
    :param found: the old file. One that was edited is kept, under its name with the time.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    copy = ""
    if found.edited:
        copy = f"{path}.{time.strftime('%Y-%m-%d@%H:%M:%S~')}"
        os.link(path, copy)
    descriptor, temporary = tempfile.mkstemp(dir=folder)
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            os.fchmod(descriptor, _usual_mode(path) if mode is None else mode)
            file.flush()
            os.fsync(descriptor)
        if found.text is None:
            os.link(temporary, path)
        else:
            os.replace(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
    return copy


def _usual_mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def title(what: str, server: str, roles: str) -> str:
    """Return the line that says whose variables these are; a later run reads it."""
    return f"# {what} of the OvenMediaEngine server of {server}, as variables of the {roles}."


def with_checksum(lines: t.Iterable[str]) -> str:
    """Return lines as the text of the file; a line can have several."""
    text = "\n".join([*lines, "", ""])
    return f"{text}{_CHECKSUM}{_sha256(text)}\n"


def of_secrets(secrets: t.Iterable[t.Mapping[str, str]]) -> list[str]:
    """Return the lines that say which secrets there are: ``name`` of the variable, and ``where`` the secret is."""
    return [line for one in secrets for line in ("#", f"# {one['where']}", f"# {one['name']}: !vault |")]


def shortened_list(names: t.Iterable[str]) -> str:
    """Return names as a text of at most :data:`_LONGEST_LIST` characters."""
    text = ", ".join(names)
    return text if len(text) <= _LONGEST_LIST else f"{text[: _LONGEST_LIST - 3]}..."


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
