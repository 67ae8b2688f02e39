# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests side by side: the same requests, results and end as one after the other, also where some of them fail."""

from __future__ import annotations

import json
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import concurrency as threads
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer
from ansible_collections.streamops.ovenmediaengine.tests.simulator.clock import turns
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import doubles, strays
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, post

APPS = ("live", "vod")
PUBLISHERS = {"push": {}}


class Jitter:
    """Lets each request take some turns of the server's loop by chance, and counts how many are under way at a time."""

    def __init__(self, simulator: Simulator, seed: int) -> None:
        self.most = 0
        self._under_way = 0
        self._random = random.Random(seed)
        simulator.middlewares.append(self)

    async def __call__(self, _exchange: Any, work: Any) -> Any:
        """The simulator's hook."""
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        await turns(self._random.randrange(200))
        self._under_way -= 1
        return await work()


def vhost(number: int, **fields: Any) -> dict[str, Any]:
    return {"name": f"t-{number:02}", "host": {"names": [f"t-{number:02}.example.com"]}, **fields}


def apps(number: int, **fields: Any) -> list[dict[str, Any]]:
    return [
        {"vhost": f"t-{number:02}", "name": name, "type": "live", "publishers": PUBLISHERS, **fields} for name in APPS
    ]


def without_vhost(app: Mapping[str, Any]) -> dict[str, Any]:
    """An application as it is listed inside of its virtual host."""
    return {key: value for key, value in app.items() if key != "vhost"}


def push(number: int, task: str, **fields: Any) -> dict[str, Any]:
    url = {"protocol": "rtmp", "url": f"rtmp://push.example.com/{task}", "stream_key": f"canary-{number}-{task}"}
    return {"vhost": f"t-{number:02}", "app": "live", "id": task, "stream": {"name": "camera"}, **url, **fields}


def fill(simulator: Simulator, count: int = 12, tasks: int = 2) -> None:
    """Virtual hosts that hold two applications each, and push tasks in one of them."""
    wire = [{"name": name, "type": "live", "publishers": {"push": {}, "rtmpPush": {}}} for name in APPS]
    post(simulator, "/v1/vhosts", [{**vhost(number), "applications": wire} for number in range(count)])
    for number in range(count):
        for task in range(tasks):
            body = {
                "id": f"p-{task}",
                "stream": {"name": "camera"},
                "protocol": "rtmp",
                "url": f"rtmp://push.example.com/p-{task}",
            }
            post(
                simulator,
                f"/v1/vhosts/t-{number:02}/apps/live:startPush",
                {**body, "streamKey": f"canary-{number}-p-{task}"},
            )


class Scenario(NamedTuple):
    """A module, its options, and how many objects the server holds before."""

    module: str
    options: Mapping[str, Any]
    filled: int = 12
    check_mode: bool = False


NUMBERS = range(12)
SCENARIOS = {
    "vhosts: new": Scenario("vhosts", {"vhosts": [vhost(number) for number in NUMBERS]}, 0),
    "vhosts: unchanged, and some new": Scenario("vhosts", {"vhosts": [vhost(number) for number in range(16)]}),
    "vhosts: with applications": Scenario(
        "vhosts",
        {"vhosts": [vhost(number, applications=[without_vhost(app) for app in apps(number)]) for number in NUMBERS]},
        6,
    ),
    "vhosts: some differ": Scenario(
        "vhosts", {"vhosts": [vhost(number, **({} if number % 3 else {"distribution": "d"})) for number in NUMBERS]}
    ),
    "vhosts: recreate": Scenario(
        "vhosts", {"vhosts": [vhost(number, distribution="d") for number in range(4)], "recreate": True}, 4
    ),
    "vhosts: absent": Scenario(
        "vhosts", {"vhosts": [{"name": f"t-{number:02}"} for number in range(5)], "state": "absent"}, 5
    ),
    "vhosts: what purging would do": Scenario("vhosts", {"vhosts": [vhost(1)], "purge": True}, 12, True),
    "vhost_info": Scenario("vhost_info", {}),
    "application_info": Scenario("application_info", {"show_secrets": True}),
    "push_task_info": Scenario("push_task_info", {}),
    "applications: new": Scenario(
        "applications",
        {"applications": [{**app, "name": f"{app['name']}-2"} for number in NUMBERS for app in apps(number)]},
    ),
    "applications: unchanged, some differ": Scenario(
        "applications", {"applications": [app for number in NUMBERS for app in apps(number, type="vod")]}
    ),
    "applications: no virtual host": Scenario(
        "applications", {"applications": [app for number in range(8, 16) for app in apps(number)]}
    ),
    "push_tasks: new and unchanged": Scenario(
        "push_tasks", {"tasks": [push(number, f"p-{task}") for number in NUMBERS for task in range(4)]}
    ),
    "push_tasks: restart": Scenario(
        "push_tasks", {"tasks": [push(number, "p-0", stream_key="canary-other") for number in NUMBERS]}
    ),
    "push_tasks: stopped": Scenario(
        "push_tasks",
        {"tasks": [push(number, f"p-{task}") for number in NUMBERS for task in range(2)], "state": "stopped"},
    ),
    "push_tasks: purge": Scenario("push_tasks", {"tasks": [push(number, "p-9") for number in NUMBERS], "purge": True}),
    "push_tasks: predicted": Scenario(
        "push_tasks", {"tasks": [push(number, "p-9", app=f"no-{number % 2}") for number in range(16)]}, 12, True
    ),
    "audit_info": Scenario(
        "audit_info",
        {
            "vhosts": [vhost(number, **({} if number % 3 else {"distribution": "d"})) for number in range(2, 14)],
            "applications": [app for number in range(4, 8) for app in apps(number)],
            "push_tasks": [push(number, "p-0") for number in range(10)],
            "read_only_vhosts": ["default"],
        },
    ),
}
# Errors of the server in the middle of lists, by method and path, and what meets them.
REFUSALS = {
    "a read fails": (
        "GET",
        r"/v1/vhosts/t-0[57]",
        ("vhosts: unchanged, and some new", "vhosts: some differ", "vhost_info", "audit_info"),
    ),
    "a list fails": (
        "GET",
        r"/v1/vhosts/t-0[36]/apps",
        ("applications: unchanged, some differ", "vhosts: some differ", "application_info", "audit_info"),
    ),
    "tasks cannot be read": (
        "POST",
        r".*/t-0[48]/apps/live:pushes",
        ("push_tasks: new and unchanged", "push_task_info", "audit_info"),
    ),
    "a start fails": (
        "POST",
        r".*/t-(02|07|11)/apps/live:startPush",
        ("push_tasks: new and unchanged", "push_tasks: restart"),
    ),
    "a stop fails": ("POST", r".*/t-(01|09)/apps/live:stopPush", ("push_tasks: stopped", "push_tasks: restart")),
    "applications cannot be made": (
        "POST",
        r"/v1/vhosts/t-(00|04|10)/apps",
        ("applications: new", "vhosts: with applications"),
    ),
}


class Refusals:
    """Answers 500 to all requests of a method and a path."""

    def __init__(self, simulator: Simulator, method: str, path: str) -> None:
        self.met = 0
        self._method, self._path = method, re.compile(path)
        simulator.middlewares.append(self)

    async def __call__(self, exchange: Any, work: Any) -> Any:
        """The simulator's hook."""
        if exchange.method == self._method and self._path.fullmatch(exchange.target):
            self.met += 1
            return Answer(500, {"statusCode": 500, "message": f"[HTTP] refused: {exchange.target}"})
        return await work()


class Seen(NamedTuple):
    """What can be told of a run afterwards."""

    result: Any
    requests: Any
    state: Any
    most: int
    connections: int
    threads: int


def told(run: running_modules.ModuleRun) -> Any:
    """The result without what differs with the port, the option itself, and by chance."""
    kept = {key: value for key, value in run.items() if key != "invocation"}
    text = re.sub(r"127\.0\.0\.1:\d+|in \d\.\d s|\d{4}-\d\d-\d\dT[\d:.+Z-]+", "...", json.dumps(kept))
    return json.loads(text)


def held(simulator: Simulator) -> Any:
    """What the server holds, in a stable order."""
    found = {}
    with simulator.state.lock:
        for name, one in simulator.state.virtual_hosts.items():
            for app in one.applications.values():
                tasks = sorted(app.push.tasks) if app.push is not None else []
                found[f"{name}/{app.name}"] = tasks
            found.setdefault(name, [])
    return found


def carry_out(
    scenario: Scenario,
    concurrency: int,
    seed: int,
    spoil: Callable[[Simulator], Any] = lambda simulator: None,
    **options: Any,
) -> Seen:
    threads: set[str] = set()
    start = threading.Thread.start

    def start_and_count(thread: threading.Thread) -> None:
        threads.add(thread.name)
        start(thread)

    with Simulator(stop_delay=0.2) as simulator, pytest.MonkeyPatch.context() as patch:
        fill(simulator, scenario.filled)
        simulator.clear_log()
        jitter = Jitter(simulator, seed)
        spoil(simulator)
        given = connection(simulator, concurrency=concurrency, **scenario.options, **options)
        patch.setattr(threading.Thread, "start", start_and_count)
        run = running_modules.run_module(scenario.module, given, check_mode=scenario.check_mode)
        requests = Counter((record.method, record.path, json.dumps(record.body)) for record in simulator.log)
        assert doubles(simulator.state) == strays(simulator.state) == []
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("call-")]
        calls = len([name for name in threads if name.startswith("call-")])
        return Seen(
            told(run),
            requests,
            held(simulator),
            jitter.most,
            len({record.connection for record in simulator.log}),
            calls,
        )


def without_polls(requests: Counter[Any]) -> Counter[Any]:
    """Requests without those that are sent until something has happened, as often as it takes."""
    return Counter({key: count for key, count in requests.items() if not key[1].endswith(":pushes")})


@pytest.mark.parametrize("name", SCENARIOS)
def test_requests_results_and_server_are_the_same(name: str) -> None:
    scenario = SCENARIOS[name]
    one_by_one = carry_out(scenario, 1, seed=0)
    assert one_by_one.most <= 1 and one_by_one.connections == 1 and one_by_one.threads == 0
    for seed in (1, 2):
        beside = carry_out(scenario, 8, seed=seed)
        assert beside.result == one_by_one.result
        assert beside.state == one_by_one.state
        assert without_polls(beside.requests) == without_polls(one_by_one.requests)
        assert beside.requests.keys() == one_by_one.requests.keys()
        assert 1 <= beside.connections <= 8 and beside.most <= 8
        # On a busy machine short requests can happen to miss each other.
        assert name == "vhosts: new" or beside.threads > 1


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("refusal", "name"), [(refusal, name) for refusal, (_method, _path, names) in REFUSALS.items() for name in names]
)
def test_refusals_in_the_middle_are_reported_the_same(refusal: str, name: str) -> None:
    refusals: list[Refusals] = []

    def spoil(simulator: Simulator) -> None:
        refusals.append(Refusals(simulator, *REFUSALS[refusal][:2]))

    scenario = SCENARIOS[name]
    one_by_one = carry_out(scenario, 1, 0, spoil)
    beside = carry_out(scenario, 8, 1, spoil)
    assert beside.result == one_by_one.result
    assert beside.state == one_by_one.state
    assert all(one.met for one in refusals)


@pytest.mark.parametrize("concurrency", [2, 3, 8])
def test_no_more_connections_than_wanted(concurrency: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_FIRST_THREADS", concurrency)  # not only while the others wait
    seen = carry_out(SCENARIOS["push_task_info"], concurrency, seed=0)
    assert seen.most <= concurrency and seen.connections <= concurrency
    assert seen.threads == concurrency


def test_what_breaks_once_is_read_again_and_all_is_looked_at_once_more() -> None:
    """One connection of eight breaks in the middle: nothing else differs."""

    def spoil(simulator: Simulator) -> None:
        simulator.inject("reset", method="GET", path="t-07")

    scenario = SCENARIOS["vhosts: unchanged, and some new"]
    seen = carry_out(scenario, 8, 3, spoil)
    assert [text.partition(" at ")[0] for text in seen.result.pop("retries")] == ["GET /v1/vhosts/t-07"]
    assert seen.result == carry_out(scenario, 8, 4).result
    assert seen.requests["GET", "/v1/vhosts/t-03", "null"] == 2


@pytest.mark.parametrize("module", ["vhosts: unchanged, and some new", "push_task_info", "audit_info"])
def test_a_token_that_is_refused_in_the_middle_ends_the_task(module: str) -> None:
    def spoil(simulator: Simulator) -> None:
        simulator.inject("unauthorized", skip=8, times=-1)

    scenario = SCENARIOS[module]
    seen = carry_out(scenario, 8, 0, spoil)
    if module == "audit_info":
        assert "unauthorized" in {finding["kind"] for finding in seen.result["findings"]}
    else:
        assert seen.result["failed"] and seen.result["error"]["kind"] == "unauthorized"
    assert sum(seen.requests.values()) <= 8 + 2 * 8


@pytest.mark.parametrize("seed", range(6))
def test_starts_whose_answers_are_lost_are_settled_and_never_made_twice(seed: int) -> None:
    lost = random.Random(seed)

    def spoil(simulator: Simulator) -> None:
        for number in NUMBERS:
            if lost.random() < 0.5:
                simulator.inject(
                    "reset",
                    method="POST",
                    path=f"t-{number:02}/apps/live:startPush",
                    when=lost.choice(["before", "after"]),
                    times=lost.choice([1, 2]),
                )

    scenario = SCENARIOS["push_tasks: new and unchanged"]
    seen = carry_out(scenario, 8, seed, spoil)
    assert not seen.result.get("failed"), seen.result
    assert seen.result["counts"] == {"started": 24, "unchanged": 24}
    assert seen.state == carry_out(scenario, 1, seed).state


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "name", ["vhosts: unchanged, and some new", "push_tasks: new and unchanged", "applications: new"]
)
def test_a_restart_in_the_middle_is_seen(name: str, seed: int) -> None:
    """What a result says to be there is there."""

    def spoil(simulator: Simulator) -> None:
        simulator.inject("restart", skip=6 + 4 * seed, seconds=0)

    seen = carry_out(SCENARIOS[name], 8, seed, spoil)
    for item in seen.result.get("results", ()):
        place = "/".join(item[key] for key in ("vhost", "app" if "id" in item else "name") if key in item)
        if item["action"] != "failed":
            assert place in seen.state and ("id" not in item or item["id"] in seen.state[place]), item
    assert seen.result.get("failed") or seen.state.keys() >= {"t-00", "t-11"}


@pytest.mark.parametrize(
    "name", ["vhosts: unchanged, and some new", "push_tasks: new and unchanged", "push_task_info", "audit_info"]
)
def test_a_server_that_dies_is_not_asked_by_all_again_and_again(name: str) -> None:
    def spoil(simulator: Simulator) -> None:
        simulator.inject("reset", skip=8, times=-1)

    seen = carry_out(SCENARIOS[name], 8, 0, spoil)
    kinds = {error["kind"] for error in [seen.result.get("error", {}), *seen.result.get("findings", ())] if error}
    assert kinds & {"connection_lost", "items_failed"}
    # Those that are under way, once more as late answers to the first eight let others begin, and the three in a row
    # that are tried again.
    assert sum(seen.requests.values()) <= 8 + 2 * 8 + 3 * 2


def test_a_list_that_is_too_long_for_one_request_is_sent_in_pieces_by_size() -> None:
    """Gateways refuse bodies of more than a megabyte unless they are told otherwise."""
    origins = [
        {
            "location": f"/{'x' * 1000}/{number}",
            "pass": {"scheme": "ovt", "urls": {"url": ["origin.example.com:9000/app/stream"]}},
        }
        for number in range(100)
    ]
    large = Scenario("vhosts", {"vhosts": [vhost(number, origins={"origin": origins}) for number in range(12)]}, 0)
    with Simulator() as simulator:
        run = running_modules.run_module("vhosts", connection(simulator, **large.options))
        assert run["counts"] == {"created": 12}
        posts = [record for record in simulator.log if record.method == "POST"]
        assert len(posts) > 1 and sum(len(record.body) for record in posts) == 12
        assert max(int(record.headers["Content-Length"]) for record in posts) < 2**20
