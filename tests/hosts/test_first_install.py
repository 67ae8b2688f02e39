# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role server on a new real host, when the first start fails: the reason is named, and the next run installs."""

from __future__ import annotations

import typing as t

import pytest

from .images import DIRECTORY
from .media import Media

BROKEN = "/opt/broken"
TAKER = "port-taker"
STATUSES = (0, 1, 11)
chosen = pytest.mark.chosen("quadlet")


def start_fails(media: Media, **variables: t.Any) -> str:
    """Run the role with a server that does not start. :returns: what the role says; nothing runs, and nothing waits."""
    run = media.play(server_start_wait=20, **variables)
    assert run.status == 2, run.output
    assert media.started() == ""
    if media.backend != "compose":
        assert media.show("ActiveState") in ("inactive", "failed")
    return run.failure(media.name)


def program(media: Media, name: str, text: str) -> dict[str, str]:
    """Return the variables of a server that is a program of the host, which is written first."""
    media.guest.run("mkdir", "-p", BROKEN)
    media.guest.run("sh", "-c", f"cat >{BROKEN}/{name} && chmod 755 {BROKEN}/{name}", stdin=text)
    return {"server_binary": f"{BROKEN}/{name}"}


class TestFirstInstall:
    """Each test fails to install, and the last one does it."""

    @chosen
    def test_a_missing_image(self, media: Media) -> None:
        if media.backend == "systemd":
            refused = media.play(server_binary=f"{BROKEN}/missing")
            assert f"{BROKEN}/missing is no program that can be run." in refused.failure(media.name)
        else:
            refused = media.play(server_image_tag="missing")
            assert "The image localhost/ovenmediaengine:missing could not be pulled: " in refused.failure(media.name)
        assert refused.status == 2 and "Nothing was changed." in refused.failure(media.name), refused.output
        assert not [line for line in media.files() if "Server.xml" in line]

    @pytest.mark.parametrize("status", STATUSES)
    def test_a_server_that_ends(self, media: Media, status: int) -> None:
        if media.backend == "systemd":
            variables = program(media, f"exit-{status}", f"#!/bin/sh\nexit {status}\n")
        else:
            variables = {"server_image_tag": f"exit-{status}"}
        text = start_fails(media, **variables)
        assert f"It ended with exit status {status}." in text, text
        assert "The server was stopped, because there was nothing to put back." in text

    def test_a_program_that_cannot_be_run(self, media: Media) -> None:
        if media.backend == "systemd":
            text = start_fails(media, **program(media, "interpreter", "#!/missing/interpreter\n"))
            assert "It ended with exit status 203." in text, text
        else:
            text = start_fails(media, server_binary=f"{DIRECTORY}/origin_conf")
            assert "permission denied" in text.lower() or "is a directory" in text.lower(), text

    @chosen
    def test_a_port_that_is_taken(self, media: Media) -> None:
        media.guest.run("systemd-run", f"--unit={TAKER}", "--quiet", "python3", "-m", "http.server", str(media.port))
        try:
            text = start_fails(media)
        finally:
            media.guest.run("systemctl", "stop", f"{TAKER}.service")
        assert "Could not open the ports of the server" in text, text

    @chosen
    def test_the_corrected_run(self, media: Media) -> None:
        summary = media.apply()
        assert "; started (the server does not run)" in summary
        assert media.has_its_vhosts()
        media.unchanged()
