# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Diffs of configuration files without their secrets.

Both texts are made from option form, masked by its declaration. No text of a file itself is shown.
"""

from __future__ import annotations

import typing as t

from .._schema.objects import Object
from . import xml_writer


def diff(
    declaration: Object,
    tag: str,
    name: str,
    before: t.Mapping[str, t.Any] | None,
    after: t.Mapping[str, t.Any] | None,
) -> dict[str, str]:
    """Return the diff of the file ``name`` (both values in option form), in the form that Ansible shows.

    A secret that changes is marked. None is a file that does not exist.
    """
    old = "" if before is None else _text(declaration, tag, declaration.mask(before))
    new = "" if after is None else _text(declaration, tag, declaration.mask_changed(after, before))
    return {"before_header": name, "after_header": name, "before": old, "after": new}


def _text(declaration: Object, tag: str, value: t.Mapping[str, t.Any]) -> str:
    return xml_writer.text(xml_writer.element(declaration, value, tag))
