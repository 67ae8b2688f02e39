# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find files on the controller that options and variables name by relative paths.

Roles, playbooks and both execution paths use it, so that a path means the same everywhere.
"""

from __future__ import annotations

import os
import typing as t

from ansible.errors import AnsibleError, AnsibleFileNotFound


def directories(variables: t.Mapping[str, t.Any]) -> list[str]:
    """Return the user's directories: those of the playbook and of the inventory, and the current one.

    Ansible does not search them all: if the playbook is one of a collection, its directory is not the user's.
    """
    found = [variables.get("playbook_dir"), variables.get("inventory_dir"), os.getcwd()]
    return list(dict.fromkeys(str(directory) for directory in found if directory))


def find_in(places: t.Iterable[str], path: str) -> str | None:
    """Return the first file or directory at this path in a place or in ``files`` inside of it; None if none exists."""
    candidates = (os.path.join(place, inside, path) for place in places for inside in ("files", ""))
    return next((os.path.abspath(candidate) for candidate in candidates if os.path.exists(candidate)), None)


def find(loader: t.Any, search_path: t.Sequence[str], variables: t.Mapping[str, t.Any], path: str) -> str:
    """Return the absolute path of a file or directory on the controller.

    A relative path is searched in the directories in which Ansible searches the source of a copy, and then in
    :func:`directories`. If it exists in none of them, return its path beside the playbook.
    """
    path = os.path.expanduser(os.path.expandvars(path))
    if not path or os.path.isabs(path):
        return path
    try:
        return str(loader.path_dwim_relative_stack(list(search_path), "files", path))
    except AnsibleFileNotFound:
        places = directories(variables)
        return find_in(places, path) or os.path.abspath(os.path.join(places[0], path))


class Unreadable(Exception):
    """A file that cannot be read; its text is the reason, without a full stop."""


def content_of(loader: t.Any, path: str) -> bytes:
    """Return what a file on the controller holds, decrypted if ansible-vault has encrypted it. Raises Unreadable."""
    try:
        with open(path, "rb"):
            pass  # The loader has other words for a file that is missing, and none for one that is closed to the user.
        with open(loader.get_real_file(path), "rb") as file:
            return file.read()
    except OSError as error:
        raise Unreadable(error.strerror or type(error).__name__) from None
    except AnsibleError as error:
        raise Unreadable(str(error).rstrip(".")) from None
