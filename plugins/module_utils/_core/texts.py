# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts of messages and reports: names of options, valid UTF-8, bounded length, short lists of names."""

from __future__ import annotations

import contextlib
import re
import typing as t

# Texts of messages and reports: valid UTF-8, bounded length, short lists of names.

# JSON can contain half of a surrogate pair, and Python reads it. UTF-8 cannot encode it, so files and terminals reject
# it.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

LONGEST_MESSAGE = 2000  # characters
_MOST_LISTED = 5


def aligned(lines: t.Sequence[t.Sequence[str]]) -> list[str]:
    """Return the lines of a table, whose columns have the width of their longest cells."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]


def shortened(text: str, most: int = LONGEST_MESSAGE) -> str:
    """Return the text, without its middle if it has more than ``most`` characters.

    A message begins with what failed and ends with what to do; both stay.
    """
    if len(text) <= most:
        return text
    gap = f" … ({len(text):,} characters) … "
    end = (most - len(gap)) // 3
    return text[: most - len(gap) - end] + gap + text[-end:]


def listed(names: t.Sequence[str]) -> str:
    """Return names for a message; of more than five, the first two and the number of the others."""
    return ", ".join(names) if len(names) <= _MOST_LISTED else f"{names[0]}, {names[1]}, … and {len(names) - 2:,} more"


def encodable(value: t.Any) -> t.Any:
    """Return the value with each lone surrogate in its texts replaced by its escape, so that different texts stay
    different.
    """
    if isinstance(value, str):
        return value if value.isascii() else _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", value)
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [encodable(item) for item in value]
    return value


def can_hold_surrogates(text: str) -> bool:
    """Return whether the value of a JSON text can contain a lone surrogate, without parsing it."""
    return "\\u" in text or not text.isascii()


def name_list(names: t.Iterable[str], most: int = 10) -> str:
    """Return sorted names for a message; of more than ``most``, the first ones and the number of the others."""
    names = sorted(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


# What messages call the options of a task: a task of a role has variables in their place, which its user knows.
#
# The table comes with the task, before any message is made. A process works on one task at a time.

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
