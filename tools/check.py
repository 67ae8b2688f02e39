# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check what has changed since main: static checks, the unit tests that belong to it, and one playbook, twice.

check.py    prints which tests were chosen and how each check went; the last line is "N passed, N failed"

A test file belongs to a changed file if it is that file, or uses it: imports it, directly or through other files, calls
something with the name of this module, action plugin or tool, or is below this conftest.py. The nearest come first;
among them those of the same package, then those that use fewest files.
"""

from __future__ import annotations

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import time
import typing as t

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLLECTION = "ansible_collections.streamops.ovenmediaengine."
TREE = ".build/tree/" + COLLECTION.replace(".", "/")
PACKAGES = ("plugins", "tests", "tools", "extensions")
"""Folders whose Python files can use each other."""
MOST = 8
"""Test files that are chosen at most; more would take longer than a minute."""
PYTEST = ("pytest", "--quiet", "--no-cov", "-p", "no:randomly", "-m", "not exhaustive")
STATIC = {
    "ruff": ("ruff", "check", "--quiet", "."),
    "format": ("ruff", "format", "--check", "--quiet", "."),
    "layers": (sys.executable, "-m", "tests.layers"),
    "yamllint": ("yamllint", "--strict", "."),
    "mypy": ("mypy", TREE + "plugins", TREE + "tools"),
}
SMOKE = "tests/e2e/test_smoke.py"
IMPORT = re.compile(r"^[ \t]*(?:from ([\w.]+) import (\([^)]*\)|.*)|import ([\w.]+))", re.MULTILINE)
NAMED = re.compile(r"[(=]\s*[\"'](\w+)[\"']")
BY_NAME = ("plugins/modules/%s.py", "plugins/action/%s.py", "tools/%s.py")
"""What tests use without importing it."""
NOTHING_TO_RUN = 5
"""Exit status of pytest if no test is left."""


def git(*arguments: str) -> str:
    """Return the output of a git command; empty if it fails."""
    command = ["git", "-c", "core.quotePath=off", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def base() -> tuple[str, str]:
    """Return the commit with which to compare, and what it is: the last one on main, or HEAD if there is no main."""
    for name in ("main", "origin/main"):
        found = git("merge-base", "HEAD", name)
        if found:
            return found, "the last commit on " + name
    return "HEAD", "the last commit, because there is no branch main"


def changed(commit: str) -> list[str]:
    """Return the files that differ from a commit, also those that git does not know yet, without deleted ones."""
    names = git("diff", "--name-only", "--no-renames", "--diff-filter=d", commit).splitlines()
    return sorted({*names, *git("ls-files", "--others", "--exclude-standard").splitlines()})


def uses(name: str, text: str, files: t.Container[str]) -> set[str]:
    """Return the files of the collection that a Python file uses."""
    found: set[str] = set()
    folder = name.split("/")[:-1]
    for module, members, plain in IMPORT.findall(text):
        module = (module or plain).removeprefix(COLLECTION)
        dots = len(module) - len(module.lstrip("."))
        parts = (folder[: len(folder) - dots + 1] if dots else []) + module.lstrip(".").split(".")
        path = "/".join(part for part in parts if part)
        inner = re.findall(r"\w+", re.sub(r"#.*|\bas \w+", "", members))
        found.update(one for one in (path + ".py", *("%s/%s.py" % (path, member) for member in inner)) if one in files)
    if is_test(name):
        by_name = (place % word for word in set(NAMED.findall(text)) for place in BY_NAME)
        above = ("/".join([*folder[:depth], "conftest.py"]) for depth in range(len(folder) + 1))
        found.update(one for one in (*by_name, *above) if one in files)
    return found


def is_test(name: str) -> bool:
    """Return whether a file has unit tests."""
    return re.match(r"tests/(unit|simulator/tests)/(.*/)?test_\w+\.py$", name) is not None


def usage() -> dict[str, set[str]]:
    """Return the files that each Python file uses."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    return {name: uses(name, path.read_text(encoding="utf-8"), names) for name, path in names.items()}


def belonging(changes: t.Sequence[str], used: t.Mapping[str, set[str]]) -> dict[str, str]:
    """Return the tests that belong to changed files, in the order of their choice, each with the reason."""
    users: dict[str, set[str]] = collections.defaultdict(set)
    for name, others in used.items():
        for other in others:
            users[other].add(name)
    reasons = {name: "changed" for name in changes if is_test(name)}
    reached = {name: name for name in changes if name in used}
    nearest = list(reached)
    while nearest:
        found = {user: reached[name] for name in nearest for user in users[name] if user not in reached}
        reached.update(found)
        tests = sorted(filter(is_test, found), key=lambda name: (not beside(name, found[name]), len(used[name]), name))
        reasons.update({name: "uses " + found[name] for name in tests if name not in reasons})
        # What tests have in common says nothing of a single one.
        nearest = [name for name in found if not is_test(name) and not name.endswith("conftest.py")]
    return reasons


def beside(test: str, name: str) -> bool:
    """Return whether a test is in the folder for tests of a file's package."""
    return test.rpartition("/")[0] == "tests/unit/" + name.rpartition("/")[0]


def run(command: t.Sequence[str]) -> tuple[int, str, float]:
    """Return the exit status, output and seconds of a command."""
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, time.monotonic() - started


def main() -> int:
    """Choose the tests, run all checks, two at a time, and say how they went."""
    commit, described = base()
    changes = changed(commit)
    reasons = belonging(changes, usage())
    chosen = list(reasons)[:MOST]
    print("%d files differ from %s, %s" % (len(changes), git("rev-parse", "--short", commit), described))
    for name in chosen:
        print("  %s: %s" % (name, reasons[name]))
    if len(reasons) > MOST:
        print("  %d more test files use what has changed: `make unit` runs all" % (len(reasons) - MOST))
    if any(name.startswith("tests/e2e/") for name in changes):
        print("  tests/e2e: `make test` runs these")
    commands: dict[str, t.Sequence[str]] = {"smoke": (*PYTEST, "--numprocesses=0", SMOKE), **STATIC}
    if chosen:
        commands = {
            "tests": (*PYTEST, "--numprocesses=%d" % min(len(chosen), os.cpu_count() or 1), *chosen),
            **commands,
        }
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as threads:
        running = {threads.submit(run, command): name for name, command in commands.items()}
        for future in concurrent.futures.as_completed(running):
            name, (status, output, seconds) = running[future], future.result()
            good = status == 0 or (status == NOTHING_TO_RUN and name == "tests")
            failed += not good
            print("  %-8s %s in %.0f s" % (name, "passed" if good else "FAILED", seconds), flush=True)
            if good and name == "tests":
                print("           " + output.strip().splitlines()[-1])
            if not good:
                print("%s\n  (%s)" % (output, " ".join(commands[name])))
    print("%d passed, %d failed" % (len(commands) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
