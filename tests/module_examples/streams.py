# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for streams that are pulled, and for what is live."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import Given

from ._example import ANY_END, EVERY, SUCCESS, Example
from ._scenario import CANARY, Scenario, given_app, given_vhost, labels

_STREAM = {"vhost": "default", "app": "app", "name": "t-none"}
EXAMPLES = (
    Example("stream", {**_STREAM, "state": "absent"}, with_secrets=lambda mine, vhost: mine.pull(vhost)),
    Example(
        "streams",
        {"streams": [_STREAM], "state": "absent"},
        with_secrets=lambda mine, vhost: mine.pulls(vhost),
        ends={SUCCESS: "items_failed"},  # the application pulls nothing
        inside={"streams": _STREAM},
    ),
    Example(
        "expected_streams_info",
        {"expected_streams": [{"vhost": "default", "app": "app", "stream": "s"}]},
        with_secrets=lambda _mine, vhost: {"expected_streams": [{"vhost": vhost, "app": "live", "stream": "s"}]},
        ends={EVERY: ANY_END},  # what cannot be read is a problem of a stream
        inside={
            "expected_streams": {"vhost": "default", "app": "app", "stream": "s"},
            "viewers": {"ports": {"llhls": 9}},
        },
    ),
    Example(
        "stream_info",
        {"vhost": "default", "app": "app"},
        with_secrets=lambda _mine, vhost: {"vhost": vhost, "app": "live", "statistics": True},
    ),
)


def scenarios(_version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    empty = [given_vhost("t-v"), given_app("t-v", "cameras", providers={"rtspPull": {}})]
    url = f"rtsp://u:{CANARY}-password@origin.example.com/one"
    pull = {"vhost": "t-v", "app": "cameras", "name": "pull-1", "urls": [url], "persistent": True}
    there = [*empty, Given(("t-v", "cameras", "pull-1"), {"urls": [url]})]
    label = labels("t-v/cameras/pull-1")
    other = {**pull, "urls": ["rtsp://origin.example.com/two"], "recreate": True}
    yield Scenario("stream: pull", "stream", pull, given=empty, made=label)
    yield Scenario("stream: another URL", "stream", other, given=there, changed=label, typical=True)
    yield Scenario("stream: end", "stream", {**pull, "state": "absent"}, given=there, gone=label)
    many = [{**pull, "name": f"pull-{number}"} for number in (1, 2, 3)]
    given = [
        *empty,
        given_app("t-v", "plain"),
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
        made=labels("t-v/cameras/pull-3"),
        changed=label,
        kept=labels("t-v/cameras/pull-2"),
        refused=labels("t-v/plain/pull-1"),
        typical=True,
    )
    yield Scenario(
        "streams: end many",
        "streams",
        {"streams": many, "state": "absent"},
        given=given,
        gone=labels("t-v/cameras/pull-1", "t-v/cameras/pull-2"),
    )
