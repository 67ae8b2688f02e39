# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Environment variables of compose files, quadlets, units and files of variables, and files that the role writes."""

from __future__ import annotations

import hypothesis
import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._host import server_place
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._environment_sources import (
    Sources,
    _literal,
    _of_systemd,
)
from hypothesis import strategies

COMPOSE = """
x-common: &common
  COMMON: one
services:
  ome:
    image: airensoft/ovenmediaengine:v0.20.0
    env_file:
      - ./ome.env
      - path: missing.env
        required: false
    environment:
      <<: *common
      PORT: 08081
      FLAG: true
      DOLLAR: a$$b
      FROM_ENV_FILE: ${HOST_IP}
      WITH_DEFAULT: ${NOWHERE:-fall}
      UNKNOWN: ${NOWHERE}
      SHELL_ONLY:
      OVERRIDDEN: by-environment
  db:
    image: redis
"""


def sources(path: str, files: dict[str, str | None], service: str = "") -> Sources:
    """Return what is read after all rounds."""
    texts: dict[str, str | None] = {}
    for _round in range(5):
        found = Sources(texts)
        found.read(path, service)
        if not found.needed:
            return found
        texts.update({one: files.get(one) for one in found.needed})
    raise AssertionError(found.needed)


def test_a_compose_file_with_a_mapping() -> None:
    found = sources(
        "/srv/compose.yml",
        {
            "/srv/compose.yml": COMPOSE,
            "/srv/.env": "HOST_IP=203.0.113.5\n",
            "/srv/ome.env": "# comment\nOVERRIDDEN=by-file\nQUOTED='a #b'\nDOUBLE=\"x\\$y\"\nINLINE=v # c\n",
        },
    )
    assert found.values == {
        "COMMON": "one",
        "PORT": "08081",
        "FLAG": "true",
        "DOLLAR": "a$b",
        "FROM_ENV_FILE": "203.0.113.5",
        "WITH_DEFAULT": "fall",
        "OVERRIDDEN": "by-environment",
        "QUOTED": "a #b",
        "DOUBLE": "x$y",
        "INLINE": "v",
    }
    assert [note.partition(" in ")[0] for note in found.notes] == [
        "The value of UNKNOWN",
        "The value of SHELL_ONLY",
    ]


def test_a_compose_file_with_a_list() -> None:
    text = "services: {ome: {image: 'airensoft/ovenmediaengine', environment: ['A=1=2', 'B=', C]}}"
    found = sources("/srv/compose.yaml", {"/srv/compose.yaml": text})
    assert found.values == {"A": "1=2", "B": ""}
    assert "The value of C in compose.yaml comes from the shell" in found.notes[0]


@pytest.mark.parametrize(("service", "value"), [("edge", "2"), ("origin", "1"), ("", None), ("other", None)])
def test_one_of_several_servers_has_to_be_named(service: str, value: str | None) -> None:
    image = "image: airensoft/ovenmediaengine"
    text = f"services: {{origin: {{{image}, environment: [A=1]}}, edge: {{{image}, environment: [A=2]}}}}"
    found = sources("/srv/c.yml", {"/srv/c.yml": text}, service)
    assert found.values.get("A") == value
    assert bool(found.notes) == (value is None)


@pytest.mark.parametrize("text", ["a: [", "- 1", "services: 1", "", "services: {a: 1}"])
def test_what_is_no_compose_file_is_named(text: str) -> None:
    found = sources("/srv/c.yml", {"/srv/c.yml": text})
    assert found.values == {} and len(found.notes) == 1


def test_a_unit() -> None:
    unit = """[Unit]
Environment=NOT=here
[Service]
Environment=A=1 "B=two words" 'C=it''s'
# Environment=D=4
Environment="E=a\\tb" \\
    F=50%% G=%h H=$HOME
EnvironmentFile=-/etc/default/ome
EnvironmentFile=/etc/missing
"""
    file = 'A=from-file\n; comment\nI="a\\$b \\"c\\" \\n"\nJ = x y  \nK=\'$k\'\nL=a\\\nb\n'
    found = sources(
        "/etc/systemd/system/ome.service", {"/etc/systemd/system/ome.service": unit, "/etc/default/ome": file}
    )
    assert found.values == {
        "A": "from-file",
        "B": "two words",
        "C": "its",
        "E": "a\tb",
        "F": "50%",
        "H": "$HOME",
        "I": 'a$b "c" \\n',
        "J": "x y",
        "K": "$k",
        "L": "ab",
    }
    assert [note.partition(" could")[0] for note in found.notes] == [
        "The value of G in ome.service has a specifier of systemd. Set it in server_environment.",
        "/etc/missing",
    ]


def test_a_quadlet() -> None:
    unit = "[Container]\nEnvironment=A=1\nEnvironmentFile=ome.env\n[Service]\nEnvironment=OF_PODMAN=1\n"
    files = {"/q/ome.container": unit, "/q/ome.env": 'A=2\nB="literal" \n#C=3\n'}
    assert sources("/q/ome.container", dict(files)).values == {"A": "1", "B": '"literal" '}


def test_a_file_of_variables() -> None:
    assert sources("/srv/ome.env", {"/srv/ome.env": "A=1\nexport B='2'\nno variable\n"}).values == {"A": "1", "B": "2"}


TEXTS = strategies.text(strategies.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=30)


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(TEXTS)
@hypothesis.example("'\\")
@hypothesis.example('$A ${B} `c` "d" \\e #f')
def test_what_the_role_writes_is_read_as_it_was(value: str) -> None:
    variables = {"A": value}
    for backend in ("systemd", "quadlet", "compose"):
        if server_place.problems(variables, backend):
            assert backend == "compose" and value.endswith("\\")
            continue
        text = server_place.render(variables, backend)
        if backend == "compose":
            found = sources("/a", {"/a": text})
            assert found.notes == []
            assert found.values == variables
        else:
            assert {"systemd": _of_systemd, "quadlet": _literal}[backend](text) == variables


@pytest.mark.parametrize("value", [None, [], {}, "a\nb", "a\rb", "a\0b", "a\u2028b"])
def test_other_values_are_refused_without_showing_them(value: object) -> None:
    (problem,) = server_place.problems({"NAME": value}, "systemd")
    assert problem.startswith("environment_variables.NAME: expected ")


@pytest.mark.parametrize("name", ["", "1A", "A B", "A=B", "A-B", "Ä", 1])
def test_other_names_are_refused(name: object) -> None:
    (problem,) = server_place.problems({name: "x"}, "systemd")
    assert problem.startswith("environment_variables: expected names of letters")
