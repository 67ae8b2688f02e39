# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the Python that a task asks for with the one that runs Ansible."""

from __future__ import annotations

import functools
import os
import shutil
import sys
import typing as t

from ansible import constants


@functools.lru_cache(maxsize=1)
def configured_interpreter() -> t.Any:
    """Return the Python in Ansible's configuration, which counts if no variable sets one.

    Cached, because reading it takes a tenth of the time of an item of a loop.
    """
    return constants.config.get_config_value("INTERPRETER_PYTHON")


@functools.lru_cache(maxsize=64)
def is_own_interpreter(interpreter: str) -> bool:
    """Return whether a Python is the one that runs this process; True if none, or any, is asked for."""
    if not interpreter or interpreter.startswith("auto"):
        return True
    path = shutil.which(interpreter)
    return path is not None and _identity(path) == _identity(sys.executable)


def _identity(program: str) -> tuple[str, str]:
    """Return the real path of a Python and of its virtual environment, which decides on its libraries."""
    folder = os.path.dirname(os.path.abspath(program))
    places = (folder, os.path.dirname(folder))
    environment = next(
        (os.path.realpath(place) for place in places if os.path.isfile(os.path.join(place, "pyvenv.cfg"))), ""
    )
    return os.path.realpath(program), environment
