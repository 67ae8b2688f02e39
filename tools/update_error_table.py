# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the kinds of errors, with meaning and remedy, from the code into the guide on errors.

``--check`` changes nothing and fails if the guide is not up to date.
"""

from __future__ import annotations

import pathlib
import re
import sys
from collections.abc import Mapping, Sequence

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import ADVICE, Advice

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs/docsite/rst/guide_errors.rst"

_REGION = re.compile(r"^(\.\. BEGIN GENERATED .*\n\n)(?:.*\n)*?(\.\. END GENERATED\n)", re.MULTILINE)
_HEAD = """\
.. list-table::
   :header-rows: 1
   :widths: 20 40 40

   * - Kind
     - Meaning
     - What to do
"""


def table(kinds: Mapping[str, Advice]) -> str:
    """Return the table of these kinds."""
    rows = [f"   * - ``{kind}``\n     - {advice.meaning}\n     - {advice.remedy}\n" for kind, advice in kinds.items()]
    return _HEAD + "".join(rows)


def update(text: str, kinds: Mapping[str, Advice]) -> str:
    """Return the text of the guide with this table.

    :raises ValueError: the guide does not have one place for the table.
    """
    text, places = _REGION.subn(lambda region: f"{region[1]}{table(kinds)}\n{region[2]}", text)
    if places != 1:
        raise ValueError(f"The guide has {places} places for the table of errors.")
    return text


def main(arguments: Sequence[str]) -> int:
    """Update the guide, or compare it; print its name if it differs, and return the exit status."""
    before = GUIDE.read_text(encoding="utf-8")
    after = update(before, ADVICE)
    if after == before:
        return 0
    name = GUIDE.relative_to(ROOT).as_posix()
    if "--check" in arguments:
        print(f"Run `make format`; outdated: {name}")
        return 1
    GUIDE.write_text(after, encoding="utf-8")
    print(f"Updated: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
