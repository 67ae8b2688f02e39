# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Random valid objects in every spelling: what was applied once is never changed again, and what is read is valid
input.
"""

from __future__ import annotations

import copy
import string
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.conftest import VERSIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection
from hypothesis import HealthCheck, given, settings

NAME_CHARACTERS = string.ascii_letters + string.digits + "._-"
names = st.text(NAME_CHARACTERS, min_size=1, max_size=12).filter(lambda text: text not in (".", ".."))
host_names = st.from_regex(r"[a-z0-9]{1,8}(\.[a-z0-9]{1,6}){0,2}", fullmatch=True) | st.just("*")
texts = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12).filter(
    lambda text: "*" * 8 not in text
)
secrets = texts | st.just("")
milliseconds = st.integers(0, 2**31 - 1)
paths = st.text(NAME_CHARACTERS + "/", min_size=1, max_size=12).map(lambda text: f"/{text}")
module_names = st.lists(st.sampled_from(["rtmp", "srt", "webrtc", "llhls", "ovt", "mpegts"]), unique=True, max_size=4)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A dictionary with any of the fields."""
    return st.fixed_dictionaries({}, optional=fields)


enables = optional(providers=module_names, publishers=module_names)
origin_urls = st.builds(
    lambda host, port, path: f"{host}:{port}{path}",
    st.from_regex(r"[a-z]{1,6}\.example", fullmatch=True),
    st.integers(1, 65535),
    paths,
)
origins = st.fixed_dictionaries(
    {
        "location": paths,
        "pass": st.fixed_dictionaries(
            {
                "scheme": st.sampled_from(["ovt", "rtsp"]),
                "urls": st.fixed_dictionaries({"url": st.lists(origin_urls, min_size=1, max_size=3, unique=True)}),
            },
            optional={"forward_query_params": st.booleans()},
        ),
    },
    optional=dict.fromkeys(("persistent", "failback", "strict_location", "relay"), st.booleans()),
)
virtual_hosts = st.fixed_dictionaries(
    {
        "name": names.filter(lambda name: name != "default"),
        "host": st.fixed_dictionaries(
            {"names": st.lists(host_names, min_size=1, max_size=4, unique=True)},
            optional={"tls": optional(cert_path=paths, key_path=paths, chain_cert_path=paths)},
        ),
    },
    optional={
        "distribution": texts,
        "signed_policy": optional(
            policy_query_key_name=texts, signature_query_key_name=texts, secret_key=secrets, enables=enables
        ),
        "admission_webhooks": optional(
            control_server_url=st.sampled_from(["http://127.0.0.1:9595/x", "https://u:p@hooks.example.com/?token=abc"]),
            secret_key=secrets,
            timeout=milliseconds,
            enables=enables,
        ),
        "origins": optional(
            properties=optional(
                no_input_failover_timeout=milliseconds,
                unused_stream_deletion_timeout=milliseconds,
                stream_failback_timeout=milliseconds,
            ),
            origin=st.lists(origins, max_size=3, unique_by=lambda origin: origin["location"]),
        ),
        "origin_map_store": optional(
            origin_host_name=texts, redis_server=optional(host=st.just("127.0.0.1:6379"), auth=secrets)
        ),
    },
)
virtual_host_lists = st.lists(virtual_hosts, min_size=1, max_size=4, unique_by=lambda vhost: vhost["name"])

destinations = st.one_of(
    st.builds(
        lambda path, key: {"protocol": "rtmp", "url": f"rtmp://push.example.com/app{path}", "stream_key": key},
        st.sampled_from(["", "/instance", "/a/b"]),
        secrets,
    ),
    st.builds(lambda port: {"protocol": "mpegts", "url": f"udp://239.0.0.1:{port}"}, st.integers(1, 65535)),
)
srt_destinations = st.builds(
    lambda port, options: {"protocol": "srt", "url": f"srt://push.example.com:{port}{options}"},
    st.integers(1, 65535),
    st.sampled_from(["", "?mode=caller", "?latency=200000&streamid=%2Fapp%2Fx&passphrase=canary-pass"]),
)


def push_tasks(version: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Lists of tasks that the version can run; 0.15.10 has no SRT pushes."""
    task = st.builds(
        lambda task_id, stream, destination: {
            "vhost": "default",
            "app": "app",
            "id": task_id,
            "stream": stream,
            **destination,
        },
        names,
        st.fixed_dictionaries({"name": texts}, optional={"variant_names": st.lists(texts, max_size=3, unique=True)}),
        destinations if version == "0.15.10" else destinations | srt_destinations,
    )
    return st.lists(task, min_size=1, max_size=4, unique_by=lambda one: one["id"])


def respell(value: Any, shuffle: Callable[[list[Any]], list[Any]], path: tuple[str, ...] = ()) -> Any:
    """The same object as somebody else would write it: text for numbers and booleans, other order, other case."""
    if isinstance(value, dict):
        keys = shuffle(sorted(value))
        return {key: respell(value[key], shuffle, (*path, key)) for key in keys}
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f" {value}" if value % 2 else str(value)
    if isinstance(value, list):
        if path[-1:] in (("names",), ("providers",), ("publishers",), ("variant_names",)):
            items = shuffle(list(value))
            return [item.upper() + " " for item in items] if "enables" in path else items
        return [respell(item, shuffle, path) for item in value]
    if path == ("protocol",):
        return f" {value.upper()} "
    if path == ("url",):
        return f" {value}// "
    if path == ("stream_key",):
        return f" {value} " if value else value
    return value


EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module", params=VERSIONS)
def server(request: pytest.FixtureRequest) -> Any:
    """One simulator a version for all examples; it is emptied by a restart before each."""
    with Simulator(version=request.param, stop_delay=0.0) as running:
        yield running
        assert not running.died


def apply_again(
    server: Simulator, module: str, option: str, wanted: list[dict[str, Any]], shuffle: Callable[[list[Any]], list[Any]]
) -> None:
    first = running_modules.run_module(module, connection(server, **{option: wanted}))
    assert not first.failed and first["changed"], first
    server.clear_log()
    respelled = shuffle([respell(copy.deepcopy(one), shuffle) for one in wanted])
    for check_mode in (True, False):
        again = running_modules.run_module(module, connection(server, **{option: respelled}), check_mode=check_mode)
        assert not again.failed and not again["changed"], again
    assert server.writes == []


def shufflers() -> st.SearchStrategy[Callable[[list[Any]], list[Any]]]:
    return st.randoms(use_true_random=False).map(lambda random: lambda items: random.sample(items, len(items)))


@EXAMPLES
@given(wanted=virtual_host_lists, shuffle=shufflers())
def test_virtual_hosts_are_never_changed_without_need(
    server: Simulator, wanted: list[dict[str, Any]], shuffle: Callable[[list[Any]], list[Any]]
) -> None:
    server.restart()
    apply_again(server, "vhosts", "vhosts", wanted, shuffle)
    # What is read, secrets and all, is valid input that changes nothing.
    found = running_modules.run_module("vhost_info", connection(server, show_secrets=True))
    assert {vhost["name"] for vhost in wanted} | {"default"} == {vhost["name"] for vhost in found["vhosts"]}
    again = running_modules.run_module("vhosts", connection(server, vhosts=found["vhosts"]))
    assert not again.failed and not again["changed"], again


@EXAMPLES
@given(data=st.data(), shuffle=shufflers())
def test_push_tasks_are_never_changed_without_need(
    server: Simulator, data: st.DataObject, shuffle: Callable[[list[Any]], list[Any]]
) -> None:
    server.restart()
    wanted = data.draw(push_tasks(server.state.version.name))
    apply_again(server, "push_tasks", "tasks", wanted, shuffle)
    found = running_modules.run_module(
        "push_task_info", connection(server, vhost="default", app="app", show_secrets=True)
    )
    assert {task["id"] for task in wanted} == {task["id"] for task in found["tasks"]}
    again = running_modules.run_module("push_tasks", connection(server, tasks=found["tasks"]))
    assert not again.failed and not again["changed"], again
