# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every operation is: options in, result out. Pure of Ansible, so that any door can stand before it.

A operation has two halves. ``check`` raises BadInput before anything is sent. ``run`` talks to the server and returns
the result as a dictionary; a result with ``failed`` is a failure that still has something to report.
"""

from __future__ import annotations

import typing as t

from .._core.context import Context
from .._core.errors import BadInput
from .._core.secrets import SecretStore
from .._schema.validators import addressable

Params = t.Mapping[str, t.Any]
Result = dict[str, t.Any]

# Argument specs of options that several modules have.
FLAG = {"type": "bool", "default": False}
TEXT = {"type": "str"}
NAMES = {"type": "list", "elements": "str"}
PREDICTED = {"type": "list", "elements": "dict"}
WAIT_TIMEOUT = {"type": "float", "default": 30.0}

# Under this name the door hands over what is wrong with entries that are not of the types of their options.
INVALID_ENTRIES = "unusable"


def state_option(*choices: str) -> dict[str, t.Any]:
    """The argument spec of an option that says how an object should be; the first of the words where it is left out."""
    return {"type": "str", "choices": list(choices), "default": choices[0]}


def list_of(options: t.Mapping[str, t.Any], *, required: bool = True) -> dict[str, t.Any]:
    """The argument spec of a list of dictionaries with these options."""
    return {"type": "list", "elements": "dict", "required": required, "options": dict(options)}


class Operation:
    """One module's work on its options."""

    # Whether there is nothing to do without a server, so that the connection options are required.
    always_needs_server = True
    # Options that are lists in which an entry of any form ends nothing, as it is a finding.
    lists_of_findings: tuple[str, ...] = ()

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        """The argument spec of the module's own options, beside those of the connection."""
        raise NotImplementedError

    @classmethod
    def as_declared(cls, specified: Params) -> dict[str, t.Any]:
        """The options as the user gave them, in the form that their argument spec takes.

        Must cope with options of any form.
        """
        return dict(specified)

    def __init__(self, params: Params) -> None:
        """``params`` are the options after the argument spec: coerced, with None for what was left out."""
        self.params = params

    def collect_secrets(self, secrets: SecretStore) -> None:
        """Remembers the secrets among the options. Runs first, and must cope with options that are not valid."""

    def check(self) -> None:
        """Raises BadInput where an option cannot work."""

    def entry_of(self, option: str) -> str:
        """Return the entry of a list that an option is in, by index and name; empty if it is in none that has a name."""
        return ""

    @property
    def needs_server(self) -> bool:
        """Whether the connection options are needed; ``run`` gets no Api where they are not."""
        return True

    def run(self, api: t.Any, context: Context) -> Result:
        """Does the work; raises OmeError where there is nothing but the error to report."""
        raise NotImplementedError


def check_name(name: str, path: str) -> None:
    """Raises BadInput where nothing of this name can be addressed."""
    expected = addressable(name)
    if expected:
        raise BadInput(path, f"{expected}, got {name!r}")


def check_wait_timeout(params: Params) -> None:
    """Raises BadInput where the option `wait_timeout` holds no time to wait for."""
    if not 0 <= params["wait_timeout"] <= 86400:
        raise BadInput("wait_timeout", f"expected seconds, from 0 to 86400, got {params['wait_timeout']:g}")
