# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The application: JSON form, presence-keyed providers and publishers, `extra`, rules."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK, SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import application
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bitrate,
    Float,
    Int,
    String,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.strategies import ANY_JSON
from hypothesis import given

KEY = {"vhost": "v", "name": "a"}
PRESENCE_KEYED = Object(
    "g",
    presence_keyed=True,
    extra=True,
    fields=[Int("count"), Object("one", fields=[Int("x")], extra=True), Object("two", "tWO", fields=[])],
)


def differing(declaration: Object, desired: Any, current: Any) -> list[str]:
    found = [difference.field for difference in declaration.difference(desired, current)]
    assert bool(found) is not declaration.equal(desired, current)
    return found


@pytest.mark.parametrize(
    ("value", "normalized"),
    [
        (1, 1),
        ("1", 1),
        (" 1.0 ", 1),
        ("0.5", 0.5),
        (2**60 + 1, 2**60 + 1),
        (f"+{2**60 + 1}", 2**60 + 1),
        ("nan", "nan"),
        ("x", "x"),
        (None, ""),
        ("inf", "inf"),
    ],
)
def test_float(value: Any, normalized: Any) -> None:
    assert Float("d").normalize(value) == normalized and Float("d").to_wire(value) == normalized


@pytest.mark.parametrize(
    ("value", "wire", "read"),
    [
        ("2m", "2M", "2m"),
        ("2000", 2000, 2000),
        (2000, 2000, 2000),
        ("2.5M", "2.5M", "2.5M"),
        (None, "", "None"),
        ("²", "²", "²"),
    ],
)
def test_bitrate(value: Any, wire: Any, read: Any) -> None:
    assert Bitrate("b").to_wire(value) == wire and Bitrate("b").from_wire(value) == read


@pytest.mark.parametrize(
    ("desired", "current", "fields"),
    [
        ({"one": {}}, {"one": {}}, []),
        ({"one": {}}, {"one": {"x": 1}, "count": 3}, []),
        ({"one": {}}, {"one": {}, "two": {}}, ["two"]),
        ({"one": {}, "two": {}}, {"one": {}}, ["two"]),
        ({"one": {}}, {"one": {}, "extra": {"three": {}, "number": 1}}, ["extra.three"]),
        (
            {"one": {}, "extra": {"three": {}, "number": 2}},
            {"one": {}, "extra": {"number": 1}},
            ["extra.three", "extra"],
        ),
        ({"one": {}}, None, ["one"]),
        ({"one": {}}, "text", ["one"]),
        ({"one": {"x": 1, "extra": {"a": 1}}}, {"one": {"x": 2, "extra": {"a": 2}}}, ["one.x", "one.extra"]),
    ],
)
def test_presence_keyed_objects_are_a_set(desired: Any, current: Any, fields: list[str]) -> None:
    assert differing(PRESENCE_KEYED, desired, current) == fields


def test_merge_of_presence_keyed_objects() -> None:
    current = {"count": 1, "one": {"x": 1, "extra": {"k": 1}}, "two": {}, "extra": {"three": {}, "number": 1}}
    assert PRESENCE_KEYED.merge({"one": {"x": 2}}, current) == {
        "count": 1,
        "one": {"x": 2, "extra": {"k": 1}},
        "extra": {"number": 1},
    }
    merged = PRESENCE_KEYED.merge({"two": {}, "extra": {"three": {"a": 1}}}, current)
    assert merged == {"count": 1, "two": {}, "extra": {"three": {"a": 1}, "number": 1}}
    assert current["two"] == {} and PRESENCE_KEYED.merge({"one": {}}, None) == {"one": {}}


@pytest.mark.parametrize(
    ("desired", "current", "equal"),
    [
        ({}, None, True),
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": "1", "b": 2}, True),
        ({"a": True}, {"a": "true"}, True),
        ({"a": 1}, {}, False),
        ({"a": 1}, None, False),
        ({"a": {"b": None}}, {"a": {}}, True),
        ({"a": [1, {"b": 1}]}, {"a": ["1", {"b": 1, "c": 2}]}, True),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": [1]}, {"a": 1}, False),
        ({"a": {"b": 1}}, {"a": [1]}, False),
    ],
)
def test_extra_compares_specified_keys_only(desired: Any, current: Any, equal: bool) -> None:
    assert Extra([]).equal(desired, current) is equal


def test_extra_masks_by_name_and_by_url() -> None:
    value = {
        "secretKey": "S1",
        "list": [{"password": "S2"}, "rtmp://h/app/S3"],
        "token": "",
        "auth": True,
        "keyframe": 1,
        "accessKey": 77,
        "key": {"a": "open"},
    }
    masked = Extra([]).mask(value)
    assert masked == {**value, "secretKey": MASK, "list": [{"password": MASK}, f"rtmp://h/app/{MASK}"], "accessKey": 77}
    store = SecretStore()
    Extra([]).collect_secrets(value, store)
    assert {"S1", "S2", "S3"} <= store.values and not {"77", "open"} & store.values
    changed = Extra([]).mask_changed({**value, "secretKey": "S4"}, value)
    assert changed["secretKey"] == f"{MASK} (changed)" and changed["list"] == masked["list"]
    assert Extra([]).mask_changed({"secretKey": "S4"}, None) == {"secretKey": MASK}
    assert Extra([]).mask_changed({"url": "rtmp://h/app/S5"}, {"url": "rtmp://h/app/S3"}) == {
        "url": f"rtmp://h/app/{MASK} (changed)"
    }


def test_extra_refuses_declared_names_and_names_the_option() -> None:
    with pytest.raises(BadInput) as caught:
        Extra([String("some_name", "someName")]).validate({"someName": 1}, "a.extra")
    assert (
        caught.value.option == "a.extra.someName"
        and "use the option some_name instead of extra" in caught.value.expected
    )


@given(raw=ANY_JSON)
def test_any_response_can_be_inspected(raw: Any) -> None:
    for sent in (
        {
            "name": "a",
            "providers": raw,
            "outputProfiles": {"outputProfile": [{"name": "x", "encodes": raw}]},
            "unknown": raw,
        },
        {"publishers": {"llhls": raw, "x": raw}},
    ):
        app = application.from_wire(sent, "v")
        json.dumps(APPLICATION.mask(app))
        APPLICATION.collect_secrets(app, SecretStore())
        assert list(APPLICATION.difference(app, app)) == [] and app["vhost"] == "v"
        assert application.can_push(app) in (True, False) and APPLICATION.unknown(sent) == []


@pytest.mark.parametrize("name", ("push", "rtmp_push", "srt_push", "mpegts_push"))
def test_publishers_for_push_tasks(name: str) -> None:
    assert (
        application.can_push({"publishers": {name: {}}})
        and not application.can_push({"publishers": {"llhls": {}}})
        and not application.can_push({})
    )


def test_wire_form() -> None:
    app = {
        **KEY,
        "providers": {"rtsp_pull": {}},
        "publishers": {"llhls": {"dvr": {"enable": True}, "extra": {"dumps": {}}}},
        "extra": {"decodes": {}},
    }
    for version, dvr in (((0, 20, 5), "dVR"), ((0, 21, 0), "dvr"), (None, "dvr")):
        wire = {
            "type": "live",
            "name": "a",
            "providers": {"rtspPull": {}},
            "publishers": {"llhls": {dvr: {"enable": True}, "dumps": {}}},
            "decodes": {},
        }
        declaration = application.APPLICATION.at(version) if version else application.APPLICATION
        assert application.create_request(app, declaration) == wire
        assert application.from_wire({**wire, "dynamic": False, "vhost": "other"}, "v") == {**app, "type": "live"}
    assert application.from_wire({"name": "a", "providers": {}, "publishers": {}}, "v") == KEY
    assert (
        application.is_dynamic({"dynamic": "true"}),
        application.is_dynamic({"dynamic": False}),
        application.is_dynamic({}),
    ) == (True, False, False)


@pytest.mark.parametrize(("raw", "urls"), ((["*"], ["*"]), ({"urls": ["a", "b"]}, ["a", "b"]), ({"urls": "a"}, ["a"])))
def test_cross_domains_in_both_forms(raw: Any, urls: list[str]) -> None:
    assert application.from_wire({"publishers": {"hls": {"crossDomains": raw}}}, "v")["publishers"]["hls"][
        "cross_domains"
    ] == {"urls": urls}


@pytest.mark.parametrize(
    ("profile", "lacking"),
    [
        ({"name": "x", "output_stream_name": "s"}, None),
        ({"name": "x", "output_stream_name": "s", "encodes": {"videos": [{"bypass": True}], "images": [{}]}}, None),
        ({"name": "x"}, "output_stream_name"),
        (
            {
                "name": "x",
                "output_stream_name": "s",
                "encodes": {"audios": [{"codec": "aac", "bitrate": 1}, {"codec": "aac"}]},
            },
            "encodes.audios[1].bitrate",
        ),
    ],
)
def test_incomplete_profiles(profile: dict[str, Any], lacking: str | None) -> None:
    said = application.incomplete({**KEY, "output_profiles": {"output_profile": [profile]}})
    assert said is None if lacking is None else f"output_profile[0].{lacking}: is required" in str(said)
