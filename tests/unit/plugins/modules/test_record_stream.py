# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The module record_stream: names of files, what is refused, and what a summary says.

tests/e2e/test_record.py has what a user of the role sees.
"""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.one_stream import (
    RecordStream,
    safe_part,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator import ManualClock, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.plugin_utils import actions
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

TIME = "${StartTime:YYYYMMDDhhmmss}"
MACROS = "/${VirtualHost}/${Application}"


@pytest.fixture(name="media")
def _media() -> Any:
    """Provide a server whose application `media` has a file publisher."""
    with Simulator(stop_delay=0.0, scene="media") as server:
        yield server


def run(server: Simulator, stream: Any = "main", **options: Any) -> dict[str, Any]:
    """Return the result of a task on the controller."""
    return actions.run("record_stream", connection(server, **{"app": "media", "stream": stream, **options}))


def recorded(server: Simulator, **options: Any) -> dict[str, Any]:
    """Return the recording that a task has started."""
    result = run(server, **options)
    assert not result.get("failed"), result
    record: dict[str, Any] = result["record"]
    return record


def test_a_stream_becomes_a_recording(media: Simulator) -> None:
    checked = run_module("record_stream", connection(media, app="media", stream="main"), check_mode=True)
    assert checked["changed"] and not media.writes
    record = recorded(media)
    assert (record["id"], record["stream"]["name"]) == ("main-recording", "main")
    assert record["file_path"] == f"{MACROS}/main_{TIME}.mp4"
    assert (record["interval"], record["schedule"]) == (0, "")
    media.clear_log()
    assert not run(media)["changed"] and not media.writes


def test_all_options_are_used(media: Simulator) -> None:
    show = {"id": "show", "title": "Evening show", "format": "ts", "directory": "/shows/", "interval_minutes": "90"}
    record = recorded(media, **show)
    assert record["id"] == "show" and record["interval"] == 90 * 60 * 1000
    assert record["file_path"] == f"/shows/main_Evening-show_{TIME}.ts"
    assert recorded(media, schedule="0 0 */1")["schedule"] == "0 0 */1"
    assert recorded(media, directory="/")["file_path"] == f"/main_{TIME}.mp4"


def test_to_stop_only_the_stream_is_needed(media: Simulator) -> None:
    assert run(media, id="")["changed"]
    stopped = run(media, state="stopped", title="///", schedule="never", interval_minutes=-1, directory="")
    assert stopped["line"] == "stream default/media/main: main-recording stopped, nothing was recorded"
    again = run(media, state="stopped")
    assert not again["changed"] and again["line"] == "stream default/media/main: main-recording unchanged"


@pytest.mark.parametrize(
    ("title", "part"),
    [
        ("Evening show", "Evening-show"),
        ("  Evening\tshow\n", "Evening-show"),
        ("v1.2_final-cut", "v1.2_final-cut"),
        ("../../etc/passwd", "etc-passwd"),
        ("a/../b", "a-.-b"),
        ("a..b", "a.b"),
        (".hidden", "hidden"),
        ("-rf", "rf"),
        ("C:\\show", "C-show"),
        ("${Id}$(id)`id`", "Id-id-id"),
        ("{{ 7 * 7 }}", "7-7"),
        ("100 %s", "100-s"),
        ("Späte Größe", "Spate-Grosse"),
        ("A\u0308rger", "Arger"),
        ("Łódź, œuvre, Ærø, Øre", "Lodz-oeuvre-Aero-Ore"),
        ("ﬁnal ２", "final-2"),
        ("nul\0byte", "nul-byte"),
        ("夜 show 夜", "show"),
        ("x" * 300, "x" * 80),
        ("x" * 79 + " yz", "x" * 79),
    ],
)
def test_the_rule_of_file_names(media: Simulator, title: str, part: str) -> None:
    """A part that follows the rule stays as it is."""
    assert safe_part(title) == part == safe_part(part)
    assert recorded(media, title=title)["file_path"] == f"{MACROS}/main_{part}_{TIME}.mp4"


def test_the_rule_holds_for_the_stream(media: Simulator) -> None:
    record = recorded(media, stream="Große/Bühne", id="x")
    assert record["file_path"] == f"{MACROS}/Grosse-Buhne_{TIME}.mp4"
    assert record["stream"]["name"] == "Große/Bühne"


def test_the_longest_name_fits_into_a_file_system(media: Simulator) -> None:
    path = recorded(media, stream="s" * 255, id="x", title="t" * 255, format="webm")["file_path"]
    # The time has 14 characters. A file that is being written has a temporary name.
    assert len(path.rpartition("/")[2].replace(TIME, "0" * 14)) < 200


def test_a_stream_without_a_safe_name_needs_an_id(media: Simulator) -> None:
    assert run(media, "夜")["msg"] == (
        "stream: expected letters, digits, '.', '_' and '-' only (the server cannot address anything else), got '夜'; "
        "or specify id."
    )
    assert recorded(media, stream="夜", id="night", title="show")["file_path"] == f"{MACROS}/show_{TIME}.mp4"
    assert recorded(media, stream="夜", id="night")["file_path"] == f"{MACROS}/{TIME}.mp4"


@pytest.mark.parametrize("title", ["///", "夜", "$", ".."])
def test_a_title_that_would_disappear_is_refused(media: Simulator, title: str) -> None:
    expected = f"title: expected a letter from a to z or a digit for the name of the file, got {title!r}."
    assert run(media, title=title)["msg"] == expected and not media.log
    assert recorded(media, title="  ")["file_path"] == f"{MACROS}/main_{TIME}.mp4"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stream": ""}, "stream: expected the name of a stream, got an empty text."),
        ({"vhost": " "}, "vhost: expected letters"),
        ({"vhost": "a/b"}, "vhost: expected letters"),
        ({"app": "a b"}, "app: expected letters"),
        ({"id": "a b"}, "id: expected letters"),
        ({"directory": ""}, "directory: expected an absolute path on the media server, got an empty text."),
        ({"directory": "shows"}, "directory: expected an absolute path"),
        ({"directory": "/${Name}"}, "directory: expected no macros but"),
        ({"interval_minutes": -1}, "interval_minutes: expected a whole number from 0 to 35791, got -1."),
        ({"interval_minutes": 35792}, "interval_minutes: expected a whole number from 0 to 35791, got 35792."),
        (
            {"interval_minutes": 1, "schedule": "0 0 *"},
            "schedule: cannot be used together with interval_minutes",
        ),
        ({"schedule": "hourly"}, "schedule: expected 'SECOND MINUTE HOUR'"),
        ({"stream": "a\nb", "id": "x"}, "stream: expected text without control"),
        ({"wait_timeout": -1}, "wait_timeout: expected seconds"),
    ],
)
def test_what_cannot_work_is_refused(media: Simulator, options: dict[str, Any], words: str) -> None:
    result = run(media, **options)
    assert result["msg"].startswith(words) and result["error"]["kind"] == "bad_input" and not media.log
    assert result["line"].endswith(": not reached") and result["action"] == ""


def test_the_server_takes_the_largest_interval(media: Simulator) -> None:
    assert recorded(media, interval_minutes=35791)["interval"] == 35791 * 60_000


def test_the_recording_of_another_stream_stays(media: Simulator) -> None:
    assert run(media)["changed"]
    media.clear_log()
    for state in ("started", "stopped"):
        result = run(media, "other", id="main-recording", state=state)
        assert result["failed"] and not media.writes
        assert result["msg"] == (
            "The recording main-recording belongs to the stream main, not to other. "
            "Specify that stream, or another id. Nothing was done."
        )
        assert result["line"] == "stream default/media/other: not reached"


def test_what_was_recorded_is_read_before_the_stop() -> None:
    clock = ManualClock()
    with Simulator(stop_delay=0.0, scene="media", clock=clock) as media:
        media.stream_appears("default", "media", "main")
        started = run(media, wait_timeout=0)
        clock.advance(2)
        running = run(media)
        assert started["action"] == "started" and running["state"] == "recording" and running["files"] == 1
        assert running["line"].startswith(
            "stream default/media/main: main-recording unchanged (recording), file /default/"
        )
        clock.advance(3726)
        stopped = run(media, state="stopped")
    assert stopped["bytes"] > 0 and stopped["seconds"] >= 3726 and stopped["file_path"] == running["file_path"]
    assert stopped["line"].startswith("stream default/media/main: main-recording stopped, file /default/media/main_")
    assert f", {stopped['bytes']} bytes, 1:02:0" in stopped["line"]


def test_several_files_are_counted() -> None:
    status = {"state": "recording", "output_file_path": "/b.mp4", "total_record_bytes": 9, "total_record_time": 61_000}
    for state, files in (("recording", 3), ("stopped", 2)):
        result = {"action": "stopped", "status": [{**status, "sequence": 2, "state": state}]}
        made = RecordStream.summed_up({"stream": "main"}, result, check_mode=True)
        assert made["files"] == files and made["line"] == (
            "Check mode, this would be done: stream default/app/main: main-recording stopped, "
            f"{files} files, the last one /b.mp4, 9 bytes, 0:01:01"
        )


def test_an_application_that_cannot_record(media: Simulator) -> None:
    result = run(media, app="app")
    assert result["error"]["kind"] == "file_publisher_missing"
    assert result["line"] == "stream default/app/main: main-recording failed"
    assert not run(media, app="none", state="stopped")["changed"]


def test_other_errors_end_the_task(media: Simulator) -> None:
    result = run(media, api_token="wrong")
    assert result["error"]["kind"] == "unauthorized" and result["line"] == "stream default/media/main: failed"


def test_a_file_whose_name_cannot_be_read_is_a_warning(media: Simulator) -> None:
    assert run(media)["changed"]
    reads = sum(record.path.endswith(":records") for record in media.log)
    assert run(media, state="stopped")["changed"]
    media.inject("status", status=500, method="POST", path=":records", skip=reads - 1)
    result = run(media, retries=0)
    assert result["action"] == "started" and result["file_path"] == f"{MACROS}/main_{TIME}.mp4"
    assert "list the recordings" in str(result["warnings"])
