# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The text of the file that the module `export` writes, and what its result says of it."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._written_file import (
    SECRETS,
    of_secrets,
    shortened_list,
    title,
    with_checksum,
)

_OPTIONAL = {
    "streams": "streams",
    "scheduled_channels": "scheduled channels",
    "multiplex_channels": "multiplex channels",
    "records": "recordings",
}


def text_of(exported: t.Mapping[str, t.Any], server: str) -> str:
    """Return the text of the file for what :func:`export_variables` has returned."""
    lines = [
        "---",
        title("Objects", server, "role streamops.ovenmediaengine.provision"),
        "#",
        "# The role streamops.ovenmediaengine.export wrote this file, and replaces it in its next run. It contains no "
        "secrets: variables whose names",
        "# begin with ovenmediaengine_secret_ stand for them. Define those at the end of this file in a file of their "
        "own.",
    ]
    if exported["unmanaged_fields"]:
        lines += [
            "#",
            "# NOT WRITTEN, because the collection does not know these fields. Another server would lack them:",
            *(f"#   virtual host {name}: {', '.join(fields)}" for name, fields in exported["unmanaged_fields"].items()),
        ]
    for kind in ("vhosts", "applications", "push_tasks"):
        lines += ["", exported[kind]]
    if exported["counts"].get("streams"):
        lines += [
            "",
            "# The server reports only the URL that it pulls from at present, and no options such as persistent. Add "
            "the other URLs and the options.",
            exported["streams"],
        ]
    for kind in ("scheduled_channels", "multiplex_channels", "records"):
        if exported["counts"].get(kind):
            lines += ["", exported[kind]]
    if exported["left_out"]:
        lines += ["", "# Left out", "# --------", "# Objects of the server that provision must not create."]
        for entry in exported["left_out"]:
            lines += ["#", f"# {entry['what']}: {entry['reason']}"]
            lines += [f"#   {line}" for line in entry["text"].splitlines()]
    if exported["secrets"]:
        lines += [
            *SECRETS,
            "# or all of them in one file with ansible-vault create. Until all are defined, provision fails before it "
            "sends a request.",
            "# Percent-encode values in URLs if necessary.",
            *of_secrets(exported["secrets"]),
        ]
    return with_checksum(lines)


def summary_of(exported: t.Mapping[str, t.Any], file: str, *, predicted: bool) -> dict[str, t.Any]:
    """Return what a result says of an export; ``predicted`` means that check mode would write the file."""
    counts = exported["counts"]
    secrets = [secret["name"] for secret in exported["secrets"]]
    left_out = [entry["what"] for entry in exported["left_out"]]
    fields = [f"{', '.join(names)} of virtual host {vhost}" for vhost, names in exported["unmanaged_fields"].items()]
    parts = [
        f"virtual hosts: {counts['vhosts']}",
        f"applications: {counts['applications']}",
        f"push tasks: {counts['push_tasks']}",
        *(f"{title}: {counts[kind]}" for kind, title in _OPTIONAL.items() if counts.get(kind)),
        f"secrets to fill in: {len(secrets)}",
        f"left out: {shortened_list(left_out) or 'nothing'}",
    ]
    if fields:
        parts.append(f"not known and not written: {shortened_list(fields)}")
    return {
        "file": file,
        **{kind: counts[kind] for kind in ("vhosts", "applications", "push_tasks")},
        **{kind: counts.get(kind, 0) for kind in _OPTIONAL},
        "secrets": secrets,
        "left_out": left_out,
        "unmanaged_fields": exported["unmanaged_fields"],
        "line": ("Check mode, this would be written: " if predicted else "") + "; ".join(parts),
    }
