# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Paths and texts that a role must not put on a host."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host import own_files


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/var/log", "/var/log/", "/var//log", "/var/./log", "/opt", "/home/media", "/etc/ssl"),
        *("/usr/bin/x", "/run/ome", "/dev/shm", "/root"),
    ],
)
def test_a_shared_directory_is_never_that_of_a_role(path: str) -> None:
    assert own_files.is_shared(path)
    (problem,) = own_files.directory_problems({"x_dir": path})
    assert problem.startswith("x_dir is /") and "set a directory of its own below it" in problem


@pytest.mark.parametrize("path", ["/var/log/ovenmediaengine", "/opt/ome", "/home/media/ome", "/data", "/srv/é+@=_-.x"])
def test_a_directory_of_its_own_is_taken(path: str) -> None:
    assert own_files.directory_problems({"x_dir": path}) == [] and own_files.path_problem(path) is None


@pytest.mark.parametrize(
    "path",
    ["ome", "", None, 1, "//x", "/a b", "/a\nUser=root", "/a\n", "/a%h", "/a$x", "/a:b", '/a"b', "/a/../etc", "/a*"],
)
def test_a_path_that_a_unit_would_read_otherwise_is_refused(path: Any) -> None:
    assert len(own_files.directory_problems({"x_dir": path})) == 1 and own_files.path_problem(path)


def test_equal_linked_and_nested_directories_are_refused() -> None:
    same = {"a_dir": "/srv/x", "b_dir": "/srv/x/"}
    assert own_files.directory_problems(same) == ["a_dir and b_dir are the same directory, /srv/x; set two."]
    assert "a_dir is /var/log, " in own_files.directory_problems({"a_dir": "/srv/x"}, {"a_dir": "/var/log"})[0]
    nested = {"log_dir": "/srv/x", "config_dir": "/srv/x/conf", "data_dir": "/srv/xy"}
    assert own_files.directory_problems(nested) == []
    assert own_files.directory_problems(nested, cleaned=["log_dir"]) == [
        "config_dir is inside of log_dir, whose old files are removed; set one outside of it."
    ]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("unit", ["ovenmediaengine", "ome-1.x"], ["", "../x", "a b", "x\n", "-x", "a/b"]),
        ("project", ["ome-1"], ["OME", "a.b"]),
        ("user", ["", "ome", "1000", "host$"], ["a:b", "ome\nExecStartPre=/bin/x", "a b", "%u"]),
        ("user_and_group", ["", "1000:1000", "ome"], ["1:2:3", "1\n2", "$UID"]),
        ("image", ["docker.io/airensoft/ovenmediaengine", "h:5000/x"], ["x\nExec=y", "", "a b"]),
        ("tag", ["v0.21.0"], ["", "x\n", "a/b"]),
        ("digest", ["", "sha256:" + "0" * 64], ["sha256:x", "sha256:" + "0" * 64 + "\n"]),
        ("version", ["0.21.0"], ["0.21", "0.21.0\n"]),
        (
            "port",
            ["1935/tcp", "10000-10003/udp", "127.0.0.1:8081:8081/tcp", "[::1]:1:1"],
            ["rtmp", "1935\n", "x\ny:1:1"],
        ),
        (
            "volume",
            ["/a:/b", "/a b:/c:ro,Z", "name:/x", "/100%:/$x"],
            ["/a", "/a:b", "/a:/b\nUser=x", '/a":/b', "/a:/b:ro:x"],
        ),
    ],
)
def test_a_text_with_a_line_break_or_another_meaning_is_refused(kind: str, good: list[str], bad: list[str]) -> None:
    assert own_files.text_problems(kind, {f"x_{number}": text for number, text in enumerate(good)}) == []
    for text in bad:
        assert len(own_files.text_problems(kind, {"x": text})) == 1, text
    (problem,) = own_files.text_problems(kind, {"x_list": [good[0], bad[0]]})
    assert problem.startswith("x_list[1]: expected ")
