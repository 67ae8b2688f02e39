# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What another client has made under hostile names is never put into a request, and is named in a warning that can be
printed.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema import validators
from ansible_collections.streamops.ovenmediaengine.tests.robustness import record
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.checking import (
    Broken,
    check_requests,
    demand,
    run_safely,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import OUR_APP, OUR_TASK, OURS
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.values import DEADLY, HOSTILE_TEXTS, NASTY
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vhost_info", {}),
    ("application_info", {}),
    ("application_info", {"vhost": "t-s"}),
    ("push_task_info", {}),
    ("push_task_info", {"vhost": "t-s", "app": "live"}),
    ("server_info", {"version": True, "vhosts": ["*"], "applications": ["*/*"]}),
    ("audit_info", {}),
    ("audit_info", {"vhosts": [OURS], "applications": [OUR_APP], "push_tasks": [OUR_TASK]}),
    ("cert_reload", {"vhost": "t-s"}),
    ("certificate_info", {"vhost": "t-s", "endpoint": [{"host": "127.0.0.1", "port": 1}], "timeout": 1}),
    ("push_task", OUR_TASK),
    ("push_tasks", {"tasks": [{**OUR_TASK, "id": "t-other"}]}),
    ("push_tasks", {"tasks": [{**OUR_TASK, "id": "t-other"}], "purge": True}),
    ("application", {**OUR_APP, "providers": {"srt": {}}}),
    ("application", {**OUR_APP, "providers": {"rtmp": {}, "srt": {}}, "recreate": True}),
    ("applications", {"applications": [{**OUR_APP, "name": "second"}], "purge": True}),
    ("application", {"vhost": "t-s", "name": "live", "state": "absent"}),
    ("vhost", {**OURS, "distribution": "other.example.com"}),
    ("vhost", {**OURS, "distribution": "other.example.com", "recreate": True}),
    ("vhost", {"name": "t-s", "state": "absent"}),
    ("vhosts", {"vhosts": [{"name": "t-n", "host": {"names": ["n.example.com"]}}], "purge": True}),
)
"""Every module, and every way in which it meets what it does not manage: lists, purges, recreates, deletes, audits."""


def place_hostile(simulator: Simulator, names: list[str], *, in_fields: bool = True) -> None:
    """Put objects of these names, and such fields, on the server, as only another client could."""
    simulator.restart()
    state = simulator.state
    with state.lock:
        ours = state.create_virtual_host({"name": "t-s", "host": {"names": ["s.example.com"]}})
        live = {"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}}}
        state.create_application(ours, live)
        for name in names:
            vhost = state.create_virtual_host({"name": name, "host": {"names": [name]}})
            for app in ("live", name):
                state.create_application(vhost, {**live, "name": app})
            if name != "live":
                state.create_application(ours, {**live, "name": name})
            task = state.add_config_task(
                "t-s",
                "live",
                id=name or "x",
                stream_name=name,
                url=f"rtmp://h.example.com/{name}",
                stream_key="canary-key",
            )
            task.is_config = False  # started by another client
        if in_fields:
            ours.config["host"]["names"] += names
            ours.config["host"]["tls"] = {"certPath": f"/{names[0]}", "keyPath": f"/{names[-1]}"}
            for app in ours.applications.values():
                app.config["providers"]["rtmp"]["timestampMode"] = names[0]
    state.config_tasks.clear()
    simulator.clear_log()


def meet(
    simulator: Simulator,
    module: str,
    options: dict[str, Any],
    names: list[str],
    *,
    check_mode: bool = False,
    **placed: Any,
) -> ModuleRun:
    """Run a module on a server with hostile names and check what must hold."""
    place_hostile(simulator, names, **placed)
    about = f"{module} {options} meets {[name[:40] for name in names]!r}"
    run = run_safely(module, {**connection(simulator, retries=0), **options}, about, check_mode=check_mode)
    check_requests(simulator, about)
    with simulator.state.lock:
        left = set(simulator.state.virtual_hosts)
    demand(
        left >= {name for name in names if not validators.is_addressable(name)},
        "what cannot be addressed is left alone",
        f"{about}: {left!r}",
    )
    return run


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("module", "options"), RUNS, ids=[f"{number}-{module}" for number, (module, _options) in enumerate(RUNS)]
)
@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
def test_each_fixed_name(simulator: Simulator, module: str, options: dict[str, Any], check_mode: bool) -> None:
    """One by one, and all at once; in check mode, which reads the same, all at once."""
    cases = [list(NASTY), *([] if check_mode else [[name] for name in NASTY])]
    for names in cases:
        meet(simulator, module, options, names, check_mode=check_mode)
    record("hostile input/found on the server", cases=len(cases), faults=len(cases))


@pytest.mark.exhaustive
@settings(max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(RUNS), st.lists(HOSTILE_TEXTS, min_size=1, max_size=5, unique=True))
def test_generated_names(simulator: Simulator, run: tuple[str, dict[str, Any]], names: list[str]) -> None:
    meet(simulator, *run, names)


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("vhost_info", {}),
        ("application_info", {"vhost": "t-s"}),
        ("push_tasks", {"tasks": [{**OUR_TASK, "id": "t-other"}], "purge": True}),
        ("applications", {"applications": [OUR_APP], "purge": True}),
        ("vhosts", {"vhosts": [OURS], "purge": True}),
        ("vhost", {"name": "t-s", "state": "absent"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize(
    "name",
    (DEADLY, "two\nlines", "\x1b[31m\x7f", "x\u202etxt.exe", "\udcff", "a" * 300),
    ids=lambda name: ascii(name)[:20],
)
def test_a_warning_names_the_hostile_name(
    simulator: Simulator, module: str, options: dict[str, Any], name: str
) -> None:
    run = meet(simulator, module, options, [name], in_fields=False)
    assert any(repr(name)[1:-1].replace("\\", "") in warning.replace("\\", "") for warning in run.warnings)


def test_unaddressable_names_are_findings(simulator: Simulator) -> None:
    found = meet(simulator, "audit_info", {"vhosts": [OURS]}, [DEADLY, "two\nlines"], in_fields=False)["findings"]
    messages = [finding["message"] for finding in found if finding["kind"] == "unaddressable"]
    assert len(messages) >= 4
    assert all(message.isprintable() for message in messages)


@pytest.mark.parametrize("recreate", (False, True))
@pytest.mark.parametrize("key", (DEADLY, "a%n", "two\nlines", "x y", "", "\ud800"), ids=ascii)
def test_hostile_keys_of_a_virtual_host_are_not_sent_back(simulator: Simulator, key: str, recreate: bool) -> None:
    """A virtual host with keys that this collection does not know is not made again."""
    for place in ((), ("host",), ("origins",)):
        place_hostile(simulator, ["x"], in_fields=False)
        config: Any = simulator.state.virtual_hosts["t-s"].config
        for step in place:
            config = config.setdefault(step, {})
        config[key] = 1
        options = {
            **connection(simulator, retries=0),
            **OURS,
            "distribution": "other.example.com",
            "recreate": recreate,
        }
        run = run_safely("vhost", options, f"a virtual host with the key {key!r} in {place}")
        check_requests(simulator, f"a virtual host with the key {key!r} in {place}")
        assert run.failed and run["error"]["kind"] == "differs"
        assert "t-s" in simulator.state.virtual_hosts


@pytest.mark.parametrize("key", (DEADLY, "a%n", "two\nlines", "x y", "", "\ud800"), ids=ascii)
@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("application", {**OUR_APP, "providers": {"rtmp": {}, "srt": {}}, "recreate": True}),
        ("vhost", {**OURS, "distribution": "o.example.com", "recreate": True}),
    ],
    ids=["application", "vhost"],
)
def test_hostile_keys_of_an_application_are_not_sent_back(
    simulator: Simulator, module: str, options: dict[str, Any], key: str
) -> None:
    """What could be refused, or worse, when it is posted again is not taken down in the first place."""
    for place in ((), ("publishers",), ("publishers", "push")):
        place_hostile(simulator, ["x"], in_fields=False)
        app = simulator.state.virtual_hosts["t-s"].applications["live"]
        config: Any = app.config
        for step in place:
            config = config[step]
        config[key] = 1
        run_safely(
            module, {**connection(simulator, retries=0), **options}, f"an application with the key {key!r} in {place}"
        )
        check_requests(simulator, f"an application with the key {key!r} in {place}")
        assert simulator.state.virtual_hosts["t-s"].applications.get("live") is app


def test_an_accepted_hostile_name_is_detected(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test of the tests: were such ids stopped by a purge, the server would end."""

    class Anything:
        def fullmatch(self, text: str) -> str:
            return text

    monkeypatch.setattr(validators, "_ADDRESSABLE", Anything())
    with pytest.raises(Broken, match="the server lives|connection"):
        meet(
            simulator,
            "push_tasks",
            {"tasks": [{**OUR_TASK, "id": "t-other"}], "purge": True},
            [DEADLY],
            in_fields=False,
        )
    assert simulator.died
