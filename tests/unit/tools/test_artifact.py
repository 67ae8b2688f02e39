# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The checks of the artifact find what has been lost, changed or added."""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import pathlib
import tarfile
import types

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[3] / "tools"
FILES = {"README.md": b"read me", "plugins/modules/vhost.py": b"a module", "roles/audit/templates/audit.html.j2": b"a page", "tests/config.yml": b"settings"}


@pytest.fixture(name="checks")
def _checks(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module("artifact")


def build(path: pathlib.Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """Writes an artifact as ansible-galaxy does, and returns all that it holds."""
    entries = [{"name": name, "ftype": "file", "chksum_sha256": hashlib.sha256(content).hexdigest()} for name, content in files.items()]
    listing = json.dumps({"files": [{"name": ".", "ftype": "dir", "chksum_sha256": None}, *entries]}).encode()
    manifest = {"file_manifest_file": {"name": "FILES.json", "ftype": "file", "chksum_sha256": hashlib.sha256(listing).hexdigest()}}
    held = {"MANIFEST.json": json.dumps(manifest).encode(), "FILES.json": listing, **files}
    with tarfile.open(path, "w:gz") as archive:
        for name, content in held.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return held


@pytest.fixture(name="artifact")
def _artifact(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "artifact.tar.gz"
    for name, content in build(path, FILES).items():
        file = tmp_path / "installed" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return path


def test_what_is_installed_with_the_tests_beside_it_is_the_artifact(checks: types.ModuleType, artifact: pathlib.Path) -> None:
    place = artifact.parent / "installed"
    for name in ("tests/integration/targets/vhost/tasks/main.yml", ".git/config", "plugins/modules/__pycache__/vhost.cpython-312.pyc"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text("beside it", encoding="utf-8")
    assert checks.installed(artifact, place) == []


@pytest.mark.parametrize("name", [*FILES, "FILES.json", "MANIFEST.json"])
def test_each_file_that_is_lost_or_changed_is_named(checks: types.ModuleType, artifact: pathlib.Path, name: str) -> None:
    place = artifact.parent / "installed"
    (place / name).write_bytes(b"changed")
    assert checks.installed(artifact, place) == [name + " is not the artifact's"]
    (place / name).unlink()
    assert checks.installed(artifact, place) == [name + " is missing"]


@pytest.mark.parametrize("name", ["plugins/modules/vhosts.py", "galaxy.yml", "roles/audit/tests/main.yml"])
def test_what_is_added_anywhere_but_in_tests_is_named(checks: types.ModuleType, artifact: pathlib.Path, name: str) -> None:
    path = artifact.parent / "installed" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"added")
    assert checks.installed(artifact, artifact.parent / "installed") == [name + " is not from the artifact"]


def test_an_artifact_of_what_users_need_is_accepted(checks: types.ModuleType, artifact: pathlib.Path) -> None:
    assert checks.contents(artifact, {*FILES, "Makefile", "tests/wire/0.20.0.json", "playbooks/files/awx/project/audit.yml"}) == []


@pytest.mark.parametrize(
    "name", ["tests/wire/0.20.0.json", "tests/conftest.py", "plugins/modules/vhost.pyc", "playbooks/files/awx/project/audit.yml", "Makefile"]
)
def test_what_users_do_not_need_is_named(checks: types.ModuleType, tmp_path: pathlib.Path, name: str) -> None:
    build(tmp_path / "a.tar.gz", {**FILES, name: b"more"})
    assert checks.contents(tmp_path / "a.tar.gz", set()) == [name + " is in the artifact, and users do not need it"]


def test_a_plugin_that_is_left_out_is_named(checks: types.ModuleType, artifact: pathlib.Path) -> None:
    assert checks.contents(artifact, {*FILES, "plugins/modules/vhosts.py"}) == ["plugins/modules/vhosts.py is not in the artifact"]


def test_a_large_artifact_is_refused(checks: types.ModuleType, artifact: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = artifact.stat().st_size
    monkeypatch.setattr(checks, "LARGEST", size - 1)
    assert checks.contents(artifact, set()) == ["artifact.tar.gz has %d bytes; at most %d are expected" % (size, size - 1)]
