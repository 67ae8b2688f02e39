# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about playing live streams by LL-HLS."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
import typing as t
from collections.abc import Callable, Iterator

import requests

from .measuring import LIMIT, Sample
from .places import Place
from .simulators import TREE
from .table import EMPTY, Row, Run, Sizes, against_script

PLAYBACK = "playback"
_HOST, _APP = "benchmark.example.com", "app"
_BEGUN = 11.0  # seconds until each stream has a complete segment


@contextlib.contextmanager
def _live(count: int) -> Iterator[tuple[str, list[str]]]:
    """Provide a server of its own with live streams: its address, and the URLs that play them."""
    command = [sys.executable, "-m", "ansible_collections.streamops.ovenmediaengine.tests.simulator"]
    with subprocess.Popen(
        [*command, "--port", "0", "--viewer-port", "0"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TREE)},
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output = t.cast(t.IO[str], process.stdout)
            api, viewers = (re.findall(r"http://\S+", output.readline())[0] for _line in range(2))
            with requests.Session() as session:
                for number in range(count):
                    stream = {"vhost": "default", "app": _APP, "stream": f"stream-{number:04d}"}
                    session.post(f"{api}/_simulator/streams", json=stream, timeout=LIMIT).raise_for_status()
            time.sleep(_BEGUN)
            address = viewers.removeprefix("http://")
            port = address.rpartition(":")[2]
            yield (
                address,
                [f"http://{_HOST}:{port}/{_APP}/stream-{number:04d}/llhls.m3u8" for number in range(count)],
            )
        finally:
            process.terminate()


class PlaybackRows:
    """Makes the rows.

    :param place: where the playbooks run.
    """

    def __init__(self, place: Place, sizes: Sizes) -> None:
        self._place = place
        self._sizes = sizes

    def all(self) -> list[Row]:
        """Return the rows in the order of the table."""
        rows = []
        for count in self._sizes.playbacks:
            script, task = f"playback_{count}_script", f"playback_{count}"
            rows += [
                Row(
                    script,
                    PLAYBACK,
                    f"A plain asyncio script, {count:,} streams by LL-HLS",
                    self._measured(count, self._script),
                    _BEGUN + 1.5 + 0.02 * count,
                ),
                Row(
                    task,
                    PLAYBACK,
                    f"`playback_info`, {count:,} streams by LL-HLS in one task",
                    self._measured(count, self._task),
                    _BEGUN + 2 + 0.02 * count,
                    against_script(task, script),
                    (EMPTY, script),
                ),
            ]
        return rows

    def _measured(self, count: int, measure: Callable[[str, list[str]], Sample]) -> Run:
        def run() -> Sample:
            with _live(count) as (address, urls):
                return measure(address, urls)

        return run

    def _script(self, address: str, urls: list[str]) -> Sample:
        return self._place.program("llhls_script.py", address, *urls)

    def _task(self, _address: str, urls: list[str]) -> Sample:
        return self._place.play("playback", variables={"playback_urls": urls})
