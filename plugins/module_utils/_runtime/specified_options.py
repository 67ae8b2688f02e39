# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of one task as the user specified them, before ansible-core checks them."""

from __future__ import annotations

import re
import typing as t

from .._operations.base import Operation
from .option_types import extract_invalid, wrong_type
from .redaction import SHORTEST_URL_SECRET, secrets_in


class SpecifiedOptions:
    """Prepares the options of one task for the check of ansible-core, and finds their secrets."""

    def __init__(self, operation: type[Operation], spec: t.Mapping[str, t.Any], options: t.Mapping[str, t.Any]) -> None:
        """``spec`` is the argument spec of the operation's module."""
        self._spec = spec
        self.params = operation.as_declared(options)
        self.invalid_entries: dict[str, str] = {}
        """The problems of list entries that are findings, by path."""
        self._extracted: list[t.Any] = []
        if operation.lists_of_findings:
            self.invalid_entries, self._extracted = extract_invalid(self.params, spec, operation.lists_of_findings)
        # The check of ansible-core empties some invalid lists, so their secrets must be found before.
        self._secrets = secrets_in([self.params, self._extracted])

    def secrets(self, checked: t.Mapping[str, t.Any]) -> set[str]:
        """Return the secrets that ansible-core does not know.

        ``checked`` are the options as far as its check has come.
        """
        found = self._secrets | secrets_in([checked, self._extracted])
        return {secret for secret in found if len(secret) >= SHORTEST_URL_SECRET}

    def wrong_type(self) -> str | None:
        """Return the message for the first option of a wrong type; None if there is none."""
        wrong = wrong_type(self.params, self._spec)
        return None if wrong is None else f"{wrong[0]}: {wrong[1]}."


def with_places(text: str) -> str:
    """Return a message of ansible-core; if it says that connection options are missing, with the places to set them."""
    missing = re.fullmatch(r"missing required arguments: (.*)", text)
    names = [name for name in ("api_url", "api_token") if missing and name in missing[1].split(", ")]
    places = [
        f"Set the option {name}, the environment variable OVENMEDIAENGINE_{name.upper()} or, for roles, "
        f"ovenmediaengine_{name}."
        for name in names
    ]
    return " ".join([f"{text}." if places else text, *places])
