# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The text of the file that the module `config_import` writes, and what its result says of it."""

from __future__ import annotations

import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._written_file import (
    SECRETS,
    of_secrets,
    shortened_list,
    title,
    with_checksum,
)

IN_CLEAR_TEXT = "# It contains secrets in clear text."
_VALUES = "\nserver_environment:"
_COUNTED = {
    "vhosts": "virtual hosts",
    "applications": "applications",
    "push_tasks": "push tasks",
    "records": "recordings",
}


def is_shown(text: str | None) -> bool:
    """Return whether a diff may show the text of a file that nobody has edited.

    A value of an environment variable can be a secret whose name does not say so.
    """
    return f"\n{IN_CLEAR_TEXT}\n" not in (text or "") and _VALUES not in (text or "")


def text_of(imported: t.Mapping[str, t.Any], server: str, *, show_secrets: bool) -> str:
    """Return the text of the file for what :func:`import_config` has returned."""
    lines = [
        "---",
        title("Configuration files", server, "roles provision and server"),
        "#",
        "# The role streamops.ovenmediaengine.import_config wrote this file, and replaces it in its next run.",
    ]
    if show_secrets:
        lines.append(IN_CLEAR_TEXT)
    else:
        lines += [
            "# It contains no secrets: variables whose names begin with ovenmediaengine_secret_ stand for them. Define "
            "those at the end of this file in",
            "# a file of their own.",
        ]
    lines += [
        "# Comments of the configuration files are not in it; they stay in those files.",
        "# The role server needs server_version, too, and server_config_dir if the files are to stay where they are.",
    ]
    environment = [{"what": one["name"], "reason": one["text"]} for one in imported["variables"]]
    for heading, entries in (
        ("Before the roles run:", imported["notes"]),
        (
            "Environment variables that the files use, with what applies if server_environment does not set them:",
            environment,
        ),
        ("NOT WRITTEN, because no option can hold it. Another server would lack it:", imported["left_out"]),
        ("In extra, because no option stands for it:", imported["extra"]),
    ):
        texts = [one if isinstance(one, str) else f"{one['what']}: {one['reason']}" for one in entries]
        lines += ["#", f"# {heading}", *(f"#   {text}" for text in texts)] if texts else []
    for kind in ("api_token", "server", "environment", "logger", "vhosts"):
        lines += ["", imported[kind]] if imported[kind] else []
    for kind in ("push_tasks", "records"):
        if imported["counts"][kind]:
            lines += ["", "# From stream maps, which the role server writes again.", imported[kind]]
    if imported["secrets"]:
        lines += [
            *SECRETS,
            "# or all of them in one file with ansible-vault create. Until all are defined, the roles fail before they "
            "change anything.",
            "# Percent-encode values in URLs if necessary.",
            *of_secrets(imported["secrets"]),
        ]
    return with_checksum(lines)


def summary_of(imported: t.Mapping[str, t.Any], file: str, *, predicted: bool) -> dict[str, t.Any]:
    """Return what a result says of an import; ``predicted`` means that check mode would write the file."""
    counts = imported["counts"]
    secrets = [secret["name"] for secret in imported["secrets"]]
    left_out = [entry["what"] for entry in imported["left_out"]]
    missing = [one["name"] for one in imported["variables"] if one["missing"]]
    parts = [
        *(f"{name}: {counts[kind]}" for kind, name in _COUNTED.items()),
        f"secrets to fill in: {len(secrets)}",
        f"left out: {shortened_list(left_out) or 'nothing'}",
    ]
    if imported["extra"]:
        parts.append(f"in extra: {len(imported['extra'])}")
    if missing:
        parts.append(f"environment variables without a value: {shortened_list(missing)}")
    if imported["notes"]:
        parts.append(f"notes in the file: {len(imported['notes'])}")
    return {
        "file": file,
        **{kind: counts[kind] for kind in _COUNTED},
        "secrets": secrets,
        "left_out": left_out,
        "extra": [entry["what"] for entry in imported["extra"]],
        "notes": list(imported["notes"]),
        "environment": [one["name"] for one in imported["variables"]],
        "environment_missing": missing,
        "line": ("Check mode, this would be written: " if predicted else "") + "; ".join(parts),
    }
