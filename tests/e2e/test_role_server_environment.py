# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The role server: environment variables, which its configuration uses as macros."""

from __future__ import annotations

import pathlib
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.fakes import FakeHost
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST

from .conftest import Project
from .media_host import BROKEN, Media, changed, verify_compose, verify_unit

# What shells and units give a meaning.
VALUES = {
    "PLAIN": "origin.example.com:9000",
    "QUOTED": "canary \"two\" 'one' $HOME ${HOME} %h #hash \\n ; end",
    "HASH": "canary#1 #2",
    "PATH_OF_WINDOWS": "C:\\conf\\",
    "NUMBER": 7,
    "EMPTY": "",
}


@pytest.fixture
def host(project: Project) -> t.Iterator[FakeHost]:
    """Provide a host with nothing on it."""
    with FakeHost(project.directory / "host") as fake:
        yield fake
        assert fake.failures() == []


def environment_of(pid: int) -> dict[str, str]:
    """Return the environment of a process."""
    entries = pathlib.Path(f"/proc/{pid}/environ").read_text(encoding="utf-8").split("\0")
    return dict(t.cast("tuple[str, str]", tuple(entry.split("=", 1))) for entry in entries if entry)


def with_macro(media: Media, **more: str) -> None:
    """Give the API a port that only an environment variable has."""
    settings = media.settings()
    settings["bind"]["managers"]["api"]["port"] = "${env:API_PORT}"
    values = {**VALUES, **more, "API_PORT": media.port}
    media.variables.update(server_settings=settings, server_environment=values)


@pytest.mark.long
@pytest.mark.parametrize(
    "backend", ["quadlet", *(pytest.param(name, marks=pytest.mark.long) for name in ("systemd", "compose"))]
)
def test_the_server_gets_the_variables_as_they_are(project: Project, host: FakeHost, backend: str) -> None:
    media = Media(project, host, backend)
    with_macro(media)
    file = media.root / "data/.ansible/environment"
    before = media.files()
    checked = media.play("--check", "--diff")
    assert checked.status == 0, checked.output
    assert media.files() == before

    installed = media.play("--diff", "-vvv")
    assert installed.status == 0, installed.output
    (verify_compose if backend == "compose" else verify_unit)(media.unit_file)
    assert str(file) in media.unit_file.read_text(encoding="utf-8")
    assert "canary" not in media.unit_file.read_text(encoding="utf-8")
    assert file.stat().st_mode & 0o777 == 0o600
    expected = {**{name: str(value) for name, value in VALUES.items()}, "API_PORT": str(media.port)}
    assert expected.items() <= environment_of(media.pid()).items()
    again = media.play()
    assert again.status == 0 and changed(again) == [], again.output

    pid = media.pid()
    with_macro(media, PLAIN="another.example.com:9000")
    predicted = media.play("--check")
    assert "restarted (environment has changed)" in predicted.summary("media-1")
    restarted = media.play("--diff")
    assert restarted.status == 0, restarted.output
    assert restarted.summary("media-1") == f"server {NEWEST}: files changed: 0; restarted (environment has changed)"
    assert environment_of(media.pid())["PLAIN"] == "another.example.com:9000" and media.pid() != pid

    removed = media.play(server_state="absent")
    assert removed.status == 0, removed.output
    assert not file.exists()


@pytest.mark.long
def test_without_variables_there_is_no_file(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    with_macro(media)
    assert media.play().status == 0
    media.variables.update(server_settings=media.settings(), server_environment={})
    restarted = media.play()
    assert restarted.status == 0, restarted.output
    assert "environment was removed" in restarted.summary("media-1")
    assert not (media.root / "data/.ansible/environment").exists()
    assert "EnvironmentFile" not in media.unit_file.read_text(encoding="utf-8")
    assert "PLAIN" not in environment_of(media.pid())
    again = media.play()
    assert again.status == 0 and changed(again) == [], again.output


@pytest.mark.long
def test_a_failed_start_puts_the_old_variables_back(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    with_macro(media)
    assert media.play().status == 0
    media.variables["server_settings"].update(BROKEN)
    media.variables["server_environment"] = {**media.variables["server_environment"], "NEW": "canary"}
    failed = media.play(server_start_wait=1)
    assert failed.status != 0
    assert "were put back, and the server runs" in failed.output, failed.output
    environment = environment_of(media.pid())
    assert environment["API_PORT"] == str(media.port) and "NEW" not in environment


def test_variables_are_checked_before_anything_changes(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "compose")
    before = media.files()
    media.variables["server_environment"] = {
        "BAD NAME": "x",
        "LIST": ["canary-list"],
        "LINES": "canary-1\ncanary-2",
        "BACKSLASH": "canary 'x \\",
    }
    refused = media.play()
    assert refused.status != 0
    for text in (
        "server_environment: expected names of letters, digits and '_', got 'BAD NAME'.",
        "server_environment.LIST: expected a text or a number.",
        "server_environment.LINES: expected one line, without line breaks and other control characters.",
        "server_environment.BACKSLASH: expected no backslash at the end",
    ):
        assert text in " ".join(refused.output.split()), refused.output
    assert media.files() == before


def test_variables_without_a_value_are_named_before_the_start(project: Project, host: FakeHost) -> None:
    media = Media(project, host, "systemd")
    media.variables["server_settings"] = media.settings(name="${env:NAME}", stun_server="${env:STUN:a.example.com:1}")
    checked = media.play("--check")
    assert checked.status == 0, checked.output
    text = "uses environment variables that have neither a default nor a value: NAME"
    assert text in checked.summary("media-1")
