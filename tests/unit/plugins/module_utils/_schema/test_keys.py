# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The declared fields are the keys that each server version registers, in JSON and XML (tests/wire/README.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from ansible_collections.streamops.ovenmediaengine.plugins.doc_fragments import application as application_docs
from ansible_collections.streamops.ovenmediaengine.plugins.doc_fragments import virtual_host as virtual_host_docs
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.server_version import Version, parse, show
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.application import APPLICATION
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.cross_domains import CrossDomains
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._resources.virtual_host import VIRTUAL_HOST
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.extra import EXTRA
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.fields import Field
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._schema.objects import Object, ObjectList

REPOSITORY = Path(__file__).resolve().parents[5]
TABLES = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((REPOSITORY / "tests/wire/keys").glob("*.json"))
}
GROUPS = {"virtual_host": VIRTUAL_HOST, "application": APPLICATION}

LEFT_TO_EXTRA = {
    "decodes": "the older form of output_profiles.decodes, without effect on later servers",
    "persistentStreams": "fallback streams of servers that have scheduled channels for this now",
    "providers.file.streamMap": "the file provider is gone in 0.21.0",
    "providers.mpegts.streams": "ports that the server binds; they are fixed in its configuration file",
    "providers.mpegts.audioMap": "names of audio tracks, for players only",
    "providers.srt.audioMap": "names of audio tracks, for players only",
    "publishers.dash": "gone since 0.16.6",
    "publishers.llDash": "gone since 0.16.6",
    "publishers.file.fileInfoPath": "the name of infoPath before 0.16.5",
    "publishers.file.record": "the older form of streamMap",
    "publishers.file.streamMap.recordInfo": "set by the server from the file that path names",
    "publishers.push.streamMap.recordInfo": "set by the server from the file that path names",
    "publishers.hls.cacheControl": "times for caches in front of the server; as the server has them",
    "publishers.llhls.cacheControl": "times for caches in front of the server; as the server has them",
    "publishers.hls.defaultQueryString": "parts of the URLs in playlists; as the server has them",
    "publishers.llhls.defaultQueryString": "parts of the URLs in playlists; as the server has them",
    "publishers.hls.dumps": "dumps are started and stopped by calls of their own",
    "publishers.llhls.dumps": "dumps are started and stopped by calls of their own",
    "publishers.webrtc.playoutDelay": "an experimental header of browsers",
}
"""Keys of an application without an option, including nested keys, and the reason."""

NOT_MANAGED = {
    "applications": "an option of its own, see the application",
    "signedToken": "gone since 0.16.8; 0.15.10 has signed_policy too",
}
"""Keys of a virtual host without an option; it has no `extra`."""

# 0.21.0 still registers the key of the file provider, accepts any value and ignores it.
TAKEN_AND_IGNORED = {("0.21.0", "providers.file")}


class Known(NamedTuple):
    """One declared field in the spelling of a server version."""

    option: str
    json: str
    field: Field
    known: bool  # whether the version knows it and all objects around it


def declared(
    declaration: Object, version: Version, option: str = "", wire: str = "", known: bool = True
) -> Iterator[Known]:
    """Yield all declared fields of an object at every level."""
    for field in declaration.fields.values():
        if field.option == EXTRA or (not option and field.option == "vhost"):
            continue
        here = Known(option + field.option, wire + field.wire, field, known and field.known_to(version))
        if isinstance(declaration, CrossDomains) and declaration.bare:  # The list of origins is the complete value.
            here = here._replace(json=f"{wire[:-1]}[]") if here.known else here
        yield here
        inner = field.element if isinstance(field, ObjectList) else field
        if isinstance(inner, Object):
            members = "[]" if isinstance(field, ObjectList) else ""
            yield from declared(inner, version, f"{here.option}{members}.", f"{here.json}{members}.", here.known)


CASES = [(version, part) for version in TABLES for part in GROUPS]


@pytest.mark.parametrize(("version", "part"), CASES)
def test_every_declared_field_is_registered_since_its_release(
    version: str, part: str, record_property: Callable[[str, Any], None]
) -> None:
    rows = {row["json"]: row for row in TABLES[version][part]}
    record_property("keys", [version, len(rows)])
    for one in declared(GROUPS[part].at(parse(version)), parse(version)):
        if (version, one.json) in TAKEN_AND_IGNORED:
            continue
        assert (one.json in rows) is one.known, one
        if one.known:
            row = rows[one.json]
            around, _slash, name = one.field.xml.rpartition("/")
            assert row["xml"].rpartition(".")[2] == (around or name), (one, row)
            bare = isinstance(one.field, CrossDomains)  # before 0.17.2; its field `urls` has the members
            members = row if bare else rows.get(f"{one.json}[]", row)
            assert members["xml"].rpartition(".")[2] == name, (one, members)
            if one.field.default is not None and "default" in row:
                assert one.field.equal(row["default"], None), (one.option, one.field.default, row)


@pytest.mark.parametrize(("version", "part"), CASES)
def test_every_registered_key_is_an_option_or_omitted_with_a_reason(
    version: str, part: str, record_property: Callable[[str, Any], None]
) -> None:
    known = {one.json for one in declared(GROUPS[part].at(parse(version)), parse(version)) if one.known}
    left = NOT_MANAGED if part == "virtual_host" else LEFT_TO_EXTRA
    without_option = 0
    for row in TABLES[version][part]:
        path = row["json"]
        names = {path, path.removesuffix("[]")}
        ancestors = {path[:end].removesuffix("[]") for end, sign in enumerate(path) if sign == "."} | names
        assert names & known or ancestors & left.keys() or (version, path) in TAKEN_AND_IGNORED, (
            f"{version}: {path} is neither declared nor left out"
        )
        without_option += not names & known and bool(ancestors & left.keys())
    if left is LEFT_TO_EXTRA:
        record_property("left_to_extra", [version, without_option])


def test_the_lists_of_omitted_keys_have_only_existing_keys() -> None:
    for part, left in (("virtual_host", NOT_MANAGED), ("application", LEFT_TO_EXTRA)):
        registered = {row["json"] for table in TABLES.values() for row in table[part]}
        options = {
            one.json
            for version in TABLES
            for one in declared(GROUPS[part].at(parse(version)), parse(version))
            if one.known
        }
        assert left.keys() <= registered and not left.keys() & options
        assert all(reason for reason in left.values())


def test_the_guide_lists_the_keys_of_extra() -> None:
    guide = (REPOSITORY / "docs/docsite/rst/guide_server_versions.rst").read_text(encoding="utf-8")
    for key, reason in LEFT_TO_EXTRA.items():
        assert f"   * - ``{key}``\n     - {reason[0].upper()}{reason[1:]}.\n" in guide, key


def documented(suboptions: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The path and the description of each documented option."""
    for option, content in suboptions.items():
        text = content["description"]
        yield prefix + option, " ".join([text] if isinstance(text, str) else text)
        members = "[]" if content.get("elements") == "dict" else ""
        yield from documented(content.get("suboptions", {}), f"{prefix}{option}{members}.")


@pytest.mark.parametrize(("part", "fragment"), [("virtual_host", virtual_host_docs), ("application", application_docs)])
def test_the_documentation_names_the_first_release_of_an_option(part: str, fragment: Any) -> None:
    texts = dict(documented(yaml.safe_load(fragment.ModuleDocFragment.DOCUMENTATION)["options"]))
    for one in declared(GROUPS[part], (9999, 0, 0)):
        if one.field.since is not None:
            release = show(one.field.since)
            short = release.removesuffix(".0")
            assert any(f"from {text} on" in texts[one.option] for text in (release, short)), (one.option, release)
        if one.field.until is not None and one.option != "publishers.push.max_connection":
            assert f"up to {show(one.field.until)} only" in texts[one.option], one.option
