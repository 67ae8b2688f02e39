# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write files of environment variables as systemd, podman and docker compose read them.

Each has rules of its own. A value that one of them would change is refused by the name of its variable, and no message
has a value.
"""

from __future__ import annotations

import re
import typing as t

from .._core.option_names import named

NOTICE = "# Written by Ansible (streamops.ovenmediaengine); changes by hand are overwritten."
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# What no reader gives a meaning without quotes.
_PLAIN = re.compile(r"[A-Za-z0-9_./:@%+,=\\-]*")
# What systemd unescapes in double quotes (systemd.exec: EnvironmentFile).
_ESCAPED = re.compile(r'(["\\`$])')


def problems(variables: t.Any, backend: str, what: str = "environment_variables") -> list[str]:
    """Return why variables cannot be those of a server; ``what`` is the option with the dictionary."""
    what = named(what)
    if not isinstance(variables, t.Mapping):
        return [f"{what} has to be a dictionary of environment variables and their values."]
    found = []
    for name, value in variables.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            found.append(f"{what}: expected names of letters, digits and '_', got {str(name)[:100]!r}.")
        elif not isinstance(value, (str, int, float)):
            found.append(f"{what}.{name}: expected a text or a number.")
        elif _CONTROL.search(text_of(value)):
            found.append(f"{what}.{name}: expected one line, without line breaks and other control characters.")
        elif backend == "compose" and _for_compose(text_of(value)) is None:
            found.append(
                f"{what}.{name}: expected no backslash at the end beside quotes, blanks, '#' or '$', which docker "
                "compose cannot read."
            )
    return found


def text_of(value: t.Any) -> str:
    """Return a value as the text that the server gets."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def render(variables: t.Mapping[str, t.Any], backend: str) -> str:
    """Return the text of a file for a backend of the module `server`, for variables without :func:`problems`."""
    quotes: dict[str, t.Callable[[str], str | None]] = {
        "systemd": _for_systemd,
        "quadlet": str,
        "compose": _for_compose,
    }
    lines = [f"{name}={quotes[backend](text_of(variables[name]))}" for name in sorted(variables)]
    return "\n".join([NOTICE, *lines]) + "\n"


def _for_systemd(value: str) -> str:
    """Return a value in double quotes, in which systemd replaces no variable."""
    escaped = _ESCAPED.sub(r"\\\1", value)
    return f'"{escaped}"'


def _for_compose(value: str) -> str | None:
    """Return a value as docker compose reads it; None if it cannot.

    In single quotes nothing is replaced, but a quote cannot be in them. In double quotes a backslash escapes. A
    backslash before the last quote would escape that.
    """
    if _PLAIN.fullmatch(value):
        return value
    if value.endswith("\\"):
        return None
    if "'" not in value:
        return f"'{value}'"
    escaped = re.sub(r'(["\\$])', r"\\\1", value)
    return f'"{escaped}"'
