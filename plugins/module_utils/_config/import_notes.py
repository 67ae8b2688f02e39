# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What somebody has to do or to know before imported configuration files are used."""

from __future__ import annotations

import typing as t

from .._core.server_version import show
from .._core.texts import listed
from .._resources import completion
from .known_elements import NEWEST

PROTECTIONS = ("signed_policy", "admission_webhooks")
"""Options without which everybody may publish and watch: a virtual host is left out rather than one that is on."""
OFF = "its enables names no provider and no publisher"
_PULLED = "*"  # the name of an application that the server copies for streams that it pulls


def is_on(protection: t.Mapping[str, t.Any]) -> bool:
    """Return whether a server uses a signed policy or webhooks: only for what their `Enables` names [read]."""
    return any((protection.get("enables") or {}).values())


def notes(
    server: t.Mapping[str, t.Any],
    vhosts: t.Sequence[t.Mapping[str, t.Any]],
    outdated: t.Sequence[str],
) -> list[str]:
    """Return the notes on the options of Server.xml and virtual hosts.

    ``outdated`` are elements with which the newest release does not start.
    """
    found: list[str] = []
    if outdated:
        found.append(
            f"OvenMediaEngine {show(NEWEST)} does not start with these elements, which are in extra: "
            f"{', '.join(outdated)}. Remove them, or keep a release that knows them."
        )
    bind = server.get("bind", {})
    if "api" not in server.get("managers", {}) or "api" not in bind.get("managers", {}):
        found.append(
            "The server has no API. The role server adds it, with the token ovenmediaengine_api_token, and with "
            "port 8081 if bind.managers is not listed."
        )
    if "${" in server.get("managers", {}).get("api", {}).get("access_token", ""):
        found.append(
            "The access token of the API is a macro of the server. Set ovenmediaengine_api_token to the token."
        )
    incomplete = [
        f"{vhost['name']}/{app['name']} ({', '.join(completion.lacking(app))})"
        for vhost in vhosts
        for app in vhost.get("applications", [])
        if completion.lacking(app)
    ]
    if incomplete:
        found.append(
            "Streams of these applications cannot be published or played, because the files lack what the API "
            f"adds: {listed(incomplete)}. The roles server and provision add it."
        )
    found += [
        f"Only files of the server can have the application * of virtual host {vhost['name']}; the role provision "
        "refuses it."
        for vhost in vhosts
        if any(app["name"] == _PULLED for app in vhost.get("applications", []))
    ]
    found += [
        f"{name} of virtual host {vhost['name']} protects nothing, because {OFF}."
        for vhost in vhosts
        for name in PROTECTIONS
        if name in vhost and not is_on(vhost[name])
    ]
    order = [vhost["name"] for vhost in vhosts]
    patterns = any(set("*?") & set("".join(vhost.get("host", {}).get("names", []))) for vhost in vhosts)
    if patterns and len(order) > 1:
        found.append(
            "The first virtual host with a matching host name gets a stream. The order in the files is "
            f"{', '.join(order)}. With the role server, it is undefined. Check host names with * and ?."
        )
    return found
