# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random valid applications, made from their declaration and from the keys that a server version takes; and other
spellings of them.
"""

from __future__ import annotations

import functools
import re
import string
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import Version, parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import value_rules
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.cross_domains import CrossDomains
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema import validators as checks
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA, Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bitrate,
    Bool,
    Field,
    Float,
    Int,
    String,
    StringSet,
    Url,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.simulator import schema

Shuffle = Callable[[list[Any]], list[Any]]

names = st.text(string.ascii_letters + string.digits + "._-", min_size=1, max_size=8).filter(
    lambda text: text not in (".", "..")
)
texts = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8).filter(
    lambda text: "*" * 8 not in text
)
numbers = st.integers(-(2**31), 2**31 - 1)
decimals = st.floats(0, 1e6, allow_nan=False).map(lambda number: round(number, 3)) | st.integers(0, 60)
SAMPLES = (
    "/t/one",
    "/t/two",
    "rtmp",
    "webrtc",
    "srt",
    "ovt",
    "one.example.com:9000",
    "one.example.com:9000/app",
    "two.example.com:9000/app",
)
"""Texts among which each check of a field finds some that it takes."""
bit_rates = st.integers(1, 10**8).map(str) | st.builds(
    lambda number, unit: f"{number}{unit}", st.sampled_from(["2", "2.5", "128"]), st.sampled_from("kKmM")
)
urls = st.sampled_from(["http://127.0.0.1:9595/x", "https://u:p@hooks.example.com/?token=abc"])
scalars = st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | texts | urls


@st.composite
def some_of(draw: st.DrawFn, required: dict[str, Any], optional: dict[str, Any]) -> dict[str, Any]:
    """A dictionary with a few of the optional keys; with half of all of them at each level examples would be huge."""
    chosen = draw(st.lists(st.sampled_from(sorted(optional)), max_size=4, unique=True)) if optional else []
    return {**{key: draw(value) for key, value in required.items()}, **{key: draw(optional[key]) for key in chosen}}


@functools.cache
def applications(version: str) -> st.SearchStrategy[dict[str, Any]]:
    """Applications that a server of the version takes (see the simulator's schema)."""
    made = _group(APPLICATION.at(parse(version)), schema.application(version))
    taken = made.map(lambda app: _without_refused({**app, "vhost": "t-v"}, parse(version)))
    return taken.map(_without_empty_sets)


@functools.cache
def virtual_hosts(version: str) -> st.SearchStrategy[dict[str, Any]]:
    """Virtual hosts that a server of the version takes, from all declared options that it knows."""
    made = _group(VIRTUAL_HOST.at(parse(version)), schema.virtual_host(version, False))
    return made.map(lambda vhost: {**vhost, "host": {**vhost.get("host", {}), "names": ["t.example.com"]}})


def _without_empty_sets(app: dict[str, Any]) -> dict[str, Any]:
    """An empty set of providers or publishers is refused."""
    return {
        key: value
        for key, value in app.items()
        if key not in ("providers", "publishers") or value not in ({}, {EXTRA: {}})
    }


def _without_refused(app: dict[str, Any], version: Version) -> dict[str, Any]:
    """An application without the values that a server of the version refuses."""
    found = value_rules.refused(app, version)
    while found is not None:
        steps = [int(step) if step.isdecimal() else step for step in re.split(r"[.\[\]]+", found.option)]
        holders: list[Any] = [app]
        for step in steps[:-1]:
            holders.append(holders[-1][step])
        if holders[-1].pop(steps[-1], None) in (None, []):  # what is required is missing
            del holders[-2][steps[-2]]
        found = value_rules.refused(app, version)
    return app


def _group(group: Object, known: Any) -> st.SearchStrategy[dict[str, Any]]:
    required, optional = {}, {}
    if isinstance(group, CrossDomains) and group.bare:
        return st.fixed_dictionaries({"urls": st.lists(texts, max_size=3, unique=True)})
    for option, field in group.fields.items():
        if isinstance(field, Extra):
            continue
        entry = known.fields.get(field.wire, schema.Field(required=option == "vhost"))
        if field.wire not in known.fields and option != "vhost":
            continue
        if (
            isinstance(field, Object)
            and not isinstance(field, CrossDomains)
            and not isinstance(entry.kind, schema.Item)
        ):
            continue  # 0.21.0 takes providers.file, and nothing in it
        chosen = required if field.required or entry.required else optional
        chosen[option] = _value(field, entry.kind)
    if EXTRA in group.fields:
        declared = {wire for field in group.fields.values() for wire in field.wires}
        optional[EXTRA] = st.fixed_dictionaries(
            {},
            optional={key: _beyond(entry.kind) for key, entry in known.fields.items() if key not in declared},
        )
    made = some_of(required, optional)
    if "bypass" in group.fields:  # the server takes an encode only with these [read]
        made = made.map(lambda encode: encode if {"codec", "bitrate"} <= encode.keys() else {**encode, "bypass": True})
    return made


def _value(field: Field, kind: Any) -> st.SearchStrategy[Any]:
    if isinstance(field, Object):
        return _group(field, kind)
    if isinstance(field, ObjectList):
        identity, inner = field.identity, kind.kind if isinstance(kind, schema.ListOf) else kind
        return st.lists(_group(field.element, inner), max_size=2, unique_by=lambda item: item.get(identity, id(item)))
    if field.option == "name":
        return names
    if isinstance(field, String) and field.choices:
        return st.sampled_from(field.choices)
    plain = texts
    if isinstance(field, (String, StringSet)) and field.check not in (None, checks.one_line, checks.one_line_or_empty):
        fitting = [text for text in SAMPLES if field.check and field.check(text) is None]
        plain = st.sampled_from(fitting) if fitting else texts
    if isinstance(field, StringSet):
        return st.lists(plain, min_size=1, max_size=3, unique=True)
    simple = {
        Bool: st.booleans(),
        Int: st.integers(0, 2**31 - 1),
        Float: decimals,
        Bitrate: bit_rates,
        Url: urls,
        String: plain,
    }
    return simple[type(field)]


def _beyond(kind: Any) -> st.SearchStrategy[Any]:
    if isinstance(kind, schema.Item):
        bare = [
            entry.kind for entry in kind.fields.values() if isinstance(entry.kind, schema.ListOf) and entry.kind.bare
        ]
        if bare:  # JSON leaves the name of the members out
            return _beyond(bare[0])
        return st.fixed_dictionaries(
            {key: _beyond(entry.kind) for key, entry in kind.fields.items() if entry.required},
            optional={key: _beyond(entry.kind) for key, entry in kind.fields.items() if not entry.required},
        )
    if isinstance(kind, schema.ListOf):
        return st.lists(_beyond(kind.kind), max_size=2)
    return scalars


def respell(value: Any, shuffle: Shuffle, field: Field = APPLICATION) -> Any:
    """The same option as somebody else would write it: text for numbers, other order, other case, bare members."""
    if value is None:
        return value
    if isinstance(field, Object):
        spelled = {option: respell(value[option], shuffle, field.fields[option]) for option in shuffle(sorted(value))}
        if field.presence_keyed:
            spelled = {
                option: None if item == {} and isinstance(field.fields[option], Object) else item
                for option, item in spelled.items()
            }
        return spelled
    if isinstance(field, ObjectList):
        return [respell(item, shuffle, field.element) for item in value]
    if isinstance(field, Extra):
        return _respell_extra(value, shuffle)
    if isinstance(field, StringSet):
        return shuffle(list(value))
    if isinstance(field, Bool):
        return "yes" if value else "no"
    if isinstance(field, (Int, Float)):
        return f" {value}"
    if isinstance(field, Bitrate):
        return int(value) if str(value).isdecimal() else value.swapcase()
    return value


def _respell_extra(value: Any, shuffle: Shuffle) -> Any:
    if isinstance(value, dict):
        return {**{key: _respell_extra(value[key], shuffle) for key in shuffle(sorted(value))}, "notGiven": None}
    if isinstance(value, list):
        return [_respell_extra(item, shuffle) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (int, float)) else value
