# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The patches: each breaks one promise of the product."""

from __future__ import annotations

import difflib
import os
import pathlib
import re
import subprocess
import typing as t

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Mutant(t.NamedTuple):
    """One deliberate bug."""

    name: str
    breaks: str
    promise: str
    tests: tuple[str, ...]  # beside those that coverage finds: processes of their own are not measured
    text: str

    @property
    def lines(self) -> dict[str, set[int]]:
        """The numbers of the changed lines in each file, as they are without the patch; a line that is only added
        counts as the two around it.
        """
        found: dict[str, set[int]] = {}
        file, number = "", 0
        for line in self.text.splitlines():
            if line.startswith("--- a/"):
                file = line[6:]
            elif hunk := re.match(r"@@ -(\d+)", line):
                number = int(hunk[1])
            elif line.startswith("-") and file:
                found.setdefault(file, set()).add(number)
                number += 1
            elif line.startswith("+") and not line.startswith("+++") and file:
                found.setdefault(file, {number - 1, number})
            elif line.startswith(" "):
                number += 1
        return found


def mutants(names: t.Collection[str] = ()) -> list[Mutant]:
    """Return the bugs with these names, or all."""
    found = []
    for path in sorted(HERE.glob("*.patch")):
        text = path.read_text(encoding="utf-8")
        head = dict(re.findall(r"^(Breaks|Promise|Tests): (.*)$", text.partition("\ndiff ")[0], re.MULTILINE))
        found.append(Mutant(path.stem, head["Breaks"], head["Promise"], tuple(head.get("Tests", "").split()), text))
    unknown = set(names) - {mutant.name for mutant in found}
    if unknown:
        raise SystemExit(f"There is no bug {', '.join(sorted(unknown))}.")
    return [mutant for mutant in found if not names or mutant.name in names]


def apply(mutant: Mutant, directory: pathlib.Path, *options: str) -> str:
    """Apply a patch; return what git says if it does not apply."""
    command = ["git", "apply", "-C1", *options, "-"]
    # A repository around the directory would have git look for the files from its top.
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(directory.parent)}
    answer = subprocess.run(
        command,
        cwd=directory,
        input=mutant.text,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        check=False,
    )
    return answer.stdout if answer.returncode else ""


# Patches whose lines have moved


def refreshed(mutant: Mutant) -> str | None:
    """Return the patch for the files as they are now; None if its lines are not in exactly one place of the product."""
    head, _diff, body = mutant.text.partition("\ndiff ")
    texts = {
        path: path.read_text(encoding="utf-8")
        for part in ("plugins", "roles")
        for path in sorted((ROOT / part).rglob("*"))
        if path.suffix in (".py", ".yml")
    }
    changed: dict[pathlib.Path, str] = {}
    for hunk in re.split(r"^@@.*\n", body, flags=re.MULTILINE)[1:]:
        lines = hunk.partition("\ndiff ")[0].splitlines()
        for kinds in (" ", ""):  # with the lines around, else without
            before, after = ("".join(f"{line[1:]}\n" for line in lines if line[:1] in (sign, *kinds)) for sign in "-+")
            places = [path for path, text in texts.items() if before and changed.get(path, text).count(before) == 1]
            if len(places) == 1:
                path = places[0]
                changed[path] = changed.get(path, texts[path]).replace(before, after)
                break
        else:
            return None
    return head + "\n" + "".join(_diff_of(path, texts[path], text) for path, text in sorted(changed.items()))


def _diff_of(path: pathlib.Path, before: str, after: str) -> str:
    name = path.relative_to(ROOT).as_posix()
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}")
    return f"diff --git a/{name} b/{name}\n" + "".join(lines)


def refresh() -> int:
    """Make patches anew that do not apply; return how many must be made by hand."""
    lost = 0
    for mutant in mutants():
        problem = apply(mutant, ROOT, "--check")
        if not problem:
            continue
        text = refreshed(mutant)
        if text is None:
            print(f"{mutant.name}: must be made by hand. {problem}")
            lost += 1
        else:
            (HERE / f"{mutant.name}.patch").write_text(text, encoding="utf-8")
            print(f"{mutant.name}: made anew")
    return lost
