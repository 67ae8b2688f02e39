# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Asks a simulator for a playlist, as a viewer does."""

from __future__ import annotations

import http.client

from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE


def status_of_playlist(server: Simulator, host: str, path: str = "/live/main/llhls.m3u8") -> int:
    """Return the status of a request for a playlist by a host name."""
    connection = http.client.HTTPConnection("127.0.0.1", server.viewer_ports[0], timeout=PATIENCE)
    try:
        connection.request("GET", path, headers={"Host": host})
        return connection.getresponse().status
    finally:
        connection.close()
