# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations that manage recordings."""

from __future__ import annotations

from .._resources.record import RECORDS
from .jobs import JobList, SingleJob


class Record(SingleJob):
    """The operation of the module `record`."""

    kind = RECORDS
    result_key = "record"


class RecordList(JobList):
    """The operation of the module `records`."""

    kind = RECORDS
    entries = "records"
