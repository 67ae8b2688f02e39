# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The porting guide names variables that exist."""

from __future__ import annotations

import re

import yaml

from .conftest import REPOSITORY

GUIDE = REPOSITORY / "docs/docsite/rst/guide_porting.rst"


def test_variables_that_the_guide_names_are_known() -> None:
    known = {
        name
        for path in (REPOSITORY / "roles").glob("*/meta/argument_specs.yml")
        for spec in yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"].values()
        for name in spec["options"]
    }
    facts = {f"ovenmediaengine_{role}_summary" for role in ("provision", "restream", "rotate_certificates", "server")}
    named = set(re.findall(r"``(ovenmediaengine_\w+[a-z])``", GUIDE.read_text(encoding="utf-8")))
    assert named - known - facts == set()
