# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What messages call the options of a task: a task of a role has variables in their place, which its user knows.

The table comes with the task, before any message is made. A process works on one task at a time.
"""

from __future__ import annotations

import contextlib
import re
import typing as t

Table = t.Callable[[], t.Mapping[str, str]]
"""Returns the variables by option. Only a message needs them, and most tasks make none."""

_FIRST = re.compile(r"\w+")
_MARKED = re.compile(r"\$([a-z_]+)")


def _no_variables() -> t.Mapping[str, str]:
    return {}


_table: Table = _no_variables


@contextlib.contextmanager
def naming(table: Table) -> t.Iterator[None]:
    """Let messages that are made inside name the variables of this table."""
    before = _table
    name_options(table)
    try:
        yield
    finally:
        name_options(before)


def renaming(options: t.Mapping[str, str]) -> t.ContextManager[None]:
    """Let messages that are made inside name other options, by option: those of the task that this is a part of."""
    outer = _table

    def table() -> t.Mapping[str, str]:
        variables = outer()
        return {**variables, **{option: variables.get(other, other) for option, other in options.items()}}

    return naming(table)


def name_options(table: Table) -> None:
    """Let messages name the variables of this table from now on."""
    global _table
    _table = table


def named(path: str) -> str:
    """Return an option for a message; ``path`` can go on, as in ``vhosts[0].host.names``."""
    return _FIRST.sub(lambda first: _table().get(first[0], first[0]), path, count=1)


def with_names(text: str) -> str:
    """Return a constant text of a message, in which ``$name`` stands for an option."""
    return _MARKED.sub(lambda found: named(found[1]), text)
