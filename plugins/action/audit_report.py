# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write one report of the audits of all hosts of the play, on the controller.

It reads what the hosts have registered as it is: in an expression, ansible-core before 2.19 would evaluate templates in
the names of hosts, and to render the results of a thousand hosts takes longer than the audit.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import typing as t

from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError, Refusal
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.texts import named
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import (
    OPTIONS,
    AuditReport,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_junit import audit_junit
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_merge import (
    NoReport,
    audit_merge,
    read_report,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_metrics import audit_metrics
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_page import audit_page
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import audit_report, current_time
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_status import audit_status
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_summary import audit_summary
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import (
    InProcessAction,
    not_to_be_templated,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._task_options import HAS_TAGS
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._verify_report import as_audited

ARTIFACT = "ovenmediaengine_audit"
_ROLE = pathlib.Path(__file__).parents[2] / "roles" / "audit"
_PAGE = ("templates/audit.html.j2", "files/audit.css", "files/audit.js")


class ActionModule(InProcessAction):
    """Action plugin of `audit_report`. It never connects to a host."""

    operation = AuditReport
    _supports_async = False

    def result_of(self, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        result = super().result_of(variables)
        options = result.pop(OPTIONS, None)
        if options is None:
            return result
        result.update(self._written(options, variables))
        return result if HAS_TAGS else not_to_be_templated(result)

    def refusal(self, variables: t.Mapping[str, t.Any]) -> dict[str, t.Any] | None:
        """Return the failure of a merge with invalid variables. In an audit, they are findings of each server."""
        return super().refusal(variables) if self._task.args.get("parts_dir") else None

    def would_run_here(self, variables: t.Mapping[str, t.Any]) -> bool:
        """Return true: nothing of it is about the host of the task."""
        return True

    def _written(self, options: t.Mapping[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Write the report, and return what the result says of it. Raises OmeError."""
        directory = _absolute(options["report_dir"])
        metrics_file = _absolute(options["metrics_file"] or os.path.join(directory, "audit.prom"))
        now = current_time()
        every = [str(name) for name in variables.get("ansible_play_hosts_all", ())]
        if options["parts_dir"]:
            report = audit_merge(_parts(_absolute(options["parts_dir"]), directory), now, every)
        else:
            # What is registered needs no templating, as the other variables of the hosts may.
            found = {name: variables["hostvars"].raw_get(name).get(options["registered"]) for name in every}
            results = {name: as_audited(one) if isinstance(one, t.Mapping) else None for name, one in found.items()}
            starts = [one["started_at"] for one in results.values() if one and "started_at" in one]
            report = audit_report(results, now, min(starts, default=now))
        status = audit_status(report, options["tenant"], _previous(directory)) if options["tenant"] else None
        failing = [str(name) for name in variables.get("ansible_play_hosts", ())]
        summary = audit_summary(report, options["fail_on"], directory, failing)
        # Tasks look hosts up by `inventory_hostname`.
        summary["failed_hosts"] = {self._evaluated(name): text for name, text in summary["failed_hosts"].items()}
        for path, text in (
            (os.path.join(directory, "audit.json"), json.dumps(report, indent=2) + "\n"),
            (os.path.join(directory, "audit.xml"), audit_junit(report) + "\n"),
            (os.path.join(directory, "audit.html"), audit_page(report, *map(_read, (_ROLE / part for part in _PAGE)))),
            (metrics_file, audit_metrics(report)),
        ):
            _write(path, text)
        # AWX keeps the artifact of a job, and passes it to the next job of a workflow.
        artifact = {"data": {ARTIFACT: summary}, "per_host": False, "aggregate": False}
        found = {"summary": summary, "ansible_stats": artifact}
        return found if status is None else {**found, "status": status}

    def _evaluated(self, name: str) -> str:
        """Return the name of a host as expressions see it: before ansible-core 2.19, templates in it are evaluated."""
        return name if HAS_TAGS or "{" not in name else str(self._templar.template(name))


def _previous(directory: str) -> t.Mapping[str, t.Any] | None:
    """Return the report that a directory has; None if it has none that can be read."""
    try:
        return read_report(pathlib.Path(directory, "audit.json").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, NoReport):
        return None


def _absolute(path: str) -> str:
    return os.path.realpath(os.path.expanduser(path))


def _parts(directory: str, report_dir: str) -> list[t.Mapping[str, t.Any]]:
    """Return the reports in a directory and below it, without that of an earlier merge in ``report_dir``.

    Raises Refusal if there is none, or if a file is none.
    """
    merged = os.path.join(report_dir, "audit.json")
    paths = sorted(
        path
        for folder, _folders, names in os.walk(directory)
        for path in [os.path.join(folder, "audit.json")]
        if "audit.json" in names and path != merged
    )
    if not paths:
        text = (
            f"There is no audit.json in {directory} or its subdirectories on the controller. Check "
            f"{named('parts_dir')}."
        )
        raise Refusal("merge the reports", text, "Nothing was written.")
    return [_part(path) for path in paths]


def _part(path: str) -> t.Mapping[str, t.Any]:
    """Return the report of another run. Raises Refusal if the file holds none."""
    try:
        return read_report(_read(pathlib.Path(path)))
    except NoReport as expected:
        text = (
            f"The file {path} on the controller is not a report that this release can merge: expected {expected}. "
            "Audit its servers again, or remove the file."
        )
        raise Refusal("merge the reports", text, "Nothing was written.") from None


def _read(path: pathlib.Path) -> str:
    """Return the text of a file. Raises Refusal."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        text = f"The file {path} on the controller cannot be read: {reason}."
        raise Refusal("make the report", text, "Nothing was written.") from None


def _write(path: str, text: str) -> None:
    """Replace a file, which everyone can read, at once, so that no program reads a part of it. Raises OmeError."""
    part = f"{path}.new"
    try:
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        # If another user has created this file or a link meanwhile, the task fails and does not write to it.
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644), "w", encoding="utf-8") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise OmeError(
            "bad_input",
            f"write {path} on the controller",
            detail=f"{error.strerror or error}.",
            remedy=f"Check {named('report_dir')} and {named('metrics_file')}.",
        ) from None
