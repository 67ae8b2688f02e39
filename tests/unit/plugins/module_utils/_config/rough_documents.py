# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration files as people write them: comments, ignored elements, CDATA, any line ends and indentation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import hypothesis.strategies as st
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.document import Document, Element
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import Extra
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import (
    Bool,
    Field,
    Float,
    Int,
    PresenceBool,
    StringSet,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList

TEXT_OF_ELEMENT = re.compile(r">([^<>]*[^<>\s][^<>]*)</")
BETWEEN_ELEMENTS = re.compile(r"(?<=>)\s+(?=<)")
COMMENTS = ("<!-- note -->", "<!-- two\n lines -- here -->", "<!---->", "<?note?>")
IGNORED = (
    "<Name ignore='true'>old</Name>",
    '<Application ignore="true"><Name>\n old </Name></Application>',
    "<X ignore='true'/>",
)


@st.composite
def roughened(draw: st.DrawFn, text: str) -> bytes:
    """Return a file with the meaning of another one."""
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    layout = draw(st.sampled_from(["same", "tabs", "one line", "wild"]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))

    def between(match: re.Match[str]) -> str:
        blanks = {"same": match[0], "tabs": match[0].replace("  ", "\t"), "one line": ""}.get(layout)
        if blanks is None:
            blanks = draw(st.sampled_from(["", " ", "\n", "\n\n    ", "\n\t", match[0]]))
        if draw(st.integers(0, 5)):
            return blanks
        added = draw(st.sampled_from(COMMENTS + IGNORED))
        return draw(st.sampled_from([f"{blanks}{added}{blanks}", f" {added}{blanks}", f"{blanks}{added}"]))

    def text_of(match: re.Match[str]) -> str:
        how = draw(st.integers(0, 12))
        if how == 0 and "&" not in match[1]:
            return f"><![CDATA[{match[1]}]]></"
        if how == 1:
            return f"><!-- before -->{match[1]}<!-- behind -->twice</"
        return match[0]

    head, body = text.split("-->\n", 1)  # the notice
    body = BETWEEN_ELEMENTS.sub(between, TEXT_OF_ELEMENT.sub(text_of, body))
    head = draw(st.sampled_from([head + "-->\n", "", "\n<!-- mine -->\n"]))
    return (head + body).replace("\n", line_end).encode(encoding)


def other_values(field: Field) -> st.SearchStrategy[Any]:
    """Return values of an option."""
    if isinstance(field, Bool):
        return st.booleans()
    if isinstance(field, (Int, Float)):
        return st.integers(0, 9)
    texts = st.sampled_from(["one", "two & <three>", "é \r\n x", 'a"b', "${env:X:1}", ""])
    if isinstance(field, StringSet):
        return st.lists(texts.filter(bool), max_size=3, unique=True)
    return texts


@st.composite
def objects(draw: st.DrawFn, declaration: Object) -> dict[str, Any]:
    """Return objects (option form) of any declaration."""
    found: dict[str, Any] = {}
    for option, field in declaration.fields.items():
        if draw(st.integers(0, 2)):
            continue
        if isinstance(field, Extra):
            found[option] = draw(st.sampled_from([{"fooBar": "1"}, {"fooBar": {"a": ["1", "2"]}, "tokenOfFoo": "x"}]))
        elif isinstance(field, ObjectList):
            items = draw(st.lists(objects(field.element), max_size=3))
            unique = {json.dumps(item.get(field.identity, index)): item for index, item in enumerate(items)}
            found[option] = [item for item in unique.values() if item]
        elif isinstance(field, Object):
            found[option] = draw(objects(field))
        elif isinstance(field, PresenceBool):
            found[option] = True
        else:
            found[option] = draw(other_values(field))
    return found


def options(declaration: Object, value: dict[str, Any], path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each option that an object has or could have: names, and positions in lists."""
    for option, field in declaration.fields.items():
        here = (*path, option)
        if isinstance(field, Extra):
            yield (*here, "fooBar")
        elif isinstance(field, ObjectList):
            for index, item in enumerate(value.get(option) or ()):
                yield from options(field.element, item, (*here, index))
        elif isinstance(field, Object):
            if option in value:
                yield from options(field, value[option], here)
        else:
            yield here


def with_option(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return an object with another value at a path; None removes it."""
    if not path:
        return new
    first, *rest = path
    if isinstance(first, int):
        return [with_option(item, tuple(rest), new) if index == first else item for index, item in enumerate(value)]
    inner = with_option(value.get(first, {} if rest else None), tuple(rest), new)
    return {**{key: item for key, item in value.items() if key != first}, **({} if inner is None else {first: inner})}


def others(declaration: Object, element: Element, path: tuple[Any, ...]) -> Iterator[str]:
    """Yield the bytes of everything in a file but the option at a path: the tags around it, and all beside them."""
    document, field = element.document, declaration.fields[path[0]]
    tags = {"FooBar"} if isinstance(field, Extra) else {field.xml.partition("/")[0]}
    text = document.text
    start = text[element.start : element.open_end]
    yield start.rstrip("/> ") if not field.xml.startswith("@") else "<"
    at = element.open_end
    for child in cast("list[Element]", list(element)):
        yield from _comments(text[at : child.start])
        at = child.end
        if child.tag in tags and child.get("ignore") != "true":
            if isinstance(field, (Object, ObjectList)):
                yield from _inside(field, child, path, element)
        else:
            yield text[child.start : child.end]
    yield from _comments(text[at : element.close_start])


def _inside(field: Object | ObjectList, child: Element, path: tuple[Any, ...], parent: Element) -> Iterator[str]:
    inner = field.element if isinstance(field, ObjectList) else field
    name = field.xml.rpartition("/")[2]
    around = "/" in field.xml
    inside = cast("list[Element]", list(child if around else parent))
    candidates = [one for one in inside if one.tag == name and one.get("ignore") != "true"]
    index = path[1] if isinstance(field, ObjectList) else 0
    rest = path[2:] if isinstance(field, ObjectList) else path[1:]
    document = child.document
    for one in candidates if around else [child]:
        if one is candidates[index]:
            yield from others(inner, one, rest)
        else:
            yield document.text[one.start : one.end]


def _comments(gap: str) -> Iterator[str]:
    yield from re.findall(r"<!--.*?-->|<\?.*?\?>", gap, re.DOTALL)


def around_root(document: Document) -> tuple[str, str]:
    """Return what is before and behind the root element."""
    return document.text[: document.root.start], document.text[document.root.end :]
