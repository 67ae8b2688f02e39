# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an example of a module says."""

from __future__ import annotations

import typing as t
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

if t.TYPE_CHECKING:
    from ansible_collections.streamops.ovenmediaengine.tests.e2e.secret_scan_cases import Objects

Options = Mapping[str, t.Any]

NOTHING = "changes nothing"
ONCE = "changes something in the first run"
ALWAYS = "reports a change in every run, because it reads nothing back"

SUCCESS = "success"
ANY_END = "any"
"""In :attr:`Example.ends`: how a run ends is not compared."""
EVERY = "every"
"""In :attr:`Example.ends`: every kind of error that is not named."""
FILES = "/FILES"
"""In options: a directory with the files of :func:`._server.write_files`."""


@dataclass(frozen=True)
class Example:
    """A module, options with which it succeeds, and what cannot be derived from its code."""

    module: str
    options: Options
    """Without connection options. They succeed on the server of :func:`._server.prepare`."""
    effect: str = NOTHING
    """What the module does with them there: :data:`NOTHING`, :data:`ONCE` or :data:`ALWAYS`."""
    with_secrets: Callable[[Objects, str], Options] | None = None
    """Return options about a virtual host of the secret scan, with a secret in each place that can hold one.

    Without it, they are :attr:`options` about its stream `sent`, and have a secret in each option that is one.
    """
    ends: Mapping[str, str] = field(default_factory=dict)
    """How it ends in the secret scan, if not as the server answers: by a kind of error, SUCCESS or ANY_END.

    The keys are the kinds of errors that the server answers with, and SUCCESS if it answers well.
    """
    beside: Mapping[str, Options] = field(default_factory=dict)
    """Further options that an option needs: by the option."""
    inside: Mapping[str, Options] = field(default_factory=dict)
    """Valid values inside of options that hold objects or lists of them, of any module: by the name of the option."""
    without_scenarios: str = ""
    """Why it has no scenarios in the tests of faults, if it writes."""
    asks_own_server: bool = False
    """Whether it sends requests only to a server that it has installed."""
