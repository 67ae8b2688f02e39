# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is done while something fails: for each module that writes, what there is, what is wanted, and what a good run
changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import Given, Label

CANARY = "canary"
"""All secrets begin so."""


@dataclass(frozen=True)
class Scenario:
    """One run of a module, and what it is to do."""

    name: str
    module: str
    options: Mapping[str, Any]
    given: Sequence[Given] = ()
    made: frozenset[Label] = frozenset()
    """What a good run makes,"""
    changed: frozenset[Label] = frozenset()
    """makes again in another form,"""
    gone: frozenset[Label] = frozenset()
    """and takes away."""
    kept: frozenset[Label] = frozenset()
    """What is wanted and is there already."""
    carried: frozenset[Label] = frozenset()
    """The contents of an object that is recreated, and must be there afterwards."""
    refused: frozenset[Label] = frozenset()
    """What a good run reports as failed, and leaves as it is."""
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

    @property
    def claimed(self) -> frozenset[Label]:
        """Return what the options speak of."""
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


def _labels(*texts: str) -> frozenset[Label]:
    return frozenset(tuple(text.split("/")) for text in texts)


def _vhost(name: str, **fields: Any) -> dict[str, Any]:
    """Return a virtual host with secrets, as an option and, because it has no field of two words, in the API."""
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, **fields}


def _given_vhost(name: str, **fields: Any) -> Given:
    webhooks = {
        "controlServerUrl": f"http://{CANARY}-user:{CANARY}-password@hooks.example.com/{name}",
        "secretKey": f"{CANARY}-secret-{name}",
    }
    return Given((name,), _vhost(name, admissionWebhooks=webhooks, **fields))


def _given_app(vhost: str, name: str, push: str | None = None, **fields: Any) -> Given:
    """Return an application in the API; ``push`` is a publisher beside LLHLS, that of pushes or recordings."""
    app = {
        "name": name,
        "type": "live",
        "providers": {"rtmp": {}},
        "publishers": {"llhls": {}, **({push: {}} if push else {})},
    }
    return Given((vhost, name), {**app, **fields})


def _given_task(vhost: str, app: str, task_id: str) -> Given:
    body = {"id": task_id, "stream": {"name": "main"}, "protocol": "rtmp", "url": f"rtmp://push.example.com/{task_id}"}
    return Given((vhost, app, task_id), {**body, "streamKey": f"{CANARY}-key-{app}-{task_id}"})


def _secret_vhost(name: str, **fields: Any) -> dict[str, Any]:
    webhooks = {
        "control_server_url": f"http://{CANARY}-user:{CANARY}-password@hooks.example.com/{name}",
        "secret_key": f"{CANARY}-secret-{name}",
    }
    return _vhost(name, admission_webhooks=webhooks, **fields)


def _task(vhost: str, app: str, task_id: str, **fields: Any) -> dict[str, Any]:
    """Return a push task as options; the same that `_given_task` makes."""
    task = {
        "vhost": vhost,
        "app": app,
        "id": task_id,
        "stream": {"name": "main"},
        "protocol": "rtmp",
        "url": f"rtmp://push.example.com/{task_id}",
    }
    return {**task, "stream_key": f"{CANARY}-key-{app}-{task_id}", **fields}


def _moved(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same task with another destination."""
    return {**task, "url": f"rtmp://other.example.com/{task['id']}", "stream_key": f"{CANARY}-other-{task['id']}"}


@dataclass(frozen=True)
class _Publisher:
    """The publisher that makes pushes possible; it has another name before 0.16."""

    option: str
    wire: str


def scenarios(version: str) -> dict[str, Scenario]:
    """Return all of them by name, for a version of the server."""
    push = _Publisher("rtmp_push", "rtmpPush") if version == "0.15.10" else _Publisher("push", "push")
    found = [
        *_of_virtual_hosts(push),
        *_of_applications(push),
        *_of_push_tasks(push),
        *_of_servers(push),
        *_of_recordings(),
        *([] if version in ("0.15.10", "documented") else _of_channels(version)),
        *_of_streams(),
        *_of_live_streams(version),
        *_of_certificates(),
    ]
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def _bystander(push: _Publisher) -> list[Given]:
    """Return what belongs to another client, and must stay."""
    return [_given_vhost("t-other"), _given_app("t-other", "live", push.wire), _given_task("t-other", "live", "task-1")]


def _holder(push: _Publisher, tasks: int = 2) -> list[Given]:
    """Return a virtual host with an application that pushes, and one that cannot."""
    return [
        *_bystander(push),
        _given_vhost("t-v"),
        _given_app("t-v", "live", push.wire),
        _given_app("t-v", "plain", providers={"srt": {}}),
        *(_given_task("t-v", "live", f"task-{number}") for number in range(1, tasks + 1)),
    ]


def _app(name: str, push: _Publisher | None = None, **fields: Any) -> dict[str, Any]:
    """Return an application as options; the same that `_given_app` makes."""
    return {
        "name": name,
        "type": "live",
        "providers": {"rtmp": {}},
        "publishers": {"llhls": {}, **({push.option: {}} if push else {})},
        **fields,
    }


def _of_virtual_hosts(push: _Publisher) -> Iterable[Scenario]:
    inside = _labels("t-v/live", "t-v/plain", "t-v/live/task-1", "t-v/live/task-2")
    new = {"host": {"names": ["new.example.com"]}}
    yield Scenario(
        "vhost: create with an application",
        "vhost",
        {**_secret_vhost("t-v"), "applications": [_app("live", push)]},
        given=_bystander(push),
        made=_labels("t-v", "t-v/live"),
    )
    yield Scenario(
        "vhost: recreate with contents",
        "vhost",
        {"name": "t-v", **new, "recreate": True},
        given=_holder(push),
        changed=_labels("t-v"),
        carried=inside,
    )
    yield Scenario(
        "vhost: delete with contents",
        "vhost",
        {"name": "t-v", "state": "absent"},
        given=_holder(push),
        gone=_labels("t-v") | inside,
    )
    yield Scenario(
        "vhosts: create many in two pieces",
        "vhosts",
        {
            "vhosts": [
                {**_secret_vhost("t-a"), "applications": [_app("live", push), _app("plain")]},
                _vhost("t-b"),
                _vhost("t-c"),
                _vhost("t-v"),
            ]
        },
        given=[*_bystander(push), Given(("t-v",), _vhost("t-v"))],
        made=_labels("t-a", "t-a/live", "t-a/plain", "t-b", "t-c"),
        kept=_labels("t-v"),
        bulk_size=2,
    )
    yield Scenario(
        "vhosts: create 501",
        "vhosts",
        {"vhosts": [_vhost(f"t-{number}") for number in range(501)]},
        given=_bystander(push),
        made=_labels(*(f"t-{number}" for number in range(501))),
    )
    yield Scenario(
        "vhosts: create, recreate, keep and purge",
        "vhosts",
        {"vhosts": [_vhost("t-new"), {"name": "t-v", **new}, _vhost("t-kept")], "recreate": True, "purge": True},
        given=[*_holder(push, 1), Given(("t-kept",), _vhost("t-kept"))],
        made=_labels("t-new"),
        changed=_labels("t-v"),
        carried=_labels("t-v/live", "t-v/plain", "t-v/live/task-1"),
        gone=_labels("t-other", "t-other/live", "t-other/live/task-1"),
        kept=_labels("t-kept"),
    )
    yield Scenario(
        "vhosts: delete many",
        "vhosts",
        {"vhosts": [{"name": "t-a"}, {"name": "t-v"}, {"name": "t-never"}], "state": "absent"},
        given=[*_holder(push), _given_vhost("t-a")],
        gone=_labels("t-a", "t-v") | inside,
    )
    yield Scenario(
        "vhosts: some refused",
        "vhosts",
        {
            "vhosts": [
                _vhost("t-a"),
                _vhost("t-refused"),
                {"name": "t-v", **new},
                {"name": "default", **new},
                _vhost("t-b"),
            ]
        },
        given=[*_bystander(push), Given(("t-v",), _vhost("t-v"))],
        made=_labels("t-a", "t-b"),
        refused=_labels("t-refused", "t-v", "default"),
    )


def _of_servers(push: _Publisher) -> Iterable[Scenario]:
    options = {
        "vhosts": [_vhost("t-kept"), {**_secret_vhost("t-a"), "applications": [_app("live", push)]}],
        "applications": [{"vhost": "t-kept", **_app("more", push)}],
        "push_tasks": [_task("t-a", "live", "task-1"), _task("t-kept", "more", "task-2")],
    }
    yield Scenario(
        "provision: create and keep",
        "provision",
        options,
        given=[*_bystander(push), Given(("t-kept",), _vhost("t-kept"))],
        made=_labels("t-a", "t-a/live", "t-kept/more", "t-a/live/task-1", "t-kept/more/task-2"),
        kept=_labels("t-kept"),
    )
    yield Scenario(
        "provision: recreate, move, keep and purge",
        "provision",
        {
            "vhosts": [{"name": "t-v", "host": {"names": ["new.example.com"]}}],
            "applications": [{"vhost": "t-other", **_app("live", push)}],
            "push_tasks": [_moved(_task("t-other", "live", "task-1"))],
            "recreate": True,
            "purge_push_tasks": True,
        },
        given=[*_holder(push), _given_task("t-other", "live", "task-2")],
        changed=_labels("t-v", "t-other/live/task-1"),
        kept=_labels("t-other/live"),
        carried=_labels("t-v/live", "t-v/plain", "t-v/live/task-1", "t-v/live/task-2"),
        gone=_labels("t-other/live/task-2"),
    )


def _of_applications(push: _Publisher) -> Iterable[Scenario]:
    tasks = _labels("t-v/live/task-1", "t-v/live/task-2")
    bad = {"providers": {"rtmp": {}, "extra": {"noSuchThing": {}}}}
    yield Scenario(
        "application: create",
        "application",
        {"vhost": "t-v", **_app("live", push)},
        given=[*_bystander(push), _given_vhost("t-v")],
        made=_labels("t-v/live"),
    )
    yield Scenario(
        "application: recreate with tasks",
        "application",
        {"vhost": "t-v", "name": "live", "type": "vod", "recreate": True},
        given=_holder(push),
        changed=_labels("t-v/live"),
        carried=tasks,
    )
    yield Scenario(
        "application: delete with tasks",
        "application",
        {"vhost": "t-v", "name": "live", "state": "absent"},
        given=_holder(push),
        gone=_labels("t-v/live") | tasks,
    )
    yield Scenario(
        "applications: create many in two pieces",
        "applications",
        {
            "applications": [
                *({"vhost": "t-v", **_app(name, push)} for name in ("one", "two", "three")),
                {"vhost": "t-other", **_app("new")},
                {"vhost": "t-other", **_app("live", push)},
            ]
        },
        given=[*_bystander(push), _given_vhost("t-v")],
        made=_labels("t-v/one", "t-v/two", "t-v/three", "t-other/new"),
        kept=_labels("t-other/live"),
        bulk_size=2,
    )
    yield Scenario(
        "applications: create, recreate, keep and purge",
        "applications",
        {
            "applications": [
                {"vhost": "t-v", **_app("new")},
                {"vhost": "t-v", "name": "live", "type": "vod"},
                {"vhost": "t-v", **_app("plain", providers={"srt": {}})},
            ],
            "recreate": True,
            "purge": True,
        },
        given=[*_holder(push, 1), _given_app("t-v", "stray", push.wire), _given_task("t-v", "stray", "task-1")],
        made=_labels("t-v/new"),
        changed=_labels("t-v/live"),
        carried=_labels("t-v/live/task-1"),
        gone=_labels("t-v/stray", "t-v/stray/task-1"),
        kept=_labels("t-v/plain"),
    )
    yield Scenario(
        "applications: delete many",
        "applications",
        {"applications": [{"vhost": "t-v", "name": name} for name in ("live", "plain", "never")], "state": "absent"},
        given=_holder(push),
        gone=_labels("t-v/live", "t-v/plain") | tasks,
    )
    yield Scenario(
        "applications: some refused",
        "applications",
        {
            "applications": [
                {"vhost": "t-v", **_app("a")},
                {"vhost": "t-v", **_app("b", **bad)},
                {"vhost": "t-v", **_app("c")},
                {"vhost": "nowhere", **_app("a")},
            ]
        },
        given=[*_bystander(push), _given_vhost("t-v")],
        made=_labels("t-v/a", "t-v/c"),
        refused=_labels("t-v/b", "nowhere/a"),
    )


def _of_push_tasks(push: _Publisher) -> Iterable[Scenario]:
    empty = _holder(push, 0)
    task = _task("t-v", "live", "task-1")
    yield Scenario(
        "push_task: start",
        "push_task",
        task,
        given=empty,
        made=_labels("t-v/live/task-1"),
    )
    yield Scenario(
        "push_task: another destination",
        "push_task",
        _moved(task),
        given=_holder(push),
        changed=_labels("t-v/live/task-1"),
    )
    yield Scenario(
        "push_task: stop",
        "push_task",
        {"vhost": "t-v", "app": "live", "id": "task-1", "state": "stopped"},
        given=_holder(push),
        gone=_labels("t-v/live/task-1"),
    )
    yield Scenario(
        "push_task: wait until it pushes",
        "push_task",
        {**task, "wait_for": "pushing", "wait_timeout": 10},
        given=empty,
        made=_labels("t-v/live/task-1"),
        streams=[("t-v", "live", "main")],
    )
    yield Scenario(
        "push_tasks: start many",
        "push_tasks",
        {
            "tasks": [
                task,
                _task("t-v", "live", "task-2"),
                _task("t-other", "live", "task-2"),
                _task("t-other", "live", "task-1"),
            ]
        },
        given=empty,
        made=_labels("t-v/live/task-1", "t-v/live/task-2", "t-other/live/task-2"),
        kept=_labels("t-other/live/task-1"),
    )
    yield Scenario(
        "push_tasks: start, move, keep and purge",
        "push_tasks",
        {
            "tasks": [
                _task("t-v", "live", "task-new"),
                _moved(task),
                _moved(_task("t-v", "live", "task-2")),
                _task("t-v", "live", "task-3"),
            ],
            "purge": True,
        },
        given=_holder(push, 5),
        made=_labels("t-v/live/task-new"),
        changed=_labels("t-v/live/task-1", "t-v/live/task-2"),
        kept=_labels("t-v/live/task-3"),
        gone=_labels("t-v/live/task-4", "t-v/live/task-5"),
    )
    yield Scenario(
        "push_tasks: stop many",
        "push_tasks",
        {
            "tasks": [{"vhost": "t-v", "app": "live", "id": f"task-{number}"} for number in (1, 2, 3, 9)],
            "state": "stopped",
        },
        given=_holder(push, 4),
        gone=_labels("t-v/live/task-1", "t-v/live/task-2", "t-v/live/task-3"),
    )
    yield Scenario(
        "push_tasks: some refused",
        "push_tasks",
        {
            "tasks": [
                task,
                _task("t-v", "plain", "task-1"),
                _task("t-v", "nowhere", "task-1"),
                _task("t-v", "live", "task-2"),
            ],
            "wait_for": "pushing",
        },
        given=empty,
        made=_labels("t-v/live/task-1", "t-v/live/task-2"),
        refused=_labels("t-v/plain/task-1", "t-v/nowhere/task-1"),
        streams=[("t-v", "live", "main")],
    )


def _record(app: str, record_id: str, **fields: Any) -> dict[str, Any]:
    """Return a recording as options; the same that `_given_record` makes."""
    return {
        "vhost": "t-v",
        "app": app,
        "id": record_id,
        "stream": {"name": "main"},
        "file_path": f"/{record_id}_${{StartTime:YYYYMMDDhhmmss}}.ts",
        "metadata": f"{CANARY}-metadata-{record_id}",
        **fields,
    }


def _given_record(record_id: str) -> Given:
    options = _record("live", record_id)
    body = {"id": record_id, "stream": options["stream"], "filePath": options["file_path"]}
    return Given(("t-v", "live", record_id), {**body, "metadata": options["metadata"]})


def _recorder(records: int = 2) -> list[Given]:
    """Return a virtual host with an application that records, and one that cannot."""
    return [
        _given_vhost("t-v"),
        _given_app("t-v", "live", "file"),
        _given_app("t-v", "plain"),
        *(_given_record(f"record-{number}") for number in range(1, records + 1)),
    ]


def _of_recordings() -> Iterable[Scenario]:
    record = _record("live", "record-1")
    yield Scenario("record: start", "record", record, given=_recorder(0), made=_labels("t-v/live/record-1"))
    yield Scenario(
        "record: another interval",
        "record",
        {**record, "interval": 5000},
        given=_recorder(),
        changed=_labels("t-v/live/record-1"),
    )
    yield Scenario(
        "record: stop",
        "record",
        {"vhost": "t-v", "app": "live", "id": "record-1", "state": "stopped"},
        given=_recorder(),
        gone=_labels("t-v/live/record-1"),
        streams=[("t-v", "live", "main")],
    )
    yield Scenario(
        "record: wait until it records",
        "record",
        {**record, "wait_for": "recording", "wait_timeout": 10},
        given=_recorder(0),
        made=_labels("t-v/live/record-1"),
        streams=[("t-v", "live", "main")],
    )
    yield Scenario(
        "records: start, change, keep and purge",
        "records",
        {
            "records": [
                _record("live", "record-new"),
                {**record, "schedule": "0 * *"},
                _record("live", "record-2"),
            ],
            "purge": True,
        },
        given=_recorder(4),
        made=_labels("t-v/live/record-new"),
        changed=_labels("t-v/live/record-1"),
        kept=_labels("t-v/live/record-2"),
        gone=_labels("t-v/live/record-3", "t-v/live/record-4"),
    )
    yield Scenario(
        "records: some refused",
        "records",
        {
            "records": [
                record,
                _record("plain", "record-1"),
                _record("nowhere", "record-1"),
                _record("live", "record-2"),
            ]
        },
        given=_recorder(0),
        made=_labels("t-v/live/record-1", "t-v/live/record-2"),
        refused=_labels("t-v/plain/record-1", "t-v/nowhere/record-1"),
    )


def _of_certificates() -> Iterable[Scenario]:
    tls = _labels("t-v")
    yield Scenario(
        "cert_reload: one", "cert_reload", {"vhost": "t-v"}, changed=tls, certificates=True, always_changed=True
    )
    yield Scenario("cert_reload: all", "cert_reload", {}, changed=tls, certificates=True, always_changed=True)
    yield Scenario(
        "cert_reload: proven",
        "cert_reload",
        {"vhost": "t-v", "wait_timeout": 1, "timeout": 2},
        changed=tls,
        certificates=True,
    )


@dataclass
class Recorded:
    """What a good run of a scenario did."""

    requests: list[tuple[str, str, bool]] = field(default_factory=list)
    """Method, path, and whether it is a write."""

    def nth(self, number: int) -> tuple[str, str, int]:
        """Return a request by its number: method, path, and how many of the same come before it."""
        method, path, _write = self.requests[number]
        return method, path, sum(1 for one in self.requests[:number] if one[:2] == (method, path))


_PROGRAM = {"name": "one", "scheduled": "2020-01-01T00:00:00.000+00:00", "repeat": True}
_ITEM = {"url": "stream://t-v/tv/main", "start": 0, "duration": 60000}
_TRACK = {"source_track_name": "bypass_video", "new_track_name": "video"}


def _of_channels(version: str) -> Iterable[Scenario]:
    providers = {
        "schedule": {"mediaRootDir": "/media", "scheduleFilesDir": "/channels"},
        "multiplex": {"muxFilesDir": "/channels"},
    }
    empty = [_given_vhost("t-v"), _given_app("t-v", "tv", providers=providers)]
    stream: dict[str, Any] = {"bypassTranscoder": False, "videoTrack": True, "audioTrack": True, "audioMap": None}
    if version != "0.18.0":
        stream["errorToleranceDurationMs"] = 500
    item = _ITEM if version in ("0.18.0", "0.20.0") else {**_ITEM, "forwardData": False}
    stored = {"stream": {"name": "scheduled-1", **stream}, "programs": [{**_PROGRAM, "items": [item]}]}
    there = [*empty, Given(("t-v", "tv", "scheduled-1"), stored)]
    place = {"vhost": "t-v", "app": "tv", "name": "scheduled-1"}
    label = _labels("t-v/tv/scheduled-1")
    program = {**_PROGRAM, "items": [_ITEM]}
    yield Scenario(
        "scheduled_channel: create", "scheduled_channel", {**place, "programs": [program]}, given=empty, made=label
    )
    yield Scenario(
        "scheduled_channel: change in place",
        "scheduled_channel",
        {**place, "programs": [{**program, "repeat": False}]},
        given=there,
        changed=label,
    )
    yield Scenario(
        "scheduled_channel: recreate",
        "scheduled_channel",
        {**place, "stream": {"video_track": False}, "recreate": True},
        given=there,
        changed=label,
    )
    yield Scenario(
        "scheduled_channel: delete", "scheduled_channel", {**place, "state": "absent"}, given=there, gone=label
    )
    source = {"name": "one", "url": _ITEM["url"], "track_map": [_TRACK]}
    yield Scenario(
        "multiplex_channel: create",
        "multiplex_channel",
        {**place, "name": "multiplex-1", "source_streams": [source]},
        given=empty,
        made=_labels("t-v/tv/multiplex-1"),
    )
    yield from _of_lists_of_channels(empty, stored, source)


def _of_lists_of_channels(
    empty: Sequence[Given], stored: Mapping[str, Any], source: Mapping[str, Any]
) -> Iterable[Scenario]:
    """Yield the scenarios for lists; ``stored`` is a scheduled channel as the server keeps it."""

    def channel(name: str, **fields: Any) -> dict[str, Any]:
        return {"vhost": "t-v", "app": "tv", "name": name, **fields}

    def there(number: int) -> Given:
        name = f"scheduled-{number}"
        return Given(("t-v", "tv", name), {**stored, "stream": {**stored["stream"], "name": name}})

    program = {**_PROGRAM, "items": [_ITEM]}
    plain = _given_app("t-v", "plain")
    yield Scenario(
        "scheduled_channels: create, change, recreate, keep and purge",
        "scheduled_channels",
        {
            "scheduled_channels": [
                channel("scheduled-new", programs=[program]),
                channel("scheduled-1", programs=[{**program, "repeat": False}]),
                channel("scheduled-2", stream={"video_track": False}),
                channel("scheduled-3", programs=[program]),
            ],
            "recreate": True,
            "purge": True,
        },
        given=[*empty, *map(there, range(1, 5))],
        made=_labels("t-v/tv/scheduled-new"),
        changed=_labels("t-v/tv/scheduled-1", "t-v/tv/scheduled-2"),
        kept=_labels("t-v/tv/scheduled-3"),
        gone=_labels("t-v/tv/scheduled-4"),
    )
    yield Scenario(
        "scheduled_channels: some refused",
        "scheduled_channels",
        {
            "scheduled_channels": [
                channel("scheduled-new", programs=[program]),
                {**channel("scheduled-new", programs=[program]), "app": "plain"},
                {**channel("scheduled-new", programs=[program]), "app": "nowhere"},
                channel("scheduled-1", stream={"video_track": False}),
            ]
        },
        given=[*empty, plain, there(1)],
        made=_labels("t-v/tv/scheduled-new"),
        refused=_labels("t-v/plain/scheduled-new", "t-v/nowhere/scheduled-new", "t-v/tv/scheduled-1"),
    )
    yield Scenario(
        "scheduled_channels: delete many",
        "scheduled_channels",
        {"scheduled_channels": [channel(f"scheduled-{number}") for number in (1, 2, 9)], "state": "absent"},
        given=[*empty, *map(there, (1, 2))],
        gone=_labels("t-v/tv/scheduled-1", "t-v/tv/scheduled-2"),
    )
    yield Scenario(
        "multiplex_channels: create many",
        "multiplex_channels",
        {"multiplex_channels": [channel(f"multiplex-{number}", source_streams=[source]) for number in (1, 2)]},
        given=empty,
        made=_labels("t-v/tv/multiplex-1", "t-v/tv/multiplex-2"),
    )


def _of_streams() -> Iterable[Scenario]:
    empty = [_given_vhost("t-v"), _given_app("t-v", "cameras", providers={"rtspPull": {}})]
    url = f"rtsp://u:{CANARY}-password@origin.example.com/one"
    pull = {"vhost": "t-v", "app": "cameras", "name": "pull-1", "urls": [url], "persistent": True}
    there = [*empty, Given(("t-v", "cameras", "pull-1"), {"urls": [url]})]
    label = _labels("t-v/cameras/pull-1")
    other = {**pull, "urls": ["rtsp://origin.example.com/two"], "recreate": True}
    yield Scenario("stream: pull", "stream", pull, given=empty, made=label)
    yield Scenario("stream: another URL", "stream", other, given=there, changed=label)
    yield Scenario("stream: end", "stream", {**pull, "state": "absent"}, given=there, gone=label)
    many = [{**pull, "name": f"pull-{number}"} for number in (1, 2, 3)]
    given = [
        *empty,
        _given_app("t-v", "plain"),
        *(Given(("t-v", "cameras", f"pull-{n}"), {"urls": [url]}) for n in (1, 2)),
    ]
    yield Scenario(
        "streams: pull, another URL, keep and refuse",
        "streams",
        {
            "streams": [
                many[2],
                {**many[0], "urls": other["urls"]},
                many[1],
                {**many[0], "app": "plain"},
            ],
            "recreate": True,
        },
        given=given,
        made=_labels("t-v/cameras/pull-3"),
        changed=label,
        kept=_labels("t-v/cameras/pull-2"),
        refused=_labels("t-v/plain/pull-1"),
    )
    yield Scenario(
        "streams: end many",
        "streams",
        {"streams": many, "state": "absent"},
        given=given,
        gone=_labels("t-v/cameras/pull-1", "t-v/cameras/pull-2"),
    )


_LIVE = ("t-v", "live", "main")
_NEEDS_RELEASE = {"stream_conclude": RECORDED_MEDIA, "stream_stt": ("0.21.0",)}
"""The versions with the calls of a module, if not all have them."""


def _of_live_streams(version: str) -> Iterable[Scenario]:
    """Return what is done to a stream that is live: dumps, events, the end of its HLS, speech to text."""
    profile = {
        "name": "bypass",
        "outputStreamName": "${OriginStreamName}",
        "encodes": {"videos": [{"name": "bypass_video", "bypass": True}]},
    }
    there = [_given_vhost("t-v"), _given_app("t-v", "live", outputProfiles={"outputProfile": [profile]})]
    stream = {"vhost": "t-v", "app": "live", "stream": "main"}
    files = {"output_path": "/dumps", "info_file": "/dumps/one.info", "user_data": f"{CANARY}-user-data"}
    body = {"outputPath": "/dumps", "infoFile": "/dumps/one.info", "userData": f"{CANARY}-user-data"}
    dumping = [*there, Given(("t-v", "live", "dump-1"), {"id": "dump-1", "outputStreamName": "main", **body})]
    dump = {**stream, "id": "dump-1"}
    frames = [{"frame_type": "TXXX", "info": "made-up", "data": "made-up"}]
    parts: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
        ("start", "hls_dump", {**dump, **files}, {"given": there, "made": _labels("t-v/live/dump-1")}),
        ("stop", "hls_dump", {**dump, "state": "stopped"}, {"given": dumping, "gone": _labels("t-v/live/dump-1")}),
        ("send", "stream_event", {**stream, "frames": frames}, {"made": _labels("t-v/live/sent-main")}),
        ("send", "stream_conclude", {**stream, "force": True}, {"made": _labels("t-v/live/sent-main")}),
        ("start", "stream_stt", stream, {"made": _labels("t-v/live/speech-main")}),
        ("stop", "stream_stt", {**stream, "state": "stopped"}, {"gone": _labels("t-v/live/speech-main")}),
    ]
    for name, module, options, effects in parts:
        if version in _NEEDS_RELEASE.get(module, (version,)):
            sends = module in ("stream_event", "stream_conclude")
            effects = {"given": there, "streams": [_LIVE], "always_changed": sends, "sent_once": sends, **effects}
            yield Scenario(f"{module}: {name}", module, options, **effects)
