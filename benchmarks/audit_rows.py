# Copyright (c) 2026, StreamOps
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows about the audit of a fleet, and about the status of a tenant on it."""

from __future__ import annotations

from . import objects
from .fleet_rows import DEBUG, UNCHANGED
from .measuring import Sample
from .places import Place
from .table import Row, Sizes, time_ratio

AUDIT = "streamops.ovenmediaengine.audit"
STATUS_OF_TENANT = "streamops.ovenmediaengine.status"
AUDITED, STATUS = "fleet_audit", "fleet_status"


def audit_rows(fleet: Place, sizes: Sizes) -> list[Row]:
    """Return the rows. Earlier ones have provisioned the fleet."""
    # The virtual host `default` of the servers takes all host names, which is a finding for each of the others.
    variables = {"audit_fail_on": "none", "audit_report_dir": str(fleet.directory / "audit")}

    def audit() -> Sample:
        return fleet.play(AUDIT, variables=variables)

    def status() -> Sample:
        name = objects.virtual_hosts(1)[0]["name"]
        return fleet.play(
            STATUS_OF_TENANT, variables={"tenant": name, "status_report_dir": str(fleet.directory / "status")}
        )

    return [
        Row(
            AUDITED,
            "fleet",
            f"{sizes.fleet:,} servers with the same, by the playbook `audit`",
            audit,
            1.0 + 0.06 * sizes.fleet,
            time_ratio(AUDITED, UNCHANGED, "{} × `provision` of the same", 2),
            (UNCHANGED,),
        ),
        Row(
            STATUS,
            "fleet",
            f"{sizes.fleet:,} servers with the same, one tenant on all of them, by the playbook `status`",
            status,
            1.0 + 0.06 * sizes.fleet,
            time_ratio(STATUS, DEBUG, "{} × a playbook with one `debug`", 2),
            (DEBUG,),
        ),
    ]
