# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read what people wrote: what no option can hold is removed and reported, and the rest is read."""

from __future__ import annotations

import re
import typing as t

from .._core.errors import BadInput
from .._core.secret_store import mask_url
from .._core.server_version import NEWEST, Version, show
from .._core.texts import encodable, listed
from .._schema.extra import EXTRA, Extra
from .._schema.fields import CsvSet, Field, String, StringSet
from .._schema.objects import Object, ObjectList
from . import option_xml, versions
from .document import Element, is_possible, place
from .versions import InExtra

# Remove invalid options of what was read, and say where each is in the files and why it cannot stay.

_MOST_REMOVED = 200  # options of one object
# The parts of a path of options: names, indexes, and names in quotes.
_PART = re.compile(r"\[(\d+)\]|'([^']*)'|([^.\[\]']+)")
_LINE_BREAK = re.compile(r"[\r\n]")
_HAS_LINE_BREAK = "its value has a line break, which the server takes as a part of it; write it in one line"
_TYPES = {"int": "a whole number", "float": "a number", "bool": "a boolean"}


_GONE = "-"


class Place:
    """Where an option is in the files: its element, and the places of the options in it."""

    def __init__(self, element: Element, inner: dict[str, Place] | list[Place] | None = None) -> None:
        """Take an element with the places by option, or of the members of a list."""
        self.element = element
        self.inner: t.Any = {} if inner is None else inner

    def get(self, key: t.Any) -> Place | None:
        """Return the place of an option or a member."""
        if isinstance(self.inner, dict):
            return self.inner.get(key)
        return self.inner[key] if isinstance(key, int) and key < len(self.inner) else None


def places(declaration: Object, element: Element) -> Place:
    """Return the places of the options that :func:`xml_reader.value` reads from an element without what it refuses."""
    found = {}
    for option, field in declaration.fields.items():
        if option == EXTRA or field.xml.startswith("@"):
            found[option] = Place(element)
            continue
        around, _slash, name = field.xml.rpartition("/")
        holders = t.cast("list[Element]", option_xml.kept(element, around)[:1] if around else [element])
        for holder in holders:
            members = t.cast("list[Element]", option_xml.kept(holder, name))
            place = _place(field, holder, members)
            if place is not None:
                found[option] = place
    return Place(element, found)


def _place(field: Field, holder: Element, members: list[Element]) -> Place | None:
    if isinstance(field, ObjectList):
        return Place(holder, [places(field.element, member) for member in members])
    if isinstance(field, StringSet) and not isinstance(field, CsvSet):
        return Place(holder, [Place(member) for member in members])
    if not members:
        return None
    return places(field, members[0]) if isinstance(field, Object) else Place(members[0])


class Removed(t.NamedTuple):
    """An option that was removed; an empty path stands for the object as a whole."""

    path: str
    reason: str
    element: Element | None
    cause: Element | None  # the element whose value was invalid
    now: str  # the path that it would have now; a member of a list that was removed is `[-]`


def check_spec(declaration: Object, value: t.Mapping[str, t.Any], path: str = "") -> None:
    """Raise BadInput for what the argument spec of a module refuses: missing options, other types and choices."""
    for option, field in declaration.fields.items():
        inner, item = f"{path}.{option}" if path else option, value.get(option)
        if item is None:
            if field.required:
                raise BadInput(inner, "is required")
        elif field.is_macro(item):
            continue
        elif isinstance(field, Object):
            check_spec(field, item, inner)
        elif isinstance(field, ObjectList):
            for index, one in enumerate(item):
                check_spec(field.element, one, f"{inner}[{index}]")
        elif field.type in _TYPES and isinstance(item, str):
            raise BadInput(inner, f"expected {_TYPES[field.type]}, got {item!r}")
        elif isinstance(field, String) and field.choices and field.normalize(item) not in field.choices:
            raise BadInput(inner, f"expected one of: {', '.join(field.choices)}")


def without_value(error: BadInput) -> str:
    """Return what an error says was expected, without the value, which can be a secret."""
    return error.expected.partition(", got ")[0]


def without_invalid(
    value: dict[str, t.Any], validate: t.Callable[[dict[str, t.Any]], None], place: Place | None = None
) -> tuple[dict[str, t.Any] | None, list[Removed]]:
    """Return an object (option form) without the options that ``validate`` refuses, and these; None if it is invalid
    as a whole, for the reason of the last entry.

    ``validate`` raises BadInput with paths that begin at the object. Reasons are those of what was wrong first: an
    object that lacks a required option because its value was invalid has the reason of that value. ``value`` and
    ``place``, which has the places of its options, are changed.
    """
    removed: list[Removed] = []
    for _count in range(_MOST_REMOVED):
        try:
            validate(value)
        except BadInput as error:
            option, reason = error.option.lstrip("."), without_value(error)
            path, element, lost = _remove_option(value, place, option)
            if isinstance(lost, str) and _LINE_BREAK.search(lost):
                reason = _HAS_LINE_BREAK
            causes = [one for one in removed if _is_inside(one.now, option) or _is_inside(option, one.now)]
            if causes and path == option and not lost:
                continue  # It is empty only because of what was removed from it.
            cause = element
            if causes:
                removed = [one for one in removed if one not in causes]
                (option, reason), cause = _cause(causes[-1]), causes[-1].cause
            reason = reason if option == path else f"{option} {reason}".strip()
            removed.append(Removed(path, reason, element, cause, path))
            if path.endswith("]"):
                removed = [_shifted(one, path) for one in removed]
            if not path:
                return None, removed
        else:
            return value, removed
    element = None if place is None else place.element
    return None, [*removed, Removed("", f"more than {_MOST_REMOVED} options are invalid", element, element, "")]


def _cause(removed: Removed) -> tuple[str, str]:
    """Return the option and the reason of what was removed; the reason of a group begins with its option."""
    is_group = removed.reason.startswith(f"{removed.path}.") or removed.reason.startswith(f"{removed.path}[")
    return ("" if is_group else removed.path), removed.reason


def _is_inside(path: str, around: str) -> bool:
    return path == around or path.startswith((f"{around}.", f"{around}["))


def _shifted(removed: Removed, member: str) -> Removed:
    """Return what was removed, with the path that it would have after the member of a list was removed."""
    around, _bracket, index = member.rstrip("]").rpartition("[")
    other, _bracket, rest = removed.now[len(around) + 1 :].partition("]")
    if not removed.now.startswith(f"{around}[") or other == _GONE:
        return removed
    now = _GONE if other == index else str(int(other) - (int(other) > int(index)))
    return removed._replace(now=f"{around}[{now}]{rest}")


def _remove_option(value: t.Any, place: Place | None, path: str) -> tuple[str, Element | None, t.Any]:
    """Remove an option, or the innermost object around it if it is missing.

    Return its path, empty for all of it, its element and its value.
    """
    holders: list[tuple[t.Any, Place | None, t.Any, int]] = []
    around = place
    for part in _PART.finditer(path):
        key: t.Any = int(part[1]) if part[1] is not None else part[2] if part[2] is not None else part[3]
        if isinstance(value, dict):
            present = key in value
        else:
            present = isinstance(value, list) and isinstance(key, int) and key < len(value)
        if not present:
            break
        if around is not None and isinstance(value, list) and len(value) != len(around.inner):
            around = None  # The members are not those of the elements.
        holders.append((value, around, key, part.end()))
        value, around = value[key], around and around.get(key)
    nearest = [one for _value, where, key, _end in holders for one in (where and where.get(key),) if one is not None]
    innermost = nearest[-1] if nearest else place
    element = None if innermost is None else innermost.element
    if not holders:
        return "", element, value
    holder, where, key, end = holders[-1]
    lost = holder[key]
    _delete(holder, where, key)
    if isinstance(holder, list) and not holder and len(holders) > 1:
        _delete(*holders[-2][:3])  # An empty list would mean something else.
    return path[:end], element, lost


def _delete(holder: t.Any, place: Place | None, key: t.Any) -> None:
    del holder[key]
    if place is not None and place.get(key) is not None:
        del place.inner[key]


_IMPOSSIBLE = "it has control characters, or bytes that are no UTF-8"
_TAG = re.compile(r"[A-Za-z0-9_]+")
_READ_EVERYWHERE = {"ignore", "include"}
"""Attributes that the server reads in every element."""
_NO_OPTION = "the collection has no option for it"
# Comments, sections of text and other markup; groups: the text of a section, the inside of a tag.
_MARKUP = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|<((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>", re.DOTALL)


class Unread(t.NamedTuple):
    """Something that no option can hold, in words without its value, which can be a secret."""

    what: str
    reason: str


class Findings:
    """What is not read, and what is read into `extra`."""

    def __init__(self, version: Version | None = None) -> None:
        """Report for a server of the release ``version``; without one, for all releases."""
        self.version = version if version and versions.covers(version) else None
        self.unread: list[Unread] = []
        self.extra: list[Unread] = []
        self.outdated: list[str] = []
        """Those of ``extra`` with which the newest release does not start."""
        self._ignored: list[str] = []

    def all_unread(self) -> list[Unread]:
        """Return what is not read; the elements that the server ignores are one entry."""
        if not self._ignored:
            return self.unread
        return [*self.unread, Unread('elements with ignore="true"', f"the server ignores {', '.join(self._ignored)}")]

    def ignore(self, where: Where, element: Element) -> None:
        """Report an element with `ignore="true"`."""
        self._ignored.append(f"{where.shown} ({place(element)})")

    def element(self, where: Where, element: Element, reason: str) -> None:
        """Report an element that is not read."""
        self.unread.append(Unread(f"element {where.shown} ({place(element)})", reason))

    def roots(self, root: Element) -> None:
        """Report the other root elements of a file."""
        for other in root.document.roots:
            if other is not root:
                self.element(Where(other.tag, other.tag), other, first(root, other))


def remove_impossible(element: Element, where: Where, findings: Findings) -> None:
    """Remove the elements and attributes whose text the server reads and no option can hold, and report each."""
    for name in [name for name, text in element.attrib.items() if not is_possible(text)]:
        del element.attrib[name]
        what = encodable(f"attribute {name} of element {where.shown} ({place(element)})")
        findings.unread.append(Unread(what, _IMPOSSIBLE))
    for child in t.cast("list[Element]", option_xml.kept(element)):
        inner = where.inside(encodable(child.tag))
        if is_possible(child.tag + (child.text or "")):
            remove_impossible(child, inner, findings)
        else:
            _remove(element, child, inner, _IMPOSSIBLE, findings)


class Where(t.NamedTuple):
    """The path of an element: as it is shown, with names of objects, and as tables have it."""

    shown: str
    path: str

    def inside(self, tag: str, name: str = "") -> Where:
        """Return the path of an element inside of it; ``name`` is that of the object, if it has one."""
        shown = mask_url(name) if "://" in name else name
        return Where(f"{self.shown}.{tag}{f'({shown})' if shown else ''}", f"{self.path}.{tag}")


def first(element: Element, other: Element) -> str:
    """Return why ``other`` does not count, because ``element`` of the same name precedes it."""
    where = "in the same line" if (element.file, element.line) == (other.file, other.line) else place(element)
    return f"the server takes the first {element.tag} ({where})"


def prune(declaration: Object, element: Element, where: Where, findings: Findings) -> None:
    """Remove the elements that :func:`xml_reader.value` refuses or passes over, and report each.

    ``where`` is the path of ``element``.
    """
    report_parts(element, where, findings, declaration)
    prune_children(declaration, element, where, findings)


def prune_children(declaration: Object, element: Element, where: Where, findings: Findings) -> None:
    """Do the same for what is inside of an element only."""
    fields = {field.xml.partition("/")[0]: field for option, field in declaration.fields.items() if option != EXTRA}
    before: dict[str, Element] = {}
    for child in t.cast("list[Element]", list(element)):
        inner = where.inside(child.tag)
        field = fields.get(child.tag)
        if child.get("ignore") == "true":
            findings.ignore(inner, child)
        elif field is None:
            _prune_unknown(declaration, element, child, inner, findings)
        elif child.tag in before and not _is_repeated(field):
            _remove(element, child, _with_members(inner, field, child), first(before[child.tag], child), findings)
        else:
            before.setdefault(child.tag, child)
            _prune_field(field, child, where, findings)
    for field in fields.values():
        if isinstance(field, ObjectList):
            around, _slash, name = field.xml.rpartition("/")
            holders = option_xml.kept(element, around) if around else [element]
            for holder in t.cast("list[Element]", holders):
                _prune_repeated(field, holder, name, where.inside(around) if around else where, findings)


def _is_list(field: Field) -> bool:
    return isinstance(field, ObjectList) or (isinstance(field, StringSet) and not isinstance(field, CsvSet))


def _is_repeated(field: Field) -> bool:
    """Return whether an object can have the element of a field several times."""
    return _is_list(field) and "/" not in field.xml


def _with_members(where: Where, field: Field, element: Element) -> Where:
    """Return the path of an element, with the names of the objects in it if it stands for a list."""
    around, _slash, name = field.xml.rpartition("/")
    if not around or not isinstance(field, ObjectList):
        return where
    names = [identity(field, one) for one in t.cast("list[Element]", option_xml.kept(element, name))]
    return where._replace(shown=f"{where.shown} with {name} {listed(names)}") if any(names) else where


def _prune_field(field: Field, element: Element, where: Where, findings: Findings) -> None:
    around, _slash, name = field.xml.rpartition("/")
    if not around:
        _prune_member(field, element, where, findings)
        return
    inner = where.inside(around)
    report_parts(element, inner, findings)
    before = None
    for child in t.cast("list[Element]", list(element)):
        if child.get("ignore") == "true":
            findings.ignore(inner.inside(child.tag), child)
        elif child.tag != name:
            _remove(element, child, inner.inside(child.tag), f"only {name} is expected there", findings)
        elif before is not None and not _is_list(field):
            _remove(element, child, inner.inside(name), first(before, child), findings)
        else:
            before = before if before is not None else child
            _prune_member(field, child, inner, findings)


def _prune_member(field: Field, element: Element, where: Where, findings: Findings) -> None:
    """Prune one element of a field; ``where`` is the path of the element around it."""
    if isinstance(field, ObjectList):
        prune(field.element, element, where.inside(element.tag, identity(field, element)), findings)
    elif isinstance(field, Object):
        prune(field, element, where.inside(element.tag), findings)
    else:
        inner = where.inside(element.tag)
        for child in t.cast("list[Element]", list(element)):
            _remove(element, child, inner.inside(child.tag), "only text is expected there", findings)
        report_parts(element, inner, findings, text=True)


def identity(field: ObjectList, element: Element) -> str:
    """Return the value that distinguishes an element from the others of its list; empty without one."""
    named = field.element.fields.get(field.identity)
    if named is None or named.secret:
        return ""
    if named.xml.startswith("@"):
        return element.get(named.xml[1:], "")
    found = option_xml.kept(element, named.xml)
    return (found[0].text or "").strip() if found else ""


def _prune_repeated(field: ObjectList, holder: Element, name: str, where: Where, findings: Findings) -> None:
    """Remove the members of a list whose identity an earlier one has."""
    before: dict[str, Element] = {}
    for child in t.cast("list[Element]", option_xml.kept(holder, name)):
        value = identity(field, child)
        if value and value in before:
            reason = f"another {name} has this {field.identity}, and the first one counts ({place(before[value])})"
            _remove(holder, child, where.inside(name, value), reason, findings)
        before.setdefault(value, child)


def _prune_unknown(declaration: Object, parent: Element, element: Element, where: Where, findings: Findings) -> None:
    """Prune an element that no field declares: it goes to `extra`, if the object has that option."""
    extra = declaration.fields.get(EXTRA)
    one = InExtra("", where.path, declaration)
    if not isinstance(extra, Extra):
        history = one.history() if versions.has_root(where.path) else ""
        _remove(parent, element, where, "; ".join(filter(None, (_NO_OPTION, history))), findings)
    elif option_xml.key_of(parent.tag, element.tag) in extra.declared:
        _remove(parent, element, where, one.history(), findings)
    else:
        _prune_extra(parent, element, one, where, findings)


def _prune_extra(parent: Element, element: Element, one: InExtra | None, where: Where, findings: Findings) -> None:
    """Prune an element of `extra`; ``one`` is None inside of an element that no release knows."""
    version = findings.version
    if not _TAG.fullmatch(element.tag):
        _remove(parent, element, where, "its name has other characters than letters, digits and '_'", findings)
        return
    if one is not None and version is not None and not one.is_known_to(version):
        reason = f"OvenMediaEngine {show(version)} {one.unknown_to(version)}"
        _remove(parent, element, where, reason, findings)
        return
    if one is not None and (one.declaration is not None or one.releases is None):
        findings.extra.append(Unread(f"element {where.shown} ({place(element)})", one.history()))
        if version is None and not one.is_known_to(NEWEST):
            findings.outdated.append(f"{where.shown} ({place(element)})")
    report_parts(element, where, findings, text=not option_xml.kept(element))
    member = option_xml.member_of(parent.tag, element.tag)
    for child in t.cast("list[Element]", list(element)):
        inner = where.inside(child.tag)
        if child.get("ignore") == "true":
            findings.ignore(inner, child)
        elif member and child.tag != member:
            _remove(element, child, inner, f"only {member} is expected there", findings)
        else:
            nested = InExtra("", inner.path, None) if one is not None and one.releases else None
            _prune_extra(element, child, nested, inner, findings)


def merge_tags(root: Element, findings: Findings) -> None:
    """Merge the tags of Logger.xml that have one name: the server takes the place of the first one and the level of the
    last one [read].
    """
    tags: dict[str, Element] = {}
    for tag in t.cast("list[Element]", option_xml.kept(root, "Tag")):
        name = tag.get("name", "")
        if name in tags:
            reason = f"a later Tag has this name, and its level counts ({place(tag)})"
            findings.element(Where(f"{root.tag}.Tag({name})", ""), tags[name], reason)
            root.remove(tag)
            root[list(root).index(tags[name])] = tag
        tags[name] = tag


def _remove(parent: Element, element: Element, where: Where, reason: str, findings: Findings) -> None:
    parent.remove(element)
    if element.get("ignore") == "true":
        findings.ignore(where, element)
    else:
        findings.element(where, element, reason)


def report_parts(
    element: Element, where: Where, findings: Findings, declaration: Object | None = None, *, text: bool = False
) -> None:
    """Report what an element has beside its elements: attributes, and text that is not read.

    ``text`` says whether it has a text that is read.
    """
    known = {field.xml[1:] for field in declaration.fields.values() if field.xml[:1] == "@"} if declaration else set()
    known |= _READ_EVERYWHERE if "." in where.path else {*_READ_EVERYWHERE, "version"}
    for name in element.attrib:
        if name not in known:
            what = f"attribute {name} of element {where.shown} ({place(element)})"
            findings.unread.append(Unread(what, "the server does not read it"))
    if _has_other_text(element, text=text):
        reason = "the server reads the text before it only" if text else "the server reads no text there"
        findings.unread.append(Unread(f"text in element {where.shown} ({place(element)})", reason))


def _has_other_text(element: Element, *, text: bool) -> bool:
    """Return whether there is text directly inside of an element, apart from the piece that is its text."""
    whole, position, depth = element.document.text, element.open_end, 0
    pieces = []
    for markup in [*_MARKUP.finditer(whole, position, element.close_start), None]:
        start, end = markup.span() if markup else (element.close_start, element.close_start)
        if not depth and not (text and position == element.text_start):
            pieces.append(whole[position:start])
        if not depth and markup and markup[1] and not (text and start == element.text_start):
            pieces.append(markup[1])
        tag = markup[2] if markup else None
        if tag is not None and not tag.endswith("/"):
            depth += -1 if tag.startswith("/") else 1
        position = end
    return any(piece.strip() for piece in pieces)
