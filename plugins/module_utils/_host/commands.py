# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Programs of the host, run without a shell."""

from __future__ import annotations

import os
import subprocess
import typing as t

from .._core.errors import OmeError

_LONGEST = 300.0  # seconds
_NOT_FOUND = 127
"""The status with which a shell says that there is no such program."""


class Ended(t.NamedTuple):
    """How a program ended."""

    status: int
    output: str
    errors: str

    @property
    def said(self) -> str:
        """Return what it wrote to standard error, or else to standard output."""
        return self.errors.strip() or self.output.strip()


def run(*command: str, timeout: float = _LONGEST, environment: t.Mapping[str, str] | None = None) -> Ended:
    """Run a program in the root directory, with messages in English; return how it ended.

    :param timeout: seconds after which it is killed.
    :param environment: variables beside those of this process.
    """
    try:
        # No AnsibleModule is here: an operation also runs without one, in the process of Ansible.
        ended = subprocess.run(  # pylint: disable=ansible-bad-function
            command,
            cwd="/",
            env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ended(_NOT_FOUND, "", f"{command[0]} did not end within {timeout:.0f} s")
    except OSError as error:
        return Ended(_NOT_FOUND, "", f"{command[0]}: {error.strerror or error}")
    return Ended(ended.returncode, ended.stdout.decode("utf-8", "replace"), ended.stderr.decode("utf-8", "replace"))


def must_run(attempt: str, *command: str) -> Ended:
    """Run a program that has to succeed. Raises OmeError (``host``) if it fails; ``attempt`` says for what."""
    ended = run(*command)
    if ended.status:
        detail = f"{' '.join(command)} ended with status {ended.status}: {ended.said.rstrip('.') or 'it said nothing'}."
        raise OmeError("host", attempt, detail=detail)
    return ended
