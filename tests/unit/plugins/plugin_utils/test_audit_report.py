# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of an audit, and what is made of it."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import pathlib
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_junit as junit_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_merge as merge_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_metrics as metrics_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_page as page_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_report as report_plugin
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _audit_summary as summary_plugin
from hypothesis import given
from hypothesis import strategies as st

audit_report = report_plugin.audit_report
audit_junit = junit_plugin.audit_junit
audit_summary = summary_plugin.audit_summary
audit_metrics = metrics_plugin.audit_metrics
audit_page = page_plugin.audit_page

TIME = "2026-01-31T03:00:00Z"


def finding(severity: str, kind: str = "missing", **fields: Any) -> dict[str, Any]:
    """A finding, as the module returns it."""
    return {"severity": severity, "kind": kind, "message": f"{kind} message.", **fields}


def result(*findings: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A result of the module."""
    return {
        "reachable": True,
        "version": "0.20.0",
        "findings": list(findings),
        "vhosts": [],
        "push_tasks": [],
        "certificates": [],
        **more,
    }


def page_of(report: Any) -> Any:
    """What the template is given."""
    return page_plugin.Page(report)


def test_counts_and_order() -> None:
    report = audit_report(
        {"m-10": result(finding("drift"), finding("info")), "m-9": result(finding("warning")), "M-1": result()}, TIME
    )
    assert [(server["name"], server["status"]) for server in report["servers"]] == [
        ("M-1", "ok"),
        ("m-9", "warning"),
        ("m-10", "drift"),
    ]
    assert report["counts"] == {"error": 0, "drift": 1, "warning": 1, "info": 1}
    assert report["servers_by_status"] == {"error": 0, "drift": 1, "warning": 1, "info": 0, "ok": 1}
    assert (report["status"], report["generated_at"], report["schema_version"]) == ("drift", TIME, 1)
    assert report["started_at"] == TIME
    assert audit_report({}, TIME, "2026-01-31T02:59:00Z")["started_at"] == "2026-01-31T02:59:00Z"
    assert list(report["servers"][2]["findings"][0]) == [
        "severity",
        "kind",
        "message",
        "vhost",
        "application",
        "push_task",
        "record",
        "stream",
        "channel",
        "endpoint",
        "field",
        "found",
        "wanted",
        "vhosts",
    ]
    assert audit_report({}, TIME)["status"] == "ok"


def test_names_that_differ_by_digits_are_sorted() -> None:
    names = ["origin10", "origin2", "origin", "Origin1", "origin-1", "origin02", "1", "", "origin2b"]
    report = audit_report({name: result() for name in names}, TIME)
    assert [server["name"] for server in report["servers"]] == [
        "",
        "1",
        "origin",
        "Origin1",
        "origin02",
        "origin2",
        "origin2b",
        "origin10",
        "origin-1",
    ]


def test_columns_of_virtual_hosts_that_differ_by_digits_are_sorted() -> None:
    vhosts = [{"name": name, "status": "ok"} for name in ("tenant10", "tenant2", "tenant")]
    assert page_of(audit_report({"one": result(vhosts=vhosts)}, TIME)).columns == ["tenant", "tenant2", "tenant10"]


@given(
    st.lists(
        st.text("aAbB019-. \u0663\u00b2\ud800") | st.text() | st.text("0123456789", min_size=4300, max_size=4400),
        max_size=6,
        unique=True,
    )
)
def test_any_texts_have_one_order(names: list[str]) -> None:
    natural = report_plugin.natural
    expected = sorted(names, key=natural)
    assert all(
        natural(one) < natural(other) and natural(other) >= natural(one)
        for one, other in itertools.combinations(expected, 2)
    )


@given(st.text("abc-."), st.integers(0), st.integers(0))
def test_numbers_in_names_are_compared_as_numbers(word: str, one: int, other: int) -> None:
    natural = report_plugin.natural
    assert (natural(f"{word}{one}") < natural(f"{word}{other}")) == (one < other)


@pytest.mark.parametrize(
    ("registered", "kind", "words"),
    [
        (
            {"unreachable": True, "msg": "Task failed: no route\n\nwhere it stands"},
            "host_unreachable",
            "The host one cannot be reached. no route",
        ),
        (
            {"msg": "timeout: expected seconds.", "error": {"kind": "bad_input"}},
            "bad_input",
            "The server could not be audited. timeout: expected seconds.",
        ),
        ({"failed": True}, "audit_failed", "The server could not be audited. See the output of the run."),
        (None, "not_audited", "The host one has no result"),
    ],
)
def test_what_has_no_findings_is_one(registered: Any, kind: str, words: str) -> None:
    (server,) = audit_report({"one": registered}, TIME)["servers"]
    (found,) = server["findings"]
    assert (found["severity"], found["kind"], server["reachable"], server["version"]) == ("error", kind, False, None)
    assert found["message"].startswith(words) and "where it stands" not in found["message"]


def test_values_are_those_of_json() -> None:
    class Text(str):
        """As Ansible marks what it does not trust."""

    (server,) = audit_report(
        {"one": result(finding("drift", found={Text("a"): (Text("b"), 1, 1.5, True, None)}))}, TIME
    )["servers"]
    found = server["findings"][0]["found"]
    assert found == {"a": ["b", 1, 1.5, True, None]}
    assert [type(item) for item in found["a"]] == [str, int, float, bool, type(None)]


@pytest.mark.parametrize(
    ("severity", "failing"), [("error", {"error", "drift"}), ("drift", {"drift"}), ("warning", set()), ("info", set())]
)
def test_what_fails(severity: str, failing: set[str]) -> None:
    report = audit_report({"a": result(finding(severity)), "b": result()}, TIME)
    assert {fail_on for fail_on in ("none", "drift", "error") if audit_summary(report, fail_on)["failed"]} == failing


def test_the_summary() -> None:
    summary = audit_summary(
        audit_report({"a": result(finding("drift")), "b": result(finding("warning")), "c": None}, TIME), "none", "/r"
    )
    assert summary == {
        "line": "servers: 3, 1 as listed, 1 not audited; findings: 1 error, 1 drift, 1 warning, 0 "
        "info; report: /r/audit.html",
        "status": "error",
        "failed": False,
        "failed_hosts": {},
        "servers": 3,
        "not_audited": 1,
        "report_dir": "/r",
        "error": 1,
        "drift": 1,
        "warning": 1,
        "info": 0,
    }


def test_each_host_fails_for_its_own_findings() -> None:
    report = audit_report(
        {
            "a": result(finding("drift"), finding("warning")),
            "b": result(finding("warning")),
            "c": result(finding("error")),
        },
        TIME,
    )
    assert audit_summary(report, "drift", hosts=["a", "b", "c"])["failed_hosts"] == {
        "a": "0 error, 1 drift",
        "c": "1 error, 0 drift",
    }
    assert audit_summary(report, "error", hosts=["a", "b", "c"])["failed_hosts"] == {"c": "1 error, 0 drift"}
    # What fails the run is never lost, also if the play has no longer, or never had, the servers.
    assert audit_summary(report, "drift", hosts=["b", "x"])["failed_hosts"] == {"b": "Of all servers: 1 error, 1 drift"}
    assert audit_summary(report, "none", hosts=["a", "b"])["failed_hosts"] == {}
    assert audit_summary(report, "drift")["failed_hosts"] == {}


def test_junit_puts_each_finding_where_it_belongs() -> None:
    findings = [
        finding("error", "push_error", vhost="v", application="a", push_task="p"),
        finding("drift", "differs", vhost="v", application="a", field="type", found=None, wanted="é"),
        finding("drift", "missing", vhost="v"),
        finding("warning", "certificate_expiring", vhost="v", endpoint="h:1 (n)"),
        finding("error", "bad \x00 <kind>"),
        finding("drift", "also"),
    ]
    vhost = {"name": "v", "listed": True, "present": True, "read_only": False, "status": "error"}
    root = ElementTree.fromstring(
        audit_junit(audit_report({"one": result(*findings, vhosts=[vhost])}, TIME)).partition("\n")[2]
    )
    assert (root.get("tests"), root.get("errors"), root.get("failures")) == ("4", "2", "1")
    found = {case.get("name"): [(part.tag, part.get("message")) for part in case] for case in root.iter("testcase")}
    assert found == {
        "server": [("error", "bad \ufffd <kind> message. (and 1 more)")],
        "virtual host v": [("failure", "differs message. (and 1 more)")],
        "push task v/a/p": [("error", "push_error message.")],
        "certificate v h:1 (n)": [("system-out", None)],
    }
    assert 'drift: differs message. On the server: nothing; listed: "é".' in "".join(root.itertext())
    assert root[0].get("timestamp") == TIME[:-1]


PLACE = {"vhost": "v", "app": "a"}
INSIDE: dict[str, list[dict[str, Any]]] = {
    "records": [
        {
            **PLACE,
            "id": "r",
            "stream": "s",
            "file_path": "",
            "state": "ready",
            "bits_per_second": None,
            "listed": True,
            "is_config": False,
        }
    ],
    "streams": [{**PLACE, "name": "s", "live": False, "source_type": "", "source_url": ""}],
    "channels": [
        {**PLACE, "name": "c", "type": "scheduled", "state": "offair", "listed": True},
        {**PLACE, "name": "d", "type": "multiplex", "state": "playing", "listed": True},
    ],
}
"""Recordings, pulled streams and channels of a result."""
INSIDE_FINDINGS = [
    finding("error", "record_stalled", vhost="v", application="a", record="r"),
    finding("drift", "missing", vhost="v", application="a", stream="s"),
    finding("error", "channel_not_playing", vhost="v", application="a", channel="c"),
]


def test_junit_has_recordings_streams_and_channels() -> None:
    report = audit_report({"one": result(*INSIDE_FINDINGS, **INSIDE)}, TIME)
    root = ElementTree.fromstring(audit_junit(report).partition("\n")[2])
    assert {case.get("name"): [part.tag for part in case] for case in root.iter("testcase")} == {
        "server": [],
        "recording v/a/r": ["error"],
        "pulled stream v/a/s": ["failure"],
        "channel v/a/c": ["error"],
        "channel v/a/d": [],
    }


TEMPLATE = pathlib.Path(__file__).parents[4] / "roles/audit/templates/audit.html.j2"
HIDDEN = [f"v{number}" for number in range(5)]
UNREACHABLE = finding(
    "error",
    "unreachable",
    message="These reach another one: x reaches default.",
    vhost="v0",
    vhosts=HIDDEN,
    field="host.names",
    found=["x"],
)


def vhosts_of(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "listed": True, "present": True, "read_only": False, "status": "error"} for name in names]


def test_virtual_hosts_hidden_by_one_wildcard_are_one_row_with_their_names() -> None:
    report = audit_report({"one": result(UNREACHABLE, vhosts=vhosts_of(*HIDDEN))}, TIME)
    (row,) = page_of(report).findings
    assert row["object"] == "5 virtual hosts" and row["changes"] == []
    assert row["items"] == [f"Virtual host {name}" for name in HIDDEN]
    text = audit_page(report, TEMPLATE.read_text("utf-8"))
    assert all(f"<li>Virtual host {name}" in text for name in HIDDEN)


def test_virtual_hosts_hidden_by_one_wildcard_are_one_error_in_junit() -> None:
    report = audit_report({"one": result(UNREACHABLE, vhosts=vhosts_of(*HIDDEN))}, TIME)
    root = ElementTree.fromstring(audit_junit(report).partition("\n")[2])
    assert (root.get("tests"), root.get("errors"), root[0].get("skipped")) == ("6", "1", "4")
    found = {case.get("name"): [(part.tag, part.get("message")) for part in case] for case in root.iter("testcase")}
    assert [tag for tag, _text in found["virtual host v0"]] == ["error"]
    assert found["virtual host v4"] == [("skipped", "See virtual host v0.")]
    assert 'On the server: ["x"].' in "".join(root.itertext()) and "null" not in "".join(root.itertext())


def test_a_finding_without_a_desired_value_has_no_row_for_one() -> None:
    one = {**UNREACHABLE, "vhosts": []}
    text = audit_page(audit_report({"one": result(one)}, TIME), TEMPLATE.read_text("utf-8"))
    assert '<span class="label">is</span>' in text and '<span class="label">should be</span>' not in text
    lacks = finding("drift", "differs", vhost="v", field="x", found=None, wanted=1)
    text = audit_page(audit_report({"one": result(lacks)}, TIME), TEMPLATE.read_text("utf-8"))
    assert "<del>nothing</del>" in text and "<ins>1</ins>" in text


def test_objects_with_the_same_warning_share_a_row() -> None:
    findings = [
        finding("warning", "concern", message=f"Virtual host {name}: x has no effect.", vhost=name) for name in HIDDEN
    ]
    (row,) = page_of(audit_report({"one": result(*findings)}, TIME)).findings
    assert (row["object"], row["message"]) == ("5 objects", "x has no effect.")
    assert row["items"] == [f"Virtual host {name}" for name in HIDDEN]


def test_inputs_without_output_and_pushes_that_wait_are_in_every_report() -> None:
    place = {"vhost": "v", "application": "a"}
    findings = [
        finding("error", "input_without_output", message="Stream v/a/s is live.", stream="s", **place),
        finding("error", "push_waiting", message="Push task v/a/p is in state ready.", push_task="p", **place),
    ]
    push = {"protocol": "rtmp", "url": "rtmp://x.example.com", "state": "ready", "bits_per_second": None}
    pushes = [{"vhost": "v", "app": "a", "id": "p", "listed": True, "is_config": False, **push}]
    report = audit_report({"one": result(*findings, push_tasks=pushes)}, TIME)
    assert [(row["object"], row["message"]) for row in page_of(report).findings] == [
        ("Stream v/a/s", "is live."),
        ("Push task v/a/p", "is in state ready."),
    ]
    assert "ready, although its stream is live" in audit_page(report, TEMPLATE.read_text("utf-8"))
    root = ElementTree.fromstring(audit_junit(report).partition("\n")[2])
    assert {case.get("name"): [part.tag for part in case] for case in root.iter("testcase")} == {
        "server": [],
        "stream v/a/s": ["error"],
        "push task v/a/p": ["error"],
    }
    for kind in ("input_without_output", "push_waiting"):
        sample = f'ovenmediaengine_audit_findings{{server="one",severity="error",kind="{kind}"}} 1\n'
        assert sample in audit_metrics(report)


def test_the_page_has_recordings_streams_and_channels() -> None:
    page = page_of(audit_report({"one": result(*INSIDE_FINDINGS, **INSIDE)}, TIME))
    assert [(row["object"], row["severity"]) for row in page.findings] == [
        ("Recording v/a/r", "error"),
        ("Channel v/a/c", "error"),
        ("Stream v/a/s", "drift"),
    ]
    rows = [*page.records, *page.streams, *page.channels]
    assert [(row["one"].get("name", "r"), row["severity"], row["stalled"]) for row in rows] == [
        ("r", "error", True),
        ("s", "drift", False),
        ("c", "error", False),
        ("d", "ok", False),
    ]
    template = pathlib.Path(__file__).parents[4] / "roles/audit/templates/audit.html.j2"
    text = audit_page(audit_report({"one": result(*INSIDE_FINDINGS, **INSIDE)}, TIME), template.read_text("utf-8"))
    for words in ("v/a/r</b>", "ready, writes nothing", "not live", "v/a/d</b>", "<td>multiplex"):
        assert words in text
    assert ">Recordings<" not in audit_page(audit_report({"one": result()}, TIME), template.read_text("utf-8"))


def test_differences_of_different_objects_have_rows_of_their_own() -> None:
    places = [{"record": "r"}, {"stream": "s"}, {"channel": "c"}, {"push_task": "p"}]
    findings = [
        finding("drift", "differs", vhost="v", application="a", field=field, found=1, wanted=2, **place)
        for place in places
        for field in ("x", "y")
    ]
    rows = page_of(audit_report({"one": result(*findings)}, TIME)).findings
    assert [(row["object"], len(row["changes"])) for row in rows] == [
        ("Recording v/a/r", 2),
        ("Stream v/a/s", 2),
        ("Channel v/a/c", 2),
        ("Push task v/a/p", 2),
    ]


def test_a_report_of_an_earlier_release_can_be_read() -> None:
    """It has neither recordings, streams and channels nor the fields of findings about them."""
    new = audit_report({"one": result(finding("drift", "missing", vhost="v"))}, TIME)
    keys = ("records", "streams", "channels")
    old_findings = [
        {name: value for name, value in one.items() if name not in ("record", "stream", "channel")}
        for one in new["servers"][0]["findings"]
    ]
    old_server = {key: value for key, value in new["servers"][0].items() if key not in keys}
    old = {**new, "servers": [{**old_server, "findings": old_findings}]}
    read = merge_plugin.read_report(json.dumps(old))
    assert read == new and merge_plugin.audit_merge([read], TIME) == new


def test_the_page_says_which_virtual_hosts_it_is_about() -> None:
    limited = {"one": result(only_vhosts=["tenant-*", "t-b"]), "two": result(only_vhosts=["t-b"])}
    texts = [
        audit_page(audit_report(results, TIME), TEMPLATE.read_text("utf-8"))
        for results in (limited, {"one": result(only_vhosts=["*"]), "two": result()})
    ]
    assert "Only of the virtual hosts t-b, tenant-*." in texts[0] and "Only of" not in texts[1]


def test_the_page_escapes_and_allows_only_its_own_script() -> None:
    report = audit_report({"<b>one</b>": result(finding("drift"))}, TIME)
    text = audit_page(
        report, "{{ policy }}|{{ style }}|{{ script }}|{{ page.servers[0].name }}", style="a > b {}", script="1 && 2"
    )
    policy, style, script, name = text.split("|")
    assert (style, script, name) == ("a > b {}", "1 && 2", "&lt;b&gt;one&lt;/b&gt;")
    for part in (style, script):
        assert base64.b64encode(hashlib.sha256(part.encode()).digest()).decode().replace(
            "+", "&#43;"
        ) in policy.replace("+", "&#43;")
    assert re.match("default-src &#39;none&#39;; ", policy) and "unsafe" not in policy


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        ({}, "No server was audited"),
        ({"a": result()}, "The server is as listed"),
        ({"a": result(), "b": result(finding("warning"))}, "All 2 servers are as listed"),
        ({"a": result(finding("drift"))}, "The server is not as it should be"),
        ({"a": result(finding("drift")), "b": result()}, "1 of 2 servers is not as it should be"),
        ({"a": result(finding("drift")), "b": None}, "2 of 2 servers are not as they should be"),
    ],
)
def test_the_verdict(results: Any, verdict: str) -> None:
    assert page_of(audit_report(results, TIME)).verdict == verdict


def test_findings_are_gathered_and_the_worst_come_first() -> None:
    fields = [finding("drift", "differs", vhost="v", field=name, found=1, wanted=2) for name in ("x", "y")]
    many = [finding("drift", "missing", vhost=f"v{number}") for number in range(6)]
    few = [
        finding("drift", "not_listed", vhost=f"w{number}", message=f"Virtual host w{number} is not listed.")
        for number in range(2)
    ]
    page = page_of(
        audit_report(
            {"a": result(*fields, *many, *few, finding("info")), "b": result(finding("error"), finding("info"))}, TIME
        )
    )
    assert [
        (row["server"], row["severity"], row["object"], row["message"], len(row["changes"]), len(row["items"]))
        for row in page.findings
    ] == [
        ("b", "error", "", "missing message.", 0, 0),
        ("a", "drift", "Virtual host v", "is not as listed in 2 fields.", 2, 0),
        ("a", "drift", "6 objects", "are listed and not on the server.", 0, 6),
        ("a", "drift", "Virtual host w0", "is not listed.", 0, 0),
        ("a", "drift", "Virtual host w1", "is not listed.", 0, 0),
    ]
    assert page.notes == [{"message": "missing message.", "servers": ["a", "b"]}]
    assert page.summary == "1 error, 10 drifts, 0 warnings"


def test_what_is_due_at_a_restart_and_what_one_would_lose() -> None:
    due = [finding("warning", "restart_due", vhost="v", field=name, found=1, wanted=2) for name in ("x", "y")]
    stale = [finding("drift", "not_durable", vhost="v", field="x", found=1, wanted=2)]
    lost = [finding("drift", "not_durable", vhost=f"v{number}") for number in range(6)]
    page = page_of(audit_report({"a": result(*due, *stale, *lost)}, TIME))
    assert [(row["object"], row["message"], len(row["changes"]), len(row["items"])) for row in page.findings] == [
        ("Virtual host v", "is not as listed in its file.", 1, 0),
        ("6 objects", "are in no file from which the server starts: a restart loses them.", 0, 6),
        ("Virtual host v", "is not as listed in 2 fields until the server restarts.", 2, 0),
    ]


def test_very_many_virtual_hosts_share_a_column() -> None:
    def vhosts(*names: str) -> list[dict[str, Any]]:
        return [
            {
                "name": name,
                "listed": True,
                "present": True,
                "read_only": False,
                "status": "missing" if name == "own-3" else "ok",
            }
            for name in names
        ]

    results = {
        f"m-{server}": result(vhosts=vhosts("common", *(f"own-{server * 60 + number}" for number in range(60))))
        for server in range(3)
    }
    page = page_of(audit_report(results, TIME))
    assert len(page.columns) == page_plugin.MOST_COLUMNS and "common" in page.columns and page.others
    assert (
        sum(
            row["others_ok"] + len(row["others"]) + sum(cell is not None for cell in row["cells"])
            for row in page.matrix
        )
        == 3 * 61
    )
    assert "own-3" in page.matrix[0]["text"] and "own-4" not in page.matrix[0]["text"]


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        (None, "–"),
        (0, "0 bit/s"),
        (999, "999 bit/s"),
        (1500, "1.5 kbit/s"),
        (4_500_000, "4.5 Mbit/s"),
        (2_000_000_000, "2.0 Gbit/s"),
    ],
)
def test_bit_rates(bits: int | None, text: str) -> None:
    assert page_plugin.rate_of(bits) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, "nothing"), ("", '""'), ("a", "a"), ({}, "{}"), (["é"], '["é"]'), (False, "false")]
)
def test_values(value: Any, text: str) -> None:
    assert page_plugin._value(value) == text


def test_a_long_value_is_cut() -> None:
    assert page_plugin._value("x" * 601) == "x" * 600 + " … (all of it in audit.json)"
