# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Print the path of an option from YAML to the socket and back: the functions that its value passes.

    python -m tests.trace_option vhosts.name|cert_reload.fingerprint [--revision REVISION] [--order]

A playbook sets the option to a canary and runs in process against the simulator, while a profile function looks for the
canary in the arguments and in the return value of each function of the collection, and in what the socket sends. The
output has two parts, before and after the last use of the socket: each file once, in the order of the first visit, with
its functions. ``--order`` prints all visits instead, ``>`` for arguments, ``<`` for return values and ``^`` for a file
that the value has left before. A visit is a stay of the value in one file; a turn is a change from going into functions
to returning from them, or back. The call stack at the last use of the socket is the straight way down, one function for
each file.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import threading
import types
import typing as t

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / ".build" / "trace"
DEPTH, WIDTH = 4, 50  # of the containers and objects in which the canary is looked for
OPTIONS = ("vhosts.name", "cert_reload.fingerprint")
SOCKET, STACK = "socket", "="


def observe(canary: str, collection: str, output: str) -> None:
    """Write each call and return that carries the canary to a file, in this process and those that it forks."""

    def profile(frame: types.FrameType, event: str, value: t.Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(collection):
            if event == "call" and not code.co_name.startswith("<"):
                names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                if any(carries(frame.f_locals.get(name), DEPTH) for name in names):
                    write(">", code.co_filename[len(collection) :], getattr(code, "co_qualname", code.co_name))
            elif event == "return" and not code.co_name.startswith("<") and carries(value, DEPTH):
                write("<", code.co_filename[len(collection) :], getattr(code, "co_qualname", code.co_name))
        elif event == "call" and code.co_name == "send" and code.co_filename.endswith("http/client.py"):
            if carries(frame.f_locals.get("data"), 1):
                at_socket(frame, ">", "send")
        elif event == "return" and code.co_name == "do_handshake" and code.co_filename.endswith("ssl.py"):
            at_socket(frame, "<", "do_handshake")

    def at_socket(frame: types.FrameType | None, direction: str, function: str) -> None:
        stack: list[str] = []
        while frame:
            name = frame.f_code.co_filename
            if name.startswith(collection) and not (stack and stack[-1].startswith(name[len(collection) :])):
                stack.append("%s:%s" % (name[len(collection) :], frame.f_code.co_name))
            frame = frame.f_back
        write(STACK, SOCKET, " > ".join(reversed(stack)))
        write(direction, SOCKET, function)

    def carries(value: t.Any, depth: int) -> bool:
        if isinstance(value, str):
            return canary in value
        if isinstance(value, bytes):
            return canary.encode() in value
        if not depth or isinstance(value, (type, types.ModuleType, types.FunctionType)):
            return False
        if isinstance(value, dict):
            return any(carries(one, depth - 1) for one in [*list(value)[:WIDTH], *list(value.values())[:WIDTH]])
        if isinstance(value, (list, tuple, set, frozenset)):
            return any(carries(one, depth - 1) for one in list(value)[:WIDTH])
        return carries(getattr(value, "__dict__", None), depth - 1)

    def write(*entry: str) -> None:
        with open(output, "ab", buffering=0) as file:
            file.write((json.dumps(entry) + "\n").encode())

    threading.setprofile(profile)
    sys.setprofile(profile)


def prepare(option: str, work: pathlib.Path, port: str, tls_port: str) -> tuple[list[dict[str, t.Any]], str]:
    """Return the tasks that use an option, and the canary in it."""
    if option == "vhosts.name":
        canary = "canary-name"
        return [
            {"streamops.ovenmediaengine.vhosts": {"vhosts": [{"name": canary, "host": {"names": ["a.example"]}}]}}
        ], canary
    import trustme

    blobs = [trustme.CA().issue_cert("a.example") for _each in range(2)]
    for name, blob in zip(("old", "new"), blobs):
        blob.cert_chain_pems[0].write_to_path(str(work / (name + ".pem")))
        blob.private_key_pem.write_to_path(str(work / (name + ".key")))
    for kind in ("pem", "key"):
        shutil.copy(work / ("old." + kind), work / ("served." + kind))
    canary = hashlib.sha256(ssl.PEM_cert_to_DER_cert((work / "new.pem").read_text(encoding="ascii"))).hexdigest()
    files = {"cert_path": str(work / "served.pem"), "key_path": str(work / "served.key")}
    return [
        {"streamops.ovenmediaengine.vhost": {"name": "a", "host": {"names": ["a.example"], "tls": files}}},
        *(
            {"ansible.builtin.copy": {"src": "new." + kind, "dest": str(work / ("served." + kind))}}
            for kind in ("pem", "key")
        ),
        {
            "streamops.ovenmediaengine.cert_reload": {
                "vhost": "a",
                "fingerprint": canary,
                "endpoint": [{"port": int(tls_port)}],
            }
        },
    ], canary


def run(option: str, revision: str) -> list[tuple[str, str, str]]:
    """Run a playbook that uses an option; return direction, file and function of each pass of its value."""
    work = WORK / (revision or "tree")
    shutil.rmtree(work, ignore_errors=True)
    collection = work / "ansible_collections" / "streamops" / "ovenmediaengine"
    collection.mkdir(parents=True)
    if revision:
        archive = subprocess.run(
            ["git", "archive", revision, "plugins", "meta", "galaxy.yml"], cwd=ROOT, check=True, capture_output=True
        )
        subprocess.run(["tar", "--extract", "--directory", str(collection)], input=archive.stdout, check=True)
    else:
        for name in ("plugins", "meta"):
            shutil.copytree(ROOT / name, collection / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-u", "-m", "tests.simulator", "--port", "0", "--tls-port", "0", "--token", "t-token"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as simulator:
        assert simulator.stdout is not None
        try:
            port, tls_port = (re.sub(r".*:(\d+)\n", r"\1", simulator.stdout.readline()) for _each in range(2))
            tasks, canary = prepare(option, work, port, tls_port)
            variables = {"ovenmediaengine_in_process": True}
            server = {"api_url": "http://127.0.0.1:" + port, "api_token": "t-token"}
            defaults = {"group/streamops.ovenmediaengine.ovenmediaengine": server}
            play = {
                "hosts": "localhost",
                "gather_facts": False,
                "module_defaults": defaults,
                "vars": variables,
                "tasks": tasks,
            }
            (work / "play.yml").write_text(json.dumps([play]), encoding="utf-8")
            code = (
                "import sys; from tests import trace_option; trace_option.observe(*sys.argv[1:4]); del sys.argv[1:4]; "
            )
            code += "from ansible.cli.playbook import main; sys.exit(main())"
            trace = [canary, str(collection / "plugins") + "/", str(work / "trace.jsonl")]
            environment = {
                **os.environ,
                "ANSIBLE_COLLECTIONS_PATH": str(work),
                "ANSIBLE_HOME": str(work / "home"),
                "PYTHONPATH": str(ROOT),
            }
            subprocess.run(
                [sys.executable, "-c", code, *trace, str(work / "play.yml")],
                env=environment,
                check=True,
                stdout=sys.stderr,
            )
        finally:
            simulator.terminate()
    return [tuple(json.loads(line)) for line in (work / "trace.jsonl").read_text(encoding="utf-8").splitlines()]


def main() -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tests.trace_option", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("option", choices=OPTIONS)
    parser.add_argument("--revision", default="", help="git revision; none for the working tree")
    parser.add_argument("--order", action="store_true", help="print all visits of files in their order")
    options = parser.parse_args()
    passes = run(options.option, options.revision)
    visits = list(visits_of(one for one in passes if one[0] != STACK))
    if options.order:
        for index, (direction, file, functions) in enumerate(visits):
            again = any(file == other for _direction, other, _functions in visits[: max(index - 1, 0)])
            print("%s %s %s: %s" % (direction, "^" if again else " ", file, ", ".join(functions)))
    else:
        last = max(index for index, visit in enumerate(visits) if visit[1] == SOCKET)
        for title, part in (("to the socket", visits[:last]), ("and back", visits[last + 1 :])):
            print(title)
            for file in dict.fromkeys(visit[1] for visit in part):
                unique = dict.fromkeys(one for visit in part if visit[1] == file for one in visit[2])
                print("  %s: %s" % (file, ", ".join(unique)))
    pairs = {(file, one) for _direction, file, functions in visits for one in functions if file != SOCKET}
    print("call stack at the socket: %s" % [one[2] for one in passes if one[0] == STACK][-1])
    stays = sum(one[1] != other[1] for one, other in zip(visits, visits[1:])) + 1
    turns = sum(one[0] != other[0] for one, other in zip(visits, visits[1:]))
    files = len({file for file, _function in pairs})
    print("%d functions in %d files, %d visits of files, %d turns" % (len(pairs), files, stays, turns))
    return 0


def visits_of(passes: t.Iterable[tuple[str, str, str]]) -> t.Iterator[tuple[str, str, list[str]]]:
    """Yield direction, file and functions of passes in a row that are in the same file and direction."""
    for (direction, file), group in itertools.groupby(passes, lambda one: one[:2]):
        yield direction, file, list(dict.fromkeys(function for _direction, _file, function in group))


if __name__ == "__main__":
    sys.exit(main())
