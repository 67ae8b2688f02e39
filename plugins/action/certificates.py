# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read certificate files on the controller, and run the module `certificates` with what they hold."""

from __future__ import annotations

import typing as t

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._certificates.new_files import (
    LABELS,
    sources_of,
)
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._core.errors import OmeError
from ansible_collections.streamops.ovenmediaengine.plugins.module_utils._operations.rotated_certificates import (
    Certificates,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._controller_files import (
    Unreadable,
    content_of,
    find,
)
from ansible_collections.streamops.ovenmediaengine.plugins.plugin_utils._in_process import InProcessAction

_OWN = {"certificate", "private_key"}


class ActionModule(InProcessAction):
    """Action plugin of the module `certificates`."""

    operation = Certificates

    def prepared(self, options: dict[str, t.Any], variables: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """Return the options with the contents of files. Raises OmeError if one cannot be read."""
        entries = options.get("certificates")
        if boolean(options.get("remote_src", False), strict=False) or not isinstance(entries, list):
            return options
        return {**options, "certificates": [self._with_contents(entry, variables) for entry in entries]}

    def _with_contents(self, entry: t.Any, variables: t.Mapping[str, t.Any]) -> t.Any:
        """Return an entry with the contents of its files. Raises OmeError if one cannot be read."""
        if not isinstance(entry, dict) or (entry.get("certbot_live") and (_OWN & entry.keys())):  # refused later
            return entry
        # What it names is in options of its own from here on.
        found = {**entry, "certbot_live": None}
        for name, path in sources_of(entry).items():
            if entry.get(f"{name}_content") is not None:
                continue
            path = find(self._loader, self._task.get_search_path(), variables, path)
            try:
                content = content_of(self._loader, path).decode("latin-1")  # PEM files are ASCII
            except Unreadable as reason:
                raise OmeError(
                    "certificate_file",
                    f"rotate the certificate of virtual host {entry.get('vhost')}",
                    detail=f"{LABELS[name].capitalize()} {path} cannot be read on the controller: {reason}.",
                    remedy="Nothing was changed.",
                ) from None
            found.update({name: path, f"{name}_content": content})
        return found
