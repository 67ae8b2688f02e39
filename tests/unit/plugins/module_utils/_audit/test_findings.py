# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Findings and severities are available to filters in every Python that runs Ansible."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._audit.findings import Finding
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

# ansible-core itself may import ssl, so it is imported before.
IMPORT = """
import sys
import ansible.errors
for name in [name for name in sys.modules if name.partition(".")[0] in ("requests", "ssl", "urllib3")]:
    del sys.modules[name]
sys.modules.update(dict.fromkeys(("requests", "ssl", "_ssl", "urllib3")))  # each import of these fails
from ansible_collections.streamops.ovenmediaengine.plugins.{module} import {name}
try:
    import ssl
except ImportError:
    print({name}.__name__)
"""


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("module_utils._audit", "findings"),
        ("filter", "audit_report"),
        ("filter", "audit_summary"),
        ("filter", "audit_merge"),
        ("filter", "audit_junit"),
        ("filter", "audit_page"),
        ("filter", "audit_metrics"),
    ],
)
def test_audit_filters_need_neither_requests_nor_ssl(module: str, name: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", IMPORT.format(module=module, name=name)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"plugins.{module}.{name}\n")


def test_the_fields_of_a_finding_are_keys_of_results() -> None:
    objects = ["vhost", "application", "push_task", "record", "stream", "channel"]
    keys = ["severity", "kind", "message", *objects, "endpoint", "field", "found", "wanted", "vhosts"]
    assert list(Finding("info", "x", "y")._asdict()) == keys
