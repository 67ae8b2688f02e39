# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Hostile texts: fixed ones, each nasty in a way of its own, and a strategy for further ones."""

from __future__ import annotations

from hypothesis import strategies as st

DEADLY = "%s"
"""As the id of a stopPush, or in an unknown key of a virtual host, this ends a real server (server-facts: Virtual
hosts).
"""

NASTY: tuple[str, ...] = (
    DEADLY,
    "a%n%1$s%*d%%",
    "%",
    "%2e%2e%2f%00",
    'x" , "%s": 1, "y": "',
    "x'\"`$(id);|&",
    "two\nlines",
    "x\r\nX-Smuggled: 1\r\n\r\nPOST /v1/vhosts/default/apps/app:stopPush HTTP/1.1\r\n\r\n",
    "\x00",
    "a\x00b",
    "\x1b[31m\x7f",
    "/",
    "/../../v1/vhosts",
    "..",
    "x?id=%s",
    "x#y",
    "x/y:stopPush",
    "{{ lookup('env', 'HOME') }}",
    "\u00e9\u65e5\U0001f600",
    "x\u202etxt.exe",
    "\u2028\u2029\u0085\ufeff",
    "x\ud800y",
    "\udcff",
    " ",
    "",
    "********",
    "<script>alert(1)</script>",
)
"""All of these meet every option in turn."""

HUGE = "%s" * (512 * 1024)
"""A mebibyte."""

# No text of these can be a host name, a number or a word of a choice by chance, so that nothing is asked of another
# machine.
_SHARP = st.sampled_from("%/?#\"'\\\r\n\x00\u202e\u2028\ud800@;=& ")
HOSTILE_TEXTS = st.builds(
    lambda *parts: "".join(parts), st.text(max_size=8), _SHARP, st.text("%snd*$.-_a1:/?#\r\n\x00", max_size=8), _SHARP
)
"""Generated texts, each with at least two signs that no name holds."""
