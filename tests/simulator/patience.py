# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long to wait for what must come."""

from __future__ import annotations

import select
from typing import Any

PATIENCE = 600.0
"""Seconds after which a wait is a hang. No judgement: nothing may fail because a machine is slow."""


def wait_until_readable(file: Any) -> bool:
    """Wait until something can be read from a file or socket, or its end seen; return whether that came.

    ``select.select`` takes no descriptors from 1024 on, which a process of many tests can have.
    """
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(PATIENCE * 1000))
