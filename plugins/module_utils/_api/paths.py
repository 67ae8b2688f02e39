# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The paths of the API, each once and as a whole; a test compares them with docs/api-coverage.md.

Names in them are not encoded, because the server does not decode them (server-facts: Virtual hosts): they have to be
addressable.
"""

from __future__ import annotations

VERSION = "/v1/version"
VHOSTS = "/v1/vhosts"
API_SERVER = "/v1/managers/api"
STATISTICS = "/v1/stats/current"


def vhost_path(vhost: str) -> str:
    """Return the path of a virtual host."""
    return f"/v1/vhosts/{vhost}"


def apps_path(vhost: str) -> str:
    """Return the path of the applications of a virtual host."""
    return f"/v1/vhosts/{vhost}/apps"


def app_path(vhost: str, app: str) -> str:
    """Return the path of an application."""
    return f"/v1/vhosts/{vhost}/apps/{app}"


def job_path(vhost: str, app: str, call: str) -> str:
    """Return the path of a call for jobs, such as `startPush`."""
    return f"/v1/vhosts/{vhost}/apps/{app}:{call}"


def channels_path(vhost: str, app: str, kind: str, channel: str | None = None) -> str:
    """Return the path of the channels of a kind, such as `scheduledChannels`, or of one of them."""
    return f"/v1/vhosts/{vhost}/apps/{app}/{kind}" + ("" if channel is None else f"/{channel}")


def streams_path(vhost: str, app: str) -> str:
    """Return the path of the streams of an application."""
    return f"/v1/vhosts/{vhost}/apps/{app}/streams"


def stream_path(vhost: str, app: str, stream: str) -> str:
    """Return the path of a stream."""
    return f"/v1/vhosts/{vhost}/apps/{app}/streams/{stream}"


def action_path(vhost: str, app: str, stream: str, action: str) -> str:
    """Return the path of an action on a stream, such as `sendEvent`."""
    return f"/v1/vhosts/{vhost}/apps/{app}/streams/{stream}:{action}"


def statistics_path(vhost: str, app: str | None = None, stream: str | None = None) -> str:
    """Return the path of the statistics of a virtual host, an application or a stream."""
    path = f"/v1/stats/current/vhosts/{vhost}" + ("" if app is None else f"/apps/{app}")
    return path + ("" if stream is None else f"/streams/{stream}")
