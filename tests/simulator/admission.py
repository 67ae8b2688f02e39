# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a signed policy of a virtual host admits a publisher or viewer (server-facts: Signed URLs)."""

from __future__ import annotations

import re

from .objects import VirtualHost
from .signed_urls import refusal
from .state import State

PUBLISHERS, PROVIDERS = "publishers", "providers"


def why_refused(state: State, vhost: VirtualHost, url: str, client: str, kind: str, name: str) -> str:
    """Return why a URL is refused, or an empty text.

    :param kind: ``publishers`` for viewers, ``providers`` for those who publish. :param name: of one of them.
    """
    policy = vhost.config.get("signedPolicy")
    if not isinstance(policy, dict):
        return ""
    listed = str((policy.get("enables") or {}).get(kind, "")).lower()
    if name not in [one.strip() for one in listed.split(",")]:
        return ""
    now = int(state.clock.time_of_day().timestamp() * 1000)
    names = str(policy.get("policyQueryKeyName", "")), str(policy.get("signatureQueryKeyName", ""))
    return refusal(url, str(policy.get("secretKey", "")), now, client, *names)


def signed_url(scheme: str, host: str, port: int, path: str, query: str = "") -> str:
    """Return the URL that is signed: the server adds its own port if a request has none.

    :param host: the header Host.
    """
    address = host if re.search(r":\d+$", host) else f"{host}:{port}"
    return f"{scheme}://{address}{path}" + (f"?{query}" if query else "")


def host_name(host: str) -> str:
    """Return the name in a header Host."""
    return re.sub(r":\d+$", "", host)
