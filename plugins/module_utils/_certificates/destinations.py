# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files with the same destination: one PEM file for certificate and key, or files that virtual hosts share."""

from __future__ import annotations

import os
import posixpath
import typing as t

from .new_files import LABELS, NewFile


class Destination(t.NamedTuple):
    """A file to put into place; ``secret`` says that it holds a private key."""

    file: NewFile
    identity: t.Hashable
    """Equal for two paths of one file."""
    secret: bool


def merged(vhosts: t.Mapping[str, t.Sequence[NewFile]]) -> tuple[dict[str, list[Destination]], list[str]]:
    """Return the files of each virtual host with one for each destination, and a sentence for each conflict.

    A destination of a private key has its mode.
    """
    key_modes = {
        identity_of(file.path): file.mode for files in vhosts.values() for file in files if file.name == "private_key"
    }
    first: dict[t.Hashable, tuple[str, NewFile]] = {}
    conflicts = []
    found: dict[str, list[Destination]] = {}
    for vhost, files in vhosts.items():
        own: dict[t.Hashable, Destination] = {}
        for file in files:
            identity = identity_of(file.path)
            owner, other = first.setdefault(identity, (vhost, file))
            if other.content != file.content:
                conflicts.append(_conflict(owner, other, vhost, file))
            file = file._replace(mode=key_modes.get(identity, file.mode))
            own.setdefault(identity, Destination(file, identity, identity in key_modes))
        found[vhost] = list(own.values())
    return found, conflicts


def identity_of(path: str) -> t.Hashable:
    """Return a value that is equal for two paths of one file.

    Hard links are different files here, because replacing one leaves the others unchanged.
    """
    try:
        there = os.stat(path)
    except OSError:
        return os.path.realpath(path)
    return (there.st_dev, there.st_ino) if there.st_nlink == 1 else posixpath.normpath(path)


def _conflict(owner: str, other: NewFile, vhost: str, file: NewFile) -> str:
    if owner == vhost:
        advice = "Specify one PEM file with both as certificate and as private_key, or set different paths."
        what = f"{LABELS[other.name]} and {LABELS[file.name]} of the virtual host {vhost}"
    else:
        advice = "Specify the same file for both virtual hosts, or set different paths."
        what = f"{LABELS[other.name]} of the virtual host {owner} and {LABELS[file.name]} of the virtual host {vhost}"
    return f"{what[:1].upper()}{what[1:]} are different files with the same destination {file.path}. {advice}"
