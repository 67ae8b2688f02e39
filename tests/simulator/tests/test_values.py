# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The simulator refuses the values that servers refuse, in requests and at a start (server-facts: Values that servers
refuse).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import virtual_host_file
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import parse
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources import application
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NotStarted
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils._resources.test_application_rules import (  # noqa: E501
    REFUSED,
    TAKEN,
)

from .config_files import server, write

INCLUDE = '<VirtualHost include="VHost*.xml"/>'
ENCODE = {"name": "v", "codec": "h264", "bitrate": "2M"}
PROFILE = {"name": "p", "output_stream_name": "${OriginStreamName}"}


def post(start: Any, app: dict[str, Any], version: str) -> tuple[int, Any]:
    _simulator, client = start(version=version)
    client.post("/v1/vhosts", [{"name": "t"}])
    body = application.create_request({"name": "live", **app}, APPLICATION.at(parse(version)))
    status, answer = client.post("/v1/vhosts/t/apps", [body])
    assert ("live" in client.get("/v1/vhosts/t/apps")[1]["response"]) is (status == 200)
    return status, answer


@pytest.mark.parametrize(("app", "version", "option"), REFUSED)
def test_what_the_rules_refuse_a_server_refuses(start: Any, app: dict[str, Any], version: str, option: str) -> None:
    status, answer = post(start, app, version)
    assert status == (500 if version == "0.18.0" else 400), (option, answer)


@pytest.mark.parametrize(("app", "version"), [one for one in TAKEN if "${env" not in str(one)])
def test_what_the_rules_take_a_server_takes(start: Any, app: dict[str, Any], version: str) -> None:
    status, answer = post(start, app, version)
    assert status == 200, answer


@pytest.mark.parametrize(
    ("encode", "more", "words"),
    [
        ({"preset": "ultrafast"}, {}, "Preset must be slower, slow, medium, fast, or faster"),
        ({"bitrate": "0"}, {}, "Bitrate must be greater than 0"),
        ({}, {"playlists": [{"file_name": "f", "renditions": [{"name": "r", "video": "x"}]}]}, "Playlist Error"),
    ],
)
def test_the_words_are_those_of_the_server(
    start: Any, tmp_path: Path, encode: dict[str, Any], more: dict[str, Any], words: str
) -> None:
    profile = {**PROFILE, "encodes": {"videos": [{**ENCODE, **encode}]}, **more}
    app = {"name": "live", "type": "live", "output_profiles": {"output_profile": [profile]}}
    status, answer = post(start, app, "0.20.0")
    assert (status, answer["message"]) == (400, f"[Config] {words}")
    vhost = {"name": "t", "host": {"names": ["t.example.com"]}, "applications": [app]}
    write(tmp_path, Server=server(INCLUDE), VHost_t=virtual_host_file.render(vhost))
    with pytest.raises(NotStarted, match=words):
        start(version="0.20.0", config=tmp_path, port=0)
