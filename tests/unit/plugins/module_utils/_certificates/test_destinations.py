# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files with the same destination."""

from __future__ import annotations

import os
from pathlib import Path

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.new_files import NewFile, merged

MODES = {"chain": 0o644, "certificate": 0o644, "private_key": 0o600}


def files(**paths_and_contents: tuple[object, str]) -> list[NewFile]:
    return [
        NewFile(name, "", str(path), content.encode(), MODES[name])
        for name, (path, content) in paths_and_contents.items()
    ]


def modes(vhosts: dict[str, list[NewFile]]) -> dict[str, dict[str, int]]:
    found, conflicts = merged(vhosts)
    assert conflicts == []
    return {vhost: {one.file.path: one.file.mode for one in ones} for vhost, ones in found.items()}


def test_different_destinations_stay_as_they_are() -> None:
    found, conflicts = merged({"a": files(chain=("/x", "1"), certificate=("/y", "2"), private_key=("/z", "3"))})
    assert conflicts == []
    assert [(one.file.path, one.file.mode, one.secret) for one in found["a"]] == [
        ("/x", 0o644, False),
        ("/y", 0o644, False),
        ("/z", 0o600, True),
    ]


def test_one_file_for_certificate_and_key_has_the_mode_of_the_key() -> None:
    assert modes({"a": files(certificate=("/both", "1"), private_key=("/./both", "1"))}) == {"a": {"/both": 0o600}}


def test_a_link_and_its_target_are_one_destination(tmp_path: Path) -> None:
    target, link, dangling = tmp_path / "target", tmp_path / "link", tmp_path / "dangling"
    link.symlink_to(target)
    dangling.symlink_to(tmp_path / "none")
    for _there in (False, True):
        found = modes({"a": files(certificate=(target, "1"), private_key=(link, "1"))})
        assert found == {"a": {str(target): 0o600}}
        target.write_bytes(b"")
    same = files(certificate=(dangling, "1"), private_key=(tmp_path / "none", "1"))
    assert modes({"a": same}) == {"a": {str(dangling): 0o600}}


def test_hard_links_are_two_destinations(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"")
    os.link(one, two)
    found = modes({"a": files(certificate=(one, "1"), private_key=(two, "1"))})
    assert found == {"a": {str(one): 0o644, str(two): 0o600}}


def test_the_key_of_one_virtual_host_closes_the_certificate_of_another() -> None:
    found = modes({"a": files(certificate=("/x", "1")), "b": files(certificate=("/c", "2"), private_key=("/x", "1"))})
    assert found == {"a": {"/x": 0o600}, "b": {"/c": 0o644, "/x": 0o600}}


def test_two_contents_for_one_destination_are_a_conflict() -> None:
    _found, conflicts = merged(
        {"a": files(certificate=("/x", "1"), private_key=("/x", "2")), "b": files(certificate=("/x", "1"))}
    )
    assert conflicts == [
        "The certificate and the private key of the virtual host a are different files with the same destination /x. "
        "Specify one PEM file with both as certificate and as private_key, or set different paths."
    ]
    _found, conflicts = merged({"a": files(certificate=("/x", "1")), "b": files(certificate=("/x", "2"))})
    assert conflicts == [
        "The certificate of the virtual host a and the certificate of the virtual host b are different files with the "
        "same destination /x. Specify the same file for both virtual hosts, or set different paths."
    ]
