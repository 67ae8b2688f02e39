# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Objects that many tests start from."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

TASK: dict[str, Any] = {
    "vhost": "default",
    "app": "app",
    "id": "t-p",
    "stream": {"name": "main"},
    "protocol": "rtmp",
    "url": "rtmp://push.example.com/app",
    "stream_key": "planted-key",
}
"""A push task whose key no output may show."""


def push_publisher(simulator: Simulator, *, wire: bool = False) -> str:
    """The publisher that makes pushes possible: its option, or its name in the API. It has another before 0.16 (server-facts: Applications)."""
    if simulator.state.version.name == "0.15.10":
        return "rtmpPush" if wire else "rtmp_push"
    return "push"
