# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The start of a server: the proof that it is up, and what is put back if it is not."""

from __future__ import annotations

import posixpath
import typing as t

from .._core.context import Context
from .._core.errors import OmeError
from .._core.texts import shortened
from .._host.server_memory import Copies, ServerMemory
from .._host.server_service import Mark, ServerService, StartFailed
from . import server_log
from .base import Params
from .server_api import Address, ServerApi
from .server_summary import first_of

_LONGEST_REASON, _LONGEST_OLD_REASON, _LONGEST_LOG = 600, 400, 1000  # characters


class Old(t.NamedTuple):
    """The server that ran before the start."""

    address: Address
    version: str
    """Empty if it is unknown."""
    refuses_token: bool
    provision: t.Callable[[], None] | None
    """Makes on it what its files do not have; None if its API cannot be used. Raises OmeError."""


class NotStarted(OmeError):
    """The server did not come up."""

    def __init__(self, text: str, *, rolled_back: bool) -> None:
        super().__init__("host", "start the server", detail=text)
        self.rolled_back = rolled_back
        """Whether the old server runs with the old files."""

    def __str__(self) -> str:
        return self.detail


class ServerStart:
    """Starts a server with its new files, or puts back what ran before."""

    def __init__(
        self, params: Params, memory: ServerMemory, service: ServerService, api: ServerApi, context: Context
    ) -> None:
        self._params, self._memory, self._service = params, memory, service
        self._api, self._context = api, context

    def run(self, new: Address, old: Old) -> None:
        """Start the server. Raises NotStarted."""
        mark = self._service.mark()
        try:
            self._service.restart()
            self._api.prove(new, self._params["version"])
        except OmeError as error:
            raise self._rolled_back(error, mark, old) from None
        self._memory.note_started(self._params["version"], new.url)

    def _rolled_back(self, error: OmeError, mark: Mark, old: Old) -> NotStarted:
        """Put the files back with which the server ran; return the error that says what has happened."""
        logs = self._service.logs(mark)
        reason = self._reason(error, logs[0])
        said = error.said if isinstance(error, StartFailed) else ""
        last = server_log.told([said, *logs], self._context.secrets.scrub)
        good, made = self._memory.last_good(), self._memory.made_since()
        known = bool(good) and bool(self._memory.started)
        back: Copies = {}
        if good:
            back, reason = self._old_started(good, made, reason, old)
        if not back and not known:
            # It has never answered. systemd or docker would start it again and again.
            self._service.stop()
        if back:
            reason = self._completed(back, reason, old)
            self._memory.forget_pending()
            version = self._memory.started.get("version", "unknown")
            ended = f"The old files (version {version}) were put back, and the server runs with them."
        elif not known:
            ended = "The server was stopped, because there was nothing to put back."
        else:
            ended = "The server does not run. Manual intervention is required."
        log = shortened(" | ".join(last), _LONGEST_LOG) or "empty"
        return NotStarted(
            f"The server did not come up with the new files. {reason} {ended} Correct the variables, and run the role "
            f"again. Its log since the start, errors first: {log}",
            rolled_back=bool(back),
        )

    def _reason(self, error: OmeError, log: str) -> str:
        if error.unanswered:
            reason = f"Its API did not respond within {self._params['start_wait']} seconds."
        else:
            reason = error.detail if isinstance(error, StartFailed) else shortened(str(error), _LONGEST_REASON)
        status = self._service.exit_status(log)
        return f"{reason} It ended with exit status {status}." if status.strip() else reason

    def _old_started(self, good: Copies, made: Copies, reason: str, old: Old) -> tuple[Copies, str]:
        """Start the old server; return the files with which it has started, if it has, and the reason with more."""
        self._memory.put_unit_back()
        both = {**good, **made}
        failure = self._try_old(both, old)
        if failure is None:
            return both, reason
        reason = f"{reason} The old server did not start either: {shortened(str(failure), _LONGEST_OLD_REASON)}"
        if not made:
            return {}, reason
        # Perhaps it is one of the files that no start has tried: they are left out.
        if self._try_old(good, old) is not None:
            return {}, f"{reason} Nor did it without the files that were new since its last start."
        left_out = first_of(sorted(posixpath.basename(path) for path in made))
        return good, f"{reason} It started without the files that were new since its last start: {left_out}."

    def _try_old(self, copies: Copies, old: Old) -> OmeError | None:
        """Put files back, and start the old server with them; return why it does not run."""
        try:
            self._memory.put_back(copies)
            self._service.restart()
            self._api.prove(old.address, old.version, may_refuse_token=old.refuses_token)
        except OmeError as error:
            return error
        except OSError as error:
            return OmeError("host", "put the old files back", detail=f"{error.strerror or error}.")
        return None

    def _completed(self, back: Copies, reason: str, old: Old) -> str:
        """Make on the old server what its API had made; return the reason with more.

        What cannot be made on it does not hide why the new one failed.
        """
        if old.provision is None:
            return reason
        try:
            old.provision()
        except OmeError:
            reason = f"{reason} What its files do not have could not be provisioned on the old server."
        # That has written the new files again, with which the server did not start.
        self._memory.put_back(back)
        return reason
