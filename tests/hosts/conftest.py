# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One guest for all tests, and on it one media server at a time."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.e2e.conftest import Project
from ansible_collections.streamops.ovenmediaengine.tests.simulator.versions import NEWEST
from ansible_collections.streamops.ovenmediaengine.tools import fresh

from . import images
from .guest import Guest
from .media import BINARY, UNIT, Media

BACKENDS = ("quadlet", "compose", "systemd")


@pytest.fixture(scope="session")
def guest() -> t.Iterator[Guest]:
    """Provide a host with the images of both engines and the binary."""
    try:
        new = Guest.new()
    except fresh.Unusable as error:
        pytest.skip(str(error))
    images.install(new.root, BINARY, NEWEST)
    images.pack(new)
    with new:
        for engine in ("podman", "docker"):
            images.load(new, engine)
        yield new


@pytest.fixture(scope="class", params=BACKENDS)
def media(guest: Guest, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Media]:
    """Provide a media server that is not installed yet, and uninstall it after the last test of a class."""
    found = Media(guest, Project(tmp_path_factory.mktemp(request.param)), request.param)
    yield found
    removed = found.play(server_state="absent", server_restart="always")
    assert removed.status == 0, removed.output
    assert guest.run("systemctl", "list-units", "--failed", "--plain", "--no-legend", f"{UNIT}*") == ""
