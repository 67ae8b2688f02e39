# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Recordings, which are jobs like push tasks: what is their own, on every version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import RECORDS
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED, ManualClock, Simulator, records
from ansible_collections.streamops.ovenmediaengine.tests.simulator.media import BYTES_PER_SECOND
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST, RECORD
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.test_life import altered, life
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

LIVE = ("default", "media", "live1")
FULL: dict[str, Any] = {
    **RECORD,
    "stream": {"name": "live1", "variant_names": ["bypass_video", "bypass_audio"]},
    "info_path": "/${Application}/${Stream}.xml",
    "interval": 60000,
    "segmentation_rule": "continuity",
}
CHANGES: dict[str, Any] = {
    "stream.name": {"stream": {"name": "other"}},
    "stream.variant_names": {"stream": {"name": "live1", "variant_names": ["bypass_audio"]}},
    "file_path": {"file_path": "/other/${StartTime:YYYYMMDDhhmmss}.mp4"},
    "info_path": {"info_path": "/other/${Stream}.xml"},
    "interval": {"interval": 30000},
    "interval instead of schedule": {"interval": None, "schedule": "0 0 */1"},
    "segmentation_rule": {"segmentation_rule": "discontinuity"},
    "metadata": {"metadata": "canary-other-metadata"},
}
REMOVE = {"vhost": "default", "app": "media", "id": "t-r", "state": "stopped"}


@pytest.fixture(name="simulator", params=RECORDED)
def _simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    with Simulator(version=request.param, scene="media", stop_delay=0.2) as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


@pytest.fixture(name="current")
def _current() -> Iterator[Simulator]:
    with Simulator(scene="media", stop_delay=0.2) as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


def run(simulator: Simulator, module: str = "record", *, check_mode: bool = False, **options: Any) -> ModuleRun:
    return running_modules.run_module(module, connection(simulator, **options), check_mode=check_mode)


def listed(simulator: Simulator) -> list[str]:
    """Return the ids of the recordings of `default/media`."""
    holder = simulator.state.records.application("default", "media")
    assert holder is not None
    return sorted(record.id for record in holder.records.values() if record.gone_at is None)


def requests(simulator: Simulator) -> list[str]:
    return [record.path.partition(":")[2] for record in simulator.log if ":" in record.path]


class TestLife:
    """Absent, check, apply, apply again, change, remove."""

    def test_a_recording(self, simulator: Simulator) -> None:
        change = altered(FULL, CHANGES["interval instead of schedule"])
        life(simulator, "record", FULL, change, REMOVE, ("started", "restarted", "stopped"))

    @pytest.mark.parametrize("field", CHANGES)
    def test_every_field(self, current: Simulator, field: str) -> None:
        life(current, "record", FULL, altered(FULL, CHANGES[field]), REMOVE, ("started", "restarted", "stopped"))

    def test_many_recordings(self, simulator: Simulator) -> None:
        simulator.stream_appears(*LIVE)
        records = [FULL, {**RECORD, "id": "t-s", "schedule": "*/30 * *"}]
        changed = [altered(FULL, CHANGES["interval"]), {**RECORD, "id": "t-s", "schedule": "0 */1 *"}]
        remove = {"records": [{name: one[name] for name in ("vhost", "app", "id")} for one in records]}
        life(
            simulator,
            "records",
            {"records": records},
            {"records": changed},
            {**remove, "state": "stopped"},
            ("started", "restarted", "stopped"),
        )

    def test_the_requests_and_their_order(self, simulator: Simulator) -> None:
        simulator.clear_log()
        run(simulator, **RECORD)
        assert requests(simulator) == ["records", "startRecord"]
        simulator.clear_log()
        run(simulator, **RECORD)
        assert requests(simulator) == ["records"]
        simulator.clear_log()
        run(simulator, **{**RECORD, "interval": 5000})
        assert requests(simulator)[:2] == ["records", "stopRecord"]
        assert requests(simulator)[-2:] == ["records", "startRecord"]


def test_omitted_fields_stay_unchanged(simulator: Simulator) -> None:
    run(simulator, **FULL)
    bare = {"vhost": "default", "app": "media", "id": "t-r", "stream": {"name": "live1"}}
    assert run(simulator, **bare)["action"] == "unchanged"
    changed = run(simulator, **bare, info_path="/x.xml")
    assert changed["action"] == "restarted" and [one["field"] for one in changed["differences"]] == ["info_path"]
    read = run(simulator, "record_info", vhost="default", app="media", show_secrets=True)
    assert read["records"] == [{**FULL, "schedule": "", "info_path": "/x.xml"}]


def test_what_is_read_is_valid_input(simulator: Simulator) -> None:
    simulator.stream_appears(*LIVE)
    run(simulator, "records", records=[FULL, {**RECORD, "id": "t-s"}])
    read = run(simulator, "record_info", show_secrets=True)["records"]
    assert [one["id"] for one in read] == ["t-r", "t-s"]
    assert run(simulator, "records", records=read, purge=True)["counts"] == {"unchanged": 2}
    masked = run(simulator, "record_info", vhost="default")
    assert masked["records"][0]["metadata"] == "********" and "canary" not in masked.printed


class TestInfo:
    """The result of record_info."""

    def test_bytes_times_and_files(self, simulator: Simulator, clock: ManualClock) -> None:
        run(simulator, **RECORD)
        (status,) = run(simulator, "record_info", vhost="default", app="media", id="t-r")["status"]
        assert (status["state"], status["is_config"]) == ("ready", False) and "record_bytes" not in status
        simulator.stream_appears(*LIVE)
        clock.advance(3)
        (status,) = run(simulator, "record_info", vhost="default", app="media", id="t-r")["status"]
        assert status["state"] == "recording"
        assert (status["record_bytes"], status["record_time"]) == (3 * BYTES_PER_SECOND, 3000)
        assert (status["total_record_bytes"], status["total_record_time"]) == (3 * BYTES_PER_SECOND, 3000)
        assert status["start_time"] and "19700101000000" in status["output_file_path"]
        simulator.stream_disappears(*LIVE)
        (status,) = run(simulator, "record_info", vhost="default", app="media", id="t-r")["status"]
        assert (status["state"], status["sequence"]) == ("stopped", 1) and status["finish_time"]

    def test_an_application_without_a_file_publisher(self, simulator: Simulator) -> None:
        run(simulator, **RECORD)
        for options in ({}, {"vhost": "default"}):
            assert [one["app"] for one in run(simulator, "record_info", **options)["records"]] == ["media"]
        asked = run(simulator, "record_info", vhost="default", app="app")
        assert asked.failed and asked["error"]["kind"] == "file_publisher_missing"

    @pytest.mark.parametrize(
        ("options", "option"), [({"app": "media"}, "vhost"), ({"id": "x"}, "app"), ({"vhost": "a/b"}, "vhost")]
    )
    def test_options_that_cannot_work(self, current: Simulator, options: dict[str, Any], option: str) -> None:
        refused = run(current, "record_info", **options)
        assert refused["error"]["kind"] == "bad_input" and refused["msg"].startswith(f"{option}:")
        assert not current.log


def test_a_recording_whose_stream_has_ended_is_unchanged(simulator: Simulator) -> None:
    simulator.stream_appears(*LIVE)
    run(simulator, **RECORD, wait_for="recording")
    simulator.stream_disappears(*LIVE)
    again = run(simulator, **RECORD)
    assert (again["action"], again["state"]) == ("unchanged", "stopped")


class TestWaiting:
    """`wait_for: recording`."""

    def test_it_ends_when_the_stream_appears(self, simulator: Simulator, clock: ManualClock) -> None:
        clock.later(0.4, lambda: simulator.stream_appears(*LIVE))
        done = run(simulator, **RECORD, wait_for="recording")
        assert (done["action"], done["state"]) == ("started", "recording")

    def test_it_fails_with_the_last_state(self, simulator: Simulator) -> None:
        failed = run(simulator, **RECORD, wait_for="recording", wait_timeout=0.2)
        assert failed.failed and failed["changed"] and failed["error"]["kind"] == "wait_timeout"
        assert failed["msg"].startswith("Could not bring recording default/media/t-r to record.")
        assert "state is ready after 0.2 s" in failed["msg"]

    def test_pushing_is_no_state_of_recordings(self, current: Simulator) -> None:
        assert run(current, **RECORD, wait_for="pushing").failed and not current.log


class TestPurge:
    """Unlisted recordings are stopped, except those of the configuration."""

    def test_the_others_are_stopped(self, simulator: Simulator) -> None:
        run(simulator, "records", records=[RECORD, {**RECORD, "id": "t-s"}])
        simulator.add_config_record("default", "media", id="configured", stream_name="other")
        predicted = run(simulator, "records", records=[RECORD], purge=True, check_mode=True)
        done = run(simulator, "records", records=[RECORD], purge=True)
        assert done["counts"] == predicted["counts"] == {"unchanged": 1, "stopped": 1}
        assert listed(simulator) == ["configured", "t-r"]
        assert run(simulator, "records", records=[RECORD], purge=True)["counts"] == {"unchanged": 1}

    def test_an_empty_list_needs_purge_everything(self, current: Simulator) -> None:
        refused = run(current, "records", records=[], purge=True)
        assert refused["error"]["kind"] == "bad_input" and "purge_everything" in refused["msg"]
        assert not run(current, "records", records=[], purge=True, purge_everything=True)["changed"]

    def test_a_push_task_is_no_recording(self, current: Simulator) -> None:
        push = {"protocol": "mpegts", "url": "udp://127.0.0.1:9", "stream": {"name": "live1"}}
        run(current, "push_task", vhost="default", app="media", id="t-r", **push)
        assert run(current, **RECORD)["action"] == "started"
        run(current, "records", records=[{**RECORD, "id": "t-s"}], purge=True)
        assert len(run(current, "push_task_info", vhost="default", app="media")["tasks"]) == 1


@pytest.mark.parametrize("changes", ({"interval": 5000}, {"state": "stopped"}))
def test_one_of_the_configuration_is_never_changed(simulator: Simulator, changes: dict[str, Any]) -> None:
    simulator.add_config_record("default", "media", id="t-r", stream_name="live1")
    simulator.clear_log()
    refused = run(simulator, **{**RECORD, **changes})
    assert refused["error"]["kind"] == "configured_record" and not simulator.writes
    assert "record map" in refused["msg"]


class TestNoApplication:
    """Nothing exists that could record."""

    def test_without_a_file_publisher_the_message_says_how_to_add_it(self, simulator: Simulator) -> None:
        place = {**RECORD, "app": "app"}
        predicted, real = run(simulator, **place, check_mode=True), run(simulator, **place)
        for result in (predicted, real):
            assert result["error"]["kind"] == "file_publisher_missing"
            assert "file: {}" in result["msg"] and "<FILE />" in result["msg"]
            assert result["msg"].startswith("Could not start recording default/app/t-r.")
        stopped = run(simulator, **{**REMOVE, "app": "app"})
        assert stopped["action"] == "unchanged" and "no file publisher" in stopped.warnings[0]
        assert not simulator.writes

    @pytest.mark.parametrize(
        ("place", "kind"), (({"vhost": "none"}, "vhost_not_found"), ({"app": "none"}, "application_not_found"))
    )
    def test_without_the_application_or_virtual_host(
        self, simulator: Simulator, place: dict[str, str], kind: str
    ) -> None:
        failed = run(simulator, "records", records=[{**RECORD, **place}, RECORD])
        assert [one["action"] for one in failed["results"]] == ["failed", "started"]
        assert failed["results"][0]["error"]["kind"] == kind
        predicted = run(simulator, **{**RECORD, **place}, check_mode=True)
        assert predicted["action"] == "started" and "unless an earlier task creates it" in predicted.warnings[0]
        assert "its recordings" in predicted.warnings[0]

    def test_what_an_earlier_task_creates_is_predicted(self, simulator: Simulator) -> None:
        vhost = {
            "name": "t-new",
            "host": {"names": ["new.example.com"]},
            "applications": [{"name": "live", "publishers": {"file": {}}}],
        }
        vhosts = run(simulator, "vhosts", vhosts=[vhost], check_mode=True)["results"]
        place = {**RECORD, "vhost": "t-new", "app": "live"}
        predicted = run(simulator, "records", records=[place], predicted=vhosts, check_mode=True)
        assert predicted["counts"] == {"started": 1} and not predicted.warnings
        missing = run(simulator, "records", records=[{**place, "app": "lvie"}], predicted=vhosts, check_mode=True)
        assert missing["results"][0]["error"]["kind"] == "vhost_not_found"
        assert not run(simulator, "vhosts", vhosts=[vhost]).failed
        assert run(simulator, "records", records=[place])["counts"] == {"started": 1}


@pytest.mark.parametrize("when", ("before", "after"))
@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
class TestLostAnswer:
    """The connection breaks, or a proxy gives up, before the work or after it."""

    def test_start(self, simulator: Simulator, when: str, fault: dict[str, Any]) -> None:
        simulator.inject(**fault, method="POST", path=":startRecord", when=when)
        done = run(simulator, **RECORD)
        assert not done.failed and (done["action"], done["state"]) == ("started", "ready")
        assert requests(simulator).count("startRecord") == (1 if when == "after" else 2)
        assert run(simulator, **RECORD)["action"] == "unchanged"

    def test_restart_and_stop(self, simulator: Simulator, when: str, fault: dict[str, Any]) -> None:
        simulator.stream_appears(*LIVE)
        run(simulator, **RECORD)
        for path in (":startRecord", ":stopRecord"):
            simulator.inject(**fault, method="POST", path=path, when=when)
        done = run(simulator, **{**RECORD, "interval": 5000})
        assert not done.failed and done["action"] == "restarted", done
        simulator.inject(**fault, method="POST", path=":stopRecord", when=when)
        assert run(simulator, **REMOVE)["action"] == "stopped"
        assert listed(simulator) == []


def test_a_refused_change_restarts_the_previous_recording(current: Simulator) -> None:
    run(current, **FULL)
    current.inject("status", method="POST", path=":startRecord", status=400, times=1)
    failed = run(current, **{**FULL, "interval": 5000})
    assert failed.failed and "The previous recording was restarted." in failed["msg"]
    assert failed["record"]["interval"] == 60000 and listed(current) == ["t-r"]
    assert "canary" not in failed.printed


def test_one_that_another_client_has_started_is_a_success_if_it_is_equal(current: Simulator) -> None:
    virtual_host = current.state.virtual_hosts["default"]
    body = RECORDS.start_request(RECORD)
    current.meanwhile(
        "POST",
        ":startRecord",
        lambda: records.start(current.state, virtual_host, virtual_host.applications["media"], body),
    )
    done = run(current, **RECORD)
    assert (done["action"], done["changed"], listed(current)) == ("unchanged", False, ["t-r"])


def test_one_that_another_client_has_started_differently_is_a_duplicate(current: Simulator) -> None:
    virtual_host = current.state.virtual_hosts["default"]
    body = {**RECORDS.start_request(RECORD), "filePath": "/other/${StartTime:YYYY}.ts"}
    current.meanwhile(
        "POST",
        ":startRecord",
        lambda: records.start(current.state, virtual_host, virtual_host.applications["media"], body),
    )
    failed = run(current, **RECORD, wait_timeout=1)
    assert failed["error"]["kind"] == "duplicate_record" and "Another recording" in failed["msg"]


def test_after_a_restart_of_the_server_it_goes_on_in_a_new_file(simulator: Simulator, clock: ManualClock) -> None:
    simulator.stream_appears(*LIVE)
    run(simulator, **RECORD)
    first = run(simulator, "record_info", vhost="default", app="media")["status"][0]["output_file_path"]
    simulator.restart()
    assert run(simulator, "record_info", vhost="default", app="media")["records"] == []
    clock.advance(7)
    simulator.stream_appears(*LIVE)
    assert run(simulator, **RECORD, wait_for="recording")["action"] == "started"
    assert run(simulator, "record_info", vhost="default", app="media")["status"][0]["output_file_path"] != first


def test_a_restart_in_the_middle_is_noticed(current: Simulator) -> None:
    run(current, "records", records=[RECORD])
    current.inject("restart", method="POST", path=":startRecord", when="before")
    done = run(current, "records", records=[RECORD, {**RECORD, "id": "t-s"}])
    kinds = {one["id"]: one.get("error", {}).get("kind") for one in done["results"]}
    assert kinds["t-r"] == "lost" and listed(current) == ["t-s"]


def test_a_recording_in_state_error_is_a_warning(current: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    run(current, **RECORD)
    representation = records.representation
    monkeypatch.setattr(records, "representation", lambda *of: {**representation(*of), "state": "error"})
    again = run(current, **RECORD)
    assert again["action"] == "unchanged" and again["state"] == "error"
    assert f"is {RECORDS.in_error} Check file_path" in again.warnings[0]


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"stream": None}, "stream.name"),
        ({"interval": 1000, "schedule": "0 * *"}, "schedule"),
        ({"schedule": "hourly"}, "schedule"),
        ({"file_path": "x.ts"}, "file_path"),
        ({"file_path": "/x/${Nonsense}.ts"}, "file_path"),
        ({"info_path": "x.xml"}, "info_path"),
        ({"interval": -1}, "interval"),
        ({"id": "a b"}, "id"),
        ({"metadata": "********"}, "metadata"),
        ({"wait_timeout": -1}, "wait_timeout"),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(current: Simulator, changes: dict[str, Any], option: str) -> None:
    refused = run(current, **altered(RECORD, changes))
    assert refused["error"]["kind"] == "bad_input" and refused["msg"].startswith(f"{option}:")
    outer = {name: changes[name] for name in ("wait_timeout",) if name in changes}
    inner = {name: value for name, value in altered(RECORD, changes).items() if name not in outer}
    refused = run(current, "records", records=[{**RECORD, "id": "first"}, inner], **outer)
    assert refused["msg"].startswith(f"{option}:" if outer else f"records[1].{option}:")
    assert outer or "records[1] (default/media/" in refused["msg"]
    assert not current.log


def test_a_segmentation_rule_that_the_server_would_ignore_is_refused(current: Simulator) -> None:
    refused = run(current, **RECORD, segmentation_rule="continuous")
    assert refused.failed and "continuity" in refused["msg"] and not current.log


def test_the_same_recording_twice_is_refused(current: Simulator) -> None:
    refused = run(current, "records", records=[RECORD, RECORD])
    assert refused["msg"].startswith("records[1].id:") and not current.log
