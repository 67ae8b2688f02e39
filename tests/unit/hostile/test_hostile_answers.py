# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A server may answer with anything in any place of its JSON: a module gives a result or a clean error of a known
kind, and no traceback.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.client import Api
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.jobs import PUSHES, RECORDS, JobEndpoints
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.server import READS, Statistics
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.streams import (
    HlsDumps,
    MultiplexChannels,
    ScheduledChannels,
    StreamActions,
    Streams,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._http.client import Settings, Transport
from ansible_collections.streamops.ovenmediaengine.tests import module_examples
from ansible_collections.streamops.ovenmediaengine.tests.robustness import record
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator, dumps, records, streams
from ansible_collections.streamops.ovenmediaengine.tests.simulator.channel_files import ChannelFile
from ansible_collections.streamops.ovenmediaengine.tests.simulator.versions import VERSIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.checking import Broken, run_safely
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.options import OUR_APP, OUR_TASK, OURS, VALID
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.spoiling import Literal, Spoiler, nodes, replaced
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.values import HOSTILE_TEXTS
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import CONNECTED
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

OUR_CHANNEL = {"vhost": "t-s", "app": "tv", "name": "tv1", "wait_timeout": 0}
OUR_ENTRY = {"vhost": "t-s", "app": "tv", "name": "tv2"}
OUR_SOURCE = {"name": "one", "url": "stream://t-s/live/main", "track_map": []}
_NAMES = {"vhost": "t-s", "app": "tv"}
_ORIGIN = "rtsp://origin.example.com"
OUR_RECORD = {**_NAMES, "id": "t-r", "stream": {"name": "main"}, "file_path": "/r/${Stream}.ts", "interval": 60000}
OUR_PULL = {**_NAMES, "name": "camera", "urls": [f"{_ORIGIN}/live"], "persistent": True}
OUR_DUMP = {**_NAMES, "stream": "main", "id": "t-d", "output_path": "/d/main"}
OUR_MPEGTS = {"extra": {"streams": [{"name": "s_${Port}", "port": 4000}]}}
OUR_STREAM = {**_NAMES, "stream": "main"}
INSIDE = {
    "records": [{**_NAMES, "id": "t-r", "stream": {"name": "main"}}],
    "streams": [{**_NAMES, "name": "camera", "urls": [f"{_ORIGIN}/live"]}],
    "scheduled_channels": [{**_NAMES, "name": "tv1"}],
    "multiplex_channels": [{**_NAMES, "name": "mux1", "source_streams": [OUR_SOURCE]}],
}
NOWHERE = {"host": "127.0.0.1", "port": 9}
"""No viewer or publisher gets a connection there."""
RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vhost_info", {}),
    ("application_info", {}),
    ("push_task_info", {}),
    ("audit_info", {"vhosts": [OURS], "applications": [OUR_APP], "push_tasks": [OUR_TASK], **INSIDE}),
    ("vhost", {"name": "t-n", "host": {"names": ["n.example.com"]}}),
    ("vhost", {**OURS, "distribution": "other.example.com"}),
    ("vhost", {**OURS, "distribution": "other.example.com", "recreate": True}),
    ("vhost", {"name": "t-s", "state": "absent"}),
    ("vhosts", {"vhosts": [OURS, {"name": "t-n", "host": {"names": ["n.example.com"]}}], "purge": True}),
    ("application", {**OUR_APP, "name": "new", "providers": {"mpegts": OUR_MPEGTS}}),
    ("application", {**OUR_APP, "providers": {"rtmp": {}, "srt": {}}, "recreate": True}),
    ("applications", {"applications": [{**OUR_APP, "name": "second"}], "purge": True}),
    ("push_task", OUR_TASK),
    ("push_task", {**OUR_TASK, "url": "rtmp://other.example.com/app"}),
    ("push_task", {**OUR_TASK, "state": "stopped"}),
    ("push_tasks", {"tasks": [{**OUR_TASK, "id": "t-o"}], "purge": True, "wait_for": "pushing"}),
    ("scheduled_channel_info", {"vhost": "t-s"}),
    ("multiplex_channel_info", {"vhost": "t-s"}),
    ("scheduled_channel", {**OUR_CHANNEL, "programs": []}),
    ("scheduled_channel", {**OUR_CHANNEL, "stream": {"video_track": False}, "recreate": True}),
    ("scheduled_channel", {**OUR_CHANNEL, "state": "absent"}),
    ("multiplex_channel", {**OUR_CHANNEL, "name": "mux1", "source_streams": [OUR_SOURCE]}),
    ("cert_reload", {"vhost": "t-s"}),
    ("cert_reload", {"vhost": "t-s", "wait_timeout": 0, "endpoint": [{"port": 1}]}),
    ("certificate_info", {"vhost": "t-s", "endpoint": [{"port": 1}], "timeout": 1}),
    ("server_info", {"version": True, "vhosts": ["*"], "applications": ["*/*"]}),
    ("scheduled_channels", {"scheduled_channels": [OUR_ENTRY], "purge": True, "wait_timeout": 0}),
    (
        "scheduled_channels",
        {"scheduled_channels": [{**OUR_ENTRY, "name": "tv1"}], "state": "absent", "wait_timeout": 0},
    ),
    (
        "multiplex_channels",
        {"multiplex_channels": [{**OUR_ENTRY, "name": "mux1", "source_streams": [OUR_SOURCE]}], "wait_timeout": 0},
    ),
    ("record_info", {}),
    ("record", OUR_RECORD),
    ("record", {**OUR_RECORD, "interval": 30000}),
    ("record", {**OUR_RECORD, "state": "stopped"}),
    ("records", {"records": [{**OUR_RECORD, "id": "t-o"}], "purge": True, "wait_for": "recording", "wait_timeout": 0}),
    ("records", {"records": [OUR_RECORD, {**_NAMES, "id": "t-o"}], "state": "stopped", "wait_timeout": 0}),
    ("stream_info", {"vhost": "t-s", "statistics": True}),
    ("stream_info", {**_NAMES, "names": ["main", "gone"]}),
    ("stream", {**OUR_PULL, "name": "other", "wait_timeout": 0}),
    ("stream", {**OUR_PULL, "urls": [f"{_ORIGIN}/other"], "recreate": True, "wait_timeout": 0}),
    ("stream", {**OUR_PULL, "state": "absent", "wait_timeout": 0}),
    ("stream", {**_NAMES, "name": "main", "state": "absent", "force": True, "wait_timeout": 0}),
    ("streams", {"streams": [OUR_PULL, {**OUR_PULL, "name": "other"}], "wait_timeout": 0}),
    ("streams", {"streams": [OUR_PULL, {**_NAMES, "name": "main"}], "state": "absent", "wait_timeout": 0}),
    ("hls_dump_info", {"vhost": "t-s", "app": "tv"}),
    ("hls_dump", {**OUR_DUMP, "id": "t-o"}),
    ("hls_dump", OUR_DUMP),
    ("hls_dump", {**OUR_DUMP, "state": "stopped"}),
    ("stream_event", {**OUR_STREAM, "frames": [{"frame_type": "TIT2", "data": "News"}]}),
    (
        "stream_event",
        {**OUR_STREAM, "format": "webvtt", "subtitles": [{"label": "English", "cues": [{"text": "Hello"}]}]},
    ),
    ("stream_conclude", OUR_STREAM),
    ("stream_stt", OUR_STREAM),
    ("stream_stt", {**OUR_STREAM, "state": "stopped"}),
    ("playback_info", {**OUR_STREAM, "protocols": ["llhls"], "connect_to": NOWHERE}),
    ("test_stream", {**OUR_STREAM, "stream": "t-new", "protocol": "rtmp", "connect_to": NOWHERE}),
    (
        "verify",
        {"applications": [{"vhost": "t-s", "name": "tv"}], "viewers": {"connect_to": "127.0.0.1"}, "wait_timeout": 1},
    ),
)
_WITH_RUNS = {module for module, _options in RUNS}
_SILENT = ("certificates", "server")
"""Modules whose examples send nothing to the server."""
RUNS += tuple(
    (module, module_examples.placed(options, vhost="t-s", app="tv", stream="main"))
    for module, options in VALID.items()
    if module in CONNECTED and module not in (*_WITH_RUNS, *_SILENT)
)
VERSION = "0.20.0"
VERSION_FOR = dict.fromkeys(("stream_stt", "read_speech_to_text", "switch_speech_to_text"), "0.21.0")
"""The version of the server for modules and calls that need a newer one."""

WRONG: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "%s\r\n\x00\u202e",
    "../%s",
    [],
    {},
    [[]],
    [{}],
    [None],
    {"": None},
    {"%s": {"a": [1]}},
    Literal("NaN"),
    Literal("-Infinity"),
    Literal("1e999"),
    Literal("9" * 400),
    Literal("9" * 5000),
    Literal('"\\ud800"'),
    Literal('{"name": 1, "name": [], "id": {}, "id": "x"}'),
    Literal("[" * 40 + "]" * 40),
    Literal('{"a":' * 600 + "1" + "}" * 600),
)
"""Values in the place of expected ones. Texts that are raw are no value that Python would write."""


class HostileServer:
    """A simulator whose responses are rewritten."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.url, self.token, self.state = simulator.url, simulator.token, simulator.state
        self.spoiler = Spoiler(simulator)


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    """Provide one server for all, which is restarted between."""
    with Simulator(VERSION, token="canary-token", stop_delay=0.0) as running:
        yield HostileServer(running)


_PROFILE = {
    "name": "bypass",
    "outputStreamName": "${OriginStreamName}",
    "encodes": {"videos": [{"name": "v", "bypass": True}], "audios": [{"name": "a", "bypass": True}]},
}
_TV = {
    "name": "tv",
    "type": "live",
    "providers": {
        "rtspPull": {},
        "schedule": {"mediaRootDir": "/m", "scheduleFilesDir": "/c"},
        "multiplex": {"muxFilesDir": "/c"},
    },
    "publishers": {"file": {}, "llhls": {}},
    "outputProfiles": {"outputProfile": [_PROFILE]},
}


def prepare(server: HostileServer, user: str = "") -> None:
    """Make objects of every kind, so that there is something to read, change and delete; responses are good again.

    ``user`` is the module or the call of :data:`CALLS` that uses them.
    """
    state = server.state
    state.version = VERSIONS[VERSION_FOR.get(user, VERSION)]
    state.config_tasks.clear()
    state.channels.files.clear()
    server.simulator.restart()
    server.simulator.clear_log()
    server.spoiler.clear()
    with state.lock:
        vhost = state.create_virtual_host(
            {**OURS, "host": {"names": ["s.example.com"], "tls": {"certPath": "/c.pem", "keyPath": "/k.pem"}}}
        )
        app = {"type": "live", "providers": {"rtmp": {"maxConnection": 1}}, "publishers": {"push": {}}}
        state.create_application(vhost, {**app, "name": "live"})
        state.create_application(vhost, copy.deepcopy(_TV))
        task = state.add_config_task(
            "t-s", "live", id="t-p", stream_name="main", url="rtmp://push.example.com/app", stream_key="canary-key"
        )
        task.is_config = False  # started by another client
        stream = {"name": "tv1", "bypassTranscoder": False, "videoTrack": True, "audioTrack": True, "audioMap": None}
        item = {"url": "stream://t-s/live/main", "start": 0, "duration": 60000}
        program = {"name": "one", "scheduled": "2020-01-01T00:00:00Z", "repeat": True, "items": [item]}
        written = state.clock.now() - 10  # so that the server has noticed it
        state.channels.held.watchers["t-s", "tv"].since = written
        state.channels.files["/c//tv1.sch"] = ChannelFile({"stream": stream, "programs": [program]}, written)
        _prepare_streams(server)
    state.config_tasks.clear()


def _prepare_streams(server: HostileServer) -> None:
    """Make a live stream with a recording, a dump and speech to text, and a stream that is pulled."""
    state = server.state
    vhost = state.virtual_hosts["t-s"]
    app = vhost.applications["tv"]
    state.stream_appears("t-s", "tv", "main")
    rendition = {"label": "English", "model": "small.bin", "language": "auto", "translation": "false"}
    state.streams["t-s", "tv", "main"].renditions = [rendition]
    server.simulator.origin(_ORIGIN)
    pull = {"name": "camera", "urls": OUR_PULL["urls"], "properties": {"persistent": True}}
    streams.pull(state, vhost, app, pull, "")
    recording = {"id": "t-r", "stream": {"name": "main"}, "filePath": OUR_RECORD["file_path"], "interval": 60000}
    records.start(state, vhost, app, recording)
    dump = {"id": "t-d", "outputStreamName": "main", "outputPath": "/d/main"}
    dumps.start(state, vhost, app, "main", dump)


def options_for(server: HostileServer, options: dict[str, Any]) -> dict[str, Any]:
    waits = {"wait_timeout": 0} if {"url", "file_path", "tasks"} & set(options) else {}
    return {**connection(server, retries=0), **waits, **options}


def good_answers(server: HostileServer, module: str, options: dict[str, Any]) -> list[Any]:
    """Return what the server answers to the requests of a run when nothing is spoilt."""
    prepare(server, module)
    run_safely(module, options_for(server, options), f"{module} with good answers")
    return [payload for _method, _path, payload in server.spoiler.good]


def meet(
    server: HostileServer, module: str, options: dict[str, Any], number: int, path: tuple[Any, ...], wrong: Any
) -> None:
    """Run a module whose one answer holds something wrong at one place, and check the end of it."""
    prepare(server, module)
    server.spoiler.spoil = lambda now, good: replaced(good, path, wrong) if now == number else good
    shown = wrong.text[:60] if isinstance(wrong, Literal) else repr(wrong)[:60]
    about = f"{module} {options}: answer {number} holds {shown} at {path}"
    run = run_safely(module, options_for(server, options), about)
    _check_what_was_sent(server, about)
    assert run.failed or "changed" in run, about


def _check_what_was_sent(server: HostileServer, about: str) -> None:
    for _method, path, _payload in server.spoiler.good:
        if not re.fullmatch(r"/v1/[A-Za-z0-9._:/-]+", path) or "/.." in path:
            raise Broken(f"only paths of the API are asked for: {about}: {path!r}")


@pytest.fixture(autouse=True)
def _few_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let waits that a wrong answer leads to end early."""
    from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile import snapshot

    monkeypatch.setattr(snapshot, "STOP_TIMEOUT", 0.05)
    monkeypatch.setattr(snapshot, "STABLE_TIMEOUT", 0.05)


CALLS: dict[str, Callable[[Api], object]] = {
    "read_version": lambda api: api.read_version(),
    "list_virtual_hosts": lambda api: api.list_virtual_hosts(),
    "read_virtual_host": lambda api: api.read_virtual_host("t-s"),
    "create_virtual_hosts": lambda api: api.create_virtual_hosts([{"name": "t-n"}, {"name": "t-m"}]),
    "delete_virtual_host": lambda api: api.delete_virtual_host("t-s"),
    "list_applications": lambda api: api.list_applications("t-s"),
    "read_application": lambda api: api.read_application("t-s", "live"),
    "find_application": lambda api: api.find_application("t-s", "live"),
    "create_applications": lambda api: api.create_applications("t-s", [{"name": "new", "type": "live"}]),
    "delete_application": lambda api: api.delete_application("t-s", "live"),
    "list_streams": lambda api: api.list_streams("t-s", "live"),
    "count_connections": lambda api: api.count_connections("t-s", "live"),
    "list_push_tasks": lambda api: JobEndpoints(api, PUSHES).list_all("t-s", "live"),
    "start_push_task": lambda api: JobEndpoints(api, PUSHES).start(
        "t-s", "live", {"id": "t-n", "stream": {"name": "main"}, "protocol": "rtmp", "url": "rtmp://h/a"}
    ),
    "stop_push_task": lambda api: JobEndpoints(api, PUSHES).stop("t-s", "live", "t-p"),
    "list_records": lambda api: JobEndpoints(api, RECORDS).list_all("t-s", "tv"),
    "start_record": lambda api: JobEndpoints(api, RECORDS).start(
        "t-s", "tv", {"id": "t-n", "stream": {"name": "main"}}
    ),
    "stop_record": lambda api: JobEndpoints(api, RECORDS).stop("t-s", "tv", "t-r"),
    "list_pulls": lambda api: Streams(api).list("t-s", "tv"),
    "read_pull": lambda api: Streams(api).read("t-s", "tv", "camera"),
    "start_pull": lambda api: Streams(api).create("t-s", "tv", {"name": "new", "urls": OUR_PULL["urls"]}),
    "end_pull": lambda api: Streams(api).delete("t-s", "tv", "camera"),
    "read_statistics": lambda api: Streams(api).read_statistics("t-s", "tv", "main"),
    "read_statistics_of_an_application": lambda api: Statistics(api).read("t-s", "tv"),
    "read_statistics_of_the_server": lambda api: Statistics(api).read_server(),
    "list_dumps": lambda api: HlsDumps(api).list("t-s", "tv", "main", "main"),
    "start_dump": lambda api: HlsDumps(api).start(
        "t-s", "tv", "main", {"id": "t-n", "outputStreamName": "main", "outputPath": "/d/new"}
    ),
    "stop_dump": lambda api: HlsDumps(api).stop("t-s", "tv", "main", "main", "t-d"),
    "list_channels": lambda api: ScheduledChannels(api).list("t-s", "tv"),
    "read_channel": lambda api: ScheduledChannels(api).read("t-s", "tv", "tv1"),
    "start_channel": lambda api: ScheduledChannels(api).create("t-s", "tv", {"stream": {"name": "tv2"}}),
    "change_channel": lambda api: ScheduledChannels(api).update("t-s", "tv", "tv1", {"programs": []}),
    "delete_channel": lambda api: ScheduledChannels(api).delete("t-s", "tv", "tv1"),
    "list_multiplex_channels": lambda api: MultiplexChannels(api).list("t-s", "tv"),
    "send_event": lambda api: StreamActions(api, "t-s", "tv", "main").send_event(
        {"eventFormat": "id3v2", "events": [{"frameType": "TIT2", "data": "x"}]}
    ),
    "send_subtitles": lambda api: StreamActions(api, "t-s", "tv", "main").send_subtitles(
        {"format": "webvtt", "data": [{"label": "English", "subtitles": [{"text": "x"}]}]}
    ),
    "conclude": lambda api: StreamActions(api, "t-s", "tv", "main").conclude(),
    "read_speech_to_text": lambda api: StreamActions(api, "t-s", "tv", "main").read_speech_to_text(),
    "switch_speech_to_text": lambda api: StreamActions(api, "t-s", "tv", "main").switch_speech_to_text(on=False),
    "reload_certificates": lambda api: api.reload_certificates("t-s"),
}
"""Each call of the API. The modules meet what these return, or their errors, and no whole answer."""


def test_every_call_is_tried() -> None:
    public = {name for name, value in vars(Api).items() if callable(value) and not name.startswith("_")}
    assert public <= set(CALLS)


@pytest.mark.parametrize("call", CALLS)
def test_any_value_replaces_a_response(server: HostileServer, call: str) -> None:
    """Each call of the API ends in a result or an error of a known kind, whatever value the whole answer or its
    payload is.
    """
    cases = 0
    payload = (0,) if call.startswith("create") else ("response",)
    for path, wrong in itertools.product(((), payload), WRONG):
        prepare(server, call)
        server.spoiler.spoil = lambda _number, good, path=path, wrong=wrong: replaced(good, path, wrong)  # type: ignore[misc]
        with contextlib.closing(Transport(Settings(server.url, server.token, retries=0))) as transport:
            try:
                CALLS[call](Api(transport))
            except OmeError as error:
                assert error.kind in ADVICE, (path, wrong)
        cases += 1
    record("hostile input/answers of a hostile server", cases=cases, faults=cases)


IN_EACH_RUN = 3
"""How many wrong values replace a whole answer or of its payload in a run; they take turns."""
TYPICAL, RECREATE = (0, 8, 12), 6
"""A read, a purge and a start are those of make test. A recreate, the longest, and every fourth of the others belong to
make test-all.
"""


@pytest.mark.parametrize(
    ("module", "options"),
    [
        pytest.param(
            *run,
            id=f"{number}-{run[0]}",
            marks=[]
            if number in TYPICAL
            else pytest.mark.exhaustive
            if number == RECREATE or number % 4 == 0
            else pytest.mark.long,
        )
        for number, run in enumerate(RUNS)
    ],
)
def test_every_place_of_every_answer(server: HostileServer, module: str, options: dict[str, Any]) -> None:
    """Each node of each answer of each kind of run is wrong in turn."""
    # Each run begins with other values, so that together they put all of them everywhere.
    turns = itertools.cycle(WRONG)
    for _value in range(7 * RUNS.index((module, options)) % len(WRONG)):
        next(turns)
    cases = 0
    for number, payload in enumerate(good_answers(server, module, options)):
        for node in nodes(payload):
            whole = len(node.path) == 0 or node.path == ("response",)
            for wrong in itertools.islice(turns, IN_EACH_RUN if whole else 1):
                meet(server, module, options, number, node.path, wrong)
                cases += 1
    assert cases > IN_EACH_RUN
    record("hostile input/answers of a hostile server", cases=cases, faults=cases)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | HOSTILE_TEXTS | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "id", "host", "names", "state", "%s"]) | HOSTILE_TEXTS, inner, max_size=3
        )
    ),
    max_leaves=10,
)


@pytest.mark.exhaustive
@settings(max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_generated_answers(server: HostileServer, data: st.DataObject) -> None:
    module, options = data.draw(st.sampled_from(RUNS))
    if (module, str(options)) not in _KNOWN:
        _KNOWN[module, str(options)] = good_answers(server, module, options)
    answers = _KNOWN[module, str(options)]
    number = data.draw(st.integers(0, len(answers) - 1))
    node = data.draw(st.sampled_from(list(nodes(answers[number]))))
    meet(server, module, options, number, node.path, data.draw(ANY_JSON))


_KNOWN: dict[tuple[str, str], list[Any]] = {}


@pytest.mark.exhaustive
@pytest.mark.parametrize("depth", (30, 450, 930, 20_000, 200_000))
@pytest.mark.parametrize("opening", ("[", '{"a":'))
@pytest.mark.parametrize("call", CALLS)
def test_any_depth(server: HostileServer, call: str, opening: str, depth: int) -> None:
    """Deeply nested JSON ends in an error if it is too deep, at any place, and not in a traceback."""
    deep = Literal(opening * depth + "1" + {"[": "]", '{"a":': "}"}[opening] * depth)
    for spoil in (
        lambda good: deep,
        lambda good: {**good, "response": deep},
        lambda good: {**good, "response": {"unknown": deep}},
    ):
        prepare(server, call)
        server.spoiler.spoil = lambda _number, good, spoil=spoil: spoil(good if isinstance(good, dict) else {})  # type: ignore[misc]
        with contextlib.closing(Transport(Settings(server.url, server.token, retries=0))) as transport:
            try:
                CALLS[call](Api(transport))
            except OmeError as error:
                assert error.kind in ADVICE


@pytest.mark.parametrize(
    "depth", (pytest.param(30, marks=pytest.mark.exhaustive), 930, pytest.param(200_000, marks=pytest.mark.exhaustive))
)
@pytest.mark.parametrize("opening", ("[", pytest.param('{"a":', marks=pytest.mark.exhaustive)))
@pytest.mark.parametrize(
    ("module", "options"),
    [pytest.param(*RUNS[3], id="audit"), pytest.param(*RUNS[10], id="recreate", marks=pytest.mark.exhaustive)],
)
def test_any_depth_in_a_run(
    server: HostileServer, module: str, options: dict[str, Any], opening: str, depth: int
) -> None:
    """What is passed on to Ansible is not too deep for it."""
    closing = "]" if opening == "[" else "}"
    deep = Literal(opening * depth + "1" + closing * depth)
    for number, payload in enumerate(good_answers(server, module, options)):
        places = [node.path for node in nodes(payload) if isinstance(node.value, (dict, list))]
        for path in (places[0], places[-1]):
            meet(server, module, options, number, path, deep)
        if isinstance(payload, dict) and isinstance(payload.get("response"), dict):
            prepare(server)

            def beside(now: int, good: Any, number: int = number) -> Any:
                return {**good, "response": {**good["response"], "unknown": deep}} if now == number else good

            server.spoiler.spoil = beside
            run_safely(
                module, options_for(server, options), f"{module}: {depth} levels of {opening!r} in answer {number}"
            )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xef\xbb\xbf" + json.dumps({"statusCode": 200, "message": "OK", "response": []}).encode(),
        json.dumps({"statusCode": 200, "message": "OK", "response": ["t-s"]}).encode("utf-16"),
        json.dumps({"statusCode": 200, "message": "OK", "response": ["t-s"]}).encode("utf-32"),
        b'{"statusCode": 200, "message": "OK", "response": ["\xff\xfe"]}',
        b'{"statusCode": 200, "statusCode": [], "message": {}, "response": [], "response": ["t-s"]}',
        b'{"statusCode": 200, "message": "OK", "response": []} trailing',
        b"\x00" * 100,
        b"null",
        b"0",
        b'""',
    ],
    ids=[
        "empty",
        "byte order mark",
        "UTF-16",
        "UTF-32",
        "no UTF-8",
        "duplicate keys",
        "trailing text",
        "NUL",
        "null",
        "zero",
        "text",
    ],
)
@pytest.mark.parametrize(("module", "options"), RUNS[:9:2], ids=[f"{module}" for module, _options in RUNS[:9:2]])
def test_other_bodies(server: HostileServer, module: str, options: dict[str, Any], body: bytes) -> None:
    for number in range(len(good_answers(server, module, options))):
        prepare(server)
        server.spoiler.spoil = lambda now, good, number=number: body if now == number else good  # type: ignore[misc]
        run_safely(module, options_for(server, options), f"{module}: answer {number} is {body[:40]!r}")


@pytest.mark.parametrize("name", (None, "%s", "../x", 1, [], {}, "\ud800"), ids=ascii)
@pytest.mark.parametrize(
    ("module", "options"),
    [run for run in RUNS if run[0] in ("vhost", "application") and run[1].get("recreate")],
    ids=["vhost", "application"],
)
@pytest.mark.parametrize("refused", (True, False), ids=("refused", "strange"))
def test_a_response_with_another_name(
    server: HostileServer, module: str, options: dict[str, Any], name: Any, refused: bool
) -> None:
    """What is read is said to have another name, or none, and making it again goes wrong: neither is that name asked
    for, nor is it made.
    """
    prepare(server)
    created: list[Any] = []

    def spoil(number: int, good: Any) -> Any:
        method, path, _payload = server.spoiler.good[number]
        inside = good.get("response") if isinstance(good, dict) else None
        if method == "GET" and re.fullmatch(r"/v1/vhosts/t-s(/apps/live)?", path) and isinstance(inside, dict):
            return {
                **good,
                "response": {
                    **{key: item for key, item in inside.items() if key != "name"},
                    **({} if name is None else {"name": name}),
                },
            }
        if method == "POST" and path in ("/v1/vhosts", "/v1/vhosts/t-s/apps") and good not in ([], {}):
            created.append(path)
            if not refused:
                return b"{}"
            # All but the first are let through because they restore the contents.
            return [{"statusCode": 400, "message": "no"}] if len(created) == 1 else good
        return good

    server.spoiler.spoil = spoil
    about = f"{module}: the server says that the name is {name!r}"
    run_safely(module, options_for(server, options), about)
    _check_what_was_sent(server, about)
    with server.state.lock:
        there = set(server.state.virtual_hosts)
        inside = {app for vhost in server.state.virtual_hosts.values() for app in vhost.applications}
    assert there <= {"default", "t-s"} and inside <= {"app", "nopush", "live", "tv"}, about


# Tests of the tests


def test_a_traceback_is_detected(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the names in a list not looked at, a wrong type would end a module."""

    def list_unchecked(self: Api, path: str, attempt: str) -> Any:
        return self.payload(self.call("GET", path, attempt=attempt, idempotence=READS))

    monkeypatch.setattr(Api, "list_names", list_unchecked)
    with pytest.raises(Broken, match="the module ended in TypeError"):
        meet(server, "vhost_info", {}, 0, ("response",), None)


def test_a_response_that_is_sent_back_is_detected(server: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations import base

    monkeypatch.setattr(base, "is_addressable", lambda name: True)
    with pytest.raises(Broken, match="only paths of the API"):
        meet(server, "vhost_info", {}, 0, ("response", 0), "../%s")
