# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Has a module run by ../fork_server.py, which says why. Python imports this file before it does anything else."""

from __future__ import annotations

import os
import sys


def _run() -> int:
    """Return the exit status of the module; negative if a signal ended it."""
    import array
    import json
    import socket
    import struct

    umask = os.umask(0)
    os.umask(umask)
    request = {
        "arguments": sys.orig_argv[1:],
        "environment": dict(os.environ),
        "directory": os.getcwd(),
        "umask": umask,
    }
    content = json.dumps(request).encode()
    message = struct.pack("!I", len(content)) + content
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(os.environ["FORK_SERVER"])
        streams = array.array("i", [0, 1, 2])
        sent = server.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
        # The server closes its end when the module has ended, which can be before this line.
        if sent < len(message):
            server.sendall(message[sent:])
        return struct.unpack("!i", server.recv(4, socket.MSG_WAITALL))[0]


if os.path.basename("".join(sys.orig_argv[1:2])).startswith("AnsiballZ_"):
    _status = 1
    try:
        _status = _run()
        if _status < 0:
            import signal

            signal.signal(-_status, signal.SIG_DFL)
            os.kill(os.getpid(), -_status)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        # Python would go on, and run the module a second time.
        os._exit(_status)
