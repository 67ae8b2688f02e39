# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Single differences between a server and its variables: the audit finds each of them, and nothing else."""

from __future__ import annotations

import contextlib
import copy
import datetime
import json
import pathlib
import typing as t

import jsonschema
import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import audit_report
from ansible_collections.streamops.ovenmediaengine.tests.simulator import RECORDED_MEDIA, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.clock import ManualClock
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import (
    ModuleRun,
    connection,
    make_virtual_host,
    post,
    run_module,
)

from .conftest import REPOSITORY
from .rotation import authority

WANTED: dict[str, t.Any] = yaml.safe_load("""
vhosts:
  - name: t-a
    host:
      names: [a.example.com]
      tls: {cert_path: /c/cert.pem, chain_cert_path: /c/chain.pem, key_path: /c/key.pem}
    distribution: example.com
    signed_policy:
      policy_query_key_name: policy
      signature_query_key_name: signature
      secret_key: canary-policy
      enables: {providers: [rtmp], publishers: [llhls]}
    admission_webhooks:
      control_server_url: https://hooks.example.com/x
      secret_key: canary-webhook
      timeout: 2000
      enables: {providers: [rtmp], publishers: [webrtc]}
    origins:
      properties: {no_input_failover_timeout: 5000, unused_stream_deletion_timeout: 60000}
      origin:
        - location: /live
          pass: {scheme: ovt, urls: {url: ["o.example.com:9000/live"]}, forward_query_params: false}
          persistent: true
          failback: true
          strict_location: true
          relay: true
    origin_map_store:
      origin_host_name: a.example.com
      redis_server: {host: "192.0.2.1:6379", auth: canary-redis}
    applications:
      - name: live
        providers: {rtmp: {}, webrtc: {timeout: 20000}}
        publishers: {push: {}, llhls: {chunk_duration: 0.5, segment_count: 10}}
        output_profiles:
          output_profile:
            - name: p
              output_stream_name: s
              encodes:
                videos: [{name: v, codec: h264, bitrate: "2000000", width: 1280, height: 720, framerate: 30}]
                audios: [{name: a, codec: opus, bitrate: "128000", samplerate: 48000, channel: 2}]
  - name: t-b
    host: {names: [b.example.com]}
    applications:
      - {name: live, providers: {rtmp: {}}, publishers: {push: {}}}
push_tasks:
  - vhost: t-b
    app: live
    id: one
    stream: {name: main, variant_names: [v]}
    protocol: rtmp
    url: rtmp://one.example.com/live
    stream_key: canary-key
  - vhost: t-b
    app: live
    id: two
    stream: {name: main}
    protocol: srt
    url: srt://two.example.com:9999
""")
# What a server with the application `media` has inside of it; see MEDIA_FIELDS for the differences.
MEDIA: dict[str, t.Any] = yaml.safe_load("""
records:
  - vhost: default
    app: media
    id: archive
    stream: {name: main, variant_names: [v]}
    file_path: /${Stream}_${StartTime:YYYYMMDDhhmmss}.ts
    info_path: /${Stream}.xml
    interval: 60000
    segmentation_rule: continuity
    metadata: canary-metadata
streams:
  - vhost: default
    app: media
    name: camera
    urls: ["rtsp://u:canary-camera@camera.example.com/live"]
scheduled_channels:
  - vhost: default
    app: media
    name: tv1
    stream: {bypass_transcoder: false, video_track: true}
    fallback_program:
      items: [{url: "file://wait.mp4"}]
    programs:
      - {name: live, scheduled: "2020-01-01T00:00:00Z", repeat: true, items: [{url: "stream://default/media/main"}]}
multiplex_channels:
  - vhost: default
    app: media
    name: mux1
    source_streams:
      - name: high
        url: stream://default/media/main
        track_map: [{source_track_name: bypass_video, new_track_name: video, bitrate_conf: 2000000}]
    playlists:
      - {name: ABR, file_name: abr, renditions: [{name: high, video: video}]}
""")
MEDIA_OBJECTS = {"records": "archive", "streams": "camera", "scheduled_channels": "tv1", "multiplex_channels": "mux1"}
CANARY = (
    "canary-metadata",
    "canary-camera",
    "canary-policy",
    "canary-webhook",
    "canary-redis",
    "canary-key",
    "canary-other",
)
A, LIVE, ONE, TWO = ("t-a", "", ""), ("t-a", "live", ""), ("t-b", "live", "one"), ("t-b", "live", "two")

Place = tuple[str, str, str]


class Found(t.NamedTuple):
    """What a test compares of a finding."""

    severity: str
    kind: str
    place: Place
    field: str = ""


# The place in WANTED, and another value for it; the finding follows from the place.
FIELDS: list[tuple[str, t.Any, Place]] = [
    ("vhosts.0.host.names", ["a.example.com", "x.example.com"], A),
    ("vhosts.0.host.tls.cert_path", "/c/other.pem", A),
    ("vhosts.0.host.tls.chain_cert_path", "/c/other.pem", A),
    ("vhosts.0.host.tls.key_path", "/c/other.pem", A),
    ("vhosts.0.distribution", "other.example.com", A),
    ("vhosts.0.signed_policy.policy_query_key_name", "other", A),
    ("vhosts.0.signed_policy.signature_query_key_name", "other", A),
    ("vhosts.0.signed_policy.secret_key", "canary-other", A),
    ("vhosts.0.signed_policy.enables.providers", ["rtmp", "srt"], A),
    ("vhosts.0.signed_policy.enables.publishers", ["webrtc"], A),
    ("vhosts.0.admission_webhooks.control_server_url", "https://other.example.com/x", A),
    ("vhosts.0.admission_webhooks.secret_key", "canary-other", A),
    ("vhosts.0.admission_webhooks.timeout", 2001, A),
    ("vhosts.0.admission_webhooks.enables.providers", ["srt"], A),
    ("vhosts.0.admission_webhooks.enables.publishers", ["llhls"], A),
    ("vhosts.0.origins.properties.no_input_failover_timeout", 5001, A),
    ("vhosts.0.origins.properties.unused_stream_deletion_timeout", 60001, A),
    ("vhosts.0.origins.origin.0.pass.scheme", "rtsp", A),
    ("vhosts.0.origins.origin.0.pass.urls.url", ["p.example.com:9000/live"], A),
    ("vhosts.0.origins.origin.0.pass.forward_query_params", True, A),
    ("vhosts.0.origins.origin.0.persistent", False, A),
    ("vhosts.0.origins.origin.0.failback", False, A),
    ("vhosts.0.origins.origin.0.strict_location", False, A),
    ("vhosts.0.origins.origin.0.relay", False, A),
    ("vhosts.0.origin_map_store.origin_host_name", "x.example.com", A),
    ("vhosts.0.origin_map_store.redis_server.host", "192.0.2.2:6379", A),
    ("vhosts.0.origin_map_store.redis_server.auth", "canary-other", A),
    ("vhosts.0.applications.0.providers.srt", {}, LIVE),
    ("vhosts.0.applications.0.providers.webrtc.timeout", 20001, LIVE),
    ("vhosts.0.applications.0.publishers.llhls.chunk_duration", 0.6, LIVE),
    ("vhosts.0.applications.0.publishers.llhls.segment_count", 11, LIVE),
    ("vhosts.0.applications.0.publishers.hls", {}, LIVE),
    ("vhosts.0.applications.0.output_profiles.output_profile.0.output_stream_name", "other", LIVE),
    ("vhosts.0.applications.0.output_profiles.output_profile.0.encodes.videos.0.width", 640, LIVE),
    ("vhosts.0.applications.0.output_profiles.output_profile.0.encodes.videos.0.bitrate", "2000001", LIVE),
    ("vhosts.0.applications.0.output_profiles.output_profile.0.encodes.audios.0.channel", 1, LIVE),
    ("push_tasks.0.stream.name", "other", ONE),
    ("push_tasks.0.stream.variant_names", ["w"], ONE),
    ("push_tasks.0.url", "rtmp://other.example.com/live", ONE),
    ("push_tasks.0.stream_key", "canary-other", ONE),
    ("push_tasks.1.url", "srt://other.example.com:9999", TWO),
]
# Objects that are listed and not there, or the other way round.
OBJECTS: list[tuple[str, t.Callable[[dict[str, t.Any]], t.Any], Found]] = [
    (
        "a virtual host is missing",
        lambda wanted: wanted["vhosts"].append({"name": "t-c", "host": {"names": ["c.example.com"]}}),
        Found("drift", "missing", ("t-c", "", "")),
    ),
    (
        "an application is missing",
        lambda wanted: wanted["vhosts"][1]["applications"].append({"name": "more", "publishers": {"llhls": {}}}),
        Found("drift", "missing", ("t-b", "more", "")),
    ),
    (
        "a push task is missing",
        lambda wanted: wanted["push_tasks"].append({**wanted["push_tasks"][0], "id": "three"}),
        Found("drift", "missing", ("t-b", "live", "three")),
    ),
    (
        "an application is not listed",
        lambda wanted: wanted["vhosts"][0].pop("applications"),
        Found("drift", "not_listed", LIVE),
    ),
    ("a push task is not listed", lambda wanted: wanted["push_tasks"].pop(), Found("drift", "not_listed", TWO)),
]
# What no server could be like.
REFUSED: list[tuple[str, t.Any, str]] = [
    ("vhosts.1.host.names", ["not a name"], "vhosts[1].host.names"),
    ("vhosts.0.host.tls.cert_path", "relative.pem", "vhosts[0].host.tls.cert_path"),
    ("vhosts.0.admission_webhooks.timeout", "soon", "timeout"),
    ("vhosts.0.host.names", {"a": 1}, "names"),
    ("vhosts.0.applications.0.publishers.llhls", "yes, please", "vhosts[0].applications[0]"),
    ("push_tasks.0.url", "http://one.example.com", "push_tasks[0].url"),
]


MEDIA_FIELDS: list[tuple[str, t.Any]] = [
    ("records.0.stream.name", "other"),
    ("records.0.stream.variant_names", ["w"]),
    ("records.0.file_path", "/other_${StartTime:YYYYMMDDhhmmss}.ts"),
    ("records.0.info_path", "/other.xml"),
    ("records.0.interval", 30000),
    ("records.0.segmentation_rule", "discontinuity"),
    ("records.0.metadata", "canary-other"),
    ("streams.0.urls", ["rtsp://other.example.com/live"]),
    ("scheduled_channels.0.stream.bypass_transcoder", True),
    ("scheduled_channels.0.stream.video_track", False),
    ("scheduled_channels.0.fallback_program.items", [{"url": "file://other.mp4"}]),
    ("scheduled_channels.0.programs.0.repeat", False),
    ("scheduled_channels.0.programs.0.items.0.url", "stream://default/media/other"),
    ("multiplex_channels.0.source_streams.0.url", "stream://default/media/other"),
    ("multiplex_channels.0.source_streams.0.track_map.0.bitrate_conf", 1000000),
    ("multiplex_channels.0.playlists.0.name", "other"),
]


def changed(path: str, value: t.Any, of: t.Mapping[str, t.Any] = WANTED) -> dict[str, t.Any]:
    """Return a desired state with one other value."""
    wanted = copy.deepcopy(dict(of))
    *way, last = (int(part) if part.isdigit() else part for part in path.split("."))
    place: t.Any = wanted
    for part in way:
        place = place[part]
    place[last] = value
    return wanted


def audit(sim: Simulator, wanted: t.Mapping[str, t.Any], **options: t.Any) -> ModuleRun:
    """Return one audit; nothing that it returns may be secret, and it may send no write."""
    sim.clear_log()
    run = run_module(
        "audit_info",
        connection(sim, read_only_vhosts=["default", "t-static"], timeout=2, retries=0, **wanted, **options),
    )
    assert [word for word in CANARY if word in run.printed] == []
    assert sim.writes == []
    return run


def findings(run: ModuleRun) -> list[Found]:
    """Return what a run has found, in the form of the tests; what is good to know of the version is the same in all."""
    report = audit_report({"one": run}, "2026-01-01T00:00:00Z")
    found = [
        Found(one["severity"], one["kind"], (one["vhost"], one["application"], one["push_task"]), one["field"])
        for one in report["servers"][0]["findings"]
        if one["severity"] != "info"
    ]
    assert len(found) == sum(number for severity, number in report["counts"].items() if severity != "info")
    return found


def make(sim: Simulator) -> None:
    """Bring a server to be as WANTED."""
    for module, options in (("vhosts", {"vhosts": WANTED["vhosts"]}), ("push_tasks", {"tasks": WANTED["push_tasks"]})):
        run = run_module(module, connection(sim, **options))
        assert not run.failed, run


@pytest.fixture(scope="module")
def same() -> t.Iterator[Simulator]:
    """Provide a server that is as WANTED, and is only looked at."""
    with Simulator(default_host_names=["localhost"]) as sim:
        make(sim)
        yield sim


@pytest.fixture
def own() -> t.Iterator[Simulator]:
    """Provide a server that is as WANTED, for one test to change."""
    with Simulator(tls_ports=[0], default_host_names=["localhost"]) as sim:
        make(sim)
        yield sim


def test_no_difference_gives_no_finding(same: Simulator) -> None:
    assert findings(audit(same, WANTED)) == []
    assert len(FIELDS) + len(OBJECTS) + len(REFUSED) >= 50


@pytest.mark.parametrize(("path", "value", "place"), FIELDS, ids=[path for path, _value, _place in FIELDS])
def test_a_different_field_is_drift(same: Simulator, path: str, value: t.Any, place: Place) -> None:
    found = findings(audit(same, changed(path, value)))
    assert [one._replace(field="") for one in found] == [Found("drift", "differs", place)]
    # Findings about lists name the object.
    words = [part for part in path.split(".")[2:] if not part.isdigit() and part != "applications"]
    assert found[0].field.split(".")[0].split("[")[0] == words[0] if place in (A, ONE, TWO) else words[1]
    assert words[-1] in found[0].field


@pytest.mark.parametrize(("change", "expected"), [case[1:] for case in OBJECTS], ids=[case[0] for case in OBJECTS])
def test_an_object_on_one_side_is_a_finding(
    same: Simulator, change: t.Callable[[t.Any], t.Any], expected: Found
) -> None:
    wanted = copy.deepcopy(WANTED)
    change(wanted)
    assert findings(audit(same, wanted)) == [expected]


@pytest.mark.parametrize(("path", "value", "word"), REFUSED, ids=[path for path, _value, _word in REFUSED])
def test_an_impossible_desired_state_is_refused(same: Simulator, path: str, value: t.Any, word: str) -> None:
    run = audit(same, changed(path, value))
    found = findings(run)
    assert [(one.severity, one.kind) for one in found] == [("error", "bad_input")]
    report = audit_report({"one": run}, "2026-01-01T00:00:00Z")["servers"][0]
    assert any(word in one["message"] for one in report["findings"] if one["severity"] == "error"), report["findings"]


def test_an_unlisted_virtual_host_is_a_finding(own: Simulator) -> None:
    make_virtual_host(own, "t-hand")
    assert findings(audit(own, WANTED)) == [Found("drift", "not_listed", ("t-hand", "", ""))]


def test_an_unlisted_push_task_is_a_finding(own: Simulator) -> None:
    task = {"id": "hand", "stream": {"name": "main"}, "protocol": "rtmp", "url": "rtmp://hand.example.com/live"}
    post(own, "/v1/vhosts/t-b/apps/live:startPush", task)
    assert findings(audit(own, WANTED)) == [Found("drift", "not_listed", ("t-b", "live", "hand"))]


def test_a_push_refused_by_its_destination_is_a_finding(own: Simulator) -> None:
    own.destination("rtmp://one.example.com/live", "refuse")
    own.stream_appears("t-b", "live", "main")
    while (
        run_module("push_task_info", connection(own, vhost="t-b", app="live", id="one"))["status"][0]["state"]
        != "error"
    ):
        pass
    assert findings(audit(own, WANTED)) == [Found("error", "push_error", ONE)]


def test_a_stalled_push_is_a_finding() -> None:
    clock = ManualClock()
    with Simulator(clock=clock, default_host_names=["localhost"]) as sim:
        make(sim)
        sim.destination("srt://two.example.com:9999", "hang")
        sim.stream_appears("t-b", "live", "main")
        clock.advance(5)
        run = audit(sim, WANTED, sampling_interval=2)
        assert findings(run) == [Found("error", "push_stalled", ONE)]
        assert {task["id"]: task["bits_per_second"] for task in run["push_tasks"]} == {"one": 0, "two": None}


def test_an_unreachable_server_is_a_finding(own: Simulator) -> None:
    own.stop()
    run = run_module("audit_info", connection(own, retries=0, **WANTED))
    assert [(one.severity, one.kind) for one in findings(run)] == [("error", "refused")]
    assert run["reachable"] is False


def test_a_refused_token_is_a_finding(own: Simulator) -> None:
    run = run_module("audit_info", {**connection(own, retries=0, **WANTED), "api_token": "canary-other"})
    assert [(one.severity, one.kind) for one in findings(run)] == [("error", "unauthorized")]


@pytest.mark.parametrize(
    ("days", "other", "expected"),
    [
        (9, False, [("warning", "certificate_expiring")]),
        (-9, False, [("error", "certificate_expired")]),
        (90, True, [("drift", "certificate_differs")]),
        (90, False, []),
    ],
)
def test_a_certificate(
    own: Simulator, tmp_path: pathlib.Path, days: int, other: bool, expected: list[tuple[str, str]]
) -> None:
    pair = authority().issue(
        "s.example.com", until=datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
    )
    (tmp_path / "cert.pem").write_bytes(pair.certificate)
    (tmp_path / "key.pem").write_bytes(pair.key)
    tls = {"certPath": str(tmp_path / "cert.pem"), "keyPath": str(tmp_path / "key.pem")}
    own.add_static_virtual_host({"name": "t-static", "host": {"names": ["s.example.com"], "tls": tls}})
    listed = tmp_path / "listed.pem"
    listed.write_bytes(authority().issue("s.example.com").certificate if other else pair.certificate)
    certificates = [
        {
            "vhost": "t-static",
            "certificate": str(listed),
            "endpoint": [{"port": own.tls_ports[0], "server_name": "s.example.com"}],
        }
    ]
    run = audit(own, WANTED, certificates=certificates)
    assert [(one.severity, one.kind) for one in findings(run)] == expected
    assert run["certificates"][0]["agrees"] is not other
    with contextlib.suppress(OSError):
        own.listener(own.tls_ports[0], "down")
    assert [(one.severity, one.kind) for one in findings(audit(own, WANTED, certificates=certificates))] == [
        ("error", "handshake_failed")
    ]


# -- recordings, pulled streams and channels --------------------------------------------------------------------


def media_findings(run: ModuleRun) -> list[tuple[str, str, str]]:
    """Return severity, kind and the name of the object of each finding above info."""
    return [
        (one["severity"], one["kind"], one["record"] or one["stream"] or one["channel"])
        for one in run["findings"]
        if one["severity"] != "info"
    ]


def make_media(sim: Simulator) -> None:
    """Bring a server to be as MEDIA."""
    sim.origin(MEDIA["streams"][0]["urls"][0])
    sim.stream_appears("default", "media", "main")
    for option in MEDIA_OBJECTS:
        run = run_module(option, connection(sim, **{option: MEDIA[option]}))
        assert not run.failed, run


@pytest.fixture(scope="module", params=RECORDED_MEDIA)
def media(request: pytest.FixtureRequest) -> t.Iterator[Simulator]:
    """Provide a server of each version that is as MEDIA, and is only read."""
    with Simulator(request.param, scene="media", default_host_names=["localhost"]) as sim:
        make_media(sim)
        yield sim


def test_no_difference_inside_of_applications_gives_no_finding(media: Simulator) -> None:
    run = audit(media, MEDIA)
    assert media_findings(run) == []
    schema = json.loads((REPOSITORY / "docs/audit/report.schema.json").read_text(encoding="utf-8"))
    report = audit_report({"one": run}, "2026-01-01T00:00:00Z")
    jsonschema.validate(report, schema)
    assert all(report["servers"][0][key] for key in ("records", "streams", "channels"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("path", "value"), MEDIA_FIELDS, ids=[path for path, _value in MEDIA_FIELDS])
def test_a_different_field_inside_of_an_application_is_drift(media: Simulator, path: str, value: t.Any) -> None:
    option, _index, field = path.split(".")[:3]
    run = audit(media, changed(path, value, MEDIA))
    assert media_findings(run) == [("drift", "differs", MEDIA_OBJECTS[option])]
    (found,) = [one for one in run["findings"] if one["kind"] == "differs"]
    assert found["field"].split(".")[0].split("[")[0] == field


@pytest.mark.parametrize("option", MEDIA_OBJECTS)
def test_an_object_on_one_side_of_an_application_is_a_finding(media: Simulator, option: str) -> None:
    other = copy.deepcopy(MEDIA[option][0])
    other["id" if option == "records" else "name"] = "other"
    more = {**MEDIA, option: [*MEDIA[option], other]}
    assert media_findings(audit(media, more)) == [("drift", "missing", "other")]
    expected = [("drift", "missing", "other"), ("drift", "not_listed", MEDIA_OBJECTS[option])]
    if option == "streams":
        expected.pop()
    found = media_findings(audit(media, {**MEDIA, option: [other]}))
    assert sorted(found) == sorted(expected)


def test_a_restart_takes_recordings_and_pulls_and_leaves_channels() -> None:
    clock = ManualClock()
    with Simulator(scene="media", clock=clock, default_host_names=["localhost"]) as sim:
        for option in ("records", "streams"):
            sim.origin(MEDIA["streams"][0]["urls"][0])
            assert not run_module(option, connection(sim, **{option: MEDIA[option]})).failed
        sim.restart()
        run = audit(sim, {option: MEDIA[option] for option in ("records", "streams")})
        assert sorted(media_findings(run)) == [("drift", "missing", "archive"), ("drift", "missing", "camera")]


def test_a_recording_that_writes_nothing_is_a_finding() -> None:
    clock = ManualClock()
    with Simulator(scene="media", clock=clock, default_host_names=["localhost"]) as sim:
        sim.stream_appears("default", "media", "main")
        assert not run_module("records", connection(sim, records=MEDIA["records"])).failed
        clock.advance(5)
        run = audit(sim, {"records": MEDIA["records"]}, sampling_interval=2)
        assert media_findings(run) == [("error", "record_stalled", "archive")]
        assert [one["bits_per_second"] for one in run["records"]] == [0]
