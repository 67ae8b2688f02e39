# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No option of any module, whatever its value, makes one of the two requests that end a real server, or any request
that was not meant.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Hashable
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema import extra, validators
from ansible_collections.streamops.ovenmediaengine.tests.robustness import record
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.checking import (
    ACCEPTED,
    REFUSED,
    Broken,
    check_audit,
    check_option,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.fields import (
    GROUPS,
    IDENTITIES,
    check_field,
    fields,
    kind_of,
    shapes,
    takes_text,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import Place, declared, places, spelled
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.values import DEADLY, HOSTILE_TEXTS, HUGE, NASTY
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES
from hypothesis import given, settings

FIELDS = [(name, path, field) for name, group in GROUPS.items() for path, field in fields(group) if takes_text(field)]
CONNECTION_MODULE = "vhost_info"
"""Meets every connection option; they are the same in all modules."""
SINGLE = ("vhost", "application", "push_task", "record", CONNECTION_MODULE)
"""Their values are tried in the short gate; the other modules take the same fields in lists."""
OTHERS = 3
"""How many values beside the deadly one meet each place of a module; they take turns, so that each module meets all of
them.
"""


def one_of_each_kind(module: str) -> list[Place]:
    """Return one place of each kind of option of a module: the fields behind the others of its kind are tried without a
    module.
    """
    found: dict[Hashable, Place] = {}
    for place in places(module):
        whole = module == CONNECTION_MODULE or (module == "audit_info" and len(place.path) < 2)
        found.setdefault((place.path, place.as_key) if whole else kind_of(module, place), place)
    return list(found.values())


@pytest.mark.parametrize("module", MODULES)
def test_every_option_is_found(module: str) -> None:
    """The walk that the tests below make leaves no option out: a new one is covered by itself."""
    walked = {
        ".".join(step for step in place.path if isinstance(step, str)) for place in places(module) if not place.as_key
    }
    assert declared(argument_spec(module)) <= walked
    assert {place.path for place in places(module) if place.as_key} >= {()}


@pytest.mark.parametrize("name", GROUPS)
def test_every_field_of_an_option_is_found(name: str) -> None:
    """The walk over the declared fields finds what the walk over the argument specs finds, but for options that stand
    for values of others.
    """
    group = GROUPS[name]
    shorthands = declared({option: one.spec() for option, one in group.shorthands.items()})
    assert {path.replace("[0]", "") for path, _field in fields(group)} == declared(group.options()) - shorthands


def test_every_fixed_value_in_every_field() -> None:
    """What a field accepts is sent as given, comes back as given, and is no difference then."""
    outcomes: Counter[str] = Counter()
    for _name, path, field in FIELDS:
        for text in NASTY:
            outcomes.update(check_field(path, field, value, text) for value in shapes(field, text))
    assert min(outcomes[REFUSED], outcomes[ACCEPTED]) > 5 * len(FIELDS)
    record("hostile input/fields", cases=sum(outcomes.values()), faults=sum(outcomes.values()))


@pytest.mark.exhaustive
@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(HOSTILE_TEXTS)
def test_generated_values_in_every_field(text: str) -> None:
    for _name, path, field in FIELDS:
        for value in shapes(field, text):
            check_field(path, field, value, text)


@pytest.mark.parametrize(
    "module",
    [
        pytest.param(name, marks=[] if name in SINGLE else pytest.mark.exhaustive)
        for name in MODULES
        if name != "audit_info"
    ],
)
def test_fixed_values_through_each_module(simulator: Simulator, module: str) -> None:
    """That a module checks its options by their fields, and sends what these make of them."""
    start = list(MODULES).index(module) * 7 % (len(NASTY) - 1)
    turns = itertools.cycle([*NASTY[1 + start :], *NASTY[1 : 1 + start]])
    outcomes: Counter[str] = Counter()
    for place in one_of_each_kind(module):
        for value in (DEADLY, *itertools.islice(turns, OTHERS)):
            outcomes[check_option(simulator, module, place, value)] += 1
    assert min(outcomes[REFUSED], outcomes[ACCEPTED]) > 0
    record("hostile input/options", cases=sum(outcomes.values()), faults=sum(outcomes.values()))


@pytest.mark.parametrize(
    "value",
    (NASTY[4], *(pytest.param(value, marks=pytest.mark.exhaustive) for value in (DEADLY, NASTY[7], "x\ud800y"))),
    ids=ascii,
)
def test_audits(simulator: Simulator, value: str) -> None:
    """An audit reports what other modules refuse, and does not end for it: many entries are looked at in one run."""
    places_of = places("audit_info") if value == DEADLY else one_of_each_kind("audit_info")
    tried, refused = check_audit(simulator, places_of, value)
    assert tried == len(places_of)
    assert tried > refused > 0
    record("hostile input/options", cases=tried, faults=tried)


@pytest.mark.exhaustive
# The module server gives these options to server_config, and to be present it needs a host of its own.
@pytest.mark.parametrize("module", [name for name in MODULES if "state" in argument_spec(name) and name != "server"])
@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
def test_names_and_ids_in_every_state(simulator: Simulator, module: str, check_mode: bool) -> None:
    """A value in a path, or as the id in a stopPush, is the same danger in every state."""
    spec = argument_spec(module)
    variants: list[dict[str, Any]] = [{"state": state} for state in spec["state"]["choices"]]
    variants += [{flag: True} for flag in ("purge", "recreate") if flag in spec]
    named = [
        place
        for place in places(module)
        if place.path[-1:] and place.path[-1] in IDENTITIES and len(place.path) <= 5 and not place.as_key
    ]
    assert named
    turns = itertools.cycle(NASTY[1:])
    outcomes = Counter(
        check_option(simulator, module, place, value, check_mode=check_mode, **variant)
        for place in named
        for variant in variants
        for value in (DEADLY, *itertools.islice(turns, OTHERS))
    )
    assert outcomes[REFUSED] > 0.5 * sum(outcomes.values())
    record("hostile input/options", cases=sum(outcomes.values()), faults=sum(outcomes.values()))


def _huge_places() -> list[tuple[str, Place]]:
    """Return one place of every kind, by the type and the check of the field, and every option at the top."""
    found: dict[Any, tuple[str, Place]] = {}
    for module in ("vhost", "application", "push_task", "record", "cert_reload", "certificate_info", "vhost_info"):
        for place in places(module):
            kind = (place.spec or {}).get("type")
            key = (
                (spelled(place.path), place.as_key)
                if len(place.path) == 1
                else (kind, place.path[-1] if kind in ("str", "raw", "path") else "", place.as_key)
            )
            found.setdefault(key, (module, place))
    return list(found.values())


HUGE_PLACES = _huge_places()


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(4))
def test_a_value_of_one_mebibyte_is_handled(simulator: Simulator, number: int) -> None:
    chosen = HUGE_PLACES[number::4]
    outcomes = Counter(check_option(simulator, module, place, HUGE) for module, place in chosen)
    assert outcomes[REFUSED] > 0
    record("hostile input/options", cases=len(chosen), faults=len(chosen))


# Tests of the tests: if a check is removed, the simulator dies as a real server would, and it is seen.


def test_an_accepted_hostile_id_is_detected(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    place = next(place for place in places("push_task") if place.path == ("id",))
    assert check_option(simulator, "push_task", place, DEADLY, state="stopped") == REFUSED
    monkeypatch.setitem(_field("push_task", "id"), "check", None)
    monkeypatch.setattr(validators, "_ADDRESSABLE", _Anything())
    with pytest.raises(Broken, match="the server lives|ids of push tasks and recordings are plain"):
        _stop_hostile_task(simulator, place)


def test_an_accepted_hostile_key_is_detected(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    place = next(place for place in places("application") if place.path == ("extra",) and place.as_key)
    assert check_option(simulator, "application", place, DEADLY) == REFUSED
    monkeypatch.setattr(extra, "_EXTRA_KEY", _Anything())
    with pytest.raises(Broken, match="keys are plain"):
        check_option(simulator, "application", place, DEADLY)


def test_an_unknown_key_of_a_virtual_host_is_detected(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The declaration has no place for such a key, so one is made here."""
    place = next(place for place in places("vhost") if place.path == ("distribution",))
    group = _group("vhost")
    monkeypatch.setattr(group.fields["distribution"], "wire", DEADLY)
    with pytest.raises(Broken, match="the server lives"):
        check_option(simulator, "vhost", place, "example.com")
    assert simulator.died


def test_a_smuggled_request_is_detected(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    place = next(place for place in places("application_info") if place.path == ("vhost",))
    monkeypatch.setattr(validators, "_ADDRESSABLE", _Anything())
    with pytest.raises(Broken, match="only paths of the API"):
        check_option(simulator, "application_info", place, "x/y:stopPush")


class _Anything:
    """A pattern that everything matches."""

    def fullmatch(self, text: str) -> str:
        return text


def _group(name: str) -> Any:
    from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import jobs, virtual_host

    return {"vhost": virtual_host.VIRTUAL_HOST, "push_task": jobs.PUSH_TASK}[name]


def _field(group: str, option: str) -> dict[str, Any]:
    attributes: dict[str, Any] = vars(_group(group).fields[option])
    return attributes


def _stop_hostile_task(simulator: Simulator, place: Place) -> None:
    """Make a task as another client, so that the module has one to stop."""
    from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile import checking

    def with_task(running: Simulator) -> None:
        running.restart()
        running.add_config_task("default", "app", id=DEADLY).is_config = False
        running.state.config_tasks.clear()  # it is not there for the tests after this one
        running.clear_log()

    before, checking.fresh = checking.fresh, with_task
    try:
        check_option(simulator, "push_task", place, DEADLY, state="stopped")
    finally:
        checking.fresh = before
