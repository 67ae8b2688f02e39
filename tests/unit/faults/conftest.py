# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One server of each version for all cases of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.unit.faults.harness import FaultHarness, harnesses


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], FaultHarness]]:
    """Return the harness of a version of the server."""
    with harnesses(tmp_path_factory.mktemp("harnesses")) as of:
        yield of
