# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The playbooks of the guides and READMEs of release 1.0.0, run with any version of the collection.

    python -m tests.e2e.playbooks_of_1_0 record reference TREE   with 1.0.0, which TREE has as ansible_collections/...
    python -m tests.e2e.playbooks_of_1_0 record current          with the working tree; also writes the page
    python -m tests.e2e.playbooks_of_1_0 page                    write docs/playbooks-of-1-0.md from the results

``guides_of_1_0`` has the blocks of each document, ``results.json`` there what both versions did with them. A block runs
as the tests of 1.0.0 ran it: a playbook or a list of tasks twice, in the order of the document, on simulated servers of
the newest version that 1.0.0 knows. Variables and inventories run with the playbook ``provision``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import typing as t

import yaml
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.control import snapshot
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE

from .conftest import LOCAL, REPOSITORY, TREE, Project
from .documents_of_1_0 import DATA, NOT_RUN, Document, document, documents

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = DATA / "results.json"
PAGE = REPOSITORY / "docs" / "playbooks-of-1-0.md"
SERVER_VERSION = "0.20.0"
TOKEN = "ome-access-token"
ADDRESS = "http://127.0.0.1:8081"
PROVISION, AUDIT, EXPORT, RESTREAM = (
    f"streamops.ovenmediaengine.{name}" for name in ("provision", "audit", "export", "restream")
)

FLEET = ("origin-1.example.com", "origin-2.example.com", "edge-1.example.com", "edge-2.example.com")
HOSTS = {
    "guide_origin_edge": FLEET,
    "guide_adopt": ("media-1",),
    "guide_provision": ("media-1.example.com", "media-2.example.com"),
    "role_provision": FLEET[2:],
    "role_restream": FLEET[:1],
}
SECRETS = {
    "platform_stream_key": "not-a-real-key",
    "webhook_secret": "not-a-real-secret",
    "vault_api_token": TOKEN,
    "vault_platform_stream_key": "not-a-real-key",
    "vault_key_of_one": "key-of-one",
    "vault_key_of_two": "key-of-two",
}
FILES_FROM = {"guide_after_restart": "guide_provision", "guide_audits": "guide_provision"}
"""Documents that take files of another one for granted."""

ADOPTED_BEFORE = {
    "ovenmediaengine_vhosts": [
        {
            "name": "tenant-a",
            "host": {"names": ["live.tenant-a.example.com"]},
            "applications": [{"name": "live", "providers": {"rtmp": {}}, "publishers": {"push": {}}}],
        }
    ]
}


STORY_FIRST = ("guide_origin_edge", "guide_adopt")
"""Documents whose commands are run before their playbooks."""

LEAVES_THE_TEST = re.compile(r"become|ansible\.builtin\.(package|service|command|shell|systemd)|awx\.awx")
"""What a block has if it would change this machine, or another one that is no simulator."""


class Desk:
    """A directory with the files of a document, its servers, and a version of the collection."""

    def __init__(self, of: Document, directory: pathlib.Path, servers: t.Mapping[str, Simulator], tree: pathlib.Path):
        self.of = of
        self.directory = directory
        self.servers = servers
        self.results: dict[str, list[str]] = {}
        self.warnings: set[str] = set()
        first = next(iter(servers.values()))
        self.environment = {
            **Project(directory).environment,
            "ANSIBLE_COLLECTIONS_PATH": str(tree),
            "ANSIBLE_CALLBACK_PLUGINS": str(HERE / "callbacks"),
            "ANSIBLE_CALLBACKS_ENABLED": "outcomes",
            "ANSIBLE_LOCALHOST_WARNING": "0",
            "OUTCOMES": str(directory / "outcomes.jsonl"),
            "OVENMEDIAENGINE_API_URL": first.url,
            "OVENMEDIAENGINE_API_TOKEN": TOKEN,
        }
        hosts = {name: {"ovenmediaengine_api_url": server.url} for name, server in servers.items()}
        self.write("hosts.json", json.dumps({"media": {"hosts": hosts, "vars": LOCAL}}))
        values = {**SECRETS, **LOCAL, "ovenmediaengine_api_token": TOKEN}
        if len(servers) == 1:
            values["ovenmediaengine_api_url"] = first.url
        self.write("secrets-of-the-test.json", json.dumps(values))
        for name in (FILES_FROM.get(of.name), of.name):
            for block in document(name).blocks if name else []:
                if block.file:
                    self.write(block.file, block.text)

    def write(self, name: str, text: str) -> str:
        """Save a file with the address of the server in place of the documented one."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        urls = {host: server.url for host, server in self.servers.items()}
        text = text.replace(ADDRESS, next(iter(urls.values())))
        text = text.replace('"https://{{ inventory_hostname }}:8082"', f'"{{{{ {urls!r}[inventory_hostname] }}}}"')
        path.write_text(text, encoding="utf-8")
        return name

    def run(self, keys: t.Sequence[str], playbooks: t.Sequence[str], *arguments: str) -> None:
        """Run playbooks in one process, and note the outcome of each under its key."""
        place = pathlib.Path(self.environment["OUTCOMES"])
        place.write_text("", encoding="utf-8")
        ended = subprocess.run(
            ["ansible-playbook", *playbooks, *arguments],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        lines = place.read_text(encoding="utf-8").splitlines()
        outcomes = [json.loads(line) for line in lines]
        (self.directory / "output.txt").open("a", encoding="utf-8").write(ended.stdout)
        for number, key in enumerate(keys):
            counts = outcomes[number] if number < len(outcomes) else {"failures": 1, "warnings": []}
            bad = counts["failures"] or counts["dark"]
            self.results.setdefault(key, []).append("failed" if bad else "changed" if counts["changed"] else "ok")
            self.warnings |= {self._plain(text) for text in counts["warnings"]}

    def _plain(self, text: str) -> str:
        return re.sub(r"http://127\.0\.0\.1:\d+", "URL", text)

    def files(self) -> list[str]:
        """Return the arguments for the files that the document has the reader save."""
        return [
            word for block in self.of.saved("variables") for word in ("-e", f"@{block.file}") if "/" not in block.file
        ]

    def standard(self) -> None:
        """Run the blocks of a document as the tests of 1.0.0 did."""
        keys: list[str] = []
        playbooks: list[str] = []
        common = ["-e", "@secrets-of-the-test.json"]
        for block in self.of.blocks:
            key = str(block.line)
            if (self.of.name, block.line) in NOT_RUN:
                continue
            if block.kind in ("variables", "inventory"):
                if block.file:
                    continue
                name = self.write(f"line-{block.line}.yml", block.text)
                where = (
                    ["-i", name, *self.files()] if block.kind == "inventory" else ["-i", "hosts.json", "-e", f"@{name}"]
                )
                for server in self.servers.values():
                    server.restart()
                self.run([key] * 2, [PROVISION] * 2, *where, *common)
                continue
            if LEAVES_THE_TEST.search(block.text):
                raise AssertionError(f"{self.of.path}, line {block.line}: must not be run here")
            content = yaml.safe_load(block.text)
            plays = [{"hosts": "localhost", "gather_facts": False, "tasks": content}] if block.kind == "tasks" else None
            name = self.write(f"line-{block.line}.yml", yaml.safe_dump(plays) if plays else block.text)
            keys += [key, key]
            playbooks += [name, name]
        if playbooks:
            for server in self.servers.values() if self.of.name not in STORY_FIRST else ():
                server.restart()
                server.stream_appears("default", "app", "main")
            inventory = [word for block in self.of.saved("inventory") for word in ("-i", block.file)] or [
                "-i",
                "hosts.json",
            ]
            self.run(keys, playbooks, *inventory, *self.files(), *common)

    def syntax(self) -> None:
        """Check the syntax of playbooks that need what a test does not have."""
        names = {line: reason for (name, line), reason in NOT_RUN.items() if name == self.of.name}
        found = [block for block in self.of.blocks if "syntax" in names.get(block.line, "") and block.kind == "play"]
        if not found:
            return
        files = [self.write(f"line-{block.line}.yml", block.text) for block in found]
        ended = subprocess.run(
            ["ansible-playbook", "--syntax-check", "-i", "hosts.json", *files],
            cwd=self.directory, env=self.environment, capture_output=True, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
        for block in found:
            self.results[str(block.line)] = ["syntax" if ended.returncode == 0 else "failed"]

    def story(self) -> None:
        """Run what a document does with commands between its blocks."""
        name, common = self.of.name, ["-e", "@secrets-of-the-test.json"]
        if name == "guide_adopt":
            self.write("before.json", json.dumps(ADOPTED_BEFORE))
            self.run(["before"], [PROVISION], "-i", "inventory.yml", "-e", "@before.json")
            self.run(["export"] * 2, [EXPORT] * 2, "-i", "inventory.yml")
            exported = self.directory / "ovenmediaengine-media-1.yml"
            (self.directory / "fleet.yml").write_text(exported.read_text(encoding="utf-8"), encoding="utf-8")
            self.run(
                ["provision", "provision", "audit"], [PROVISION, PROVISION, AUDIT],
                "-i", "inventory.yml", "-e", "@fleet.yml", "-e", "@secrets.yml",
            )  # fmt: skip
        elif name == "guide_origin_edge":
            self.run(["provision"] * 2, [PROVISION] * 2, "-i", "inventory.yml", "-e", "@secrets.yml")
        elif name == "guide_after_restart":
            self.run(["audit"], [AUDIT], "-i", "line-47.yml", *self.files(), *common)
        elif name == "role_restream":
            first = next(iter(self.servers.values()))
            first.stream_appears("default", "app", "main")
            for choice in ("restream_platforms=one,two", "restream_platforms=all -e restream_state=stopped"):
                key = "started" if "one" in choice else "stopped"
                extra = ["-e", "restream_stream=main", "-e", *choice.split()]
                self.run([key] * 2, [RESTREAM] * 2, "-i", "line-21.yml", *extra, *common)

    def contents(self) -> dict[str, str]:
        """Return a digest of what each server has at the end, with the names of its virtual hosts."""
        found = {}
        for host, server in self.servers.items():
            state = snapshot(server.state)
            # A push connects for a moment before it delivers.
            tasks = [[task["id"], task["state"].replace("connecting", "pushing")] for task in state["tasks"]]
            text = json.dumps([state["virtual_hosts"], sorted(tasks)], sort_keys=True, default=str)
            digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
            found[host] = f"{', '.join(sorted(state['virtual_hosts']))}; {len(tasks)} pushes; {digest}"
        return found


def run(of: Document, directory: pathlib.Path, tree: pathlib.Path = TREE) -> dict[str, t.Any]:
    """Run all that a document shows with the collection in ``tree``; return outcomes, warnings and contents."""
    with contextlib.ExitStack() as stack:
        names = HOSTS.get(of.name, ("media-1.example.com",))
        servers = {
            name: stack.enter_context(Simulator(token=TOKEN, stop_delay=0.2, version=SERVER_VERSION)) for name in names
        }
        desk = Desk(of, directory, servers, tree)
        if of.name == "role_restream":
            desk.write(f"line-{of.blocks[0].line}.yml", of.blocks[0].text)
        elif of.name in STORY_FIRST:
            desk.story()
            desk.standard()
        else:
            desk.standard()
        if of.name not in STORY_FIRST:
            desk.story()
        desk.syntax()
        return {"outcomes": desk.results, "warnings": sorted(desk.warnings), "servers": desk.contents()}


def run_all(tree: pathlib.Path = TREE) -> dict[str, t.Any]:
    """Run all documents with the collection in ``tree``."""
    found = {}
    for of in documents():
        with tempfile.TemporaryDirectory(prefix="playbooks-of-1-0-") as directory:
            found[of.name] = run(of, pathlib.Path(directory), tree)
    return found


def recorded() -> dict[str, t.Any]:
    """Return the recorded results: ``reference`` of 1.0.0, ``current`` of the working tree."""
    results: dict[str, t.Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return results


def main(arguments: t.Sequence[str]) -> int:
    """Record results, or write the page."""
    from .page_of_1_0 import page

    results = recorded()
    if arguments[:1] == ["record"] and arguments[1:2] in (["reference"], ["current"]):
        tree = pathlib.Path(arguments[2]).resolve() if arguments[2:] else TREE
        results[arguments[1]] = run_all(tree)
        RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    elif list(arguments) != ["page"]:
        print(__doc__)
        return 2
    PAGE.write_text(page(documents(), results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
