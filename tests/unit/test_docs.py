# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""README, guides and architecture agree with the code: their tables are compared with it, and their YAML is run.

Every block of YAML in README and guides is run against a simulator, in the order of the document. The content of a
block decides how: a play, a list of tasks, variables of the role, or an inventory. A comment directly before it
(``.. tested: WORDS`` in a guide, ``<!-- tested: WORDS -->`` in README) changes that:

``as NAME``            save it under that name, with other blocks of that name in the document, for blocks and runs that
                       need the file; run a play too
``syntax only``        it needs something that a test does not have, such as hosts to log in to
``may change again``   its second run may report a change
``while main is live`` it needs the live stream `main` in the application `app`
``main of studio goes live`` the stream `main` goes live in an application that the document creates

Several are separated by commas.

tests/e2e/test_documents.py runs blocks in other languages, and the commands.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core import errors
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.jobs import (
    PUSH_TASKS,
    RECORDS,
    JobKind,
)
from ansible_collections.streamops.ovenmediaengine.tests import module_examples
from ansible_collections.streamops.ovenmediaengine.tests.layers import LAYERS
from ansible_collections.streamops.ovenmediaengine.tests.simulator import Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.operations import OPERATIONS
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import MODULES

ROOT = Path(__file__).resolve().parents[2]
TREE = Path(errors.__file__).parents[6]  # has ansible_collections/streamops/ovenmediaengine
COMMANDS = Path(sys.executable).parent
README = ROOT / "README.md"
GUIDES = sorted((ROOT / "docs/docsite/rst").glob("*.rst"))
PAGES = [
    README,
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/decisions").glob("*.md")),
]
LABEL = "ansible_collections.streamops.ovenmediaengine.docsite."
PROVISION = "streamops.ovenmediaengine.provision"

# Variables for secrets of the documents, and their host names; extra variables override those of a document.
VARIABLES = {
    "camera_password": "not-a-real-password",
    "platform_stream_key": "not-a-real-key",
    "signed_policy_secret": "not-a-real-signing-key",
    "webhook_secret": "not-a-real-secret",
}
HOSTS = """\
media:
  hosts:
    media-1.example.com:
      ansible_connection: local
      ansible_python_interpreter: "{{ ansible_playbook_python }}"
"""

_IN_GUIDE = re.compile(
    r"(?:^\.\. tested: (?P<mark>.+)\n\n)?^\.\. code-block:: yaml\n\n(?P<text>(?:(?: {4}.*)?\n)+)", re.MULTILINE
)
_IN_PAGE = re.compile(r"(?:^<!-- tested: (?P<mark>.+) -->\n+)?^```yaml\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE)


class Block(NamedTuple):
    """A block of YAML in a document."""

    line: int
    mark: str
    text: str

    @property
    def content(self) -> Any:
        """Return the parsed YAML."""
        return yaml.safe_load(self.text)

    @property
    def kind(self) -> str:
        """Return the kind of the block: play, tasks, inventory or variables."""
        content = self.content
        if isinstance(content, list):
            return "play" if all("hosts" in entry for entry in content) else "tasks"
        if all(isinstance(value, dict) and "hosts" in value for value in content.values()):
            return "inventory"
        return "variables"

    @property
    def plays(self) -> list[dict[str, Any]]:
        """Return the block as plays."""
        content: list[dict[str, Any]] = self.content
        return content if self.kind == "play" else [{"hosts": "localhost", "gather_facts": False, "tasks": content}]

    @property
    def only_reads(self) -> bool:
        """Return whether no module of the block can change anything, so that one run is enough."""
        modules = [
            name
            for play in self.plays
            for task in play.get("tasks", [{"": None}])
            for name in task
            if name == "" or "." in name
        ]
        return all(name.endswith(("_info", ".debug")) for name in modules)


def blocks(document: Path) -> list[Block]:
    """Return the blocks of YAML of a document, in order."""
    text = document.read_text(encoding="utf-8")
    found = []
    for match in (_IN_GUIDE if document.suffix == ".rst" else _IN_PAGE).finditer(text):
        lines = match["text"].splitlines()
        body = [line[4:] for line in lines] if document.suffix == ".rst" else lines
        found.append(
            Block(text.count("\n", 0, match.start("text")) + 1, match["mark"] or "", "\n".join(body).rstrip() + "\n")
        )
    return found


class Workplace:
    """A directory in which the blocks of a document are run."""

    def __init__(self, directory: Path, simulator: Simulator) -> None:
        self.directory = directory
        self.simulator = simulator
        self.inventory = self.write("hosts.yml", HOSTS)
        variables = {
            **VARIABLES,
            "ovenmediaengine_api_url": simulator.url,
            "ovenmediaengine_api_token": simulator.token,
        }
        self.extra = ["-e", f"@{self.write('extra.yml', yaml.safe_dump(variables))}"]
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "OVENMEDIAENGINE_"))
        }
        self.environment = {
            **kept,
            "PATH": f"{COMMANDS}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "ANSIBLE_COLLECTIONS_PATH": str(TREE),
            "ANSIBLE_HOME": str(directory / "home"),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_LOCALHOST_WARNING": "0",
            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "0",
            "OVENMEDIAENGINE_API_URL": simulator.url,
            "OVENMEDIAENGINE_API_TOKEN": simulator.token,
        }

    def write(self, name: str, text: str) -> str:
        """Save a file; return its path."""
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run(self, command: str, *arguments: str) -> str:
        """Run a command of Ansible, which must succeed; return its output."""
        done = subprocess.run(
            [str(COMMANDS / command), *arguments],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, f"{command} {' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def changes(self, plays: int, *arguments: str) -> list[int]:
        """Run playbooks; return the number of changes of each play."""
        outputs = re.split(
            r"^PLAY \[.*\] \**$", self.run("ansible-playbook", *arguments, *self.extra), flags=re.MULTILINE
        )[1:]
        assert len(outputs) == plays
        return [len(re.findall(r"^changed: \[", output, re.MULTILINE)) for output in outputs]

    def provision(self, where: str, *arguments: str) -> None:
        """Run the playbook of the collection twice, first on a restarted server."""
        self.simulator.restart()
        first, second = self.changes(2, PROVISION, PROVISION, *arguments)
        assert first > 0 and second == 0, f"{where}: {first} changes in the first run, {second} in the second"


TYPICAL = "guide_first_steps"
"""The document whose YAML the short gate runs, too."""


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[Workplace]:
    """Provide a directory and a simulator for one document."""
    with Simulator(stop_delay=0.2) as simulator:
        for camera in ("camera", "stage"):
            simulator.origin(f"rtsp://viewer:not-a-real-password@{camera}.example.com:554/live")
        yield Workplace(tmp_path, simulator)


@pytest.mark.skipif(
    not (COMMANDS / "ansible-playbook").exists(), reason="ansible-playbook is not installed beside this Python"
)
@pytest.mark.parametrize(
    "document",
    [
        pytest.param(document, id=document.stem, marks=[] if document.stem == TYPICAL else pytest.mark.exhaustive)
        for document in (README, *GUIDES)
        if blocks(document)
    ],
)
def test_yaml_of_the_documents_runs_and_changes_nothing_twice(document: Path, workplace: Workplace) -> None:
    files: dict[str, list[Block]] = {}
    for block in blocks(document):
        if block.mark.startswith("as "):
            files.setdefault(block.mark[len("as ") :], []).append(block)
    for name, parts in files.items():
        workplace.write(name, "".join(block.text for block in parts))
    variables = [name for name, (first, *_others) in files.items() if first.kind == "variables"]
    with_files = [word for name in variables for word in ("-e", f"@{name}")]
    # Several files of a document may define the same variable. A play that reads files gets no other ones.
    plays = [play for block in blocks(document) if block.kind == "play" for play in block.plays]
    read = {name for play in plays for name in play.get("vars_files", [])}
    with_unread = [word for name in variables if name not in read for word in ("-e", f"@{name}")]
    playbooks: list[str] = []
    not_run: list[str] = []
    runs: list[Block] = []
    for block in blocks(document):
        where, name = f"{document.name}, line {block.line}", f"line-{block.line}.yml"
        if block.kind == "inventory":
            inventory = workplace.write(name, block.text)
            if block.mark == "syntax only":
                assert "media-1.example.com" in workplace.run("ansible-inventory", "-i", inventory, "--list")
            else:
                workplace.provision(where, "-i", inventory, *with_files)
        elif block.kind == "variables":
            if not block.mark:  # one that is saved as a file is used by the others
                workplace.provision(
                    where, "-e", f"@{workplace.write(name, block.text)}", "-e", "ovenmediaengine_hosts=localhost"
                )
        else:
            playbook = workplace.write(name, yaml.safe_dump(block.plays))
            if block.mark == "syntax only":
                not_run.append(playbook)
            else:
                runs += [block] if block.only_reads else [block, block]
                playbooks += [playbook] if block.only_reads else [playbook, playbook]
    if not_run:
        workplace.run("ansible-playbook", "--syntax-check", "-i", workplace.inventory, *not_run)
    workplace.simulator.restart()
    if any("while main is live" in block.mark for block in runs):
        workplace.simulator.stream_appears("default", "app", "main")
        workplace.simulator.speech("default", "app", "main", [{"label": "english", "model": "small", "language": "en"}])
    if any(block.mark == "main of studio goes live" for block in runs):
        workplace.simulator.meanwhile(
            "POST", ":startRecord", lambda: workplace.simulator.stream_appears("studio", "live", "main")
        )
    counts = (
        workplace.changes(sum(len(block.plays) for block in runs), "-i", workplace.inventory, *playbooks, *with_unread)
        if playbooks
        else []
    )
    before = None
    for block in runs:
        number = len(block.plays)
        changes, counts = sum(counts[:number]), counts[number:]
        if block.only_reads or block == before:
            assert changes == 0 or "may change again" in block.mark, (
                f"{document.name}, line {block.line}: {changes} changes in the second run"
            )
        before = block


@pytest.mark.parametrize("document", [README, *GUIDES], ids=lambda document: document.stem)
def test_marks_of_blocks_are_known(document: Path) -> None:
    documented = set(re.findall(r"^``(.+?)``", __doc__ or "", re.MULTILINE))
    marks = {mark for block in blocks(document) if block.mark for mark in block.mark.split(", ")}
    assert {mark for mark in marks if not mark.startswith("as ")} <= documented


def rows(text: str) -> list[list[str]]:
    """Return the cells of the list-tables of a guide, one list for each row; each cell is one line."""
    found: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("   * - "):
            found.append([line[7:]])
        elif line.startswith("     - ") and found:
            found[-1].append(line[7:])
    return found


@pytest.mark.parametrize(("kind", "module"), [(PUSH_TASKS, "push_task"), (RECORDS, "record")], ids=["push", "record"])
def test_documents_say_whether_the_server_tries_again_after_an_error(kind: JobKind, module: str) -> None:
    for documents in ([ROOT / f"plugins/modules/{module}.py"], [ROOT / "docs/metrics/alerts.yml"], GUIDES):
        text = " ".join(word for document in documents for word in document.read_text(encoding="utf-8").split())
        assert kind.error_retries.removeprefix("The server ") in text, documents[0].name


def test_the_keys_of_an_error_are_described_once_and_named_by_all_modules() -> None:
    keys = list(OmeError("unauthorized", "list the virtual hosts").as_result())
    guide = (ROOT / "docs/docsite/rst/guide_errors.rst").read_text(encoding="utf-8")
    head, *table = rows(guide.partition("\nFind an error by its kind\n")[0])
    assert head == ["Key", "Type", "Value"]
    assert [row[0] for row in table] == [f"``{key}``" for key in keys]
    for path in sorted((ROOT / "plugins/modules").glob("*.py")):
        text = path.read_text(encoding="utf-8").partition('\nRETURN = r"""\n')[2].partition('\n"""\n')[0]
        error = yaml.safe_load(text)["error"]
        contents = error.get("contains") or re.findall(r"C\((\w+)\)", " ".join(error["description"]))
        assert list(contents) == keys, path.name
        assert ("contains" in error) is (path.name == "vhost.py")


def names(folder: str, pattern: str) -> set[str]:
    """Return the stems of the matching files and directories of a folder."""
    return {path.stem for path in (ROOT / folder).glob(pattern) if not path.name.startswith("__")}


def test_readme_names_every_module_role_and_playbook() -> None:
    text = README.read_text(encoding="utf-8")
    modules, others = text.partition("\n| Modules |")[2].partition("\n| Roles and playbooks |")[::2]
    for section, expected in (
        (modules, names("plugins/modules", "*.py")),
        (others, names("roles", "*") | names("playbooks", "*.yml")),
    ):
        found = [
            name
            for cell in re.findall(r"^\| (`\w+`.*?) \|", section, re.MULTILINE)
            for name in re.findall(r"`(\w+)`", cell)
        ]
        assert set(found) == expected
        assert len(found) == len(set(found))


def test_architecture_lists_the_layers_in_order() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("\n## Layers\n")[2]
    assert re.findall(r"^\| `(_\w+)` \|", text, re.MULTILINE) == LAYERS[::-1]
    named = re.findall(r"^\| `(_\w+/\w+\.py)` \|", text, re.MULTILINE)
    assert len(named) == 10 and [name for name in named if not (ROOT / "plugins/module_utils" / name).exists()] == []


def test_architecture_links_every_decision() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("\n## Decisions\n")[2]
    linked = re.findall(r"^\| \[[^\]]+\]\(decisions/([\w-]+)\.md\) \| .+ \|$", text, re.MULTILINE)
    assert sorted(linked) == sorted(names("docs/decisions", "*.md"))
    for name in linked:
        decision = (ROOT / f"docs/decisions/{name}.md").read_text(encoding="utf-8")
        assert re.findall(r"^## (.+)$", decision, re.MULTILINE) == ["Context", "Decision", "Consequences"], name


def test_development_gives_a_reason_for_every_dependency() -> None:
    required = set()
    for file in (ROOT / "requirements").glob("*.in"):
        required |= set(re.findall(r"^[A-Za-z][\w.-]*", file.read_text(encoding="utf-8"), re.MULTILINE))
    text = (ROOT / "docs/development.md").read_text(encoding="utf-8").partition("\n## Dependencies\n")[2]
    listed = {
        name for cell in re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE) for name in re.findall(r"`(.*?)`", cell)
    }
    assert required - listed == set()


def test_relative_links_point_to_files() -> None:
    broken = []
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if not re.match(r"[a-z]+:|#", target) and not (page.parent / target.partition("#")[0]).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_references_between_guides_have_a_target() -> None:
    texts = {guide.stem: guide.read_text(encoding="utf-8") for guide in GUIDES}
    labels = {label for text in texts.values() for label in re.findall(r"^\.\. _(\S+):$", text, re.MULTILINE)}
    used = {label for text in texts.values() for label in re.findall(r":ref:`[^`]*?<?([\w.]+)>?`", text)}
    assert used <= labels
    assert {LABEL + stem for stem in texts} <= labels
    listed = yaml.safe_load((ROOT / "docs/docsite/extra-docs.yml").read_text(encoding="utf-8"))
    assert {stem for section in listed["sections"] for stem in section["toctree"]} == set(texts)


def test_the_guide_lists_the_variables_of_the_role() -> None:
    specs = yaml.safe_load((ROOT / "roles/provision/meta/argument_specs.yml").read_text(encoding="utf-8"))[
        "argument_specs"
    ]["main"]["options"]
    text = (ROOT / "docs/docsite/rst/guide_provision.rst").read_text(encoding="utf-8")
    table = {cells[0]: cells[1] for cells in rows(text) if len(cells) > 1}
    for name, spec in specs.items():
        default = spec.get("default")
        if default is None:  # the connection, all in one row
            assert f"``{name}``" in text or f"``{name.replace('ovenmediaengine', '', 1)}``" in text
        else:
            assert table[f"``{name}``"] == f"``{str(default).lower() if isinstance(default, bool) else default}``"


def test_contributing_names_existing_files() -> None:
    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("CONTRIBUTING.md", "docs/development.md"))
    places = re.findall(
        r"`((?:plugins|roles|playbooks|docs|tests|extensions|demo|benchmarks|tools|requirements|meta|changelogs)(?:/[\w.*/-]+)?)`",
        text,
    )
    stands_for_another = re.compile(r"NAME|VERSION")
    assert (
        places
        and [place for place in places if not stands_for_another.search(place) and not list(ROOT.glob(place))] == []
    )
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    used = set(re.findall(r"(?:^\$ |`)make ([a-z][a-z-]*)", text, re.MULTILINE))
    assert used and used <= targets


def test_every_module_is_where_development_says() -> None:
    modules = names("plugins/modules", "*.py")
    assert modules == names("plugins/action", "*.py") == set(MODULES) == set(OPERATIONS)
    # ansible-test would run the role of the collection instead of a target of the same name.
    targets = {f"{module}_module" if module in names("roles", "*") else module for module in modules}
    assert targets <= names("tests/integration/targets", "*")
    assert modules == set(module_examples.examples())
