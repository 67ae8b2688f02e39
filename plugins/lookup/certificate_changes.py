# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup certificate_changes."""

from __future__ import annotations

DOCUMENTATION = r"""
name: certificate_changes
short_description: Compare new certificate files with the current ones
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.rotate_certificates#role). Compares the new files of one virtual host
    with the files in place.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  entry:
    description: The virtual host, as P(streamops.ovenmediaengine.certificate_destinations#filter) returns it.
    type: dict
    required: true
  found:
    description:
      - Files that M(ansible.builtin.find) found in the directories of the destinations, with checksums. Backups are
        among them.
    type: list
    elements: dict
    required: true
  targets:
    description: Results of M(ansible.builtin.stat) for the targets of the links among them.
    type: list
    elements: dict
    required: true
  replaced:
    description:
      - Destinations that the run has written to for other virtual hosts, each with the name of that virtual host.
    type: dict
    required: true
  restore_owner:
    description: Whether the user of the task can restore owner and group. Only root can give a file to another user.
    type: bool
    required: true
  set_owner:
    description: Whether an owner or a group is specified for the files.
    type: bool
    required: true
  backups:
    description: The variable C(ovenmediaengine_certificate_backups).
    type: int
    required: true
notes:
  - The role P(streamops.ovenmediaengine.rotate_certificates#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Find the current files
  ansible.builtin.find:
    paths: /etc/tenant-a
    get_checksum: true
  register: my_files

- name: Show which files differ
  ansible.builtin.debug:
    msg: "{{ my_changes.files | selectattr('differs') | map(attribute='path') }}"
  vars:
    my_changes: >-
      {{ lookup('streamops.ovenmediaengine.certificate_changes', entry=my_entry, found=my_files.files, targets=[],
      replaced={}, restore_owner=false, set_owner=false, backups=3) }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    files:
      description:
        - The files of the entry. Each also has C(exists), C(differs) (the content), C(due) (whether content, mode or
          owner can differ), C(was) (mode, owner and group) and C(backup) (the path of its backup).
      type: list
      elements: dict
    differ:
      description: Whether the content of a file differs.
      type: bool
    shared_with:
      description: Other virtual hosts for which this run has replaced one of the files.
      type: list
      elements: str
    had_certificate:
      description: Whether there is a certificate in place.
      type: bool
    served:
      description: Fingerprints of the certificates that the endpoints served before the rotation.
      type: list
      elements: str
    surplus_backups:
      description: Backups to remove after the rotation, so that the newest of each file remain.
      type: list
      elements: str
"""

import datetime
import posixpath
import re
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase

File = t.Mapping[str, t.Any]
_BACKUP = re.compile(r"(.*)[.][0-9]{8}T[0-9]{12}Z~", re.DOTALL)


def certificate_changes(
    entry: t.Mapping[str, t.Any],
    found: t.Sequence[File],
    targets: t.Sequence[File],
    replaced: t.Mapping[str, str],
    restore_owner: bool,
    set_owner: bool,
    backups: int,
    now: datetime.datetime,
) -> dict[str, t.Any]:
    """Return how the new files of one virtual host differ from the files in place.

    ``now`` is the time in the names of the backups, in UTC.
    """
    stats = [one["stat"] for one in targets]
    current = {
        file["path"]: file for file in (*(file for file in found if not file["islnk"]), *stats) if "path" in file
    }
    files = []
    for file in entry["files"]:
        stat = current.get(posixpath.normpath(file["path"]), {})
        differs = stat.get("checksum", "") != file["checksum"]
        was = {
            "mode": stat.get("mode", ""),
            "owner": str(stat.get("uid", "")) if restore_owner else "",
            "group": str(stat.get("gid", "")) if restore_owner else "",
        }
        due = differs or set_owner or stat["mode"] != file["mode"]
        backup = f"{file['path']}.{now:%Y%m%dT%H%M%S%fZ}~"
        files.append({**file, "exists": "path" in stat, "differs": differs, "due": due, "was": was, "backup": backup})
    destinations = {file["destination"] for file in files}
    differ = any(file["differs"] for file in files)
    coming = [posixpath.normpath(file["backup"]) for file in files if file["exists"] and file["differs"]]
    return {
        "files": files,
        "differ": differ,
        "shared_with": list(
            dict.fromkeys(vhost for destination, vhost in replaced.items() if destination in destinations)
        ),
        "had_certificate": next(file["exists"] for file in files if file["path"] == entry["certificate_path"]),
        "served": [endpoint["certificate"]["fingerprint"] for endpoint in entry["served"] if endpoint["certificate"]],
        "surplus_backups": _surplus([*(file["path"] for file in found), *coming], backups) if differ else [],
    }


def _surplus(paths: t.Iterable[str], most: int) -> list[str]:
    """Return the backups to remove, so that the newest ``most`` of each file remain.

    Their names end with their time.
    """
    by_file: dict[str, list[str]] = {}
    for path in paths:
        match = _BACKUP.fullmatch(path)
        if match:
            by_file.setdefault(match[1], []).append(path)
    return [path for names in by_file.values() for path in sorted(names)[: max(len(names) - most, 0)]]


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the changes."""
        backups = int(kwargs.pop("backups"))
        flags = {name: boolean(kwargs.pop(name), strict=False) for name in ("restore_owner", "set_owner")}
        return [
            certificate_changes(**kwargs, **flags, backups=backups, now=datetime.datetime.now(datetime.timezone.utc))
        ]
