# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file that the module `export` writes on the controller: its text, whether somebody has edited it, its place."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
import time
import typing as t

_BEGIN = "# Objects of the OvenMediaEngine server of "
_CHECKSUM = "# Checksum: "
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_MOST_SHOWN = 60
_LONGEST_LIST = 800  # characters
_OPTIONAL = {
    "streams": "streams",
    "scheduled_channels": "scheduled channels",
    "multiplex_channels": "multiplex channels",
    "records": "recordings",
}


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
        found = re.search(rf"^{re.escape(_BEGIN)}(.*), as variables of the role ", self.text or "", re.MULTILINE)
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


def text_of(exported: t.Mapping[str, t.Any], server: str) -> str:
    """Return the text of the file for what :func:`export_variables` has returned."""
    lines = [
        "---",
        f"{_BEGIN}{server}, as variables of the role streamops.ovenmediaengine.provision.",
        "#",
        "# The role streamops.ovenmediaengine.export wrote this file, and replaces it in its next run. It contains no "
        "secrets: variables whose names",
        "# begin with ovenmediaengine_secret_ stand for them. Define those at the end of this file in a file of their "
        "own.",
    ]
    if exported["unmanaged_fields"]:
        lines += [
            "#",
            "# NOT WRITTEN, because the collection does not know these fields. Another server would lack them:",
            *(f"#   virtual host {name}: {', '.join(fields)}" for name, fields in exported["unmanaged_fields"].items()),
        ]
    for kind in ("vhosts", "applications", "push_tasks"):
        lines += ["", exported[kind]]
    if exported["counts"].get("streams"):
        lines += [
            "",
            "# The server reports only the URL that it pulls from at present, and no options such as persistent. Add "
            "the other URLs and the options.",
            exported["streams"],
        ]
    for kind in ("scheduled_channels", "multiplex_channels", "records"):
        if exported["counts"].get(kind):
            lines += ["", exported[kind]]
    if exported["left_out"]:
        lines += ["", "# Left out", "# --------", "# Objects of the server that provision must not create."]
        for entry in exported["left_out"]:
            lines += ["#", f"# {entry['what']}: {entry['reason']}"]
            lines += [f"#   {line}" for line in entry["text"].splitlines()]
    if exported["secrets"]:
        lines += [
            "",
            "# Secrets",
            "# -------",
            "# Define these in another file, such as secrets.yml, one after the other with",
            "#   ansible-vault encrypt_string --stdin-name NAME >> secrets.yml",
            "# or all of them in one file with ansible-vault create. Until all are defined, provision fails before it "
            "sends a request.",
            "# Percent-encode values in URLs if necessary.",
        ]
        for secret in exported["secrets"]:
            lines += ["#", f"# {secret['where']}", f"# {secret['name']}: !vault |"]
    text = "\n".join([*lines, "", ""])
    return f"{text}{_CHECKSUM}{_sha256(text)}\n"


def summary_of(exported: t.Mapping[str, t.Any], file: str, *, predicted: bool) -> dict[str, t.Any]:
    """Return what a result says of an export; ``predicted`` means that check mode would write the file."""
    counts = exported["counts"]
    secrets = [secret["name"] for secret in exported["secrets"]]
    left_out = [entry["what"] for entry in exported["left_out"]]
    fields = [f"{', '.join(names)} of virtual host {vhost}" for vhost, names in exported["unmanaged_fields"].items()]
    parts = [
        f"virtual hosts: {counts['vhosts']}",
        f"applications: {counts['applications']}",
        f"push tasks: {counts['push_tasks']}",
        *(f"{title}: {counts[kind]}" for kind, title in _OPTIONAL.items() if counts.get(kind)),
        f"secrets to fill in: {len(secrets)}",
        f"left out: {_cut(left_out) or 'nothing'}",
    ]
    if fields:
        parts.append(f"not known and not written: {_cut(fields)}")
    return {
        "file": file,
        **{kind: counts[kind] for kind in ("vhosts", "applications", "push_tasks")},
        **{kind: counts.get(kind, 0) for kind in _OPTIONAL},
        "secrets": secrets,
        "left_out": left_out,
        "unmanaged_fields": exported["unmanaged_fields"],
        "line": ("Check mode, this would be written: " if predicted else "") + "; ".join(parts),
    }


def _cut(names: t.Iterable[str]) -> str:
    """Return the names as a text of at most :data:`_LONGEST_LIST` characters."""
    text = ", ".join(names)
    return text if len(text) <= _LONGEST_LIST else f"{text[: _LONGEST_LIST - 3]}..."


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
