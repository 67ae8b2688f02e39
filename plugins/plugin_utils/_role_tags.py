# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Select parts of a task by the tags of a run, as Ansible selects tasks."""

from __future__ import annotations

import typing as t


def selected_parts(
    parts: t.Sequence[str],
    tags: t.Collection[str],
    inherited: t.Collection[str],
    run_tags: t.Collection[str],
    skip_tags: t.Collection[str],
) -> list[str] | None:
    """Return the parts that run; None if the tags select all.

    Each part is selected like a task with its name as a tag. ``tags`` are those of the task, which has the names of the
    parts among them. ``inherited`` are those of its blocks, role and play.
    """
    if not skip_tags and "all" in run_tags:
        return None
    own = set(tags).difference(parts).difference(("report",)) | set(inherited)
    selected = [part for part in parts if _is_selected(own | {part}, set(run_tags), set(skip_tags))]
    return None if len(selected) == len(parts) else selected


def _is_selected(tags: set[str], run_tags: set[str], skip_tags: set[str]) -> bool:
    """Return whether Ansible runs a task with these tags."""
    if run_tags and not ("always" in tags or tags & run_tags or (run_tags & {"all", "tagged"} and "never" not in tags)):
        return False
    if "all" in skip_tags:
        return "always" in tags and "always" not in skip_tags
    return not tags & skip_tags and "tagged" not in skip_tags
