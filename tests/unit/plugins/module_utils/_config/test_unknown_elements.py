# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Elements of `extra`, and the releases that know them, compared with the keys that each release takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config import versions
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.versions import releases_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._config.virtual_host_file import (
    VIRTUAL_HOST_FILE,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import NEWEST, parse, show
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.server_config import SERVER
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList

WIRE = Path(__file__).resolve().parents[4] / "wire"
PARTS = {"virtual_host": "VirtualHost", "application": "VirtualHost.Applications.Application", "server": "Server"}
BIND = "Server.Bind.Publishers"
OF_OPTIONS = {"Server.VirtualHosts"}
"""An element that the option vhosts stands for."""


def options(declaration: Object, path: str) -> Iterator[str]:
    """Yield the paths of the elements that have an option, with those around them."""
    for option, field in declaration.fields.items():
        if option == EXTRA or field.xml.startswith("@"):
            continue
        here = path
        for name in field.xml.split("/"):
            here += f".{name}"
            yield here
        inner = field.element if isinstance(field, ObjectList) else field
        if isinstance(inner, Object):
            yield from options(inner, here)


DECLARED = {*options(SERVER, "Server"), *options(VIRTUAL_HOST_FILE, "VirtualHost"), *OF_OPTIONS}


def taken(version: str) -> set[str]:
    """Return the elements without an option that a release takes, by its table of keys."""
    rows: dict[str, list[dict[str, str]]] = {}
    for folder in ("keys", "server_keys"):
        path = WIRE / folder / f"{version}.json"
        rows.update(json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})
    return {f"{PARTS[part]}.{row['xml']}" for part in PARTS if part in rows for row in rows[part]} - DECLARED


@pytest.mark.parametrize("version", [path.stem for path in sorted((WIRE / "keys").glob("*.json"))])
def test_the_table_has_the_elements_that_each_release_takes(version: str) -> None:
    known = {
        path.replace("Application.", f"{PARTS['application']}.", 1) if path.startswith("Application.") else path
        for path, releases in versions._ELEMENTS.items()
        if releases.has(parse(version))
    }
    if not (WIRE / "server_keys" / f"{version}.json").exists():
        known = {path for path in known if not path.startswith("Server.")}
    assert known == taken(version)


def test_the_table_has_nothing_that_an_option_stands_for() -> None:
    paths = {path.replace("Application.", f"{PARTS['application']}.", 1) for path in versions._ELEMENTS}
    assert not paths & DECLARED


def test_releases_are_shown_in_words() -> None:
    assert str(releases_of(f"{BIND}.DASH")) == "0.16.5 and earlier"
    assert str(releases_of(f"{PARTS['application']}.Publishers.LLHLS.Dumps")) == "0.14.11 and later"
    assert str(releases_of(f"{PARTS['application']}.Providers.MPEGTS.StreamMap")) == "all releases"
    assert str(releases_of("VirtualHost.Origins.Origin.Persist")) == "0.14.0 to 0.14.2"
    assert releases_of(f"{BIND}.Dash") is None


def extra(**keys: object) -> dict[str, object]:
    return {"bind": {"publishers": {"extra": keys}}}


def test_an_element_that_the_release_lacks_is_refused_with_its_option() -> None:
    """A file of 0.12 to 0.16 has it; with it, the newest release does not start."""
    value = extra(dash={"port": "80", "wobble": "x"})
    assert versions.unknown(SERVER, value, parse("0.15.10"), "server") == [
        "server.bind.publishers.extra.dash.wobble: OvenMediaEngine 0.15.10 does not know the element Wobble and would "
        "not start"
    ]
    with pytest.raises(OmeError) as error:
        versions.check(SERVER, value, NEWEST, "server")
    assert error.value.kind == "unsupported_option"
    assert (
        f"server.bind.publishers.extra.dash: OvenMediaEngine {show(NEWEST)} does not know the element DASH and would "
        "not start; 0.16.5 and earlier know it" in error.value.detail
    )


@pytest.mark.parametrize("version", ["0.21.1", "1.0.0", "9999.0.0", "0.16.4", "0.10.0"])
def test_nothing_is_refused_for_a_release_that_nobody_knows(version: str) -> None:
    assert versions.unknown(SERVER, extra(dash={}), parse(version)) == []


@pytest.mark.parametrize(
    ("key", "question"),
    [
        ("thumbnails", "; did you mean Thumbnail?"),
        ("llhsl", "; did you mean LLHLS?"),
        ("LLHls2", "; did you mean LLHLS?"),
        ("wobble", ""),
    ],
)
def test_a_similar_element_is_proposed(key: str, question: str) -> None:
    (text,) = versions.unknown(SERVER, extra(**{key: {}}), NEWEST)
    assert text.endswith(f" and would not start{question}")


def test_keys_inside_of_lists_and_known_elements_are_found() -> None:
    app = {
        "name": "a",
        "providers": {"mpegts": {"extra": {"streams": [{"name": "s", "port": "1"}, {"nmae": "t"}], "none": None}}},
        "publishers": {"llhls": {"extra": {"dumps": {"dump": [{"id": "a", "playlists": {"playlist": ["x"]}}]}}}},
    }
    (text,) = versions.unknown(VIRTUAL_HOST_FILE, {"applications": [app]}, NEWEST, "vhosts[0]")
    assert text.startswith("vhosts[0].applications[0].providers.mpegts.extra.streams[1].nmae: ")
    assert text.endswith("; did you mean Name?")
    found = [one.path for one in versions.in_extra(VIRTUAL_HOST_FILE, {"applications": [app]})]
    assert f"{PARTS['application']}.Publishers.LLHLS.Dumps.Dump.Playlists.Playlist" in found
