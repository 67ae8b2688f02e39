# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From which pages browsers may play: the headers of CORS in answers to viewers (CorsManager [read])."""

from __future__ import annotations

import re
from typing import Any

from .objects import Application, VirtualHost
from .versions import ServerVersion

_PREFIX = "Access-Control-"
ALLOW_ORIGIN = f"{_PREFIX}Allow-Origin"
_METHODS, _CREDENTIALS, _HEADERS = (f"{_PREFIX}Allow-{name}" for name in ("Methods", "Credentials", "Headers"))
_SPECIAL = {name.lower() for name in (ALLOW_ORIGIN, _METHODS, _CREDENTIALS, _HEADERS)}


def headers(
    version: ServerVersion, vhost: VirtualHost, app: Application, publisher: str, methods: str, sent: dict[str, str]
) -> dict[str, str]:
    """Return the headers of CORS that an answer to a viewer has.

    :param publisher: as the API writes it.
    :param methods: which the publisher allows.
    :param sent: the headers of the request, by names in lower case.
    """
    urls, custom = _settings(version, vhost, app, publisher)
    if urls is None:
        return {_METHODS: methods} if version.viewers_get_cors else {}
    allowed = _allowed(urls, sent.get("origin", ""))
    special = {name.lower(): value for name, value in custom.items()}
    others = {name: value for name, value in custom.items() if name.lower() not in _SPECIAL}
    if allowed is None:
        return others if version.viewers_get_cors else {}
    found = {ALLOW_ORIGIN: allowed, _CREDENTIALS: special.get(_CREDENTIALS.lower(), "true")}
    found[_METHODS] = special.get(_METHODS.lower(), methods)
    asked = sent.get(f"{_PREFIX}Request-Headers".lower(), "") if version.viewers_get_cors else "*"
    found[_HEADERS] = special.get(_HEADERS.lower(), asked)
    vary = {} if version.viewers_get_cors else {"Vary": "Origin"}
    return {**{name: value for name, value in found.items() if value}, **vary, **others}


def without(headers_: dict[str, str]) -> dict[str, str]:
    """Return headers without those of CORS."""
    return {name: value for name, value in headers_.items() if not name.startswith(_PREFIX)}


def _settings(
    version: ServerVersion, vhost: VirtualHost, app: Application, publisher: str
) -> tuple[list[str] | None, dict[str, str]]:
    """Return the origins that are allowed and the headers that are configured; None if nothing is.

    Before 0.20.0 a publisher without settings of its own had those of the virtual host.
    """
    publishers = app.config.get("publishers")
    own = publishers.get(publisher) if isinstance(publishers, dict) else None
    found: Any = own.get("crossDomains") if isinstance(own, dict) else None
    if found is None and not version.viewers_get_cors:
        found = vhost.config.get("crossDomains")
    if isinstance(found, list):  # before 0.17.2
        return [str(url) for url in found], {}
    if not isinstance(found, dict):
        return None, {}
    custom = {str(entry["key"]): str(entry["value"]) for entry in found.get("headers") or ()}
    return [str(url) for url in found.get("urls") or ()], custom


def _allowed(urls: list[str], origin: str) -> str | None:
    """Return the value of Access-Control-Allow-Origin; None if an origin is not allowed."""
    if "*" in urls:
        return "*"
    if urls == ["null"]:
        return "null"
    return origin if any(_matches(origin, url) for url in urls if url != "null") else None


def _matches(origin: str, url: str) -> bool:
    pattern = re.escape(url).replace(r"\*", ".*").replace(r"\?", ".?")
    scheme = "" if "://" in url else "(http.?://)?"
    return re.fullmatch(scheme + pattern, origin) is not None
