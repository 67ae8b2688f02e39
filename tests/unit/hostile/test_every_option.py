# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No option of any module, whatever stands in it, makes one of the two requests that end a real server, or any request that was not meant."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _checks, _fields
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._options import connection_options
from ansible_collections.streamops.ovenmediaengine.tests.robustness import record
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.capabilities import argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.checking import ACCEPTED, NOT_TAKEN, REFUSED, Broken, check_audit, check_option
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import Place, declared, places, spelled
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.values import DEADLY, HOSTILE_TEXTS, HUGE, NASTY
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# Each option of these meets every fixed value. In the others, which have hundreds, each meets two, and so each value meets many.
SMALL = tuple(name for name in MODULES if name not in ("vhost", "vhosts", "application", "applications", "audit_info"))
LARGE = ("vhost", "vhosts", "application", "applications")
IDENTITIES = ("name", "vhost", "app", "id")


def parts(module: str) -> list[tuple[str, int]]:
    """A module's places in portions, so that two processes can share them."""
    return [(module, number) for number in range(4)]


def portion(module: str, number: int) -> list[Place]:
    """Every fourth place of a module."""
    return places(module)[number::4]


@pytest.mark.parametrize("module", MODULES)
def test_every_option_is_found(module: str) -> None:
    """The walk that the tests below make leaves no option out: a new one is covered by itself."""
    walked = {".".join(step for step in place.path if isinstance(step, str)) for place in places(module) if not place.as_key}
    assert declared(argument_spec(module)) <= walked
    assert {place.path for place in places(module) if place.as_key} >= {()}


@pytest.mark.parametrize("module", SMALL)
def test_every_fixed_value(simulator: Simulator, module: str) -> None:
    """The connection options, which are the same everywhere, meet all of them in one module, and two in the others."""
    turns = itertools.cycle(NASTY[1:])
    outcomes: Counter[str] = Counter()
    for place in places(module):
        shared = module != SMALL[0] and place.path[:1] and place.path[0] in connection_options()
        for value in (DEADLY, next(turns)) if shared else NASTY:
            outcomes[check_option(simulator, module, place, value)] += 1
    assert outcomes[REFUSED] > outcomes[ACCEPTED] > 0
    record("hostile input/options", cases=sum(outcomes.values()), faults=sum(outcomes.values()))


@pytest.mark.parametrize(("module", "number"), [part for module in LARGE for part in parts(module)])
def test_deadly_and_other_fixed_values(simulator: Simulator, module: str, number: int) -> None:
    others = itertools.cycle(NASTY[1 + LARGE.index(module) * 6 :] + NASTY[1 : 1 + LARGE.index(module) * 6])
    outcomes: Counter[str] = Counter()
    for place in portion(module, number):
        for value in (DEADLY, next(others)):
            outcomes[check_option(simulator, module, place, value)] += 1
    assert min(outcomes[REFUSED], outcomes[ACCEPTED], outcomes[NOT_TAKEN]) > 0
    record("hostile input/options", cases=sum(outcomes.values()), faults=sum(outcomes.values()))


@pytest.mark.parametrize("value", (DEADLY, NASTY[4], "x\ud800y"), ids=ascii)
def test_audits(simulator: Simulator, value: str) -> None:
    """An audit reports what other modules refuse, and does not end for it: many entries are looked at in one run."""
    tried, refused = check_audit(simulator, places("audit_info"), value)
    assert tried == len(places("audit_info"))
    assert tried > refused > 0
    record("hostile input/options", cases=tried, faults=tried)


@pytest.mark.parametrize("module", MODULES)
def test_generated_values(simulator: Simulator, module: str) -> None:
    """Each option meets generated values too; the places take turns in the larger modules."""
    places_of = places(module)
    stride = max(1, len(places_of) // 100)

    @settings(max_examples=1 if module == "audit_info" else 2, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(HOSTILE_TEXTS, min_size=stride, max_size=stride))
    def meet(values: list[str]) -> None:
        if module == "audit_info":
            check_audit(simulator, places_of, values[0])
            return
        for index, place in enumerate(places_of):
            if index % stride == turn[0] % stride:
                check_option(simulator, module, place, values[index % len(values)])
        turn[0] += 1

    turn = [0]
    meet()


@pytest.mark.parametrize("module", [name for name in MODULES if "state" in argument_spec(name)])
@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
def test_names_and_ids_in_every_state(simulator: Simulator, module: str, check_mode: bool) -> None:
    """What stands in paths, or as the id in a stopPush, is the same danger in every state."""
    spec = argument_spec(module)
    variants: list[dict[str, Any]] = [{"state": state} for state in spec["state"]["choices"]]
    variants += [{flag: True} for flag in ("purge", "recreate") if flag in spec]
    named = [place for place in places(module) if place.path[-1:] and place.path[-1] in IDENTITIES and len(place.path) <= 5 and not place.as_key]
    assert named
    outcomes = Counter(
        check_option(simulator, module, place, value, check_mode=check_mode, **variant) for place in named for value in NASTY for variant in variants
    )
    assert outcomes[REFUSED] > 0.5 * sum(outcomes.values())
    record("hostile input/options", cases=sum(outcomes.values()), faults=sum(outcomes.values()))


def _huge_places() -> list[tuple[str, Place]]:
    """One place of every kind: by the type and the check of the field, and every option that stands at the top."""
    found: dict[Any, tuple[str, Place]] = {}
    for module in ("vhost", "application", "push_task", "cert_reload", "certificate_info", "vhost_info"):
        for place in places(module):
            kind = (place.spec or {}).get("type")
            key = (
                (spelled(place.path), place.as_key) if len(place.path) == 1 else (kind, place.path[-1] if kind in ("str", "raw", "path") else "", place.as_key)
            )
            found.setdefault(key, (module, place))
    return list(found.values())


HUGE_PLACES = _huge_places()


@pytest.mark.parametrize("number", range(4))
@pytest.mark.timeout(300)
def test_a_mebibyte(simulator: Simulator, number: int) -> None:
    chosen = HUGE_PLACES[number::4]
    outcomes = Counter(check_option(simulator, module, place, HUGE) for module, place in chosen)
    assert outcomes[REFUSED] > 0
    record("hostile input/options", cases=len(chosen), faults=len(chosen))


# Tests of the tests: where a check is taken away, the simulator dies as a real server would, and it is seen.


def test_an_id_that_is_let_through_is_seen(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    place = next(place for place in places("push_task") if place.path == ("id",))
    assert check_option(simulator, "push_task", place, DEADLY, state="stopped") == REFUSED
    monkeypatch.setitem(_field("push_task", "id"), "check", None)
    monkeypatch.setattr(_checks, "_ADDRESSABLE", _Anything())
    with pytest.raises(Broken, match="the server lives|ids of push tasks are plain"):
        _stop_hostile_task(simulator, place)


def test_a_key_that_is_let_through_is_seen(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    place = next(place for place in places("application") if place.path == ("extra",) and place.as_key)
    assert check_option(simulator, "application", place, DEADLY) == REFUSED
    monkeypatch.setattr(_fields, "_EXTRA_KEY", _Anything())
    with pytest.raises(Broken, match="keys are plain"):
        check_option(simulator, "application", place, DEADLY)


def test_an_unknown_key_of_a_virtual_host_is_seen(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """The declaration has no place for such a key, so one is made here."""
    place = next(place for place in places("vhost") if place.path == ("distribution",))
    group = _group("vhost")
    monkeypatch.setattr(group.fields["distribution"], "wire", DEADLY)
    with pytest.raises(Broken, match="the server lives"):
        check_option(simulator, "vhost", place, "example.com")
    assert simulator.died


def test_a_smuggled_request_is_seen(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    place = next(place for place in places("application_info") if place.path == ("vhost",))
    monkeypatch.setattr(_checks, "_ADDRESSABLE", _Anything())
    with pytest.raises(Broken, match="only paths of the API"):
        check_option(simulator, "application_info", place, "x/y:stopPush")


class _Anything:
    """A pattern that everything matches."""

    def fullmatch(self, text: str) -> str:
        return text


def _group(name: str) -> Any:
    from ansible_collections.streamops.ovenmediaengine.plugins.module_utils import _push_task, _virtual_host

    return {"vhost": _virtual_host.VIRTUAL_HOST, "push_task": _push_task.PUSH_TASK}[name]


def _field(group: str, option: str) -> dict[str, Any]:
    attributes: dict[str, Any] = vars(_group(group).fields[option])
    return attributes


def _stop_hostile_task(simulator: Simulator, place: Place) -> None:
    """Somebody else has made the task, so that the module has one to stop."""
    from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile import checking

    def with_task(running: Simulator) -> None:
        running.restart()
        running.add_config_task("default", "app", id=DEADLY).is_config = False
        running.clear_log()

    before, checking.fresh = checking.fresh, with_task
    try:
        check_option(simulator, "push_task", place, DEADLY, state="stopped")
    finally:
        checking.fresh = before
