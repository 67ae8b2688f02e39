# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter audit_metrics, with its text as Prometheus reads it."""

from __future__ import annotations

import copy
import datetime
import json
import pathlib
import random
import re
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_metrics as metrics_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_report as report_plugin
from ansible_collections.streamops.ovenmediaengine.tests.programs import needs
from ansible_collections.streamops.ovenmediaengine.tests.unit.hostile.values import HOSTILE_TEXTS, HUGE, NASTY
from ansible_collections.streamops.ovenmediaengine.tests.unit.reading_metrics import check_with_promtool, parsed
from hypothesis import given
from hypothesis import strategies as st

audit_metrics = metrics_plugin.audit_metrics
audit_report = report_plugin.audit_report

GUIDE = pathlib.Path(__file__).parents[4] / "docs/docsite/rst/guide_audits.rst"
START, END = "2026-01-31T03:00:00Z", "2026-01-31T03:01:30Z"
SEVERITIES = ("error", "drift", "warning", "info")


def kinds() -> list[tuple[str, str]]:
    """Return severity and kind of all findings: those in the table of the guide, and all errors of the API."""
    table = re.findall(
        r"^   \* - (``.+)\n     - (error|drift|warning|info)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE
    )
    found = [(severity, kind) for cell, severity in table for kind in re.findall("``(.*?)``", cell)]
    assert len(found) > 30
    return sorted({*found, *(("error", kind) for kind in ADVICE)})


def result(**fields: Any) -> dict[str, Any]:
    """A result of the module audit_info."""
    empty: dict[str, Any] = {
        option: []
        for option in (
            "findings",
            "vhosts",
            "push_tasks",
            "records",
            "streams",
            "channels",
            "playbacks",
            "certificates",
        )
    }
    return {"reachable": True, "version": "0.20.0", **empty, **fields}


def certificate(
    endpoint: str, not_after: str | None, agrees: bool | None = None, vhost: str = "tenant"
) -> dict[str, Any]:
    """The entry of a TLS port; without a certificate if no time is specified."""
    served = None if not_after is None else {"not_after": not_after, "days_left": 3, "subject": "canary-subject"}
    return {"vhost": vhost, "endpoint": endpoint, "certificate": served, "agrees": agrees, "error": "canary-error"}


def playback(protocol: str | None, verdict: str, first: float | None, latency: float | None) -> dict[str, Any]:
    """The entry of something that was played."""
    texts = {"app": "canary-app", "stream": "canary-stream", "host_name": "canary-host", "msg": "canary-message"}
    numbers = {"seconds_to_first_frame": first, "latency": latency}
    return {"vhost": "tenant", **texts, "protocol_out": protocol, "verdict": verdict, "stage": None, **numbers}


def statistics(vhost: str, app: str, stream: str, *, bits: int | None, **fields: Any) -> dict[str, Any]:
    """The entry of a place."""
    numbers = {f"{name}_{way}": bits for name in ("bits_per_second", "bytes") for way in ("in", "out")}
    return {"vhost": vhost, "app": app, "stream": stream, "uptime": None, **numbers, **fields}


def fleet() -> dict[str, Any]:
    """Results of a fleet with every kind of finding, every state, and canaries in all texts that are no labels."""
    canary = {
        "message": "canary-message",
        "vhost": "tenant",
        "push_task": "canary-id",
        "found": {"stream_key": "canary-key"},
        "wanted": "canary-wanted",
    }
    place = {"vhost": "tenant", "app": "canary-app", "listed": True}
    states = ("ready", "connecting", "pushing", "stopping", "error", "Error", "frozen")
    task = {**place, "id": "canary-id", "protocol": "rtmp", "url": "rtmp://h/canary-url", "bits_per_second": None}
    record = {**place, "id": "canary-id", "stream": "canary-stream", "file_path": "/canary-path"}
    channel = {**place, "name": "canary-name"}
    full = result(
        findings=[{"severity": severity, "kind": kind, **canary} for severity, kind in kinds()]
        + [{"severity": "drift", "kind": "missing", **canary}],
        vhosts=[
            {"name": f"t-{status}-{number}", "status": status, "live_streams": number - 1 if number else None}
            for number, status in enumerate(("missing", "not_listed", *SEVERITIES, "ok", "ok"))
        ],
        push_tasks=[{**task, "state": state} for state in states] + [{**task, "vhost": "other", "state": "error"}],
        records=[{**record, "state": state} for state in ("recording", "stopped", "recording")],
        streams=[
            {**place, "name": "canary-name", "live": live, "source_type": "", "source_url": "rtsp://canary-url"}
            for live in (True, False, True)
        ],
        channels=[
            {**channel, "type": "scheduled", "state": "onair"},
            {**channel, "type": "scheduled", "state": None},
            {**channel, "type": "multiplex", "state": "playing"},
        ],
        playbacks=[
            playback("llhls", "plays", 0.25, 1.5),
            playback("llhls", "plays", 0.5, None),
            playback("llhls", "fails", None, None),
            playback("webrtc", "fails", None, None),
            playback(None, "not_tried", None, None),
        ],
        statistics=[
            statistics("", "", "", uptime=90, connections={"llhls": 5, "webrtc": 2}, bits=100),
            statistics("tenant", "", "", connections={"llhls": 5}, bits=50),
            statistics("tenant", "live", "", connections=None, bits=None),
            statistics("tenant", "live", "main", connections={"llhls": 5}, bits=25),
        ],
        expected_streams=[
            {**place, "name": "canary-name", "state": state, "width": 1920.0, "height": None, "audio": True}
            for state in ("met", "below", "missing", "missing")
        ],
        certificates=[
            certificate("127.0.0.1:3334 (a.example.com)", "2026-02-03T03:00:00Z", agrees=True),
            certificate("127.0.0.1:3335 (a.example.com)", "2026-01-01T00:00:00Z", agrees=False, vhost=""),
            certificate("127.0.0.1:3336 (a.example.com)", None),
        ],
    )
    return {
        "media-10": full,
        "media-9": result(version=None),
        "media-2": {"unreachable": True, "msg": "canary-message"},
        "media-1": None,
    }


def test_a_fleet_with_every_kind_of_finding() -> None:
    report = audit_report(fleet(), END, START)
    text = audit_metrics(report)
    found = parsed(text)
    assert list(found) == [metric.name for metric in metrics_plugin.METRICS]
    expected = {(*one,): 1.0 for one in (("media-10", *kind) for kind in kinds())}
    expected["media-10", "drift", "missing"] = 2
    expected["media-2", "error", "host_unreachable"] = expected["media-1", "error", "not_audited"] = 1
    assert found["findings"] == expected
    assert found["server_findings"] == {
        (server["name"], severity): server["counts"][severity]
        for server in report["servers"]
        for severity in SEVERITIES
    }
    assert found["server_reachable"] == {("media-1",): 0, ("media-2",): 0, ("media-9",): 1, ("media-10",): 1}
    assert found["servers"] == {("error",): 3, ("drift",): 0, ("warning",): 0, ("info",): 0, ("ok",): 1}
    assert found["server_info"] == {("media-10", "0.20.0"): 1}
    assert {key[1]: value for key, value in found["vhosts"].items() if key[0] == "media-10"} == {
        **dict.fromkeys(("missing", "not_listed", *SEVERITIES), 1),
        "ok": 2,
    }


def test_objects_by_state() -> None:
    found = parsed(audit_metrics(audit_report(fleet(), END, START)))
    assert found["push_tasks"] == {
        ("media-10", "other", "error"): 1,
        ("media-10", "tenant", "connecting"): 1,
        ("media-10", "tenant", "error"): 2,
        ("media-10", "tenant", "other"): 1,
        ("media-10", "tenant", "pushing"): 1,
        ("media-10", "tenant", "ready"): 1,
        ("media-10", "tenant", "stopping"): 1,
    }
    assert found["records"] == {("media-10", "tenant", "recording"): 2, ("media-10", "tenant", "stopped"): 1}
    assert found["streams"] == {("media-10", "tenant", "live"): 2, ("media-10", "tenant", "missing"): 1}
    assert found["channels"] == {
        ("media-10", "tenant", "scheduled", "onair"): 1,
        ("media-10", "tenant", "scheduled", "unknown"): 1,
        ("media-10", "tenant", "multiplex", "playing"): 1,
    }


def test_playbacks_by_protocol() -> None:
    found = parsed(audit_metrics(audit_report(fleet(), END, START)))
    llhls, webrtc = (("media-10", "tenant", protocol) for protocol in ("llhls", "webrtc"))
    assert found["playbacks"] == {(*llhls, "plays"): 2, (*llhls, "fails"): 1, (*webrtc, "fails"): 1}
    assert found["playback_first_frame_seconds"] == {llhls: 0.5}
    assert found["playback_latency_seconds"] == {llhls: 1.5}


def test_who_watches() -> None:
    found = parsed(audit_metrics(audit_report(fleet(), END, START)))
    assert found["uptime_seconds"] == {("media-10",): 90}
    assert found["live_streams"] == {
        ("media-10", f"t-{status}-{number + 1}"): number
        for number, status in enumerate(("not_listed", *SEVERITIES, "ok", "ok"))
    }
    assert found["connections"] == {
        ("media-10", "", "", "", "llhls"): 5,
        ("media-10", "", "", "", "webrtc"): 2,
        ("media-10", "tenant", "", "", "llhls"): 5,
        ("media-10", "tenant", "live", "main", "llhls"): 5,
    }
    places = {("", "", ""): 100, ("tenant", "", ""): 50, ("tenant", "live", "main"): 25}
    expected = {("media-10", *place, way): bits for place, bits in places.items() for way in ("in", "out")}
    assert found["transferred_bytes"] == expected
    assert found["throughput_bytes_per_second"] == {key: bits / 8 for key, bits in expected.items()}


def test_expected_streams_by_state() -> None:
    found = parsed(audit_metrics(audit_report(fleet(), END, START)))
    assert found["expected_streams"] == {
        ("media-10", "tenant", "met"): 1,
        ("media-10", "tenant", "below"): 1,
        ("media-10", "tenant", "missing"): 2,
    }


def seconds(time: str) -> float:
    """Return a time as seconds since 1970."""
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


def test_certificates_and_times() -> None:
    found = parsed(audit_metrics(audit_report(fleet(), END, START)))
    first, second, third = (
        ("media-10", vhost, f"127.0.0.1:{port} (a.example.com)")
        for vhost, port in (("tenant", 3334), ("", 3335), ("tenant", 3336))
    )
    assert found["certificate_served"] == {first: 1, second: 1, third: 0}
    assert found["certificate_matches_file"] == {first: 1, second: 0}
    assert found["certificate_not_after_timestamp_seconds"] == {
        first: seconds("2026-02-03T03:00:00Z"),
        second: seconds("2026-01-01T00:00:00Z"),
    }
    assert found["start_timestamp_seconds"] == {(): seconds(START)}
    assert found["end_timestamp_seconds"] == {(): seconds(END)}
    assert found["duration_seconds"] == {(): 90}


def test_no_secret_id_url_or_message_is_a_label() -> None:
    assert "canary" in json.dumps(fleet()) and "canary" not in audit_metrics(audit_report(fleet(), END, START))


def test_the_order_is_stable() -> None:
    text = audit_metrics(audit_report(fleet(), END, START))
    generator = random.Random(21)
    for _round in range(5):
        results = copy.deepcopy(fleet())
        for values in results["media-10"].values():
            if isinstance(values, list):
                generator.shuffle(values)
        names = list(results)
        generator.shuffle(names)
        report = audit_report({name: results[name] for name in names}, END, START)
        assert audit_metrics(report) == text


def test_equal_labels_become_one_sample() -> None:
    entries = [
        certificate("h:1", "2026-02-03T03:00:00Z", agrees=True),
        certificate("h:1", "2026-02-02T03:00:00Z", agrees=False),
        certificate("h:1", None),
    ]
    found = parsed(audit_metrics(audit_report({"one": result(certificates=entries)}, END, START)))
    key = ("one", "tenant", "h:1")
    assert found["certificate_served"] == {key: 0}
    assert found["certificate_matches_file"] == {key: 0}
    assert found["certificate_not_after_timestamp_seconds"] == {key: seconds("2026-02-02T03:00:00Z")}


HOSTILE_NAME = 'a\\n"b"\n#\t\u2028é{{ 7 }}'


@needs("promtool")
@pytest.mark.parametrize("servers", [fleet(), {}, {HOSTILE_NAME: result()}], ids=["every finding", "none", "hostile"])
def test_prometheus_accepts_the_metrics(servers: dict[str, Any]) -> None:
    check_with_promtool(audit_metrics(audit_report(servers, END, START)))


def test_an_empty_report_is_valid() -> None:
    text = audit_metrics(audit_report({}, END, START))
    assert text.endswith("\n")
    assert set(parsed(text)) == {"start_timestamp_seconds", "end_timestamp_seconds", "duration_seconds", "servers"}


def test_labels_are_escaped() -> None:
    text = audit_metrics(audit_report({HOSTILE_NAME: result()}, END, START))
    assert '{server="a\\\\n\\"b\\"\\n#\ufffd\ufffdé{{ 7 }}"} 1\n' in text
    assert ('a\\n"b"\n#\ufffd\ufffdé{{ 7 }}',) in parsed(text)["server_reachable"]


@given(st.one_of(st.sampled_from(NASTY), HOSTILE_TEXTS, st.text()))
def test_any_text_is_one_label_in_one_line(value: str) -> None:
    place = {"vhost": value, "app": "live", "id": "one"}
    one = result(
        version=value,
        findings=[{"severity": "error", "kind": value, "message": value}],
        push_tasks=[{**place, "state": value}],
        certificates=[certificate(value, "2026-02-03T03:00:00Z", vhost=value)],
    )
    text = audit_metrics(audit_report({value: one}, END, START))
    found = parsed(text.encode().decode())
    assert [len(samples) for samples in found.values()] == [1, 1, 1, 5, 1, 1, 4, 1, 7, 1, 1, 1]
    assert len(text.splitlines()) == 2 * len(found) + sum(map(len, found.values()))
    assert {key[2] for key in found["push_tasks"]} <= {*metrics_plugin.STATES, "other"}


def test_a_huge_text_is_a_short_label() -> None:
    text = audit_metrics(audit_report({"one": result(version=HUGE)}, END, START))
    ((_server, version),) = parsed(text)["server_info"]
    assert len(version) <= metrics_plugin.LONGEST_LABEL


@pytest.mark.parametrize(
    ("start", "end", "duration"),
    [
        (START, START, 0),
        (END, START, 0),
        ("2026-01-31T03:00:00", "2026-01-31T04:00:01.500+00:00", 3601),
        ("2026-01-31T05:00:00+02:00", END, 90),
    ],
)
def test_the_duration_is_never_negative(start: str, end: str, duration: int) -> None:
    assert parsed(audit_metrics(audit_report({}, end, start)))["duration_seconds"] == {(): duration}


def test_a_certificate_with_an_unreadable_time_has_no_time() -> None:
    entries = [certificate("h:1", "canary")]
    found = parsed(audit_metrics(audit_report({"one": result(certificates=entries)}, END, START)))
    assert "certificate_not_after_timestamp_seconds" not in found and "certificate_served" in found
