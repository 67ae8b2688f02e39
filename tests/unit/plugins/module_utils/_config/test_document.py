# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Documents: what pugixml 1.9 reads and refuses, the place of each element, and every byte of the file.

The expectations are those of pugixml itself, of which each kind of input here was tried with `load_file`. The simulated
server has a parser of its own, which the same was done with, and which the last tests compare.
"""

from __future__ import annotations

import codecs
from typing import Any, NamedTuple

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import document
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.document import (
    BadFile,
    BadSyntax,
    Document,
    Element,
)
from ansible_collections.streamops.ovenmediaengine.tests.simulator import pugixml
from hypothesis import given, settings
from hypothesis import strategies as st

FAST = settings(max_examples=100, deadline=None)
EXHAUSTIVE = settings(max_examples=1500, deadline=None)


def check_places(read: Document) -> int:
    """Compare the places of all elements with the text, and return the number of elements."""

    def check(element: Element, text: str) -> int:
        opening = text[element.start : element.open_end]
        assert opening.startswith(f"<{element.tag}") and opening.endswith(">")
        assert element.start < element.open_end <= element.close_start <= element.end
        if element.close_start == element.end:
            assert opening.endswith("/>") and element.end == element.open_end
        else:
            closing = text[element.close_start : element.end]
            assert closing.startswith(f"</{element.tag}") and closing.endswith(">")
        assert element.open_end <= element.text_start <= element.text_end <= element.close_start
        assert (element.text is None) == (element.text_start == element.text_end == element.open_end)
        if element.text is not None:
            piece = text[element.text_start : element.text_end]
            assert "<" not in piece or (piece.startswith("<![CDATA[") and piece.endswith("]]>"))
        before, count = element.open_end, 1
        for child in element:
            assert isinstance(child, Element) and child.document is element.document
            assert before <= child.start and child.end <= element.close_start
            before = child.end
            count += check(child, text)
        return count

    assert read.encode(read.text) == read.data
    return sum(check(root, read.text) for root in read.roots)


def meaning(element: Any) -> tuple[Any, ...]:
    return (element.tag, element.attrib, element.text, [meaning(child) for child in element])


# What the server reads inside of the element <a>: its text, and the names of its elements.
READ: dict[str, tuple[str | None, list[str]]] = {
    "": (None, []),
    " \t\r\n": (None, []),
    " x ": (" x ", []),
    "x<!-- -- <b> --->y": ("x", []),
    "<!-- <!-- -->x": ("x", []),
    "<!--->-->x": ("x", []),
    "<b/>x<c/>y": ("x", ["b", "c"]),
    "<![CDATA[]]>x": ("", []),
    "<![CDATA[ ]]>x": (" ", []),
    "<![CDATA[<b>]]]]>x": ("<b>]]", []),
    "<![CDATA[a\r\nb\rc]]>": ("a\nb\nc", []),
    "a\r\nb\rc": ("a\nb\nc", []),
    "a & b": ("a & b", []),
    "&": ("&", []),
    "&lt;&gt;&amp;&quot;&apos;": ("<>&\"'", []),
    "&nbsp;&LT;&lt&amp": ("&nbsp;&LT;&lt&amp", []),
    "&a&amp;&am&#&#x&#;&#x;&#X41;&#4g;&#x4g;": ("&a&&am&#&#x&#;&#x;&#X41;&#4g;&#x4g;", []),
    "&#65;&#x42;&#x4c;&#13;&#32;": ("ABL\r ", []),
    "&#32;": (" ", []),
    "a&#0;b": ("a", []),
    "&#4294967361;": ("A", []),
    f"&#x{'0' * 5000}41;&#{'0' * 5000}66;": ("AB", []),
    "é日\U0001f600": ("é日\U0001f600", []),
    "<é/><b:c.d-1/>": (None, ["é", "b:c.d-1"]),
    "<?p <b> ?>x": ("x", []),
    "<?xml version='1.0'?>x": ("x", []),
    "<b></b\t\r\n >": (None, ["b"]),
    "a > b ]]> c": ("a > b ]]> c", []),
    "\x01": ("\x01", []),
}


@pytest.mark.parametrize("inside", READ)
def test_what_is_in_an_element_is_read_as_the_server_does(inside: str) -> None:
    read = document.parse(f"<a>{inside}</a>", "a.xml")
    assert (read.root.text, [child.tag for child in read.root]) == READ[inside]
    check_places(read)


ATTRIBUTES = {
    " x='1' x='2'": {"x": "1"},
    "\n x\n=\n'1'\ty=\"2\" ": {"x": "1", "y": "2"},
    " x='a\tb\r\nc\nd\re'": {"x": "a b c d e"},
    " x='&lt;&#10;&nbsp;' y='<b>/>'": {"x": "<\n&nbsp;", "y": "<b>/>"},
    " x='\"' y=\"'\"": {"x": '"', "y": "'"},
    " é:-.1=''": {"é:-.1": ""},
}


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_attributes_are_read_as_the_server_does(text: str) -> None:
    for element in (f"<a{text}>b</a>", f"<a{text}/>"):
        read = document.parse(element, "a.xml")
        assert read.root.attrib == ATTRIBUTES[text]
        check_places(read)


BOMB = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))


@pytest.mark.parametrize(
    "text",
    [
        "\n<?xml version='1.0'?><a/>",
        "\ufeff\ufeff <?xml?><a/>",
        "text & > before<a/>text & > behind",
        "<a/><!-- -- --><?p?><![CDATA[<b/>]]>",
        "<a/><b/>",
        "<!DOCTYPE a><a/>",
        "<a/><!DOCTYPE>",
        "<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/>.dtd'><a/>",
        "<!DOCTYPE a [<!ENTITY e '>'><!-- > ' --><? > ?><!ELEMENT b \"<\"><![x[ <b> ' <![[]]> ]]>%p;]><a/>",
        f'<!DOCTYPE a [<!ENTITY e0 "x">{BOMB}]><a/>',
        "<a/>\0<not read",
    ],
)
def test_what_is_around_the_root_element_is_not_read(text: str) -> None:
    read = document.parse(text, "a.xml")
    assert meaning(read.root) == ("a", {}, None, [])
    check_places(read)


def test_no_entity_of_a_document_type_is_expanded() -> None:
    text = f'<!DOCTYPE a [<!ENTITY e0 "x"><!ENTITY f SYSTEM "file:///etc/passwd">{BOMB}]><a b="&f;">&e8;</a>'
    assert meaning(document.parse(text, "a.xml").root) == ("a", {"b": "&f;"}, "&e8;", [])


def test_the_first_root_element_of_a_name_counts() -> None:
    read = document.parse("<a/>\n<b>1</b><b>2</b>", "a.xml")
    assert read.root_of("b").text == "1"
    with pytest.raises(BadFile, match=r"a\.xml:1: expected the element c, got a") as caught:
        read.root_of("c")
    assert not isinstance(caught.value, BadSyntax)


# Text, line and words of what pugixml refuses.
REFUSED = {
    "": (1, "expected an element, got none"),
    "\n\n": (3, "expected an element, got none"),
    "text": (1, "expected an element, got none"),
    "<!-- <a/> -->": (1, "expected an element, got none"),
    " \0<a/>": (1, "expected an element, got none"),
    "<a>\n<b>\n\n": (4, "expected the end tag </b> for <b> in line 2, got the end of the file"),
    "<a>\r\r</b>": (3, "expected the end tag </a> for <a> in line 1, got </b>"),
    "<a>\n</A>": (2, "expected the end tag </a> for <a> in line 1, got </A>"),
    "<a></ a>": (1, "expected the end tag </a> for <a> in line 1, got </>"),
    "<a>\0</a>": (1, "expected the end tag </a>"),
    "<a/>\n</a>": (2, "expected no end tag without a start tag, got </a>"),
    "<a></a x>": (1, "expected > at the end of the end tag </a>"),
    "<a></a": (1, "expected > at the end of the end tag </a>"),
    "\n<a": (2, "expected > at the end of the start tag of <a>"),
    "<a,b/>": (1, "expected > at the end of the start tag of <a>"),
    "<a / >": (1, "expected > at the end of the start tag of <a>"),
    "<a -x='1'/>": (1, "expected > at the end of the start tag of <a>"),
    "<a>1 <b</a>": (1, "expected > at the end of the start tag of <b> (in text, write &lt; for <)"),
    "<a\nb/>": (2, 'expected b="..." for the attribute b'),
    "<a b=c/>": (1, 'expected b="..." for the attribute b'),
    "<a b c='1'/>": (1, 'expected b="..." for the attribute b'),
    "<a b='1'c='2'/>": (1, "expected a blank behind the attribute b"),
    "<a b='1/>\n": (1, "expected ' at the end of the attribute b that begins here"),
    "<a>\n<!-- -- ></a>": (2, "expected --> at the end of a comment that begins here"),
    "<a/><!-->": (1, "expected --> at the end of a comment"),
    "<a><![CDATA[]]</a>": (1, "expected ]]> at the end of a CDATA section"),
    "<a><?p ></a>": (1, "expected ?> at the end of a processing instruction or a declaration"),
    "<?1?><a/>": (1, "expected a name behind <?"),
    "<a>1 < 2</a>": (1, "got another < (in text, write &lt;)"),
    "<a><!ELEMENT b></a>": (1, "got another <"),
    "<!doctype a><a/>": (1, "got another <"),
    "<a/><": (1, "got another <"),
    "<a><!DOCTYPE a></a>": (1, "expected <!DOCTYPE ...> before the first element, and complete"),
    "<!DOCTYPE a [<b>]><a/>": (1, "expected <!DOCTYPE ...>"),
    "<!DOCTYPE a '>": (1, "expected <!DOCTYPE ...>"),
    "\n<!DOCTYPE a [<![x[ ]> <a/>": (2, "expected ]]> at the end of <![ in <!DOCTYPE ...>"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_server_refuses_is_refused_in_plain_words(text: str) -> None:
    line, words = REFUSED[text]
    with pytest.raises(BadSyntax) as caught:
        document.parse(text, "a.xml")
    assert caught.value.option == f"a.xml:{line}" and words in caught.value.expected
    assert len(str(caught.value)) < 400


# Bytes, and the text of the element.
LATIN_1 = '<?xml version="1.0" encoding="{}"?><a>é</a>'
ENCODED: dict[bytes, str] = {
    "<a>é</a>".encode(): "é",
    codecs.BOM_UTF8 + "<a>é</a>".encode(): "é",
    b"<a>\xe9</a>": "\udce9",
    b"<a>\xed\xa0\x80</a>": "\udced\udca0\udc80",
    b"<a>&#xd800;&#x110000;</a>": "\udced\udca0\udc80\udcf4\udc90\udc80\udc80",
    **{codecs.BOM_UTF16_LE + "<a>é\U0001f600</a>".encode("utf-16-le") + odd: "é\U0001f600" for odd in (b"", b"x")},
    codecs.BOM_UTF16_BE + "<a>é</a>".encode("utf-16-be"): "é",
    codecs.BOM_UTF32_LE + "<a>é</a>".encode("utf-32-le"): "é",
    codecs.BOM_UTF32_BE + "<a>é</a>".encode("utf-32-be") + b"\0\0": "é",
    **{"<a>é</a>".encode(codec): "é" for codec in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")},
    **{LATIN_1.format(name).encode("latin-1"): "é" for name in ("ISO-8859-1", "latin1", "LATIN1")},
    **{LATIN_1.format(name).encode("latin-1"): "\udce9" for name in ("latin-1", "windows-1252", "iso-8859-15")},
    "<?xml version='1.0' encoding='UTF-16'?><a>é</a>".encode(): "é",
    "<?xml version='en' encoding='latin1'?><a>é</a>".encode("latin-1"): "\udce9",
    "\n<?xml version='1.0' encoding='latin1'?><a>é</a>".encode("latin-1"): "\udce9",
}


@pytest.mark.parametrize("data", ENCODED)
def test_the_encoding_is_the_one_that_the_server_takes(data: bytes) -> None:
    read = document.parse(data, "a.xml")
    assert read.root.text == ENCODED[data]
    check_places(read)


def test_another_text_gets_the_encoding_of_the_file() -> None:
    utf_16 = codecs.BOM_UTF16_LE + "<a/>".encode("utf-16-le")
    assert document.parse(utf_16, "a.xml").encode("é") == codecs.BOM_UTF16_LE + "é".encode("utf-16-le")
    latin_1 = document.parse("<?xml encoding='latin1'?><a/>", "a.xml")
    assert latin_1.encode("<a>é€</a>") == b"<a>\xe9&#8364;</a>"


@pytest.mark.parametrize(
    "data", [codecs.BOM_UTF16_LE + b"<\0a\0/\0>\0\0\xd8", codecs.BOM_UTF32_LE + b"<\0\0\0\0\0\0\xff"]
)
def test_bytes_that_are_no_text_of_their_encoding_are_refused(data: bytes) -> None:
    with pytest.raises(BadFile, match=r"a\.xml: expected text in UTF-(16|32), which its beginning announces"):
        document.parse(data, "a.xml")


def test_lines_end_as_editors_see_it() -> None:
    read = document.parse("\n\r\n\r<a>\r\n<b/></a>", "a.xml")
    assert (read.root.line, read.root.file, read.root[0].line) == (4, "a.xml", 5)  # type: ignore[attr-defined]


def test_deep_and_large_files_are_read_up_to_the_limits() -> None:
    deep = document.parse("<a>" * document.DEEPEST + "</a>" * document.DEEPEST, "a.xml")
    assert check_places(deep) == document.DEEPEST
    for text in (
        "<!DOCTYPE" + "<!" * 200_000,
        "<a " + "b='&' " * 100_000,
        "<a>" + "<!--" * 200_000,
        "<a>" + "&#" * 200_000,
    ):
        with pytest.raises(BadSyntax):
            document.parse(text, "a.xml")


class Spelled(NamedTuple):
    """A piece of a file, and what the server understands."""

    spelling: str
    text: str | None = None  # None if it is not text
    element: tuple[Any, ...] | None = None


NAMES = st.sampled_from(["Name", "a", "VirtualHost", "b:c", "é", "x-1.2_"])
SPACES = st.sampled_from([" ", "\n", "\r\n\t", "  "])
NO_SPACES = st.sampled_from(["", "", " ", "\n"])
PLAIN = st.text(st.characters(exclude_characters="<&\0\r", exclude_categories=["Cs"]), max_size=8)
REFERENCES = [
    *(("&amp;", "&"), ("&lt;", "<"), ("&#65;", "A"), ("&#xe9;", "é"), ("&nbsp;", "&nbsp;"), ("&", "&")),
    *(("\r\n", "\n"), ("\r ", "\n ")),
]


def _text(parts: list[tuple[str, str]]) -> Spelled:
    spelling, text = "".join(part[0] for part in parts), "".join(part[1] for part in parts)
    return Spelled(spelling, text if spelling.strip(" \t\r\n") else None)


TEXTS = st.lists(st.sampled_from(REFERENCES) | PLAIN.map(lambda text: (text, text)), max_size=4).map(_text)
COMMENTS = st.text("<>- a\n&\"'!", max_size=8).filter(lambda text: "-->" not in f"{text}-->"[:-1])
OTHERS = st.one_of(
    COMMENTS.map(lambda text: Spelled(f"<!--{text}-->")),
    st.sampled_from([Spelled("<?p <a> ?>"), Spelled("<?xml version='1.0'?>")]),
    PLAIN.filter(lambda text: "]]>" not in f"{text}]]>"[:-1]).map(lambda text: Spelled(f"<![CDATA[{text}]]>", text)),
)


@st.composite
def spelled(draw: st.DrawFn, inner: st.SearchStrategy[list[Spelled]]) -> Spelled:
    """Return an element, with duplicate attributes and all kinds of content."""
    name = draw(NAMES)
    spelling = f"<{name}"
    attributes: dict[str, str] = {}
    for key in draw(st.lists(st.sampled_from(["x", "ignore", "include"]), max_size=3)):
        value = draw(st.text('ab <>/="&é', max_size=4).map(lambda text: text.replace("&", "& ")))
        around = draw(NO_SPACES)
        spelling += f"{draw(SPACES)}{key}{around}={around}'{value}'"
        attributes.setdefault(key, value)
    if draw(st.booleans()) and draw(st.booleans()):
        return Spelled(f"{spelling}{draw(NO_SPACES)}/>", element=(name, attributes, None, []))
    pieces: list[Spelled] = []
    for piece in draw(inner):
        # Two pieces of characters in sequence would be one.
        is_text = not piece.spelling.startswith("<")
        if is_text and pieces and not pieces[-1].spelling.startswith("<"):
            pieces.append(Spelled("<!---->"))
        pieces.append(piece)
    text = next((piece.text for piece in pieces if piece.text is not None), None)
    inside = "".join(piece.spelling for piece in pieces)
    elements = [piece.element for piece in pieces if piece.element]
    spelling = f"{spelling}{draw(NO_SPACES)}>{inside}</{name}{draw(NO_SPACES)}>"
    return Spelled(spelling, element=(name, attributes, text, elements))


ELEMENTS = st.recursive(
    spelled(st.lists(TEXTS | OTHERS, max_size=3)),
    lambda elements: spelled(st.lists(elements | TEXTS | OTHERS, max_size=4)),
    max_leaves=12,
)
FILES = st.tuples(
    st.sampled_from(
        ["", "\n", "<?xml version='1.0'?>\r\n", " <?xml version='1.0' encoding='UTF-8'?>", "<!DOCTYPE a>", "x"]
    ),
    ELEMENTS,
    st.sampled_from(["", "\n", "<!-- -- -->\r\n", "trailing & text"]),
)
CODECS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"])


def check_file(file: tuple[str, Spelled, str], codec: str) -> None:
    before, element, behind = file
    read = document.parse(f"{before}{element.spelling}{behind}".encode(codec), "a.xml")
    assert meaning(read.root) == element.element
    check_places(read)


@FAST
@given(FILES, CODECS)
def test_a_lenient_file_is_read_and_keeps_its_bytes(file: tuple[str, Spelled, str], codec: str) -> None:
    check_file(file, codec)


@pytest.mark.exhaustive
@EXHAUSTIVE
@given(FILES, CODECS)
def test_many_lenient_files_are_read_and_keep_their_bytes(file: tuple[str, Spelled, str], codec: str) -> None:
    check_file(file, codec)


PARTS = [
    *("<a>", "</a>", "<a/>", "<b x='1'", ">", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<?x", "?>", "<!DOCTYPE", "<!"),
    *("[", "'", '"', "&lt;", "&", "x", " ", "\n", "\r", "\0", "<", "é", "\udce9"),
]
SNIPPETS = st.lists(st.sampled_from(PARTS), max_size=12).map(
    lambda parts: "".join(parts).encode("utf-8", "surrogateescape")
)


BYTES = SNIPPETS | st.binary() | st.binary().map(lambda data: b"<a>" + data + b"</a>")


def check_bytes(data: bytes) -> None:
    try:
        read = document.parse(data, "a.xml")
    except BadSyntax:
        with pytest.raises(pugixml.ParseError):
            pugixml.parse(data)
    except BadFile as error:
        assert "expected text in UTF-" in error.expected
    else:
        assert check_places(read)
        assert [meaning(root) for root in read.roots] == [meaning(root) for root in pugixml.parse(data).nodes()]


@FAST
@given(BYTES)
def test_any_bytes_are_kept_or_refused(data: bytes) -> None:
    check_bytes(data)


@pytest.mark.exhaustive
@EXHAUSTIVE
@given(BYTES)
def test_many_bytes_are_kept_or_refused(data: bytes) -> None:
    check_bytes(data)
