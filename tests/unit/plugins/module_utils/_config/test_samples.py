# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Virtual hosts as in the sample configurations of the server keep their meaning from XML to XML.

samples/ has the structure of these samples, with other values: of one server for everything, of an origin, and of an
edge, which is the same in all versions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import versions, virtual_host_file
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import Directory
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, RECORDED_MEDIA

SAMPLES = Path(__file__).parent / "samples"
CASES = [(name, version) for name in ("single", "origin", "edge") for version in RECORDED_MEDIA]


def sample_file(name: str, version: str) -> Path:
    """Return the file of a sample: that of a version, or the one for all."""
    own = SAMPLES / f"{name}-{version}.xml"
    return own if own.exists() else SAMPLES / f"{name}.xml"


def sample(name: str, version: str) -> ElementTree.Element:
    """Return the virtual host of a sample, read with its include of files that do not exist."""
    root = Directory(str(SAMPLES)).load(sample_file(name, version).name, "VirtualHosts")
    assert len(root) == 1
    return root[0]


def tree(element: ElementTree.Element) -> Any:
    """Return an element without the order of its children, as the server sees it; it takes the first of two."""
    repeated = {"Name": "Names", "Url": "*", "Video": "Encodes", "Audio": "Encodes", "Image": "Encodes"}
    lists = {"Origin", "Rendition", "Playlist", "OutputProfile", "Application", "Stream", "Header"}
    seen: dict[str, Any] = {}
    for child in element:
        if child.tag in lists or repeated.get(child.tag) in (element.tag, "*"):
            seen.setdefault(child.tag, []).append(tree(child))
        else:
            seen.setdefault(child.tag, tree(child))
    return seen or element.text


@pytest.mark.parametrize(("name", "version"), CASES)
def test_a_sample_keeps_its_meaning(name: str, version: str) -> None:
    element = sample(name, version)
    vhost = virtual_host_file.value(element)
    versions.check(VIRTUAL_HOST_FILE, vhost, parse(version))
    assert tree(ElementTree.fromstring(virtual_host_file.render(vhost))) == tree(element)
    assert virtual_host_file.read(virtual_host_file.render(vhost), "VHost_x.xml") == vhost


def test_values_of_a_sample_are_options() -> None:
    vhost = virtual_host_file.value(sample("single", NEWEST))
    assert vhost["host"] == {"names": ["*"]}
    app = vhost["applications"][0]
    assert list(app["providers"]) == ["rtmp", "srt", "webrtc", "ovt", "rtsp_pull", "mpegts", "schedule"]
    assert app["providers"]["mpegts"] == {"extra": {"streams": [{"name": "in-${Port}", "port": "4004"}]}}
    assert app["publishers"]["llhls"]["dvr"]["max_duration"] == 3600
    assert app["publishers"]["llhls"]["chunk_duration"] == 0.75
    encodes = app["output_profiles"]["output_profile"][0]["encodes"]
    assert [audio["codec"] for audio in encodes["audios"]] == ["aac", "opus"]
    assert encodes["videos"][0]["bypass"] is True


@pytest.mark.parametrize(("name", "version"), CASES)
def test_a_sample_is_valid_with_absolute_paths(name: str, version: str) -> None:
    vhost = virtual_host_file.value(sample(name, version))
    vhost = virtual_host_file.with_absolute_paths(vhost, "/etc/ome")
    virtual_host_file.validate(vhost, "")
    assert all(path.startswith("/etc/ome/tls/") for path in vhost["host"].get("tls", {}).values())
