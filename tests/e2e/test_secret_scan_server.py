# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role server shows no secret, and only files that nobody else can read have one."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost

from .conftest import Project
from .media_host import BROKEN, Media
from .secret_scan import Canaries, Scanner, describe
from .secret_scan_cases import Objects

pytestmark = pytest.mark.long


def _variables(media: Media, canary: Canaries, whose: str) -> dict[str, t.Any]:
    """Return variables with secrets in all places of a server's configuration."""
    mine = Objects(canary, whose)
    own = {name: value for name, value in mine.server().items() if name not in ("bind", "managers", "extra")}
    settings = media.settings(**own)
    for part, value in mine.server()["bind"].items():
        settings["bind"][part] = {**settings["bind"][part], **value}
    # A server does not start with elements that it does not know.
    vhost = mine.entry("t-a")
    for app in vhost["applications"]:
        del app["publishers"]["llhls"]["extra"]
    return {
        "ovenmediaengine_api_token": mine.secret("api token", "ascii"),
        "server_settings": settings,
        "ovenmediaengine_vhosts": [vhost],
        "ovenmediaengine_push_tasks": mine.tasks("t-a"),
        "ovenmediaengine_records": mine.records("t-a"),
    }


def test_the_role_server_shows_no_secret(project: Project) -> None:
    canary = Canaries(False, "role")
    printed = []
    with FakeHost(project.directory / "host") as host:
        media = Media(project, host, "quadlet")
        first, second = (_variables(media, canary, whose) for whose in ("first", "second"))

        def run(*arguments: str, status: int = 0) -> None:
            done = media.play("--diff", "-vvvv", *arguments)
            printed.append(done.output)
            assert done.status == status, done.output[-3000:]

        media.variables.update(first)
        run("--check")
        run()
        media.variables.update(
            second, server_restart="always", server_previous_api_token=first["ovenmediaengine_api_token"]
        )
        run("--check")
        run()
        # The role refuses this element.
        media.variables["server_settings"] = {
            **second["server_settings"],
            "extra": {"bogus": {"token": canary("bogus")}},
        }
        run(status=2)
        # The server refuses this one, so that the role puts the files back that it had.
        media.variables["server_settings"] = {**second["server_settings"], **BROKEN}
        run(status=2)
        assert host.failures() == []
    scanner = Scanner(canary.secrets)
    leaks = [leak for number, text in enumerate(printed) for leak in scanner.scan(text, f"output of run {number}")]
    assert not leaks, describe(leaks)
    assert all("********" in text for text in printed)
    holding = {leak.place for leak in scanner.scan_files(media.root, host.unit_dir, host.quadlet_dir)[0]}
    readable = [place for place in sorted(holding) if (media.root.parent / place).stat().st_mode & 0o077]
    assert any(place.endswith("config/Server.xml") for place in holding) and readable == []
