# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Each changing module through a life: absent, check, apply, apply again, change, remove; with diff and the server's
own log.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, post

FULL_VHOST: dict[str, Any] = {
    "name": "t-full",
    "host": {
        "names": ["t-full.example.com", "10.0.0.1"],
        "tls": {
            "cert_path": "/etc/none/cert.pem",
            "chain_cert_path": "/etc/none/chain.pem",
            "key_path": "/etc/none/key.pem",
        },
    },
    "distribution": "cdn.example.com",
    "signed_policy": {
        "policy_query_key_name": "policy",
        "signature_query_key_name": "signature",
        "secret_key": "canary-policy-secret",
        "enables": {"providers": ["rtmp", "webrtc"], "publishers": ["llhls"]},
    },
    "admission_webhooks": {
        "control_server_url": "https://hooks.example.com/admission",
        "secret_key": "canary-webhook-secret",
        "timeout": 2000,
        "enables": {"providers": ["srt"], "publishers": []},
    },
    "origins": {
        "properties": {
            "no_input_failover_timeout": 1000,
            "unused_stream_deletion_timeout": 2000,
            "stream_failback_timeout": 4000,
        },
        "origin": [
            {
                "location": "/app/stream",
                "pass": {
                    "scheme": "ovt",
                    "urls": {"url": ["origin-1.example.com:9000/app/stream", "origin-2.example.com:9000/app"]},
                    "forward_query_params": False,
                },
                "persistent": True,
                "failback": True,
                "strict_location": True,
                "relay": True,
            },
            {"location": "/app", "pass": {"scheme": "rtsp", "urls": {"url": ["camera.example.com:554/live"]}}},
        ],
    },
    "origin_map_store": {
        "origin_host_name": "edge.example.com",
        "redis_server": {"host": "127.0.0.1:6379", "auth": "canary-redis-password"},
    },
}

# One changed field of each kind, at every level; the whole option is given, the rest of it as it was.
VHOST_CHANGES: dict[str, Any] = {
    "host.names": {"host": {"names": ["other.example.com"]}},
    "host.tls.cert_path": {
        "host": {
            "names": ["t-full.example.com", "10.0.0.1"],
            "tls": {"cert_path": "/etc/new/cert.pem", "key_path": "/etc/none/key.pem"},
        }
    },
    "distribution": {"distribution": "other.example.com"},
    "signed_policy.secret_key": {"signed_policy": {"secret_key": "canary-new-secret"}},
    "signed_policy.enables.providers": {"signed_policy": {"enables": {"providers": ["srt"]}}},
    "admission_webhooks.control_server_url": {
        "admission_webhooks": {"control_server_url": "https://other.example.com/admission"}
    },
    "admission_webhooks.timeout": {"admission_webhooks": {"timeout": 1}},
    "admission_webhooks.enables.publishers": {"admission_webhooks": {"enables": {"publishers": ["webrtc"]}}},
    "origins.properties.no_input_failover_timeout": {"origins": {"properties": {"no_input_failover_timeout": 1}}},
    "origins.origin": {"origins": {"origin": []}},
    "origin_map_store.redis_server.auth": {"origin_map_store": {"redis_server": {"auth": "canary-other-password"}}},
}

TASK: dict[str, Any] = {
    "vhost": "default",
    "app": "app",
    "id": "t-push",
    "stream": {"name": "main", "variant_names": ["video", "audio"]},
    "protocol": "rtmp",
    "url": "rtmp://push.example.com/app",
    "stream_key": "canary-stream-key",
}
TASK_CHANGES: dict[str, Any] = {
    "stream.name": {"stream": {"name": "other"}},
    "stream.variant_names": {"stream": {"name": "main", "variant_names": ["video"]}},
    "protocol": {"protocol": "mpegts", "url": "udp://push.example.com:5000", "stream_key": None},
    "url": {"url": "rtmp://other.example.com/app"},
    "stream_key": {"stream_key": "canary-other-key"},
}


def life(
    simulator: Simulator,
    module: str,
    options: dict[str, Any],
    change: dict[str, Any],
    remove: dict[str, Any],
    expected: tuple[str, str, str],
) -> None:
    """Takes an object through its life; `expected` are the words for made, changed and removed."""

    def step(given: dict[str, Any], action: str) -> running_modules.ModuleRun:
        """Check mode and then the real run, which must agree."""
        predicted = running_modules.run_module(module, connection(simulator, **given), check_mode=True)
        assert not predicted.failed, predicted
        done = running_modules.run_module(module, connection(simulator, **given))
        assert not done.failed, done
        assert done["changed"] == predicted["changed"] == (action != "unchanged")
        assert done["diff"] == predicted["diff"]
        for run in (predicted, done):
            results = run.get("results", [run])
            assert [result["action"] for result in results] == [action] * len(results)
            assert "canary" not in run.printed
        return done

    made, changed, removed = expected
    absent = step(remove, "unchanged")
    assert absent["diff"] == {"before": {}, "after": {}}
    assert simulator.writes == []

    created = step(options, made)
    assert created["diff"]["before"] == {} and created["diff"]["after"]

    simulator.clear_log()
    assert step(options, "unchanged")["diff"] == {"before": {}, "after": {}}
    assert simulator.writes == []

    altered = step(change, changed)
    assert altered["diff"]["before"] != altered["diff"]["after"]
    simulator.clear_log()
    step(change, "unchanged")
    assert simulator.writes == []

    gone = step(remove, removed)
    assert gone["diff"]["before"] and gone["diff"]["after"] == {}
    simulator.clear_log()
    step(remove, "unchanged")
    assert simulator.writes == []


def altered(options: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**options, **change}.items() if value is not None}


@pytest.mark.parametrize("field", VHOST_CHANGES)
def test_vhost(current: Simulator, field: str) -> None:
    change = {**altered(FULL_VHOST, VHOST_CHANGES[field]), "recreate": True}
    change.setdefault("host", FULL_VHOST["host"])
    life(
        current, "vhost", FULL_VHOST, change, {"name": "t-full", "state": "absent"}, ("created", "recreated", "deleted")
    )


def test_vhost_on_every_version(simulator: Simulator) -> None:
    change = {**altered(FULL_VHOST, VHOST_CHANGES["host.names"]), "recreate": True}
    life(
        simulator,
        "vhost",
        FULL_VHOST,
        change,
        {"name": "t-full", "state": "absent"},
        ("created", "recreated", "deleted"),
    )


def test_vhosts_on_every_version(simulator: Simulator) -> None:
    vhosts = [FULL_VHOST, {"name": "t-small", "host": {"names": ["t-small.example.com"]}}]
    change = [
        altered(FULL_VHOST, VHOST_CHANGES["distribution"]),
        {"name": "t-small", "host": {"names": ["other.example.com"]}},
    ]
    remove = {"vhosts": [{"name": "t-full"}, {"name": "t-small"}], "state": "absent"}
    life(
        simulator,
        "vhosts",
        {"vhosts": vhosts},
        {"vhosts": change, "recreate": True},
        remove,
        ("created", "recreated", "deleted"),
    )


@pytest.mark.parametrize("field", TASK_CHANGES)
def test_push_task(current: Simulator, field: str) -> None:
    remove = {"vhost": "default", "app": "app", "id": "t-push", "state": "stopped"}
    life(current, "push_task", TASK, altered(TASK, TASK_CHANGES[field]), remove, ("started", "restarted", "stopped"))


def test_push_task_on_every_version(simulator: Simulator) -> None:
    remove = {"vhost": "default", "app": "app", "id": "t-push", "state": "stopped"}
    life(simulator, "push_task", TASK, altered(TASK, TASK_CHANGES["url"]), remove, ("started", "restarted", "stopped"))


def test_push_tasks_on_every_version(simulator: Simulator) -> None:
    other = {**TASK, "id": "t-other", "protocol": "mpegts", "url": "udp://push.example.com:5000", "stream_key": ""}
    change = [altered(TASK, TASK_CHANGES["stream_key"]), {**other, "url": "udp://other.example.com:5000"}]
    remove = {
        "tasks": [{"vhost": "default", "app": "app", "id": task["id"]} for task in (TASK, other)],
        "state": "stopped",
    }
    life(
        simulator,
        "push_tasks",
        {"tasks": [TASK, other]},
        {"tasks": change},
        remove,
        ("started", "restarted", "stopped"),
    )


def test_differences_name_each_field(current: Simulator) -> None:
    running_modules.run_module("vhost", connection(current, **FULL_VHOST))
    for field, change in VHOST_CHANGES.items():
        options = {"name": "t-full", "host": {"names": FULL_VHOST["host"]["names"]}, **change}
        run = running_modules.run_module("vhost", connection(current, **options), check_mode=True)
        assert run.failed
        assert [difference["field"] for difference in run["differences"]] == [field]
        assert field in run["msg"] and "recreate" in run["msg"]
        assert "canary" not in run.printed


def test_secret_that_changes_is_marked_without_being_shown(current: Simulator) -> None:
    running_modules.run_module("vhost", connection(current, **FULL_VHOST))
    change = altered(FULL_VHOST, {"signed_policy": {"secret_key": "canary-new-secret"}})
    run = running_modules.run_module("vhost", connection(current, **change, recreate=True), check_mode=True)
    assert run["diff"]["before"]["t-full"]["signed_policy"]["secret_key"] == "********"
    assert run["diff"]["after"]["t-full"]["signed_policy"]["secret_key"] == "******** (changed)"


def test_option_left_out_is_kept_by_recreate(current: Simulator) -> None:
    running_modules.run_module("vhost", connection(current, **FULL_VHOST))
    run = running_modules.run_module(
        "vhost", connection(current, name="t-full", host={"names": ["new.example.com"]}, recreate=True)
    )
    assert run["action"] == "recreated"
    found = running_modules.run_module("vhost_info", connection(current, names=["t-full"], show_secrets=True))[
        "vhosts"
    ][0]
    assert found == {**FULL_VHOST, "host": {**FULL_VHOST["host"], "names": ["new.example.com"]}}


def test_absent_fields_equal_the_servers_defaults(current: Simulator) -> None:
    bare = {
        "name": "t-bare",
        "host": {"names": ["t-bare.example.com"]},
        "origins": {"origin": [{"location": "/a", "pass": {"scheme": "ovt", "urls": {"url": ["o:1/a"]}}}]},
    }
    running_modules.run_module("vhost", connection(current, **bare))
    spelled_out = {
        **bare,
        "distribution": "ovenmediaengine.com",
        "admission_webhooks": {"timeout": 3000, "secret_key": "", "enables": {"providers": []}},
        "origins": {
            "properties": {
                "no_input_failover_timeout": 3000,
                "unused_stream_deletion_timeout": 60000,
                "stream_failback_timeout": 3000,
            },
            "origin": [
                {
                    "location": "/a",
                    "pass": {"scheme": "ovt", "urls": {"url": ["o:1/a"]}, "forward_query_params": True},
                    **dict.fromkeys(("persistent", "failback", "strict_location", "relay"), False),
                }
            ],
        },
    }
    assert running_modules.run_module("vhost", connection(current, **spelled_out))["action"] == "unchanged"


@pytest.mark.parametrize(
    ("url", "key"), (("udp://push.example.com:5000", "canary-stream-key"), ("udp://elsewhere.example.com:5000", ""))
)
def test_stream_key_that_is_left_out_goes_to_no_other_destination(current: Simulator, url: str, key: str) -> None:
    past_the_modules = {
        "id": "t-push",
        "stream": {"name": "main"},
        "protocol": "mpegts",
        "url": "udp://push.example.com:5000",
        "streamKey": "canary-stream-key",
    }
    post(current, "/v1/vhosts/default/apps/app:startPush", past_the_modules)
    task = {
        "vhost": "default",
        "app": "app",
        "id": "t-push",
        "stream": {"name": "other"},
        "protocol": "mpegts",
        "url": url,
    }
    assert running_modules.run_module("push_task", connection(current, **task))["action"] == "restarted"
    found = running_modules.run_module(
        "push_task_info", connection(current, vhost="default", app="app", show_secrets=True)
    )["tasks"]
    assert [(task["url"], task["stream_key"]) for task in found] == [(url, key)]
