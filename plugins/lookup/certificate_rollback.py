# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The lookup certificate_rollback."""

from __future__ import annotations

DOCUMENTATION = r"""
name: certificate_rollback
short_description: Describe how a failed rotation of a certificate ended
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Serves the role P(streamops.ovenmediaengine.rotate_certificates#role). Returns the outcome of a rotation that
    failed, after the role has restored the old files, and the message with which the role fails.
options:
  _terms:
    description: Not used.
    type: list
    elements: str
    default: []
  entry:
    description: The virtual host, with C(vhost) and C(served), the endpoints before the rotation.
    type: dict
    required: true
  changes:
    description: The dictionary that P(streamops.ovenmediaengine.certificate_changes#lookup) returned.
    type: dict
    required: true
  failure:
    description: What failed, as C(text), and the C(endpoints) after the failure.
    type: dict
    required: true
  restored:
    description: Result of the task that restores the old files.
    type: dict
    required: true
  removed:
    description: Result of the task that removes files that did not exist before.
    type: dict
    required: true
  reloaded:
    description: Result of M(streamops.ovenmediaengine.cert_reload) for the old certificate.
    type: dict
    required: true
  fingerprint:
    description: Fingerprint of the old certificate, empty if it is unknown.
    type: str
    required: true
  check_mode:
    description: Whether the run is in check mode.
    type: bool
    default: false
notes:
  - The role P(streamops.ovenmediaengine.rotate_certificates#role) uses this lookup.
"""

EXAMPLES = r"""
- name: Show how a rotation ended
  ansible.builtin.debug:
    msg: "{{ my_rollback.msg }}"
  vars:
    my_rollback: >-
      {{ lookup('streamops.ovenmediaengine.certificate_rollback', entry={'vhost': 'tenant-a', 'served': []},
      changes=my_changes, failure={'text': 'The reload failed.', 'endpoints': []}, restored=my_copy, removed={},
      reloaded=my_reload, fingerprint='') }}
"""

RETURN = r"""
_raw:
  description: A list with one dictionary.
  type: list
  elements: dict
  contains:
    action:
      description:
        - V(untouched), V(removed) (there was no certificate before, and the new files are removed), V(restored) (the
          endpoints serve what they served before) or V(failed).
      type: str
    msg:
      description: The message.
      type: str
"""

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.plugins.lookup import LookupBase

Result = t.Mapping[str, t.Any]
_MOST_ENDPOINTS = 3
_MOST_DIGITS = 16  # of a fingerprint


def certificate_rollback(
    entry: Result,
    changes: Result,
    failure: Result,
    restored: Result,
    removed: Result,
    reloaded: Result,
    fingerprint: str,
    check_mode: bool = False,
) -> dict[str, str]:
    """Return the outcome of a rotation that failed."""
    action, ending = _ending(entry, changes, restored, removed, reloaded, fingerprint, check_mode)
    parts = [
        f"The new certificate of the virtual host {entry['vhost']} is not proven to be in use.",
        failure["text"],
        ending,
    ]
    endpoints = (reloaded.get("endpoints") or failure["endpoints"])[:_MOST_ENDPOINTS]
    if endpoints:
        parts.append(f"Served now: {'; '.join(map(_describe_endpoint, endpoints))}.")
    return {"action": action, "msg": " ".join(part for part in parts if part)}


def _ending(
    entry: Result,
    changes: Result,
    restored: Result,
    removed: Result,
    reloaded: Result,
    fingerprint: str,
    check_mode: bool,
) -> tuple[str, str]:
    """Return the action and a text about the files and what is served."""
    if check_mode:
        return "untouched", "Nothing was changed."
    if restored.get("failed"):
        backups = ", ".join(file["backup"] for file in changes["files"] if file["exists"] and file["differs"])
        return (
            "failed",
            f"RESTORING THE OLD FILES FAILED, TOO: {_errors(restored, removed)} Restore them from {backups}.",
        )
    if removed.get("failed"):
        return "failed", f"REMOVING THE FILES THAT DID NOT EXIST BEFORE FAILED, TOO: {_errors(restored, removed)}"
    if not changes["differ"]:
        others = ", ".join(changes["shared_with"])
        if others:
            return (
                "failed",
                f"The files are also those of the virtual host {others}, which serves the new certificate "
                "since this run placed them. They stay.",
            )
        return "failed", "The new files were in place before this run, so that there is nothing to restore."
    if not changes["had_certificate"]:
        return (
            "removed",
            "There was no certificate before. The new files are removed. "
            "The server serves what it has loaded until it restarts.",
        )
    if "endpoints" not in reloaded or _lost(entry["served"], reloaded["endpoints"], fingerprint):
        return (
            "failed",
            "The old files are back. THAT THE OLD CERTIFICATE IS SERVED IS NOT PROVEN. "
            f"{reloaded.get('msg', '')}".rstrip(),
        )
    if fingerprint in changes["served"]:
        return "restored", "The old files are back, and the old certificate is served."
    return (
        "restored",
        "The old files are back, and each endpoint serves what it served before, "
        "which was not the old certificate of this virtual host.",
    )


def _certificates(endpoints: t.Iterable[Result], key: str) -> list[Result]:
    return [endpoint.get(key) or {} for endpoint in endpoints]


def _fingerprint(certificate: Result) -> str:
    return str(certificate.get("fingerprint", ""))


def _lost(before: t.Sequence[Result], after: t.Sequence[Result], fingerprint: str) -> bool:
    """Return whether an endpoint that served a certificate now serves neither this one nor the old certificate."""
    pairs = zip(
        map(_fingerprint, _certificates(before, "certificate")), map(_fingerprint, _certificates(after, "after"))
    )
    return any(old and new != old and (not fingerprint or new != fingerprint) for old, new in pairs)


def _errors(*results: Result) -> str:
    return " ".join(
        str(one.get("msg", "")) for result in results for one in result.get("results", ()) if one.get("failed")
    )


def _describe_endpoint(endpoint: Result) -> str:
    certificate = endpoint.get("after")
    if certificate:
        digits = certificate["fingerprint"][:_MOST_DIGITS]
        served = f"{certificate['subject']}, {digits}…, valid until {certificate['not_after']}"
    else:
        served = str(endpoint.get("error") or "nothing").removesuffix(".")
    return f"{endpoint['host']}:{endpoint['port']} ({endpoint['server_name']}): {served}"


class LookupModule(LookupBase):
    """The plugin that Ansible loads."""

    def run(self, terms: t.Any, variables: t.Any = None, **kwargs: t.Any) -> list[dict[str, str]]:
        """Return the outcome."""
        check_mode = boolean(kwargs.pop("check_mode", False), strict=False)
        return [certificate_rollback(**kwargs, check_mode=check_mode)]
