# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read certificates on the controller, and run the module `audit_info` with their fingerprints."""

from __future__ import annotations

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.new_files import sources_of
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.audit import AuditInfo
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate import CertificateError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._tls.certificate_reader import (
    read_pem_certificates,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._audit_report import current_time
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._controller_files import find
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction

_FILES = ("certificate", "certbot_live")
"""Options of an entry that name a file."""


class ActionModule(InProcessAction):
    """Action plugin of the module `audit_info`."""

    operation = AuditInfo

    def run(self, tmp: t.Any = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Return the result of the task, with the time on the controller at which it began."""
        now = current_time()
        return {**super().run(tmp, task_vars), "started_at": now}

    def prepared(self, options: dict[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with fingerprints in place of files."""
        entries = options.get("certificates")
        if boolean(options.get("certificates_remote_src", True), strict=False) or not isinstance(entries, list):
            return options
        return {**options, "certificates": [self._read(entry, variables) for entry in entries]}

    def _read(self, entry: t.Any, variables: t.Mapping[str, t.Any]) -> t.Any:
        """Return an entry with the fingerprint of its file; as it is if it has none, or none that can be read.

        The module says why a file cannot be read.
        """
        files = {name: entry[name] for name in _FILES if entry.get(name)} if isinstance(entry, dict) else {}
        if len(files) != 1:  # nothing to read, or refused later
            return entry
        path = sources_of(files)["certificate"]
        try:
            first = read_pem_certificates(find(self._loader, self._task.get_search_path(), variables, path))[0]
        except CertificateError:
            return entry
        return {**entry, **dict.fromkeys(files), "fingerprint": first.fingerprint}
