# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print messages and paragraphs before and after, chosen at random.

    python -m tests.samples --before REVISION [--after REVISION] [--seed 18] [--count 10]

Messages are texts of four words or more in errors, warnings and findings of plugins, and in ``msg`` and ``fail_msg`` of
roles. Paragraphs are those of README, CONTRIBUTING, guides and other documents. The counterpart of a sample is the most
similar text after: common words count most, then the same place (an enclosing function or key; the position in the
document), then the same file, also if it was renamed. The similarity of the words is printed, from 0 to 1.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import pathlib
import random
import re
import subprocess
import typing as t

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = re.compile(r"(README|CONTRIBUTING)\.md|docs/.+\.(md|rst)|roles/\w+/README\.md")
SPOKEN = re.compile(r"fail|warn|refus|Error|Advice|BadInput|Finding|with_detail|problem|msg|message", re.IGNORECASE)
MESSAGE_WORDS, PARAGRAPH_WORDS = 4, 15


class Text(t.NamedTuple):
    """A message or a paragraph."""

    file: str
    place: str
    """An enclosing function or key; empty for paragraphs."""
    position: float
    """From 0, the beginning of the file, to 1."""
    text: str


def files(revision: str) -> dict[str, str]:
    """Return the documents, plugins and tasks of a revision, of the working tree without one."""
    listed = (
        git("ls-tree", "-r", "--name-only", revision)
        if revision
        else git("ls-files", "--cached", "--others", "--exclude-standard")
    )
    names = [
        name for name in listed.splitlines() if DOCUMENTS.fullmatch(name) or name.startswith(("plugins/", "roles/"))
    ]
    if revision:
        return {name: git("show", "%s:%s" % (revision, name)) for name in names}
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names if (ROOT / name).exists()}


def git(*arguments: str) -> str:
    """Return what a git command prints."""
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def messages(tree: t.Mapping[str, str]) -> t.Iterator[Text]:
    """Yield the messages of plugins and roles."""
    for name, text in sorted(tree.items()):
        if name.endswith(".py"):
            lines = text.count("\n") + 1
            found = _spoken(ast.parse(text), "", False)
            yield from (
                Text(name, place, line / lines, said)
                for place, line, said in found
                if len(said.split()) >= MESSAGE_WORDS
            )
        elif name.startswith("roles/") and name.endswith(".yml"):
            said = list(_of_tasks(yaml.safe_load(text)))
            yield from (
                Text(name, "", index / len(said), one)
                for index, one in enumerate(said)
                if len(one.split()) >= MESSAGE_WORDS
            )


def _spoken(node: ast.AST, place: str, inside: bool) -> t.Iterator[tuple[str, int, str]]:
    """Yield place, line and text of strings in statements and calls that speak to users."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        place, inside = node.name, False
    elif isinstance(node, ast.Raise):
        inside = True
    elif isinstance(node, ast.Call):
        inside = inside or bool(SPOKEN.search(ast.unparse(node.func)))
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        inside = inside or bool(
            SPOKEN.search(ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target))
        )
    elif isinstance(node, ast.JoinedStr):
        if inside:
            yield (
                place,
                node.lineno,
                "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values),
            )
        return
    elif isinstance(node, ast.Constant) and inside and isinstance(node.value, str):
        yield place, node.lineno, node.value
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values):
            yield from _spoken(value, str(key.value) if isinstance(key, ast.Constant) else place, inside)
        return
    for child in ast.iter_child_nodes(node):
        yield from _spoken(child, place, inside)


def _of_tasks(value: t.Any) -> t.Iterator[str]:
    if isinstance(value, dict):
        yield from (inner for key, inner in value.items() if key in ("msg", "fail_msg") and isinstance(inner, str))
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _of_tasks(inner)


def paragraphs(tree: t.Mapping[str, str]) -> t.Iterator[Text]:
    """Yield the paragraphs of documents, without code, tables, lists and headings."""
    for name, text in sorted(tree.items()):
        if DOCUMENTS.fullmatch(name):
            blocks = re.split(r"\n\s*\n", re.sub(r"(?ms)^```.*?^```$", "", text))
            for index, block in enumerate(blocks):
                if re.match(r"[A-Za-z`*:\[]", block) and len(block.split()) >= PARAGRAPH_WORDS and "\n  " not in block:
                    yield Text(name, "", index / len(blocks), block)


def counterpart(text: Text, candidates: t.Iterable[Text], renamed: t.Mapping[str, str]) -> tuple[float, Text]:
    """Return the similarity of words and the most similar text after."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(text.text.split())
    best: tuple[float, float, Text] | None = None
    for one in candidates:
        matcher.set_seq1(one.text.split())
        same = one.file == renamed.get(text.file, text.file)
        bonus = 0.1 * same + 0.2 * (bool(text.place) and one.place == text.place)
        bonus += 0.2 * same * (1 - abs(one.position - text.position))
        if best is None or matcher.real_quick_ratio() + bonus > best[0]:
            ratio = matcher.ratio()
            if best is None or ratio + bonus > best[0]:
                best = (ratio + bonus, ratio, one)
    assert best is not None, "nothing to compare with"
    return best[1:]


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tests.samples", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--before", required=True, help="git revision")
    parser.add_argument("--after", default="", help="git revision; none for the working tree")
    parser.add_argument("--seed", type=int, default=18, help="of the random choice (%(default)s)")
    parser.add_argument("--count", type=int, default=10, help="messages, and as many paragraphs (%(default)s)")
    options = parser.parse_args()
    before, after = files(options.before), files(options.after)
    changes = git("diff", "--name-status", "-M30%", "--diff-filter=R", options.before, *filter(None, [options.after]))
    renamed = {old: new for _status, old, new in (line.split("\t") for line in changes.splitlines())}
    choice = random.Random(options.seed)
    for title, kind in (("Message", messages), ("Paragraph", paragraphs)):
        every, candidates = list(dict.fromkeys(kind(before))), list(kind(after))
        print("%ss: %d before, %d after\n" % (title, len(every), len(candidates)))
        for number, text in enumerate(choice.sample(every, options.count), 1):
            ratio, other = counterpart(text, candidates, renamed)
            moved = "" if other.file == text.file else " -> " + other.file
            print("%s %d, %s%s (similarity %.2f)\n" % (title, number, text.file, moved, ratio))
            print("  before: %s\n  after:  %s\n" % (" ".join(text.text.split()), " ".join(other.text.split())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
