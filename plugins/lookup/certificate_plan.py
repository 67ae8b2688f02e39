# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup certificate_plan."""

from __future__ import annotations

DOCUMENTATION = r"""
name: certificate_plan
short_description: Plan a rotation of certificates
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.rotate_certificates#role). Returns the files of each virtual host, with
    their sources and destinations.
  - Relative paths on the controller are searched as by P(streamops.ovenmediaengine.controller_file#lookup).
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  certificates:
    description: The variable C(ovenmediaengine_certificates).
    type: list
    elements: dict
    required: true
  found:
    description: Result of M(streamops.ovenmediaengine.vhost_info) for these virtual hosts.
    type: dict
    required: true
  endpoints:
    description: The variable C(ovenmediaengine_certificate_endpoints).
    type: list
    elements: dict
    required: true
  remote:
    description: The variable C(ovenmediaengine_certificates_remote_src).
    type: bool
    required: true
  mode:
    description: Mode of certificates and chains.
    type: str
    required: true
  key_mode:
    description: Mode of private keys.
    type: str
    required: true
notes:
  - The role P(streamops.ovenmediaengine.rotate_certificates#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Read the virtual host
  streamops.ovenmediaengine.vhost_info:
    names: [tenant-a]
  register: my_vhosts

- name: Show where its certificate comes from and goes to
  ansible.builtin.debug:
    msg: "{{ my_plan[0].files }}"
  vars:
    my_plan: >-
      {{ lookup('streamops.ovenmediaengine.certificate_plan', certificates=[{'vhost': 'tenant-a', 'certbot_live':
      '/etc/letsencrypt/live/tenant-a'}], found=my_vhosts, endpoints=[{'port': 3334}], remote=true, mode='0644',
      key_mode='0600') }}
"""

RETURN = r"""
_raw:
  description:
    - A list with one list. It has an entry for each virtual host, with C(vhost), C(number) (its index), C(found)
      (whether the server has it), C(endpoints) and C(files).
    - C(files) are the chain, the certificate and the private key, in the order in which they are put into place. Each
      has C(name), C(source) (empty if no chain is specified), C(path) (empty if the virtual host has none) and C(mode).
  type: list
  elements: list
"""

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._controller_files import find

Entry = t.Mapping[str, t.Any]
# Name of each file, its name in the directory of certbot, and the option of the entry and of host.tls for its path.
_FILES = (
    ("chain", "chain.pem", "chain_cert_path"),
    ("certificate", "cert.pem", "cert_path"),
    ("private_key", "privkey.pem", "key_path"),
)


def certificate_plan(
    certificates: t.Sequence[Entry],
    found: Entry,
    endpoints: t.Sequence[Entry],
    mode: str,
    key_mode: str,
    locate: t.Callable[[str], str] = str,
) -> list[dict[str, t.Any]]:
    """Return the plan. ``locate`` returns the absolute path of a source."""
    vhosts = {vhost["name"]: vhost for vhost in found["vhosts"]}
    plan = []
    for number, entry in enumerate(certificates):
        tls = (vhosts.get(entry["vhost"], {}).get("host") or {}).get("tls") or {}
        files = [
            {
                "name": name,
                "source": locate(_source(entry, name, in_certbot)),
                "path": entry.get(option) or tls.get(option) or "",
                "mode": key_mode if name == "private_key" else mode,
            }
            for name, in_certbot, option in _FILES
        ]
        plan.append(
            {
                "vhost": entry["vhost"],
                "number": number,
                "found": entry["vhost"] not in found["missing"],
                "endpoints": entry.get("endpoints", endpoints),
                "files": files,
            }
        )
    return plan


def _source(entry: Entry, name: str, in_certbot: str) -> str:
    """Return the specified source of a file, empty if there is none.

    An empty ``chain`` omits that of ``certbot_live``.
    """
    if name in entry:
        return str(entry[name] or "")
    return f"{entry['certbot_live']}/{in_certbot}" if entry.get("certbot_live") else ""


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[list[dict[str, t.Any]]]:
        """Return the plan."""
        known = variables or {}

        def on_controller(path: str) -> str:
            return find(self._loader, known.get("ansible_search_path", []), known, path)

        remote = boolean(kwargs.pop("remote"), strict=False)
        return [certificate_plan(**kwargs, locate=str if remote else on_controller)]
