# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The check of the artifact finds what is missing and what users do not need."""

from __future__ import annotations

import importlib
import io
import pathlib
import tarfile
import types

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"
FILES = {
    "README.md": b"read me",
    "plugins/modules/vhost.py": b"a module",
    "roles/audit/templates/audit.html.j2": b"a page",
    "extensions/eda/plugins/event_source/alert.py": b"an event source",
    "extensions/eda/plugins/plugin_utils/events.py": b"its code",
    "extensions/eda/rulebooks/push_watch.yml": b"a rulebook",
    "docs/metrics/alerts.yml": b"alert rules",
    "tests/config.yml": b"settings",
}


@pytest.fixture(name="checks")
def _checks(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("artifact")


def build(path: pathlib.Path, files: dict[str, bytes]) -> None:
    """Write an artifact as ansible-galaxy does."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in {"MANIFEST.json": b"{}", "FILES.json": b"{}", **files}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


@pytest.fixture(name="artifact")
def _artifact(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "artifact.tar.gz"
    build(path, FILES)
    return path


def test_an_artifact_of_what_users_need_is_accepted(checks: types.ModuleType, artifact: pathlib.Path) -> None:
    assert (
        checks.contents(
            artifact, {*FILES, "Makefile", "tests/wire/0.20.0.json", "playbooks/files/awx/project/audit.yml"}
        )
        == []
    )


@pytest.mark.parametrize(
    "name",
    [
        "tests/wire/0.20.0.json",
        "tests/conftest.py",
        "plugins/modules/vhost.pyc",
        "playbooks/files/awx/project/audit.yml",
        "Makefile",
    ],
)
def test_unneeded_files_are_named(checks: types.ModuleType, tmp_path: pathlib.Path, name: str) -> None:
    build(tmp_path / "a.tar.gz", {**FILES, name: b"more"})
    assert checks.contents(tmp_path / "a.tar.gz", set()) == [name + " is in the artifact, and users do not need it"]


def test_a_missing_plugin_is_named(checks: types.ModuleType, artifact: pathlib.Path) -> None:
    assert checks.contents(artifact, {*FILES, "plugins/modules/vhosts.py"}) == [
        "plugins/modules/vhosts.py is not in the artifact"
    ]


def test_a_large_artifact_is_refused(
    checks: types.ModuleType, artifact: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = artifact.stat().st_size
    monkeypatch.setattr(checks, "LARGEST", size - 1)
    assert checks.contents(artifact, set()) == [
        "artifact.tar.gz has %d bytes; at most %d are expected" % (size, size - 1)
    ]
