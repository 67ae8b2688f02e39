# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Lists of scheduled and multiplex channels: their lives, requests, failures of single entries, purge, check mode."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.channel_samples import (
    CALLS,
    CHANNELS,
    LIVE,
    PLACE,
    RECREATED,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import LOST
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

KINDS = tuple(CHANNELS)


@pytest.fixture(params=RECORDED_MEDIA, name="simulator")
def _simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version with channels in turn, with the application `media`."""
    with Simulator(version=request.param, scene="media") as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


@pytest.fixture(name="current")
def _current() -> Iterator[Simulator]:
    """A simulator of the newest version, with the application `media`."""
    with Simulator(scene="media") as made:
        yield made
        assert not made.died, "a request of this test would have killed a real server"


def channels(module: str, *names: str, **changes: Any) -> list[dict[str, Any]]:
    """Return the sample channel under each name, with changed options; ``None`` omits one."""
    changed = {key: value for key, value in {**CHANNELS[module], **changes}.items() if value is not None}
    return [{**changed, "name": name} for name in names]


def ensure(
    simulator: Simulator, module: str, entries: list[dict[str, Any]], *, check_mode: bool = False, **options: Any
) -> ModuleRun:
    """Run the module for lists with these entries."""
    params = connection(simulator, **{f"{module}s": entries}, **options)
    return running_modules.run_module(f"{module}s", params, check_mode=check_mode)


def actions(run: ModuleRun) -> dict[str, str]:
    return {entry["name"]: entry["action"] for entry in run["results"]}


def requests(simulator: Simulator, module: str) -> Counter[tuple[str, str]]:
    """Return how often each request was sent, with the part of its path after the application."""
    found = Counter((record.method, record.path.partition("/apps/media/")[2]) for record in simulator.log)
    simulator.clear_log()
    return found


@pytest.mark.parametrize("module", KINDS)
class TestLife:
    """From nothing to channels, and back."""

    def test_create_change_and_delete(self, simulator: Simulator, module: str) -> None:
        kind, two = CALLS[module].strip("/"), channels(module, "one", "two")
        checked = ensure(simulator, module, two, check_mode=True)
        assert checked["changed"] and checked["counts"] == {"created": 2} and not simulator.writes
        simulator.clear_log()

        run = ensure(simulator, module, two)
        assert run["changed"] and actions(run) == {"one": "created", "two": "created"}, run
        assert run["diff"] == checked["diff"] and set(run["diff"]["after"]) == {
            "default/media/one",
            "default/media/two",
        }
        sent = requests(simulator, module)
        assert sent["POST", kind] == 2 and sent["GET", kind] == 1

        for check_mode in (True, False):
            run = ensure(simulator, module, two, check_mode=check_mode)
            assert (
                not run["changed"] and run["counts"] == {"unchanged": 2} and run["diff"] == {"before": {}, "after": {}}
            )
            assert requests(simulator, module) == {
                ("GET", kind): 1,
                ("GET", f"{kind}/one"): 1,
                ("GET", f"{kind}/two"): 1,
            }

        changed = [two[0], *channels(module, "two", **RECREATED[module])]
        run = ensure(simulator, module, changed)
        assert run.failed and not run["changed"] and actions(run) == {"one": "unchanged", "two": "failed"}
        assert run["results"][1]["error"]["kind"] == "differs"
        assert run["msg"].startswith(f"1 of 2 {module.replace('_', ' ')}s failed. [default/media/two] Could not change")
        run = ensure(simulator, module, changed, recreate=True)
        assert run["changed"] and run["counts"] == {"recreated": 1, "unchanged": 1}, run

        names = [{**PLACE, "name": name} for name in ("one", "two", "none")]
        simulator.clear_log()
        checked = ensure(simulator, module, names, state="absent", check_mode=True)
        assert checked["counts"] == {"deleted": 2, "unchanged": 1} and not simulator.writes
        sent = requests(simulator, module)
        assert sent["GET", kind] == 1 and ("GET", f"{kind}/none") not in sent
        run = ensure(simulator, module, names, state="absent")
        assert run["changed"] and run["counts"] == {"deleted": 2, "unchanged": 1} and run["diff"] == checked["diff"]
        simulator.clear_log()
        assert not ensure(simulator, module, names, state="absent")["changed"]
        assert requests(simulator, module) == {("GET", kind): 1}


class TestLists:
    """Lists whose entries end differently."""

    @pytest.mark.parametrize("module", KINDS)
    def test_all_are_sent_before_the_first_is_waited_for(self, current: Simulator, module: str) -> None:
        """A channel shows a second after its creation: this second is spent once, not once for each thread."""
        names = [f"number-{number}" for number in range(40)]
        entries = channels(module, *names)
        assert ensure(current, module, entries)["counts"] == {"created": 40}
        writes = [record.write for record in current.log]
        first = writes.index(True)
        assert writes[first : first + 40] == [True] * 40 and True not in writes[first + 40 :]

    def test_programs_are_changed_in_place(self, simulator: Simulator) -> None:
        two = channels("scheduled_channel", "one", "two")
        ensure(simulator, "scheduled_channel", two)
        changed = [two[0], *channels("scheduled_channel", "two", programs=[{**LIVE, "repeat": True}])]
        checked = ensure(simulator, "scheduled_channel", changed, check_mode=True)
        run = ensure(simulator, "scheduled_channel", changed)
        assert run["counts"] == checked["counts"] == {"unchanged": 1, "updated": 1} and run["diff"] == checked["diff"]
        fields = [one["field"] for one in run["results"][1]["differences"]]
        assert fields and all(field.startswith("programs") for field in fields)

    @pytest.mark.parametrize("module", KINDS)
    @pytest.mark.parametrize("check_mode", (True, False))
    def test_each_entry_fails_for_its_own_reason(self, simulator: Simulator, module: str, check_mode: bool) -> None:
        (one,) = channels(module, "one")
        entries = [one, {**one, "app": "app"}, {**one, "app": "none"}, {**one, "vhost": "none"}]
        known: dict[str, Any] = {"predicted": []} if check_mode else {}
        run = ensure(simulator, module, entries, check_mode=check_mode, **known)
        assert run.failed and run["counts"] == {"created": 1, "failed": 3} and run["changed"]
        kinds = [entry["error"]["kind"] for entry in run["results"][1:]]
        assert kinds == ["provider_missing", "application_not_found", "vhost_not_found"]
        assert all(entry["error"]["attempted"].startswith("create ") for entry in run["results"][1:])
        assert run["results"][2]["msg"].startswith(f"Could not create {module.replace('_', ' ')} default/none/one.")
        gone = ensure(simulator, module, entries[1:], state="absent", check_mode=check_mode)
        assert gone["counts"] == {"unchanged": 3} and not gone.failed
        assert any("default/none/one does not exist" in warning for warning in gone.warnings)

    @pytest.mark.parametrize("module", KINDS)
    def test_the_name_of_a_stream(self, current: Simulator, module: str) -> None:
        current.stream_appears("default", "media", "two")
        run = ensure(current, module, channels(module, "one", "two"))
        assert run["counts"] == {"created": 1, "failed": 1} and run["results"][1]["error"]["kind"] == "name_taken"

    def test_the_name_of_a_stream_in_check_mode(self, current: Simulator) -> None:
        current.stream_appears("default", "media", "two")
        run = ensure(current, "scheduled_channel", channels("scheduled_channel", "one", "two"), check_mode=True)
        assert run["counts"] == {"created": 1, "failed": 1} and run["results"][1]["error"]["kind"] == "name_taken"

    @pytest.mark.parametrize("module", KINDS)
    def test_an_option_that_the_version_ignores(self, module: str) -> None:
        newer: dict[str, dict[str, Any]] = {
            "scheduled_channel": {"stream": {"error_tolerance_duration_ms": 100}},
            "multiplex_channel": {"output_stream": {"bypass_transcoder": False}},
        }
        with Simulator(version="0.18.0", scene="media") as old:
            entries = [*channels(module, "one"), *channels(module, "two", **newer[module])]
            run = ensure(old, module, entries)
            assert run["counts"] == {"created": 1, "failed": 1}
            assert run["results"][1]["error"]["kind"] == "unsupported_option"

    @pytest.mark.parametrize("module", KINDS)
    def test_a_server_without_the_calls(self, module: str) -> None:
        with Simulator(version="0.15.10", scene="media") as old:
            run = ensure(old, module, channels(module, "one", "two"))
            assert run.failed and run["error"]["kind"] == "controller_not_found" and old.writes == []
            assert f"A {module.replace('_', ' ')} needs OvenMediaEngine 0.16." in run["msg"]

    @pytest.mark.parametrize("module", KINDS)
    def test_an_empty_list_sends_nothing(self, current: Simulator, module: str) -> None:
        run = ensure(current, module, [])
        assert not run["changed"] and run["results"] == [] and not current.log

    @pytest.mark.parametrize(
        ("module", "entries", "option"),
        (
            (
                "scheduled_channel",
                channels("scheduled_channel", "one", "one"),
                "scheduled_channels[1].name: expected each",
            ),
            (
                "scheduled_channel",
                channels("scheduled_channel", "one", programs=[LIVE, {**LIVE, "name": "next"}]),
                "scheduled_channels[0].programs[1].scheduled: expected a later time",
            ),
            (
                "scheduled_channel",
                channels("scheduled_channel", "one", programs=[{**LIVE, "items": [{"url": "rtsp://u:canary@h/s"}]}]),
                "scheduled_channels[0].programs[0].items[0].url: expected 'file://path'",
            ),
            ("scheduled_channel", channels("scheduled_channel", "a/b"), "scheduled_channels[0].name: expected letters"),
            (
                "multiplex_channel",
                channels(
                    "multiplex_channel", "one", source_streams=CHANNELS["multiplex_channel"]["source_streams"][:1]
                ),
                "multiplex_channels[0].playlists[0].renditions[1].video: expected a new_track_name",
            ),
            (
                "multiplex_channel",
                channels(
                    "multiplex_channel",
                    "one",
                    playlists=None,
                    source_streams=[
                        {
                            **CHANNELS["multiplex_channel"]["source_streams"][0],
                            "track_map": [{"source_track_name": "v", "new_track_name": name} for name in ("a", "b")],
                        }
                    ],
                ),
                "multiplex_channels[0].source_streams[0].track_map[1].source_track_name: expected each track once",
            ),
        ),
    )
    def test_options_that_cannot_work_send_nothing(
        self, current: Simulator, module: str, entries: list[dict[str, Any]], option: str
    ) -> None:
        run = ensure(current, module, entries)
        assert run.failed and run["error"]["kind"] == "bad_input" and run["msg"].startswith(option)
        assert f", in {module}s[" in run["msg"] and not current.log and "canary" not in run.printed


@pytest.mark.parametrize("module", KINDS)
class TestPurge:
    """Unlisted channels of the same applications are deleted."""

    def test_the_others_are_deleted(self, simulator: Simulator, module: str) -> None:
        kind = CALLS[module].strip("/")
        ensure(simulator, module, channels(module, "one", "two", "three"))
        kept = channels(module, "two")
        simulator.clear_log()
        checked = ensure(simulator, module, kept, purge=True, check_mode=True)
        sent = requests(simulator, module)
        assert sent["GET", kind] == 1 and all(sent["GET", f"{kind}/{name}"] == 1 for name in ("one", "two", "three"))
        run = ensure(simulator, module, kept, purge=True)
        assert [(one["name"], one["action"]) for one in run["results"]] == [
            ("two", "unchanged"),
            ("one", "deleted"),
            ("three", "deleted"),
        ]
        assert run["counts"] == checked["counts"] and run["diff"] == checked["diff"]
        assert set(run["diff"]["before"]) == {"default/media/one", "default/media/three"}
        simulator.clear_log()
        assert ensure(simulator, module, kept, purge=True)["counts"] == {"unchanged": 1}
        assert requests(simulator, module) == {("GET", kind): 1, ("GET", f"{kind}/two"): 1}

    def test_channels_of_the_other_kind_and_streams_stay(self, current: Simulator, module: str) -> None:
        (other,) = (name for name in KINDS if name != module)
        ensure(current, other, channels(other, "other"))
        current.stream_appears("default", "media", "live1")
        run = ensure(current, module, channels(module, "one"), purge=True)
        assert run["counts"] == {"created": 1}
        assert ensure(current, other, channels(other, "other"))["counts"] == {"unchanged": 1}

    def test_an_application_that_does_not_exist_has_nothing_to_purge(self, current: Simulator, module: str) -> None:
        ensure(current, module, channels(module, "one"))
        run = ensure(current, module, [{**channels(module, "two")[0], "app": "none"}], purge=True)
        assert run["counts"] == {"failed": 1}
        assert ensure(current, module, channels(module, "one"))["counts"] == {"unchanged": 1}

    def test_a_name_that_no_request_can_address_is_left(self, current: Simulator, module: str) -> None:
        ensure(current, module, channels(module, "one"))
        names = {"statusCode": 200, "message": "OK", "response": ["one", "a/%s"]}
        current.inject("status", method="GET", path=CALLS[module], status=200, body=names)
        run = ensure(current, module, channels(module, "one"), purge=True)
        assert run["counts"] == {"unchanged": 1} and "'a/%s' can crash the server" in run.warnings[0]

    def test_an_empty_list_needs_purge_everything(self, current: Simulator, module: str) -> None:
        refused = ensure(current, module, [], purge=True)
        assert refused["error"]["kind"] == "bad_input" and "purge_everything" in refused["msg"]
        assert not ensure(current, module, [], purge=True, purge_everything=True)["changed"] and not current.log
        refused = ensure(current, module, channels(module, "one"), purge=True, state="absent")
        assert refused["msg"].startswith("purge: cannot be used if state is absent")


@pytest.mark.parametrize("module", KINDS)
class TestDisturbances:
    """Lost answers, and restarts of the server."""

    @pytest.mark.parametrize("when", ("before", "after"))
    @pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
    def test_lost_answers(self, current: Simulator, module: str, when: str, fault: dict[str, Any]) -> None:
        current.inject(**fault, method="POST", path=CALLS[module], when=when)
        run = ensure(current, module, channels(module, "one", "two"))
        assert not run.failed and run["counts"] == {"created": 2}, run
        current.inject(**fault, method="DELETE", path="/one", when=when)
        run = ensure(current, module, channels(module, "two"), purge=True)
        assert not run.failed and run["counts"] == {"deleted": 1, "unchanged": 1}, run

    def test_one_that_the_server_refuses(self, current: Simulator, module: str) -> None:
        current.inject("status", method="POST", path=CALLS[module], status=400)
        run = ensure(current, module, channels(module, "one", "two"))
        assert run.failed and run["changed"] and run["counts"] == {"created": 1, "failed": 1}
        assert run["error"]["kind"] == "items_failed"

    def test_a_restart_in_the_middle(self, current: Simulator, module: str) -> None:
        """Channels are files, so that all of them survive."""
        current.inject("restart", method="POST", path=CALLS[module], when="before")
        run = ensure(current, module, channels(module, "one", "two"))
        assert not run.failed and run["counts"] == {"created": 2}, run


@pytest.mark.parametrize("module", KINDS)
def test_what_an_earlier_task_creates_is_predicted(simulator: Simulator, module: str) -> None:
    providers = {
        "rtmp": {},
        "schedule": {"media_root_dir": "/tmp", "schedule_files_dir": "/tmp"},
        "multiplex": {"mux_files_dir": "/tmp"},
    }
    app = {"name": "live", "providers": providers, "publishers": {"webrtc": {}}}
    vhost = {"name": "t-new", "host": {"names": ["new.example.com"]}, "applications": [app]}
    results = running_modules.run_module("vhosts", connection(simulator, vhosts=[vhost]), check_mode=True)["results"]
    new = [{**entry, "vhost": "t-new", "app": "live"} for entry in channels(module, "one", "two")]
    checked = ensure(simulator, module, new, predicted=results, check_mode=True)
    assert checked["counts"] == {"created": 2} and not checked.warnings
    checked = ensure(simulator, module, new, check_mode=True)
    assert checked["counts"] == {"created": 2} and "unless an earlier task creates it" in checked.warnings[0]
    for name, kind in (("default", "application_not_found"), ("t-none", "vhost_not_found")):
        missing = ensure(simulator, module, [{**new[0], "vhost": name}], predicted=results, check_mode=True)
        assert missing["results"][0]["error"]["kind"] == kind
    gone = [{"vhost": "default", "name": "media", "action": "deleted"}]
    run = ensure(simulator, module, channels(module, "one"), predicted=gone, check_mode=True, purge=True)
    assert run["results"][0]["error"]["kind"] == "application_not_found" and not simulator.writes


@pytest.mark.parametrize("module", KINDS)
def test_what_info_returns_is_valid_input(simulator: Simulator, module: str) -> None:
    ensure(simulator, module, channels(module, "one", "two"))
    found = running_modules.run_module(f"{module}_info", connection(simulator, **PLACE))[f"{module}s"]
    assert ensure(simulator, module, found, purge=True)["counts"] == {"unchanged": 2}
