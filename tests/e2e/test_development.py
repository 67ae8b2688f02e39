# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of docs/development.md work, in a copy of the repository."""

from __future__ import annotations

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import typing as t

import pytest
from ansible_collections.streamops.ovenmediaengine.tests.mutants.__main__ import copy, environment_of
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import REPOSITORY

pytestmark = pytest.mark.exhaustive

RUN = """
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

with Simulator(token="token") as simulator:
    vhost = run_module("vhost", connection(simulator, name="mine", host={"names": ["mine.example.com"]}))
    assert not vhost.failed, vhost
    app = {"vhost": "mine", "name": "new", "publishers": {"llhls": {"part_limit": 3}}}
    first, second = (run_module("application", connection(simulator, **app)) for _run in range(2))
    assert first["changed"] and not second["changed"], (first, second)
    assert second["application"]["publishers"]["llhls"]["part_limit"] == 3
    app["publishers"]["llhls"]["part_limit"] = -1
    refused = run_module("application", connection(simulator, **app))
    assert refused.failed and "publishers.llhls.part_limit" in refused["msg"], refused
"""


STREAM = "/v1/vhosts/{vhost}/apps/{app}/streams/{stream}"
BLINK_CALL = """\
def blink(self) -> None:
    \"""Let the stream blink (POST …:blink).\"""
    attempt = f"let stream {self.title} blink"
    self._server.call("POST", action_path(*self._stream, "blink"), {}, attempt=attempt, idempotence=SENDS)

"""
BLINK_OPERATION = f"""\
class StreamBlink(_StreamAction):
    \"""The operation of the module `stream_blink`.\"""

    @classmethod
    def options(cls) -> dict[str, t.Any]:
        return {{**dict.fromkeys(_KEY, _REQUIRED)}}

    def run(self, api: Api, context: Context) -> Result:
        actions = StreamActions(api, *self.key)
        attempt = f"let stream {{actions.title}} blink"
        self.require_version(api, {tuple(map(int, NEWEST.split(".")))}, attempt)
        if context.check_mode:
            self.require_stream(api, attempt)
            return {{"changed": True}}
        return self.send(actions.blink, {{"changed": True}})


"""
BLINK_MODULE = {
    "stream_conclude": "stream_blink",
    "StreamConclude": "StreamBlink",
    r"^version_added: .+": "version_added: 99.0.0",
    r"^short_description: .+": "short_description: Let a stream of OvenMediaEngine blink",
    r"^description:\n(?:  .+\n)+": f"description:\n  - Lets it blink.\n  - Needs OvenMediaEngine {NEWEST} or later.\n",
    r"^  force:\n(?:    .+\n)+": "",
    "End the live part of a stream": "Let a stream blink",
    "whether a stream is concluded": "whether it has blinked",
}
"""What replaces what in the documentation of `stream_conclude`."""
BLINK_RULE = """\
def blink(state: State, vhost: VirtualHost, app: Application, name: str, body: Any) -> Answer:
    \"""POST ...:blink.\"""
    streams.find(state, vhost, app, name)
    state.world.events.append(StreamEvent(vhost.name, app.name, name, "blink", body))
    return success()


"""
BLINK_TEST = """\
def test_a_stream_blinks_each_time(newest: Simulator) -> None:
    assert run(newest, "stream_blink", check_mode=True)["changed"] and sent(newest) == []
    assert all(run(newest, "stream_blink")["changed"] for _time in range(2))
    assert sent(newest) == [(":blink", {})] * 2
    assert run(newest, "stream_blink", stream="none")["error"]["kind"] == "stream_not_found"


"""


def steps(section: str) -> str:
    """Return the text of a section of docs/development.md."""
    text = (REPOSITORY / "docs/development.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]


def insert(path: pathlib.Path, line: str, added: str) -> None:
    """Add text to a file before the one line that begins so, with the indentation of that line."""
    text = path.read_text(encoding="utf-8")
    (found,) = re.findall(rf"^( *)({re.escape(line)}.*)$", text, re.MULTILINE)
    new = "".join(f"{found[0]}{one}".rstrip() + "\n" for one in added.splitlines())
    path.write_text(text.replace("".join(found), new + "".join(found)), encoding="utf-8")


@pytest.fixture(name="clone")
def _clone(tmp_path: pathlib.Path) -> pathlib.Path:
    copy(tmp_path / "clone")
    return tmp_path / "clone"


def run(clone: pathlib.Path, *command: str) -> str:
    """Run a command in the copy; return what it prints."""
    ended = subprocess.run(
        command, cwd=clone, env=environment_of(clone), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def run_make(clone: pathlib.Path, *arguments: str) -> None:
    """Run in the copy what `make` would run there, without the environment that it would set up first."""
    # Otherwise it takes the variables of the `make` that runs this test.
    variables = ("PYTHON=python", "TEST=", "ARGS=")
    listed = run(clone, "make", "--dry-run", "--no-print-directory", *variables, *arguments)
    assert listed
    for line in listed.splitlines():
        command = shlex.split(line)
        assert command[:3] == ["python", "tools/environment.py", "test"]
        run(clone, *command[3:])


def test_a_new_option_of_llhls(clone: pathlib.Path) -> None:
    named = steps("Add an option")
    places = {
        "plugins/module_utils/_resources": "application.py",
        "plugins/doc_fragments": "application.py",
        "tests/wire/keys": "VERSION.json",
    }
    assert all(f"`{place}" in named and name in named for place, name in places.items())
    declaration, fragment, keys = (clone / place / name for place, name in places.items())
    insert(declaration, 'Float("part_hold_back"', 'Int("part_limit", "partLimit", check=checks.count),')
    insert(fragment, "part_hold_back:", "part_limit:\n  description: The most parts.\n  type: int")
    row: dict[str, t.Any] = {
        "json": "publishers.llhls.partLimit",
        "xml": "Publishers.LLHLS.PartLimit",
        "type": "integer",
    }
    row["optional"] = True
    insert(keys.with_name(f"{NEWEST}.json"), '{"json": "publishers.llhls.partHoldBack"', json.dumps(row) + ",")

    run(clone, sys.executable, "-c", RUN)
    doc: t.Any = json.loads(run(clone, "ansible-doc", "--json", "streamops.ovenmediaengine.application"))
    options = doc["streamops.ovenmediaengine.application"]["doc"]["options"]
    assert options["publishers"]["suboptions"]["llhls"]["suboptions"]["part_limit"]["type"] == "int"
    run_make(clone, "unit", "TEST=tests/simulator/tests/test_keys.py")


def write_stream_blink(clone: pathlib.Path) -> None:
    """Write the files of the table: `stream_blink` sends one call, as `stream_conclude` does."""
    insert(clone / "plugins/module_utils/_api/streams.py", "def read_speech_to_text", BLINK_CALL)
    insert(clone / "plugins/module_utils/_operations/stream_actions.py", "class StreamStt(", BLINK_OPERATION)
    modules = clone / "plugins/modules"
    text = (modules / "stream_conclude.py").read_text(encoding="utf-8")
    for pattern, new in BLINK_MODULE.items():
        text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
        assert count, pattern
    (modules / "stream_blink.py").write_text(text, encoding="utf-8")

    text = (clone / "README.md").read_text(encoding="utf-8")
    (clone / "README.md").write_text(text.replace("| `stream_event`,", "| `stream_blink`, `stream_event`,"), "utf-8")
    row = f"| POST {STREAM}:blink | {NEWEST} | lets it blink | `stream_blink` | |"
    insert(clone / "docs/api-coverage.md", f"| POST {STREAM}:concludeHlsLive |", row)

    simulator = clone / "tests/simulator/stream_events.py"
    insert(simulator, "def send_subtitles(", BLINK_RULE)
    since = tuple(map(int, NEWEST.split(".")))
    insert(simulator, '"concludeHlsLive": StreamAction(', f'"blink": StreamAction(blink, {since}, sends=True),')
    examples = clone / "tests/module_examples/stream_actions.py"
    insert(examples, 'Example("stream_conclude"', 'Example("stream_blink", LIVE, ALWAYS, ends=_TOO_OLD),')
    scenario = 'yield sent_into_stream("stream_blink: send", LIVE_STREAM, typical=True)'
    insert(examples, 'yield sent_into_stream("stream_conclude', scenario)

    insert(clone / "tests/unit/plugins/modules/test_stream_actions.py", "class TestEvents:", BLINK_TEST)
    targets = clone / "tests/integration/targets"
    shutil.copytree(targets / "stream_conclude", targets / "stream_blink")
    tasks = targets / "stream_blink/tasks/main.yml"
    tasks.write_text(re.sub("[Cc]onclude", "blink", tasks.read_text(encoding="utf-8")), encoding="utf-8")


def contents(clone: pathlib.Path) -> dict[str, bytes]:
    """Return the contents of the files of the copy, by path."""
    found = (path for path in clone.rglob("*") if path.is_file() and not path.is_symlink())
    names = {path.relative_to(clone).as_posix(): path for path in found}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith(".build/")}


def differing(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    """Return the paths of files that were added or changed."""
    assert set(before) <= set(after)
    return {name for name, content in after.items() if before.get(name) != content}


def test_another_text_of_an_error(clone: pathlib.Path) -> None:
    (name,) = re.findall(r"`(\S+/errors\.py)`", steps("Where to find things"))
    before = contents(clone)
    text = before[name].decode()
    old, new = "The server does not accept the access token.", "The server refuses the access token."
    assert text.count(old) == 1
    (clone / name).write_text(text.replace(old, new), encoding="utf-8")
    run_make(clone, "format")
    after = contents(clone)
    guide = "docs/docsite/rst/guide_errors.rst"
    assert differing(before, after) == {name, guide}
    assert new in after[guide].decode() and old not in after[guide].decode()


@pytest.mark.long
def test_a_new_module_that_sends_one_call(clone: pathlib.Path) -> None:
    named = steps("Add a module").replace("NAME", "stream_blink")
    before = contents(clone)
    write_stream_blink(clone)
    commands = [shlex.split(line) for line in re.findall(r"^\$ make (.+)$", named, re.MULTILINE)]
    assert commands[0] == ["format"]
    run_make(clone, "format")
    changed = differing(before, contents(clone))
    assert changed == {
        "README.md",
        "docs/api-coverage.md",
        "meta/runtime.yml",
        "plugins/action/stream_blink.py",
        "plugins/module_utils/_api/streams.py",
        "plugins/module_utils/_operations/stream_actions.py",
        "plugins/modules/stream_blink.py",
        "tests/integration/targets/stream_blink/aliases",
        "tests/integration/targets/stream_blink/tasks/main.yml",
        "tests/module_examples/stream_actions.py",
        "tests/simulator/stream_events.py",
        "tests/unit/plugins/modules/test_stream_actions.py",
    }
    assert len(changed) <= 12  # as the section says
    places = re.findall(r"`([^`]+)`", " ".join(re.findall(r"^\| (`.+?`) \|", named, re.MULTILINE)))
    assert all([name for name in changed if pathlib.PurePath(name).is_relative_to(place)] for place in places)
    assert all([place for place in places if pathlib.PurePath(name).is_relative_to(place)] for name in changed)

    (tests,) = (command for command in commands if command[0] == "unit")
    run_make(clone, *tests)
