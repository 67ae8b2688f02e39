# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure slices of a fleet, for the guide on large fleets; on an idle machine.

    python -m tests.measure_slices [--servers 100 300 1000] [--rounds 3] [--forks 10]

For each number of servers it runs the playbooks ``provision`` (unchanged servers) and ``audit`` on simulators, writes
``benchmarks/slices.json`` and prints the table of the guide. The line ``t(n) = a + b * n`` is fitted by least squares
to all but the largest number, which shows its error.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import typing as t

from ansible_collections.streamops.ovenmediaengine.benchmarks import objects
from ansible_collections.streamops.ovenmediaengine.benchmarks.measuring import Sample, measure
from ansible_collections.streamops.ovenmediaengine.benchmarks.simulators import TOKEN, Simulators

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "benchmarks" / "slices.json"
TENANTS = 3
PLAYBOOKS = ("provision", "audit")
Entry = dict[str, t.Any]


def line(points: t.Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return a and b of the line through points, by least squares.

    :param points: at least two of (servers, seconds), with different numbers of servers.
    :raises ValueError: all points have the same number of servers.
    """
    mean_n = statistics.fmean(n for n, _seconds in points)
    mean_s = statistics.fmean(seconds for _n, seconds in points)
    spread = sum((n - mean_n) ** 2 for n, _seconds in points)
    if spread == 0:
        raise ValueError("A line needs two numbers of servers")
    slope = sum((n - mean_n) * (seconds - mean_s) for n, seconds in points) / spread
    return mean_s - slope * mean_n, slope


def formula(entries: t.Sequence[Entry], playbook: str) -> Entry:
    """Return the line of a playbook, and its error for the largest slice in percent.

    :param entries: the entries of the data file, for at least three numbers of servers.
    """
    points = sorted((entry["servers"], entry["seconds"]) for entry in entries if entry["playbook"] == playbook)
    *known, (largest, seconds) = points
    start, each = line(known)
    predicted = start + each * largest
    return {"a": start, "b": each, "largest": largest, "error": 100 * (predicted - seconds) / seconds}


def table(data: Entry) -> str:
    """Return the rows of the guide, and the formula of each playbook."""
    lines = ["Servers  Playbook    Seconds  Processor  MiB largest process  MiB main process"]
    for entry in data["entries"]:
        lines.append(
            f"{entry['servers']:>7,}  {entry['playbook']:<9}  {entry['seconds']:>8.1f}  {entry['cpu']:>9.1f}"
            f"  {entry['largest']:>19.0f}  {entry['memory']:>16.0f}"
        )
    if len({entry["servers"] for entry in data["entries"]}) > 2:
        for playbook in PLAYBOOKS:
            found = formula(data["entries"], playbook)
            lines.append(
                f"{playbook}: t(n) = {found['a']:.1f} s + {found['b']:.4f} s * n; {found['error']:+.0f} % off at "
                f"{found['largest']:,} servers"
            )
    return "\n".join(lines)


def measured(servers: int, rounds: int, forks: int) -> list[Entry]:
    """Measure one size of slice; return the medians for each playbook.

    :raises RuntimeError: a playbook failed, or changed something in a round that is measured.
    """
    samples: dict[str, list[Sample]] = {playbook: [] for playbook in PLAYBOOKS}
    with tempfile.TemporaryDirectory(prefix="slices-") as place, Simulators(servers) as simulators:
        directory = pathlib.Path(place)
        urls = simulators.urls
        hosts = {f"media-{number:05}": {"ovenmediaengine_api_url": url} for number, url in enumerate(urls, 1)}
        variables = {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "ovenmediaengine_api_token": TOKEN,
            "ovenmediaengine_vhosts": objects.virtual_hosts(TENANTS),
            "ovenmediaengine_applications": objects.applications(TENANTS),
            "ovenmediaengine_push_tasks": objects.push_tasks(TENANTS, TENANTS),
            "audit_fail_on": "none",
            "audit_sampling_interval": 0,
        }
        (directory / "hosts.json").write_text(
            json.dumps({"all": {"hosts": hosts, "vars": variables}}), encoding="utf-8"
        )
        environment = {**os.environ, "ANSIBLE_FORKS": str(forks), "ANSIBLE_NOCOLOR": "1"}
        for number in range(rounds + 1):
            for playbook in PLAYBOOKS:
                output = directory / f"{playbook}.txt"
                command = ["ansible-playbook", f"streamops.ovenmediaengine.{playbook}", "-i", "hosts.json"]
                status, sample = measure(command, environment, directory, output)
                text = output.read_text(encoding="utf-8")
                if status or (number and "changed: [" in text):
                    raise RuntimeError(f"{playbook} with {servers} servers, status {status}:\n{text[-3000:]}")
                if number:  # the first one creates everything
                    samples[playbook].append(sample)
    return [{"playbook": name, "servers": servers, **_medians(found)} for name, found in samples.items()]


def _medians(samples: t.Sequence[Sample]) -> dict[str, float]:
    names = ("seconds", "cpu", "memory", "largest")
    return {name: round(statistics.median(getattr(sample, name) or 0.0 for sample in samples), 2) for name in names}


def main(values: t.Sequence[str] | None = None) -> int:
    """Measure, write the data and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--servers", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--forks", type=int, default=10)
    parser.add_argument("--output", type=pathlib.Path, default=DATA)
    options = parser.parse_args(values)
    entries = [entry for servers in options.servers for entry in measured(servers, options.rounds, options.forks)]
    data = {"cores": os.cpu_count(), "forks": options.forks, "rounds": options.rounds, "entries": entries}
    options.output.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    print(table(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
