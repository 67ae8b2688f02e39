# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The calls that the layer ``_api`` can send, found in its source.

A function sends the methods and the paths that it contains as text, and those of the helpers that it mentions: a
function with a parameter ``path`` knows the method, one without a method knows the path. A placeholder stands for a
name, or for a word that is a text of the layer, such as a call that a table contains.
"""

from __future__ import annotations

import ast
import itertools
import re
import typing as t
from dataclasses import dataclass, field
from pathlib import Path

HOME = Path(__file__).resolve().parents[2] / "plugins" / "module_utils" / "_api"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}
_ROOT = "/v1"
_PLACEHOLDER = "{}"


@dataclass
class Function:
    """A function, or a constant outside of functions: the texts in it, and the names that it mentions."""

    name: str
    file: str
    owner: str = ""
    """The class that has it, if one does."""
    takes_path: bool = False
    methods: set[str] = field(default_factory=set)
    paths: set[str] = field(default_factory=set)
    endings: list[str] = field(default_factory=list)
    """Texts that continue a path, such as ``/apps/{}``, in their order."""
    mentions: set[str] = field(default_factory=set)


class Call(t.NamedTuple):
    """A path that a function sends, and all methods that it can send it with."""

    place: str
    methods: frozenset[str]
    path: str
    """As text, with ``{}`` for each placeholder."""
    endings: tuple[str, ...]


class Calls:
    """The calls of a set of files."""

    def __init__(self, sources: t.Mapping[str, str]) -> None:
        self._words: set[str] = set()
        self._functions: list[Function] = []
        for file, source in sources.items():
            tree = ast.parse(source)
            self._words |= {text for text in _texts(tree) if text.isalpha()}
            self._functions += _functions(file, tree)
        self._resolve()
        self.found = [
            Call(f"{one.file}: {one.name}", frozenset(one.methods), path, tuple(one.endings))
            for one in self._functions
            if one.methods
            for path in sorted(one.paths)
        ]

    def _resolve(self) -> None:
        """Give each function the methods, and then the paths, of the helpers that it mentions."""
        for _round in self._functions:
            before = [(len(one.methods), len(one.paths)) for one in self._functions]
            for one in self._functions:
                for helper in self._helpers(one, lambda other: other.takes_path and bool(other.methods)):
                    one.methods |= helper.methods
            for one in self._functions:
                for helper in self._helpers(one, lambda other: not other.methods and bool(other.paths)):
                    one.paths |= helper.paths
                    one.endings += [ending for ending in helper.endings if ending not in one.endings]
            if before == [(len(one.methods), len(one.paths)) for one in self._functions]:
                return

    def _helpers(self, user: Function, wanted: t.Callable[[Function], bool]) -> list[Function]:
        """Return the helpers that a function mentions: those of its class or of its file if it has one of the name."""
        found = [one for one in self._functions if one.name in user.mentions and one is not user and wanted(one)]
        for place in ((user.file, user.owner), (user.file,)):
            near = {one.name for one in found if (one.file, one.owner)[: len(place)] == place}
            found = [one for one in found if (one.file, one.owner)[: len(place)] == place or one.name not in near]
        return found

    def sends(self, call: Call, method: str, path: str) -> bool:
        """Return whether a call can be the method and path of a row, such as ``/v1/vhosts/{vhost}``."""
        if method not in call.methods:
            return False
        several = (picked for count in range(3) for picked in itertools.combinations(call.endings, count))
        return any(self._fits(call.path + "".join(picked), path) for picked in several)

    def _fits(self, template: str, path: str) -> bool:
        pattern = r"(\{\w+\}|[A-Za-z]+)".join(re.escape(part) for part in template.split(_PLACEHOLDER))
        found = re.fullmatch(pattern, path)
        return found is not None and all(text.startswith("{") or text in self._words for text in found.groups())


def read() -> Calls:
    """Return the calls of the layer ``_api``."""
    return Calls({path.name: path.read_text(encoding="utf-8") for path in sorted(HOME.glob("*.py"))})


def _functions(file: str, tree: ast.AST, owner: str = "") -> t.Iterator[Function]:
    """Yield all functions, and the constants of modules and classes."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            arguments = node.args
            names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
            yield _function(Function(node.name, file, owner, "path" in names), node)
        elif isinstance(node, ast.ClassDef):
            yield from _functions(file, node, node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield _function(Function(node.targets[0].id, file, owner), node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield _function(Function(node.target.id, file, owner), node)


def _function(found: Function, node: ast.AST) -> Function:
    for text in _texts(node):
        if text in METHODS:
            found.methods.add(text)
        elif text.startswith(_ROOT + "/"):
            found.paths.add(text)
        else:
            ending = text[len(_PLACEHOLDER) :] if text.startswith(_PLACEHOLDER) else text
            if re.fullmatch(r"[/:][\w/:{}]+", ending):
                found.endings.append(ending)
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            found.mentions.add(one.id)
        elif isinstance(one, ast.Attribute):
            found.mentions.add(one.attr)
    return found


def _texts(node: ast.AST) -> t.Iterator[str]:
    """Yield the texts of a tree in their order, without docstrings; ``{}`` for each value in an f-string."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else _PLACEHOLDER for part in node.values)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _texts(part.value)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield re.sub(r"\{\w*\}|%s", _PLACEHOLDER, node.value)
    else:
        for child in ast.iter_child_nodes(node):
            if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
                yield from _texts(child)
