# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""XML files of the server's configuration, read by the items of :mod:`.schema`.

The rules are those of ``cfg::DataSource`` and ``cfg::Item`` (0.18.0, 0.20.0 and 0.21.0 [read]): elements that are not
known are refused in the order of the document, settings in the order of the table; ``include`` puts in
other files; ``ignore="true"`` hides an element. In error texts the root and the members of lists have their XML name,
everything between them its JSON name.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import pugixml
from .errors import ConfigError
from .pugixml import Node
from .schema import Field, Item, ListOf
from .wildcards import matches

_ENVIRONMENT = re.compile(r"\$\{env:([^}:]*):?([^}]*)\}")


def resolved(text: str) -> str:
    """Return a text with the macros ``${env:NAME:default}`` replaced."""

    def value(match: re.Match[str]) -> str:
        name, default = match.groups()
        found = os.environ.get(name)
        if found is None and name == "HOSTNAME":
            found = socket.gethostname()
        return default if found is None else found

    return _ENVIRONMENT.sub(value, text)


def parse(path: Path, name: str) -> Node | None:
    """Return the first root element of a name in a file. :raises ConfigError: the file is missing or broken."""
    try:
        return next((root for root in pugixml.parse(path.read_bytes()).nodes() if root.tag == name), None)
    except OSError as error:
        reason = "File was not found" if isinstance(error, FileNotFoundError) else "Error reading from file/stream"
        raise ConfigError(f"Could not read the file: {path} (reason: {reason}, offset: 0)") from error
    except pugixml.ParseError as error:
        raise ConfigError(
            f"Could not read the file: {path} (reason: {error.reason}, offset: {error.offset})"
        ) from error


def child_text(node: Node, name: str) -> str:
    """Return the text of the first element of a name; the empty text without one."""
    return own_text(next((child for child in node.nodes() if child.tag == name), None))


def own_text(node: Node | None) -> str:
    """Return the text of an element; the empty text without one."""
    return (node.text if node is not None else None) or ""


@dataclass(frozen=True)
class XmlFile:
    """A file that is being read.

    :param path: where it is.
    :param directory: where the files are that it includes.
    :param scalars_as_text: whether scalars stay texts; otherwise they get the type of the table.
    """

    path: Path
    directory: Path
    scalars_as_text: bool = True

    def root(self, name: str) -> Node:
        """Return the root element. :raises ConfigError: the file is broken, or the element has another name."""
        found = parse(self.path, name)
        if found is None:
            raise ConfigError(f"Could not find the root element: <{name}> in {self.path}")
        return found

    def read(self, node: Node, item: Item, path: str, lenient: bool = False) -> Any:
        """Return an item in the form in which the API writes it.

        :param path: how error texts call the item.
        :param lenient: whether required settings may be missing.
        :raises ConfigError: the server would not start.
        """
        self._check_unknown(node, item, path)
        included = self._included(node)
        if included is None:
            return self._settings(node, item, path, lenient)
        pattern = node.get("include", "")
        place = f"{path}, current path: {self.directory}, include pattern: {pattern}"
        if not included:
            raise ConfigError(f"There is no file to include for path: {place}")
        if len(included) > 1:
            raise ConfigError(f"Too many files found for an Item: {place} ({len(included)} files found)")
        file = self._next(node, included[0])
        return file._settings(file.root(node.tag), item, path, lenient)

    def _check_unknown(self, node: Node, item: Item, path: str) -> None:
        known = {entry.xml for entry in item.fields.values()}
        for name, child in _nodes(node):
            if name not in known and not item.open and (child is None or not _ignored(child)):
                raise ConfigError(f"Unknown item found: {path}.{name} in {self.path}")

    def _included(self, node: Node) -> list[Path] | None:
        """Return the files that an element includes; None without ``include``.

        The server takes them in the order of the directory, which means nothing; here they are sorted.
        """
        pattern = node.get("include")
        if pattern is None:
            return None
        wanted = self.directory / resolved(pattern)
        try:
            names = sorted(os.listdir(wanted.parent))
        except OSError as error:
            raise ConfigError(
                f"Could not obtain file list: current path: {self.directory}/, include pattern: {pattern}"
                f" ([errno] {error.strerror} ({error.errno}))"
            ) from error
        return [
            wanted.parent / name for name in names if matches(name, wanted.name) and (wanted.parent / name).is_file()
        ]

    def _next(self, node: Node, path: Path) -> XmlFile:
        """Return an included file; what it includes itself is relative to the same directory, or to its own if its path
        is absolute.
        """
        absolute = os.path.isabs(resolved(node.get("include", "")))
        return replace(self, path=path, directory=path.parent if absolute else self.directory)

    def _settings(self, node: Node, item: Item, path: str, lenient: bool) -> Any:
        result: dict[str, Any] = {}
        for key, entry in item.fields.items():
            nodes = [child for child in node.nodes() if child.tag == entry.xml and not _ignored(child)]
            own_path = f"{path}.{key}"
            optional = lenient or not entry.required
            if not nodes:
                if not optional:
                    raise ConfigError(f"{own_path} is not optional")
                continue
            value = self._value(nodes, entry, own_path, optional)
            problem = entry.check(_checked(value)) if entry.check is not None else None
            if problem is not None:
                raise ConfigError(problem)
            if isinstance(entry.kind, ListOf) and entry.kind.bare:
                return value
            result[key] = value
        if item.open:
            known = {entry.xml for entry in item.fields.values()}
            result.update({_json_name(child.tag): _free(child) for child in node.nodes() if child.tag not in known})
        if item.check is not None:
            item.check(_checked(result))
        return result

    def _value(self, nodes: list[Node], entry: Field, path: str, lenient: bool) -> Any:
        if isinstance(entry.kind, ListOf):
            return [member for node in nodes for member in self._members(node, entry.kind)]
        if isinstance(entry.kind, Item):
            return self.read(nodes[0], entry.kind, path, lenient)
        text = own_text(nodes[0])
        return text if self.scalars_as_text else _typed(text, entry.type)

    def _members(self, node: Node, kind: ListOf) -> Iterator[Any]:
        included = self._included(node)
        files = [self] if included is None else [self._next(node, path) for path in included]
        for file in files:
            found = node if included is None else file.root(node.tag)
            # Members are called after their element alone, and enforce what they require.
            yield file.read(found, kind.kind, node.tag) if isinstance(kind.kind, Item) else own_text(found)


def _nodes(node: Node) -> Iterator[tuple[str, Node | None]]:
    """Yield name and element of what is in an element, in its order; text has the empty name and no element."""
    for content in node.content:
        yield ("", None) if isinstance(content, str) else (content.tag, content)


def _ignored(node: Node) -> bool:
    return resolved(node.get("ignore", "")) == "true"


def _checked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _checked(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_checked(inner) for inner in value]
    return resolved(value) if isinstance(value, str) else value


def _typed(text: str, kind: str) -> Any:
    """Return a scalar with its type, converted as the server does it: no number is 0."""
    if kind == "boolean":
        return text == "true"
    if kind not in ("integer", "decimal"):
        return text
    match = re.match(r"\s*[-+]?\d+(\.\d*)?" if kind == "decimal" else r"\s*[-+]?\d+", text)
    number = match.group() if match else "0"
    return float(number) if kind == "decimal" else int(number)


def _json_name(xml: str) -> str:
    return xml[:1].lower() + xml[1:]


def _free(node: Node) -> Any:
    """Return an element of which nothing is known: an object if it has elements, or else a text."""
    return {_json_name(child.tag): _free(child) for child in node.nodes()} if len(node) else own_text(node)
