# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measure the collection, and write a page with the results: ``make bench``."""

from __future__ import annotations

import argparse
import configparser
import contextlib
import os
import pathlib
import platform
import signal
import sys
import time
import typing as t
from collections.abc import Iterator, Sequence
from importlib.metadata import version

from . import fleet_rows, objects, rulebook_rows
from .measuring import Failed, Sample
from .page import page
from .places import HERE, Place, Real, Simulated, directory
from .results import Results
from .rows import Rows
from .simulators import TOKEN, Simulators
from .ssh_rows import has_sshd
from .table import BASE, EXPECTED_EMPTY, GROUPS, ONLY_SIMULATED, Row, Sizes
from .targets import verdicts

ROOT = HERE.parent
BUILD = ROOT / ".build" / "bench"
PAGE = ROOT / "docs" / "benchmarks.md"
LEAST_ROUNDS = 3
"""With fewer rounds the page of the repository is left as it is."""
AGAIN = 3
"""How often the short rows are measured again in each round."""


def arguments(values: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line; what it leaves out is taken from the environment, where ``make`` puts it."""
    parser = argparse.ArgumentParser(
        prog="make bench",
        description="Measure the collection against simulated servers, or the real server in OVENMEDIAENGINE_API_URL "
        "and OVENMEDIAENGINE_API_TOKEN, from which it removes what it made.",
        epilog=f"A run of all groups against simulated servers with at least {LEAST_ROUNDS} rounds writes "
        "docs/benchmarks.md.",
    )
    rounds, rows, until, at_most = (os.environ.get(name) for name in ("ROUNDS", "ROWS", "UNTIL", "AT_MOST"))
    parser.add_argument(
        "--rounds",
        type=int,
        default=rounds or 5,
        help="how often each row is measured (ROUNDS, %(default)s)",
    )
    parser.add_argument(
        "--rows", default=rows or "", metavar="GROUPS", help=f"which groups: any of {' '.join(GROUPS)} (ROWS, all)"
    )
    parser.add_argument(
        "--until",
        type=float,
        default=until or 0,
        metavar="MINUTES",
        help="begin no round after so many minutes (UNTIL, no limit)",
    )
    parser.add_argument(
        "--again",
        type=int,
        default=AGAIN,
        metavar="N",
        help="how often the short rows are measured again in each round (%(default)s)",
    )
    parser.add_argument(
        "--at-most",
        type=int,
        default=at_most or 0,
        metavar="N",
        help="no row with more objects: to see that it works (AT_MOST)",
    )
    parser.add_argument(
        "--output", type=pathlib.Path, default=BUILD, metavar="DIR", help="where numbers and page go (.build/bench)"
    )
    parsed = parser.parse_args(values)
    parsed.groups = parsed.rows.replace(",", " ").split() or list(GROUPS)
    unknown = [group for group in parsed.groups if group not in GROUPS]
    if unknown:
        parser.error(f"no group {' '.join(unknown)}; there are {' '.join(GROUPS)}")
    if parsed.rounds < 1 or min(parsed.again, parsed.at_most, parsed.until) < 0:
        parser.error("ROUNDS must be 1 or more, AT_MOST, UNTIL and --again not negative")
    return parsed


def about(options: argparse.Namespace, real: bool) -> dict[str, t.Any]:
    """Return what the numbers depend on."""
    settings = configparser.ConfigParser()
    settings.read(HERE / "ansible.cfg")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "server": "real" if real else "simulated",
        "missing": _missing(options.groups, real),
        "groups": [group for group in GROUPS if group in {BASE, *options.groups}],
        "at_most": options.at_most,
        "again": options.again,
        "cores": cores,
        "system": platform.system(),
        "python": platform.python_version(),
        "ansible_core": version("ansible-core"),
        "requests": version("requests"),
        "forks": settings.getint("defaults", "forks"),
        "sshd": has_sshd(),
        "seconds_a_request": [],
    }


def _missing(groups: Sequence[str], real: bool) -> dict[str, str]:
    """Return the requested groups that cannot be measured here, with the reason."""
    if real:
        return {group: reason for group, reason in ONLY_SIMULATED.items() if group in groups}
    reason = rulebook_rows.missing() if "rulebook" in groups else None
    return {"rulebook": reason} if reason else {}


class Places(t.NamedTuple):
    """The places of measurement."""

    one: Place
    """One server."""
    fleet: Place | None = None
    """A fleet; None on a real server."""
    large: Place | None = None
    """A large fleet; None if its rows are not measured."""
    roles: Place | None = None
    """A fleet for other roles; None if its rows are not measured."""


@contextlib.contextmanager
def places(sizes: Sizes, real: bool, groups: Sequence[str]) -> Iterator[Places]:
    """Provide the places of measurement, and remove all at the end."""
    with contextlib.ExitStack() as stack:
        work = stack.enter_context(directory())
        if real:
            server = Real(os.environ)
            place = Place(work / "one", server, {"server": {}}, {})

            def remove(names: list[str]) -> None:
                place.play("remove", changes=None, variables={"virtual_hosts": [{"name": name} for name in names]})

            server.remove = remove
            stack.callback(server.clear)
            yield Places(place)
            return
        one = Simulated(stack.enter_context(Simulators(1)))

        def fleet(name: str, count: int) -> Place:
            servers = Simulated(stack.enter_context(Simulators(count)))
            hosts = {
                f"server-{number:04d}": {"ovenmediaengine_api_url": url, "benchmark_tls_port": port}
                for number, (url, port) in enumerate(zip(servers.urls, servers.tls_ports), 1)
            }
            variables = {"ovenmediaengine_api_token": TOKEN, **fleet_rows.variables(sizes.fleet_tenants)}
            return Place(work / name, servers, hosts, variables)

        yield Places(
            Place(work / "one", one, {"server": {}}, {}),
            fleet("fleet", sizes.fleet),
            fleet("large", sizes.large_fleet) if "large" in groups else None,
            fleet("roles", sizes.fleet) if "roles" in groups else None,
        )


class Bench:
    """One run.

    :param results: what it adds to.
    :param after_each: called after each row, to keep what there is.
    """

    def __init__(self, rows: Sequence[Row], place: Place, results: Results, after_each: t.Callable[[], None]) -> None:
        self._rows = rows
        self._short = [row for row in rows if row.short]
        self._again = results.about["again"]
        self._place = place
        self._results = results
        self._after_each = after_each

    def estimate(self, rounds: int) -> float:
        """Return about how many minutes so many rounds take on this machine."""
        # The first run compiles what later ones find compiled.
        self._place.play("empty")
        factor = self._place.play("empty").seconds / EXPECTED_EMPTY
        seconds = sum(row.expected * min(row.rounds or rounds, rounds) for row in self._rows)
        seconds += sum(row.expected for row in self._short) * self._again * rounds
        return seconds * factor / 60

    def measure(self, rounds: int, until: float) -> None:
        """Measure all rows, round after round.

        :param until: seconds after which no further round is begun; 0 for no limit.
        :raises Failed: a row did not do what it should.
        """
        started = time.monotonic()
        for number in range(1, rounds + 1):
            self._measure_round(number, f"round {number} of {rounds}")
            passed = time.monotonic() - started
            say(f"-- {passed / 60:.0f} minutes; about {passed / 60 / number * (rounds - number):.0f} more")
            if until and passed > until and number < rounds:
                say(f"-- ended after {number} of {rounds} rounds, as UNTIL says")
                return

    def _measure_round(self, number: int, title: str) -> None:
        if isinstance(self._place.servers, Simulated):
            self._place.servers.clear()
            self._place.send(objects.create_virtual_hosts(1))
            self._results.about["seconds_a_request"].append(
                self._place.servers.seconds_a_request(f"/v1/vhosts/{objects.name_of(1)}")
            )
            self._place.servers.clear()
        rows = [row for row in self._rows if not row.rounds or number <= row.rounds]
        self._measure_rows(title, rows, self._results.rounds)
        for again in range(1, self._again + 1):
            self._measure_rows(f"{title}, again {again} of {self._again}", self._short, self._results.again)

    def _measure_rows(self, title: str, rows: Sequence[Row], costs: list[dict[str, Sample]]) -> None:
        cost: dict[str, Sample] = {}
        costs.append(cost)
        for number, row in enumerate(rows, 1):
            cost[row.key] = row.run()
            say(f"{title}, row {number} of {len(rows)}: {row.key} {cost[row.key].seconds:.2f} s")
            self._after_each()


def chosen(rows: Sequence[Row], groups: Sequence[str]) -> list[Row]:
    """Return the rows of some groups, and those that all others are compared with."""
    return [row for row in rows if row.group in {BASE, *groups}]


def say(line: str) -> None:
    """Tell how it goes."""
    print(line, flush=True)


def _interrupt(_number: int, _frame: t.Any) -> None:
    raise KeyboardInterrupt


def main(values: Sequence[str] | None = None) -> int:
    """Run the command. :returns: the exit status; a missed target is no failure."""
    options = arguments(values)
    real = bool(os.environ.get("OVENMEDIAENGINE_API_URL"))
    if real and not os.environ.get("OVENMEDIAENGINE_API_TOKEN"):
        say("OVENMEDIAENGINE_API_URL is set, and OVENMEDIAENGINE_API_TOKEN is not. Set both to measure a real server.")
        return 2
    sizes = Sizes().at_most(options.at_most) if options.at_most else Sizes()
    results = Results(about(options, real))
    raw, part = options.output / "raw.json", options.output / "benchmarks.md"
    missing = results.about["missing"]
    whole = not real and not missing and not options.at_most and set(options.groups) == set(GROUPS)
    status = 0
    # Ended by a signal, it takes away what it has made all the same.
    signal.signal(signal.SIGTERM, _interrupt)
    rows: list[Row] = []
    try:
        with places(sizes, real, options.groups) as (place, fleet, large, roles):
            rows = chosen(Rows(place, fleet, sizes, large, roles).all(), options.groups)
            if real:
                say("A real server: virtual hosts named %s* are created there and removed at the end." % objects.PREFIX)
                place.servers.clear()
            if missing:
                say("Left out: " + "; ".join(f"{group}, because {reason}" for group, reason in missing.items()))
            bench = Bench(rows, place, results, lambda: results.save(raw))
            say(
                f"{len(rows)} rows, {options.rounds} rounds: "
                f"about {bench.estimate(options.rounds):.0f} minutes on an idle machine"
            )
            bench.measure(options.rounds, options.until * 60)
    except Failed as error:
        say(f"A row failed: {error}")
        status = 1
    except KeyboardInterrupt:
        say("Interrupted.")
        status = 130
    if not any(results.rounds):
        return status or 1
    results.save(raw)
    text = page(results, rows, sizes)
    complete = whole and status == 0 and len(results.rounds) >= LEAST_ROUNDS
    for path in (part, PAGE) if complete else (part,):
        path.write_text(text, encoding="utf-8")
    say("\n" + text)
    say(f"The numbers are in {_shown(raw)}, the page in {_shown(PAGE if complete else part)}.")
    if not options.at_most:
        broken = [one.text for one in verdicts(results, sizes) if one.kept is False]
        say(f"Targets not met: {'; '.join(broken)}." if broken else "All measured targets are met.")
    return status


def _shown(path: pathlib.Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


if __name__ == "__main__":
    sys.exit(main())
