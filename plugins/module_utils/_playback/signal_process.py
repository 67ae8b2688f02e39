# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Publish a test signal from a process of its own, as long as the task needs it.

Not from a thread: before PyAV 19, nothing else of a process runs while PyAV connects to a server.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import typing as t

from .background import detach, end_on_request, failure_in, fork, report_failure
from .playback import NotPlayed
from .publisher import Publication, publish

_ENDING = 15.0  # seconds: longer than any wait of a publisher for the server


class Signal:
    """A test signal that is published by a process, which ends with this one at the latest."""

    def __init__(self, publication: Publication) -> None:
        self.publication = publication
        self.failure: NotPlayed | None = None
        """Why it has ended by itself."""
        self._pid = 0
        self._output: t.BinaryIO | None = None

    def start(self) -> None:
        """Begin to publish; this does not wait for the server."""
        parent = os.getpid()
        reading, writing = os.pipe()
        self._pid = fork()
        if self._pid == 0:
            try:
                self._work(parent, writing)
            finally:
                os._exit(0)
        os.close(writing)
        self._output = os.fdopen(reading, "rb")

    @property
    def is_running(self) -> bool:
        """Return whether it is published, or is about to be."""
        return not self._has_ended(0)

    def end(self) -> None:
        """Let it end soon; this does not wait."""
        if self._output is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGTERM)

    def join(self) -> None:
        """Wait until it has ended."""
        if self._output is not None and not self._has_ended(_ENDING):
            os.kill(self._pid, signal.SIGKILL)
            self._has_ended(None)

    def _has_ended(self, seconds: float | None) -> bool:
        """Return whether it has ended, or ends within some seconds; None for without a limit."""
        if self._output is None:
            return True
        # The stream ends with the process, and has why it failed.
        if not select.select([self._output], [], [], seconds)[0]:
            return False
        with self._output as output:
            self.failure = failure_in(output.read())
        self._output = None
        _pid, status = os.waitpid(self._pid, 0)
        if self.failure is None and os.WIFSIGNALED(status):
            self.failure = NotPlayed("connection", f"The publisher was ended by signal {os.WTERMSIG(status)}.")
        return True

    def _work(self, parent: int, writing: int) -> None:
        """Do the work of the process."""
        detach(writing)
        asked = end_on_request()
        with report_failure(writing):
            publish(self.publication, lambda: asked[0] or os.getppid() != parent)
