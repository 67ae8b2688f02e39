# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what follows from the code of the modules.

- ``plugins/action/NAME.py`` of a module that has none
- the action group in ``meta/runtime.yml``, and the pattern in ``antsibull-nox.toml``: modules with connection options
- the names of secret options and of URLs in ``plugins/module_utils/_runtime/redaction.py``
- the totals in ``docs/api-coverage.md``

``--check`` changes nothing and fails if a file is not up to date.
"""

from __future__ import annotations

import importlib
import pathlib
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLLECTION = "ansible_collections.streamops.ovenmediaengine"

_OPERATION = re.compile(rf"^from {COLLECTION}\.plugins\.module_utils\.(_operations\.\w+) import (\w+)$", re.MULTILINE)
_ACTION = '''\
# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the module `{module}` inside the Ansible process if it would run on the controller anyway."""

from __future__ import annotations

from {collection}.plugins.module_utils.{file} import {operation}
from {collection}.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    """Action plugin of the module `{module}`."""

    operation = {operation}
'''

Files = Iterator[tuple[str, str]]
"""Paths and contents."""


def action_plugins() -> Files:
    """Yield an action plugin for each module that has none.

    :raises ValueError: a module imports no operation, or several.
    """
    for path in sorted((ROOT / "plugins" / "modules").glob("[a-z]*.py")):
        plugin = f"plugins/action/{path.name}"
        if (ROOT / plugin).exists():
            continue
        found = _OPERATION.findall(path.read_text(encoding="utf-8"))
        if len(found) != 1:
            raise ValueError(f"{path.name} must import one operation, in a line of its own.")
        file, operation = found[0]
        yield plugin, _ACTION.format(module=path.stem, collection=COLLECTION, file=file, operation=operation)


def lists() -> Files:
    """Yield the files with lists of modules or of their options."""
    operations, coverage, secrets = (_tests_of(name) for name in ("operations", "api_coverage", "secret_tables"))
    connected = sorted(operations.CONNECTED)
    others = "|".join(sorted(set(operations.OPERATIONS) - set(connected)))
    items = "".join(f"    - {module}\n" for module in connected)
    names = "".join(f'        "{name}",\n' for name in sorted(secrets.secret_options()))
    urls = ", ".join(f'"{name}": {value}' for name, value in sorted(secrets.url_options().items()))
    yield _replaced("meta/runtime.yml", r"(?<=\n  ovenmediaengine:\n)(?:    - \w+\n)+", items)
    yield _replaced("antsibull-nox.toml", r"(?<=\^\(\?!\(\?:)[\w|]+(?=\)\$\))", others)
    options = "plugins/module_utils/_runtime/redaction.py"
    path, text = _replaced(options, r'(?<=^SECRET_OPTIONS = frozenset\(\n    \(\n)(?:        "\w+",\n)+', names)
    yield path, _substituted(text, r"(?<=^URL_OPTIONS: dict\[str, bool\] = \{).+(?=\}$)", urls, path)
    totals = coverage.totals(coverage.rows())
    yield _replaced(
        "docs/api-coverage.md", r"(?<=<!-- BEGIN GENERATED totals -->\n)(?:.+\n)+(?=<!-- END)", f"{totals}\n"
    )


def _tests_of(name: str) -> Any:
    """Return a file of tests/unit, which reads the code of the collection."""
    tree = str(ROOT / ".build" / "tree")
    if tree not in sys.path:
        sys.path.insert(0, tree)
    return importlib.import_module(f"{COLLECTION}.tests.unit.{name}")


def _replaced(path: str, pattern: str, text: str) -> tuple[str, str]:
    """Return a path, and the content of the file with another text in the place of a pattern."""
    return path, _substituted((ROOT / path).read_text(encoding="utf-8"), pattern, text, path)


def _substituted(content: str, pattern: str, text: str, path: str) -> str:
    """Return the content with another text in the one place of a pattern.

    :raises ValueError: the content has no such place, or several.
    """
    changed, count = re.subn(pattern, lambda _found: text, content, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"{path} has {count} places for what is generated, not one.")
    return changed


def main(arguments: Sequence[str]) -> int:
    """Write the files, or compare them; print the names of those that differ, and return the exit status."""
    check = "--check" in arguments
    outdated = []
    # The lists are read from the action plugins, so these come first. A comparison ends with them.
    for source in (action_plugins, lists):
        for path, text in source():
            if not (ROOT / path).exists() or (ROOT / path).read_text(encoding="utf-8") != text:
                outdated.append(path)
                if not check:
                    (ROOT / path).write_text(text, encoding="utf-8")
        if outdated and check:
            break
    if outdated:
        print(f"{'Run `make format`; outdated' if check else 'Updated'}: {', '.join(outdated)}")
    return 1 if outdated and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
