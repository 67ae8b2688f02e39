# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_certificates."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_certificates
short_description: List the certificates that virtual hosts should serve
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Converts the variables of the role P(streamops.ovenmediaengine.rotate_certificates#role) to the option
    O(streamops.ovenmediaengine.audit_info#module:certificates).
  - Reads files on the controller and returns their fingerprints. If a file cannot be read, returns its name.
  - If there are endpoints, adds the virtual hosts with TLS that have no entry, so that the audit checks how long their
    certificates are valid.
positional: _input, endpoints, vhosts
options:
  _input:
    description: The variable C(ovenmediaengine_certificates).
    type: raw
    required: true
  endpoints:
    description: The variable C(ovenmediaengine_certificate_endpoints).
    type: raw
    default: []
  vhosts:
    description: The variable C(ovenmediaengine_vhosts).
    type: raw
    default: []
  remote:
    description: Whether the files are on the media server, the variable C(ovenmediaengine_certificates_remote_src).
    type: raw
    default: false
  directory:
    description:
      - Directory of relative paths on the controller. Its subdirectory C(files) is searched first.
      - A list of directories is searched in order.
    type: raw
    default: .
seealso:
  - module: streamops.ovenmediaengine.audit_info
"""

EXAMPLES = r"""
- name: Compare the certificates that are served
  streamops.ovenmediaengine.audit_info:
    certificates: >-
      {{ [{'vhost': 'tenant-a', 'certbot_live': '/etc/letsencrypt/live/live.tenant-a.example.com'}]
      | streamops.ovenmediaengine.audit_certificates([{'port': 3334}]) }}
"""

RETURN = r"""
_value:
  description:
    - The entries. An input that is not a list of dictionaries is returned unchanged, because the module reports it.
  type: list
  elements: dict
"""

import os
import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import CertificateError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.pem_files import read_pem_certificates


def audit_certificates(
    entries: t.Any,
    endpoints: t.Any = (),
    vhosts: t.Any = (),
    remote: t.Any = False,
    directory: str | t.Sequence[str] = ".",
) -> t.Any:
    """Return the entries for the option ``certificates`` of the module audit_info."""
    if not _are_dictionaries(entries):
        return entries
    made = []
    for entry in entries:
        one = {"vhost": entry.get("vhost"), "endpoint": entry.get("endpoints", endpoints)}
        path = entry.get("certificate") or (
            os.path.join(str(entry["certbot_live"]), "cert.pem") if entry.get("certbot_live") else None
        )
        if path is not None:
            one.update({"certificate": path} if boolean(remote, strict=False) else _expected(str(path), directory))
        made.append(one)
    listed = {one["vhost"] for one in made}
    if endpoints and _are_dictionaries(vhosts):
        for vhost in vhosts:
            if (
                vhost.get("name") not in listed
                and isinstance(vhost.get("host"), t.Mapping)
                and vhost["host"].get("tls")
            ):
                made.append({"vhost": vhost.get("name"), "endpoint": endpoints})
    return made


def _are_dictionaries(value: t.Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, t.Mapping) for item in value)


def _expected(path: str, directory: str | t.Sequence[str]) -> dict[str, str]:
    """Return the fingerprint of a certificate on the controller, or the name of a file that cannot be read."""
    path = os.path.expanduser(path)
    places = [directory] if isinstance(directory, str) else [str(place) for place in directory if place]
    for place in (os.path.join(place, inside, path) for place in places for inside in ("files", "")):
        try:
            return {"fingerprint": read_pem_certificates(place)[0].fingerprint}
        except CertificateError:
            continue
    return {"certificate": path}


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"audit_certificates": audit_certificates}
