# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Elements of `extra` that a release does not know: the server would not start with them (server-facts:
Configuration files).
"""

from __future__ import annotations

import difflib
import typing as t

from .._core.option_names import named
from .._core.server_version import Version, show
from .._schema.extra import EXTRA
from .._schema.objects import Object, ObjectList
from . import extra_elements, known_elements
from .known_elements import NEWEST, Releases

_LIKENESS = 0.7  # of two names, from 0 to 1


class InExtra(t.NamedTuple):
    """An element for a key of `extra`."""

    option: str  # its full path
    path: str  # of the element, from a root of the table on
    declaration: Object | None  # of the object around it; None inside of another element of `extra`

    @property
    def releases(self) -> Releases | None:
        """The releases that know it."""
        return known_elements.releases_of(self.path)

    def is_known_to(self, version: Version) -> bool:
        """Return whether a release that the table covers knows it."""
        return self.releases is not None and self.releases.has(version)

    def unknown_to(self, version: Version) -> str:
        """Return why the release does not take it, as the end of a sentence whose subject is the release."""
        known = f"; {self.releases} know it" if self.releases else ""
        return f"does not know the element {self.tag} and would not start{known}{self.question(version)}"

    def history(self) -> str:
        """Return which releases know it, as a part of a sentence."""
        if self.releases is None:
            oldest, newest = show(known_elements.OLDEST), show(NEWEST)
            return f"no release from {oldest} to {newest} knows it, and none starts with it{self.question(NEWEST)}"
        is_in_all = self.releases == (known_elements.OLDEST, NEWEST)
        return f"{self.releases} know it{'' if is_in_all else ', and no other starts with it'}"

    def question(self, version: Version) -> str:
        """Return a question for the element that was probably meant; empty without a similar one."""
        names = known_elements.inside(self.path.rpartition(".")[0], version)
        if self.declaration is not None:
            fields = [one for option, one in self.declaration.fields.items() if option != EXTRA]
            names += [
                one.xml.partition("/")[0] for one in fields if one.known_to(version) and not one.xml.startswith("@")
            ]
        by_name = {name.lower(): name for name in names}
        best = difflib.get_close_matches(self.tag.lower(), by_name, n=1, cutoff=_LIKENESS)
        return f"; did you mean {by_name[best[0]]}?" if best else ""

    @property
    def tag(self) -> str:
        """Its name."""
        return self.path.rpartition(".")[2]


def unknown(declaration: Object, value: t.Mapping[str, t.Any], version: Version, path: str = "") -> list[str]:
    """Return messages about the elements of `extra` that a release is known not to have, with paths of options.

    ``path`` is the full path of the option that holds ``value`` (option form).
    """
    if not known_elements.covers(version):
        return []
    return [
        f"{named(one.option)}: OvenMediaEngine {show(version)} {one.unknown_to(version)}"
        for one in _topmost(in_extra(declaration, value, path), version)
    ]


def _topmost(elements: t.Iterable[InExtra], version: Version) -> t.Iterator[InExtra]:
    """Yield the elements that a release does not know, without those inside of them."""
    around = ""
    for one in elements:
        if not one.is_known_to(version) and not (around and one.option.startswith(around)):
            around = f"{one.option}."
            yield one


def in_extra(declaration: Object, value: t.Mapping[str, t.Any], path: str = "") -> t.Iterator[InExtra]:
    """Yield the elements of `extra` at every level of ``value`` (option form), each before those inside of it."""
    yield from _of_object(declaration, value, path, known_elements.ROOTS.get(declaration.option, declaration.option))


def _of_object(declaration: Object, value: t.Mapping[str, t.Any], option: str, around: str) -> t.Iterator[InExtra]:
    for name, item in value.items():
        field = declaration.fields[name]
        here = f"{option}.{name}" if option else name
        inner = f"{around}.{field.xml.replace('/', '.')}"
        if name == EXTRA:
            yield from _of_extra(item, here, around, declaration)
        elif isinstance(field, ObjectList):
            for index, one in enumerate(item):
                yield from _of_object(field.element, one, f"{here}[{index}]", inner)
        elif isinstance(field, Object):
            yield from _of_object(field, item, here, inner)


def _of_extra(value: t.Any, option: str, around: str, declaration: Object | None = None) -> t.Iterator[InExtra]:
    parent = around.rpartition(".")[2]
    for key, item in value.items():
        tag = extra_elements.tag_of(parent, key)
        one = InExtra(f"{option}.{key}", f"{around}.{tag}", declaration)
        if item is not None:
            yield one
        member = extra_elements.member_of(parent, tag)
        for index, inner in enumerate(item if isinstance(item, (list, tuple)) else [item]):
            if isinstance(inner, dict):
                where = f"{one.option}[{index}]" if inner is not item else one.option
                yield from _of_extra(inner, where, f"{one.path}.{member}" if member else one.path)
