# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The filter unknown_variables."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.ovenmediaengine.plugins.filter import unknown_variables as plugin

unknown_variables = plugin.FilterModule().filters()["unknown_variables"]


def test_only_unknown_names_are_reported() -> None:
    assert (
        unknown_variables(["ovenmediaengine_platforms", "restream_state", "restream_stream", "other"], "restream") == []
    )
    [text] = unknown_variables(["ovenmediaengine_platform", "restream_steram"], "restream")
    assert "ovenmediaengine_platform (did you mean ovenmediaengine_platforms?)" in text
    assert "restream_steram (did you mean restream_stream?)" in text


@pytest.mark.parametrize("names", ["text", None, [1], {}])
def test_what_is_no_list_of_names_is_refused(names: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="expects a list of names"):
        unknown_variables(names, "restream")
