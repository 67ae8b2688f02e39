# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter record_plan."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.filter import record_plan as plugin
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.record import RECORDS

record_plan = plugin.FilterModule().filters()["record_plan"]
TIME = "${StartTime:YYYYMMDDhhmmss}"


def plan(stream: Any = "main", **options: Any) -> dict[str, Any]:
    made: dict[str, Any] = record_plan(stream, **{"vhost": "default", "app": "app", **options})
    return made


def problems(stream: Any = "main", **options: Any) -> list[str]:
    """Return the problems; there is no recording then."""
    made = plan(stream, **options)
    assert made["record"] == {}
    found: list[str] = made["problems"]
    return found


def test_a_stream_becomes_a_recording() -> None:
    assert plan() == {
        "record": {
            "vhost": "default",
            "app": "app",
            "id": "main-recording",
            "stream": {"name": "main"},
            "file_path": f"/${{VirtualHost}}/${{Application}}/main_{TIME}.mp4",
            "interval": 0,
            "schedule": "",
        },
        "problems": [],
    }


def test_all_options_are_used() -> None:
    record = plan(
        title="Evening show",
        record_id="show",
        file_format="ts",
        directory="/shows/",
        interval_minutes="90",
        schedule="",
    )["record"]
    assert record["id"] == "show"
    assert record["file_path"] == f"/shows/main_Evening-show_{TIME}.ts"
    assert record["interval"] == 90 * 60 * 1000
    assert plan(schedule="0 0 */1")["record"]["schedule"] == "0 0 */1"
    assert plan(directory="/")["record"]["file_path"] == f"/main_{TIME}.mp4"


def test_to_stop_only_identifiers_are_needed() -> None:
    made = plan(state="stopped", title="///", schedule="never", interval_minutes=1)
    assert made == {"record": {"vhost": "default", "app": "app", "id": "main-recording"}, "problems": []}


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
def test_the_rule_of_file_names(title: str, part: str) -> None:
    """A part that follows the rule stays as it is."""
    assert plugin.safe_part(title) == part
    assert plugin.safe_part(part) == part
    assert plan(title=title)["record"]["file_path"].endswith(f"/main_{part}_{TIME}.mp4")


def test_the_rule_holds_for_the_stream() -> None:
    record = plan("Große/Bühne", record_id="x")["record"]
    assert record["file_path"].endswith(f"/Grosse-Buhne_{TIME}.mp4")
    assert record["stream"] == {"name": "Große/Bühne"}


def test_the_longest_name_fits_into_a_file_system() -> None:
    path = plan("s" * 255, record_id="x", title="t" * 255, file_format="webm")["record"]["file_path"]
    # The time has 14 characters. A file that is being written has a temporary name.
    assert len(path.rpartition("/")[2].replace(TIME, "0" * 14)) < 200


def test_a_stream_without_a_safe_name_needs_an_id() -> None:
    assert problems("夜") == [
        "The id of the recording cannot work: expected letters, digits, '.', '_' and '-' only (the server cannot "
        "address anything else), got '夜-recording'."
    ]
    assert plan("夜", record_id="night", title="show")["record"]["file_path"].endswith(f"/show_{TIME}.mp4")
    assert plan("夜", record_id="night")["record"]["file_path"].endswith(f"/{TIME}.mp4")


@pytest.mark.parametrize("title", ["///", "夜", "$", ".."])
def test_a_title_that_would_disappear_is_refused(title: str) -> None:
    assert problems(title=title) == [
        f"The title {title} has no letter from a to z and no digit for the name of the file. Use another title."
    ]
    assert plan(title="  ")["problems"] == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stream": ""}, "stream expects a text that is not empty."),
        ({"stream": 7}, "stream expects a text that is not empty."),
        ({"vhost": " "}, "vhost expects a text that is not empty."),
        ({"app": None}, "app expects a text that is not empty."),
        ({"directory": ""}, "directory expects a text that is not empty."),
        ({"title": 7}, "title expects a text."),
        ({"schedule": None}, "schedule expects a text."),
        ({"state": "on"}, "state expects started or stopped."),
        ({"file_format": "mkv"}, "file_format expects one of mp4, ts, webm."),
        ({"interval_minutes": True}, "interval_minutes expects a whole number from 0 to 35791."),
        ({"interval_minutes": "1.5"}, "interval_minutes expects a whole number from 0 to 35791."),
        ({"interval_minutes": -1}, "interval_minutes expects a whole number from 0 to 35791."),
        ({"interval_minutes": 35792}, "interval_minutes expects a whole number from 0 to 35791."),
        ({"interval_minutes": 1, "schedule": "0 0 *"}, "The schedule cannot work: cannot be used together with an"),
        ({"schedule": "hourly"}, "The schedule cannot work: expected 'SECOND MINUTE HOUR'"),
        ({"directory": "shows"}, "The directory cannot work: expected an absolute path"),
        ({"directory": "/${Name}"}, "The directory cannot work: expected no macros but"),
        ({"vhost": "a/b"}, "The virtual host cannot work: expected letters"),
        ({"app": "a b"}, "The application cannot work: expected letters"),
        ({"stream": "a\nb", "record_id": "x"}, "The name of the stream cannot work: expected text without control"),
    ],
)
def test_what_cannot_work_is_refused(options: dict[str, Any], words: str) -> None:
    (problem,) = problems(**options)
    assert problem.startswith(words)


def test_all_problems_are_reported_at_once() -> None:
    assert len(problems(title=1, file_format="x", state="x", vhost="")) == 4


def test_the_module_accepts_the_largest_interval_and_warns_about_nothing() -> None:
    record = plan(interval_minutes=35791)["record"]
    RECORDS.validate(record, "", started=True)
    assert RECORDS.warnings_for(record) == []
