# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An audit of recordings, pulled streams and channels finds each difference and fault, and never writes."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.auditor import Audit
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import Desired
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.probe import ProbeSettings
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Settings, Transport
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import (
    RECORD as DECLARATION,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.multiplex_channel import (
    MULTIPLEX_CHANNEL,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.scheduled_channel import (
    SCHEDULED_CHANNEL,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.stream import STREAM
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA, ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.answers import Answer
from ansible_collections.streamops.ovenmediaengine.tests.unit import running_modules
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.channel_samples import (
    FILM,
    LIVE,
    MULTIPLEX,
    PLACE,
    SCHEDULED,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import RECORD
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.test_audit_info import (
    HOST_NAMES,
    STRANGE,
    audit,
    change_answer,
    message,
    spoil,
    status,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import ModuleRun, connection

CAMERA = "rtsp://admin:canary-password@camera.example.com:554/live?token=canary-token"
MASKED = "rtsp://********@camera.example.com:554/live?token=********"
PULL: dict[str, Any] = {**PLACE, "name": "camera", "urls": [CAMERA]}
MEDIA = "/v1/vhosts/default/apps/media"
NAMES = ("record", "stream", "channel")
LISTS: dict[str, dict[str, Any]] = {
    "records": RECORD,
    "streams": PULL,
    "scheduled_channels": SCHEDULED,
    "multiplex_channels": MULTIPLEX,
}
MODULES = {
    "records": "record",
    "streams": "stream",
    "scheduled_channels": "scheduled_channel",
    "multiplex_channels": "multiplex_channel",
}
FIELDS = {"records": "record", "streams": "stream", "scheduled_channels": "channel", "multiplex_channels": "channel"}


@pytest.fixture(params=RECORDED_MEDIA, name="simulator")
def _simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """A simulator of each version with these objects in turn, with the application `media`."""
    with Simulator(version=request.param, scene="media", stop_delay=0.2, default_host_names=HOST_NAMES) as made:
        made.origin(CAMERA)
        yield made
        assert not made.died, "a request of this test would have killed a real server"


@pytest.fixture(name="current")
def _current() -> Iterator[Simulator]:
    """A simulator of the newest version."""
    with Simulator(scene="media", stop_delay=0.2, default_host_names=HOST_NAMES) as made:
        made.origin(CAMERA)
        yield made
        assert not made.died, "a request of this test would have killed a real server"


def lists(**changes: Any) -> dict[str, Any]:
    """Return lists with one object of each kind, each with changed options."""
    return {option: [{**copy.deepcopy(value), **changes.get(option, {})}] for option, value in LISTS.items()}


def make(simulator: Simulator, *options: str) -> None:
    """Bring one object of each kind, or of some, into existence, with live sources."""
    for name in ("live1", "live2"):
        simulator.stream_appears("default", "media", name)
    for option in options or LISTS:
        run = running_modules.run_module(MODULES[option], connection(simulator, **copy.deepcopy(LISTS[option])))
        assert not run.failed, run


def places(run: ModuleRun | dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the findings above info: kind, application, name of the object, field."""
    return [
        (one["kind"], one["application"], "".join(one[name] for name in NAMES), one["field"])
        for one in run["findings"]
        if one["severity"] != "info"
    ]


def name_of(option: str) -> str:
    return str(LISTS[option]["id" if option == "records" else "name"])


# -- a server that equals the lists -----------------------------------------------------------------------------


def test_a_server_that_equals_the_lists(simulator: Simulator) -> None:
    make(simulator)
    run = audit(simulator, **lists())
    assert places(run) == [] and status(run) == {"default": "ok"}
    (record,) = run["records"]
    assert {key: value for key, value in record.items() if key != "file_path"} == {
        **PLACE,
        "id": "t-r",
        "stream": "live1",
        "state": "recording",
        "bits_per_second": None,
        "listed": True,
        "is_config": False,
    }
    assert record["file_path"] == RECORD["file_path"]
    assert run["streams"] == [
        {**PLACE, "name": "camera", "live": True, "source_type": "RtspPull", "source_url": MASKED}
    ]
    assert run["channels"] == [
        {**PLACE, "name": "mux1", "type": "multiplex", "state": "playing", "listed": True},
        {**PLACE, "name": "tv1", "type": "scheduled", "state": "onair", "listed": True},
    ]


def test_a_multiplex_channel_of_a_track_that_no_source_has_is_a_warning(simulator: Simulator) -> None:
    sources = copy.deepcopy(MULTIPLEX["source_streams"])
    sources[1]["track_map"][0]["source_track_name"] = "video"
    silent = {**MULTIPLEX, "source_streams": sources}
    run = running_modules.run_module("multiplex_channel", connection(simulator, **copy.deepcopy(silent)))
    assert not run.failed, run
    run = audit(simulator, multiplex_channels=[silent])
    assert places(run) == [("concern", "media", "mux1", "")] and status(run) == {"default": "warning"}
    assert "takes video of stream://default/media/live2" in message(run, "concern")


def test_output_of_info_modules_is_no_difference(simulator: Simulator) -> None:
    make(simulator)
    read = {
        module: running_modules.run_module(f"{module}_info", connection(simulator, **PLACE, **options))
        for module, options in (
            ("record", {"show_secrets": True}),
            ("scheduled_channel", {}),
            ("multiplex_channel", {}),
        )
    }
    given = {
        "records": read["record"]["records"],
        "scheduled_channels": read["scheduled_channel"]["scheduled_channels"],
        "multiplex_channels": read["multiplex_channel"]["multiplex_channels"],
    }
    assert places(audit(simulator, **given)) == []


def paths(simulator: Simulator) -> list[str]:
    """Return the requests of one of the two runs of an audit below the application `media`, in their order."""
    requests = [record.path[len(MEDIA) :] for record in simulator.log if record.path.startswith(MEDIA)]
    return sorted(requests[: len(requests) // 2])


def make_idle(simulator: Simulator) -> None:
    """Bring one object of each kind into existence, on a server that has received nothing since its start."""
    make(simulator)
    change_answer(simulator, "/v1/stats/current", lambda answer: answer["response"].update(totalBytesIn=0))


def test_empty_lists_read_no_more_than_without_them(simulator: Simulator) -> None:
    make_idle(simulator)
    audit(simulator)
    before = [record.path for record in simulator.log]
    audit(simulator, **{option: [] for option in LISTS})
    assert sorted(record.path for record in simulator.log) == sorted(before)
    assert paths(simulator) == [":pushes"]


def test_one_list_for_each_application(simulator: Simulator) -> None:
    make_idle(simulator)
    given = lists()
    for option in LISTS:
        given[option].append({**given[option][0], "id" if option == "records" else "name": "other"})
    audit(simulator, **given)
    assert paths(simulator) == sorted(
        [
            "",  # whether it has what the missing ones need, and the tracks of the sources
            ":pushes",
            ":records",
            "/streams/camera",
            "/streams/other",
            "/scheduledChannels",
            "/scheduledChannels/tv1",
            "/multiplexChannels",
            "/multiplexChannels/mux1",
        ]
    )


# -- objects that are on one side, and that differ --------------------------------------------------------------


def test_everything_is_missing(simulator: Simulator) -> None:
    run = audit(simulator, **lists())
    assert sorted(places(run)) == sorted(("missing", "media", name_of(option), "") for option in LISTS)
    assert status(run) == {"default": "drift"} and run["records"] == []
    assert [one["live"] for one in run["streams"]] == [False]
    assert [one["state"] for one in run["channels"]] == [None, None]
    # Where there is no virtual host and no application.
    for names in ({"vhost": "none"}, {"app": "none"}):
        given = {option: [{**value, **names}] for option, value in LISTS.items()}
        assert {entry[0] for entry in places(audit(simulator, **given))} == {"missing"}


@pytest.mark.parametrize("made", [(), tuple(LISTS)], ids=["missing", "present"])
def test_nothing_is_sent_while_it_compares(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch, made: tuple[str, ...]
) -> None:
    if made:
        make(simulator, *made)
    compare, sent = Audit._compare, []

    def counting(self: Audit) -> None:
        before = len(simulator.log)
        compare(self)
        sent.append(len(simulator.log) - before)

    monkeypatch.setattr(Audit, "_compare", counting)
    audit(simulator, **lists(streams={"urls": ["rtsp://other.example.com/one"]}), vhosts=[{"name": "default"}])
    assert set(sent) == {0} and simulator.log


@pytest.mark.parametrize("option", LISTS)
def test_each_field_of_a_finding_names_its_object(simulator: Simulator, option: str) -> None:
    run = audit(simulator, **{option: [LISTS[option]]})
    (found,) = [one for one in run["findings"] if one["severity"] != "info"]
    named = {name: found[name] for name in ("push_task", *NAMES) if found[name]}
    assert named == {FIELDS[option]: name_of(option)} and found["vhost"] == "default"


DIFFERENCES: list[tuple[str, dict[str, Any], str]] = [
    ("records", {"file_path": "/other/${StartTime:YYYYMMDD}.ts"}, "file_path"),
    ("records", {"stream": {"name": "live2"}}, "stream.name"),
    ("records", {"interval": 5000}, "interval"),
    ("records", {"schedule": "0 0 */1"}, "schedule"),
    ("records", {"metadata": "canary-other"}, "metadata"),
    ("records", {"segmentation_rule": "continuity"}, "segmentation_rule"),
    ("streams", {"urls": ["rtsp://other.example.com/live"]}, "urls"),
    ("scheduled_channels", {"stream": {"bypass_transcoder": False}}, "stream.bypass_transcoder"),
    ("scheduled_channels", {"programs": [FILM]}, "programs"),
    ("scheduled_channels", {"fallback_program": {"items": []}}, "fallback_program.items"),
    ("multiplex_channels", {"playlists": []}, "playlists"),
]


@pytest.mark.parametrize(("option", "change", "field"), DIFFERENCES)
def test_what_differs(simulator: Simulator, option: str, change: dict[str, Any], field: str) -> None:
    make(simulator)
    run = audit(simulator, **lists(**{option: change}))
    (found,) = places(run)
    assert found[:3] == ("differs", "media", name_of(option)) and found[3].startswith(field)


def test_unlisted_objects(simulator: Simulator) -> None:
    make(simulator)
    other = {
        option: [{**value[0], "id" if option == "records" else "name": "other"}] for option, value in lists().items()
    }
    run = audit(simulator, **other)
    assert {entry[2] for entry in places(run) if entry[0] == "missing"} == {"other"}
    # A pull is not told from the streams that a server pulls by itself.
    assert sorted(entry[2] for entry in places(run) if entry[0] == "not_listed") == ["mux1", "t-r", "tv1"]
    assert [(one["name"], one["listed"], one["state"]) for one in run["channels"] if not one["listed"]] == [
        ("mux1", False, None),
        ("tv1", False, None),
    ]


def test_recordings_of_the_configuration_are_not_unlisted(simulator: Simulator) -> None:
    simulator.state.records.add_config_record("default", "media", id="t-c", stream_name="live1")
    run = audit(simulator, records=[RECORD])
    assert places(run) == [("missing", "media", "t-r", "")] and run["records"][0]["is_config"] is True


def test_unaddressable_names(current: Simulator) -> None:
    make(current, "records")
    change_answer(current, ":records", lambda answer: answer["response"][0].update(id="%s"))
    change_answer(current, "/scheduledChannels", lambda answer: answer["response"].append("a b"))
    run = audit(current, records=[RECORD], scheduled_channels=[SCHEDULED])
    found = [entry for entry in places(run) if entry[0] == "unaddressable"]
    assert found == [("unaddressable", "media", "a b", ""), ("unaddressable", "media", "%s", "")]


def test_a_stream_that_an_encoder_sends_is_no_pull(simulator: Simulator) -> None:
    make(simulator, "records")
    run = audit(simulator, streams=[{**PULL, "name": "live1"}])
    assert places(run) == [("not_pulled", "media", "live1", "")]
    assert message(run, "not_pulled").startswith("Could not compare stream default/media/live1")


@pytest.mark.parametrize("option", LISTS)
def test_an_application_without_publisher_or_provider(simulator: Simulator, option: str) -> None:
    kind = "file_publisher_missing" if option == "records" else "provider_missing"
    entry = {**LISTS[option], "app": "app"}
    assert places(audit(simulator, **{option: [entry]})) == [(kind, "app", name_of(option), "")]
    parts = {"providers": {"rtsp_pull": {}, "schedule": {}, "multiplex": {}}, "publishers": {"file": {}}}
    given = {"applications": [{"vhost": "default", "name": "app", **parts}]}
    found = places(audit(simulator, **{option: [entry]}, **given))
    assert ("missing", "app", name_of(option), "") in found and kind not in {one[0] for one in found}


BAD: list[tuple[str, Any, str]] = [
    ("records", {**RECORD, "file_path": "relative.ts"}, "file_path"),
    ("records", {**RECORD, "interval": "soon"}, ""),
    ("records", {**RECORD, "stream": {}}, "stream.name"),
    ("streams", {**PULL, "urls": []}, "urls"),
    ("streams", {**PULL, "urls": ["http://u:canary@camera.example.com/"]}, "urls[0]"),
    ("scheduled_channels", {**SCHEDULED, "programs": [LIVE, {**LIVE, "name": "again"}]}, "programs[1].scheduled"),
    ("scheduled_channels", "tv1", ""),
    ("multiplex_channels", {**MULTIPLEX, "source_streams": [{"name": "x"}]}, ""),
    ("multiplex_channels", {**MULTIPLEX, "name": "a b"}, "name"),
]


@pytest.mark.parametrize(("option", "entry", "field"), BAD)
def test_an_invalid_entry(current: Simulator, option: str, entry: Any, field: str) -> None:
    """It is one finding, its object is not unlisted, and the rest is compared."""
    make(current)
    good = {**LISTS[option], "id" if option == "records" else "name": "good"}
    run = audit(current, **{**lists(), option: [entry, good]})
    (bad,) = [one for one in run["findings"] if one["kind"] == "bad_input"]
    assert bad["field"] == f"{option}[0]" + (f".{field}" if field else "")
    rest = [one for one in places(run) if one[0] != "bad_input"]
    assert ("missing", "media", "good", "") in rest
    named = isinstance(entry, dict) and entry.get("name", entry.get("id")) == name_of(option)
    assert [one for one in rest if one[0] == "not_listed"] == (
        [] if named or option == "streams" else [("not_listed", "media", name_of(option), "")]
    )


def test_listed_twice(current: Simulator) -> None:
    make(current)
    run = audit(current, **{**lists(), "records": [RECORD, RECORD], "scheduled_channels": [SCHEDULED, SCHEDULED]})
    assert [entry[0] for entry in places(run)] == ["bad_input", "bad_input"]


def test_a_recording_that_replaces_its_files_is_a_concern(current: Simulator) -> None:
    make(current)
    run = audit(current, records=[{**RECORD, "file_path": "/same.ts"}])
    assert ("concern", "media", "t-r", "") in places(run)


def test_inside_of_unlisted_objects(current: Simulator) -> None:
    """They are reported with what they are in."""
    app = {
        "name": "live",
        "providers": {"schedule": {"media_root_dir": "/m", "schedule_files_dir": "/s"}},
        "publishers": {"file": {}},
    }
    entry = {"name": "t-v", "host": {"names": ["v.example.com"]}, "applications": [app]}
    made = running_modules.run_module("vhosts", connection(current, vhosts=[entry]))
    assert not made.failed, made
    for option in ("records", "scheduled_channels"):
        place = {"vhost": "t-v", "app": "live"}
        made = running_modules.run_module(MODULES[option], connection(current, **{**LISTS[option], **place}))
        assert not made.failed, made
    given = {
        "records": [{**RECORD, **place, "id": "other"}],
        "scheduled_channels": [{**SCHEDULED, **place, "name": "other"}],
    }
    kinds = [found[:3] for found in places(audit(current, **given))]
    assert sorted(kinds) == [("missing", "live", "other"), ("missing", "live", "other"), ("not_listed", "", "")]
    kinds = [found[:3] for found in places(audit(current, vhosts=[{**entry, "applications": None}], **given))]
    assert ("not_listed", "live", "") in kinds and len(kinds) == 3


# -- faults -----------------------------------------------------------------------------------------------------


class Watched:
    """A simulator, and an audit with a clock of its own that takes two samples."""

    def __init__(self, version: str, clock: ManualClock) -> None:
        self.clock = clock
        self.own = ManualClock(5.0)
        self.stalled = False
        self.meanwhile: Callable[[], None] = lambda: None
        self.simulator = Simulator(
            version=version, scene="media", clock=self.clock, stop_delay=0.0, default_host_names=HOST_NAMES
        )

    def sleep(self, seconds: float) -> None:
        """Let time pass for the audit and, unless recordings stall, on the server."""
        self.own.advance(seconds)
        self.clock.advance(0 if self.stalled else seconds)
        self.meanwhile()

    def audit(self, interval: float = 5.0, now: float = 1.7e9, **given: Any) -> dict[str, Any]:
        context = Context(sleep=self.sleep, clock=self.own, now=lambda: now)
        settings = Settings(self.simulator.url, self.simulator.token, retries=0)
        with contextlib.closing(Transport(settings)) as transport:
            desired = Desired(read_only=["default"], **given)
            one = Audit(Api(transport), context, desired, sampling_interval=interval)
            one.run([], ProbeSettings(1.0))
        assert self.simulator.writes == []
        return json.loads(json.dumps(one.result()))  # type: ignore[no-any-return]


@pytest.fixture(params=RECORDED_MEDIA)
def watched(request: pytest.FixtureRequest, clock: ManualClock) -> Iterator[Watched]:
    """A server of each version with live streams, a recording and channels."""
    one = Watched(request.param, clock)
    with one.simulator as simulator:
        simulator.origin(CAMERA)
        make(simulator)
        one.clock.advance(11)
        simulator.clear_log()
        yield one


def recording(**fields: Any) -> dict[str, Any]:
    return {"records": [DECLARATION.specified({**RECORD, **fields})]}


def test_a_recording_that_records(watched: Watched) -> None:
    result = watched.audit(**recording())
    assert places(result) == [] and result["records"][0]["bits_per_second"] > 0
    assert [record.path for record in watched.simulator.log].count(f"{MEDIA}:records") == 2
    assert [record.path for record in watched.simulator.log].count(f"{MEDIA}/streams") == 1


def test_a_recording_that_writes_nothing(watched: Watched) -> None:
    watched.stalled = True
    result = watched.audit(**recording())
    assert places(result) == [("record_stalled", "media", "t-r", "")]
    assert "written nothing for 5 s" in message(result, "record_stalled")  # type: ignore[arg-type]
    assert result["records"][0]["bits_per_second"] == 0
    assert places(watched.audit(0.0, **recording())) == []


def in_state(watched: Watched, state: str) -> None:
    change_answer(watched.simulator, ":records", lambda answer: answer["response"][0].update(state=state))


def test_a_recording_that_fails(watched: Watched) -> None:
    in_state(watched, "error")
    result = watched.audit(**recording())
    assert places(result) == [("record_error", "media", "t-r", "")] and result["records"][0]["state"] == "error"


@pytest.mark.parametrize("state", ("ready", "stopped"))
@pytest.mark.parametrize("interval", (0.0, 5.0))
def test_a_recording_that_waits_although_its_stream_is_live(watched: Watched, state: str, interval: float) -> None:
    in_state(watched, state)
    result = watched.audit(interval, **recording())
    assert places(result) == [("record_stalled", "media", "t-r", "")]
    assert f"is in state {state}, although its stream live1 is live" in message(result, "record_stalled")  # type: ignore[arg-type]
    log = [record.path for record in watched.simulator.log]
    assert log.count(f"{MEDIA}/streams") == 1 and log.count(f"{MEDIA}:records") == (2 if interval else 1)


def test_a_recording_that_starts_meanwhile(watched: Watched) -> None:
    in_state(watched, "ready")
    watched.meanwhile = watched.simulator.middlewares.clear
    assert places(watched.audit(**recording())) == []


def test_a_recording_that_waits_for_its_stream(watched: Watched) -> None:
    watched.simulator.stream_disappears("default", "media", "live1")
    result = watched.audit(**recording())
    assert places(result) == [] and result["records"][0]["state"] == "stopped"


def test_a_recording_of_the_output_of_a_live_stream(watched: Watched) -> None:
    """Its name is that of a profile, with the name of the input."""
    in_state(watched, "ready")
    change_answer(watched.simulator, ":records", lambda answer: answer["response"][0]["stream"].update(name="live1_hd"))
    desired = recording(stream={"name": "live1_hd"})
    assert places(watched.audit(**desired)) == []
    profiles = {"outputProfile": [{"name": "p", "outputStreamName": "${OriginStreamName}_hd"}]}
    change_answer(watched.simulator, "apps/media", lambda answer: answer["response"].update(outputProfiles=profiles))
    assert places(watched.audit(**desired)) == [("record_stalled", "media", "t-r", "")]


def scheduled(**fields: Any) -> dict[str, Any]:
    return {"scheduled_channels": [SCHEDULED_CHANNEL.specified({**SCHEDULED, **fields})]}


def off_air(watched: Watched, program: Any = None) -> None:
    change_answer(
        watched.simulator, "scheduledChannels/tv1", lambda answer: answer["response"].update(currentProgram=program)
    )


@pytest.mark.parametrize("program", ({"state": "offair"}, None, {"state": "offair", "name": "live"}))
@pytest.mark.parametrize("interval", (0.0, 5.0))
def test_a_scheduled_channel_that_does_not_play(watched: Watched, program: Any, interval: float) -> None:
    off_air(watched, program)
    result = watched.audit(interval, **scheduled())
    assert places(result) == [("channel_not_playing", "media", "tv1", "")]
    assert "although its program 'live' is due" in message(result, "channel_not_playing")  # type: ignore[arg-type]


def test_a_scheduled_channel_that_plays_again(watched: Watched) -> None:
    off_air(watched)
    watched.meanwhile = watched.simulator.middlewares.clear
    assert places(watched.audit(**scheduled())) == []


FILE = {"url": "file://a.mp4"}
BEGIN = 1577836800.0  # the instant of LIVE in seconds since 1970


@pytest.mark.parametrize(
    ("program", "seconds", "due"),
    [
        ({"items": [FILE], "repeat": True}, 1e6, True),
        ({"items": [], "repeat": True}, 10, False),
        ({"items": [{**FILE, "duration": 60000}]}, 59, True),
        ({"items": [{**FILE, "duration": 60000}]}, 61, False),
        ({"items": [FILE, {**FILE, "duration": 60000}]}, 59, True),
        ({"items": [FILE]}, 10, False),
        ({"items": [FILE, {"url": "stream://default/media/live1"}]}, 1e6, True),
        ({"items": [FILE], "repeat": True}, 4, False),
        ({"items": [FILE], "repeat": True}, -60, False),
    ],
)
def test_when_a_program_is_due(clock: ManualClock, program: dict[str, Any], seconds: float, due: bool) -> None:
    watched = Watched(NEWEST, clock)
    with watched.simulator as simulator:
        programs = [{"name": "one", "scheduled": LIVE["scheduled"], "repeat": False, **program}]
        channel = {**SCHEDULED, "programs": programs}
        made = running_modules.run_module("scheduled_channel", connection(simulator, **channel))
        assert not made.failed, made
        off_air(watched)
        simulator.clear_log()
        result = watched.audit(now=BEGIN + seconds, **scheduled(programs=programs))
        assert [entry[0] for entry in places(result)] == (["channel_not_playing"] if due else [])


def multiplex() -> dict[str, Any]:
    return {"multiplex_channels": [MULTIPLEX_CHANNEL.specified(MULTIPLEX)]}


def test_a_multiplex_channel_that_waits_for_a_source(watched: Watched) -> None:
    watched.simulator.stream_disappears("default", "media", "live2")
    result = watched.audit(**multiplex())
    assert places(result) == [] and result["channels"][0]["state"] == "pulling"


@pytest.mark.parametrize("interval", (0.0, 5.0))
def test_a_multiplex_channel_that_does_not_play_although_its_sources_are_live(
    watched: Watched, interval: float
) -> None:
    pulling = {"state": "Pulling", "pullingMessage": "no tracks."}
    change_answer(watched.simulator, "multiplexChannels/mux1", lambda answer: answer["response"].update(pulling))
    result = watched.audit(interval, **multiplex())
    assert places(result) == [("channel_not_playing", "media", "mux1", "")]
    assert "in state pulling" in message(result, "channel_not_playing")  # type: ignore[arg-type]
    assert "no tracks." in message(result, "channel_not_playing")  # type: ignore[arg-type]
    log = [record.path for record in watched.simulator.log]
    assert log.count(f"{MEDIA}/streams") == 1
    watched.meanwhile = watched.simulator.middlewares.clear
    assert places(watched.audit(**multiplex())) == []


def test_no_request_names_a_source_that_cannot_be_addressed(watched: Watched) -> None:
    """Some names crash the server."""

    def spoil_source(answer: Any) -> None:
        answer["response"].update(state="Pulling")
        answer["response"]["sourceStreams"][0]["url"] = "stream://default/a%s/live1"

    change_answer(watched.simulator, "multiplexChannels/mux1", spoil_source)
    result = watched.audit(**multiplex())
    assert [entry[0] for entry in places(result)] == ["differs"]
    assert not [record.path for record in watched.simulator.log if "%" in record.path]


def test_channels_survive_a_restart_and_the_rest_does_not(watched: Watched) -> None:
    watched.simulator.restart()
    watched.clock.advance(10)
    pulls = {"streams": [STREAM.specified(PULL)]}
    result = watched.audit(**recording(), **pulls, **scheduled(), **multiplex())
    assert sorted(places(result)) == [("missing", "media", "camera", ""), ("missing", "media", "t-r", "")]


# -- servers that do not respond, or strangely ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "method", "name"),
    [
        (f"{MEDIA}:records", "POST", ""),
        (f"{MEDIA}/streams/camera", "GET", "camera"),
        (f"{MEDIA}/scheduledChannels", "GET", ""),
        (f"{MEDIA}/scheduledChannels/tv1", "GET", "tv1"),
        (f"{MEDIA}/multiplexChannels", "GET", ""),
        (f"{MEDIA}/multiplexChannels/mux1", "GET", "mux1"),
    ],
)
def test_one_object_cannot_be_read(simulator: Simulator, path: str, method: str, name: str) -> None:
    make(simulator)
    simulator.inject("status", method=method, path=path, status=500, times=-1, message="said by the test")
    assert places(audit(simulator, **lists())) == [("server_error", "media", name, "")]


def test_the_list_of_live_streams_cannot_be_read(simulator: Simulator) -> None:
    make(simulator)
    change_answer(simulator, ":records", lambda answer: answer["response"][0].update(state="ready"))
    simulator.inject("status", method="GET", path=f"{MEDIA}/streams", status=500, times=-1)
    assert places(audit(simulator, **lists())) == [("server_error", "media", "", "")]


def test_the_server_stops_responding(current: Simulator) -> None:
    make(current)
    for path, method in (
        (f"{MEDIA}:records", "POST"),
        (f"{MEDIA}/streams/camera", "GET"),
        (f"{MEDIA}/scheduledChannels", "GET"),
    ):
        current.clear_faults()
        current.inject("reset", method=method, path=path, times=-1)
        run = audit(current, **lists(), retries=0, concurrency=1)
        assert places(run) == [("connection_lost", "", "", "")] and status(run) == {"default": "error"}
        assert current.log[-1].path == path


@pytest.mark.parametrize("option", ("scheduled_channels", "multiplex_channels"))
def test_a_server_without_channels(option: str) -> None:
    with Simulator(version="0.15.10", default_host_names=HOST_NAMES) as simulator:
        entry = {**LISTS[option], "app": "app"}
        run = audit(simulator, **{option: [entry]})
        assert [one[:2] for one in places(run)] == [("controller_not_found", "app")]
        assert "channel needs OvenMediaEngine 0.16." in message(run, "controller_not_found")


STRANGE_PATHS = (
    f"{MEDIA}:records",
    f"{MEDIA}/streams",
    f"{MEDIA}/streams/camera",
    f"{MEDIA}/scheduledChannels",
    f"{MEDIA}/scheduledChannels/tv1",
    f"{MEDIA}/multiplexChannels",
    f"{MEDIA}/multiplexChannels/mux1",
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", STRANGE_PATHS)
def test_strange_responses(path: str, clock: ManualClock) -> None:
    """Every response leads to a result that is valid JSON."""
    watched = Watched(NEWEST, clock)
    with watched.simulator as simulator:
        simulator.origin(CAMERA)
        make(simulator)
        waiting = path.endswith("/streams")
        clean: list[Any] = []
        change_answer(simulator, path, lambda answer: clean.append(copy.deepcopy(answer)))
        given = {**recording(), "streams": [STREAM.specified(PULL)], **scheduled(), **multiplex()}

        def ready() -> None:
            simulator.middlewares.clear()
            if waiting:
                in_state(watched, "ready")

        if waiting:
            in_state(watched, "ready")
        simulator.clear_log()
        watched.audit(**given)
        parts = iter(range(10**6))
        for answer in [
            *STRANGE,
            *({**clean[0], "response": strange} for strange in STRANGE),
            *spoil(clean[0], lambda: STRANGE[next(parts) % len(STRANGE)]),
        ]:
            ready()

            async def instead(exchange: Any, work: Any, answer: Any = answer) -> Answer:
                return Answer(200, answer) if exchange.target == path else await work()

            simulator.middlewares.append(instead)
            assert set(watched.audit(**given)["counts"]) == {"error", "drift", "warning", "info"}
