# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What was measured in all rounds, how it is kept, and what follows from it."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import statistics
import typing as t
from collections.abc import Callable, Mapping

from .measuring import Sample


class Spread(t.NamedTuple):
    """The middle of several measurements, and how far they lie apart."""

    median: float
    least: float
    most: float
    rounds: int
    """How many there are."""


@dataclasses.dataclass
class Results:
    """The samples of all rounds."""

    about: dict[str, t.Any]
    """What the numbers depend on: the machine, the versions, the sizes."""
    rounds: list[dict[str, Sample]] = dataclasses.field(default_factory=list)
    """What each row cost, by its key. An interrupted last round can lack rows."""
    again: list[dict[str, Sample]] = dataclasses.field(default_factory=list)
    """The cost of the short rows in rounds that measured them alone."""

    def spread(self, key: str, of: Callable[[Sample], float | None] = lambda sample: sample.seconds) -> Spread | None:
        """Return the spread of a number of a row over the rounds, by default its time; None if there is none."""
        found = [of(one[key]) for one in self._all() if key in one]
        return _spread([number for number in found if number is not None])

    def figure(self, keys: t.Iterable[str], of: Callable[[Mapping[str, Sample]], float]) -> Spread | None:
        """Return the spread of a number that is made of several rows of one round; None if no round has all of them."""
        wanted = set(keys)
        return _spread([of(one) for one in self._all() if wanted <= set(one)])

    def _all(self) -> list[dict[str, Sample]]:
        return [*self.rounds, *self.again]

    def save(self, path: pathlib.Path) -> None:
        """Write everything as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        rounds, again = (
            [{key: sample._asdict() for key, sample in one.items()} for one in part]
            for part in (self.rounds, self.again)
        )
        path.write_text(
            json.dumps({"about": self.about, "rounds": rounds, "again": again}, indent=1) + "\n", encoding="utf-8"
        )

    @classmethod
    def load(cls, path: pathlib.Path) -> Results:
        """Read what :meth:`save` has written."""
        content = json.loads(path.read_text(encoding="utf-8"))
        parts = (
            [{key: Sample(**sample) for key, sample in one.items()} for one in content[part]]
            for part in ("rounds", "again")
        )
        return cls(content["about"], *parts)


def _spread(numbers: list[float]) -> Spread | None:
    return Spread(statistics.median(numbers), min(numbers), max(numbers), len(numbers)) if numbers else None
