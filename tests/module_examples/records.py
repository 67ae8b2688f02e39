# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules for recordings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.objects import Given
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.samples import RECORD

from ._example import ONCE, Example
from ._scenario import CANARY, Scenario, given_app, given_vhost, labels

_RECORD = {**RECORD, "vhost": "t-v", "app": "rec"}
EXAMPLES = (
    Example("record", _RECORD, ONCE, with_secrets=lambda mine, vhost: mine.records(vhost)[0]),
    Example(
        "records",
        {"records": [_RECORD]},
        ONCE,
        with_secrets=lambda mine, vhost: {"records": mine.records(vhost)},
        inside={"records": _RECORD},
    ),
    Example("record_info", {"vhost": "t-v", "app": "rec"}),
    Example(
        "record_stream",
        {"vhost": "t-v", "app": "rec", "stream": "t-s", "state": "stopped"},
        with_secrets=lambda _mine, vhost: {"vhost": vhost, "app": "live", "stream": "main"},
        without_scenarios="It runs the operation of records.",
    ),
)


def _record(app: str, record_id: str, **fields: Any) -> dict[str, Any]:
    """Return a recording as options; the same that `_given_record` makes."""
    return {
        "vhost": "t-v",
        "app": app,
        "id": record_id,
        "stream": {"name": "main"},
        "file_path": f"/{record_id}_${{StartTime:YYYYMMDDhhmmss}}.ts",
        "metadata": f"{CANARY}-metadata-{record_id}",
        **fields,
    }


def _given_record(record_id: str) -> Given:
    options = _record("live", record_id)
    body = {"id": record_id, "stream": options["stream"], "filePath": options["file_path"]}
    return Given(("t-v", "live", record_id), {**body, "metadata": options["metadata"]})


def _recorder(records: int = 2) -> list[Given]:
    """Return a virtual host with an application that records, and one that cannot."""
    return [
        given_vhost("t-v"),
        given_app("t-v", "live", "file"),
        given_app("t-v", "plain"),
        *(_given_record(f"record-{number}") for number in range(1, records + 1)),
    ]


def scenarios(_version: str) -> Iterator[Scenario]:
    """Yield the scenarios of the tests of faults."""
    record = _record("live", "record-1")
    yield Scenario("record: start", "record", record, given=_recorder(0), made=labels("t-v/live/record-1"))
    yield Scenario(
        "record: another interval",
        "record",
        {**record, "interval": 5000},
        given=_recorder(),
        changed=labels("t-v/live/record-1"),
        typical=True,
    )
    yield Scenario(
        "record: stop",
        "record",
        {"vhost": "t-v", "app": "live", "id": "record-1", "state": "stopped"},
        given=_recorder(),
        gone=labels("t-v/live/record-1"),
        streams=[("t-v", "live", "main")],
    )
    yield Scenario(
        "record: wait until it records",
        "record",
        {**record, "wait_for": "recording", "wait_timeout": 10},
        given=_recorder(0),
        made=labels("t-v/live/record-1"),
        streams=[("t-v", "live", "main")],
    )
    yield Scenario(
        "records: start, change, keep and purge",
        "records",
        {
            "records": [
                _record("live", "record-new"),
                {**record, "schedule": "0 * *"},
                _record("live", "record-2"),
            ],
            "purge": True,
        },
        given=_recorder(4),
        made=labels("t-v/live/record-new"),
        changed=labels("t-v/live/record-1"),
        kept=labels("t-v/live/record-2"),
        gone=labels("t-v/live/record-3", "t-v/live/record-4"),
        typical=True,
    )
    yield Scenario(
        "records: some refused",
        "records",
        {
            "records": [
                record,
                _record("plain", "record-1"),
                _record("nowhere", "record-1"),
                _record("live", "record-2"),
            ]
        },
        given=_recorder(0),
        made=labels("t-v/live/record-1", "t-v/live/record-2"),
        refused=labels("t-v/plain/record-1", "t-v/nowhere/record-1"),
    )
