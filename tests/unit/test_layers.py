# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""plugins/module_utils follows the rules of its layers, and the check finds each violation."""

from __future__ import annotations

from ansible_collections.streamops.ovenmediaengine.tests import layers


def test_layers_import_downwards_without_cycles() -> None:
    assert layers.violations(layers.read()) == []


def test_each_violation_is_found() -> None:
    files = {
        "_core/a.py": layers.File(1, {"_core/b.py", "_http/c.py"}, set(), set()),
        "_core/b.py": layers.File(601, {"_core/a.py"}, {"x._core"}, {"ansible.errors"}),
        "_http/c.py": layers.File(600, set(), set(), set()),
        "_runtime/d.py": layers.File(1, {"_http/c.py"}, set(), {"ansible.errors"}),
        "_runtime/secrets.py": layers.File(1, set(), set(), set()),
        "e.py": layers.File(1, set(), set(), set()),
    }
    found = [line.split()[0] for line in layers.violations(files)]
    assert found == ["e.py", "_core/a.py", "files", *["_core/b.py"] * 3, "_runtime/secrets.py"]
