# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A test signal that is published by a process, and where it arrives."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback import signal_process
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.arrivals import Arrivals
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.publisher import Publication
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._playback.signal_process import Signal


def test_an_unexpected_end_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def publish(_publication: Publication, _is_over: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(signal_process, "publish", publish)
    signal = Signal(Publication("rtmp://h.example.com/live/s", "rtmp"))
    signal.join()  # it has not begun
    signal.start()
    signal.join()
    assert not signal.is_running and signal.failure is not None
    assert (signal.failure.stage, signal.failure.detail) == ("connection", "The publisher ended by RuntimeError.")


class FewObjects:
    """The part of an API that knows where applications are."""

    def list_virtual_hosts(self) -> list[str]:
        return ["t-a", "not/addressable"]

    def list_applications(self, _vhost: str) -> list[str]:
        return ["live"]

    def map_concurrently(self, calls: Any) -> list[Any]:
        return [call() for call in calls]


@pytest.mark.parametrize(
    ("vhost", "app", "kind"), [("t-a", "gone", "application_not_found"), ("t-b", "live", "vhost_not_found")]
)
def test_the_application_is_missing(vhost: str, app: str, kind: str) -> None:
    api: Any = FewObjects()
    with pytest.raises(OmeError) as raised:
        Arrivals(api, vhost, app)
    assert raised.value.kind == kind
