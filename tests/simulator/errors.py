# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ways in which a request fails."""

from __future__ import annotations

import re

# A conversion as printf(3) reads it. "%%" prints a percent sign and asks for no argument.
_CONVERSION = re.compile(r"%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?(?:hh|h|ll|l|q|L|j|z|Z|t)?[diouxXeEfFgGaAcsCSpnm]")

NO_OBJECT = "in Json::Value::find(begin, end): requires objectValue or nullValue"
"""What the server's JSON library says when a key is looked for in something that is no object."""


class ApiError(Exception):
    """A request or an item that is refused.

    :param status: HTTP status.
    :param text: the server's words, without the frame ``[HTTP] ... (status)``.
    :param framed: whether the frame goes around them when the error is the whole answer.
    """

    def __init__(self, status: int, text: str, framed: bool = True) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.framed = framed

    @property
    def message(self) -> str:
        """Return the text as the envelope of a whole answer carries it."""
        return f"[HTTP] {self.text} ({self.status})" if self.framed else self.text


class ConfigError(Exception):
    """A virtual host or application that the configuration rules refuse; ``str()`` has the words."""

    @property
    def message(self) -> str:
        """Return the text as items of POST /v1/vhosts carry it."""
        return f"[Config] {self}"


class ServerDies(Exception):
    """The request ends the server process (server-facts: Virtual hosts, "Two requests kill the server process")."""


def has_conversion(text: str) -> bool:
    """Return whether printf would ask for an argument when ``text`` is its format."""
    return _CONVERSION.search(text.replace("%%", "")) is not None
