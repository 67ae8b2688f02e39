# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module server is killed while it changes a server: the next run leaves one server with the new files.

tests/unit/plugins/modules/test_server.py kills it before each call, with a fake in place of systemd.
"""

from __future__ import annotations

import pytest

from .guest import Guest
from .media import Media

PYTHON, PATCHES, COUNT, STEP = "/root/killed", "/root/killed.d", "/root/killed.count", "/root/killed.step"
PATCH = f"""\
import os, signal, subprocess, sys

if os.path.exists("{STEP}"):
    last, count = int(open("{STEP}").read()), [0]

    def counted(function):
        def call(*arguments, **options):
            count[0] += 1
            with open("{COUNT}", "w") as file:
                file.write(str(count[0]))
            if count[0] == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)

        return call

    for module, name in ((os, "replace"), (os, "rename"), (subprocess, "run")):
        setattr(module, name, counted(getattr(module, name)))
"""
"""Kills a program of Python before a call: of those that put files into place, and run programs of the host."""
STEPS = 6
"""Kills for each server."""


@pytest.fixture
def killer(guest: Guest, media: Media) -> None:
    """Let Ansible run modules by a Python that can be killed."""
    guest.run("mkdir", "--parents", PATCHES)
    guest.write(f"{PATCHES}/sitecustomize.py", PATCH)
    guest.write(PYTHON, f'#!/bin/sh\nPYTHONPATH={PATCHES} exec python3 "$@"\n')
    guest.run("chmod", "755", PYTHON)
    media.variables["ansible_python_interpreter"] = PYTHON


def _killed_at(media: Media, step: int, name: str) -> int:
    """Play the role with another name of the server, and kill the module; return its steps."""
    media.guest.write(STEP, str(step))
    run = media.play(server_settings=media.settings(name=name), server_restart="always")
    media.guest.run("rm", STEP)
    assert (run.status != 0) == bool(step), run.output
    return int(media.guest.run("cat", COUNT))


@pytest.mark.chosen("compose", "systemd")
def test_the_next_run_completes_what_a_killed_one_has_begun(media: Media, killer: None) -> None:
    assert "started" in media.apply()
    whole = _killed_at(media, 0, "whole")
    assert whole > STEPS
    for step in range(1, whole + 1, -(-whole // STEPS)):
        name = f"step-{step}"
        _killed_at(media, step, name)
        run = media.play(server_settings=media.settings(name=name), server_restart="always")
        assert run.status == 0, run.output
        assert media.has_its_vhosts()
        assert f"<Name>{name}</Name>" in media.guest.run("cat", f"{media.config}/Server.xml")
        again = media.play(server_settings=media.settings(name=name), server_restart="always")
        assert again.summary(media.name) == f"server {media.version}: files changed: 0; no restart needed", again.output
