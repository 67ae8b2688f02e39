# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation that reads recordings."""

from __future__ import annotations

from .._resources.record import RECORDS
from .job_info import JobInfo


class RecordInfo(JobInfo):
    """The operation of the module `record_info`."""

    kind = RECORDS
    result_key = "records"
