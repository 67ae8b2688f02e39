# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts about options that some releases of the server do not know."""

from __future__ import annotations

import typing as t

from .._core.option_names import named
from .._core.server_version import Version, describe, show
from .fields import Field


def needs(path: str, field: Field) -> str:
    """Return a text with the releases that know an option."""
    releases = [f"OvenMediaEngine {show(field.since)} or later"] if field.since else []
    releases += [f"{'' if releases else 'OvenMediaEngine '}{show(field.until)} or earlier"] if field.until else []
    instead = f" (others have {field.instead} in place of {field.option})" if field.instead else ""
    return f"{named(path)} needs {', '.join(releases)}{instead}"


def unsupported(unknown: t.Sequence[str], version: Version) -> str:
    """Return the detail of an error for unsupported options: at most five and the number of the others."""
    more = f"; and {len(unknown) - 5} more options" if len(unknown) > 5 else ""
    return f"{'; '.join(unknown[:5])}{more}. The version of this server is {describe(version)}."
