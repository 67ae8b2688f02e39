# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where a file on the controller is, and whose it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils import _written_file


def found(name: str, file: str) -> dict[str, str]:
    path, problem = _written_file.place_of(name, file)
    return {"path": path, "problem": problem}


@pytest.mark.parametrize("name", ["media-1", "fe80::1", "a..b", "Bühne 1"])
def test_the_path_of_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert found(name, f"ome-{name}.yml") == {"path": str(tmp_path / f"ome-{name}.yml"), "problem": ""}
    assert found(name, f"~/{name}.yml")["path"] == f"/home/somebody/{name}.yml"


@pytest.mark.parametrize("name", ["../media-1", "a/b", "/etc/passwd", ".."])
def test_a_name_that_is_a_path_does_not_choose_the_directory(name: str) -> None:
    assert found(name, f"exported/{name}/vars.yml") == {
        "path": "",
        "problem": (
            f"The name of the server in the inventory, '{name}', would change the directory of the file. Rename the "
            "server, or choose a file without its name."
        ),
    }
    assert found(name, "/srv/export.yml") == {"path": "/srv/export.yml", "problem": ""}


def test_a_name_with_a_line_break_is_refused() -> None:
    """It would be in a comment of the file."""
    assert "'a\\nb: c', has a control character" in found("a\nb: c", "/srv/export.yml")["problem"]
