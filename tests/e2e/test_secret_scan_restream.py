# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No stream key of a platform is in anything that the role restream leaves, whatever it ends with."""

from __future__ import annotations

import contextlib
import json
import pathlib
import typing as t

import pytest

from .execution_runs import SWITCH
from .secret_scan import Scanner, describe
from .secret_scan_cases import Server
from .secret_scan_run import Stage, kinds_in, role

pytestmark = pytest.mark.exhaustive

# What the role is given beside what it has of the host, by what it is called; and those that fail.
RUNS: dict[str, dict[str, str]] = {
    "started": {},
    "started again": {},
    "another key": {"ovenmediaengine_stream_keys": "{{ other_keys }}", "ovenmediaengine_stream_keys_file": ""},
    "stopped": {"restream_state": "stopped"},
    "no such platform": {"restream_platforms": "nowhere"},
    "no key": {"ovenmediaengine_stream_keys_file": ""},
    "a file that is no YAML": {"ovenmediaengine_stream_keys_file": "{{ broken_file }}"},
    "keys of another form": {"ovenmediaengine_stream_keys": "{{ strange_keys }}"},
    "a key in place of the keys": {"ovenmediaengine_stream_keys": "{{ strange_keys.key[0] }}"},
    "a key under another name": {"ovenmediaengine_platforms": "{{ misspelt_platforms }}"},
    "a key in place of a URL": {"ovenmediaengine_platforms": "{{ wrong_platforms }}"},
    "a key in place of the platforms": {"ovenmediaengine_platforms": "{{ strange_keys.key[0] }}"},
    "a server that fails": {"ovenmediaengine_api_url": "{{ failing_url }}"},
    "a server that refuses the token": {"ovenmediaengine_api_url": "{{ refusing_url }}"},
}
SUCCEED = ("started", "started again", "another key", "stopped")


def variables(server: Server) -> dict[str, t.Any]:
    """Return the variables of a host; the stream keys are in a file, as a credential of AWX makes it."""
    key, path, srt = server.mine.tasks("shared")
    platforms = [
        {"name": task["id"], **{option: task[option] for option in ("url", "protocol")}} for task in (key, path, srt)
    ]
    platforms[1]["stream_key"] = ""
    keys, broken = server.directory / "keys.yml", server.directory / "broken.yml"
    keys.write_text(json.dumps({"key": key["stream_key"]}), encoding="utf-8")
    broken.write_text(f"key: '{key['stream_key']}\n  : [", encoding="utf-8")
    odd = server.canary("where no key belongs")
    return {
        **{f"ovenmediaengine_{name}": value for name, value in server.connection().items()},
        "ovenmediaengine_platforms": platforms,
        "ovenmediaengine_stream_keys_file": str(keys),
        "restream_vhost": "shared",
        "restream_app": "live",
        "restream_stream": "main",
        "restream_platforms": "all",
        "broken_file": str(broken),
        "other_keys": {"key": server.mine.secret("another stream key")},
        "strange_keys": {"key": [odd]},
        "misspelt_platforms": [{**platforms[0], "streamKey": odd}],
        "wrong_platforms": [{**platforms[0], "url": odd}],
        "failing_url": server.spoilt("all-server_error")["api_url"],
        "refusing_url": server.spoilt("all-unauthorized")["api_url"],
    }


@pytest.mark.timeout(900)
def test_restreaming_leaves_no_secret(tmp_path: pathlib.Path) -> None:
    stage = Stage(tmp_path)
    with contextlib.ExitStack() as stack:
        servers = {name: stack.enter_context(Server(tmp_path / name, name == "hard")) for name in ("hard", "plain")}
        hosts = {name: {**variables(server), SWITCH: name == "hard"} for name, server in servers.items()}
        tasks = [task for title, given in RUNS.items() for task in role("restream", title, **given)]
        printed = stage.run([{"hosts": "all", "gather_facts": False, "tasks": tasks}], hosts)
        secrets = {name: value for server in servers.values() for name, value in server.canary.secrets.items()}
    leaks, places = stage.scan(Scanner(secrets))
    assert not leaks, describe(leaks)

    ends = stage.ends()
    for host in hosts:
        failed = [title for title in RUNS if (host, f"restream: {title}, it has failed") in ends]
        assert failed == [title for title in RUNS if title not in SUCCEED], host
    assert {"server_error", "unauthorized"} <= set(kinds_in([one["result"] for one in stage.results]))
    assert printed.count("********") > 50
    assert {"left/ansible.log", "left/callback.json"} <= set(places)
