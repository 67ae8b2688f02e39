# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for HLS dumps."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import Given

from ._example import Example
from ._scenario import CANARY, LIVE_STREAM, Scenario, labels, on_live_stream, with_live_stream
from ._server import LIVE

EXAMPLES = (
    Example(
        "hls_dump",
        {**LIVE, "id": "t-d", "state": "stopped"},
        with_secrets=lambda mine, vhost: {
            "vhost": vhost,
            "app": "live",
            "stream": "sent",
            "id": "dump",
            "output_path": "/srv/dump",
            "info_file": "/srv/dump.info",
            "user_data": mine.secret("dump user data"),
        },
    ),
    Example("hls_dump_info", {"vhost": "default", "app": "app"}),
)


def scenarios(_version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    label, dump = labels("t-v/live/dump-1"), {**LIVE_STREAM, "id": "dump-1"}
    files = {"output_path": "/dumps", "info_file": "/dumps/one.info", "user_data": f"{CANARY}-user-data"}
    body = {"outputPath": "/dumps", "infoFile": "/dumps/one.info", "userData": f"{CANARY}-user-data"}
    running = Given(("t-v", "live", "dump-1"), {"id": "dump-1", "outputStreamName": "main", **body})
    yield on_live_stream("hls_dump: start", {**dump, **files}, made=label, typical=True)
    given = [*with_live_stream(), running]
    yield on_live_stream("hls_dump: stop", {**dump, "state": "stopped"}, given=given, gone=label)
