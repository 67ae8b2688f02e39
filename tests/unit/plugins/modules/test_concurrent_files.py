# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tasks that change one file of a virtual host and one stream map at once lose nothing of each other."""

from __future__ import annotations

import contextlib
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import atomic_files
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.context import Context
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._reconcile.durable import Durable
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.tests import config_files
from ansible_collections.streamops.ovenmediaengine.tests.unit.plugins.modules.concurrent_writers import (
    End,
    Writer,
    Writers,
)
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import connection, run_module

INCLUDE = '<VirtualHost include="VHost*.xml"/>'
WRITERS = 8
MOST_STEPS = 40  # before one of which a writer is killed, unless it ends before
LIVE: dict[str, Any] = {"name": "live", "providers": {"rtmp": {}}, "publishers": {"llhls": {}, "push": {}}}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A configuration directory without a virtual host."""
    return config_files.write(tmp_path / "conf", Server=config_files.server(INCLUDE))


@pytest.fixture
def server(config: Path) -> Iterator[Simulator]:
    """A server that starts from the directory."""
    with Simulator(config=config, port=0, stop_delay=0.2) as made:
        yield made
        assert not made.died


@pytest.fixture(scope="module")
def writers() -> Iterator[Writers]:
    """What runs modules in processes of their own."""
    with Writers() as made:
        yield made


class Round:
    """Writers of the files of one virtual host."""

    def __init__(self, server: Simulator, config: Path, name: str) -> None:
        self.name = name
        self.options = connection(server, durable=True, config_dir=str(config))
        self._config = config
        made = self.run("vhost", name=name, host={"names": [f"{name}.example.com"]}, applications=[LIVE])
        assert not made.failed, made["msg"]

    def run(self, module: str, **options: Any) -> Any:
        return run_module(module, {**self.options, **options})

    def application(self, name: str, killed_at: int = 0) -> Writer:
        return Writer("application", {**self.options, **LIVE, "vhost": self.name, "name": name}, killed_at)

    def push(self, name: str, killed_at: int = 0) -> Writer:
        place = {"vhost": self.name, "app": "live", "id": name, "stream": {"name": name}}
        task = {**place, "protocol": "rtmp", "url": f"rtmp://{name}.example.com/app", "stream_key": f"key-of-{name}"}
        return Writer("push_tasks", {**self.options, "tasks": [task]}, killed_at)

    def names(self) -> set[str]:
        """Return the applications and the push tasks in the files; fail if one is no XML."""
        vhost = ElementTree.parse(self._config / f"VHost_{self.name}.xml")
        found = {element.findtext("Name") or "" for element in vhost.iter("Application")}
        pushes = self._config / "maps" / self.name / "live" / "push_map.xml"
        if pushes.exists():
            found |= {element.findtext("Id") or "" for element in ElementTree.parse(pushes).iter("Push")}
        return found

    def remove(self) -> None:
        """Remove the virtual host, whose files would make the next rounds slower."""
        assert not self.run("vhost", name=self.name, state="absent").failed


def hidden(config: Path) -> list[str]:
    """Return what processes have left in a directory: temporary files and locks."""
    return [name for _folder, _folders, names in os.walk(config) for name in names if name.startswith(".")]


def test_three_plays_at_once_lose_nothing(server: Simulator, config: Path, writers: Writers) -> None:
    one = Round(server, config, "a")
    ends = writers.run(
        [one.application(name) for name in ("x", "y", "z")] + [one.push(name) for name in ("p", "q", "r")]
    )
    assert {end.message for end in ends} == {None}
    assert one.names() == {"live", "x", "y", "z", "p", "q", "r"} and not hidden(config)


@pytest.mark.exhaustive
@pytest.mark.parametrize("rounds", [3, pytest.param(50, marks=pytest.mark.long)])
def test_writers_that_are_killed_lose_nothing_of_others(
    server: Simulator, config: Path, writers: Writers, rounds: int
) -> None:
    chance = random.Random(rounds)
    lost, failed, killed, left = 0, 0, 0, 0
    for number in range(rounds):
        one = Round(server, config, f"r{number}")
        given = []
        for writer in range(WRITERS):
            killed_at = chance.randint(1, MOST_STEPS) if chance.random() < 0.4 else 0
            given.append((one.application, one.push)[writer % 2](f"w{writer}", killed_at))
        ends: list[End] = writers.run(given)
        done = {f"w{writer}" for writer, end in enumerate(ends) if not end.killed and end.message is None}
        killed += sum(end.killed for end in ends)
        failed += sum(end.message is not None for end in ends)
        lost += len(done - one.names())
        last = writers.run([one.application("last"), one.push("last-push")])
        assert [end.message for end in last] == [None, None]
        assert one.names() >= {*done, "live", "last", "last-push"}
        left += len(hidden(config))
        one.remove()
    assert (lost, failed, left) == (0, 0, 0) and killed >= rounds
    assert not hidden(config)
    print(f"{rounds} rounds of {WRITERS} writers: {killed} killed, {lost} updates lost, {left} leftovers")


@contextlib.contextmanager
def locked_by_another(config: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a thread hold the lock, for which tasks do not wait."""
    monkeypatch.setattr(atomic_files, "LONGEST_WAIT", 0.0)
    taken, done = threading.Event(), threading.Event()

    def hold() -> None:
        with atomic_files.locked(str(config), Context()):
            taken.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_a_task_that_writes_waits_for_the_lock_and_one_that_reads_does_not(
    server: Simulator, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Round(server, config, "a")
    task = one.push("p").options["tasks"]
    more: dict[str, Any] = {**LIVE, "name": "more"}
    vhost = {"name": "b", "host": {"names": ["b.example.com"]}, "applications": [LIVE]}
    server_config = {"config_dir": str(config), "version": NEWEST, "vhosts": [vhost]}
    tasks: list[tuple[str, dict[str, Any]]] = [
        ("vhost", {**one.options, **vhost}),
        ("vhosts", {**one.options, "vhosts": [vhost]}),
        ("application", {**one.options, **more, "vhost": "a"}),
        ("applications", {**one.options, "applications": [{**more, "vhost": "a"}]}),
        ("push_tasks", {**one.options, "tasks": task}),
        ("records", {**one.options, "records": [], "state": "started"}),
        ("provision", {**one.options, "vhosts": [vhost], "push_tasks": task}),
        ("server_config", server_config),
    ]
    with locked_by_another(config, monkeypatch):
        for module, options in tasks:
            assert not run_module(module, options, check_mode=True).failed, module
            run = run_module(module, options)
            assert run.failed and not run["changed"], module
            assert f"Could not lock {config}. It is locked by " in run["msg"] and "; waited 0 s." in run["msg"], module
        audit = connection(server, config_dir=str(config), vhosts=[vhost], durable=True)
        assert "Could not lock" not in run_module("audit_info", audit).printed
    assert one.names() == {"live"} and not hidden(config)


def test_a_file_that_is_changed_during_a_task_is_a_failure_that_the_next_run_mends(
    server: Simulator, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor takes no lock."""
    one = Round(server, config, "a")
    file = config / "VHost_a.xml"
    by_hand = file.read_text() + "<!-- by hand -->\n"
    with monkeypatch.context() as edited:
        prepare = Durable.prepare

        def and_edit(self: Durable, *arguments: Any) -> None:
            prepare(self, *arguments)
            file.write_text(by_hand)

        edited.setattr(Durable, "prepare", and_edit)
        run = one.run("application", **{**LIVE, "name": "more", "vhost": "a"})
    assert run.failed and run["error"]["kind"] == "config_file" and run["error"]["remedy"] == "Run the task again."
    assert "VHost_a.xml was changed by something else since it was read" in run["msg"]
    assert file.read_text() == by_hand and not hidden(config)
    assert not one.run("application", **{**LIVE, "name": "more", "vhost": "a"}).failed
    assert one.names() == {"live", "more"}
