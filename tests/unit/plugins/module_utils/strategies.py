# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hypothesis strategies from the declarations of resources: values of users and of servers."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bool,
    CsvSet,
    Field,
    Int,
    StringSet,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from hypothesis import strategies as st

TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12)
NAMES = st.text("abcXYZ019.-_", min_size=1, max_size=6)

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3),
    max_leaves=8,
)


def specified_forms(field: Field) -> st.SearchStrategy[Any]:
    """Return values of a field in specified form."""
    if isinstance(field, Object):
        return _of_fields(field)
    if isinstance(field, ObjectList):
        identity = field.identity
        return st.lists(_of_fields(field.element), max_size=3, unique_by=lambda item: item[identity])
    if isinstance(field, Bool):
        return st.booleans()
    if isinstance(field, Int):
        return st.integers(0, 2**31 - 1)
    if isinstance(field, CsvSet):
        return st.lists(NAMES, max_size=3)
    if isinstance(field, StringSet):
        return st.lists(TEXTS, max_size=3, unique=True)
    return TEXTS


def _of_fields(declaration: Object) -> st.SearchStrategy[dict[str, Any]]:
    required = {option: specified_forms(field) for option, field in declaration.fields.items() if field.required}
    optional = {option: specified_forms(field) for option, field in declaration.fields.items() if not field.required}
    return st.fixed_dictionaries(required, optional=optional)


def with_gaps(field: Field) -> st.SearchStrategy[Any]:
    """Return values of a field in option form, with None for omitted options at every level."""
    if isinstance(field, Object):
        return st.fixed_dictionaries({option: st.none() | with_gaps(inner) for option, inner in field.fields.items()})
    if isinstance(field, ObjectList):
        return st.lists(with_gaps(field.element), max_size=2)
    return specified_forms(field)


def wire_forms(field: Field) -> st.SearchStrategy[Any]:
    """Return values of a field in wire form: mostly valid, with any JSON anywhere."""
    if isinstance(field, Object):
        inner = {each.wire: wire_forms(each) for each in field.fields.values()}
        shape: st.SearchStrategy[Any] = st.fixed_dictionaries({}, optional={**inner, "unknownKey": ANY_JSON})
    elif isinstance(field, ObjectList):
        shape = st.lists(wire_forms(field.element), max_size=2)
    else:
        shape = st.sampled_from(["", "3000", "true", " False ", "a, B,,a", 3000, True, ["a", "a", None]])
    return shape | ANY_JSON
