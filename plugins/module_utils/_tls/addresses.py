# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Spell hosts for the operating system, and recognize endpoints that do not speak TLS."""

from __future__ import annotations

# OpenSSL's reasons if the peer does not speak TLS.
NOT_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE")


def host_of(host: str) -> str:
    """Return the host of a URL in the spelling of the operating system.

    A URL spells the % before the zone of an IPv6 address as %25 (RFC 6874).
    """
    return host.replace("%25", "%", 1) if ":" in host else host
