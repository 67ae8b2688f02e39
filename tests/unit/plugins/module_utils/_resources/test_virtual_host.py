# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual host: JSON form, rules, and recognition of those of the configuration file."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import virtual_host
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import (
    VIRTUAL_HOST,
    VIRTUAL_HOSTS,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.strategies import wire_forms
from hypothesis import given

WIRE = Path(__file__).resolve().parents[4] / "wire"

OPTION_FORM: dict[str, Any] = {
    "name": "tenant-a",
    "host": {
        "names": ["a.example.com", "*"],
        "tls": {"cert_path": "/c.pem", "chain_cert_path": "/chain.pem", "key_path": "/k.pem"},
    },
    "distribution": "ovenmediaengine.com",
    "signed_policy": {
        "policy_query_key_name": "policy",
        "signature_query_key_name": "signature",
        "secret_key": "s-1",
        "enables": {"providers": ["rtmp"], "publishers": ["webrtc", "llhls"]},
    },
    "admission_webhooks": {
        "control_server_url": "https://hooks.example.com/x",
        "secret_key": "",
        "timeout": 2000,
        "enables": {"providers": ["rtmp", "srt"], "publishers": []},
    },
    "origins": {
        "origin": [
            {
                "location": "/app",
                "pass": {
                    "scheme": "ovt",
                    "urls": {"url": ["o1:9000/app", "o2:9000/app"]},
                    "forward_query_params": False,
                },
                "persistent": True,
                "failback": True,
                "strict_location": True,
                "relay": True,
            }
        ],
        "properties": {
            "no_input_failover_timeout": 1,
            "unused_stream_deletion_timeout": 2,
            "stream_failback_timeout": 3,
        },
    },
    "origin_map_store": {"origin_host_name": "o.example.com", "redis_server": {"host": "r:6379", "auth": "s-2"}},
}
WIRE_FORM: dict[str, Any] = {
    "name": "tenant-a",
    "host": {
        "names": ["a.example.com", "*"],
        "tls": {"certPath": "/c.pem", "chainCertPath": "/chain.pem", "keyPath": "/k.pem"},
    },
    "distribution": "ovenmediaengine.com",
    "signedPolicy": {
        "policyQueryKeyName": "policy",
        "signatureQueryKeyName": "signature",
        "secretKey": "s-1",
        "enables": {"providers": "rtmp", "publishers": "webrtc,llhls"},
    },
    "admissionWebhooks": {
        "controlServerUrl": "https://hooks.example.com/x",
        "secretKey": "",
        "timeout": 2000,
        "enables": {"providers": "rtmp,srt", "publishers": ""},
    },
    "origins": {
        "origin": [
            {
                "location": "/app",
                "pass": {"scheme": "ovt", "urls": {"url": ["o1:9000/app", "o2:9000/app"]}, "forwardQueryParams": False},
                "persistent": True,
                "failback": True,
                "strictLocation": True,
                "relay": True,
            }
        ],
        "properties": {"noInputFailoverTimeout": 1, "unusedStreamDeletionTimeout": 2, "streamFailbackTimeout": 3},
    },
    "originMapStore": {"originHostName": "o.example.com", "redisServer": {"host": "r:6379", "auth": "s-2"}},
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the complete virtual host with another value at a path."""
    form = copy.deepcopy(OPTION_FORM)
    at: Any = form
    *steps, last = path.replace("]", "").replace("[", ".").split(".")
    for step in steps:
        at = at[int(step) if step.isdigit() else step]
    at[int(last) if last.isdigit() else last] = value
    return form


def recorded_virtual_hosts() -> list[Any]:
    """Return every recorded virtual host, from requests and responses."""
    found = []
    for path in sorted(WIRE.glob("*.json")):
        for scenario in json.loads(path.read_text(encoding="utf-8"))["scenarios"]:
            for step in scenario["steps"]:
                posted, read = step["request"].get("body"), step["response"].get("body")
                name = f"{path.stem}-{scenario['scenario']}"
                if (
                    step["request"]["path"] == "/v1/vhosts"
                    and isinstance(posted, list)
                    and step["response"].get("status") == 200
                ):
                    found += [pytest.param(item, id=name) for item in posted]
                if isinstance(read, dict) and isinstance(read.get("response"), dict) and "host" in read["response"]:
                    found.append(pytest.param(read["response"], id=name))
    return found


def test_every_field_has_its_json_path() -> None:
    assert VIRTUAL_HOST.to_wire(OPTION_FORM) == WIRE_FORM
    assert VIRTUAL_HOST.from_wire(WIRE_FORM) == OPTION_FORM
    assert VIRTUAL_HOST.unknown(WIRE_FORM) == []


DEFAULTS: list[dict[str, Any]] = [
    {"distribution": "ovenmediaengine.com"},
    {"admission_webhooks": {"timeout": 3000}},
    {"origins": {"properties": {"no_input_failover_timeout": 3000}}},
    {"origins": {"properties": {"unused_stream_deletion_timeout": 60000}}},
    {"origins": {"properties": {"stream_failback_timeout": 3000}}},
]
ORIGIN_DEFAULTS: list[dict[str, Any]] = [
    {"pass": {"forward_query_params": True}},
    {"persistent": False},
    {"failback": False},
    {"strict_location": False},
    {"relay": False},
]


@pytest.mark.parametrize("form", DEFAULTS)
def test_a_server_default_equals_an_absent_field(form: dict[str, Any]) -> None:
    assert list(VIRTUAL_HOST.difference(form, {"name": "a"})) == []


@pytest.mark.parametrize("form", ORIGIN_DEFAULTS)
def test_a_server_default_equals_an_absent_field_of_an_origin(form: dict[str, Any]) -> None:
    there = {"location": "/", "pass": {"scheme": "ovt", "urls": {"url": ["h"]}}}
    assert list(VIRTUAL_HOST.difference({"origins": {"origin": [form]}}, {"origins": {"origin": [there]}})) == []


def test_the_complete_form_is_valid() -> None:
    VIRTUAL_HOSTS.validate(OPTION_FORM, "", complete=True)


@pytest.mark.parametrize("raw", recorded_virtual_hosts())
def test_a_recorded_virtual_host_does_not_differ_from_itself(raw: dict[str, Any]) -> None:
    form = VIRTUAL_HOST.from_wire(raw)
    assert form["name"] == raw["name"]
    assert list(VIRTUAL_HOST.difference(form, VIRTUAL_HOST.as_stored(form))) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", "a b"),
        ("name", "%s"),
        ("host.names[0]", "a/b"),
        ("host.names[1]", "a.example.com"),
        ("host.tls.cert_path", "c.pem"),
        ("host.tls.chain_cert_path", "c.pem"),
        ("host.tls.key_path", ""),
        ("distribution", ""),
        ("signed_policy.policy_query_key_name", "a\nb"),
        ("signed_policy.signature_query_key_name", ""),
        ("signed_policy.secret_key", "a\nb"),
        ("signed_policy.enables.providers[0]", "a,b"),
        ("signed_policy.enables.publishers[1]", "WebRTC"),
        ("admission_webhooks.control_server_url", "hooks.example.com"),
        ("admission_webhooks.secret_key", "a\x00"),
        ("admission_webhooks.timeout", -1),
        ("admission_webhooks.enables.providers[1]", ""),
        ("origins.origin[0].location", "app"),
        ("origins.origin[0].pass.scheme", "ovt://"),
        ("origins.origin[0].pass.urls.url[1]", "ovt://o2:9000/app"),
        ("origins.properties.no_input_failover_timeout", 2**31),
        ("origins.properties.unused_stream_deletion_timeout", -1),
        ("origins.properties.stream_failback_timeout", -1),
        ("origin_map_store.origin_host_name", " "),
        ("origin_map_store.redis_server.host", "r"),
        ("origin_map_store.redis_server.auth", "a\rb"),
    ],
)
def test_an_invalid_value_is_refused_with_its_full_path(path: str, value: Any) -> None:
    for prefix in ("", "vhosts[1]"):
        with pytest.raises(BadInput) as caught:
            VIRTUAL_HOSTS.validate(changed(path, value), prefix, complete=True)
        assert caught.value.option == (f"{prefix}.{path}" if prefix else path)


@pytest.mark.parametrize("vhost", [{"name": "a"}, {"name": "a", "host": {}}, {"name": "a", "host": {"names": []}}])
def test_only_state_present_requires_host_names(vhost: dict[str, Any]) -> None:
    VIRTUAL_HOSTS.validate(vhost, "", complete=False)
    for prefix, option in (("", "host.names"), ("vhosts[0]", "vhosts[0].host.names")):
        with pytest.raises(BadInput) as caught:
            VIRTUAL_HOSTS.validate(vhost, prefix, complete=True)
        assert caught.value.option == option


@pytest.mark.parametrize(
    ("tls", "warned"),
    [
        ({"cert_path": "/c"}, True),
        ({"key_path": "/k"}, True),
        ({"chain_cert_path": "/k"}, False),
        ({"cert_path": "/c", "key_path": "/k"}, False),
        ({}, False),
    ],
)
def test_a_certificate_without_key_or_the_reverse_causes_a_warning(tls: dict[str, str], warned: bool) -> None:
    found = virtual_host.concerns_of({"name": "tenant-a", "host": {"tls": tls}})
    assert bool(found) is warned and all(str(one).startswith("Virtual host tenant-a: host.tls needs") for one in found)


@pytest.mark.parametrize(
    ("names", "warned"), [(["a.example.com", "*", "10.0.0.1"], False), (["a.example.com", "B.example.com"], True)]
)
def test_a_host_name_in_capitals_causes_a_warning_and_differs(names: list[str], warned: bool) -> None:
    """The server compares names case-sensitively, so that browsers never reach this one."""
    found = virtual_host.concerns_of({"name": "tenant-a", "host": {"names": names}})
    assert bool(found) is warned and all("B.example.com" in str(one) for one in found)
    current = {"name": "tenant-a", "host": {"names": [name.lower() for name in names]}}
    assert bool(list(VIRTUAL_HOST.difference({"name": "tenant-a", "host": {"names": names}}, current))) is warned


def test_a_virtual_host_without_a_host_causes_no_warning() -> None:
    assert virtual_host.concerns_of({"name": "a"}) == []


@pytest.mark.parametrize(
    "part",
    [
        {"admissionWebhooks": {"timeout": "3000"}},
        {"origins": {"properties": {"streamFailbackTimeout": "1"}}},
        {"origins": {"origin": [{"relay": True}, {"relay": "true"}]}},
        {"origins": {"origin": [{"pass": {"forwardQueryParams": "false"}}]}},
    ],
)
def test_numbers_and_booleans_as_text_look_like_the_configuration_file(part: dict[str, Any]) -> None:
    assert virtual_host.looks_read_only({"name": "default", **part})


@pytest.mark.parametrize(
    "raw",
    [
        {},
        None,
        [],
        "x",
        WIRE_FORM,
        {"origins": {"origin": {"relay": "true"}}},
        {"host": "x"},
        {"admissionWebhooks": {"timeout": None}},
    ],
)
def test_anything_else_does_not_look_like_the_configuration_file(raw: Any) -> None:
    assert not virtual_host.looks_read_only(raw)


@given(raw=wire_forms(VIRTUAL_HOST))
def test_any_response_can_be_inspected(raw: Any) -> None:
    assert virtual_host.looks_read_only(raw) in (True, False)
