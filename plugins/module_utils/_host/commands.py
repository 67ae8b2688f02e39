# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Programs of the host, run without a shell, and units of systemd."""

from __future__ import annotations

import os
import subprocess
import typing as t

from .._core.errors import OmeError

# Programs of the host, run without a shell.

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


# Units of systemd: what it knows of them, and what it is to do with them.

_PROGRAM = "systemctl"


def properties(unit: str, *names: str) -> dict[str, str]:
    """Return properties of a unit by name, such as ``ActiveState``; systemd has them for units without a file, too."""
    shown = must_run(f"look at {unit}", _PROGRAM, "show", f"--property={','.join(names)}", unit)
    found = dict(line.partition("=")[::2] for line in shown.output.splitlines())
    return {name: found.get(name, "") for name in names}


def reload_units() -> None:
    """Let systemd read the files of units again. Raises OmeError."""
    must_run("let systemd read the units", _PROGRAM, "daemon-reload")


def act(verb: t.Literal["enable", "disable", "start", "stop", "restart"], unit: str) -> None:
    """Let systemd do something with a unit. Raises OmeError."""
    must_run(f"{verb} {unit}", _PROGRAM, verb, unit)


def forget_failure(unit: str) -> None:
    """Let systemd forget how a unit ended. Otherwise it lists one that has failed also without its file."""
    run(_PROGRAM, "reset-failed", unit)  # fails if there is nothing to forget
