# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parts of one task that contradict each other are refused before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.channel_samples import (
    MULTIPLEX,
    SCHEDULED,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    ModuleRun,
    connection,
    make_virtual_host,
    run_module,
)

PLACE = {"vhost": "t", "app": "live"}
LIVE = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}
PUSH = {**PLACE, "id": "p", "stream": {"name": "main"}, "protocol": "srt", "url": "srt://push.example.com:9000"}


def vhost(*apps: dict[str, Any], name: str = "t") -> dict[str, Any]:
    return {"name": name, "host": {"names": [f"{name}.example.com"]}, "applications": list(apps)}


def provision(simulator: Simulator, *, check_mode: bool = False, **options: Any) -> ModuleRun:
    simulator.clear_log()
    return run_module("provision", connection(simulator, **options), check_mode=check_mode)


def refused(simulator: Simulator, text: str, **options: Any) -> None:
    """Check that a task is refused before it sends anything, in check mode too."""
    for check_mode in (True, False):
        result = provision(simulator, check_mode=check_mode, **options)
        assert result.failed and result["error"]["kind"] == "bad_input" and text in result["msg"], result["msg"]
        assert not simulator.log and len(result["msg"]) < 400


@pytest.mark.parametrize(
    ("again", "options"),
    [
        ({"providers": {"srt": {}}, "publishers": LIVE["publishers"]}, "providers.rtmp, providers.srt"),
        ({}, "providers.rtmp, publishers.llhls, publishers.push"),
    ],
)
def test_an_application_that_two_places_define_differently_is_refused(
    current: Simulator, again: dict[str, Any], options: str
) -> None:
    refused(
        current,
        "applications[0].name: expected the definition of vhosts[0].applications[0] for application t/live, or none; "
        f"these options differ: {options}",
        vhosts=[vhost(LIVE)],
        applications=[{"vhost": "t", "name": "live", **again}],
        recreate=True,
    )


def test_an_application_can_be_listed_twice_if_both_define_the_same(current: Simulator) -> None:
    again = {"vhost": "t", "type": "live", **LIVE}  # with a default of the server
    for purge in (False, True):
        options = {"vhosts": [vhost(LIVE)], "applications": [again], "purge_applications": purge}
        for changed in (not purge, False):
            result = provision(current, **options)
            assert not result.failed and result["changed"] is changed, result["msg"]
            assert provision(current, check_mode=True, **options)["changed"] is False


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            {"scheduled_channels": [{**SCHEDULED, "name": "one"}]},
            {"multiplex_channels": [{**MULTIPLEX, "name": "one"}]},
        ),
        (
            {"streams": [{**PLACE, "name": "one", "urls": ["rtsp://camera.example.com/1"]}]},
            {"scheduled_channels": [{**SCHEDULED, "name": "one"}]},
        ),
    ],
)
def test_a_name_that_a_stream_and_a_channel_share_is_refused(
    current: Simulator, first: dict[str, Any], second: dict[str, Any]
) -> None:
    (one,), (other,) = first, second
    lists = {name: [{**entry, **PLACE} for entry in entries] for name, entries in {**first, **second}.items()}
    refused(
        current,
        f"{other}[0].name: expected each name once among the streams and channels of an application, got 't/live/one' "
        f"again after {one}[0]",
        **lists,
    )


@pytest.mark.parametrize(
    ("name", "entry", "needs", "option"),
    [
        ("push_tasks", PUSH, "a push publisher", "publishers"),
        ("records", {**PLACE, "id": "r", "stream": {"name": "main"}}, "a file publisher", "publishers"),
        ("scheduled_channels", {**SCHEDULED, **PLACE}, "the provider schedule", "providers"),
        ("multiplex_channels", {**MULTIPLEX, **PLACE}, "the provider multiplex", "providers"),
        (
            "streams",
            {**PLACE, "name": "one", "urls": ["rtsp://camera.example.com/1"]},
            "the provider rtspPull",
            "providers",
        ),
    ],
)
def test_an_object_in_an_application_that_is_listed_without_what_it_needs_is_refused(
    current: Simulator, name: str, entry: dict[str, Any], needs: str, option: str
) -> None:
    app = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}}}
    text = (
        f"{name}[0].app: expected an application with {needs}, got 't/live', which vhosts[0].applications[0].{option}"
    )
    refused(current, text, vhosts=[vhost(app)], **{name: [entry]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/rec/live.ts", "/rec/live.ts"),
        ("/rec/${Stream}.ts", "/rec/main.ts"),
        ("/rec/${StartTime:YYYYMMDDhhmmss}.ts", "/rec/${StartTime:YYYYMMDDhhmmss}.ts"),
    ],
)
def test_two_recordings_into_one_file_are_refused(current: Simulator, one: str, other: str) -> None:
    records = [
        {**PLACE, "id": f"r{index}", "stream": {"name": "main"}, "file_path": path}
        for index, path in enumerate((one, other))
    ]
    text = "records[1].file_path: expected a file of its own, such as one with ${Id} in its name"
    refused(current, f"{text}, got the file of records[0]", records=records)
    assert text in run_module("records", connection(current, records=records))["msg"]
    for records[1]["file_path"] in ("/rec/${Id}.ts", "/rec/${TransactionId}.ts"):
        assert "file of its own" not in provision(current, check_mode=True, records=records)["msg"]


@pytest.mark.parametrize("check_mode", (True, False))
def test_a_purge_of_what_another_part_needs_is_refused_before_anything_is_written(
    current: Simulator, check_mode: bool
) -> None:
    make_virtual_host(current, "old", applications=[{"name": "live", "type": "live", "publishers": {"push": {}}}])
    new = vhost({**LIVE, "name": "other"}, name="old")
    push = {**PUSH, "vhost": "old"}
    for options, text in (
        ({"vhosts": [vhost()], "purge_vhosts": True}, "push_tasks[0].vhost: expected a virtual host that vhosts lists"),
        ({"vhosts": [new], "purge_applications": True}, "push_tasks[0].app: expected an application that is listed"),
    ):
        result = provision(current, check_mode=check_mode, push_tasks=[push], **options)
        assert result.failed and result["msg"].startswith(text), result["msg"]
        assert set(current.state.virtual_hosts) == {"default", "old"}
        assert set(current.state.virtual_hosts["old"].applications) == {"live"}


def test_a_purge_keeps_what_comes_from_the_configuration_file(current: Simulator) -> None:
    push = {**PUSH, "vhost": "default", "app": "app"}
    result = provision(current, vhosts=[vhost(LIVE)], purge_vhosts=True, push_tasks=[push])
    assert not result.failed and result["push_tasks"]["started"] == 1, result["msg"]


def test_an_id_that_is_listed_twice_is_refused_by_the_name_of_the_list(current: Simulator) -> None:
    again = "got 't/live/p' again after push_tasks[0], in push_tasks[1] (t/live/p)"
    refused(current, f"push_tasks[1].id: expected each object once, {again}", push_tasks=[PUSH, PUSH])


def test_durable_without_config_dir_is_refused_even_if_nothing_is_listed(current: Simulator) -> None:
    refused(current, "config_dir: is required if durable is true", durable=True)
