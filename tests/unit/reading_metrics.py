# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Metrics of an audit, as Prometheus reads them."""

from __future__ import annotations

import subprocess

from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from prometheus_client.parser import text_string_to_metric_families

PREFIX = "ovenmediaengine_audit_"


def parsed(text: str) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the samples of each metric by the values of their labels, as Prometheus reads them."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(text):
        assert family.type == "gauge" and family.documentation and family.name.startswith(PREFIX)
        assert family.name not in found
        metric = found[family.name] = {}
        for sample in family.samples:
            assert sample.name == family.name and tuple(sample.labels.values()) not in metric
            metric[tuple(sample.labels.values())] = sample.value
    return {name[len(PREFIX) :]: samples for name, samples in found.items()}


def check_with_promtool(text: str) -> None:
    """Check a text with Prometheus' own program; the test needs it."""
    command = ["promtool", "check", "metrics"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
