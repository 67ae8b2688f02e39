# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Relative paths of files on the controller mean the same in both execution paths, wherever the command was started."""

from __future__ import annotations

import json
import typing as t

import pytest

from .conftest import BOTH_PATHS, LOCAL, Project
from .rotation import authority

pytestmark = pytest.mark.exhaustive

# In the order in which they are looked for.
PLACES = ("plays/files", "plays", "inventory/files", "inventory", "files", ".")


def test_relative_paths_resolve_on_the_controller(project: Project) -> None:
    wanted = []
    for number, place in enumerate(PLACES):
        folder = project.directory / place
        folder.mkdir(parents=True, exist_ok=True)
        pair = authority().issue(f"{number}.example.com")
        wanted.append(pair.fingerprint)
        # Also where a place is looked at later, to see that the first one counts.
        for other in PLACES[number:]:
            (project.directory / other).mkdir(parents=True, exist_ok=True)
            (project.directory / other / f"{number}.pem").write_bytes(pair.certificate if other == place else b"canary")
    task = {
        "streamops.ovenmediaengine.certificate_info": {"certificate": "{{ item }}", "chain_ca_path": "{{ item }}"},
        "loop": [f"{number}.pem" for number in range(len(PLACES))],
        "register": "found",
    }
    show: dict[str, t.Any] = {
        "ansible.builtin.debug": {
            "msg": "{{ found.results | map(attribute='certificates') | map('first') | "
            "map(attribute='fingerprint') | join(' ') }}",
        }
    }
    missing = {"streamops.ovenmediaengine.certificate_info": {"certificate": "nowhere.pem"}, "register": "nowhere"}
    say = {"ansible.builtin.debug": {"msg": "{{ nowhere.problems[0].text }}"}}
    environment = {
        "streamops.ovenmediaengine.vhost_info": {
            "api_url": "https://127.0.0.1:9",
            "api_token": "canary",
            "retries": 0,
        },
        "ignore_errors": True,
        "register": "by_environment",
    }
    tell = {"ansible.builtin.debug": {"msg": "CA: {{ by_environment.error.kind }}"}}
    play = {"hosts": "all", "gather_facts": False, "tasks": [task, show, missing, say, environment, tell]}
    (project.directory / "plays/play.json").write_text(json.dumps([play]), encoding="utf-8")
    hosts = {name: {**LOCAL, **path} for name, path in BOTH_PATHS.items()}
    (project.directory / "inventory/hosts.json").write_text(json.dumps({"all": {"hosts": hosts}}), encoding="utf-8")
    run = project.play("plays/play.json", "-i", "inventory/hosts.json", OVENMEDIAENGINE_CA_PATH="3.pem")
    assert run.status == 0, run.output
    for text in (" ".join(wanted), f"The file {project.directory}/plays/nowhere.pem does not exist.", "CA: refused"):
        assert run.output.count(f'"msg": "{text}') == len(BOTH_PATHS), run.output
