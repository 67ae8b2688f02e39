# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests do to the simulator from inside: another client acts in between, viewers come, responses are rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.faults import Fault, from_json
from ansible_collections.streamops.ovenmediaengine.tests.simulator.raw import KEEP, Raw, message
from ansible_collections.streamops.ovenmediaengine.tests.unit.simulator.conftest import Client

STATISTICS = "/v1/stats/current/vhosts/default"


@pytest.fixture(name="server")
def _server() -> Iterator[Simulator]:
    with Simulator() as simulator:
        yield simulator


@pytest.mark.parametrize(("when", "seen"), (("before", ["default", "theirs"]), ("after", ["default"])))
def test_another_client_acts_before_or_after_the_work(server: Simulator, when: str, seen: list[str]) -> None:
    client = Client(server)
    meanwhile = server.meanwhile(
        "GET", "/v1/vhosts", lambda: server.state.create_virtual_host({"name": "theirs"}), when=when, skip=1
    )
    assert sorted(client.get("/v1/vhosts")[1]["response"]) == ["default"] and meanwhile.met == []
    assert sorted(client.get("/v1/vhosts")[1]["response"]) == seen
    assert sorted(client.get("/v1/vhosts")[1]["response"]) == ["default", "theirs"]
    assert meanwhile.met == ["GET /v1/vhosts"] and not meanwhile.active


def test_only_a_test_can_define_another_client() -> None:
    for options in ({"kind": "meanwhile"}, {"kind": "meanwhile", "deed": "x"}):
        with pytest.raises(ValueError, match="deed"):
            from_json(options)
    with pytest.raises(ValueError, match="no other kind takes one"):
        Fault("reset", deed=list)


def test_viewers_are_counted_until_the_server_restarts(server: Simulator) -> None:
    client = Client(server)
    server.viewers(7, "default")
    server.viewers(3, "default", "app")
    found = [
        client.get(path)[1]["response"]["totalConnections"]
        for path in (STATISTICS, f"{STATISTICS}/apps/app", f"{STATISTICS}/apps/nopush")
    ]
    assert found == [7, 3, 0]
    server.restart()
    assert client.get(STATISTICS)[1]["response"]["totalConnections"] == 0


def test_a_middleware_gives_bytes(server: Simulator) -> None:
    async def rewritten(exchange: Any, work: Any) -> Raw:
        good = await work()
        return Raw(good.status, [message(good.status, {"X-Of": exchange.method}, b'{"not": NaN}')], end=KEEP)

    server.middlewares.append(rewritten)
    response, body = Client(server).raw("GET", "/v1/vhosts")
    assert (response.status, response.headers["X-Of"], body) == (200, "GET", b'{"not": NaN}')
