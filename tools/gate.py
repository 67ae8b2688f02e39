# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run nox sessions concurrently and say in few lines how it went; the last line is "N passed, N failed".

gate.py SESSION...    all output goes to .build/logs/gate.log, and that of sessions that failed is printed
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / ".build" / "logs"
REPORTED = re.compile(
    r"^=* ?(\d+ (passed|failed|skipped).* in [\d.]+s.*?) ?=*$|^TOTAL .* ([\d.]+%)$"
    r"|^((replayed|compared|both execution paths:|\d+ pages).*)$"
    r"|^nox > (ansible-core .* needs another Python)$",
    re.MULTILINE,
)
"""What is worth a line: numbers, and what is not as usual."""
SESSION = re.compile(r"^nox > Running session (.*)$", re.MULTILINE)
REASON = re.compile(r"^(?:E  |FAILED|ERROR) .*$", re.MULTILINE)
"""What a test that failed says, and how pytest lists it at the end."""
REASONS = 10
"""So many lines of a session that failed stand at the end too, for whoever sees no more of a long log."""
END = re.compile(r"^nox > Session (.*) (was successful.*|(?:was )?skipped.*|failed.*|aborted.*)$")


def main(sessions: list[str]) -> int:
    """Run the sessions, also after one has failed."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log, report = LOGS / "gate.log", LOGS / "gate.json"
    report.unlink(missing_ok=True)
    command = [
        "nox",
        "--parallel",
        "auto",
        "--allow-parallel",
        "--non-interactive",
        "--no-stop-on-first-error",
        "--report",
        str(report),
        "--sessions",
        *sessions,
    ]
    with log.open("w", buffering=1, encoding="utf-8") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        for line in process.stdout or ():
            output.write(line)
            if found := END.match(line):
                print("  %s %s" % found.groups(), flush=True)
            elif reported := REPORTED.match(line.rstrip()):
                print("    " + next(group for group in reported.groups() if group), flush=True)
        process.wait()
    results = results_of(report)
    failed = [name for name, result in results.items() if result not in ("success", "skipped")]
    # nox prints the output of a session in one piece when the session has ended.
    parts = SESSION.split(log.read_text(encoding="utf-8"))
    texts = {name: text for name, text in zip(parts[1::2], parts[2::2]) if name in failed}
    for name, text in texts.items():
        print("== %s\n%s" % (name, text))
    if not results:
        print("".join(parts))
        failed = ["nox"]
    for name, text in texts.items():
        print("reasons in %s:" % name, *reasons_of(text), sep="\n  ")
    if failed:
        print("failed: " + ", ".join(failed))
    print("%d passed, %d failed" % (list(results.values()).count("success"), len(failed)))
    return 1 if failed else 0


def reasons_of(output: str) -> list[str]:
    """Return what pytest says of failures in the output of a session, or the end of it."""
    end = re.search(r"^nox > Session .* failed", output, re.MULTILINE)
    output = output[: end.start()] if end else output
    return [line[:300] for line in (REASON.findall(output) or output.splitlines())[-REASONS:]]


def results_of(report: pathlib.Path) -> dict[str, str]:
    """Return how each session ended; empty if there is no report.

    Sessions with a parameter have the same name, and differ in their signature.
    """
    sessions = json.loads(report.read_text(encoding="utf-8"))["sessions"] if report.exists() else []
    return {(one["signatures"] or [one["name"]])[0]: one["result"] for one in sessions}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
