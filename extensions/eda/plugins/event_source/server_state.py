# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Event source that watches servers."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import pathlib
import sys
import types
from typing import Any

DOCUMENTATION = r"""
---
short_description: Watch OvenMediaEngine servers
description:
  - Polls the API of any number of servers over one connection each, and makes an event of each change.
  - The C(kind) of an event is V(server_restarted), V(server_unreachable), V(server_reachable), V(vhost_missing),
    V(vhost_unexpected), V(push_missing), V(push_stuck), V(push_error), V(record_stuck), V(certificate_expiring),
    V(stream_started), V(stream_ended), V(stream_missing), V(stream_below_expectation) or V(stream_as_expected).
    C(server) is the name of the server, to which the actions of a rule are
    limited.
  - A change is reported once. Virtual hosts, push tasks and recordings must be missing, stuck or in error in two looks,
    the second one after a second. What a reported restart or a missing virtual host took away is reported only if it
    is still missing after 30 seconds.
  - V(stream_missing) and V(stream_below_expectation) are what an audit reports under these names, for the streams of
    O(expected_streams). They have C(vhost), C(app), C(stream) and C(state), and of a stream that is live C(width),
    C(height), C(bitrate), C(framerate) and C(audio), as M(streamops.ovenmediaengine.expected_streams_info) returns
    them. C(problems) has C(option), C(found) and C(wanted) of each option that is not met. A stream that falls short
    of another option is reported again. V(stream_as_expected) follows what was reported once the stream is as expected,
    with the state V(met), or once nothing is expected of it any more, with the state V(not_due).
  - A server is unreachable after two failed polls in a row, even if it refuses the token or if something else answers.
    It is then polled every second for a minute. This is reported once for each reason, and once when it is over, as an
    event and as a line of the log that ansible-rulebook prints.
  - A server restarted if its start time changed, or if it came back and its start time was not known.
  - This only reads. No event and no log contains a token, a stream key or a password.
options:
  servers:
    description: The servers.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Inventory name of the server.
        type: str
        required: true
      api_url:
        description: Base address of the API.
        type: str
        required: true
      api_token_env:
        description: Environment variable with the access token. Excludes O(servers[].api_token_file).
        type: str
      api_token_file:
        description: File with the access token. Excludes O(servers[].api_token_env).
        type: str
      validate_certs:
        description: Whether the certificate of an HTTPS address is verified.
        type: bool
        default: true
      ca_path:
        description: File with the authorities to trust, in PEM form.
        type: str
      client_cert:
        description: File with a client certificate in PEM form.
        type: str
      client_key:
        description: File with its key, if O(servers[].client_cert) does not contain it.
        type: str
      expectations:
        description: Variables file of this server, in place of O(expectations).
        type: str
      endpoints:
        description: TLS ports whose certificates are watched, beside those of the variables file.
        type: list
        elements: dict
        suboptions:
          host:
            description: Host, by default that of the API.
            type: str
          port:
            description: Port.
            type: int
            default: 443
          server_name:
            description: Name that is sent by SNI, by default the host.
            type: str
  expectations:
    description:
      - File with the variables of the role P(streamops.ovenmediaengine.provision#role). It is read again when it
        changes. Without it, only the servers themselves and O(servers[].endpoints) are watched.
      - Of the file, only names and IDs are used. They must be plain text, because templates are not evaluated.
      - A push task or recording that a stream map of the server has started is recognized by its stream, and by
        protocol, URL and stream key, or file path, as far as they are plain text; of these, only hashes are kept. One
        is not missing if its stream is not live and this collection has written the map.
      - Virtual hosts are unexpected only if the file defines C(ovenmediaengine_vhosts). Those of a server's
        configuration file never are.
    type: str
  interval:
    description: Seconds between two polls of the start time of a server.
    type: float
    default: 5
  jitter:
    description: Share of O(interval) by which pauses vary, so that a fleet is not polled at the same moment.
    type: float
    default: 0.1
  timeout:
    description: Seconds for one response.
    type: float
    default: 5
  compare_interval:
    description: Seconds between two comparisons with the expectations. A comparison also follows each restart.
    type: float
    default: 15
  throttle:
    description: Fewest seconds between two reports of the same change of one server. Restarts in between are one event.
    type: float
    default: 10
  remind:
    description:
      - Seconds after which a virtual host, push task or expected stream that is still missing, or still below what is
        expected, is reported again; V(0) for never.
    type: float
    default: 0
  stuck_after:
    description: Seconds after which a push task or recording that sends or writes nothing is stuck.
    type: float
    default: 30
  streams:
    description: Whether streams of the expected applications are watched.
    type: bool
    default: true
  expected_streams:
    description:
      - Whether the streams of C(ovenmediaengine_expected_streams) in O(expectations) are compared with what the server
        has measured. It is a variable of the role P(streamops.ovenmediaengine.audit#role), with windows of time and
        time zones. Its values must be plain text, because templates are not evaluated.
      - Nothing is played, so C(plays_on) and C(max_latency) are not compared.
      - Adds one request for each application with a stream that is due, and one for each of these streams.
    type: bool
    default: false
  unmet_after:
    description:
      - Seconds for which an expected stream must be missing or below what is expected before it is reported. An encoder
        that connects again within this time is no event.
    type: float
    default: 10
  alerts:
    description:
      - Where to receive the alerts of all servers, which M(streamops.ovenmediaengine.server_config) switches on. A
        signed alert starts a comparison within a second, on the servers that expect a stream in the application of the
        alert. Makes no other events. Without it, servers are only polled.
      - Needs O(expected_streams).
    type: dict
    suboptions:
      host:
        description: Address to listen at.
        type: str
        default: 127.0.0.1
      port:
        description: Port to listen at.
        type: int
        default: 5080
      path:
        description: Path of the callbacks, as in C(Url) of the server's configuration.
        type: str
        default: /alert
      secret_key_env:
        description: Environment variable with the C(SecretKey) of the servers. Excludes O(alerts.secret_key_file).
        type: str
      secret_key_file:
        description: File with the C(SecretKey) of the servers. Excludes O(alerts.secret_key_env).
        type: str
      certfile:
        description: File with the certificate chain in PEM form. Alerts are received over HTTPS if it is set.
        type: str
      keyfile:
        description: File with the key of the certificate, if O(alerts.certfile) does not contain it.
        type: str
      max_body:
        description: Largest body in bytes.
        type: int
        default: 65536
      max_per_minute:
        description: Most requests of one sender in a minute.
        type: int
        default: 600
      replay_window:
        description: Seconds for which a body is refused after it was received; V(0) accepts repetitions.
        type: float
        default: 3600
  certificate_days:
    description: A certificate expires soon if it is valid for fewer days.
    type: int
    default: 30
  certificate_interval:
    description: Seconds between two looks at the certificates.
    type: float
    default: 3600
"""

EXAMPLES = r"""
- name: Servers
  hosts: all
  execution_strategy: parallel
  sources:
    - streamops.ovenmediaengine.server_state:
        servers:
          - name: media1
            api_url: http://media1.example.com:8081
            api_token_env: OVENMEDIAENGINE_API_TOKEN
        expectations: group_vars/media.yml
  rules:
    - name: Restore what a restart removed
      condition: event.ovenmediaengine.kind == "server_restarted"
      action:
        run_playbook:
          name: streamops.ovenmediaengine.provision
          lock: "{{ event.ovenmediaengine.server }}"

- name: Streams
  hosts: all
  sources:
    - streamops.ovenmediaengine.server_state:
        servers:
          - name: media1
            api_url: http://media1.example.com:8081
            api_token_env: OVENMEDIAENGINE_API_TOKEN
        # With ovenmediaengine_expected_streams.
        expectations: group_vars/media.yml
        expected_streams: true
        streams: false
        alerts:
          host: 0.0.0.0
          secret_key_env: OVENMEDIAENGINE_ALERT_SECRET
  rules:
    - name: Report a stream that should be live
      condition: event.ovenmediaengine.kind == "stream_missing"
      action:
        run_playbook:
          name: streamops.ovenmediaengine.notify
"""


def _import(name: str) -> Any:
    """Return a module of extensions/eda/plugins/plugin_utils.

    ansible-rulebook runs a source as a single file, without Ansible's loader of collections. So this makes the
    collection that contains the file importable.
    """
    parent = ""
    path: list[str] = []
    for part in ("ansible_collections", "streamops", "ovenmediaengine"):
        parent = f"{parent}.{part}".lstrip(".")
        if part == "ovenmediaengine":
            path = [str(pathlib.Path(__file__).absolute().parents[4])]
        if parent not in sys.modules and (path or importlib.util.find_spec(parent) is None):
            sys.modules[parent] = types.ModuleType(parent)
            sys.modules[parent].__path__ = path
    return importlib.import_module(f"{parent}.extensions.eda.plugins.plugin_utils.{name}")


async def main(queue: asyncio.Queue[Any], args: dict[str, Any]) -> None:
    """Put an event into the queue for each change of a server."""
    await _import("watching").watch(queue, args)
