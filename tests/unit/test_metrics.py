# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The alert rules, the dashboard and the table of metrics name only metrics and labels that an audit writes."""

from __future__ import annotations

import itertools
import json
import pathlib
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.rows import FAILS
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_metrics import METRICS, STATES
from ansible_collections.streamops.ovenmediaengine.tests.programs import needs
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

ROOT = pathlib.Path(__file__).parents[2]
RULES = ROOT / "docs/metrics/alerts.yml"
DASHBOARD = ROOT / "docs/metrics/dashboard.json"
PREFIX = "ovenmediaengine_audit_"
LABELS = {f"{PREFIX}{metric.name}": set(metric.labels) for metric in METRICS}
# Words of the query language that are in the queries.
FUNCTIONS = {
    *("absent", "by", "count", "label_values", "max", "min", "on", "or", "sum", "time", "unless", "vector"),
}


def rules() -> list[dict[str, Any]]:
    """Return the alert rules."""
    (group,) = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def dashboard() -> dict[str, Any]:
    """Return the dashboard."""
    found: dict[str, Any] = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    return found


def queries() -> Iterator[tuple[str, str]]:
    """Yield the title and the text of each query."""
    for rule in rules():
        yield rule["alert"], rule["expr"]
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for variable in dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            assert variable["definition"] == variable["query"]["query"]
            yield variable["name"], variable["definition"]


def check(query: str) -> set[str]:
    """Check the words of a query; return the metrics that it names."""
    bare = re.sub('"[^"]*"', "", query)
    named = set(re.findall(r"\b[a-z]\w*_audit_\w+", bare))
    assert named and named <= set(LABELS), query
    for metric, selector in re.findall(r"(\w+_audit_\w+)\{([^}]*)\}", bare):
        assert set(re.findall(r"\w+", selector)) <= LABELS[metric], query
    common = set.intersection(*(LABELS[metric] for metric in named))
    for group in re.findall(r"\b(?:by|on) \(([^)]*)\)", bare):
        assert set(re.findall(r"\w+", group)) <= common, query
    rest = re.sub(r"\{[^}]*\}|\b(by|on) \([^)]*\)", r"\1", re.sub(r"(?<=, )server(?=\)$)", "", bare))
    assert set(re.findall(r"[A-Za-z_]\w*", rest)) - named <= FUNCTIONS, query
    return named


def test_queries_name_only_metrics_and_labels_that_exist() -> None:
    assert {metric for _title, query in queries() for metric in check(query)} == set(LABELS), "each metric is used"


@pytest.mark.parametrize(
    "query",
    [
        "sum(ovenmediaengine_audit_pushes)",
        "sum by (kind) (ovenmediaengine_audit_push_tasks)",
        'ovenmediaengine_audit_records{status="error"}',
        "sum(ovenmediaengine_audit_servers) / node_load1",
        "up == 0",
    ],
)
def test_a_query_with_a_wrong_name_is_detected(query: str) -> None:
    """A test of the test above."""
    with pytest.raises(AssertionError):
        check(query)


OF_STREAMS = ("does_not_play", "stream_missing", "stream_below_expectation")


def test_queries_compare_labels_with_values_that_exist() -> None:
    values = {
        "severity": {"error", "drift"},
        "state": {*STATES, "missing", "below"},
        "kind": {"push_error", "record_error", "handshake_failed", "certificate_differs", *OF_STREAMS},
        "verdict": {FAILS},
        "vhost": {""},
        "server": {"$server"},
    }
    for _title, query in queries():
        for label, texts in re.findall('(\\w+)(?:=|!=|=~|!~)"([^"]*)"', query):
            assert set(texts.split("|")) <= values[label], query


def test_annotations_of_rules_use_labels_of_their_queries() -> None:
    assert len({rule["alert"] for rule in rules()}) == len(rules())
    for rule in rules():
        grouped = re.findall(r"by \(([^)]*)\)", rule["expr"])
        labels = (
            set(re.findall(r"\w+", grouped[0])) if grouped else LABELS[re.findall(rf"{PREFIX}\w+", rule["expr"])[0]]
        )
        used = set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"])))
        assert used <= labels, rule["alert"]
        assert set(rule["annotations"]) == {"summary", "description"}
        assert rule["labels"]["severity"] in ("warning", "critical")


@needs("promtool")
def test_prometheus_accepts_the_rules() -> None:
    command = ["promtool", "check", "rules", str(RULES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0 and f"{len(rules())} rules found" in done.stdout, done.stdout + done.stderr


def test_panels_have_their_own_places() -> None:
    found = dashboard()
    assert len({panel["id"] for panel in found["panels"]}) == len(found["panels"]) >= 10
    places = [panel["gridPos"] for panel in found["panels"]]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    for one, other in itertools.combinations(places, 2):
        apart = [one[at] + one[size] <= other[at] or other[at] + other[size] <= one[at] for at, size in ("xw", "yh")]
        assert any(apart), (one, other)
    variables = {variable["name"] for variable in found["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", DASHBOARD.read_text(encoding="utf-8"))) - {"__all"} == variables
    assert {target["datasource"]["uid"] for panel in found["panels"] for target in panel["targets"]} == {
        "${datasource}"
    }


def test_the_guide_lists_all_metrics() -> None:
    text = (ROOT / "docs/docsite/rst/guide_audits.rst").read_text(encoding="utf-8")
    section = text[text.index("Watch the fleet with Prometheus") : text.index("Use the exit status")]
    rows = re.findall(r"^   \* - ``(\w+)``\n     - (.+)\n     -(.*)\n     - (.+)$", section, re.MULTILINE)
    assert [(name, tuple(re.findall("``(.*?)``", labels))) for name, _unit, labels, _text in rows] == [
        (metric.name, metric.labels) for metric in METRICS
    ]
    assert {name: unit == "seconds" for name, unit, *_rest in rows} == {
        metric.name: metric.name.endswith("_seconds") for metric in METRICS
    }
    named = set(re.findall(rf"{PREFIX}(\w+)", section))
    assert named <= {metric.name for metric in METRICS}
