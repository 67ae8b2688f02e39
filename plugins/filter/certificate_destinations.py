# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter certificate_destinations."""

from __future__ import annotations

DOCUMENTATION = r"""
name: certificate_destinations
short_description: Merge certificate files with the same destination
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.rotate_certificates#role). Finds files with the same destination, such
    as one PEM file with both the certificate and the private key, or files that several virtual hosts share.
  - Two files of one virtual host with the same destination become one. A destination of a private key gets the mode of
    the private key.
  - Two different contents for one destination are a conflict.
options:
  _input:
    description:
      - The virtual hosts, each with C(vhost) and C(files). A file has C(name) (V(chain), V(certificate) or
        V(private_key)), C(path) and C(mode).
      - C(staged) and C(checksums) are lists with the path and the checksum of the new content of each file.
    type: list
    elements: dict
    required: true
  current:
    description:
      - The current files, each with C(path), C(dev), C(inode) and C(nlink).
      - Two paths of one file, such as a link and its target, are one destination.
    type: list
    elements: dict
    required: true
"""

EXAMPLES = r"""
- name: Give each destination one mode
  ansible.builtin.set_fact:
    my_plan: "{{ (my_plan | streamops.ovenmediaengine.certificate_destinations(my_files.files)).vhosts }}"
"""

RETURN = r"""
_value:
  description:
    - C(vhosts) are the virtual hosts. Each file also has C(staged), C(checksum), C(secret) (whether it holds a private
      key) and C(destination). C(certificate_path) is the path of the certificate.
    - C(conflicts) is a list with a sentence for each destination with two different contents.
  type: dict
"""

import posixpath
import typing as t

from ansible.errors import AnsibleFilterError

_LABELS = {"chain": "the chain", "certificate": "the certificate", "private_key": "the private key"}


def certificate_destinations(vhosts: t.Any, current: t.Any) -> dict[str, t.Any]:
    """Return the virtual hosts with one file for each destination, and the conflicts."""
    for value in (vhosts, current):
        if not isinstance(value, (list, tuple)) or not all(isinstance(one, t.Mapping) for one in value):
            raise AnsibleFilterError(
                "certificate_destinations expects two lists of dictionaries: virtual hosts and files"
            )
    identities = {posixpath.normpath(one["path"]): _identity(one) for one in current}

    def identity(file: t.Mapping[str, t.Any]) -> t.Any:
        path = posixpath.normpath(file["path"])
        return identities.get(path, path)

    key_modes: dict[t.Any, str] = {}
    first: dict[t.Any, tuple[str, t.Mapping[str, t.Any]]] = {}
    conflicts = []
    for vhost in vhosts:
        for file in _files(vhost):
            destination = identity(file)
            if file["name"] == "private_key":
                key_modes[destination] = file["mode"]
            owner, other = first.setdefault(destination, (vhost["vhost"], file))
            if other["checksum"] != file["checksum"]:
                conflicts.append(_conflict(owner, other, vhost["vhost"], file))
    # A destination is named by the first path that leads to it, because device and inode mean nothing to users.
    names = {destination: posixpath.normpath(file["path"]) for destination, (_owner, file) in first.items()}
    return {"vhosts": [_merged(vhost, identity, key_modes, names) for vhost in vhosts], "conflicts": conflicts}


def _identity(current: t.Mapping[str, t.Any]) -> t.Any:
    """Return a value that is equal for two paths of the same file.

    Hard links are different files here, because replacing one leaves the others unchanged.
    """
    return (current["dev"], current["inode"]) if current["nlink"] == 1 else posixpath.normpath(current["path"])


def _files(vhost: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    return [
        {**file, "staged": staged, "checksum": checksum}
        for file, staged, checksum in zip(vhost["files"], vhost["staged"], vhost["checksums"])
    ]


def _merged(
    vhost: t.Mapping[str, t.Any],
    identity: t.Callable[[t.Any], t.Any],
    key_modes: t.Mapping[t.Any, str],
    names: t.Mapping[t.Any, str],
) -> dict[str, t.Any]:
    files: dict[t.Any, dict[str, t.Any]] = {}
    paths = {}
    for file in _files(vhost):
        destination = identity(file)
        same = {"mode": key_modes.get(destination, file["mode"]), "secret": destination in key_modes}
        kept = files.setdefault(destination, {**file, **same, "destination": names[destination]})
        paths[file["name"]] = kept["path"]
    return {**vhost, "files": list(files.values()), "certificate_path": paths["certificate"]}


def _conflict(owner: str, other: t.Mapping[str, t.Any], vhost: str, file: t.Mapping[str, t.Any]) -> str:
    if owner == vhost:
        advice = "Specify one PEM file with both as certificate and as private_key, or set different paths."
        what = f"{_LABELS[other['name']]} and {_LABELS[file['name']]} of the virtual host {vhost}"
    else:
        advice = "Specify the same file for both virtual hosts, or set different paths."
        what = (
            f"{_LABELS[other['name']]} of the virtual host {owner} and "
            f"{_LABELS[file['name']]} of the virtual host {vhost}"
        )
    return f"{what} are different files with the same destination {file['path']}. {advice}"


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"certificate_destinations": certificate_destinations}
