# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter certificate_destinations."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter import certificate_destinations as plugin

certificate_destinations = plugin.FilterModule().filters()["certificate_destinations"]


def entry(vhost: str, **paths_and_contents: tuple[str, str]) -> dict[str, Any]:
    modes = {"chain": "0644", "certificate": "0644", "private_key": "0600"}
    files = [{"name": name, "path": path, "mode": modes[name]} for name, (path, _content) in paths_and_contents.items()]
    contents = [content for _path, content in paths_and_contents.values()]
    return {
        "vhost": vhost,
        "files": files,
        "staged": [f"/tmp/{name}" for name in paths_and_contents],
        "checksums": contents,
    }


def modes(result: dict[str, Any]) -> list[dict[str, str]]:
    return [{file["path"]: file["mode"] for file in vhost["files"]} for vhost in result["vhosts"]]


def test_different_destinations_stay_as_they_are() -> None:
    result = certificate_destinations(
        [entry("a", chain=("/x", "1"), certificate=("/y", "2"), private_key=("/z", "3"))], []
    )
    assert result["conflicts"] == [] and modes(result) == [{"/x": "0644", "/y": "0644", "/z": "0600"}]
    assert result["vhosts"][0]["certificate_path"] == "/y"
    assert result["vhosts"][0]["files"][2] == {
        "name": "private_key",
        "path": "/z",
        "mode": "0600",
        "staged": "/tmp/private_key",
        "checksum": "3",
        "secret": True,
        "destination": "/z",
    }


def test_one_file_for_certificate_and_key_has_the_mode_of_the_key() -> None:
    result = certificate_destinations([entry("a", certificate=("/both", "1"), private_key=("/./both", "1"))], [])
    assert result["conflicts"] == [] and modes(result) == [{"/both": "0600"}]


def test_a_link_and_its_target_are_one_destination() -> None:
    same = {"dev": 1, "inode": 2, "nlink": 1}
    result = certificate_destinations(
        [entry("a", certificate=("/x", "1"), private_key=("/y", "1"))], [{"path": "/x", **same}, {"path": "/y", **same}]
    )
    assert modes(result) == [{"/x": "0600"}] and result["vhosts"][0]["certificate_path"] == "/x"


def test_hard_links_are_two_destinations() -> None:
    same = {"dev": 1, "inode": 2, "nlink": 2}
    result = certificate_destinations(
        [entry("a", certificate=("/x", "1"), private_key=("/y", "1"))], [{"path": "/x", **same}, {"path": "/y", **same}]
    )
    assert modes(result) == [{"/x": "0644", "/y": "0600"}]


def test_the_key_of_one_virtual_host_closes_the_certificate_of_another() -> None:
    result = certificate_destinations(
        [entry("a", certificate=("/x", "1")), entry("b", certificate=("/c", "2"), private_key=("/x", "1"))], []
    )
    assert result["conflicts"] == [] and modes(result) == [{"/x": "0600"}, {"/c": "0644", "/x": "0600"}]


def test_two_contents_for_one_destination_are_a_conflict() -> None:
    result = certificate_destinations(
        [entry("a", certificate=("/x", "1"), private_key=("/x", "2")), entry("b", certificate=("/x", "1"))], []
    )
    assert result["conflicts"] == [
        "the certificate and the private key of the virtual host a are different files with the same destination /x. "
        "Specify one PEM file with both as certificate and as private_key, or set different paths."
    ]
    result = certificate_destinations([entry("a", certificate=("/x", "1")), entry("b", certificate=("/x", "2"))], [])
    assert result["conflicts"] == [
        "the certificate of the virtual host a and the certificate of the virtual host b are "
        "different files with the same destination /x. "
        "Specify the same file for both virtual hosts, or set different paths."
    ]


@pytest.mark.parametrize("wrong", ["canary", {"vhost": "canary"}, ["canary"], None])
def test_what_is_no_list_of_dictionaries_is_refused_without_being_shown(wrong: Any) -> None:
    for arguments in ((wrong, []), ([], wrong)):
        with pytest.raises(AnsibleFilterError, match="expects two lists") as caught:
            certificate_destinations(*arguments)
        assert "canary" not in str(caught.value)
