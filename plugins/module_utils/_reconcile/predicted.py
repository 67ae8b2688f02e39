# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What earlier tasks of a play would have done, for check mode."""

from __future__ import annotations

import typing as t

from .plan import CREATED, DELETED, FAILED, RECREATED, SKIPPED


class Predicted:
    """What earlier tasks of a play would have created and deleted if they were not in check mode.

    ``is_complete`` says that nothing else would exist, so that a missing object is an error and not just unknown.
    """

    def __init__(self, results: t.Iterable[t.Any] | None = None, *, vhosts: t.Iterable[str] = ()) -> None:
        """``results`` are entries of `results` of the modules vhosts and applications; ``vhosts`` are virtual hosts
        that would be created.
        """
        self.is_complete = results is not None
        self._created = {(name, "") for name in vhosts}
        self._deleted: set[tuple[str, str]] = set()
        self._listed: set[tuple[str, str]] = set()
        for entry in results or ():
            inside = entry.get("applications")
            for one in (entry, *(inside if isinstance(inside, list) else ())):
                if not isinstance(one, dict):
                    continue
                where = (str(one.get("vhost")), str(one.get("name"))) if "vhost" in one else (str(one.get("name")), "")
                if one.get("action") not in (DELETED, FAILED, SKIPPED):
                    self._listed.add(where)
                if one.get("action") in (CREATED, RECREATED):
                    self._created.add(where)
                elif one.get("action") == DELETED:
                    self._deleted.add(where)

    def created(self, vhost: str, app: str = "") -> bool:
        """Return whether a virtual host, or an application in it, would be new."""
        return (vhost, app) in self._created

    def listed(self, vhost: str, app: str = "") -> bool:
        """Return whether a virtual host, or an application in it, would be as an earlier task desires it."""
        return (vhost, app) in self._listed

    def deleted(self, vhost: str, app: str = "") -> bool:
        """Return whether a virtual host, or an application in it, would not exist."""
        return bool({(vhost, ""), (vhost, app)} & self._deleted)
