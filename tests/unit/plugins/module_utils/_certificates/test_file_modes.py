# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Modes of files as users write them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.new_files import mode_of


@pytest.mark.parametrize("text", ["0600", "600", "0640", "644", "0660", "664", "2750"])
def test_a_text_is_octal(text: str) -> None:
    assert mode_of(text) == int(text, 8)


@pytest.mark.parametrize("unquoted", ["0600", "0640", "0644", "0400", "0440", "0444", "0700", "0755"])
def test_a_mode_without_quotes_is_understood(unquoted: str) -> None:
    number = yaml.safe_load(unquoted)
    assert isinstance(number, int) and mode_of(number) == int(unquoted, 8)


@pytest.mark.parametrize("number", [600, 640, 644, 660, 700, 750, 755, 400, 440, 444, 0, -1, True, 2**40])
def test_a_number_without_a_leading_zero_is_refused(number: int) -> None:
    assert mode_of(number) is None


@pytest.mark.parametrize(
    "text",
    ["384", "416", "420", "256", "288", "292", "448", "493", "", "rw", "u=rw,g=r,o=", "0o600", "99999", None, 1.5],
)
def test_what_is_no_mode_is_refused(text: Any) -> None:
    """The first are what some releases of ansible-core make of modes without quotes, as text."""
    assert mode_of(text) is None
