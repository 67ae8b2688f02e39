# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of recordings (server-facts: Recordings)."""

from __future__ import annotations

from typing import Any

from .answers import Answer, success
from .bodies import read_int, read_list, read_object, read_string
from .errors import ApiError, ServerDies, has_conversion
from .recorder import RULES, SCHEDULE, Record, RecordApplication
from .state import Application, State, VirtualHost


def representation(state: State, holder: RecordApplication, record: Record) -> dict[str, Any]:
    """Return a recording as the API returns it; what is empty or zero is left out."""
    size, milliseconds = state.records.recorded(record)
    condition = (
        "stopping"
        if record.gone_at is not None
        else "recording"
        if record.recording_since is not None
        else "stopped"
        if record.ended
        else "ready"
    )
    result: dict[str, Any] = {
        "id": record.id,
        "vhost": holder.vhost,
        "app": holder.app,
        "stream": {"name": record.stream_name, "trackIds": record.track_ids, "variantNames": record.variant_names},
        "state": condition,
        "segmentationRule": record.segmentation_rule,
        "createdTime": state.clock.timestamp(record.created),
    }
    optional: dict[str, Any] = {
        "metadata": record.metadata,
        "filePath": record.file_path,
        "infoPath": record.info_path,
        "outputFilePath": record.output_file,
        "outputInfoPath": record.output_info,
        "interval": max(record.interval, 0),
        "schedule": record.schedule,
    }
    if condition != "ready":
        optional.update(
            recordBytes=size,
            recordTime=milliseconds,
            totalRecordBytes=record.earlier_bytes + size,
            totalRecordTime=record.earlier_milliseconds + milliseconds,
            sequence=record.sequence,
            startTime=record.started is not None and state.clock.timestamp(record.started),
        )
    if condition == "stopped" and record.stopped is not None:
        optional["finishTime"] = state.clock.timestamp(record.stopped)
    if record.config is not None or state.version.reports_is_config:
        result["isConfig"] = record.config is not None
    return {**result, **{key: value for key, value in optional.items() if value}}


def _stopping(state: State, holder: RecordApplication, record: Record) -> dict[str, Any]:
    """Return what stopRecord answers with. Versions up to 0.20.0 copy only a part, and copy the total of the times over
    that of the bytes (info::Record::SetRecordTotalTime [read]).
    """
    result = {**representation(state, holder, record), "state": "stopping"}
    result.pop("finishTime", None)
    if not state.version.record_stop_is_complete:
        size, milliseconds = state.records.recorded(record)
        total = record.earlier_milliseconds + milliseconds
        values = {"totalRecordBytes": total + size, "totalRecordTime": milliseconds}
        dropped = {"outputFilePath", "outputInfoPath", *values}
        result = {key: value for key, value in result.items() if key not in dropped}
        result.update({key: value for key, value in values.items() if value})
        if "isConfig" in result:
            result["isConfig"] = False
    return result


def _application(state: State, vhost: VirtualHost, app: Application) -> RecordApplication:
    found = state.records.application(vhost.name, app.name)
    if found is None:
        raise ApiError(404, f"Could not find application: [{vhost.name}/{app.name}]")
    return found


def records(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST ...:records. An id that is no string, or is empty, filters nothing."""
    holder = _application(state, vhost, app)
    wanted = read_string(read_object(body), "id")
    return success(
        [representation(state, holder, holder.records[key]) for key in sorted(holder.records) if wanted in ("", key)]
    )


def start(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST ...:startRecord."""
    holder = _application(state, vhost, app)
    record = _read(state, body)
    missing = [name for name, value in (("id", record.id), ("stream.name", record.stream_name)) if not value]
    if missing:
        raise ApiError(400, f"There is no required parameter [ {' '.join(missing)}]")
    if record.schedule and record.interval > 0:
        raise ApiError(400, "[Interval] and [Schedule] cannot be used at the same time")
    if record.schedule and not SCHEDULE.match(record.schedule):
        raise ApiError(400, "Invalid [schedule] parameter")
    if record.id in holder.records:
        raise ApiError(400, "Duplicate ID already exists")
    state.records.start(holder, record)
    result = representation(state, holder, record)
    return success([result] if state.version.start_answers_array else result)


def stop(state: State, vhost: VirtualHost, app: Application, body: Any) -> Answer:
    """POST ...:stopRecord.

    :raises ServerDies: the id is unknown and holds a printf conversion.
    """
    holder = _application(state, vhost, app)
    wanted = read_string(read_object(body), "id")
    if not wanted:
        raise ApiError(400, "There is no required parameter [ id]")
    record = holder.records.get(wanted)
    if record is None:
        if has_conversion(wanted):
            raise ServerDies()
        raise ApiError(404, f"There is no record information related to the ID [{wanted}]")
    result = _stopping(state, holder, record)
    state.records.stop(holder, record)
    return success([result] if state.version.start_answers_array else result)


def _read(state: State, body: Any) -> Record:
    values = read_object(body)
    stream = values.get("stream")
    rule = read_string(values, "segmentationRule")
    return Record(
        id=read_string(values, "id"),
        stream_name=read_string(stream, "name"),
        created=state.clock.now(),
        transaction=state.records.random_text(),
        track_ids=read_list(stream, "trackIds", int) or read_list(stream, "tracks", int),
        variant_names=read_list(stream, "variantNames", str),
        file_path=read_string(values, "filePath"),
        info_path=read_string(values, "infoPath"),
        interval=read_int(values, "interval"),
        schedule=read_string(values, "schedule"),
        segmentation_rule=rule if rule in RULES else RULES[0],
        metadata=read_string(values, "metadata"),
    )
