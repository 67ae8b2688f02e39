# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recording: JSON form, paths and macros, schedules, states."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.secret_store import MASK
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import RECORD, RECORDS
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.kind import Key
from ansible_collections.streamops.ovenmediaengine.tests.simulator.records import SCHEDULE
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.module_utils.strategies import wire_forms
from hypothesis import given
from hypothesis import strategies as st

WIRE = Path(__file__).resolve().parents[4] / "wire" / "media"
TIMED = "/${Application}/${Stream}/${StartTime:YYYYMMDDhhmmss}_${EndTime:YYYYMMDDhhmmss}.ts"
JOB: dict[str, Any] = {
    "vhost": "default",
    "app": "media",
    "id": "main",
    "stream": {"name": "live1", "variant_names": ["video", "audio"]},
    "file_path": TIMED,
    "info_path": "/${Application}/${Stream}.xml",
    "interval": 60000,
    "segmentation_rule": "continuity",
    "metadata": "key='canary'",
}


def recorded() -> list[dict[str, Any]]:
    """Return every recording that a real server has returned."""
    found = []
    for path in sorted(WIRE.glob("*.json")):
        for scenario in json.loads(path.read_text(encoding="utf-8"))["scenarios"]:
            for step in scenario["steps"]:
                body = step.get("response", {}).get("body")
                if re.search(":(records|startRecord)$", step["request"]["path"]) and isinstance(body, dict):
                    answer = body.get("response") or []
                    found += answer if isinstance(answer, list) else [answer]
    assert len(found) > 20
    return found


@pytest.mark.parametrize("raw", recorded(), ids=lambda raw: f"{raw['id']}-{raw['state']}")
def test_what_a_server_returned_is_valid_input_and_no_difference(raw: dict[str, Any]) -> None:
    job = RECORDS.from_wire(raw, Key("default", "media"))
    RECORDS.validate(job, "", complete=True)
    assert list(RECORD.difference(job, RECORDS.from_wire(raw, Key("default", "media")))) == []
    assert RECORDS.from_wire(RECORDS.start_request(job), Key("default", "media")) == job
    assert RECORDS.state_of(raw) in ("ready", "recording")


@given(wire_forms(RECORD).filter(lambda raw: isinstance(raw, dict)))
def test_any_object_is_read_without_a_failure(raw: dict[str, Any]) -> None:
    RECORDS.from_wire(raw, Key("v", "a"))
    RECORDS.status_of(raw, "v", "a")


def test_the_request_omits_virtual_host_application_and_empty_fields() -> None:
    assert RECORDS.start_request(JOB) == {
        "id": "main",
        "stream": {"name": "live1", "variantNames": ["video", "audio"]},
        "filePath": TIMED,
        "infoPath": "/${Application}/${Stream}.xml",
        "interval": 60000,
        "segmentationRule": "continuity",
        "metadata": "key='canary'",
    }
    empty = {"vhost": "v", "app": "a", "id": "i", **RECORDS.empty}
    assert RECORDS.start_request(empty) == {"id": "i", "segmentationRule": "discontinuity"}


def test_metadata_is_masked_and_the_mask_is_refused() -> None:
    assert RECORD.mask(JOB)["metadata"] == MASK
    assert RECORD.mask({**JOB, "metadata": ""})["metadata"] == ""
    with pytest.raises(BadInput, match="metadata"):
        RECORDS.validate({**JOB, "metadata": MASK}, "", complete=True)


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"stream": {}}, "stream.name"),
        ({"id": "%s"}, "id"),
        ({"file_path": "rec/x.ts"}, "file_path"),
        ({"file_path": "/rec/x"}, "file_path"),
        ({"file_path": "/rec/x.flv"}, "file_path"),
        ({"file_path": "/rec/\n.ts"}, "file_path"),
        ({"file_path": "/rec/${Streams}.ts"}, "file_path"),
        ({"file_path": "/rec/${StartTime}.ts"}, "file_path"),
        ({"file_path": "/rec/${StartTime:YYYY-MM-DD}.ts"}, "file_path"),
        ({"file_path": "/rec/${Stream.ts"}, "file_path"),
        ({"info_path": "x.xml"}, "info_path"),
        ({"info_path": "/rec/${Host}.xml"}, "info_path"),
        ({"interval": -1}, "interval"),
        ({"interval": 2**31}, "interval"),
        ({"schedule": "0 */1 *"}, "schedule"),
        ({"interval": 0, "schedule": "nonsense"}, "schedule"),
        ({"metadata": "a\nb"}, "metadata"),
    ],
)
def test_an_invalid_value_is_refused_with_its_full_path(changes: dict[str, Any], option: str) -> None:
    for prefix in ("", "records[0]"):
        with pytest.raises(BadInput) as caught:
            RECORDS.validate({**JOB, **changes}, prefix, complete=True)
        assert caught.value.option == (f"{prefix}.{option}" if prefix else option)
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "path",
    (
        "",
        TIMED,
        "/rec/x.mp4",
        "${VirtualHost}/${SourceStream}_${Sequence}.webm",
        "/rec/${Id}/${TransactionId}_${StartTime:YYYY}.ts",
    ),
)
def test_absolute_paths_and_macros_of_the_server_are_valid(path: str) -> None:
    RECORDS.validate({**JOB, "file_path": path, "info_path": path}, "", complete=True)


@given(st.text(alphabet="0123456789*/ ", max_size=12) | st.from_regex(SCHEDULE, fullmatch=True))
def test_a_schedule_is_valid_if_the_server_accepts_it(schedule: str) -> None:
    job = {**JOB, "interval": 0, "schedule": schedule}
    if not schedule or SCHEDULE.fullmatch(schedule):
        RECORDS.validate(job, "", complete=True)
    else:
        with pytest.raises(BadInput):
            RECORDS.validate(job, "", complete=True)


@pytest.mark.parametrize(
    ("path", "warned"),
    [
        ("", False),
        (TIMED, False),
        ("/rec/${EndTime:hhmmss}.ts", False),
        ("/rec/${TransactionId}_${Sequence}.ts", False),
        ("/rec/${TransactionId}.ts", True),
        ("/rec/${Sequence}.ts", True),
        ("/rec/${Stream}.ts", True),
    ],
)
def test_a_path_that_all_files_share_causes_a_warning(path: str, warned: bool) -> None:
    warnings = RECORDS.concerns({**JOB, "file_path": path})
    assert bool(warnings) is warned
    assert all("default/media/main" in text for text in warnings)


def test_an_interval_replaces_a_schedule_and_a_schedule_an_interval() -> None:
    current = RECORDS.from_wire({"id": "main", "interval": 60000}, Key("default", "media"))
    merged = RECORDS.merge({"schedule": "0 0 *"}, current)
    assert (merged["interval"], merged["schedule"]) == (0, "0 0 *")
    back = RECORDS.merge({"interval": 1000}, merged)
    assert (back["interval"], back["schedule"]) == (1000, "")
    assert RECORDS.merge({"metadata": "x"}, merged)["schedule"] == "0 0 *"


@pytest.mark.parametrize(
    ("raw", "state", "ending"),
    [
        ("Recording", "recording", False),
        ("ready", "ready", False),
        ("stopping", "stopping", True),
        ("stopped", "stopped", False),
        ("error", "error", False),
    ],
)
def test_a_recording_whose_stream_has_ended_is_not_being_stopped(raw: str, state: str, ending: bool) -> None:
    assert (RECORDS.state_of({"state": raw}), RECORDS.is_ending({"state": raw})) == (state, ending)


def test_the_status_has_files_bytes_and_times() -> None:
    raw = {
        "id": "main",
        "state": "recording",
        "outputFilePath": "/live1/20261123021301_19700101000000.ts",
        "recordBytes": 5,
        "recordTime": 6,
        "totalRecordBytes": 7,
        "totalRecordTime": 8,
        "startTime": "2026-11-23T02:13:01.730+00:00",
        "stream": {"trackIds": [1]},
    }
    assert RECORDS.status_of(raw, "v", "a") == {
        "vhost": "v",
        "app": "a",
        "id": "main",
        "state": "recording",
        "is_config": False,
        "track_ids": [1],
        "output_file_path": "/live1/20261123021301_19700101000000.ts",
        "record_bytes": 5,
        "record_time": 6,
        "total_record_bytes": 7,
        "total_record_time": 8,
        "start_time": "2026-11-23T02:13:01.730+00:00",
    }
