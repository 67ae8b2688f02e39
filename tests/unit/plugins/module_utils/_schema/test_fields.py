# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields: translation, comparison, masking and merging, by example and by law."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_urls import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secrets import SecretStore
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.push_task import PUSH_TASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.collections import (
    CsvSet,
    StringList,
    StringSet,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import Difference, Field
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.scalars import Bool, Int, String, Url
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.strategies import (
    ANY_JSON,
    given_forms,
    wire_forms,
    with_gaps,
)
from hypothesis import given
from hypothesis import strategies as st

RESOURCES = [pytest.param(VIRTUAL_HOST, id="virtual host"), pytest.param(PUSH_TASK, id="push task")]


def few(value: str) -> str | None:
    """A check: no more than five signs."""
    return None if len(value) <= 5 else "expected at most five signs"


def holds_none(value: Any) -> bool:
    """Whether there is a None at any level."""
    if isinstance(value, dict):
        return any(map(holds_none, value.values()))
    return any(map(holds_none, value)) if isinstance(value, list) else value is None


# Laws, for every resource


@pytest.mark.parametrize("group", RESOURCES)
@given(data=st.data())
def test_the_given_form_has_no_gaps_and_loses_nothing_else(group: Object, data: st.DataObject) -> None:
    values = data.draw(with_gaps(group))
    form = group.specified({**values, "state": "present"})
    assert not holds_none(form)
    assert group.specified(form) == form
    assert form.keys() == {option for option, value in values.items() if value is not None}


@pytest.mark.parametrize("group", RESOURCES)
@given(data=st.data())
def test_what_was_made_as_given_does_not_differ(group: Object, data: st.DataObject) -> None:
    form = data.draw(given_forms(group))
    kept = group.as_stored(form)
    assert list(group.difference(form, kept)) == []
    assert group.equal(form, kept)


@pytest.mark.parametrize("group", RESOURCES)
@given(data=st.data())
def test_what_a_server_sent_is_valid_input_that_does_not_differ_from_it(group: Object, data: st.DataObject) -> None:
    there = group.from_wire(data.draw(wire_forms(group)))
    assert list(group.difference(there, there)) == []


@pytest.mark.parametrize("group", RESOURCES)
@given(data=st.data())
def test_merging_brings_the_wanted_and_keeps_what_is_not_wanted(group: Object, data: st.DataObject) -> None:
    wanted, present = data.draw(given_forms(group)), data.draw(given_forms(group))
    before = copy.deepcopy((wanted, present))
    merged = group.merge(wanted, present)
    assert list(group.difference(wanted, merged)) == []
    assert {option: merged[option] for option in present.keys() - wanted.keys()} == {
        option: present[option] for option in present.keys() - wanted.keys()
    }
    for option in wanted.keys() & present.keys():
        field = group.fields[option]
        if isinstance(field, Object):
            assert {inner: merged[option][inner] for inner in present[option].keys() - wanted[option].keys()} == {
                inner: present[option][inner] for inner in present[option].keys() - wanted[option].keys()
            }
    assert (wanted, present) == before


@pytest.mark.parametrize("group", RESOURCES)
@given(data=st.data())
def test_whatever_a_server_sends_can_be_read_compared_masked_and_sent_back(group: Object, data: st.DataObject) -> None:
    raw, wanted = data.draw(wire_forms(group)), data.draw(given_forms(group))
    there = group.from_wire(raw)
    assert not holds_none(there)
    assert there.keys() <= group.fields.keys()
    list(group.difference(wanted, there))
    json.dumps(group.mask(there))
    json.dumps(group.to_wire(there))
    group.collect_secrets(there, SecretStore())
    assert all(isinstance(path, str) for path in group.unknown(raw))


@pytest.mark.parametrize("group", RESOURCES)
@given(data=st.data())
def test_what_differs_is_exactly_what_is_not_equal(group: Object, data: st.DataObject) -> None:
    wanted, there = data.draw(given_forms(group)), data.draw(given_forms(group))
    assert bool(list(group.difference(wanted, there))) is not group.equal(wanted, there)


PLANTED = "PLANTED-secret-1"
SECRET_PLACES: list[tuple[Object, dict[str, Any]]] = [
    (VIRTUAL_HOST, {"signed_policy": {"secret_key": PLANTED}}),
    (VIRTUAL_HOST, {"admission_webhooks": {"secret_key": PLANTED}}),
    (VIRTUAL_HOST, {"admission_webhooks": {"control_server_url": f"https://u:{PLANTED}@h/p"}}),
    (VIRTUAL_HOST, {"admission_webhooks": {"control_server_url": f"https://h/p?token={PLANTED}"}}),
    (VIRTUAL_HOST, {"origin_map_store": {"redis_server": {"host": "h:1", "auth": PLANTED}}}),
    (
        VIRTUAL_HOST,
        {
            "origins": {
                "origin": [{"location": "/", "pass": {"scheme": "rtsp", "urls": {"url": ["h", f"u:{PLANTED}@h:1/a"]}}}]
            }
        },
    ),
    (PUSH_TASK, {"stream_key": PLANTED}),
    (PUSH_TASK, {"url": f"rtmp://h/app/{PLANTED}"}),
    (PUSH_TASK, {"url": f"srt://h:1?passphrase={PLANTED}&mode=caller"}),
]


@pytest.mark.parametrize(("group", "form"), SECRET_PLACES)
def test_a_secret_is_masked_and_remembered_wherever_it_stands(group: Object, form: dict[str, Any]) -> None:
    assert PLANTED not in json.dumps(group.mask(form))
    assert MASK in json.dumps(group.mask(form))
    store = SecretStore()
    group.collect_secrets(form, store)
    assert PLANTED in store.values


@pytest.mark.parametrize(("group", "form"), SECRET_PLACES)
def test_a_difference_of_a_secret_is_told_and_not_shown(group: Object, form: dict[str, Any]) -> None:
    other = json.loads(json.dumps(form).replace(PLANTED, "OTHER-secret-2"))
    (difference,) = group.difference(form, other)
    assert PLANTED not in repr(difference)
    assert "OTHER-secret-2" not in repr(difference)
    # One text of it says so, and a list stays a list.
    assert type(difference.after) is type(difference.before) and difference.after != difference.before
    assert (
        str(difference.after).replace(" (changed)", "") == str(difference.before)
        and str(difference.after).count(" (changed)") == 1
    )


def test_secrets_in_lists_of_any_depth_are_marked_where_they_change() -> None:
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


@pytest.mark.parametrize(("group", "form"), SECRET_PLACES)
def test_the_mask_given_back_is_refused(group: Object, form: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        group.validate(json.loads(json.dumps(group.mask(form))), "it")
    assert caught.value.option.startswith("it.")
    assert "show_secrets" in str(caught.value)


@pytest.mark.parametrize(
    ("group", "form"), [place for place in SECRET_PLACES if "control_server_url" not in repr(place)]
)
def test_a_refusal_never_shows_a_secret(group: Object, form: dict[str, Any]) -> None:
    broken = json.loads(json.dumps(form).replace(PLANTED, f"{PLANTED}\\n"))
    with pytest.raises(BadInput) as caught:
        group.validate(broken, "")
    assert PLANTED not in str(caught.value)


# One field


def test_a_field_has_its_options_name_on_the_wire_unless_it_has_another() -> None:
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


@pytest.mark.parametrize(("field", "wanted", "there"), SAME)
def test_spellings_that_mean_the_same_do_not_differ(field: Field, wanted: Any, there: Any) -> None:
    assert field.equal(wanted, there)
    assert list(field.difference(wanted, there, "p")) == []


@pytest.mark.parametrize(("field", "wanted", "there"), OTHER)
def test_values_that_mean_something_else_differ(field: Field, wanted: Any, there: Any) -> None:
    assert not field.equal(wanted, there)
    assert list(field.difference(wanted, there, "p.q")) == [Difference("p.q", there, wanted)]


@given(raw=ANY_JSON)
@pytest.mark.parametrize("kind", [Field, String, Url, Int, Bool, StringSet, CsvSet, StringList])
def test_normal_form_and_reading_never_fail(kind: type[Field], raw: Any) -> None:
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
def test_a_secret_that_is_not_there_is_not_masked(value: Any) -> None:
    assert String("a", secret=True).mask(value) == value


@pytest.mark.parametrize("field", [Url("a"), StringList("a")])
def test_what_is_no_text_is_shown_as_it_is(field: Field) -> None:
    assert field.mask(5) == 5
    assert field.mask(None) is None


def test_a_sequence_that_the_server_has_as_one_text_is_masked_as_well() -> None:
    assert StringList("a").mask("u:p@h/x") == f"{MASK}@h/x"
    assert StringList("a").mask(("h/x", "u:p@h/x")) == ["h/x", f"{MASK}@h/x"]


def test_a_secret_is_remembered_as_given_and_as_the_server_has_it() -> None:
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
def test_a_wrong_value_is_refused_by_its_full_name(field: Field, value: Any, option: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        field.validate(value, "p")
    assert (caught.value.option, caught.value.expected) == (option, words)


@pytest.mark.parametrize(
    "field", [String("a"), String("a", check=few), String("a", secret=True), Url("a", check=few), Int("a")]
)
def test_a_right_value_passes(field: Field) -> None:
    field.validate("x", "p")


# Groups

GROUP = Object(
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


def test_a_group_is_sent_and_read_by_wire_names() -> None:
    form = {"name": "n", "key": "k", "limit": 1, "inner": {"on": True}, "entries": [{"id": "1", "value": "v"}]}
    wire = {"name": "n", "theKey": "k", "limit": 1, "theInner": {"on": True}, "theEntries": [{"id": "1", "value": "v"}]}
    assert GROUP.to_wire(form) == wire
    assert GROUP.from_wire(wire) == form


@pytest.mark.parametrize("raw", [None, "x", 5, [], ["x"]])
def test_what_is_no_object_reads_as_an_empty_group(raw: Any) -> None:
    assert GROUP.from_wire(raw) == {}
    assert GROUP.unknown(raw) == []
    assert GROUP.from_wire({"theInner": raw}).get("inner", {}) == {}


def test_null_on_the_wire_is_absent() -> None:
    assert GROUP.from_wire({"name": None, "theInner": {"on": None}}) == {"inner": {}}


def test_keys_that_are_not_known_are_told_with_their_paths() -> None:
    raw = {"name": "n", "x": 1, "theInner": {"y": {"z": 1}}, "theEntries": [{"id": 1}, {"id": 2, "w": 1}, "no object"]}
    assert GROUP.unknown(raw) == ["x", "theInner.y", "theEntries[1].w"]
    assert GROUP.unknown({"theEntries": "no list"}) == []


def test_differences_are_told_with_their_paths() -> None:
    wanted = {
        "name": "n",
        "limit": 5,
        "inner": {"on": True, "note": "a"},
        "entries": [{"id": "1"}, {"id": "2", "value": "new", "tags": ["t"]}],
    }
    there = {"name": "n", "inner": {"note": "b"}, "entries": [{"id": "1"}, {"id": "2", "value": "old", "tags": []}]}
    assert list(GROUP.difference(wanted, there, "it")) == [
        Difference("it.inner.on", None, True),
        Difference("it.inner.note", "b", "a"),
        Difference("it.entries[1].value", MASK, f"{MASK} (changed)"),
        Difference("it.entries[1].tags", [], ["t"]),
    ]


@pytest.mark.parametrize("there", [None, "x", []])
def test_a_group_that_is_not_there_differs_by_its_fields(there: Any) -> None:
    assert list(GROUP.difference({"inner": {"on": True, "note": ""}}, {"inner": there})) == [
        Difference("inner.on", None, True)
    ]


def test_lists_of_other_length_differ_as_a_whole() -> None:
    wanted, there = [{"id": "1", "value": "v"}], [{"id": "1", "value": "v"}, {"id": "2", "value": "w"}]
    assert list(GROUP.difference({"entries": wanted}, {"entries": there})) == [
        Difference("entries", [{"id": "1", "value": MASK}, {"id": "2", "value": MASK}], [{"id": "1", "value": MASK}])
    ]
    assert list(GROUP.difference({"entries": wanted}, {})) == [Difference("entries", [], [{"id": "1", "value": MASK}])]
    assert list(GROUP.difference({"entries": []}, {})) == []


def test_the_order_of_a_list_of_groups_means_something() -> None:
    one, two = {"id": "1"}, {"id": "2"}
    assert not GROUP.equal({"entries": [one, two]}, {"entries": [two, one]})


def test_entries_are_merged_by_their_identity_in_the_wanted_order() -> None:
    there = {
        "name": "n",
        "inner": {"note": "x"},
        "entries": [{"id": "1", "value": "v"}, {"id": "2", "value": "w"}, {"id": "3"}],
    }
    wanted = {"inner": {"on": True}, "entries": [{"id": "4"}, {"id": "2", "tags": ["t"]}, {"id": "1", "value": "new"}]}
    assert GROUP.merge(wanted, there) == {
        "name": "n",
        "inner": {"on": True, "note": "x"},
        "entries": [{"id": "4"}, {"id": "2", "value": "w", "tags": ["t"]}, {"id": "1", "value": "new"}],
    }


@pytest.mark.parametrize("there", [None, "x"])
def test_merging_with_nothing_gives_the_wanted(there: Any) -> None:
    assert GROUP.merge({"name": "n", "entries": [{"id": "1"}]}, there) == {"name": "n", "entries": [{"id": "1"}]}


def test_what_is_no_group_is_masked_as_it_is() -> None:
    assert GROUP.mask(None) is None
    assert GROUP.fields["entries"].mask(None) is None


def test_secrets_are_collected_from_every_level() -> None:
    store = SecretStore()
    GROUP.collect_secrets({"key": "k-1", "entries": [{"value": "v-1"}, {"value": "v-2", "id": "open"}]}, store)
    GROUP.collect_secrets(None, store)
    GROUP.fields["entries"].collect_secrets(None, store)
    assert store.values == {"k-1", "v-1", "v-2"}


@pytest.mark.parametrize(
    ("form", "option"),
    [
        ({"inner": {"note": "longer"}}, "it.inner.note"),
        ({"entries": [{"id": "1"}, {"id": "2", "tags": ["x", "longer"]}]}, "it.entries[1].tags[1]"),
        ({"entries": [{"id": "1"}, {"id": "1"}]}, "it.entries[1].id"),
    ],
)
def test_a_wrong_value_inside_is_refused_by_its_full_path(form: dict[str, Any], option: str) -> None:
    with pytest.raises(BadInput) as caught:
        GROUP.validate(form, "it")
    assert caught.value.option == option


def test_a_group_can_have_a_check_of_its_own() -> None:
    group = Object("g", fields=[String("a")], check=lambda value: None if value else "expected something")
    group.validate({"a": "x"}, "it")
    with pytest.raises(BadInput) as caught:
        group.validate({}, "it")
    assert str(caught.value) == "it: expected something, got {}."
