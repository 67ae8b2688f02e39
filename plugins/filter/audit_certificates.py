# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_certificates."""

from __future__ import annotations

DOCUMENTATION = r"""
name: audit_certificates
short_description: The certificates that should be served, for an audit
version_added: 0.2.0
author:
  - StreamOps (@streamops)
description:
  - Takes the variables of the role P(streamops.ovenmediaengine.rotate_certificates#role), and returns what
    O(streamops.ovenmediaengine.audit_info#module:certificates) takes.
  - Files on the controller are read here, and compared by their fingerprints. One that cannot be read is handed on by its name.
  - Virtual hosts that have TLS and no entry of their own are looked at as well, where there are endpoints, for how long their certificates are valid.
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
    description: Where relative names of files on the controller begin, in C(files) of it or in itself. A list of directories is searched in its order.
    type: raw
    default: .
seealso:
  - module: streamops.ovenmediaengine.audit_info
"""

EXAMPLES = r"""
- name: Look at what is served
  streamops.ovenmediaengine.audit_info:
    certificates: >-
      {{ [{'vhost': 'tenant-a', 'certbot_live': '/etc/letsencrypt/live/live.tenant-a.example.com'}]
      | streamops.ovenmediaengine.audit_certificates([{'port': 3334}]) }}
"""

RETURN = r"""
_value:
  description: The entries. What is no list of dictionaries is returned as it is, for the module to refuse.
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
    """What should be served where."""
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
    """The fingerprint of the file on the controller, or its name."""
    path = os.path.expanduser(path)
    places = [directory] if isinstance(directory, str) else [str(place) for place in directory if place]
    for place in (os.path.join(place, inside, path) for place in places for inside in ("files", "")):
        try:
            return {"fingerprint": read_pem_certificates(place)[0].fingerprint}
        except CertificateError:
            continue
    return {"certificate": path}


class FilterModule:
    """What Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """The filters by their names."""
        return {"audit_certificates": audit_certificates}
