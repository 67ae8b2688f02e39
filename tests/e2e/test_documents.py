# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The examples in README, guides, CONTRIBUTING and the READMEs of the roles are run, and each that cannot be run is
named here with the reason.

tests/unit/test_docs.py runs the blocks of ``yaml`` in README and guides one by one. Here the commands of each document
are run unchanged, in their order, with the files that the document shows in between. What a block is for is said by
a comment before it (``.. tested: WORDS`` in a guide, ``<!-- tested: WORDS -->`` elsewhere):

``as NAME``   it is saved under that name before the commands are run, with other blocks of that name in the document
``play``      it is run at its place between the commands
``fails``     the last command of it fails, as the document says
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import typing as t
import xml.etree.ElementTree as ET

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import audit_report
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_status import audit_status
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_summary import audit_summary
from ansible_collections.streamops.ovenmediaengine.tests import programs
from ansible_collections.streamops.ovenmediaengine.tests.simulator import NEWEST, Simulator
from ansible_collections.streamops.ovenmediaengine.tests.simulator.control import snapshot
from ansible_collections.streamops.ovenmediaengine.tests.simulator.patience import PATIENCE
from ansible_collections.streamops.ovenmediaengine.tests.unit.running_modules import run_module

from .conftest import LOCAL, REPOSITORY, Project

# Several playbooks one after the other take their time on a machine that has more to do.
GUIDES = {path.name: path for path in sorted((REPOSITORY / "docs/docsite/rst").glob("*.rst"))}
PAGES = {name: REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")}
PAGES.update({f"docs/{path.name}": path for path in sorted((REPOSITORY / "docs").glob("*.md"))})
ROLES = {f"roles/{path.parent.name}/README.md": path for path in sorted((REPOSITORY / "roles").glob("*/README.md"))}
DOCUMENTS = {**GUIDES, **PAGES, **ROLES}

TOKEN = "ome-access-token"
ADDRESS = "http://127.0.0.1:8081"
"""Where the documents have the server."""

COMMANDS = {"console", "shell"}
SHOWN = {"text", "diff", "json"}
"""Languages of what is only shown: output, and files of other tools."""

# Which tests run the blocks of a language, and how many each of them runs, so that one more does not go unnoticed.
AFTER_RESTART, ROTATE, HERE = (
    "tests/e2e/test_after_restart.py",
    "tests/e2e/test_rotate_certificates.py",
    "tests/e2e/test_documents.py",
)
RESTREAM, RECORD = "tests/e2e/test_restream.py", "tests/e2e/test_record.py"
RECORDINGS = "tests/e2e/test_recordings.py"
SERVER, WATCH = "tests/e2e/test_role_server_documents.py", "tests/e2e/test_role_watch.py"
HEAL = "tests/e2e/test_heal_documents.py"
RESTART = "tests/e2e/test_restart.py"
RUN_BY = {
    ("guide_after_restart.rst", "ini"): {AFTER_RESTART: 1},
    ("guide_after_restart.rst", "yaml+jinja"): {AFTER_RESTART: 3, RESTART: 1, WATCH: 2, HEAL: 4},
    ("guide_after_restart.rst", "xml"): {HERE: 1},
    ("guide_rotate_certificates.rst", "yaml+jinja"): {ROTATE: 4},
    ("guide_rotate_certificates.rst", "bash"): {ROTATE: 1},
    ("guide_origin_edge.rst", "yaml+jinja"): {HERE: 8},
    ("guide_origin_edge.rst", "xml"): {HERE: 1},
    ("guide_first_steps.rst", "xml"): {HERE: 1},
    ("guide_from_uri.rst", "yaml+jinja"): {HERE: 2},
    ("guide_adopt.rst", "yaml+jinja"): {HERE: 2},
    ("roles/export/README.md", "yaml"): {HERE: 1},
    ("roles/provision/README.md", "yaml"): {HERE: 2},
    ("roles/rotate_certificates/README.md", "yaml"): {HERE: 1},
    ("roles/restream/README.md", "yaml"): {RESTREAM: 1},
    ("roles/record/README.md", "yaml"): {RECORD: 1},
    ("roles/recordings/README.md", "yaml"): {RECORDINGS: 1},
    ("guide_records.rst", "yaml+jinja"): {RECORDINGS: 2},
    ("guide_server.rst", "yaml+jinja"): {SERVER: 5},
    ("roles/server/README.md", "yaml"): {SERVER: 1},
    ("roles/restart/README.md", "yaml"): {RESTART: 1},
    ("roles/watch/README.md", "yaml"): {WATCH: 1},
}

INSTALLS = "Installs over the network; test_readme_as_a_new_user_types_it installs the artifact."
CLONES = "test_readme_as_a_new_user_types_it begins with a copy of the repository."
MEDIA = "Needs a media server; the simulator takes no media."
RUNS_THIS = "Runs this very test."
ROTATES = "tests/e2e/test_rotate_certificates.py runs the hook of the guide: the same playbook, with its certificates."
WATCHES = "tests/e2e/test_role_watch.py runs the same playbook, on a host whose commands are fakes."
SYSTEMD = "Needs a host with systemd."
PLAYS = "tests/e2e/test_after_restart.py does the same with a simulated server, and compares what is shown."
RESTREAMS = "tests/e2e/test_restream.py runs the same playbook, with the platforms of the README."
IMPORTS = "tests/e2e/test_import_config.py runs it without become, with a directory of its own."
RECORDS = "tests/e2e/test_record.py runs the commands of the README."
CLEANS = "tests/e2e/test_recordings.py runs the same playbook, in a directory of its own."
SERVES = "tests/e2e/test_role_server_documents.py runs the same playbook, on a host whose commands are fakes."
RESTARTS = "tests/e2e/test_restart.py runs the same playbook, on a host whose commands are fakes."
HEALS = "tests/e2e/test_rulebooks.py runs the same rulebook, with servers of its own."
DAY = "tests/e2e/test_day.py runs the same playbook, with the file of the guide."
VERIFIES = "tests/e2e/test_verify.py runs the same playbook, with the ports of its servers."
COLLECTS = "Writes to a directory of the system; tests/e2e/test_audit.py writes the metrics to another one."
MEASURES = "tests/e2e/test_benchmarks.py runs what it calls, with few of everything."
SLICES = "tests/e2e/test_slices.py runs the same playbooks, on four slices."
LIMITS = "tests/e2e/test_porting.py runs the same playbooks, on three slices."
PART = "A part of make test or of make test-all."
NOT_RUN = {
    "make demo": "tests/e2e/test_demo.py runs what it calls.",
    "make test": RUNS_THIS,
    "make check": RUNS_THIS,
    "make unit TEST=tests/unit/plugins/filter": PART,
    'make unit ARGS="-k push_task"': RUNS_THIS,
    "make unit TEST=tests/unit"
    " ARGS=\"-k 'NAME or test_api_coverage or module_examples or test_docs and not yaml'\"": RUNS_THIS,
    'make integration CORES=newest TARGETS="NAME execution_paths"': PART,
    "make watch TEST=tests/unit/plugins/filter": "Runs until it is stopped.",
    "make lint": PART,
    "make format": "Formats this.",
    'make sanity CORES="2.19 2.21"': PART,
    'make units CORES="2.16 next"': PART,
    "make integration CORES=newest TARGETS=vhosts": PART,
    'make molecule SCENARIOS="audit fleet"': PART,
    "make mutants": "Takes up to an hour.",
    "sudo make fresh": "Takes root, debootstrap and ten minutes. The continuous integration runs the same.",
    "sudo make hosts SCENARIOS=all": "Takes root and most of an hour. make test-all runs a part of it.",
    "make venv": "Has made the environment of this test.",
    "ansible-galaxy collection install streamops.ovenmediaengine": INSTALLS,
    "python3 -m pip install requests": INSTALLS,
    "apt-get install openjdk-17-jre-headless": INSTALLS,
    "pip install ansible-rulebook ansible-core requests": INSTALLS,
    "git clone https://github.com/streamops/ansible-ovenmediaengine": CLONES,
    "ffmpeg -re -f lavfi -i testsrc2=size=1280x720:rate=30 -f lavfi -i sine=frequency=440:sample_rate=48000"
    " -c:v libx264 -preset veryfast -tune zerolatency -bf 0 -g 30 -pix_fmt yuv420p -c:a aac"
    " -f flv rtmp://live.studio.example.com:1935/live/main": MEDIA,
    "ffplay http://live.studio.example.com:3333/live/main/llhls.m3u8": MEDIA,
    ".venv-demo/bin/python -m tests.simulator --port 8081": "test_the_simulator_starts_as_shown",
    ".venv/bin/python -m tests.simulator --port 8081": "test_the_simulator_starts_as_shown",
    "ANSIBLE_COLLECTIONS_PATH=.build/tree .venv/bin/ansible-playbook playbook.yml": "Any playbook of the reader.",
    "ansible-playbook durable.yml -i inventory.yml": PLAYS,
    "curl --silent --output /dev/null --write-out '%{http_code}\\n'"
    " http://live.tenant-a.example.com:3333/live/main/llhls.m3u8": PLAYS,
    "ssh media-1.example.com sudo systemctl kill --signal=KILL ovenmediaengine": PLAYS,
    "xdg-open ovenmediaengine-audit/audit.html": "Opens a browser; tests/e2e/test_audit.py opens the page in one.",
    "systemctl list-timers 'ovenmediaengine-watch-*'": SYSTEMD,
    "journalctl -u 'ovenmediaengine-watch-*' --since yesterday": SYSTEMD,
    "ansible-playbook streamops.ovenmediaengine.watch -i inventory.yml": WATCHES,
    "ansible-playbook streamops.ovenmediaengine.watch -i inventory.yml --check --diff": WATCHES,
    "ansible-playbook streamops.ovenmediaengine.watch -i inventory.yml -e watch_state=absent": WATCHES,
    "ansible-playbook streamops.ovenmediaengine.rotate_certificates -i inventory.yml -e @certificates.yml": ROTATES,
    "ansible-playbook streamops.ovenmediaengine.rotate_certificates -i inventory.yml -e @certificates.yml"
    " --check": ROTATES,
    "openssl s_client -connect media-1.example.com:443 -servername live.tenant-a.example.com </dev/null |"
    " openssl x509 -noout -subject -enddate -fingerprint -sha256": "Needs a host of that name.",
    "ansible-galaxy collection install awx.awx": INSTALLS,
    "export CONTROLLER_HOST=https://awx.example.com": "Needs an AWX.",
    "export CONTROLLER_OAUTH_TOKEN=...": "Needs an AWX.",
    "ansible-playbook streamops.ovenmediaengine.awx_setup -e @awx.yml --ask-vault-pass": (
        "Needs an AWX; tests/e2e/test_awx.py replaces its modules."
    ),
    "ansible-builder build -f execution-environment.yml -t registry.example.com/media:1": (
        "Needs a container engine; tests/e2e/test_awx.py makes the build context."
    ),
    "ansible-playbook streamops.ovenmediaengine.merge_audits -i inventory.yml"
    " -e audit_parts_dir=reports -e audit_report_dir=reports/all": SLICES,
    "ansible-playbook streamops.ovenmediaengine.audit -i inventory.yml --limit @slice-1.txt"
    " -e audit_report_dir=reports/1 -e audit_fail_on=none": LIMITS,
    "ansible-playbook streamops.ovenmediaengine.audit -i inventory.yml --limit @slice-2.txt"
    " -e audit_report_dir=reports/2 -e audit_fail_on=none": LIMITS,
    ".venv/bin/python -m tests.measure_slices --servers 100 300 1000": "Takes an idle machine for minutes.",
    "ansible-playbook site.yml --check --diff": "Any playbook of the reader.",
    "sudo install --directory --owner=ansible --group=ansible --mode=0755 /var/lib/prometheus/node-exporter": COLLECTS,
    "ansible-playbook streamops.ovenmediaengine.audit -i inventory.yml -e @fleet.yml -e @secrets.yml --ask-vault-pass"
    " -e audit_metrics_file=/var/lib/prometheus/node-exporter/ovenmediaengine.prom": COLLECTS,
    "export OVENMEDIAENGINE_API_TOKEN=...": HEALS,
    "ansible-rulebook --rulebook streamops.ovenmediaengine.restore_after_restart -i inventory --vars heal.yml": HEALS,
    "ansible-rulebook --rulebook streamops.ovenmediaengine.push_watch -i inventory --vars heal.yml": HEALS,
    "ansible-rulebook --rulebook streamops.ovenmediaengine.certificates -i inventory --vars heal.yml": HEALS,
    "ansible-rulebook --rulebook streamops.ovenmediaengine.expected_streams -i inventory --vars heal.yml": HEALS,
    "ansible-playbook streamops.ovenmediaengine.restream -i inventory.yml"
    " -e restream_stream=main -e restream_platforms=one,two": RESTREAMS,
    "ansible-playbook streamops.ovenmediaengine.restream -i inventory.yml -e restream_stream=main"
    " -e restream_platforms=all -e restream_state=stopped": RESTREAMS,
    "ansible-playbook streamops.ovenmediaengine.record -i inventory.yml"
    " -e record_stream=main -e record_title=evening-show": RECORDS,
    "ansible-playbook streamops.ovenmediaengine.record -i inventory.yml -e record_stream=main"
    " -e record_state=stopped": RECORDS,
    "ansible-playbook streamops.ovenmediaengine.recordings -i inventory.yml": CLEANS,
    "ansible-playbook streamops.ovenmediaengine.recordings -i inventory.yml --check --diff": CLEANS,
    "ansible-playbook streamops.ovenmediaengine.import_config -i inventory.yml --become": IMPORTS,
    "ansible-playbook streamops.ovenmediaengine.import_config -i inventory.yml --become"
    " -e import_config_dir=/srv/ome/edge_conf -e import_config_server_dir=/opt/ovenmediaengine/bin/edge_conf"
    " -e import_config_environment_from=/srv/ome/docker-compose.yml": IMPORTS,
    "ansible-playbook streamops.ovenmediaengine.server -i inventory.yml": SERVES,
    "ansible-playbook streamops.ovenmediaengine.server -i inventory.yml --check --diff": SERVES,
    "ansible-playbook streamops.ovenmediaengine.server -i inventory.yml"
    f" -e server_version={NEWEST} --check --diff": SERVES,
    "ansible-playbook streamops.ovenmediaengine.server -i inventory.yml -e server_state=absent": SERVES,
    "ansible-playbook streamops.ovenmediaengine.restart -i inventory.yml": RESTARTS,
    "ansible-playbook streamops.ovenmediaengine.restart -i inventory.yml --check": RESTARTS,
    "python3 -m pip install m3u8 av aiortc websockets": INSTALLS,
    "ansible-playbook streamops.ovenmediaengine.verify -i inventory.yml -e @fleet.yml -e @secrets.yml": VERIFIES,
    "ansible-playbook streamops.ovenmediaengine.verify -i inventory.yml": VERIFIES,
    "ansible-playbook streamops.ovenmediaengine.provision -i inventory.yml -e @fleet.yml -e @secrets.yml": DAY,
    "ansible-playbook streamops.ovenmediaengine.audit -i inventory.yml -e @fleet.yml -e @secrets.yml"
    " -e audit_play=true": DAY,
    "ansible-playbook streamops.ovenmediaengine.status -i inventory.yml -e @fleet.yml -e @secrets.yml"
    " -e tenant=tenant-a": DAY,
    "make bench": MEASURES,
    'make bench ROWS="bulk loops" ROUNDS=3': MEASURES,
    'make bench UNTIL=30 ARGS="--output /tmp/numbers"': MEASURES,
    'make bench ROUNDS=1 ARGS="--at-most 3"': MEASURES,
}

# What each block that is only shown is, in the order of the document: what the command before it prints, or what the
# test of that name compares it with, or no output at all.
COMMAND, NO_OUTPUT = "the command before it", "a file or a formula"
SHOWN_BLOCKS = {
    "guide_first_steps.rst": [COMMAND, COMMAND, COMMAND],
    "guide_adopt.rst": [
        COMMAND,
        "test_a_hand_written_server_is_adopted",
        "test_what_is_not_written_is_listed_as_in_the_guide",
    ],
    "guide_provision.rst": [COMMAND, "test_path_of_a_new_user"],
    "guide_after_restart.rst": [
        "test_the_inventories_of_the_documents_restart_a_fleet",
        "test_the_inventories_of_the_documents_restart_a_fleet",
        "test_the_inventories_of_the_documents_install_watchers",
        "test_each_start_is_restored_once",
        "test_a_dead_server_is_reported_once",
        "test_nothing_counts_as_restored_if_the_playbook_fails",
        NO_OUTPUT,
        "test_a_rulebook_prints_once_that_a_token_is_refused",
        "test_one_run_restores_a_pull_and_its_recording",
    ],
    "guide_errors.rst": ["test_message_of_the_guide_on_errors"],
    "guide_applications.rst": ["test_message_of_the_guide_on_applications"],
    "guide_audits.rst": ["test_the_status_of_the_guide", NO_OUTPUT, "test_summaries_of_audits"],
    "guide_awx.rst": [
        NO_OUTPUT,
        NO_OUTPUT,
        NO_OUTPUT,
        NO_OUTPUT,
        "test_summary_of_a_restream",
        "test_summaries_of_audits",
    ],
    "guide_rotate_certificates.rst": [
        "test_the_examples_of_the_guide_work",
        "test_a_failed_proof_is_reported_as_in_the_guide",
    ],
    "guide_network.rst": [NO_OUTPUT],
    "guide_records.rst": ["test_the_summary_of_old_recordings", "test_the_summary_of_the_guide"],
    "guide_server.rst": [
        "test_a_mistake_is_reported_as_in_the_guide",
        "test_the_inventory_installs_a_server",
        "test_a_server_in_use_is_not_restarted_as_in_the_guide",
        "test_the_upgrade_of_the_guide",
        "test_the_upgrade_of_the_guide",
    ],
    "guide_verify.rst": ["test_the_table_of_the_guide", "test_the_stock_configuration_of_the_guide"],
    "guide_large_fleets.rst": [NO_OUTPUT, NO_OUTPUT],
    "docs/architecture.md": [NO_OUTPUT],
}

ROLES_RUN = ("provision", "audit", "export")
"""Roles of which the commands in the README are run, in this order."""


class Block(t.NamedTuple):
    """A block of code in a document."""

    line: int
    language: str
    mark: str
    text: str


class Command(t.NamedTuple):
    """A command of a document, and the lines of output that are shown under it."""

    line: int
    text: str
    output: tuple[str, ...]


_IN_GUIDE = re.compile(
    r"(?:^\.\. tested: (?P<mark>.+)\n\n)?"
    r"^(?P<indent> *)\.\. code-block:: (?P<language>\S+)\n\n"
    r"(?P<text>(?:(?:(?P=indent) {3,}.*)?\n)+)",
    re.MULTILINE,
)
_IN_PAGE = re.compile(
    r"(?:^<!-- tested: (?P<mark>.+) -->\n+)?^```(?P<language>[\w+]*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE
)
_SECTION = re.compile(r"^(?P<title>\S.*)\n-{4,}\n", re.MULTILINE)


def blocks(name: str, section: str = "") -> list[Block]:
    """Return the blocks of code of a document, or of a section of a guide, in their order.

    In README a block without a language is a command.
    """
    text = DOCUMENTS[name].read_text(encoding="utf-8")
    begin, end = lines_of(text, section) if section else (1, text.count("\n") + 1)
    found = []
    for match in (_IN_GUIDE if name in GUIDES else _IN_PAGE).finditer(text):
        language = match["language"] or ("shell" if name == "README.md" else "text")
        line = text.count("\n", 0, match.start("text")) + 1
        if begin <= line < end:
            found.append(Block(line, language, match["mark"] or "", textwrap.dedent(match["text"]).strip() + "\n"))
    return found


def lines_of(text: str, section: str) -> tuple[int, int]:
    """Return the first line of a section of a guide, and the first line after it."""
    lines = {match["title"]: text.count("\n", 0, match.start()) + 1 for match in _SECTION.finditer(text)}
    later = [line for line in lines.values() if line > lines[section]]
    return lines[section], min(later, default=text.count("\n") + 1)


def files_of(name: str) -> dict[str, str]:
    """Return the files that a document shows, by their names."""
    files: dict[str, str] = {}
    for block in blocks(name):
        kind, _blank, file = block.mark.partition(" ")
        if kind == "as":
            files[file] = files.get(file, "") + block.text
    return files


def commands(block: Block) -> list[Command]:
    """Return the commands of a block, without prompts, comments at their ends and broken lines."""
    found: list[Command] = []
    prompt = re.compile(r"[$#] " if block.language == "console" else "")
    joined = re.sub(r" *(?:\\|(?<=\|))\n +", " ", block.text)
    for number, line in enumerate(joined.splitlines()):
        match = prompt.match(line)
        if match:
            found.append(Command(block.line + number, re.sub(r"\s+# .*$", "", line[match.end() :]), ()))
        else:
            found[-1] = found[-1]._replace(output=(*found[-1].output, line))
    return found


def all_commands(name: str) -> list[Command]:
    """Return the commands of a document."""
    return [command for block in blocks(name) if block.language in COMMANDS for command in commands(block)]


def test_every_block_is_run_by_a_test() -> None:
    counts: dict[tuple[str, str], int] = {}
    for name in DOCUMENTS:
        for block in blocks(name):
            run_one_by_one = block.language == "yaml" and (name in GUIDES or name == "README.md")
            if block.language not in COMMANDS | SHOWN and not run_one_by_one:
                counts[name, block.language] = counts.get((name, block.language), 0) + 1
    assert counts == {key: sum(tests.values()) for key, tests in RUN_BY.items()}
    for (name, _language), tests in RUN_BY.items():
        for test in tests:
            assert pathlib.PurePath(name).stem in (REPOSITORY / test).read_text(encoding="utf-8")


def test_commands_that_are_not_run_are_in_the_documents() -> None:
    found = {command.text for name in DOCUMENTS for command in all_commands(name)}
    assert set(NOT_RUN) - found == set()


def test_no_command_for_root_is_run() -> None:
    """A machine that runs the tests may have no sudo, and what needs root changes that machine."""
    found = {command.text for name in DOCUMENTS for command in all_commands(name) if command.text.startswith("sudo ")}
    assert found and found <= set(NOT_RUN)


def test_commands_of_the_other_roles_are_listed() -> None:
    others = [name for name in ROLES if pathlib.PurePath(name).parts[1] not in ROLES_RUN]
    assert {command.text for name in others for command in all_commands(name)} <= set(NOT_RUN)


def test_every_block_that_is_shown_as_output_is_compared_with_it() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in pathlib.Path(__file__).parent.glob("test_*.py"))
    found = {name: [block for block in blocks(name) if block.language in SHOWN] for name in DOCUMENTS}
    assert {name: len(shown) for name, shown in found.items() if shown} == {
        name: len(kinds) for name, kinds in SHOWN_BLOCKS.items()
    }
    for name, kinds in SHOWN_BLOCKS.items():
        assert all(kind in (COMMAND, NO_OUTPUT) or f"def {kind}(" in tests for kind in kinds)
        assert COMMAND not in kinds or name in with_commands_to_run()


def shown_in(name: str, number: int, section: str = "") -> str:
    """Return the text of a block that is only shown, by its place among those of the document or of a section, with
    single blanks.
    """
    return _words([block for block in blocks(name, section) if block.language in SHOWN][number].text)


def test_message_of_the_guide_on_errors() -> None:
    with Simulator(token=TOKEN) as server:
        vhost = server.state.virtual_hosts["default"]
        server.state.create_application(vhost, {"name": "nopush", "type": "live", "providers": {"rtmp": {}}})
        task = {
            "vhost": "default",
            "app": "nopush",
            "id": "platform",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "stream_key": "not-a-real-key",
        }
        options = {"api_url": server.url, "api_token": TOKEN, **task, "url": "rtmp://live.platform.example.com/app"}
        message = run_module("push_task", options)["msg"]
        assert message.replace(server.url[7:], ADDRESS[7:]) == shown_in("guide_errors.rst", 0)


def test_message_of_the_guide_on_applications() -> None:
    with Simulator(token=TOKEN) as server:
        vhost = server.state.create_virtual_host({"name": "tenant-a", "host": {"names": ["live.tenant-a.example.com"]}})
        publishers = {"push": {}, "llhls": {}}
        server.state.create_application(
            vhost, {"name": "live", "type": "live", "providers": {"rtmp": {}}, "publishers": publishers}
        )
        common = {"api_url": server.url, "api_token": TOKEN, "vhost": "tenant-a"}
        push = {
            **common,
            "app": "live",
            "id": "platform",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "stream_key": "not-a-real-key",
        }
        assert not run_module("push_task", {**push, "url": "rtmp://live.platform.example.com/app"}).failed
        server.stream_appears("tenant-a", "live", "main")
        server.viewers(12, "tenant-a", "live")
        failed = run_module("application", {**common, "name": "live", "publishers": {**publishers, "hls": {}}})
        assert failed["msg"] == shown_in("guide_applications.rst", 0)


def test_summaries_of_audits() -> None:
    shown = json.loads([block for block in blocks("guide_audits.rst") if block.language in SHOWN][2].text)
    found = [{"severity": severity, "kind": "x", "message": "x"} for severity in ["warning"] + ["info"] * 120]
    drift = {"severity": "drift", "kind": "x", "message": "x"}
    results = {
        f"media-{number}": {
            "reachable": True,
            "findings": [drift] if number in (7, 12) else found if number == 2 else [],
        }
        for number in range(40)
    }
    report = audit_report(results, "2026-01-31T03:00:00Z")
    assert shown == {"ovenmediaengine_audit": audit_summary(report, directory="/reports/audit", hosts=results)}
    reported = shown_in("guide_awx.rst", 5)
    line = audit_summary(report, directory="/reports/audit/1284/merged")["line"]
    assert reported == f"Job #1287 OvenMediaEngine merge audits: {line}"


def test_the_status_of_the_guide() -> None:
    shown = next(block.text for block in blocks("guide_audits.rst") if block.language in SHOWN)

    def counted(rates: tuple[int, int]) -> dict[str, t.Any]:
        connections = {"llhls": 120, "webrtc": 14, "push": 1} if rates[0] else {}
        counters = {"connections": connections, "bits_per_second_in": rates[0], "bits_per_second_out": rates[1]}
        return {
            "vhost": "tenant-a",
            "app": "",
            "stream": "",
            "uptime": None,
            "bytes_in": 1,
            "bytes_out": 1,
            **counters,
        }

    entry = {"vhost": "tenant-a"}
    certificate = {**entry, "endpoint": "h:1", "certificate": {"days_left": 57}}
    good = {
        "reachable": True,
        "vhosts": [{"name": "tenant-a", "status": "ok", "live_streams": 2}],
        "findings": [],
        "push_tasks": [{**entry, "state": "pushing"}],
        "records": [{**entry, "state": "recording"}],
        "playbacks": [{**entry, "verdict": "plays", "seconds_to_first_frame": seconds} for seconds in (0.2, 0.41) * 2],
        "certificates": [certificate],
        "statistics": [counted((4_100_000, 510_000_000))],
    }
    message = "Stream tenant-a/live/main should be live and is not. Check its encoder."
    bad = {
        "reachable": True,
        "vhosts": [{"name": "tenant-a", "status": "error", "live_streams": 0}],
        "findings": [{"severity": "error", "kind": "stream_missing", "message": message, **entry}],
        "push_tasks": [{**entry, "state": "ready"}],
        "certificates": [certificate],
        "statistics": [counted((0, 0))],
    }
    before, now = (audit_report({"media-1": good, "media-2": one}, "2026-01-31T03:00:00Z") for one in (good, bad))
    assert shown.splitlines() == audit_status(now, "tenant-a", before)


@pytest.mark.exhaustive
def test_summary_of_a_restream(project: Project) -> None:
    with started(["media-1"]) as servers:
        (server,) = servers.values()
        platforms = [
            {"name": name, "url": f"rtmp://live.{name}.example.com/app", "stream_key": "not-a-real-key"}
            for name in ("one", "two")
        ]
        stream = {
            "vhost": "default",
            "app": "app",
            "stream": {"name": "main"},
            "protocol": "rtmp",
            "stream_key": "not-a-real-key",
        }
        options = {"api_url": server.url, "api_token": TOKEN, **stream, "id": "main-two", "url": platforms[1]["url"]}
        server.stream_appears("default", "app", "main")
        server.destination(platforms[0]["url"], "hang")
        assert not run_module("push_task", {**options, "wait_for": "pushing"}).failed
        project.inventory({"media-1": server.url}, ovenmediaengine_platforms=platforms, ovenmediaengine_api_token=TOKEN)
        run = project.play(
            "streamops.ovenmediaengine.restream",
            "-i",
            "inventory.json",
            "-e",
            "restream_stream=main",
            "-e",
            "restream_platforms=one,two",
        )
        assert run.summary("media-1") == shown_in("guide_awx.rst", 4)
        assert run.summary("media-1") in ROLES["roles/restream/README.md"].read_text(encoding="utf-8")


WITH_A_TEST_OF_THEIR_OWN = {*ROLES, "README.md", "guide_from_uri.rst"}


def with_commands_to_run() -> list[str]:
    """Return the documents that have commands to run, but for those with a test of their own."""
    return [
        name
        for name in DOCUMENTS
        if name not in WITH_A_TEST_OF_THEIR_OWN and any(command.text not in NOT_RUN for command in all_commands(name))
    ]


# What a server has before the commands of a document are run: the variables of this document.
SERVER_HAS = {
    "guide_adopt.rst": "guide_adopt.rst",
    "guide_audits.rst": "guide_provision.rst",
    "roles/audit/README.md": "roles/provision/README.md",
}
# Host names of ``default`` where "*" is taken out of Server.xml, as the first steps say, and the documents that audit
# such a server: with "*" it has errors.
REACHABLE = ("localhost",)
OF_REACHABLE_SERVERS = ("guide_adopt.rst", "guide_audits.rst")
# What a command must print, by a part of it.
MUST_PRINT = {
    "guide_adopt.rst": {
        "provision": r"virtual hosts: 0 created, .* 1 unchanged, 0 failed[\s\S]*changed=0 .*failed=0",
        "audit": r"servers: 1, 1 as listed",
    },
    "guide_audits.rst": {"audit": r"servers: 1, 1 as listed"},
}


class Desk:
    """A directory in which the commands of a document are run, with a server."""

    def __init__(self, name: str, project: Project, servers: t.Mapping[str, Simulator]) -> None:
        self.name = name
        self.project = project
        self.servers = servers
        self.directory = project.directory
        self.environment = dict(project.environment)
        self.environment["ANSIBLE_VAULT_PASSWORD_FILE"] = str(self.write("vault-password", "not-a-real-password\n"))
        self.environment["EDITOR"] = str(
            self.write("editor", f'#!/bin/sh\ncp "{self.directory}/secrets.plain" "$1"\n', mode=0o755)
        )
        self.environment.update(OVENMEDIAENGINE_API_URL=self.server.url, OVENMEDIAENGINE_API_TOKEN=TOKEN)

    @property
    def server(self) -> Simulator:
        """Return the server of documents that have one."""
        return next(iter(self.servers.values()))

    def write(self, name: str, text: str, *, mode: int = 0o644) -> pathlib.Path:
        """Save a file, with the addresses of the servers of the test in the place of those of the document."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        urls = {host: server.url for host, server in self.servers.items()}
        text = text.replace(ADDRESS, self.server.url).replace(
            '"https://{{ inventory_hostname }}:8082"', f'"{{{{ {urls!r}[inventory_hostname] }}}}"'
        )
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def save_files(self) -> None:
        """Save what the document shows as files, and what it does not show and takes for granted."""
        shown = {**files_of("guide_provision.rst"), **files_of(self.name)}
        host = {
            **LOCAL,
            "ovenmediaengine_api_url": self.server.url,
            "platform_stream_key": "not-a-real-key",
            "webhook_secret": "not-a-real-secret",
        }
        host["ovenmediaengine_http_headers"] = {}
        shown.setdefault("inventory.yml", yaml.safe_dump({"media": {"hosts": {"media-1.example.com": host}}}))
        for file, text in shown.items():
            self.write(file, text)
        shutil.copy(self.directory / "secrets.yml", self.directory / "secrets.plain")

    def prepare_server(self) -> None:
        """Provision what the server has before."""
        has = SERVER_HAS.get(self.name)
        if has is None:
            return
        self.write("before.yml", files_of(has).get("fleet.yml") or _variables_of_the_readme())
        self.run("ansible-playbook streamops.ovenmediaengine.provision -i inventory.yml -e @secrets.yml -e @before.yml")

    def run(self, command: str, *, fails: bool = False) -> str:
        """Run a command, which must succeed, or fail as a playbook does; returns what it prints."""
        if command.startswith("export "):
            for assignment in shlex.split(command)[1:]:
                variable, _equals, value = assignment.partition("=")
                self.environment[variable] = value.replace(ADDRESS, self.server.url)
            return ""
        if " >> secrets.yml" in command:
            # One secret alone is encrypted there, in a file that is none itself.
            lines = (self.directory / "secrets.plain").read_text(encoding="utf-8").splitlines(keepends=True)
            variable = command.split()[3]
            (self.directory / "secrets.yml").write_text(
                "".join(line for line in lines if not line.startswith(variable)), encoding="utf-8"
            )
        elif command == "ansible-vault create secrets.yml":
            (self.directory / "secrets.yml").unlink()
        done = subprocess.run(
            # The password comes from a file, and the editor needs no terminal: there is no prompt.
            [
                "bash",
                "-c",
                command.replace(" --ask-vault-pass", "").replace(
                    "ansible-vault create", "ansible-vault create --skip-tty-check"
                ),
            ],
            cwd=self.directory,
            env=self.environment,
            input="not-a-real-key",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == (2 if fails else 0), f"{self.name}: {command}\n{done.stdout}"
        return done.stdout


@contextlib.contextmanager
def started(hosts: t.Iterable[str], default_host_names: t.Sequence[str] = ("*",)) -> t.Iterator[dict[str, Simulator]]:
    """Provide a server for each host."""
    with contextlib.ExitStack() as stack:
        yield {
            host: stack.enter_context(Simulator(token=TOKEN, stop_delay=0.2, default_host_names=default_host_names))
            for host in hosts
        }


def _words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", with_commands_to_run())
def test_commands_run_unchanged(name: str, project: Project) -> None:
    hosts = (
        ["origin-1.example.com", "origin-2.example.com", "edge-1.example.com", "edge-2.example.com"]
        if name == "guide_origin_edge.rst"
        else ["media-1"]
    )
    with started(hosts, REACHABLE if name in OF_REACHABLE_SERVERS else ("*",)) as servers:
        desk = Desk(name, project, servers)
        desk.save_files()
        desk.prepare_server()
        output = ""
        shown = iter(SHOWN_BLOCKS.get(name, []))
        for block in blocks(name):
            if block.language in SHOWN and next(shown) == COMMAND:
                assert _words(block.text) in _words(output), f"{name}, line {block.line}:\n{output}"
            if block.mark == "play":
                desk.write(f"line-{block.line}.yml", block.text)
                desk.run(f"ansible-playbook line-{block.line}.yml -i inventory.yml -e @secrets.yml")
            listed = commands(block) if block.language in COMMANDS else []
            for command in listed:
                if command.text in NOT_RUN or (command.text.startswith("jq ") and programs.find("jq") is None):
                    continue
                output = desk.run(command.text, fails=block.mark == "fails" and command == listed[-1])
                assert [line for line in command.output if _words(line) not in _words(output)] == [], (
                    f"{name}, line {command.line}:\n{output}"
                )
                for part, pattern in MUST_PRINT.get(name, {}).items():
                    if f"streamops.ovenmediaengine.{part} " in command.text:
                        assert re.search(pattern, output), f"{name}, line {command.line}:\n{output}"
        after(name, desk)


def after(name: str, desk: Desk) -> None:
    """What must hold when the commands of a document have run."""
    if name == "guide_origin_edge.rst":
        for host, server in desk.servers.items():
            tenant = server.state.virtual_hosts["tenant-a"]
            store = tenant.config["originMapStore"]
            publishers = tenant.applications["tenant-a"].config["publishers"]
            assert store["redisServer"] == {"host": "redis.example.com:6379", "auth": "not-a-real-secret"}
            if host.startswith("origin"):
                assert store["originHostName"] in tenant.config["host"]["names"] and "ovt" in publishers
                assert f"tenant-b.{host}" in server.state.virtual_hosts["tenant-b"].config["host"]["names"]
            else:
                assert "originHostName" not in store and "llhls" in publishers
                assert list(tenant.applications["tenant-a"].config["providers"]) == ["ovt"]
                assert server.state.virtual_hosts["tenant-c"].config["origins"]["origin"][0]["location"] == "/tenant-c/"
                assert server.state.virtual_hosts["cameras"].config["origins"]["origin"][0]["pass"]["scheme"] == "rtsp"
    if name == "guide_adopt.rst":
        known = (desk.directory / "known-media-1.example.com.yml").read_text(encoding="utf-8")
        assert known.startswith("$ANSIBLE_VAULT;")
        assert "not-a-real-key" not in (desk.directory / "fleet.yml").read_text(encoding="utf-8")
        shown = desk.run("ansible-vault view known-media-1.example.com.yml")
        # Each variable of the export has its value in the file that the guide makes, and all of them are filled in.
        exported = set(
            re.findall(r"ovenmediaengine_secret_\w+", (desk.directory / "fleet.yml").read_text(encoding="utf-8"))
        )
        secrets = yaml.safe_load((desk.directory / "secrets.plain").read_text(encoding="utf-8"))
        assert exported <= set(secrets) and len(exported) == 3
        assert all(str(secrets[name]) in shown for name in exported)


def clone(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return a copy of the repository after ``make demo``, with the environment of the tests for the demonstration."""
    path = tmp_path / "ansible-ovenmediaengine"
    _with_tools(REPOSITORY, "artifact.copy_repository(pathlib.Path(sys.argv[1]))", path)
    (path / ".venv-demo").symlink_to(sys.prefix, target_is_directory=True)
    return path


@pytest.mark.exhaustive
def test_readme_as_a_new_user_types_it(tmp_path: pathlib.Path) -> None:
    """The artifact is built, installed into an empty home, and the playbook is run with it on the simulator, by one
    shell and as README has it.

    Nothing is different but the port, which the simulator takes and says, and nothing can be reached but this machine.
    """
    home, repository = tmp_path / "home", clone(tmp_path)
    home.mkdir()
    for file, text in files_of("README.md").items():
        (repository / file).write_text(text, encoding="utf-8")
    environment = {
        "HOME": str(home),
        "PATH": os.defpath,
        "LC_ALL": "C.UTF-8",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_GALAXY_SERVER": "http://127.0.0.1:1",
    }

    def typed(*lines: str) -> subprocess.CompletedProcess[str]:
        # The program `timeout` ends the shell with all that it has started.
        return subprocess.run(
            ["timeout", f"{PATIENCE:g}", "bash", "-ec", "\n".join(lines)],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    shown = [command for command in all_commands("README.md") if command.text not in NOT_RUN]
    first = typed(
        *(command.text for command in shown if command.text.startswith(("cd ", "export PATH="))),
        "ansible-playbook tenant.yml --syntax-check",
    )
    assert first.returncode != 0 and "streamops.ovenmediaengine.vhost" in first.stdout, (
        f"the collection is found before it is installed\n{first.stdout}"
    )

    lines = ["trap 'kill $(jobs -p)' EXIT", f"mkfifo {tmp_path}/said"]
    for command in shown:
        if command.text.endswith("&"):
            # Whoever reads the line waits until the simulator listens.
            lines += [
                f"exec 3<>{tmp_path}/said",
                command.text.replace("8081", "0").replace("&", ">&3 &"),
                'read -r line <&3; port=${line##*:}; echo "$line"',
            ]
        else:
            lines.append(command.text.replace("8081", "$port"))
    done = typed(*lines)
    assert done.returncode == 0, done.stdout
    assert re.findall(r" changed=(\d+) .* failed=0 ", done.stdout) == ["1", "1", "0"], done.stdout
    for command in shown:
        assert [line for line in command.output if _words(line) not in _words(done.stdout)] == [], done.stdout
    installed = home / ".ansible/collections/ansible_collections/streamops/ovenmediaengine"
    assert (installed / "MANIFEST.json").is_file()
    _has_nothing_of_the_reader(repository, next(repository.glob("*.tar.gz")))
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (installed / "README.md").read_text(encoding="utf-8"))
    assert len(pictures) == 1 and all((installed / picture).read_bytes().startswith(b"\x89PNG") for picture in pictures)


def _has_nothing_of_the_reader(repository: pathlib.Path, artifact: pathlib.Path) -> None:
    """The package stage of ``make test`` accepts an artifact that was built where the reader has saved files, and so
    it does of a copy.
    """
    (repository / "secrets.yml").write_text("api_token: not-a-real-token\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", repository], check=True, timeout=PATIENCE)
    _with_tools(repository, "artifact.copy_repository(pathlib.Path(sys.argv[1]))", repository / ".build/x")
    saved = {*files_of("README.md"), "secrets.yml"}
    assert all((repository / name).is_file() and not (repository / ".build/x" / name).exists() for name in saved)
    _with_tools(repository, "sys.exit(artifact.contents(pathlib.Path(sys.argv[1])) or None)", artifact)


def _with_tools(repository: pathlib.Path, code: str, *arguments: pathlib.Path) -> None:
    """Run a line of Python with what a clone has in its folder tools."""
    command = [sys.executable, "-c", f"import artifact, pathlib, sys; {code}", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=repository / "tools", capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_saved_files_of_the_reader_are_not_in_the_artifact() -> None:
    ignored = (REPOSITORY / ".gitignore").read_text(encoding="utf-8").splitlines()
    left_out = yaml.safe_load((REPOSITORY / "galaxy.yml").read_text(encoding="utf-8"))["build_ignore"]
    saved = {
        file.partition("/")[0]
        for name in DOCUMENTS
        for file in files_of(name)
        if not file.startswith("ovenmediaengine-")
    }
    written = {"host_vars", "known-*.yml", "ovenmediaengine-*", "reports"}
    assert {f"/{name}" for name in saved | written} <= set(ignored) and saved | written <= set(left_out)


def _readme_blocks(role: str) -> list[Block]:
    return [block for block in blocks(f"roles/{role}/README.md") if block.language == "yaml"]


def _variables_of_the_readme() -> str:
    variables = yaml.safe_load(_readme_blocks("provision")[0].text)["all"]["vars"]
    return yaml.safe_dump(
        {name: value for name, value in variables.items() if not name.startswith("ovenmediaengine_api_")}
    )


@pytest.mark.exhaustive
def test_commands_of_the_roles_run(project: Project) -> None:
    """The inventory of provision's README is used by all of them, with the servers at hand in the place of those over
    SSH.
    """
    with started(["edge-1.example.com", "edge-2.example.com"], REACHABLE) as servers:
        desk = Desk("roles/provision/README.md", project, servers)
        inventory = yaml.safe_load(_readme_blocks("provision")[0].text)["all"]
        assert set(inventory["hosts"]) == set(servers)
        inventory["hosts"] = {
            host: {**LOCAL, "ovenmediaengine_api_url": server.url} for host, server in servers.items()
        }
        inventory["vars"].update(vault_api_token=TOKEN, vault_platform_stream_key="not-a-real-key")
        desk.write("inventory.yml", yaml.safe_dump({"all": inventory}))
        for role in ROLES_RUN:
            for command in all_commands(f"roles/{role}/README.md"):
                if "merge_audits" in command.text:  # of reports in directories beside each other
                    shutil.copytree(desk.directory / "ovenmediaengine-audit", desk.directory / "reports/first")
                output = desk.run(command.text)
                assert "failed=0" in output
        for host, server in servers.items():
            assert "tenant-a" in server.state.virtual_hosts
            assert (desk.directory / f"ovenmediaengine-{host}.yml").is_file()
        assert (desk.directory / "ovenmediaengine-audit/audit.html").is_file()
        assert (desk.directory / "reports/all/audit.html").is_file()


def test_variables_in_the_readmes_of_the_roles_are_those_of_the_roles() -> None:
    export = yaml.safe_load(_readme_blocks("export")[0].text)
    rotate = yaml.safe_load(_readme_blocks("rotate_certificates")[0].text)
    controller = yaml.safe_load(_readme_blocks("provision")[1].text)["all"]
    given = {
        "provision": [set(export), {name for host in controller["hosts"].values() for name in host}],
        "rotate_certificates": [
            set(rotate),
            set(rotate["ovenmediaengine_certificates"][0]) | set(rotate["ovenmediaengine_certificates"][1]),
        ],
    }
    specs = {
        role: yaml.safe_load((REPOSITORY / f"roles/{role}/meta/argument_specs.yml").read_text(encoding="utf-8"))[
            "argument_specs"
        ]["main"]["options"]
        for role in given
    }
    for role in given:
        assert given[role][0] <= set(specs[role])
    assert given["provision"][1] <= set(specs["provision"])
    assert given["rotate_certificates"][1] <= set(
        specs["rotate_certificates"]["ovenmediaengine_certificates"]["options"]
    )
    assert controller["vars"] == LOCAL


@pytest.mark.exhaustive
def test_playbooks_before_and_after_the_move_from_uri_do_the_same(project: Project) -> None:
    texts = {block.mark: block.text for block in blocks("guide_from_uri.rst") if block.language == "yaml+jinja"}
    states = {}
    for first, second in (("before", "after"), ("after", "before")):
        with started(["media-1"]) as servers:
            desk = Desk("guide_from_uri.rst", project, servers)
            for mark, text in texts.items():
                desk.write(f"{mark}.yml", text)
            assert "changed=0" not in desk.run(f"ansible-playbook {first}.yml")
            made = snapshot(desk.server.state)
            for playbook in (first, second):
                assert "changed=0" in desk.run(f"ansible-playbook {playbook}.yml")
            for command in all_commands("guide_from_uri.rst"):
                assert "changed=0" in desk.run(command.text)
            assert snapshot(desk.server.state) == made
            tenant = desk.server.state.virtual_hosts["tenant-a"]
            push = tenant.applications["live"].push
            assert push is not None
            task = push.tasks["platform"]
            states[first] = (
                tenant.config,
                tenant.applications["live"].config,
                task.url,
                task.stream_key,
                task.stream_name,
            )
    assert states["before"] == states["after"]


def test_xml_is_valid_in_the_configuration_file() -> None:
    found = [ET.fromstring(block.text) for name in DOCUMENTS for block in blocks(name) if block.language == "xml"]
    assert len(found) == 3 and all(root.tag == "Server" for root in found)
    texts = [root.findtext("Managers/API/AccessToken") or root.findtext("Bind/Publishers/OVT/Port") for root in found]
    assert sorted(filter(None, texts)) == ["9000", TOKEN]
    included = [one.get("include") for root in found for one in root.iterfind("VirtualHosts/VirtualHost[@include]")]
    assert included == ["VHost*.xml"]


@pytest.mark.exhaustive
def test_the_simulator_starts_as_shown() -> None:
    (shown,) = [command for command in all_commands("guide_first_steps.rst") if "tests.simulator" in command.text]
    program, *arguments = shlex.split(shown.text)
    assert program.endswith("bin/python") and arguments[-2:] == ["--port", "8081"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [sys.executable, *arguments[:-1], "0"],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
        finally:
            process.terminate()
    assert re.sub(r":\d+$", ":8081", said.strip()) == shown.output[0]


ERRORS = (
    GUIDES["guide_errors.rst"]
    .read_text(encoding="utf-8")
    .partition("\nFind an error by its text\n")[2]
    .partition("\nTypical symptoms\n")[0]
)


def literals(text: str) -> list[str]:
    """Return the texts that head the entries of a section."""
    return [
        literal for line in re.findall(r"^``.*``$", text, re.MULTILINE) for literal in re.findall(r"``(.+?)``", line)
    ]


def test_texts_of_the_server_equal_the_recordings() -> None:
    server, _heading, ansible = ERRORS.partition("Messages of Ansible")
    # Texts that were read in the server's source are in the simulator only.
    sources = [*(REPOSITORY / "tests/wire").rglob("*.json"), *(REPOSITORY / "tests/simulator").glob("*.py")]
    recorded = "".join(path.read_text(encoding="utf-8") for path in sources)
    texts = literals(server)
    assert len(texts) >= 15
    for text in texts:
        parts = [part for part in text.split("...") if part.strip("[] :'")]
        assert re.search(".*".join(re.escape(part) for part in parts), recorded), text
    assert len(literals(ansible)) >= 5


@pytest.mark.exhaustive
def test_texts_of_ansible_equal_its_output(project: Project) -> None:
    """Each is provoked, apart from the library that is missing, which tests/unit/plugins/modules have."""
    with started(["media-1"]) as servers:
        desk = Desk("guide_errors.rst", project, servers)
        desk.write("vault-password", "not-a-real-password\n")
        desk.write("vault.yml", "ovenmediaengine_api_token: x\n")
        desk.run("ansible-vault encrypt vault.yml")
        task = {"hosts": "localhost", "gather_facts": False}
        module = "streamops.ovenmediaengine.vhost"
        refused: list[dict[str, t.Any]] = [
            {module: {"name": "a", "names": ["x"]}},
            {module: {"name": "a", "api_token": "{{ vault_token }}"}},
            {module: {"name": "a", "host": {"names": ["x"]}, "signed_policy": {"secret_key": "********"}}},
        ]
        attempts: list[tuple[tuple[str, ...], list[dict[str, t.Any]], str]] = [
            (("couldn't resolve",), [{"streamops.ovenmediaengine.no_such_module": {}}], ""),
            (
                ("Unsupported parameters", "is undefined", "got the mask"),
                [{**one, "ignore_errors": True} for one in refused],
                "",
            ),
            (("vault secrets",), [], "-e @vault.yml"),
            (("no hosts matched",), [], ""),
        ]
        texts = literals(ERRORS.partition("Messages of Ansible")[2])
        for parts, tasks, arguments in attempts:
            hosts = "nowhere" if parts == ("no hosts matched",) else "localhost"
            desk.write("attempt.yml", yaml.safe_dump([{**task, "hosts": hosts, "tasks": tasks}]))
            command = f"unset ANSIBLE_VAULT_PASSWORD_FILE; ansible-playbook attempt.yml {arguments} 2>&1 || true"
            said = _words(desk.run(command)).replace("\\'", "'")
            for part in parts:
                (text,) = [literal for literal in texts if part in literal]
                assert re.search(".*".join(re.escape(piece) for piece in text.split("....")), said), f"{text}\n{said}"
        assert len(texts) == sum(len(parts) for parts, _tasks, _arguments in attempts) + 1
