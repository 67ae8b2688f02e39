# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Input that cannot work is refused before any request, with the full name of the option."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import TASK as RTMP
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection

VHOST: dict[str, Any] = {"name": "t-a", "host": {"names": ["a.example.com"]}}
SRT = {**RTMP, "protocol": "srt", "url": "srt://push.example.com:9999", "stream_key": ""}
MPEGTS = {**RTMP, "protocol": "mpegts", "url": "udp://push.example.com:5000", "stream_key": ""}
ORIGIN = {"location": "/app", "pass": {"scheme": "ovt", "urls": {"url": ["origin.example.com:9000/app"]}}}


def host(**fields: Any) -> dict[str, Any]:
    return {**VHOST, "host": {**VHOST["host"], **fields}}


def origin(**fields: Any) -> dict[str, Any]:
    return {**VHOST, "origins": {"origin": [{**ORIGIN, **fields}]}}


def without(options: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}


# module, options, the option's full name as the message says it
BAD_INPUT: list[tuple[str, dict[str, Any], str]] = [
    # Names that cannot be addressed
    ("vhost", {**VHOST, "name": "a b"}, "name"),
    ("vhost", {**VHOST, "name": "a/b"}, "name"),
    ("vhost", {**VHOST, "name": ""}, "name"),
    ("vhost", {**VHOST, "name": ".."}, "name"),
    ("vhost", {**VHOST, "name": "ä"}, "name"),
    ("vhost", {**VHOST, "name": "a%s"}, "name"),
    ("vhost", {**VHOST, "name": "a:b"}, "name"),
    ("vhost", {**VHOST, "name": "a?b"}, "name"),
    ("vhost", {**VHOST, "name": "a\n"}, "name"),
    ("vhost", {"name": "a b", "state": "absent"}, "name"),
    ("vhosts", {"vhosts": [VHOST, {**VHOST, "name": "b c"}]}, "vhosts[1].name"),
    ("vhost_info", {"names": ["good", "b c"]}, "names[1]"),
    ("vhost_info", {"wait_timeout": 86401}, "wait_timeout"),
    # Virtual hosts
    ("vhost", {"name": "t-a"}, "host.names"),
    ("vhost", {"name": "t-a", "host": {"names": []}}, "host.names"),
    ("vhost", {"name": "t-a", "host": {"names": ["https://a.example.com"]}}, "host.names[0]"),
    ("vhost", {"name": "t-a", "host": {"names": ["a.example.com", "a.example.com"]}}, "host.names[1]"),
    ("vhost", host(tls={"cert_path": "certs/cert.pem", "key_path": "/k"}), "host.tls.cert_path"),
    ("vhost", host(tls={"cert_path": "/c", "key_path": "./key.pem"}), "host.tls.key_path"),
    ("vhost", host(tls={"cert_path": "/c", "key_path": "/k", "chain_cert_path": ""}), "host.tls.chain_cert_path"),
    ("vhosts", {"vhosts": [host(tls={"cert_path": "c", "key_path": "/k"})]}, "vhosts[0].host.tls.cert_path"),
    ("vhosts", {"vhosts": [VHOST, {**VHOST, "name": "t-b"}, VHOST]}, "vhosts[2].name"),
    ("vhosts", {"vhosts": [{"name": "t-a"}], "state": "absent", "purge": True}, "purge"),
    ("vhost", {**VHOST, "distribution": ""}, "distribution"),
    ("vhost", {**VHOST, "admission_webhooks": {"timeout": -1}}, "admission_webhooks.timeout"),
    ("vhost", {**VHOST, "admission_webhooks": {"timeout": 2**40}}, "admission_webhooks.timeout"),
    (
        "vhost",
        {**VHOST, "admission_webhooks": {"control_server_url": "hooks.example.com"}},
        "admission_webhooks.control_server_url",
    ),
    (
        "vhost",
        {**VHOST, "admission_webhooks": {"control_server_url": "ftp://hooks.example.com"}},
        "admission_webhooks.control_server_url",
    ),
    ("vhost", {**VHOST, "admission_webhooks": {"secret_key": "********"}}, "admission_webhooks.secret_key"),
    (
        "vhost",
        {**VHOST, "admission_webhooks": {"enables": {"providers": ["rtmp,srt"]}}},
        "admission_webhooks.enables.providers[0]",
    ),
    (
        "vhost",
        {**VHOST, "signed_policy": {"enables": {"publishers": ["llhls", "LLHLS"]}}},
        "signed_policy.enables.publishers[1]",
    ),
    ("vhost", {**VHOST, "signed_policy": {"secret_key": "two\nlines"}}, "signed_policy.secret_key"),
    ("vhost", origin(location="app"), "origins.origin[0].location"),
    ("vhost", origin(**{"pass": {"scheme": "ovt://", "urls": {"url": ["o:1/a"]}}}), "origins.origin[0].pass.scheme"),
    (
        "vhost",
        origin(**{"pass": {"scheme": "ovt", "urls": {"url": ["ovt://o:1/a"]}}}),
        "origins.origin[0].pass.urls.url[0]",
    ),
    ("vhost", {**VHOST, "origins": {"origin": [ORIGIN, ORIGIN]}}, "origins.origin[1].location"),
    (
        "vhost",
        {**VHOST, "origins": {"properties": {"stream_failback_timeout": -5}}},
        "origins.properties.stream_failback_timeout",
    ),
    (
        "vhost",
        {**VHOST, "origin_map_store": {"redis_server": {"host": "127.0.0.1"}}},
        "origin_map_store.redis_server.host",
    ),
    (
        "vhost",
        {**VHOST, "origin_map_store": {"redis_server": {"host": "127.0.0.1:99999"}}},
        "origin_map_store.redis_server.host",
    ),
    # Push tasks
    ("push_task", {**RTMP, "id": "%s"}, "id"),
    ("push_task", {**RTMP, "id": "%s", "state": "stopped"}, "id"),
    ("push_task", {**RTMP, "id": "a b"}, "id"),
    ("push_task", {**RTMP, "id": ""}, "id"),
    ("push_task", {**RTMP, "vhost": "a/b"}, "vhost"),
    ("push_task", {**RTMP, "app": ".."}, "app"),
    ("push_task", without(RTMP, "stream"), "stream.name"),
    ("push_task", {**RTMP, "stream": {"name": " "}}, "stream.name"),
    ("push_task", {**RTMP, "stream": {"name": "main", "variant_names": ["a", "a"]}}, "stream.variant_names[1]"),
    ("push_task", without(RTMP, "protocol"), "protocol"),
    ("push_task", {**RTMP, "protocol": "hls"}, "protocol"),
    ("push_task", without(RTMP, "url"), "url"),
    ("push_task", {**RTMP, "url": "http://push.example.com/app"}, "url"),
    ("push_task", {**RTMP, "url": "rtmp://push.example.com"}, "url"),
    ("push_task", {**RTMP, "url": "rtmp:///app"}, "url"),
    ("push_task", {**RTMP, "url": "rtmp://push.example.com:99999/app"}, "url"),
    ("push_task", {**RTMP, "url": "rtmp://push.example.com/app/********"}, "url"),
    ("push_task", without(RTMP, "stream_key"), "stream_key"),
    ("push_task", {**RTMP, "stream_key": "********"}, "stream_key"),
    ("push_task", {**SRT, "url": "srt://push.example.com:9999?mode=listener"}, "url"),
    ("push_task", {**SRT, "url": "srt://push.example.com:9999?mode=rendezvous"}, "url"),
    ("push_task", {**SRT, "url": "rtmp://push.example.com/app"}, "url"),
    ("push_task", {**MPEGTS, "url": "srt://push.example.com:9999"}, "url"),
    ("push_task", {**MPEGTS, "url": "tcp://0.0.0.0:5000?listen"}, "url"),
    ("push_task", {**MPEGTS, "stream_key": "canary-key"}, "stream_key"),
    ("push_task", {**RTMP, "wait_timeout": -1}, "wait_timeout"),
    ("push_tasks", {"tasks": [RTMP, {**RTMP, "id": "b c"}]}, "tasks[1].id"),
    ("push_tasks", {"tasks": [RTMP, SRT]}, "tasks[1].id"),
    ("push_tasks", {"tasks": [without(RTMP, "url")]}, "tasks[0].url"),
    ("push_tasks", {"tasks": [RTMP], "purge": True, "state": "stopped"}, "purge"),
    ("push_task_info", {"vhost": "a b"}, "vhost"),
    ("push_task_info", {"vhost": "default", "app": "a/b"}, "app"),
    ("push_task_info", {"vhost": "default", "id": "t-p"}, "app"),
    ("push_task_info", {"vhost": "default", "app": "app", "id": "%d"}, "id"),
    ("cert_reload", {"vhost": "a b"}, "vhost"),
    # The connection
    ("cert_reload", {"api_url": "127.0.0.1:8081"}, "api_url"),
    ("cert_reload", {"api_url": "http://user:canary-pass@127.0.0.1:8081"}, "api_url"),
    ("cert_reload", {"api_url": "http://127.0.0.1:8081/?a=b"}, "api_url"),
    ("cert_reload", {"api_token": ""}, "api_token"),
    ("cert_reload", {"api_token": "canary\nheader: x"}, "api_token"),
    ("cert_reload", {"timeout": 0}, "timeout"),
    ("cert_reload", {"retries": -1}, "retries"),
    ("cert_reload", {"retries": 1000}, "retries"),
    ("cert_reload", {"concurrency": 0}, "concurrency"),
    ("cert_reload", {"concurrency": 100}, "concurrency"),
    ("cert_reload", {"client_key": "/k.pem"}, "client_key"),
    ("cert_reload", {"http_headers": {"Authorization": "canary-header"}}, "http_headers.Authorization"),
    ("cert_reload", {"http_headers": {"X-Gateway": "canary\r\nheader: x"}}, "http_headers.'X-Gateway'"),
]


@pytest.fixture(scope="module")
def server() -> Any:
    """One simulator for all, as none may hear of any of this."""
    with Simulator() as running:
        yield running


@pytest.mark.parametrize("check_mode", (False, True), ids=("apply", "check"))
@pytest.mark.parametrize(
    ("module", "options", "option"),
    BAD_INPUT,
    ids=[f"{module}-{option}-{number}" for number, (module, _options, option) in enumerate(BAD_INPUT)],
)
def test_refused_before_anything_is_sent(
    server: Simulator, module: str, options: dict[str, Any], option: str, check_mode: bool
) -> None:
    run = running_modules.run_module(module, connection(server, **options), check_mode=check_mode)
    assert run.failed and not run.get("changed", False)
    assert run["msg"].startswith(f"{option}: ")
    assert run["error"]["kind"] == "bad_input"
    assert server.log == []
    assert "canary" not in run.printed


def test_the_table_is_not_empty() -> None:
    assert len(BAD_INPUT) >= 40


def test_masked_output_is_no_input(server: Simulator) -> None:
    """What an info module returns with its secrets masked would set the mask as the secret."""
    found = running_modules.run_module("vhost_info", connection(server))["vhosts"]
    server.clear_log()
    run = running_modules.run_module("vhosts", connection(server, vhosts=found))
    assert run["msg"].startswith("vhosts[0].admission_webhooks.secret_key: ") and "show_secrets" in run["msg"]
    assert server.log == []


@pytest.mark.parametrize(
    "vhosts",
    [
        [{"name": "t-a", "signed_policy": "canary text in place of a dictionary"}],
        [{"name": "t-a", "signed_policyy": {"secret_key": "canary-under-a-misspelt-option"}}],
        [{"name": "t-a", "signed_policy": {"secret_key": ["canary-in-a-list"]}, "hosts": []}],
        ["canary-text"],
        "canary-text",
    ],
)
def test_options_that_ansible_itself_refuses_show_no_secret(server: Simulator, vhosts: Any) -> None:
    run = running_modules.run_module(
        "vhosts", connection(server, api_token="canary-token", http_headers={"X": "canary-header"}, vhosts=vhosts)
    )
    assert run.failed and server.log == []
    assert "canary" not in run.printed


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("module", "entries"), [("vhosts", "vhosts"), ("applications", "applications"), ("push_tasks", "tasks")]
)
def test_a_purge_with_an_empty_list_is_refused_unless_it_is_meant(
    simulator: Simulator, module: str, entries: str, check_mode: bool
) -> None:
    vhost = {"name": "t-purged", "host": {"names": ["purged.example.com"]}}
    assert running_modules.run_module("vhosts", connection(simulator, vhosts=[vhost]))["changed"]
    simulator.clear_log()
    refused = running_modules.run_module(
        module, connection(simulator, purge=True, **{entries: []}), check_mode=check_mode
    )
    assert (
        refused["msg"]
        == f"purge: expected entries in {entries}, got an empty list; set purge_everything to true if that is meant."
    )
    assert refused["error"]["kind"] == "bad_input"
    assert not simulator.log
    meant = running_modules.run_module(
        module, connection(simulator, purge=True, purge_everything=True, **{entries: []}), check_mode=check_mode
    )
    assert "failed" not in meant
    assert meant["changed"] == (module == "vhosts")
    assert ("t-purged" in simulator.state.virtual_hosts) == (check_mode or module != "vhosts")


@pytest.mark.parametrize(
    ("module", "options", "entry"),
    [
        ("vhosts", {"vhosts": [VHOST, host(tls={"cert_path": "c", "key_path": "/k"})]}, "vhosts[1] (t-a)"),
        (
            "vhosts",
            {"vhosts": [{**VHOST, "applications": [{"name": "live"}, {"name": "a b"}]}]},
            "vhosts[0].applications[1] (t-a/a b)",
        ),
        (
            "applications",
            {"applications": [{"vhost": "t-a", "name": "live", "publishers": {"webrtc": {"timeout": -1}}}]},
            "applications[0] (t-a/live)",
        ),
        ("vhost", {**VHOST, "applications": [{"name": "a b"}]}, "applications[0] (a b)"),
        ("push_tasks", {"tasks": [without(RTMP, "url")]}, f"tasks[0] ({RTMP['vhost']}/{RTMP['app']}/{RTMP['id']})"),
        ("push_tasks", {"tasks": [RTMP, RTMP]}, f"tasks[1] ({RTMP['vhost']}/{RTMP['app']}/{RTMP['id']})"),
    ],
)
def test_an_entry_of_a_list_is_named_beside_its_index(
    server: Simulator, module: str, options: dict[str, Any], entry: str
) -> None:
    run = running_modules.run_module(module, connection(server, **options))
    assert run["msg"].endswith(f", in {entry}.")
    assert run["error"]["meaning"] == run["msg"]


@pytest.mark.parametrize("option", ["api_url", "api_token"])
def test_a_missing_connection_option_says_where_it_can_be_set(server: Simulator, option: str) -> None:
    run = running_modules.run_module("vhost_info", without(connection(server), option))
    assert run["msg"] == (
        f"missing required arguments: {option}. Set the option {option}, the environment "
        f"variable OVENMEDIAENGINE_{option.upper()} "
        f"or, for roles, ovenmediaengine_{option}."
    )
    assert not server.log
