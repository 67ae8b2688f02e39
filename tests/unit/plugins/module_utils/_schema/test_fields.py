# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields: translation, comparison, masking and merging, by examples and properties."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK, SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bool,
    CsvSet,
    Difference,
    Field,
    Int,
    String,
    StringList,
    StringSet,
    Url,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.strategies import (
    ANY_JSON,
    specified_forms,
    wire_forms,
    with_gaps,
)
from hypothesis import given
from hypothesis import strategies as st

RESOURCES = [pytest.param(VIRTUAL_HOST, id="virtual host"), pytest.param(PUSH_TASK, id="push task")]


def few(value: str) -> str | None:
    """Check for at most five characters."""
    return None if len(value) <= 5 else "expected at most five signs"


def holds_none(value: Any) -> bool:
    """Return whether a value contains None at any level."""
    if isinstance(value, dict):
        return any(map(holds_none, value.values()))
    return any(map(holds_none, value)) if isinstance(value, list) else value is None


# Properties of every resource


@pytest.mark.parametrize("declaration", RESOURCES)
@given(data=st.data())
def test_the_specified_form_omits_only_none(declaration: Object, data: st.DataObject) -> None:
    values = data.draw(with_gaps(declaration))
    form = declaration.specified({**values, "state": "present"})
    assert not holds_none(form)
    assert declaration.specified(form) == form
    assert form.keys() == {option for option, value in values.items() if value is not None}


@pytest.mark.parametrize("declaration", RESOURCES)
@given(data=st.data())
def test_an_object_created_as_specified_does_not_differ(declaration: Object, data: st.DataObject) -> None:
    form = data.draw(specified_forms(declaration))
    kept = declaration.as_stored(form)
    assert list(declaration.difference(form, kept)) == []
    assert declaration.equal(form, kept)


@pytest.mark.parametrize("declaration", RESOURCES)
@given(data=st.data())
def test_what_a_server_sends_is_valid_input_without_difference(declaration: Object, data: st.DataObject) -> None:
    current = declaration.from_wire(data.draw(wire_forms(declaration)))
    assert list(declaration.difference(current, current)) == []


@pytest.mark.parametrize("declaration", RESOURCES)
@given(data=st.data())
def test_merging_applies_desired_options_and_keeps_the_others(declaration: Object, data: st.DataObject) -> None:
    desired, current = data.draw(specified_forms(declaration)), data.draw(specified_forms(declaration))
    before = copy.deepcopy((desired, current))
    merged = declaration.merge(desired, current)
    assert list(declaration.difference(desired, merged)) == []
    assert {option: merged[option] for option in current.keys() - desired.keys()} == {
        option: current[option] for option in current.keys() - desired.keys()
    }
    for option in desired.keys() & current.keys():
        field = declaration.fields[option]
        if isinstance(field, Object):
            assert {inner: merged[option][inner] for inner in current[option].keys() - desired[option].keys()} == {
                inner: current[option][inner] for inner in current[option].keys() - desired[option].keys()
            }
    assert (desired, current) == before


@pytest.mark.parametrize("declaration", RESOURCES)
@given(data=st.data())
def test_any_response_can_be_read_compared_masked_and_sent_back(declaration: Object, data: st.DataObject) -> None:
    raw, desired = data.draw(wire_forms(declaration)), data.draw(specified_forms(declaration))
    current = declaration.from_wire(raw)
    assert not holds_none(current)
    assert current.keys() <= declaration.fields.keys()
    list(declaration.difference(desired, current))
    json.dumps(declaration.mask(current))
    json.dumps(declaration.to_wire(current))
    declaration.collect_secrets(current, SecretStore())
    assert all(isinstance(path, str) for path in declaration.unknown(raw))


@pytest.mark.parametrize("declaration", RESOURCES)
@given(data=st.data())
def test_there_is_a_difference_exactly_if_values_are_not_equal(declaration: Object, data: st.DataObject) -> None:
    desired, current = data.draw(specified_forms(declaration)), data.draw(specified_forms(declaration))
    assert bool(list(declaration.difference(desired, current))) is not declaration.equal(desired, current)


CANARY = "CANARY-secret-1"
SECRET_PLACES: list[tuple[Object, dict[str, Any]]] = [
    (VIRTUAL_HOST, {"signed_policy": {"secret_key": CANARY}}),
    (VIRTUAL_HOST, {"admission_webhooks": {"secret_key": CANARY}}),
    (VIRTUAL_HOST, {"admission_webhooks": {"control_server_url": f"https://u:{CANARY}@h/p"}}),
    (VIRTUAL_HOST, {"admission_webhooks": {"control_server_url": f"https://h/p?token={CANARY}"}}),
    (VIRTUAL_HOST, {"origin_map_store": {"redis_server": {"host": "h:1", "auth": CANARY}}}),
    (
        VIRTUAL_HOST,
        {
            "origins": {
                "origin": [{"location": "/", "pass": {"scheme": "rtsp", "urls": {"url": ["h", f"u:{CANARY}@h:1/a"]}}}]
            }
        },
    ),
    (PUSH_TASK, {"stream_key": CANARY}),
    (PUSH_TASK, {"url": f"rtmp://h/app/{CANARY}"}),
    (PUSH_TASK, {"url": f"srt://h:1?passphrase={CANARY}&mode=caller"}),
]


@pytest.mark.parametrize(("declaration", "form"), SECRET_PLACES)
def test_a_secret_is_masked_and_collected_in_every_field(declaration: Object, form: dict[str, Any]) -> None:
    assert CANARY not in json.dumps(declaration.mask(form))
    assert MASK in json.dumps(declaration.mask(form))
    store = SecretStore()
    declaration.collect_secrets(form, store)
    assert CANARY in store.values


@pytest.mark.parametrize(("declaration", "form"), SECRET_PLACES)
def test_a_changed_secret_is_marked_and_not_shown(declaration: Object, form: dict[str, Any]) -> None:
    other = json.loads(json.dumps(form).replace(CANARY, "OTHER-secret-2"))
    (difference,) = declaration.difference(form, other)
    assert CANARY not in repr(difference)
    assert "OTHER-secret-2" not in repr(difference)
    # Exactly one text has the mark, and a list stays a list.
    assert type(difference.after) is type(difference.before) and difference.after != difference.before
    assert (
        str(difference.after).replace(" (changed)", "") == str(difference.before)
        and str(difference.after).count(" (changed)") == 1
    )


def test_changed_secrets_in_nested_lists_are_marked() -> None:
    def origins(credentials: str) -> dict[str, Any]:
        entry = {
            "location": "/a",
            "pass": {"scheme": "rtsp", "urls": {"url": ["rtsp://h/a", f"rtsp://{credentials}@h/b"]}},
        }
        return {"name": "v", "origins": {"origin": [entry]}}

    (origin,) = VIRTUAL_HOST.mask_changed(origins("u:new"), origins("u:old"))["origins"]["origin"]
    masked = VIRTUAL_HOST.mask(origins("u:new"))["origins"]["origin"][0]["pass"]["urls"]["url"]
    assert origin["pass"]["urls"]["url"] == [masked[0], f"{masked[1]} (changed)"]
    assert VIRTUAL_HOST.mask_changed(origins("u:new"), None) == VIRTUAL_HOST.mask(origins("u:new"))

    before = {
        "queries": [{"key": "mode", "value": "x"}, {"key": "token", "value": "old"}],
        "passwords": ["kept", ["old"]],
        "urls": ["rtmp://h/a/old", "b"],
    }
    after = {
        "queries": [{"key": "mode", "value": "x"}, {"key": "token", "value": "new"}],
        "passwords": ["kept", ["new"]],
        "urls": ["rtmp://h/a/new", "b"],
    }
    changed = f"{MASK} (changed)"
    assert Extra([]).mask_changed(after, before) == {
        "queries": [{"key": "mode", "value": "x"}, {"key": "token", "value": changed}],
        "passwords": [MASK, [changed]],
        "urls": [f"rtmp://h/a/{changed}", "b"],
    }
    for other in (None, {}, {"queries": [], "passwords": "old", "urls": None}):
        assert Extra([]).mask_changed(after, other) == Extra([]).mask(after)


@pytest.mark.parametrize(("declaration", "form"), SECRET_PLACES)
def test_the_mask_as_a_value_is_refused(declaration: Object, form: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        declaration.validate(json.loads(json.dumps(declaration.mask(form))), "it")
    assert caught.value.option.startswith("it.")
    assert "show_secrets" in str(caught.value)


@pytest.mark.parametrize(
    ("declaration", "form"), [place for place in SECRET_PLACES if "control_server_url" not in repr(place)]
)
def test_an_error_message_never_shows_a_secret(declaration: Object, form: dict[str, Any]) -> None:
    broken = json.loads(json.dumps(form).replace(CANARY, f"{CANARY}\\n"))
    with pytest.raises(BadInput) as caught:
        declaration.validate(broken, "")
    assert CANARY not in str(caught.value)


# One field


def test_the_json_name_is_the_option_name_by_default() -> None:
    assert Field("a_b").wire == "a_b"
    assert Field("a_b", "aB").wire == "aB"


@pytest.mark.parametrize(
    ("field", "spec"),
    [
        (String("a"), {"type": "str", "required": False, "no_log": False}),
        (String("a", secret=True, required=True), {"type": "str", "required": True, "no_log": True}),
        (Url("a"), {"type": "str", "required": False, "no_log": False}),
        (Int("a"), {"type": "int", "required": False, "no_log": False}),
        (Bool("a"), {"type": "bool", "required": False, "no_log": False}),
        (StringSet("a"), {"type": "list", "elements": "str", "required": False, "no_log": False}),
        (CsvSet("a"), {"type": "list", "elements": "str", "required": False, "no_log": False}),
        (StringList("a"), {"type": "list", "elements": "str", "required": False, "no_log": False}),
        (
            Object("a", fields=[Bool("b")]),
            {"type": "dict", "required": False, "no_log": False, "options": {"b": Bool("b").spec()}},
        ),
        (
            ObjectList("a", identity="b", fields=[Bool("b")], required=True),
            {"type": "list", "elements": "dict", "required": True, "options": {"b": Bool("b").spec()}},
        ),
    ],
)
def test_a_field_has_an_argument_spec(field: Field, spec: dict[str, Any]) -> None:
    assert field.spec() == spec


SAME = [
    (String("a"), "x", "x"),
    (String("a"), "", None),
    (String("a"), "5", 5),
    (String("a", default="d"), "d", None),
    (String("a", normalizer=str.lower), "X", "x"),
    (Int("a"), 3000, "3000"),
    (Int("a"), 3000, " 3000 "),
    (Int("a", default=3), 3, None),
    (Bool("a"), True, "true"),
    (Bool("a"), False, " OFF "),
    (Bool("a"), True, 1),
    (Bool("a", default=True), True, None),
    (StringSet("a"), ["x", "y"], ["y", "x", "y"]),
    (StringSet("a"), [], None),
    (StringSet("a"), ["x"], "x"),
    (CsvSet("a"), ["RTMP", "srt"], "srt, rtmp"),
    (CsvSet("a"), ["rtmp"], ["rtmp", None, " "]),
    (CsvSet("a"), [], ""),
    (StringList("a"), ["x", "y"], ["x", "y"]),
]
OTHER = [
    (String("a"), "x", "X"),
    (String("a"), "x", None),
    (String("a", default="d"), "e", None),
    (String("a", default="d"), "d", ""),
    (Int("a"), 3000, "3001"),
    (Int("a"), 3000, "soon"),
    (Int("a"), 0, None),
    (Bool("a"), False, "true"),
    (Bool("a"), False, None),
    (Bool("a"), True, "maybe"),
    (StringSet("a"), ["x"], ["x", "y"]),
    (CsvSet("a"), ["x"], "y"),
    (StringList("a"), ["x", "y"], ["y", "x"]),
    (StringList("a"), ["x"], {"url": "x"}),
]


@pytest.mark.parametrize(("field", "desired", "current"), SAME)
def test_spellings_of_one_value_are_equal(field: Field, desired: Any, current: Any) -> None:
    assert field.equal(desired, current)
    assert list(field.difference(desired, current, "p")) == []


@pytest.mark.parametrize(("field", "desired", "current"), OTHER)
def test_different_values_differ(field: Field, desired: Any, current: Any) -> None:
    assert not field.equal(desired, current)
    assert list(field.difference(desired, current, "p.q")) == [Difference("p.q", current, desired)]


@given(raw=ANY_JSON)
@pytest.mark.parametrize("kind", [Field, String, Url, Int, Bool, StringSet, CsvSet, StringList])
def test_normalizing_and_reading_never_fail(kind: type[Field], raw: Any) -> None:
    field = kind("a")
    assert field.normalize(field.from_wire(raw)) == field.normalize(field.from_wire(field.from_wire(raw)))
    json.dumps(field.mask(field.from_wire(raw)))


@pytest.mark.parametrize(
    ("field", "option_form", "wire_form"),
    [
        (String("a", normalizer=str.strip), " x ", "x"),
        (Int("a"), 5, 5),
        (Bool("a"), False, False),
        (StringSet("a"), ["y", "x"], ["y", "x"]),
        (CsvSet("a"), ["srt", " RTMP "], "srt,RTMP"),
        (CsvSet("a"), [], ""),
        (StringList("a"), ["y", "x"], ["y", "x"]),
    ],
)
def test_a_value_is_sent_in_wire_form(field: Field, option_form: Any, wire_form: Any) -> None:
    assert field.to_wire(option_form) == wire_form


@pytest.mark.parametrize(
    ("field", "raw", "option_form"),
    [
        (String("a"), 5, "5"),
        (Int("a"), "5", 5),
        (Int("a"), "5 s", "5 s"),
        (Bool("a"), "True", True),
        (Bool("a"), "perhaps", "perhaps"),
        (StringSet("a"), ["y", "x", "y", None], ["y", "x"]),
        (StringSet("a"), "x", ["x"]),
        (CsvSet("a"), " a,B,, a", ["a", "B"]),
        (StringList("a"), "x", ["x"]),
    ],
)
def test_a_value_is_read_in_option_form(field: Field, raw: Any, option_form: Any) -> None:
    assert field.from_wire(raw) == option_form


@pytest.mark.parametrize("value", [None, ""])
def test_an_absent_secret_is_not_masked(value: Any) -> None:
    assert String("a", secret=True).mask(value) == value


@pytest.mark.parametrize("field", [Url("a"), StringList("a")])
def test_a_value_that_is_no_text_is_shown_unchanged(field: Field) -> None:
    assert field.mask(5) == 5
    assert field.mask(None) is None


def test_a_list_that_the_server_has_as_one_text_is_masked() -> None:
    assert StringList("a").mask("u:p@h/x") == f"{MASK}@h/x"
    assert StringList("a").mask(("h/x", "u:p@h/x")) == ["h/x", f"{MASK}@h/x"]


def test_a_secret_is_collected_as_specified_and_as_stored() -> None:
    store = SecretStore()
    String("a", secret=True, normalizer=str.strip).collect_secrets(" key ", store)
    String("b").collect_secrets("open", store)
    assert store.values == {" key ", "key"}


@pytest.mark.parametrize(
    ("field", "value", "option", "words"),
    [
        (String("a", check=few), "longer", "p", "expected at most five signs, got 'longer'"),
        (Url("a", check=few), "x://u:p@h", "p", f"expected at most five signs, got 'x://{MASK}@h'"),
        (StringSet("a", check=few), ["x", "longer"], "p[1]", "expected at most five signs, got 'longer'"),
        (StringSet("a"), ["x", "y", "x"], "p[2]", "expected each entry once, got 'x' again"),
        (CsvSet("a"), ["rtmp", " RTMP"], "p[1]", "expected each entry once, got ' RTMP' again"),
        (
            StringList("a"),
            ["x", f"{MASK}@h"],
            "p[1]",
            "expected the complete URL, got one with a masked part; read it with show_secrets",
        ),
        (String("a", secret=True, check=few), "longer", "p", "expected at most five signs"),
    ],
)
def test_an_invalid_value_is_refused_with_its_full_path(field: Field, value: Any, option: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        field.validate(value, "p")
    assert (caught.value.option, caught.value.expected) == (option, words)


@pytest.mark.parametrize(
    "field", [String("a"), String("a", check=few), String("a", secret=True), Url("a", check=few), Int("a")]
)
def test_a_valid_value_passes(field: Field) -> None:
    field.validate("x", "p")


# Objects

OBJECT = Object(
    "g",
    fields=[
        String("name"),
        String("key", "theKey", secret=True),
        Int("limit", default=5),
        Object("inner", "theInner", fields=[Bool("on", default=False), String("note", check=few)]),
        ObjectList(
            "entries",
            "theEntries",
            identity="id",
            fields=[String("id"), String("value", secret=True), StringSet("tags", check=few)],
        ),
    ],
)


def test_an_object_is_sent_and_read_with_json_names() -> None:
    form = {"name": "n", "key": "k", "limit": 1, "inner": {"on": True}, "entries": [{"id": "1", "value": "v"}]}
    wire = {"name": "n", "theKey": "k", "limit": 1, "theInner": {"on": True}, "theEntries": [{"id": "1", "value": "v"}]}
    assert OBJECT.to_wire(form) == wire
    assert OBJECT.from_wire(wire) == form


@pytest.mark.parametrize("raw", [None, "x", 5, [], ["x"]])
def test_any_other_json_reads_as_an_empty_object(raw: Any) -> None:
    assert OBJECT.from_wire(raw) == {}
    assert OBJECT.unknown(raw) == []
    assert OBJECT.from_wire({"theInner": raw}).get("inner", {}) == {}


def test_null_in_json_is_absent() -> None:
    assert OBJECT.from_wire({"name": None, "theInner": {"on": None}}) == {"inner": {}}


def test_unknown_keys_are_listed_with_their_paths() -> None:
    raw = {"name": "n", "x": 1, "theInner": {"y": {"z": 1}}, "theEntries": [{"id": 1}, {"id": 2, "w": 1}, "no object"]}
    assert OBJECT.unknown(raw) == ["x", "theInner.y", "theEntries[1].w"]
    assert OBJECT.unknown({"theEntries": "no list"}) == []


def test_differences_have_their_paths() -> None:
    desired = {
        "name": "n",
        "limit": 5,
        "inner": {"on": True, "note": "a"},
        "entries": [{"id": "1"}, {"id": "2", "value": "new", "tags": ["t"]}],
    }
    current = {"name": "n", "inner": {"note": "b"}, "entries": [{"id": "1"}, {"id": "2", "value": "old", "tags": []}]}
    assert list(OBJECT.difference(desired, current, "it")) == [
        Difference("it.inner.on", None, True),
        Difference("it.inner.note", "b", "a"),
        Difference("it.entries[1].value", MASK, f"{MASK} (changed)"),
        Difference("it.entries[1].tags", [], ["t"]),
    ]


@pytest.mark.parametrize("current", [None, "x", []])
def test_an_absent_object_differs_in_its_fields(current: Any) -> None:
    assert list(OBJECT.difference({"inner": {"on": True, "note": ""}}, {"inner": current})) == [
        Difference("inner.on", None, True)
    ]


def test_lists_of_different_length_differ_as_a_whole() -> None:
    desired, current = [{"id": "1", "value": "v"}], [{"id": "1", "value": "v"}, {"id": "2", "value": "w"}]
    assert list(OBJECT.difference({"entries": desired}, {"entries": current})) == [
        Difference("entries", [{"id": "1", "value": MASK}, {"id": "2", "value": MASK}], [{"id": "1", "value": MASK}])
    ]
    assert list(OBJECT.difference({"entries": desired}, {})) == [
        Difference("entries", [], [{"id": "1", "value": MASK}])
    ]
    assert list(OBJECT.difference({"entries": []}, {})) == []


def test_the_order_of_a_list_of_objects_is_significant() -> None:
    one, two = {"id": "1"}, {"id": "2"}
    assert not OBJECT.equal({"entries": [one, two]}, {"entries": [two, one]})


def test_entries_are_merged_by_identity_in_the_desired_order() -> None:
    current = {
        "name": "n",
        "inner": {"note": "x"},
        "entries": [{"id": "1", "value": "v"}, {"id": "2", "value": "w"}, {"id": "3"}],
    }
    desired = {"inner": {"on": True}, "entries": [{"id": "4"}, {"id": "2", "tags": ["t"]}, {"id": "1", "value": "new"}]}
    assert OBJECT.merge(desired, current) == {
        "name": "n",
        "inner": {"on": True, "note": "x"},
        "entries": [{"id": "4"}, {"id": "2", "value": "w", "tags": ["t"]}, {"id": "1", "value": "new"}],
    }


@pytest.mark.parametrize("current", [None, "x"])
def test_merging_with_nothing_returns_the_desired_value(current: Any) -> None:
    assert OBJECT.merge({"name": "n", "entries": [{"id": "1"}]}, current) == {"name": "n", "entries": [{"id": "1"}]}


def test_a_value_that_is_no_object_is_masked_unchanged() -> None:
    assert OBJECT.mask(None) is None
    assert OBJECT.fields["entries"].mask(None) is None


def test_secrets_are_collected_from_every_level() -> None:
    store = SecretStore()
    OBJECT.collect_secrets({"key": "k-1", "entries": [{"value": "v-1"}, {"value": "v-2", "id": "open"}]}, store)
    OBJECT.collect_secrets(None, store)
    OBJECT.fields["entries"].collect_secrets(None, store)
    assert store.values == {"k-1", "v-1", "v-2"}


@pytest.mark.parametrize(
    ("form", "option"),
    [
        ({"inner": {"note": "longer"}}, "it.inner.note"),
        ({"entries": [{"id": "1"}, {"id": "2", "tags": ["x", "longer"]}]}, "it.entries[1].tags[1]"),
        ({"entries": [{"id": "1"}, {"id": "1"}]}, "it.entries[1].id"),
    ],
)
def test_an_invalid_nested_value_is_refused_with_its_full_path(form: dict[str, Any], option: str) -> None:
    with pytest.raises(BadInput) as caught:
        OBJECT.validate(form, "it")
    assert caught.value.option == option


def test_an_object_can_have_a_check() -> None:
    declaration = Object("g", fields=[String("a")], check=lambda value: None if value else "expected something")
    declaration.validate({"a": "x"}, "it")
    with pytest.raises(BadInput) as caught:
        declaration.validate({}, "it")
    assert str(caught.value) == "it: expected something, got {}."
