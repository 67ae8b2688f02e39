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
        "_core/b.py": layers.File(351, {"_core/a.py"}, {"x._core"}, {"ansible.errors"}),
        "_http/c.py": layers.File(350, set(), set(), set()),
        "_runtime/d.py": layers.File(1, {"_http/c.py"}, set(), {"ansible.errors"}),
        "_runtime/secrets.py": layers.File(1, set(), set(), set()),
        "e.py": layers.File(1, set(), set(), set()),
    }
    found = [line.split()[0] for line in layers.violations(files)]
    assert found == ["e.py", "_core/a.py", "files", *["_core/b.py"] * 3, "_runtime/secrets.py"]


def test_no_resource_needs_much_code() -> None:
    sizes = layers.resources()
    assert min(code for code, _lines in sizes.values()) > 0
    assert {name: code for name, (code, _lines) in sizes.items() if code > layers.MOST_FOR_A_RESOURCE} == {}


def test_each_resource_has_the_files_of_its_modules() -> None:
    channels = ["_api/channels.py", "_operations/channels.py", "_reconcile/channels.py", "_resources/channels.py"]
    found = layers.files_of_resources()
    assert {layer for names in found.values() for layer in map(layers.layer, names)} == set(layers.OF_RESOURCES)
    assert found["record"] == ["_operations/record_info.py", "_operations/records.py", "_resources/record.py"]
    assert found["scheduled_channel"] == [*channels, "_resources/scheduled_channel.py"]
    assert found["stream_stt"] == ["_api/stream_actions.py", "_operations/stream_actions.py"]
    assert found["server_info"] == [
        "_api/current_statistics.py",
        "_operations/server_info.py",
        "_resources/current_statistics.py",
    ]
    every = {layers.resource_of(module, layers.modules()) for module in layers.modules()}
    assert every - set(found) == {*layers.CONTAINERS, *layers.NO_RESOURCES} <= set(layers.modules())


def test_blank_lines_comments_and_docstrings_are_no_code() -> None:
    text = '"""Say what it is."""\n\n# Why.\nONE = 1\n"""One."""\n\n\ndef two() -> str:\n    """Return 2."""\n'
    assert layers.lines_of_code(text + '    return """\n2"""  # the number\n') == 4
