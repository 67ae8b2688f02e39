# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of one task as the user specified them, before ansible-core checks them."""

from __future__ import annotations

import difflib
import re
import typing as t

from .._core.option_names import named
from .._operations.base import Operation
from .._schema import macro_options
from .option_types import extract_invalid, wrong_type
from .redaction import SHORTEST_URL_SECRET, secrets_in


class SpecifiedOptions:
    """Prepares the options of one task for the check of ansible-core, and finds their secrets."""

    def __init__(self, operation: type[Operation], spec: t.Mapping[str, t.Any], options: t.Mapping[str, t.Any]) -> None:
        """``spec`` is the argument spec of the operation's module."""
        self._spec = spec
        self.params = operation.as_declared(options)
        self._macros = macro_options.take(self.params, *operation.declarations())
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

    def put_macros_back(self, checked: t.Any) -> None:
        """Put macros of configuration files back into the options after the check, which takes none for a number."""
        macro_options.put_back(checked, self._macros)

    def wrong_type(self) -> str | None:
        """Return the message for the first option of a wrong type; None if there is none."""
        wrong = wrong_type(self.params, self._spec)
        return None if wrong is None else f"{named(wrong[0])}: {wrong[1]}."


_UNKNOWN = re.compile(
    r"Unsupported parameters for \(\S+\) module: (.*?)\. Supported parameters include: (.*)\.", re.DOTALL
)


# Where ansible-core names options in a message of its check.
_OPTIONS = re.compile(
    r"(\Amissing required arguments: |\AUnsupported parameters for \(\S+\) module: |\Avalue of |\Aargument '?"
    r"| found in '?)"
    r"(\w[\w.]*(?:, \w[\w.]*)*)"
)


def with_hints(text: str) -> str:
    """Return a message of ansible-core with what helps a new user.

    If connection options are missing, these are the places to set them; if an option is unknown, the known one whose
    name is similar. In a role, the variable is named that an option gets its value from.
    """
    unknown = _UNKNOWN.fullmatch(text)
    if unknown:
        similar = _similar(unknown[1].split(", "), re.findall(r"\w+", unknown[2]))
        hint = f" Did you mean {' and '.join(map(named, similar))}?" if similar else ""
        return f"{_with_names(text)}{hint}"
    missing = re.fullmatch(r"missing required arguments: (.*)", text)
    names = [name for name in ("api_url", "api_token") if missing and name in missing[1].split(", ")]
    places = [
        f"Set the option {name}, the environment variable OVENMEDIAENGINE_{name.upper()} or, for roles, "
        f"ovenmediaengine_{name}."
        for name in names
    ]
    text = _with_names(text)
    return " ".join([f"{text}." if places else text, *places])


def _with_names(text: str) -> str:
    """Return a message of ansible-core that names variables in place of options."""
    return _OPTIONS.sub(lambda found: found[1] + ", ".join(map(named, found[2].split(", "))), text)


def _similar(unknown: t.Iterable[str], known: t.Collection[str]) -> list[str]:
    """Return the full paths of the known options whose names are similar to those of unknown ones."""
    found = []
    for path in unknown:
        parent, dot, name = path.rpartition(".")
        # Swapped letters are the most likely mistake, which `difflib` does not know.
        close = sorted(difflib.get_close_matches(name, known, 3), key=lambda one: sorted(one) != sorted(name))
        found += [f"{parent}{dot}{one}" for one in close[:1]]
    return list(dict.fromkeys(found))
