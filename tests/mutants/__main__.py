# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deliberate bugs: prove that the tests find what would harm users.

    python -m tests.mutants [NAME...]               run the tests against each bug; all bugs without names
    python -m tests.mutants map DATA JUNIT [NAME...]
                                                    select tests again from a coverage run of the suite; judge the
                                                    named bugs by all tests that cover them
    python -m tests.mutants refresh                 regenerate patches whose lines have moved
    python -m tests.mutants write                   write docs/mutants.md from the last run of all bugs

Each bug is a file NAME.patch beside this one; covering.json has the tests to run for it, the one that found it last
first. DATA is a coverage database with one context for each test (pytest --cov-context=test), JUNIT a report with
durations (pytest --junitxml). A bug is found by a test that fails with the patch and passes without it.
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import time
import typing as t
from xml.etree import ElementTree

from tests.mutants.patches import HERE, ROOT, Mutant, apply, mutants, refresh

BUILD = ROOT / ".build" / "mutants"
COVERING = HERE / "covering.json"
PAGE = ROOT / "docs" / "mutants.md"
COLLECTION = pathlib.PurePosixPath("ansible_collections/streamops/ovenmediaengine")

COPIES = 2  # bugs that are judged at the same time
STAGES = (
    ("not exhaustive", 600.0),
    ("exhaustive", 900.0),
)  # which tests, and the seconds after which they have not found the bug
MOST_TESTS = 20  # in covering.json, for each bug
PROMISED = 42  # bugs that the tests of `make test` find, of all

FAST, FULL, NOT_FOUND = "make test", "make test-all", "not found"


class Verdict(t.NamedTuple):
    """What became of a bug."""

    found: str
    test: str
    seconds: float


# Copies of the repository


def copy(directory: pathlib.Path) -> None:
    """Make a copy of the repository's files, with a tree of collections that holds it."""
    shutil.rmtree(directory, ignore_errors=True)
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\0"):
        if name and os.path.lexists(ROOT / name):
            (directory / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, directory / name, follow_symlinks=False)
    place = directory / ".build" / "tree" / COLLECTION
    place.parent.mkdir(parents=True)
    place.symlink_to(os.path.relpath(directory, place.parent), target_is_directory=True)


def environment_of(directory: pathlib.Path) -> dict[str, str]:
    """Return the environment for the tests of a copy."""
    build, tree = directory / ".build", str(directory / ".build" / "tree")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "OVENMEDIAENGINE_"))}
    return {
        **kept,
        "PATH": os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        "PYTHONPATH": tree,
        # Byte code goes by the paths of sources, and is right for the copy that follows.
        "PYTHONPYCACHEPREFIX": str(ROOT / ".build" / "cache" / "bytecode"),
        "ANSIBLE_COLLECTIONS_PATH": tree,
        "ANSIBLE_HOME": str(build / "ansible"),
        "ANSIBLE_NOCOLOR": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(build / "hypothesis"),
        "PY_COLORS": "0",
    }


def first_failure(directory: pathlib.Path, tests: t.Sequence[str], marks: str, seconds: float) -> str | None:
    """Run tests in a copy, up to the first that fails; return it, None if none fails in time."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n0",
        "--no-cov",
        "-q",
        "-x",
        "-p",
        "no:randomly",
        "--hypothesis-seed=0",
    ]
    with subprocess.Popen(
        [*command, "-m", marks, *tests],
        cwd=directory,
        env=environment_of(directory),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _nothing = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            print(f"given up after {seconds:g} s: {' '.join(tests)}")
            return None
    (directory / ".build" / "pytest.log").write_text(output, encoding="utf-8")
    # With its parameters only where they are plain: they can be any text, and a function stands for all of them.
    failed = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[[\w.-]+\](?= - |$))?)", output, re.MULTILINE)
    if process.returncode not in (0, 1, 5) or (
        process.returncode == 1 and not failed
    ):  # 5: none of the tests has these marks
        raise SystemExit(f"pytest ended with {process.returncode}:\n{output[-3000:]}")
    return failed[1] if failed else None


def exists(test: str) -> bool:
    """Return whether a test that covering.json names is still there."""
    file, *names = test.split("::")
    path = ROOT / file
    return path.exists() and (
        not names
        or all(
            re.search(rf"^\s*(?:def|class) {name}\b", path.read_text(encoding="utf-8"), re.MULTILINE) for name in names
        )
    )


# Judging


def judge(mutant: Mutant, tests: t.Sequence[str], directory: pathlib.Path) -> Verdict:
    """Return which test finds a bug: of those of `make test`, else of the others."""
    started = time.monotonic()
    copy(directory)
    problem = apply(mutant, directory)
    if problem:
        raise SystemExit(f"{mutant.name}.patch does not apply; `python -m tests.mutants refresh` may help.\n{problem}")
    tests = [test for test in tests if exists(test)]
    # Apart, because pytest takes a file and a test in it for the file. Playbooks take long, so they come last.
    groups: tuple[list[str], ...] = ([], [], [])
    for one in tests:
        groups[2 if one.startswith("tests/e2e/") else "::" not in one].append(one)
    for found, (marks, seconds) in zip((FAST, FULL), STAGES):
        for group in filter(None, groups):
            test = first_failure(directory, group, marks, seconds)
            if test:
                return Verdict(found, test, time.monotonic() - started)
    return Verdict(NOT_FOUND, "", time.monotonic() - started)


def judge_all(chosen: t.Sequence[Mutant], tests_of: t.Callable[[Mutant], t.Sequence[str]]) -> dict[str, Verdict]:
    """Judge bugs side by side, and print a line for each."""
    free: queue.SimpleQueue[pathlib.Path] = queue.SimpleQueue()
    for number in range(COPIES):
        free.put(BUILD / str(number))

    def one(mutant: Mutant) -> Verdict:
        directory = free.get()
        try:
            verdict = judge(mutant, tests_of(mutant), directory)
        finally:
            free.put(directory)
        print(f"{mutant.name:32} {verdict.found:14} {verdict.seconds:5.0f} s  {verdict.test}", flush=True)
        return verdict

    with concurrent.futures.ThreadPoolExecutor(COPIES) as threads:
        return dict(zip((mutant.name for mutant in chosen), threads.map(one, chosen)))


def without_false_alarms(verdicts: dict[str, Verdict]) -> dict[str, Verdict]:
    """Return the verdicts, in which tests that fail without any bug as well have found nothing."""
    directory = BUILD / "0"
    copy(directory)
    tests = sorted({verdict.test for verdict in verdicts.values() if verdict.test})
    while tests and (failed := first_failure(directory, tests, "exhaustive or not exhaustive", 1800.0)):
        print(f"{failed} fails without any bug")
        tests.remove(failed)
    return {
        name: verdict if verdict.test in tests else Verdict(NOT_FOUND, "", verdict.seconds)
        for name, verdict in verdicts.items()
    }


def known() -> dict[str, t.Any]:
    """Return what covering.json says of each bug: which tests to run, and which one found it before."""
    return dict(json.loads(COVERING.read_text(encoding="utf-8"))) if COVERING.exists() else {}


def run(names: t.Sequence[str]) -> int:
    """Judge bugs by the tests in covering.json; fail if fewer are found than promised."""
    covering, chosen = known(), mutants(names)
    verdicts = without_false_alarms(
        judge_all(chosen, lambda mutant: [*covering.get(mutant.name, {}).get("tests", ()), *mutant.tests])
    )
    if not names:
        (BUILD / "verdicts.json").write_text(json.dumps(verdicts), encoding="utf-8")
    fast, found = (sum(verdict.found in words for verdict in verdicts.values()) for words in ((FAST,), (FAST, FULL)))
    late = 0 if names else max(0, PROMISED - fast)
    print(f"found by make test: {fast} of {len(chosen)}; by make test-all: {found} of {len(chosen)}")
    failed = max(len(chosen) - found, late)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


# Choosing tests


def durations(junit: pathlib.Path) -> dict[str, float]:
    """Return how many seconds each test function takes, with all of its parameters."""
    found: dict[str, float] = {}
    for case in ElementTree.parse(junit).iter("testcase"):
        key = f"{case.get('classname', '')}.{str(case.get('name')).partition('[')[0]}"
        found[key] = found.get(key, 0.0) + float(case.get("time", "0"))
    return found


def covering_tests(mutant: Mutant, data: t.Any, seconds: t.Mapping[str, float]) -> list[str]:
    """Return the test functions that run changed lines, the shortest first."""
    found: set[str] = set()
    for file, lines in mutant.lines.items():
        for measured in (one for one in data.measured_files() if one.endswith(f"/{file}")):
            for line, contexts in data.contexts_by_lineno(measured).items():
                if line in lines:
                    found.update(re.sub(r"(\[.*)?\|\w+$", "", context) for context in contexts if context)

    def duration(test: str) -> float:
        return seconds.get(re.sub(r"\.py::|::|/", ".", test), 1e6)

    return sorted(
        (test for test in found if exists(test)), key=lambda test: (duration(test), test.startswith("tests/e2e/"), test)
    )


def choose(data: str, junit: str, names: t.Sequence[str]) -> int:
    """Choose the tests of bugs anew: first the one that is known to find it, then the shortest.

    Bugs that are named, and those of which no such test is known, are judged by all tests that cover them.
    """
    import coverage

    measured = coverage.CoverageData(data)
    measured.read()
    seconds = durations(pathlib.Path(junit))
    covering = known()
    tests: dict[str, list[str]] = {}
    first: dict[str, list[str]] = {}
    for mutant in mutants():
        tests[mutant.name] = covering_tests(mutant, measured, seconds)
        first[mutant.name] = [test for test in covering.get(mutant.name, {}).get("tests", [])[:1] if exists(test)]
    unjudged = [mutant for mutant in mutants() if mutant.name in names or not first[mutant.name]]
    verdicts = without_false_alarms(
        judge_all(unjudged, lambda mutant: [*first[mutant.name], *mutant.tests, *tests[mutant.name]])
    )
    first.update({name: [verdict.test.partition("[")[0]] for name, verdict in verdicts.items() if verdict.test})
    chosen = {
        name: {**covering.get(name, {}), "tests": list(dict.fromkeys([*first[name], *tests[name]]))[:MOST_TESTS]}
        for name in sorted(tests)
    }
    COVERING.write_text(json.dumps(chosen, indent=2) + "\n", encoding="utf-8")
    return 0


# The table

ABOUT = """# Deliberate bugs

<!-- Written by `python -m tests.mutants write`. -->

Each row is a bug that would harm users; `tests/mutants` has it as a patch. `make mutants` applies one patch after the
other and runs the tests that cover the changed lines, until one fails. A bug counts as found only if that test passes
without it.

"Found before" refers to the suite at the time of the first table, before it was made faster; "Found now" names the gate
that finds the bug today.

| Bug | Promise that it breaks | Found before | Found now | By |
|---|---|---|---|---|
"""


def write() -> int:
    """Write the table."""
    covering = known()
    verdicts = {
        name: Verdict(*verdict)
        for name, verdict in json.loads((BUILD / "verdicts.json").read_text(encoding="utf-8")).items()
    }
    rows, before = [], 0
    for mutant in mutants():
        verdict, earlier = verdicts[mutant.name], covering[mutant.name].get("before", "")
        before += bool(earlier)
        test = verdict.test.partition("[")[0].rpartition("/")[2].replace("::", " ").replace(".py", "", 1)
        rows.append(f"| {mutant.breaks} | {mutant.promise} | {'yes' if earlier else 'no'} | {verdict.found} | {test} |")
    totals = {found: sum(verdict.found == found for verdict in verdicts.values()) for found in (FAST, FULL, NOT_FOUND)}
    rows.append(
        f"\n{len(rows)} bugs. Found before: {before}. "
        f"Found now by `make test`: {totals[FAST]}; by `make test-all`: {totals[FAST] + totals[FULL]}."
    )
    PAGE.write_text(ABOUT + "\n".join(rows) + "\n", encoding="utf-8")
    return 0


def main(arguments: list[str]) -> int:
    """Do what the command line says."""
    BUILD.mkdir(parents=True, exist_ok=True)
    if arguments[:1] == ["map"] and len(arguments) >= 3:
        return choose(arguments[1], arguments[2], arguments[3:])
    if arguments in (["refresh"], ["write"]):
        return {"refresh": refresh, "write": write}[arguments[0]]()
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
