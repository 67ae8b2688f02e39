# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit finds each difference, and only it, and never writes."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.auditor import Audit
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import Desired
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.probe import ProbeSettings
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import errors
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Settings, Transport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import value_rules
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import PUSH_TASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bitrate,
    Bool,
    Field,
    Float,
    Int,
    StringSet,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED, ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer
from ansible_collections.streamops.ovenmediaengine.tests.simulator.state import PushTask
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import argument_spec
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.scripted_server import unused_port
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.certificate_files import (
    STRANGER,
    Issued,
    Site,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.conftest import VERSIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import (
    TASK,
    application,
    push_publisher,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    ModuleRun,
    connection,
    make_virtual_host,
    post,
)

SEVERITIES = ("error", "drift", "warning", "info")
SECRETS = ("canary", "ome-access-token")
OWN_KINDS = {
    "missing": "drift",
    "does_not_play": "error",
    "stream_missing": "error",
    "stream_below_expectation": "error",
    "differs": "drift",
    "not_listed": "drift",
    "unmanaged": "info",
    "unaddressable": "warning",
    "unreachable": "error",
    "ambiguous_host_name": "warning",
    "push_error": "error",
    "push_stalled": "error",
    "push_doubled": "error",
    "record_doubled": "error",
    "push_waiting": "error",
    "input_without_output": "error",
    "no_host_name": "warning",
    "record_error": "error",
    "record_stalled": "error",
    "channel_not_playing": "error",
    "handshake_failed": "error",
    "certificate_differs": "drift",
    "certificate_name": "warning",
    "certificate_expired": "error",
    "certificate_not_yet_valid": "error",
    "certificate_expiring": "warning",
    "chain_not_verified": "warning",
    "concern": "warning",
    "restart_due": "warning",
    "not_durable": "drift",
    "version_trap": "info",
}
"""The kinds of findings, with their severities; errors have the kinds of errors."""
HOST_NAMES = ("localhost",)
"""Of the virtual host of the configuration file: with the ``*`` of the sample configuration it would take the host
names of all others.
"""


def test_the_guide_lists_each_kind_of_finding_with_its_severity() -> None:
    """Kinds of errors, and those that only a report has, can be there, too."""
    guide = Path(__file__).parents[4] / "docs/docsite/rst/guide_audits.rst"
    table = guide.read_text(encoding="utf-8").partition("Understand the findings")[2].partition("Act on the")[0]
    rows = re.findall(r"   \* - (``.*)\n     - (\w+)\n", table)
    listed = {kind: severity for kinds, severity in rows for kind in re.findall(r"``(\w+)``", kinds)}
    of_reports = {"host_unreachable", "audit_failed", "not_audited"}
    assert {kind: listed.get(kind) for kind in OWN_KINDS} == OWN_KINDS
    others = set(listed) - set(OWN_KINDS) - of_reports
    assert others <= set(ADVICE) and {listed[kind] for kind in others} == {"error"}


@pytest.fixture(params=VERSIONS)
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version in turn."""
    with Simulator(version=request.param, stop_delay=0.2, default_host_names=HOST_NAMES) as running:
        yield running


@pytest.fixture
def current() -> Iterator[Simulator]:
    """A simulator of the newest version."""
    with Simulator(stop_delay=0.2, default_host_names=HOST_NAMES) as running:
        yield running


def audit(simulator: Simulator, **options: Any) -> ModuleRun:
    """Audit with and without check mode: the results are equal, and neither fails, writes or shows a secret."""
    simulator.clear_log()
    task_options = connection(simulator, **{"read_only_vhosts": ["default"], **options})
    runs = [
        running_modules.run_module("audit_info", copy.deepcopy(task_options), check_mode=check_mode)
        for check_mode in (False, True)
    ]
    assert simulator.writes == []
    said = [{key: value for key, value in run.items() if key not in ("invocation", "retries")} for run in runs]
    assert said[0] == said[1]
    run = runs[0]
    assert not run.failed and run["changed"] is False, run
    assert not [secret for secret in SECRETS if secret in run.printed]
    assert run["counts"] == {
        severity: len([one for one in run["findings"] if one["severity"] == severity]) for severity in SEVERITIES
    }
    for finding in run["findings"]:
        assert finding["severity"] == OWN_KINDS.get(finding["kind"], "error"), finding
        assert finding["kind"] in {*OWN_KINDS, *ADVICE} and finding["message"]
    return run


def places(run: ModuleRun) -> list[tuple[str, ...]]:
    """Return the findings above info: kind, virtual host, application, push task, field."""
    names = ("kind", "vhost", "application", "push_task", "field")
    return [tuple(finding[name] for name in names) for finding in run["findings"] if finding["severity"] != "info"]


def status(run: ModuleRun) -> dict[str, str]:
    """Return the status of each virtual host."""
    return {entry["name"]: entry["status"] for entry in run["vhosts"]}


def message(run: ModuleRun, kind: str) -> str:
    """Return the message of the only finding of a kind."""
    (text,) = [finding["message"] for finding in run["findings"] if finding["kind"] == kind]
    return str(text)


# -- a server that equals the lists -----------------------------------------------------------------------------


def vhost(name: str = "t-v", **fields: Any) -> dict[str, Any]:
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, **fields}


def app(simulator: Simulator, name: str = "live", **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "providers": {"rtmp": {}},
        "publishers": {"llhls": {}, push_publisher(simulator): {}},
        **fields,
    }


def task(vhost: str = "t-v", app: str = "live", task_id: str = "t-p", **fields: Any) -> dict[str, Any]:
    return {**TASK, "vhost": vhost, "app": app, "id": task_id, **fields}


def provision(simulator: Simulator, **lists: Any) -> dict[str, Any]:
    """Bring the server into the state of the lists with the modules, and return the lists."""
    lists = copy.deepcopy(lists)
    for module, name, option in (
        ("vhosts", "vhosts", "vhosts"),
        ("applications", "applications", "applications"),
        ("push_tasks", "push_tasks", "tasks"),
    ):
        run = running_modules.run_module(module, connection(simulator, **{option: copy.deepcopy(lists.get(name, []))}))
        assert not run.failed, run
    return lists


def small(simulator: Simulator) -> dict[str, Any]:
    """Return lists with a virtual host, an application and a push task, which are on the server, too."""
    return provision(simulator, vhosts=[vhost(applications=[app(simulator)])], push_tasks=[task()])


def test_a_server_that_equals_the_lists(simulator: Simulator) -> None:
    webhooks = {
        "control_server_url": "https://u:canary-user@hooks.example.com/a?token=canary-token",
        "secret_key": "canary-hook",
        "timeout": 2000,
    }
    store = {"origin_host_name": "o.example.com", "redis_server": {"host": "127.0.0.1:6379", "auth": "canary-auth"}}
    lists = provision(
        simulator,
        vhosts=[
            vhost(admission_webhooks={**webhooks, "enables": {"providers": ["rtmp"]}}, origin_map_store=store),
            vhost("t-w", applications=[app(simulator)]),
        ],
        applications=[application(simulator)],
        push_tasks=[
            task(),
            task("default", "app"),
            task("t-w", protocol="mpegts", url="udp://push.example.com:1000", stream_key=""),
        ],
    )
    run = audit(simulator, **lists)
    assert places(run) == [] and run["reachable"] is True
    assert run["version"] == (None if simulator.state.version.name == "0.15.10" else simulator.state.version.reported)
    # 0.20.0 has a defect of admission webhooks.
    of_webhooks = "info" if run["version"] == "0.20.0" else "ok"
    unread = {"live_streams": None}
    assert run["vhosts"] == [
        {"name": "default", "listed": False, "present": True, "read_only": True, **unread, "status": "ok"},
        {"name": "t-v", "listed": True, "present": True, "read_only": False, **unread, "status": of_webhooks},
        {"name": "t-w", "listed": True, "present": True, "read_only": False, **unread, "status": "ok"},
    ]
    assert [
        (one["vhost"], one["app"], one["id"], one["state"], one["listed"], one["is_config"])
        for one in run["push_tasks"]
    ] == [
        ("default", "app", "t-p", "ready", True, False),
        ("t-v", "live", "t-p", "ready", True, False),
        ("t-w", "live", "t-p", "ready", True, False),
    ]
    assert (
        run["push_tasks"][0]["url"] == "rtmp://push.example.com/app" and run["push_tasks"][0]["bits_per_second"] is None
    )
    assert run["certificates"] == []


def test_output_of_info_modules_is_no_difference(simulator: Simulator) -> None:
    provision(simulator, vhosts=[vhost()], applications=[application(simulator)], push_tasks=[task()])
    read = {
        module: running_modules.run_module(module, connection(simulator, show_secrets=True))
        for module in ("vhost_info", "application_info", "push_task_info")
    }
    lists = {
        "vhosts": read["vhost_info"]["vhosts"],
        "applications": read["application_info"]["applications"],
        "push_tasks": read["push_task_info"]["tasks"],
    }
    run = audit(simulator, read_only_vhosts=[], **lists)
    assert places(run) == [] and status(run) == {"default": "ok", "t-v": "ok"}


@pytest.mark.parametrize("count", (1, 50))
def test_number_of_requests(current: Simulator, count: int) -> None:
    current.state.virtual_hosts.clear()
    lists = provision(current, vhosts=[vhost(f"t-{number}", applications=[app(current)]) for number in range(count)])
    run = audit(current, **lists)
    assert places(run) == []
    requests = [f"{record.method} {record.path}" for record in current.log]
    once = requests[: len(requests) // 2]
    assert len(once) == len(set(once)) == 4 * count + 3 and sorted(requests) == sorted(once * 2)


def test_empty_lists_and_an_empty_server(current: Simulator) -> None:
    run = audit(current, read_only_vhosts=None)
    assert places(run) == [] and status(run) == {"default": "ok"} and run["counts"]["info"] == 4


def test_known_defects_by_version(simulator: Simulator) -> None:
    """They are those of docs/server-facts.md."""
    texts = {finding["message"] for finding in audit(simulator)["findings"] if finding["kind"] == "version_trap"}
    old, no_api_reload = (
        simulator.state.version.name == "0.15.10",
        not simulator.state.version.has_api_certificate_reload,
    )
    assert any("with success whatever the files hold" in text for text in texts) is not old
    assert any("printf" in text for text in texts) is not old
    assert any("outlive" in text for text in texts) is not old
    assert any("concludeHlsLive" in text for text in texts) is (simulator.state.version.name == "0.18.0")
    for part in ("rtmp_push", "one virtual host has no TLS", "older than 0.16.5"):
        assert any(part in text for text in texts) is old
    assert any("certificate of the API" in text for text in texts) is no_api_reload


@pytest.mark.parametrize(
    ("version", "parts"),
    [
        ("0.16.5", ("rtmp_push", "no TLS", "API itself")),
        ("0.16.6-rc1 (build 77)", ("no TLS", "API itself", "concludeHlsLive")),
        ("v0.17.0", ("API itself", "concludeHlsLive")),
        ("0.17.1", ("whatever the files hold", "outlive", "API itself", "concludeHlsLive")),
        ("0.18.1.2", ("whatever the files hold", "outlive", "printf", "concludeHlsLive")),
        ("0.21.0", ("whatever the files hold", "outlive", "printf", "other names")),
        ("1.2", ("whatever the files hold", "outlive", "printf", "other names", "newer versions")),
        ("9" * 5000, ("whatever the files hold", "outlive", "printf", "other names", "newer versions")),
        ("nonsense", ("without a number, 'nonsense'",)),
        ("", ("without a number, ''",)),
    ],
)
def test_known_defects_of_other_versions(current: Simulator, version: str, parts: tuple[str, ...]) -> None:
    answer_to(current, "/v1/version", {"version": version})
    run = audit(current)
    texts = [finding["message"] for finding in run["findings"]]
    assert len(texts) == len(parts) and all(any(part in text for text in texts) for part in parts), texts
    assert run["version"] == version


# -- each field -------------------------------------------------------------------------------------------------

CANDIDATES = (
    ("t-one", "t-two"),
    ("/t/one", "/t/two"),
    ("https://one.example.com/a", "https://two.example.com/a"),
    ("one.example.com:1", "one.example.com:2"),
)


@pytest.mark.parametrize(
    ("version", "enables", "reported"),
    (("0.20.0", "rtmp", True), ("0.20.0", "", False), ("0.20.5", "rtmp", False), ("0.18.0", "rtmp", False)),
)
def test_admission_webhooks_that_never_send_closing_are_reported(
    current: Simulator, version: str, enables: str, reported: bool
) -> None:
    answer_to(current, "/v1/version", {"version": version})
    webhooks = {"controlServerUrl": "http://control.example.com/", "secretKey": "canary-hook"}
    make_virtual_host(current, "t-v", admissionWebhooks={**webhooks, "enables": {"providers": enables}})
    run = audit(current, vhosts=[vhost()])
    found = [one["vhost"] for one in run["findings"] if "never send `closing`" in one["message"]]
    assert found == (["t-v"] if reported else [])


def pair(field: Field) -> tuple[Any, Any]:
    """Two values of a field that differ, and that it takes."""
    fixed: dict[type, tuple[Any, Any]] = {
        Int: (11, 12),
        Float: (1.5, 2.5),
        Bool: (True, False),
        Bitrate: ("1M", "2M"),
        Extra: ({"tThing": 1}, {"tThing": 2}),
    }
    kind = Extra if isinstance(field, Extra) else type(field)
    if kind in fixed:
        return fixed[kind]
    if getattr(field, "choices", None):
        return tuple(field.choices[:2])  # type: ignore[attr-defined]
    if field.secret:
        return "canary-one", "canary-two"
    for one, two in CANDIDATES:
        values = ([one], [two]) if isinstance(field, StringSet) else (one, two)
        try:
            for value in values:
                field.validate(value, "")
        except errors.BadInput:
            continue
        return values
    raise AssertionError(f"no value for {field.option}")


def sample(group: Object) -> dict[str, Any]:
    """A value of a group with every field."""
    return {
        option: sample(field)
        if isinstance(field, Object)
        else [sample(field.element)]
        if isinstance(field, ObjectList)
        else pair(field)[0]
        for option, field in group.fields.items()
    }


def variants(group: Object, identity: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The sample of a group with one field, or one member, other than there, for each of them.

    Yields the path of the field, what is there, and a list's entry that gives this field and what goes with it.
    """
    whole = sample(group)
    needed = {option: whole[option] for option, field in group.fields.items() if field.required}
    if group.presence_keyed:
        needed.update({option: {} for option, field in group.fields.items() if isinstance(field, Object)})
    for option, field in group.fields.items():
        if option in identity:
            continue
        if isinstance(field, Object):
            for path, there, wanted in variants(field):
                yield f"{option}.{path}", {**whole, option: there}, {**needed, option: wanted}
            if group.presence_keyed:
                yield option, {name: value for name, value in whole.items() if name != option}, needed
        elif isinstance(field, ObjectList):
            for path, there, wanted in variants(field.element):
                yield f"{option}[0].{path}", {**whole, option: [there]}, {**needed, option: [wanted]}
            yield option, {**whole, option: []}, {**needed, option: whole[option]}
        else:
            yield option, {**whole, option: pair(field)[1]}, {**needed, option: whole[option]}


def expect_each(run: ModuleRun, key: str, expected: dict[str, str]) -> None:
    """There is one finding for each object, about this very field, and no other."""
    found = [(finding[key], finding["field"]) for finding in run["findings"] if finding["severity"] != "info"]
    assert sorted(found) == sorted(expected.items())
    for finding in run["findings"]:
        if finding["severity"] != "info":
            assert (
                finding["kind"] == "differs"
                and finding["found"] != finding["wanted"]
                and finding["field"] in finding["message"]
            )


def expect_the_same(run: ModuleRun, module: ModuleRun, **names: str) -> None:
    """The module that would repair it, in check mode, says the same of each object."""
    parts = {
        (*(entry[name] for name in names.values()), one["field"]): (one["before"], one["after"])
        for entry in module["results"]
        for one in entry["differences"]
    }
    assert parts == {
        (*(finding[name] for name in names), finding["field"]): (finding["found"], finding["wanted"])
        for finding in run["findings"]
        if finding["kind"] == "differs"
    }


def test_each_field_of_a_virtual_host(simulator: Simulator) -> None:
    wanted, expected = [], {}
    every = [("", sample(VIRTUAL_HOST), sample(VIRTUAL_HOST)), *variants(VIRTUAL_HOST, ("name",))]
    for number, (path, there, _entry) in enumerate(every):
        name = f"t-{number}"
        simulator.state.create_virtual_host(VIRTUAL_HOST.to_wire({**there, "name": name}))
        wanted.append({**sample(VIRTUAL_HOST), "name": name})
        if path:
            expected[name] = path
    assert len(expected) == 36
    run = audit(simulator, vhosts=wanted)
    shared = [
        finding for finding in run["findings"] if finding["kind"] == "ambiguous_host_name"
    ]  # all but one have the same host names
    assert [len(finding["vhosts"]) for finding in shared] == [len(expected)]
    run["findings"] = [finding for finding in run["findings"] if finding not in shared]
    expect_each(run, "vhost", expected)
    assert set(status(run).values()) <= {"ok", "drift", "warning"}
    expect_the_same(
        run,
        running_modules.run_module("vhosts", connection(simulator, vhosts=wanted, recreate=True), check_mode=True),
        vhost="name",
    )
    secret = [finding for finding in run["findings"] if finding["field"].endswith(("secret_key", "auth"))]
    assert len(secret) == 3 and all(
        (finding["found"], finding["wanted"]) == ("********", "******** (changed)") for finding in secret
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "simulator",
    [
        NEWEST,
        *(pytest.param(one, marks=pytest.mark.long) for one in (*RECORDED[1:], "documented")),
    ],
    indirect=True,
)
def test_each_field_of_an_application(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    # This is about differences, whatever the values.
    monkeypatch.setattr(value_rules, "refused", lambda _app, *_version, **_options: None)
    wanted, expected = [], {}
    holder = simulator.state.create_virtual_host(VIRTUAL_HOST.to_wire(vhost()))
    every = [("", sample(APPLICATION), sample(APPLICATION)), *variants(APPLICATION, ("vhost", "name"))]
    for number, (path, there, entry) in enumerate(every):
        name = f"t-{number}"
        wire = APPLICATION.to_wire({**there, "name": name})
        simulator.state.create_application(holder, {key: part for key, part in wire.items() if key != "vhost"})
        wanted.append({**entry, "vhost": "t-v", "name": name})
        if path:
            expected[name] = path
    assert len(expected) > 150
    run = audit(simulator, vhosts=[vhost()], applications=wanted)
    expect_each(run, "application", expected)
    if simulator.state.version.name != "0.20.0":  # one is enough, as it takes long
        return
    some = wanted[::9]
    module = running_modules.run_module(
        "applications", connection(simulator, applications=some, recreate=True), check_mode=True
    )
    run["findings"] = [
        finding for finding in run["findings"] if finding["application"] in {entry["name"] for entry in some}
    ]
    expect_the_same(run, module, vhost="vhost", application="name")


def test_each_field_of_a_push_task(simulator: Simulator) -> None:
    others = {
        "stream.name": {"stream_name": "other"},
        "stream.variant_names": {"variant_names": ["v1"]},
        "protocol": {"protocol": "mpegts"},
        "url": {"url": "rtmp://push.example.com/other"},
        "stream_key": {"stream_key": "canary-other"},
    }
    leaves = {
        path
        for path, _there, _wanted in variants(
            Object(
                "t", fields=[field for field in PUSH_TASK.fields.values() if field.option in ("stream", "stream_key")]
            )
        )
    }
    assert set(others) == leaves | {"protocol", "url"} and set(PUSH_TASK.fields) == {
        "vhost",
        "app",
        "id",
        "stream",
        "protocol",
        "url",
        "stream_key",
    }
    push = simulator.state.push_application("default", "app")
    assert push is not None
    wanted, expected = [], {}
    for number, (path, changed) in enumerate(others.items()):
        name = f"t-{number}"
        fields: dict[str, Any] = {
            "stream_name": "main",
            "protocol": "rtmp",
            "url": TASK["url"],
            "stream_key": TASK["stream_key"],
            "variant_names": ["v0"],
        }
        simulator.state.start_task("default", "app", push, PushTask(id=name, created=0.0, **{**fields, **changed}))
        wanted.append(task("default", "app", name, stream={"name": "main", "variant_names": ["v0"]}))
        expected[name] = path
    run = audit(simulator, push_tasks=wanted)
    expect_each(run, "push_task", expected)
    module = running_modules.run_module("push_tasks", connection(simulator, tasks=wanted), check_mode=True)
    expect_the_same(run, module, vhost="vhost", application="app", push_task="id")


# -- missing and unlisted objects -------------------------------------------------------------------------------


def test_everything_is_missing(simulator: Simulator) -> None:
    run = audit(simulator, vhosts=[vhost(applications=[app(simulator)])], push_tasks=[task()])
    assert places(run) == [
        ("missing", "t-v", "", "", ""),
        ("missing", "t-v", "live", "", ""),
        ("missing", "t-v", "live", "t-p", ""),
    ]
    assert status(run) == {"default": "ok", "t-v": "missing"}


def test_one_object_is_missing(simulator: Simulator) -> None:
    lists = small(simulator)
    assert places(audit(simulator, **{**lists, "vhosts": [*lists["vhosts"], vhost("t-w")]})) == [
        ("missing", "t-w", "", "", "")
    ]
    run = audit(simulator, **lists, applications=[{**app(simulator, "more"), "vhost": "t-v"}])
    assert places(run) == [("missing", "t-v", "more", "", "")] and status(run)["t-v"] == "drift"
    assert places(audit(simulator, **{**lists, "push_tasks": [task(), task(task_id="t-q")]})) == [
        ("missing", "t-v", "live", "t-q", "")
    ]
    # In what is not there.
    run = audit(
        simulator,
        **{**lists, "push_tasks": [task(), task(app="none"), task("none", "none")]},
        applications=[{**app(simulator), "vhost": "gone"}],
    )
    assert places(run) == [
        ("missing", "gone", "live", "", ""),
        ("missing", "none", "none", "t-p", ""),
        ("missing", "t-v", "none", "t-p", ""),
    ]
    assert [entry for entry in run["vhosts"] if entry["name"] == "gone"] == [
        {
            "name": "gone",
            "listed": False,
            "present": False,
            "read_only": False,
            "live_streams": None,
            "status": "missing",
        }
    ]


def test_one_object_is_not_listed(simulator: Simulator) -> None:
    lists = small(simulator)
    provision(
        simulator,
        vhosts=[vhost("t-w", applications=[app(simulator), app(simulator, "more")])],
        push_tasks=[task("t-w")],
    )
    run = audit(simulator, **lists)
    assert places(run) == [("not_listed", "t-w", "", "", "")] and status(run)["t-w"] == "not_listed"
    assert "read_only_vhosts" in message(run, "not_listed")
    # Inside of what is listed.
    everything = [*lists["vhosts"], vhost("t-w", applications=[app(simulator)])]
    assert places(audit(simulator, vhosts=everything, push_tasks=[task(), task("t-w")])) == [
        ("not_listed", "t-w", "more", "", "")
    ]
    assert places(
        audit(
            simulator,
            vhosts=everything,
            push_tasks=[task("t-w")],
            applications=[{**app(simulator, "more"), "vhost": "t-w"}],
        )
    ) == [("not_listed", "t-v", "live", "t-p", "")]
    # An application with a push task is one finding.
    assert places(audit(simulator, vhosts=[vhost(), *everything[1:]], push_tasks=[task("t-w")])) == [
        ("not_listed", "t-v", "live", "", ""),
        ("not_listed", "t-w", "more", "", ""),
    ]


def test_listed_objects_inside_of_unlisted_ones(simulator: Simulator) -> None:
    small(simulator)
    run = audit(
        simulator,
        applications=[{**app(simulator, type="vod"), "vhost": "t-v"}],
        push_tasks=[task(stream_key="canary-new")],
    )
    assert places(run) == [
        ("not_listed", "t-v", "", "", ""),
        ("differs", "t-v", "live", "", "type"),
        ("differs", "t-v", "live", "t-p", "stream_key"),
    ]
    assert places(audit(simulator, applications=[{**app(simulator), "vhost": "t-v"}])) == [
        ("not_listed", "t-v", "", "", "")
    ]


def test_virtual_hosts_of_the_configuration(simulator: Simulator) -> None:
    """Their applications need not be listed; their pushes are anybody's."""
    provision(simulator, push_tasks=[task("default", "app")])
    assert places(audit(simulator)) == [("not_listed", "default", "app", "t-p", "")]
    lists: dict[str, Any] = {"push_tasks": [task("default", "app")]}
    assert places(audit(simulator, **lists)) == []
    listed = {"name": "default", "host": {"names": [*HOST_NAMES]}, "admission_webhooks": {"timeout": 3000}}
    assert places(audit(simulator, **lists, vhosts=[listed])) == []
    run = audit(
        simulator,
        **lists,
        vhosts=[{**listed, "admission_webhooks": {"timeout": 2000}, "applications": [app(simulator, "none")]}],
    )
    assert places(run) == [
        ("differs", "default", "", "", "admission_webhooks.timeout"),
        ("missing", "default", "none", "", ""),
    ]
    assert all(
        "configuration file" in finding["message"] for finding in run["findings"] if finding["severity"] == "drift"
    )
    # Recognized by numbers that are text.
    known = simulator.state.version.static_scalars_are_strings
    expected = [] if known else [("not_listed", "default", "", "", "")]
    assert places(audit(simulator, **lists, read_only_vhosts=[])) == expected
    unlisted = [] if known else [("not_listed", "default", "app", "", ""), ("not_listed", "default", "nopush", "", "")]
    assert places(audit(simulator, **lists, read_only_vhosts=[], vhosts=[listed])) == unlisted


def test_an_application_shows_that_its_virtual_host_is_read_only(current: Simulator) -> None:
    current.add_static_virtual_host(
        {"name": "t-s", "host": {"names": ["s.example.com"]}},
        [{"name": "a", "type": "live"}, {"name": "b", "publishers": {"streamWorkerCount": 2}}, "c"],
    )
    run = audit(current)
    assert places(run) == [] and run["vhosts"][1]["read_only"] is True
    assert "/v1/vhosts/t-s/apps/c" not in [record.path for record in current.log]  # nothing depends on it


def test_dynamic_applications(simulator: Simulator) -> None:
    """They are there for a stream, and go with it."""
    lists = small(simulator)
    lists["vhosts"][0].pop("applications")
    assert places(audit(simulator, **lists)) == [("not_listed", "t-v", "live", "", "")]
    change_answer(simulator, "/v1/vhosts/t-v/apps/live", lambda answer: answer["response"].update(dynamic=True))
    assert places(audit(simulator, **lists)) == []


def test_push_tasks_of_the_configuration(simulator: Simulator) -> None:
    simulator.add_config_task("default", "app", id="t-c", stream_key="canary-c")
    run = audit(simulator)
    assert places(run) == [] and run["push_tasks"][0]["is_config"] is True
    run = audit(
        simulator,
        push_tasks=[
            task(
                "default",
                "app",
                "t-c",
                stream={"name": "stream"},
                url="rtmp://127.0.0.1:1936/config",
                stream_key="canary-d",
            )
        ],
    )
    assert places(run) == [("differs", "default", "app", "t-c", "stream_key")]


def test_no_push_publisher(simulator: Simulator) -> None:
    pushes = [task("default", "nopush"), task("default", "nopush", "t-q")]
    run = audit(simulator, push_tasks=pushes)
    assert places(run) == [("push_publisher_missing", "default", "nopush", "", "")]
    assert "push tasks t-p, t-q are listed" in run["findings"][0]["message"]
    assert "<Push />" in run["findings"][0]["message"]
    one = audit(simulator, push_tasks=pushes[:1])
    assert places(one) == [("push_publisher_missing", "default", "nopush", "t-p", "")]
    simulator.clear_log()
    audit(simulator, push_tasks=pushes)
    assert [record.path for record in simulator.log].count("/v1/vhosts/default/apps/nopush") == 2  # one a run
    # One that is to get it is not to blame.
    make_virtual_host(simulator, "t-v")
    post(
        simulator,
        "/v1/vhosts/t-v/apps",
        [{"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}}}],
    )
    run = audit(simulator, vhosts=[vhost(applications=[app(simulator)])], push_tasks=[task()])
    assert places(run) == [
        ("differs", "t-v", "live", "", f"publishers.{push_publisher(simulator)}"),
        ("missing", "t-v", "live", "t-p", ""),
    ]


def test_unaddressable_names(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    make_virtual_host(simulator, "a b")
    make_virtual_host(simulator, "t-w")
    for name in ("t-v", "t-w"):
        post(simulator, f"/v1/vhosts/{name}/apps", [{"name": "x?y", "type": "live"}])
    push = simulator.state.push_application("default", "app")
    assert push is not None
    simulator.state.start_task("default", "app", push, PushTask("%s", "main", "rtmp", "rtmp://a/b", "", 0.0))
    run = audit(simulator, vhosts=[vhost()])
    # What is in one that is not listed is no finding of its own.
    assert places(run) == [
        ("not_listed", "t-w", "", "", ""),
        ("unaddressable", "", "", "", ""),
        ("unaddressable", "default", "app", "%s", ""),
        ("unaddressable", "t-v", "", "", ""),
    ]
    assert [entry["name"] for entry in run["vhosts"]] == ["default", "t-v", "t-w"]


def test_unknown_settings(simulator: Simulator) -> None:
    make_virtual_host(simulator, "t-v")
    # As a server would have it that is newer than the collection.
    simulator.state.virtual_hosts["t-v"].config["newSetting"] = {"url": ["canary"]}
    run = audit(simulator, vhosts=[vhost()])
    (finding,) = [finding for finding in run["findings"] if finding["kind"] == "unmanaged"]
    assert finding["vhost"] == "t-v" and finding["found"] == ["newSetting"] and finding["severity"] == "info"
    assert status(run)["t-v"] == "info" and places(run) == []


def test_listed_objects_with_warnings(current: Simulator) -> None:
    lists = provision(
        current,
        vhosts=[vhost(host={"names": ["a.example.com"], "tls": {"cert_path": "/a"}}, applications=[app(current)])],
        push_tasks=[task(protocol="srt", url="srt://a.example.com:1")],
    )
    run = audit(current, **lists)
    assert (
        places(run) == [("concern", "t-v", "", "", ""), ("concern", "t-v", "live", "t-p", "")]
        and status(run)["t-v"] == "warning"
    )


def test_an_application_that_cannot_be_created(current: Simulator) -> None:
    make_virtual_host(current, "t-v")
    profile = {"name": "p", "output_stream_name": "s", "encodes": {"videos": [{"name": "v"}]}}
    run = audit(
        current, vhosts=[vhost(applications=[{"name": "live", "output_profiles": {"output_profile": [profile]}}])]
    )
    assert places(run) == [("bad_input", "t-v", "live", "", "")] and "videos[0].codec" in message(run, "bad_input")


# -- invalid entries --------------------------------------------------------------------------------------------

BAD: dict[str, tuple[str, Callable[[Simulator], Any], tuple[str, ...]]] = {
    "wrong type": (
        "vhosts",
        lambda _s: vhost(admission_webhooks={"timeout": "soon", "secret_key": "canary-bad"}),
        ("t-v", "", ""),
    ),
    "unknown option": ("vhosts", lambda _s: vhost(hots={}), ("t-v", "", "")),
    "with the name of a list": ("vhosts", lambda _s: vhost("streams", hots={}), ("streams", "", "")),
    "bad value": ("vhosts", lambda _s: vhost(host={"names": ["a b"]}), ("t-v", "", "")),
    "no name": ("vhosts", lambda _s: {"host": {"names": ["a"]}}, ("", "", "")),
    "a name that is none": ("vhosts", lambda _s: vhost("a b"), ("a b", "", "")),
    "no dictionary": ("vhosts", lambda _s: "t-v", ("", "", "")),
    "the same again": ("vhosts", lambda _s: vhost("t-k"), ("t-k", "", "")),
    "application of the wrong type": (
        "applications",
        lambda _s: {"vhost": "t-v", "name": "live", "type": "dead"},
        ("t-v", "live", ""),
    ),
    "application with a bad value": (
        "applications",
        lambda _s: {"vhost": "t-v", "name": "live", "providers": {}},
        ("t-v", "live", ""),
    ),
    "push task of the wrong type": ("push_tasks", lambda _s: task(stream=17), ("t-v", "live", "t-p")),
    "push task with a bad value": (
        "push_tasks",
        lambda _s: task(url=f"http://a.example.com/{TASK['stream_key']}"),
        ("t-v", "live", "t-p"),
    ),
    "push task without a key": (
        "push_tasks",
        lambda _s: {key: value for key, value in task().items() if key != "stream_key"},
        ("t-v", "live", "t-p"),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_an_invalid_entry(current: Simulator, case: str) -> None:
    """It is one finding, what it is about is not said to be unlisted, and the rest is compared."""
    option, make, place = BAD[case]
    small(current)
    provision(current, vhosts=[vhost("t-k")])
    lists: dict[str, list[Any]] = {
        "vhosts": [vhost(), vhost("t-k"), vhost("t-m")],
        "applications": [{**app(current), "vhost": "t-v"}],
        "push_tasks": [task()],
    }
    if case != "the same again":
        lists[option] = [
            entry
            for entry in lists[option]
            if tuple(entry.get(name, "") for name in ("vhost", "name", "app", "id")) not in _same(make(current))
        ]
    lists[option].insert(1, make(current))
    run = audit(current, **lists)
    (bad,) = [finding for finding in run["findings"] if finding["kind"] == "bad_input"]
    assert (bad["vhost"], bad["application"], bad["push_task"]) == place
    assert bad["field"].startswith(f"{option}[") and bad["message"].startswith(f"{bad['field']}: ")
    rest = [entry for entry in places(run) if entry[0] != "bad_input"]
    assert rest == [("missing", "t-m", "", "", "")] if place[0] != "" or case == "no dictionary" else rest


def _same(entry: Any) -> list[tuple[str, ...]]:
    return [tuple(entry.get(name, "") for name in ("vhost", "name", "app", "id"))] if isinstance(entry, dict) else []


def test_a_bad_application_inside_of_a_good_virtual_host(current: Simulator) -> None:
    small(current)
    provision(current, vhosts=[vhost("t-w", applications=[app(current), app(current, "more")])])
    nested = [{"name": "live", "type": "dead"}, {"name": "none"}, 7]
    bad = vhost(
        "t-w",
        distribution=["x", {}],
        host=3,
        applications=[app(current), {"name": "more", "type": "vod", "providers": {"rtmp": {}}}],
    )
    run = audit(current, vhosts=[vhost(applications=nested), bad], push_tasks=[task()])
    assert [entry[:4] for entry in places(run)] == [
        ("bad_input", "t-v", "", ""),
        ("bad_input", "t-v", "live", ""),
        ("bad_input", "t-w", "", ""),
        ("missing", "t-v", "none", ""),
        ("differs", "t-w", "more", ""),
    ]
    assert [finding["field"] for finding in run["findings"][:3]] == [
        "vhosts[0].applications[2]",
        "vhosts[0].applications[0]",
        "vhosts[1]",
    ]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("sampling_interval", 1),
        ("sampling_interval", -1),
        ("sampling_interval", 601),
        ("certificate_days", -1),
        ("read_only_vhosts", ["default", "a b"]),
    ],
)
def test_options_of_the_module_itself(current: Simulator, option: str, value: Any) -> None:
    run = running_modules.run_module("audit_info", connection(current, **{option: value}))
    assert run.failed and run["error"]["kind"] == "bad_input" and run["msg"].startswith(option)
    assert current.log == []
    assert running_modules.run_module("audit_info", connection(current, vhosts={"a": 1})).failed


def test_secrets_are_no_log() -> None:
    def secret(spec: dict[str, Any], path: str = "") -> Iterator[str]:
        for name, option in spec.items():
            if option.get("no_log"):
                yield path + name
            yield from secret(option.get("options", {}), f"{path}{name}.")

    assert set(secret(argument_spec("audit_info"))) == {
        "api_token",
        "http_headers",
        "vhosts.signed_policy.secret_key",
        "vhosts.admission_webhooks.secret_key",
        "vhosts.origin_map_store.redis_server.auth",
        "vhosts.applications.transcode_webhook.secret_key",
        "applications.transcode_webhook.secret_key",
        "push_tasks.stream_key",
        "records.metadata",
    }


# -- servers that do not respond, or strangely ------------------------------------------------------------------


def answer_to(simulator: Simulator, path: str, response: Any, status: int = 200) -> None:
    """Lets the simulator answer requests to a path with something else, for ever."""

    async def instead(exchange: Any, work: Any) -> Answer:
        return (
            Answer(status, {"statusCode": status, "message": "OK", "response": response})
            if exchange.target.endswith(path)
            else await work()
        )

    simulator.middlewares.append(instead)


def change_answer(simulator: Simulator, path: str, change: Callable[[Any], None]) -> None:
    """Lets somebody change the simulator's answers to a path."""

    async def changed(exchange: Any, work: Any) -> Answer:
        answer = await work()
        if exchange.target.endswith(path):
            answer.payload = copy.deepcopy(answer.payload)
            change(answer.payload)
        return answer

    simulator.middlewares.append(changed)


def unreachable(run: ModuleRun, kind: str) -> None:
    assert run["reachable"] is False and run["version"] is None and run["vhosts"] == run["push_tasks"] == []
    assert places(run) == [(kind, "", "", "", "")] and run["counts"]["info"] == 0
    assert ADVICE[kind].remedy in run["findings"][0]["message"]


def test_servers_that_do_not_respond(simulator: Simulator) -> None:
    lists = small(simulator)
    unreachable(audit(simulator, **lists, api_token="canary-wrong"), "unauthorized")
    unreachable(audit(simulator, **lists, api_url=f"http://127.0.0.1:{unused_port()}", retries=0), "refused")
    unreachable(audit(simulator, **lists, api_url="http://nobody.invalid", retries=0), "unresolved")
    simulator.inject("reset", method="GET", path="/v1/vhosts", times=-1)
    unreachable_but_for_its_version = audit(simulator, **lists, retries=0)
    assert unreachable_but_for_its_version["reachable"] is False and places(unreachable_but_for_its_version) == [
        ("connection_lost", "", "", "", "")
    ]


def test_a_server_that_is_too_slow(current: Simulator) -> None:
    """It is asked once in each of the two runs, whatever there is to compare."""
    current.inject("delay", seconds=3600, times=-1)
    unreachable(
        audit(current, timeout=0.2, retries=0, vhosts=[vhost(f"t-{number}") for number in range(100)]), "timeout"
    )
    assert len(current.log) == 2


@pytest.mark.parametrize("path", ("/v1/version", "/v1/vhosts"))
def test_a_page_in_place_of_the_api(current: Simulator, path: str) -> None:
    async def page(exchange: Any, work: Any) -> Answer:
        return (
            Answer(200, "<html>Log in</html>", headers={"Content-Type": "text/html"})
            if exchange.target == path
            else await work()
        )

    current.middlewares.append(page)
    run = audit(current, vhosts=[vhost()])
    assert run["reachable"] is False and run["vhosts"] == []
    assert [entry[0] for entry in places(run)] in (["not_json"], ["unexpected_answer"])


@pytest.mark.parametrize(
    ("path", "place", "hidden"),
    [
        ("/v1/vhosts/t-v", ("t-v", "", ""), {("t-v", "", "")}),
        ("/v1/vhosts/t-v/apps", ("t-v", "", ""), {("t-v", "live", "")}),
        ("/v1/vhosts/t-v/apps/live", ("t-v", "live", ""), {("t-v", "live", "")}),
        ("/v1/vhosts/t-v/apps/live:pushes", ("t-v", "live", ""), {("t-v", "live", "t-p"), ("t-v", "live", "t-q")}),
    ],
)
def test_one_object_cannot_be_read(
    simulator: Simulator, path: str, place: tuple[str, ...], hidden: set[tuple[str, ...]]
) -> None:
    """It is a finding, nothing is said of what could not be seen, and everything else is compared."""
    small(simulator)
    provision(simulator, vhosts=[vhost("t-w")])
    lists = {
        "vhosts": [
            vhost(distribution="other", applications=[app(simulator, type="vod")]),
            vhost("t-w", distribution="other"),
        ],
        "push_tasks": [task(stream_key="canary-new"), task(task_id="t-q")],
    }
    every = {("t-v", "", ""), ("t-v", "live", ""), ("t-v", "live", "t-p"), ("t-v", "live", "t-q"), ("t-w", "", "")}
    assert {entry[1:4] for entry in places(audit(simulator, **lists))} == every
    simulator.inject(
        "status",
        method="POST" if path.endswith("pushes") else "GET",
        path=path,
        status=500,
        times=-1,
        message="said by the test",
    )
    run = audit(simulator, **lists)
    found = places(run)
    assert found[0] == ("server_error", *place, "") and {entry[1:4] for entry in found[1:]} == every - hidden
    assert status(run)["t-v"] == "error" and status(run)["t-w"] == "drift"


def test_a_server_without_the_call_for_applications(current: Simulator) -> None:
    lists = small(current)
    current.inject(
        "status",
        method="GET",
        path="/v1/vhosts/default/apps",
        status=404,
        times=-1,
        message="[HTTP] Controller not found (404)",
    )
    current.inject(
        "status",
        method="GET",
        path="/v1/vhosts/t-v/apps",
        status=404,
        times=-1,
        message="[HTTP] Controller not found (404)",
    )
    assert places(audit(current, vhosts=[vhost()])) == []
    run = audit(current, **{**lists, "push_tasks": [task(), task(task_id="t-q")]})
    assert places(run) == [("controller_not_found", "t-v", "", "", ""), ("missing", "t-v", "live", "t-q", "")]


def test_the_server_stops_responding(current: Simulator) -> None:
    lists = provision(
        current,
        vhosts=[vhost(name, applications=[app(current)]) for name in ("t-1", "t-2", "t-3")],
        push_tasks=[task("t-1"), task("t-3")],
    )
    for path, method in (
        ("/v1/vhosts/t-2", "GET"),
        ("/v1/vhosts/t-2/apps", "GET"),
        ("/v1/vhosts/t-2/apps/live", "GET"),
        ("/v1/vhosts/t-2/apps/live:pushes", "POST"),
    ):
        current.clear_faults()
        current.inject("reset", method=method, path=path, times=-1)
        run = audit(current, **lists, retries=0, concurrency=1)
        assert places(run) == [("connection_lost", "", "", "", "")] and "not compared" in message(
            run, "connection_lost"
        )
        assert run["reachable"] is True and status(run) == {
            "default": "ok",
            "t-1": "ok",
            "t-2": "error",
            "t-3": "error",
        }
        assert [one["vhost"] for one in run["push_tasks"]] == ["t-1"]
        assert current.log[-1].path == path  # nothing more was asked


@pytest.mark.parametrize(
    ("path", "method", "expected"),
    [
        (
            "/v1/vhosts/t-v",
            "GET",
            [("missing", "t-v", "", "", ""), ("missing", "t-v", "live", "", ""), ("missing", "t-v", "live", "t-p", "")],
        ),
        ("/v1/vhosts/t-v/apps", "GET", [("missing", "t-v", "live", "", ""), ("missing", "t-v", "live", "t-p", "")]),
        ("/v1/vhosts/t-v/apps/live", "GET", [("application", "")]),
        ("/v1/vhosts/t-v/apps/live:pushes", "POST", [("missing", "t-v", "live", "t-p", "")]),
    ],
)
def test_deleted_meanwhile(current: Simulator, path: str, method: str, expected: list[tuple[str, ...]]) -> None:
    """Between two requests somebody deletes the virtual host."""
    lists = small(current)

    def delete() -> None:
        current.state.delete_virtual_host(current.state.virtual_hosts["t-v"])

    current.meanwhile(method, path, delete)
    run = running_modules.run_module("audit_info", connection(current, read_only_vhosts=["default"], **lists))
    if method == "GET" and path.endswith("live"):
        assert {entry[0] for entry in places(run)} <= {"vhost_not_found", "missing"}
    else:
        assert places(run) == expected


STRANGE: tuple[Any, ...] = (
    None,
    5,
    -1.5,
    "x",
    "",
    True,
    [],
    {},
    [None],
    [[]],
    ["x", {}],
    {"a": 1},
    {"name": {"x": []}},
    "9" * 5000,
    "a/b?c%s\n\u2028\ud800",
)


def spoil(value: Any, strange: Callable[[], Any]) -> Iterator[Any]:
    """The value with what `strange` returns in the place of each of its parts, three times for each."""
    if isinstance(value, dict):
        for key in value:
            yield from ({**value, key: strange()} for _time in range(3))
            yield from ({**value, key: part} for part in spoil(value[key], strange))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            for part in [strange(), strange(), *spoil(item, strange)]:
                yield [*value[:index], part, *value[index + 1 :]]


PATHS = (
    "/v1/version",
    "/v1/vhosts",
    "/v1/vhosts/t-v",
    "/v1/vhosts/t-v/apps",
    "/v1/vhosts/t-v/apps/live",
    "/v1/vhosts/t-v/apps/live:pushes",
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", PATHS)
def test_strange_responses(current: Simulator, path: str) -> None:
    """Every response leads to a result that is valid JSON."""
    lists = provision(
        current, vhosts=[vhost(applications=[app(current)], admission_webhooks={"timeout": 5})], push_tasks=[task()]
    )
    clean: list[Any] = []
    change_answer(current, path, lambda answer: clean.append(copy.deepcopy(answer)))
    wanted = Desired(
        [VIRTUAL_HOST.specified(lists["vhosts"][0])],
        [APPLICATION.specified({**app(current), "vhost": "t-v"})],
        [PUSH_TASK.specified(task())],
    )

    def look() -> dict[str, Any]:
        with contextlib.closing(Transport(Settings(current.url, current.token, retries=0))) as transport:
            one = Audit(Api(transport), Context(sleep=lambda _seconds: None), wanted, sampling_interval=5)
            one.run([], ProbeSettings(1.0))
        return json.loads(json.dumps(one.result()))

    assert [finding for finding in look()["findings"] if finding["severity"] != "info"] == []
    for answer in [
        *STRANGE,
        *({**clean[0], "response": strange} for strange in STRANGE),
        *spoil(clean[0], itertools.cycle(STRANGE).__next__),
    ]:
        current.middlewares.clear()

        async def instead(exchange: Any, work: Any, answer: Any = answer) -> Answer:
            return Answer(200, answer) if exchange.target == path else await work()

        current.middlewares.append(instead)
        assert set(look()["counts"]) == set(SEVERITIES)
    assert current.state.virtual_hosts.keys() == {"default", "t-v"}


# -- pushes -----------------------------------------------------------------------------------------------------


class Watched:
    """A simulator with a push that is live, and an audit with a clock of its own."""

    def __init__(self, version: str) -> None:
        self.clock = ManualClock()
        self.own = ManualClock(5.0)
        self.stalled = False
        self.meanwhile: Callable[[], None] = lambda: None
        self.simulator = Simulator(version=version, clock=self.clock, stop_delay=0.0, default_host_names=HOST_NAMES)

    def sleep(self, seconds: float) -> None:
        """Let time pass for the audit and, unless the push is stalled, on the server."""
        self.own.advance(seconds)
        self.clock.advance(0 if self.stalled else seconds)
        self.meanwhile()

    def audit(self, interval: float = 5.0, tasks: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        """Audit with two samples."""
        listed = [PUSH_TASK.specified(one) for one in ([task("default", "app")] if tasks is None else tasks)]
        settings = Settings(self.simulator.url, self.simulator.token, retries=0)
        with contextlib.closing(Transport(settings)) as transport:
            one = Audit(
                Api(transport),
                Context(sleep=self.sleep, clock=self.own),
                Desired(push_tasks=listed, read_only=["default"]),
                sampling_interval=interval,
            )
            one.run([], ProbeSettings(1.0))
        assert self.simulator.writes == []
        return json.loads(json.dumps(one.result()))


@pytest.fixture(params=(*RECORDED[1:], "documented"))
def watched(request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A push task that delivers, on each version."""
    one = Watched(request.param)
    with one.simulator as simulator:
        post(simulator, "/v1/vhosts/default/apps/app:startPush", start_body())
        simulator.stream_appears("default", "app", "main")
        one.clock.advance(10)
        simulator.clear_log()
        yield one


def start_body(**fields: Any) -> dict[str, Any]:
    return {
        "id": "t-p",
        "stream": {"name": "main"},
        "protocol": "rtmp",
        "url": TASK["url"],
        "streamKey": TASK["stream_key"],
        **fields,
    }


def above_info(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(finding["kind"], finding["push_task"]) for finding in result["findings"] if finding["severity"] != "info"]


def test_a_push_that_sends(watched: Watched) -> None:
    result = watched.audit()
    assert above_info(result) == [] and result["push_tasks"][0]["bits_per_second"] == 1_000_000
    assert len([record for record in watched.simulator.log if record.path.endswith(":pushes")]) == 3
    result = watched.audit(0.0)
    assert above_info(result) == [] and result["push_tasks"][0]["bits_per_second"] is None


def test_a_stalled_push(watched: Watched) -> None:
    watched.stalled = True
    result = watched.audit()
    assert above_info(result) == [("push_stalled", "t-p")] and result["vhosts"][0]["status"] == "error"
    assert "nothing for 5 s" in next(
        finding["message"] for finding in result["findings"] if finding["kind"] == "push_stalled"
    )
    assert result["push_tasks"][0]["bits_per_second"] == 0 and result["push_tasks"][0]["state"] == "pushing"
    assert above_info(watched.audit(0.0)) == []
    assert above_info(watched.audit(tasks=[])) == [("push_stalled", "t-p"), ("not_listed", "t-p")]


def test_a_push_that_fails(watched: Watched) -> None:
    watched.simulator.destination(TASK["url"], "refuse")
    watched.clock.advance(5)
    result = watched.audit()
    assert above_info(result) == [("push_error", "t-p")] and result["push_tasks"][0]["state"] == "error"
    assert (
        len([record for record in watched.simulator.log if record.path.endswith(":pushes")]) == 2
    )  # nothing to look at again


def test_a_push_that_connects(watched: Watched) -> None:
    """Releases without this state say that it waits for its stream, which is live."""
    watched.simulator.destination(TASK["url"], "hang")
    watched.clock.advance(5)
    connects = watched.simulator.state.version.connecting_state
    assert above_info(watched.audit()) == ([] if connects else [("push_waiting", "t-p")])


def test_a_push_that_changes_between_two_samples(watched: Watched) -> None:
    def refuse() -> None:
        watched.simulator.destination(TASK["url"], "refuse")
        watched.clock.advance(5)

    def again() -> None:
        watched.simulator.destination(TASK["url"], "accept")
        watched.clock.advance(5)

    watched.meanwhile = refuse
    result = watched.audit()
    assert above_info(result) == [("push_error", "t-p")] and result["push_tasks"][0]["state"] == "error"
    again()
    watched.meanwhile = again  # a new connection: nobody knows how much was sent
    result = watched.audit()
    assert (
        above_info(result) == []
        and result["push_tasks"][0]["bits_per_second"] is None
        and result["push_tasks"][0]["state"] == "pushing"
    )

    def stop() -> None:
        push = watched.simulator.state.push_application("default", "app")
        assert push is not None
        push.tasks.clear()

    watched.meanwhile = stop
    assert above_info(watched.audit()) == []


def test_a_configured_push_that_fails_or_stalls(watched: Watched) -> None:
    watched.simulator.add_config_task("default", "app", id="t-c", stream_name="main", url="rtmp://c.example.com/app")
    watched.simulator.add_config_task("default", "app", id="t-d", stream_name="main", url="rtmp://d.example.com/app")
    watched.simulator.destination("rtmp://c.example.com/app", "refuse")
    watched.clock.advance(5)
    watched.stalled = True
    assert above_info(watched.audit()) == [("push_error", "t-c"), ("push_stalled", "t-d"), ("push_stalled", "t-p")]


def test_the_second_sample_fails(watched: Watched) -> None:
    watched.meanwhile = lambda: (
        watched.simulator.inject("status", method="POST", path=":pushes", status=500, times=-1) and None
    )
    result = watched.audit()
    assert above_info(result) == [("server_error", "")] and result["push_tasks"][0]["bits_per_second"] is None


def test_a_module_run_with_two_samples(current: Simulator, clock: ManualClock) -> None:
    post(current, "/v1/vhosts/default/apps/app:startPush", start_body())
    current.stream_appears("default", "app", "main")
    clock.advance(1.1)
    run = running_modules.run_module(
        "audit_info", connection(current, push_tasks=[task("default", "app")], sampling_interval=2)
    )
    assert places(run) == [] and run["push_tasks"][0]["bits_per_second"] > 0


# -- certificates -----------------------------------------------------------------------------------------------


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Site]:
    """A virtual host that serves its certificate on two ports."""
    with Simulator(tls_ports=(0, 0), default_host_names=HOST_NAMES) as running:
        yield Site(running, tmp_path).create()


def served(site: Site, *names: str, **fields: Any) -> ModuleRun:
    """Audits the certificate of the site on both ports."""
    options = {
        key: fields.pop(key)
        for key in ("certificate_days", "verify_chain", "chain_ca_path", "timeout")
        if key in fields
    }
    entry = {"vhost": site.name, "certificate": str(site.source), "endpoint": site.endpoints(), **fields}
    listed = vhost(
        site.name, host={"names": [site.host_name], "tls": {"cert_path": str(site.cert), "key_path": str(site.key)}}
    )
    run = audit(
        site.simulator,
        vhosts=[listed, *map(vhost, names)],
        certificates=[{key: value for key, value in entry.items() if value is not None}],
        **options,
    )
    assert "PRIVATE" not in run.printed
    return run


def kinds(run: ModuleRun) -> list[str]:
    return [entry[0] for entry in places(run)]


def test_expected_certificates(ports: Site) -> None:
    run = served(ports, verify_chain=True, chain_ca_path=ports.root)
    assert kinds(run) == [] and status(run)["aa"] == "ok"
    assert [(one["vhost"], one["endpoint"], one["agrees"], one["error"]) for one in run["certificates"]] == [
        ("aa", f"127.0.0.1:{port} (aa.example.com)", True, "") for port in sorted(ports.simulator.tls_ports)
    ]
    assert (
        run["certificates"][0]["certificate"]["fingerprint"] == ports.old.fingerprint
        and run["certificates"][0]["certificate"]["days_left"] == 90
    )
    assert kinds(served(ports, certificate=None, fingerprint=ports.old.fingerprint.upper())) == []
    run = served(ports, certificate=None, endpoint=ports.endpoints()[0])
    assert kinds(run) == [] and run["certificates"][0]["agrees"] is None


def test_a_certificate_that_differs_from_the_file(ports: Site) -> None:
    ports.place(ports.new)
    run = served(ports)
    assert kinds(run) == ["certificate_differs"] * 2 and status(run)["aa"] == "drift"
    finding = run["findings"][0]
    assert (finding["field"], finding["found"], finding["wanted"]) == (
        "fingerprint",
        ports.old.fingerprint,
        ports.new.fingerprint,
    )
    assert (
        finding["endpoint"] == run["certificates"][0]["endpoint"] and "another virtual host" not in finding["message"]
    )
    assert kinds(served(ports, certificate=None, fingerprint=ports.new.fingerprint)) == ["certificate_differs"] * 2


def test_days(ports: Site) -> None:
    assert kinds(served(ports, certificate_days=91)) == ["certificate_expiring"] * 2
    assert (
        kinds(served(ports, certificate_days=91, days=90)) == []
        and kinds(served(ports, days=91)) == ["certificate_expiring"] * 2
    )
    run = served(ports, days=91, endpoint=ports.endpoints()[:1])
    assert "90 more days" in message(run, "certificate_expiring") and status(run)["aa"] == "warning"


@pytest.mark.parametrize(
    ("days", "begin", "kind"), [(-3, -30, "certificate_expired"), (90, 2, "certificate_not_yet_valid")]
)
def test_certificates_outside_of_their_validity(tmp_path: Path, days: int, begin: int, kind: str) -> None:
    """It is one finding, although the verification fails, too."""
    with Simulator(tls_ports=(0,), default_host_names=HOST_NAMES) as simulator:
        site = Site(simulator, tmp_path)
        site.place(Issued(site.host_name, days=days, begin=begin))
        site.create()
        assert kinds(served(site, verify_chain=True, chain_ca_path=site.root)) == [kind]


def test_unreachable_endpoints(ports: Site, handshake_limits: dict[int, list[float]]) -> None:
    hung, down = ports.simulator.tls_ports
    ports.simulator.listener(hung, "hang")
    ports.simulator.listener(down, "down")
    names = [{"port": port, "server_name": f"n{number}.example.com"} for number in range(20) for port in (hung, down)]
    run = served(ports, timeout=77, endpoint=names)
    assert kinds(run) == ["handshake_failed"] * 40 and status(run)["aa"] == "error"
    assert handshake_limits == {hung: [77] * 2, down: [77] * 2}  # a dead port is tried once in each of the two runs
    assert all(one["certificate"] is None and one["agrees"] is False and one["error"] for one in run["certificates"])


def test_a_chain_that_is_not_verified(ports: Site) -> None:
    other = ports.written("other.pem", STRANGER.cert_pem.bytes())
    assert kinds(served(ports, verify_chain=True, chain_ca_path=other)) == ["chain_not_verified"] * 2
    assert kinds(served(ports, verify_chain=False, chain_ca_path=other)) == []


def test_the_certificate_of_another_virtual_host(ports: Site, tmp_path: Path) -> None:
    """One that has the host name * hides those after it."""
    late = Site(ports.simulator, tmp_path, "zz").create()
    assert kinds(served(late, "aa")) == []
    del ports.simulator.state.virtual_hosts["aa"]
    ports.create("*")
    run = served(late, "aa")
    assert kinds(run) == ["differs"] + ["certificate_differs"] * 2 + ["ambiguous_host_name"]
    text = run["findings"][1]["message"]
    assert (
        "not cover zz.example.com" in text and "matches: aa (*). So the server never presents that of zz there." in text
    )
    # Without an expected certificate, the name is still wrong.
    run = served(late, "aa", certificate=None, verify_chain=True, chain_ca_path=late.root)
    assert [kind for kind in kinds(run) if kind.startswith(("certificate", "chain"))] == ["certificate_name"] * 2
    assert run["certificates"][0]["agrees"] is None
    # An address says nothing about the name.
    run = audit(ports.simulator, certificates=[{"endpoint": late.endpoints()[0]}])
    assert [kind for kind in kinds(run) if kind.startswith("certificate")] == [] and run["certificates"][0][
        "endpoint"
    ].endswith("(127.0.0.1)")


def test_certificates_of_a_server_whose_api_does_not_respond(ports: Site) -> None:
    entry = {
        "endpoint": ports.endpoints(host="127.0.0.1", server_name="aa.example.com"),
        "fingerprint": ports.new.fingerprint,
    }
    run = audit(ports.simulator, api_url=f"http://127.0.0.1:{unused_port()}", retries=0, certificates=[entry])
    assert kinds(run) == ["refused"] + ["certificate_differs"] * 2 and run["reachable"] is False


@pytest.mark.parametrize(
    ("entry", "kind", "field"),
    [
        ({"endpoint": []}, "bad_input", "endpoint"),
        ({}, "bad_input", "endpoint"),
        ({"endpoint": {"port": 0}}, "bad_input", "endpoint[0].port"),
        ({"endpoint": [{"host": "x"}]}, "bad_input", "endpoint[0].port"),
        ({"endpoint": [{"port": 1, "server_name": "*.a"}]}, "bad_input", "endpoint[0].server_name"),
        ({"endpoint": [{"port": 1, "host": "a b"}]}, "bad_input", "endpoint[0].host"),
        ({"endpoint": [{"port": "x"}]}, "bad_input", ""),
        ({"days": -1}, "bad_input", "days"),
        ({"fingerprint": "ab"}, "bad_input", "fingerprint"),
        ({"fingerprint": "a" * 64, "certificate": "/c.pem"}, "bad_input", "fingerprint"),
        ({"certificate": "-----BEGIN RSA PRIVATE KEY-----\ncanary\n"}, "bad_input", "certificate"),
        ({"certificate": "/nowhere/cert.pem"}, "certificate_file", "certificate"),
        ("x", "bad_input", ""),
    ],
)
def test_invalid_entries_about_certificates(ports: Site, entry: Any, kind: str, field: str) -> None:
    """Everything else is compared, even in the same entry."""
    if isinstance(entry, dict) and "endpoint" not in entry and entry:
        entry = {**entry, "endpoint": ports.endpoints()[0]}
    good = {"vhost": "aa", "endpoint": ports.endpoints(), "certificate": str(ports.source)}
    run = audit(ports.simulator, vhosts=[vhost("aa")], certificates=[entry, good])
    assert kinds(run) == [kind] and run["findings"][0]["field"] == "certificates[0]" + (f".{field}" if field else "")
    assert len([one for one in run["certificates"] if one["vhost"] == "aa" and one["agrees"]]) == 2


# -- the whole result -------------------------------------------------------------------------------------------


def test_secrets_of_the_server_are_not_shown(simulator: Simulator) -> None:
    """Neither those of objects that differ nor those of unlisted objects."""
    url = "rtmp://u:canary-user@push.example.com/app/canary-path?k=canary-query"
    provision(
        simulator,
        vhosts=[
            vhost(
                name,
                signed_policy={
                    "policy_query_key_name": "p",
                    "signature_query_key_name": "s",
                    "secret_key": f"canary-{name}",
                    "enables": {"providers": []},
                },
                applications=[app(simulator)],
            )
            for name in ("t-v", "t-w")
        ],
        applications=[{**application(simulator), "name": "more"}],
        push_tasks=[task(url=url), task("t-w", url=url)],
    )
    policy = {"signed_policy": {"secret_key": "canary-listed", "enables": {"publishers": ["llhls"]}}}
    run = audit(
        simulator,
        vhosts=[vhost(**policy, applications=[app(simulator)])],
        push_tasks=[task(url="rtmp://push.example.com/app/canary-listed")],
    )
    assert {entry[0] for entry in places(run)} == {"differs", "not_listed"}
    simulator.inject(
        "status",
        method="GET",
        path="/v1/vhosts/t-w",
        status=500,
        times=-1,
        message=f"canary-t-v and {TASK['stream_key']}",
    )
    assert "server_error" in kinds(audit(simulator, vhosts=[vhost("t-w"), vhost(**policy)]))


def test_the_order_is_the_same_in_every_run(current: Simulator) -> None:
    """The server lists names in another order each time."""
    names = [f"t-{number}" for number in range(30)]
    provision(
        current,
        vhosts=[vhost(name, applications=[app(current), app(current, "more")]) for name in names],
        push_tasks=[task(name) for name in names],
    )
    listed = [vhost(name, distribution="other") for name in [*names[::-2], "t-x", "t-a"]]
    first = audit(current, vhosts=listed, push_tasks=[task("t-0", task_id="t-q")])
    for entries in (listed, listed[::-1], sorted(listed, key=str)):
        assert audit(current, vhosts=entries, push_tasks=[task("t-0", task_id="t-q")])["findings"] == first["findings"]
    severities = [SEVERITIES.index(finding["severity"]) for finding in first["findings"]]
    assert severities == sorted(severities) and len(places(first)) > 60


class TestHostNames:
    """Host names by which publishers and viewers reach another virtual host."""

    def test_the_stock_configuration(self) -> None:
        for version in VERSIONS:
            with Simulator(version=version) as simulator:
                make_virtual_host(simulator, "t-a")
                run = audit(simulator, vhosts=[vhost("t-a")])
                (finding,) = [one for one in run["findings"] if one["severity"] != "info"]
                assert (finding["severity"], finding["kind"], finding["vhost"], finding["field"]) == (
                    "error",
                    "unreachable",
                    "t-a",
                    "host.names",
                )
                assert (
                    finding["found"] == ["t-a.example.com"] and "t-a.example.com reaches default" in finding["message"]
                )
                assert "Replace <Name>*</Name> of virtual host default in Server.xml" in finding["message"]
                assert status(run) == {"default": "ok", "t-a": "error"}

    def test_without_the_wildcard(self, simulator: Simulator) -> None:
        make_virtual_host(simulator, "t-a")
        assert kinds(audit(simulator, vhosts=[vhost("t-a")])) == []

    def test_an_unknown_order(self, current: Simulator) -> None:
        shared = {"names": ["x.example.com"]}
        for name in ("t-a", "t-b"):
            post(current, "/v1/vhosts", [{"name": name, "host": shared}])
        run = audit(current, vhosts=[vhost("t-a", host=shared), vhost("t-b", host=shared)])
        (finding,) = [one for one in run["findings"] if one["severity"] != "info"]
        assert finding["kind"] == "ambiguous_host_name" and finding["vhosts"] == ["t-a", "t-b"]
        assert "virtual hosts t-a, t-b have the same host names: x.example.com." in finding["message"]
        assert status(run) == {"default": "ok", "t-a": "warning", "t-b": "warning"}

    def test_virtual_hosts_hidden_by_one_wildcard_are_one_finding(self) -> None:
        names = [f"t-{number}" for number in range(7)]
        with Simulator() as simulator:
            for name in names:
                make_virtual_host(simulator, name)
            run = audit(simulator, vhosts=[vhost(name) for name in names])
            (finding,) = [one for one in run["findings"] if one["severity"] != "info"]
            assert (finding["kind"], finding["vhost"], finding["vhosts"]) == ("unreachable", "t-0", names)
            assert "of virtual hosts t-0, t-1, t-2, t-3, t-4 and 2 more reach another one" in finding["message"]
            assert finding["message"].count("Replace <Name>*</Name>") == 1 and len(finding["message"]) < 600
            assert status(run) == {"default": "ok", **dict.fromkeys(names, "error")}

    def test_a_virtual_host_without_a_host_name_is_a_warning(self) -> None:
        with Simulator(default_host_names=()) as simulator:
            post(simulator, "/v1/vhosts", [{"name": "t-a", "host": {"names": []}}])
            run = audit(simulator)
            assert places(run) == [
                ("not_listed", "t-a", "", "", ""),
                ("no_host_name", "default", "", "", "host.names"),
                ("no_host_name", "t-a", "", "", "host.names"),
            ]
            texts = [one["message"] for one in run["findings"] if one["kind"] == "no_host_name"]
            assert texts[0].endswith(
                "Add <Name> under Host, Names of the virtual host in Server.xml, and restart the server."
            )
            assert texts[1].endswith("such as media-1.example.com. Set host.names.")
            # If the lists have one, provision sets it.
            assert kinds(audit(simulator, vhosts=[vhost("t-a")])) == ["differs", "no_host_name"]

    def test_a_virtual_host_that_cannot_be_read(self, current: Simulator) -> None:
        make_virtual_host(current, "t-a")
        current.inject("status", method="GET", path="/v1/vhosts/default", times=-1)
        assert kinds(audit(current, vhosts=[vhost("t-a")])) == ["server_error"]
