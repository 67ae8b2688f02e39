# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of modules for the tests of faults: what is there before, the options, and the effect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import Given, Label

CANARY = "canary"
"""All secrets begin so."""


@dataclass(frozen=True)
class Scenario:
    """One run of a module."""

    name: str
    module: str
    options: Mapping[str, Any]
    given: Sequence[Given] = ()
    """Objects that are there before."""
    made: frozenset[Label] = frozenset()
    """Objects that a run without a fault creates."""
    changed: frozenset[Label] = frozenset()
    """Objects that it changes or recreates."""
    gone: frozenset[Label] = frozenset()
    """Objects that it deletes."""
    kept: frozenset[Label] = frozenset()
    """Objects that are as desired before it."""
    carried: frozenset[Label] = frozenset()
    """The contents of an object that it recreates, which it must restore."""
    refused: frozenset[Label] = frozenset()
    """Objects that it reports as failed, and leaves as they are."""
    bulk_size: int = 0
    """How many objects go into one request, if not the usual number."""
    streams: Sequence[Label] = ()
    """Streams that are live: virtual host, application, name."""
    certificates: bool = False
    """Virtual host `t-v` has TLS, and its files hold another certificate than the one that is served."""
    always_changed: bool = False
    """Whether each run reports a change because it reads nothing."""
    sent_once: bool = False
    """Whether a request is never sent again because no read tells what has become of it."""
    typical: bool = False
    """Whether `make test` runs it, too; the others are for `make test-all`. Each module needs one."""

    @property
    def claimed(self) -> frozenset[Label]:
        """Return the objects that the options name."""
        return self.made | self.changed | self.gone | self.kept

    @property
    def held(self) -> frozenset[Label]:
        """Return what must be there after a success, whatever else has happened to the server."""
        return self.made | self.kept | self.carried | (frozenset() if self.always_changed else self.changed)

    @property
    def of_channels(self) -> bool:
        """Return whether the module manages channels, which the server notices some time after a write."""
        return self.module.removesuffix("s") in ("scheduled_channel", "multiplex_channel")

    @property
    def needed(self) -> list[Given]:
        """Return what must be there for the run, and the run does not make: virtual hosts and applications around its
        objects, and what is in its way.
        """
        around = {
            label[:size] for label in self.claimed | self.refused for size in range(1, len(label) + 1)
        } - self.claimed
        if self.certificates:
            around |= {("t-v",)}
        return [one for one in self.given if one.label in around]


def labels(*texts: str) -> frozenset[Label]:
    """Return the labels of objects: virtual host, application and what is in it, between slashes."""
    return frozenset(tuple(text.split("/")) for text in texts)


def vhost_options(name: str, **fields: Any) -> dict[str, Any]:
    """Return a virtual host, as options and, because it has no field of two words, in the API."""
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, **fields}


def given_vhost(name: str, **fields: Any) -> Given:
    """Return a virtual host with secrets in the API."""
    webhooks = {
        "controlServerUrl": f"http://{CANARY}-user:{CANARY}-password@hooks.example.com/{name}",
        "secretKey": f"{CANARY}-secret-{name}",
    }
    return Given((name,), vhost_options(name, admissionWebhooks=webhooks, **fields))


def given_app(vhost: str, name: str, push: str | None = None, **fields: Any) -> Given:
    """Return an application in the API; ``push`` is a publisher beside LLHLS, that of pushes or recordings."""
    app = {
        "name": name,
        "type": "live",
        "providers": {"rtmp": {}},
        "publishers": {"llhls": {}, **({push: {}} if push else {})},
    }
    return Given((vhost, name), {**app, **fields})


def given_task(vhost: str, app: str, task_id: str) -> Given:
    """Return a push task in the API."""
    body = {"id": task_id, "stream": {"name": "main"}, "protocol": "rtmp", "url": f"rtmp://push.example.com/{task_id}"}
    return Given((vhost, app, task_id), {**body, "streamKey": f"{CANARY}-key-{app}-{task_id}"})


def secret_vhost_options(name: str, **fields: Any) -> dict[str, Any]:
    """Return the same virtual host as :func:`given_vhost`, as options."""
    webhooks = {
        "control_server_url": f"http://{CANARY}-user:{CANARY}-password@hooks.example.com/{name}",
        "secret_key": f"{CANARY}-secret-{name}",
    }
    return vhost_options(name, admission_webhooks=webhooks, **fields)


def task_options(vhost: str, app: str, task_id: str, **fields: Any) -> dict[str, Any]:
    """Return a push task as options; the same that `given_task` makes."""
    own = {
        "vhost": vhost,
        "app": app,
        "id": task_id,
        "stream": {"name": "main"},
        "protocol": "rtmp",
        "url": f"rtmp://push.example.com/{task_id}",
    }
    return {**own, "stream_key": f"{CANARY}-key-{app}-{task_id}", **fields}


def moved_task(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same task with another destination."""
    return {**task, "url": f"rtmp://other.example.com/{task['id']}", "stream_key": f"{CANARY}-other-{task['id']}"}


@dataclass(frozen=True)
class Publisher:
    """The publisher that makes pushes possible; it has another name before 0.16."""

    option: str
    wire: str


def push_publisher(version: str) -> Publisher:
    """Return the publisher of push tasks of a server version."""
    return Publisher("rtmp_push", "rtmpPush") if version == "0.15.10" else Publisher("push", "push")


def bystander(push: Publisher) -> list[Given]:
    """Return what belongs to another client, and must stay."""
    return [given_vhost("t-other"), given_app("t-other", "live", push.wire), given_task("t-other", "live", "task-1")]


def holder(push: Publisher, tasks: int = 2) -> list[Given]:
    """Return a virtual host with an application that pushes, and one that cannot."""
    return [
        *bystander(push),
        given_vhost("t-v"),
        given_app("t-v", "live", push.wire),
        given_app("t-v", "plain", providers={"srt": {}}),
        *(given_task("t-v", "live", f"task-{number}") for number in range(1, tasks + 1)),
    ]


def app_options(name: str, push: Publisher | None = None, **fields: Any) -> dict[str, Any]:
    """Return an application as options; the same that `given_app` makes."""
    return {
        "name": name,
        "type": "live",
        "providers": {"rtmp": {}},
        "publishers": {"llhls": {}, **({push.option: {}} if push else {})},
        **fields,
    }


LIVE_STREAM = {"vhost": "t-v", "app": "live", "stream": "main"}


def with_live_stream() -> list[Given]:
    """Return an application for a live stream that has an output."""
    profile = {
        "name": "bypass",
        "outputStreamName": "${OriginStreamName}",
        "encodes": {"videos": [{"name": "bypass_video", "bypass": True}]},
    }
    return [given_vhost("t-v"), given_app("t-v", "live", outputProfiles={"outputProfile": [profile]})]


def on_live_stream(name: str, options: Mapping[str, Any], **fields: Any) -> Scenario:
    """Return a scenario about :data:`LIVE_STREAM`; its name begins with that of the module."""
    own = {"given": with_live_stream(), "streams": [tuple(LIVE_STREAM.values())], **fields}
    return Scenario(name, name.partition(":")[0], options, **own)


def sent_into_stream(name: str, options: Mapping[str, Any], **fields: Any) -> Scenario:
    """Return a scenario about what is sent into :data:`LIVE_STREAM`, and cannot be read back."""
    made = labels(f"t-v/live/sent-{LIVE_STREAM['stream']}")
    return on_live_stream(name, options, made=made, always_changed=True, sent_once=True, **fields)
