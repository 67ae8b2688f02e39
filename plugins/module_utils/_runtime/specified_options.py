# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of one task as the user wrote them."""

from __future__ import annotations

import re
import typing as t

from .._operations.base import Operation
from .options import SECRET_OPTIONS, extract_invalid, wrong_type
from .redaction import SHORTEST_URL_SECRET, secrets_in


class SpecifiedOptions:
    """The options of one task as they are given, ready for the check of ansible-core."""

    def __init__(self, operation: type[Operation], spec: t.Mapping[str, t.Any], options: t.Mapping[str, t.Any]) -> None:
        """``spec`` is the argument spec of the operation's module."""
        self._spec = spec
        self.params = operation.as_declared(options)
        self.invalid_entries: dict[str, str] = {}
        """What is wrong with entries that are findings and end nothing, by path."""
        self._extracted: list[t.Any] = []
        if operation.lists_of_findings:
            self.invalid_entries, self._extracted = extract_invalid(self.params, spec, operation.lists_of_findings)
        # Looked for before ansible-core checks the options, as it empties some lists that are not as they should be.
        self._secrets = secrets_in([self.params, self._extracted], SECRET_OPTIONS)

    def secrets(self, checked: t.Mapping[str, t.Any]) -> set[str]:
        """What must not be shown beside what ansible-core knows of itself; ``checked`` are the options as far as its
        check has come.
        """
        found = self._secrets | secrets_in([checked, self._extracted], SECRET_OPTIONS)
        return {secret for secret in found if len(secret) >= SHORTEST_URL_SECRET}

    def wrong_type(self) -> str | None:
        """What to say in place of ansible-core, whose check can end in an exception or without the path of the option;
        None if no value is of another type.
        """
        wrong = wrong_type(self.params, self._spec)
        return None if wrong is None else f"{wrong[0]}: {wrong[1]}."


def with_places(text: str) -> str:
    """Return what ansible-core says of missing options, with the places where an option of the connection can be set."""
    missing = re.fullmatch(r"missing required arguments: (.*)", text)
    names = [name for name in ("api_url", "api_token") if missing and name in missing[1].split(", ")]
    places = [
        f"Set the option {name}, the environment variable OVENMEDIAENGINE_{name.upper()} or, for roles, ovenmediaengine_{name}."
        for name in names
    ]
    return " ".join([f"{text}." if places else text, *places])
