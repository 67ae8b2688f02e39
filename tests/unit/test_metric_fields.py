# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The guide on audits says which field of the server's statistics each metric is."""

from __future__ import annotations

import pathlib
import re
from types import SimpleNamespace
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._api.paths import STATISTICS, statistics_path
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import Collector
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.live_statistics import StatisticsAudit
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_metrics import audit_metrics
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import audit_report

GUIDE = (pathlib.Path(__file__).parents[2] / "docs/docsite/rst/guide_audits.rst").read_text(encoding="utf-8")
TABLE = GUIDE[GUIDE.index("   * - Sample\n") : GUIDE.index("A field that a server does not report")]
ROWS = re.findall(
    r'^   \* - ``(\w+)``(?:, by \w+|, ``direction="(\w+)"``)?\n     - ``(\w+)``\n     - (.+)$', TABLE, re.M
)
PREFIX = "ovenmediaengine_audit_"
# Each number is another one, so that no metric can have that of another field.
FIELDS: dict[str, Any] = {
    "connections": {"llhls": 3, "webrtc": 5, "push": 7},
    **{name: 8 * 11 * number for number, name in enumerate(("avgThroughputIn", "avgThroughputOut"), 1)},
    **{name: 1300 + number for number, name in enumerate(("totalBytesIn", "totalBytesOut", "totalConnections"))},
    **{name: 1700 + number for number, name in enumerate(("lastThroughputIn", "lastThroughputOut"))},
    **{name: 1900 + number for number, name in enumerate(("maxThroughputIn", "maxThroughputOut"))},
    "createdTime": "2026-01-31T03:00:00.000+00:00",
}
DATE = "Sat, 31 Jan 2026 03:20:34 GMT"
UPTIME = 1234


def samples(raw: dict[str, Any]) -> dict[tuple[str, str], float]:
    """Return the samples that an audit makes of statistics, by metric and last label."""
    api: Any = SimpleNamespace(map_concurrently=lambda reads: [read() for read in reads])
    audit = StatisticsAudit(api, Collector(), "server", 100)
    audit.read((raw, DATE), [], [], [])
    base = samples_of([])
    return {key: value for key, value in samples_of(audit.entries).items() if key not in base}


def samples_of(entries: list[dict[str, Any]]) -> dict[tuple[str, str], float]:
    """Return the samples of a report with these statistics."""
    result = {"reachable": True, "findings": [], "vhosts": [], "statistics": entries}
    text = audit_metrics(audit_report({"m": result}, "2026-01-31T03:00:00Z"))
    found = re.findall(rf'^{PREFIX}(\w+)(?:{{.*?(\w*)"?}})? (\S+)$', text, re.M)
    return {(name, label): float(value) for name, label, value in found}


@pytest.mark.parametrize(("metric", "direction", "field", "conversion"), ROWS)
def test_a_sample_is_the_field_of_the_table(metric: str, direction: str, field: str, conversion: str) -> None:
    found = {label: value for (name, label), value in samples(FIELDS).items() if name == metric}
    value = FIELDS[field]
    if field == "createdTime":
        assert found == {"m": UPTIME}
    elif field == "connections":
        assert {label: number for label, number in found.items() if number} == value
        assert re.findall("``(.*?)``", conversion) == ["hls", "rtmppush", "mpegtspush", "hlsv3", "push"]
        former = samples({**FIELDS, "connections": {"hls": 1, "rtmppush": 2, "mpegtspush": 4}})
        assert (former[metric, "hlsv3"], former[metric, "push"]) == (1, 6)
    else:
        assert found[direction] == (value / 8 if "divided by 8" in conversion else value)
    left = {name for name, _label in samples({key: one for key, one in FIELDS.items() if key != field})}
    assert (metric in left) == bool(direction)  # The other direction remains.


def test_the_table_has_every_metric_of_the_statistics() -> None:
    found = {(name, label if label in ("in", "out") else "") for name, label in samples(FIELDS)}
    assert {row[:2] for row in ROWS} == found


def test_the_guide_names_the_calls() -> None:
    names = ("VHOST", "APP", "STREAM")
    for path in (STATISTICS, *(statistics_path(*names[: number + 1]) for number in range(3))):
        assert f"``{path}``" in GUIDE
