# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operation of `audit_report`: its options. The action plugin does the work, which is all on the controller."""

from __future__ import annotations

import typing as t

from .._audit.findings import DRIFT, ERROR
from .._core.context import Context
from .._core.errors import BadInput
from .._core.option_names import named
from .base import Operation, Result

FAILING = {"none": (), "drift": (ERROR, DRIFT), "error": (ERROR,)}
"""Severities that make an audit fail, by the value of the option ``fail_on``."""
OPTIONS = "options"
"""The key of the result with the options after their check. The action plugin takes it away."""


class AuditReport(Operation):
    """The operation of the module `audit_report`."""

    always_needs_server = False
    has_connection = False

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {
            "registered": {"type": "str"},
            # As those of programs, relative paths start in the current directory.
            "parts_dir": {"type": "str"},
            "report_dir": {"type": "str", "required": True},
            "metrics_file": {"type": "str"},
            "fail_on": {"type": "str", "choices": list(FAILING), "default": "drift"},
        }

    @property
    def needs_server(self) -> bool:
        return False

    def check(self) -> None:
        if (self.params["registered"] is None) == (self.params["parts_dir"] is None):
            raise BadInput("registered", f"expected either this option or {named('parts_dir')}")

    def run(self, api: t.Any, context: Context) -> Result:
        return {"changed": False, OPTIONS: self.params}
