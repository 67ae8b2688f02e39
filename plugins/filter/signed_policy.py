# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter signed_policy."""

from __future__ import annotations

DOCUMENTATION = r"""
name: signed_policy
short_description: Encode the policy of signed URLs
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Returns a policy as the text that is in a signed URL, which is JSON as URL-safe base64 without padding.
  - A policy limits when and from where a URL can be used. All supported servers know all keys.
  - The filter P(streamops.ovenmediaengine.signed_url#filter) makes a policy by itself. Use this filter to have one
    policy in several URLs, or to sign URLs with another program.
notes:
  - A policy is not encrypted. Everybody who has the URL can read it.
  - The times are for the clock of the server. Durations begin at the time of the controller.
options:
  _input:
    description:
      - The policy. Keys with the value none count as not specified.
      - C(url_expire), C(url_activate) and C(stream_expire) are milliseconds since 1970, a duration from now such as
        V(2h) or V(1h30m), or a date and time with a time zone such as V(2026-01-31T20:00:00Z).
    type: dict
    required: true
    suboptions:
      expires_in:
        description:
          - Time from now until the URL expires, as a number of seconds or as a duration such as V(2h) or V(1h30m). The
            units are V(w), V(d), V(h), V(m) and V(s).
          - Exactly one of C(expires_in) and C(url_expire) is required.
        type: raw
      url_expire:
        description:
          - Time at which the URL expires. The server refuses later requests. Connections that exist continue.
        type: raw
      url_activate:
        description: Time from which on the URL is valid. The server refuses earlier requests.
        type: raw
      stream_expire:
        description: Time at which the server ends publishing or playback.
        type: raw
      allow_ip:
        description:
          - IPv4 network of the clients with a prefix length from 1 to 32, such as V(203.0.113.7/32). The server
            compares it with the address that connects. With this key it refuses clients with IPv6.
          - Only the prefix length 32 is exact. With a shorter one, servers also admit many other addresses.
        type: str
      real_ip:
        description:
          - As C(allow_ip), but the server compares it with the header C(X-REAL-IP), or if there is none with the first
            address in C(X-FORWARDED-FOR), or if there is none with the address that connects.
        type: str
seealso:
  - plugin: streamops.ovenmediaengine.signed_url
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Make one policy for several URLs
  ansible.builtin.set_fact:
    my_policy: "{{ {'expires_in': '2h', 'allow_ip': '203.0.113.7/32'} | streamops.ovenmediaengine.signed_policy }}"

- name: Show a policy of another program
  ansible.builtin.debug:
    msg: "{{ {'url_expire': '2099-01-31T20:00:00Z'} | streamops.ovenmediaengine.signed_policy }}"
"""

RETURN = r"""
_value:
  description: The encoded policy.
  type: str
  sample: eyJ1cmxfZXhwaXJlIjo0MDczNTcyODAwMDAwfQ
"""

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import signed_policies


def signed_policy(policy: t.Any) -> str:
    """Return the encoded policy."""
    if not isinstance(policy, t.Mapping):
        raise AnsibleFilterError(
            f"Could not encode the policy: it is of type {type(policy).__name__}. Expected a mapping with "
            f"{', '.join(signed_policies.OPTIONS)}."
        )
    try:
        return signed_policies.encode(signed_policies.make_policy(policy))
    except signed_policies.Invalid as error:
        raise AnsibleFilterError(f"Could not encode the policy: {error}") from None


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"signed_policy": signed_policy}
