# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Edits as a reader of the file sees them: one table of text, value, and text after the edit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import document, option_xml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.directory import Directory
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.document import BadFile
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.editor import Editor

from .test_xml_names import ANY

CASES: list[tuple[str, str, dict[str, Any], str]] = [
    ("an attribute", "<Any a='1' version='7' enabled = 'TRUE'/>", {"version": "8"}, "<Any a='1' version='8'/>"),
    ("a new attribute", "<Any>\n</Any>", {"version": 'a"<b'}, "<Any version='a\"&lt;b'>\n</Any>"),
    ("a text", "<Any><Number> 07 <!-- n --></Number></Any>", {"number": 8}, "<Any><Number>8<!-- n --></Number></Any>"),
    ("an equal text", "<Any><Number> 07 </Number></Any>", {"number": 7}, "<Any><Number> 07 </Number></Any>"),
    (
        "a text in CDATA",
        "<Any><Modules><![CDATA[b,A]]></Modules></Any>",
        {"modules": ["a", "c"]},
        "<Any><Modules>a,c</Modules></Any>",
    ),
    (
        "an equal set",
        "<Any><Modules>b, A,b</Modules></Any>",
        {"modules": ["a", "b"]},
        "<Any><Modules>b, A,b</Modules></Any>",
    ),
    (
        "the first of two",
        "<Any><Number>1</Number>\n<Number>2</Number></Any>",
        {"number": 3},
        "<Any><Number>3</Number>\n<Number>2</Number></Any>",
    ),
    (
        "none of two",
        "<Any>\n <Number>1</Number>\n <Number>2</Number>\n <BITRATE>5</BITRATE>\n</Any>",
        {"rate": 5},
        "<Any>\n <BITRATE>5</BITRATE>\n</Any>",
    ),
    (
        "an ignored one",
        "<Any>\n  <Number ignore='true'>1</Number>\n</Any>",
        {"number": 3},
        "<Any>\n  <Number>3</Number>\n  <Number ignore='true'>1</Number>\n</Any>",
    ),
    (
        "an empty element",
        "<Any>\n\t<Wrapped/>\n</Any>",
        {"wrapped": [{"name": "a"}]},
        "<Any>\n\t<Wrapped>\n\t\t<Item>\n\t\t\t<Name>a</Name>\n\t\t</Item>\n\t</Wrapped>\n</Any>",
    ),
    ("an empty root", "<Any/>", {"number": 1}, "<Any><Number>1</Number></Any>"),
    (
        "a root in one line",
        "<Any><Number>1</Number></Any>\n",
        {"number": 1, "rate": 5},
        "<Any><Number>1</Number><BITRATE>5</BITRATE></Any>\n",
    ),
    (
        "text of two pieces",
        "<Any><Around><Within><Name>a<!-- x -->b</Name></Within></Around></Any>",
        {"around": {"name": ""}},
        "<Any><Around><Within><Name><!-- x --></Name></Within></Around></Any>",
    ),
    (
        "text that has to be escaped",
        "<Any><Around><Within><Name/></Within></Around></Any>",
        {"around": {"name": "<&>\r\n"}},
        "<Any><Around><Within><Name>&lt;&amp;&gt;&#13;\n</Name></Within></Around></Any>",
    ),
    (
        "the comment of a line",
        "<Any>\n  <Number>1</Number> <!-- one -->\n</Any>",
        {"number": 1, "rate": 5},
        "<Any>\n  <Number>1</Number> <!-- one -->\n  <BITRATE>5</BITRATE>\n</Any>",
    ),
    (
        "a removal with its line",
        "<Any>\r\n  <!-- n -->\r\n  <Number>1</Number>\r\n</Any>\r\n",
        {},
        "<Any>\r\n  <!-- n -->\r\n</Any>\r\n",
    ),
    (
        "a removal beside another",
        "<Any>\n  <Number>1</Number><BITRATE>5</BITRATE>\n</Any>",
        {"rate": 5},
        "<Any>\n  <BITRATE>5</BITRATE>\n</Any>",
    ),
    (
        "another order",
        "<Any><Wrapped>\n <!-- a -->\n <Item><Name>a</Name></Item>\n <!-- b -->\n <Item k='1'>"
        "<Name>b</Name></Item> <!-- of b -->\n <!-- end -->\n</Wrapped></Any>",
        {"wrapped": [{"name": "b"}, {"name": "a"}]},
        "<Any><Wrapped>\n <!-- b -->\n <Item k='1'><Name>b</Name></Item> <!-- of b -->\n <!-- a -->\n <Item>"
        "<Name>a</Name></Item>\n <!-- end -->\n</Wrapped></Any>",
    ),
    (
        "a new first entry",
        "<Any><Ordered>\n <Url>a</Url>\n</Ordered></Any>",
        {"ordered": ["b", "a"]},
        "<Any><Ordered>\n <Url>b</Url>\n <Url>a</Url>\n</Ordered></Any>",
    ),
    (
        "an entry less and one more in front",
        "<Any><Wrapped>\n <Item><Name>x</Name></Item>\n <Item><Name>a</Name></Item>\n</Wrapped></Any>",
        {"wrapped": [{"name": "n"}, {"name": "a"}]},
        "<Any><Wrapped>\n <Item>\n   <Name>n</Name>\n </Item>\n <Item><Name>a</Name></Item>\n</Wrapped></Any>",
    ),
    (
        "a repeated entry",
        "<Any><Wrapped><Item><Name>a</Name></Item><Item><Name>a</Name></Item></Wrapped></Any>",
        {"wrapped": [{"name": "a"}]},
        "<Any><Wrapped><Item><Name>a</Name></Item><Item><Name>a</Name></Item></Wrapped></Any>",
    ),
    (
        "keys of extra",
        "<Any>\n <FooBar><A>1</A><!-- a --><B>x</B></FooBar>\n <Old/>\n</Any>",
        {"extra": {"fooBar": {"a": 1.0, "b": "y"}, "new": ["1", "2"]}},
        "<Any>\n <FooBar><A>1</A><!-- a --><B>y</B></FooBar>\n <New>1</New>\n <New>2</New>\n</Any>",
    ),
    ("a byte order mark", "\ufeff<Any><Number>1</Number></Any>", {"number": 2}, "\ufeff<Any><Number>2</Number></Any>"),
]


def edit(text: bytes, value: dict[str, Any]) -> bytes:
    root = document.parse(text, "any.xml").root
    editor = Editor()
    editor.show(ANY, root)
    editor.set(ANY, root, value)
    files = editor.files()
    return files[0].after if files else text


@pytest.mark.parametrize(("before", "value", "after"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_edit(before: str, value: dict[str, Any], after: str) -> None:
    assert edit(before.encode(), value).decode() == after
    assert edit(after.encode(), value).decode() == after


def test_another_encoding_stays() -> None:
    head = b'<?xml version="1.0" encoding="ISO-8859-1"?>\n<!-- \xe9 -->\n'
    around = {"around": {"name": "\xe9 \u20ac"}}
    after = edit(head + b"<Any><Around><Within><Name>\xe8</Name></Within></Around></Any>", around)
    assert after == head + b"<Any><Around><Within><Name>\xe9 &#8364;</Name></Within></Around></Any>"
    assert option_xml.value(ANY, document.parse(after, "any.xml").root) == around


def included(tmp_path: Path, **files: str) -> Any:
    for name, text in files.items():
        (tmp_path / f"{name}.xml").write_text(text)
    return Directory(str(tmp_path)).load("any.xml", "Any")


def test_what_is_included_is_edited_in_its_file_and_around_it(tmp_path: Path) -> None:
    text = '<Any>\n <Wrapped>\n  <Item include="a.xml"/>\n  <Item><Name>b</Name></Item>\n </Wrapped>\n</Any>'
    root = included(tmp_path, any=text, a="<Item>\n\t<Name>a</Name>\n\t<!-- x -->\n</Item>\n")
    editor = Editor()
    editor.set(ANY, root, {"wrapped": [{"name": "b"}, {"name": "n"}, {"name": "a"}]})
    (file,) = editor.files()
    assert file.after.decode() == (
        "<Any>\n <Wrapped>\n  <Item><Name>b</Name></Item>\n  <Item>\n   <Name>n</Name>\n  </Item>\n"
        '  <Item include="a.xml"/>\n </Wrapped>\n</Any>'
    )
    editor = Editor()
    editor.set(ANY, root, {"wrapped": [{"name": "b"}]})
    assert editor.files()[0].after.decode() == "<Any>\n <Wrapped>\n  <Item><Name>b</Name></Item>\n </Wrapped>\n</Any>"


def test_what_several_includes_bring_in_is_left_to_people(tmp_path: Path) -> None:
    item = "<Item>\n<Name>{}</Name></Item>"
    text = '<Any><Wrapped>\n<Item include="item*.xml"/></Wrapped></Any>'
    root = included(tmp_path, any=text, item1=item.format("a"), item2=item.format("b"))
    for value, expected in (
        (
            [{"name": "a"}],
            r"item2.xml:1: expected no element Item, which the include 'item\*.xml' in any.xml:2 brings in",
        ),
        ([{"name": "b"}, {"name": "a"}], "item1.xml:1: expected wrapped in another order"),
    ):
        with pytest.raises(BadFile, match=expected):
            Editor().set(ANY, root, {"wrapped": value})
