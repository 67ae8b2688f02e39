# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Recognize access tokens that were changed before they were given to the collection."""

from __future__ import annotations

import base64
import binascii
import re

_HEADER = re.compile(r"(?:authorization:?\s*)?(basic|bearer)\s", re.IGNORECASE)
_SHORTEST = 8  # characters; a shorter token is often Base64 of something by chance


def rejected_token(token: str) -> str:
    """Return what a rejected access token looks like, as a sentence without any part of it; empty if unsuspicious.

    The server takes the token as a whole, and the modules encode it (server-facts: HTTP).
    """
    header = _HEADER.match(token.lstrip())
    if header:
        return f"It begins with '{header[1].capitalize()} ': give the token alone, and not encoded."
    if token != token.strip():
        return "It begins or ends with a blank."
    if token[:1] == token[-1:] and token[:1] in "\"'":
        return "It has quotes around it, which are taken for a part of it."
    return "It looks like Base64: give it as it is in Server.xml, not encoded." if _is_encoded(token) else ""


def _is_encoded(token: str) -> bool:
    """Return whether a text is Base64 of printable ASCII."""
    if len(token) < _SHORTEST:
        return False
    try:
        decoded = base64.b64decode(token, validate=True)
    except (binascii.Error, ValueError):
        return False
    return decoded.isascii() and decoded.decode("ascii", "replace").strip().isprintable()
