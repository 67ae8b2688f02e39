# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print the import graph of plugins/module_utils by layer, and what breaks its rules.

    python -m tests.layers [--revision REVISION]

The rules: a layer imports itself and the layers before it in LAYERS; files import each other without cycles, and
relatively; only ``_runtime`` imports ``ansible.*``; no file has more than LONGEST lines. No file has the name of a
module of the standard library: without an ``__init__.py``, pylint takes it for that module and crashes. Before the
packages, all files were in one folder: for such a revision each file is a node, and there are no layers to point up.
"""

from __future__ import annotations

import argparse
import ast
import collections
import pathlib
import subprocess
import sys
import typing as t

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = "plugins/module_utils/"
LAYERS = ["_core", "_tls", "_http", "_schema", "_api", "_resources", "_config", "_host"]
LAYERS += ["_reconcile", "_certificates", "_playback", "_audit", "_operations", "_runtime"]
LONGEST = 600
_ABSOLUTE = "ansible_collections.streamops.ovenmediaengine.plugins.module_utils"


class File(t.NamedTuple):
    """A file and its imports, by path below plugins/module_utils."""

    lines: int
    imports: set[str]
    """Files of the collection."""
    absolute: set[str]
    """Modules of the collection that are imported by their full name."""
    ansible: set[str]
    """Modules of ansible-core."""


def read(revision: str = "") -> dict[str, File]:
    """Return the files of a revision by path; of the working tree without one."""
    if revision:
        names = _git("ls-tree", "-r", "--name-only", revision, HOME).split()
        texts = {name[len(HOME) :]: _git("show", "%s:%s" % (revision, name)) for name in names if name.endswith(".py")}
    else:
        base = ROOT / HOME
        texts = {path.relative_to(base).as_posix(): path.read_text(encoding="utf-8") for path in base.rglob("*.py")}
    return {name: _file(name, text, texts.keys()) for name, text in sorted(texts.items())}


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def _file(name: str, text: str, names: t.Collection[str]) -> File:
    found = File(len(text.splitlines()), set(), set(), set())
    for node in ast.walk(ast.parse(text)):
        modules: list[tuple[str, list[str]]]
        if isinstance(node, ast.Import):
            modules = [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = name.split("/")[: -node.level] if node.level else []
            base = [_ABSOLUTE, *package] if node.level else []
            modules = [(".".join([*base, *filter(None, [node.module])]), [alias.name for alias in node.names])]
        else:
            continue
        for module, members in modules:
            if module.split(".", maxsplit=1)[0] == "ansible":
                found.ansible.add(module)
            if not module.startswith(_ABSOLUTE):
                continue
            if isinstance(node, ast.Import) or not node.level:
                found.absolute.add(module)
            inner = module[len(_ABSOLUTE) + 1 :].replace(".", "/")
            candidates = [inner, *("%s/%s" % (inner, member) if inner else member for member in members)]
            found.imports.update(one + ".py" for one in candidates if one + ".py" in names)
    return found


def layer(name: str) -> str:
    """Return the layer of a file; the file itself outside of a package."""
    return name.split("/")[0]


def upward(files: t.Mapping[str, File]) -> list[str]:
    """Return the imports that lead to a later layer."""
    rank = {name: LAYERS.index(layer(name)) for name in files if layer(name) in LAYERS}
    pairs = [(name, one) for name, file in files.items() for one in sorted(file.imports)]
    return ["%s imports %s" % pair for pair in pairs if rank.get(pair[0], 0) < rank.get(pair[1], 0)]


def cycles(files: t.Mapping[str, File]) -> list[str]:
    """Return the files that import themselves through others, one line for each cycle."""
    reached: dict[str, set[str]] = {}
    for name in files:
        seen, todo = set(), list(files[name].imports)
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += files[one].imports
        reached[name] = seen
    rings = {frozenset(one for one in reached[name] if name in reached[one]) for name in files if name in reached[name]}
    return sorted(", ".join(sorted(ring)) for ring in rings)


def violations(files: t.Mapping[str, File]) -> list[str]:
    """Return what breaks the rules, one sentence each."""
    found = ["%s is in no layer" % name for name in files if layer(name) not in LAYERS]
    found += ["%s: layer %s is above %s" % (line, *map(layer, line.split(" imports "))) for line in upward(files)]
    found += ["files import each other: %s" % ring for ring in cycles(files)]
    for name, file in files.items():
        found += ["%s imports %s absolutely" % (name, one) for one in sorted(file.absolute)]
        if layer(name) != "_runtime":
            found += ["%s imports %s, which only _runtime may do" % (name, one) for one in sorted(file.ansible)]
        if file.lines > LONGEST:
            found.append("%s has %d lines, more than %d" % (name, file.lines, LONGEST))
        if pathlib.PurePath(name).stem in sys.stdlib_module_names:
            found.append("%s has the name of a module of the standard library" % name)
    return found


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tests.layers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--revision", default="", help="git revision; none for the working tree")
    options = parser.parse_args()
    files = read(options.revision)
    layered = any("/" in name for name in files)
    groups: dict[str, list[str]] = collections.defaultdict(list)
    for name in files:
        groups[layer(name)].append(name)
    for group in sorted(groups, key=lambda one: LAYERS.index(one) if one in LAYERS else len(LAYERS)):
        lines = [files[name].lines for name in groups[group]]
        below = sorted({layer(one) for name in groups[group] for one in files[name].imports} - {group})
        size = "%2d files, longest %3d" % (len(lines), max(lines)) if layered else "%3d lines" % lines[0]
        print("%-32s %s -> %s" % (group, size, " ".join(below) or "none"))
    longest = max(files, key=lambda name: files[name].lines)
    print("files: %d, with %d lines" % (len(files), sum(file.lines for file in files.values())))
    print("longest file: %s, %d lines" % (longest, files[longest].lines))
    print("over %d lines: %d" % (LONGEST, sum(file.lines > LONGEST for file in files.values())))
    print("imports between files: %d" % sum(len(file.imports) for file in files.values()))
    print("upward arrows: %s" % (len(upward(files)) if layered else "no layers"))
    print("cycles between files: %d" % len(cycles(files)))
    print("absolute imports: %d" % sum(len(file.absolute) for file in files.values()))
    print(
        "files that import ansible.*: %s" % (", ".join(name for name, file in files.items() if file.ansible) or "none")
    )
    found = violations(files) if layered else []
    print("".join(line + "\n" for line in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
