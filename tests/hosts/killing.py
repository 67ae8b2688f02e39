# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kill a module on a host before one of its steps: calls that change something, or talk to somebody."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import Run

from .media import Media

PYTHON, PATCHES, COUNT, STEP = "/root/killed", "/root/killed.d", "/root/killed.count", "/root/killed.step"
PATCH = f"""\
import os, signal, socket, subprocess, sys

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

    for holder, names in ((os, ("replace", "rename", "link")), (subprocess, ("run",)), (socket.socket, ("sendall",))):
        for name in names:
            setattr(holder, name, counted(getattr(holder, name)))
"""
"""Kills a program of Python before a call: of those that put files into place, run programs or send requests."""


class Killer:
    """Lets Ansible run modules on the host of a server by a Python that can be killed."""

    def __init__(self, media: Media) -> None:
        self._guest = media.guest
        self._guest.run("mkdir", "--parents", PATCHES)
        self._guest.write(f"{PATCHES}/sitecustomize.py", PATCH)
        self._guest.write(PYTHON, f'#!/bin/sh\nPYTHONPATH={PATCHES} exec python3 "$@"\n')
        self._guest.run("chmod", "755", PYTHON)
        media.variables["ansible_python_interpreter"] = PYTHON

    def killed_at(self, step: int, play: t.Callable[[], Run]) -> int:
        """Play, and kill the module before this step, from 1 on; 0 kills none. Return how many steps it began."""
        self._guest.write(STEP, str(step))
        run = play()
        self._guest.run("rm", STEP)
        assert (run.status != 0) == bool(step), run.output
        return int(self._guest.run("cat", COUNT))
