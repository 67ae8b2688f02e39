# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Short forms of options mean the same as what they stand for, in every module that takes them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import (
    APPLICATION as APPLICATION_OBJECT,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.option_forms import expand
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS

PROFILE = {"name": "p", "output_stream_name": "${OriginStreamName}"}
APPLICATION = {
    "name": "live",
    "providers": {"rtmp": {}, "srt": {}},
    "publishers": {"llhls": {"cross_domains": {"urls": ["https://a.example.com"]}}},
    "output_profiles": {"output_profile": [PROFILE]},
}
SHORT_APPLICATION = {
    "name": "live",
    "publishers": {"llhls": {"cross_domains": ["https://a.example.com"]}},
    "output_profiles": [PROFILE],
}
ORIGIN = {"location": "/", "pass": {"scheme": "ovt", "urls": {"url": ["origin.example.com:9000/app/main"]}}}
VHOST = {"name": "t", "host": {"names": "t.example.com"}, "origins": {"origin": [ORIGIN]}}
SHORT_VHOST = {
    "name": "t",
    "host": "t.example.com",
    "origins": [{**ORIGIN, "pass": {"scheme": "ovt", "urls": ["origin.example.com:9000/app/main"]}}],
}
JOB = {"vhost": "t", "app": "live", "id": "one", "stream": {"name": "main"}}
SHORT_JOB = {**JOB, "stream": "main"}
NAMES = [
    "rtmp, srt",
    "rtmp,srt",
    ["rtmp", " srt"],
    '["rtmp", "srt"]',
    '{"rtmp": {}, "srt": {}}',
    {"rtmp": None, "srt": {}},
]


@pytest.mark.parametrize("providers", NAMES)
def test_providers_can_be_text_as_a_survey_returns_it(providers: Any) -> None:
    app = {**SHORT_APPLICATION, "providers": providers}
    assert OPERATIONS["application"].as_declared({"vhost": "t", **app}) == {"vhost": "t", **APPLICATION}
    for module in ("applications", "provision", "audit_info"):
        options = OPERATIONS[module].as_declared({"applications": [{"vhost": "t", **app}]})
        assert options == {"applications": [{"vhost": "t", **APPLICATION}]}
    for module in ("vhosts", "provision", "server_config", "audit_info"):
        options = OPERATIONS[module].as_declared({"vhosts": [{**SHORT_VHOST, "applications": [app]}]})
        assert options == {"vhosts": [{**VHOST, "applications": [APPLICATION]}]}
    whole = {**SHORT_VHOST, "applications": [app]}
    assert OPERATIONS["vhost"].as_declared(whole) == {**VHOST, "applications": [APPLICATION]}


@pytest.mark.parametrize(
    ("module", "option"),
    [
        ("push_task", None),
        ("record", None),
        ("push_tasks", "tasks"),
        ("records", "records"),
        ("provision", "push_tasks"),
        ("provision", "records"),
        ("server_config", "records"),
        ("audit_info", "push_tasks"),
    ],
)
def test_a_stream_can_be_its_name(module: str, option: str | None) -> None:
    short: dict[str, Any] = SHORT_JOB if option is None else {option: [SHORT_JOB]}
    assert OPERATIONS[module].as_declared(short) == (JOB if option is None else {option: [JOB]})


def test_ports_of_a_server_can_be_names(tmp_path: Any) -> None:
    server = {"bind": {"providers": "rtmp, srt"}}
    assert OPERATIONS["server_config"].as_declared({"server": server}) == {
        "server": {"bind": {"providers": {"rtmp": {}, "srt": {}}}}
    }


@pytest.mark.parametrize(
    "value", [5, None, True, [5], "", " ", "name=x", '{"names": ["a"]}', [["a"]], {"names": "a"}, "[broken"]
)
def test_what_is_no_short_form_stays_as_it_is(value: Any) -> None:
    expanded = OPERATIONS["vhost"].as_declared({"name": "t", "host": value})["host"]
    assert expanded in (value, {"names": ["a"]}, {"names": "[broken"})
    app = OPERATIONS["application"].as_declared({"name": "t", "providers": "A secret!", "output_profiles": "x"})
    assert app == {"name": "t", "providers": "A secret!", "output_profiles": "x"}


def expanded(options: dict[str, Any], declaration: Object | None = None) -> dict[str, Any]:
    return expand(options, {"vhosts": VIRTUAL_HOST, "applications": APPLICATION_OBJECT}, declaration)


def test_null_is_a_provider_or_publisher_without_settings() -> None:
    publishers = {"llhls": None, "app_worker_count": None}
    app = {"providers": {"rtmp": None, "extra": None}, "publishers": publishers}
    assert expanded({"applications": [app]}) == {
        "applications": [
            {"providers": {"rtmp": {}, "extra": None}, "publishers": {"llhls": {}, "app_worker_count": None}}
        ]
    }
    enables = {"enables": {"providers": ["rtmp"], "publishers": None}}
    assert expanded(enables) == enables
    assert expanded({"vhosts": [{"signed_policy": enables}]}) == {"vhosts": [{"signed_policy": enables}]}


def test_a_list_of_names_is_expanded_to_empty_objects() -> None:
    named = {"providers": ["rtmp", "srt"], "publishers": ["llhls"]}
    whole = {"providers": {"rtmp": {}, "srt": {}}, "publishers": {"llhls": {}}}
    assert expanded(named, APPLICATION_OBJECT) == whole
    assert expanded({"applications": [named, "x"]}) == {"applications": [whole, "x"]}
    assert expanded({"vhosts": [{"applications": [named]}]}) == {"vhosts": [{"applications": [whole]}]}
    mixed = {"providers": ["rtmp", {"srt": {}}]}
    assert expanded(mixed, APPLICATION_OBJECT) == mixed  # Its type is rejected later.
