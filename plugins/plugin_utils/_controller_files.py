# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where files on the controller are that options and variables name by relative paths: one meaning for all roles,
playbooks and execution paths.
"""

from __future__ import annotations

import os
import typing as t

from ansible.errors import AnsibleFileNotFound


def directories(variables: t.Mapping[str, t.Any]) -> list[str]:
    """Return where the user's files are, beside what Ansible itself searches: the playbook of a collection is not the
    user's.

    These are the directories of the playbook and of the inventory, and the one that the command was started in.
    """
    found = [variables.get("playbook_dir"), variables.get("inventory_dir"), os.getcwd()]
    return list(dict.fromkeys(str(directory) for directory in found if directory))


def find_in(places: t.Iterable[str], path: str) -> str | None:
    """Return the first file or directory of this name in one of the places or in ``files`` there; None if there is
    none.
    """
    candidates = (os.path.join(place, inside, path) for place in places for inside in ("files", ""))
    return next((os.path.abspath(candidate) for candidate in candidates if os.path.exists(candidate)), None)


def find(loader: t.Any, search_path: t.Sequence[str], variables: t.Mapping[str, t.Any], path: str) -> str:
    """Return the absolute path of a file or directory on the controller.

    A relative path is looked for where Ansible looks for the source of a copy, and then in :func:`directories`. What is
    found nowhere is expected beside the playbook.
    """
    path = os.path.expanduser(os.path.expandvars(path))
    if not path or os.path.isabs(path):
        return path
    try:
        return str(loader.path_dwim_relative_stack(list(search_path), "files", path))
    except AnsibleFileNotFound:
        places = directories(variables)
        return find_in(places, path) or os.path.abspath(os.path.join(places[0], path))
