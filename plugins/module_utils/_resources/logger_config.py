# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The server's log, Logger.xml (server-facts: Configuration files).

Names that begin with `@` are XML attributes.
"""

from __future__ import annotations

import re
import typing as t

from .._core.server_version import UNKNOWN, Version
from .._schema import validators as checks
from .._schema.fields import Bool, String
from .._schema.objects import Object, ObjectList
from . import refusals, value_rules

XML_VERSION = "2"  # of the form of Logger.xml; the only one that supported releases take [read]
LEVELS = ("trace", "debug", "info", "warn", "error", "critical")
# What the server's expressions, those of ECMAScript, have of Python's: in them, `{` is never itself, and `(?` begins
# a group without number or a lookahead only.
_ECMASCRIPT = re.compile(
    r"(?:\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^xu])|\[\^?(?:\\.|[^\]\\])*\]|"  # an escape, a class,
    r"\{[0-9]+(?:,[0-9]*)?\}|\(\?[:=!]|\((?!\?)|[^\\\[{(])*"  # a number of repetitions, a group, a character
)
DEFAULT_PATH = "/var/log/ovenmediaengine"
DEFAULT_TAGS = (
    {"name": "SRT", "level": "critical"},
    {"name": r".*\.Stat", "level": "warn"},
    {"name": ".*", "level": "info"},
)
"""The tags of the server's own Logger.xml that all releases have. Logger.xml has to have one [read]."""


def _pattern(value: str) -> str | None:
    """Check the regular expression of a tag."""
    if checks.one_line(value):
        return checks.one_line(value)
    try:
        re.compile(value)
    except re.error:
        return "expected a regular expression such as '.*' or 'HTTP.Server'"
    if not _ECMASCRIPT.fullmatch(value):
        return "expected a regular expression of ECMAScript, such as '.*', without flags, lookbehinds and a literal {"
    return None


# The order counts: what follows the first tag is read as a tag, whatever its name [read].
LOGGER = Object(
    "logger",
    fields=[
        String("path", default=DEFAULT_PATH, check=checks.absolute_path),
        Object("file", since="0.21.0", fields=[Bool("enabled", xml="@enabled", default=True)]),
        ObjectList(
            "tags",
            xml="Tag",
            identity="name",
            fields=[
                String("name", xml="@name", required=True, check=_pattern),
                String("level", xml="@level", required=True, choices=LEVELS),
            ],
        ),
    ],
)


def validate(logger: t.Mapping[str, t.Any], path: str = "logger") -> None:
    """Raise BadInput for an invalid configuration (specified form); ``path`` is the full path of its option."""
    LOGGER.validate(logger, path)
    check_values(logger, UNKNOWN, path)


def check_values(logger: t.Mapping[str, t.Any], version: Version, path: str = "logger") -> None:
    """Raise BadInput for a value (option form) with which the release does not start."""
    refusals.check(value_rules.LOGGER, logger, path, version)


def complete(logger: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return the configuration with everything that Logger.xml has to have [read]."""
    return {"path": DEFAULT_PATH, "tags": [dict(tag) for tag in DEFAULT_TAGS], **logger}
