# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the behaviour of the working tree with that of another version: results key by key, requests one by one.

    python -m tests.behaviour REFERENCE [--targets REVISION] [--execution PATH...] [--jobs N] [TARGET...]

REFERENCE is a git revision. Both versions run the same integration targets (those of the reference, or of
``--targets``) against the simulator of the working tree. ansible-playbook of this environment runs each target by
itself. Succeeds if there is no difference.

What is compared:

- Results of all tasks of a target, and of all modules of the collection in roles. Other tasks of roles, skipped ones
  and the names of tasks are implementation details of a role. Modules that only one version has are left out, and the
  tasks that start the simulator and count its requests.
- Requests of each task, in order: method, path with query, body, headers and status. Concurrent requests are sorted.
  Equal polls in a row count once.

Texts for people are not compared, only their number. A failed assertion does not end a target but is a difference.
A target that ends early with one version is one difference; tasks after it are not compared.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import functools
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import typing as t

from .execution_paths.compare import compare
from .execution_paths.normalize import sort_concurrent
from .execution_paths.results import COLLECTION, IN_PROCESS, MODULE, Result, read

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools"))
artifact = importlib.import_module("artifact")
WORK = ROOT / ".build" / "behaviour"
TEXTS = {"msg", "warnings", "deprecations", "attempted", "meaning", "remedy", "detail", "message", "text", "retries"}
TEXTS |= {"stdout", "stdout_lines", "stderr", "stderr_lines", "fail_msg", "reason", "advice", "summary"}
REQUEST = ("method", "path", "body", "write", "status", "headers")
NOT_COMPARED_HEADERS = ("host", "user-agent", "content-length")
LOOP_KEYS = ("item", "ansible_loop_var", "_ansible_item_label", "_ansible_item_result")
NAMES = ("the reference", "the working tree")
SECONDS = 1800  # for one target
_ONE_SIDED = re.compile(r": only in (%s)$" % "|".join(NAMES))
_CHECK_OF_ROLE = re.compile(r"(Validating arguments against arg spec '\w+') - .*")
_OWN_ROLE = re.compile(r"/((?:roles|playbooks)/[a-z0-9_]+)(?!.*/targets/)")


class Run(t.NamedTuple):
    """One run of one target."""

    status: int
    results: list[Result]
    requests: list[Result]


def install(revision: str, place: pathlib.Path) -> pathlib.Path:
    """Install a revision; the working tree if it is empty. Return its directory."""
    shutil.rmtree(place, ignore_errors=True)
    extract(revision, place / "source")
    run("ansible-galaxy", "collection", "build", "--output-path", str(place), str(place / "source"))
    built = str(next(place.glob("*.tar.gz")))
    run("ansible-galaxy", "collection", "install", "--offline", "--collections-path", str(place), built)
    return place / "ansible_collections" / "streamops" / "ovenmediaengine"


def extract(revision: str, target: pathlib.Path, part: str = "") -> None:
    """Copy a part of a revision into a directory; of the working tree if the revision is empty."""
    if not revision:
        artifact.copy_repository(target, part)
        return
    target.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(
        ["git", "archive", revision, *filter(None, [part])], cwd=ROOT, check=True, capture_output=True
    )
    subprocess.run(["tar", "--extract", "--directory", str(target)], input=archive.stdout, check=True)


def run(*command: str) -> None:
    """Run a command silently; its output is in the exception if it fails."""
    # ansible-galaxy installs nothing that it finds on these paths, where `make` puts the working tree.
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(WORK)}
    environment.pop("PYTHONPATH", None)
    ended = subprocess.run(command, cwd=WORK, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError("%s\n%s%s" % (" ".join(command), ended.stdout, ended.stderr))


def run_target(collection: pathlib.Path, target: str, execution: str, modules: t.Container[str]) -> Run:
    """Run a target against a simulator of its own."""
    place = collection.parents[2]
    work = place / execution / target
    work.mkdir(parents=True)
    integration = collection / "tests" / "integration"
    aliases = integration / "targets" / target / "aliases"
    facts = not aliases.exists() or "gather_facts/no" not in aliases.read_text(encoding="utf-8")
    playbook = integration / ("%s-%s.yml" % (target, execution))
    playbook.write_text(json.dumps([{"hosts": "testhost", "gather_facts": facts, "roles": [target]}]), encoding="utf-8")
    inventory = {"testhost": {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}}
    (work / "hosts.json").write_text(json.dumps({"all": {"hosts": inventory}}), encoding="utf-8")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("OVENMEDIAENGINE", "ANSIBLE"))
    }
    environment.update(
        ANSIBLE_COLLECTIONS_PATH=str(place),
        ANSIBLE_ROLES_PATH=str(integration / "targets"),
        ANSIBLE_CALLBACK_PLUGINS=str(ROOT / "tests" / "execution_paths" / "callback"),
        ANSIBLE_HOME=str(work / "home"),
        ANSIBLE_ASYNC_DIR=str(work / "jobs"),
        EXECUTION_RESULTS=str(work / "results.jsonl"),
        EXECUTION_REQUEST_LOG=str(work / "requests.jsonl"),
        EXECUTION_IGNORE_ASSERTIONS="true",
        SIMULATOR_ARGUMENTS="--log %s" % (work / "requests.jsonl"),
    )
    command = ["ansible-playbook", "--force-handlers", "-i", str(work / "hosts.json"), str(playbook)]
    command += ["-e", json.dumps({"ovenmediaengine_in_process": execution == IN_PROCESS})]
    with (work / "output").open("w", encoding="utf-8") as output:
        ended = subprocess.run(
            command,
            cwd=integration,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
    # Paths of the installation differ between the versions.
    results = work / "results.jsonl"
    results.write_text(results.read_text(encoding="utf-8").replace(str(place), "/installed"), encoding="utf-8")
    return Run(ended.returncode, list(comparable(read(results), modules)), list(requests(work)))


def comparable(results: t.Sequence[Result], modules: t.Container[str]) -> t.Iterator[Result]:
    """Yield the results that are behaviour, without their texts."""
    for one in results:
        role = _OWN_ROLE.search(one.path)
        if one.of_collection and one.action.removeprefix(COLLECTION) not in modules:
            continue
        if "/targets/setup_simulator/" in one.path:
            continue
        if role and (not one.of_collection or one.event.endswith("skipped")):
            continue
        value = _without_texts(one.result)
        # ansible-core names its own check of a role's variables after the description of the role.
        one = one._replace(name=_CHECK_OF_ROLE.sub(r"\1", one.name))
        if isinstance(value.get("invocation"), dict) and isinstance(value["invocation"].get("module_args"), str):
            value["invocation"]["module_args"] = "<text>"
        if one.action.rpartition(".")[2] == "assert":
            value = {"evaluated_to": value.get("evaluated_to", True)}
        if role:
            loop = {*LOOP_KEYS, str(one.result.get("ansible_loop_var", "item"))}
            value = {key: inner for key, inner in value.items() if key not in loop}
            if isinstance(value.get("results"), list):
                value["results"] = len(value["results"])  # each item has a result of its own
            one = one._replace(path=role[1], name="", item=None)
        yield one._replace(run="result", result=value)


def _without_texts(value: t.Any) -> t.Any:
    """Replace texts for people, so that their number alone is compared."""
    if isinstance(value, dict):
        return {key: _hidden(inner) if key in TEXTS else _without_texts(inner) for key, inner in value.items()}
    return [_without_texts(inner) for inner in value] if isinstance(value, list) else value


def _hidden(value: t.Any) -> t.Any:
    if isinstance(value, str):
        return "<text>"
    return [_hidden(inner) for inner in value] if isinstance(value, list) else _without_texts(value)


def requests(work: pathlib.Path) -> t.Iterator[Result]:
    """Yield each request as a result of its task, concurrent ones sorted."""
    log = work / "requests.jsonl"
    sent = log.read_bytes() if log.exists() else b""
    entries = map(json.loads, (work / "results.jsonl").read_text(encoding="utf-8").splitlines())
    tasks = [entry for entry in entries if entry["kind"] == "task"]
    ends = [task["requests"] for task in tasks[1:]] + [len(sent)]
    for task, end in zip(tasks, ends):
        records = [json.loads(line) for line in sent[task["requests"] : end].splitlines()]
        role = _OWN_ROLE.search(task["path"])
        path, name = (role[1], "") if role else (task["path"], task["name"])
        servers: dict[str, list[t.Any]] = collections.defaultdict(list)
        for record in records:
            headers = {key.lower(): value for key, value in record["headers"].items()}
            server = headers["host"]
            record["headers"] = {key: value for key, value in headers.items() if key not in NOT_COMPARED_HEADERS}
            servers[server].append({key: value for key, value in record.items() if key in REQUEST})
        for own in servers.values():
            for one in sort_concurrent(own):
                request = "%s %s" % (one.pop("method"), one["path"])
                yield Result("request", "testhost", name, path, task["action"], request, None, one, 0)


def compare_runs(target: str, runs: t.Sequence[Run], counts: t.Counter[str]) -> list[str]:
    """Return the differences between both runs of a target and add to the counts."""
    found: list[str] = []
    early = [name for name, run in zip(NAMES, runs) if run.status]
    for kind in ("results", "requests"):
        first, second = (getattr(run, kind) for run in runs)
        comparison = compare(first, second, NAMES)
        counts[kind] += comparison.results
        counts["values of " + kind] += comparison.values
        found += [
            "%s: %s" % (target, line) for line in comparison.differences if not (early and _ONE_SIDED.search(line))
        ]
    for name in early:
        last = next((one for one in reversed(runs[NAMES.index(name)].results) if one.event.endswith("failed")), None)
        found.append("%s: ends early with %s: [%s]" % (target, name, last.name if last else "no task"))
    return found


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tests.behaviour", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("reference", help="git revision")
    parser.add_argument("target", nargs="*", help="integration targets; none for all")
    parser.add_argument("--targets", metavar="REVISION", help="those of this revision; empty for the working tree")
    parser.add_argument(
        "--execution", action="append", choices=[IN_PROCESS, MODULE], help="execution path; both by default"
    )
    parser.add_argument("--jobs", type=int, default=1, help="targets that run at the same time (%(default)s)")
    options = parser.parse_intermixed_args()
    WORK.mkdir(parents=True, exist_ok=True)
    sides = [install(options.reference, WORK / "reference"), install("", WORK / "candidate")]
    for side in sides:
        extract("", side, "tests")
        shutil.rmtree(side / "tests" / "integration")
        extract(options.reference if options.targets is None else options.targets, side, "tests/integration")
    modules = set.intersection(*({path.stem for path in (side / "plugins" / "modules").glob("*.py")} for side in sides))
    every = sorted(path.parent.name for path in (sides[0] / "tests/integration/targets").glob("*/aliases"))
    targets = options.target or [name for name in every if not name.startswith("setup_")]
    executions = options.execution or [IN_PROCESS, MODULE]
    differences: dict[str, list[str]] = collections.defaultdict(list)
    counts: t.Counter[str] = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for execution in executions:
            start = functools.partial(run_target, execution=execution, modules=modules)
            runs = {target: [pool.submit(start, side, target) for side in sides] for target in targets}
            for target, futures in runs.items():
                found = compare_runs(target, [future.result() for future in futures], counts)
                print("%s %s: %d differences" % (execution, target, len(found)), flush=True)
                for line in found:
                    differences[line].append(execution)
    print("".join("%s: %s\n" % (" and ".join(paths), line) for line, paths in differences.items()), end="")
    compared = ", ".join("%d %s" % (number, name) for name, number in counts.items())
    print("%d runs of targets, %s compared" % (len(targets) * len(executions), compared))
    print("%d differences" % len(differences))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
