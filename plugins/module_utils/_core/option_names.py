# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What messages call the options of a task: a task of a role has variables in their place, which its user knows.

The table comes with the task, before any message is made. A process works on one task at a time.
"""

from __future__ import annotations

import contextlib
import re
import string
import typing as t

_FIRST = re.compile(r"\w+")
_variables: dict[str, str] = {}


@contextlib.contextmanager
def naming(variables: t.Mapping[str, str]) -> t.Iterator[None]:
    """Let messages that are made inside name these variables; the keys are options."""
    before = dict(_variables)
    name_options(variables)
    try:
        yield
    finally:
        name_options(before)


@contextlib.contextmanager
def renaming(options: t.Mapping[str, str]) -> t.Iterator[None]:
    """Let messages that are made inside name other options, by option: those of the task that this is a part of."""
    with naming({**_variables, **{option: named(other) for option, other in options.items()}}):
        yield


def name_options(variables: t.Mapping[str, str]) -> None:
    """Let messages name these variables from now on; the keys are options."""
    _variables.clear()
    _variables.update(variables)


def named(path: str) -> str:
    """Return an option for a message; ``path`` can go on, as in ``vhosts[0].host.names``."""
    return _FIRST.sub(lambda first: _variables.get(first[0], first[0]), path, count=1)


def with_names(text: str) -> str:
    """Return a constant text of a message, in which ``$name`` stands for an option."""
    return string.Template(text).safe_substitute(_Names())


class _Names(dict[str, str]):
    """The names by option."""

    def __missing__(self, option: str) -> str:
        return named(option)
