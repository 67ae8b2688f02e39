# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter signed_url."""

from __future__ import annotations

DOCUMENTATION = r"""
name: signed_url
short_description: Sign a URL for a publisher or viewer
version_added: 2.0.0
author:
  - StreamOps (@streamops)
description:
  - Returns the URL with which a client can publish or play if the virtual host has C(signed_policy).
  - The signature is the HMAC-SHA1 of the whole URL with its policy, as URL-safe base64 without padding. No request is
    sent.
notes:
  - A signed URL is a credential. Set C(no_log=true) for tasks that have it in their arguments or results.
  - Sign the URL that the server sees. If a proxy changes the scheme, host name, port or path, sign the URL after that
    change, and replace this part of the result.
  - The port is part of what the server signs. A URL without port gets the default port of its scheme, which is 80 for
    V(ws) and V(http), 443 for V(wss), V(https) and V(rtmps), and 1935 for V(rtmp). Only URLs of thumbnails with the
    default port have no port in the result, because the server does not add it to them.
  - The host names of V(ws), V(wss), V(http) and V(https) become lower case, as in requests of browsers.
  - A URL that the server would take apart differently is refused, such as one with user and password, with a second
    question mark, or with characters that a browser encodes.
options:
  _input:
    description:
      - The URL without policy and signature. A URL that already has one of these parameters is refused.
      - WebRTC is V(wss://host:port/app/stream). With WHIP it is V(https://host:port/app/stream?direction=whip). All
        parameters that the client sends must be in the URL.
      - LL-HLS, HLS and thumbnails are the URL of the playlist or image, such as
        V(https://host:port/app/stream/llhls.m3u8).
      - RTMP is V(rtmp://host:port/app/stream).
      - SRT is V(srt://host:port?streamid=vhost/app/stream), with the value of C(streamid) percent-encoded if it has
        parameters itself. Publishers of servers before 0.19.0 need
        V(srt://host:port?streamid=srt%3A%2F%2Fhost%3Aport%2Fapp%2Fstream). Only the C(streamid) is signed.
    type: str
    required: true
  signed_policy:
    description:
      - The O(streamops.ovenmediaengine.vhost#module:signed_policy) of the virtual host, as modules and roles have it in
        their variables. C(secret_key), C(policy_query_key_name) and C(signature_query_key_name) are used.
    type: dict
  secret_key:
    description:
      - The secret key of the virtual host. Takes precedence over O(signed_policy). Required in one of the two.
    type: str
  policy_query_key_name:
    description:
      - Name of the parameter with the policy. Takes precedence over O(signed_policy).
      - The default is V(policy), as in the server's documentation. The server itself has no default.
    type: str
  signature_query_key_name:
    description:
      - Name of the parameter with the signature. Takes precedence over O(signed_policy).
      - The default is V(signature), as in the server's documentation. The server itself has no default.
    type: str
  policy:
    description:
      - The policy, as a mapping that P(streamops.ovenmediaengine.signed_policy#filter) accepts, or as its result.
      - An encoded policy is used unchanged, even if it has expired.
      - Mutually exclusive with the options for single keys of the policy.
    type: raw
  expires_in:
    description:
      - Time from now until the URL expires, as a number of seconds or as a duration such as V(2h) or V(1h30m). The
        units are V(w), V(d), V(h), V(m) and V(s).
      - Exactly one of O(expires_in), O(url_expire) and O(policy) is required.
    type: raw
  url_expire:
    description:
      - Time at which the URL expires. The server refuses later requests. Connections that exist continue.
      - Milliseconds since 1970, a duration from now such as V(2h), or a date and time with a time zone such as
        V(2026-01-31T20:00:00Z).
    type: raw
  url_activate:
    description: Time from which on the URL is valid, in the forms of O(url_expire).
    type: raw
  stream_expire:
    description: Time at which the server ends publishing or playback, in the forms of O(url_expire).
    type: raw
  allow_ip:
    description:
      - IPv4 network of the clients with a prefix length from 1 to 32, such as V(203.0.113.7/32).
      - Only the prefix length 32 is exact. With a shorter one, servers also admit many other addresses.
    type: str
  real_ip:
    description: As O(allow_ip), for the address of the client that a proxy reports.
    type: str
  parts:
    description: Return a mapping with the parts that encoders have fields for, instead of the URL.
    type: bool
    default: false
seealso:
  - plugin: streamops.ovenmediaengine.signed_policy
    plugin_type: filter
  - module: streamops.ovenmediaengine.vhost
"""

EXAMPLES = r"""
- name: Play for two hours
  ansible.builtin.set_fact:
    my_url: >-
      {{ 'wss://live.example.com:3334/app/main'
      | streamops.ovenmediaengine.signed_url(my_vhost.signed_policy, expires_in='2h') }}
  no_log: true

- name: Publish with RTMP from one address, begin within ten minutes, end after two hours
  ansible.builtin.set_fact:
    my_encoder: >-
      {{ 'rtmp://live.example.com:1935/app/main'
      | streamops.ovenmediaengine.signed_url(secret_key=my_secret, expires_in=600, stream_expire='2h',
      allow_ip='203.0.113.7/32', parts=true) }}
  no_log: true
"""

RETURN = r"""
_value:
  description:
    - The signed URL.
    - With O(parts=true), a mapping with C(url), C(expires) (the time at which the URL expires, such as
      V(2026-01-31T20:00:00Z)), C(server) and C(stream_key) (the two fields of RTMP encoders, otherwise none) and
      C(stream_id) (the C(streamid) of SRT without percent-encoding, otherwise none).
  type: raw
  sample: ws://host:3333/app/stream?policy=eyJ1cmxfZXhwaXJlIjo0MDczNTcyODAwMDAwfQ&signature=eU05kI9TGgWU1F2apX-jyZ7nsjE
"""

import typing as t

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import signed_policies, signed_urls
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.signed_policies import Invalid

# What a virtual host has in signed_policy. The filter does not use the last two.
_OF_VHOST = ("secret_key", "policy_query_key_name", "signature_query_key_name", "enables", "extra")


def signed_url(
    url: t.Any,
    signed_policy: t.Any = None,
    *,
    secret_key: t.Any = None,
    policy_query_key_name: t.Any = None,
    signature_query_key_name: t.Any = None,
    policy: t.Any = None,
    parts: t.Any = False,
    **keys: t.Any,
) -> t.Any:
    """Return the signed URL, or with ``parts`` a mapping. No message contains the secret key."""
    options = {
        "secret_key": secret_key,
        "policy_query_key_name": policy_query_key_name,
        "signature_query_key_name": signature_query_key_name,
    }
    try:
        settings = _settings(signed_policy, options)
        key = signed_urls.make_key(
            settings["secret_key"], settings["policy_query_key_name"], settings["signature_query_key_name"]
        )
        if not isinstance(parts, bool):
            raise Invalid("parts", signed_policies.shown(parts), "true or false")
        encoded = _policy(policy, keys)
        signed = signed_urls.sign(url, encoded, key)
    except Invalid as error:
        message = f"Could not sign the URL: {error}"
        for source in (options, signed_policy if isinstance(signed_policy, t.Mapping) else {}):
            secret = signed_policies.plain(source.get("secret_key"))
            # Replacing a shorter text would only show where it is.
            if isinstance(secret, str) and len(secret) > 2:
                message = message.replace(secret, MASK).replace(repr(secret)[1:-1], MASK)
        raise AnsibleFilterError(message) from None
    if not parts:
        return signed.url
    return {**signed._asdict(), "expires": signed_policies.timestamp(signed_policies.decode(encoded)["url_expire"])}


def _settings(signed_policy: t.Any, options: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the options, with those of the virtual host where there is none."""
    if signed_policy is None:
        return options
    if not isinstance(signed_policy, t.Mapping):
        # The value is not shown, because it can be a secret key.
        raise Invalid(
            "signed_policy",
            f"is of type {type(signed_policy).__name__}",
            "the signed_policy of a virtual host; specify a secret key as secret_key",
        )
    unknown = sorted(str(name) for name in signed_policy if name not in _OF_VHOST)
    if unknown:
        raise Invalid("signed_policy", f"has the unknown key {unknown[0]!r}", f"only {', '.join(_OF_VHOST[:4])}")
    return {name: signed_policy.get(name) if value is None else value for name, value in options.items()}


def _policy(policy: t.Any, keys: t.Mapping[str, t.Any]) -> str:
    """Return the encoded policy of the options."""
    unknown = sorted(name for name in keys if name not in signed_policies.OPTIONS)
    if unknown:
        raise Invalid(unknown[0], "is not an option", f"one of {', '.join(signed_policies.OPTIONS)} for the policy")
    if policy is None:
        return signed_policies.encode(signed_policies.make_policy(keys))
    specified = [name for name, value in keys.items() if value is not None]
    if specified:
        raise Invalid(specified[0], "is specified together with policy", "one of the two")
    policy = signed_policies.plain(policy)
    if isinstance(policy, t.Mapping):
        return signed_policies.encode(signed_policies.make_policy(policy))
    if not isinstance(policy, str):
        raise Invalid("policy", f"is of type {type(policy).__name__}", "a mapping, or a result of signed_policy")
    signed_policies.decode(policy)
    return policy


class FilterModule:
    """The plugin that Ansible loads."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"signed_url": signed_url}
