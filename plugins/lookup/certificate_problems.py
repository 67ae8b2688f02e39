# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup certificate_problems."""

from __future__ import annotations

DOCUMENTATION = r"""
name: certificate_problems
short_description: Find what prevents a rotation of certificates
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.rotate_certificates#role). Returns the problems of the new files of one
    virtual host that are not accepted.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  read:
    description: Result of M(streamops.ovenmediaengine.certificate_info) for the copies of the new files.
    type: dict
    required: true
  copies:
    description:
      - Results of the loop of M(ansible.builtin.copy) that made the copies. Texts name the sources in place of the
        copies.
    type: list
    elements: dict
    required: true
  plan:
    description: The virtual hosts of the rotation. Those that are validated have C(new), their new certificate.
    type: list
    elements: dict
    required: true
  accept:
    description: The variable C(ovenmediaengine_certificate_accept).
    type: list
    elements: str
    required: true
notes:
  - The role P(streamops.ovenmediaengine.rotate_certificates#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Copy the new certificate
  ansible.builtin.copy:
    src: "{{ item.source }}"
    dest: /root/new/cert.pem
    mode: "0600"
  loop:
    - source: files/cert.pem
  register: my_copies

- name: Read it, and the certificate that is served
  streamops.ovenmediaengine.certificate_info:
    vhost: tenant-a
    certificate: /root/new/cert.pem
    endpoint:
      - port: 3334
  register: my_certificates

- name: Show its problems
  ansible.builtin.debug:
    msg: >-
      {{ lookup('streamops.ovenmediaengine.certificate_problems', read=my_certificates, copies=my_copies.results,
      plan=[], accept=[]).text }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    shadowed_by:
      description:
        - Virtual hosts whose certificate the server presents instead, without those of the plan that get the same new
          certificate.
      type: list
      elements: str
    shadowed:
      description: What the module says of them.
      type: str
    kinds:
      description: Kinds of the other problems, without those that are accepted.
      type: list
      elements: str
    text:
      description: The text of these problems.
      type: str
"""

import typing as t

from ansible.plugins.lookup import LookupBase

_SHADOWED = "shadowed"


def certificate_problems(
    read: t.Mapping[str, t.Any],
    copies: t.Sequence[t.Mapping[str, t.Any]],
    plan: t.Sequence[t.Mapping[str, t.Any]],
    accept: t.Collection[str],
) -> dict[str, t.Any]:
    """Return the problems of the new files of one virtual host."""
    fingerprint = read["certificates"][0]["fingerprint"] if read["certificates"] else ""
    same = {vhost["vhost"] for vhost in plan if "new" in vhost and vhost["new"]["fingerprint"] == fingerprint}
    shadowed_by = [endpoint["shadowed_by"] for endpoint in read["endpoints"] if endpoint["shadowed_by"]]
    problems = [
        problem for problem in read["problems"] if problem["kind"] != _SHADOWED and problem["kind"] not in accept
    ]
    text = " ".join(problem["text"] for problem in problems)
    for copy in copies:
        text = text.replace(copy["dest"], copy["item"]["source"])
    return {
        "shadowed_by": [vhost for vhost in dict.fromkeys(shadowed_by) if vhost not in same],
        "shadowed": " ".join(problem["text"] for problem in read["problems"] if problem["kind"] == _SHADOWED),
        "kinds": list(dict.fromkeys(problem["kind"] for problem in problems)),
        "text": text,
    }


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, t.Any]]:
        """Return the problems."""
        return [certificate_problems(**kwargs)]
