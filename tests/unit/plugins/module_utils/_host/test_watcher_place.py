# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What of a directory and of the units belongs to a watcher, and why they cannot be used."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host import watcher_place
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host.watcher_place import Place, uid_of

SETTINGS = '{\n  "name": "media-1",\n  "api_token": "canary"\n}\n'
SERVICE = "[Unit]\nDescription=Restore OvenMediaEngine on media-1 after a restart\n"
TIMER = "[Unit]\nDescription=Watch OvenMediaEngine on media-1\n"
USER = getpass.getuser()


class Host:
    """A directory of a watcher, and one of units."""

    def __init__(self, root: Path) -> None:
        self.directory, self.units = root / "w", root / "units"
        self.units.mkdir()

    def write(self, *names: str, settings: str | None = SETTINGS) -> None:
        """Make the directory with files."""
        self.directory.mkdir(mode=0o700, exist_ok=True)
        for name in names:
            (self.directory / name).write_text("x", encoding="utf-8")
        if settings is not None:
            (self.directory / "watch.json").write_text(settings, encoding="utf-8")

    def write_units(self, service: str = SERVICE, timer: str | None = TIMER) -> None:
        """Write the units."""
        (self.units / "w-1.service").write_text(service, encoding="utf-8")
        if timer is not None:
            (self.units / "w-1.timer").write_text(timer, encoding="utf-8")

    def place(self, directory: Path | str | None = None) -> Place:
        """Return what is there."""
        return Place("media-1", str(directory or self.directory), "w-1", str(self.units))

    def refused(self, directory: Path | str | None = None, *, present: bool = True, inventory: str = "") -> str:
        """Return why it cannot be used; empty if it can."""
        try:
            self.place(directory).check(USER, inventory, present=present)
        except BadInput as error:
            assert "canary" not in str(error) and len(str(error)) < 400
            return str(error)
        return ""


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """Provide a host without a watcher."""
    return Host(tmp_path)


def names(place: Place) -> list[str]:
    return [os.path.basename(path) for path in place.files]


def test_only_own_files_and_a_directory_without_others_can_be_removed(host: Host) -> None:
    host.write("state.json", "lock", "watch.py")
    host.write_units()
    alone = host.place()
    assert names(alone) == ["watch.py", "state.json", "lock", "watch.json"] and alone.removable
    assert host.refused(present=False) == host.refused() == ""
    host.write("notes.txt")
    shared = host.place()
    assert "notes.txt" not in names(shared) and not shared.removable


def test_a_directory_that_no_watcher_uses_is_left_alone(host: Host) -> None:
    host.write("inventory.yml", settings=None)
    found = host.place()
    assert (found.files, found.removable, found.own, host.refused(present=False)) == ([], False, False, "")


@pytest.mark.parametrize("directory", ["/", "//", "/opt", "/opt/", "/var/lib/../../etc", "/home/ome", "/tmp", "/root"])
def test_a_directory_of_the_system_is_refused(host: Host, tmp_path: Path, directory: str) -> None:
    for present in (True, False):
        assert host.refused(directory, present=present) == (
            f"directory: expected one for the watcher alone, such as /var/lib/w-1, got {directory!r}, which is a "
            "directory of the system."
        )
    link = tmp_path / "link"
    link.symlink_to(directory)
    assert "is a directory of the system" in host.refused(link)


def test_a_watcher_of_2_0_0_in_a_directory_of_the_system_can_be_removed(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher_place, "is_shared", lambda path: path == str(host.directory))
    host.write("other")
    assert host.refused(present=False) == "" and "directory of the system" in host.refused()
    assert names(host.place()) == ["watch.json"] and not host.place().removable
    (host.directory / "other").unlink()
    assert not host.place().removable


@pytest.mark.parametrize("present", [True, False])
def test_what_belongs_to_another_watcher_is_left_alone(host: Host, present: bool) -> None:
    host.write(settings=SETTINGS.replace("media-1", "media-2"))
    if present:
        assert host.refused() == (
            f"directory: expected another one, because {host.directory} belongs to the watcher of media-2."
        )
    else:
        assert (host.refused(present=False), host.place().files, host.place().removable) == ("", [], False)
    host.write(settings="{")
    assert "belongs to the watcher of another server" in host.refused(present=present)
    host.write(settings=SETTINGS)
    host.write_units(SERVICE.replace("media-1", "media-2"), TIMER.replace("media-1", "media-2"))
    unit = f"unit: expected another one, because {host.units}/w-1.service"
    assert host.refused(present=present) == f"{unit} belongs to the watcher of media-2."
    host.write_units("[Unit]\nDescription=nginx\n", None)
    assert host.refused(present=present) == f"{unit} was not written by this collection."


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_directory_to_which_others_can_write_is_refused(host: Host, mode: int) -> None:
    host.write()
    host.directory.chmod(mode)
    assert f"{host.directory} has the mode {mode:04o}" in host.refused() and host.refused(present=False) == ""


def test_what_somebody_else_has_made_is_not_used(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.directory.write_text("x", encoding="utf-8")
    assert host.refused() == f"directory: expected a directory, and {host.directory} is none."
    host.directory.unlink()
    host.write("inventory.yml", "lock", "other", settings=None)
    assert host.refused() == (
        f"directory: expected no files but those of this watcher in {host.directory}, got inventory.yml, lock."
    )
    monkeypatch.setattr(watcher_place, "uid_of", lambda _user: os.getuid() + 1)
    assert f"{host.directory} belongs to another user" in host.refused()
    host.write()
    assert host.refused() == ""  # its files get the other user


def test_the_inventory_of_the_watcher_is_its_own(host: Host) -> None:
    assert host.refused(inventory=f"{host.directory}/./inventory.yml").startswith("inventory: expected another file")
    assert host.refused(inventory="/srv/inventory.yml") == ""


def test_users_are_names_or_numbers() -> None:
    assert uid_of(USER) == uid_of(str(os.getuid())) == os.getuid()
    for user in ("no-such-user", str(2**40), "x\ud800"):
        with pytest.raises(BadInput, match="user: expected a user of the host"):
            uid_of(user)
