# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Examples of the modules that work on files: those of a server on its host, and reports."""

from __future__ import annotations

from ._example import ANY_END, FILES, ONCE, SUCCESS, Example

# The applications of jobs in configuration files.
_CONFIGURED = {
    "vhosts": [
        {
            "name": vhost,
            "host": {"names": ["h.example.com"]},
            "applications": [{"name": name, "publishers": {"push": {}, "file": {}}} for name in ("app", "rec", "live")],
        }
        for vhost in ("default", "t-v")
    ]
}
EXAMPLES = (
    Example("audit_report", {"parts_dir": f"{FILES}/parts/one", "report_dir": f"{FILES}/audit"}),
    Example(
        "server_config",
        {"config_dir": FILES, "version": "0.21.0", "vhosts": []},
        inside={
            "alert": {"url": "https://h.example.com", "secret_key": "x", "timeout": 1},
            "ice_servers": {"urls": ["turn:h.example.com:3478"]},
        },
        beside=dict.fromkeys(("push_tasks", "records"), _CONFIGURED),
    ),
    Example(
        "server",
        {
            "state": "absent",
            "config_dir": f"{FILES}/server",
            "log_dir": f"{FILES}/log",
            "data_dir": f"{FILES}/data",
            "unit_dir": FILES,
            "sysctl_dir": FILES,
            "tmpfiles_dir": FILES,
        },
        without_scenarios="It runs the operation of provision.",
        asks_own_server=True,
    ),
    Example(
        "server_restart",
        {"config_dir": f"{FILES}/running"},
        # It fails where no systemd runs.
        ends={SUCCESS: ANY_END},
        without_scenarios="It sends no writes.",
    ),
    Example("config_import", {"config_dir": f"{FILES}/imported", "dest": f"{FILES}/imported.yml"}, ONCE),
    Example("recorded_file_info", {"directory": f"{FILES}/recordings"}),
    Example(
        "recorded_files",
        {"directory": f"{FILES}/recordings", "keep": {"days": 1, "gigabytes": 1}, "orphans": True},
        ONCE,
    ),
    Example(
        "watcher",
        {"name": "t-w", "unit": "t-w", "directory": f"{FILES}/watcher", "unit_dir": FILES, "state": "absent"},
    ),
)
