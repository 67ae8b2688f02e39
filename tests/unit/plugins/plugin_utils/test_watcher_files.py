# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings and the inventory of a watcher."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._watcher_files import watcher_files

ROOT = Path(__file__).resolve().parents[4]
TIMES = {"timeout": 5, "run_timeout": 300, "retry_seconds": 30, "retry_max_seconds": 600}
PLACE = {"directory": "/var/lib/w", "python": "/usr/bin/python3"}
CONNECTION = {"ovenmediaengine_api_url": "http://127.0.0.1:8081", "ovenmediaengine_api_token": "canary"}


def files(**options: Any) -> tuple[dict[str, Any], str]:
    """Return the settings and the text of the inventory."""
    variables = {**CONNECTION, **options.pop("variables", {})}
    texts = watcher_files("media-1", variables, **{**PLACE, **TIMES, **options})
    return json.loads(texts["settings"]), texts["inventory"]


def test_the_program_gets_all_settings_that_it_reads() -> None:
    settings, _inventory = files(variables={"ovenmediaengine_http_headers": {"X-Key": 1}})
    program = (ROOT / "roles/watch/files/watch.py").read_text(encoding="utf-8")
    read = {name for name in settings if f'settings["{name}"]' in program}
    assert read == set(settings)
    assert settings["api_token"] == "canary" and settings["http_headers"] == {"X-Key": "1"}
    assert settings["validate_certs"] is True and settings["ca_path"] is None


def test_no_secret_is_an_argument() -> None:
    settings, inventory = files(variables={"ovenmediaengine_push_tasks": [{"stream_key": "canary"}]})
    assert not any("canary" in word for word in settings["command"]) and inventory.count("canary") == 2


def test_nothing_is_deleted_by_a_watcher() -> None:
    spec = yaml.safe_load((ROOT / "roles/provision/meta/argument_specs.yml").read_text(encoding="utf-8"))
    options = spec["argument_specs"]["main"]["options"]
    deleting = {name for name in options if "purge" in name or "recreate" in name}
    settings, inventory = files(variables=dict.fromkeys(deleting, True))
    assert len(deleting) == 8 and json.loads(settings["command"][-1]) == dict.fromkeys(deleting, False)
    assert not any(name in inventory for name in deleting)


@pytest.mark.parametrize(
    ("inventory", "expected"), [("", "/var/lib/w/inventory.yml"), ("/srv/inventory.yml", "/srv/inventory.yml")]
)
def test_the_playbook_is_limited_to_the_server(inventory: str, expected: str) -> None:
    settings, _inventory = files(inventory=inventory, arguments=["--forks=1"])
    command = settings["command"]
    assert command[:5] == ["/usr/bin/python3", "-m", "ansible", "playbook", "streamops.ovenmediaengine.provision"]
    assert command[5:10] == ["-i", expected, "--limit", "media-1", "--forks=1"]


class Unsafe(str):
    """A text that Ansible does not render."""


class Reader(yaml.SafeLoader):
    """Reads YAML with the tag of Ansible."""


Reader.add_constructor("!unsafe", lambda _loader, node: Unsafe(node.value))


def test_texts_are_read_as_they_are() -> None:
    texts = ["{{ x }}", "{% x %}", "{# x #}", "yes", "1.0", "a: b", "\u00e4\n\u2028", "!unsafe x"]
    _settings, inventory = files(variables={"ovenmediaengine_records": texts, "ovenmediaengine_timeout": None})
    host = yaml.load(inventory, Loader=Reader)["all"]["hosts"]["media-1"]
    found = host.pop("ovenmediaengine_records")
    assert found == texts and [isinstance(text, Unsafe) for text in found] == [True] * 3 + [False] * 5
    assert host == {
        **CONNECTION,
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
    }


@pytest.mark.parametrize(
    ("text", "expected"), [("no", False), ("false", False), ("0", False), ("yes", True), (True, True)]
)
def test_a_boolean_that_is_a_text_is_one(text: Any, expected: bool) -> None:
    """An inventory in INI format and the command line have texts."""
    assert files(variables={"ovenmediaengine_validate_certs": text})[0]["validate_certs"] is expected


def test_a_text_that_is_no_boolean_does_not_turn_off_the_verification() -> None:
    with pytest.raises(TypeError):
        files(variables={"ovenmediaengine_validate_certs": "maybe"})
