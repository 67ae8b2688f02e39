# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What messages call options."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import BadInput, OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.option_names import (
    named,
    naming,
    with_names,
)

VARIABLES = {"vhosts": "ovenmediaengine_vhosts", "timeout": "ovenmediaengine_timeout"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("timeout", "ovenmediaengine_timeout"),
        ("vhosts[0].name", "ovenmediaengine_vhosts[0].name"),
        ("vhosts[0].timeout (t)", "ovenmediaengine_vhosts[0].timeout (t)"),
        ("tasks[0].timeout", "tasks[0].timeout"),
        ("", ""),
    ],
)
def test_the_first_name_of_a_path_is_the_option(path: str, expected: str) -> None:
    with naming(VARIABLES):
        assert named(path) == expected
    assert named(path) == path


def test_a_constant_text_marks_options() -> None:
    text = "Raise $timeout; the timeout of ${env:NAME} stays, and so does $retries: 5 $."
    assert with_names(text) == "Raise timeout; the timeout of ${env:NAME} stays, and so does retries: 5 $."
    with naming(VARIABLES):
        assert with_names(text).startswith("Raise ovenmediaengine_timeout; the timeout of")
        with naming({}):
            assert with_names("$timeout") == "timeout"
        assert with_names("$timeout") == "ovenmediaengine_timeout"


def test_an_error_names_them_when_it_is_shown() -> None:
    with naming(VARIABLES):
        assert str(BadInput("vhosts[0]", "expected a name")) == "ovenmediaengine_vhosts[0]: expected a name."
        within = BadInput("timeout", "expected seconds").within("vhosts[1] (t)")
        assert str(within) == "ovenmediaengine_timeout: expected seconds, in ovenmediaengine_vhosts[1] (t)."
        remedy = OmeError("timeout", "read it").as_result()["remedy"]
        assert remedy.endswith("raise ovenmediaengine_timeout.")
    assert OmeError("timeout", "read it").as_result()["remedy"].endswith("raise timeout.")
