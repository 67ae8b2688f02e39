# Copyright: (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run nox sessions side by side, as many as there are processors; nox runs them one after the other.

    gate.py SESSION[,SESSION...]...    each argument is a chain of sessions that run one after the other

A chain's output goes to .build/logs/FIRST-SESSION.log, and is shown where a session fails. The last line is "N passed, N failed".
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / ".build" / "logs"
LIMIT = 3000
"""Seconds after which a chain counts as hanging. Several times what the longest takes."""
# Of a session's output: numbers worth a line, and what has failed.
TOLD = re.compile(r"^=* ?(\d+ (passed|failed).* in [\d.]+s.*?) ?=*$|^TOTAL .* ([\d.]+%)$|^((replayed|compared|\d+ pages|\d+ results).*)$", re.MULTILINE)
FAILED = re.compile(r"^(?:FAILED|ERROR|FAIL)\b.*|^error:.*|^nox > .*(?:failed|error).*", re.MULTILINE)
_printing = threading.Lock()


def run(chain: str) -> dict[str, str]:
    """Run a chain of sessions, say how it went, and return the result of each: ``success``, ``skipped`` or anything else."""
    sessions = chain.split(",")
    LOGS.mkdir(parents=True, exist_ok=True)
    log, report = (LOGS / (sessions[0] + suffix) for suffix in (".log", ".json"))
    report.unlink(missing_ok=True)
    started = time.monotonic()
    command = ["nox", "--non-interactive", "--no-stop-on-first-error", "--report", str(report), "--sessions", *sessions]
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    found = {one["name"]: one["result"] for one in json.loads(report.read_text(encoding="utf-8"))["sessions"]} if report.exists() else {}
    results = {name: found.get(name, "no result") for name in found or sessions}
    text = log.read_text(encoding="utf-8", errors="replace")
    with _printing:
        failed = [name for name, result in results.items() if result not in ("success", "skipped")]
        if failed:
            print(text)
        for name, result in results.items():
            print("  %-8s %s" % ({"success": "ok", "skipped": "skipped"}.get(result, "FAILED"), name))
        for match in TOLD.finditer(text):
            print("           " + next(group for group in match.groups() if group))
        print("           %d s; the output is %s" % (time.monotonic() - started, log.relative_to(ROOT)), flush=True)
        for line in FAILED.findall(text)[-20:] if failed else []:
            print("  " + line[:300])
    return results


def main(chains: list[str]) -> int:
    """Run all chains, also after one has failed."""
    if not chains:
        print(__doc__)
        return 2
    results: dict[str, str] = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for finished in concurrent.futures.as_completed([pool.submit(run, chain) for chain in chains]):
            results.update(finished.result())
    failed = [name for name, result in results.items() if result not in ("success", "skipped")]
    if failed:
        print("failed: " + ", ".join(sorted(failed)))
    print("%d passed, %d failed" % (list(results.values()).count("success"), len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
