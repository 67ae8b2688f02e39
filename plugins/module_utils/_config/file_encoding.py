# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The encoding of a configuration file, found as pugixml 1.9 does [read]: `guess_buffer_encoding`."""

from __future__ import annotations

import codecs
import re
import typing as t

# The first "en" of a declaration has to be that of "encoding".
_DECLARES_LATIN_1 = re.compile(
    rb"<\?xml[ \t\r\n](?:(?!en)[^?])*encoding[ \t\r\n]*=[ \t\r\n]*([\"'])(?i:iso-8859-1|latin1)\1"
)


class Encoding(t.NamedTuple):
    """How text is bytes: byte order mark, text, and bytes at the end that are no character."""

    codec: str
    title: str
    mark: bytes = b""
    width: int = 1
    errors: str = "strict"
    rest: bytes = b""

    def decode(self, data: bytes) -> str | None:
        """Return the text of a file; None if its bytes are none."""
        try:
            return data[len(self.mark) : len(data) - len(self.rest)].decode(self.codec, self.errors)
        except UnicodeDecodeError:
            return None

    def encode(self, text: str) -> bytes:
        """Return the file of a text."""
        return self.mark + text.encode(self.codec, self.errors) + self.rest


_UTF_8 = Encoding("utf-8", "UTF-8", errors="surrogateescape")  # pugixml reads any bytes.
# A reference stands for a character that it lacks.
_LATIN_1 = Encoding("latin-1", "ISO 8859-1", errors="xmlcharrefreplace")
_MARKS = (
    # Before UTF-16, whose mark is the beginning of one of them.
    Encoding("utf-32-be", "UTF-32", codecs.BOM_UTF32_BE, 4),
    Encoding("utf-32-le", "UTF-32", codecs.BOM_UTF32_LE, 4),
    Encoding("utf-16-be", "UTF-16", codecs.BOM_UTF16_BE, 2),
    Encoding("utf-16-le", "UTF-16", codecs.BOM_UTF16_LE, 2),
    _UTF_8._replace(mark=codecs.BOM_UTF8),
)
_BEGINNINGS = (
    (b"\0\0\0<", Encoding("utf-32-be", "UTF-32", width=4)),
    (b"<\0\0\0", Encoding("utf-32-le", "UTF-32", width=4)),
    (b"\0<", Encoding("utf-16-be", "UTF-16", width=2)),
    (b"<\0", Encoding("utf-16-le", "UTF-16", width=2)),
)


def detect(data: bytes) -> Encoding:
    """Return the encoding of a file."""
    if len(data) < 4:
        return _UTF_8._replace(mark=codecs.BOM_UTF8) if data == codecs.BOM_UTF8 else _UTF_8
    marked = ((one.mark, one) for one in _MARKS)
    for beginning, encoding in (*marked, *_BEGINNINGS):
        if data.startswith(beginning):
            rest = len(data) % encoding.width  # bytes of half a character, which are not read
            return encoding._replace(rest=data[len(data) - rest :])
    if _DECLARES_LATIN_1.match(data):
        return _LATIN_1
    return _UTF_8
