# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Equal meaning of values, and values of configuration files."""

from __future__ import annotations

import functools
from typing import Any

import hypothesis.strategies as st
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import CsvSet, Field, StringSet
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.application_strategies import (
    applications,
    names,
    texts,
    virtual_hosts,
)


def meaning(field: Field, value: Any) -> Any:
    """Return one value for all that have the same meaning for the server.

    A list without members has no element, unless there is one around its members.
    """
    if isinstance(field, Extra):
        return without_empty_lists(field.normalize(value))
    if isinstance(field, Object):
        return {
            option: meaning(field.fields[option], item)
            for option, item in value.items()
            if item is not None and not is_empty(field.fields[option], item)
        }
    if isinstance(field, ObjectList):
        return [meaning(field.element, item) for item in value]
    return field.normalize(value)


def is_empty(field: Field, value: Any) -> bool:
    """Return whether a value has no element: an empty list without an element around it, or an empty `extra`."""
    if isinstance(field, Extra):
        return bool(without_empty_lists(value) == {})
    is_list = isinstance(field, (ObjectList, StringSet)) and not isinstance(field, CsvSet)
    return is_list and not value and "/" not in field.xml


def without_empty_lists(value: Any) -> Any:
    """Return the value of `extra` without lists that have no members."""
    if isinstance(value, dict):
        return {key: without_empty_lists(item) for key, item in value.items() if item != []}
    return [without_empty_lists(item) for item in value] if isinstance(value, list) else value


@functools.cache
def virtual_hosts_with_applications(version: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return virtual hosts with applications, with options that the version knows."""
    inside = applications(version).map(lambda app: {key: item for key, item in app.items() if key != "vhost"})
    typed = inside.map(lambda app: {"type": "live", **app})
    lists = st.lists(typed, max_size=2, unique_by=lambda app: app["name"])
    return st.tuples(virtual_hosts(version), lists).map(lambda both: {**both[0], "applications": both[1]})


def _jobs(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[list[dict[str, Any]]]:
    variants = st.lists(texts.filter(lambda text: "," not in text), max_size=3, unique=True)
    patterns = texts.filter(lambda text: not set("()") & set(text))
    job = st.fixed_dictionaries(
        {
            "vhost": st.just("v"),
            "app": st.just("a"),
            "id": names,
            "stream": st.fixed_dictionaries({"name": patterns, "variant_names": variants}),
            **fields,
        }
    )
    return st.lists(job, max_size=4, unique_by=lambda one: one["id"])


PUSHES = _jobs(
    {
        "protocol": st.sampled_from(["srt", "rtmp", "mpegts"]),
        "url": texts.map(PUSH_TASK.fields["url"].normalize).filter(bool),
        "stream_key": st.just("") | texts,
    }
)
RECORDINGS = _jobs(
    {
        "file_path": st.just("") | texts,
        "info_path": st.just("") | texts,
        "interval": st.integers(0, 2**31 - 1),
        "schedule": st.sampled_from(["", "0 */10 *"]),
        "segmentation_rule": st.sampled_from(["continuity", "discontinuity"]),
        "metadata": st.just("") | texts,
    }
)
