# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module server is killed while it changes a server: the next run leaves one server with the new files.

tests/unit/plugins/modules/test_server.py kills it before each call, with a fake in place of systemd.
"""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import Run

from .killing import Killer
from .media import Media

STEPS = 6
"""Kills for each server."""


@pytest.mark.chosen("compose", "systemd")
def test_the_next_run_completes_what_a_killed_one_has_begun(media: Media) -> None:
    assert "started" in media.apply()
    killer = Killer(media)

    def named(name: str) -> t.Callable[[], Run]:
        """Return a play that gives the server another name."""
        return lambda: media.play(server_settings=media.settings(name=name), server_restart="always")

    whole = killer.killed_at(0, named("whole"))
    assert whole > STEPS
    for step in range(1, whole + 1, -(-whole // STEPS)):
        name = f"step-{step}"
        killer.killed_at(step, named(name))
        run = named(name)()
        assert run.status == 0, run.output
        assert media.has_its_vhosts()
        assert f"<Name>{name}</Name>" in media.guest.run("cat", f"{media.config}/Server.xml")
        again = named(name)()
        assert again.summary(media.name) == f"server {media.version}: files changed: 0; no restart needed", again.output
