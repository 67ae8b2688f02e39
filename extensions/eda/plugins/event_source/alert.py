# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Event source that receives the alerts of servers."""

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
short_description: Receive the alerts of OvenMediaEngine servers
description:
  - Receives the callbacks that a server sends for the element C(Alert) of its configuration file, and makes an event of
    each.
  - An alert is refused unless its header C(X-OME-Signature) is the HMAC-SHA1 of the body with the secret key. The
    status is 401 for a wrong signature, 413 for a body that is too large, 429 for too many requests, 409 for a repeated
    body and 400 for a signed body that is no alert.
  - Nothing in an alert but its content shows that it is a replay, so a body that was received before is refused for the
    time of O(replay_window).
options:
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
  server:
    description: Inventory name of the server, for events. Servers before 0.21.0 do not name themselves.
    type: str
    default: ""
  secret_key_env:
    description: Environment variable with the C(SecretKey) of the server's configuration. Excludes O(secret_key_file).
    type: str
  secret_key_file:
    description: File with the C(SecretKey) of the server's configuration. Excludes O(secret_key_env).
    type: str
  certfile:
    description: File with the certificate chain in PEM form. Alerts are received over HTTPS if it is set.
    type: str
  keyfile:
    description: File with the key of the certificate, if O(certfile) does not contain it.
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
"""

EXAMPLES = r"""
- name: Alerts
  hosts: all
  sources:
    - streamops.ovenmediaengine.alert:
        host: 0.0.0.0
        port: 5080
        server: media1
        secret_key_env: OVENMEDIAENGINE_ALERT_SECRET
        certfile: /etc/ssl/alerts.pem
        keyfile: /etc/ssl/alerts.key
  rules:
    - name: Low bit rate
      condition: event.ovenmediaengine.codes is defined and "INGRESS_BITRATE_LOW" in event.ovenmediaengine.codes
      action:
        print_event:
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
    """Put an event into the queue for each alert that a server signed."""
    alerts = _import("alerts")
    await alerts.receive(queue, alerts.settings_of(args))
