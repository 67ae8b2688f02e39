# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role watch and its watcher show no secret, and only files that nobody else can read have one."""

from __future__ import annotations

import json
import stat

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator

from .conftest import Project
from .media_host import with_fakes
from .secret_scan import Canaries, Scanner, describe
from .secret_scan_cases import Objects
from .test_role_watch import PLAYBOOK, UNIT, Watched

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize(
    "hard", [pytest.param(False, marks=pytest.mark.long, id="plain"), pytest.param(True, id="hard")]
)
def test_the_role_watch_shows_no_secret(hard: bool, project: Project) -> None:
    canary = Canaries(hard, "watch")
    mine = Objects(canary, "first")
    token = mine.secret("api token", "ascii")
    printed = []
    with Simulator(token=token, stop_delay=0.2) as sim, FakeHost(project.directory / "host") as host:
        watched = Watched(project, host, {"media-1": sim})
        watched.variables.update(
            ovenmediaengine_api_token=token,
            ovenmediaengine_http_headers={"X-Gateway-Key": mine.secret("header", "ascii").strip()},
            ovenmediaengine_vhosts=[mine.entry("t-a")],
            ovenmediaengine_push_tasks=mine.tasks("t-a"),
        )
        watched.variables.pop("ovenmediaengine_applications")
        # As an own file, because the inventory has the templates of the test beside the secrets.
        secrets = {name: watched.variables.pop(name) for name in list(watched.variables) if name.startswith("oven")}
        extra = project.directory / "extra.json"
        extra.write_text(json.dumps(secrets), encoding="utf-8")
        inventory = project.directory / "inventory.json"
        inventory.write_text(json.dumps({"all": {"hosts": watched.hosts, "vars": watched.variables}}), encoding="utf-8")

        def play(*arguments: str, status: int = 0) -> None:
            run = project.play(
                PLAYBOOK,
                *("-i", "inventory.json", "-e", f"@{extra}", "--diff", "-vvvv", *arguments),
                **with_fakes(project, host),
            )
            printed.append(run.output)
            assert run.status == status, run.output[-3000:]

        play()
        play("-e", "watch_python=/usr/bin/false", status=2)
        for fault in ("", "unauthorized", "reset", ""):
            sim.restart()
            (watched.directory() / "backoff.json").unlink(missing_ok=True)
            if fault:
                sim.inject(fault)
            host.elapse(UNIT)
        printed += [*host.log(f"{UNIT}.service"), json.dumps(host.calls())]
        assert len(host.log(f"{UNIT}.service")) > 20
        scanner = Scanner(canary.secrets)
        leaks = [leak for number, text in enumerate(printed) for leak in scanner.scan(text, f"output {number}")]
        assert not leaks, describe(leaks)
        folders = (watched.root, host.unit_dir)
        holding = {leak.place for leak in scanner.scan_files(*folders)[0]}
        assert {place.rpartition("/")[2] for place in holding} == {"inventory.yml", "watch.json"}
        modes = {stat.S_IMODE((watched.root.parent / place).stat().st_mode) for place in holding}
        assert modes == {0o600}
