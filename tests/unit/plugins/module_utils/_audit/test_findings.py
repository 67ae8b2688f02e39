# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings."""

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import Finding


def test_the_fields_of_a_finding_are_keys_of_results() -> None:
    objects = ["vhost", "application", "push_task", "record", "stream", "channel"]
    keys = ["severity", "kind", "message", *objects, "endpoint", "field", "found", "wanted", "vhosts"]
    assert list(Finding("info", "x", "y")._asdict()) == keys
