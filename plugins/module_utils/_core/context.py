# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The context of one task: check mode, warnings, clock, secrets."""

from __future__ import annotations

import time
import typing as t

from .concurrency import deferred
from .secret_store import SecretStore


class Declaration(t.Protocol):
    """The part of an object's declaration that a context needs."""

    def collect_secrets(self, value: t.Any, secrets: SecretStore) -> None:
        """Add the secrets in a value in option form to the store."""


class Context:
    """Check mode, the clock, and what a task collects: warnings, retries and secrets.

    ``module`` is the name of the task's module, for messages to others. Tests replace ``sleep``, ``clock`` (seconds)
    and ``now`` (seconds since 1970).
    """

    def __init__(
        self,
        *,
        check_mode: bool = False,
        secrets: SecretStore | None = None,
        module: str = "",
        sleep: t.Callable[[float], None] = time.sleep,
        clock: t.Callable[[], float] = time.monotonic,
        now: t.Callable[[], float] = time.time,
    ) -> None:
        self.check_mode = check_mode
        self.secrets = secrets or SecretStore()
        self.module = module
        self.sleep = sleep
        self.clock = clock
        self.now = now
        self.warnings: list[str] = []
        self.retries: list[str] = []
        self.predicted_files: dict[str, bytes | None] = {}
        """What files of a configuration directory would have in check mode, by path; None if it is removed."""

    def warn(self, *texts: str) -> None:
        """Add warnings for the user, each once."""
        for text in texts:
            deferred(self._warn_once, text)

    def _warn_once(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def keep_secrets(self, declaration: Declaration, value: t.Mapping[str, t.Any]) -> None:
        """Add the secrets of an object in option form to those that are masked."""
        deferred(declaration.collect_secrets, value, self.secrets)
