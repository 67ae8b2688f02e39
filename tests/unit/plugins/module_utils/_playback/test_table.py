# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What verify shows of its rows to people."""

from __future__ import annotations

import dataclasses

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.rows import (
    Row,
    line_of,
    without_proof,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.table import table_of

SIGNAL = Row("t-a", "live", "a.example.com", "rtmp", "streamops-test-1")
VIEWER = dataclasses.replace(SIGNAL, protocol_out="llhls")
ERROR = OmeError("no_output", "play main")


def test_a_cell_has_the_longest_time() -> None:
    rows = [
        SIGNAL.passed(),
        VIEWER.passed(seconds_to_first_frame=0.2),
        VIEWER.passed(seconds_to_first_frame=1.234),
        dataclasses.replace(VIEWER, protocol_out="webrtc").failed(ERROR, "ice"),
        dataclasses.replace(SIGNAL, protocol_in="whip").not_tried("The application has no provider for whip."),
    ]
    assert table_of(rows) == [
        "application  host name      in    published  llhls   webrtc",
        "t-a/live     a.example.com  rtmp  yes        1.23 s  FAILS: ice",
        "t-a/live     a.example.com  whip  not tried",
    ]


def test_signed_and_unsigned_share_a_cell() -> None:
    unsigned = dataclasses.replace(VIEWER, signed=False).passed("denied")
    signed = dataclasses.replace(VIEWER, signed=True)
    rows = [unsigned, signed.passed(seconds_to_first_frame=0.5)]
    assert table_of(rows)[1] == "t-a/live     a.example.com  rtmp  0.50 s, closed unsigned"
    failed = signed.failed(ERROR, "denied")
    assert [row.verdict for row in without_proof([unsigned, failed])] == ["not_tried", "fails"]
    assert without_proof(rows) == rows


def test_push_tasks_and_recordings_have_lines_of_their_own() -> None:
    rows = [
        Row("t-a", "live", stream="main", protocol_out="push", id="t-1").passed(),
        Row("t-b", "").not_tried("None."),
    ]
    assert table_of(rows) == [
        "application   host name  in    published",
        "t-a/live/t-1             push  yes",
        "t-b                            not tried",
    ]
    assert table_of([]) == []


def test_the_line_names_the_first_that_fails() -> None:
    rows = [SIGNAL.passed(), VIEWER.failed(ERROR, "media"), Row("t-a", "gone").failed(ERROR, "vhost_not_found")]
    begin = "1 play, 2 fail, 0 not tried; the first that fails: t-a/"
    assert line_of(rows, check_mode=False) == f"{begin}live, a.example.com/rtmp/llhls: media"
    assert line_of([rows[0], rows[2]], check_mode=False).endswith("the first that fails: t-a/gone: vhost_not_found")
