# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors of configuration files, and the elements that know where they are from."""

from __future__ import annotations

from xml.etree import ElementTree

from .._core.errors import BadInput


class Element(ElementTree.Element):
    """An element of a configuration file that was read."""

    file: str = ""
    line: int = 0


class BadFile(BadInput):
    """A configuration file with invalid contents; the option is its name, with the line if one is known."""

    def __init__(self, file: str, expected: str, line: int = 0) -> None:
        super().__init__(f"{file}:{line}" if line else file, expected)
        self.attempt = f"use the configuration file {file}"


def at(element: ElementTree.Element, expected: str) -> BadFile:
    """Return the error for an element."""
    file = element.file if isinstance(element, Element) else ""
    return BadFile(file or element.tag, expected, element.line if isinstance(element, Element) else 0)
