# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Publish a test signal from a thread, as long as the task needs it. It ends with the process at the latest."""

from __future__ import annotations

import threading

from .playback import NotPlayed
from .publisher import Publication, publish

_ENDING = 30.0  # seconds: longer than any wait of a publisher for the server


class Signal:
    """A test signal that is published by a thread."""

    def __init__(self, publication: Publication) -> None:
        self.publication = publication
        self.failure: NotPlayed | None = None
        """Why it has ended by itself."""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="test-signal", daemon=True)

    def start(self) -> None:
        """Begin to publish; this does not wait for the server."""
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Return whether it is published, or is about to be."""
        return self._thread.is_alive()

    def end(self) -> None:
        """Let it end soon; this does not wait."""
        self._over.set()

    def join(self) -> None:
        """Wait until it has ended."""
        if self._thread.ident is not None:
            self._thread.join(_ENDING)

    def _work(self) -> None:
        try:
            publish(self.publication, self._over.is_set)
        except NotPlayed as failure:
            self.failure = failure
        except Exception as error:  # nobody else could report it
            self.failure = NotPlayed("connection", f"The publisher ended by {type(error).__name__}.")
