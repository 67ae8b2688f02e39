# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs Ansible's modules in forks of a process that has imported what all modules import.

A module compiles ansible-core's part of its archive each time, which takes ten times as long as most modules work. A
role runs fifty modules. Python of a playbook that these tests start is ``fork_client/sitecustomize.py`` first: if it
is to run a module, it hands its arguments, environment and open files to the server, waits, and exits as the module
did. Each module still is a process of its own, and the collection's code still comes from its archive.

fork_server.py SOCKET    serves until standard input ends
"""

from __future__ import annotations

import array
import atexit
import functools
import json
import os
import pathlib
import runpy
import selectors
import socket
import struct
import subprocess
import sys
import tempfile
import typing as t

CLIENT = pathlib.Path(__file__).parent / "fork_client"
STREAMS = 3
"""Standard input, output and error."""


@functools.cache
def environment() -> dict[str, str]:
    """Return the variables with which playbooks use the server of this process, which is started first."""
    directory = tempfile.mkdtemp(prefix="fork-server-")
    path = os.path.join(directory, "socket")
    process = subprocess.Popen(
        [sys.executable, __file__, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=os.sep
    )
    assert process.stdin and process.stdout
    atexit.register(process.stdin.close)
    assert process.stdout.readline() == b"ready\n"
    return {"PYTHONPATH": str(CLIENT), "FORK_SERVER": path}


class _WithArchive(list[str]):
    """Where Python looks for parts of ansible-core that are not imported: first in the archive of the module."""

    def __iter__(self) -> t.Iterator[str]:
        yield from (os.path.join(path, "ansible") for path in sys.path if path.endswith(".zip"))
        yield from super().__iter__()


def serve(path: str) -> None:
    """Take calls until standard input ends, each in a process of its own."""
    import ansible.module_utils.basic  # what takes time

    ansible.__path__ = _WithArchive(ansible.__path__)
    with socket.socket(socket.AF_UNIX) as listener, selectors.DefaultSelector() as ready:
        listener.bind(path)
        listener.listen(socket.SOMAXCONN)
        print("ready", flush=True)
        ready.register(listener, selectors.EVENT_READ)
        ready.register(0, selectors.EVENT_READ)
        while True:
            if any(key.fileobj == 0 for key, _events in ready.select()):
                break
            call, _address = listener.accept()
            # The child of a child has no parent that must wait for it.
            if (child := os.fork()) == 0:
                if os.fork() == 0:
                    listener.close()
                    _answer(call)
                os._exit(0)
            os.waitpid(child, 0)
            call.close()
    pathlib.Path(path).unlink()
    pathlib.Path(path).parent.rmdir()


def _answer(call: socket.socket) -> t.NoReturn:
    """Run the module of a call in a child, and send its exit status."""
    request, streams = _read(call)
    module = os.fork()
    if module == 0:
        call.close()
        _run(request, streams)
    for stream in streams:
        os.close(stream)
    status = os.waitstatus_to_exitcode(os.waitpid(module, 0)[1])
    call.sendall(struct.pack("!i", status))
    os._exit(0)


def _read(call: socket.socket) -> tuple[dict[str, t.Any], array.array[int]]:
    streams = array.array("i")
    data, control, _flags, _address = call.recvmsg(65536, socket.CMSG_SPACE(STREAMS * streams.itemsize))
    streams.frombytes(control[0][2])
    size = struct.unpack("!I", data[:4])[0]
    data = data[4:]
    while len(data) < size:
        data += call.recv(65536)
    return json.loads(data), streams


def _run(request: dict[str, t.Any], streams: array.array[int]) -> t.NoReturn:
    """Become the process that has called, and run its module."""
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["directory"])
    os.umask(request["umask"])
    sys.argv = request["arguments"]
    sys.path[0] = str(pathlib.Path(sys.argv[0]).parent)
    status = 1
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])
