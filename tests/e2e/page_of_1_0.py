# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page docs/playbooks-of-1-0.md, written from the blocks of the documents of 1.0.0 and the recorded results."""

from __future__ import annotations

import textwrap
import typing as t

from .documents_of_1_0 import NOT_RUN, Block, Document
from .playbooks_of_1_0 import SERVER_VERSION

STORIES = {
    "before": "playbook `provision`, for a server to adopt",
    "export": "playbook `export`",
    "provision": "playbook `provision`",
    "audit": "playbook `audit`",
    "started": "playbook `restream`, two platforms",
    "stopped": "playbook `restream`, `restream_state=stopped`",
}
REASONS = {
    "audit": "2.0.0 reports host names that another virtual host takes, as an error of the kind `unreachable`. "
    "With the sample configuration, the virtual host `default` takes all of them.",
}
"""Why the outcome of a command differs. A difference without a reason fails the test."""

INTRODUCTION = f"""\
Each playbook, list of tasks, inventory and file of variables in the README, the guides and the READMEs of the roles of
release 1.0.0, as they are in that release, run with 1.0.0 and with 2.0.0. The server is the simulator, version
{SERVER_VERSION}, the newest that 1.0.0 knows, with the sample configuration. Each runs twice: *changed, ok* means that
the first run changed something and the second did not. *syntax* means that only its syntax was checked, *used* that the
others use the file.

`python -m tests.e2e.playbooks_of_1_0 record current` runs all of them and writes this page. A test in `make test-all`
runs them too, and compares. `tests/e2e/guides_of_1_0` has the blocks and the recorded results. What the servers hold at
the end of each document, with all settings, is compared by a digest.
"""


def page(documents: t.Sequence[Document], results: t.Mapping[str, t.Any]) -> str:
    """Return the text of the page."""
    rows = [row for of in documents for row in _rows(of, results)]
    differing = [row for row in rows if row[-1] != "none"]
    run = [row for row in rows if row[2] != "not run"]
    text = ["# The playbooks of the 1.0.0 guides on 2.0.0", "", INTRODUCTION]
    text += [f"{len(rows)} entries, {len(run)} of them run or checked; {len(differing)} differ.", ""]
    text += ["| Document, line | Block | 1.0.0 | 2.0.0 | Difference |", "|---|---|---|---|---|"]
    text += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    text += ["", "## Servers at the end of each document", ""]
    text += ["| Document | Same contents of all servers | New warnings |", "|---|---|---|"]
    for of in documents:
        before, after = (results[name][of.name] for name in ("reference", "current"))
        if before["outcomes"]:
            same = "yes" if before["servers"] == after["servers"] else "no"
            text.append(f"| `{of.path}` | {same} | {len(set(after['warnings']) - set(before['warnings']))} |")
    text += ["", "The new warnings are these, for the host names of each document:", ""]
    text += [f"> {line}" for line in textwrap.wrap(_example(results).replace("<", "&lt;"), 110)]
    return "\n".join(text) + "\n"


def differences(documents: t.Sequence[Document], results: t.Mapping[str, t.Any]) -> list[str]:
    """Return the entries whose outcome differs without a reason."""
    rows = [row for of in documents for row in _rows(of, results)]
    return [" ".join(row) for row in rows if row[-1] == "?"]


def _rows(of: Document, results: t.Mapping[str, t.Any]) -> list[tuple[str, ...]]:
    before, after = (results[name][of.name]["outcomes"] for name in ("reference", "current"))
    rows = [_row(of, block, before, after) for block in of.blocks]
    for key, name in STORIES.items():
        if key in before:
            rows.append((f"`{of.path}`", name, *_cells(key, before, after)))
    return rows


def _row(of: Document, block: Block, before: t.Mapping[str, t.Any], after: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    key, place = str(block.line), f"`{of.path}`, {block.line}"
    if key in before:
        return (place, block.title, *_cells(key, before, after))
    if (of.name, block.line) in NOT_RUN:
        return (place, f"{block.title} ({NOT_RUN[of.name, block.line]})", "not run", "not run", "none")
    return (place, f"{block.title} (file `{block.file}`, for the others)", "used", "used", "none")


def _cells(key: str, before: t.Mapping[str, t.Any], after: t.Mapping[str, t.Any]) -> tuple[str, str, str]:
    difference = "none" if before[key] == after[key] else REASONS.get(key, "?")
    return ", ".join(before[key]), ", ".join(after[key]), difference


def _example(results: t.Mapping[str, t.Any]) -> str:
    return str(next(iter(results["current"]["readme"]["warnings"]), "none"))
